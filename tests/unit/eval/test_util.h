// Literals and instructions for the tests of the evaluator.
#pragma once
#include <initializer_list>
#include <vector>

#include "eval/eval.h"

namespace act::eval {

inline Literal MakeDoubles(ElementType type, std::vector<int64_t> dims, const std::vector<double>& values) {
  Literal literal(Shape::Array(type, std::move(dims)));
  for (size_t i = 0; i < values.size(); ++i) literal.SetDouble(static_cast<int64_t>(i), values[i]);
  return literal;
}
inline Literal MakeInts(ElementType type, std::vector<int64_t> dims, const std::vector<int64_t>& values) {
  Literal literal(Shape::Array(type, std::move(dims)));
  for (size_t i = 0; i < values.size(); ++i) literal.SetInt(static_cast<int64_t>(i), values[i]);
  return literal;
}
inline std::vector<double> Doubles(const Literal& literal) {
  std::vector<double> values;
  for (int64_t i = 0; i < literal.num_elements(); ++i) values.push_back(literal.GetDouble(i));
  return values;
}
inline std::vector<int64_t> Ints(const Literal& literal) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < literal.num_elements(); ++i) values.push_back(literal.GetInt(i));
  return values;
}
inline hlo::Instruction Op(hlo::Opcode opcode, ElementType type, std::vector<int64_t> dims) {
  hlo::Instruction instruction;
  instruction.name = "op";
  instruction.opcode = opcode;
  instruction.shape = Shape::Array(type, std::move(dims));
  return instruction;
}
inline StatusOr<Literal> Apply(const hlo::Instruction& instruction,
                               std::initializer_list<const Literal*> operands,
                               OutOfRange out_of_range = OutOfRange::kClamp) {
  const std::vector<const Literal*> list(operands);
  return EvaluateInstruction(instruction, list, out_of_range);
}

}  // namespace act::eval
