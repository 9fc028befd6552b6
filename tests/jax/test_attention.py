"""Attention in the spellings of JAX users, on both QKV accelerators, against jax on CPU."""
import pathlib
import runpy

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# With the most instructions that the foundation's table allows.
TARGETS = {"qkv": (ROOT / "accelerators/qkv/QKV.taidl", 9), "qkv_new": (ROOT / "accelerators/qkv_new/QKV_new.taidl", 10)}
SEEDS = 20


@pytest.fixture(scope="module")
def act_jax():
  try:
    import act.jax
    act.jax._load_library()
  except ImportError as error:
    pytest.skip(str(error))
  return act.jax


def spellings():
  import jax
  import jax.numpy as jnp

  def plain(e):
    return e / jnp.sum(e, axis=-1, keepdims=True)

  return {
      "matmul and swapaxes": ("default", (), lambda q, k, v: plain(jnp.exp(jnp.matmul(q, jnp.swapaxes(k, -1, -2)))) @ v),
      "einsum": ("default", (), lambda q, k, v: jnp.einsum("qk,kd->qd", plain(jnp.exp(jnp.einsum("qd,kd->qk", q, k))), v)),
      "batch dimensions": ("default", (1, 1), lambda q, k, v: jnp.einsum(
          "bhqk,bhkd->bhqd", plain(jnp.exp(jnp.einsum("bhqd,bhkd->bhqk", q, k))), v)),
      "jax.nn.softmax": ("relaxed", (), lambda q, k, v: jax.nn.softmax(q @ k.T, axis=-1) @ v),
  }


NAMES = ["matmul and swapaxes", "einsum", "batch dimensions", "jax.nn.softmax"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", TARGETS)
def test_equal_to_jax_within_the_roundings(act_jax, target, name):
  """Both sides round scores, exponentials, sums, weights and the result to bf16 (unit u = 2**-8), each at its own
  places. A score of at most 4 rounded differently moves its weight by 4u; exponential, sum and quotient by u each, and
  the sum of 64 terms in another order by u again: 8u on weights that are all positive, u on the result, on both sides.
  """
  import jax.numpy as jnp
  spec, instructions = TARGETS[target]
  numerics, batch, function = spellings()[name]
  f = act_jax.jit(function, target=spec, numerics=numerics)
  for seed in range(SEEDS):
    rng = np.random.default_rng(seed)
    q, k, v = (jnp.asarray(0.25 * rng.standard_normal((*batch, 64, 64)), jnp.bfloat16) for _ in range(3))
    got, wanted = np.asarray(f(q, k, v), np.float64), np.asarray(function(q, k, v), np.float64)
    exact_q, exact_k, exact_v = (np.asarray(x, np.float64) for x in (q, k, v))
    scores = exact_q @ np.swapaxes(exact_k, -1, -2)
    assert np.abs(scores).max() < 4
    weights = np.exp(scores)
    weights /= weights.sum(-1, keepdims=True)
    bound = 18 * 2.0**-8 * (weights @ np.abs(exact_v))
    assert np.all(np.abs(got - wanted) <= bound), seed
  assert act_jax.report(f, q, k, v)["instructions"] <= instructions


def test_softmax_is_refused_by_default_with_the_reason(act_jax):
  import jax.numpy as jnp
  x = jnp.zeros((64, 64), jnp.bfloat16)
  with pytest.raises(RuntimeError, match="over- or underflows.*relaxed"):
    act_jax.jit(spellings()["jax.nn.softmax"][2], target=TARGETS["qkv"][0])(x, x, x)


def test_the_example_runs(act_jax, capsys):
  runpy.run_path(str(ROOT / "examples" / "attention_jax.py"), run_name="__main__")
  text = capsys.readouterr().out
  assert "9 instructions" in text and "gradient of shape (64, 64)" in text
