#include "tensor/float_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tensor/literal.h"

namespace act {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Reference {
  ElementType type;
  uint64_t widened;
  uint64_t narrowed;
};
constexpr Reference kReference[] = {
#include "unit/tensor/float_reference.inc"
};

uint64_t Fnv(const void* data, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; ++i) h = (h ^ bytes[i]) * 0x100000001b3u;
  return h;
}

float Widen(ElementType type, uint16_t bits) {
  if (type == ElementType::kF16) return F16ToFloat(bits);
  if (type == ElementType::kBF16) return BF16ToFloat(bits);
  return F8ToFloat(type, static_cast<uint8_t>(bits));
}
uint16_t Narrow(ElementType type, float value) {
  if (type == ElementType::kF16) return FloatToF16(value);
  if (type == ElementType::kBF16) return FloatToBF16(value);
  return FloatToF8(type, value);
}
uint16_t NarrowDouble(ElementType type, double value) {
  if (type == ElementType::kF16) return DoubleToF16(value);
  if (type == ElementType::kBF16) return DoubleToBF16(value);
  return DoubleToF8(type, value);
}

// The complete decoding tables equal those of ml_dtypes and NumPy.
TEST(FloatFormat, EveryValueWidensAsMlDtypes) {
  for (const Reference& row : kReference) {
    std::vector<float> values;
    for (uint32_t bits = 0; bits < (1u << BitWidth(row.type)); ++bits) {
      const float value = Widen(row.type, static_cast<uint16_t>(bits));
      values.push_back(std::isnan(value) ? kNan : value);
    }
    EXPECT_EQ(Fnv(values.data(), values.size() * sizeof(float)), row.widened) << ElementTypeName(row.type);
  }
}

// 393,216 f32 values: every upper half, with lower halves at and around each rounding point of bf16.
TEST(FloatFormat, FloatsNarrowAsMlDtypes) {
  for (const Reference& row : kReference) {
    std::vector<uint16_t> wide;
    std::vector<uint8_t> bytes;
    for (uint32_t high = 0; high < 65536; ++high) {
      for (uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
        const uint16_t narrow = Narrow(row.type, std::bit_cast<float>(high << 16 | low));
        wide.push_back(narrow);
        bytes.push_back(static_cast<uint8_t>(narrow));
      }
    }
    const uint64_t sum =
        BitWidth(row.type) == 16 ? Fnv(wide.data(), wide.size() * 2) : Fnv(bytes.data(), bytes.size());
    EXPECT_EQ(sum, row.narrowed) << ElementTypeName(row.type);
  }
}

// By definition of nearest even, from f32 and from f64: each representable value is itself; below a midpoint
// of neighbours the lower, above it the upper, at it the one with the even last bit.
TEST(FloatFormat, NearestEvenAtEveryValueMidpointAndNeighbour) {
  for (const Reference& row : kReference) {
    const ElementType type = row.type;
    const bool powers = type == ElementType::kF8E8M0FNU;
    std::vector<std::pair<double, uint16_t>> values;  // positive half, with bits
    for (uint32_t bits = 0; bits < (1u << (BitWidth(type) - (powers ? 0 : 1))); ++bits) {
      const float value = Widen(type, static_cast<uint16_t>(bits));
      if (std::isfinite(value)) values.emplace_back(value, static_cast<uint16_t>(bits));
    }
    ASSERT_TRUE(std::is_sorted(values.begin(), values.end()));
    const auto sign = static_cast<uint16_t>(1u << (BitWidth(type) - 1));
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      const auto [low, low_bits] = values[i];
      const auto [high, high_bits] = values[i + 1];
      const double middle = low + (high - low) / 2;
      // The significand of a power of two is odd in its last place, so halfway rounds up in f8e8m0fnu.
      const uint16_t even = powers || low_bits % 2 != 0 ? high_bits : low_bits;
      ASSERT_EQ(NarrowDouble(type, low), low_bits) << ElementTypeName(type);
      ASSERT_EQ(NarrowDouble(type, middle), even) << ElementTypeName(type) << " " << middle;
      ASSERT_EQ(NarrowDouble(type, std::nextafter(middle, low)), low_bits)
          << ElementTypeName(type) << " " << middle;
      ASSERT_EQ(NarrowDouble(type, std::nextafter(middle, high)), high_bits)
          << ElementTypeName(type) << " " << middle;
      const auto single = static_cast<float>(middle);
      if (single == middle) {
        ASSERT_EQ(Narrow(type, single), even) << ElementTypeName(type) << " " << middle;
        ASSERT_EQ(Narrow(type, std::nextafter(single, 0.0f)), low_bits) << ElementTypeName(type);
        ASSERT_EQ(Narrow(type, std::nextafter(single, kInf)), high_bits) << ElementTypeName(type);
      }
      if (powers || low == 0) continue;
      ASSERT_EQ(NarrowDouble(type, -low), low_bits | sign);
      ASSERT_EQ(NarrowDouble(type, -middle), even | sign);
    }
    // Half a unit beyond the largest value is the first that overflows (nearest even: the largest is odd).
    const auto [largest, largest_bits] = values.back();
    const double unit = largest - values[values.size() - 2].first;
    const double limit = powers ? largest * 1.5 : largest + unit / 2;
    EXPECT_EQ(NarrowDouble(type, std::nextafter(limit, 0.0)), largest_bits) << ElementTypeName(type);
    const uint16_t beyond = NarrowDouble(type, std::nextafter(limit, 1e300));
    EXPECT_EQ(beyond, NarrowDouble(type, std::numeric_limits<double>::infinity())) << ElementTypeName(type);
  }
}

TEST(FloatFormat, OverflowInfinityAndNanByKind) {
  struct Row {
    ElementType type;
    uint16_t nan, negative_nan, inf, negative_overflow, negative_zero, one, tiny;
  };
  // As ml_dtypes 0.5 gives them.
  const Row rows[] = {
      {ElementType::kF4E2M1FN, 0x8, 0x0, 0x7, 0xf, 0x8, 0x2, 0},
      {ElementType::kF8E3M4, 0x78, 0xf8, 0x70, 0xf0, 0x80, 0x30, 0},
      {ElementType::kF8E4M3, 0x7c, 0xfc, 0x78, 0xf8, 0x80, 0x38, 0},
      {ElementType::kF8E4M3FN, 0x7f, 0xff, 0x7f, 0xff, 0x80, 0x38, 0},
      {ElementType::kF8E4M3B11FNUZ, 0x80, 0x80, 0x80, 0x80, 0, 0x58, 0},
      {ElementType::kF8E4M3FNUZ, 0x80, 0x80, 0x80, 0x80, 0, 0x40, 0},
      {ElementType::kF8E5M2, 0x7e, 0xfe, 0x7c, 0xfc, 0x80, 0x3c, 0},
      {ElementType::kF8E5M2FNUZ, 0x80, 0x80, 0x80, 0x80, 0, 0x40, 0},
      {ElementType::kF8E8M0FNU, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0},
      {ElementType::kF16, 0x7e00, 0xfe00, 0x7c00, 0xfc00, 0x8000, 0x3c00, 0},
      {ElementType::kBF16, 0x7fc0, 0xffc0, 0x7f80, 0xff80, 0x8000, 0x3f80, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(ElementTypeName(row.type)));
    EXPECT_EQ(NarrowDouble(row.type, kNan), row.nan);
    EXPECT_EQ(NarrowDouble(row.type, -kNan), row.negative_nan);
    EXPECT_EQ(NarrowDouble(row.type, kInf), row.inf);
    EXPECT_EQ(NarrowDouble(row.type, -1e300), row.negative_overflow);
    EXPECT_EQ(NarrowDouble(row.type, -0.0), row.negative_zero);
    EXPECT_EQ(NarrowDouble(row.type, 1.0), row.one);
    EXPECT_EQ(NarrowDouble(row.type, 1e-300), row.tiny);
  }
}

// A value just above a midpoint of the narrow type that f32 rounds onto the midpoint.
TEST(FloatFormat, NoDoubleRoundingThroughFloat) {
  EXPECT_EQ(DoubleToBF16(1.0 + 0x1p-8 + 0x1p-40), 0x3f81);
  EXPECT_EQ(DoubleToBF16(1.0 + 0x1p-8), 0x3f80);
  EXPECT_EQ(DoubleToF16(1.0 + 0x1p-11 + 0x1p-40), 0x3c01);
  EXPECT_EQ(DoubleToF16(0x1p-25 + 0x1p-60), 0x0001);
  EXPECT_EQ(DoubleToF16(0x1p-25), 0x0000);
  EXPECT_EQ(DoubleToF8(ElementType::kF8E4M3FN, 1.0 + 0x1p-4 + 0x1p-40), 0x39);
  EXPECT_EQ(DoubleToBF16(0x1p-134 + 0x1p-180), 0x0001);  // f32 has it only as the midpoint
}

TEST(FloatFormat, IntegersRoundOnce) {
  // 2^40 + 2^32 is a midpoint of bf16; one more is above it, though f32 cannot see that.
  EXPECT_EQ(RoundToFormat(FormatOf(ElementType::kBF16), false, (uint64_t{1} << 40) + (uint64_t{1} << 32), 0),
            0x5380);
  EXPECT_EQ(
      RoundToFormat(FormatOf(ElementType::kBF16), false, (uint64_t{1} << 40) + (uint64_t{1} << 32) + 1, 0),
      0x5381);
  EXPECT_EQ(RoundToFormat(FormatOf(ElementType::kBF16), false, ~uint64_t{0}, 0), 0x5f80);  // 2^64
  EXPECT_EQ(RoundToFormat(FormatOf(ElementType::kF16), true, 65520, 0), 0xfc00);
  EXPECT_EQ(RoundToFormat(FormatOf(ElementType::kF16), true, 65519, 0), 0xfbff);
  // Shifts of 64 and more.
  EXPECT_EQ(RoundToFormat(FormatOf(ElementType::kF16), false, ~uint64_t{0}, -88), 0x0001);
  EXPECT_EQ(RoundToFormat(FormatOf(ElementType::kF16), false, uint64_t{1} << 63, -88), 0x0000);
  EXPECT_EQ(RoundToFormat(FormatOf(ElementType::kF16), false, (uint64_t{1} << 63) + 1, -88), 0x0001);
  EXPECT_EQ(RoundToFormat(FormatOf(ElementType::kF16), false, ~uint64_t{0}, -89), 0x0000);
}

}  // namespace
}  // namespace act
