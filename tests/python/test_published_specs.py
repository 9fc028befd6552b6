"""Row 6, specs: both spellings make the accelerators of the `.taidl` files."""
import importlib
import inspect

import pytest

import qkv_newer
from act import taidl
from act_testing import ACCELERATORS, load_accelerator


def text_of(name):
  return ACCELERATORS[name].with_suffix(".taidl").read_text()


@pytest.mark.parametrize("name", ACCELERATORS)
def test_the_python_spec_is_the_taidl_spec(name):
  assert taidl.same(load_accelerator(name), taidl.read_taidl(text_of(name)))


# pitfall 18
def test_the_newer_spelling_makes_the_same_accelerator():
  assert taidl.same(qkv_newer.make(), load_accelerator("QKV"))
  assert taidl.same(qkv_newer.make(), taidl.read_taidl(text_of("QKV")))
  assert not taidl.same(qkv_newer.make(), load_accelerator("QKV_new"))


@pytest.mark.parametrize("name", ACCELERATORS)
def test_printing_and_reading_back_is_the_identity(name):
  accelerator = load_accelerator(name)
  text = accelerator.to_taidl()
  again = taidl.read_taidl(text)
  assert taidl.same(accelerator, again)
  from act import _library
  assert _library.text_of("act_accelerator_print", again.pointer) == text


# pitfall 18
@pytest.mark.parametrize("module, names", [
    ("act.taidl", "Accelerator Instruction DataModel Constant State"),
    ("taidl", "Accelerator Instruction DataModel Constant State"),
    ("act.generators", "generate_oracle generate_backend"),
    ("act.generator", "generate_oracle generate_backend"),
    ("taidl_to", "generate_oracle"),
    ("act_backend", "generate_backend"),
])
def test_published_imports(module, names):
  for name in names.split():
    assert callable(getattr(importlib.import_module(module), name))


def test_signatures():
  def names(function):
    return list(inspect.signature(function).parameters)
  assert names(taidl.Accelerator) == ["name", "base_dir"]
  assert names(taidl.Accelerator.add_data_model)[1:] == ["model_name", "dimensions", "unit_dim", "var_type"]
  assert names(taidl.Accelerator.add_instruction)[1:7] == ["instruction", "computation_attr", "addressing_attr", "cost",
                                                           "update", "constraints"]
  assert names(taidl.Constant) == ["const_name", "value"]


# pitfall 18
def test_all_six_arguments_by_position_or_keyword():
  for arguments, keywords in (
      (("i", ["n"], ["a"], "@c.n + 1", ["@s.x += 1"], ["@c.n < 8"]), {}),
      ((), {"instruction": "i", "computation_attr": ["n"], "addressing_attr": ["a"], "cost": "@c.n + 1",
            "update": ["@s.x += 1"], "constraints": ["@c.n < 8"]}),
      (("i", ("n",), ("a",)), {"cost": "@c.n+1", "update": ("@s.x += 1",), "constraints": ("@c.n < 8",)})):
    acc = taidl.Accelerator("A")
    acc.add_initial_state("x")
    acc.add_instruction(*arguments, **keywords)
    assert "n < 8" in acc.to_taidl() and "cost n + 1" in acc.to_taidl() and "x += 1" in acc.to_taidl()


def test_fields_that_other_tools_read(tmp_path):
  acc = taidl.Accelerator("My accelerator", tmp_path)
  assert acc.name == "My_accelerator" and acc.base_dir == str(tmp_path)
  acc.add_data_model("b", [4, 2], (8,), "s8")
  model = acc.data_model[0]
  assert (model.var_name, model.access_dim, model.unit_dim, model.var_type) == ("b", [4, 2], [8], "s8")
  acc.state.append(taidl.State("mode", 3))
  acc.state.append(taidl.Constant("other", 4))
  acc.add_initial_state("third")
  assert [(state.name, state.const_name, state.value) for state in acc.state] == [
      ("mode", "mode", 3), ("other", "other", 4), ("third", "third", 0)]
  i = acc.add_instruction("do it", ["n"], ["a", "c"], "2", ["@s.mode = 1"], ["@c.n < 3"])
  assert acc.instructions == [i] and i.instruction == "do_it"
  assert (i.comp_attr, i.parameters, i.cost, i.update) == (["n"], ["a", "c"], "2", ["@s.mode = 1"])
  i.set_inputs([["b", ["@a.a", 0], [1, "2"]]])
  i.set_outputs([("b", ("@a.c", "0"), (1, 2))])
  assert i.instr_inputs == [["b", ["@a.a", 0], [1, "2"]]] and i.instr_outputs == [["b", ["@a.c", "0"], [1, 2]]]
  text = "ENTRY { ROOT %Out0 = s8[1,2,8] copy(%In1) }"
  i.add_semantics(text)
  assert i.instr_semantics_str == text
  assert "y = copy" in " ".join(i.instr_semantics_ast) or "copy" in i.instr_semantics_ast[-1]
  i.add_constraints("@a.a < 4\n\n @a.c < 4 \n")
  i.add_constraints(["@c.n > 0"])
  assert i.constraints == ["@c.n < 3", "@a.a < 4", "@a.c < 4", "@c.n > 0"]
  i.add_update(["@s.mode += 1"])
  i.set_inplace([False])
  i.set_apart([True])
  i.set_no_partial_overlap([False])
  printed = acc.to_taidl()
  for part in ("n < 3", "a < 4", "c < 4", "n > 0", "mode = 1", "mode += 1", "apart", "state mode", "cost 2"):
    assert part in printed
  assert taidl.same(acc, taidl.read_taidl(printed))


def test_base_dir_is_the_folder_of_the_calling_file(tmp_path):
  from act_testing import load_module
  (tmp_path / "spec.py").write_text("from taidl import Accelerator\nacc = Accelerator('A')\n")
  assert load_module(tmp_path / "spec.py").acc.base_dir == str(tmp_path)
  scope = {"__name__": "typed"}
  exec("from taidl import Accelerator\nacc = Accelerator('A')", scope)
  import os
  assert scope["acc"].base_dir == os.getcwd()


def test_extensions_reach_the_text():
  acc = taidl.Accelerator("A")
  acc.add_data_model("w", [], [4, 4], "s8")
  i = acc.add_instruction("fill", ["n", "step"], ["at"])
  i.set_inputs([["d0", ["@a.at"], ["@c.n", 16], ["@c.step", 1]]])
  i.set_outputs([["w", [], []]])
  i.set_unit("dma")
  i.set_mnemonic("dma.fill")
  i.set_numerics("approx")
  text = acc.to_taidl()
  assert "dma" in text and "dma.fill" in text and "approx" in text
  assert taidl.same(acc, taidl.read_taidl(text))


def test_check_says_what_act_check_says():
  acc = taidl.Accelerator("A")
  acc.add_data_model("b", [4], [4], "f32")
  found = acc.check()
  assert found and all(finding.is_warning for finding in found)
  assert {"isa-no-instructions"} == {finding.code for finding in found}
