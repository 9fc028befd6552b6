// The table of operations: names, operand counts and element types.
#include <algorithm>
#include <iterator>

#include "isa/semantics_builder.h"

namespace act::isa {

using hlo::Opcode;
using hlo::Reducer;

bool TypeFits(TypeRule rule, ElementType type) {
  switch (rule) {
    case TypeRule::kAny:
      return true;
    case TypeRule::kNotPred:
      return type != ElementType::kPred;
    case TypeRule::kIntFloat:
      return IsInteger(type) || IsFloat(type);
    case TypeRule::kIntFloatPred:
      return IsInteger(type) || IsFloat(type) || type == ElementType::kPred;
    case TypeRule::kInt:
      return IsInteger(type);
    case TypeRule::kIntPred:
      return IsInteger(type) || type == ElementType::kPred;
    case TypeRule::kSignedFloat:
      return IsSignedInteger(type) || IsFloat(type);
    case TypeRule::kFloat:
      return IsFloat(type);
  }
  return false;
}

std::string_view TypeRuleText(TypeRule rule) {
  switch (rule) {
    case TypeRule::kAny:
      return "any type";
    case TypeRule::kNotPred:
      return "any type but pred";
    case TypeRule::kIntFloat:
      return "integers and floats";
    case TypeRule::kIntFloatPred:
      return "integers, floats and pred";
    case TypeRule::kInt:
      return "integers";
    case TypeRule::kIntPred:
      return "integers and pred";
    case TypeRule::kSignedFloat:
      return "signed integers and floats";
    case TypeRule::kFloat:
      return "floats";
  }
  return "";
}

OperationInfo InfoOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kConstant:
      return {opcode, TypeRule::kAny, 0, 0};
    case Opcode::kIota:
      return {opcode, TypeRule::kIntFloat, 0, 0};
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kReverse:
    case Opcode::kCopy:
    case Opcode::kConvert:
      return {opcode, TypeRule::kAny, 1, 1};
    case Opcode::kBitcastConvert:
      return {opcode, TypeRule::kNotPred, 1, 1};
    case Opcode::kConcatenate:
      return {opcode, TypeRule::kAny, 1, -1};
    case Opcode::kPad:
      return {opcode, TypeRule::kAny, 2, 2};
    case Opcode::kDynamicSlice:
      return {opcode, TypeRule::kAny, 1, -1};
    case Opcode::kDynamicUpdateSlice:
      return {opcode, TypeRule::kAny, 2, -1};
    case Opcode::kDot:
      return {opcode, TypeRule::kIntFloat, 2, 2};
    case Opcode::kReduce:
      return {opcode, TypeRule::kIntFloatPred, 2, 2};
    case Opcode::kAbs:
    case Opcode::kNegate:
    case Opcode::kSign:
      return {opcode, TypeRule::kSignedFloat, 1, 1};
    case Opcode::kClz:
    case Opcode::kPopcnt:
      return {opcode, TypeRule::kInt, 1, 1};
    case Opcode::kNot:
      return {opcode, TypeRule::kIntPred, 1, 1};
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return {opcode, TypeRule::kIntPred, 2, 2};
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      return {opcode, TypeRule::kInt, 2, 2};
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return {opcode, TypeRule::kIntFloatPred, 2, 2};
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kDivide:
    case Opcode::kRemainder:
    case Opcode::kPower:
      return {opcode, TypeRule::kIntFloat, 2, 2};
    case Opcode::kAtan2:
      return {opcode, TypeRule::kFloat, 2, 2};
    case Opcode::kClamp:
      return {opcode, TypeRule::kIntFloat, 3, 3};
    case Opcode::kCompare:
      return {opcode, TypeRule::kAny, 2, 2};
    case Opcode::kSelect:
      return {opcode, TypeRule::kAny, 3, 3};
    case Opcode::kFma:
      return {opcode, TypeRule::kFloat, 3, 3};
    case Opcode::kOther:
      return {opcode, TypeRule::kAny, 0, -1};
    default:
      // Every other elementwise unary operation is one of floats.
      return {opcode, TypeRule::kFloat, 1, 1};
  }
}

namespace {

struct ReducerRow {
  Reducer reducer;
  std::string_view word;
  TypeRule types;
};
constexpr ReducerRow kReducers[] = {
    {Reducer::kAdd, "add", TypeRule::kIntFloat},
    {Reducer::kMultiply, "multiply", TypeRule::kIntFloatPred},
    {Reducer::kMinimum, "min", TypeRule::kIntFloatPred},
    {Reducer::kMaximum, "max", TypeRule::kIntFloatPred},
    {Reducer::kAnd, "and", TypeRule::kIntPred},
    {Reducer::kOr, "or", TypeRule::kIntPred},
};
constexpr std::pair<std::string_view, Reducer> kReducerAliases[] = {
    {"sum", Reducer::kAdd},         {"mul", Reducer::kMultiply},    {"prod", Reducer::kMultiply},
    {"minimum", Reducer::kMinimum}, {"maximum", Reducer::kMaximum},
};

// Structure operations have no place in semantics; complex numbers are no TAIDL type.
bool IsKnown(Opcode opcode) {
  switch (opcode) {
    case Opcode::kParameter:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kCall:
    case Opcode::kOther:
    case Opcode::kReal:
    case Opcode::kImag:
    case Opcode::kComplex:
      return false;
    default:
      return true;
  }
}

}  // namespace

std::string_view ReducerWord(Reducer reducer) {
  for (const ReducerRow& row : kReducers) {
    if (row.reducer == reducer) return row.word;
  }
  return "";
}

std::optional<Reducer> ReducerFromWord(std::string_view word) {
  for (const ReducerRow& row : kReducers) {
    if (row.word == word) return row.reducer;
  }
  for (const auto& [alias, reducer] : kReducerAliases) {
    if (alias == word) return reducer;
  }
  return std::nullopt;
}

TypeRule ReducerTypes(Reducer reducer) {
  for (const ReducerRow& row : kReducers) {
    if (row.reducer == reducer) return row.types;
  }
  return TypeRule::kAny;
}

std::optional<OperationName> FindOperation(std::string_view name) {
  std::string hyphens(name);
  std::replace(hyphens.begin(), hyphens.end(), '_', '-');
  OperationName found;
  if (hyphens.starts_with("reduce-")) {
    const auto reducer = ReducerFromWord(std::string_view(hyphens).substr(7));
    if (!reducer) return std::nullopt;
    found.info = InfoOf(Opcode::kReduce);
    found.info.min_operands = found.info.max_operands = 1;
    found.info.types = ReducerTypes(*reducer);
    found.special = Special::kReduceShort;
    found.reducer = *reducer;
    return found;
  }
  if (hyphens == "select-lt") {
    found.info = {Opcode::kSelect, TypeRule::kAny, 4, 4};
    found.special = Special::kSelectLess;
    return found;
  }
  if (hyphens == "select-eq-var") {
    found.info = InfoOf(Opcode::kOther);
    found.special = Special::kSelectEqualVar;
    return found;
  }
  if (hyphens == "fma") {
    found.info = InfoOf(Opcode::kFma);
    return found;
  }
  if (hyphens == "exp") hyphens = "exponential";
  const auto opcode = hlo::OpcodeFromName(hyphens);
  if (!opcode || !IsKnown(*opcode)) return std::nullopt;
  found.info = InfoOf(*opcode);
  return found;
}

}  // namespace act::isa
