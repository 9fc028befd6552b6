"""TAIDL: an accelerator described by Python calls.

Each call is checked at once by libact.so, which holds the accelerator; the Python objects keep what was said for
tools that read it. Texts that cannot be parsed raise SyntaxError, rules that are broken ValueError, and Python
values of the wrong kind TypeError; a call that raises changes nothing.
"""
import ctypes
import os
import sys

from act import _kinds
from act import _library as _c

__all__ = ["Accelerator", "Constant", "DataModel", "Instruction", "State"]


class State:
  """A named integer of the machine. `State(name, value=0)`."""

  def __init__(self, name, value=0):
    self.name = _kinds.text(name, "a state's name")
    self.value = _kinds.integer64(value, f"the initial value of state '{name}'")

  @property
  def const_name(self):
    return self.name

  def __repr__(self):
    return f"{type(self).__name__}({self.name!r}, {self.value})"


class Constant(State):
  """The older name of State. `Constant(const_name, value)`."""

  def __init__(self, const_name, value=0):
    super().__init__(const_name, value)


class DataModel:
  """A buffer, as add_data_model was given it."""

  def __init__(self, var_name, access_dim, unit_dim, var_type):
    self.var_name = var_name
    self.access_dim = access_dim
    self.unit_dim = unit_dim
    self.var_type = var_type

  def __repr__(self):
    return f"DataModel({self.var_name!r}, {self.access_dim}, {self.unit_dim}, {self.var_type!r})"


class _States(list):
  """`acc.state`: appending declares the state. States cannot be taken back."""

  def __init__(self, accelerator):
    super().__init__()
    self._accelerator = accelerator

  def append(self, state):
    if not isinstance(state, State):
      raise TypeError(f"acc.state takes State(name, value), not {state!r} of type {_kinds.name_of_type(state)}")
    _c.call("act_add_state", self._accelerator._handle.pointer, _c.string(state.name), state.value, _c.place())
    super().append(state)

  def extend(self, states):
    for state in _kinds.sequence(states, "acc.state", "State objects"):
      self.append(state)

  def __iadd__(self, states):
    self.extend(states)
    return self

  def _refuse(self, *_arguments, **_keywords):
    raise TypeError("acc.state only grows: use append, extend or add_initial_state")

  insert = remove = pop = clear = sort = reverse = __setitem__ = __delitem__ = __imul__ = _refuse


class Instruction:
  """One instruction; made by Accelerator.add_instruction."""

  def __init__(self, accelerator, index, instruction, comp_attr, parameters, cost, update, constraints):
    self._accelerator = accelerator
    self._index = index
    self.instruction = instruction
    self.comp_attr = comp_attr
    self.parameters = parameters
    self.instr_inputs = []
    self.instr_outputs = []
    self.instr_semantics_str = ""
    self.constraints = constraints
    self.cost = cost
    self.update = update

  def __repr__(self):
    return f"<Instruction {self.instruction}({', '.join(self.comp_attr)}; {', '.join(self.parameters)})>"

  @property
  def instr_semantics_ast(self):
    """The instruction as libact.so understood it, in `.taidl` lines; for tools that print it."""
    lines, mine = [], False
    for line in self._accelerator.to_taidl().splitlines():
      if line and not line[0].isspace():
        mine = line.startswith(f"instruction {self.instruction}(")
      if mine and line.strip():
        lines.append(line.strip())
    return tuple(lines)

  def _call(self, name, *arguments):
    _c.call(name, self._accelerator._handle.pointer, self._index, *arguments)

  def _regions(self, regions, kind):
    what = f"instruction '{self.instruction}', {kind}s"
    rows, keep, kept = [], [], []
    for number, region in enumerate(_kinds.sequence(regions, what, "[buffer, starts, sizes]")):
      where = f"instruction '{self.instruction}', {kind} {number}"
      parts = _kinds.sequence(region, where, "buffer, starts, sizes")
      if len(parts) not in (3, 4):
        raise ValueError(f"{where} has {len(parts)} parts; it is [buffer, [start, ...], [size, ...]], with a fourth "
                         "list where it has strides")
      row = [_kinds.text(parts[0], f"{where}, buffer")]
      for part, list_name in zip(parts[1:], ("start", "size", "stride")):
        items = _kinds.sequence(part, f"{where}, {list_name}s", "texts or integers")
        row.append([_kinds.expression(item, f"{where}, {list_name} {i}") for i, item in enumerate(items)])
      arrays = [_c.strings(items) for items in row[1:]] + ([_c.strings([])] if len(row) == 3 else [])
      fields = [_c.string(row[0])]
      for array in arrays:
        fields += [array, len(array)]
      keep.append(arrays)
      rows.append(_c.Region(*fields))
      kept.append([parts[0]] + [list(part) for part in parts[1:]])
    self._call("act_set_regions", 1 if kind == "output" else 0, (_c.Region * len(rows))(*rows), len(rows))
    return kept

  def set_inputs(self, inputs):
    """[[buffer, [start, ...], [size, ...]], ...], with a fourth list for strides. Replaces earlier inputs."""
    self.instr_inputs = self._regions(inputs, "input")

  def set_outputs(self, outputs):
    """As set_inputs."""
    self.instr_outputs = self._regions(outputs, "output")

  def add_semantics(self, text):
    """The `ENTRY { ... }` block. A blank text means no semantics; a second call replaces the first."""
    text = _kinds.text(text, f"instruction '{self.instruction}': the semantics")
    self._call("act_set_semantics", _c.string(text))
    self.instr_semantics_str = text

  def add_constraints(self, constraints):
    """One text with a constraint a line, or a list of constraints. They join those given before."""
    what = f"instruction '{self.instruction}': the constraints"
    if isinstance(constraints, str):
      self._call("act_add_constraints", _c.strings([constraints]), 1, 1)
      self.constraints += [line.strip() for line in constraints.splitlines() if line.strip()]
      return
    texts = _kinds.texts(constraints, what)
    self._call("act_add_constraints", _c.strings(texts), len(texts), 0)
    self.constraints += texts

  def add_update(self, updates):
    """A list of texts `@s.x = e`, `+=`, `-=`, `*=`; they run after those given before."""
    texts = [updates] if isinstance(updates, str) else _kinds.texts(
        updates, f"instruction '{self.instruction}': the updates")
    self._call("act_add_updates", _c.strings(texts), len(texts))
    self.update += texts

  def _placement(self, mark, name, flags):
    values = _kinds.flags(flags, f"instruction '{self.instruction}': {name}")
    self._call("act_set_placement", mark, (ctypes.c_uint8 * len(values))(*values), len(values))

  def set_inplace(self, flags):
    """One flag for each input: the instruction overwrites that operand."""
    self._placement(0, "set_inplace", flags)

  def set_apart(self, flags):
    """One flag for each input: the outputs lie apart from it."""
    self._placement(1, "set_apart", flags)

  def set_no_partial_overlap(self, flags):
    """One flag for each input: the outputs share its place or lie apart from it."""
    self._placement(2, "set_no_partial_overlap", flags)

  def set_unit(self, unit):
    """The engine that runs the instruction, for the cost model (an extension)."""
    self._call("act_set_unit", _c.string(_kinds.text(unit, f"instruction '{self.instruction}': the unit")))

  def set_mnemonic(self, mnemonic):
    """The name in native assembly (an extension)."""
    text = _kinds.text(mnemonic, f"instruction '{self.instruction}': the mnemonic")
    self._call("act_set_mnemonic", _c.string(text))

  def set_numerics(self, numerics):
    """'exact', 'approx' or 'flush' (an extension)."""
    text = _kinds.text(numerics, f"instruction '{self.instruction}': the numerics")
    self._call("act_set_numerics", _c.string(text))


class Accelerator:
  """An accelerator. base_dir: where generated files go; default the folder of the calling file."""

  def __init__(self, name, base_dir=None):
    self._handle = _c.create("act_accelerator_new", _c.string(_kinds.text(name, "an accelerator's name")),
                             free="act_accelerator_free")
    self.name = _c.text_of("act_accelerator_name", self._handle.pointer)
    if base_dir is None:
      file = sys._getframe(1).f_globals.get("__file__")
      base_dir = os.path.dirname(os.path.abspath(file)) if file else os.getcwd()
    self.base_dir = os.fspath(base_dir)
    self.data_model = []
    self.instructions = []
    self._state = _States(self)

  @property
  def state(self):
    return self._state

  @state.setter
  def state(self, states):
    # `acc.state = [...]` declares them; `acc.state += [...]` has done so already.
    if states is self._state:
      return
    if self._state:
      raise ValueError(f"accelerator '{self.name}' has state already: {self._state}; use acc.state.append")
    self._state.extend(states)

  def add_data_model(self, model_name, dimensions, unit_dim, var_type):
    """Adds a buffer: addressing dimensions, dimensions of one addressed unit, element type."""
    name = _kinds.text(model_name, "a buffer's name")
    dims = _kinds.integers(dimensions, f"buffer '{name}': the dimensions")
    unit = _kinds.integers(unit_dim, f"buffer '{name}': the unit dimensions")
    element = _kinds.text(var_type, f"buffer '{name}': the element type")
    _c.call("act_add_buffer", self._handle.pointer, _c.string(name), _c.integers(dims), len(dims),
            _c.integers(unit), len(unit), _c.string(element), _c.place())
    self.data_model.append(DataModel(name, dims, unit, element))

  def add_instruction(self, instruction=None, computation_attr=None, addressing_attr=None, cost="0", update=(),
                      constraints=(), *, name=None, comp_attrs=None, addr_attrs=None):
    """Adds an instruction and returns it. Both published spellings of the parameters' names are taken."""
    values = []
    for older, newer, names in ((instruction, name, ("instruction", "name")),
                                (computation_attr, comp_attrs, ("computation_attr", "comp_attrs")),
                                (addressing_attr, addr_attrs, ("addressing_attr", "addr_attrs"))):
      if (older is None) == (newer is None):
        found = "both are given" if older is not None else "it is missing"
        raise TypeError(f"add_instruction takes '{names[0]}' (newer name '{names[1]}'): {found}")
      values.append(newer if older is None else older)
    name = _kinds.text(values[0], "an instruction's name")
    what = f"instruction '{name}'"
    computational = _kinds.texts(values[1], f"{what}: the computational attributes")
    addressing = _kinds.texts(values[2], f"{what}: the addressing attributes")
    cost = _kinds.expression(cost, f"{what}: the cost")
    update = _kinds.texts(update, f"{what}: the updates")
    constraints = _kinds.texts(constraints, f"{what}: the constraints")
    index = ctypes.c_size_t()
    # The default is to say nothing about cost.
    cost_text = None if cost.strip() == "0" else ctypes.byref(_c.string(cost))
    out = [ctypes.c_void_p() for _ in range(3)]
    _c.call("act_add_instruction", self._handle.pointer, _c.string(name), _c.strings(computational),
            len(computational), _c.strings(addressing), len(addressing), _c.strings(constraints), len(constraints),
            _c.strings(update), len(update), cost_text, _c.place(), ctypes.byref(index))
    _c.call("act_instruction_names", self._handle.pointer, index.value, *[ctypes.byref(o) for o in out])
    name = [_c.take_text(o.value) for o in out][0]
    made = Instruction(self, index.value, name, computational, addressing, cost, update, constraints)
    self.instructions.append(made)
    return made

  def add_initial_state(self, name, value=0):
    """Declares a state with its initial value."""
    self._state.append(State(name, value))

  def to_taidl(self):
    """The accelerator as native `.taidl` text."""
    return _c.text_of("act_accelerator_print", self._handle.pointer)

  def check(self):
    """What `act check` says: a list of findings with `is_warning`, `code`, `message`, and a place."""
    out = ctypes.c_void_p()
    _c.call("act_accelerator_check", self._handle.pointer, ctypes.byref(out))
    return _c.findings(out.value)

  def generate_oracle(self, base_dir=None):
    from act.generators import generate_oracle
    generate_oracle(self, base_dir)

  def generate_backend(self, base_dir=None, cost=None):
    from act.generators import generate_backend
    generate_backend(self, base_dir, cost)


def read_taidl(text, file="<text>"):
  """The C++ accelerator that a `.taidl` text describes, as a handle for `same`; for tools and tests."""
  return _c.create("act_accelerator_parse", _c.string(_kinds.text(text, "the text")), _c.string(file),
                   free="act_accelerator_free")


def same(a, b):
  """Whether two accelerators (Accelerator, or results of read_taidl) say the same."""
  pointers = [(x._handle if isinstance(x, Accelerator) else x).pointer for x in (a, b)]
  return bool(_c.lib.act_accelerator_same(*pointers))
