"""Python values of the right kind: everything else about them is checked by libact.so."""
import operator


def name_of_type(value):
  return type(value).__name__


def text(value, what):
  if not isinstance(value, str):
    raise TypeError(f"{what} must be a text (str), not {value!r} of type {name_of_type(value)}")
  return value


def is_bool(value):
  return isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool"


def integer(value, what):
  """A Python int from an int or anything that stands for one (NumPy, JAX); bool and float do not."""
  if not is_bool(value):
    try:
      return operator.index(value)
    except TypeError:
      pass
  raise TypeError(f"{what} must be an integer, not {value!r} of type {name_of_type(value)}")


def integer64(value, what):
  number = integer(value, what)
  if not -2**63 <= number < 2**63:
    raise ValueError(f"{what} is {number}, which does not fit in 64 bits")
  return number


def sequence(value, what, of):
  if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__"):
    raise TypeError(f"{what} must be a list of {of}, not {value!r} of type {name_of_type(value)}")
  return list(value)


def texts(value, what):
  return [text(item, f"{what}, item {number}") for number, item in enumerate(sequence(value, what, "texts"))]


def integers(value, what):
  return [integer64(item, f"{what}, item {number}")
          for number, item in enumerate(sequence(value, what, "integers"))]


def expression(value, what):
  """The text of a start, size, stride or cost: a text, or an integer."""
  if isinstance(value, str):
    return value
  try:
    return str(integer(value, what))
  except TypeError:
    raise TypeError(f"{what} must be a text or an integer, not {value!r} of type {name_of_type(value)}") from None


def flags(value, what):
  result = []
  for number, item in enumerate(sequence(value, what, "bools, one for each input")):
    if not is_bool(item):
      raise TypeError(f"{what}, item {number} must be True or False, not {item!r} of type {name_of_type(item)}")
    result.append(bool(item))
  return result
