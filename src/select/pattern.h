// What an instruction computes at concrete attributes, as a pattern over the tensor language: views peeled
// from parameters and root, a DAG of operators between them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "isa/isa.h"
#include "select/lower.h"
#include "select/numerics.h"

namespace act::select {

// The operand is View{view}(value of node).
struct PatternEdge {
  int32_t node = -1;
  View view;
};

struct PatternNode {
  enum class Kind : uint8_t {
    kParameter,  // input region `parameter`
    kConstant,   // constant bytes
    kFree,       // any constant vector: the diagonal of a constant operand
    kOperation,
  };
  Kind kind = Kind::kOperation;
  int64_t bytes = 0;
  int32_t parameter = -1;
  std::vector<uint8_t> constant;
  egraph::OpId op = 0;
  std::vector<PatternEdge> children;
};

// An input that must hold a constant for the pattern to hold.
struct ConstantOperand {
  int32_t parameter = -1;
  std::vector<uint8_t> bytes;  // of the region, or, for a diagonal, empty:
  int32_t diagonal = -1;       // the kFree node with the diagonal's `size` elements of `width` bytes
  int64_t size = 0;
  int64_t width = 0;
  View placement;  // matrix byte -> region byte, inverted: region = View{placement}(matrix)
};

struct Pattern {
  std::vector<PatternNode> nodes;  // children before parents
  PatternEdge root;                // the output region's content
  std::vector<ConstantOperand> constants;
  NumericMarks marks;
  std::string specialisation;  // "", or for example "y = identity"
  bool dangling = false;       // a diagonal that the root no longer reads: no pattern
  bool IsTransfer() const {
    return nodes[static_cast<size_t>(root.node)].kind == PatternNode::Kind::kParameter;
  }
};

// The base pattern first, then the specialisations: one or two operands replaced by 0, 1, -1, the identity,
// the reversed identity or a diagonal matrix, kept where the operand vanishes from the result. A failure says
// why the instruction has no pattern.
StatusOr<std::vector<Pattern>> DerivePatterns(const isa::Accelerator& accelerator,
                                              const isa::Instruction& instruction,
                                              std::span<const int64_t> computational,
                                              OperatorTable* operators);

// "transfer View[..](x)" or "compute divide.bf16(exponential.bf16(x), ..)" for reports.
std::string ToString(const Pattern& pattern, const isa::Instruction& instruction,
                     const OperatorTable& operators);

}  // namespace act::select
