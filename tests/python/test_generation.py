"""generate_oracle and generate_backend: what is written, and what is refused."""
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import act_testing as t
from act import taidl
from act.generators import generate_backend, generate_oracle


def tree(folder):
  return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def make(tmp_path, semantics="ENTRY { ROOT %Out0 = s32[@c.n,4] copy(%In1) }", **keywords):
  acc = taidl.Accelerator("A", tmp_path)
  acc.add_initial_state("s")
  acc.add_data_model("b", [8], [4], "s32")
  i = acc.add_instruction("op", ["n"], ["src", "to"], **keywords)
  i.set_inputs([["b", ["@a.src"], ["@c.n"]]])
  i.set_outputs([["b", ["@a.to"], ["@c.n"]]])
  i.add_semantics(semantics)
  return acc


def test_oracle_files_are_the_same_each_time(tmp_path):
  generate_oracle(make(tmp_path))
  first = tree(tmp_path)
  assert set(first) == {f"targets/A/oracle/{name}" for name in ("__init__.py", "api.py", "decorator.py", "spec.taidl")}
  generate_oracle(make(tmp_path))
  assert tree(tmp_path) == first
  generate_oracle(make(tmp_path), tmp_path / "elsewhere")
  assert {name: text for name, text in tree(tmp_path / "elsewhere").items()} == first
  make(tmp_path).generate_oracle(tmp_path / "method")
  assert tree(tmp_path / "method") == first


# pitfall 14, 163, 172
@pytest.mark.parametrize("semantics, error, message", [
    ("ENTRY { ROOT %Out0 = s32[@c.n,4] select_eq_var(%In1, %In1, %In1) }", NotImplementedError, "'op'.*select_eq_var"),
    ("ENTRY { %x = s32[5,4] parameter(0)\n ROOT %Out0 = s32[5,4] copy(%x) }", ValueError, "op"),
    ("ENTRY { ROOT %Out0 = f32[@c.n,4] convert(%In1) }", ValueError, "op"),
    ("ENTRY { ROOT %Out0 = s32[@c.n,3] copy(%In1) }", ValueError, "op"),
])
def test_a_refused_spec_writes_no_oracle(tmp_path, semantics, error, message):
  generate_oracle(make(tmp_path))
  before = tree(tmp_path)
  acc = make(tmp_path)
  try:
    acc.instructions[0].add_semantics(semantics)
    if "s32[5,4]" in semantics:
      acc.instructions[0].set_inputs([["b", ["@a.src"], ["4"]]])
  except ValueError:
    # Refused at the call is as good: the spec never gets this far.
    assert error is ValueError
    return
  with pytest.raises(error, match=message):
    generate_oracle(acc)
  assert tree(tmp_path) == before


def test_semantics_without_regions_is_refused(tmp_path):
  acc = taidl.Accelerator("A", tmp_path)
  acc.add_instruction("op", [], []).add_semantics("ENTRY { ROOT %Out0 = s32[4] copy(%In1) }")
  with pytest.raises(ValueError, match="'op' has semantics and no"):
    generate_oracle(acc)
  assert not tree(tmp_path)


def test_an_oracle_finds_act_by_its_recorded_path(tmp_path):
  generate_oracle(make(tmp_path))
  script = "import oracle; print(oracle.api.op.__name__, oracle.decorator.kernel.__name__)"
  environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
  def run():
    return subprocess.run([sys.executable, "-c", script], cwd=tmp_path / "targets" / "A", env=environment, text=True,
                          capture_output=True, check=False)
  done = run()
  assert done.stdout == "op kernel\n", done.stderr
  package = tmp_path / "targets" / "A" / "oracle" / "__init__.py"
  package.write_text(package.read_text().replace(repr(str(t.ROOT / "python")), repr("/nowhere")))
  shutil.rmtree(package.parent / "__pycache__", ignore_errors=True)
  done = run()
  if "op kernel" not in done.stdout:  # act may be installed in this Python
    assert "needs the package act, which cannot be imported and is no longer in /nowhere" in done.stderr


def test_the_library_is_looked_for_in_order():
  def run(**variables):
    return subprocess.run([sys.executable, "-c", "import act._library as c; print(c.LIBRARY_PATH)"], text=True,
                          capture_output=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(t.ROOT / "python"), **variables})
  from act import _library
  assert run().stdout.strip() == _library.LIBRARY_PATH
  assert run(ACT_LIBRARY=_library.LIBRARY_PATH).stdout.strip() == _library.LIBRARY_PATH
  missing = run(ACT_LIBRARY="/nowhere/libact.so").stderr
  assert "libact.so is not found" in missing and "/nowhere/libact.so (named by ACT_LIBRARY): no such file" in missing
  assert "cannot be loaded as libact.so" in run(ACT_LIBRARY=__file__).stderr


@pytest.fixture
def qkv(tmp_path):
  t.need_program()
  acc = t.load_accelerator("QKV")
  acc.base_dir = str(tmp_path)
  return acc


# pitfall 34, 35, 36, 37, 42
def test_specs_that_stopped_earlier_backends(tmp_path):
  """An instruction with maximum, one without inputs, f16 and f32, many inputs, one without semantics."""
  t.need_program()
  acc = taidl.Accelerator("A", tmp_path)
  acc.add_data_model("b", [8], [4], "f16")
  acc.add_data_model("c", [64], [4], "f32")

  def add(name, inputs, output, semantics):
    i = acc.add_instruction(name, [], [f"in{k}" for k in range(len(inputs))] + ["out"])
    i.set_inputs([[buffer, [f"@a.in{k}"], [1]] for k, buffer in enumerate(inputs)])
    i.set_outputs([[output, ["@a.out"], [1]]])
    i.add_semantics("ENTRY {\n" + semantics + "\n}")
  add("load", [], "c", "%z = f32[] constant(1.5)\nROOT %Out0 = f32[1,4] broadcast(%z), dimensions={}")
  add("largest", ["b", "b"], "b", "ROOT %Out0 = f16[1,4] maximum(%In1, %In2)")
  add("widen", ["b"], "c", "ROOT %Out0 = f32[1,4] convert(%In1)")
  lines = "\n".join(f"%s{k} = f32[1,4] add({'%In1' if k == 2 else f'%s{k - 1}'}, %In{k})" for k in range(2, 30))
  add("sum", ["c"] * 29, "c", lines + "\nROOT %Out0 = f32[1,4] add(%s29, %s29)")
  acc.add_instruction("wait", ["n"], [])
  generate_oracle(acc)
  generate_backend(acc)
  assert (tmp_path / "backends" / "A").exists()


def test_backend_files(qkv, tmp_path):
  generate_backend(qkv)
  assert set(tree(tmp_path)) == {"backends/QKV", "targets/QKV/backend/QKV.taidl", "targets/QKV/backend/derived.txt"}
  assert os.access(tmp_path / "backends" / "QKV", os.X_OK)
  text = (tmp_path / "targets" / "QKV" / "backend" / "QKV.taidl").read_text()
  assert taidl.same(qkv, taidl.read_taidl(text))
  first = tree(tmp_path)
  qkv.generate_backend()
  assert tree(tmp_path) == first


def test_a_backend_from_python_is_the_one_of_act_generate(qkv, tmp_path):
  generate_backend(qkv)
  subprocess.run([t.program("act"), "generate", tmp_path / "targets" / "QKV" / "backend" / "QKV.taidl", "--base-dir",
                  tmp_path / "other"], check=True, stdout=subprocess.DEVNULL)
  assert (tmp_path / "other" / "backends" / "QKV").read_bytes() == (tmp_path / "backends" / "QKV").read_bytes()


# pitfall 40, 41
@pytest.mark.parametrize("spoil, arguments, error, message", [
    (lambda acc, folder: acc.instructions[4].add_constraints(["@s.x == 0"]), {}, ValueError, "mov"),
    (lambda acc, folder: None, {"cost": "no.o"}, ValueError, "no.o"),
    (lambda acc, folder: (folder / "model.txt").write_text(""), {"cost": "model.txt"}, ValueError, "model.txt"),
    (lambda acc, folder: (folder / "model.o").write_text("no object"), {"cost": "model.o"}, RuntimeError, "model.o"),
    (lambda acc, folder: None, {"cost": ""}, ValueError, "empty"),
    (lambda acc, folder: None, {"cost": 3}, TypeError, "int"),
])
def test_after_a_failure_no_backend_remains(qkv, tmp_path, monkeypatch, spoil, arguments, error, message):
  monkeypatch.chdir(tmp_path)
  generate_backend(qkv)
  generate_oracle(qkv)
  qkv.add_initial_state("x")
  spoil(qkv, tmp_path)
  with pytest.raises(error, match=message):
    generate_backend(qkv, **arguments)
  assert not (tmp_path / "backends" / "QKV").exists()
  assert not (tmp_path / "targets" / "QKV" / "backend").exists()
  assert (tmp_path / "targets" / "QKV" / "oracle" / "api.py").exists()


def test_several_outputs_are_refused(tmp_path):
  t.need_program()
  acc = taidl.Accelerator("A", tmp_path)
  acc.add_data_model("b", [8], [4], "s32")
  i = acc.add_instruction("both", [], ["x", "y", "z"])
  i.set_inputs([["b", ["@a.x"], [1]]])
  i.set_outputs([["b", ["@a.y"], [1]], ["b", ["@a.z"], [1]]])
  i.add_semantics("ENTRY { %Out0 = s32[1,4] copy(%In1)\n %Out1 = s32[1,4] add(%In1, %In1) }")
  generate_oracle(acc)
  with pytest.raises(ValueError, match="'both'"):
    generate_backend(acc)
  assert not (tmp_path / "backends").exists() or not list((tmp_path / "backends").iterdir())


def test_without_the_engine_no_backend_remains(qkv, tmp_path, monkeypatch):
  generate_backend(qkv)
  monkeypatch.setenv("ACT_ENGINE", "/nowhere/act")
  with pytest.raises(RuntimeError, match="ACT_ENGINE.*/nowhere/act"):
    generate_backend(qkv)
  assert not (tmp_path / "backends" / "QKV").exists()


def test_cost_model_from_an_object_file(qkv, tmp_path, monkeypatch):
  if shutil.which("cc") is None:
    pytest.skip("cc is not installed")
  monkeypatch.chdir(tmp_path)
  (tmp_path / "model.c").write_text("int act_cost(const char *path, double *cost) { (void)path; *cost = 7; return 0; }\n")
  subprocess.run(["cc", "-c", "-fPIC", "model.c", "-o", "model.o"], check=True)
  generate_backend(qkv, cost="model.o")
  os.remove("model.o")
  done = subprocess.run(["backends/QKV", "--input", t.ROOT / "accelerators/qkv/kernels/matmul.hlo", "--output", "m.py"],
                        capture_output=True, text=True, check=False)
  assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
  (tmp_path / "model.c").write_text("int other(void) { return 0; }\n")
  subprocess.run(["cc", "-c", "-fPIC", "model.c", "-o", "model.o"], check=True)
  with pytest.raises(RuntimeError, match="act_cost"):
    generate_backend(qkv, cost="model.o")


def test_names_like_ours_in_the_spec(tmp_path):
  acc = make(tmp_path)
  i = acc.add_instruction("_machine", ["_machine_"], ["api"])
  i.set_inputs([["b", ["@a.api"], ["@c._machine_"]]])
  i.set_outputs([["b", ["@a.api"], ["@c._machine_"]]])
  i.add_semantics("ENTRY { ROOT %Out0 = s32[@c._machine_,4] add(%In1, %In1) }")
  oracle = t.make_oracle(acc, tmp_path)
  tensor = {"addr": 0, "shape": (1,), "dtype": np.int32}

  @oracle.decorator.kernel(hbm=4, input=[tensor], output=[tensor])
  def k():
    oracle.api._machine(_machine_=2, api=1)
  assert t.run(k, np.array([7], np.int32))[0].tolist() == [7]
