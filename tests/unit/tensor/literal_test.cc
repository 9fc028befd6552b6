#include "tensor/literal.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace act {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Literal Ints(ElementType type, const std::vector<int64_t>& values) {
  Literal literal(Shape::Array(type, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) literal.SetInt(static_cast<int64_t>(i), values[i]);
  return literal;
}
Literal Doubles(ElementType type, const std::vector<double>& values) {
  Literal literal(Shape::Array(type, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) literal.SetDouble(static_cast<int64_t>(i), values[i]);
  return literal;
}
std::vector<int64_t> ToInts(const Literal& literal) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < literal.num_elements(); ++i) values.push_back(literal.GetInt(i));
  return values;
}

TEST(Convert, FloatToIntegerTowardZeroSaturatingNanZero) {
  struct Row {
    ElementType type;
    std::vector<int64_t> expected;
  };
  const std::vector<double> source = {2.9,   -2.9, 127.99, 300,  -300,   1e30,
                                      -1e30, kInf, -kInf,  kNan, 0x1p63, -0.5};
  const int64_t kMax = std::numeric_limits<int64_t>::max(), kMin = std::numeric_limits<int64_t>::min();
  const Row rows[] = {
      {ElementType::kS1, {0, -1, 0, 0, -1, 0, -1, 0, -1, 0, 0, 0}},
      {ElementType::kS4, {2, -2, 7, 7, -8, 7, -8, 7, -8, 0, 7, 0}},
      {ElementType::kS8, {2, -2, 127, 127, -128, 127, -128, 127, -128, 0, 127, 0}},
      {ElementType::kU8, {2, 0, 127, 255, 0, 255, 0, 255, 0, 0, 255, 0}},
      {ElementType::kU2, {2, 0, 3, 3, 0, 3, 0, 3, 0, 0, 3, 0}},
      {ElementType::kS16, {2, -2, 127, 300, -300, 32767, -32768, 32767, -32768, 0, 32767, 0}},
      {ElementType::kS32,
       {2, -2, 127, 300, -300, 2147483647, -2147483648, 2147483647, -2147483648, 0, 2147483647, 0}},
      {ElementType::kU32, {2, 0, 127, 300, 0, 4294967295, 0, 4294967295, 0, 0, 4294967295, 0}},
      {ElementType::kS64, {2, -2, 127, 300, -300, kMax, kMin, kMax, kMin, 0, kMax, 0}},
      {ElementType::kU64, {2, 0, 127, 300, 0, -1, 0, -1, 0, 0, kMin, 0}},
      {ElementType::kPred, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
  };
  for (const Row& row : rows) {
    const auto result = ConvertLiteral(Doubles(ElementType::kF64, source), row.type);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(ToInts(*result), row.expected) << ElementTypeName(row.type);
  }
  // From a narrow float: infinity and NaN as well.
  EXPECT_EQ(
      ToInts(*ConvertLiteral(Doubles(ElementType::kF8E5M2, {kInf, -kInf, kNan, 3.5}), ElementType::kS16)),
      (std::vector<int64_t>{32767, -32768, 0, 3}));
}

// pitfall 75, 168
TEST(Convert, IntegerToNarrowerIntegerWraps) {
  const Literal wide = Ints(ElementType::kS32, {300, -300, 128, -129, 15, 8, -9, 0, 256});
  const Literal narrow = *ConvertLiteral(wide, ElementType::kS8);
  EXPECT_EQ(ToInts(narrow), (std::vector<int64_t>{44, -44, -128, 127, 15, 8, -9, 0, 0}));
  EXPECT_EQ(ToInts(*ConvertLiteral(narrow, ElementType::kS32))[0], 44);
  EXPECT_EQ(ToInts(*ConvertLiteral(wide, ElementType::kS4)),
            (std::vector<int64_t>{-4, 4, 0, -1, -1, -8, 7, 0, 0}));
  EXPECT_EQ(ToInts(*ConvertLiteral(wide, ElementType::kU4)),
            (std::vector<int64_t>{12, 4, 0, 15, 15, 8, 7, 0, 0}));
  EXPECT_EQ(ToInts(*ConvertLiteral(wide, ElementType::kPred)),
            (std::vector<int64_t>{1, 1, 1, 1, 1, 1, 1, 0, 1}));
  EXPECT_EQ(ToInts(*ConvertLiteral(Ints(ElementType::kS8, {-1}), ElementType::kU64))[0], -1);
  EXPECT_EQ(ToInts(*ConvertLiteral(Ints(ElementType::kU8, {255}), ElementType::kS64))[0], 255);
}

TEST(Convert, IntegerToFloatRoundsOnce) {
  const int64_t above =
      (int64_t{1} << 40) + (int64_t{1} << 32) + 1;  // above a midpoint of bf16, f32 rounds onto it
  const Literal wide = Ints(
      ElementType::kS64, {above, -above, (int64_t{1} << 24) + 1, 65520, std::numeric_limits<int64_t>::min()});
  const Literal bf16 = *ConvertLiteral(wide, ElementType::kBF16);
  EXPECT_EQ(bf16.GetDouble(0), 0x1p40 + 0x1p33);
  EXPECT_EQ(bf16.GetDouble(1), -0x1p40 - 0x1p33);
  EXPECT_EQ(bf16.GetDouble(4), -0x1p63);
  EXPECT_EQ(ConvertLiteral(wide, ElementType::kF32)->GetDouble(2), 0x1p24);
  EXPECT_EQ(ConvertLiteral(wide, ElementType::kF16)->GetDouble(3), kInf);
  EXPECT_EQ(ConvertLiteral(Ints(ElementType::kU64, {-1}), ElementType::kF32)->GetDouble(0), 0x1p64);
  EXPECT_EQ(ConvertLiteral(Ints(ElementType::kU64, {-1}), ElementType::kF64)->GetDouble(0), 0x1p64);
  // 2^60 + 2^36 is a midpoint of f32; through f64 the excess of 1 would be lost.
  EXPECT_EQ(ConvertLiteral(Ints(ElementType::kS64, {(int64_t{1} << 60) + (int64_t{1} << 36) + 1}),
                           ElementType::kF32)
                ->GetDouble(0),
            0x1p60 + 0x1p37);
  EXPECT_EQ(ConvertLiteral(Ints(ElementType::kS32, {449, -500}), ElementType::kF8E4M3FN)->GetDouble(0), 448);
  EXPECT_TRUE(
      std::isnan(ConvertLiteral(Ints(ElementType::kS32, {449, -500}), ElementType::kF8E4M3FN)->GetDouble(1)));
}

TEST(Convert, FloatToFloatRoundsOnceAndSaysWhatItRefuses) {
  EXPECT_EQ(
      ConvertLiteral(Doubles(ElementType::kF64, {1.0 + 0x1p-8 + 0x1p-40}), ElementType::kBF16)->GetDouble(0),
      1.0 + 0x1p-7);
  EXPECT_EQ(ConvertLiteral(Doubles(ElementType::kPred, {1, 0}), ElementType::kBF16)->GetDouble(0), 1.0);
  const Literal complex = *ConvertLiteral(Doubles(ElementType::kF32, {1.5}), ElementType::kC128);
  EXPECT_EQ(complex.GetComplex(0), std::complex<double>(1.5, 0));
  EXPECT_EQ(ConvertLiteral(Ints(ElementType::kS64, {-3}), ElementType::kC64)->GetComplex(0),
            std::complex<double>(-3, 0));
  EXPECT_EQ(ConvertLiteral(complex, ElementType::kC64)->GetComplex(0), std::complex<double>(1.5, 0));
  const Status status = ConvertLiteral(complex, ElementType::kF32).status();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("convert from c128 to f32"), std::string::npos);
}

TEST(Convert, EveryPairOfRealTypesAgreesWithItsElementsOneByOne) {
  for (int s = 1; s <= static_cast<int>(ElementType::kF64); ++s) {
    const auto source = static_cast<ElementType>(s);
    // More elements than one internal block.
    Literal from(Shape::Array(source, {3, 401}));
    for (int64_t i = 0; i < from.num_elements(); ++i) from.SetInt(i, i * 7 - 2000);
    for (int t = 1; t <= static_cast<int>(ElementType::kF64); ++t) {
      const auto target = static_cast<ElementType>(t);
      const Literal to = *ConvertLiteral(from, target);
      ASSERT_EQ(to.shape.dims, from.shape.dims);
      Literal expected(Shape::Array(target, {3, 401}));
      for (int64_t i = 0; i < from.num_elements(); ++i) {
        // All values here are exact in double, so one rounding remains; integers wrap.
        if (IsFloat(source)) {
          expected.SetDouble(i, from.GetDouble(i));
        } else {
          expected.SetInt(i, from.GetInt(i));
        }
      }
      if (source == target) expected = from;
      if (source == ElementType::kU64 && IsFloat(target)) continue;  // SetInt is signed
      ASSERT_EQ(to, expected) << ElementTypeName(source) << " to " << ElementTypeName(target);
    }
  }
}

// pitfall 169
TEST(Bitcast, EqualWiderAndNarrowerWidths) {
  Literal f32(Shape::Array(ElementType::kF32, {2}));
  f32.SetDouble(0, 1.0);
  f32.SetDouble(1, -2.5);
  const Literal u32 = *BitcastConvertLiteral(f32, ElementType::kU32);
  EXPECT_EQ(ToInts(u32), (std::vector<int64_t>{0x3f800000, 0xc0200000}));
  const Literal u8 = *BitcastConvertLiteral(f32, ElementType::kU8);
  EXPECT_EQ(u8.shape.dims, (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(ToInts(u8), (std::vector<int64_t>{0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0}));
  EXPECT_EQ(*BitcastConvertLiteral(u8, ElementType::kF32), f32);
  EXPECT_EQ(BitcastConvertLiteral(u8, ElementType::kC64).ok(), false);
  EXPECT_NE(BitcastConvertLiteral(u8, ElementType::kU64).status().message().find("last dimension must be 8"),
            std::string::npos);
  EXPECT_FALSE(BitcastConvertLiteral(u8, ElementType::kPred).ok());
  EXPECT_FALSE(BitcastConvertLiteral(Literal(Shape::Array(ElementType::kU8, {})), ElementType::kU16).ok());
}

TEST(Bitcast, SubByteTypesUseTheirPackedRatioLowBitsFirst) {
  Literal u16(Shape::Array(ElementType::kU16, {1}));
  u16.SetInt(0, 0xa5f1);
  const Literal s4 = *BitcastConvertLiteral(u16, ElementType::kS4);
  EXPECT_EQ(s4.shape.dims, (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(ToInts(s4), (std::vector<int64_t>{1, -1, 5, -6}));
  EXPECT_EQ(*BitcastConvertLiteral(s4, ElementType::kU16), u16);
  const Literal u1 = *BitcastConvertLiteral(u16, ElementType::kU1);
  EXPECT_EQ(ToInts(u1), (std::vector<int64_t>{1, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1}));
  const Literal s2 = *BitcastConvertLiteral(s4, ElementType::kS2);
  EXPECT_EQ(s2.shape.dims, (std::vector<int64_t>{1, 4, 2}));
  EXPECT_EQ(ToInts(s2), (std::vector<int64_t>{1, 0, -1, -1, 1, 1, -2, -2}));
  EXPECT_EQ(*BitcastConvertLiteral(s2, ElementType::kS4), s4);
  EXPECT_EQ(ToInts(*BitcastConvertLiteral(s4, ElementType::kU4)), (std::vector<int64_t>{1, 15, 5, 10}));
  const Literal f4 = *BitcastConvertLiteral(s4, ElementType::kF4E2M1FN);
  EXPECT_EQ(f4.GetDouble(0), 0.5);
  EXPECT_EQ(f4.GetDouble(1), -6.0);
}

TEST(Literal, SetAndGet) {
  Literal u64 = Ints(ElementType::kU64, {-1});
  EXPECT_EQ(u64.GetInt(0), -1);
  EXPECT_EQ(u64.GetDouble(0), 0x1p64);
  Literal s4 = Ints(ElementType::kS4, {15, 8, 7, -8});
  EXPECT_EQ(ToInts(s4), (std::vector<int64_t>{-1, -8, 7, -8}));
  Literal c64(Shape::Array(ElementType::kC64, {2}));
  c64.SetComplex(1, {1.25, -2});
  EXPECT_EQ(c64.GetComplex(1), std::complex<double>(1.25, -2));
  EXPECT_EQ(c64.GetDouble(1), 1.25);
  c64.SetDouble(0, 3);
  EXPECT_EQ(c64.GetComplex(0), std::complex<double>(3, 0));
  EXPECT_NE(c64, u64);
}

// Reads an element back as a reader of HLO text would.
uint64_t ReadBack(ElementType type, const std::string& text) {
  const bool negative = text[0] == '-';
  const std::string_view rest = std::string_view(text).substr(negative ? 1 : 0);
  Literal literal(Shape::Array(type, {}));
  double value = 0;
  if (rest.starts_with("nan")) {
    value = std::copysign(kNan, negative ? -1 : 1);
  } else if (rest == "inf") {
    value = negative ? -kInf : kInf;
  } else {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    EXPECT_EQ(result.ptr, text.data() + text.size()) << text;
  }
  literal.SetDouble(0, value);
  uint64_t bits = 0;
  std::memcpy(&bits, literal.bytes.data(), literal.bytes.size());
  if (rest.starts_with("nan(0x")) {
    uint64_t payload = 0;
    std::from_chars(rest.data() + 6, rest.data() + rest.size(), payload, 16);
    const int mantissa = type == ElementType::kF64   ? 52
                         : type == ElementType::kF32 ? 23
                                                     : FormatOf(type).mantissa_bits;
    bits = (bits >> mantissa << mantissa) | payload;
  }
  return bits;
}

// pitfall 127
TEST(LiteralText, EveryNarrowFloatReadsBackBitForBit) {
  for (int t = static_cast<int>(ElementType::kF4E2M1FN); t <= static_cast<int>(ElementType::kBF16); ++t) {
    const auto type = static_cast<ElementType>(t);
    const uint32_t count = 1u << BitWidth(type);
    Literal all(Shape::Array(type, {static_cast<int64_t>(count)}));
    for (uint32_t bits = 0; bits < count; ++bits) {
      std::memcpy(all.bytes.data() + bits * static_cast<size_t>(StorageBytes(type)), &bits,
                  static_cast<size_t>(StorageBytes(type)));
    }
    for (uint32_t bits = 0; bits < count; ++bits) {
      ASSERT_EQ(ReadBack(type, ElementToString(all, bits)), bits)
          << ElementTypeName(type) << " " << ElementToString(all, bits);
    }
  }
}

// pitfall 127
TEST(LiteralText, WideFloatsAndIntegersReadBack) {
  const uint64_t patterns[] = {0,
                               1,
                               0x7f7fffff,
                               0x7f800000,
                               0xff800000,
                               0x7fc00000,
                               0xffc00000,
                               0x7f800001,
                               0x3eaaaaab,
                               0x7fffffffffffffff,
                               0x3fb999999999999a,
                               0x7ff0000000000000,
                               0xfff8000000000000,
                               0x0010000000000000};
  for (uint64_t pattern : patterns) {
    for (ElementType type : {ElementType::kF32, ElementType::kF64}) {
      Literal literal(Shape::Array(type, {}));
      std::memcpy(literal.bytes.data(), &pattern, literal.bytes.size());
      const uint64_t expected = type == ElementType::kF32 ? pattern & 0xffffffff : pattern;
      EXPECT_EQ(ReadBack(type, ElementToString(literal, 0)), expected) << ElementToString(literal, 0);
    }
  }
  EXPECT_EQ(
      LiteralToString(Ints(ElementType::kS64, {std::numeric_limits<int64_t>::min(), (int64_t{1} << 53) + 1})),
      "{-9223372036854775808, 9007199254740993}");
  EXPECT_EQ(LiteralToString(Ints(ElementType::kU64, {-1})), "{18446744073709551615}");
}

TEST(LiteralText, Forms) {
  Literal matrix(Shape::Array(ElementType::kBF16, {2, 2}));
  for (int64_t i = 0; i < 4; ++i) matrix.SetDouble(i, static_cast<double>(i) + 0.5);
  EXPECT_EQ(LiteralToString(matrix), "{ { 0.5, 1.5 }, { 2.5, 3.5 } }");
  Literal pi(Shape::Array(ElementType::kBF16, {}));
  pi.SetDouble(0, 3.14159);
  EXPECT_EQ(LiteralToString(pi), "3.14");
  pi.SetDouble(0, -240);
  EXPECT_EQ(LiteralToString(pi), "-240");
  pi.SetDouble(0, 0x1p100);
  EXPECT_EQ(LiteralToString(pi), "1.27e+30");
  EXPECT_EQ(LiteralToString(Doubles(ElementType::kF32, {0.1, -0.0, kInf, -kInf, kNan})),
            "{0.1, -0, inf, -inf, nan}");
  EXPECT_EQ(LiteralToString(Ints(ElementType::kPred, {1, 0})), "{true, false}");
  Literal complex(Shape::Array(ElementType::kC64, {}));
  complex.SetComplex(0, {1, -2.5});
  EXPECT_EQ(LiteralToString(complex), "(1, -2.5)");
  EXPECT_EQ(LiteralToString(Literal(Shape::Array(ElementType::kF32, {int64_t{1} << 40, 0}))), "{}");
}

}  // namespace
}  // namespace act
