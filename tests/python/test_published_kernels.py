"""Row 6, kernels: hand-written kernels in the published form run unchanged and give NumPy's numbers; `act simulate`
gives the same bytes for them in native assembly. Row 2's rule of comparison (pitfalls.md section 12)."""
import numpy as np
import pytest

import act_testing as t

pytest.importorskip("jax", reason="jax is not installed: kernel files in Python are not executed")
DATA = t.ROOT / "tests" / "data" / "asm"
KERNELS = {"identity": 1, "matmul": 2, "softmax": 1, "attention": 3}


@pytest.fixture(scope="module", params=t.ACCELERATORS)
def machine(request, tmp_path_factory):
  """(name, oracle, {kernel name: compiled kernel})."""
  name = request.param
  oracle = t.make_oracle(t.load_accelerator(name), tmp_path_factory.mktemp("oracle"))
  kernels = {}
  for kernel in KERNELS:
    kernels[kernel] = t.kernel_of(oracle, DATA / f"{name.lower()}_{kernel}.py")
    kernels[kernel]("fsim-compile")()
  return name, oracle, kernels


def outputs(machine, kernel, arrays):
  return machine[2][kernel]("fsim")(*arrays)[0][0]


@pytest.mark.parametrize("make, seed", t.INPUTS)
def test_identity(machine, make, seed):
  (x,) = make(seed, 1)
  assert outputs(machine, "identity", [x]).tobytes() == x.tobytes()


@pytest.mark.parametrize("make, seed", t.INPUTS)
def test_matmul(machine, make, seed):
  a, b = make(seed, 2)
  got = outputs(machine, "matmul", [a, b])
  exact = a.astype(np.float64) @ b.astype(np.float64)
  if make is t.grid:
    assert got.tobytes() == exact.astype(np.float32).astype(t.BF16).tobytes()
  # Half an ulp of the result, and the f32 sums.
  assert np.all(np.abs(got.astype(np.float64) - exact) <= np.abs(exact) * 2.0**-8 + 1e-4)


@pytest.mark.parametrize("make, seed", t.INPUTS)
def test_softmax(machine, make, seed):
  (x,) = make(seed, 1)
  got = outputs(machine, "softmax", [x]).astype(np.float64)
  exact = t.softmax(x)
  # e, the sum and the quotient are rounded to bf16 once each.
  assert np.all(np.abs(got - exact) <= exact * 4 * 2.0**-8)


# pitfall 213
@pytest.mark.parametrize("make, seed", t.INPUTS)
def test_attention(machine, make, seed):
  q, k, v = make(seed, 3)
  assert t.difference(outputs(machine, "attention", [q, k, v]), t.attention(q, k, v)) <= t.tolerance(v)


def test_attention_on_the_public_data(machine):
  data = t.public_qkv()
  if data is None:
    pytest.skip("the public Q, K, V are not there (shared/data/qkv)")
  # pitfall 209
  assert t.difference(outputs(machine, "attention", data), t.attention(*data)) <= t.tolerance(data[2])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("make", (t.normal, t.grid))
def test_act_simulate_gives_the_same_bytes(machine, kernel, make, tmp_path):
  name = machine[0]
  arrays = make(3, KERNELS[kernel])
  native = t.simulate(DATA / f"{name.lower()}_{kernel}.asm", t.ACCELERATORS[name].with_suffix(".taidl"), arrays, tmp_path)
  assert native == outputs(machine, kernel, arrays).tobytes()


@pytest.mark.parametrize("kernel", KERNELS)
def test_act_simulate_reads_the_python_kernel_too(machine, kernel, tmp_path):
  name = machine[0]
  arrays = t.normal(4, KERNELS[kernel])
  native = t.simulate(DATA / f"{name.lower()}_{kernel}.py", t.ACCELERATORS[name].with_suffix(".taidl"), arrays, tmp_path)
  assert native == outputs(machine, kernel, arrays).tobytes()


def test_jax_arrays_in_jax_arrays_out(machine):
  import jax
  import jax.numpy as jnp
  (x,) = t.normal(0, 1)
  got = outputs(machine, "identity", [jnp.asarray(x)])
  assert isinstance(got, jax.Array) and got.dtype == jnp.bfloat16
  assert np.asarray(got).tobytes() == x.tobytes()
  a, b = t.normal(0, 2)
  assert isinstance(outputs(machine, "matmul", [a, jnp.asarray(b)]), jax.Array)
  assert isinstance(outputs(machine, "matmul", [a, b]), np.ndarray)
