"""Simulator rules of reference/taidl.md sections 15 and 16, on a small machine without jax."""
import threading
import warnings

import ml_dtypes
import numpy as np
import pytest

import act_testing as t
from act.taidl import Accelerator

S32 = np.dtype(np.int32)


def make_machine(tmp_path, name="Small"):
  """Sixteen words of s32 on chip; a machine with state, costs and constraints."""
  acc = Accelerator(name, tmp_path)
  acc.add_initial_state("calls", 0)
  acc.add_initial_state("factor", 1)
  acc.add_data_model("r", [16], [], "s32")

  def add(instruction, computational, addressing, inputs, outputs, semantics, **keywords):
    i = acc.add_instruction(instruction, computational, addressing, **keywords)
    i.set_inputs(inputs)
    i.set_outputs(outputs)
    i.add_semantics(semantics)
  add("load", ["n"], ["src", "to"], [["d0", ["@a.src"], ["@c.n*4"]]], [["r", ["@a.to"], ["@c.n"]]],
      "ENTRY { %a = u8[@c.n,4] reshape(%In1)\n ROOT %Out0 = s32[@c.n] bitcast_convert(%a) }", cost="@c.n")
  add("store", ["n"], ["at", "to"], [["r", ["@a.at"], ["@c.n"]]], [["d0", ["@a.to"], ["@c.n*4"]]],
      "ENTRY { %a = u8[@c.n,4] bitcast_convert(%In1)\n ROOT %Out0 = u8[`@c.n*4`] reshape(%a) }", cost="2*@c.n")
  add("even", ["n"], ["at"], [["r", ["@a.at"], ["@c.n"]]], [["r", ["@a.at"], ["@c.n"]]],
      "ENTRY { ROOT %Out0 = s32[@c.n] copy(%In1) }", constraints=["@c.n % 2 == 0", "@a.at <= 8 or @a.at == 10"])
  # r[at] = number of calls so far, this one included.
  add("count", [], ["at"], [], [["r", ["@a.at"], [1]]],
      "ENTRY { %c = s32[] constant(`@s.calls`)\n ROOT %Out0 = s32[1] broadcast(%c), dimensions={} }",
      update=["@s.calls += 1"])
  add("far", ["n"], ["at"], [["d0", ["@a.at / @c.n"], [4]]], [["r", [0], [1]]],
      "ENTRY { %a = u8[1,4] reshape(%In1)\n ROOT %Out0 = s32[1] bitcast_convert(%a) }")
  acc.add_instruction("hint", ["n"], ["at"], constraints=["@c.n < 4"], update=["@s.calls += 10"], cost="100")
  return acc


@pytest.fixture(scope="module")
def oracle(tmp_path_factory):
  folder = tmp_path_factory.mktemp("small")
  return t.make_oracle(make_machine(folder), folder)


def items(count, elements=4, start=0):
  return [{"addr": start + i * elements * 4, "shape": (elements,), "dtype": S32} for i in range(count)]


def kernel(oracle, body, inputs=1, elements=4, outputs=1, hbm=256, **keywords):
  @oracle.decorator.kernel(hbm=hbm, input=keywords.pop("input", items(inputs, elements)),
                           output=keywords.pop("output", items(outputs, elements, 128)), **keywords)
  def small():
    body(oracle.api)
  return small


def numbers(*values):
  return np.array(values, np.int32)


def test_calls_by_position_and_keyword(oracle):
  def body(api):
    api.load(4, src=0, to=2)
    api.store(at=2, n=np.int64(4), to=np.uint16(128))
  k = kernel(oracle, body)
  inputs, milliseconds = k("fsim-compile")()
  assert inputs == items(1) and milliseconds >= 0
  outputs, milliseconds = k("fsim")(numbers(1, -2, 3, 2**31 - 1))
  assert milliseconds >= 0 and len(outputs) == 1
  assert outputs[0].tolist() == [1, -2, 3, 2**31 - 1] and outputs[0].dtype == S32
  assert isinstance(outputs[0], np.ndarray)


# pitfall 147, 148, 149
@pytest.mark.parametrize("call, message", [
    (lambda api: api.load(4, 0, 13), "load writes output 0 .*r.13 : .4., outside r"),
    (lambda api: api.load(4, -4, 0), "load reads input 0 .*-4"),
    (lambda api: api.load(4, 244, 0), "load reads input 0 .*244 .*outside d0, which has 256"),
    (lambda api: api.load(0, 0, 0), "load.*size.* 0"),
    (lambda api: api.even(3, 0), "even.*n%2 == 0"),
    (lambda api: api.even(2, 9), "even.*a[.]?t <= 8|even.*at <= 8"),
    (lambda api: api.hint(4, 0), "hint.*n < 4"),
    (lambda api: api.far(0, 8), "far.*divides by zero"),
    (lambda api: api.load("4", 0, 0), "load: attribute 'n' is computational"),
    (lambda api: api.load(4, "256.0 * %i", 0), "load: attribute 'src'"),  # pitfall 152
    (lambda api: api.load(4, "%i", 0), "load: attribute 'src'.*'i' is not the variable"),
    (lambda api: api.end_loop(), "end_loop.. without start_loop"),
    (lambda api: api.start_loop("i", 0, 2), "the loop over 'i' has no end_loop"),
    (lambda api: api.start_loop("%i", 0, 2), "start_loop: '%i' cannot be a loop variable"),
    (lambda api: api.debug("x", "nothing[0]"), "debug: 'nothing' is not a buffer"),
    (lambda api: api.debug("x", "r[0"), "debug: .*no part of a buffer"),
    (lambda api: api.debug("x", "r[16]"), "debug position 16"),
])
def test_bad_calls_are_value_errors(oracle, call, message):
  with pytest.raises(ValueError, match=message):
    kernel(oracle, call)("fsim-compile")()


@pytest.mark.parametrize("value", [1.0, True, np.bool_(True), None, np.float32(2), [1]])
def test_attributes_are_integers(oracle, value):
  for call in (lambda api: api.load(value, 0, 0), lambda api: api.load(4, value, 0)):
    with pytest.raises(TypeError, match="load: attribute '(n|src)' must be an integer, not"):
      kernel(oracle, call)("fsim-compile")()
  with pytest.raises(TypeError):
    kernel(oracle, lambda api: api.load(4, 0))("fsim-compile")()
  with pytest.raises(TypeError):
    kernel(oracle, lambda api: api.load(4, 0, 0, other=1))("fsim-compile")()


def test_errors_name_the_line_of_the_kernel(oracle):
  with pytest.raises(ValueError, match=r"test_oracle.py:\d+: load writes"):
    kernel(oracle, lambda api: api.load(4, 0, 13))("fsim-compile")()


# pitfall 153, 154
@pytest.mark.parametrize("text, expected", [
    ("%i + 4", [4, 5, 6]), ("%i*2", [0, 2, 4]), ("8/4 * %i", [0, 2, 4]), ("(%i+1)*2", [2, 4, 6]), ("%i/2", [0, 0, 1]),
    ("2*(%i)", [0, 2, 4]), ("3 - %i", [3, 2, 1]), ("%i % 2 + 1", [1, 2, 1]), ("-(-%i)", [0, 1, 2]),
])
def test_addresses_in_loops(oracle, text, expected):
  def body(api):
    api.start_loop("i", 0, 3)
    api.count(text)
    api.end_loop()
    api.store(16, 0, 128)
  k = kernel(oracle, body, inputs=0, output=items(1, 16, 128))
  result = t.run(k)[0]
  last = {address: count + 1 for count, address in enumerate(expected)}
  assert result.tolist() == [last.get(i, 0) for i in range(16)]


# pitfall 155
def test_addresses_in_loops_beyond_32_bits(oracle):
  def body(api):
    api.start_loop("i", 3, 4)
    api.load(4, "%i * 1073741824 + 0", 0)
    api.end_loop()
    api.store(4, 0, 0)
  far = {"addr": 3 * 2**30, "shape": (4,), "dtype": S32}
  k = kernel(oracle, body, input=[far], output=items(1), hbm=2**32)
  assert t.run(k, numbers(5, 6, 7, 8))[0].tolist() == [5, 6, 7, 8]


def test_loops_nest_and_may_be_empty(oracle):
  def body(api):
    api.start_loop("i", 0, 2)
    api.start_loop("j", 0, 3)
    api.count("%i*4 + %j")
    api.end_loop()
    api.end_loop()
    api.start_loop("k", 5, 5)
    api.count("%k")
    api.end_loop()
    api.store(8, 0, 128)
  k = kernel(oracle, body, inputs=0, output=items(1, 8, 128))
  assert t.run(k)[0].tolist() == [1, 2, 3, 0, 4, 5, 6, 0]


# pitfall 158, 164
def test_state_starts_afresh_and_changes_at_every_iteration(oracle):
  runs = []

  def body(api):
    runs.append(1)
    api.hint(1, 0)
    api.start_loop("i", 0, 4)
    api.count("%i")
    api.end_loop()
    api.store(4, 0, 128)
  k = kernel(oracle, body, inputs=0)
  for _ in range(2):
    k("fsim-compile")()
    for _ in range(2):
      assert k("fsim")()[0][0].tolist() == [11, 12, 13, 14]
  assert len(runs) == 2


# pitfall 156
def test_two_kernels_keep_their_programs(oracle):
  def first(api):
    api.load(4, 0, 0)
    api.store(4, 0, 128)

  def second(api):
    api.load(4, 0, 1)
    api.store(4, 0, 128)
  a, b = kernel(oracle, first), kernel(oracle, second)
  a("fsim-compile")()
  b("fsim-compile")()
  x = numbers(1, 2, 3, 4)
  assert a("fsim")(x)[0][0].tolist() == [1, 2, 3, 4]
  assert b("fsim")(x)[0][0].tolist() == [0, 1, 2, 3]
  assert a("fsim")(x)[0][0].tolist() == [1, 2, 3, 4]


# pitfall 157
def test_cost_before_a_compile_and_twice(oracle):
  def body(api):
    api.load(4, 0, 0)
    api.start_loop("i", 0, 5)
    api.store(2, "%i", 128)
    api.end_loop()
    api.count(0)
    api.hint(1, 0)
  k = kernel(oracle, body)
  assert [k("cost")(), k("cost")()] == [124, 124]
  k("fsim-compile")()
  assert k("cost")() == 124


# pitfall 159
def test_runs_that_do_not_fit_the_declaration(oracle):
  def body(api):
    api.load(4, 0, 0)
    api.store(4, 0, 128)
  k = kernel(oracle, body, input=[{"addr": 0, "shape": [4], "dtype": np.int32}])
  x = numbers(1, 2, 3, 4)
  with pytest.raises(RuntimeError, match="'small' is not compiled"):
    k("fsim")(x)
  k("fsim-compile")()
  assert k("fsim")(x)[0][0].tolist() == [1, 2, 3, 4]
  for arrays, message in (((), "takes 1 inputs, but 0"), ((x, x), "takes 1 inputs, but 2"),
                          ((x[:3],), r"input 0 is int32\[4\], but int32\[3\]"),
                          ((x.reshape(2, 2),), r"int32\[2, 2\]"), ((x.astype(np.uint32),), r"uint32\[4\]"),
                          ((x.astype(">i4"),), "but >i4|but int32")):
    with pytest.raises(ValueError, match=message):
      k("fsim")(*arrays)
  with pytest.raises(TypeError, match="input 0 must be a NumPy or JAX array, not list"):
    k("fsim")([1, 2, 3, 4])
  assert k("fsim")(np.array([[1, 0], [2, 0], [3, 0], [4, 0]], np.int32)[:, 0])[0][0].tolist() == [1, 2, 3, 4]


def test_a_failed_compile_forgets_the_program(oracle):
  last = [0]

  def body(api):
    api.load(4, 0, last[0])
  k = kernel(oracle, body)
  k("fsim-compile")()
  last[0] = 100
  with pytest.raises(ValueError):
    k("fsim-compile")()
  with pytest.raises(RuntimeError):
    k("fsim")(numbers(1, 2, 3, 4))


# pitfall 165
@pytest.mark.parametrize("declaration, error, message", [
    ({"input": [{"addr": 0, "shape": (4, -1), "dtype": S32}]}, ValueError, "input 0: dimension 1 is -1"),
    ({"input": [{"addr": 250, "shape": (4,), "dtype": S32}]}, ValueError, "input 0.*outside HBM"),
    ({"input": [{"addr": -4, "shape": (4,), "dtype": S32}]}, ValueError, "input 0.*outside HBM"),
    ({"output": items(1, 4, 0) + items(1, 4, 8)}, ValueError, "output 0 .*output 1 .*overlap"),
    ({"input": items(1, 4, 0) + items(1, 4, 8)}, ValueError, "input 0 .*input 1 .*overlap"),
    ({"constant": [{"addr": 12, "shape": (4,), "dtype": S32, "value": [1, 2, 3, 4]}]}, ValueError, "overlap"),
    ({"constant": [{"addr": 64, "shape": (4,), "dtype": S32, "value": [1, 2, 3]}]}, ValueError, "constant 0.*shape"),
    ({"constant": [{"addr": 64, "shape": (1,), "dtype": S32, "value": [0.5]}]}, ValueError, "constant 0.*0.5"),
    ({"constant": [{"addr": 64, "shape": (1,), "dtype": np.uint8, "value": [256]}]}, ValueError, "constant 0.*256"),
    ({"constant": [{"addr": 64, "shape": (1,), "dtype": np.float16, "value": [1e6]}]}, ValueError, "constant 0.*range"),
    ({"constant": [{"addr": 64, "shape": (1,), "dtype": S32, "value": ["x"]}]}, ValueError, "constant 0"),
    ({"constant": [{"addr": 64, "shape": (1,), "dtype": S32}]}, ValueError, "lacks the key 'value'"),
    ({"input": [{"addr": 0, "shape": (4,)}]}, ValueError, "lacks the key 'dtype'"),
    ({"input": [{"addr": 0, "shape": (4,), "dtype": S32, "at": 1}]}, ValueError, "unknown key 'at'"),
    ({"input": [{"addr": 0, "shape": (4,), "dtype": np.complex64}]}, ValueError, "complex64"),
    ({"input": [{"addr": 0.0, "shape": (4,), "dtype": S32}]}, TypeError, "addr must be an integer"),
    ({"input": [(0, (4,), S32)]}, TypeError, "must be a dict"),
    ({"input": 3}, TypeError, "must be a list of dicts"),
    ({"hbm": True}, TypeError, "hbm must be an integer"),
    ({"hbm": -1}, ValueError, "hbm is -1"),
])
def test_bad_declarations(oracle, declaration, error, message):
  with pytest.raises(error, match=message):
    kernel(oracle, lambda api: None, **declaration)("fsim-compile")()


@pytest.mark.parametrize("dtype, value, stored", [
    (np.int32, [1, -1], [1, -1]), (np.uint8, np.array([255, 0], np.int64), [255, 0]),
    (np.float32, [0.1, 3], np.array([0.1, 3], np.float32)), (np.float64, [0.1, -0.0], [0.1, -0.0]),
    (ml_dtypes.bfloat16, [0.1, 1e38], np.array([0.1, 1e38], ml_dtypes.bfloat16)),
    (ml_dtypes.bfloat16, np.array([0.5, np.inf]), [0.5, np.inf]), (np.bool_, [True, False], [True, False]),
    (np.int64, [2**63 - 1, -2**63], [2**63 - 1, -2**63]), (np.uint64, [2**64 - 1, 0], [2**64 - 1, 0]),
    (np.float32, np.array([1, 2], np.int32), [1, 2]), (np.int8, np.array([4.0, -8.0]), [4, -8]),
    (ml_dtypes.int4, [-8, 7], [-8, 7]), (np.float16, np.array([1.5, 2], ml_dtypes.bfloat16), [1.5, 2]),
])
def test_constants_carry_their_value(oracle, dtype, value, stored):
  constant = {"addr": 0, "shape": (2,), "dtype": dtype, "value": value}
  k = kernel(oracle, lambda api: None, input=[], constant=[constant],
             output=[{"addr": 0, "shape": (2,), "dtype": dtype}])
  result = t.run(k)[0]
  assert result.dtype == np.dtype(dtype)
  assert result.tolist() == np.asarray(stored, dtype).tolist()


@pytest.mark.parametrize("dtype", [
    np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16, np.float32,
    np.float64, ml_dtypes.bfloat16, ml_dtypes.int4, ml_dtypes.uint4])
def test_every_dtype_goes_in_and_out(oracle, dtype):
  values = np.array([0, 1, 1, 0], dtype) if dtype is np.bool_ else np.arange(4).astype(dtype)
  tensor = {"addr": 0, "shape": (2, 2), "dtype": dtype}
  k = kernel(oracle, lambda api: None, input=[tensor], output=[tensor])
  result = t.run(k, values.reshape(2, 2))[0]
  assert result.dtype == np.dtype(dtype) and result.tolist() == values.reshape(2, 2).tolist()


# pitfall 171
def test_values_beyond_64_bits_warn_and_are_exact(oracle):
  def body(api):
    api.far(2**62, 2**64)
    api.store(1, 0, 128)
  k = kernel(oracle, body, output=items(1, 1, 128))
  with pytest.warns(UserWarning, match="far: attribute 'at' is 18446744073709551616, beyond 64 bits"):
    k("fsim-compile")()
  # 2^64 / 2^62 is byte 4, the second element.
  assert k("fsim")(numbers(1, 2, 3, 4))[0][0].tolist() == [2]
  with warnings.catch_warnings():
    warnings.simplefilter("error")
    k("fsim")(numbers(1, 2, 3, 4))
  for declaration in ({"hbm": 2**64}, {"input": [{"addr": 2**70, "shape": (1,), "dtype": S32}]}):
    with pytest.warns(UserWarning, match="beyond 64 bits"), pytest.raises(ValueError):
      kernel(oracle, lambda api: None, **declaration)("fsim-compile")()


def test_warnings_point_at_the_users_line(oracle):
  import inspect
  with pytest.warns(UserWarning) as caught:
    kernel(oracle, lambda api: api.far(2**62, 2**64))("fsim-compile")()
    line = inspect.currentframe().f_lineno - 1
  assert [(warning.filename, warning.lineno) for warning in caught][0] == (__file__, line)


def test_several_outputs_of_one_instruction(tmp_path):
  acc = Accelerator("Two", tmp_path)
  acc.add_data_model("r", [4], [], "s32")
  i = acc.add_instruction("both", [], ["src", "a", "b"])
  i.set_inputs([["d0", ["@a.src"], [8]]])
  i.set_outputs([["d0", ["@a.a"], [8]], ["d0", ["@a.b"], [8]]])
  i.add_semantics("""ENTRY {
    %x = u8[2,4] reshape(%In1)
    %w = s32[2] bitcast_convert(%x)
    %d = s32[2] add(%w, %w)
    %e = u8[2,4] bitcast_convert(%d)
    %Out1 = u8[8] reshape(%e)
    %Out0 = u8[8] copy(%In1)
  }""")
  oracle = t.make_oracle(acc, tmp_path)
  k = kernel(oracle, lambda api: api.both(0, 128, 136), output=items(2, 2, 128), input=items(1, 2))
  k("fsim-compile")()
  assert [output.tolist() for output in k("fsim")(numbers(3, -4))[0]] == [[3, -4], [6, -8]]


def test_negative_remainder_warns(oracle):
  def body(api):
    api.start_loop("i", 0, 3)
    api.count("(%i - 2) % 3 + 4")
    api.end_loop()
    api.store(8, 0, 128)
  k = kernel(oracle, body, inputs=0, output=items(1, 8, 128))
  with pytest.warns(UserWarning, match="negative"):
    k("fsim-compile")()
  assert k("fsim")()[0][0].tolist() == [0, 0, 1, 2, 3, 0, 0, 0]


def test_debug_prints_when_the_run_reaches_it(oracle, capsys):
  def body(api):
    api.load(4, 0, 0)
    api.debug("after:", "r[1]")
    api.start_loop("i", 0, 2)
    api.debug("loop", "r[0]")
    api.end_loop()
  k = kernel(oracle, body)
  k("fsim-compile")()
  assert capsys.readouterr().out == ""
  k("fsim")(numbers(5, 6, 7, 8))
  lines = capsys.readouterr().out.splitlines()
  assert len(lines) == 3 and lines[0].startswith("after:") and "6" in lines[0] and "5" in lines[1]


def test_other_modes_print_the_calls(oracle, capsys):
  def body(api):
    api.load(4, src=0, to=1)
    api.start_loop("i", 0, 2)
    api.count("%i")
    api.end_loop()
  kernel(oracle, body)("print")()
  assert capsys.readouterr().out == ("load(n = 4, src = 0, to = 1)\nstart_loop('i', 0, 2)\ncount(at = '%i')\n"
                                     "end_loop()\n")
  with pytest.raises(TypeError):
    kernel(oracle, body)(3)


def test_set_simulation_backend(oracle):
  oracle.decorator.set_simulation_backend("CPU")
  with pytest.raises(RuntimeError, match="CPU"):
    oracle.decorator.set_simulation_backend("GPU")
  with pytest.raises(ValueError, match="TPU"):
    oracle.decorator.set_simulation_backend("TPU")
  with pytest.raises(TypeError):
    oracle.decorator.set_simulation_backend(1)


def test_calls_outside_a_kernel(oracle):
  with pytest.raises(RuntimeError, match="api.load is called outside a kernel"):
    oracle.api.load(4, 0, 0)
  with pytest.raises(RuntimeError, match="api.end_loop"):
    oracle.api.end_loop()


# pitfall 173
def test_two_oracles_in_one_process(tmp_path):
  first = t.make_oracle(make_machine(tmp_path / "a", "One"), tmp_path / "a")
  other = Accelerator("Two", tmp_path / "b")
  other.add_data_model("r", [2], [], "s32")
  i = other.add_instruction("load", [], ["src"])
  i.set_inputs([["d0", ["@a.src"], [8]]])
  i.set_outputs([["r", [0], [2]]])
  i.add_semantics("ENTRY { %a = u8[2,4] reshape(%In1)\n ROOT %Out0 = s32[2] bitcast_convert(%a) }")
  second = t.make_oracle(other, tmp_path / "b")
  a = kernel(first, lambda api: (api.load(4, 0, 0), api.store(4, 0, 128)))
  b = kernel(second, lambda api: api.load(0), output=items(1))
  a("fsim-compile")()
  b("fsim-compile")()
  x = numbers(1, 2, 3, 4)
  assert a("fsim")(x)[0][0].tolist() == [1, 2, 3, 4] and b("fsim")(x)[0][0].tolist() == [1, 2, 3, 4]
  # A kernel of one does not take the other's calls.
  with pytest.raises(RuntimeError, match="outside a kernel"):
    kernel(first, lambda api: second.api.load(0))("fsim-compile")()
  with pytest.raises(ValueError, match="debug"):
    Accelerator("A").add_instruction("debug", [], [])


def test_kernels_in_several_threads(oracle):
  def body(api):
    api.load(4, 0, 0)
    api.start_loop("i", 0, 200)
    api.even(4, 0)
    api.end_loop()
    api.store(4, 0, 128)
  failures = []

  def work(number):
    try:
      k = kernel(oracle, body)
      for i in range(10):
        x = numbers(number, i, 0, 1)
        assert t.run(k, x)[0].tolist() == x.tolist()
    except BaseException as error:
      failures.append(error)
  threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert not failures
