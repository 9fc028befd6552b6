#include "assembly/constant_native.h"

#include <limits>

#include "assembly/constant_text.h"

namespace act::assembly {
namespace {

constexpr int64_t kMaxRank = 64;

std::string HexText(const std::vector<uint8_t>& bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (uint8_t byte : bytes) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

Status ParseHex(TokenCursor& cursor, Literal* literal) {
  if (cursor.Peek().kind != TokenKind::kString) return cursor.Expected("a string of hexadecimal digits");
  const Token& token = cursor.Next();
  if (token.value.size() != 2 * literal->bytes.size()) {
    return cursor.ValueError("asm-constant",
                             "a constant of shape " + ToString(literal->shape) + " takes " +
                                 std::to_string(2 * literal->bytes.size()) +
                                 " hexadecimal digits; there are " + std::to_string(token.value.size()),
                             token.offset);
  }
  for (size_t i = 0; i < token.value.size(); ++i) {
    char c = token.value[i];
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0)
      return cursor.SyntaxError("'" + std::string(1, c) + "' is not a hexadecimal digit (0-9, a-f)",
                                token.offset);
    uint8_t& byte = literal->bytes[i / 2];
    byte = static_cast<uint8_t>(i % 2 == 0 ? digit << 4 : byte | digit);
  }
  return Status();
}

StatusOr<std::optional<double>> NativeWord(TokenCursor& cursor) {
  bool negative = cursor.Is("-");
  size_t at = negative ? 1 : 0;
  std::optional<double> value;
  if (cursor.IsWord("inf", at)) value = std::numeric_limits<double>::infinity();
  if (cursor.IsWord("nan", at)) value = std::numeric_limits<double>::quiet_NaN();
  if (!negative && cursor.IsWord("true")) value = 1;
  if (!negative && cursor.IsWord("false")) value = 0;
  if (!value) return value;
  if (negative) cursor.Next();
  cursor.Next();
  return std::optional<double>(negative ? -*value : *value);
}

}  // namespace

std::string PrintNativeConstant(const Literal& literal) {
  std::string head = ToString(literal.shape) + " = ";
  if (IsEye(literal)) return head + "eye";
  if (IsSplat(literal) && literal.shape.rank() > 0) {
    std::optional<std::string> element = ElementText(literal, 0, kNativeWords);
    if (element) return head + "full " + *element;
  }
  if (std::optional<int64_t> d = IotaDimension(literal)) return head + "iota " + std::to_string(*d);
  std::optional<std::string> nested = NestedText(literal, kNativeWords, '{', '}', 2);
  if (!nested) return head + "bytes \"" + HexText(literal.bytes) + "\"";
  return literal.shape.rank() < 2 ? head + *nested : head + "\n  " + *nested;
}

StatusOr<Literal> ParseNativeConstant(TokenCursor& cursor) {
  size_t offset = cursor.Peek().offset;
  ACT_ASSIGN_OR_RETURN(Shape shape, ParseNativeShape(cursor));
  ACT_RETURN_IF_ERROR(cursor.Expect("="));
  ACT_ASSIGN_OR_RETURN(Literal literal, MakeLiteral(cursor, shape, offset));
  size_t form = cursor.Peek().offset;
  if (cursor.AcceptWord("eye")) {
    if (shape.rank() != 2 || IsComplex(shape.type)) {
      return cursor.ValueError("asm-constant",
                               "eye needs two dimensions and a real type, not " + ToString(shape), form);
    }
    return MakeEye(shape);
  }
  if (cursor.AcceptWord("full")) {
    Literal scalar(Shape::Array(shape.type, {}));
    ACT_RETURN_IF_ERROR(ReadElement(cursor, NativeWord, &scalar, 0));
    return MakeSplat(shape, scalar);
  }
  if (cursor.AcceptWord("iota")) {
    ACT_ASSIGN_OR_RETURN(int64_t d, ParseNatural(cursor, "the dimension that iota counts"));
    if (d >= shape.rank() || (!IsInteger(shape.type) && !IsFloat(shape.type))) {
      return cursor.ValueError("asm-constant",
                               "iota " + std::to_string(d) + " does not fit " + ToString(shape) +
                                   "; it needs that dimension and an integer or float type",
                               form);
    }
    return MakeIota(shape, d);
  }
  if (cursor.AcceptWord("bytes")) {
    ACT_RETURN_IF_ERROR(ParseHex(cursor, &literal));
    return literal;
  }
  ACT_RETURN_IF_ERROR(ReadNested(cursor, NativeWord, "{", "}", &literal));
  return literal;
}

StatusOr<Shape> ParseNativeShape(TokenCursor& cursor) {
  size_t offset = cursor.Peek().offset;
  ACT_ASSIGN_OR_RETURN(std::string name, cursor.Identifier("a shape such as bf16[64,64]"));
  std::optional<ElementType> type = ElementTypeFromName(name);
  if (!type || !IsArrayType(*type)) {
    return cursor.ValueError("asm-type", "'" + name + "' is not an element type", offset);
  }
  ACT_RETURN_IF_ERROR(cursor.Expect("["));
  std::vector<int64_t> dims;
  while (!cursor.Is("]")) {
    if (!dims.empty()) ACT_RETURN_IF_ERROR(cursor.Expect(","));
    ACT_ASSIGN_OR_RETURN(int64_t dim, ParseNatural(cursor, "a dimension"));
    dims.push_back(dim);
  }
  ACT_RETURN_IF_ERROR(cursor.Expect("]"));
  Shape shape = Shape::Array(*type, std::move(dims));
  if (shape.rank() > kMaxRank || !shape.num_bytes()) {
    return cursor.ValueError("asm-type", "the shape " + ToString(shape) + " is too large", offset);
  }
  return shape;
}

StatusOr<int64_t> ParseNatural(TokenCursor& cursor, std::string_view what) {
  size_t offset = cursor.Peek().offset;
  ACT_ASSIGN_OR_RETURN(int64_t value, cursor.Integer(what));
  if (value < 0) {
    return cursor.ValueError("asm-negative",
                             std::string(what) + " cannot be negative: " + std::to_string(value), offset);
  }
  return value;
}

std::string NativeName(std::string_view name) {
  // Dotted names (dot.5) are one token; "_" alone stands for "not said".
  bool plain = name != "_";
  size_t begin = 0;
  bool first = true;
  while (plain) {
    size_t dot = name.find('.', begin);
    std::string_view part = name.substr(begin, dot == std::string_view::npos ? dot : dot - begin);
    plain = !part.empty() && IsPlainIdentifier(first ? std::string(part) : "x" + std::string(part));
    first = false;
    if (dot == std::string_view::npos) break;
    begin = dot + 1;
  }
  return plain ? std::string(name) : Quote(name);
}

StatusOr<std::string> ParseNativeName(TokenCursor& cursor, std::string_view what) {
  if (cursor.Peek().kind == TokenKind::kString) return cursor.Next().value;
  return cursor.Identifier(what);
}

}  // namespace act::assembly
