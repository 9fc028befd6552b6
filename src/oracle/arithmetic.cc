#include "oracle/arithmetic.h"

#include <algorithm>

namespace act::oracle {
namespace {

using Kind = isa::Expression::Kind;

Fault Apply(Kind kind, int128_t left, int128_t right, WideResult* result) {
  int128_t* value = &result->value;
  bool overflow = false;
  switch (kind) {
    case Kind::kAdd:
      overflow = __builtin_add_overflow(left, right, value);
      break;
    case Kind::kSubtract:
      overflow = __builtin_sub_overflow(left, right, value);
      break;
    case Kind::kMultiply:
      overflow = __builtin_mul_overflow(left, right, value);
      break;
    case Kind::kDivide:
      if (right == 0) return Fault::kDivisionByZero;
      if (right == -1) {
        overflow = __builtin_sub_overflow(int128_t{0}, left, value);
      } else {
        *value = left / right;
      }
      break;
    case Kind::kRemainder:
      if (right == 0) return Fault::kDivisionByZero;
      result->negative_remainder |= left < 0 || right < 0;
      *value = right == -1 ? 0 : left % right;
      break;
    default:
      return Fault::kUnknownAttribute;
  }
  return overflow ? Fault::kTooWide : Fault::kNone;
}

bool Compare(isa::Relation relation, int128_t left, int128_t right) {
  switch (relation) {
    case isa::Relation::kEqual:
      return left == right;
    case isa::Relation::kNotEqual:
      return left != right;
    case isa::Relation::kLess:
      return left < right;
    case isa::Relation::kLessEqual:
      return left <= right;
    case isa::Relation::kGreater:
      return left > right;
    case isa::Relation::kGreaterEqual:
      return left >= right;
  }
  return false;
}

}  // namespace

void Warnings::Add(const SourceLocation& location, const std::string& message) {
  if (list_.size() >= kMaxWarnings) return;
  if (!seen_.emplace(std::pair(location.line, location.column), message).second) return;
  Diagnostic d;
  d.is_warning = true;
  d.code = "oracle-arithmetic";
  d.message = message;
  d.location = location;
  list_.push_back(std::move(d));
}

std::string_view FaultText(Fault fault) {
  switch (fault) {
    case Fault::kDivisionByZero:
      return "divides by zero";
    case Fault::kTooWide:
      return "exceeds 128 bits";
    case Fault::kUnknownAttribute:
      return "uses an attribute that has no value";
    case Fault::kNone:
      break;
  }
  return "";
}

WideResult EvaluateWide(const isa::Expression& expression, const WideEnvironment& environment) {
  constexpr size_t kInline = 16;
  int128_t inline_values[kInline];
  std::vector<int128_t> heap;
  const std::vector<isa::Expression::Node>& nodes = expression.nodes;
  if (nodes.size() > kInline) heap.resize(nodes.size());
  int128_t* values = nodes.size() > kInline ? heap.data() : inline_values;
  WideResult result;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const isa::Expression::Node& node = nodes[i];
    if (node.kind == Kind::kInteger) {
      result.value = node.integer;
    } else if (node.kind == Kind::kAttribute) {
      std::span<const int128_t> list =
          node.attribute == isa::AttributeKind::kComputational ? environment.computational
          : node.attribute == isa::AttributeKind::kAddressing  ? environment.addressing
                                                               : environment.state;
      if (static_cast<size_t>(node.index) >= list.size())
        result.fault = Fault::kUnknownAttribute;
      else
        result.value = list[static_cast<size_t>(node.index)];
    } else if (node.kind == Kind::kNegate) {
      result.fault = Apply(Kind::kSubtract, 0, values[node.left], &result);
    } else {
      result.fault = Apply(node.kind, values[node.left], values[node.right], &result);
    }
    if (result.fault != Fault::kNone) return result;
    values[i] = result.value;
  }
  return result;
}

ConditionResult EvaluateWide(const isa::Condition& condition, const WideEnvironment& environment) {
  ConditionResult result;
  if (condition.kind == isa::Condition::Kind::kCompare) {
    WideResult left = EvaluateWide(condition.left, environment);
    WideResult right = EvaluateWide(condition.right, environment);
    result.fault = left.fault != Fault::kNone ? left.fault : right.fault;
    result.negative_remainder = left.negative_remainder || right.negative_remainder;
    result.holds = Compare(condition.relation, left.value, right.value);
    return result;
  }
  // Left to right; what an "and" or "or" no longer needs is not evaluated.
  bool is_and = condition.kind == isa::Condition::Kind::kAnd;
  result.holds = is_and;
  for (const isa::Condition& operand : condition.operands) {
    ConditionResult one = EvaluateWide(operand, environment);
    result.negative_remainder |= one.negative_remainder;
    result.fault = one.fault;
    result.holds = one.holds;
    if (one.fault != Fault::kNone || one.holds != is_and) return result;
  }
  return result;
}

std::string ToString(int128_t value) {
  if (FitsIn64(value)) return std::to_string(static_cast<int64_t>(value));
  std::string digits;
  bool negative = value < 0;
  while (value != 0) {
    int digit = static_cast<int>(value % 10);
    digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    value /= 10;
  }
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace act::oracle
