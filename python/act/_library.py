"""libact.so through ctypes: finding it, its functions, and its errors as Python exceptions.

The library is looked for, in this order, and the first one found is used:
  1. the file that the environment variable ACT_LIBRARY names (and then no other);
  2. libact.so in this package's folder (an installed wheel);
  3. build/lib/libact.so in the source tree that holds this package (a checkout).
"""
import ctypes
import os
import sys
import warnings

ABI_VERSION = 1
_FOLDER = os.path.dirname(os.path.abspath(__file__))


class String(ctypes.Structure):
  _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]

  def text(self):
    return ctypes.string_at(self.data, self.size).decode("utf-8", "replace") if self.size else ""


# A field of type c_char_p would stop at the first zero byte when read back, so results use plain addresses.
class View(ctypes.Structure):
  _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]

  def text(self):
    return ctypes.string_at(self.data, self.size).decode("utf-8", "replace") if self.size else ""


class Diagnostic(ctypes.Structure):
  _fields_ = [("error_class", ctypes.c_int32), ("is_warning", ctypes.c_int32), ("line", ctypes.c_int32),
              ("column", ctypes.c_int32), ("code", View), ("message", View), ("file", View),
              ("line_text", View), ("rendered", View)]


class Place(ctypes.Structure):
  _fields_ = [("file", String), ("line", ctypes.c_int32)]


class Region(ctypes.Structure):
  _fields_ = [("buffer", String), ("starts", ctypes.POINTER(String)), ("num_starts", ctypes.c_size_t),
              ("sizes", ctypes.POINTER(String)), ("num_sizes", ctypes.c_size_t),
              ("strides", ctypes.POINTER(String)), ("num_strides", ctypes.c_size_t)]


class Value(ctypes.Structure):
  _fields_ = [("integer", ctypes.c_int64), ("text", String), ("wide", ctypes.c_int32)]


class Bytes(ctypes.Structure):
  _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


PRINT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)

_HANDLE, _OUT = ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)
_SIZE, _INT = ctypes.c_size_t, ctypes.c_int32
_STRINGS, _INTS = ctypes.POINTER(String), ctypes.POINTER(ctypes.c_int64)
_PLACE = ctypes.POINTER(Place)

# Functions that return null or an error.
_CALLS = {
    "act_accelerator_new": (String, _OUT),
    "act_accelerator_parse": (String, String, _OUT),
    "act_accelerator_print": (_HANDLE, _OUT),
    "act_accelerator_name": (_HANDLE, _OUT),
    "act_accelerator_check": (_HANDLE, _OUT),
    "act_accelerator_check_oracle": (_HANDLE,),
    "act_instruction_names": (_HANDLE, _SIZE, _OUT, _OUT, _OUT),
    "act_add_buffer": (_HANDLE, String, _INTS, _SIZE, _INTS, _SIZE, String, _PLACE),
    "act_add_state": (_HANDLE, String, ctypes.c_int64, _PLACE),
    "act_add_instruction": (_HANDLE, String, _STRINGS, _SIZE, _STRINGS, _SIZE, _STRINGS, _SIZE, _STRINGS, _SIZE,
                            _STRINGS, _PLACE, ctypes.POINTER(ctypes.c_size_t)),
    "act_set_regions": (_HANDLE, _SIZE, _INT, ctypes.POINTER(Region), _SIZE),
    "act_set_semantics": (_HANDLE, _SIZE, String),
    "act_add_constraints": (_HANDLE, _SIZE, _STRINGS, _SIZE, _INT),
    "act_add_updates": (_HANDLE, _SIZE, _STRINGS, _SIZE),
    "act_set_cost": (_HANDLE, _SIZE, String),
    "act_set_placement": (_HANDLE, _SIZE, _INT, ctypes.POINTER(ctypes.c_uint8), _SIZE),
    "act_set_unit": (_HANDLE, _SIZE, String),
    "act_set_mnemonic": (_HANDLE, _SIZE, String),
    "act_set_numerics": (_HANDLE, _SIZE, String),
    "act_generate_backend": (_HANDLE, String, String, String, _OUT),
    "act_remove_backend": (String, String),
    "act_program_new": (_HANDLE, String, ctypes.c_int64, _OUT),
    "act_program_parse": (_HANDLE, _INT, String, String, _OUT),
    "act_program_print": (_HANDLE, _INT, _OUT),
    "act_program_add_tensor": (_HANDLE, _INT, ctypes.c_int64, String, _INTS, _SIZE),
    "act_program_add_constant": (_HANDLE, ctypes.c_int64, String, _INTS, _SIZE, _INT, ctypes.c_void_p, _SIZE),
    "act_program_call": (_HANDLE, _SIZE, _INTS, _SIZE, ctypes.POINTER(Value), _SIZE, _PLACE),
    "act_program_start_loop": (_HANDLE, String, ctypes.c_int64, ctypes.c_int64, _PLACE),
    "act_program_end_loop": (_HANDLE, _PLACE),
    "act_program_debug": (_HANDLE, String, String, _PLACE),
    "act_program_tensor": (_HANDLE, _INT, _SIZE, ctypes.POINTER(View), ctypes.POINTER(_INTS),
                           ctypes.POINTER(ctypes.c_size_t)),
    "act_program_check": (_HANDLE, _OUT),
    "act_program_cost": (_HANDLE, ctypes.POINTER(ctypes.c_int64)),
    "act_program_simulate": (_HANDLE, ctypes.POINTER(Bytes), _SIZE, ctypes.POINTER(Bytes), _SIZE, PRINT,
                             ctypes.c_void_p, _OUT),
}
# Functions that return something else, or nothing.
_OTHERS = {
    "act_abi_version": (_INT, ()),
    "act_error_count": (_SIZE, (_HANDLE,)),
    "act_error_get": (None, (_HANDLE, _SIZE, ctypes.POINTER(Diagnostic))),
    "act_error_free": (None, (_HANDLE,)),
    "act_text_get": (View, (_HANDLE,)),
    "act_text_free": (None, (_HANDLE,)),
    "act_accelerator_free": (None, (_HANDLE,)),
    "act_accelerator_same": (_INT, (_HANDLE, _HANDLE)),
    "act_accelerator_num_instructions": (_SIZE, (_HANDLE,)),
    "act_program_free": (None, (_HANDLE,)),
    "act_program_num_tensors": (_SIZE, (_HANDLE, _INT)),
}


def candidates():
  """Where libact.so may be: [(path, what the place is)], in the order of the search."""
  named = os.environ.get("ACT_LIBRARY")
  if named:
    return [(named, "named by ACT_LIBRARY")]
  tree = os.path.dirname(os.path.dirname(_FOLDER))
  return [(os.path.join(_FOLDER, "libact.so"), "beside the package"),
          (os.path.join(tree, "build", "lib", "libact.so"), "in the source tree's build")]


def _load():
  tried = []
  for path, place in candidates():
    if not os.path.exists(path):
      tried.append(f"{path} ({place}): no such file")
      continue
    try:
      library = ctypes.CDLL(path)
      library.act_abi_version.restype = _INT
      found = library.act_abi_version()
    except (OSError, AttributeError) as error:
      raise ImportError(f"{path} ({place}) cannot be loaded as libact.so: {error}") from error
    if found != ABI_VERSION:
      raise ImportError(f"{path} ({place}) has interface version {found}, but this package needs {ABI_VERSION}; "
                        "build both from one source tree")
    return library, path
  raise ImportError("libact.so is not found; run `make` in the source tree, or let ACT_LIBRARY name the file. "
                    "Looked for: " + "; ".join(tried))


lib, LIBRARY_PATH = _load()
for _name, _types in _CALLS.items():
  _function = getattr(lib, _name)
  _function.restype, _function.argtypes = ctypes.c_void_p, _types
for _name, (_result, _types) in _OTHERS.items():
  _function = getattr(lib, _name)
  _function.restype, _function.argtypes = _result, _types


def engine():
  """The executable that becomes a backend: ACT_ENGINE, else beside the library or in the build's bin."""
  named = os.environ.get("ACT_ENGINE")
  folder = os.path.dirname(os.path.abspath(LIBRARY_PATH))
  places = [named] if named else [os.path.join(folder, "act-engine"),
                                  os.path.join(os.path.dirname(folder), "bin", "act")]
  for place in places:
    if os.path.isfile(place):
      return place
  raise RuntimeError("the program `act`, which generated backends are copies of, is not found; run `make` in the "
                     "source tree, or let ACT_ENGINE name it. Looked for: " + "; ".join(places))


# --- Texts, lists and places into C ------------------------------------------------------------------------


def string(text):
  data = text.encode("utf-8", "surrogateescape")
  return String(data, len(data))


def strings(texts):
  return (String * len(texts))(*[string(text) for text in texts])


def integers(numbers):
  return (ctypes.c_int64 * len(numbers))(*numbers)


def _is_ours(frame):
  """Whether a frame is of this package or of a generated oracle."""
  return frame.f_globals.get("__name__", "").startswith("act.") or "__act_oracle__" in frame.f_globals


def place():
  """The place in the user's file: the innermost frame that is not ours."""
  frame = sys._getframe(1)
  while frame is not None and _is_ours(frame):
    frame = frame.f_back
  file, line = (frame.f_code.co_filename, frame.f_lineno) if frame else ("", 0)
  return ctypes.byref(Place(string(os.path.basename(file)), line))


# --- Errors ------------------------------------------------------------------------------------------------

_EXCEPTIONS = [SyntaxError, ValueError, TypeError, NotImplementedError, RuntimeError, RuntimeError, OSError,
               RuntimeError, RuntimeError]


class Finding:
  """One diagnostic: what was found, and where."""

  def __init__(self, diagnostic):
    self.exception = _EXCEPTIONS[diagnostic.error_class]
    self.is_warning = bool(diagnostic.is_warning)
    self.code = diagnostic.code.text()
    self.message = diagnostic.message.text()
    self.file = diagnostic.file.text()
    self.line, self.column = diagnostic.line, diagnostic.column
    self.line_text = diagnostic.line_text.text()
    self.rendered = diagnostic.rendered.text()

  def __repr__(self):
    return self.rendered


def findings(handle):
  """The diagnostics of an error handle, which is freed; [] for null."""
  if not handle:
    return []
  result = []
  diagnostic = Diagnostic()
  for index in range(lib.act_error_count(handle)):
    lib.act_error_get(handle, index, ctypes.byref(diagnostic))
    result.append(Finding(diagnostic))
  lib.act_error_free(handle)
  return result


def exception(found):
  """The exception for a list of diagnostics: the first one decides, the others follow line by line."""
  first = found[0]
  message = "\n".join(finding.rendered for finding in found)
  if first.exception is SyntaxError:
    error = SyntaxError(message, (first.file or None, first.line or None, first.column or None,
                                  first.line_text or None))
  else:
    error = first.exception(message)
  error.code = first.code
  error.findings = found
  return error


def call(name, *arguments):
  handle = getattr(lib, name)(*arguments)
  if handle:
    raise exception(findings(handle))


def warn(message):
  """A UserWarning at the user's line."""
  level, frame = 1, sys._getframe(0)
  while frame.f_back is not None and _is_ours(frame):
    frame, level = frame.f_back, level + 1
  warnings.warn(message, UserWarning, stacklevel=level)


def take_text(handle):
  text = lib.act_text_get(handle).text()
  lib.act_text_free(handle)
  return text


class Handle:
  """Owns a C object: `pointer`, freed with the Python object."""

  def __init__(self, pointer, free):
    self.pointer, self._free = pointer, free

  def __del__(self):
    if self.pointer:
      self._free(self.pointer)
      self.pointer = None


def create(name, *arguments, free):
  out = ctypes.c_void_p()
  call(name, *arguments, ctypes.byref(out))
  return Handle(out.value, getattr(lib, free))


def text_of(name, *arguments):
  out = ctypes.c_void_p()
  call(name, *arguments, ctypes.byref(out))
  return take_text(out.value)
