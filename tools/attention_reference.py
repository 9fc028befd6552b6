"""Simulates a compiled attention kernel and compares it with NumPy.

The reference rounds S = Q K^T to bf16, because the kernel's first product is a bf16 value, and computes the
rest in f64. The bound is two bf16 ulps of the largest magnitude in V. Without NumPy it says so and compares
nothing.
"""

import argparse
import math
import subprocess
import sys

try:
    import ml_dtypes
    import numpy as np
except ImportError as missing:
    print(f"   not compared: {missing}; run scripts/setup --minimal")
    sys.exit(0)


def reference(q, k, v):
    """softmax(Q K^T) V with S rounded to bf16, the rest in f64."""
    s = (q.astype(np.float32) @ k.astype(np.float32).T).astype(ml_dtypes.bfloat16).astype(np.float64)
    e = np.exp(s)
    return (e / e.sum(axis=1, keepdims=True)) @ v.astype(np.float64)


def bound(v):
    """Two bf16 ulps of the largest magnitude in v."""
    return 2.0 * 2.0 ** (math.floor(math.log2(float(np.abs(v.astype(np.float64)).max()))) - 7)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--act", required=True, help="the act executable")
    parser.add_argument("--target", required=True, help="the accelerator's .taidl file")
    parser.add_argument("--program", required=True, help="the compiled attention kernel")
    parser.add_argument("--folder", required=True, help="where inputs and output are written")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    random = np.random.default_rng(options.seed)
    tensors = [random.standard_normal((64, 64)).astype(ml_dtypes.bfloat16) for _ in range(3)]
    command = [options.act, "simulate", options.program, "--target", options.target]
    for name, tensor in zip("QKV", tensors):
        path = f"{options.folder}/{name}.dat"
        tensor.tofile(path)
        command += ["--input", path]
    result = f"{options.folder}/O.dat"
    subprocess.run(command + ["--output", result], check=True, stdout=subprocess.DEVNULL)

    got = np.fromfile(result, dtype=ml_dtypes.bfloat16).reshape(64, 64).astype(np.float64)
    difference = np.abs(got - reference(*tensors)).max()
    limit = bound(tensors[2])
    verdict = "within" if difference <= limit else "OUTSIDE"
    print(f"   largest difference to NumPy {difference:.6f}, {verdict} the bound {limit:.6f} (two bf16 ulps of max|V|)")
    return 0 if difference <= limit else 1


if __name__ == "__main__":
    sys.exit(main())
