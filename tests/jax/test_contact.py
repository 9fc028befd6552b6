"""First contact: what docs/jax.md says about jax and jaxlib, each statement by a call.

A row of docs/jax.md names the test below that shows it.
"""

import itertools
import re
import shutil
import subprocess

import numpy as np
import pytest


@pytest.fixture
def jnp(jax):
  import jax.numpy
  return jax.numpy


def f32(*dims):
  return np.arange(np.prod(dims, dtype=int), dtype=np.float32).reshape(dims)


# --- getting HLO out ----------------------------------------------------------------------------------------------


def test_lowering_needs_no_data_and_three_calls_give_one_text(compat, jax, jnp):
  lowered = jax.jit(lambda x: x @ x).lower(jax.ShapeDtypeStruct((4, 4), jnp.bfloat16))
  computation = lowered.compiler_ir("hlo")
  assert lowered.as_text("hlo") == computation.as_hlo_text(print_large_constants=True) == compat.hlo_text(lowered)
  assert compat.proto_to_text(compat.hlo_proto(lowered)) == compat.hlo_text(lowered)
  assert "stablehlo.dot_general" in str(lowered.compiler_ir())


def test_the_private_converter_takes_text_and_bytecode(jax, jnp):
  import jax.extend.mlir as mlir
  from jaxlib import _jax
  lowered = jax.jit(lambda x: jax.lax.erf(x)).lower(jax.ShapeDtypeStruct((4,), jnp.float32))
  module = lowered.compiler_ir()
  texts = []
  for source in (str(module), mlir.serialize_portable_artifact(lowered.compiler_ir(), "1.9.0")):
    text = _jax.mlir.mlir_module_to_xla_computation(source).as_hlo_text()
    texts.append(re.findall(r"\S+ = \S+ ([a-z-]+)\(", text))
  # chlo operations come back as HLO. (Names of arguments are in the text's locations only.)
  assert texts == [["parameter", "erf"]] * 2


def test_lists_of_extend_mlir(jax):
  import jax.extend.mlir as mlir
  for name in ("hlo_to_stablehlo", "serialize_portable_artifact", "deserialize_portable_artifact",
               "refine_polymorphic_shapes"):
    assert callable(getattr(mlir, name)), name


def test_serialising_leaves_the_module_alone(jax, jnp):
  import jax.extend.mlir as mlir
  module = jax.jit(lambda x: x + 1).lower(jax.ShapeDtypeStruct((4,), jnp.float32)).compiler_ir()
  before = str(module)
  artifact = mlir.serialize_portable_artifact(module, "1.9.0")
  assert artifact[:4] == b"ML\xefR" and b"StableHLO_v1.9.0" in artifact
  assert str(module) == before


def test_artifact_bytes_vary_with_source_places_and_hlo_text_does_not(compat, jax, jnp):
  import jax.extend.mlir as mlir
  x = jax.ShapeDtypeStruct((4,), jnp.float32)
  scope = {"jnp": jnp}
  artifacts, texts, protos = [], [], []
  for code in ("def f(x): return jnp.sin(x)", "\n\n\ndef f(x): return jnp.sin(x)"):
    exec(compile(code, "somewhere.py", "exec"), scope)
    lowered = compat.lower(scope["f"], x)
    texts.append(compat.hlo_text(lowered))
    protos.append(compat.hlo_proto(lowered))
    artifacts.append(mlir.serialize_portable_artifact(lowered.compiler_ir(), "1.9.0"))
  assert artifacts[0] != artifacts[1]
  assert texts[0] == texts[1]
  assert protos[0] != protos[1]  # the proto has the places too, and a number that counts up


def test_lowering_for_a_platform_that_is_not_there(compat, jnp):
  x = f32(4, 4)
  texts = {platform: compat.hlo_text(compat.lower(jnp.linalg.cholesky, x, platform=platform))
           for platform in ("cpu", "cuda", "tpu", "act")}
  assert "custom-call" in texts["cpu"] and "custom-call" in texts["cuda"]
  for platform in ("tpu", "act"):  # any unknown name gets the default rules
    assert " cholesky(" in texts[platform] and "custom-call" not in texts[platform]


def test_results_may_have_layouts_that_are_not_row_major(compat, jnp):
  text = compat.hlo_text(compat.lower(lambda a, b: (a.T, a @ b.T), f32(4, 4), f32(4, 4)))
  assert "->(f32[4,4]{0,1}, f32[4,4]{1,0})" in text.splitlines()[0]


def test_unused_arguments_are_dropped_unless_kept(compat, jax):
  x = f32(2)
  assert "(f32[2]{0})->" in compat.hlo_text(compat.lower(lambda a, b: a, x, x))
  assert "(f32[2]{0}, f32[2]{0})->" in compat.hlo_text(compat.lower(jax.jit(lambda a, b: a, keep_unused=True), x, x))


# --- text ---------------------------------------------------------------------------------------------------------


def test_printer_settings(compat, jax, jnp):
  lowered = compat.lower(lambda x: jnp.exp(x) + jnp.arange(12.0)[::-1] + np.arange(12, dtype=np.float32), f32(12))
  computation = lowered.compiler_ir("hlo")
  short, plain, full = lowered.as_text("hlo"), computation.as_hlo_text(), computation.as_hlo_module().to_string()
  assert "%" not in short and "metadata" not in short and "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11" in short
  assert "%" not in plain and "metadata" not in plain and "constant({...})" in plain
  assert "%" in full and "metadata={" in full and "constant({...})" in full and "StackFrames" in full
  assert "ENTRY %main" in full and ") -> f32[12]" in full
  compiled = lowered.compile().as_text()
  assert "%" in compiled and "is_scheduled=true" in compiled


def test_optimised_hlo_has_fusions(compat, jnp):
  lowered = compat.lower(lambda x: jnp.exp(x) * 2 + jnp.sin(x), f32(64))
  assert "fusion(" not in compat.hlo_text(lowered)
  assert "kind=kLoop" in lowered.compile().as_text()


def test_custom_derivative_and_nested_jit_are_calls(compat, jax, jnp):
  text = compat.hlo_text(compat.lower(lambda x: jax.nn.relu(x) + jnp.where(x > 0, x, 0), f32(4)))
  assert text.count(" call(") == 2 and "\nrelu." in text and "\n_where." in text


# --- back into jax -------------------------------------------------------------------------------------------------


def test_any_hlo_text_runs(compat, jax):
  text = ("HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  t = f32[3,2] transpose(x), dimensions={1,0}\n"
          "  ROOT r = (f32[3,2], f32[2,3]) tuple(t, x)\n}\n")
  x = f32(2, 3)
  first, second = compat.run_hlo(compat.text_to_proto(text), x)
  np.testing.assert_array_equal(first, x.T)
  np.testing.assert_array_equal(second, x)


def test_int8_matmul_is_one_dot(compat, jax, jnp):
  text = compat.hlo_text(compat.lower(
      lambda a, b: jax.lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32),
      np.zeros((4, 4), np.int8), np.zeros((4, 4), np.int8)))
  assert re.search(r"= s32\[4,4\]\{1,0\} dot\(a.1, b.1\)", text) and "convert" not in text


def test_cumsum_is_a_reduce_window_and_top_k_is_topk(compat, jax, jnp):
  text = compat.hlo_text(compat.lower(jnp.cumsum, f32(8)))
  assert "window={size=8 pad=7_0}" in text
  assert " topk(" in compat.hlo_text(compat.lower(lambda x: jax.lax.top_k(x, 2), f32(8)))


# --- arithmetic of XLA:CPU -------------------------------------------------------------------------------------------

INTEGERS = ("s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")


def dtype(name):
  import ml_dtypes
  if name == "bf16":
    return np.dtype(ml_dtypes.bfloat16)
  return np.dtype({"s": "int", "u": "uint", "f": "float"}[name[0]] + name[1:])


def run_unary(compat, jax, operation, source, target, values):
  text = (f"HloModule m\nENTRY e {{\n  x = {source}[{len(values)}] parameter(0)\n"
          f"  ROOT r = {target}[{len(values)}] {operation}(x)\n}}\n")
  with jax.enable_x64(True):
    return compat.run_hlo(compat.text_to_proto(text), values)[0]


@pytest.mark.parametrize("source,target", list(itertools.product(FLOATS, INTEGERS)))
def test_float_to_integer_saturates_and_nan_is_zero(compat, jax, source, target):
  limits = np.iinfo(dtype(target))
  values = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 0.99, -0.99, 1.5, -1.5, 2.0**20, -(2.0**20), 2.0**40,
                     -(2.0**40), 2.0**63, 2.0**64, -(2.0**63), -(2.0**64), 100.5, -100.5, 127.0, 128.0, 255.0,
                     256.0], np.float64)
  with np.errstate(over="ignore"):
    values = values.astype(dtype(source))
  got = run_unary(compat, jax, "convert", source, target, values)
  wanted = []
  for value in values.astype(np.float64):
    exact = 0 if np.isnan(value) else limits.max if value == np.inf else limits.min if value == -np.inf else int(value)
    wanted.append(min(max(exact, limits.min), limits.max))
  np.testing.assert_array_equal(got, np.array(wanted, dtype(target)))


def run_binary(compat, jax, operation, name, a, b):
  text = (f"HloModule m\nENTRY e {{\n  x = {name}[{len(a)}] parameter(0)\n  y = {name}[{len(a)}] parameter(1)\n"
          f"  ROOT r = {name}[{len(a)}] {operation}(x, y)\n}}\n")
  with jax.enable_x64(True):
    return compat.run_hlo(compat.text_to_proto(text), a, b)[0].tolist()


@pytest.mark.parametrize("name", INTEGERS)
def test_integer_division_and_shifts_at_the_limits(compat, jax, name):
  limits, bits = np.iinfo(dtype(name)), dtype(name).itemsize * 8

  def run(operation, *pairs):
    a, b = np.array(pairs, dtype(name)).T.copy()
    return run_binary(compat, jax, operation, name, a, b)

  all_ones = -1 if limits.min < 0 else limits.max
  assert run("divide", (7, 0), (0, 0)) == [all_ones, all_ones]
  assert run("remainder", (7, 0), (0, 0)) == [7, 0]
  assert run("shift-left", (1, bits), (1, bits + 1), (3, bits - 1)) == [0, 0, limits.min or 1 << (bits - 1)]
  assert run("shift-right-logical", (limits.max, bits), (limits.max, bits + 1)) == [0, 0]
  if limits.min < 0:
    assert run("divide", (limits.min, -1)) == [limits.min]
    assert run("remainder", (limits.min, -1), (-7, 3)) == [0, -1]
    assert run("shift-right-arithmetic", (-5, bits), (5, bits), (-5, bits + 3)) == [-1, 0, -1]
    assert run("shift-left", (1, -1)) == [0]


# --- FFI ----------------------------------------------------------------------------------------------------------

HANDLER = r"""
#include <cstring>
#include <string>
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;
static ffi::Error Run(int64_t program, ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> r) {
  if (program < 0) return ffi::Error::InvalidArgument("no program " + std::to_string(program));
  std::memcpy(r->untyped_data(), x.untyped_data(), x.size_bytes());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(TestRun, Run,
    ffi::Ffi::Bind().Attr<int64_t>("program").Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());
"""


@pytest.fixture
def identity(compat, jax, tmp_path_factory):
  import ctypes
  if shutil.which("g++") is None:
    pytest.skip("g++ is not installed")
  if not hasattr(identity_cache, "call"):
    folder = tmp_path_factory.mktemp("ffi")
    (folder / "run.cc").write_text(HANDLER)
    subprocess.run(["g++", "-std=c++17", "-shared", "-fPIC", "-O1", f"-I{compat.ffi_include_dir()}", "run.cc", "-o",
                    "run.so"], cwd=folder, check=True)
    identity_cache.library = ctypes.CDLL(str(folder / "run.so"))
    compat.register_ffi_target("act_contact_run", identity_cache.library.TestRun)
    identity_cache.call = True

  def call(x, program=1, **options):
    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return compat.ffi_call("act_contact_run", result, **options)(x, program=np.int64(program))

  return call


class identity_cache:
  """One library and one registration a process: names of targets cannot be taken back."""


def test_ffi_call_by_pointer(identity):
  x = f32(3, 4)
  np.testing.assert_array_equal(identity(x), x)


def test_ffi_under_jit_scan_cond(identity, jax, jnp):
  x = f32(3, 4)
  np.testing.assert_array_equal(jax.jit(lambda v: identity(v * 2) + 1)(x), x * 2 + 1)
  _, ys = jax.lax.scan(lambda c, row: (c, identity(row) + c), jnp.float32(1), x)
  np.testing.assert_array_equal(ys, x + 1)
  np.testing.assert_array_equal(jax.jit(lambda v: jax.lax.cond(v[0, 0] < 1, identity, jnp.sin, v))(x), x)


def test_ffi_vmap_needs_a_method(identity, jax):
  x = f32(3, 4)
  with pytest.raises(NotImplementedError, match="vmap"):
    jax.vmap(identity)(x)
  np.testing.assert_array_equal(jax.vmap(lambda row: identity(row, vmap_method="sequential"))(x), x)


def test_ffi_has_no_derivative_of_its_own(identity, jax, jnp):
  x = f32(4)
  with pytest.raises(ValueError, match="cannot be differentiated"):
    jax.grad(lambda v: jnp.sum(identity(v)))(x)


def test_ffi_errors_become_exceptions_with_their_text(identity, jax):
  with pytest.raises(Exception, match="no program -7") as caught:
    jax.block_until_ready(identity(f32(4), program=-7))
  assert "INVALID_ARGUMENT" in str(caught.value)


def test_ffi_layouts_are_row_major_unless_asked(identity, jax):
  x = f32(3, 4)
  np.testing.assert_array_equal(jax.jit(lambda v: identity(v.T))(x), x.T)
