#include "assembly/constant_text.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace act::assembly {
namespace {

// A one-element literal of the type.
Literal Scalar(ElementType type) { return Literal(Shape::Array(type, {})); }

bool ElementIs(const Literal& literal, int64_t index, const Literal& scalar) {
  size_t width = scalar.bytes.size();
  return std::memcmp(literal.bytes.data() + static_cast<size_t>(index) * width, scalar.bytes.data(), width) ==
         0;
}

bool CountsExactly(ElementType type) { return IsInteger(type) || IsFloat(type); }

// Index along `dimension` of each element: (i / inner) % extent.
struct IndexAlong {
  int64_t inner, extent;
  IndexAlong(const Shape& shape, int64_t dimension) {
    inner = RowMajorStrides(shape.dims)[static_cast<size_t>(dimension)];
    extent = shape.dims[static_cast<size_t>(dimension)];
  }
  int64_t operator()(int64_t i) const { return (i / inner) % extent; }
};

std::string WithPoint(std::string text) {
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// Whether the decimal gives the element, both in one rounding from f64 and through f32 (readers differ).
bool ReadsBack(const char* begin, const char* end, const Literal& element, Literal* scratch) {
  double value = 0;
  std::from_chars(begin, end, value);
  scratch->SetDouble(0, value);
  if (scratch->bytes != element.bytes) return false;
  if (BitWidth(element.shape.type) > 32) return true;
  scratch->SetDouble(0, static_cast<double>(static_cast<float>(value)));
  return scratch->bytes == element.bytes;
}

bool IntegerFits(ElementType type, bool negative, uint64_t magnitude) {
  int width = BitWidth(type);
  if (IsUnsignedInteger(type)) {
    return !(negative && magnitude != 0) && (width == 64 || magnitude >> width == 0);
  }
  uint64_t limit = uint64_t{1} << (width - 1);
  return negative ? magnitude <= limit : magnitude < limit;
}

}  // namespace

bool IsSplat(const Literal& literal) {
  int64_t n = literal.num_elements();
  if (n == 0) return false;
  auto width = static_cast<size_t>(StorageBytes(literal.shape.type));
  return std::memcmp(literal.bytes.data(), literal.bytes.data() + width, literal.bytes.size() - width) == 0;
}

bool IsEye(const Literal& literal) {
  if (literal.shape.rank() != 2 || literal.num_elements() == 0) return false;
  if (!CountsExactly(literal.shape.type) && literal.shape.type != ElementType::kPred) return false;
  return MakeEye(literal.shape) == literal;
}

std::optional<int64_t> IotaDimension(const Literal& literal) {
  if (!CountsExactly(literal.shape.type) || literal.num_elements() == 0) return std::nullopt;
  Literal scalar = Scalar(literal.shape.type);
  for (int64_t d = 0; d < literal.shape.rank(); ++d) {
    IndexAlong along(literal.shape, d);
    bool all = true;
    for (int64_t i = 0; all && i < literal.num_elements(); ++i) {
      scalar.SetInt(0, along(i));
      all = ElementIs(literal, i, scalar);
    }
    if (all) return d;
  }
  return std::nullopt;
}

Literal MakeSplat(const Shape& shape, const Literal& scalar) {
  Literal literal(shape);
  size_t width = scalar.bytes.size();
  for (size_t at = 0; at < literal.bytes.size(); at += width) {
    std::memcpy(literal.bytes.data() + at, scalar.bytes.data(), width);
  }
  return literal;
}

Literal MakeEye(const Shape& shape) {
  Literal literal(shape);
  Literal one = Scalar(shape.type);
  one.SetInt(0, 1);
  size_t width = one.bytes.size();
  for (int64_t i = 0; i < shape.dims[0] && i < shape.dims[1]; ++i) {
    std::memcpy(literal.bytes.data() + static_cast<size_t>(i * shape.dims[1] + i) * width, one.bytes.data(),
                width);
  }
  return literal;
}

Literal MakeIota(const Shape& shape, int64_t dimension) {
  Literal literal(shape);
  int64_t n = literal.num_elements();
  if (n == 0) return literal;
  IndexAlong along(shape, dimension);
  for (int64_t i = 0; i < n; ++i) literal.SetInt(i, along(i));
  return literal;
}

std::optional<std::string> ElementText(const Literal& literal, int64_t index, const ElementWords& words) {
  ElementType type = literal.shape.type;
  if (type == ElementType::kPred) {
    return std::string(literal.GetInt(index) != 0 ? words.true_word : words.false_word);
  }
  if (IsInteger(type)) {
    int64_t value = literal.GetInt(index);
    if (type == ElementType::kU64) return std::to_string(static_cast<uint64_t>(value));
    return std::to_string(value);
  }
  if (!IsFloat(type)) return std::nullopt;
  Literal element = Scalar(type);
  std::memcpy(element.bytes.data(), literal.bytes.data() + static_cast<size_t>(index) * element.bytes.size(),
              element.bytes.size());
  Literal scratch = Scalar(type);
  double value = literal.GetDouble(index);
  if (!std::isfinite(value)) {
    scratch.SetDouble(0, value);
    if (std::isnan(value)) scratch.SetDouble(0, std::numeric_limits<double>::quiet_NaN());
    if (scratch.bytes != element.bytes) return std::nullopt;
    if (std::isnan(value)) return std::string(words.nan);
    return (value < 0 ? "-" : "") + std::string(words.infinity);
  }
  char buffer[64];
  if (value == std::floor(value) && std::fabs(value) < 1e15 && !(value == 0 && std::signbit(value))) {
    // Whole numbers as such: "128.0", not "1.3e+02".
    char* end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<int64_t>(value)).ptr;
    if (end - buffer <= 8 && ReadsBack(buffer, end, element, &scratch))
      return std::string(buffer, end) + ".0";
  }
  for (int precision = 1; precision <= 17; ++precision) {
    char* end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, precision).ptr;
    if (ReadsBack(buffer, end, element, &scratch)) return WithPoint(std::string(buffer, end));
  }
  return std::nullopt;
}

std::optional<std::string> NestedText(const Literal& literal, const ElementWords& words, char open,
                                      char close, int indent) {
  if (literal.shape.rank() == 0) return ElementText(literal, 0, words);
  const std::vector<int64_t>& dims = literal.shape.dims;
  int64_t n = literal.num_elements();
  if (n == 0) return std::nullopt;
  std::string out;
  std::string blanks(static_cast<size_t>(indent), ' ');
  for (int64_t i = 0; i < n; ++i) {
    int64_t opened = 0;  // dimensions that begin at i
    int64_t block = 1;
    for (size_t d = dims.size(); d-- > 0;) {
      block *= dims[d];
      if (i % block != 0) break;
      ++opened;
    }
    if (i > 0)
      out += opened > 0 ? ",\n" + blanks + std::string(dims.size() - static_cast<size_t>(opened), ' ') : ", ";
    out.append(static_cast<size_t>(opened), open);
    std::optional<std::string> element = ElementText(literal, i, words);
    if (!element) return std::nullopt;
    out += *element;
    block = 1;
    for (size_t d = dims.size(); d-- > 0;) {
      block *= dims[d];
      if ((i + 1) % block != 0) break;
      out += close;
    }
  }
  return out;
}

Status ReadElement(TokenCursor& cursor, const WordReader& word, Literal* literal, int64_t index) {
  ElementType type = literal->shape.type;
  size_t offset = cursor.Peek().offset;
  std::string name(ElementTypeName(type));
  auto misfit = [&](std::string_view shown) {
    return cursor.ValueError("asm-constant", std::string(shown) + " is not a value of type " + name, offset);
  };
  bool negative = cursor.Is("-");
  TokenKind kind = cursor.Peek(negative ? 1 : 0).kind;
  if (kind != TokenKind::kInteger && kind != TokenKind::kFloat) {
    ACT_ASSIGN_OR_RETURN(std::optional<double> value, word(cursor));
    if (!value) return cursor.Expected("a number of type " + name);
    if (IsInteger(type)) return misfit("the word here");
    literal->SetDouble(index, *value);
    return Status();
  }
  if (negative) cursor.Next();
  const Token& token = cursor.Next();
  std::string shown = (negative ? "-" : "") + std::string(token.text);
  if (IsComplex(type)) return misfit(shown);
  if (kind == TokenKind::kInteger && (IsInteger(type) || type == ElementType::kPred)) {
    bool fits = type == ElementType::kPred ? !negative && token.magnitude <= 1
                                           : IntegerFits(type, negative, token.magnitude);
    if (token.beyond_64_bits || !fits) return misfit(shown);
    literal->SetInt(index, static_cast<int64_t>(negative ? 0 - token.magnitude : token.magnitude));
    return Status();
  }
  if (!IsFloat(type)) return misfit(shown);
  double value = 0;
  auto read = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (read.ec == std::errc::result_out_of_range) return misfit(shown);
  literal->SetDouble(index, negative ? -value : value);
  return Status();
}

Status ReadNested(TokenCursor& cursor, const WordReader& word, std::string_view open, std::string_view close,
                  Literal* literal) {
  const std::vector<int64_t>& dims = literal->shape.dims;
  if (dims.empty()) return ReadElement(cursor, word, literal, 0);
  // seen[d]: members already read of the list at depth d. No recursion, so depth is no matter.
  std::vector<int64_t> seen;
  int64_t index = 0;
  while (true) {
    if (seen.size() < dims.size() && (seen.empty() || !cursor.Is(close))) {
      ACT_RETURN_IF_ERROR(cursor.Expect(open));
      seen.push_back(0);
      continue;
    }
    size_t d = seen.size() - 1;
    if (d + 1 == dims.size() && !cursor.Is(close)) {
      if (seen[d] == dims[d]) break;
      ACT_RETURN_IF_ERROR(ReadElement(cursor, word, literal, index++));
      ++seen[d];
    } else if (cursor.Is(close)) {
      if (seen[d] != dims[d]) break;
      cursor.Next();
      seen.pop_back();
      if (seen.empty()) return Status();
      ++seen[d - 1];
    }
    d = seen.size() - 1;
    if (!cursor.Accept(",") && !cursor.Is(close))
      return cursor.Expected("',' or '" + std::string(close) + "'");
    if (seen.size() < dims.size() && !cursor.Is(close) && seen[d] == dims[d]) break;
  }
  size_t d = seen.size() - 1;
  return cursor.ValueError(
      "asm-constant",
      "the list of dimension " + std::to_string(d) + " must have " + std::to_string(dims[d]) + " members; " +
          (seen[d] == dims[d] ? "there are more" : "it ends after " + std::to_string(seen[d])),
      cursor.Peek().offset);
}

StatusOr<Literal> MakeLiteral(const TokenCursor& cursor, const Shape& shape, size_t offset) {
  std::optional<int64_t> bytes = shape.num_bytes();
  if (!shape.is_array() || !bytes || *bytes > kMaxConstantBytes) {
    return cursor.ValueError("asm-constant",
                             "a constant of shape " + ToString(shape) + " is too large; at most " +
                                 std::to_string(kMaxConstantBytes) + " bytes can be spelled",
                             offset);
  }
  return Literal(shape);
}

}  // namespace act::assembly
