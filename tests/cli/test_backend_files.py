"""What a generated backend reads and writes: outputs, logs, relocation, determinism, limits."""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from tests.cli.conftest import ROOT, module, run


# pitfall 129
def test_kernel_without_program_ends_at_once(backend, work):
  start = time.monotonic()
  done = run([backend, "--input", "m.hlo", "--output", "x.py"])
  assert time.monotonic() - start < 5
  assert (done.status, done.out) == (1, "")
  assert done.err == ("Error: no assembly found: m.hlo:6:8: operation 'maximum' (m, bf16[64,64]) has no "
                      "implementation on QKV: no instruction computes 'maximum'\n")
  assert not (work / "x.py").exists()


# pitfall 135
@pytest.mark.parametrize("kernel", ["m.hlo", "gone.hlo", "bad.hlo"])
def test_failed_compile_leaves_the_output_alone(backend, work, kernel):
  (work / "bad.hlo").write_text("HloModule m\n")
  (work / "x.py").write_text("precious\n")
  os.utime("x.py", (1000, 1000))
  assert run([backend, "--input", kernel, "--output", "x.py"]).status == 1
  assert (work / "x.py").read_text() == "precious\n" and (work / "x.py").stat().st_mtime == 1000


# pitfall 136
def test_output_is_replaced_in_one_step(backend, work):
  """A reader sees the old file or the new one: the file is another one, and nothing else is left behind."""
  (work / "x.py").write_text("old\n")
  with open("x.py", encoding="utf-8") as old:
    before = os.fstat(old.fileno()).st_ino
    assert run([backend, "--input", "a.hlo", "--output", "x.py"]).status == 0
    assert old.read() == "old\n"
  assert (work / "x.py").stat().st_ino != before
  assert sorted(p.name for p in work.iterdir()) == ["a.hlo", "c.hlo", "m.hlo", "x.py"]


# pitfall 136
def test_ended_compile_leaves_no_part(backend, work):
  for _ in range(20):
    done = run([backend, "--input", "a.hlo", "--output", "x.py", "--max-seconds", "0.003"])
    if done.status == 0:
      assert (work / "x.py").read_text().endswith("return attention_\n")
      (work / "x.py").unlink()
    else:
      assert done.err.startswith("Error: no assembly found: --max-seconds 0.003 reached in "), done
      assert sorted(p.name for p in work.iterdir()) == ["a.hlo", "c.hlo", "m.hlo"]


# pitfall 133
def test_log_removes_nothing(backend, work):
  before = sorted(p.name for p in work.iterdir())
  assert run([backend, "--input", "a.hlo", "--output", "x.py", "--log", "."]).status == 0
  assert run([backend, "--input", "m.hlo", "--output", "x.py", "--log", "."]).status == 1
  assert sorted(p.name for p in work.iterdir()) == sorted([*before, "run-1", "run-2", "x.py"])
  assert sorted(p.name for p in (work / "run-1").iterdir()) == ["a.hlo", "candidate_1.asm", "candidate_1.py",
                                                                "notes.txt"]
  assert (work / "run-1" / "candidate_1.py").read_bytes() == (work / "x.py").read_bytes()
  assert "no instruction computes 'maximum'" in (work / "run-2" / "notes.txt").read_text()


# pitfall 134
def test_compiles_at_once_have_their_own_logs(backend, work):
  def compile_one(k):
    return run([backend, "--input", "a.hlo", "--output", f"x{k}.py", "--log", "deep/log"])
  with concurrent.futures.ThreadPoolExecutor(6) as pool:
    outcomes = list(pool.map(compile_one, range(6)))
  assert all(done.status == 0 and done.err == "" for done in outcomes), outcomes
  assert sorted(p.name for p in (work / "deep" / "log").iterdir()) == [f"run-{k}" for k in range(1, 7)]
  assert len({(work / f"x{k}.py").read_bytes() for k in range(6)}) == 1


def test_log_folder_that_cannot_be_made(backend, work):
  done = run([backend, "--input", "a.hlo", "--output", "x.py", "--log", "a.hlo/log"])
  assert done.status == 1 and done.err.startswith("Error: cannot make log folder 'a.hlo/log'"), done
  assert not (work / "x.py").exists()


# pitfall 137
def test_limit_reached_with_a_candidate_in_hand(backend, work):
  """One search node for extraction: the cheapest tree is emitted all the same."""
  done = run([backend, "--input", "a.hlo", "--output", "x.py", "--effort", "0", "--stats=json"])
  assert done.status == 0 and not json.loads(done.err)["proved"]
  assert (work / "x.py").read_text().count("api.") == 9


# pitfall 139
def test_time_limit_holds_inside_a_long_search(backend, work):
  lines = ["  x0 = bf16[64,64] parameter(0)", "  w = bf16[64,64] parameter(1)"]
  lines += [f"  x{i + 1} = bf16[64,64] dot(x{i}, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}"
            for i in range(2000)]
  lines[-1] = "  ROOT" + lines[-1][1:]
  (work / "big.hlo").write_text(module("\n".join(lines)))
  start = time.monotonic()
  done = run([backend, "--input", "big.hlo", "--output", "x.py", "--effort", "3", "--max-seconds", "0.2"])
  assert time.monotonic() - start < 10
  assert done.status == 1 and done.out == ""
  assert done.err.startswith("Error: no assembly found: --max-seconds 0.2 reached in "), done
  assert not (work / "x.py").exists()


# pitfall 140
def test_backend_alone_in_another_place(backend, work, tmp_path_factory):
  """Copied elsewhere, without environment: it compiles, and opens nothing of the source or build tree."""
  elsewhere = tmp_path_factory.mktemp("elsewhere")
  copy = elsewhere / "renamed"
  shutil.copy(backend, copy)
  shutil.copy("a.hlo", elsewhere)
  command = ["env", "-i", "PATH=/none", str(copy), "--input", "a.hlo", "--output", "a.py"]
  strace = shutil.which("strace")
  done = run(command, cwd=elsewhere)
  assert done.status == 0, done
  if strace is None:
    pytest.skip("strace is not installed: what the backend opens was not looked at")
  trace = elsewhere / "trace"
  done = run([strace, "-f", "-o", trace, "-e", "trace=%file", *command], cwd=elsewhere)
  if not trace.exists() or "execve" not in trace.read_text():
    pytest.skip("strace may not trace here")
  assert done.status == 0, done
  text = trace.read_text()
  assert str(ROOT) not in text and str(backend.parent) not in text, text


def test_backend_needs_only_the_c_library(backend):
  done = run(["ldd", backend])
  names = {line.split()[0].split("/")[-1].split(".so")[0] for line in done.out.splitlines()}
  assert names <= {"linux-vdso", "libc", "libm", "libdl", "libpthread", "ld-linux-x86-64", "libgcc_s"}, done.out


# pitfall 128, 138
def test_twenty_runs_give_the_same_bytes(backend, work, tmp_path_factory):
  """Under load, with and without address randomisation, with freed memory poisoned, from another directory."""
  def compile_one(command, folder, kernel, environment=None):
    done = run([*command, backend, "--input", kernel, "--output", folder / "x.py", "--certificate",
                folder / "x.cert"], cwd=folder, env={**os.environ, **(environment or {})})
    assert done.status == 0, done
    return (folder / "x.py").read_bytes(), (folder / "x.cert").read_bytes()

  folders = [tmp_path_factory.mktemp("run") for _ in range(20)]
  fixed = ["setarch", "-R"] if run(["setarch", "-R", "true"]).status == 0 else []
  results = []
  for k in range(10):
    environment = {"MALLOC_PERTURB_": str(17 * k + 1)} if k % 2 else None
    results.append(compile_one(fixed if k % 3 == 0 else [], folders[k], work / "a.hlo", environment))
  spin = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
  try:
    for k in range(10, 20):
      results.append(compile_one([], folders[k], os.path.relpath(work / "a.hlo", folders[k])))
  finally:
    for process in spin:
      process.kill()
      process.wait()
  assert len(set(results)) == 1
