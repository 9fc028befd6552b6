// What the tests of the selector share: random kernels, the lowered graph, and an evaluator of e-nodes.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "eval/eval.h"
#include "hlo/hlo.h"
#include "select/lower.h"
#include "select/rules.h"
#include "select/tensor_graph.h"

namespace act::select {

// Repetitions of random tests: `base` times ACT_TEST_SCALE (default 1).
inline int Scaled(int base) {
  const char* text = std::getenv("ACT_TEST_SCALE");
  const double scale = text == nullptr ? 1 : std::strtod(text, nullptr);
  const int count = static_cast<int>(base * scale);
  return count < 1 ? 1 : count;
}

// Parses and flattens; a fault fails the test and gives an empty kernel.
hlo::FlatKernel MakeKernel(const std::string& text);
// "HloModule m", the combiners add_T, max_T, ... that the body names, and the entry.
std::string ModuleText(const std::string& entry_body);

struct Lowered {
  std::vector<ClassId> inputs, outputs;
};
Lowered LowerInto(const hlo::FlatKernel& kernel, TensorGraph* graph);

// Random kernels of data movement and operations on small tensors.
struct KernelOptions {
  int operations = 20;
  int64_t max_elements = 96;
  bool floats = true;
  bool movement_only = false;
};
std::string RandomKernel(Random* random, const KernelOptions& options);

// Inputs of a kernel: ordinary values, or with some special ones (infinities, NaN, -0, subnormals, extremes).
std::vector<Literal> RandomLiterals(const hlo::FlatKernel& kernel, Random* random, bool special);
Literal RandomLiteral(const Shape& shape, Random* random, bool special);

// The bytes of an operator from its operands' bytes, through the reference evaluator. Inputs are not looked
// at here.
StatusOr<std::vector<uint8_t>> EvaluateOperator(const OperatorTable& operators, const Operator& op,
                                                const std::vector<const std::vector<uint8_t>*>& operands);

// The bytes of every class from those of the inputs, and the faults: e-nodes whose bytes are others than
// their class's. A class whose nodes all wait for one another has none.
struct Evaluated {
  std::map<ClassId, std::vector<uint8_t>> bytes;
  std::vector<std::string> faults;
  int64_t nodes = 0;
};
Evaluated EvaluateGraph(const TensorGraph& graph, const OperatorTable& operators,
                        const std::vector<Literal>& inputs);

}  // namespace act::select
