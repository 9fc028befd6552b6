// Section 11 of the list: kernels that earlier backends could not compile on QKV, or compiled wrongly.
#include "pitfalls/kit.h"

namespace act::pitfalls {
namespace {

constexpr const char* kQkv = "accelerators/qkv/QKV.taidl";
constexpr const char* kQkvNew = "accelerators/qkv_new/QKV_new.taidl";

std::string Parameters(int count) {
  std::string lines;
  for (int k = 0; k < count; ++k) {
    lines += std::string("  ") + static_cast<char>('a' + k) + " = bf16[64,64] parameter(" +
             std::to_string(k) + ")\n";
  }
  return lines;
}
std::string Dot(const std::string& name, const std::string& lhs, const std::string& rhs, int lhs_dim = 1,
                int rhs_dim = 0) {
  return "  " + name + " = bf16[64,64] dot(" + lhs + ", " + rhs + "), lhs_contracting_dims={" +
         std::to_string(lhs_dim) + "}, rhs_contracting_dims={" + std::to_string(rhs_dim) + "}\n";
}
std::string SoftmaxOf(const std::string& name, const std::string& x, int reduced = 1, int kept = 0) {
  return "  ex = bf16[64,64] exponential(" + x +
         ")\n  zero = bf16[] constant(0)\n  su = bf16[64] reduce(ex, zero), dimensions={" +
         std::to_string(reduced) + "}, to_apply=add\n  br = bf16[64,64] broadcast(su), dimensions={" +
         std::to_string(kept) + "}\n  " + name + " = bf16[64,64] divide(ex, br)\n";
}
Values M(const Values& x, const Values& y) { return MatMul(x, y, 64, 64, 64); }
Values T(const Values& x) { return Transpose(x, 64, 64); }

class OnQkv : public ::testing::TestWithParam<const char*> {
 protected:
  Machine machine_ = Machine::FromFile(GetParam());
  bool is_new() const { return std::string(GetParam()) == kQkvNew; }
};
INSTANTIATE_TEST_SUITE_P(All, OnQkv, ::testing::Values(kQkv, kQkvNew), [](const auto& test) {
  return test.param == std::string(kQkv) ? "QKV" : "QKV_new";
});

// pitfall 190, 47
TEST_P(OnQkv, Identity) {
  const auto compiled =
      machine_.ExpectComputes("  ROOT a = bf16[64,64] parameter(0)\n", [](const auto& in) { return in; });
  ASSERT_TRUE(compiled);
  EXPECT_EQ(compiled->report.instructions, 2);
}

// pitfall 191
TEST_P(OnQkv, TransposeIsLoadAndStore) {
  const auto compiled =
      machine_.ExpectComputes(Parameters(1) + "  ROOT r = bf16[64,64] transpose(a), dimensions={1,0}\n",
                              [](const auto& in) { return Tensors{T(in[0])}; });
  ASSERT_TRUE(compiled);
  EXPECT_LE(compiled->report.instructions, is_new() ? 3 : 2);
}

// pitfall 27
TEST_P(OnQkv, TransposeThatChangesNothingIsTheIdentity) {
  const auto compiled =
      machine_.ExpectComputes(Parameters(1) + "  ROOT r = bf16[64,64] transpose(a), dimensions={0,1}\n",
                              [](const auto& in) { return in; });
  ASSERT_TRUE(compiled);
  EXPECT_EQ(compiled->report.instructions, 2);
}

// pitfall 192
TEST_P(OnQkv, SoftmaxAlone) {
  const auto compiled = machine_.ExpectComputes(
      Parameters(1) + SoftmaxOf("ROOT r", "a"),
      [](const auto& in) { return Tensors{Softmax(in[0], 64, 64)}; }, TwoUlps({0.0625}));
  ASSERT_TRUE(compiled);
  EXPECT_LE(compiled->report.instructions, 6);
}

// pitfall 24, 193
TEST_P(OnQkv, ProductWithTheRightOperandTransposed) {
  machine_.ExpectComputes(Parameters(2) + Dot("ROOT r", "a", "b", 1, 1),
                          [](const auto& in) { return Tensors{M(in[0], T(in[1]))}; });
}

// pitfall 194
TEST_P(OnQkv, ProductWithTheLeftOperandTransposed) {
  machine_.ExpectComputes(Parameters(2) + Dot("ROOT r", "a", "b", 0, 0),
                          [](const auto& in) { return Tensors{M(T(in[0]), in[1])}; });
  machine_.ExpectComputes(Parameters(2) + Dot("ROOT r", "a", "b", 0, 1),
                          [](const auto& in) { return Tensors{M(T(in[0]), T(in[1]))}; });
}

// The products grow beyond what bf16 holds exactly: each is rounded, so a wrong association shows.
// pitfall 195
TEST_P(OnQkv, ThreeAndFourMatrices) {
  const std::string three = Parameters(4) + Dot("p", "a", "b");
  machine_.ExpectComputes(
      three + Dot("ROOT q", "p", "c"), [](const auto& in) { return Tensors{M(M(in[0], in[1]), in[2])}; }, 4);
  machine_.ExpectComputes(
      three + Dot("q", "p", "c") + Dot("ROOT r", "q", "d"),
      [](const auto& in) { return Tensors{M(M(M(in[0], in[1]), in[2]), in[3])}; }, 32);
}

// pitfall 91, 196
TEST_P(OnQkv, FiveMatrices) {
  const auto reference = [](const std::vector<Values>& in) {
    return Tensors{M(M(M(M(in[0], in[1]), in[2]), in[3]), in[4])};
  };
  const auto compiled = machine_.ExpectComputes(
      Parameters(5) + Dot("p", "a", "b") + Dot("q", "p", "c") + Dot("r", "q", "d") + Dot("ROOT s", "r", "e"),
      reference, 256);
  ASSERT_TRUE(compiled);
  EXPECT_LE(compiled->report.instructions, 14);
}

// pitfall 91, 197
TEST_P(OnQkv, AttentionAndProjection) {
  machine_.ExpectComputes(
      Parameters(4) + Dot("s", "a", "b", 1, 1) + SoftmaxOf("p", "s") + Dot("o", "p", "c") +
          Dot("ROOT r", "o", "d"),
      [](const auto& in) {
        const Values o = MatMul(Softmax(M(in[0], T(in[1])), 64, 64), in[2], 64, 64, 64);
        return Tensors{M(o, in[3])};
      },
      0.25);
}

// pitfall 198
TEST_P(OnQkv, ProductWithAConstantMatrix) {
  std::string text = "{";
  Values constant;
  for (int i = 0; i < 64; ++i) {
    text += i == 0 ? "{" : ",{";
    for (int j = 0; j < 64; ++j) {
      const int value = (i * 5 + j * 3) % 7 - 3;  // asymmetric
      text += (j == 0 ? "" : ",") + std::to_string(value);
      constant.push_back(value);
    }
    text += "}";
  }
  text += "}";
  machine_.ExpectComputes(
      Parameters(1) + "  c = bf16[64,64] constant(" + text + ")\n" + Dot("ROOT r", "a", "c"),
      [&](const auto& in) { return Tensors{M(in[0], constant)}; });
}

// pitfall 199
TEST_P(OnQkv, AnEighth) {
  const auto eighth = [](const std::vector<Values>& in) {
    return Tensors{Map(in[0], [](double x) { return x / 8; })};
  };
  machine_.ExpectComputes(Parameters(1) +
                              "  s = bf16[] constant(0.125)\n  b = bf16[64,64] broadcast(s), dimensions={}\n"
                              "  ROOT r = bf16[64,64] multiply(a, b)\n",
                          eighth);
  machine_.ExpectComputes(Parameters(1) +
                              "  s = bf16[] constant(8)\n  b = bf16[64,64] broadcast(s), dimensions={}\n"
                              "  ROOT r = bf16[64,64] divide(a, b)\n",
                          eighth);
}

// pitfall 201
TEST_P(OnQkv, SumOfTwoMatrices) {
  machine_.ExpectComputesOrRefuses(Parameters(2) + "  ROOT r = bf16[64,64] add(a, b)\n", [](const auto& in) {
    return Tensors{Map(in[0], in[1], [](double x, double y) { return x + y; })};
  });
}

// pitfall 205
TEST_P(OnQkv, TwoResults) {
  machine_.ExpectComputes(Parameters(3) + Dot("p", "a", "b") + Dot("q", "a", "c") +
                              "  ROOT r = (bf16[64,64], bf16[64,64]) tuple(p, q)\n",
                          [](const auto& in) { return Tensors{M(in[0], in[1]), M(in[0], in[2])}; });
}

// pitfall 20, 206
TEST_P(OnQkv, ExponentialsOverAnothersSumsAreRefused) {
  machine_.ExpectRefused(Parameters(2) +
                             "  ea = bf16[64,64] exponential(a)\n  eb = bf16[64,64] exponential(b)\n"
                             "  zero = bf16[] constant(0)\n"
                             "  s = bf16[64] reduce(eb, zero), dimensions={1}, to_apply=add\n"
                             "  t = bf16[64,64] broadcast(s), dimensions={0}\n"
                             "  ROOT r = bf16[64,64] divide(ea, t)\n",
                         {"exponential"});
}

// pitfall 25, 26, 207
TEST_P(OnQkv, SoftmaxOverColumns) {
  machine_.ExpectComputes(
      Parameters(1) + SoftmaxOf("ROOT r", "a", 0, 1),
      [](const auto& in) { return Tensors{T(Softmax(T(in[0]), 64, 64))}; }, TwoUlps({0.0625}));
  machine_.ExpectRefused(Parameters(1) + SoftmaxOf("ROOT r", "a", 0, 0));
  machine_.ExpectRefused(Parameters(1) + SoftmaxOf("ROOT r", "a", 1, 1));
}

// The python kernel must name the shape as a tuple.
// pitfall 124, 208
TEST_P(OnQkv, InputsOfOneDimension) {
  for (const std::string size : {"64", "4096"}) {
    const auto compiled = machine_.ExpectComputes(
        "  a = bf16[" + size + "] parameter(0)\n  ROOT r = bf16[" + size + "] copy(a)\n",
        [](const auto& in) { return in; });
    ASSERT_TRUE(compiled);
    const std::string text = assembly::PrintPythonKernel(machine_.accelerator(), compiled->program, {});
    EXPECT_NE(text.find("(" + size + ",)"), std::string::npos) << text;
    EXPECT_EQ(text.find("(" + size + ")"), std::string::npos) << text;
  }
}

// pitfall 48
TEST_P(OnQkv, LayoutOfAnInputIsHonoured) {
  const std::string header =
      "HloModule k, entry_computation_layout={(bf16[64,64]{0,1})->bf16[64,64]{1,0}}\nENTRY e {\n";
  machine_.ExpectComputes(header + "  a = bf16[64,64] parameter(0)\n  ROOT r = bf16[64,64] copy(a)\n}\n",
                          [](const auto& in) { return in; });
}

// pitfall 73
TEST_P(OnQkv, AParameterThatNothingUsesKeepsItsBytes) {
  const auto compiled = machine_.ExpectComputes(Parameters(4) + Dot("ROOT r", "a", "c"),
                                                [](const auto& in) { return Tensors{M(in[0], in[2])}; });
  ASSERT_TRUE(compiled);
  ASSERT_EQ(compiled->program.inputs.size(), 4u);
  for (int64_t k = 0; k < 4; ++k) {
    EXPECT_EQ(compiled->program.inputs[static_cast<size_t>(k)].address, k * 8192);
  }
  EXPECT_GE(compiled->program.hbm_bytes, 5 * 8192);
}

}  // namespace
}  // namespace act::pitfalls
