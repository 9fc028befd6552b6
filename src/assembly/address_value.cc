#include <limits>

#include "assembly/address_text.h"
#include "assembly/python_kernel.h"

namespace act::assembly {
namespace {

using isa::Expression;

Expression WideInteger(int128_t value) {
  if (value >= std::numeric_limits<int64_t>::min() && value <= std::numeric_limits<int64_t>::max()) {
    return Expression::Integer(static_cast<int64_t>(value));
  }
  const int128_t base = int128_t{1} << 62;
  const Expression high = WideInteger(value / base);
  return Expression::Binary(
      Expression::Kind::kAdd,
      Expression::Binary(Expression::Kind::kMultiply, high, Expression::Integer(int64_t{1} << 62)),
      Expression::Integer(static_cast<int64_t>(value % base)));
}

}  // namespace

StatusOr<AttributeValue> ParseAddressText(const SourceText& text, std::span<const std::string> loops) {
  ACT_ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(text, LexerStyle::kExpression));
  TokenCursor cursor(text, tokens);
  ACT_ASSIGN_OR_RETURN(Expression expression, ParseAddress(cursor, loops, VariableStyle::kPercent));
  if (!cursor.AtEnd()) return cursor.Expected("the end of the text");
  return AttributeValue{std::move(expression)};
}

AttributeValue WideValue(int128_t value) { return {WideInteger(value)}; }

}  // namespace act::assembly
