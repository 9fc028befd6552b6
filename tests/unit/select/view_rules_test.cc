// The rules that see through views: in a saturated graph every e-node of every class has the same bytes.
#include "unit/select/testing.h"

namespace act::select {
namespace {

SaturateOptions Exact(int64_t nodes) {
  SaturateOptions options;
  options.max_nodes = nodes;
  options.numerics = Numerics::kStrict;
  return options;
}

// A random permutation of the modes of a dense vector of elements, some of them reversed or repeated.
View RandomView(Random* random, int64_t bytes, int64_t width) {
  int64_t elements = bytes / width;
  std::vector<Mode> modes;
  int64_t stride = bytes;
  while (elements > 1) {
    int64_t extent = random->Between(2, elements);
    while (elements % extent != 0) ++extent;
    stride /= extent;
    modes.push_back({extent, stride});
    elements /= extent;
  }
  for (size_t i = modes.size(); i > 1; --i) std::swap(modes[i - 1], modes[random->Below(i)]);
  int64_t offset = 0;
  for (Mode& mode : modes) {
    const uint64_t kind = random->Below(8);
    if (kind == 0) {
      offset += (mode.extent - 1) * mode.stride;
      mode.stride = -mode.stride;
    } else if (kind == 1) {
      mode.stride = 0;
    }
  }
  return View::OfElements(modes, width, offset);
}

// Adds views of random classes, as the state search does when it asks for operands.
void Ask(TensorGraph* graph, Random* random, int count) {
  const std::vector<ClassId> classes = graph->graph().Classes();
  for (int i = 0; i < count; ++i) {
    const ClassId id = classes[random->Below(classes.size())];
    const int64_t bytes = graph->Bytes(id);
    const int64_t width = bytes % 4 == 0 && random->Below(2) == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
    graph->AddView(id, RandomView(random, bytes, width));
  }
}

// Adds the number of e-nodes looked at to `nodes`.
void CheckKernel(uint64_t seed, const KernelOptions& kernel_options, int asked, int64_t* nodes) {
  Random random(seed);
  const std::string text = RandomKernel(&random, kernel_options);
  const hlo::FlatKernel kernel = MakeKernel(text);
  if (kernel.outputs.empty()) return;
  OperatorTable operators;
  TensorGraph graph(&operators);
  const Lowered lowered = LowerInto(kernel, &graph);
  SaturateReport report;
  Saturate(&graph, Exact(1500), &report);
  if (asked > 0) {
    Ask(&graph, &random, asked);
    graph.Rebuild();
    Saturate(&graph, Exact(2500), &report);
  }
  ASSERT_EQ(graph.fault(), "") << text;
  ASSERT_EQ(graph.graph().CheckInvariants(), "") << text;
  const std::vector<Literal> inputs = RandomLiterals(kernel, &random, random.Below(3) == 0);
  const Evaluated evaluated = EvaluateGraph(graph, operators, inputs);
  *nodes += evaluated.nodes;
  ASSERT_TRUE(evaluated.faults.empty()) << "seed " << seed << ": " << evaluated.faults.size()
                                        << " faults, first " << evaluated.faults[0] << "\n"
                                        << text;
  const auto expected = eval::Evaluate(kernel, inputs);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  for (size_t k = 0; k < lowered.outputs.size(); ++k) {
    ASSERT_EQ(evaluated.bytes.at(graph.Find(lowered.outputs[k])), (*expected)[k].bytes)
        << "output " << k << "\n"
        << text;
  }
}

TEST(ViewRules, EveryNodeOfAClassIsEqualOnIntegers) {
  KernelOptions options;
  options.floats = false;
  int64_t nodes = 0;
  for (int i = 0; i < Scaled(150); ++i) {
    options.operations = 5 + i % 35;
    CheckKernel(static_cast<uint64_t>(i), options, i % 3 == 0 ? 0 : 6, &nodes);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(nodes, 40 * Scaled(150));  // the graphs are not empty
}

TEST(ViewRules, EveryNodeOfAClassIsEqualOnEveryType) {
  KernelOptions options;
  int64_t nodes = 0;
  for (int i = 0; i < Scaled(150); ++i) {
    options.operations = 5 + i % 35;
    CheckKernel(1000000 + static_cast<uint64_t>(i), options, i % 3 == 0 ? 0 : 6, &nodes);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(nodes, 40 * Scaled(150));  // the graphs are not empty
}

TEST(ViewRules, EveryNodeOfAClassIsEqualInDataMovement) {
  KernelOptions options;
  options.movement_only = true;
  int64_t nodes = 0;
  for (int i = 0; i < Scaled(150); ++i) {
    options.operations = 5 + i % 35;
    CheckKernel(2000000 + static_cast<uint64_t>(i), options, 10, &nodes);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(nodes, 12 * Scaled(150));  // the graphs are not empty
}

}  // namespace
}  // namespace act::select
