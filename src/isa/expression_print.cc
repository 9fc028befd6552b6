// Expressions and conditions as text that reads back to the same tree.
#include <string>
#include <vector>

#include "isa/cursor.h"
#include "isa/expression.h"
#include "isa/name_lists.h"

namespace act::isa {
namespace {

using Kind = Expression::Kind;

// Binding strength of what a node prints as; operands weaker than their place get brackets.
enum Strength { kSum = 1, kProduct = 2, kUnary = 3, kPrimary = 4 };

struct Printed {
  std::string text;
  Strength strength = kPrimary;
};

std::string Bracketed(Printed&& printed, int least) {
  if (printed.strength >= least) return std::move(printed.text);
  return "(" + printed.text + ")";
}

std::string AttributeText(const Expression::Node& node, const NameTable& names, NameStyle style) {
  const size_t kind = static_cast<size_t>(node.attribute);
  const std::span<const std::string> list = NamesOf(names, node.attribute);
  const size_t index = static_cast<size_t>(node.index);
  const std::string name = index < list.size() ? list[index] : "?" + std::to_string(node.index);
  if (style == NameStyle::kPlain) {
    // A name found earlier in the reader's order of lists hides this one.
    bool hidden = false;
    for (size_t k = 0; k < kind; ++k)
      hidden = hidden || FindName(NamesOf(names, kAttributeKinds[k]), name).has_value();
    if (!hidden) return name;
  }
  return "@" + std::string(1, kAttributePrefixes[kind]) + "." + name;
}

std::string_view RelationText(Relation relation) {
  switch (relation) {
    case Relation::kEqual:
      return " == ";
    case Relation::kNotEqual:
      return " != ";
    case Relation::kLess:
      return " < ";
    case Relation::kLessEqual:
      return " <= ";
    case Relation::kGreater:
      return " > ";
    case Relation::kGreaterEqual:
      return " >= ";
  }
  return " ? ";
}

}  // namespace

std::string ToString(const Expression& expression, const NameTable& names, NameStyle style) {
  // Bottom up over the nodes, so that no long chain of terms can exhaust the stack.
  std::vector<Printed> printed(expression.nodes.size());
  std::vector<int> uses(expression.nodes.size(), 0);
  for (const Expression::Node& node : expression.nodes) {
    if (node.left >= 0) ++uses[static_cast<size_t>(node.left)];
    if (node.right >= 0) ++uses[static_cast<size_t>(node.right)];
  }
  const auto take = [&](int32_t index) {
    const size_t i = static_cast<size_t>(index);
    return uses[i] > 1 ? printed[i] : std::move(printed[i]);
  };
  for (size_t i = 0; i < expression.nodes.size(); ++i) {
    const Expression::Node& node = expression.nodes[i];
    Printed& out = printed[i];
    switch (node.kind) {
      case Kind::kInteger:
        out = {std::to_string(node.integer), node.integer < 0 ? kUnary : kPrimary};
        break;
      case Kind::kAttribute:
        out = {AttributeText(node, names, style), kPrimary};
        break;
      case Kind::kNegate: {
        // A bare digit after '-' would be read as a negative literal.
        Printed operand = take(node.left);
        const bool digit = !operand.text.empty() && IsDigit(operand.text.front());
        out = {digit ? "-(" + operand.text + ")" : "-" + Bracketed(std::move(operand), kUnary), kUnary};
        break;
      }
      case Kind::kAdd:
      case Kind::kSubtract: {
        std::string text = Bracketed(take(node.left), kSum);
        text += node.kind == Kind::kAdd ? " + " : " - ";
        out = {std::move(text += Bracketed(take(node.right), kProduct)), kSum};
        break;
      }
      case Kind::kMultiply:
      case Kind::kDivide:
      case Kind::kRemainder: {
        std::string text = Bracketed(take(node.left), kProduct);
        text += node.kind == Kind::kMultiply ? "*" : node.kind == Kind::kDivide ? "/" : "%";
        out = {std::move(text += Bracketed(take(node.right), kUnary)), kProduct};
        break;
      }
    }
  }
  return printed.empty() ? std::string() : std::move(printed.back().text);
}

std::string ToString(const Condition& condition, const NameTable& names, NameStyle style) {
  if (condition.kind == Condition::Kind::kCompare) {
    std::string text = ToString(condition.left, names, style);
    text += RelationText(condition.relation);
    return text += ToString(condition.right, names, style);
  }
  std::string text;
  for (const Condition& operand : condition.operands) {
    if (!text.empty()) text += condition.kind == Condition::Kind::kAnd ? " and " : " or ";
    // "and" inside "or" needs no brackets; a junction of the same kind keeps them, so that the tree survives.
    const bool plain = operand.kind == Condition::Kind::kCompare ||
                       (condition.kind == Condition::Kind::kOr && operand.kind == Condition::Kind::kAnd);
    const std::string inner = ToString(operand, names, style);
    text += plain ? inner : "(" + inner + ")";
  }
  return text;
}

}  // namespace act::isa
