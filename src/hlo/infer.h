// Shape inference without places: the messages name the operation and its operands. Internal to this
// folder: hlo/verify.h is its public face.
#pragma once
#include <string>
#include <string_view>

#include "hlo/module.h"
#include "support/support.h"

namespace act::hlo {

// As InferShape. instruction.shape is the declared shape; type kInvalid: it was left out.
StatusOr<Shape> InferFromOperands(const Instruction& instruction, const Computation& computation,
                                  const Module* module);

// One instruction with its operands' shapes at hand.
class OperandView {
 public:
  OperandView(const Instruction& instruction, const Computation& computation)
      : instruction_(instruction), computation_(computation) {}
  const Instruction& instruction() const { return instruction_; }
  size_t size() const { return instruction_.operands.size(); }
  const Instruction& at(size_t i) const {
    return computation_.instructions[static_cast<size_t>(instruction_.operands[i])];
  }
  const Shape& shape(size_t i) const { return at(i).shape; }
  // "'x' is f32[4]" of operand i.
  std::string Describe(size_t i) const;
  // The operation's name in quotes.
  std::string op() const;

 private:
  const Instruction& instruction_;
  const Computation& computation_;
};

// 1 for the shape itself and those of its members.
int64_t CountMembers(const Shape& shape);
Status ShapeError(std::string message);
Status ShapeErrorNotImplemented(std::string message);

// Every opcode from kAbs to kFma, and kConvert: infer_elementwise.cc.
StatusOr<Shape> InferElementwise(const OperandView& operands);
// dot: infer_dot.cc.
StatusOr<Shape> InferDot(const OperandView& operands);
// "1 operand", "2 operands": for messages.
std::string Counted(size_t count, std::string_view noun);
// "{0,1}".
std::string ListToString(const std::vector<int64_t>& values);
// Each in [0, rank) and none twice; else a message that starts with the operation and `what`.
Status CheckDimensions(const OperandView& operands, const std::vector<int64_t>& dims, int64_t rank,
                       std::string_view what);

}  // namespace act::hlo
