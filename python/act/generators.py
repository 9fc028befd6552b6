"""Generation from a spec: the simulator's Python package (`generate_oracle`) and the compiler (`generate_backend`)."""
import ctypes
import os
import shutil

from act import _library as _c
from act import _oracle_files
from act.taidl import Accelerator

__all__ = ["generate_backend", "generate_oracle"]


def _check(function, accelerator, base_dir):
  if not isinstance(accelerator, Accelerator):
    raise TypeError(f"{function} takes an Accelerator, not {accelerator!r} of type {type(accelerator).__name__}")
  return os.fspath(accelerator.base_dir if base_dir is None else base_dir)


def generate_oracle(accelerator, base_dir=None):
  """Writes the package <base_dir>/targets/<name>/oracle: `api`, `decorator` and the spec.

  Semantics that the simulator lacks raise NotImplementedError, and types, shapes or attributes that disagree
  ValueError; then nothing is written.
  """
  base_dir = _check("generate_oracle", accelerator, base_dir)
  _c.call("act_accelerator_check_oracle", accelerator._handle.pointer)
  folder = os.path.join(base_dir, "targets", accelerator.name, "oracle")
  files = _oracle_files.make(accelerator)
  os.makedirs(folder, exist_ok=True)
  # Python trusts a cached module of the same second and size.
  shutil.rmtree(os.path.join(folder, "__pycache__"), ignore_errors=True)
  for name, text in files.items():
    part = os.path.join(folder, f".{name}.{os.getpid()}.part")
    try:
      with open(part, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
      os.replace(part, os.path.join(folder, name))
    except BaseException:
      if os.path.exists(part):
        os.remove(part)
      raise


def generate_backend(accelerator, base_dir=None, cost=None):
  """Makes the compiler <base_dir>/backends/<name>, and <base_dir>/targets/<name>/backend beside it.

  cost: path of a cost model (.o, .a, .so) with `int act_cost(const char *asm_path, double *cost)`. A refused spec
  raises ValueError with every reason, a failing link RuntimeError; after any failure nothing of an earlier
  generation remains.
  """
  base_dir = _check("generate_backend", accelerator, base_dir)
  try:
    path = "" if cost is None else os.fspath(cost)
    if isinstance(path, bytes):
      raise TypeError(f"generate_backend: cost must be a path as a text, not {cost!r}")
    if cost is not None and not path:
      raise ValueError("generate_backend: cost is an empty text; name a .o, .a or .so file, or leave it out")
    engine = _c.engine()
  except Exception:
    _c.call("act_remove_backend", _c.string(accelerator.name), _c.string(base_dir))
    raise
  out = ctypes.c_void_p()
  _c.call("act_generate_backend", accelerator._handle.pointer, _c.string(engine), _c.string(base_dir),
          _c.string(path), ctypes.byref(out))
  _c.take_text(out.value)
