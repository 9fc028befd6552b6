#include "assembly/address_text.h"

namespace act::assembly {
namespace {

using isa::Expression;
using Kind = Expression::Kind;

constexpr int kMaxDepth = 100;
constexpr size_t kMaxNodes = 10000;

// 0: sum, 1: product, 2: operand of a sign or innermost.
int Precedence(const Expression::Node& node) {
  switch (node.kind) {
    case Kind::kAdd:
    case Kind::kSubtract:
      return 0;
    case Kind::kMultiply:
    case Kind::kDivide:
    case Kind::kRemainder:
      return 1;
    default:
      return 2;
  }
}

std::string_view Operator(Kind kind) {
  switch (kind) {
    case Kind::kAdd:
      return " + ";
    case Kind::kSubtract:
      return " - ";
    case Kind::kMultiply:
      return "*";
    case Kind::kDivide:
      return "/";
    default:
      return " % ";
  }
}

class Parser {
 public:
  Parser(TokenCursor& cursor, std::span<const std::string> loops, VariableStyle style)
      : cursor_(cursor), loops_(loops), style_(style) {}

  StatusOr<Expression> Run() {
    result_.location = cursor_.Location();
    result_.nodes.clear();
    ACT_RETURN_IF_ERROR(Sum(0));
    if (!result_.Uses(isa::AttributeKind::kAddressing)) {
      StatusOr<int64_t> folded = isa::Evaluate(result_, {});
      if (folded.ok()) {
        SourceLocation location = result_.location;
        result_ = Expression::Integer(*folded);
        result_.location = location;
      }
    }
    return std::move(result_);
  }

 private:
  int32_t Last() const { return static_cast<int32_t>(result_.nodes.size()) - 1; }
  Status Push(Kind kind, int32_t left, int32_t right, size_t offset) {
    if (result_.nodes.size() >= kMaxNodes) return cursor_.SyntaxError("the expression is too long", offset);
    Expression::Node node;
    node.kind = kind;
    node.left = left;
    node.right = right;
    result_.nodes.push_back(node);
    return Status();
  }

  Status Sum(int depth) {
    ACT_RETURN_IF_ERROR(Product(depth));
    while (cursor_.Is("+") || cursor_.Is("-")) {
      int32_t left = Last();
      const Token& token = cursor_.Next();
      ACT_RETURN_IF_ERROR(Product(depth));
      ACT_RETURN_IF_ERROR(Push(token.text == "+" ? Kind::kAdd : Kind::kSubtract, left, Last(), token.offset));
    }
    return Status();
  }

  Status Product(int depth) {
    ACT_RETURN_IF_ERROR(Unary(depth));
    while (cursor_.Is("*") || cursor_.Is("/") || cursor_.Is("%")) {
      int32_t left = Last();
      const Token& token = cursor_.Next();
      size_t at = cursor_.Peek().offset;
      ACT_RETURN_IF_ERROR(Unary(depth));
      const Expression::Node& right = result_.nodes.back();
      if (token.text != "*" && right.kind == Kind::kInteger && right.integer == 0) {
        return cursor_.SyntaxError(
            std::string(token.text == "/" ? "division" : "remainder") + " by the literal 0", at);
      }
      Kind kind = token.text == "*" ? Kind::kMultiply : token.text == "/" ? Kind::kDivide : Kind::kRemainder;
      ACT_RETURN_IF_ERROR(Push(kind, left, Last(), token.offset));
    }
    return Status();
  }

  Status Unary(int depth) {
    size_t offset = cursor_.Peek().offset;
    if (depth > kMaxDepth) return cursor_.SyntaxError("the expression is nested too deeply", offset);
    if (cursor_.Is("-") && cursor_.Peek(1).kind != TokenKind::kInteger) {
      cursor_.Next();
      ACT_RETURN_IF_ERROR(Unary(depth + 1));
      return Push(Kind::kNegate, Last(), -1, offset);
    }
    if (cursor_.Accept("(")) {
      ACT_RETURN_IF_ERROR(Sum(depth + 1));
      return cursor_.Expect(")");
    }
    if (cursor_.Is("-") || cursor_.Peek().kind == TokenKind::kInteger) {
      ACT_ASSIGN_OR_RETURN(int64_t value, cursor_.Integer("an integer"));
      ACT_RETURN_IF_ERROR(Push(Kind::kInteger, -1, -1, offset));
      result_.nodes.back().integer = value;
      return Status();
    }
    if (cursor_.Peek().kind == TokenKind::kFloat) {
      return cursor_.SyntaxError(
          "an address is an integer expression; '" + std::string(cursor_.Peek().text) + "' is not an integer",
          offset);
    }
    std::string_view what = "an integer, a loop variable or '('";
    if (style_ == VariableStyle::kPercent && !cursor_.Accept("%")) {
      if (cursor_.Peek().kind != TokenKind::kIdentifier) return cursor_.Expected(what);
      return cursor_.SyntaxError("a loop variable is written with '%': %" + std::string(cursor_.Peek().text),
                                 offset);
    }
    ACT_ASSIGN_OR_RETURN(std::string name, cursor_.Identifier(what));
    for (size_t d = loops_.size(); d-- > 0;) {
      if (loops_[d] != name) continue;
      ACT_RETURN_IF_ERROR(Push(Kind::kAttribute, -1, -1, offset));
      result_.nodes.back().attribute = isa::AttributeKind::kAddressing;
      result_.nodes.back().index = static_cast<int32_t>(d);
      return Status();
    }
    return cursor_.ValueError("asm-unknown-variable",
                              "'" + name + "' is not the variable of an enclosing loop", offset);
  }

  TokenCursor& cursor_;
  std::span<const std::string> loops_;
  VariableStyle style_;
  Expression result_;
};

}  // namespace

std::string PrintAddress(const Expression& expression, std::span<const std::string> loops,
                         VariableStyle style) {
  // Children come before parents, so texts build up in order without recursion.
  std::vector<std::string> texts(expression.nodes.size());
  auto operand = [&](int32_t child, int least) {
    auto at = static_cast<size_t>(child);
    const std::string& text = texts[at];
    return Precedence(expression.nodes[at]) < least ? "(" + text + ")" : text;
  };
  for (size_t k = 0; k < expression.nodes.size(); ++k) {
    const Expression::Node& node = expression.nodes[k];
    if (node.kind == Kind::kInteger) {
      texts[k] = std::to_string(node.integer);
    } else if (node.kind == Kind::kAttribute) {
      auto d = static_cast<size_t>(node.index);
      texts[k] = std::string(style == VariableStyle::kPercent ? "%" : "") +
                 (d < loops.size() ? loops[d] : "loop" + std::to_string(d));
    } else if (node.kind == Kind::kNegate) {
      // A bare sign before an integer would read as a negative literal.
      const Expression::Node& inner = expression.nodes[static_cast<size_t>(node.left)];
      texts[k] =
          inner.kind == Kind::kInteger ? "-(" + operand(node.left, 0) + ")" : "-" + operand(node.left, 2);
    } else {
      int own = Precedence(node);
      std::string left = operand(node.left, own);
      texts[k] = left + std::string(Operator(node.kind)) + operand(node.right, own + 1);
    }
  }
  return texts.empty() ? "0" : texts.back();
}

StatusOr<Expression> ParseAddress(TokenCursor& cursor, std::span<const std::string> loops,
                                  VariableStyle style) {
  return Parser(cursor, loops, style).Run();
}

}  // namespace act::assembly
