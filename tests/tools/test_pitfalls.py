"""tools/pitfalls.py finds the test that a mark belongs to."""

import pytest

import pitfalls

# The word is put together here, so that the texts below are no marks of this file.
P = "pit" + "fall"

CASES = [
    ("above a test", "a_test.cc", f"// {P} 5\nTEST(Suite, Name) {{\n}}\n", {5: ["Suite.Name"]}, None),
    ("several numbers and ranges", "a_test.cc", f"// {P} 5, 7-9\nTEST(A, B) {{\n}}\n",
     {5: ["A.B"], 7: ["A.B"], 8: ["A.B"], 9: ["A.B"]}, None),
    ("in the body", "a_test.cc", f"TEST(A, B) {{\n  // {P} 5\n}}\nTEST(C, D) {{\n}}\n", {5: ["A.B"]}, None),
    ("after the body", "a_test.cc", f"TEST(A, B) {{\n}}\n// {P} 5\nTEST(C, D) {{\n}}\n", {5: ["C.D"]}, None),
    ("on a row of a table", "a_test.cc", f"const int kRows[] = {{\n  1,  // {P} 5\n}};\nTEST_P(A, B) {{\n}}\n",
     {5: ["A.B"]}, None),
    ("name on the next line", "a_test.cc", f"// {P} 5\nTEST(\n    Suite, Name) {{\n}}\n", {5: ["Suite.Name"]}, None),
    ("a reason after a colon", "a_test.cc", f"// {P} 5: wraps\nTEST(A, B) {{\n}}\n", {5: ["A.B"]}, None),
    ("Python, above", "test_a.py", f"# {P} 5\ndef test_x():\n  pass\n", {5: ["test_x"]}, None),
    ("Python, decorator's table", "test_a.py",
     f"@mark(\n  1,  # {P} 5\n)\ndef test_x():\n  pass\n\n\ndef test_y():\n  pass\n", {5: ["test_x"]}, None),
    ("two tests", "a_test.cc", f"// {P} 5\nTEST(A, B) {{\n}}\n// {P} 5\nTEST(C, D) {{\n}}\n", {5: ["A.B", "C.D"]}, None),
    ("beyond the list", "a_test.cc", f"// {P} 215\nTEST(A, B) {{\n}}\n", {}, "there is no pitfall 215"),
    ("no test follows", "a_test.cc", f"// {P} 5\n", {}, "no test follows"),
    ("words after the number", "a_test.cc", f"// {P} 5 wraps\nTEST(A, B) {{\n}}\n", {}, "is not understood"),
]


@pytest.mark.parametrize("name,file,text,expected,fault", CASES, ids=[case[0] for case in CASES])
def test_marks(tmp_path, monkeypatch, name, file, text, expected, fault):
  (tmp_path / "tests").mkdir()
  (tmp_path / "accelerators").mkdir()
  (tmp_path / "tests" / file).write_text(text)
  monkeypatch.setattr(pitfalls, "ROOT", tmp_path)
  faults = []
  marks = pitfalls.read_marks(faults)
  assert {number: [test for test, _ in rows] for number, rows in marks.items()} == expected
  assert (len(faults) == 1 and fault in faults[0]) if fault else not faults


def test_marks_count_only_in_files_that_are_built(tmp_path, monkeypatch):
  (tmp_path / "tests").mkdir()
  (tmp_path / "tests" / "a_test.cc").write_text(f"// {P} 5\nTEST(A, B) {{\n}}\n")
  (tmp_path / "tests" / "CMakeLists.txt").write_text("act_test(x SOURCES other_a_test.cc DEPENDS support)\n")
  monkeypatch.setattr(pitfalls, "ROOT", tmp_path)
  faults = []
  assert pitfalls.read_marks(faults) == {}
  assert len(faults) == 1 and "no program of tests/CMakeLists.txt is built from this file" in faults[0]


def test_a_required_pitfall_without_a_test_is_a_fault(tmp_path, monkeypatch, capsys):
  for name in ("tools", "docs", "tests"):
    (tmp_path / name).mkdir()
  for name in ("pitfall_titles.txt", "pitfall_owners.txt"):
    (tmp_path / "tools" / name).write_text((pitfalls.ROOT / "tools" / name).read_text())
  (tmp_path / "tests" / "a_test.cc").write_text(f"// {P} 1-4, 6-214\nTEST(A, B) {{\n}}\n")
  monkeypatch.setattr(pitfalls, "ROOT", tmp_path)
  monkeypatch.setattr(pitfalls, "PAGE", tmp_path / "docs" / "pitfalls.md")
  monkeypatch.setattr(pitfalls.sys, "argv", ["pitfalls.py"])
  assert pitfalls.main() == 1
  assert "5: no test has this mark" in capsys.readouterr().out
  (tmp_path / "tests" / "a_test.cc").write_text(f"// {P} 1-214\nTEST(A, B) {{\n}}\n")
  assert pitfalls.main() == 0
