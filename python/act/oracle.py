"""What generated oracle packages call: tracing of kernels, and the simulator.

Each package has its own Oracle, and each kernel its own compiled program; calls are recorded for the kernel that runs
in the same thread.
"""
import ctypes
import functools
import threading
import time

import numpy as np

from act import _arrays, _kinds
from act import _library as _c

_ITEM_KEYS = ("addr", "shape", "dtype")


class Oracle:
  """The simulator of one accelerator. spec: path of its `.taidl` text."""

  def __init__(self, spec):
    with open(spec, encoding="utf-8") as file:
      text = file.read()
    self.handle = _c.create("act_accelerator_parse", _c.string(text), _c.string(spec), free="act_accelerator_free")
    self.instructions = []
    for index in range(_c.lib.act_accelerator_num_instructions(self.handle.pointer)):
      out = [ctypes.c_void_p() for _ in range(3)]
      _c.call("act_instruction_names", self.handle.pointer, index, *[ctypes.byref(o) for o in out])
      name, computational, addressing = [_c.take_text(o.value) for o in out]
      self.instructions.append((name, computational.split(), addressing.split()))
    self._running = threading.local()

  def set_simulation_backend(self, backend):
    """'CPU', the interpreter of libact.so, is the default."""
    if _kinds.text(backend, "set_simulation_backend: the backend") == "GPU":
      raise RuntimeError("set_simulation_backend: this build simulates on the CPU only; use 'CPU'")
    if backend != "CPU":
      raise ValueError(f"set_simulation_backend: {backend!r} is not known; use 'CPU' or 'GPU'")

  def kernel(self, hbm, input, output, constant=()):  # noqa: A002  (published names)
    """The decorator of kernels."""
    def decorate(function):
      if not callable(function):
        raise TypeError(f"@kernel decorates a function, not {function!r}")
      return Kernel(self, function, hbm, input, output, constant)
    return decorate

  def _trace(self, what):
    trace = getattr(self._running, "trace", None)
    if trace is None:
      raise RuntimeError(f"api.{what} is called outside a kernel; call it in a function that @kernel decorates, which "
                         "k('fsim-compile')() runs")
    return trace

  def call(self, index, values):
    name, computational, addressing = self.instructions[index]
    trace = self._trace(name)
    fixed, placed = [], []
    count = len(computational)
    for attribute, value in zip(computational, values):
      if isinstance(value, str):
        raise ValueError(f"{name}: attribute '{attribute}' is computational and cannot be the text {value!r}; give an "
                         "integer")
      fixed.append(_kinds.integer(value, f"{name}: attribute '{attribute}'"))
    for attribute, value in zip(addressing, values[count:]):
      if not isinstance(value, str):
        value = _kinds.integer(value, f"{name}: attribute '{attribute}'")
      placed.append(value)
    trace.call(index, name, computational, addressing, fixed, placed)

  def start_loop(self, var, start, end):
    trace = self._trace("start_loop")
    trace.start_loop(_kinds.text(var, "start_loop: the variable"), _kinds.integer64(start, "start_loop: the start"),
                     _kinds.integer64(end, "start_loop: the end"))

  def end_loop(self):
    self._trace("end_loop").end_loop()

  def debug(self, prefix, tensor):
    trace = self._trace("debug")
    trace.debug(_kinds.text(prefix, "debug: the prefix"), _kinds.text(tensor, "debug: the tensor"))

  def run(self, function, trace):
    """Runs a kernel's function with its calls recorded in `trace`."""
    before = getattr(self._running, "trace", None)
    if before is not None:
      raise RuntimeError("a kernel is run inside another kernel; run one after the other")
    self._running.trace = trace
    try:
      function()
    finally:
      self._running.trace = None


class _Recorder:
  """Calls become statements of a program."""

  def __init__(self, program):
    self._program = program.pointer

  def call(self, index, name, computational, addressing, fixed, placed):
    for attribute, value in zip(computational, fixed):
      if not -2**63 <= value < 2**63:
        _warn_wide(f"{name}: attribute '{attribute}'", value)
        raise ValueError(f"{name}: attribute '{attribute}' is {value}; no buffer has a size beyond 64 bits")
    values = (_c.Value * len(placed))()
    for slot, value in zip(values, placed):
      if isinstance(value, str):
        slot.text = _c.string(value)
      elif -2**63 <= value < 2**63:
        slot.integer = value
      else:
        slot.text, slot.wide = _c.string(str(value)), 1
    _c.call("act_program_call", self._program, index, _c.integers(fixed), len(fixed), values, len(placed), _c.place())

  def start_loop(self, var, start, end):
    _c.call("act_program_start_loop", self._program, _c.string(var), start, end, _c.place())

  def end_loop(self):
    _c.call("act_program_end_loop", self._program, _c.place())

  def debug(self, prefix, tensor):
    _c.call("act_program_debug", self._program, _c.string(prefix), _c.string(tensor), _c.place())


class _Printer:
  """Calls are printed."""

  def call(self, index, name, computational, addressing, fixed, placed):
    names, values = computational + addressing, fixed + placed
    print(f"{name}({', '.join(f'{n} = {v!r}' for n, v in zip(names, values))})")

  def start_loop(self, var, start, end):
    print(f"start_loop({var!r}, {start}, {end})")

  def end_loop(self):
    print("end_loop()")

  def debug(self, prefix, tensor):
    print(f"debug({prefix!r}, {tensor!r})")


class _Tensor:
  """A checked item of a declaration."""

  def __init__(self, item, what, hbm, keys):
    self.what = what
    if not isinstance(item, dict):
      raise TypeError(f"{what} must be a dict with the keys {', '.join(keys)}, not {item!r}")
    lacking = [key for key in keys if key not in item]
    unknown = [key for key in item if key not in keys]
    if lacking or unknown:
      fault = f"lacks the key '{lacking[0]}'" if lacking else f"has the unknown key {unknown[0]!r}"
      raise ValueError(f"{what} {fault}; its keys are {', '.join(keys)}")
    shape = item["shape"]
    if not isinstance(shape, (tuple, list)):
      shape = (shape,)
    self.shape = tuple(_kinds.integer(dim, f"{what}, dimension {number}") for number, dim in enumerate(shape))
    for number, dim in enumerate(self.shape):
      if dim < 0:
        raise ValueError(f"{what}: dimension {number} is {dim}; dimensions are at least 0")
      if dim >= 2**63:
        _warn_wide(f"{what}: dimension {number}", dim)
        raise ValueError(f"{what}: dimension {number} is {dim}, outside HBM, which has {hbm} bytes")
    self.dtype = _arrays.dtype(item["dtype"], what)
    self.address = _kinds.integer(item["addr"], f"{what}, addr")
    if not -2**63 <= self.address < 2**63:
      _warn_wide(f"{what}: its address", self.address)
      raise ValueError(f"{what} at address {self.address} lies outside HBM, which has {hbm} bytes")

  def placed(self):
    """Arguments of the C calls: address, type, dims."""
    return (self.address, _c.string(_arrays.type_name(self.dtype)), _c.integers(self.shape), len(self.shape))


def _warn_wide(what, value):
  _c.warn(f"{what} is {value}, beyond 64 bits")


class Kernel:
  """A decorated kernel `k`; `k(mode)` is the function that does what the mode says."""

  def __init__(self, oracle, function, hbm, inputs, outputs, constants):
    self._oracle, self._function = oracle, function
    self._declared = (hbm, inputs, outputs, constants)
    self._program = None
    self._inputs, self._outputs = [], []
    name = getattr(function, "__name__", "kernel")
    self._name = name if name.isidentifier() else "kernel"
    functools.update_wrapper(self, function)

  def __call__(self, mode):
    _kinds.text(mode, f"kernel '{self._name}': the mode")
    return {"fsim-compile": self._compile, "fsim": self._simulate, "cost": self._cost}.get(mode, self._print)

  def _items(self, items, kind):
    return _kinds.sequence(items, f"kernel '{self._name}': {kind}", "dicts")

  def _record(self):
    """(program, inputs, outputs) from the declaration and one run of the function."""
    hbm, inputs, outputs, constants = self._declared
    what = f"kernel '{self._name}'"
    hbm = _kinds.integer(hbm, f"{what}: hbm")
    if not -2**63 <= hbm < 2**63:
      _warn_wide(f"{what}: hbm", hbm)
      raise ValueError(f"{what}: hbm is {hbm} bytes, which no memory has")
    program = _c.create("act_program_new", self._oracle.handle.pointer, _c.string(self._name), hbm,
                        free="act_program_free")
    lists = []
    for kind, items in enumerate((inputs, outputs)):
      name = ("input", "output")[kind]
      tensors = [_Tensor(item, f"{what}: {name} {i}", hbm, _ITEM_KEYS)
                 for i, item in enumerate(self._items(items, name))]
      for tensor in tensors:
        _c.call("act_program_add_tensor", program.pointer, kind, *tensor.placed())
      lists.append(tensors)
    for i, item in enumerate(self._items(constants, "constant")):
      tensor = _Tensor(item, f"{what}: constant {i}", hbm, _ITEM_KEYS + ("value",))
      data, doubles = _arrays.constant(item["value"], tensor.shape, tensor.dtype, tensor.what)
      _c.call("act_program_add_constant", program.pointer, *tensor.placed(), int(doubles), data.ctypes.data,
              data.nbytes)
    self._oracle.run(self._function, _Recorder(program))
    return program, lists[0], lists[1]

  def _compile(self):
    """([input item, ...], milliseconds); the program is checked as far as that is possible without data."""
    began = time.perf_counter()
    self._program = None
    program, self._inputs, self._outputs = self._record()
    out = ctypes.c_void_p()
    _c.call("act_program_check", program.pointer, ctypes.byref(out))
    for finding in _c.findings(out.value):
      _c.warn(finding.rendered)
    self._program = program
    return [dict(item) for item in self._declared[1]], (time.perf_counter() - began) * 1000

  def _simulate(self, *arrays):
    """([output array, ...], milliseconds)."""
    if self._program is None:
      raise RuntimeError(f"kernel '{self._name}' is not compiled: call k('fsim-compile')() first")
    what = f"kernel '{self._name}'"
    if len(arrays) != len(self._inputs):
      raise ValueError(f"{what} takes {len(self._inputs)} inputs, but {len(arrays)} are given")
    as_jax = any(_arrays.is_jax(array) for array in arrays)
    data = []
    for tensor, array in zip(self._inputs, arrays):
      if not (isinstance(array, (np.ndarray, np.generic)) or _arrays.is_jax(array)):
        raise TypeError(f"{tensor.what} must be a NumPy or JAX array, not {_kinds.name_of_type(array)}")
      array = np.asarray(array)
      if array.shape != tensor.shape or array.dtype != tensor.dtype:
        raise ValueError(f"{tensor.what} is {tensor.dtype}{list(tensor.shape)}, but "
                         f"{array.dtype}{list(array.shape)} is given")
      data.append(_arrays.to_bytes(array))
    results = [_arrays.empty(tensor.shape, tensor.dtype) for tensor in self._outputs]
    failed = []

    def show(_context, text, size):
      try:
        print(ctypes.string_at(text, size).decode("utf-8", "replace"))
      except BaseException as error:  # nothing may pass through the C++ frames
        failed.append(error)

    began = time.perf_counter()
    out = ctypes.c_void_p()
    _c.call("act_program_simulate", self._program.pointer, _views(data), len(data), _views(results), len(results),
            _c.PRINT(show), None, ctypes.byref(out))
    milliseconds = (time.perf_counter() - began) * 1000
    if failed:
      raise failed[0]
    _c.findings(out.value)  # the same warnings were given by fsim-compile
    return [_arrays.from_bytes(result, tensor.dtype, as_jax)
            for tensor, result in zip(self._outputs, results)], milliseconds

  def _cost(self):
    """The sum of the instructions' costs."""
    program = self._record()[0]
    cost = ctypes.c_int64()
    _c.call("act_program_cost", program.pointer, ctypes.byref(cost))
    return cost.value

  def _print(self):
    """Prints each call."""
    self._oracle.run(self._function, _Printer())


def _views(arrays):
  return (_c.Bytes * len(arrays))(*[_c.Bytes(array.ctypes.data, array.nbytes) for array in arrays])
