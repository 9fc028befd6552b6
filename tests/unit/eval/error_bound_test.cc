// The bound against evaluations that round otherwise: every operation moved to a neighbour, sums in another
// order, or wider types.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "test_util.h"

namespace act::eval {
namespace {

int Scaled(int base) {
  const char* text = std::getenv("ACT_TEST_SCALE");
  const int count = static_cast<int>(base * (text == nullptr ? 1.0 : std::strtod(text, nullptr)));
  return count < 1 ? 1 : count;
}

hlo::FlatKernel Kernel(const std::string& type, const std::string& body) {
  std::string text =
      "HloModule m\nsum {\n  x = T[] parameter(0)\n  y = T[] parameter(1)\n  ROOT z = T[] add(x, y)\n}\n"
      "max {\n  x = T[] parameter(0)\n  y = T[] parameter(1)\n  ROOT z = T[] maximum(x, y)\n}\n"
      "ENTRY e {\n" +
      body + "}\n";
  for (size_t at = text.find("T["); at != std::string::npos; at = text.find("T[", at))
    text.replace(at, 1, type);
  const auto module = hlo::Parse(SourceText("k.hlo", text));
  if (!module.ok()) {
    ADD_FAILURE() << module.status().message() << text;
    return {};
  }
  auto kernel = hlo::Flatten(*module);
  if (!kernel.ok()) {
    ADD_FAILURE() << kernel.status().message();
    return {};
  }
  return *std::move(kernel);
}

// Evaluates in f64 and rounds every result up, down, to the nearest or not at all, as a program may that is
// equal over the reals and rounds to the kernel's types or wider.
class Perturbed {
 public:
  Perturbed(const hlo::FlatKernel& kernel, Random* random) : kernel_(kernel), random_(*random) {}

  StatusOr<std::vector<double>> Run(const std::vector<Literal>& inputs) {
    std::vector<Literal> values;
    for (const hlo::Instruction& in : kernel_.body.instructions) {
      const bool is_float = IsFloat(in.shape.type);
      if (in.opcode == hlo::Opcode::kParameter) {
        ACT_ASSIGN_OR_RETURN(Literal wide, Widen(inputs[static_cast<size_t>(in.parameter_number)]));
        values.push_back(std::move(wide));
        continue;
      }
      if (in.opcode == hlo::Opcode::kConstant) {
        ACT_ASSIGN_OR_RETURN(Literal wide, Widen(*in.literal));
        values.push_back(std::move(wide));
        continue;
      }
      hlo::Instruction wide = in;
      if (is_float) wide.shape.type = ElementType::kF64;
      std::vector<const Literal*> operands;
      for (int32_t o : in.operands) operands.push_back(&values[static_cast<size_t>(o)]);
      if (in.opcode == hlo::Opcode::kConvert && is_float) wide.opcode = hlo::Opcode::kCopy;
      ACT_ASSIGN_OR_RETURN(Literal value, EvaluateInstruction(wide, operands));
      if (is_float && Rounds(in.opcode)) {
        for (int64_t i = 0; i < value.num_elements(); ++i)
          value.SetDouble(i, Round(value.GetDouble(i), in.shape.type));
      }
      values.push_back(std::move(value));
    }
    const Literal& out = values[static_cast<size_t>(kernel_.outputs[0])];
    std::vector<double> result;
    for (int64_t i = 0; i < out.num_elements(); ++i) result.push_back(out.GetDouble(i));
    return result;
  }

 private:
  static StatusOr<Literal> Widen(const Literal& literal) {
    if (!IsFloat(literal.shape.type)) return literal;
    return ConvertLiteral(literal, ElementType::kF64);
  }
  static bool Rounds(hlo::Opcode opcode) {
    return opcode == hlo::Opcode::kDot || opcode == hlo::Opcode::kReduce || hlo::IsElementwise(opcode);
  }
  // To the type (or f32), by at most half a unit in the last place, ties either way; or not at all.
  double Round(double x, ElementType type) {
    if (random_.Below(4) == 0 || x == 0 || !std::isfinite(x)) return x;
    Literal one(Shape::Array(random_.Below(4) == 0 ? ElementType::kF32 : type, {}));
    one.SetDouble(0, x);
    const double nearest = one.GetDouble(0);
    // Anything within the distance that rounding to nearest may move.
    return x + (nearest - x) * random_.Uniform();
  }
  const hlo::FlatKernel& kernel_;
  Random& random_;
};

struct Case {
  const char* name;
  const char* body;
};

const Case kCases[] = {
    {"a sum of two", "  x = T[8] parameter(0)\n  y = T[8] parameter(1)\n  ROOT r = T[8] add(x, y)\n"},
    {"cancellation",
     "  x = T[8] parameter(0)\n  y = T[8] parameter(1)\n  p = T[8] multiply(x, y)\n  q = T[8] add(p, x)\n  d "
     "= T[8] "
     "subtract(q, p)\n  e = T[8] subtract(d, x)\n  ROOT r = T[8] multiply(e, y)\n"},
    {"a quotient",
     "  x = T[8] parameter(0)\n  y = T[8] parameter(1)\n  s = T[8] add(x, y)\n  ROOT r = T[8] divide(x, "
     "s)\n"},
    {"functions",
     "  x = T[8] parameter(0)\n  y = T[8] parameter(1)\n  p = T[8] multiply(x, y)\n  e = T[8] "
     "exponential(p)\n  t = T[8] "
     "tanh(e)\n  l = T[8] logistic(t)\n  ROOT r = T[8] rsqrt(l)\n"},
    {"sine of a product",
     "  x = T[8] parameter(0)\n  p = T[8] multiply(x, x)\n  s = T[8] sine(p)\n  ROOT r = T[8] log(p)\n"},
    {"largest and clamped",
     "  x = T[8] parameter(0)\n  y = T[8] parameter(1)\n  p = T[8] multiply(x, y)\n  m = T[8] maximum(p, "
     "x)\n  a = T[8] "
     "abs(m)\n  ROOT r = T[8] clamp(x, a, y)\n"},
    {"a product of matrices",
     "  x = T[4,9] parameter(0)\n  y = T[9,3] parameter(1)\n  z = T[3,5] parameter(2)\n  p = T[4,3] dot(x, "
     "y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  ROOT r = T[4,5] dot(p, z), "
     "lhs_contracting_dims={1}, "
     "rhs_contracting_dims={0}\n"},
    {"softmax",
     "  x = T[4,9] parameter(0)\n  zero = T[] constant(0)\n  low = T[] constant(-inf)\n  m = T[4] reduce(x, "
     "low), "
     "dimensions={1}, to_apply=max\n  g = T[4,9] broadcast(m), dimensions={0}\n  d = T[4,9] subtract(x, g)\n "
     " e = T[4,9] "
     "exponential(d)\n  s = T[4] reduce(e, zero), dimensions={1}, to_apply=sum\n  t = T[4,9] broadcast(s), "
     "dimensions={0}\n  ROOT r = T[4,9] divide(e, t)\n"},
    {"through a wider type",
     "  x = T[8] parameter(0)\n  w = f64[8] convert(x)\n  p = f64[8] multiply(w, w)\n  n = T[8] convert(p)\n "
     " ROOT r = "
     "T[8] add(n, x)\n"},
    {"a choice between sums",
     "  x = T[8] parameter(0)\n  y = T[8] parameter(1)\n  c = pred[8] compare(x, y), direction=LT\n  s = "
     "T[8] add(x, "
     "y)\n  ROOT r = T[8] select(c, s, x)\n"},
};

TEST(ErrorBound, IsNeverExceededByOtherRoundings) {
  Random random(21);
  int64_t decided = 0, moved = 0;
  for (const Case& c : kCases) {
    for (const char* type : {"bf16", "f16", "f32"}) {
      SCOPED_TRACE(std::string(c.name) + " in " + type);
      const hlo::FlatKernel kernel = Kernel(type, c.body);
      if (kernel.outputs.empty()) continue;
      for (int run = 0; run < Scaled(60); ++run) {
        std::vector<Literal> inputs;
        for (const Shape& shape : kernel.parameter_shapes) {
          inputs.emplace_back(Shape::Array(shape.type, shape.dims));
          const double scale = std::ldexp(1, static_cast<int>(random.Between(-6, 4)));
          for (int64_t i = 0; i < inputs.back().num_elements(); ++i)
            inputs.back().SetDouble(i, scale * random.Normal());
        }
        const auto bounded = EvaluateWithBound(kernel, inputs);
        ASSERT_TRUE(bounded.ok()) << bounded.status().message();
        const auto plain = Evaluate(kernel, inputs);
        ASSERT_TRUE(plain.ok());
        ASSERT_EQ((*bounded)[0].value, (*plain)[0]);
        for (int other = 0; other < 5; ++other) {
          const auto perturbed = Perturbed(kernel, &random).Run(inputs);
          ASSERT_TRUE(perturbed.ok()) << perturbed.status().message();
          for (size_t i = 0; i < perturbed->size(); ++i) {
            const double bound = (*bounded)[0].bound[i];
            ASSERT_GE(bound, 0);  // never NaN
            if (std::isinf(bound)) continue;
            const double difference =
                std::abs((*perturbed)[i] - (*bounded)[0].value.GetDouble(static_cast<int64_t>(i)));
            EXPECT_LE(difference, bound) << "element " << i;
            ++decided;
            if (difference > 0) ++moved;
          }
        }
      }
    }
  }
  EXPECT_GT(decided, 10000);
  EXPECT_GT(moved, decided / 4);  // the other roundings do round otherwise
}

struct Infinite {
  const char* name;
  const char* body;
  std::vector<double> x;
};

TEST(ErrorBound, UnknownNeighbourhoodsAreInfinite) {
  const Infinite cases[] = {
      {"a comparison that could go either way",
       "  x = T[1] parameter(0)\n  p = T[1] multiply(x, x)\n  c = pred[1] compare(p, x), direction=LT\n  "
       "ROOT r = T[1] "
       "select(c, p, x)\n",
       {1}},
      {"division by what may be zero",
       "  x = T[1] parameter(0)\n  p = T[1] multiply(x, x)\n  d = T[1] subtract(p, x)\n  "
       "ROOT r = T[1] divide(x, d)\n",
       {1}},
      {"overflow", "  x = T[1] parameter(0)\n  ROOT r = T[1] multiply(x, x)\n", {1e30}},
      {"an integer that may wrap",
       "  x = T[1] parameter(0)\n  p = T[1] multiply(x, x)\n  i = s32[1] convert(p)\n  n = s8[1] "
       "convert(i)\n  ROOT r = "
       "T[1] convert(n)\n",
       {12}},
      {"the logarithm of what may be negative",
       "  x = T[1] parameter(0)\n  p = T[1] multiply(x, x)\n  d = T[1] subtract(p, x)\n  ROOT r = T[1] "
       "log(d)\n",
       {1}},
  };
  for (const Infinite& c : cases) {
    SCOPED_TRACE(c.name);
    const hlo::FlatKernel kernel = Kernel("f32", c.body);
    const auto bounded =
        EvaluateWithBound(kernel, std::vector<Literal>{MakeDoubles(ElementType::kF32, {1}, c.x)});
    ASSERT_TRUE(bounded.ok()) << bounded.status().message();
    EXPECT_TRUE(std::isinf((*bounded)[0].bound[0])) << (*bounded)[0].bound[0];
  }
}

TEST(ErrorBound, DataMovementAndIntegersAreExact) {
  const hlo::FlatKernel kernel = Kernel(
      "f32",
      "  x = T[4] parameter(0)\n  v = T[2,2] reshape(x)\n  t = T[2,2] transpose(v), dimensions={1,0}\n  n = "
      "T[2,2] negate(t)\n  b = T[3,2,2] broadcast(n), dimensions={1,2}\n  ROOT r = T[3,2,1] slice(b), "
      "slice={[0:3], [0:2], [1:2]}\n");
  const auto bounded =
      EvaluateWithBound(kernel, std::vector<Literal>{MakeDoubles(ElementType::kF32, {4}, {1, 2, 3, 4})});
  ASSERT_TRUE(bounded.ok());
  for (double b : (*bounded)[0].bound) EXPECT_EQ(b, 0);
}

}  // namespace
}  // namespace act::eval
