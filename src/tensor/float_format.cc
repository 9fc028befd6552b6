#include "tensor/float_format.h"

#include <cmath>
#include <limits>

namespace act {
namespace {

uint16_t SignBit(const FloatFormat& format) {
  return static_cast<uint16_t>(1u << (format.exponent_bits + format.mantissa_bits));
}

uint16_t NanBits(const FloatFormat& format, bool negative) {
  const uint16_t sign = negative ? SignBit(format) : uint16_t{0};
  const auto magnitude = static_cast<uint16_t>(SignBit(format) - 1);
  switch (format.specials) {
    case FloatSpecials::kIeee: {
      // All-ones exponent and the top mantissa bit.
      const int top = format.mantissa_bits - 1;
      return static_cast<uint16_t>(sign | ((magnitude >> top) << top));
    }
    case FloatSpecials::kFn:
      return static_cast<uint16_t>(sign | magnitude);
    case FloatSpecials::kFnuz:
      return SignBit(format);
    case FloatSpecials::kPowers:
      return 0xff;
    case FloatSpecials::kFinite:
      break;
  }
  return negative ? uint16_t{0} : SignBit(format);
}

// What overflow and infinity become.
uint16_t InfinityBits(const FloatFormat& format, bool negative) {
  const uint16_t sign = negative ? SignBit(format) : uint16_t{0};
  switch (format.specials) {
    case FloatSpecials::kIeee:
      return static_cast<uint16_t>(sign | (((1u << format.exponent_bits) - 1) << format.mantissa_bits));
    case FloatSpecials::kFinite:
      return static_cast<uint16_t>(sign | (SignBit(format) - 1));
    default:
      return NanBits(format, negative);
  }
}

// The largest finite magnitude's bits.
int64_t LargestFinite(const FloatFormat& format) {
  const int64_t all = (int64_t{1} << (format.exponent_bits + format.mantissa_bits)) - 1;
  switch (format.specials) {
    case FloatSpecials::kIeee:
      return all - (int64_t{1} << format.mantissa_bits);
    case FloatSpecials::kFn:
    case FloatSpecials::kPowers:
      return all - 1;
    default:
      return all;
  }
}

}  // namespace

uint16_t RoundToFormat(const FloatFormat& format, bool negative, uint64_t mantissa, int exponent) {
  const bool powers = format.specials == FloatSpecials::kPowers;
  if (powers && (negative || mantissa == 0)) return 0xff;
  const uint16_t sign = negative ? SignBit(format) : uint16_t{0};
  if (mantissa == 0) return format.specials == FloatSpecials::kFnuz ? uint16_t{0} : sign;
  const int leading =
      exponent + 63 - std::countl_zero(mantissa);                // the value is in [2^leading, 2^(leading+1))
  const int smallest = powers ? -format.bias : 1 - format.bias;  // exponent of the smallest normal
  if (powers && leading < smallest) return 0;
  const int unit =
      (leading > smallest ? leading : smallest) - format.mantissa_bits;  // exponent of the last place
  const int shift = unit - exponent;
  uint64_t kept = 0;
  if (shift <= 0) {
    kept = mantissa << -shift;  // at most mantissa_bits + 1 bits remain
  } else if (shift <= 64) {
    kept = shift == 64 ? 0 : mantissa >> shift;
    const uint64_t rest = shift == 64 ? mantissa : mantissa & ((uint64_t{1} << shift) - 1);
    const uint64_t half = uint64_t{1} << (shift - 1);
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  }
  // A carry out of the mantissa moves into the exponent field by this addition, as does a subnormal that
  // rounds up to the smallest normal.
  const int first_field = powers ? 0 : 1;
  const int64_t field = int64_t{unit} + format.mantissa_bits + format.bias - first_field;
  int64_t magnitude = (field << format.mantissa_bits) + static_cast<int64_t>(kept);
  if (powers) magnitude -= 1;  // the leading one is not stored, and field 0 is a normal number
  if (magnitude > LargestFinite(format)) return InfinityBits(format, negative);
  if (magnitude == 0 && format.specials == FloatSpecials::kFnuz) return 0;
  return static_cast<uint16_t>(sign | magnitude);
}

uint16_t DoubleToFormat(const FloatFormat& format, double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const bool negative = (bits >> 63) != 0;
  const auto field = static_cast<int>((bits >> 52) & 0x7ff);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  if (field == 0x7ff) return fraction != 0 ? NanBits(format, negative) : InfinityBits(format, negative);
  if (field == 0) return RoundToFormat(format, negative, fraction, -1074);
  return RoundToFormat(format, negative, fraction | (uint64_t{1} << 52), field - 1075);
}

float FormatToFloat(const FloatFormat& format, uint16_t bits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  if (format.specials == FloatSpecials::kPowers)
    return bits == 0xff ? nan : std::ldexp(1.0f, bits - format.bias);
  const bool negative = (bits & SignBit(format)) != 0;
  const auto magnitude = static_cast<uint32_t>(bits & (SignBit(format) - 1));
  const float sign = negative ? -1.0f : 1.0f;
  if (format.specials == FloatSpecials::kFnuz && negative && magnitude == 0) return nan;
  const uint32_t field = magnitude >> format.mantissa_bits;
  const uint32_t fraction = magnitude & ((1u << format.mantissa_bits) - 1);
  if (static_cast<int64_t>(magnitude) > LargestFinite(format)) {
    if (format.specials == FloatSpecials::kIeee && fraction == 0)
      return sign * std::numeric_limits<float>::infinity();
    return std::copysign(nan, sign);
  }
  const uint32_t significand = field == 0 ? fraction : fraction | (1u << format.mantissa_bits);
  const int exponent = (field == 0 ? 1 : static_cast<int>(field)) - format.bias - format.mantissa_bits;
  return sign * std::ldexp(static_cast<float>(significand), exponent);
}

float F8ToFloat(ElementType kind, uint8_t bits) { return FormatToFloat(FormatOf(kind), bits); }

uint8_t FloatToF8(ElementType kind, float value) {
  return static_cast<uint8_t>(DoubleToFormat(FormatOf(kind), static_cast<double>(value)));
}

uint8_t DoubleToF8(ElementType kind, double value) {
  return static_cast<uint8_t>(DoubleToFormat(FormatOf(kind), value));
}

}  // namespace act
