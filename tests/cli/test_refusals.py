"""Kernels that QKV has no program for: status 1, no file, and a reason that names what is in the way."""
import pytest

from tests.cli.conftest import ADD, ATTENTION, COPY, MAX, MAXIMUM, module, run

DIVIDED = module("""
  a = bf16[64,64] parameter(0)
  b = bf16[64,64] parameter(1)
  ea = bf16[64,64] exponential(a)
  eb = bf16[64,64] exponential(b)
  z = bf16[] constant(0)
  r = bf16[64] reduce(eb, z), dimensions={1}, to_apply=add
  w = bf16[64,64] broadcast(r), dimensions={0}
  ROOT d = bf16[64,64] divide(ea, w)
""", ADD)
STABLE = module("""
  a = bf16[64,64] parameter(0)
  n = bf16[] constant(-inf)
  mx = bf16[64] reduce(a, n), dimensions={1}, to_apply=larger
  mb = bf16[64,64] broadcast(mx), dimensions={0}
  sb = bf16[64,64] subtract(a, mb)
  e = bf16[64,64] exponential(sb)
  z = bf16[] constant(0)
  r = bf16[64] reduce(e, z), dimensions={1}, to_apply=add
  w = bf16[64,64] broadcast(r), dimensions={0}
  ROOT d = bf16[64,64] divide(e, w)
""", ADD + MAX)
WIDE = module("""
  a = bf16[64,128] parameter(0)
  b = bf16[128,64] parameter(1)
  ROOT d = bf16[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
""")
UNARY = "  a = bf16[64,64] parameter(0)\n  ROOT c = "

# Kernel, and words that the reason must have: operation, instruction, buffer or limit, and the place.
KERNELS = {
    "maximum of two": (MAXIMUM, ["k.hlo:6:8", "'maximum'", "no instruction"]),
    "row sums of another matrix": (DIVIDED, ["k.hlo:", "'exponential'", "'softmax'"]),
    "stable softmax": (STABLE, ["--numerics=relaxed"]),
    "attention in f32": (ATTENTION.replace("bf16", "f32"), ["k.hlo:", "'dot'", "f32[64,64]", "'gemm'"]),
    "contraction of 128": (WIDE, ["k.hlo:6:8", "'dot'", "'gemm'"]),
    "129 rows": (COPY.replace("64,64", "129,64"), ["parameter 0", "16512 bytes", "16384 bytes into buffer 'd1'"]),
    "dynamic shape": (COPY.replace("64,64", "<=64,64"), ["k.hlo:4:3", "dynamic shape bf16[<=64,64]"]),
    "unknown operation": (module(UNARY + "bf16[64,64] frobnicate(a)"), ["k.hlo:5:8", "'frobnicate'"]),
    "known operation, not compiled": (module(UNARY + 'bf16[64,64] custom-call(a), custom_call_target="f"'),
                                      ["k.hlo:5:8", "'custom-call'"]),
    "unknown attribute": (module(UNARY + "bf16[64,64] transpose(a), dimensions={1,0}, colour={1}"),
                          ["k.hlo:5:", "'transpose'", "'colour'"]),
    "wrong shape": (module(UNARY + "bf16[64,63] copy(a)"), ["k.hlo:5:", "bf16[64,63]", "bf16[64,64]"]),
    "memory space": (COPY.replace("HloModule identity", "HloModule identity, entry_computation_layout="
                                  "{(bf16[64,64]{1,0:S(5)})->bf16[64,64]{1,0}}"), ["S(5)"]),
}

MALFORMED = [
    "", "\n", "HloModule", "HloModule m", "HloModule m\nENTRY main {", "HloModule m\nENTRY main {\n}\n",
    COPY[:-2], COPY.replace("HloModule", "Module"), COPY.replace("ENTRY", "ENTRIES"), COPY.replace("copy(x)", "copy(x"),
    COPY.replace("copy(x)", "copy(y)"), COPY.replace("copy(x)", "copy(x, x)"), COPY.replace("copy(x)", "copy()"),
    COPY.replace("parameter(0)", "parameter(1)"), COPY.replace("parameter(0)", "parameter(x)"),
    COPY.replace("bf16[64,64] copy", "bf17[64,64] copy"), COPY.replace("bf16[64,64] copy", "bf16[64,64 copy"),
    COPY.replace("bf16[64,64] copy", "bf16[64,-64] copy"), COPY.replace("y =", "x ="), COPY + COPY,
    ATTENTION.replace("to_apply=add", "to_apply=sub"), ATTENTION.replace("dimensions={1}", "dimensions={2}"),
    ATTENTION.replace("lhs_contracting_dims={1}", "lhs_contracting_dims={5}", 1),
    ATTENTION.replace("constant(0)", "constant({0)"), ATTENTION.replace("constant(0)", "constant(zero)"),
]


def refused(backend, work, text):
  (work / "k.hlo").write_text(text)
  (work / "old.py").write_text("old\n")
  fresh = run([backend, "--input", "k.hlo", "--output", "x.py"])
  again = run([backend, "--input", "k.hlo", "--output", "old.py"])
  for done in (fresh, again):
    assert (done.status, done.out) == (1, ""), done
    assert done.err.startswith("Error: no assembly found: ") and done.err.count("\n") == 1, done
  assert not (work / "x.py").exists() and (work / "old.py").read_text() == "old\n"
  return fresh.err


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_is_refused(backend, work, name):
  text, words = KERNELS[name]
  why = refused(backend, work, text)
  for word in words:
    assert word in why


@pytest.mark.parametrize("number", range(len(MALFORMED)))
def test_malformed_kernel_is_refused_with_its_place(backend, work, number):
  why = refused(backend, work, MALFORMED[number])
  assert why.startswith("Error: no assembly found: k.hlo:"), why


def test_relaxed_numerics_compile_the_stable_softmax(backend, work):
  (work / "k.hlo").write_text(STABLE)
  done = run([backend, "--input", "k.hlo", "--output", "x.py", "--numerics=relaxed", "--verbose"])
  assert done.status == 0, done
  assert (work / "x.py").read_text().count("api.") == 6
  assert "softmax(x - m) = softmax(x)" in done.out
