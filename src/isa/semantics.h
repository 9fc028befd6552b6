// What an instruction computes: a DAG of HLO operations whose dimensions and attributes are expressions over
// @c and @s.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "hlo/hlo.h"
#include "isa/expression.h"

namespace act::isa {

struct SymbolicSlice {
  Expression start, limit, stride;
  friend bool operator==(const SymbolicSlice&, const SymbolicSlice&) = default;
};

// The value of a constant: literal elements (one, or one an element in row-major order), or an expression.
struct SymbolicConstant {
  std::vector<double> floats;            // float types; exact
  std::vector<int64_t> integers;         // integer types and pred
  std::optional<Expression> expression;  // integer-valued, over @c and @s
  // Floats by their bits: NaN equals NaN, and 0 is not -0.
  friend bool operator==(const SymbolicConstant& a, const SymbolicConstant& b);
};

// One statement. Operations of TAIDL that HLO lacks are lowered when the text is read: reduce_add/max/min to
// reduce with the identity as init, select_lt to compare and select, log-plus-one etc. to HLO's names; `fma`
// stays (hlo::Opcode::kFma).
struct SemanticNode {
  std::string name;
  hlo::Opcode opcode = hlo::Opcode::kCopy;
  // kOther only: an operation that is read and printed, and refused (kNotImplemented) by whoever gives it a
  // meaning. The one such operation is "select_eq_var".
  std::string operation;
  ElementType type = ElementType::kInvalid;
  std::vector<Expression> dims;
  std::vector<int32_t> operands;       // indices of nodes, each smaller than its own
  int32_t parameter = -1;              // kParameter: input number from 0
  std::vector<Expression> dimensions;  // as hlo::Instruction::dimensions (iota, reduce, transpose, ...)
  std::vector<SymbolicSlice> slice;
  std::vector<Expression> dynamic_slice_sizes;
  std::vector<hlo::PadDim> padding;
  hlo::DotDims dot;
  hlo::Direction direction = hlo::Direction::kEq;
  std::optional<hlo::Reducer> reducer;
  SymbolicConstant constant;
  SourceLocation location;
  // Structure; names and locations are not compared.
  friend bool operator==(const SemanticNode& a, const SemanticNode& b);
};

// outputs[j]: the node stored to output region j. Empty nodes: no semantics. The readers make canonical form:
// nodes[k] is parameter k for each input k, read or not; the other nodes follow in order of definition.
struct Semantics {
  std::vector<SemanticNode> nodes;  // the parameters in any place, each input at most once
  std::vector<int32_t> outputs;
  bool empty() const { return nodes.empty(); }
  friend bool operator==(const Semantics&, const Semantics&) = default;
};

}  // namespace act::isa
