#!/usr/bin/env python3
"""Writes tests/data/hlo/*.hlo: what JAX prints for small functions, in its three printer settings.

Needs jax (0.10.2 made the committed files). NAME.short.hlo is Lowered.as_text('hlo'), NAME.large.hlo is
as_hlo_text(print_large_constants=True), NAME.full.hlo is as_hlo_module().to_string().
"""

import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def shape(*dims, dtype=jnp.float32):
  return jax.ShapeDtypeStruct(dims, dtype)


def attention(q, k, v):
  p = jax.nn.softmax(q @ k.T, axis=-1)
  return p @ v


def plain_softmax(x):
  e = jnp.exp(x)
  return e / jnp.sum(e, axis=0)


def masked(q, k):
  s = jnp.einsum("bhqd,bhkd->bhqk", q, k)
  mask = jnp.tril(jnp.ones((6, 6), dtype=bool))
  return jnp.where(mask, s, -jnp.inf)


def reductions(x, i):
  return (jnp.sum(x, axis=1), jnp.max(x), jnp.min(x, axis=(0, 2)), jnp.prod(x, axis=0), jnp.all(x > 0, axis=2),
          jnp.any(x > 0), jnp.argmax(x, axis=1), jnp.sum(i, axis=0))


def movement(x):
  y = jnp.transpose(x, (2, 0, 1))
  z = jnp.concatenate([y, y[:, ::2, :], y[:, ::-1, :]], axis=1)
  w = lax.pad(x, jnp.float32(2), ((1, -1, 0), (0, 2, 1), (-1, 0, 2)))
  return z, w, x[1:2, 0:3:2, 1:], jnp.broadcast_to(x[:, :1], x.shape), x.reshape(4, 6)


def types(x, n):
  u = lax.bitcast_convert_type(x, jnp.uint32)
  b = lax.bitcast_convert_type(x, jnp.uint8)
  return (u ^ jnp.uint32(7), b, x.astype(jnp.bfloat16), x.astype(jnp.float8_e4m3fn), n.astype(jnp.float16),
          n << 3, n >> 1, lax.shift_right_logical(n, jnp.int32(2)), ~n, lax.population_count(n), lax.clz(n))


def elementwise(x, y):
  a = jnp.abs(x) + jnp.cbrt(y) - jnp.ceil(x) * jnp.floor(y) / jnp.cos(x)
  b = lax.erf(x) + jnp.exp(y) + jnp.expm1(x) + jnp.log(y) + jnp.log1p(x) + jax.nn.sigmoid(y)
  c = jnp.round(x) + lax.round(y, lax.RoundingMethod.AWAY_FROM_ZERO) + lax.rsqrt(x) + jnp.sign(y) + jnp.sin(x)
  d = jnp.sqrt(x) + jnp.tan(y) + jnp.tanh(x) + jnp.arctan2(x, y) + lax.pow(x, y) + lax.rem(x, y) - y
  e = jnp.maximum(a, b) + jnp.minimum(c, d)
  return lax.clamp(jnp.float32(-1), e, jnp.float32(1)), jnp.isfinite(e) & (a > b) | (c <= d), lax.complex(x, y)


def constants(x):
  big = jnp.asarray(np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 4))
  special = jnp.asarray(np.array([np.inf, -np.inf, np.nan, -0.0, 1e-45, 3.4028235e38], dtype=np.float32))
  flags = jnp.asarray(np.arange(12) % 3 == 0)
  ints = jnp.asarray(np.array([[-128, 127], [0, 1]], dtype=np.int8))
  narrow = jnp.asarray(np.linspace(-3, 3, 11), dtype=jnp.bfloat16)
  z = jnp.asarray(np.array([1 + 2j, -3.5j], dtype=np.complex64))
  return x + big, special, flags, ints, narrow, z, jnp.zeros((0, 3))


def loops(x):
  y = lax.fori_loop(0, 3, lambda i, c: c * 2 + i, x)
  carry, ys = lax.scan(lambda c, v: (c + v, c * v), jnp.float32(0), x)
  return lax.cond(carry > 0, lambda v: v + 1, lambda v: v - 1, y), ys, jnp.cumsum(x)


def indexing(x, i):
  g = x[i]
  s = jnp.sort(x, axis=0)
  u = lax.dynamic_update_slice(x, jnp.ones((2, 2), jnp.float32), (i[0], i[1]))
  return g, s, u, lax.dynamic_slice(x, (i[0], i[1]), (2, 3)), x.at[i].add(1.0), lax.top_k(x, 2)


def convolution(x, w):
  y = lax.conv_general_dilated(x, w, (1, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
  return lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def random_bits(key):
  return jax.random.uniform(key, (4,))


def quantised(a, b):
  acc = lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
  y = jnp.round(acc.astype(jnp.float32) * 0.125)
  return jnp.clip(y, -128, 127).astype(jnp.int8)


def layers(x, w, b):
  h = jax.nn.relu(x @ w + b)
  mean = jnp.mean(h, axis=-1, keepdims=True)
  return (h - mean) * lax.rsqrt(jnp.var(h, axis=-1, keepdims=True) + 1e-5), jax.nn.gelu(h)


BF16 = jnp.bfloat16
CASES = {
    "attention": (attention, [shape(8, 4, dtype=BF16)] * 3),
    "plain_softmax": (plain_softmax, [shape(4, 6, dtype=BF16)]),
    "masked": (masked, [shape(1, 2, 6, 4), shape(1, 2, 6, 4)]),
    "reductions": (reductions, [shape(2, 3, 4), shape(5, 2, dtype=jnp.int32)]),
    "movement": (movement, [shape(2, 3, 4)]),
    "types": (types, [shape(3), shape(3, dtype=jnp.int32)]),
    "elementwise": (elementwise, [shape(4), shape(4)]),
    "constants": (constants, [shape(2, 3, 4)]),
    "loops": (loops, [shape(5)]),
    "indexing": (indexing, [shape(5, 4), shape(2, dtype=jnp.int32)]),
    "convolution": (convolution, [shape(1, 6, 6, 3), shape(3, 3, 3, 2)]),
    "random_bits": (random_bits, [shape(2, dtype=jnp.uint32)]),
    "quantised": (quantised, [shape(4, 8, dtype=jnp.int8), shape(8, 4, dtype=jnp.int8)]),
    "layers": (layers, [shape(3, 4), shape(4, 5), shape(5)]),
    "identity": (lambda x: x, [shape(2, 2)]),
    "outer_and_scalar": (lambda x, y, s: (jnp.outer(x, y), x * s), [shape(3), shape(2), shape()]),
}


def main():
  here = os.path.dirname(os.path.abspath(__file__))
  folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "tests", "data", "hlo")
  os.makedirs(folder, exist_ok=True)
  for name, (function, arguments) in CASES.items():
    lowered = jax.jit(function).lower(*arguments)
    computation = lowered.compiler_ir("hlo")
    texts = {
        "short": lowered.as_text("hlo"),
        "large": computation.as_hlo_text(print_large_constants=True),
        "full": computation.as_hlo_module().to_string(),
    }
    for setting, text in texts.items():
      # Paths of the machine that wrote the file say nothing.
      text = text.replace(os.path.abspath(__file__), "make_hlo_corpus.py")
      with open(os.path.join(folder, f"{name}.{setting}.hlo"), "w", encoding="utf-8") as file:
        file.write(text)


main()
