"""The command line of a generated backend: what it accepts, and the whole text of every refusal."""
import os
import pathlib
import pty
import subprocess

import pytest

from tests.cli.conftest import ATTENTION, run

SPELLED = ["--input", "a.hlo", "--output", "x.py"]

FAULTS = [
    # pitfall 130
    ([], "option --input FILE.hlo is missing; QKV --help shows the usage"),
    (["--input", "a.hlo"], "option --output FILE is missing; QKV --help shows the usage"),
    (["--output", "x.py"], "option --input FILE.hlo is missing; QKV --help shows the usage"),
    (["--inptu", "a.hlo", "--output", "x.py"], "unknown option '--inptu'; did you mean --input?"),
    # pitfall 131
    (["--input", "--output", "x.py"],
     "option --input needs a value: --input FILE.hlo, but '--output' follows, which is an option (a value like that "
     "is written --input=--output)"),
    (["--input", "a.hlo", "--output"], "option --output needs a value: --output FILE"),
    (["--input", "a.hlo", "--output="], "option --output needs a value: --output FILE"),
    (["--input=", "--output", "x.py"], "option --input needs a value: --input FILE.hlo"),
    # pitfall 132
    (SPELLED + ["--speed", "9"], "unknown option '--speed'; did you mean --seed?"),
    (SPELLED + ["--frobnicate"], "unknown option '--frobnicate'; QKV --help lists them"),
    (SPELLED + ["-v"], "unknown option '-v'; QKV --help lists them"),
    (SPELLED + ["--input", "a.hlo"], "option --input is given twice"),
    (SPELLED + ["--verbose", "--verbose"], "option --verbose is given twice"),
    (SPELLED + ["extra"], "unexpected argument 'extra'; QKV --help shows the usage"),
    (SPELLED + [""], "an argument is empty"),
    (SPELLED + ["--verbose=3"], "option --verbose takes no value, found '--verbose=3'"),
    (SPELLED + ["--effort", "4"], "option --effort takes an integer from 0 to 3, not '4'"),
    (SPELLED + ["--effort", "1x"], "option --effort takes an integer from 0 to 3, not '1x'"),
    (SPELLED + ["--effort", "-1"], "option --effort takes an integer from 0 to 3, not '-1'"),
    (SPELLED + ["--seed", "1.5"], "option --seed takes an integer from 0 to 18446744073709551615, not '1.5'"),
    (SPELLED + ["--seed", "18446744073709551616"],
     "option --seed takes an integer from 0 to 18446744073709551615, not '18446744073709551616'"),
    (SPELLED + ["--numerics", "fast"], "option --numerics is strict, default or relaxed, not 'fast'"),
    (SPELLED + ["--solver", "z3"], "option --solver is search or cpsat, not 'z3'"),
    (SPELLED + ["--stats=xml"], "option --stats is json, not 'xml'"),
    (SPELLED + ["--max-seconds", "0"], "option --max-seconds takes a number above 0, not '0'"),
    (SPELLED + ["--max-seconds", "nan"], "option --max-seconds takes a number above 0, not 'nan'"),
    (SPELLED + ["--verify", "--no-verify"], "options --verify and --no-verify exclude each other"),
    (["--input", "a.txt", "--output", "x.py"], "the kernel file 'a.txt' must have the suffix .hlo"),
    (["--input", "a.hlo", "--output", "x.c"],
     "the output file 'x.c' must have the suffix .py (Python kernel) or .asm (native assembly)"),
    (["--input", "a.hlo", "--output", "x"],
     "the output file 'x' must have the suffix .py (Python kernel) or .asm (native assembly)"),
    (["--input", "gone.hlo", "--output", "x.py"], "cannot read 'gone.hlo': No such file or directory"),
    (["--input", "a.hlo", "--output", "no/x.py"],
     "cannot write output 'no/x.py': folder 'no': No such file or directory"),
    (["--input", "a.hlo", "--output", "folder.py"], "output 'folder.py' is a directory"),
    (["--input", "folder.hlo", "--output", "x.py"], "cannot read 'folder.hlo': Is a directory"),
    (["--input", "a.hlo", "--output", "pipe.py"], "output 'pipe.py' is not a regular file"),
    (SPELLED + ["--certificate", "x.py"], "options --output and --certificate name the same file 'x.py'"),
]


@pytest.mark.parametrize("words, why", FAULTS)
# pitfall 130, 131, 132
def test_fault_of_the_command_line(backend, work, words, why):
  (work / "folder.py").mkdir()
  (work / "folder.hlo").mkdir()
  os.mkfifo(work / "pipe.py")
  (work / "a.txt").write_text(ATTENTION)
  before = sorted(work.iterdir())
  done = run([backend, *words])
  assert (done.status, done.out, done.err) == (1, "", f"Error: {why}\n")
  assert sorted(work.iterdir()) == before


def test_absent_solver_ends_the_compile(backend, work):
  done = run([backend, *SPELLED, "--solver", "cpsat"])
  assert done.err == ("Error: no assembly found: --solver cpsat was asked for, and this program was built without "
                      "CP-SAT; use --solver search\n")
  assert done.status == 1 and not (work / "x.py").exists()


# pitfall 141
@pytest.mark.parametrize("output", ["x.py", "x.asm"])
def test_silent_on_success(backend, work, output):
  done = run([backend, "--input", "a.hlo", "--output", output])
  assert (done.status, done.out, done.err) == (0, "", "")
  assert (work / output).stat().st_size > 0


# pitfall 141
def test_verbose_speaks_on_stdout_only(backend, work):
  done = run([backend, *SPELLED, "--verbose"])
  assert done.status == 0 and done.err == ""
  assert done.out.startswith("reading\nselection\n") and done.out.endswith("written: x.py\n")
  assert "instructions: 9, cost 9, HBM 32768 bytes" in done.out


def test_stats_go_to_stderr(backend, work):
  import json
  done = run([backend, *SPELLED, "--stats=json"])
  assert done.out == ""
  stats = json.loads(done.err)
  assert stats["instructions"] == 9 and [s["name"] for s in stats["stages"]][0] == "reading"
  done = run([backend, *SPELLED, "--stats"])
  assert done.out == "" and "instructions        9\n" in done.err


def test_help_and_version(backend, work):
  for words in (["--help"], ["-h"], ["--input", "a.hlo", "--help"]):
    done = run([backend, *words])
    assert done.status == 0 and done.err == "" and done.out.startswith("Usage: QKV --input FILE.hlo --output FILE")
    for number in ("20000", "200000000", "2000000"):  # of --effort
      assert number in done.out
  done = run([backend, "--version"])
  assert done.status == 0 and done.out.startswith("QKV backend, act ")


def test_every_option_of_the_help_is_accepted(backend, work):
  done = run([backend, "--help"])
  lines = done.out.split("Options:\n")[1].split("\n\n")[0].splitlines()
  options = [line.split()[0] for line in lines if line.startswith("  --")]
  values = {"--effort": "1", "--numerics": "default", "--seed": "7", "--max-seconds": "60", "--solver": "search",
            "--certificate": "x.cert", "--log": "log"}
  assert len(options) == 16
  for option in options:
    name = option.split("[")[0]
    if name in ("--input", "--output", "--help", "--version"):
      continue
    done = run([backend, *SPELLED, name] + ([values[name]] if name in values else []))
    assert done.status == 0, (name, done)


# pitfall 146
def test_status_is_0_or_1_whatever_the_input(backend, work):
  texts = [b"", b"\0" * 1000, b"HloModule", b"HloModule m\nENTRY e {\n", bytes(range(256)) * 8,
           b"HloModule m\nENTRY e {\n  ROOT x = f32[" + b"9" * 300 + b"] parameter(0)\n}\n",
           b"HloModule m\nENTRY e {\n  ROOT x = " + b"(" * 100000 + b"\n}\n",
           b"HloModule m\nENTRY e {\n  ROOT x = bf16[1000000,1000000,1000000] parameter(0)\n}\n",
           b"HloModule m\nENTRY e {\n  x = bf16[64,64] parameter(0)\n  ROOT y = bf16[64,64] frobnicate(x)\n}\n",
           b"HloModule m\nENTRY e {\n  x = bf16[64,64] parameter(0)\n  ROOT y = bf16[64,64] negate(x, x)\n}\n",
           ATTENTION.encode().replace(b"{1}", b"{7}"), ATTENTION.encode().replace(b"add\n", b"gone\n")]
  for text in texts:
    (work / "t.hlo").write_bytes(text)
    done = run([backend, "--input", "t.hlo", "--output", "x.py"])
    assert done.status == 1 and done.out == ""
    assert done.err.startswith("Error: no assembly found: t.hlo:") and done.err.count("\n") == 1, done
    assert not (work / "x.py").exists()


# pitfall 146
def test_closed_and_full_outputs_are_failures(backend, work):
  with open("/dev/full", "wb") as full:
    done = subprocess.run([backend, "--help"], stdout=full, stderr=subprocess.PIPE, check=False)
  assert (done.returncode, done.stderr) == (1, b"Error: cannot write to stdout: No space left on device\n")
  read, write = os.pipe()
  os.close(read)
  done = subprocess.run([backend, *SPELLED, "--verbose"], stdout=write, stderr=subprocess.PIPE, check=False)
  os.close(write)
  assert (done.returncode, done.stderr) == (1, b"Error: cannot write to stdout: Broken pipe\n")


# pitfall 146
def test_lack_of_memory_is_one_line(backend, work):
  command = f"ulimit -v 30000; exec {backend} --input a.hlo --output x.py"
  done = run(["bash", "-c", command])
  assert done.status in (0, 1)  # 0: it was enough
  assert done.err == "" if done.status == 0 else done.err.startswith("Error: ")


def test_progress_line_is_erased(backend, work):
  """On a terminal a compile under one second prints nothing at all."""
  leader, follower = pty.openpty()
  done = subprocess.run([backend, *SPELLED], stderr=follower, stdout=subprocess.PIPE, check=False)
  os.close(follower)
  os.set_blocking(leader, False)
  try:
    seen = os.read(leader, 10000)
  except OSError:  # nothing was written and the other end is closed
    seen = b""
  os.close(leader)
  assert done.returncode == 0 and (seen == b"" or seen.endswith(b"\r"))


def test_output_follows_a_symbolic_link(backend, work):
  (work / "real").mkdir()
  pathlib.Path("x.py").symlink_to("real/kernel.py")
  done = run([backend, *SPELLED])
  assert done.status == 0 and pathlib.Path("x.py").is_symlink() and (work / "real" / "kernel.py").exists()
