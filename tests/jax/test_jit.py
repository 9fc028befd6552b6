"""act.jax.jit: kernels on the QKV simulator, called by XLA:CPU."""
import pathlib
import threading

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
QKV = ROOT / "accelerators" / "qkv" / "QKV.taidl"
QKV_NEW = ROOT / "accelerators" / "qkv_new" / "QKV_new.taidl"


@pytest.fixture
def act_jax(jax):
  """act.jax with its library, or a skip that says what is missing."""
  try:
    import act.jax
    act.jax._load_library()
  except ImportError as error:
    pytest.skip(str(error))
  return act.jax


@pytest.fixture
def jnp(jax):
  import jax.numpy
  return jax.numpy


def small_integers(seed, *dims):
  """bf16 values whose products and sums are exact."""
  import ml_dtypes
  return np.random.default_rng(seed).integers(-3, 4, dims).astype(ml_dtypes.bfloat16)


def test_identity(act_jax, jnp):
  f = act_jax.jit(lambda x: x, target=QKV)
  x = small_integers(1, 64, 64)
  got = f(x)
  assert got.dtype == jnp.bfloat16 and got.shape == (64, 64)
  np.testing.assert_array_equal(np.asarray(got), x)
  assert "load" in act_jax.assembly(f, x)


@pytest.mark.parametrize("target", [QKV, QKV_NEW], ids=["qkv", "qkv_new"])
def test_spellings_of_a_product(act_jax, jax, jnp, target):
  a, b = small_integers(2, 64, 64), small_integers(3, 64, 64)
  for function in (lambda a, b: a @ b, lambda a, b: jnp.matmul(a, jnp.swapaxes(b, -1, -2)),
                   lambda a, b: jnp.einsum("ik,jk->ij", a, b)):
    np.testing.assert_array_equal(np.asarray(act_jax.jit(function, target=target)(a, b)), np.asarray(function(a, b)))


def test_results_in_trees_and_keywords(act_jax, jnp):
  @act_jax.jit(target=QKV)
  def both(a, *, b):
    return {"product": a @ b, "same": (a,)}

  a, b = small_integers(4, 64, 64), small_integers(5, 64, 64)
  got = both(a, b=b)
  assert both.__name__ == "both"
  np.testing.assert_array_equal(np.asarray(got["product"]), np.asarray(jnp.asarray(a) @ jnp.asarray(b)))
  np.testing.assert_array_equal(np.asarray(got["same"][0]), a)


def test_a_result_that_is_laid_out_by_columns(act_jax, jax):
  # The module's header gives x.T the layout {0,1}; the caller sees the transposed matrix all the same.
  x = small_integers(6, 64, 64)
  np.testing.assert_array_equal(np.asarray(act_jax.jit(lambda x: x.T, target=QKV)(x)), x.T)


def test_inside_jit_vmap_scan(act_jax, jax, jnp):
  f = act_jax.jit(lambda a, b: a @ b, target=QKV)
  a, b = small_integers(7, 3, 64, 64), small_integers(8, 64, 64)
  wanted = jnp.stack([jnp.asarray(x) @ jnp.asarray(b) for x in a])
  np.testing.assert_array_equal(np.asarray(jax.vmap(f, (0, None))(a, b)), np.asarray(wanted))
  np.testing.assert_array_equal(np.asarray(jax.lax.scan(lambda c, x: (c, f(x, b)), 0, a)[1]), np.asarray(wanted))
  np.testing.assert_array_equal(np.asarray(jax.jit(lambda x, y: f(x * 2, y) + x)(a[0], b)),
                                np.asarray(wanted[0] * 2 + a[0]))
  np.testing.assert_array_equal(np.asarray(jax.jit(lambda x: jax.lax.cond(x[0, 0] < 99, f, jnp.add, x, b))(a[0])),
                                np.asarray(wanted[0]))


def test_derivatives_are_jax_s_own(act_jax, jax, jnp):
  function = lambda a, b: a @ b
  f = act_jax.jit(function, target=QKV)
  a, b = small_integers(9, 64, 64), small_integers(10, 64, 64)
  loss = lambda g: lambda a, b: jnp.sum(g(a, b).astype(jnp.float32))
  for got, wanted in zip(jax.grad(loss(f), (0, 1))(a, b), jax.grad(loss(function), (0, 1))(jnp.asarray(a), jnp.asarray(b))):
    np.testing.assert_array_equal(np.asarray(got), np.asarray(wanted))
  got, wanted = jax.jvp(f, (a, b), (b, a)), jax.jvp(function, (jnp.asarray(a), jnp.asarray(b)), (b, a))
  np.testing.assert_array_equal(np.asarray(got[1]), np.asarray(wanted[1]))


def test_donated_and_non_contiguous_inputs(act_jax, jax, jnp):
  f = act_jax.jit(lambda a, b: a @ b, target=QKV)
  wide, b = small_integers(11, 64, 128), small_integers(12, 64, 64)
  np.testing.assert_array_equal(np.asarray(f(wide[:, ::2], b)), np.asarray(jnp.asarray(wide[:, ::2]) @ jnp.asarray(b)))
  np.testing.assert_array_equal(np.asarray(f(b.T, b)), np.asarray(jnp.asarray(b).T @ jnp.asarray(b)))
  x = jnp.asarray(b)
  wanted = np.asarray(x @ x)
  np.testing.assert_array_equal(np.asarray(jax.jit(lambda x: f(x, x), donate_argnums=0)(x)), wanted)


def test_two_threads_at_once(act_jax, jnp):
  f, failures = act_jax.jit(lambda a, b: a @ b.T, target=QKV_NEW), []

  def work(seed):
    try:
      for i in range(20):
        a, b = small_integers(seed + i, 64, 64), small_integers(seed - i, 64, 64)
        np.testing.assert_array_equal(np.asarray(f(a, b)), np.asarray(jnp.asarray(a) @ jnp.asarray(b).T))
    except BaseException as error:  # noqa: BLE001  (shown below)
      failures.append(error)

  threads = [threading.Thread(target=work, args=(seed,)) for seed in (100, 200)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert not failures


def test_two_targets_in_one_process(act_jax, jax, jnp):
  a, b = small_integers(30, 64, 64), small_integers(31, 64, 64)
  old = act_jax.jit(lambda x, y: x @ y, target=QKV)
  new = act_jax.jit(lambda x, y: x @ y.T, target=QKV_NEW)
  together = jax.jit(lambda x, y: (old(x, y), new(x, y), old(y, x)))
  for got, expected in zip(together(a, b), (a @ b, a @ b.T, b @ a)):
    np.testing.assert_array_equal(np.asarray(got), np.asarray(expected, a.dtype))
  # One after the other as well, each with its own instructions.
  for _ in range(2):
    np.testing.assert_array_equal(np.asarray(new(a, b)), np.asarray(jnp.asarray(a) @ jnp.asarray(b).T))
    np.testing.assert_array_equal(np.asarray(old(a, b)), np.asarray(jnp.asarray(a) @ jnp.asarray(b)))
  assert "load_rm" in act_jax.assembly(old, a, b) and "load_0" in act_jax.assembly(new, a, b)


def test_softmax_needs_relaxed_numerics(act_jax, jax, jnp):
  x = (small_integers(13, 64, 64) * 0.5).astype(jnp.bfloat16)
  function = lambda x: jax.nn.softmax(x, axis=-1)
  with pytest.raises(RuntimeError, match="relaxed"):
    act_jax.jit(function, target=QKV)(x)
  got = np.asarray(act_jax.jit(function, target=QKV, numerics="relaxed")(x), np.float32)
  np.testing.assert_allclose(got, np.asarray(function(jnp.asarray(x)), np.float32), rtol=2**-5)


def test_refusals_are_the_compiler_s_sentences(act_jax, jnp):
  x = small_integers(14, 64, 64)
  with pytest.raises(RuntimeError, match="'maximum'"):
    act_jax.jit(lambda a: jnp.maximum(a, a * 2), target=QKV)(x)
  with pytest.raises(NotImplementedError, match="'sort'"):
    act_jax.jit(lambda a: jnp.sort(a), target=QKV)(x)
  f = act_jax.jit(lambda a: a, target=QKV)
  with pytest.raises(RuntimeError):
    f(small_integers(15, 50))
  np.testing.assert_array_equal(np.asarray(f(x)), x)  # a refusal leaves nothing behind


@pytest.mark.parametrize("options,fault,sentence", [
    ({"target": 3}, TypeError, "target is an Accelerator or the path of a .taidl file, not 3 of type int"),
    ({"target": "/nowhere.taidl"}, FileNotFoundError, "nowhere.taidl"),
    ({"target": QKV, "numerics": "fast"}, ValueError, "numerics is 'strict', 'default' or 'relaxed', not 'fast'"),
    ({"target": QKV, "effort": 4}, ValueError, "effort is 0, 1, 2 or 3, not 4"),
])
def test_wrong_options(act_jax, options, fault, sentence):
  with pytest.raises(fault, match=sentence):
    act_jax.jit(lambda x: x, **options)


def test_a_spec_that_is_broken(act_jax, tmp_path):
  (tmp_path / "Bad.taidl").write_text("accelerator {")
  with pytest.raises((SyntaxError, ValueError), match="Bad.taidl"):
    act_jax.jit(lambda x: x, target=tmp_path / "Bad.taidl")(small_integers(16, 64, 64))


def test_a_kernel_of_another_process_is_refused(act_jax, jax):
  from act.jax import _compat
  x = np.zeros((4, 4), np.float32)
  call = _compat.ffi_call("act_execute", jax.ShapeDtypeStruct(x.shape, x.dtype))
  with pytest.raises(Exception, match="no kernel with the id 12345 was compiled in this process"):
    jax.block_until_ready(call(x, program=np.int64(12345)))


def test_arrays_of_other_sizes_are_refused(act_jax, jax):
  from act.jax import _compat
  f = act_jax.jit(lambda x: x, target=QKV)
  leaves, tree = jax.tree.flatten(((small_integers(17, 64, 64),), {}))
  program = f._act_kernels.get(leaves, tree)[0]
  x = np.zeros((4, 4), np.float32)
  call = _compat.ffi_call("act_execute", jax.ShapeDtypeStruct(x.shape, x.dtype))
  with pytest.raises(Exception, match="do not have the number or the sizes"):
    jax.block_until_ready(call(x, program=np.int64(program)))


def test_the_cache_on_disk(act_jax, monkeypatch, tmp_path):
  monkeypatch.setenv("ACT_CACHE_DIR", str(tmp_path / "new" / "folder"))

  def of_the_cache_test(a, b):  # a name of its own, so that memory does not have the kernel
    return a @ b

  x = small_integers(18, 64, 64)
  wanted = act_jax.assembly(act_jax.jit(of_the_cache_test, target=QKV), x, x)
  entries = list((tmp_path / "new" / "folder").iterdir())
  assert len(entries) == 1 and entries[0].read_text().split("\n", 2)[2] == wanted


def test_where_the_cache_is(act_jax, monkeypatch):
  from act.jax import _ffi
  monkeypatch.setenv("ACT_CACHE_DIR", "")
  assert _ffi.cache_folder() == b""
  monkeypatch.delenv("ACT_CACHE_DIR")
  monkeypatch.setenv("XDG_CACHE_HOME", "/x")
  assert _ffi.cache_folder() == b"/x/act"


def test_report(act_jax, jnp):
  import jax
  shape = jax.ShapeDtypeStruct((64, 64), jnp.bfloat16)
  f = act_jax.jit(lambda x: jax.nn.softmax(x), target=QKV, numerics="relaxed")
  report = act_jax.report(f, shape)
  lines = act_jax.assembly(f, shape)
  assert report["target"] == "QKV" and report["instructions"] == 6 and not report["from_disk"]
  assert [entry["kind"] for entry in report["hbm_map"]].count("output") == 1
  assert all(entry["address"] + entry["bytes"] <= report["hbm_bytes"] for entry in report["hbm_map"])
  assert report["bytes_moved"] >= 2 * 8192 and report["cost"] > 0
  assert any("softmax" in step for step in report["inexact_steps"])
  assert report["verification"] and sum(report["milliseconds"].values()) > 0 and "softmax" in lines
  with pytest.raises(TypeError, match="a function made by act.jax.jit"):
    act_jax.report(lambda x: x, shape)
