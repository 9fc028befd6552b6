// Section 2 of the list: what an instruction's semantics say decides what it is used for.
#include "pitfalls/kit.h"

namespace act::pitfalls {
namespace {

double Add(double x, double y) { return WrapS32(static_cast<int64_t>(x) + static_cast<int64_t>(y)); }
double Subtract(double x, double y) { return WrapS32(static_cast<int64_t>(x) - static_cast<int64_t>(y)); }
double Multiply(double x, double y) { return WrapS32(static_cast<int64_t>(x) * static_cast<int64_t>(y)); }
double Negate(double x) { return Subtract(0, x); }

// Instruction of two inputs x, w and an output y, all n rows of v.
std::string Binary(const std::string& name, const std::string& semantics) {
  return "instruction " + name +
         "(n; a, b, c)\n  in  x = v[a : +n]\n  in  w = v[b : +n]\n  out y = v[c : +n]\n" + semantics;
}
std::string Unary(const std::string& name, const std::string& semantics) {
  return "instruction " + name + "(n; a, c)\n  in  x = v[a : +n]\n  out y = v[c : +n]\n" + semantics;
}
std::string Parameters(int count, const std::string& shape = "s32[4,16]") {
  std::string lines;
  for (int k = 0; k < count; ++k) {
    lines += "  p" + std::to_string(k) + " = " + shape + " parameter(" + std::to_string(k) + ")\n";
  }
  return lines;
}
const std::string kRoot = "  ROOT r = s32[4,16] ";
std::string Number(int value) {
  return "  k = s32[] constant(" + std::to_string(value) +
         ")\n  kk = s32[4,16] broadcast(k), dimensions={}\n";
}

// pitfall 21
TEST(SpecPitfalls, AValueAddedToItselfIsNotASum) {
  Machine machine(Toy(Unary("twice", "  y = add(x, x)\n")));
  machine.ExpectRefused(Parameters(2) + kRoot + "add(p0, p1)\n", {"add"});
  machine.ExpectComputes(Parameters(1) + kRoot + "add(p0, p0)\n",
                         [](const auto& in) { return Tensors{Map(in[0], in[0], Add)}; });
}

// pitfall 22
TEST(SpecPitfalls, AValueUsedThreeTimes) {
  Machine machine(Toy(Unary("poly", "  y = subtract(multiply(x, x), x)\n")));
  machine.ExpectComputes(Parameters(1) + "  q = s32[4,16] multiply(p0, p0)\n" + kRoot + "subtract(q, p0)\n",
                         [](const auto& in) {
                           return Tensors{Map(in[0], [](double x) { return Subtract(Multiply(x, x), x); })};
                         });
  machine.ExpectRefused(Parameters(2) + "  q = s32[4,16] multiply(p0, p0)\n" + kRoot + "subtract(q, p1)\n");
  machine.ExpectRefused(Parameters(2) + "  q = s32[4,16] multiply(p0, p1)\n" + kRoot + "subtract(q, p0)\n");
}

// pitfall 23, 12, 13
TEST(SpecPitfalls, OrderAndNamesOfTheStatementsAreFree) {
  const std::string shape = "s32[`@c.n`,16] ";
  Machine machine(
      Toy("instruction mix(n; a, b, c)\n  in v[a : +n]\n  in v[b : +n]\n  out v[c : +n]\n  ENTRY {\n"
          "    %late = " +
          shape + "parameter(1)\n    %early = " + shape + "parameter(0)\n    %t = " + shape +
          "not(%late)\n    %s = " + shape + "negate(%early)\n    ROOT %r = " + shape +
          "subtract(%s, %t)\n  }\n"));
  machine.ExpectComputes(
      Parameters(2) + "  n = s32[4,16] negate(p0)\n  m = s32[4,16] not(p1)\n" + kRoot + "subtract(n, m)\n",
      [](const auto& in) {
        return Tensors{Map(in[0], in[1], [](double x, double y) {
          return Subtract(Negate(x), static_cast<double>(~static_cast<int64_t>(y)));
        })};
      });
  machine.ExpectRefused(Parameters(2) + "  n = s32[4,16] not(p0)\n  m = s32[4,16] negate(p1)\n" + kRoot +
                        "subtract(n, m)\n");
}

// pitfall 28
TEST(SpecPitfalls, SliceBoundsMustAgree) {
  Machine machine(
      Toy("instruction tail(; a, c)\n  in  x = v[a : +4]\n  out y = v[c : +2]\n"
          "  y = negate(slice(x, [2:4], [0:16]))\n"));
  const std::string kernel = Parameters(1) + "  s = s32[2,16] slice(p0), slice={";
  const std::string end = "}\n  ROOT r = s32[2,16] negate(s)\n";
  machine.ExpectComputes(kernel + "[2:4], [0:16]" + end, [](const auto& in) {
    return Tensors{Map(Values(in[0].begin() + 32, in[0].end()), Negate)};
  });
  machine.ExpectRefused(kernel + "[0:2], [0:16]" + end);
}

// pitfall 29, 30
TEST(SpecPitfalls, ConstantsMatchByValue) {
  for (const char* seven : {"constant(7, s32[n,16])", "broadcast(constant(7, s32), s32[n,16])"}) {
    Machine machine(Toy(Unary("add7", std::string("  y = add(x, ") + seven + ")\n")));
    machine.ExpectComputes(Parameters(1) + Number(7) + kRoot + "add(p0, kk)\n", [](const auto& in) {
      return Tensors{Map(in[0], [](double x) { return Add(x, 7); })};
    });
    machine.ExpectRefused(Parameters(1) + Number(3) + kRoot + "add(p0, kk)\n", {"add"});
    machine.ExpectRefused(Parameters(2) + kRoot + "add(p0, p1)\n", {"add"});
  }
}

// pitfall 31, 33
TEST(SpecPitfalls, SizesAreSolvedFromEveryForm) {
  const auto negated = [](const std::vector<Values>& in) { return Tensors{Map(in[0], Negate)}; };
  const auto kernel = [](int rows) {
    const std::string shape = "s32[" + std::to_string(rows) + ",16] ";
    return "  p = " + shape + "parameter(0)\n  ROOT r = " + shape + "negate(p)\n";
  };
  Machine pairs(
      Toy("instruction neg(n; a, c)\n  in  x = v[a : +2*n]\n  out y = v[c : +2*n]\n  y = negate(x)\n"));
  pairs.ExpectComputes(kernel(6), negated);
  pairs.ExpectRefused(kernel(5));
  Machine plus(
      Toy("instruction neg(n; a, c)\n  in  x = v[a : +n+1]\n  out y = v[c : +n+1]\n  y = negate(x)\n"));
  plus.ExpectComputes(kernel(5), negated);
  // n stands only in the input's size.
  Machine sums(
      Toy("instruction sum(n; a, c)\n  in  x = v[a : +n]\n  out y = v[c : +1]\n"
          "  y = reshape(reduce_add(x, {0}), s32[1,16])\n"));
  sums.ExpectComputes(
      "  p = s32[5,16] parameter(0)\n  z = s32[] constant(0)\n"
      "  ROOT r = s32[16] reduce(p, z), dimensions={0}, to_apply=add_s32\n",
      [](const auto& in) {
        Values out(16, 0);
        for (size_t i = 0; i < in[0].size(); ++i) out[i % 16] = Add(out[i % 16], in[0][i]);
        return Tensors{out};
      });
  // n stands only in an attribute of the semantics.
  Machine row(
      Toy("instruction row(n; a, c)\n  in  x = v[a : +8]\n  out y = v[c : +1]\n"
          "  where n >= 0 and n < 8\n  y = negate(slice(x, [n:n+1], [0:16]))\n"));
  row.ExpectComputesOrRefuses(
      "  p = s32[8,16] parameter(0)\n  s = s32[1,16] slice(p), slice={[3:4], [0:16]}\n"
      "  ROOT r = s32[1,16] negate(s)\n",
      [](const auto& in) { return Tensors{Map(Values(in[0].begin() + 48, in[0].begin() + 64), Negate)}; });
  // Bytes that make no whole row.
  pairs.ExpectRefused("  p = s32[10] parameter(0)\n  ROOT r = s32[10] copy(p)\n");
}

// A memory of single s32 words, loaded and stored by `bytes / 4` words.
std::string Words(const std::string& more) {
  return "accelerator Words\nbuffer e [1024] of s32\n"
         "instruction load(k; src, dst)\n  in  x = d0[src : +k*4]\n  out y = e[dst : +k]\n"
         "  y = bitcast_convert(reshape(x, u8[k,4]), s32[k])\n"
         "instruction store(k; src, dst)\n  in  x = e[src : +k]\n  out y = d0[dst : +k*4]\n"
         "  y = reshape(bitcast_convert(x, u8[k,4]), u8[k*4])\n" +
         more;
}

// pitfall 31
TEST(SpecPitfalls, ASizeBehindTheFirstDimension) {
  Machine machine(
      Words("instruction sums(n; a, c)\n  in  x = e[a : +16*n]\n  out y = e[c : +16]\n"
            "  y = reduce_add(reshape(x, s32[16,n]), {1})\n"));
  machine.ExpectComputes(
      "  p = s32[16,5] parameter(0)\n  z = s32[] constant(0)\n"
      "  ROOT r = s32[16] reduce(p, z), dimensions={1}, to_apply=add_s32\n",
      [](const auto& in) {
        Values out(16, 0);
        for (size_t i = 0; i < in[0].size(); ++i) out[i / 5] = Add(out[i / 5], in[0][i]);
        return Tensors{out};
      });
}

Values MatMulS32(const Values& x, const Values& y, size_t m, size_t k, size_t n) {
  Values out(m * n, 0);
  for (size_t i = 0; i < m * n; ++i) {
    for (size_t l = 0; l < k; ++l) out[i] = Add(out[i], Multiply(x[i / n * k + l], y[l * n + i % n]));
  }
  return out;
}

// pitfall 32, 45
TEST(SpecPitfalls, TwoAttributesKeepTheirNames) {
  Machine machine(
      Words("instruction gemm(n, m; a, b, c)\n  in  x = e[a : +m*8]\n  in  w = e[b : +8*n]\n"
            "  out y = e[c : +m*n]\n"
            "  y = reshape(dot(reshape(x, s32[m,8]), reshape(w, s32[8,n])), s32[m*n])\n"));
  const auto compiled = machine.ExpectComputes(
      "  p = s32[3,8] parameter(0)\n  q = s32[8,5] parameter(1)\n"
      "  ROOT r = s32[3,5] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
      [](const auto& in) { return Tensors{MatMulS32(in[0], in[1], 3, 8, 5)}; });
  ASSERT_TRUE(compiled);
  const std::string text = assembly::PrintPythonKernel(machine.accelerator(), compiled->program, {});
  EXPECT_NE(text.find("gemm(n = 5, m = 3"), std::string::npos) << text;
}

// pitfall 34
TEST(SpecPitfalls, AnInstructionWithMaximum) {
  Machine machine(Toy(Binary("top", "  y = maximum(x, w)\n") + Unary("neg", "  y = negate(x)\n")));
  machine.ExpectComputes(Parameters(2) + kRoot + "maximum(p0, p1)\n", [](const auto& in) {
    return Tensors{Map(in[0], in[1], [](double x, double y) { return std::max(x, y); })};
  });
  machine.ExpectComputes(Parameters(1) + kRoot + "negate(p0)\n",
                         [](const auto& in) { return Tensors{Map(in[0], Negate)}; });
}

// pitfall 35
TEST(SpecPitfalls, AnInstructionWithoutInputs) {
  Machine machine(Toy("instruction ones(n; c)\n  out y = v[c : +n]\n  y = constant(1, s32[n,16])\n" +
                      Binary("plus", "  y = add(x, w)\n")));
  machine.ExpectComputes(Parameters(1) + Number(1) + kRoot + "copy(kk)\n",
                         [](const auto&) { return Tensors{Values(64, 1)}; });
  machine.ExpectComputes(Parameters(1) + Number(1) + kRoot + "add(p0, kk)\n", [](const auto& in) {
    return Tensors{Map(in[0], [](double x) { return Add(x, 1); })};
  });
}

// pitfall 36
TEST(SpecPitfalls, FloatTypes) {
  const struct {
    ElementType type;
    std::string name, width;
  } kTypes[] = {
      {ElementType::kF16, "f16", "2"}, {ElementType::kF32, "f32", "4"}, {ElementType::kBF16, "bf16", "2"}};
  for (const auto& t : kTypes) {
    const std::string bytes = std::to_string(16 * std::stoi(t.width)), shape = t.name + "[4,16] ";
    Machine machine("accelerator Floats\nbuffer v [64] of " + t.name +
                    "[16]\ninstruction load(n; src, dst)\n"
                    "  in  x = d0[src : +n*" +
                    bytes +
                    "]\n  out y = v[dst : +n]\n"
                    "  y = bitcast_convert(reshape(x, u8[n,16," +
                    t.width + "]), " + t.name +
                    "[n,16])\n"
                    "instruction store(n; src, dst)\n  in  x = v[src : +n]\n  out y = d0[dst : +n*" +
                    bytes +
                    "]\n"
                    "  y = reshape(bitcast_convert(x, u8[n,16," +
                    t.width + "]), u8[n*" + bytes + "])\n" + Binary("mul", "  y = multiply(x, w)\n"));
    machine.ExpectComputes(
        "  p = " + shape + "parameter(0)\n  q = " + shape + "parameter(1)\n  ROOT r = " + shape +
            "multiply(p, q)\n",
        [&](const auto& in) {
          return Tensors{Map(in[0], in[1], [&](double x, double y) { return Round(t.type, x * y); })};
        });
    machine.ExpectRefused("  p = s32[4,16] parameter(0)\n  ROOT r = s32[4,16] multiply(p, p)\n",
                          {"multiply"});
  }
}

// pitfall 37
TEST(SpecPitfalls, ThirtyInputs) {
  std::string spec = "instruction sum30(; ", sum = "x0", regions, lines = Parameters(30, "s32[1,16]"),
              total = "p0";
  for (int k = 0; k < 30; ++k) {
    spec += "a" + std::to_string(k) + ", ";
    regions += "  in  x" + std::to_string(k) + " = v[a" + std::to_string(k) + " : +1]\n";
    if (k == 0) continue;
    sum = "subtract(" + sum + ", x" + std::to_string(k) + ")";
    lines += std::string("  ") + (k == 29 ? "ROOT " : "") + "t" + std::to_string(k) +
             " = s32[1,16] subtract(" + total + ", p" + std::to_string(k) + ")\n";
    total = "t" + std::to_string(k);
  }
  Machine machine(Toy(spec + "c)\n" + regions + "  out y = v[c : +1]\n  y = " + sum + "\n"));
  machine.ExpectComputes(lines, [](const auto& in) {
    Values out = in[0];
    for (size_t k = 1; k < in.size(); ++k) out = Map(out, in[k], Subtract);
    return Tensors{out};
  });
}

// pitfall 38
TEST(SpecPitfalls, InstructionsNamedLikeOperations) {
  Machine machine(Toy(Binary("add", "  y = multiply(x, w)\n") + Unary("copy", "  y = negate(x)\n") +
                      Binary("dot", "  y = subtract(x, w)\n") + Unary("slice", "  y = not(x)\n")));
  machine.ExpectRefused(Parameters(2) + kRoot + "add(p0, p1)\n", {"operation 'add'"});
  machine.ExpectComputes(Parameters(1) + kRoot + "copy(p0)\n", [](const auto& in) { return in; });
  machine.ExpectComputes(Parameters(2) + "  m = s32[4,16] multiply(p0, p1)\n  n = s32[4,16] negate(m)\n" +
                             kRoot + "subtract(n, p1)\n",
                         [](const auto& in) {
                           return Tensors{Map(in[0], in[1], [](double x, double y) {
                             return Subtract(Negate(Multiply(x, y)), y);
                           })};
                         });
}

// pitfall 39
TEST(SpecPitfalls, NamesThatDifferInCaseOnly) {
  Machine machine(Toy(Unary("mv_in", "  y = negate(x)\n") + Unary("mv_In", "  y = not(x)\n")));
  machine.ExpectComputes(
      Parameters(1) + "  n = s32[4,16] negate(p0)\n" + kRoot + "not(n)\n",
      [](const auto& in) { return Tensors{Map(in[0], [](double x) { return Subtract(-1, Negate(x)); })}; });
  machine.ExpectComputes(Parameters(1) + kRoot + "not(p0)\n", [](const auto& in) {
    return Tensors{Map(in[0], [](double x) { return Subtract(-1, x); })};
  });
}

// pitfall 42
TEST(SpecPitfalls, AnInstructionWithoutSemanticsIsLeftOut) {
  Machine machine(Toy("instruction fence(; a, c)\n  in  v[a : +1]\n  out v[c : +1]\n" +
                      Unary("neg", "  y = negate(x)\n")));
  const auto compiled = machine.ExpectComputes(Parameters(1) + kRoot + "negate(p0)\n",
                                               [](const auto& in) { return Tensors{Map(in[0], Negate)}; });
  ASSERT_TRUE(compiled);
  EXPECT_EQ(machine.Calls(compiled->program, "fence"), 0);
}

// pitfall 43
TEST(SpecPitfalls, ConstraintsOfSizesHold) {
  Machine machine(Toy(Unary("neg", "  where n % 16 == 0\n  y = negate(x)\n")));
  const auto kernel = [](const std::string& rows) {
    return "  p = s32[" + rows + ",16] parameter(0)\n  ROOT r = s32[" + rows + ",16] negate(p)\n";
  };
  machine.ExpectRefused(kernel("24"), {"negate"});
  machine.ExpectComputes(kernel("16"), [](const auto& in) { return Tensors{Map(in[0], Negate)}; });
  machine.ExpectComputes(kernel("32"), [](const auto& in) { return Tensors{Map(in[0], Negate)}; });
}

// pitfall 44
TEST(SpecPitfalls, AConstantStartBeforeOtherOperands) {
  Machine machine(
      Toy("instruction scale(n; b, c)\n  in  w = v[0 : +1]\n  in  x = v[b : +n]\n  out y = v[c : +n]\n"
          "  y = subtract(x, broadcast(reshape(w, s32[16]), s32[n,16], {1}))\n"));
  machine.ExpectComputes(
      "  p = s32[16] parameter(0)\n  q = s32[4,16] parameter(1)\n"
      "  b = s32[4,16] broadcast(p), dimensions={1}\n  ROOT r = s32[4,16] subtract(q, b)\n",
      [](const auto& in) {
        Values out = in[1];
        for (size_t i = 0; i < out.size(); ++i) out[i] = Subtract(out[i], in[0][i % 16]);
        return Tensors{out};
      });
}

}  // namespace
}  // namespace act::pitfalls
