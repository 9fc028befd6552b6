// Every axiom on random kernels in which it applies, both sides through the evaluator: bit for bit on special
// values too where it is exact, within the error bound where it is equal over the reals. And kernels that
// differ in one condition, where it must not apply.
#include <cmath>
#include <functional>

#include "unit/select/testing.h"

namespace act::select {
namespace {

const Axiom& Find(std::string_view name) {
  for (const Axiom& axiom : Axioms()) {
    if (axiom.name == name) return axiom;
  }
  ADD_FAILURE() << "no axiom " << name;
  return Axioms()[0];
}

std::string Dims(int64_t p, int64_t r) { return "[" + std::to_string(p) + "," + std::to_string(r) + "]"; }

std::string PickOf(Random* random, const std::vector<std::string>& names) {
  return names[random->Below(names.size())];
}

// A kernel in which the axiom applies.
using Maker = std::function<std::string(Random*)>;

std::string Neutral(Random* random) {
  const std::string type = PickOf(random, {"f32", "bf16", "f16", "f64", "s32", "s8", "u8", "s64"});
  const bool is_float = type.find('f') != std::string::npos;
  const std::string shape = type + Dims(random->Between(1, 5), random->Between(1, 5));
  const std::vector<std::pair<std::string, std::string>> all = {
      {"1", "multiply(x, c)"}, {"1", "multiply(c, x)"}, {"1", "divide(x, c)"},
      {"0", "subtract(x, c)"}, {"0", "add(x, c)"},      {"0", "add(c, x)"}};
  const auto& [value, operation] = all[random->Below(is_float ? 4 : 6)];
  return ModuleText("  x = " + shape + " parameter(0)\n  one = " + type + "[] constant(" + value +
                    ")\n  c = " + shape + " broadcast(one), dimensions={}\n  ROOT r = " + shape + " " +
                    operation + "\n");
}

std::string ThereAndBack(Random* random) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"bf16", "f32"}, {"f16", "f32"}, {"bf16", "f64"}, {"f16", "f64"}, {"f32", "f64"}, {"s8", "s32"},
      {"s8", "s16"},   {"u8", "s16"},  {"u8", "u32"},   {"s16", "s64"}, {"u16", "s32"}, {"s32", "s64"}};
  const auto& [narrow, wide] = pairs[random->Below(pairs.size())];
  const std::string dims = Dims(random->Between(1, 5), random->Between(1, 5));
  return ModuleText("  x = " + narrow + dims + " parameter(0)\n  w = " + wide + dims +
                    " convert(x)\n  ROOT r = " + narrow + dims + " convert(w)\n");
}

std::string WiderReduce(Random* random) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"bf16", "f32"}, {"f16", "f32"}, {"s8", "s32"}, {"u8", "u32"}, {"s8", "s16"}, {"s16", "s64"}};
  const auto& [narrow, wide] = pairs[random->Below(pairs.size())];
  const bool is_float = wide == "f32";
  const uint64_t kind = random->Below(is_float ? 4 : 2);
  const std::string name = kind == 0 ? "add" : kind == 1 ? "mul" : kind == 2 ? "max" : "min";
  const std::string start = kind == 0 ? "0" : kind == 1 ? "1" : kind == 2 ? "-inf" : "inf";
  const int64_t p = random->Between(1, 4), r = random->Between(1, 9);
  const std::string dims = Dims(p, r), kept = "[" + std::to_string(p) + "]";
  return ModuleText("  x = " + narrow + dims + " parameter(0)\n  w = " + wide + dims +
                    " convert(x)\n  i = " + wide + "[] constant(" + start + ")\n  s = " + wide + kept +
                    " reduce(w, i), dimensions={1}, to_apply=" + name + "_" + wide +
                    "\n  ROOT r = " + narrow + kept + " convert(s)\n");
}

std::string PowerOfTwo(Random* random) {
  const std::string type = PickOf(random, {"f32", "bf16", "f16", "f64"});
  const std::string shape = type + Dims(random->Between(1, 5), random->Between(1, 5));
  const int k = static_cast<int>(random->Between(-14, 14));
  std::string value = std::to_string(std::ldexp(1.0, k));
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", std::ldexp(random->Below(2) == 0 ? 1.0 : -1.0, k));
  value = text;
  return ModuleText("  x = " + shape + " parameter(0)\n  one = " + type + "[] constant(" + value +
                    ")\n  c = " + shape + " broadcast(one), dimensions={}\n  ROOT r = " + shape +
                    " divide(x, c)\n");
}

std::string Reciprocal(Random* random) {
  const std::string type = PickOf(random, {"f32", "bf16", "f16"});
  const std::string shape = type + Dims(random->Between(1, 5), random->Between(1, 5));
  const std::string order = random->Below(2) == 0 ? "x, q" : "q, x";
  return ModuleText("  x = " + shape + " parameter(0)\n  y = " + shape + " parameter(1)\n  one = " + type +
                    "[] constant(1)\n  c = " + shape + " broadcast(one), dimensions={}\n  q = " + shape +
                    " divide(c, y)\n  ROOT r = " + shape + " multiply(" + order + ")\n");
}

std::string Softmax(Random* random) {
  const std::string type = PickOf(random, {"f32", "bf16", "f16"});
  const int64_t p = random->Between(1, 5), r = random->Between(2, 6);
  const std::string shape = type + Dims(p, r), rows = type + "[" + std::to_string(p) + "]";
  const bool maximum = random->Below(2) == 0;
  std::string body = "  x = " + shape + " parameter(0)\n  zero = " + type + "[] constant(0)\n";
  if (maximum) {
    body += "  low = " + type + "[] constant(-inf)\n  m = " + rows +
            " reduce(x, low), dimensions={1}, to_apply=max_" + type + "\n";
  } else {
    body += "  m = " + rows + " parameter(1)\n";
  }
  return ModuleText(body + "  g = " + shape + " broadcast(m), dimensions={0}\n  d = " + shape +
                    " subtract(x, g)\n  e = " + shape + " exponential(d)\n  s = " + rows +
                    " reduce(e, zero), dimensions={1}, to_apply=add_" + type + "\n  t = " + shape +
                    " broadcast(s), dimensions={0}\n  ROOT r = " + shape + " divide(e, t)\n");
}

struct Case {
  const char* axiom;
  Maker maker;
};
const Case kCases[] = {{"neutral-operand", Neutral},
                       {"convert-there-and-back", ThereAndBack},
                       {"reduce-in-wider-type", WiderReduce},
                       {"quotient-by-power-of-two", PowerOfTwo},
                       {"product-with-reciprocal", Reciprocal},
                       {"softmax-without-shift", Softmax}};

// Places where the axiom would apply.
std::vector<NodeId> Places(const Axiom& axiom, TensorGraph* graph) {
  std::vector<NodeId> out;
  for (size_t i = 0; i < graph->graph().num_node_ids(); ++i) {
    const NodeId id(i);
    if (graph->graph().alive(id) && axiom.apply(graph, id, /*dry=*/true)) out.push_back(id);
  }
  return out;
}

TEST(Axioms, EveryOneHasACase) {
  ASSERT_EQ(std::size(kCases), Axioms().size());
  for (size_t i = 0; i < Axioms().size(); ++i) EXPECT_EQ(Axioms()[i].name, kCases[i].axiom);
}

// pitfall 85
TEST(Axioms, BothSidesAreEqualOnRandomInstances) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.axiom);
    const Axiom& axiom = Find(c.axiom);
    Random random(7);
    int64_t decided = 0;
    for (int i = 0; i < Scaled(1000); ++i) {
      const std::string text = c.maker(&random);
      const hlo::FlatKernel kernel = MakeKernel(text);
      ASSERT_FALSE(kernel.outputs.empty());
      OperatorTable operators;
      TensorGraph graph(&operators);
      const ClassId root = LowerInto(kernel, &graph).outputs[0];
      const size_t before = graph.graph().num_node_ids();
      const std::vector<NodeId> places = Places(axiom, &graph);
      ASSERT_FALSE(places.empty()) << text;
      ASSERT_EQ(graph.graph().num_node_ids(), before) << "a dry run changed the graph";
      const ElementType type = kernel.output_shapes[0].type;
      const bool exact = axiom.marks.exact_everywhere() || !IsFloat(type);
      const std::vector<Literal> inputs = RandomLiterals(kernel, &random, exact);
      for (NodeId place : places) {
        if (!graph.graph().alive(place)) continue;
        EXPECT_TRUE(axiom.apply(&graph, place, /*dry=*/false));
      }
      graph.Rebuild();
      ASSERT_EQ(graph.fault(), "") << text;
      ASSERT_TRUE(Places(axiom, &graph).size() <= places.size());
      const Evaluated evaluated = EvaluateGraph(graph, operators, inputs);
      if (exact) {
        ASSERT_TRUE(evaluated.faults.empty()) << evaluated.faults[0] << "\n" << text;
        continue;
      }
      const auto bounded = eval::EvaluateWithBound(kernel, inputs);
      ASSERT_TRUE(bounded.ok());
      int forms = 0;
      for (NodeId n : graph.graph().Nodes(root)) {
        std::vector<const std::vector<uint8_t>*> operands;
        for (size_t k = 0; k < graph.graph().node(n).children.size(); ++k) {
          operands.push_back(&evaluated.bytes.at(graph.child(n, k)));
        }
        const auto bytes = EvaluateOperator(operators, graph.op(n), operands);
        ASSERT_TRUE(bytes.ok());
        Literal value((*bounded)[0].value.shape);
        value.bytes = *bytes;
        ++forms;
        for (int64_t e = 0; e < value.num_elements(); ++e) {
          const double bound = (*bounded)[0].bound[static_cast<size_t>(e)];
          if (std::isinf(bound)) continue;
          ++decided;
          EXPECT_LE(std::abs(value.GetDouble(e) - (*bounded)[0].value.GetDouble(e)), bound) << text;
        }
      }
      EXPECT_GE(forms, 2);
    }
    if (!axiom.marks.exact_everywhere()) {
      EXPECT_GT(decided, 1000);
    }
  }
}

struct Negative {
  const char* name;
  const char* axiom;
  std::string body;
};

const std::string kX = "  x = f32[4,6] parameter(0)\n";
std::string Splat(const std::string& name, const std::string& type, const std::string& value) {
  return "  " + name + "0 = " + type + "[] constant(" + value + ")\n  " + name + " = " + type +
         "[4,6] broadcast(" + name + "0), dimensions={}\n";
}
std::string SoftmaxBody(const std::string& shift, const std::string& spread, const std::string& reducer,
                        const std::string& summed) {
  return kX + "  m = f32[4] parameter(1)\n  n = f32[6] parameter(2)\n  y = f32[4,6] parameter(3)\n" +
         "  zero = f32[] constant(0)\n  g = f32[4,6] " + shift +
         "\n  d = f32[4,6] subtract(x, g)\n  e = f32[4,6] exponential(d)\n  s = f32[4] reduce(" + summed +
         ", zero), dimensions={1}, to_apply=" + reducer + "_f32\n  t = f32[4,6] " + spread +
         "\n  ROOT r = f32[4,6] divide(e, t)\n";
}

const Negative kNegatives[] = {
    {"x * 2", "neutral-operand", kX + Splat("c", "f32", "2") + "  ROOT r = f32[4,6] multiply(x, c)\n"},
    {"1 / x", "neutral-operand", kX + Splat("c", "f32", "1") + "  ROOT r = f32[4,6] divide(c, x)\n"},
    {"0 - x", "neutral-operand", kX + Splat("c", "f32", "0") + "  ROOT r = f32[4,6] subtract(c, x)\n"},
    {"x - (-0) turns -0 into 0", "neutral-operand",
     kX + Splat("c", "f32", "-0") + "  ROOT r = f32[4,6] subtract(x, c)\n"},
    // pitfall 86
    {"x + 0 turns -0 into 0", "neutral-operand",
     kX + Splat("c", "f32", "0") + "  ROOT r = f32[4,6] add(x, c)\n"},
    {"the bits of integer one", "neutral-operand",
     kX + Splat("c", "s32", "1") + "  b = f32[4,6] bitcast-convert(c)\n  ROOT r = f32[4,6] multiply(x, b)\n"},
    {"ones but one", "neutral-operand",
     "  x = s8[3] parameter(0)\n  c = s8[3] constant({1, 1, 2})\n  ROOT r = s8[3] multiply(x, c)\n"},
    // pitfall 75
    {"s32 through s8", "convert-there-and-back",
     "  x = s32[4,6] parameter(0)\n  n = s8[4,6] convert(x)\n  ROOT r = s32[4,6] convert(n)\n"},
    {"f32 through bf16", "convert-there-and-back",
     kX + "  n = bf16[4,6] convert(x)\n  ROOT r = f32[4,6] convert(n)\n"},
    {"s8 through u8", "convert-there-and-back",
     "  x = s16[4,6] parameter(0)\n  n = u8[4,6] convert(x)\n  ROOT r = s16[4,6] convert(n)\n"},
    {"bf16 through s32", "convert-there-and-back",
     "  x = bf16[4,6] parameter(0)\n  n = s32[4,6] convert(x)\n  ROOT r = bf16[4,6] convert(n)\n"},
    {"bits of another type in between", "convert-there-and-back",
     "  x = f16[4,6] parameter(0)\n  w = f32[4,6] convert(x)\n  b = s32[4,6] bitcast-convert(w)\n  f = "
     "s16[4,6] "
     "convert(b)\n  ROOT r = f16[4,6] bitcast-convert(f)\n"},
    {"bf16 summed in f64", "reduce-in-wider-type",
     "  x = bf16[4,6] parameter(0)\n  w = f64[4,6] convert(x)\n  i = f64[] constant(0)\n  s = f64[4] "
     "reduce(w, i), "
     "dimensions={1}, to_apply=add_f64\n  ROOT r = bf16[4] convert(s)\n"},
    // pitfall 53
    {"summed from 5", "reduce-in-wider-type",
     "  x = bf16[4,6] parameter(0)\n  w = f32[4,6] convert(x)\n  i = f32[] constant(5)\n  s = f32[4] "
     "reduce(w, i), "
     "dimensions={1}, to_apply=add_f32\n  ROOT r = bf16[4] convert(s)\n"},
    {"from another narrow type", "reduce-in-wider-type",
     "  x = f16[4,6] parameter(0)\n  w = f32[4,6] convert(x)\n  i = f32[] constant(0)\n  s = f32[4] "
     "reduce(w, i), "
     "dimensions={1}, to_apply=add_f32\n  ROOT r = bf16[4] convert(s)\n"},
    {"narrowed between", "reduce-in-wider-type",
     "  x = s32[4,6] parameter(0)\n  w = s8[4,6] convert(x)\n  i = s8[] constant(-128)\n  s = s8[4] "
     "reduce(w, i), "
     "dimensions={1}, to_apply=max_s8\n  ROOT r = s32[4] convert(s)\n"},
    {"x / 3", "quotient-by-power-of-two", kX + Splat("c", "f32", "3") + "  ROOT r = f32[4,6] divide(x, c)\n"},
    {"a reciprocal that overflows", "quotient-by-power-of-two",
     "  x = f16[4,6] parameter(0)\n" + Splat("c", "f16", "5.9604645e-08") +
         "  ROOT r = f16[4,6] divide(x, c)\n"},
    {"by zero", "quotient-by-power-of-two",
     kX + Splat("c", "f32", "0") + "  ROOT r = f32[4,6] divide(x, c)\n"},
    {"by infinity", "quotient-by-power-of-two",
     kX + Splat("c", "f32", "inf") + "  ROOT r = f32[4,6] divide(x, c)\n"},
    {"integers divide toward zero", "quotient-by-power-of-two",
     "  x = s32[4,6] parameter(0)\n" + Splat("c", "s32", "4") + "  ROOT r = s32[4,6] divide(x, c)\n"},
    {"2 / x", "quotient-by-power-of-two", kX + Splat("c", "f32", "2") + "  ROOT r = f32[4,6] divide(c, x)\n"},
    {"2 and 4", "quotient-by-power-of-two",
     "  x = f32[2] parameter(0)\n  c = f32[2] constant({2, 4})\n  ROOT r = f32[2] divide(x, c)\n"},
    {"x * (2 / y)", "product-with-reciprocal",
     kX + Splat("c", "f32", "2") + "  q = f32[4,6] divide(c, x)\n  ROOT r = f32[4,6] multiply(x, q)\n"},
    {"integer reciprocal", "product-with-reciprocal",
     "  x = s32[4,6] parameter(0)\n" + Splat("c", "s32", "1") +
         "  q = s32[4,6] divide(c, x)\n  ROOT r = s32[4,6] multiply(x, q)\n"},
    {"reciprocal of the numerator", "product-with-reciprocal",
     kX + Splat("c", "f32", "1") + "  q = f32[4,6] divide(x, c)\n  ROOT r = f32[4,6] multiply(x, q)\n"},
    {"reciprocal in another type", "product-with-reciprocal",
     "  x = f16[4,6] parameter(0)\n  y = bf16[4,6] parameter(1)\n" + Splat("c", "bf16", "1") +
         "  q = bf16[4,6] divide(c, y)\n  b = f16[4,6] bitcast-convert(q)\n  ROOT r = f16[4,6] multiply(x, "
         "b)\n"},
    {"shift of one value a column", "softmax-without-shift",
     SoftmaxBody("broadcast(n), dimensions={1}", "broadcast(s), dimensions={0}", "add", "e")},
    {"shift of any value", "softmax-without-shift",
     SoftmaxBody("copy(y)", "broadcast(s), dimensions={0}", "add", "e")},
    {"over the largest", "softmax-without-shift",
     SoftmaxBody("broadcast(m), dimensions={0}", "broadcast(s), dimensions={0}", "max", "e")},
    {"over another's sums", "softmax-without-shift",
     SoftmaxBody("broadcast(m), dimensions={0}", "broadcast(s), dimensions={0}", "add", "y")},
    // The sums of rows laid along columns of a square.
    {"sums along the other axis", "softmax-without-shift",
     "  x = f32[4,4] parameter(0)\n  m = f32[4] parameter(1)\n  zero = f32[] constant(0)\n  g = f32[4,4] "
     "broadcast(m), dimensions={0}\n  d = f32[4,4] subtract(x, g)\n  e = f32[4,4] exponential(d)\n  s = "
     "f32[4] "
     "reduce(e, zero), dimensions={1}, to_apply=add_f32\n  t = f32[4,4] broadcast(s), dimensions={1}\n  ROOT "
     "r = "
     "f32[4,4] divide(e, t)\n"},
    {"exponentials whose bits are read in another type", "softmax-without-shift",
     "  x = f16[4,6] parameter(0)\n  m = f16[4] parameter(1)\n  zero = bf16[] constant(0)\n  g = f16[4,6] "
     "broadcast(m), dimensions={0}\n  d = f16[4,6] subtract(x, g)\n  f = f16[4,6] exponential(d)\n  e = "
     "bf16[4,6] "
     "bitcast-convert(f)\n  s = bf16[4] reduce(e, zero), dimensions={1}, to_apply=add_bf16\n  t = bf16[4,6] "
     "broadcast(s), dimensions={0}\n  ROOT r = bf16[4,6] divide(e, t)\n"},
};

TEST(Axioms, DoNotApplyWhereOneConditionFails) {
  for (const Negative& c : kNegatives) {
    SCOPED_TRACE(c.name);
    const hlo::FlatKernel kernel = MakeKernel(ModuleText(c.body));
    if (kernel.outputs.empty()) continue;
    OperatorTable operators;
    TensorGraph graph(&operators);
    LowerInto(kernel, &graph);
    EXPECT_TRUE(Places(Find(c.axiom), &graph).empty());
  }
}

// pitfall 74: conditions of one match are never used for another.
TEST(Axioms, SlicesOfTwoConvertsStayApart) {
  const hlo::FlatKernel kernel = MakeKernel(
      ModuleText("  x = s8[16] parameter(0)\n  y = s8[16] parameter(1)\n  a = s32[16] convert(x)\n  b = "
                 "s32[16] convert(y)\n"
                 "  p = s32[8] slice(a), slice={[0:8]}\n  q = s32[8] slice(b), slice={[8:16]}\n"
                 "  c = s8[8] convert(p)\n  d = s8[8] convert(q)\n  ROOT r = (s8[8], s8[8]) tuple(c, d)\n"));
  OperatorTable operators;
  TensorGraph graph(&operators);
  const Lowered lowered = LowerInto(kernel, &graph);
  SaturateReport report;
  Saturate(&graph, {}, &report);
  EXPECT_EQ(graph.Find(lowered.outputs[0]), graph.Find(graph.AddView(lowered.inputs[0], View({{8, 1}}))));
  EXPECT_EQ(graph.Find(lowered.outputs[1]), graph.Find(graph.AddView(lowered.inputs[1], View({{8, 1}}, 8))));
  EXPECT_NE(graph.Find(lowered.outputs[0]), graph.Find(lowered.outputs[1]));
}

}  // namespace
}  // namespace act::select
