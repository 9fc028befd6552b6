"""Attention as a JAX user writes it, on the QKV simulator: PYTHONPATH=python .venv/bin/python examples/attention_jax.py"""
import pathlib

import jax
import jax.numpy as jnp

from act.jax import assembly, jit, report

QKV = pathlib.Path(__file__).resolve().parent.parent / "accelerators" / "qkv" / "QKV.taidl"


def attention(q, k, v):
  return jax.nn.softmax(jnp.matmul(q, jnp.swapaxes(k, -1, -2)), axis=-1) @ v


def main():
  keys = jax.random.split(jax.random.key(1), 3)
  q, k, v = (0.25 * jax.random.normal(key, (64, 64), jnp.bfloat16) for key in keys)
  # jax.nn.softmax subtracts the maximum of each row; leaving that out is "relaxed".
  on_qkv = jit(attention, target=QKV, numerics="relaxed")
  difference = jnp.max(jnp.abs(on_qkv(q, k, v).astype(jnp.float32) - attention(q, k, v).astype(jnp.float32)))
  print(assembly(on_qkv, q, k, v))
  found = report(on_qkv, q, k, v)
  print(f"{found['instructions']} instructions, {found['bytes_moved']} bytes moved; not exact: {found['inexact_steps']}")
  print(f"largest difference from jax on this machine: {difference:.2e}")
  # As a part of a larger program, with JAX's own derivative.
  loss = jax.jit(lambda q, k, v: jnp.sum(on_qkv(q * 2, k, v).astype(jnp.float32)))
  print(f"loss {loss(q, k, v):.4f}, gradient of shape {jax.grad(loss)(q, k, v).shape}")


if __name__ == "__main__":
  main()
