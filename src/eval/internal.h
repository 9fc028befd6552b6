// What the files of this folder share.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "eval/eval.h"
#include "hlo/hlo.h"
#include "support/support.h"
#include "tensor/tensor.h"

namespace act::eval {

using Operands = std::span<const Literal* const>;

// Values larger than this are refused by name before memory is asked for.
inline constexpr int64_t kMaxValueBytes = int64_t{16} << 30;

// A failure at the instruction: "%name = opcode: reason".
Status Fail(const hlo::Instruction& instruction, ErrorClass error_class, const std::string& reason);
inline Status Invalid(const hlo::Instruction& instruction, const std::string& reason) {
  return Fail(instruction, ErrorClass::kValue, reason);
}
// "is not defined on <type>".
Status Undefined(const hlo::Instruction& instruction, ElementType type);

// One family of operations each. The caller has checked: the result is an array within kMaxValueBytes, and
// every operand's bytes have the size its shape says.
StatusOr<Literal> EvaluateElementwise(const hlo::Instruction& instruction, Operands operands);
StatusOr<Literal> EvaluateMovement(const hlo::Instruction& instruction, Operands operands,
                                   OutOfRange out_of_range);
StatusOr<Literal> EvaluateDot(const hlo::Instruction& instruction, Operands operands);
StatusOr<Literal> EvaluateReduce(const hlo::Instruction& instruction, Operands operands);

// Elementwise kernels on `count` elements. false: the operation is not defined on the type.
bool FloatUnary(hlo::Opcode opcode, ElementType type, const uint8_t* x, int64_t count, uint8_t* out);
bool FloatBinary(hlo::Opcode opcode, ElementType type, const uint8_t* x, const uint8_t* y, int64_t count,
                 uint8_t* out);
void FloatFma(ElementType type, const uint8_t* x, const uint8_t* y, const uint8_t* z, int64_t count,
              uint8_t* out);
// Integers and pred.
bool IntUnary(hlo::Opcode opcode, ElementType type, const uint8_t* x, int64_t count, uint8_t* out);
bool IntBinary(hlo::Opcode opcode, ElementType type, const uint8_t* x, const uint8_t* y, int64_t count,
               uint8_t* out);
// `result` may be the real type of the parts: abs, real, imag.
bool ComplexUnary(hlo::Opcode opcode, ElementType type, ElementType result, const uint8_t* x, int64_t count,
                  uint8_t* out);
bool ComplexBinary(hlo::Opcode opcode, ElementType type, const uint8_t* x, const uint8_t* y, int64_t count,
                   uint8_t* out);
// compare on any type; out is pred. false: the direction or order is not defined on the type.
bool Compare(hlo::Direction direction, bool total_order, ElementType type, const uint8_t* x, const uint8_t* y,
             int64_t count, uint8_t* out);

// Copies the elements of an index space `dims` between two placements given by strides in elements (any
// sign). Source and destination point at index 0.
void CopyStrided(int64_t element_bytes, std::span<const int64_t> dims, const uint8_t* source,
                 std::span<const int64_t> source_strides, uint8_t* destination,
                 std::span<const int64_t> destination_strides);

}  // namespace act::eval
