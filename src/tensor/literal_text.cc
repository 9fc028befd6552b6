#include <charconv>
#include <cmath>
#include <cstring>

#include "tensor/literal.h"

namespace act {
namespace {

// The element's own bits (width at most 64).
uint64_t ElementBits(const Literal& literal, int64_t index) {
  uint64_t bits = 0;
  const auto size = static_cast<size_t>(StorageBytes(literal.shape.type));
  std::memcpy(&bits, literal.bytes.data() + static_cast<size_t>(index) * size, size);
  return bits;
}

// "nan" and "-nan" for the NaNs that a conversion makes, "nan(0x12)" with the mantissa's bits for others.
// infinity: the bits of +infinity (or 0 where the format has one NaN a sign at most).
void AppendNan(uint64_t bits, int width, int mantissa_bits, std::string* out) {
  if ((bits >> (width - 1)) != 0) *out += '-';
  *out += "nan";
  const uint64_t payload = bits & ((uint64_t{1} << mantissa_bits) - 1);
  if (payload == uint64_t{1} << (mantissa_bits - 1)) return;
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), payload, 16).ptr;
  *out += "(0x";
  out->append(buffer, end);
  *out += ')';
}

void AppendInfinity(bool negative, std::string* out) { *out += negative ? "-inf" : "inf"; }

void AppendF64(double value, std::string* out) {
  if (std::isnan(value)) return AppendNan(std::bit_cast<uint64_t>(value), 64, 52, out);
  if (std::isinf(value)) return AppendInfinity(value < 0, out);
  char buffer[64];
  out->append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
}

void AppendF32(float value, std::string* out) {
  if (std::isnan(value)) return AppendNan(std::bit_cast<uint32_t>(value), 32, 23, out);
  if (std::isinf(value)) return AppendInfinity(value < 0, out);
  char buffer[64];
  out->append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
}

// Narrower than f32: the fewest decimal digits whose value, rounded to the type, gives these bits.
void AppendNarrow(ElementType type, uint16_t bits, std::string* out) {
  const FloatFormat format = FormatOf(type);
  const float value = FormatToFloat(format, bits);
  if (std::isnan(value)) {
    if (format.specials == FloatSpecials::kIeee)
      return AppendNan(bits, BitWidth(type), format.mantissa_bits, out);
    *out += format.specials == FloatSpecials::kFn && std::signbit(value) ? "-nan" : "nan";
    return;
  }
  if (std::isinf(value)) return AppendInfinity(value < 0, out);
  double read = 0;
  for (int digits = 1; digits <= 9; ++digits) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof(buffer), static_cast<double>(value),
                                   std::chars_format::scientific, digits - 1)
                         .ptr;
    std::from_chars(buffer, end, read);
    if (DoubleToFormat(format, read) == bits) break;
  }
  AppendF64(read, out);  // in whichever notation is shorter
}

void AppendInteger(const Literal& literal, int64_t index, std::string* out) {
  char buffer[32];
  const int64_t value = literal.GetInt(index);
  char* end = literal.shape.type == ElementType::kU64
                  ? std::to_chars(buffer, buffer + sizeof(buffer), static_cast<uint64_t>(value)).ptr
                  : std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  out->append(buffer, end);
}

void AppendElement(const Literal& literal, int64_t index, std::string* out) {
  const ElementType type = literal.shape.type;
  switch (type) {
    case ElementType::kPred:
      *out += literal.bytes[static_cast<size_t>(index)] != 0 ? "true" : "false";
      return;
    case ElementType::kF32:
      return AppendF32(std::bit_cast<float>(static_cast<uint32_t>(ElementBits(literal, index))), out);
    case ElementType::kF64:
      return AppendF64(std::bit_cast<double>(ElementBits(literal, index)), out);
    case ElementType::kC64:
    case ElementType::kC128: {
      *out += '(';
      for (int part = 0; part < 2; ++part) {
        if (part > 0) *out += ", ";
        const uint8_t* at = literal.bytes.data() + index * StorageBytes(type) + part * StorageBytes(type) / 2;
        if (type == ElementType::kC64) {
          float value;
          std::memcpy(&value, at, sizeof(value));
          AppendF32(value, out);
        } else {
          double value;
          std::memcpy(&value, at, sizeof(value));
          AppendF64(value, out);
        }
      }
      *out += ')';
      return;
    }
    default:
      break;
  }
  if (IsFloat(type)) return AppendNarrow(type, static_cast<uint16_t>(ElementBits(literal, index)), out);
  AppendInteger(literal, index, out);
}

// Elements [*next, ...) of the dimensions from `dim` on. Depth is the rank, which a shape's reader bounds.
void AppendDims(const Literal& literal, size_t dim, int64_t* next, std::string* out) {
  const std::vector<int64_t>& dims = literal.shape.dims;
  if (dim == dims.size()) {
    AppendElement(literal, (*next)++, out);
    return;
  }
  // XLA's spacing: "{1, 2}" for vectors, "{ { 1, 2 }, { 3, 4 } }" above.
  const char* pad = dims.size() == 1 ? "" : " ";
  *out += '{';
  if (dims[dim] > 0) *out += pad;
  for (int64_t i = 0; i < dims[dim]; ++i) {
    if (i > 0) *out += ", ";
    AppendDims(literal, dim + 1, next, out);
  }
  if (dims[dim] > 0) *out += pad;
  *out += '}';
}

}  // namespace

std::string ElementToString(const Literal& literal, int64_t index) {
  std::string out;
  AppendElement(literal, index, &out);
  return out;
}

std::string LiteralToString(const Literal& literal) {
  std::string out;
  // A shape without elements may still have giant extents.
  if (literal.num_elements() == 0) {
    out = "{}";
    return out;
  }
  int64_t next = 0;
  AppendDims(literal, 0, &next, &out);
  return out;
}

}  // namespace act
