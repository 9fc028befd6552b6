"""The files of a generated oracle package."""
import os

_PACKAGE = '''"""The simulator of the accelerator {name}, written by act's generate_oracle. Do not edit!

`api` has one function for each instruction, `decorator` has `kernel` and `set_simulation_backend`.
"""
import os as _os
import sys as _sys

__act_oracle__ = True

try:
  import act.oracle as _act
except ModuleNotFoundError as _error:
  if _error.name not in ("act", "act.oracle"):
    raise
  # Where the act package was when this package was generated.
  _path = {path!r}
  if not _os.path.isfile(_os.path.join(_path, "act", "oracle.py")):
    raise ImportError("this oracle needs the package act, which cannot be imported and is no longer in "
                      + _path + "; install it or put its folder on PYTHONPATH") from None
  _sys.path.append(_path)
  import act.oracle as _act

machine = _act.Oracle(_os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "spec.taidl"))

from . import api, decorator  # noqa: E402  (they use `machine`)

__all__ = ["api", "decorator", "machine"]
'''

_DECORATOR = '''"""Kernels of the accelerator {name}. Do not edit!

    @kernel(hbm=bytes, input=[item, ...], output=[item, ...], constant=[item, ...])
    def name(): ...

item: {{'addr': byte, 'shape': tuple, 'dtype': jnp.bfloat16}}, a constant also 'value'.
name('fsim-compile')() checks the kernel, name('fsim')(*arrays) runs it, name('cost')() adds up its cost.
"""
from . import machine as _machine

__act_oracle__ = True

kernel = _machine.kernel
set_simulation_backend = _machine.set_simulation_backend
'''

_API = '''"""The instructions of the accelerator {name}, to be called in a kernel. Do not edit!

Parameters: computational attributes, then addressing attributes. In a loop an addressing attribute may be a text
such as "%i*64 + 128".
"""
from . import machine as {machine}

__act_oracle__ = True


def start_loop(var, start, end):
  {machine}.start_loop(var, start, end)


def end_loop():
  {machine}.end_loop()


def debug(prefix, tensor):
  {machine}.debug(prefix, tensor)
'''

_INSTRUCTION = '''

def {name}({parameters}):
  {machine}.call({index}, ({values}))
'''


def make(accelerator):
  """{file name: text} of the package."""
  taken = set()
  for instruction in accelerator.instructions:
    taken.update([instruction.instruction, *instruction.comp_attr, *instruction.parameters])
  machine = "_machine"
  while machine in taken:
    machine += "_"
  api = _API.format(name=accelerator.name, machine=machine)
  for index, instruction in enumerate(accelerator.instructions):
    names = [*instruction.comp_attr, *instruction.parameters]
    api += _INSTRUCTION.format(name=instruction.instruction, parameters=", ".join(names), machine=machine,
                               index=index, values="".join(name + ", " for name in names).strip())
  folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
  return {
      "spec.taidl": accelerator.to_taidl(),
      "api.py": api,
      "decorator.py": _DECORATOR.format(name=accelerator.name),
      "__init__.py": _PACKAGE.format(name=accelerator.name, path=folder),
  }
