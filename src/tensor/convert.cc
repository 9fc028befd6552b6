#include "tensor/convert.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tensor/float_format.h"
#include "tensor/literal.h"

namespace act {
namespace {

template <typename T>
T Read(const uint8_t* bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}
template <typename T>
void Write(uint8_t* bytes, int64_t index, T value) {
  std::memcpy(bytes + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

template <typename T, typename U>
void LoadAs(const uint8_t* bytes, int64_t count, U* values) {
  for (int64_t i = 0; i < count; ++i) values[i] = static_cast<U>(Read<T>(bytes, i));
}

template <typename T>
void StoreAs(const int64_t* values, int64_t count, uint8_t* bytes) {
  for (int64_t i = 0; i < count; ++i) Write(bytes, i, static_cast<T>(values[i]));
}

// Toward zero, saturating to [low, high], NaN gives 0. low and high are exact in double, or high + 1 is.
int64_t SaturateSigned(double value, int bits) {
  if (std::isnan(value)) return 0;
  const double limit = std::ldexp(1.0, bits - 1);
  if (value >= limit)
    return bits == 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (bits - 1)) - 1;
  if (value <= -limit) return -static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1) - 1;
  return static_cast<int64_t>(value);
}
uint64_t SaturateUnsigned(double value, int bits) {
  if (std::isnan(value) || value <= 0) return 0;
  const double limit = std::ldexp(1.0, bits);
  if (value >= limit) return bits == 64 ? std::numeric_limits<uint64_t>::max() : (uint64_t{1} << bits) - 1;
  return static_cast<uint64_t>(value);
}

// Writes an integer that already fits the type.
void WriteInt(int storage_bytes, uint8_t* bytes, int64_t index, int64_t value) {
  switch (storage_bytes) {
    case 1:
      return Write(bytes, index, static_cast<uint8_t>(value));
    case 2:
      return Write(bytes, index, static_cast<uint16_t>(value));
    case 4:
      return Write(bytes, index, static_cast<uint32_t>(value));
    default:
      return Write(bytes, index, value);
  }
}

// s64 or u64 to a float type, rounded once.
void StoreIntsAsFloat(ElementType type, const int64_t* values, int64_t count, bool is_unsigned,
                      uint8_t* bytes) {
  for (int64_t i = 0; i < count; ++i) {
    const bool negative = !is_unsigned && values[i] < 0;
    const auto bits = static_cast<uint64_t>(values[i]);
    const uint64_t magnitude = negative ? 0 - bits : bits;
    switch (type) {
      case ElementType::kF64:
      case ElementType::kC128: {
        const double v = is_unsigned ? static_cast<double>(bits) : static_cast<double>(values[i]);
        Write(bytes, type == ElementType::kF64 ? i : 2 * i, v);
        if (type == ElementType::kC128) Write(bytes, 2 * i + 1, 0.0);
        break;
      }
      case ElementType::kF32:
      case ElementType::kC64: {
        const float v = is_unsigned ? static_cast<float>(bits) : static_cast<float>(values[i]);
        Write(bytes, type == ElementType::kF32 ? i : 2 * i, v);
        if (type == ElementType::kC64) Write(bytes, 2 * i + 1, 0.0f);
        break;
      }
      default: {
        const uint16_t v = RoundToFormat(FormatOf(type), negative, magnitude, 0);
        if (StorageBytes(type) == 1) {
          bytes[i] = static_cast<uint8_t>(v);
        } else {
          Write(bytes, i, v);
        }
      }
    }
  }
}

}  // namespace

void LoadDoubles(ElementType type, const uint8_t* bytes, int64_t count, double* values) {
  switch (type) {
    case ElementType::kF16:
      for (int64_t i = 0; i < count; ++i) values[i] = F16ToFloat(Read<uint16_t>(bytes, i));
      return;
    case ElementType::kBF16:
      for (int64_t i = 0; i < count; ++i) values[i] = BF16ToFloat(Read<uint16_t>(bytes, i));
      return;
    case ElementType::kF32:
      return LoadAs<float>(bytes, count, values);
    case ElementType::kF64:
      return LoadAs<double>(bytes, count, values);
    case ElementType::kC64:
      for (int64_t i = 0; i < count; ++i) values[i] = Read<float>(bytes, 2 * i);
      return;
    case ElementType::kC128:
      for (int64_t i = 0; i < count; ++i) values[i] = Read<double>(bytes, 2 * i);
      return;
    case ElementType::kS16:
      return LoadAs<int16_t>(bytes, count, values);
    case ElementType::kS32:
      return LoadAs<int32_t>(bytes, count, values);
    case ElementType::kS64:
      return LoadAs<int64_t>(bytes, count, values);
    case ElementType::kU16:
      return LoadAs<uint16_t>(bytes, count, values);
    case ElementType::kU32:
      return LoadAs<uint32_t>(bytes, count, values);
    case ElementType::kU64:
      return LoadAs<uint64_t>(bytes, count, values);
    default:
      break;
  }
  if (IsSignedInteger(type)) return LoadAs<int8_t>(bytes, count, values);
  if (!IsFloat(type)) return LoadAs<uint8_t>(bytes, count, values);
  float table[256];  // f8 and f4 kinds
  const FloatFormat format = FormatOf(type);
  if (count < 256) {
    for (int64_t i = 0; i < count; ++i) values[i] = FormatToFloat(format, bytes[i]);
    return;
  }
  for (int v = 0; v < 256; ++v) table[v] = FormatToFloat(format, static_cast<uint16_t>(v));
  for (int64_t i = 0; i < count; ++i) values[i] = table[bytes[i]];
}

void LoadInts(ElementType type, const uint8_t* bytes, int64_t count, int64_t* values) {
  if (IsFloat(type) || IsComplex(type)) {
    for (int64_t i = 0; i < count; ++i) {
      double value;
      LoadDoubles(type, bytes + i * StorageBytes(type), 1, &value);
      values[i] = SaturateSigned(value, 64);
    }
    return;
  }
  const bool is_signed = IsSignedInteger(type);
  switch (StorageBytes(type)) {
    case 1:
      return is_signed ? LoadAs<int8_t>(bytes, count, values) : LoadAs<uint8_t>(bytes, count, values);
    case 2:
      return is_signed ? LoadAs<int16_t>(bytes, count, values) : LoadAs<uint16_t>(bytes, count, values);
    case 4:
      return is_signed ? LoadAs<int32_t>(bytes, count, values) : LoadAs<uint32_t>(bytes, count, values);
    default:
      return LoadAs<int64_t>(bytes, count, values);
  }
}

void LoadComplex(ElementType type, const uint8_t* bytes, int64_t count, std::complex<double>* values) {
  for (int64_t i = 0; i < count; ++i) {
    if (type == ElementType::kC64) {
      values[i] = {Read<float>(bytes, 2 * i), Read<float>(bytes, 2 * i + 1)};
    } else if (type == ElementType::kC128) {
      values[i] = {Read<double>(bytes, 2 * i), Read<double>(bytes, 2 * i + 1)};
    } else {
      double value;
      LoadDoubles(type, bytes + i * StorageBytes(type), 1, &value);
      values[i] = value;
    }
  }
}

void StoreDoubles(ElementType type, const double* values, int64_t count, uint8_t* bytes) {
  switch (type) {
    case ElementType::kPred:
      for (int64_t i = 0; i < count; ++i) bytes[i] = values[i] != 0 ? 1 : 0;
      return;
    case ElementType::kF16:
      for (int64_t i = 0; i < count; ++i) Write(bytes, i, DoubleToF16(values[i]));
      return;
    case ElementType::kBF16:
      for (int64_t i = 0; i < count; ++i) Write(bytes, i, DoubleToBF16(values[i]));
      return;
    case ElementType::kF32:
      for (int64_t i = 0; i < count; ++i) Write(bytes, i, static_cast<float>(values[i]));
      return;
    case ElementType::kF64:
      if (count > 0) std::memcpy(bytes, values, static_cast<size_t>(count) * sizeof(double));
      return;
    case ElementType::kC64:
    case ElementType::kC128:
      for (int64_t i = 0; i < count; ++i) {
        const std::complex<double> value(values[i], 0.0);
        StoreComplex(type, &value, 1, bytes + i * StorageBytes(type));
      }
      return;
    default:
      break;
  }
  const int width = BitWidth(type);
  const int storage = StorageBytes(type);
  if (IsSignedInteger(type)) {
    for (int64_t i = 0; i < count; ++i) WriteInt(storage, bytes, i, SaturateSigned(values[i], width));
  } else if (IsUnsignedInteger(type)) {
    for (int64_t i = 0; i < count; ++i) {
      WriteInt(storage, bytes, i, static_cast<int64_t>(SaturateUnsigned(values[i], width)));
    }
  } else if (IsFloat(type)) {
    const FloatFormat format = FormatOf(type);
    for (int64_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(DoubleToFormat(format, values[i]));
  }
}

void StoreInts(ElementType type, const int64_t* values, int64_t count, bool is_unsigned, uint8_t* bytes) {
  if (IsFloat(type) || IsComplex(type)) return StoreIntsAsFloat(type, values, count, is_unsigned, bytes);
  switch (BitWidth(type)) {
    case 8:
      return StoreAs<uint8_t>(values, count, bytes);
    case 16:
      return StoreAs<uint16_t>(values, count, bytes);
    case 32:
      return StoreAs<uint32_t>(values, count, bytes);
    case 64:
      return StoreAs<uint64_t>(values, count, bytes);
    default:
      for (int64_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(WrapInt(type, values[i]));
  }
}

void StoreComplex(ElementType type, const std::complex<double>* values, int64_t count, uint8_t* bytes) {
  for (int64_t i = 0; i < count; ++i) {
    if (type == ElementType::kC64) {
      Write(bytes, 2 * i, static_cast<float>(values[i].real()));
      Write(bytes, 2 * i + 1, static_cast<float>(values[i].imag()));
    } else {
      Write(bytes, 2 * i, values[i].real());
      Write(bytes, 2 * i + 1, values[i].imag());
    }
  }
}

int64_t WrapInt(ElementType type, int64_t value) {
  if (type == ElementType::kPred) return value != 0 ? 1 : 0;
  const int drop = 64 - BitWidth(type);
  const uint64_t high = static_cast<uint64_t>(value) << drop;
  return IsSignedInteger(type) ? static_cast<int64_t>(high) >> drop : static_cast<int64_t>(high >> drop);
}

StatusOr<Literal> ConvertLiteral(const Literal& from, ElementType to) {
  const ElementType source = from.shape.type;
  const auto failure = [&](const char* reason) {
    std::string text = "convert from ";
    text += ElementTypeName(source);
    text += " to ";
    text += ElementTypeName(to);
    text += reason;
    return Error(ErrorClass::kValue, "tensor-convert", std::move(text));
  };
  if (!IsArrayType(source) || !IsArrayType(to)) return failure(": only array types have elements to convert");
  if (IsComplex(source) && !IsComplex(to))
    return failure(" is not an HLO conversion; take real or imag first");
  Shape shape = from.shape;
  shape.type = to;
  const std::optional<int64_t> size = shape.num_bytes();
  if (!size) return failure(": the result exceeds 64 bits of bytes");
  Literal result(std::move(shape));
  const int64_t count = from.num_elements();
  if (source == to) {
    result.bytes = from.bytes;
    return result;
  }
  constexpr int64_t kChunk = 512;
  const int64_t source_bytes = StorageBytes(source), target_bytes = StorageBytes(to);
  const bool integral = IsInteger(source) || source == ElementType::kPred;
  union {
    double doubles[kChunk];
    int64_t ints[kChunk];
  } chunk;
  for (int64_t start = 0; start < count; start += kChunk) {
    const int64_t n = std::min(kChunk, count - start);
    const uint8_t* in = from.bytes.data() + start * source_bytes;
    uint8_t* out = result.bytes.data() + start * target_bytes;
    if (IsComplex(source)) {
      for (int64_t i = 0; i < n; ++i) {
        std::complex<double> value;
        LoadComplex(source, in + i * source_bytes, 1, &value);
        StoreComplex(to, &value, 1, out + i * target_bytes);
      }
    } else if (integral) {
      LoadInts(source, in, n, chunk.ints);
      StoreInts(to, chunk.ints, n, IsUnsignedInteger(source), out);
    } else {
      LoadDoubles(source, in, n, chunk.doubles);
      StoreDoubles(to, chunk.doubles, n, out);
    }
  }
  return result;
}

StatusOr<Literal> BitcastConvertLiteral(const Literal& from, ElementType to) {
  const ElementType source = from.shape.type;
  const auto failure = [&](const std::string& reason) {
    return Error(
        ErrorClass::kValue, "tensor-bitcast",
        "bitcast-convert from " + ToString(from.shape) + " to " + std::string(ElementTypeName(to)) + reason);
  };
  if (!IsArrayType(source) || !IsArrayType(to)) return failure(": only array types have bits");
  if (IsComplex(source) != IsComplex(to)) return failure(": complex and real types do not mix");
  if ((source == ElementType::kPred) != (to == ElementType::kPred))
    return failure(": pred has no defined bits");
  const int source_bits = BitWidth(source), target_bits = BitWidth(to);
  Shape shape = Shape::Array(to, from.shape.dims);
  if (source_bits > target_bits) {
    shape.dims.push_back(source_bits / target_bits);
  } else if (source_bits < target_bits) {
    const int64_t ratio = target_bits / source_bits;
    if (shape.dims.empty() || shape.dims.back() != ratio) {
      return failure(": the last dimension must be " + std::to_string(ratio));
    }
    shape.dims.pop_back();
  }
  if (!shape.num_bytes()) return failure(": the result exceeds 64 bits of bytes");
  Literal result(std::move(shape));
  if (source_bits >= 8 && target_bits >= 8) {
    result.bytes = from.bytes;
    return result;
  }
  // At least one side is stored wider than its bits. Both are runs of the same packed little-endian bits; a
  // unit that divides both widths moves at a time.
  const int unit = std::min({source_bits, target_bits, 8});
  const auto mask = static_cast<uint8_t>((1u << unit) - 1);
  const int64_t source_units = source_bits / unit, target_units = target_bits / unit;
  const int64_t source_bytes = StorageBytes(source), target_bytes = StorageBytes(to);
  const int64_t total = from.num_elements() * source_units;
  for (int64_t i = 0; i < total; ++i) {
    const int64_t in_bit = i % source_units * unit, out_bit = i % target_units * unit;
    const uint8_t value =
        (from.bytes[static_cast<size_t>(i / source_units * source_bytes + in_bit / 8)] >> (in_bit % 8)) &
        mask;
    uint8_t& out = result.bytes[static_cast<size_t>(i / target_units * target_bytes + out_bit / 8)];
    out = static_cast<uint8_t>(out | (value << (out_bit % 8)));
  }
  if (IsSignedInteger(to) && target_bits < 8) {
    for (uint8_t& byte : result.bytes) byte = static_cast<uint8_t>(WrapInt(to, byte));
  }
  return result;
}

}  // namespace act
