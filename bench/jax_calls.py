#!/usr/bin/env python3
"""Calls through act.jax.jit: one JSON object a line, as bench/bench.h describes; `make bench` runs it as bench_jax.

  identity_overhead  a jitted bf16[64,64] identity through act.jax.jit beyond the same function on jax-CPU, a call
  kernel_from_disk   compiling an attention kernel that is in the cache on disk, in a new process
  kernel_compiled    compiling one that is not
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["JAX_PLATFORMS"] = "cpu"
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
KERNELS = 9


def row(name, value, unit, limit):
  print(json.dumps({"name": name, "value": round(value, 4), "unit": unit, "ratio": round(value / limit, 4)}), flush=True)
  return value <= limit


def seconds_a_call(function, x, calls=500):
  function(x).block_until_ready()
  rounds = []
  for _ in range(7):
    start = time.perf_counter()
    for _ in range(calls):
      function(x).block_until_ready()
    rounds.append((time.perf_counter() - start) / calls)
  return min(rounds)


def compile_kernels():
  """Milliseconds of each of KERNELS attention kernels: they differ in their names only."""
  import jax
  import jax.numpy as jnp

  import act.jax
  from act.jax import _compat
  library = act.jax._load_library()
  spec = (ROOT / "accelerators" / "qkv" / "QKV.taidl").read_text()
  x = jax.ShapeDtypeStruct((64, 64), jnp.bfloat16)
  times = []
  for i in range(KERNELS):

    def attention(q, k, v):
      e = jnp.exp(q @ k.T)
      return (e / jnp.sum(e, axis=-1, keepdims=True)) @ v

    attention.__name__ = f"attention_{i}"
    proto = _compat.hlo_proto(_compat.lower(attention, x, x, x))
    start = time.perf_counter()
    library.compile(spec, "QKV.taidl", proto, "default", 1)
    times.append((time.perf_counter() - start) * 1e3)
  return times


def main():
  if sys.argv[1:] == ["--compile"]:
    print(json.dumps(compile_kernels()))
    return 0
  import jax
  import jax.numpy as jnp

  import act.jax
  os.environ["ACT_CACHE_DIR"] = ""
  x = jnp.ones((64, 64), jnp.bfloat16)
  on_qkv = act.jax.jit(lambda x: x, target=ROOT / "accelerators" / "qkv" / "QKV.taidl")
  overhead = seconds_a_call(on_qkv, x) - seconds_a_call(jax.jit(lambda x: x + 0), x)
  met = row("identity_overhead", overhead * 1e6, "us", 60)
  with tempfile.TemporaryDirectory() as folder:
    medians = []
    for _ in range(2):
      done = subprocess.run([sys.executable, __file__, "--compile"], env={**os.environ, "ACT_CACHE_DIR": folder},
                            check=True, capture_output=True, text=True)
      medians.append(statistics.median(json.loads(done.stdout)))
  met = row("kernel_from_disk", medians[1], "ms", 5) and met
  met = row("kernel_compiled", medians[0], "ms", 60) and met
  return 0 if met else 1


if __name__ == "__main__":
  sys.exit(main())
