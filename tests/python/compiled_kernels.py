"""Tests of one accelerator's folder: every kernel is compiled by the generated backend, its program run by the
generated simulator and compared with NumPy, and its output with the golden hashes."""
import hashlib
import json
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import act_testing as t

BF16 = t.BF16
SEED = 7  # of the golden inputs


def narrow(x):
  """Rounded to bf16 and back: what an on-chip value keeps."""
  return x.astype(np.float32).astype(BF16).astype(np.float64)


def softmax_columns(x):
  return t.softmax(x.T).T


# Kernel: number of inputs, reference over f64 arrays (products that feed another step are bf16 values), and the bound of
# the difference from inputs of N(0,1), relative to the largest magnitude of the reference.
KERNELS = {
    "identity": (1, lambda x: [x], 0),
    "transpose": (1, lambda x: [x.T], 0),
    "matmul": (2, lambda a, b: [a @ b], 2**-8),
    "matmul_bt": (2, lambda a, b: [a @ b.T], 2**-8),
    "matmul_at": (2, lambda a, b: [a.T @ b], 2**-8),
    "matmul_at_bt": (2, lambda a, b: [a.T @ b.T], 2**-8),
    "square": (1, lambda x: [x @ x], 2**-8),
    "gram": (1, lambda x: [x @ x.T], 2**-8),
    "scale": (1, lambda x: [0.125 * x], 0),
    "softmax": (1, lambda x: [t.softmax(x)], 2**-6),
    "softmax_columns": (1, lambda x: [softmax_columns(x)], 2**-6),
    "attention": (3, lambda q, k, v: [t.softmax(narrow(q @ k.T)) @ v], None),
    "attention_projection": (4, lambda q, k, v, w: [narrow(t.softmax(narrow(q @ k.T)) @ v) @ w], 2**-5),
    "five_matrices": (5, lambda a, b, c, d, e: [narrow(narrow(narrow(a @ b) @ c) @ d) @ e], 2**-6),
    "two_products": (3, lambda a, b, c: [a @ b, a @ c], 2**-8),
    "scores": (2, lambda a, b: [a @ b, t.softmax(narrow(a @ b))], 2**-6),
    "softmax_times_scores": (2, lambda a, b: [t.softmax(narrow(a @ b)) @ narrow(a @ b)], 2**-6),
}


class Machine:
  """A generated simulator and backend, and the kernels it compiled."""

  def __init__(self, name, folder):
    self.name, self.folder = name, folder
    accelerator = t.load_accelerator(name)
    self.oracle = t.make_oracle(accelerator, folder)
    from act.generators import generate_backend
    generate_backend(accelerator, folder)
    self.backend = folder / "backends" / accelerator.name
    self.programs = {}

  def compile(self, kernel):
    """(program for the simulator, number of instructions)."""
    if kernel not in self.programs:
      source = t.ACCELERATORS[self.name].parent / "kernels" / f"{kernel}.hlo"
      output = self.folder / f"{kernel}.py"
      done = subprocess.run([self.backend, "--input", source, "--output", output], capture_output=True, text=True,
                            check=False)
      assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
      self.programs[kernel] = (read_kernel(self.oracle, output), output.read_text().count("api."))
    return self.programs[kernel]

  def run(self, kernel, arrays):
    k = self.compile(kernel)[0]
    k("fsim-compile")()
    return k("fsim")(*arrays)[0]


def read_kernel(oracle, path):
  """The compiled kernel. With jax its file is executed as it is; without, its dtypes come from ml_dtypes."""
  try:
    import jax  # noqa: F401
  except ImportError:
    text = path.read_text().replace("import jax.numpy as jnp", "import numpy as jnp\nimport ml_dtypes")
    path = path.with_suffix(".nojax.py")
    path.write_text(text.replace("jnp.bfloat16", "ml_dtypes.bfloat16"))
    module = t.load_module(path)
    function = next(value for value in vars(module).values() if hasattr(value, "__code__"))
    return function(oracle.decorator.kernel, oracle.api)
  return t.kernel_of(oracle, path)


def golden_inputs(kernel):
  return t.normal(SEED, KERNELS[kernel][0])


def digest(outputs):
  return hashlib.sha256(b"".join(output.tobytes() for output in outputs)).hexdigest()


def golden_path(name):
  return t.ACCELERATORS[name].parent / "tests" / "golden.json"


def goldens(machine):
  """What golden.json holds: the hash of each kernel's output, and what produced it."""
  command = subprocess.run([t.need_program(), "--version"], capture_output=True, text=True, check=False)
  return {
      "made_by": "tests/regenerate.sh: kernels compiled by the generated backend, run by the generated simulator",
      "act": command.stdout.strip(),
      "numpy": np.__version__, "ml_dtypes": ml_dtypes.__version__,
      "inputs": f"numpy.random.default_rng({SEED}).standard_normal((64, 64)) for each input in turn, rounded to bf16",
      "sha256": {kernel: digest(machine.run(kernel, golden_inputs(kernel))) for kernel in KERNELS},
      "instructions": {kernel: machine.compile(kernel)[1] for kernel in KERNELS},
  }


def check_golden(machine, kernel):
  golden = json.loads(golden_path(machine.name).read_text())
  assert digest(machine.run(kernel, golden_inputs(kernel))) == golden["sha256"][kernel], (
      "the output changed: tests/regenerate.sh rewrites the goldens if that is right")


def check_numbers(machine, kernel, arrays):
  count, reference, bound = KERNELS[kernel]
  assert len(arrays) == count
  outputs = machine.run(kernel, arrays)
  expected = reference(*[array.astype(np.float64) for array in arrays])
  assert len(outputs) == len(expected)
  for got, right in zip(outputs, expected):
    limit = t.tolerance(arrays[2]) if bound is None else bound * np.abs(right).max()
    assert t.difference(got, right) <= limit


def check_instructions(machine, limits):
  counts = {kernel: machine.compile(kernel)[1] for kernel in KERNELS}
  print("instructions:", counts)
  over = {kernel: counts[kernel] for kernel in KERNELS if counts[kernel] > limits[kernel]}
  assert not over, f"more instructions than the limits {limits}"


def check_public_data(machine):
  data = t.public_qkv()
  if data is None:
    pytest.skip("the public Q, K, V are not there (shared/data/qkv)")
  check_numbers(machine, "attention", data)


def main():
  """Rewrites golden.json of each accelerator named, or of all."""
  import pathlib
  import tempfile
  for name in sys.argv[1:] or t.ACCELERATORS:
    if name not in t.ACCELERATORS:
      sys.exit(f"there is no accelerator {name}; there are {', '.join(t.ACCELERATORS)}")
    with tempfile.TemporaryDirectory() as folder:
      text = json.dumps(goldens(Machine(name, pathlib.Path(folder))), indent=2) + "\n"
    golden_path(name).write_text(text)
    print(f"{golden_path(name).relative_to(t.ROOT)} written")


if __name__ == "__main__":
  main()
