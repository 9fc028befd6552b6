// Section 5 of the list: which of the possible programs is chosen.
#include <algorithm>

#include "pitfalls/kit.h"

namespace act::pitfalls {
namespace {

constexpr const char* kQkv = "accelerators/qkv/QKV.taidl";
constexpr const char* kQkvNew = "accelerators/qkv_new/QKV_new.taidl";

std::string Parameters(int count, const std::string& shape = "bf16[64,64]") {
  std::string lines;
  for (int k = 0; k < count; ++k) {
    lines += std::string("  ") + static_cast<char>('a' + k) + " = " + shape + " parameter(" +
             std::to_string(k) + ")\n";
  }
  return lines;
}
std::string Dot(const std::string& name, const std::string& lhs, const std::string& rhs) {
  return "  " + name + " = bf16[64,64] dot(" + lhs + ", " + rhs +
         "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
}
std::string Tuple(const std::vector<std::string>& names, const std::string& shape = "bf16[64,64]") {
  std::string types, list;
  for (const std::string& name : names) {
    types += (types.empty() ? "" : ", ") + shape;
    list += (list.empty() ? "" : ", ") + name;
  }
  return "  ROOT out = (" + types + ") tuple(" + list + ")\n";
}
Values M(const Values& x, const Values& y) { return MatMul(x, y, 64, 64, 64); }

const std::string kMul =
    "(n; a, b, c)\n  in  x = v[a : +n]\n  in  w = v[b : +n]\n  out y = v[c : +n]\n  y = multiply(x, w)\n";
std::string Mul(const std::string& name, const std::string& lhs, const std::string& rhs) {
  return "  " + name + " = s32[4,16] multiply(" + lhs + ", " + rhs + ")\n";
}
Values Times(const Values& x, const Values& y) {
  return Map(x, y,
             [](double a, double b) { return WrapS32(static_cast<int64_t>(a) * static_cast<int64_t>(b)); });
}

// pitfall 89
TEST(SelectPitfalls, MovesBetweenBuffersAreChosen) {
  Machine machine = Machine::FromFile(kQkv);
  const auto compiled = machine.ExpectComputes(Parameters(2) + Dot("ROOT r", "a", "b"),
                                               [](const auto& in) { return Tensors{M(in[0], in[1])}; });
  ASSERT_TRUE(compiled);
  // The product lies in d2; only mov brings it where a store can reach it.
  EXPECT_EQ(machine.Calls(compiled->program, "mov"), 1);
  EXPECT_LE(compiled->report.instructions, 5);
}

// pitfall 90
TEST(SelectPitfalls, OneValueInTwoBuffers) {
  std::string text = *ReadFile(std::string(ACT_SOURCE_DIR) + "/" + kQkvNew);
  const size_t src = text.find("instruction gemm_33"), dst = text.find("instruction gemm_13");
  ASSERT_LT(src, dst);
  Machine machine(text.erase(src, dst - src));
  const auto square = machine.ExpectComputes(Parameters(1) + Dot("ROOT r", "a", "a"),
                                             [](const auto& in) { return Tensors{M(in[0], in[0])}; });
  ASSERT_TRUE(square);
  EXPECT_EQ(machine.Calls(square->program, "load_01"), 1);
  EXPECT_EQ(machine.Calls(square->program, "load_03"), 1);
  const auto product = machine.ExpectComputes(Parameters(2) + Dot("s", "a", "b") + Dot("ROOT r", "s", "s"),
                                              [](const auto& in) {
                                                const Values s = M(in[0], in[1]);
                                                return Tensors{M(s, s)};
                                              });
  ASSERT_TRUE(product);
  EXPECT_EQ(machine.Calls(product->program, "gemm_13"), 2);
  EXPECT_EQ(machine.Calls(product->program, "mov_23"), 1);
}

// pitfall 92
TEST(SelectPitfalls, AValueWithManyUsesIsMadeOnce) {
  Machine machine(Toy("instruction mul" + kMul));
  const auto compiled =
      machine.ExpectComputes(Parameters(4, "s32[4,16]") + Mul("x", "a", "b") + Mul("y", "x", "c") +
                                 Mul("z", "x", "d") + Mul("w", "y", "z") + Mul("ROOT r", "w", "x"),
                             [](const auto& in) {
                               const Values x = Times(in[0], in[1]);
                               return Tensors{Times(Times(Times(x, in[2]), Times(x, in[3])), x)};
                             });
  ASSERT_TRUE(compiled);
  EXPECT_LE(machine.Calls(compiled->program, "mul"), 5);
  Machine qkv = Machine::FromFile(kQkv);
  const auto gemms = qkv.ExpectComputes(
      Parameters(4) + Dot("s", "a", "b") + Dot("x", "s", "c") + Dot("y", "s", "d") + Tuple({"x", "y"}),
      [](const auto& in) {
        const Values s = M(in[0], in[1]);
        return Tensors{M(s, in[2]), M(s, in[3])};
      });
  ASSERT_TRUE(gemms);
  EXPECT_EQ(qkv.Calls(gemms->program, "gemm"), 3);
  // c is loaded twice, for d1 cannot keep it beside the products.
  const auto reloaded =
      qkv.ExpectComputes(Parameters(4) + Dot("s", "a", "b") + Dot("x", "s", "c") + Dot("y", "s", "d") +
                             Dot("z", "c", "s") + Tuple({"x", "y", "z"}),
                         [](const auto& in) {
                           const Values s = M(in[0], in[1]);
                           return Tensors{M(s, in[2]), M(s, in[3]), M(in[2], s)};
                         });
  ASSERT_TRUE(reloaded);
  EXPECT_EQ(qkv.Calls(reloaded->program, "gemm"), 4);
}

// As trees these kernels have more than a thousand and more than a hundred multiplications.
// pitfall 93
TEST(SelectPitfalls, TenRepeatedValues) {
  Machine machine(Toy("instruction mul" + kMul));
  std::string powers = Parameters(1, "s32[4,16]"), pairs = Parameters(2, "s32[4,16]");
  std::string last = "a", before = "b", now = "a";
  for (int k = 0; k < 10; ++k) {
    const std::string root = k == 9 ? "ROOT " : "", name = "t" + std::to_string(k);
    powers += Mul(root + name, last, last);
    last = name;
    pairs += Mul(root + name, now, before);
    before = now;
    now = name;
  }
  const auto squares = machine.ExpectComputes(powers, [](const auto& in) {
    Values x = in[0];
    for (int k = 0; k < 10; ++k) x = Times(x, x);
    return Tensors{x};
  });
  ASSERT_TRUE(squares);
  EXPECT_EQ(machine.Calls(squares->program, "mul"), 10);
  const auto both = machine.ExpectComputes(pairs, [](const auto& in) {
    Values x = in[0], y = in[1];
    for (int k = 0; k < 10; ++k) {
      const Values z = Times(x, y);
      y = x;
      x = z;
    }
    return Tensors{x};
  });
  ASSERT_TRUE(both);
  EXPECT_EQ(machine.Calls(both->program, "mul"), 10);
}

// pitfall 94
TEST(SelectPitfalls, CostDecidesNotTheOrderOfTheSpec) {
  const std::string cheap = "instruction cheap" + kMul + "  cost 5\n",
                    dear = "instruction dear" + kMul + "  cost 50\n";
  const std::string kernel = Parameters(2, "s32[4,16]") + Mul("ROOT r", "a", "b");
  std::vector<std::string> texts;
  for (const std::string& both : {cheap + dear, dear + cheap}) {
    Machine machine(Toy(both));
    const auto compiled =
        machine.ExpectComputes(kernel, [](const auto& in) { return Tensors{Times(in[0], in[1])}; });
    ASSERT_TRUE(compiled);
    EXPECT_EQ(machine.Calls(compiled->program, "cheap"), 1);
    texts.push_back(machine.NativeText(compiled->program));
  }
  EXPECT_EQ(texts[0], texts[1]);
}

// pitfall 95
TEST(SelectPitfalls, FailuresAreRemembered) {
  for (const char* path : {kQkv, kQkvNew}) {
    Machine machine = Machine::FromFile(path);
    std::string lines = Parameters(2) + "  t0 = bf16[64,64] maximum(a, b)\n";
    for (int k = 1; k <= 24; ++k) {
      const std::string last = "t" + std::to_string(k - 1);
      lines += Dot((k == 24 ? "ROOT t" : "t") + std::to_string(k), last, last);
    }
    backend::CompileReport report;
    const auto compiled = machine.Compile(lines, {}, &report);
    ASSERT_FALSE(compiled.ok());
    EXPECT_EQ(compiled.status().front().error_class, ErrorClass::kUnsupported) << compiled.status().message();
    // Some states for each of the 27 values, not for each of the 2^24 paths.
    EXPECT_LT(report.select.states, 27 * 100);
    machine.ExpectRefused(lines, {"maximum"});
  }
}

// pitfall 96, 128
TEST(SelectPitfalls, TheSameBytesEachTime) {
  const std::string kernel = Parameters(3) + Dot("s", "a", "b") +
                             "  e = bf16[64,64] exponential(s)\n  z = bf16[] constant(0)\n"
                             "  u = bf16[64] reduce(e, z), dimensions={1}, to_apply=add\n  v = bf16[64,64] "
                             "broadcast(u), dimensions={0}\n"
                             "  p = bf16[64,64] divide(e, v)\n" +
                             Dot("ROOT r", "p", "c");
  for (const char* path : {kQkv, kQkvNew}) {
    std::vector<std::string> texts;
    for (int run = 0; run < 3; ++run) {
      Machine machine = Machine::FromFile(path);
      // What a selector compiled before leaves no trace.
      for (int before = 0; before < run; ++before) {
        ASSERT_TRUE(machine.Compile(Parameters(4) + Dot("x", "d", "c") + Dot("ROOT r", "x", "b")).ok());
      }
      const auto compiled = machine.Compile(kernel);
      ASSERT_TRUE(compiled.ok()) << compiled.status().message();
      texts.push_back(machine.NativeText(compiled->program) +
                      assembly::PrintPythonKernel(machine.accelerator(), compiled->program, {}) +
                      assembly::PrintSelectedGraph(machine.accelerator(), compiled->certificate));
    }
    EXPECT_EQ(texts[0], texts[1]);
    EXPECT_EQ(texts[0], texts[2]);
  }
}

// The compiler adds constants of its own (an identity, a diagonal) beside the kernel's.
// pitfall 97
TEST(SelectPitfalls, ConstantsOfKernelAndCompilerTogether) {
  Machine machine = Machine::FromFile(kQkv);
  const std::string constants =
      "  h = bf16[] constant(0.5)\n  hh = bf16[64,64] broadcast(h), dimensions={}\n"
      "  q = bf16[] constant(0.25)\n  qq = bf16[64,64] broadcast(q), dimensions={}\n";
  machine.ExpectComputes(Parameters(1) + constants + "  x = bf16[64,64] multiply(a, hh)\n" +
                             Dot("y", "a", "qq") + Dot("z", "x", "hh") + Tuple({"x", "y", "z"}),
                         [](const auto& in) {
                           const Values x = Map(in[0], [](double v) { return v / 2; });
                           return Tensors{x, M(in[0], Values(4096, 0.25)), M(x, Values(4096, 0.5))};
                         });
}

// pitfall 98
TEST(SelectPitfalls, OutputsKeepTheirPlaces) {
  Machine machine = Machine::FromFile(kQkv);
  const auto compiled =
      machine.ExpectComputes(Parameters(2) +
                                 "  t = bf16[64,64] transpose(a), dimensions={1,0}\n  u = bf16[64,64] "
                                 "transpose(t), dimensions={1,0}\n" +
                                 Dot("s", "a", "b") + "  w = bf16[64,64] copy(s)\n" + Tuple({"u", "s", "w"}),
                             [](const auto& in) {
                               const Values s = M(in[0], in[1]);
                               return Tensors{in[0], s, s};
                             });
  ASSERT_TRUE(compiled);
  const auto& outputs = compiled->program.outputs;
  ASSERT_EQ(outputs.size(), 3u);
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(outputs[k].address, outputs[0].address + static_cast<int64_t>(k) * 8192);
    for (const auto& input : compiled->program.inputs) {
      EXPECT_GE(outputs[k].address, input.address + 8192);
    }
  }
  // A root that the algebra unites with the fused softmax.
  machine.ExpectComputes(
      Parameters(2) + Dot("s", "a", "b") +
          "  e = bf16[64,64] exponential(s)\n  z = bf16[] constant(0)\n  one = bf16[] constant(1)\n"
          "  u = bf16[64] reduce(e, z), dimensions={1}, to_apply=add\n"
          "  ones = bf16[64] broadcast(one), dimensions={}\n  i = bf16[64] divide(ones, u)\n"
          "  v = bf16[64,64] broadcast(i), dimensions={0}\n  ROOT p = bf16[64,64] multiply(e, v)\n",
      [](const auto& in) { return Tensors{Softmax(M(in[0], in[1]), 64, 64)}; }, TwoUlps({1}));
}

// pitfall 99
TEST(SelectPitfalls, OutputsThatAreInputsOrUsedAgain) {
  for (const char* path : {kQkv, kQkvNew}) {
    Machine machine = Machine::FromFile(path);
    machine.ExpectComputes(Parameters(2) + Dot("s", "a", "b") + Tuple({"a", "s", "a"}),
                           [](const auto& in) { return Tensors{in[0], M(in[0], in[1]), in[0]}; });
    machine.ExpectComputes(Parameters(3) + Dot("s", "a", "b") + Dot("t", "s", "c") + Tuple({"s", "t"}),
                           [](const auto& in) {
                             const Values s = M(in[0], in[1]);
                             return Tensors{s, M(s, in[2])};
                           });
  }
}

// pitfall 100
TEST(SelectPitfalls, NoRoundTripsButSpills) {
  Machine machine = Machine::FromFile(kQkv);
  const auto chain = machine.ExpectComputes(
      Parameters(3) + Dot("s", "a", "b") + Dot("ROOT r", "s", "c"),
      [](const auto& in) { return Tensors{M(M(in[0], in[1]), in[2])}; }, 4);
  ASSERT_TRUE(chain);
  EXPECT_EQ(machine.Calls(chain->program, "store_rm") + machine.Calls(chain->program, "store_cm"), 1);
  EXPECT_LE(machine.Calls(chain->program, "load_rm") + machine.Calls(chain->program, "load_cm"), 3);
  // d1 holds two matrices: one product must leave it while the operands of the other are there.
  const auto spilled = machine.ExpectComputes(
      Parameters(4) + Dot("s", "a", "b") + Dot("t", "c", "d") + Dot("ROOT r", "s", "t"),
      [](const auto& in) { return Tensors{M(M(in[0], in[1]), M(in[2], in[3]))}; }, 32);
  ASSERT_TRUE(spilled);
}

}  // namespace
}  // namespace act::pitfalls
