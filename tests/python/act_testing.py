"""What the Python tests share: specs, generated packages, published kernels, references."""
import functools
import importlib.util
import itertools
import math
import os
import pathlib
import subprocess
import types

import ml_dtypes
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ACCELERATORS = {"QKV": ROOT / "accelerators" / "qkv" / "QKV", "QKV_new": ROOT / "accelerators" / "qkv_new" / "QKV_new"}
BF16 = np.dtype(ml_dtypes.bfloat16)
_numbers = itertools.count()


def load_module(path):
  """A Python file as a module of its own."""
  spec = importlib.util.spec_from_file_location(f"loaded_{next(_numbers)}_{pathlib.Path(path).stem}", path)
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  return module


def load_accelerator(name):
  module = load_module(ACCELERATORS[name].with_suffix(".py"))
  return module.qkv if name == "QKV" else module.qkv_new


def load_oracle(base_dir, name="QKV"):
  """The generated package, under a name of its own."""
  import sys
  folder = pathlib.Path(base_dir) / "targets" / name / "oracle"
  unique = f"oracle_{next(_numbers)}"
  spec = importlib.util.spec_from_file_location(unique, folder / "__init__.py", submodule_search_locations=[str(folder)])
  module = importlib.util.module_from_spec(spec)
  sys.modules[unique] = module
  spec.loader.exec_module(module)
  return module


def make_oracle(accelerator, base_dir):
  from act.generators import generate_oracle
  generate_oracle(accelerator, base_dir)
  return load_oracle(base_dir, accelerator.name)


def kernel_of(oracle, path):
  """The kernel of a file in one of the published forms: a decorated function of `from oracle import api`, or a
  function of (kernel, api). It imports jax."""
  import sys
  pytest.importorskip("jax", reason="jax is not installed: kernel files in Python are not executed")
  names = {"oracle": oracle, "oracle.api": oracle.api, "oracle.decorator": oracle.decorator}
  sys.modules.update(names)
  try:
    module = load_module(path)
  finally:
    for name in names:
      del sys.modules[name]
  from act.oracle import Kernel
  for value in vars(module).values():
    if isinstance(value, Kernel):
      return value
    if isinstance(value, types.FunctionType):
      return value(oracle.decorator.kernel, oracle.api)
  raise AssertionError(f"no kernel in {path}")


def run(kernel, *arrays):
  kernel("fsim-compile")()
  return kernel("fsim")(*arrays)[0]


def program(name):
  return ROOT / "build" / "bin" / name


def need_program(name="act"):
  if not program(name).exists():
    pytest.skip(f"build/bin/{name} is not built")
  return program(name)


def simulate(asm, target, arrays, folder):
  """Output bytes of `act simulate`."""
  command = [need_program(), "simulate", asm, "--target", target]
  for number, array in enumerate(arrays):
    path = folder / f"input{number}.dat"
    path.write_bytes(array.tobytes())
    command += ["--input", path]
  out = folder / "output.dat"
  subprocess.run([*map(str, command), "--output", str(out)], check=True, stdout=subprocess.DEVNULL)
  return out.read_bytes()


# --- Inputs ------------------------------------------------------------------------------------------------


def normal(seed, count, shape=(64, 64)):
  random = np.random.default_rng(seed)
  return [random.standard_normal(shape).astype(BF16) for _ in range(count)]


def grid(seed, count, shape=(64, 64)):
  """Multiples of 1/64 in [-2, 2]: sums of 64 products are exact in f32."""
  random = np.random.default_rng(1000 + seed)
  return [(random.integers(-128, 129, shape) / 64).astype(BF16) for _ in range(count)]


INPUTS = [pytest.param(make, seed, id=f"{make.__name__}-{seed}") for make in (normal, grid) for seed in range(10)]


@functools.cache
def public_qkv():
  """The public Q, K, V; skips where the folder is not there."""
  folder = pathlib.Path(os.environ.get("ACT_SHARED", ROOT.parent / "shared")) / "data" / "qkv"
  if not folder.is_dir():
    return None
  return [np.fromfile(folder / f"{name}.dat", dtype=BF16).reshape(64, 64) for name in "QKV"]


# --- References: the first product is a bf16 value, the rest f64 ------------------------------------------


def scores(q, k):
  """Q K^T rounded once to bf16 (through f64, which holds it)."""
  exact = q.astype(np.float64) @ k.astype(np.float64).T
  return exact.astype(np.float32).astype(BF16)


def softmax(x):
  e = np.exp(x.astype(np.float64))
  return e / e.sum(axis=1, keepdims=True)


def attention(q, k, v):
  return softmax(scores(q, k)) @ v.astype(np.float64)


def tolerance(v):
  """Two bf16 ulps of the largest magnitude in v."""
  return 2.0 * 2.0 ** (math.floor(math.log2(float(np.abs(v.astype(np.float64)).max()))) - 7)


def difference(a, b):
  return float(np.abs(np.asarray(a).astype(np.float64) - np.asarray(b).astype(np.float64)).max())
