"""Refusals of the spec calls (reference/taidl.md section 18): class and message, and nothing changed."""
import pytest

from act import taidl
from act.generators import generate_backend, generate_oracle


def make():
  acc = taidl.Accelerator("A")
  acc.add_initial_state("mode", 1)
  acc.add_data_model("b", [8], [4], "s32")
  i = acc.add_instruction("op", ["n"], ["from_", "to"])
  i.set_inputs([["b", ["@a.from_"], ["@c.n"]]])
  i.set_outputs([["b", ["@a.to"], ["@c.n"]]])
  return acc, i


def block(body):
  return "ENTRY {\n  " + body + "\n}"


SYNTAX, VALUE, TYPE = SyntaxError, ValueError, TypeError
ERRORS = [
    # Names and counts.
    (lambda a, i: taidl.Accelerator("a/b"), VALUE, "a/b"),
    (lambda a, i: taidl.Accelerator(3), TYPE, "an accelerator's name must be a text"),
    (lambda a, i: a.add_data_model("d0", [4], [], "u8"), VALUE, "d0"),
    (lambda a, i: a.add_data_model("HBM", [4], [], "u8"), VALUE, "HBM"),
    (lambda a, i: a.add_data_model("ANY", [4], [], "u8"), VALUE, "ANY"),
    (lambda a, i: a.add_data_model("b", [4], [], "u8"), VALUE, "buffer 'b' is declared twice"),  # pitfall 19
    (lambda a, i: a.add_data_model("c", [0], [], "u8"), VALUE, "buffer 'c' has a dimension 0"),
    (lambda a, i: a.add_data_model("c", [4], [-1], "u8"), VALUE, "buffer 'c' has a dimension -1"),
    (lambda a, i: a.add_data_model("c", [2**40], [2**40], "u8"), VALUE, "buffer 'c' is too large"),
    (lambda a, i: a.add_data_model("c", [2**70], [], "u8"), VALUE, "does not fit in 64 bits"),
    (lambda a, i: a.add_data_model("c", [4], [], "f8"), VALUE, "buffer 'c': there is no element type 'f8'"),
    (lambda a, i: a.add_data_model("c", 4, [], "u8"), TYPE, "buffer 'c': the dimensions must be a list of integers"),
    (lambda a, i: a.add_data_model("c", [4.0], [], "u8"), TYPE, "item 0 must be an integer, not 4.0"),
    (lambda a, i: a.add_data_model("c", [True], [], "u8"), TYPE, "item 0 must be an integer, not True"),
    (lambda a, i: a.add_data_model("c", [4], [], 8), TYPE, "buffer 'c': the element type must be a text"),
    (lambda a, i: a.add_data_model(None, [4], [], "u8"), TYPE, "a buffer's name must be a text"),
    (lambda a, i: a.add_instruction("op", [], []), VALUE, "instruction 'op' is declared twice"),  # pitfall 19
    (lambda a, i: a.add_instruction("debug", [], []), VALUE, "debug"),  # pitfall 173
    (lambda a, i: a.add_instruction("start_loop", [], []), VALUE, "start_loop"),
    (lambda a, i: a.add_instruction("end_loop", [], []), VALUE, "end_loop"),
    (lambda a, i: a.add_instruction("lambda", [], []), VALUE, "lambda"),
    (lambda a, i: a.add_instruction("x-y", [], []), VALUE, "x-y"),
    (lambda a, i: a.add_instruction("x", ["n"], ["n"]), VALUE, "instruction 'x' has the attribute 'n' twice"),
    (lambda a, i: a.add_instruction("x", ["class"], []), VALUE, "class"),
    (lambda a, i: a.add_instruction("x", "n", []), TYPE, "the computational attributes must be a list"),
    (lambda a, i: a.add_instruction("x", [1], []), TYPE, "item 0 must be a text"),
    (lambda a, i: a.add_instruction("x", []), TYPE, "'addressing_attr' .*missing"),
    (lambda a, i: a.add_instruction("x", [], [], name="y"), TYPE, "'instruction' .*both"),
    (lambda a, i: a.add_instruction("x", [], [], cost=1.5), TYPE, "instruction 'x': the cost must be a text or an integer"),
    (lambda a, i: a.add_instruction("x", [], [], cost="@c.n"), VALUE, "instruction 'x'.*n"),
    (lambda a, i: a.add_instruction("x", [], [], cost="1 +"), SYNTAX, "instruction 'x'"),
    (lambda a, i: a.add_instruction("x", [], [], constraints="1 < 2"), TYPE, "the constraints must be a list of texts"),
    (lambda a, i: a.add_instruction("x", [], [], constraints=["1 < 2", "@c.m < 2"]), VALUE, "instruction 'x'.*m"),
    (lambda a, i: a.add_instruction("x", [], [], update=["@s.none = 1"]), VALUE, "instruction 'x'.*none"),
    (lambda a, i: a.add_initial_state("mode", 2), VALUE, "state 'mode' is declared twice"),
    (lambda a, i: a.add_initial_state("other", 2.5), TYPE, "initial value of state 'other' must be an integer"),
    (lambda a, i: a.state.append(("other", 1)), TYPE, "acc.state takes State"),
    (lambda a, i: a.state.clear(), TYPE, "acc.state only grows"),
    (lambda a, i: setattr(a, "state", [taidl.State("z")]), VALUE, "has state already"),
    # Regions.
    (lambda a, i: i.set_inputs([["c", [0], [1]]]), VALUE, "instruction 'op', input 0: there is no buffer 'c'"),  # pitfall 17
    (lambda a, i: i.set_inputs([["b", [0, 0], [1]]]), VALUE, "instruction 'op', input 0.*2 starts"),
    (lambda a, i: i.set_outputs([["b", [0], [1, 1]]]), VALUE, "instruction 'op', output 0.*2 sizes"),
    (lambda a, i: i.set_inputs([["b", [0]]]), VALUE, "input 0 has 2 parts"),
    (lambda a, i: i.set_inputs([["b", [0], [0]]]), VALUE, "input 0, size 0: the size is 0"),
    (lambda a, i: i.set_inputs([["b", ["@a.nowhere"], [1]]]), VALUE, "input 0, start 0.*nowhere"),
    (lambda a, i: i.set_inputs([["b", ["@a.from_"], ["@a.to"]]]), VALUE, "size 0.*addressing"),
    (lambda a, i: i.set_inputs([["b", ["@a.from_ +"], [1]]]), SYNTAX, "input 0, start 0"),
    (lambda a, i: i.set_inputs([["b", ["9223372036854775808"], [1]]]), SYNTAX, "input 0, start 0.*64"),  # pitfall 11
    (lambda a, i: i.set_inputs([["b", ["@a.from_"], ["@c.n / 0"]]]), SYNTAX, "input 0, size 0.*0"),  # pitfall 11
    (lambda a, i: i.set_inputs([["b", ["@c.n // 2"], [1]]]), SYNTAX, "input 0, start 0"),
    (lambda a, i: i.set_inputs([["b", ["0x10"], [1]]]), SYNTAX, "input 0, start 0"),
    (lambda a, i: i.set_inputs([["b", ["1.5"], [1]]]), SYNTAX, "input 0, start 0"),
    (lambda a, i: i.set_inputs([["b", [1.5], [1]]]), TYPE, "input 0, start 0 must be a text or an integer, not 1.5"),
    (lambda a, i: i.set_inputs([["b", "0", [1]]]), TYPE, "input 0, starts must be a list"),
    (lambda a, i: i.set_inputs("b"), TYPE, "inputs must be a list"),
    (lambda a, i: i.set_outputs([["b", [0], [2], [0]]]), VALUE, "output 0, stride 0"),
    # Constraints, updates, marks.
    (lambda a, i: i.add_constraints("@c.n <"), SYNTAX, "instruction 'op'"),
    (lambda a, i: i.add_constraints("@c.n < 3\n@c.n < 2 < 1"), SYNTAX, "constraints.*:2:"),
    (lambda a, i: i.add_constraints(["not @c.n == 3"]), SYNTAX, "instruction 'op'"),
    (lambda a, i: i.add_constraints(["@s.none == 3"]), VALUE, "none"),
    (lambda a, i: i.add_constraints(3), TYPE, "the constraints must be a list"),
    (lambda a, i: i.add_update(["@s.mode /= 2"]), SYNTAX, "instruction 'op'"),
    (lambda a, i: i.add_update(["@c.n = 2"]), (SYNTAX, VALUE), "instruction 'op'"),
    (lambda a, i: i.add_update(["@s.mode = @a.to"]), VALUE, "addressing"),
    (lambda a, i: i.set_inplace([True, False]), VALUE, "instruction 'op': set_inplace has 2 flags"),
    (lambda a, i: i.set_apart([]), VALUE, "set_apart has no flags"),
    (lambda a, i: i.set_no_partial_overlap([1]), TYPE, "set_no_partial_overlap, item 0 must be True or False"),
    (lambda a, i: i.set_inplace(True), TYPE, "set_inplace must be a list"),
    # Semantics.
    (lambda a, i: i.add_semantics(3), TYPE, "the semantics must be a text"),
    (lambda a, i: i.add_semantics("ENTRY { ROOT %x = s32[4 copy(%In1) }"), SYNTAX, "op, semantics>:1:"),
    (lambda a, i: i.add_semantics(block("ROOT %x = s32[@c.n,4] copy(%In1)") + " more"), SYNTAX, ":3:"),  # pitfall 2
    (lambda a, i: i.add_semantics(block("ROOT %x = s32[@c.n,4] copy(%Inn)")), VALUE, "Inn"),  # pitfall 7
    (lambda a, i: i.add_semantics(block("%x = s32[@c.n,4] copy(%In1)\n %y = s32[@c.n,4] copy(%x)")), VALUE,
     "ROOT"),  # pitfall 6
    (lambda a, i: i.add_semantics(block("ROOT %x = s32[@c.n,4] copy(%In1)\n ROOT %y = s32[@c.n,4] copy(%x)")), VALUE,
     "ROOT"),  # pitfall 6
    (lambda a, i: i.add_semantics(block("ROOT %x = s32[@c.m,4] copy(%In1)")), VALUE, "m"),
    (lambda a, i: i.add_semantics(block("ROOT %x = s32[@a.to,4] copy(%In1)")), VALUE, "to|address"),
    (lambda a, i: i.add_semantics(block("ROOT %x = f8[@c.n,4] copy(%In1)")), VALUE, "f8"),
    (lambda a, i: i.add_semantics(block("ROOT %x = s32[`@c.n % 0`,4] copy(%In1)")), SYNTAX, "op.*:2:"),  # pitfall 11
    (lambda a, i: i.add_semantics(block("ROOT %x = s32[`99999999999999999999`,4] copy(%In1)")), SYNTAX, ":2:"),
    (lambda a, i: i.add_semantics(block("ROOT %x = s32[@c.n,4] frobnicate(%In1)")), (SYNTAX, VALUE), "frobnicate"),
    (lambda a, i: i.add_semantics(block("ROOT %x = s32[@c.n,4] copy(%In7)")), (SYNTAX, VALUE), "In7"),
    (lambda a, i: i.add_semantics("load <- x"), SYNTAX, "op"),
    # Generation.
    (lambda a, i: generate_oracle("A"), TYPE, "generate_oracle takes an Accelerator"),
    (lambda a, i: generate_backend(None), TYPE, "generate_backend takes an Accelerator"),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_refusals(number):
  call, error, message = ERRORS[number]
  acc, instruction = make()
  before = acc.to_taidl()
  fields = [list(acc.data_model), list(acc.instructions), list(acc.state), vars(instruction).copy()]
  with pytest.raises(error, match=message) as caught:
    call(acc, instruction)
  assert type(caught.value) in (error if isinstance(error, tuple) else (error,))
  assert acc.to_taidl() == before
  assert fields == [list(acc.data_model), list(acc.instructions), list(acc.state), vars(instruction)]


def test_syntax_errors_have_line_and_column():
  _, instruction = make()
  with pytest.raises(SyntaxError) as caught:
    instruction.add_semantics("ENTRY {\n  ROOT %x = s32[@c.n, 4] copy(%In1) ?\n}")
  error = caught.value
  assert (error.lineno, error.offset) == (2, 37)
  assert error.text == "  ROOT %x = s32[@c.n, 4] copy(%In1) ?" and "op, semantics" in error.filename
  assert ":2:37: " in error.msg and error.code and error.findings[0].line == 2


def test_errors_name_the_line_of_the_spec():
  acc, _ = make()
  with pytest.raises(ValueError, match=r"^test_spec_errors.py:\d+: buffer 'b' is declared twice"):
    acc.add_data_model("b", [8], [4], "s32")


# pitfall 1, 10
def test_constants_and_expressions_are_exact():
  acc, instruction = make()
  instruction.add_semantics(block("%c = s32[] constant(-1)\n %d = s32[] constant(`-7/2`)\n %e = s32[] add(%c, %d)\n"
                                  "%b = s32[@c.n,4] broadcast(%e), dimensions={}\n"
                                  "ROOT %x = s32[@c.n,4] add(%b, %In1)"))
  assert "-1" in acc.to_taidl()


# pitfall 16
def test_constraints_of_every_source_hold():
  acc = taidl.Accelerator("A")
  i = acc.add_instruction("x", ["n"], [], constraints=["@c.n > 1"])
  i.add_constraints("@c.n < 9")
  i.add_constraints(["@c.n != 5"])
  text = acc.to_taidl()
  assert "n > 1" in text and "n < 9" in text and "n != 5" in text


# pitfall 38, 39
def test_names_are_data():
  acc = taidl.Accelerator("A")
  acc.add_data_model("b", [8], [4], "s32")
  for name in ("mv_in", "MvIn", "mv_In", "add", "copy", "slice", "dot", "print", "_machine", "self", "os"):
    acc.add_instruction(name, ["add", "_machine_"], ["copy"])
  assert [i.instruction for i in acc.instructions][:2] == ["mv_in", "MvIn"]
