#include <charconv>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "isa/expression.h"
#include "isa/expression_reader.h"
#include "isa/name_lists.h"

namespace act::isa {
namespace {

using Kind = Expression::Kind;

class Reader {
 public:
  Reader(Cursor* cursor, const NameTable& names, NameStyle style)
      : cursor_(*cursor), names_(names), style_(style), base_depth_(cursor->depth()) {}

  // A failed reading leaves the cursor's bracket depth as it found it.
  ~Reader() { cursor_.set_depth(base_depth_); }

  StatusOr<Expression> Sum() {
    Expression expression;
    cursor_.SkipBlanks();
    expression.location = cursor_.source().LocationAt(cursor_.position());
    nodes_ = &expression.nodes;
    ACT_RETURN_IF_ERROR(ReadSum(0).status);
    return expression;
  }

  StatusOr<Condition> Conditions(int depth) { return ReadJunction(Condition::Kind::kOr, "or", depth); }

 private:
  struct NodeResult {
    Status status;
    int32_t index = -1;
  };

  NodeResult Add(Expression::Node node, size_t offset) {
    if (nodes_->size() >= kMaxExpressionNodes) {
      return {cursor_.SyntaxError("isa-expression-too-long",
                                  "the expression has more than " + std::to_string(kMaxExpressionNodes) +
                                      " terms; split it or simplify it",
                                  offset),
              -1};
    }
    nodes_->push_back(node);
    return {Status(), static_cast<int32_t>(nodes_->size() - 1)};
  }

  NodeResult AddBinary(Kind kind, int32_t left, int32_t right, size_t offset) {
    const Expression::Node& divisor = (*nodes_)[static_cast<size_t>(right)];
    if ((kind == Kind::kDivide || kind == Kind::kRemainder) && divisor.kind == Kind::kInteger &&
        divisor.integer == 0) {
      return {cursor_.SyntaxError("isa-division-by-zero",
                                  std::string("'") + (kind == Kind::kDivide ? '/' : '%') +
                                      "' by the literal 0; use a divisor other than 0",
                                  offset),
              -1};
    }
    Expression::Node node;
    node.kind = kind;
    node.left = left;
    node.right = right;
    return Add(node, offset);
  }

  Status TooDeep(size_t offset) const {
    return cursor_.SyntaxError(
        "isa-nesting", "brackets are nested more than " + std::to_string(kMaxNesting) + " deep; remove some",
        offset);
  }

  NodeResult ReadSum(int depth) {
    NodeResult left = ReadProduct(depth);
    while (left.status.ok()) {
      const char c = cursor_.Peek();
      if (c != '+' && c != '-') return left;
      const size_t offset = cursor_.position();
      cursor_.Take(c);
      const NodeResult right = ReadProduct(depth);
      if (!right.status.ok()) return right;
      left = AddBinary(c == '+' ? Kind::kAdd : Kind::kSubtract, left.index, right.index, offset);
    }
    return left;
  }

  NodeResult ReadProduct(int depth) {
    NodeResult left = ReadUnary(depth);
    while (left.status.ok()) {
      const char c = cursor_.Peek();
      if (c != '*' && c != '/' && c != '%') return left;
      const size_t offset = cursor_.position();
      if (cursor_.LooksAt("**") || cursor_.LooksAt("//")) {
        const std::string op(2, c);
        return {cursor_.SyntaxError("isa-operator",
                                    "'" + op +
                                        "' is not an operator; the operators are + - * / % and "
                                        "unary -, and '/' already rounds toward zero",
                                    offset),
                -1};
      }
      cursor_.Take(c);
      const NodeResult right = ReadUnary(depth);
      if (!right.status.ok()) return right;
      const Kind kind = c == '*' ? Kind::kMultiply : c == '/' ? Kind::kDivide : Kind::kRemainder;
      left = AddBinary(kind, left.index, right.index, offset);
    }
    return left;
  }

  NodeResult ReadUnary(int depth) {
    size_t minus_signs = 0;
    cursor_.SkipBlanks();
    const size_t begin = cursor_.position();
    while (cursor_.Peek() == '-' && minus_signs < kMaxExpressionNodes) {
      cursor_.Take('-');
      ++minus_signs;
    }
    NodeResult result;
    if (minus_signs > 0 && IsDigit(cursor_.Peek())) {
      // The sign belongs to the literal, so that the smallest integer can be written.
      --minus_signs;
      result = ReadLiteral(true);
    } else {
      result = ReadPrimary(depth);
    }
    for (; result.status.ok() && minus_signs > 0; --minus_signs) {
      Expression::Node node;
      node.kind = Kind::kNegate;
      node.left = result.index;
      result = Add(node, begin);
    }
    return result;
  }

  NodeResult ReadLiteral(bool negative) {
    const size_t begin = cursor_.position();
    const std::string_view digits = cursor_.TakeDigits();
    const char next = cursor_.position() < cursor_.end() ? cursor_.source().text()[cursor_.position()] : '\0';
    if (IsNameChar(next) || next == '.') {
      return {cursor_.SyntaxError("isa-literal",
                                  "an integer literal in decimal digits is expected here, and '" +
                                      std::string(digits.substr(0, 40)) + next +
                                      "' begins something else; hexadecimal and float literals are not "
                                      "part of expressions",
                                  begin),
              -1};
    }
    std::string text = negative ? "-" : "";
    text += digits;
    Expression::Node node;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), node.integer);
    if (parsed.ec != std::errc()) {
      return {cursor_.SyntaxError("isa-literal-range",
                                  "the integer " + text.substr(0, 60) +
                                      " does not fit in 64 bits; integers are signed and 64 bits wide",
                                  begin),
              -1};
    }
    return Add(node, begin);
  }

  NodeResult ReadPrimary(int depth) {
    const char c = cursor_.Peek();
    const size_t begin = cursor_.position();
    if (IsDigit(c)) return ReadLiteral(false);
    if (c == '(') {
      if (depth >= kMaxNesting) return {TooDeep(begin), -1};
      cursor_.Take('(');
      cursor_.EnterBracket();
      NodeResult inner = ReadSum(depth + 1);
      if (!inner.status.ok()) return inner;
      if (cursor_.Peek() != ')') return {cursor_.Expected("an operator or ')'"), -1};
      cursor_.LeaveBracket();
      cursor_.Take(')');
      return inner;
    }
    if (c == '@') return ReadPrefixed(begin);
    const std::string_view name = cursor_.PeekName();
    if (style_ == NameStyle::kPlain && !name.empty()) return ReadPlain(begin);
    std::string what = style_ == NameStyle::kPlain ? "an integer, an attribute or '('"
                                                   : "an integer, an attribute such as @c.n, or '('";
    if (!name.empty()) {
      for (size_t k = 0; k < 3; ++k) {
        if (FindName(NamesOf(names_, kAttributeKinds[k]), name)) {
          what += " (write @" + std::string(1, kAttributePrefixes[k]) + "." + std::string(name) +
                  " for the " + std::string(AttributeKindName(kAttributeKinds[k])) + ")";
          break;
        }
      }
    }
    return {cursor_.Expected(what), -1};
  }

  NodeResult ReadPrefixed(size_t begin) {
    cursor_.Take('@');
    const std::string_view text = cursor_.source().text();
    const size_t at = cursor_.position();
    const auto malformed = [&]() -> NodeResult {
      return {cursor_.SyntaxError("isa-attribute",
                                  "'@' must begin @c.name, @a.name or @s.name without blanks", begin),
              -1};
    };
    if (at + 2 >= cursor_.end() || text[at + 1] != '.' || !IsNameStart(text[at + 2])) return malformed();
    for (size_t k = 0; k < 3; ++k) {
      if (text[at] != kAttributePrefixes[k]) continue;
      cursor_.set_position(at + 2);
      const std::string name(cursor_.TakeName());
      if (const auto index = FindName(NamesOf(names_, kAttributeKinds[k]), name))
        return AddAttribute(kAttributeKinds[k], *index, begin);
      return {Undeclared(name, k, begin), -1};
    }
    return malformed();
  }

  NodeResult ReadPlain(size_t begin) {
    const std::string name(cursor_.TakeName());
    for (const AttributeKind kind : kAttributeKinds) {
      if (const auto index = FindName(NamesOf(names_, kind), name)) return AddAttribute(kind, *index, begin);
    }
    std::string message = "'" + name + "' is not declared";
    message += Declared();
    return {cursor_.ValueError("isa-undeclared", std::move(message), begin), -1};
  }

  NodeResult AddAttribute(AttributeKind kind, int32_t index, size_t offset) {
    Expression::Node node;
    node.kind = Kind::kAttribute;
    node.attribute = kind;
    node.index = index;
    return Add(node, offset);
  }

  // "; declared are ...": the way out of a misspelling.
  std::string Declared() const {
    std::string text;
    for (size_t k = 0; k < 3; ++k) {
      for (const std::string& name : NamesOf(names_, kAttributeKinds[k])) {
        if (text.size() > 200) return text + ", ...";
        text += text.empty() ? "; declared are " : ", ";
        text += style_ == NameStyle::kPrefixed ? "@" + std::string(1, kAttributePrefixes[k]) + "." : "";
        text += name;
      }
    }
    return text.empty() ? "; nothing is declared here, so declare it first" : text;
  }

  Status Undeclared(const std::string& name, size_t kind, size_t offset) const {
    std::string message = "@" + std::string(1, kAttributePrefixes[kind]) + "." + name +
                          " is not a declared " + std::string(AttributeKindName(kAttributeKinds[kind]));
    for (size_t other = 0; other < 3; ++other) {
      if (other != kind && FindName(NamesOf(names_, kAttributeKinds[other]), name)) {
        message += "; there is a" + std::string(other == 1 ? "n " : " ") +
                   std::string(AttributeKindName(kAttributeKinds[other])) + " @" + kAttributePrefixes[other] +
                   "." + name;
        return cursor_.ValueError("isa-undeclared", std::move(message), offset);
      }
    }
    message += Declared();
    return cursor_.ValueError("isa-undeclared", std::move(message), offset);
  }

  // Whether the bracket at the position holds a condition: only conditions have relations or and/or inside.
  bool BracketHoldsCondition() {
    const std::string_view text = cursor_.source().text();
    int open = 0;
    for (size_t i = cursor_.position(); i < cursor_.end(); ++i) {
      const char c = text[i];
      if (c == '(') ++open;
      if (c == ')' && --open == 0) return false;
      if (c == '<' || c == '>' || c == '=' || c == '!' || c == '&' || c == '|') return true;
      if (IsNameStart(c) && (i == 0 || (!IsNameChar(text[i - 1]) && text[i - 1] != '.'))) {
        size_t stop = i;
        while (stop < cursor_.end() && IsNameChar(text[stop])) ++stop;
        const std::string_view word = text.substr(i, stop - i);
        if (word == "and" || word == "or" || word == "not") return true;
      }
    }
    return false;
  }

  StatusOr<Condition> ReadJunction(Condition::Kind kind, std::string_view word, int depth) {
    cursor_.SkipBlanks();
    Condition junction;
    junction.kind = kind;
    junction.location = cursor_.source().LocationAt(cursor_.position());
    do {
      StatusOr<Condition> operand =
          kind == Condition::Kind::kOr ? ReadJunction(Condition::Kind::kAnd, "and", depth) : ReadAtom(depth);
      if (!operand.ok()) return operand;
      junction.operands.push_back(std::move(*operand));
      if (++terms_ > 2 * kMaxExpressionNodes) {
        return Status(cursor_.SyntaxError(
            "isa-condition-too-long",
            "the condition has more than " + std::to_string(kMaxExpressionNodes) + " parts; split it",
            cursor_.position()));
      }
    } while (cursor_.TakeWord(word));
    if (junction.operands.size() == 1) return std::move(junction.operands.front());
    return junction;
  }

  StatusOr<Condition> ReadAtom(int depth) {
    const size_t begin = (cursor_.SkipBlanks(), cursor_.position());
    if (cursor_.PeekName() == "not") {
      return Status(cursor_.SyntaxError(
          "isa-operator", "'not' is not part of conditions; write the opposite relation", begin));
    }
    if (cursor_.Peek() == '(' && BracketHoldsCondition()) {
      if (depth >= kMaxNesting) return TooDeep(begin);
      cursor_.Take('(');
      cursor_.EnterBracket();
      ACT_ASSIGN_OR_RETURN(Condition inner, Conditions(depth + 1));
      if (cursor_.Peek() != ')') return Status(cursor_.Expected("'and', 'or' or ')'"));
      cursor_.LeaveBracket();
      cursor_.Take(')');
      if (TakeRelation()) {
        return Status(cursor_.SyntaxError(
            "isa-condition", "a condition in brackets cannot be compared; join it by 'and' or 'or'", begin));
      }
      return inner;
    }
    Condition compare;
    compare.location = cursor_.source().LocationAt(begin);
    ACT_ASSIGN_OR_RETURN(compare.left, Sum());
    const auto relation = TakeRelation();
    if (!relation) return Status(cursor_.Expected("a relation (== != < <= > >=)"));
    compare.relation = *relation;
    ACT_ASSIGN_OR_RETURN(compare.right, Sum());
    cursor_.SkipBlanks();
    const size_t after = cursor_.position();
    if (TakeRelation()) {
      return Status(cursor_.SyntaxError(
          "isa-chained", "comparisons cannot be chained; write 'a < b and b < c' for 'a < b < c'", after));
    }
    return compare;
  }

  std::optional<Relation> TakeRelation() {
    if (cursor_.TakeText("==")) return Relation::kEqual;
    if (cursor_.TakeText("!=")) return Relation::kNotEqual;
    if (cursor_.TakeText("<=")) return Relation::kLessEqual;
    if (cursor_.TakeText(">=")) return Relation::kGreaterEqual;
    if (cursor_.TakeText("<")) return Relation::kLess;
    if (cursor_.TakeText(">")) return Relation::kGreater;
    return std::nullopt;
  }

  Cursor& cursor_;
  const NameTable& names_;
  NameStyle style_;
  int base_depth_;
  std::vector<Expression::Node>* nodes_ = nullptr;
  size_t terms_ = 0;
};

Status NothingAfter(Cursor* cursor, std::string_view what) {
  if (cursor->AtEnd()) return Status();
  if (cursor->LooksAt("&&") || cursor->LooksAt("||")) {
    return cursor->SyntaxError("isa-operator", "conditions are joined by the words 'and' and 'or'",
                               cursor->position());
  }
  return cursor->Expected(what);
}

}  // namespace

std::string_view AttributeKindName(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::kComputational:
      return "computational attribute";
    case AttributeKind::kAddressing:
      return "addressing attribute";
    case AttributeKind::kState:
      return "state";
  }
  return "";
}

std::span<const std::string> NamesOf(const NameTable& names, AttributeKind kind) {
  switch (kind) {
    case AttributeKind::kComputational:
      return names.computational;
    case AttributeKind::kAddressing:
      return names.addressing;
    case AttributeKind::kState:
      return names.state;
  }
  return {};
}

std::optional<int32_t> FindName(std::span<const std::string> list, std::string_view name) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == name) return static_cast<int32_t>(i);
  }
  return std::nullopt;
}

bool IsAttributeName(const NameTable& names, std::string_view name) {
  for (const AttributeKind kind : kAttributeKinds) {
    if (FindName(NamesOf(names, kind), name)) return true;
  }
  return false;
}

StatusOr<Expression> ReadExpression(Cursor* cursor, const NameTable& names, NameStyle style) {
  return Reader(cursor, names, style).Sum();
}

StatusOr<Condition> ReadCondition(Cursor* cursor, const NameTable& names, NameStyle style) {
  return Reader(cursor, names, style).Conditions(0);
}

StatusOr<int64_t> ReadInteger(Cursor* cursor) {
  cursor->SkipBlanks();
  const size_t begin = cursor->position();
  if (cursor->Peek() == '-') cursor->Take('-');
  if (!IsDigit(cursor->Peek())) {
    cursor->set_position(begin);
    return Status(cursor->Expected("an integer"));
  }
  cursor->set_position(begin);
  ACT_ASSIGN_OR_RETURN(const Expression expression, Reader(cursor, NameTable{}, NameStyle::kPrefixed).Sum());
  if (expression.nodes.size() != 1) {
    return Status(cursor->SyntaxError("isa-syntax", "expected an integer, found an expression", begin));
  }
  return expression.nodes.front().integer;
}

StatusOr<Update> ReadUpdate(Cursor* cursor, const NameTable& names, NameStyle style) {
  cursor->SkipBlanks();
  const size_t begin = cursor->position();
  // The target is read as an expression over the state alone: one node that names a state.
  NameTable state;
  state.state = names.state;
  if (cursor->Peek() != '@' && (style == NameStyle::kPrefixed || cursor->PeekName().empty())) {
    return Status(cursor->Expected(style == NameStyle::kPlain ? "the state to update" : "'@s.' and a state"));
  }
  if (cursor->LooksAt("@c.") || cursor->LooksAt("@a.")) {
    return Status(cursor->ValueError("isa-update-target",
                                     "an update sets state (@s); attributes are fixed by the call", begin));
  }
  Update update;
  {
    // Only the name: the operator belongs to the update.
    size_t stop = begin;
    const std::string_view text = cursor->source().text();
    while (stop < cursor->end() && (IsNameChar(text[stop]) || text[stop] == '.' || text[stop] == '@')) ++stop;
    Cursor target(cursor->source(), begin, stop, BlankRules{});
    ACT_ASSIGN_OR_RETURN(const Expression name, ReadExpression(&target, state, style));
    if (name.nodes.size() != 1 || name.nodes.front().kind != Kind::kAttribute) {
      return Status(cursor->SyntaxError("isa-update-target", "an update begins with a state", begin));
    }
    update.state = name.nodes.front().index;
    cursor->set_position(target.position());
  }
  if (cursor->TakeText("+=")) {
    update.kind = Update::Kind::kAdd;
  } else if (cursor->TakeText("-=")) {
    update.kind = Update::Kind::kSubtract;
  } else if (cursor->TakeText("*=")) {
    update.kind = Update::Kind::kMultiply;
  } else if (cursor->LooksAt("==") || !cursor->Take('=')) {
    return Status(cursor->Expected("one of = += -= *="));
  }
  ACT_ASSIGN_OR_RETURN(update.value, ReadExpression(cursor, names, style));
  return update;
}

StatusOr<Expression> ParseExpression(const SourceText& source, const NameTable& names, NameStyle style) {
  Cursor cursor(source, BlankRules{});
  ACT_ASSIGN_OR_RETURN(Expression expression, ReadExpression(&cursor, names, style));
  ACT_RETURN_IF_ERROR(NothingAfter(&cursor, "an operator or the end of the expression"));
  return expression;
}

StatusOr<Condition> ParseCondition(const SourceText& source, const NameTable& names, NameStyle style) {
  Cursor cursor(source, BlankRules{});
  ACT_ASSIGN_OR_RETURN(Condition condition, ReadCondition(&cursor, names, style));
  ACT_RETURN_IF_ERROR(NothingAfter(&cursor, "'and', 'or' or the end of the condition"));
  return condition;
}

}  // namespace act::isa
