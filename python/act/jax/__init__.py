"""Functions of JAX on a generated backend: `act.jax.jit`.

    from act.jax import jit

    @jit(target="QKV.taidl")
    def scores(q, k):
      return q @ k.T

The function is lowered by JAX, compiled for the accelerator at its first call with arguments of given shapes and
types, and runs on the simulator from within an ordinary XLA:CPU executable: by itself, and inside `jax.jit`, `vmap`
(one element after another), `scan` and `cond` of the caller. Derivatives are JAX's own of the original function.

A function that the accelerator cannot compute raises what the compiler says, at the call. Compiled kernels stay for
the life of the process.
"""
from __future__ import annotations

import functools
import os
import threading

import numpy

from act.jax import _compat
from act.jax._compat import JaxUnavailable

__all__ = ["JaxUnavailable", "assembly", "jit", "report"]

_TARGET_NAME = "act_execute"
_lock = threading.Lock()
_library = None


def _load_library():
  """libact_ffi.so, its handler registered with XLA."""
  global _library
  with _lock:
    if _library is None:
      from act.jax import _ffi
      library = _ffi.Library()
      _compat.register_ffi_target(_TARGET_NAME, library.execute)
      _library = library
    return _library


def _spec(target):
  """(text, name) of an Accelerator or of a `.taidl` file."""
  if hasattr(target, "to_taidl"):
    return target.to_taidl(), target.name
  try:
    path = os.fspath(target)
  except TypeError:
    raise TypeError("act.jax.jit: target is an Accelerator or the path of a .taidl file, not "
                    f"{target!r} of type {type(target).__name__}") from None
  with open(path, encoding="utf-8") as file:
    return file.read(), os.path.basename(path)


class _Kernels:
  """A function's kernels by the shapes and types of its arguments."""

  def __init__(self, function, target, numerics, effort):
    self._function, self._numerics, self._effort = function, numerics, effort
    self._spec, self._file = _spec(target)
    self._made = {}
    self._lock = threading.Lock()

  def get(self, leaves, tree):
    """(id, assembly, result shapes as ShapeDtypeStructs, tree of the results)"""
    jax = _compat.load()
    key = (tree, tuple((leaf.shape, leaf.dtype) for leaf in leaves))
    with self._lock:
      if key in self._made:
        return self._made[key]
      shapes = [jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) for leaf in leaves]

      def flat(*values):
        args, kwargs = jax.tree.unflatten(tree, values)
        return self._function(*args, **kwargs)

      flat.__name__ = getattr(self._function, "__name__", "function")
      # Unused arguments stay parameters, so that they can be passed by position.
      lowered = _compat.lower(jax.jit(flat, keep_unused=True), *shapes)
      results = jax.eval_shape(flat, *shapes)
      out_leaves, out_tree = jax.tree.flatten(results)
      program, text = _load_library().compile(self._spec, self._file, _compat.hlo_proto(lowered), self._numerics, self._effort)
      self._made[key] = program, text, [jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) for leaf in out_leaves], out_tree
      return self._made[key]


def jit(function=None, *, target, numerics="default", effort=1):
  """`function` compiled for an accelerator; also a decorator, `@jit(target=...)`.

  target: an `act.taidl.Accelerator`, or the path of a `.taidl` file. numerics: "strict", "default" or "relaxed".
  effort: 0 to 3. Arguments and results are trees of arrays.
  """
  if function is None:
    return functools.partial(jit, target=target, numerics=numerics, effort=effort)
  if numerics not in ("strict", "default", "relaxed"):
    raise ValueError(f"act.jax.jit: numerics is 'strict', 'default' or 'relaxed', not {numerics!r}")
  if isinstance(effort, bool) or effort not in (0, 1, 2, 3):
    raise ValueError(f"act.jax.jit: effort is 0, 1, 2 or 3, not {effort!r}")
  jax = _compat.load()
  kernels = _Kernels(function, target, numerics, effort)
  flatten = jax.tree.flatten

  def run(tree, *leaves):
    program, _, results, out_tree = kernels.get(leaves, tree)
    call = _compat.ffi_call(_TARGET_NAME, results, vmap_method="sequential")
    return jax.tree.unflatten(out_tree, call(*leaves, program=numpy.int64(program)))

  def original(tree, *leaves):
    args, kwargs = jax.tree.unflatten(tree, leaves)
    return function(*args, **kwargs)

  with_derivative = jax.custom_jvp(run, nondiff_argnums=(0,))

  @with_derivative.defjvp
  def _derivative(tree, primals, tangents):
    _, tangent = jax.jvp(functools.partial(original, tree), primals, tangents)
    return with_derivative(tree, *primals), tangent

  # For calls outside any jit of the caller: one executable for each tree of arguments. (Passing the tree as a static
  # argument would take jax 40 microseconds a call.)
  executables = {}

  @functools.wraps(function)
  def call(*args, **kwargs):
    leaves, tree = flatten((args, kwargs))
    executable = executables.get(tree)
    if executable is None:
      executable = executables.setdefault(tree, jax.jit(functools.partial(with_derivative, tree)))
    return executable(*leaves)

  call._act_kernels = kernels
  return call


def _kernel(name, function, args, kwargs):
  kernels = getattr(function, "_act_kernels", None)
  if kernels is None:
    raise TypeError(f"act.jax.{name} takes a function made by act.jax.jit, not {function!r}")
  leaves, tree = _compat.load().tree.flatten((args, kwargs))
  return kernels.get(leaves, tree)


def assembly(function, *args, **kwargs):
  """The program of a function made by `jit`, for these arguments (arrays or ShapeDtypeStructs), as native assembly."""
  return _kernel("assembly", function, args, kwargs)[1]


def report(function, *args, **kwargs):
  """What is known of that program: a dict.

  target, kernel; instructions; cost under the target's cost model (cycles where it has costs, else instructions);
  hbm_bytes, and hbm_map: kind (input, constant, output), name, address, bytes and shape of each tensor there;
  bytes_moved: what instructions read from HBM and write to it; inexact_steps: the steps that are not exact on all
  inputs; verification: what was run and how it was compared; from_disk: found in the cache on disk;
  milliseconds: of each stage of the compile (empty if from_disk).
  """
  return _load_library().report(_kernel("report", function, args, kwargs)[0])
