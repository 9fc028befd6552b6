#include <cmath>
#include <cstring>

#include "eval/internal.h"

namespace act::eval {
namespace {

using hlo::Opcode;

// The type of a complex type's parts.
ElementType PartType(ElementType type) {
  return type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
}

Status CheckCount(const hlo::Instruction& instruction, Operands operands, size_t count) {
  if (operands.size() == count) return Status();
  return Invalid(instruction,
                 "found " + std::to_string(operands.size()) + " operands, expected " + std::to_string(count));
}

// Operand `i` has the result's dimensions.
Status CheckDims(const hlo::Instruction& instruction, const Shape& shape, size_t i) {
  if (shape.dims == instruction.shape.dims) return Status();
  return Invalid(instruction, "operand " + std::to_string(i) + " is " + ToString(shape) +
                                  ", which has other dimensions than the result " +
                                  ToString(instruction.shape));
}
Status CheckType(const hlo::Instruction& instruction, ElementType found, ElementType expected) {
  if (found == expected) return Status();
  return Invalid(instruction, "found type " + std::string(ElementTypeName(found)) + ", expected " +
                                  std::string(ElementTypeName(expected)));
}

// A scalar repeated to the result's dimensions, or the operand itself.
const Literal& Spread(const Literal& operand, const Shape& result, Literal* storage) {
  if (operand.shape.dims == result.dims) return operand;
  *storage = Literal(Shape::Array(operand.shape.type, result.dims));
  const auto size = static_cast<size_t>(StorageBytes(operand.shape.type));
  for (size_t at = 0; at < storage->bytes.size(); at += size)
    std::memcpy(storage->bytes.data() + at, operand.bytes.data(), size);
  return *storage;
}

Status CheckScalarOrDims(const hlo::Instruction& instruction, const Shape& shape, size_t i) {
  return shape.dims.empty() ? Status() : CheckDims(instruction, shape, i);
}

StatusOr<Literal> EvaluateUnary(const hlo::Instruction& instruction, const Literal& x) {
  const ElementType type = x.shape.type, result_type = instruction.shape.type;
  ACT_RETURN_IF_ERROR(CheckDims(instruction, x.shape, 0));
  Literal result(Shape::Array(result_type, instruction.shape.dims));
  const int64_t count = x.num_elements();
  const uint8_t* in = x.bytes.data();
  uint8_t* out = result.bytes.data();
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::kIsFinite) {
    ACT_RETURN_IF_ERROR(CheckType(instruction, result_type, ElementType::kPred));
    if (!IsFloat(type)) return Undefined(instruction, type);
    for (int64_t i = 0; i < count; ++i) out[i] = std::isfinite(x.GetDouble(i)) ? 1 : 0;
    return result;
  }
  if (IsComplex(type)) {
    const bool to_part = opcode == Opcode::kAbs || opcode == Opcode::kReal || opcode == Opcode::kImag;
    ACT_RETURN_IF_ERROR(CheckType(instruction, result_type, to_part ? PartType(type) : type));
    if (!ComplexUnary(opcode, type, result_type, in, count, out)) return Undefined(instruction, type);
    return result;
  }
  ACT_RETURN_IF_ERROR(CheckType(instruction, result_type, type));
  if (IsFloat(type)) {
    if (opcode == Opcode::kReal) return x;
    if (opcode == Opcode::kImag) {
      for (int64_t i = 0; i < count; ++i) result.SetDouble(i, 0);
      return result;
    }
    if (!FloatUnary(opcode, type, in, count, out)) return Undefined(instruction, type);
    return result;
  }
  if (!IntUnary(opcode, type, in, count, out)) return Undefined(instruction, type);
  return result;
}

StatusOr<Literal> EvaluateBinary(const hlo::Instruction& instruction, const Literal& x, const Literal& y) {
  const ElementType type = x.shape.type, result_type = instruction.shape.type;
  ACT_RETURN_IF_ERROR(CheckDims(instruction, x.shape, 0));
  ACT_RETURN_IF_ERROR(CheckDims(instruction, y.shape, 1));
  ACT_RETURN_IF_ERROR(CheckType(instruction, y.shape.type, type));
  Literal result(Shape::Array(result_type, instruction.shape.dims));
  const int64_t count = x.num_elements();
  const uint8_t* a = x.bytes.data();
  const uint8_t* b = y.bytes.data();
  uint8_t* out = result.bytes.data();
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::kComplex) {
    if (!IsComplex(result_type) || PartType(result_type) != type) return Undefined(instruction, type);
    const auto size = static_cast<size_t>(StorageBytes(type));
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      std::memcpy(out + 2 * i * size, a + i * size, size);
      std::memcpy(out + (2 * i + 1) * size, b + i * size, size);
    }
    return result;
  }
  if (opcode == Opcode::kCompare) {
    ACT_RETURN_IF_ERROR(CheckType(instruction, result_type, ElementType::kPred));
    if (!Compare(instruction.direction, instruction.total_order, type, a, b, count, out))
      return Undefined(instruction, type);
    return result;
  }
  ACT_RETURN_IF_ERROR(CheckType(instruction, result_type, type));
  const bool defined = IsComplex(type) ? ComplexBinary(opcode, type, a, b, count, out)
                       : IsFloat(type) ? FloatBinary(opcode, type, a, b, count, out)
                                       : IntBinary(opcode, type, a, b, count, out);
  if (!defined) return Undefined(instruction, type);
  return result;
}

StatusOr<Literal> EvaluateSelect(const hlo::Instruction& instruction, const Literal& choice,
                                 const Literal& yes, const Literal& no) {
  ACT_RETURN_IF_ERROR(CheckType(instruction, choice.shape.type, ElementType::kPred));
  ACT_RETURN_IF_ERROR(CheckScalarOrDims(instruction, choice.shape, 0));
  ACT_RETURN_IF_ERROR(CheckDims(instruction, yes.shape, 1));
  ACT_RETURN_IF_ERROR(CheckDims(instruction, no.shape, 2));
  ACT_RETURN_IF_ERROR(CheckType(instruction, yes.shape.type, instruction.shape.type));
  ACT_RETURN_IF_ERROR(CheckType(instruction, no.shape.type, instruction.shape.type));
  if (choice.shape.dims.empty()) return choice.bytes[0] != 0 ? yes : no;
  Literal result = no;
  const auto size = static_cast<size_t>(StorageBytes(instruction.shape.type));
  for (size_t i = 0; i < choice.bytes.size(); ++i) {
    if (choice.bytes[i] != 0) std::memcpy(result.bytes.data() + i * size, yes.bytes.data() + i * size, size);
  }
  return result;
}

// min(max(low, x), high), in this order: with low above high the result is high.
StatusOr<Literal> EvaluateClamp(const hlo::Instruction& instruction, const Literal& low, const Literal& x,
                                const Literal& high) {
  const ElementType type = instruction.shape.type;
  ACT_RETURN_IF_ERROR(CheckDims(instruction, x.shape, 1));
  for (const Literal* operand : {&low, &x, &high})
    ACT_RETURN_IF_ERROR(CheckType(instruction, operand->shape.type, type));
  ACT_RETURN_IF_ERROR(CheckScalarOrDims(instruction, low.shape, 0));
  ACT_RETURN_IF_ERROR(CheckScalarOrDims(instruction, high.shape, 2));
  if (!IsFloat(type) && !IsInteger(type)) return Undefined(instruction, type);
  const auto binary = [&](Opcode opcode, const Literal& a, const Literal& b) {
    Literal result(Shape::Array(type, x.shape.dims));
    const auto apply = IsFloat(type) ? FloatBinary : IntBinary;
    apply(opcode, type, a.bytes.data(), b.bytes.data(), x.num_elements(), result.bytes.data());
    return result;
  };
  Literal storage;
  const Literal above = binary(Opcode::kMaximum, Spread(low, instruction.shape, &storage), x);
  return binary(Opcode::kMinimum, above, Spread(high, instruction.shape, &storage));
}

StatusOr<Literal> EvaluateFma(const hlo::Instruction& instruction, Operands operands) {
  const ElementType type = instruction.shape.type;
  if (!IsFloat(type)) return Undefined(instruction, type);
  for (size_t i = 0; i < 3; ++i) {
    ACT_RETURN_IF_ERROR(CheckDims(instruction, operands[i]->shape, i));
    ACT_RETURN_IF_ERROR(CheckType(instruction, operands[i]->shape.type, type));
  }
  Literal result(Shape::Array(type, instruction.shape.dims));
  FloatFma(type, operands[0]->bytes.data(), operands[1]->bytes.data(), operands[2]->bytes.data(),
           result.num_elements(), result.bytes.data());
  return result;
}

}  // namespace

StatusOr<Literal> EvaluateElementwise(const hlo::Instruction& instruction, Operands operands) {
  switch (instruction.opcode) {
    case Opcode::kConvert:
      ACT_RETURN_IF_ERROR(CheckCount(instruction, operands, 1));
      ACT_RETURN_IF_ERROR(CheckDims(instruction, operands[0]->shape, 0));
      if (IsComplex(operands[0]->shape.type) && !IsComplex(instruction.shape.type)) {
        return Invalid(instruction, "complex to " + std::string(ElementTypeName(instruction.shape.type)) +
                                        " is not an HLO conversion; take real or imag first");
      }
      return ConvertLiteral(*operands[0], instruction.shape.type);
    case Opcode::kSelect:
      ACT_RETURN_IF_ERROR(CheckCount(instruction, operands, 3));
      return EvaluateSelect(instruction, *operands[0], *operands[1], *operands[2]);
    case Opcode::kClamp:
      ACT_RETURN_IF_ERROR(CheckCount(instruction, operands, 3));
      return EvaluateClamp(instruction, *operands[0], *operands[1], *operands[2]);
    case Opcode::kFma:
      ACT_RETURN_IF_ERROR(CheckCount(instruction, operands, 3));
      return EvaluateFma(instruction, operands);
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kAtan2:
    case Opcode::kComplex:
    case Opcode::kDivide:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kOr:
    case Opcode::kPower:
    case Opcode::kRemainder:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kSubtract:
    case Opcode::kXor:
    case Opcode::kCompare:
      ACT_RETURN_IF_ERROR(CheckCount(instruction, operands, 2));
      return EvaluateBinary(instruction, *operands[0], *operands[1]);
    default:
      ACT_RETURN_IF_ERROR(CheckCount(instruction, operands, 1));
      return EvaluateUnary(instruction, *operands[0]);
  }
}

}  // namespace act::eval
