"""Arrays to and from the simulator's bytes: row-major, little-endian, one byte for pred and sub-byte integers."""
import sys

import ml_dtypes  # noqa: F401  (its types become known to NumPy)
import numpy as np

_TYPES = {
    "bool": "pred", "int2": "s2", "int4": "s4", "int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64",
    "uint2": "u2", "uint4": "u4", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
}
_BYTE = {"int2": np.int8, "int4": np.int8, "uint2": np.uint8, "uint4": np.uint8}
_RANGE = {"int2": (-2, 1), "int4": (-8, 7), "uint2": (0, 3), "uint4": (0, 15), "bool": (0, 1)}


def dtype(value, what):
  """The NumPy dtype of jnp.bfloat16, np.float32, 'int8', ..."""
  try:
    found = np.dtype(value)
  except TypeError:
    raise TypeError(f"{what}: {value!r} is no dtype; give one such as jnp.bfloat16") from None
  if value is None or found.name not in _TYPES or found != found.newbyteorder("="):
    raise ValueError(f"{what}: the simulator has no dtype {value if value is None else found}; it has "
                     + " ".join(_TYPES))
  return found


def type_name(found):
  """TAIDL's name of a dtype."""
  return _TYPES[found.name]


def is_jax(value):
  jax = sys.modules.get("jax")
  return jax is not None and isinstance(value, jax.Array)


def to_bytes(array):
  """A contiguous array with the simulator's bytes; an array of that form is not copied."""
  if array.dtype.name in _BYTE:
    array = array.astype(_BYTE[array.dtype.name])
  return np.ascontiguousarray(array)


def empty(shape, found):
  return np.empty(shape, _BYTE.get(found.name, found))


def from_bytes(array, found, as_jax):
  array = array.astype(found) if found.name in _BYTE else array
  if as_jax:
    # An input was a JAX array, so JAX is loaded.
    converted = sys.modules["jax"].numpy.asarray(array)
    # Without 64-bit types in JAX the declared dtype is kept by NumPy.
    return converted if converted.dtype == found else array
  return array


def constant(value, shape, found, what):
  """(bytes array, whether it holds doubles to be rounded) of a constant's value."""
  # NumPy makes floats of a list of large integers.
  floats = _TYPES[found.name][0] in "bf" and found.name != "bool"
  array = np.asarray(value) if floats or hasattr(value, "dtype") else np.array(value, dtype=object)
  if array.shape != shape:
    raise ValueError(f"{what}: its value has shape {array.shape}, but {shape} is declared")
  if array.dtype == found:
    return to_bytes(array), False
  if array.dtype == object:
    strange = next((item for item in array.flat if not isinstance(item, (int, float, np.generic))), None)
    if strange is not None:
      raise ValueError(f"{what}: {strange!r} in its value is no number")
  elif array.dtype.name not in _TYPES:
    raise ValueError(f"{what}: its value has dtype {array.dtype}, which is not made into {found}")
  if floats:
    try:
      doubles = array.astype(np.float64)
    except OverflowError:
      raise ValueError(f"{what}: its value exceeds the range of {found}") from None
    with np.errstate(all="ignore"):
      if np.any(np.isfinite(doubles) & ~np.isfinite(doubles.astype(found))):
        raise ValueError(f"{what}: its value exceeds the range of {found}")
    return np.ascontiguousarray(doubles), True
  low, high = _RANGE.get(found.name) or (int(np.iinfo(found).min), int(np.iinfo(found).max))
  items = [item.item() if hasattr(item, "item") else item for item in array.astype(object).flat]
  for item in items:
    if item != item or item in (float("inf"), float("-inf")) or item != int(item) or not low <= int(item) <= high:
      raise ValueError(f"{what}: its value {item} is not one of {found}")
  exact = np.array([int(item) for item in items], dtype=_BYTE.get(found.name, found)).reshape(shape)
  return np.ascontiguousarray(exact), False
