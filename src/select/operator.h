// The tensor language of the e-graph: operators on flat byte vectors. A value has no shape;
// the operators that need one carry it.
#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "egraph/egraph.h"
#include "hlo/hlo.h"
#include "view/view.h"

namespace act::select {

enum class OperatorKind : uint8_t {
  kInput,        // kernel input `index` (row-major), or input region `index` of an instruction
  kConstant,     // the bytes of constant `index` of the operator table
  kView,         // View{view}(x)
  kElementwise,  // opcode on elements: operand i has operand_types[i], result has `type`
  kReduce,       // reducer over [P, R] -> [P]; a second operand, if any, is the initial value (one element)
  kDot,          // [B,M,K] x [B,K,N] -> [B,M,N]
  kHlo,          // any other HLO operation with its attributes and dimensions in `dims`
};

struct Operator {
  OperatorKind kind = OperatorKind::kInput;
  hlo::Opcode opcode = hlo::Opcode::kOther;        // kElementwise, kHlo
  hlo::Direction direction = hlo::Direction::kEq;  // compare
  hlo::Reducer reducer = hlo::Reducer::kAdd;       // kReduce
  ElementType type = ElementType::kInvalid;        // of the result; leaves and views have none
  std::vector<ElementType> operand_types;          // kElementwise, kReduce, kDot, kHlo
  // kReduce {P, R}; kDot {B, M, K, N}; kHlo: numbers that tell it apart (attributes and dimensions); compare:
  // {1} for a total order.
  std::vector<int64_t> dims;
  int64_t index = 0;  // kInput, kConstant
  int64_t bytes = 0;  // of the result; kElementwise: 0, it follows from the operands
  View view;          // kView

  friend bool operator==(const Operator&, const Operator&) = default;

  static Operator Input(int64_t index, int64_t bytes);
  static Operator OfView(View view);
  static Operator Elementwise(hlo::Opcode opcode, ElementType result, std::vector<ElementType> operands);
  static Operator Reduce(hlo::Reducer reducer, ElementType type, int64_t p, int64_t r,
                         bool with_init = false);
  static Operator Dot(ElementType result, ElementType lhs, ElementType rhs, int64_t b, int64_t m, int64_t k,
                      int64_t n);
  bool IsElementwise(hlo::Opcode which) const {
    return kind == OperatorKind::kElementwise && opcode == which;
  }
  // Operands may be exchanged (commutative, equal operand types).
  bool IsCommutative() const;
};

// "divide.bf16", "reduce-add{64,64}.bf16", "dot{1,64,64,64}.bf16", "View[(64,2)..]", "input 0".
std::string ToString(const Operator& op);

// Interns operators and the bytes of constants.
class OperatorTable {
 public:
  egraph::OpId Intern(const Operator& op);
  const Operator& at(egraph::OpId id) const { return operators_[id]; }
  // The operator of a constant with these bytes.
  egraph::OpId Constant(const std::vector<uint8_t>& bytes);
  const std::vector<uint8_t>& ConstantBytes(const Operator& constant) const {
    return constants_[static_cast<size_t>(constant.index)];
  }

 private:
  static uint64_t Hash(const Operator& op);
  std::deque<Operator> operators_;  // references stay valid
  std::vector<std::vector<uint32_t>> buckets_;
  std::deque<std::vector<uint8_t>> constants_;
  std::vector<std::pair<uint64_t, int64_t>> constant_hashes_;
};

}  // namespace act::select
