// The floating-point formats narrower than f32, and f32 and f64 rounding of exact values: the project's only
// implementation of them.
//
// Every narrowing rounds once, to nearest even, from the exact source value. Where a format cannot hold the
// result it follows XLA and ml_dtypes:
//   f16, bf16, f8e3m4, f8e4m3, f8e5m2     overflow and infinity give infinity; NaN keeps its sign, payload
//   lost f8e4m3fn                              no infinity: overflow and infinity give NaN of the same sign
//   f8e4m3fnuz, f8e4m3b11fnuz, f8e5m2fnuz no infinity, no -0: overflow and infinity give the one NaN 0x80, -0
//   gives 0 f8e8m0fnu                             powers of two only: zero, negative, overflow, infinity, NaN
//   give NaN 0xff;
//                                         a positive value below 2^-127 gives 2^-127; halfway goes up
//   f4e2m1fn                              no infinity, no NaN: overflow saturates to +-6, NaN gives -0, -NaN
//   gives 0
#pragma once
#include <bit>
#include <cstdint>

#include "tensor/element_type.h"

namespace act {

enum class FloatSpecials : uint8_t {
  kIeee,    // all-ones exponent: infinity and NaN
  kFn,      // no infinity; magnitude all ones is NaN
  kFnuz,    // no infinity, no -0; the bits of -0 are NaN
  kFinite,  // neither infinity nor NaN
  kPowers,  // unsigned exponent only (f8e8m0fnu)
};

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  FloatSpecials specials;
};

// The format of a float type of at most 16 bits; type must be one.
constexpr FloatFormat FormatOf(ElementType type) {
  switch (type) {
    case ElementType::kF4E2M1FN:
      return {2, 1, 1, FloatSpecials::kFinite};
    case ElementType::kF8E3M4:
      return {3, 4, 3, FloatSpecials::kIeee};
    case ElementType::kF8E4M3:
      return {4, 3, 7, FloatSpecials::kIeee};
    case ElementType::kF8E4M3FN:
      return {4, 3, 7, FloatSpecials::kFn};
    case ElementType::kF8E4M3B11FNUZ:
      return {4, 3, 11, FloatSpecials::kFnuz};
    case ElementType::kF8E4M3FNUZ:
      return {4, 3, 8, FloatSpecials::kFnuz};
    case ElementType::kF8E5M2:
      return {5, 2, 15, FloatSpecials::kIeee};
    case ElementType::kF8E5M2FNUZ:
      return {5, 2, 16, FloatSpecials::kFnuz};
    case ElementType::kF8E8M0FNU:
      return {8, 0, 127, FloatSpecials::kPowers};
    case ElementType::kF16:
      return {5, 10, 15, FloatSpecials::kIeee};
    default:
      return {8, 7, 127, FloatSpecials::kIeee};  // bf16
  }
}

// The bits of (-1)^negative * mantissa * 2^exponent in the format, rounded once. mantissa 0 is a zero.
uint16_t RoundToFormat(const FloatFormat& format, bool negative, uint64_t mantissa, int exponent);
// The bits of a double in the format, rounded once.
uint16_t DoubleToFormat(const FloatFormat& format, double value);
// Exact.
float FormatToFloat(const FloatFormat& format, uint16_t bits);

inline float BF16ToFloat(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

// Nearest even; NaN becomes the quiet NaN of the same sign.
inline uint16_t FloatToBF16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(((bits >> 16) & 0x8000u) | 0x7fc0u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// Exact, subnormals included.
inline float F16ToFloat(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(bits & 0x7fffu) << 13;
  if (magnitude >= 0x0f800000u) return std::bit_cast<float>(sign | 0x70000000u | magnitude);  // infinity, NaN
  // The bits read as f32 are the value times 2^-112, exactly: subnormals too.
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(scaled));
}

// Nearest even; overflow to infinity.
inline uint16_t FloatToF16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 2^16 and more
  if (magnitude < 0x38800000u) {
    // Below 2^-14: adding 1/2 puts the unit 2^-24 into the last place of the sum, which the addition rounds.
    const float sum = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(sum) - 0x3f000000u));
  }
  magnitude += 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u) >> 13));
}

// One rounding. Within the normal range the rounding is an addition to the bits of the double, whose carry
// moves into the exponent and at the upper end makes infinity.
inline uint16_t DoubleToBF16(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  if (magnitude - (uint64_t{897} << 52) < (uint64_t{1151 - 897} << 52)) {  // 2^-126 <= |value| < 2^128
    const uint64_t rounded = magnitude + ((uint64_t{1} << 44) - 1) + ((magnitude >> 45) & 1);
    return static_cast<uint16_t>(((bits >> 48) & 0x8000) | ((rounded >> 45) - (uint64_t{1023 - 127} << 7)));
  }
  return DoubleToFormat(FormatOf(ElementType::kBF16), value);
}
inline uint16_t DoubleToF16(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  if (magnitude - (uint64_t{1009} << 52) < (uint64_t{1039 - 1009} << 52)) {  // 2^-14 <= |value| < 2^16
    const uint64_t rounded = magnitude + ((uint64_t{1} << 41) - 1) + ((magnitude >> 42) & 1);
    return static_cast<uint16_t>(((bits >> 48) & 0x8000) | ((rounded >> 42) - (uint64_t{1023 - 15} << 10)));
  }
  return DoubleToFormat(FormatOf(ElementType::kF16), value);
}
float F8ToFloat(ElementType kind, uint8_t bits);
uint8_t FloatToF8(ElementType kind, float value);
uint8_t DoubleToF8(ElementType kind, double value);  // one rounding

}  // namespace act
