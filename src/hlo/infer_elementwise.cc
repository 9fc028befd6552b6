// Shapes and element types of elementwise operations.
#include "hlo/infer.h"

namespace act::hlo {
namespace {

constexpr unsigned kPredBit = 1, kSignedBit = 2, kUnsignedBit = 4, kFloatBit = 8, kComplexBit = 16;
constexpr unsigned kIntegers = kSignedBit | kUnsignedBit;
constexpr unsigned kNumbers = kIntegers | kFloatBit | kComplexBit;

unsigned KindBit(ElementType type) {
  if (type == ElementType::kPred) return kPredBit;
  if (IsSignedInteger(type)) return kSignedBit;
  if (IsUnsignedInteger(type)) return kUnsignedBit;
  if (IsFloat(type)) return kFloatBit;
  return IsComplex(type) ? kComplexBit : 0;
}

// The element types an operation takes (XLA's shape inference; where XLA's evaluation refuses a type that
// its inference lets through, it is refused here).
unsigned LegalKinds(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kSign:
      return kSignedBit | kFloatBit | kComplexBit;
    case Opcode::kNegate:
      return kNumbers;
    case Opcode::kNot:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return kIntegers | kPredBit;
    case Opcode::kClz:
    case Opcode::kPopcnt:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      return kIntegers;
    case Opcode::kCeil:
    case Opcode::kFloor:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kIsFinite:
    case Opcode::kErf:
    case Opcode::kAtan2:
    case Opcode::kComplex:
    case Opcode::kFma:
      return kFloatBit;
    case Opcode::kCbrt:
    case Opcode::kCos:
    case Opcode::kExp:
    case Opcode::kExpm1:
    case Opcode::kImag:
    case Opcode::kLog:
    case Opcode::kLog1p:
    case Opcode::kLogistic:
    case Opcode::kReal:
    case Opcode::kRsqrt:
    case Opcode::kSin:
    case Opcode::kSqrt:
    case Opcode::kTan:
    case Opcode::kTanh:
      return kFloatBit | kComplexBit;
    case Opcode::kAdd:
    case Opcode::kMultiply:
      return kNumbers | kPredBit;
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kClamp:
      return kIntegers | kFloatBit | kPredBit;
    case Opcode::kRemainder:
      return kIntegers | kFloatBit;
    case Opcode::kSubtract:
    case Opcode::kDivide:
    case Opcode::kPower:
      return kNumbers;
    default:
      return kNumbers | kPredBit;  // convert, compare, select
  }
}

std::string KindsToString(unsigned kinds) {
  std::string out;
  const auto append = [&](bool has, std::string_view word) {
    if (!has) return;
    if (!out.empty()) out += " or ";
    out += word;
  };
  append((kinds & kPredBit) != 0, "pred");
  append((kinds & kIntegers) == kIntegers, "integers");
  append((kinds & kIntegers) == kSignedBit, "signed integers");
  append((kinds & kFloatBit) != 0, "floats");
  append((kinds & kComplexBit) != 0, "complex");
  return out;
}

ElementType PartOfComplex(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  return type == ElementType::kC128 ? ElementType::kF64 : type;
}

Status CheckKind(const OperandView& operands, size_t i) {
  const unsigned kinds = LegalKinds(operands.instruction().opcode);
  if ((KindBit(operands.shape(i).type) & kinds) != 0) return Status();
  return ShapeError(operands.op() + " takes " + KindsToString(kinds) + ", but " + operands.Describe(i));
}

// Operand i has the shape (type and dimensions) of operand `of`.
Status CheckEqual(const OperandView& operands, size_t of, size_t i) {
  if (SameTypeAndDims(operands.shape(of), operands.shape(i))) return Status();
  return ShapeError(operands.op() + " needs operands of one shape, but " + operands.Describe(of) + " and " +
                    operands.Describe(i));
}

StatusOr<Shape> InferConvert(const OperandView& operands) {
  const ElementType to = operands.instruction().shape.type;
  if (to == ElementType::kInvalid) {
    return ShapeError(operands.op() + " needs its result's shape written in front of it");
  }
  if (!IsArrayType(to))
    return ShapeError(operands.op() + " gives an array, not " + std::string(ElementTypeName(to)));
  if (IsComplex(operands.shape(0).type) && !IsComplex(to)) {
    return ShapeError(operands.op() + " does not turn complex into " + std::string(ElementTypeName(to)) +
                      " (" + operands.Describe(0) + "); take its real part");
  }
  return Shape::Array(to, operands.shape(0).dims);
}

StatusOr<Shape> InferUnary(const OperandView& operands) {
  ACT_RETURN_IF_ERROR(CheckKind(operands, 0));
  Shape shape = Shape::Array(operands.shape(0).type, operands.shape(0).dims);
  switch (operands.instruction().opcode) {
    case Opcode::kIsFinite:
      shape.type = ElementType::kPred;
      break;
    case Opcode::kAbs:
    case Opcode::kReal:
    case Opcode::kImag:
      shape.type = PartOfComplex(shape.type);
      break;
    default:
      break;
  }
  return shape;
}

StatusOr<Shape> InferBinary(const OperandView& operands) {
  const Instruction& instruction = operands.instruction();
  ACT_RETURN_IF_ERROR(CheckEqual(operands, 0, 1));
  ACT_RETURN_IF_ERROR(CheckKind(operands, 0));
  Shape shape = Shape::Array(operands.shape(0).type, operands.shape(0).dims);
  if (instruction.opcode == Opcode::kCompare) {
    const bool ordered = instruction.direction != Direction::kEq && instruction.direction != Direction::kNe;
    if (ordered && IsComplex(shape.type)) {
      return ShapeError("'compare' of complex values knows only EQ and NE, not " +
                        std::string(DirectionName(instruction.direction)));
    }
    shape.type = ElementType::kPred;
  } else if (instruction.opcode == Opcode::kComplex) {
    if (shape.type != ElementType::kF32 && shape.type != ElementType::kF64) {
      return ShapeError("'complex' takes f32 or f64, but " + operands.Describe(0));
    }
    shape.type = shape.type == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128;
  }
  return shape;
}

StatusOr<Shape> InferTernary(const OperandView& operands) {
  switch (operands.instruction().opcode) {
    case Opcode::kSelect:
      if (operands.shape(0).type != ElementType::kPred) {
        return ShapeError("'select' takes a pred first, but " + operands.Describe(0));
      }
      ACT_RETURN_IF_ERROR(CheckEqual(operands, 1, 2));
      if (operands.shape(0).dims != operands.shape(1).dims) {
        return ShapeError("'select' needs operands of equal dimensions, but " + operands.Describe(0) +
                          " and " + operands.Describe(1));
      }
      break;
    default:  // clamp, fma
      ACT_RETURN_IF_ERROR(CheckEqual(operands, 1, 0));
      ACT_RETURN_IF_ERROR(CheckEqual(operands, 1, 2));
      ACT_RETURN_IF_ERROR(CheckKind(operands, 1));
      break;
  }
  return Shape::Array(operands.shape(1).type, operands.shape(1).dims);
}

}  // namespace

StatusOr<Shape> InferElementwise(const OperandView& operands) {
  const Opcode opcode = operands.instruction().opcode;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands.shape(i).is_array()) {
      return ShapeError(operands.op() + " takes arrays, but " + operands.Describe(i));
    }
  }
  size_t arity = 2;
  if (opcode == Opcode::kConvert || (opcode >= Opcode::kAbs && opcode <= Opcode::kTanh)) arity = 1;
  if (opcode == Opcode::kClamp || opcode == Opcode::kSelect || opcode == Opcode::kFma) arity = 3;
  if (operands.size() != arity) {
    return ShapeError(operands.op() + " has " + Counted(operands.size(), "operand") + ", but takes " +
                      std::to_string(arity));
  }
  if (opcode == Opcode::kConvert) return InferConvert(operands);
  if (arity == 1) return InferUnary(operands);
  return arity == 2 ? InferBinary(operands) : InferTernary(operands);
}

}  // namespace act::hlo
