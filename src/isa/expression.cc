#include "isa/expression.h"

namespace act::isa {
namespace {

enum class Fault : uint8_t { kNone, kDivisionByZero, kTooWide, kUnknownAttribute };

// Most expressions have a handful of nodes; their values need no allocation.
constexpr size_t kInlineNodes = 24;

template <typename T>
class NodeValues {
 public:
  explicit NodeValues(size_t size) : heap_(size > kInlineNodes ? size : 0) {}
  T& operator[](size_t i) { return heap_.empty() ? inline_[i] : heap_[i]; }

 private:
  T inline_[kInlineNodes];
  std::vector<T> heap_;
};

std::span<const int64_t> ListOf(const Environment& environment, AttributeKind kind) {
  switch (kind) {
    case AttributeKind::kComputational:
      return environment.computational;
    case AttributeKind::kAddressing:
      return environment.addressing;
    case AttributeKind::kState:
      break;
  }
  return environment.state;
}

constexpr int128_t kMinWide = static_cast<int128_t>(1) << 126 << 1;

Fault Apply(Expression::Kind kind, int128_t left, int128_t right, int128_t* result) {
  switch (kind) {
    case Expression::Kind::kAdd:
      return __builtin_add_overflow(left, right, result) ? Fault::kTooWide : Fault::kNone;
    case Expression::Kind::kSubtract:
      return __builtin_sub_overflow(left, right, result) ? Fault::kTooWide : Fault::kNone;
    case Expression::Kind::kMultiply:
      return __builtin_mul_overflow(left, right, result) ? Fault::kTooWide : Fault::kNone;
    case Expression::Kind::kDivide:
      if (right == 0) return Fault::kDivisionByZero;
      if (right == -1) {
        return __builtin_sub_overflow(static_cast<int128_t>(0), left, result) ? Fault::kTooWide
                                                                              : Fault::kNone;
      }
      *result = left / right;
      return Fault::kNone;
    case Expression::Kind::kRemainder:
      if (right == 0) return Fault::kDivisionByZero;
      *result = right == -1 ? 0 : left % right;
      return Fault::kNone;
    case Expression::Kind::kInteger:
    case Expression::Kind::kAttribute:
    case Expression::Kind::kNegate:
      break;
  }
  return Fault::kTooWide;
}

Fault EvaluateNodes(const std::vector<Expression::Node>& nodes, const Environment& environment,
                    int128_t* result) {
  if (nodes.empty()) return Fault::kUnknownAttribute;
  NodeValues<int128_t> values(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Expression::Node& node = nodes[i];
    switch (node.kind) {
      case Expression::Kind::kInteger:
        values[i] = node.integer;
        break;
      case Expression::Kind::kAttribute: {
        const std::span<const int64_t> list = ListOf(environment, node.attribute);
        if (node.index < 0 || static_cast<size_t>(node.index) >= list.size()) return Fault::kUnknownAttribute;
        values[i] = list[static_cast<size_t>(node.index)];
        break;
      }
      case Expression::Kind::kNegate: {
        const Fault fault =
            Apply(Expression::Kind::kSubtract, 0, values[static_cast<size_t>(node.left)], &values[i]);
        if (fault != Fault::kNone) return fault;
        break;
      }
      default: {
        const Fault fault = Apply(node.kind, values[static_cast<size_t>(node.left)],
                                  values[static_cast<size_t>(node.right)], &values[i]);
        if (fault != Fault::kNone) return fault;
        break;
      }
    }
  }
  *result = values[nodes.size() - 1];
  return Fault::kNone;
}

Status FaultStatus(Fault fault, const SourceLocation& location) {
  Diagnostic d;
  d.error_class = ErrorClass::kValue;
  d.location = location;
  switch (fault) {
    case Fault::kDivisionByZero:
      d.code = "isa-division-by-zero";
      d.message = "an expression divides by a value that is 0; exclude that value by a constraint";
      break;
    case Fault::kUnknownAttribute:
      d.error_class = ErrorClass::kInternal;
      d.code = "isa-no-value";
      d.message = "an expression reads an attribute that was given no value";
      break;
    case Fault::kTooWide:
    case Fault::kNone:
      d.code = "isa-too-wide";
      d.message = "the value of an expression does not fit in 128 bits; use smaller attribute values";
      break;
  }
  return Status(std::move(d));
}

bool FitsIn64(int128_t value) {
  return value >= std::numeric_limits<int64_t>::min() && value <= std::numeric_limits<int64_t>::max();
}

// slope * x + rest in 128 bits.
struct WideAffine {
  int128_t slope = 0;
  int128_t rest = 0;
};

bool AffineMultiply(const WideAffine& a, const WideAffine& b, WideAffine* result) {
  if (a.slope != 0 && b.slope != 0) return false;
  const WideAffine& moving = a.slope != 0 ? a : b;
  const int128_t factor = a.slope != 0 ? b.rest : a.rest;
  return !__builtin_mul_overflow(moving.slope, factor, &result->slope) &&
         !__builtin_mul_overflow(moving.rest, factor, &result->rest);
}

bool AffineDivide(const WideAffine& a, const WideAffine& b, bool remainder, WideAffine* result) {
  if (b.slope != 0 || b.rest == 0 || a.slope == kMinWide || a.rest == kMinWide) return false;
  if (a.slope == 0) {
    *result = {0, remainder ? a.rest % b.rest : a.rest / b.rest};
    return true;
  }
  // Exact for every x only where the divisor divides both parts.
  if (a.slope % b.rest != 0 || a.rest % b.rest != 0) return false;
  *result = remainder ? WideAffine{0, 0} : WideAffine{a.slope / b.rest, a.rest / b.rest};
  return true;
}

bool AffineBinary(Expression::Kind kind, const WideAffine& a, const WideAffine& b, WideAffine* result) {
  switch (kind) {
    case Expression::Kind::kAdd:
      return !__builtin_add_overflow(a.slope, b.slope, &result->slope) &&
             !__builtin_add_overflow(a.rest, b.rest, &result->rest);
    case Expression::Kind::kSubtract:
      return !__builtin_sub_overflow(a.slope, b.slope, &result->slope) &&
             !__builtin_sub_overflow(a.rest, b.rest, &result->rest);
    case Expression::Kind::kMultiply:
      return AffineMultiply(a, b, result);
    case Expression::Kind::kDivide:
      return AffineDivide(a, b, false, result);
    case Expression::Kind::kRemainder:
      return AffineDivide(a, b, true, result);
    default:
      return false;
  }
}

bool Compare(Relation relation, int128_t left, int128_t right) {
  switch (relation) {
    case Relation::kEqual:
      return left == right;
    case Relation::kNotEqual:
      return left != right;
    case Relation::kLess:
      return left < right;
    case Relation::kLessEqual:
      return left <= right;
    case Relation::kGreater:
      return left > right;
    case Relation::kGreaterEqual:
      break;
  }
  return left >= right;
}

}  // namespace

Expression Expression::Integer(int64_t value) {
  Expression e;
  Node node;
  node.kind = Kind::kInteger;
  node.integer = value;
  e.nodes.push_back(node);
  return e;
}

Expression Expression::Attribute(AttributeKind kind, int32_t index) {
  Expression e;
  Node node;
  node.kind = Kind::kAttribute;
  node.attribute = kind;
  node.index = index;
  e.nodes.push_back(node);
  return e;
}

Expression Expression::Negate(const Expression& operand) {
  Expression e = operand;
  Node node;
  node.kind = Kind::kNegate;
  node.left = static_cast<int32_t>(operand.nodes.size()) - 1;
  e.nodes.push_back(node);
  return e;
}

Expression Expression::Binary(Kind kind, const Expression& left, const Expression& right) {
  Expression e = left;
  const int32_t offset = static_cast<int32_t>(left.nodes.size());
  e.nodes.reserve(left.nodes.size() + right.nodes.size() + 1);
  for (Node node : right.nodes) {
    if (node.left >= 0) node.left += offset;
    if (node.right >= 0) node.right += offset;
    e.nodes.push_back(node);
  }
  Node node;
  node.kind = kind;
  node.left = offset - 1;
  node.right = static_cast<int32_t>(e.nodes.size()) - 1;
  e.nodes.push_back(node);
  return e;
}

std::optional<int64_t> Expression::AsInteger() const {
  if (nodes.size() == 1 && nodes[0].kind == Kind::kInteger) return nodes[0].integer;
  for (const Node& node : nodes) {
    if (node.kind == Kind::kAttribute) return std::nullopt;
  }
  int128_t value = 0;
  if (EvaluateNodes(nodes, {}, &value) != Fault::kNone || !FitsIn64(value)) return std::nullopt;
  return static_cast<int64_t>(value);
}

bool Expression::Uses(AttributeKind kind) const {
  for (const Node& node : nodes) {
    if (node.kind == Kind::kAttribute && node.attribute == kind) return true;
  }
  return false;
}

bool Expression::Uses(AttributeKind kind, int32_t index) const {
  for (const Node& node : nodes) {
    if (node.kind == Kind::kAttribute && node.attribute == kind && node.index == index) return true;
  }
  return false;
}

StatusOr<int128_t> EvaluateWide(const Expression& expression, const Environment& environment) {
  int128_t value = 0;
  const Fault fault = EvaluateNodes(expression.nodes, environment, &value);
  if (fault != Fault::kNone) return FaultStatus(fault, expression.location);
  return value;
}

StatusOr<int64_t> Evaluate(const Expression& expression, const Environment& environment) {
  if (expression.nodes.size() == 1 && expression.nodes[0].kind == Expression::Kind::kInteger) {
    return expression.nodes[0].integer;
  }
  int128_t value = 0;
  const Fault fault = EvaluateNodes(expression.nodes, environment, &value);
  if (fault != Fault::kNone) return FaultStatus(fault, expression.location);
  if (!FitsIn64(value)) {
    Diagnostic d;
    d.code = "isa-too-wide";
    d.message = "the value of an expression does not fit in 64 bits; use smaller attribute values";
    d.location = expression.location;
    return Status(std::move(d));
  }
  return static_cast<int64_t>(value);
}

std::optional<Affine> AffineIn(const Expression& expression, AttributeKind kind, int32_t index,
                               const Environment& environment) {
  if (expression.nodes.empty()) return std::nullopt;
  NodeValues<WideAffine> values(expression.nodes.size());
  for (size_t i = 0; i < expression.nodes.size(); ++i) {
    const Expression::Node& node = expression.nodes[i];
    switch (node.kind) {
      case Expression::Kind::kInteger:
        values[i] = {0, node.integer};
        break;
      case Expression::Kind::kAttribute: {
        if (node.attribute == kind && node.index == index) {
          values[i] = {1, 0};
          break;
        }
        const std::span<const int64_t> list = ListOf(environment, node.attribute);
        if (node.index < 0 || static_cast<size_t>(node.index) >= list.size()) return std::nullopt;
        values[i] = {0, list[static_cast<size_t>(node.index)]};
        break;
      }
      case Expression::Kind::kNegate:
        if (!AffineBinary(Expression::Kind::kSubtract, {}, values[static_cast<size_t>(node.left)],
                          &values[i])) {
          return std::nullopt;
        }
        break;
      default:
        if (!AffineBinary(node.kind, values[static_cast<size_t>(node.left)],
                          values[static_cast<size_t>(node.right)], &values[i])) {
          return std::nullopt;
        }
        break;
    }
  }
  const WideAffine& root = values[expression.nodes.size() - 1];
  if (!FitsIn64(root.slope) || !FitsIn64(root.rest)) return std::nullopt;
  return Affine{static_cast<int64_t>(root.slope), static_cast<int64_t>(root.rest)};
}

bool Condition::Uses(AttributeKind attribute_kind) const {
  if (kind == Kind::kCompare) return left.Uses(attribute_kind) || right.Uses(attribute_kind);
  for (const Condition& operand : operands) {
    if (operand.Uses(attribute_kind)) return true;
  }
  return false;
}

bool Condition::Uses(AttributeKind attribute_kind, int32_t index) const {
  if (kind == Kind::kCompare) return left.Uses(attribute_kind, index) || right.Uses(attribute_kind, index);
  for (const Condition& operand : operands) {
    if (operand.Uses(attribute_kind, index)) return true;
  }
  return false;
}

StatusOr<bool> Evaluate(const Condition& condition, const Environment& environment) {
  if (condition.kind == Condition::Kind::kCompare) {
    int128_t left = 0, right = 0;
    Fault fault = EvaluateNodes(condition.left.nodes, environment, &left);
    if (fault == Fault::kNone) fault = EvaluateNodes(condition.right.nodes, environment, &right);
    if (fault != Fault::kNone) return FaultStatus(fault, condition.location);
    return Compare(condition.relation, left, right);
  }
  const bool decides = condition.kind == Condition::Kind::kOr;
  for (const Condition& operand : condition.operands) {
    StatusOr<bool> holds = Evaluate(operand, environment);
    if (!holds.ok() || *holds == decides) return holds;
  }
  return !decides;
}

}  // namespace act::isa
