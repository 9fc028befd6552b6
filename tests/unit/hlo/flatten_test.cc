#include "unit/hlo/hlo_testing.h"

namespace act::hlo {
namespace {

FlatKernel MustFlatten(const std::string& text) {
  StatusOr<FlatKernel> kernel = Flatten(MustParse(text));
  EXPECT_TRUE(kernel.ok()) << kernel.status().message();
  return kernel.ok() ? *kernel : FlatKernel();
}

std::string Refusal(const std::string& text) { return Flatten(MustParse(text)).status().message(); }

// "x:parameter y:negate ..." in order.
std::string Summary(const FlatKernel& kernel) {
  std::string out;
  for (const Instruction& i : kernel.body.instructions) {
    if (!out.empty()) out += ' ';
    out += i.name + ":" + std::string(OpcodeName(i.opcode));
    for (size_t k = 0; k < i.operands.size(); ++k) {
      out += (k == 0 ? "(" : ",") + kernel.body.instructions[static_cast<size_t>(i.operands[k])].name;
    }
    if (!i.operands.empty()) out += ")";
  }
  return out;
}

// pitfall 47
TEST(Flatten, TrivialRoots) {
  const FlatKernel parameter = MustFlatten(Entry("ROOT x = f32[2] parameter(0)"));
  EXPECT_EQ(Summary(parameter), "x:parameter");
  EXPECT_EQ(parameter.outputs, (std::vector<int32_t>{0}));
  EXPECT_EQ(Summary(MustFlatten(Entry("ROOT c = f32[] constant(1)"))), "c:constant");
}

// pitfall 73, 121
TEST(Flatten, UnusedParametersStayAndOtherUnusedValuesGo) {
  const FlatKernel kernel = MustFlatten(
      Entry("y = f32[3] parameter(1)\nx = f32[2] parameter(0)\nc = f32[] constant(1)\nd = f32[2] negate(x)\n"
            "e = f32[9] sort(y)\nROOT r = f32[2] abs(x)"));
  EXPECT_EQ(Summary(kernel), "y:parameter x:parameter r:abs(x)");
  EXPECT_EQ(kernel.body.parameters, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(ToString(kernel.parameter_shapes[1], true), "f32[3]{0}");
}

TEST(Flatten, CallsAreInlined) {
  const std::string text =
      "HloModule m\n"
      "inner {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  s = f32[] subtract(q, p)\n"
      "  ROOT t = tuple(s, p)\n}\n"
      "outer {\n  x = f32[] parameter(0)\n  c = (f32[], f32[]) call(x, x), to_apply=inner\n"
      "  d = f32[] get-tuple-element(c), index=0\n  e = f32[] get-tuple-element(c), index=1\n"
      "  ROOT s = f32[] multiply(d, e)\n}\n"
      "ENTRY main {\n  x = f32[] parameter(0)\n  a = f32[] call(x), to_apply=outer\n"
      "  ROOT b = f32[] call(a), to_apply=outer\n}\n";
  const FlatKernel kernel = MustFlatten(text);
  EXPECT_EQ(Summary(kernel),
            "x:parameter s:subtract(x,x) s.1:multiply(s,x) s.2:subtract(s.1,s.1) "
            "s.3:multiply(s.2,s.1)");
  EXPECT_EQ(kernel.outputs, (std::vector<int32_t>{4}));
  EXPECT_EQ(kernel.body.instructions[1].location.line, 5);
}

// pitfall 205
TEST(Flatten, TupleRootsAreSeveralOutputs) {
  const FlatKernel kernel = MustFlatten(
      "HloModule m, entry_computation_layout={(f32[2,2]{0,1})->(f32[2,2]{0,1}, f32[2,2]{1,0}, "
      "f32[2,2]{1,0})}\n"
      "ENTRY e {\n  x = f32[2,2] parameter(0)\n  y = f32[2,2] negate(x)\n  ROOT t = tuple(x, y, y)\n}\n");
  EXPECT_EQ(kernel.outputs, (std::vector<int32_t>{0, 1, 1}));
  ASSERT_EQ(kernel.output_shapes.size(), 3u);
  EXPECT_EQ(ToString(kernel.output_shapes[0], true), "f32[2,2]{0,1}");
  EXPECT_TRUE(MustFlatten(Entry("x = f32[] parameter(0)\nROOT t = tuple()")).outputs.empty());
}

// pitfall 55, 56, 59
TEST(Flatten, RefusesByNameAndLine) {
  const std::string x = "x = f32[4] parameter(0)\ni = f32[] constant(0)\n";
  EXPECT_EQ(Refusal(Entry("  x = f32[4] parameter(0)\n  ROOT y = f32[4] sort(x), dimensions={0}")),
            "k.hlo:5:8: operation 'sort' is not supported by the compiler");
  EXPECT_EQ(
      Refusal(WithCombiners(x + "ROOT y = f32[] reduce(x, i), dimensions={0}, to_apply=double_f32")),
      "k.hlo:24:6: operation 'reduce' of 'y' is not supported by the compiler: its combiner is none of add, "
      "multiply, minimum, maximum, and, or of its two parameters");
  EXPECT_EQ(
      Refusal(WithCombiners(x + "y = (f32[], f32[]) reduce(x, x, i, i), dimensions={0}, to_apply=add_f32\n"
                                "ROOT z = f32[] get-tuple-element(y), index=0")),
      "k.hlo:24:1: operation 'reduce' of several arrays at once is not supported by the compiler");
  EXPECT_EQ(Refusal(Entry("c = (f32[]) constant((1))\nROOT d = get-tuple-element(c), index=0")),
            "k.hlo:4:1: operation 'constant' of a tuple is not supported by the compiler");
  EXPECT_EQ(Refusal(Entry("x = f32[<=4] parameter(0)\nROOT y = f32[<=4] negate(x)")),
            "k.hlo:4:1: 'x' has the dynamic shape f32[<=4]; only static shapes are compiled");
  EXPECT_EQ(Refusal(Entry("x = (f32[4]) parameter(0)\nROOT y = f32[4] get-tuple-element(x), index=0")),
            "k.hlo:4:1: 'x' is a (f32[4]); only arrays are compiled");
  EXPECT_EQ(Refusal(Entry("x = f32[4] parameter(0)\nt = tuple(x, x)\nROOT y = tuple(x, t)")),
            "k.hlo:6:6: member 1 of the root 'y' is itself a tuple; return a flat tuple of arrays");
  EXPECT_EQ(Flatten(MustParse(Entry("ROOT y = f32[4] rng()"))).status().front().error_class,
            ErrorClass::kNotImplemented);
}

// Each computation calls the one before it twice: 2^60 instructions if nothing stopped it.
TEST(Flatten, CallsThatDoubleAreBounded) {
  const auto chain = [](const std::string& first, int count, int calls) {
    std::string text = "HloModule m\nf0 {\n  x = f32[] parameter(0)\n" + first + "}\n";
    for (int i = 1; i <= count; ++i) {
      text += (i == count ? "ENTRY f" : "f") + std::to_string(i) + " {\n  x0 = f32[] parameter(0)\n";
      for (int c = 0; c < calls; ++c) {
        text += "  x" + std::to_string(c + 1) + " = f32[] call(x" + std::to_string(c) + "), to_apply=f" +
                std::to_string(i - 1) + "\n";
      }
      text += "}\n";
    }
    return text;
  };
  const auto message = [](const std::string& text) {
    return Flatten(MustParse(text)).status().front().message;
  };
  EXPECT_EQ(message(chain("  y = f32[] negate(x)\n  z = f32[] negate(y)\n  w = f32[] negate(z)\n", 60, 2)),
            "inlining the calls gives more than 500000 instructions");
  EXPECT_EQ(message(chain("", 60, 2)), "inlining the calls takes more than 2000000 steps");
  EXPECT_EQ(Refusal(chain("", 300, 1)), "k.hlo:398:3: calls are nested deeper than 200 levels at 'f99'");
}

TEST(Flatten, DoubledTuplesStaySmall) {
  std::string lines = "x0 = f32[] parameter(0)\n";
  for (int i = 1; i <= 14; ++i) {
    const std::string last = "x" + std::to_string(i - 1);
    lines += "x" + std::to_string(i) + " = tuple(" + last + ", " + last + ")\n";
  }
  for (int i = 14; i >= 1; --i) {
    lines += "y" + std::to_string(i) + " = get-tuple-element(" +
             (i == 14 ? "x14" : "y" + std::to_string(i + 1)) + "), index=1\n";
  }
  EXPECT_EQ(Summary(MustFlatten(Entry(lines))), "x0:parameter");
}

}  // namespace
}  // namespace act::hlo
