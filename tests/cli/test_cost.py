"""Cost models: the built-in one, and `act_cost` as object file, static and shared library."""
import json
import shutil
import subprocess

import pytest

from tests.cli.conftest import module, run

COMPILER = shutil.which("cc")
needs_cc = pytest.mark.skipif(COMPILER is None, reason="no C compiler cc on PATH")

# Counts the api. lines, as a published cost model would.
COUNTING = """
#include <stdio.h>
#include <string.h>
int act_cost(const char* path, double* cost) {
  FILE* f = fopen(path, "r");
  if (!f) return 7;
  char line[4096];
  int n = 0;
  while (fgets(line, sizeof line, f)) n += strstr(line, "api.") != 0;
  fclose(f);
  *cost = n;
  return 0;
}
"""


def constant_model(body):
  return "int act_cost(const char* path, double* cost) { (void)path; (void)cost; " + body + " }\n"


def build(folder, source, kind, language="c"):
  """The library as its author builds it; its path."""
  path = folder / ("model.c" if language == "c" else "model.cc")
  path.write_text(source)
  subprocess.run([COMPILER, "-c", "-fPIC", path, "-o", folder / "model.o"], check=True)
  if kind == "o":
    return folder / "model.o"
  if kind == "a":
    subprocess.run(["ar", "rcs", folder / "model.a", folder / "model.o"], check=True)
    return folder / "model.a"
  subprocess.run([COMPILER, "-shared", "-o", folder / "model.so", folder / "model.o"], check=True)
  return folder / "model.so"


def compile_with(act, spec, work, library, kernel="a.hlo"):
  done = run([act, "generate", spec, "--base-dir", work / "g", "--cost", library])
  assert done.status == 0, done
  return run([work / "g" / "backends" / "QKV", "--input", kernel, "--output", "x.py", "--stats=json"])


# pitfall 143
def test_default_cost_counts_instructions(backend, work):
  """Inputs that are not used and constants cost nothing."""
  (work / "k.hlo").write_text(module("""
  a = bf16[64,64] parameter(0)
  unused = bf16[64,64] parameter(1)
  h = bf16[] constant(0.125)
  b = bf16[64,64] broadcast(h), dimensions={}
  ROOT m = bf16[64,64] multiply(a, b)
"""))
  done = run([backend, "--input", "k.hlo", "--output", "x.py", "--stats=json"])
  assert done.status == 0, done
  stats = json.loads(done.err)
  assert stats["cost"] == stats["instructions"] == (work / "x.py").read_text().count("api.")


@needs_cc
@pytest.mark.parametrize("kind", ["o", "a", "so"])
def test_model_decides(act, spec, work, kind):
  done = compile_with(act, spec, work, build(work, COUNTING, kind))
  assert done.status == 0, done
  assert json.loads(done.err)["cost"] == 9
  if kind != "so":  # carried inside
    (work / f"model.{kind}").unlink()
    assert run([work / "g" / "backends" / "QKV", "--input", "a.hlo", "--output", "y.py"]).status == 0
  else:  # stays where it is
    (work / "model.so").unlink()
    done = run([work / "g" / "backends" / "QKV", "--input", "a.hlo", "--output", "y.py"])
    assert done.status == 1 and done.err.startswith("Error: no assembly found: cannot load the cost model "), done


# pitfall 142
@needs_cc
@pytest.mark.parametrize("body, why", [
    ("return 3;", "the cost model act_cost returned 3"),
    ("return -1;", "the cost model act_cost returned -1"),
])
def test_model_that_fails(act, spec, work, body, why):
  done = compile_with(act, spec, work, build(work, constant_model(body), "o"))
  assert (done.status, done.out) == (1, "") and f"Error: no assembly found: {why}\n" in done.err, done
  assert not (work / "x.py").exists()


# pitfall 142
@needs_cc
def test_model_that_throws(act, spec, work):
  source = 'extern "C" int act_cost(const char*, double*) { throw 5; }\n'
  done = compile_with(act, spec, work, build(work, source, "o", "c++"))
  assert done.status == 1, done
  assert "Error: no assembly found: the cost model act_cost threw an exception\n" in done.err


# pitfall 142, 146
@needs_cc
@pytest.mark.parametrize("body, why", [
    ("__builtin_trap(); return 0;", "Error: internal: abnormal end"),
    ("*(volatile int*)0 = 1; return 0;", "Error: internal: invalid memory access"),
    ("extern void exit(int); exit(0); return 0;", "Error: internal: the process was ended by code it loaded\n"),
])
def test_model_that_ends_the_process(act, spec, work, body, why):
  done = compile_with(act, spec, work, build(work, constant_model(body), "o"))
  assert done.status == 1 and done.err.startswith(why), done
  assert not (work / "x.py").exists()


# pitfall 144
@needs_cc
@pytest.mark.parametrize("value", ["0.0 / 0.0", "1e308 * 10", "-1e308 * 10", None])
def test_cost_that_is_no_number_is_an_error(act, spec, work, value):
  body = "return 0;" if value is None else f"volatile double v = {value}; *cost = v; return 0;"
  done = compile_with(act, spec, work, build(work, constant_model(body), "o"))
  assert done.status == 1, done
  assert "Error: no assembly found: the cost model act_cost left a cost that is not a finite number" in done.err


# pitfall 144
@needs_cc
def test_cost_beyond_32_bits(act, spec, work):
  done = compile_with(act, spec, work, build(work, constant_model("*cost = 1e12; return 0;"), "o"))
  assert done.status == 0 and json.loads(done.err)["cost"] == 1e12, done


# pitfall 145
@needs_cc
def test_equal_costs_take_the_first_candidate(act, spec, work):
  """Several candidates cost the same: the first of the search's order wins, every time."""
  library = build(work, constant_model("*cost = 1; return 0;"), "o")
  texts = set()
  for _ in range(3):
    done = compile_with(act, spec, work, library)
    assert done.status == 0 and json.loads(done.err)["candidates"] > 1, done
    texts.add((work / "x.py").read_text())
  assert len(texts) == 1 and "# Candidate: 1\n" in texts.pop()


# pitfall 40, 41
@needs_cc
@pytest.mark.parametrize("source, words", [
    ("int other(void) { return 0; }\n", "has no function act_cost"),
    ("int gone(void);\n" + constant_model("return gone();"), "does not link as a shared library"),
])
def test_library_that_is_no_model(act, spec, work, source, words):
  library = build(work, source, "o")
  (work / "g" / "backends").mkdir(parents=True)
  (work / "g" / "backends" / "QKV").write_text("an earlier generation")
  done = run([act, "generate", spec, "--base-dir", work / "g", "--cost", library])
  assert done.status == 1 and words in done.err, done
  assert not (work / "g" / "backends" / "QKV").exists()


@pytest.mark.parametrize("name, words", [("gone.o", "cannot be read"), ("model.txt", ".o, a static library .a or")])
def test_file_that_is_no_library(act, spec, work, name, words):
  (work / "model.txt").write_text("x")
  done = run([act, "generate", spec, "--base-dir", work / "g", "--cost", name])
  assert done.status == 1 and words in done.err, done
  assert not (work / "g").exists()
