// Section 6 of the list, from end to end: values too large, starts that are expressions, in-place
// instructions.
#include "pitfalls/kit.h"

namespace act::pitfalls {
namespace {

double Negate(double x) { return WrapS32(-static_cast<int64_t>(x)); }
double Times(double x, double y) { return WrapS32(static_cast<int64_t>(x) * static_cast<int64_t>(y)); }

// pitfall 104
TEST(AllocatePitfalls, MoreRowsThanTheBuffer) {
  Machine machine = Machine::FromFile("accelerators/qkv/QKV.taidl");
  machine.ExpectRefused("  a = bf16[256,64] parameter(0)\n  ROOT r = bf16[256,64] copy(a)\n", {"d1"});
}

// The cheap multiplier's buffer holds two values, and the kernel has three alive: its candidates fall.
// pitfall 105, 118
TEST(AllocatePitfalls, AnInfeasibleCandidateDoesNotStopTheNext) {
  std::string spec = "accelerator Two\nbuffer v [64] of s32[16]\nbuffer w [8] of s32[16]\n";
  for (const std::string buffer : {"v", "w"}) {
    spec += "instruction load_" + buffer + "(n; src, dst)\n  in  x = d0[src : +n*64]\n  out y = " + buffer +
            "[dst : +n]\n  cost 1\n  y = bitcast_convert(reshape(x, u8[n,16,4]), s32[n,16])\n"
            "instruction mul_" +
            buffer + "(n; a, b, c)\n  in  x = " + buffer + "[a : +n]\n  in  z = " + buffer +
            "[b : +n]\n  out y = " + buffer + "[c : +n]\n  cost " + (buffer == "v" ? "100" : "1") +
            "\n  y = multiply(x, z)\n"
            "instruction store_" +
            buffer + "(n; src, dst)\n  in  x = " + buffer +
            "[src : +n]\n  out y = d0[dst : +n*64]\n  cost 1\n"
            "  y = reshape(bitcast_convert(x, u8[n,16,4]), u8[n*64])\n";
  }
  Machine machine(spec);
  const std::string parameters =
      "  a = s32[4,16] parameter(0)\n  b = s32[4,16] parameter(1)\n  c = s32[4,16] parameter(2)\n"
      "  d = s32[4,16] parameter(3)\n";
  const auto compiled = machine.ExpectComputes(
      parameters +
          "  p = s32[4,16] multiply(a, b)\n  q = s32[4,16] multiply(c, d)\n"
          "  ROOT r = s32[4,16] multiply(p, q)\n",
      [](const auto& in) { return Tensors{Map(Map(in[0], in[1], Times), Map(in[2], in[3], Times), Times)}; });
  ASSERT_TRUE(compiled);
  // What was dropped left nothing behind: the next kernel gets the cheap buffer again.
  const auto small = machine.ExpectComputes(parameters + "  ROOT r = s32[4,16] multiply(a, b)\n",
                                            [](const auto& in) { return Tensors{Map(in[0], in[1], Times)}; });
  ASSERT_TRUE(small);
  EXPECT_EQ(machine.Calls(small->program, "mul_w"), 1);
}

// pitfall 108
TEST(AllocatePitfalls, StartsAreExpressions) {
  for (const auto& [in, out] : std::vector<std::pair<std::string, std::string>>{
           {"a*16", "c*16"}, {"a+8", "c+12"}, {"a/4", "c/4"}, {"a*16+16", "c/3+1"}}) {
    SCOPED_TRACE(in + " and " + out);
    Machine machine(Toy("instruction neg(n; a, c)\n  in  x = v[" + in + " : +n]\n  out y = v[" + out +
                        " : +n]\n  y = negate(x)\n"));
    machine.ExpectComputes(
        "  p = s32[4,16] parameter(0)\n  q = s32[6,16] parameter(1)\n  m = s32[4,16] negate(p)\n"
        "  n = s32[6,16] negate(q)\n  ROOT r = (s32[4,16], s32[6,16]) tuple(m, n)\n",
        [](const auto& x) { return Tensors{Map(x[0], Negate), Map(x[1], Negate)}; });
  }
}

// softmax overwrites S in d2, and S itself is needed as an operand too.
// pitfall 115
TEST(AllocatePitfalls, AValueOverwrittenInPlaceAndStillNeeded) {
  for (const char* path : {"accelerators/qkv/QKV.taidl", "accelerators/qkv_new/QKV_new.taidl"}) {
    Machine machine = Machine::FromFile(path);
    const std::string softmax =
        "  a = bf16[64,64] parameter(0)\n  b = bf16[64,64] parameter(1)\n"
        "  s = bf16[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
        "  e = bf16[64,64] exponential(s)\n  z = bf16[] constant(0)\n"
        "  u = bf16[64] reduce(e, z), dimensions={1}, to_apply=add\n  v = bf16[64,64] broadcast(u), "
        "dimensions={0}\n"
        "  p = bf16[64,64] divide(e, v)\n";
    machine.ExpectComputes(
        softmax + "  ROOT r = bf16[64,64] dot(p, s), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
        [](const auto& in) {
          const Values s = MatMul(in[0], in[1], 64, 64, 64);
          return Tensors{MatMul(Softmax(s, 64, 64), s, 64, 64, 64)};
        },
        TwoUlps({32}));
    machine.ExpectComputes(
        softmax + "  ROOT r = (bf16[64,64], bf16[64,64]) tuple(p, s)\n",
        [](const auto& in) {
          const Values s = MatMul(in[0], in[1], 64, 64, 64);
          return Tensors{Softmax(s, 64, 64), s};
        },
        TwoUlps({1}));
  }
}

// pitfall 116
TEST(AllocatePitfalls, InstructionsWithoutOperandsAmongOthers) {
  Machine machine(
      "accelerator Fill\nbuffer v [12] of s32[16]\n"
      "instruction load(n; src, dst)\n  in  x = d0[src : +n*64]\n  out y = v[dst : +n]\n"
      "  y = bitcast_convert(reshape(x, u8[n,16,4]), s32[n,16])\n"
      "instruction store(n; src, dst)\n  in  x = v[src : +n]\n  out y = d0[dst : +n*64]\n"
      "  y = reshape(bitcast_convert(x, u8[n,16,4]), u8[n*64])\n"
      "instruction threes(n; c)\n  out y = v[c : +n]\n  y = constant(3, s32[n,16])\n"
      "instruction mul(n; a, b, c)\n  in  x = v[a : +n]\n  in  z = v[b : +n]\n  out y = v[c : +n]\n"
      "  y = multiply(x, z)\n");
  machine.ExpectComputes(
      "  a = s32[4,16] parameter(0)\n  b = s32[4,16] parameter(1)\n  k = s32[] constant(3)\n"
      "  t = s32[4,16] broadcast(k), dimensions={}\n  p = s32[4,16] multiply(a, t)\n"
      "  q = s32[4,16] multiply(b, t)\n  ROOT r = s32[4,16] multiply(p, q)\n",
      [](const auto& in) {
        const auto three = [](double x) { return Times(x, 3); };
        return Tensors{Map(Map(in[0], three), Map(in[1], three), Times)};
      });
}

}  // namespace
}  // namespace act::pitfalls
