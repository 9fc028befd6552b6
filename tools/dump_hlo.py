#!/usr/bin/env python3
"""Writes tests/data/jax: the unoptimised HLO of functions a JAX user writes, and of their gradients.

  tools/dump_hlo.py [FOLDER]          every entry, NAME.hlo (text) and NAME.pb (serialized HloModuleProto)
  tools/dump_hlo.py --check [FOLDER]  compares instead of writing; exit status 1 and the names where they differ
  tools/dump_hlo.py --list            the names

FOLDER/forms/*.hlo are modules of forms that JAX seldom writes, in XLA's own spelling; their .pb are made from them.

The files depend on the release of jax (0.10.2 made the committed ones) and on nothing else: the number that XLA
counts up for each module of a process is left out of the proto, and so are paths of source files. NAME.grad is the
gradient of the sum of NAME's float outputs by all its float arguments.
"""

import importlib.util
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
from jax import lax

ROOT = pathlib.Path(__file__).resolve().parent.parent
BF16, F32, S8, S32, U32 = jnp.bfloat16, jnp.float32, jnp.int8, jnp.int32, jnp.uint32
ENTRIES = {}  # name: (function, arguments, gradient too)


def compat():
  """python/act/jax/_compat.py by its path: the package around it needs a built library."""
  path = ROOT / "python" / "act" / "jax" / "_compat.py"
  spec = importlib.util.spec_from_file_location("act_jax_compat", path)
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  return module


def entry(*shapes, grad=False):
  """Registers a function with its arguments, each (dimensions ..., type)."""

  def register(function):
    ENTRIES[function.__name__] = (function, [jax.ShapeDtypeStruct(d, t) for *d, t in shapes], grad)
    return function

  return register


M64 = (64, 64, BF16)  # the matrix of the qkv accelerators


# --- products ---------------------------------------------------------------------------------------------------
@entry(M64)
def identity(x):
  return x


@entry(M64, M64, grad=True)
def matmul(a, b):
  return a @ b


@entry(M64, M64)
def matmul_nt(a, b):
  return jnp.matmul(a, jnp.swapaxes(b, -1, -2))


@entry(M64, M64)
def matmul_tn(a, b):
  return jnp.dot(a.T, b)


@entry(M64, M64)
def matmul_f32_result(a, b):
  return jnp.matmul(a, b, preferred_element_type=F32)


@entry((48, 96, BF16), (96, 80, BF16))
def matmul_uneven(a, b):
  return a @ b


@entry((2, 3, 8, 16, F32), (2, 3, 16, 4, F32), grad=True)
def matmul_batched(a, b):
  return jnp.matmul(a, b)


@entry((64, BF16), M64, grad=True)
def vector_matrix(x, w):
  return x @ w


@entry((8, F32), (6, F32))
def outer(x, y):
  return jnp.outer(x, y)


@entry((4, 6, F32), (6, 5, F32), (5, 3, F32), grad=True)
def einsum_chain(a, b, c):
  return jnp.einsum("ij,jk,kl->il", a, b, c)


@entry(M64, M64)
def einsum_nt(a, b):
  return jnp.einsum("ik,jk->ij", a, b)


@entry((2, 4, 6, 8, F32), (2, 4, 5, 8, F32), grad=True)
def einsum_heads(q, k):
  return jnp.einsum("bhqd,bhkd->bhqk", q, k)


@entry((4, 4, F32))
def einsum_trace(x):
  return jnp.einsum("ii->", x)


@entry((32, 64, S8), (64, 32, S8))
def int8_matmul(a, b):
  return lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=S32)


@entry((16, 32, S8), (32, 16, S8), (16, F32))
def int8_requantised(a, b, scale):
  accumulated = lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=S32)
  return jnp.clip(jnp.round(accumulated.astype(F32) * scale), -128, 127).astype(S8)


@entry((8, 16, F32), (16, 32, F32), (32, F32), (32, 4, F32), (4, F32), grad=True)
def mlp(x, w1, b1, w2, b2):
  return jax.nn.relu(x @ w1 + b1) @ w2 + b2


# --- attention --------------------------------------------------------------------------------------------------
@entry(M64, M64, M64, grad=True)
def attention(q, k, v):
  return jax.nn.softmax(jnp.matmul(q, jnp.swapaxes(k, -1, -2)), axis=-1) @ v


@entry(M64, M64, M64)
def attention_plain(q, k, v):
  e = jnp.exp(q @ k.T)
  return (e / jnp.sum(e, axis=-1, keepdims=True)) @ v


@entry(M64, M64, M64)
def attention_einsum(q, k, v):
  e = jnp.exp(jnp.einsum("qd,kd->qk", q, k))
  return jnp.einsum("qk,kd->qd", e / jnp.sum(e, axis=-1, keepdims=True), v)


@entry((1, 1, 64, 64, BF16), (1, 1, 64, 64, BF16), (1, 1, 64, 64, BF16))
def attention_unit_batch(q, k, v):
  e = jnp.exp(jnp.einsum("bhqd,bhkd->bhqk", q, k))
  return jnp.einsum("bhqk,bhkd->bhqd", e / jnp.sum(e, axis=-1, keepdims=True), v)


@entry((2, 4, 8, 8, F32), (2, 4, 8, 8, F32), (2, 4, 8, 8, F32), grad=True)
def attention_batched(q, k, v):
  scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / jnp.sqrt(F32(8))
  return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, axis=-1), v)


@entry((8, 4, F32), (8, 4, F32), (8, 4, F32), grad=True)
def attention_causal(q, k, v):
  mask = jnp.tril(jnp.ones((8, 8), dtype=bool))
  return jax.nn.softmax(jnp.where(mask, q @ k.T, -jnp.inf), axis=-1) @ v


@entry((1, 6, 2, 4, F32), (1, 6, 2, 4, F32), (1, 6, 2, 4, F32))
def attention_library(q, k, v):
  return jax.nn.dot_product_attention(q, k, v, is_causal=True)


# --- softmax, losses, norms -------------------------------------------------------------------------------------
@entry(M64, grad=True)
def softmax(x):
  return jax.nn.softmax(x, axis=-1)


@entry(M64)
def softmax_plain(x):
  e = jnp.exp(x)
  return e / jnp.sum(e, axis=-1, keepdims=True)


@entry((8, 6, F32), grad=True)
def log_softmax(x):
  return jax.nn.log_softmax(x, axis=0)


@entry((8, 6, F32), grad=True)
def logsumexp(x):
  return jax.nn.logsumexp(x, axis=1)


@entry((8, 6, F32), (8, S32), grad=True)
def cross_entropy(logits, labels):
  picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
  return -jnp.mean(picked)


@entry((4, 8, F32), (8, F32), (8, F32))
def layer_norm(x, scale, bias):
  mean = jnp.mean(x, axis=-1, keepdims=True)
  variance = jnp.var(x, axis=-1, keepdims=True)
  return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias


@entry((4, 8, BF16), (8, BF16), grad=True)
def rms_norm(x, scale):
  wide = x.astype(F32)
  return (wide * lax.rsqrt(jnp.mean(wide * wide, axis=-1, keepdims=True) + 1e-6)).astype(BF16) * scale


@entry((2, 4, 4, 3, F32), (3, F32), (3, F32))
def batch_norm(x, scale, bias):
  mean, variance = jnp.mean(x, (0, 1, 2)), jnp.var(x, (0, 1, 2))
  return (x - mean) / jnp.sqrt(variance + 1e-5) * scale + bias


# --- activations and masks ----------------------------------------------------------------------------------------
@entry(M64, grad=True)
def relu(x):
  return jax.nn.relu(x)


@entry((8, F32), grad=True)
def gelu(x):
  return jax.nn.gelu(x)


@entry((8, F32))
def gelu_exact(x):
  return jax.nn.gelu(x, approximate=False)


@entry((4, 8, F32), grad=True)
def swiglu(x):
  gate, value = jnp.split(x, 2, axis=-1)
  return jax.nn.silu(gate) * value


@entry((8, F32))
def activations(x):
  return (jax.nn.sigmoid(x), jnp.tanh(x), jax.nn.softplus(x), jax.nn.elu(x), jax.nn.leaky_relu(x),
          jax.nn.hard_swish(x))


@entry((4, 4, F32), (4, 4, jnp.bool_), grad=True)
def where_mask(x, mask):
  return jnp.where(mask, x, 0.0)


@entry((5, S32))
def padding_mask(lengths):
  return jnp.arange(6)[None, :] < lengths[:, None]


@entry((6, 4, F32))
def triangles(x):
  return jnp.tril(x, -1), jnp.triu(x, 1)


# --- elementwise and movement -------------------------------------------------------------------------------------
@entry(M64, M64, grad=True)
def add(x, y):
  return x + y


@entry(M64)
def transpose(x):
  return x.T


@entry(M64, (64, BF16), grad=True)
def bias(x, b):
  return x + b


@entry((4, F32), (4, F32), grad=True)
def arithmetic(x, y):
  return jnp.maximum(x, y) - jnp.minimum(x, 0.5) / (jnp.abs(y) + 1) + jnp.sqrt(jnp.square(x) + 1) ** 3


@entry((6, S32), (6, S32))
def integers(a, b):
  return a // b, a % b, a << 2, a >> 1, a ^ b, ~a & b, jnp.clip(a, -3, 3), lax.population_count(a)


@entry((2, 3, 4, F32), grad=True)
def movement(x):
  y = jnp.concatenate([jnp.transpose(x, (2, 0, 1)), x.reshape(4, 2, 3)[::-1]], axis=1)
  return jnp.pad(y, ((1, 0), (0, 2), (0, 0))), x[:, 1:, ::2], jnp.tile(x, (1, 2, 1)), jnp.stack([x, x])


@entry((2, 3, 4, F32))
def reductions(x):
  return jnp.sum(x, 1), jnp.max(x), jnp.min(x, (0, 2)), jnp.prod(x, 0), jnp.mean(x, -1), jnp.std(x, 0)


@entry((3, 5, F32))
def searches(x):
  return jnp.argmax(x, 1), jnp.argmin(x), jnp.any(x > 0, 0), jnp.all(x > 0), jnp.count_nonzero(x)


@entry((6, F32))
def constants(x):
  return x * jnp.array([1.5, -0.0, jnp.inf, -jnp.inf, jnp.nan, 1e-45], F32), jnp.arange(12, dtype=jnp.int16)


@entry((4, F32))
def conversions(x):
  return (x.astype(BF16), x.astype(jnp.float16), x.astype(S32), x.astype(jnp.float8_e4m3fn), x > 0,
          lax.bitcast_convert_type(x, U32), lax.complex(x, x))


# --- position, pooling, convolution ---------------------------------------------------------------------------------
@entry((6, 2, 8, F32), grad=True)
def rope(x):
  position = jnp.arange(6, dtype=F32)[:, None]
  angle = position * 10000.0 ** (-jnp.arange(0, 8, 2, dtype=F32) / 8)
  cos, sin = jnp.cos(angle)[:, None, :], jnp.sin(angle)[:, None, :]
  a, b = jnp.split(x, 2, axis=-1)
  return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


@entry((1, 6, 6, 2, F32), grad=True)
def max_pool(x):
  return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@entry((1, 5, 5, 2, F32), grad=True)
def avg_pool(x):
  return lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") / 9


@entry((1, 6, 6, 3, F32), (3, 3, 3, 4, F32), grad=True)
def conv(x, w):
  return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@entry((1, 4, 7, 7, F32), (8, 2, 3, 3, F32), grad=True)
def conv_grouped(x, w):
  return lax.conv_general_dilated(x, w, (2, 2), ((1, 1), (0, 1)), rhs_dilation=(1, 2), feature_group_count=2)


@entry((2, 8, 4, F32), (3, 1, 4, F32))
def conv_depthwise(x, w):
  return lax.conv_general_dilated(x, w, (1,), ((2, 0),), dimension_numbers=("NWC", "WIO", "NWC"),
                                  feature_group_count=4)


# --- indexing ---------------------------------------------------------------------------------------------------
@entry((10, 4, F32), (5, S32), grad=True)
def gather(table, rows):
  return table[rows]


@entry((10, 4, F32), (5, S32), grad=True)
def take_fill(table, rows):
  return jnp.take(table, rows, axis=0, mode="fill")


@entry((10, 4, F32), (5, S32), (5, 4, F32), grad=True)
def scatter(x, rows, updates):
  return x.at[rows].add(updates)


@entry((6, F32), (3, S32), (3, F32))
def scatter_set(x, rows, updates):
  return x.at[rows].set(updates, mode="drop", unique_indices=True)


@entry((8, 8, F32), (2, 8, F32), (S32,), grad=True)
def cache_update(cache, new, at):
  return lax.dynamic_update_slice(cache, new, (at, jnp.zeros((), S32))), lax.dynamic_slice(cache, (at, 0), (2, 4))


@entry((8, 6, F32), grad=True)
def sort(x):
  return jnp.sort(x, axis=0)


@entry((8, 6, F32))
def argsort(x):
  return jnp.argsort(x, axis=1, descending=True)


@entry((4, 10, F32), grad=True)
def top_k(x):
  return lax.top_k(x, 3)


@entry((6, S32))
def one_hot(labels):
  return jax.nn.one_hot(labels, 5, dtype=BF16)


# --- control ----------------------------------------------------------------------------------------------------
@entry((5, 4, F32), (4, 4, F32), (4, F32), grad=True)
def scan(xs, w, h):
  return lax.scan(lambda carry, x: (jnp.tanh(carry @ w + x), carry), h, xs)


@entry((4, F32), (S32,))
def while_loop(x, steps):
  return lax.fori_loop(0, steps, lambda i, c: c * 2 + i, x)


@entry((4, F32), grad=True)
def cond(x):
  return lax.cond(jnp.sum(x) > 0, jnp.sin, lambda v: v * 2, x)


@entry((4, F32), (S32,))
def switch(x, which):
  return lax.switch(which, [jnp.sin, jnp.cos, lambda v: -v], x)


@entry((4, 6, F32), grad=True)
def cumsum(x):
  return jnp.cumsum(x, axis=1)


@entry((6, F32))
def cumulative(x):
  return jnp.cumprod(x), lax.cummax(x), lax.cumlogsumexp(x)


@entry((4, 6, F32), grad=True)
def checkpointed(x):
  return jax.checkpoint(lambda v: jnp.sin(jnp.exp(v)))(x)


@entry((2, 8, 8, F32), (8, 8, F32), grad=True)
def mapped(xs, w):
  return jax.vmap(lambda x: jax.nn.relu(x @ w))(xs)


# --- random numbers, whole layers -----------------------------------------------------------------------------------
@entry((2, U32), (4, 6, F32))
def dropout(key, x):
  keep = jax.random.bernoulli(jax.random.wrap_key_data(key), 0.9, x.shape)
  return jnp.where(keep, x / 0.9, 0.0)


@entry((4, U32))
def random_hardware(key):
  return jax.random.bits(jax.random.wrap_key_data(key, impl="rbg"), (4,))


@entry((6, 8, F32), (8, 24, F32), (8, 8, F32), (8, 16, F32), (16, 8, F32), grad=True)
def transformer_block(x, w_qkv, w_out, w_up, w_down):

  def norm(v):
    return v * lax.rsqrt(jnp.mean(v * v, -1, keepdims=True) + 1e-6)

  q, k, v = jnp.split(norm(x) @ w_qkv, 3, axis=-1)
  x = x + jax.nn.softmax(q @ k.T / 8**0.5, axis=-1) @ v @ w_out
  return x + jax.nn.gelu(norm(x) @ w_up) @ w_down


@entry((4, 4, F32))
def fourier(x):
  return jnp.abs(jnp.fft.rfft(x))


# --- writing ------------------------------------------------------------------------------------------------------
def gradient(function, shapes):
  """The gradient of the sum of all float outputs by all float arguments."""

  def total(*args):
    leaves = jax.tree.leaves(function(*args))
    return sum(jnp.sum(leaf.astype(F32)) for leaf in leaves if jnp.issubdtype(leaf.dtype, jnp.floating))

  return jax.grad(total, [i for i, s in enumerate(shapes) if jnp.issubdtype(s.dtype, jnp.floating)])


def varint(data, at):
  value = shift = 0
  while True:
    value |= (data[at] & 127) << shift
    shift += 7
    at += 1
    if data[at - 1] < 128:
      return value, at


def without(proto, numbers):
  """The message without the top-level fields of these numbers."""
  out, at = bytearray(), 0
  while at < len(proto):
    start = at
    tag, at = varint(proto, at)
    if tag & 7 == 2:
      length, at = varint(proto, at)
      at += length
    elif tag & 7 == 0:
      _, at = varint(proto, at)
    else:
      at += 8 if tag & 7 == 1 else 4
    if tag >> 3 not in numbers:
      out += proto[start:at]
  return bytes(out)


def forms(folder):
  """{file name: bytes} of the texts in folder/forms."""
  api, files = compat(), {}
  for path in sorted((folder / "forms").glob("*.hlo")):
    text = path.read_text(encoding="utf-8")
    proto = without(api.text_to_proto(text), (5, 17))
    files[f"forms/{path.name}"] = api.proto_to_text(proto).encode()
    files[f"forms/{path.stem}.pb"] = proto
  return files


def dump():
  """{file name: bytes}"""
  jax.config.update("jax_traceback_in_locations_limit", 0)
  api, files = compat(), {}
  for name, (function, shapes, with_gradient) in sorted(ENTRIES.items()):
    variants = {name: function}
    if with_gradient:
      variants[name + ".grad"] = gradient(function, shapes)
    for stem, variant in variants.items():
      # Unused arguments stay, so that the module's parameters are the function's.
      lowered = api.lower(jax.jit(variant, keep_unused=True), *shapes)
      files[stem + ".hlo"] = api.hlo_text(lowered).encode()
      # 5: a number that counts up with every module of the process; 17: the table of source files.
      files[stem + ".pb"] = without(api.hlo_proto(lowered), (5, 17))
  return files


def main(arguments):
  if arguments == ["--list"]:
    print("\n".join(sorted(ENTRIES)))
    return 0
  check = arguments[:1] == ["--check"]
  folder = pathlib.Path((arguments[check:] or [ROOT / "tests" / "data" / "jax"])[0])
  files = {**dump(), **forms(folder)}
  if not check:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
      (folder / name).write_bytes(data)
    print(f"{len(files) // 2} modules, {sum(map(len, files.values()))} bytes")
    return 0
  there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in (".hlo", ".pb")}
  wrong = [name for name, data in files.items() if name not in there or (folder / name).read_bytes() != data]
  wrong += sorted(there - set(files))
  for name in wrong:
    print(f"{folder / name} is not what jax {jax.__version__} gives: run tools/dump_hlo.py")
  return 1 if wrong else 0


if __name__ == "__main__":
  sys.exit(main(sys.argv[1:]))
