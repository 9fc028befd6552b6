"""The ISA manual of `act doc`: what it states is tried on the programs and commands it speaks of."""
import re

import pytest

from tests.cli.conftest import ROOT, run


@pytest.fixture(scope="module")
def manual(act, spec):
  done = run([act, "doc", spec])
  assert done.status == 0 and done.err == ""
  return done.out


def plain(text):
  """Without the line ends of filled paragraphs."""
  return re.sub(r"\s+", " ", text)


def section(text, title):
  return re.search(rf"\n(#+) {re.escape(title)}\n(.*?)(?=\n#|\Z)", text, re.S).group(2)


def bf16(n):
  """n different elements (any bytes are elements)."""
  return b"".join(bytes([i % 256, i // 256 % 128]) for i in range(n))


def elements(data):
  return [data[i:i + 2] for i in range(0, len(data), 2)]


def asm(code, inputs=("@0 bf16[64,64]",), outputs=("@8192 bf16[64,64]",), constants=(), hbm=32768):
  lines = ["program p", "target QKV", f"hbm {hbm}"]
  lines += [f"input {x}" for x in inputs] + [f"const {x}" for x in constants] + [f"output {x}" for x in outputs]
  return "\n".join(lines) + "\ncode {\n" + code + "\n}\n"


# The smallest Python kernel: nothing optional.
PY = """import jax.numpy as jnp
def p(kernel, api):
  @kernel(hbm={hbm}, input=[{inputs}], output=[{outputs}]{more})
  def q():
{body}
  return q
"""


def py(body, inputs="{'addr': 0, 'shape': (64, 64), 'dtype': jnp.bfloat16}",
       outputs="{'addr': 8192, 'shape': (64, 64), 'dtype': jnp.bfloat16}", more="", hbm=32768):
  lines = "\n".join("    " + line for line in body.split("\n"))
  return PY.format(hbm=hbm, inputs=inputs, outputs=outputs, more=more, body=lines)


COPY = "load_rm n=64 [addr_in=0, addr_out=0] store_rm n=64 [addr_in=0, addr_out=8192]"
COPY_PY = "api.load_rm(n=64, addr_in=0, addr_out=0)\napi.store_rm(64, 0, 8192)"


@pytest.fixture
def check(act, spec, work):
  """Whether `act validate` takes the text."""
  def try_it(text, suffix=".asm"):
    (work / f"t{suffix}").write_text(text)
    done = run([act, "validate", f"t{suffix}", "--target", spec])
    return done.err if done.status else ""
  return try_it


@pytest.fixture
def moved(act, spec, work):
  """The output bytes of a program run on an input's bytes."""
  def run_it(text, data, suffix=".asm"):
    (work / f"t{suffix}").write_text(text)
    (work / "x.dat").write_bytes(data)
    done = run([act, "simulate", f"t{suffix}", "--target", spec, "--input", "x.dat", "--output", "y.dat"])
    assert done.status == 0, done
    return (work / "y.dat").read_bytes()
  return run_it


# ---- the accelerator ----

def test_it_describes_everything(act, spec, work, manual):
  assert run([act, "doc", spec, "--output", "m.md"]).out == ""
  assert (work / "m.md").read_text() == manual
  for name in ("load_rm", "load_cm", "store_rm", "store_cm", "mov", "gemm", "softmax"):
    assert f"\n### {name}\n" in manual
  assert "| `d1` | 128, from 0 | bf16[64] | 128 | 16384 |" in manual
  assert "sum over k0 in 0..64 of a[i0,k0] * b[k0,i1]" in manual
  assert "No costs are stated: the cost of a program is the number of instructions executed" in plain(manual)


def test_the_example_runs_in_both_forms(act, spec, work, manual):
  (work / "k.hlo").write_text(re.search(r"```\n(HloModule.*?)```", manual, re.S).group(1))
  (work / "k.py").write_text(re.search(r"```python\n(.*?)```", manual, re.S).group(1))
  (work / "k.asm").write_text(re.search(r"```\n(program \w+\n.*?)```", manual, re.S).group(1))
  for name in ("k.py", "k.asm"):
    done = run([act, "verify", name, "--target", spec, "--kernel", "k.hlo"])
    assert done.status == 0 and "verified" in done.out, done


@pytest.mark.parametrize("path", sorted((ROOT / "accelerators").glob("*/*.taidl")) +
                         sorted((ROOT / "tests" / "spec" / "accept").glob("*.taidl")), ids=lambda p: p.stem)
def test_every_accelerator_has_one(act, work, path):
  text = run([act, "doc", path]).out
  assert "\n## Example" in text
  assert not [line for line in text.split("\n") if line != line.rstrip()]
  # Prose is filled; tables, headings and formulas are lines of their own.
  for line in re.sub(r"```.*?```", "", text, flags=re.S).split("\n"):
    assert len(line) <= 110 or re.match(r"\||#|\d+\. |\* (reads|writes|demands) ", line), line


def test_costs_and_units_are_explained(act):
  done = run([act, "doc", ROOT / "tests" / "spec" / "accept" / "systolic.taidl"])
  text = plain(done.out)
  assert "the time at which its last instruction ends" in text and "No costs are stated" not in text
  assert "Integers, sums of them too, wrap" in text and "Floats" not in section(done.out, "Numbers")


# ---- where elements lie ----

@pytest.mark.parametrize("n", [1, 2, 32, 63, 64, 65, 128])
def test_places_of_a_presumed_reshape(manual, moved, n):
  # load_cm transposes into [64,n]; store_rm shows the window as it lies.
  data = bf16(n * 64)
  shape = f"bf16[{n * 64}]"
  code = f"load_cm n={n} [addr_in=0, addr_out=0] store_rm n={n} [addr_in=0, addr_out=20000]"
  out = elements(moved(asm(code, [f"@0 {shape}"], [f"@20000 {shape}"], hbm=40000), data))
  text = plain(section(manual, "load_cm"))
  address, place = re.search(r"`y\[i0,i1\]` goes to address `addr_out \+ (.*?)`, place `(.*?)` there", text).groups()
  for i0 in range(64):
    for i1 in range(n):
      at = {"i0": i0, "i1": i1, "n": n}
      where = 64 * eval(address.replace("/", "//"), at) + eval(place, at)  # pylint: disable=eval-used
      assert out[where] == elements(data)[i1 * 64 + i0]


def test_the_example_of_the_presumed_reshape(manual):
  text = plain(section(manual, "load_cm"))
  assert ("Example: for n = 32, y[1,0] goes to address addr_out, place 32; for n = 128, y[1,0] goes to address "
          "addr_out + 2, place 0.") in text
  assert "who reads the window later sees a tensor bf16[n,64]" in text
  for name in ("mov", "load_rm", "gemm", "softmax"):
    assert "fills the window" not in section(manual, name)


@pytest.mark.parametrize("n", [1, 32, 64, 128])
def test_bytes_of_a_store(manual, moved, n):
  data = bf16(n * 64)
  code = f"load_rm n={n} [addr_in=0, addr_out=0] store_cm n={n} [addr_in=0, addr_out=20000]"
  out = moved(asm(code, [f"@0 bf16[{n},64]"], [f"@20000 bf16[64,{n}]"], hbm=40000), data)
  text = section(manual, "store_cm")
  byte = re.search(r"`t1\[i0,i1\]` is written at byte `addr_out \+ (.*?)` of d0", text).group(1)
  assert "t1[i0,i1] = x[i1,i0]" in text
  for i0 in range(64):
    for i1 in range(n):
      at = eval(byte, {"i0": i0, "i1": i1, "n": n})  # pylint: disable=eval-used
      assert out[at:at + 2] == elements(data)[i1 * 64 + i0]


def test_bytes_of_a_load(manual):
  for name, value in (("load_rm", "y"), ("load_cm", "t2")):
    assert f"`{value}[i0,i1]` is read at byte `addr_in + 2*(i0*64 + i1)` of d0" in section(manual, name)


# ---- HBM ----

def test_addresses_and_overlaps(check, manual):
  odd = asm("load_rm n=64 [addr_in=3, addr_out=0] store_rm n=64 [addr_in=0, addr_out=8197]",
            ["@3 bf16[64,64]"], ["@8197 bf16[64,64]"], hbm=16389)
  assert check(odd) == ""
  assert "outside HBM" in check(odd.replace("hbm 16389", "hbm 16388"))
  assert check(odd.replace("hbm 16389", "hbm 103079215104")) == ""
  two = ["@0 bf16[64,64]", "@8191 bf16[64,64]"]
  assert "overlap" in check(asm(COPY, two))
  assert "overlap" in check(asm(COPY, outputs=two))
  assert "overlap" in check(asm(COPY, constants=["@8190 bf16[1] = {0}"]))
  assert check(asm(COPY, constants=["@8192 bf16[64,64] = full 1"])) == ""  # an output over a constant
  assert check(asm("", outputs=["@0 bf16[64,64]"])) == ""  # over an input, as its copy
  changed = asm("load_cm n=64 [addr_in=0, addr_out=0] store_rm n=64 [addr_in=0, addr_out=0]",
                outputs=["@0 bf16[64,64]"])
  assert "inputs must stay intact" in check(changed)
  text = plain(section(manual, "What lies in HBM"))
  assert "may start at any byte" in text and "An output may lie over a constant" in text


def test_scratch_and_unwritten_memory(check):
  scratch = (COPY.replace("8192]", "20000]") +
             " load_rm n=64 [addr_in=20000, addr_out=64] store_rm n=64 [addr_in=64, addr_out=8192]")
  assert check(asm(scratch)) == ""
  copied = "load_rm n=64 [addr_in=20000, addr_out=0] "
  assert check(asm(copied + COPY)) == ""  # copied, not used
  assert "write it first" in check(asm(copied + "gemm [addr_1=0, addr_2=0, addr_out=0] " + COPY))


# ---- program files ----

def test_what_native_assembly_leaves_free(check, manual):
  assert check(asm(COPY)) == ""
  assert check(asm(COPY, ["same @0 bf16[64,64]"], ["same @8192 bf16[64,64]"])) == ""
  assert check(asm(COPY.replace("[addr_in=0, addr_out=0]", "[addr_out=0, addr_in=0] ; a.1 <- \"any name\""))) == ""
  assert check(asm(COPY.replace("[addr_in=0, addr_out=0]", "[addr_in=0, addr_out=0] ; v <- _") + " ; v <- v")) == ""
  assert "operand names are given" in check(asm(COPY + " ; a <- b, c"))
  assert check(asm("/* c */ debug \"x\" d1[3,5] // c\n debug \"x\" d2[] " + COPY)) == ""
  text = plain(section(manual, "Native assembly"))
  assert "Names behind `;` are optional" in text and '"debug" STRING MEMORY "[" [INT {"," INT}] "]"' in text


@pytest.mark.parametrize("value", ["bf16[] = -1.5", "bf16[2,2] = {{1, 2}, {inf, -nan}}", "f32[2] = full -inf",
                                   "s8[2,3] = eye", "u16[3,4] = iota 1", "pred[2] = {true, false}",
                                   "f32[1] = bytes \"0000c07f\""])
def test_constants_of_native_assembly(check, value):
  assert check(asm(COPY, constants=[f"c @20000 {value}"])) == ""


def test_what_the_kernel_format_leaves_free(check):
  assert check(py(COPY_PY), ".py") == ""
  assert check("# c\n'''doc'''\n" + py(COPY_PY, more=", constant=[]").replace('"', "'"), ".py") == ""
  assert check(py(COPY_PY.replace("n=64, addr_in=0, addr_out=0", "addr_out = 0, addr_in=2**3-8, n = 8*8")), ".py") == ""
  assert "has no body" in check(py("# nothing"), ".py")
  assert check(py("pass", outputs=""), ".py") == ""
  for needed in ("hbm=32768, ", ", output=[{'addr': 8192, 'shape': (64, 64), 'dtype': jnp.bfloat16}]"):
    assert needed in py(COPY_PY) and "the decorator lacks" in check(py(COPY_PY).replace(needed, ""), ".py")
  assert "'return q'" in check(py(COPY_PY).replace("  return q\n", ""), ".py")
  assert "unexpected indentation" in check(py("api.start_loop('i', 0, 1)\n  " + COPY_PY.replace("\n", "\n  ") +
                                              "\napi.end_loop()"), ".py")
  assert "t.py:5:" in check(py("for i in range(8): pass\n" + COPY_PY), ".py")


def test_constants_of_the_kernel_format(check):
  for shape, value in [("()", "-1.5"), ("(2,)", "[jnp.inf, -jnp.nan]"), ("(3, 3)", "jnp.eye(3)"),
                       ("(2, 1)", "jnp.full((2, 1), 0.5)"), ("(1, 2)", "jnp.array([[1, 2]])")]:
    more = f", constant=[{{'addr': 20000, 'shape': {shape}, 'dtype': jnp.float32, 'value': {value}}}]"
    assert check(py(COPY_PY, more=more), ".py") == "", value


def spread(words):
  """`int2` to `int64`."""
  return [w + n for w in words for n in ("2", "4", "8", "16", "32", "64")]


def test_element_types_of_both_forms(check, manual):
  named = re.findall(r"`([^`]*)`", section(manual, "Element types"))
  native = " ".join(named[:6]).split()
  python = ["bool_"] + spread(["int", "uint"]) + " ".join(named[-3:]).split()
  assert named[6:11] == ["bool_", "int2", "int64", "uint2", "uint64"]
  assert len(native) == len(python) == 23
  for one, other in zip(native, python):
    assert check(asm(COPY, ["@0 bf16[64,64]", f"@20000 {one}[1]"])) == "", one
    item = ("{'addr': 0, 'shape': (64, 64), 'dtype': jnp.bfloat16}, "
            f"{{'addr': 20000, 'shape': (1,), 'dtype': jnp.{other}}}")
    assert check(py(COPY_PY, inputs=item), ".py") == "", other


def test_loops(moved, check):
  data = bf16(4096)
  body = ("loop i 0..4 { loop j 0..2 { load_rm n=8 [addr_in=(i*2+j) * 1024, addr_out=i*16 + j*8] } }"
          "loop k -3..-3 { gemm [addr_1=1000, addr_2=0, addr_out=0] } store_rm n=64 [addr_in=0, addr_out=8192]")
  assert moved(asm(body), data) == data
  body = ("api.start_loop('i', 0, 4)\napi.start_loop('j', 0, 2)\n"
          "api.load_rm(n=8, addr_in='(%i*2+%j) * 1024', addr_out='%i*16 + 8*%j')\napi.end_loop()\napi.end_loop()\n"
          "api.store_rm(n=64, addr_in=0, addr_out=8192)")
  assert moved(py(body), data, ".py") == data
  assert "enclosing loop" in check(asm("loop i 0..1 { loop i 0..1 { } } " + COPY))
  assert "64 deep" in check(asm("".join(f"loop i{d} 0..1 {{ " for d in range(65)) + "}" * 65 + COPY))


# ---- arithmetic ----

def test_rounding_infinities_and_subnormals(moved):
  # softmax of rows x: exp, the sum in f32, the quotient; everything rounded to bf16.
  code = ("load_rm n=64 [addr_in=0, addr_out=0] load_rm n=64 [addr_in=8192, addr_out=64] "
          "gemm [addr_1=0, addr_2=64, addr_out=0] ")
  code += "{} mov n=64 [addr_in=0, addr_out=0] store_rm n=64 [addr_in=0, addr_out=16384]"
  eye = ["@8192 bf16[64,64] = eye"]
  program = asm(code.format("softmax n=64 [addr=0]"), outputs=["@16384 bf16[64,64]"], constants=eye)
  big = b"\xc8\x42"  # 100: its exp is beyond bf16
  assert elements(moved(program, big * 4096))[0] == b"\xc0\x7f"  # inf/inf
  copy = asm(code.format(""), outputs=["@16384 bf16[64,64]"], constants=eye)
  assert moved(copy, b"\x01\x00" * 4096) == b"\x01\x00" * 4096  # the least subnormal


# ---- checking ----

def test_verify_is_exact_for_what_is_moved(act, spec, work, manual):
  (work / "t.asm").write_text(asm(COPY))
  done = run([act, "verify", "t.asm", "--target", spec, "--kernel", "c.hlo"])
  assert done.status == 0 and "no difference to the kernel" in done.out, done
  (work / "t.asm").write_text(asm(COPY, ["@0 bf16[4096]"]))
  done = run([act, "verify", "t.asm", "--target", spec, "--kernel", "c.hlo"])
  assert done.err == "Error: input 0 is bf16[64,64] in the kernel and bf16[4096] in the program\n"
  assert "jax.jit(f).lower(*arguments).as_text(\"hlo\")" in manual


def test_the_kernel_function_may_stand_alone(check):
  lines = py(COPY_PY).replace("def p(kernel, api):\n", "from x import kernel, api\n").replace("  return q\n", "")
  assert check(re.sub(r"^  ", "", lines, flags=re.M), ".py") == ""
