// Values of constants. Memory grows with the elements that are read, never with the declared shape.
#include <charconv>
#include <cmath>
#include <cstring>

#include "hlo/reader.h"

namespace act::hlo {
namespace {

// Mantissa bits of the types whose NaN has a payload; 0: the type has one NaN a sign at most.
int PayloadBits(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return 52;
    case ElementType::kF32:
      return 23;
    case ElementType::kF16:
      return 10;
    case ElementType::kBF16:
      return 7;
    case ElementType::kF8E3M4:
      return 4;
    case ElementType::kF8E4M3:
      return 3;
    case ElementType::kF8E5M2:
      return 2;
    default:
      return 0;
  }
}

void StoreBits(uint64_t bits, Literal* scalar) {
  std::memcpy(scalar->bytes.data(), &bits, scalar->bytes.size());
}

// True if a decimal text that double cannot hold is too small (and not too large): by the power of ten of
// its first digit that is not zero.
bool IsTiny(std::string_view text) {
  const size_t exponent_at = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, exponent_at);
  int64_t exponent = 0;
  if (exponent_at != std::string_view::npos) {
    std::string_view digits = text.substr(exponent_at + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (result.ec == std::errc::result_out_of_range) return digits.starts_with('-');
  }
  const size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  return exponent + static_cast<int64_t>(point) - static_cast<int64_t>(first) < 0;
}

// The type of the parts of a complex type, else the type.
ElementType PartType(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  return type == ElementType::kC128 ? ElementType::kF64 : type;
}

}  // namespace

bool Reader::ReadIntegerElement(ElementType type, Literal* scalar) {
  const size_t offset = lexer_.offset();
  const std::string_view text = lexer_.Number();
  const std::string type_name(ElementTypeName(type));
  if (text.empty()) return Expected("a value of type " + type_name);
  if (type == ElementType::kPred) {
    const bool is_true = text == "true" || text == "1";
    if (!is_true && text != "false" && text != "0") {
      return ValueError("hlo-constant", "'" + std::string(text) + "' is not a pred; write true or false",
                        offset);
    }
    scalar->bytes[0] = is_true ? 1 : 0;
    return true;
  }
  const char* const end = text.data() + text.size();
  const int bits = BitWidth(type);
  if (IsUnsignedInteger(type) && !text.starts_with('-')) {
    uint64_t value = 0;
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec == std::errc() && result.ptr == end && (bits == 64 || value >> bits == 0)) {
      StoreBits(value, scalar);
      return true;
    }
  } else {
    int64_t value = 0;
    const auto result = std::from_chars(text.data(), end, value);
    // A minus sign leaves an unsigned type only -0.
    const int64_t bound = bits == 64 ? 0 : int64_t{1} << (bits - 1);
    const bool in_range =
        IsUnsignedInteger(type) ? value == 0 : bits == 64 || (value >= -bound && value < bound);
    if (result.ec == std::errc() && result.ptr == end && in_range) {
      scalar->SetInt(0, value);
      return true;
    }
  }
  const bool whole = text.find_first_not_of("-0123456789") == std::string_view::npos;
  return ValueError("hlo-constant",
                    "'" + std::string(text) + (whole ? "' does not fit " : "' is not an integer, as ") +
                        type_name + (whole ? "" : " needs"),
                    offset);
}

bool Reader::ReadFloatElement(ElementType type, Literal* scalar) {
  const size_t offset = lexer_.offset();
  const std::string_view token = lexer_.Number();
  const std::string type_name(ElementTypeName(type));
  if (token.empty()) return Expected("a value of type " + type_name);
  const bool negative = token.starts_with('-');
  const std::string_view text = token.substr(negative ? 1 : 0);
  const auto store = [&](double magnitude) { scalar->SetDouble(0, negative ? -magnitude : magnitude); };
  if (text == "inf" || text == "nan") {
    store(text == "inf" ? HUGE_VAL : std::nan(""));
    // Some types lack them and store something else.
    const double stored = scalar->GetDouble(0);
    if (text == "inf" ? std::isinf(stored) && std::signbit(stored) == negative : std::isnan(stored))
      return true;
    return ValueError("hlo-constant", type_name + " has no value '" + std::string(token) + "'", offset);
  }
  if (text.starts_with("nan(0x")) {
    uint64_t payload = 0;
    const std::string_view digits = text.substr(6, text.size() - 7);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), payload, 16);
    const int payload_bits = PayloadBits(type);
    if (result.ec != std::errc() || payload == 0 || payload_bits == 0 || payload >> payload_bits != 0) {
      return ValueError("hlo-constant", "'" + std::string(token) + "' is not a NaN of type " + type_name,
                        offset);
    }
    const int bits = BitWidth(type);
    const uint64_t magnitude =
        (uint64_t{1} << (bits - 1)) - (uint64_t{1} << payload_bits);  // exponent all ones
    StoreBits(magnitude | payload | (negative ? uint64_t{1} << (bits - 1) : 0), scalar);
    return true;
  }
  double value = 0;
  const char* const end = text.data() + text.size();
  auto result = std::from_chars(text.data(), end, value);
  const bool is_number = text != "true" && text != "false" && result.ptr == end && !text.empty();
  if (!is_number) {
    return ValueError("hlo-constant", "'" + std::string(token) + "' is not a number", offset);
  }
  bool overflow = false;
  if (result.ec == std::errc::result_out_of_range) {
    overflow = !IsTiny(text);
    value = 0;
  }
  if (type == ElementType::kF32 && !overflow) {
    // Straight to f32: by way of f64 some texts would be rounded twice.
    float single = 0;
    result = std::from_chars(text.data(), end, single);
    overflow = result.ec == std::errc::result_out_of_range && !IsTiny(text);
    if (result.ec != std::errc()) single = 0;
    store(static_cast<double>(single));
  } else {
    store(value);
    const double stored = scalar->GetDouble(0);
    // Too large: rounded to an infinity or NaN, or to the largest value where the type has nothing else.
    overflow = overflow || !std::isfinite(stored) ||
               (type == ElementType::kF4E2M1FN && std::fabs(value) > 6.0) ||
               (type == ElementType::kF8E8M0FNU && negative);
  }
  if (!overflow) return true;
  return ValueError("hlo-constant", "'" + std::string(token) + "' does not fit " + type_name, offset);
}

bool Reader::ReadRealElement(ElementType type, Literal* scalar, std::vector<uint8_t>* bytes) {
  if (!(IsFloat(type) ? ReadFloatElement(type, scalar) : ReadIntegerElement(type, scalar))) return false;
  bytes->insert(bytes->end(), scalar->bytes.begin(), scalar->bytes.end());
  return true;
}

// scalar: scratch of the element's type (of its parts' type if complex).
bool Reader::ReadElement(Literal* scalar, std::vector<uint8_t>* bytes) {
  return ReadRealElement(scalar->shape.type, scalar, bytes);
}

bool Reader::ReadArrayValue(const Shape& shape, size_t dim, Literal* scalar, std::vector<uint8_t>* bytes) {
  if (dim == shape.dims.size()) {
    if (lexer_.Peek() == '{') {
      return ValueError("hlo-constant", "the constant is nested deeper than its shape " + ToString(shape),
                        lexer_.offset());
    }
    if (!IsComplex(shape.type)) return ReadElement(scalar, bytes);
    if (!lexer_.Accept("(")) return Expected("'(' of a complex value (real, imaginary)");
    if (!ReadElement(scalar, bytes)) return false;
    if (!lexer_.Accept(",")) return Expected("',' and the imaginary part");
    if (!ReadElement(scalar, bytes)) return false;
    return lexer_.Accept(")") || Expected("')' behind the complex value");
  }
  const size_t open = lexer_.offset();
  if (!lexer_.Accept("{")) return Expected("'{' of dimension " + std::to_string(dim) + " of the constant");
  if (lexer_.Accept("...")) {
    return Fail(ErrorClass::kValue, "hlo-elided",
                "the constant's value is elided ('{...}'); print the module with large constants", open);
  }
  int64_t count = 0;
  if (!lexer_.Accept("}")) {
    do {
      if (lexer_.Peek() == '.') {
        return ValueError("hlo-elided",
                          "the constant's value is elided ('...'); print the module with large constants",
                          lexer_.offset());
      }
      if (count == shape.dims[dim]) {
        return ValueError("hlo-constant",
                          "dimension " + std::to_string(dim) + " of the constant has more than the " +
                              std::to_string(shape.dims[dim]) + " entries of " + ToString(shape),
                          lexer_.offset());
      }
      ++count;
      if (!ReadArrayValue(shape, dim + 1, scalar, bytes)) return false;
    } while (lexer_.Accept(","));
    if (!lexer_.Accept("}")) return Expected("',' or '}' in the constant");
  }
  // A value without elements may be written {} at any level.
  if (count == shape.dims[dim] || (count == 0 && shape.num_elements() == 0)) return true;
  return ValueError("hlo-constant",
                    "dimension " + std::to_string(dim) + " of the constant has " + std::to_string(count) +
                        " entries, but " + ToString(shape) + " needs " + std::to_string(shape.dims[dim]),
                    open);
}

bool Reader::ReadConstant(const Shape& shape, Literal* literal, int depth) {
  const size_t offset = lexer_.offset();
  if (shape.is_tuple()) {
    if (depth >= options_.max_depth) return Expected("a constant of less depth");
    if (lexer_.Accept("{...}")) {
      return ValueError("hlo-elided",
                        "the constant's value is elided ('{...}'); print the module with large constants",
                        offset);
    }
    if (!lexer_.Accept("(")) return Expected("'(' of the tuple constant");
    for (size_t i = 0; i < shape.tuple.size(); ++i) {
      if (i > 0 && !lexer_.Accept(",")) return Expected("',' and the next member of the tuple constant");
      if (!ReadConstant(shape.tuple[i], nullptr, depth + 1)) return false;
    }
    return lexer_.Accept(")") || Expected("')' behind the tuple constant");
  }
  if (!shape.is_array()) {
    return ValueError("hlo-constant", "a constant of type " + ToString(shape) + " has no value", offset);
  }
  if (shape.num_bytes().value_or(0) > kMostLiteralBytes) {
    return Fail(ErrorClass::kLimit, "hlo-constant-size",
                "the constant " + ToString(shape) + " is larger than 1 GiB; make it a parameter", offset);
  }
  Literal scalar(Shape::Array(PartType(shape.type), {}));
  std::vector<uint8_t> bytes;
  if (!ReadArrayValue(shape, 0, &scalar, &bytes)) return false;
  if (literal == nullptr) return true;
  literal->shape = Shape::Array(shape.type, shape.dims);
  literal->bytes = std::move(bytes);
  return true;
}

}  // namespace act::hlo
