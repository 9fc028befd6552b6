"""libact_ffi.so through ctypes: compiling a kernel to an id that XLA's call carries."""
import ctypes
import json
import os

from act import _library

ABI_VERSION = 1
# act::ErrorClass in its order; the same classes as everywhere in the package.
_EXCEPTIONS = _library._EXCEPTIONS
NUMERICS = {"strict": 0, "default": 1, "relaxed": 2}


class _Bytes(ctypes.Structure):
  _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


def _bytes(data):
  return _Bytes(data, len(data))


def cache_folder():
  """Where compiled kernels are kept: ACT_CACHE_DIR (empty: nowhere), else `act` in the user's cache folder."""
  named = os.environ.get("ACT_CACHE_DIR")
  if named is None:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    named = os.path.join(base, "act")
  return os.fsencode(named)


class Library:
  """The functions of libact_ffi.so, which lies beside libact.so."""

  def __init__(self):
    path = os.path.join(os.path.dirname(os.path.abspath(_library.LIBRARY_PATH)), "libact_ffi.so")
    if not os.path.exists(path):
      raise ImportError(f"{path} is not there; it is built by `make` where jaxlib and libprotozero-dev were installed "
                        "when the build was configured (scripts/setup installs them)")
    self._lib = ctypes.CDLL(path)
    self._lib.act_ffi_version.restype = ctypes.c_int32
    found = self._lib.act_ffi_version()
    if found != ABI_VERSION:
      raise ImportError(f"{path} has interface version {found}, but this package needs {ABI_VERSION}; build both from "
                        "one source tree")
    self._lib.act_ffi_compile.restype = ctypes.c_int32
    self._lib.act_ffi_compile.argtypes = [_Bytes, _Bytes, _Bytes, ctypes.c_int32, ctypes.c_int32,
                                          _Bytes, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_void_p)]
    self._lib.act_ffi_report.restype = ctypes.c_void_p
    self._lib.act_ffi_report.argtypes = [ctypes.c_int64]
    self._lib.act_ffi_free.restype = None
    self._lib.act_ffi_free.argtypes = [ctypes.c_void_p]
    self.execute = self._lib.act_execute

  def compile(self, spec, file, proto, numerics, effort):
    """(id, assembly). A refusal is raised as the exception of its class, with the compiler's sentence."""
    program, text = ctypes.c_int64(), ctypes.c_void_p()
    failed = self._lib.act_ffi_compile(_bytes(spec.encode()), _bytes(file.encode()), _bytes(proto),
                                       NUMERICS[numerics], effort, _bytes(cache_folder()), ctypes.byref(program), ctypes.byref(text))
    message = ctypes.string_at(text).decode("utf-8", "replace") if text else "out of memory"
    self._lib.act_ffi_free(text)
    if failed >= 0:
      raise _EXCEPTIONS[failed](message)
    return program.value, message

  def report(self, program):
    """What is known of a kernel, as a dict."""
    text = self._lib.act_ffi_report(program)
    found = json.loads(ctypes.string_at(text))
    self._lib.act_ffi_free(text)
    return found
