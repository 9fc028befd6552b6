"""The commands of `act`: check, generate, compile, simulate, verify, validate, doc."""
import re
import struct

import pytest

from tests.cli.conftest import ROOT, run

BAD = """accelerator QKV

buffer d1 [128] of bf16[64]

instruction load(n; a, b)
  in  x = d9[a : +n*128]
  out y = d1[b : +n]
  y = copy(x)
"""
COMMANDS = ["check", "generate", "compile", "simulate", "verify", "validate", "doc"]


@pytest.fixture
def program(backend, work):
  """a.asm, a.py and their certificate a.cert."""
  for output in ("a.asm", "a.py"):
    done = run([backend, "--input", "a.hlo", "--output", output, "--certificate", "a.cert"])
    assert done.status == 0, done
  return work


# ---- help ----

def test_help_names_every_command(act):
  done = run([act, "--help"])
  assert done.status == 0 and done.err == ""
  assert re.findall(r"^  (\w+)", done.out, re.M) == COMMANDS
  assert run([act, "--version"]).out.startswith("act ")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(act, command):
  done = run([act, command, "--help"])
  assert done.status == 0 and done.err == "" and done.out.startswith(f"Usage: act {command} ")
  assert run([act, command, "--version"]).status == 0
  options = re.findall(r"^  (--[\w-]+)", done.out, re.M)
  assert "--help" in options
  wrong = run([act, command, "--frobnicate"])
  assert (wrong.status, wrong.out) == (1, "") and wrong.err.startswith("Error: unknown option '--frobnicate'")
  missing = run([act, command])
  assert missing.status == 1 and re.fullmatch(r"Error: (option|argument) .* is missing; .*\n", missing.err), missing


@pytest.mark.parametrize("words, why", [
    ([], "a command is missing; act --help lists them"),
    (["frobnicate"], "unknown command 'frobnicate'; act --help lists them"),
    (["--frobnicate"], "unknown command '--frobnicate'; act --help lists them"),
    (["--help", "x"], "unexpected argument 'x' after --help"),
    (["check", "gone.taidl"], "cannot read 'gone.taidl': No such file or directory"),
    (["check", "a", "b"], "unexpected argument 'b'; act check --help shows the usage"),
])
def test_faults_of_the_command_line(act, work, words, why):
  done = run([act, *words])
  assert (done.status, done.out, done.err) == (1, "", f"Error: {why}\n")


# ---- check ----

def test_check_of_a_good_spec(act, spec):
  done = run([act, "check", spec])
  assert (done.status, done.out, done.err) == (0, "QKV: 2 buffers, 7 instructions, no errors, 0 warnings\n", "")
  done = run([act, "check", spec, "--derived"])
  assert done.status == 0 and "load_rm: n is 1 to 128\n" in done.out and "mov: n is 1 to 64\n" in done.out


def test_check_shows_the_place(act, work):
  (work / "bad.taidl").write_text(BAD)
  done = run([act, "check", "bad.taidl"])
  assert (done.status, done.out) == (1, "")
  assert done.err == ("bad.taidl:6:11: error: instruction 'load': there is no buffer 'd9'; buffers are d0 d1 "
                      "[isa-unknown-buffer]\n"
                      "    in  x = d9[a : +n*128]\n"
                      "            ^\n"
                      "bad.taidl: 1 error, 0 warnings\n")


# ---- generate ----

def test_generate_writes_beside_the_spec(act, spec, work):
  (work / "sub").mkdir()
  (work / "sub" / "s.taidl").write_text(spec.read_text())
  done = run([act, "generate", "sub/s.taidl"])
  assert (done.status, done.out, done.err) == (0, "sub/backends/QKV\n", "")
  assert sorted(str(p.relative_to(work)) for p in (work / "sub").rglob("*") if p.is_file()) == [
      "sub/backends/QKV", "sub/s.taidl", "sub/targets/QKV/backend/QKV.taidl", "sub/targets/QKV/backend/derived.txt"]
  written = work / "sub" / "targets" / "QKV" / "backend" / "QKV.taidl"
  assert run([act, "check", written]).status == 0
  # Generated from what was written: the same files.
  assert run([act, "generate", written, "--base-dir", "again"]).status == 0
  assert (work / "again/targets/QKV/backend/QKV.taidl").read_bytes() == written.read_bytes()
  assert (work / "again/backends/QKV").read_bytes() == (work / "sub/backends/QKV").read_bytes()
  # The derived facts are what `act check --derived` prints.
  derived = (work / "sub/targets/QKV/backend/derived.txt").read_text()
  assert run([act, "check", "sub/s.taidl", "--derived"]).out.endswith("\n\n" + derived)


def test_generate_to_a_named_file(act, spec, work):
  done = run([act, "generate", spec, "--base-dir", "g", "--output", "bin/mine"])
  assert (done.status, done.out) == (0, "bin/mine\n")
  assert not (work / "g" / "backends").exists()
  assert run(["bin/mine", "--input", "a.hlo", "--output", "a.py"]).status == 0


# pitfall 41
@pytest.mark.parametrize("text", [BAD, BAD[:38], BAD.replace("copy(x)", "frobnicate(x)"), "accelerator QKV\nbuffer\n"])
def test_refused_spec_leaves_nothing(act, spec, work, text):
  (work / "s.taidl").write_text(spec.read_text())
  assert run([act, "generate", "s.taidl"]).status == 0
  (work / "s.taidl").write_text(text)
  done = run([act, "generate", "s.taidl"])
  assert (done.status, done.out) == (1, "") and "s.taidl:" in done.err, done
  assert done.err.splitlines()[-1].startswith("Error: no backend generated: ")
  assert not (work / "backends" / "QKV").exists() and not (work / "targets" / "QKV").exists()


STATE = """accelerator Foo
buffer d1 [128] of bf16[64]
state mode = 0
instruction ld(n; a, b)
  in  x = d0[a : +n*128]
  out y = d1[b : +n]
  where @s.mode == 0
  y = bitcast_convert(reshape(x, u8[n,64,2]), bf16[n,64])
"""
TWO = """accelerator Foo
buffer d1 [128] of bf16[64]
instruction ld(n; a, b, c)
  in  x = d0[a : +n*128]
  out y = d1[b : +n]
  out z = d1[c : +n]
  y = bitcast_convert(reshape(x, u8[n,64,2]), bf16[n,64])
  z = copy(y)
"""


@pytest.mark.parametrize("text, why", [
    (STATE, "s.taidl:4:1: error: instruction 'ld' reads or sets machine state, which the compiler does not use yet"),
    (TWO, "s.taidl:3:1: error: instruction 'ld' has 2 output regions; the compiler uses instructions with one"),
])
def test_generation_names_what_the_compiler_cannot_use(act, work, text, why):
  (work / "s.taidl").write_text(text)
  assert run([act, "check", "s.taidl"]).status == 0
  done = run([act, "generate", "s.taidl"])
  assert (done.status, done.out) == (1, "") and done.err.startswith(why), done
  assert not (work / "backends").exists() and not (work / "targets").exists()


def test_generate_where_nothing_can_be_written(act, spec, work):
  (work / "file").write_text("x")
  done = run([act, "generate", spec, "--base-dir", "file"])
  assert done.status == 1 and "cannot make folder 'file/targets/QKV/backend'" in done.err, done
  (work / "folder").mkdir()
  done = run([act, "generate", spec, "--base-dir", "g", "--output", "folder"])
  assert done.status == 1 and "cannot write 'folder'" in done.err, done
  assert not (work / "g" / "targets" / "QKV").exists()


def test_refused_spec_leaves_a_foreign_file_alone(act, work):
  (work / "s.taidl").write_text(BAD)
  (work / "letter.txt").write_text("dear")
  assert run([act, "generate", "s.taidl", "--output", "letter.txt"]).status == 1
  assert (work / "letter.txt").read_text() == "dear"


def test_damaged_backend_says_so(backend, work):
  data = bytearray(backend.read_bytes())
  data[-100] ^= 1  # in the package, not in its trailer
  (work / "b").write_bytes(bytes(data))
  (work / "b").chmod(0o755)
  done = run(["./b", "--help"])
  assert done.status == 1 and "carries a damaged package; generate it again" in done.err, done


# ---- compile ----

def test_compile_is_the_backend(act, spec, backend, work):
  assert run([act, "compile", "a.hlo", "--target", spec, "--output", "x.py"]).err == ""
  assert run([backend, "--input", "a.hlo", "--output", "y.py"]).status == 0
  assert (work / "x.py").read_bytes() == (work / "y.py").read_bytes()
  done = run([act, "compile", "m.hlo", "--target", spec, "--output", "x.py"])
  assert done.err.startswith("Error: no assembly found: m.hlo:6:8: operation 'maximum'") and done.status == 1
  (work / "bad.taidl").write_text(BAD)
  done = run([act, "compile", "a.hlo", "--target", "bad.taidl", "--output", "x.py"])
  assert done.err == "Error: bad.taidl:6:11: instruction 'load': there is no buffer 'd9'; buffers are d0 d1\n"


# ---- simulate ----

def test_simulate_moves_bytes(act, spec, backend, work):
  assert run([backend, "--input", "c.hlo", "--output", "c.asm"]).status == 0
  data = bytes((7 * i + i // 256) % 256 for i in range(8192))
  (work / "x.dat").write_bytes(data)
  done = run([act, "simulate", "c.asm", "--target", spec, "--input", "x.dat", "--output", "y.dat"])
  assert (done.status, done.err) == (0, "")
  assert done.out.startswith("instructions executed: 2\ncost: 2 (number of instructions)\noutput 0")
  assert (work / "y.dat").read_bytes() == data


def test_simulate_both_forms_alike(act, spec, program):
  for name in ("a.asm", "a.py"):
    done = run([act, "simulate", name, "--target", spec, "--random", "5", "--output", name + ".dat", "--poison"])
    assert done.status == 0, done
  assert (program / "a.asm.dat").read_bytes() == (program / "a.py.dat").read_bytes()
  done = run([act, "simulate", "a.asm", "--target", spec, "--random", "5"])
  first = struct.unpack("<H", (program / "a.asm.dat").read_bytes()[:2])[0] << 16
  value = struct.unpack("<f", struct.pack("<I", first))[0]
  shown = re.search(r"output 0.*: bf16\[64,64\], min (\S+), max (\S+), first (\S+)", done.out)
  assert abs(float(shown.group(3)) - value) <= abs(value) / 256
  assert run([act, "simulate", "a.asm", "--target", spec, "--cost"]).out == "cost: 9 (number of instructions)\n"


def test_simulate_prints_debug(act, spec, program):
  text = (program / "a.asm").read_text()
  (program / "d.asm").write_text(text.replace("code {", 'code {\n  debug "before" d1[0]'))
  done = run([act, "simulate", "d.asm", "--target", spec, "--random", "1"])
  assert done.status == 0 and done.out.startswith("before"), done
  done = run([act, "simulate", "d.asm", "--target", spec, "--random", "1", "--no-debug"])
  assert done.out.startswith("instructions executed: 9\n")


def test_simulate_refuses(act, spec, program):
  (program / "short.dat").write_bytes(b"12345")
  (program / "out.dat").write_bytes(b"old")
  text = (program / "a.asm").read_text()
  (program / "far.asm").write_text(text.replace("addr_out=64]", "addr_out=100]", 1))
  (program / "other.asm").write_text(text.replace("target QKV", "target ABC"))
  cases = [
      (["a.asm", "--input", "short.dat"], "the program has 3 inputs (input 0 (in0) bf16[64,64], input 1 (in1) "
       "bf16[64,64], input 2 (in2) bf16[64,64]), 1 --input files are given; give one --input FILE for each, or "
       "--random SEED"),
      (["a.asm"] + ["--input", "short.dat"] * 3, "input file 'short.dat' has 5 bytes, but input 0 (in0) of the "
       "program is bf16[64,64], 8192 bytes"),
      (["a.asm", "--random", "1", "--input", "short.dat"], "options --random and --input exclude each other"),
      (["a.asm", "--random", "x"], "option --random takes an integer from 0 to 18446744073709551615, not 'x'"),
      (["a.asm", "--cost", "--random", "1"], "option --cost runs nothing; it excludes --random"),
      (["a.txt", "--random", "1"], "the program file 'a.txt' must have the suffix .py (Python kernel) or .asm (native "
       "assembly)"),
      (["gone.asm", "--random", "1"], "cannot read 'gone.asm': No such file or directory"),
      (["other.asm", "--random", "1"], None),
      (["far.asm", "--random", "1"], None),
  ]
  for words, why in cases:
    done = run([act, "simulate", *words, "--target", spec, "--output", "out.dat"]
               if "--cost" not in words else [act, "simulate", *words, "--target", spec])
    assert (done.status, done.out) == (1, ""), (words, done)
    assert done.err == f"Error: {why}\n" if why else done.err.startswith("Error: "), (words, done)
    assert (program / "out.dat").read_bytes() == b"old"
  assert "load_cm" in done.err and "d1" in done.err  # of far.asm


# ---- verify, validate ----

def test_verify_accepts_what_was_compiled(act, spec, program):
  done = run([act, "verify", "a.asm", "--target", spec, "--kernel", "a.hlo", "--certificate", "a.cert", "--runs", "2"])
  assert (done.status, done.err) == (0, ""), done
  assert "valid: each output holds what the certificate says\n" in done.out and "verified: 2 runs" in done.out
  for command in ("verify", "validate"):
    done = run([act, command, "a.py", "--target", spec])
    assert done.status == 0 and done.out.startswith("valid: 9 instructions") and "verified" not in done.out


# Ten wrong programs: what is replaced in the right one, and whether it shows without the kernel.
WRONG = [
    ("load_cm", "load_rm", False),  # Q K in place of Q K^T
    ("addr_1=0, addr_2=64, addr_out=0]  ; v2", "addr_1=64, addr_2=0, addr_out=0]  ; v2", False),
    ("addr_in=16384", "addr_in=8192", False),  # K in place of V
    ("softmax n=64", "softmax n=63", False),  # last row left out
    ("store_rm", "store_cm", False),  # the transpose of the result
    ("  softmax n=64 [addr=0]  ; v3 <- v2\n", "", False),
    ("store_rm n=64 [addr_in=0, addr_out=24576]", "store_rm n=64 [addr_in=0, addr_out=0]", True),  # an input lost
    ("store_rm n=64", "store_rm n=63", True),  # bytes of the output never written
    ("addr_in=16384, addr_out=64]", "addr_in=16384, addr_out=65]", True),  # beyond d1
    ("  load_rm n=64 [addr_in=0, addr_out=0]  ; v0 <- in0\n", "", True),  # reads what was never written
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_verify_rejects_a_wrong_program(act, spec, program, number):
  old, new, shows = WRONG[number]
  text = (program / "a.asm").read_text()
  assert text.count(old) >= 1
  changed = re.sub(r"  ; .*", "", text.replace(old, new, 1))
  (program / "w.asm").write_text(changed)
  done = run([act, "verify", "w.asm", "--target", spec, "--kernel", "a.hlo"])
  assert (done.status, done.out) == (1, ""), done
  assert re.match(r"Error: .*the program is (wrong|not valid): ", done.err), done
  assert run([act, "validate", "w.asm", "--target", spec]).status == (1 if shows else 0)
  assert run([act, "validate", "w.asm", "--target", spec, "--certificate", "a.cert"]).status == 1


def test_verify_compares_the_tensors(act, spec, program):
  done = run([act, "verify", "a.asm", "--target", spec, "--kernel", "c.hlo"])
  assert done.err == "Error: the kernel has 1 inputs, the program 3\n" and done.status == 1


# ---- doc (more in test_manual.py) ----

@pytest.mark.parametrize("path", sorted((ROOT / "accelerators").glob("*/*.taidl")), ids=lambda p: p.stem)
def test_every_accelerator_has_a_backend_and_a_manual(act, work, path):
  assert run([act, "generate", path, "--base-dir", "g"]).status == 0
  assert "\n## Example" in run([act, "doc", path]).out
