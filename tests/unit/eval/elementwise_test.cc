#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support/support.h"
#include "unit/eval/test_util.h"

namespace act::eval {
namespace {

using hlo::Opcode;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Literal EveryValue(ElementType type) {
  const int64_t count = int64_t{1} << BitWidth(type);
  Literal all(Shape::Array(type, {count}));
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(all.bytes.data() + i * StorageBytes(type), &i, static_cast<size_t>(StorageBytes(type)));
  }
  return all;
}

// The result is the value of the type nearest to the exact one: no neighbour is nearer, and halfway only the
// even one. The exact value comes from the 64-bit long double functions, which libm computes separately.
TEST(Elementwise, FunctionsAreCorrectlyRoundedAtEveryBf16AndF16Value) {
  struct Row {
    Opcode opcode;
    long double (*exact)(long double);
  };
  const Row rows[] = {{Opcode::kExp, [](long double v) { return std::exp(v); }},
                      {Opcode::kLog, [](long double v) { return std::log(v); }},
                      {Opcode::kTanh, [](long double v) { return std::tanh(v); }},
                      {Opcode::kSqrt, [](long double v) { return std::sqrt(v); }},
                      {Opcode::kRsqrt, [](long double v) { return 1 / std::sqrt(v); }},
                      {Opcode::kLogistic, [](long double v) { return 1 / (1 + std::exp(-v)); }},
                      {Opcode::kExpm1, [](long double v) { return std::expm1(v); }},
                      {Opcode::kErf, [](long double v) { return std::erf(v); }},
                      {Opcode::kLog1p, [](long double v) { return std::log1p(v); }}};
  for (ElementType type : {ElementType::kBF16, ElementType::kF16}) {
    const Literal all = EveryValue(type);
    for (const Row& row : rows) {
      const Literal result = *Apply(Op(row.opcode, type, all.shape.dims), {&all});
      int shown = 0;
      for (int64_t i = 0; i < all.num_elements() && shown < 3; ++i) {
        const long double exact = row.exact(all.GetDouble(i));
        const double found = result.GetDouble(i);
        bool good = std::isnan(exact) ? std::isnan(found) : true;
        if (std::isinf(exact)) good = static_cast<long double>(found) == exact;
        if (std::isfinite(exact)) {
          uint16_t bits;
          std::memcpy(&bits, result.bytes.data() + 2 * i, 2);
          const auto value = [&](int b) {
            const auto magnitude = static_cast<uint16_t>(b);
            const float v = type == ElementType::kBF16 ? BF16ToFloat(magnitude) : F16ToFloat(magnitude);
            // Infinity stands for the next power of two, to which values at half a unit and more round.
            return std::isinf(v) ? std::copysign(type == ElementType::kBF16 ? 0x1p128L : 0x1p16L,
                                                 static_cast<long double>(v))
                                 : static_cast<long double>(v);
          };
          const long double at = value(bits);
          const bool infinite = (bits & 0x7fff) == (type == ElementType::kBF16 ? 0x7f80 : 0x7c00);
          const long double error = std::fabs(at - exact);
          good = !std::isnan(found) && (infinite ? std::fabs(exact) >= std::fabs(value(bits - 1)) : true);
          for (int step : {-1, 1}) {
            if ((bits & 0x7fff) == 0 && step == -1) continue;
            if (infinite && step == 1) continue;
            const long double other = std::fabs(value(bits + step) - exact);
            if (other < error && !(infinite && std::fabs(exact) > std::fabs(at))) good = false;
            if (other == error && error != 0 && (bits & 1) != 0) good = false;
          }
          if ((bits & 0x7fff) == 0) good = good && std::signbit(found) == std::signbit(exact);
        }
        if (!good) {
          ++shown;
          ADD_FAILURE() << hlo::OpcodeName(row.opcode) << " of " << ElementToString(all, i) << " is "
                        << ElementToString(result, i);
        }
      }
    }
  }
}

int64_t Wrap(int64_t value, int width, bool is_signed) {
  const int64_t modulus = int64_t{1} << width;
  int64_t r = ((value % modulus) + modulus) % modulus;
  if (is_signed && r >= modulus / 2) r -= modulus;
  return r;
}

// All pairs of every type of at most 8 bits, against arithmetic in wider integers.
// pitfall 76, 77, 78
TEST(Elementwise, NarrowIntegersAtEveryPair) {
  for (ElementType type : {ElementType::kS1, ElementType::kS2, ElementType::kS4, ElementType::kS8,
                           ElementType::kU1, ElementType::kU2, ElementType::kU4, ElementType::kU8}) {
    const int width = BitWidth(type);
    const bool is_signed = IsSignedInteger(type);
    const int64_t count = int64_t{1} << width, low = is_signed ? -count / 2 : 0;
    Literal x(Shape::Array(type, {count * count})), y = x;
    for (int64_t i = 0; i < count * count; ++i) {
      x.SetInt(i, low + i / count);
      y.SetInt(i, low + i % count);
    }
    const auto check = [&](Opcode opcode, auto expected) {
      const Literal result = *Apply(Op(opcode, type, x.shape.dims), {&x, &y});
      for (int64_t i = 0; i < count * count; ++i) {
        const int64_t a = low + i / count, b = low + i % count;
        ASSERT_EQ(result.GetInt(i), Wrap(expected(a, b), width, is_signed))
            << hlo::OpcodeName(opcode) << " " << ElementTypeName(type) << " " << a << " " << b;
      }
    };
    const auto bits = [&](int64_t v) { return Wrap(v, width, false); };
    check(Opcode::kAdd, [](int64_t a, int64_t b) { return a + b; });
    check(Opcode::kSubtract, [](int64_t a, int64_t b) { return a - b; });
    check(Opcode::kMultiply, [](int64_t a, int64_t b) { return a * b; });
    check(Opcode::kMaximum, [](int64_t a, int64_t b) { return std::max(a, b); });
    check(Opcode::kMinimum, [](int64_t a, int64_t b) { return std::min(a, b); });
    check(Opcode::kDivide, [](int64_t a, int64_t b) { return b == 0 ? -1 : a / b; });
    check(Opcode::kRemainder, [](int64_t a, int64_t b) { return b == 0 ? a : a % b; });
    check(Opcode::kXor, [](int64_t a, int64_t b) { return a ^ b; });
    check(Opcode::kShiftLeft,
          [&](int64_t a, int64_t b) { return bits(b) >= width ? 0 : a * (int64_t{1} << bits(b)); });
    check(Opcode::kShiftRightLogical,
          [&](int64_t a, int64_t b) { return bits(b) >= width ? 0 : bits(a) / (int64_t{1} << bits(b)); });
    check(Opcode::kShiftRightArithmetic, [&](int64_t a, int64_t b) {
      const int64_t v = Wrap(a, width, true);
      return bits(b) >= width ? (v < 0 ? -1 : 0)
                              : static_cast<int64_t>(std::floor(
                                    std::ldexp(static_cast<double>(v), -static_cast<int>(bits(b)))));
    });
    check(Opcode::kPower, [&](int64_t a, int64_t b) {
      if (b < 0) return a == 1 ? int64_t{1} : a == -1 ? (b % 2 != 0 ? int64_t{-1} : int64_t{1}) : int64_t{0};
      int64_t r = 1;
      for (int64_t i = 0; i < b; ++i) r = Wrap(r * a, width, is_signed);
      return r;
    });
  }
}

// pitfall 79
TEST(Elementwise, ClampIsMinOfMax) {
  const Literal low = MakeInts(ElementType::kS32, {}, {5}), x = MakeInts(ElementType::kS32, {1}, {3}),
                high = MakeInts(ElementType::kS32, {}, {1});
  EXPECT_EQ(Ints(*Apply(Op(Opcode::kClamp, ElementType::kS32, {1}), {&low, &x, &high})),
            std::vector<int64_t>{1});
}

// pitfall 166
TEST(Elementwise, RoundingThenConvertingAndConvertingAlone) {
  const Literal x = MakeDoubles(ElementType::kF32, {2}, {2.5, -2.5});
  const auto convert = [&](const Literal& v) {
    return Ints(*Apply(Op(Opcode::kConvert, ElementType::kS32, {2}), {&v}));
  };
  EXPECT_EQ(convert(*Apply(Op(Opcode::kRoundNearestEven, ElementType::kF32, {2}), {&x})),
            (std::vector<int64_t>{2, -2}));
  EXPECT_EQ(convert(*Apply(Op(Opcode::kRoundNearestAfz, ElementType::kF32, {2}), {&x})),
            (std::vector<int64_t>{3, -3}));
  EXPECT_EQ(convert(x), (std::vector<int64_t>{2, -2}));
}

// pitfall 168
TEST(Elementwise, ASaturatingStoreIsClampThenConvert) {
  const Literal low = MakeInts(ElementType::kS32, {}, {-128}),
                x = MakeInts(ElementType::kS32, {2}, {300, -300}),
                high = MakeInts(ElementType::kS32, {}, {127});
  const Literal clamped = *Apply(Op(Opcode::kClamp, ElementType::kS32, {2}), {&low, &x, &high});
  EXPECT_EQ(Ints(*Apply(Op(Opcode::kConvert, ElementType::kS8, {2}), {&clamped})),
            (std::vector<int64_t>{127, -128}));
  EXPECT_EQ(Ints(*Apply(Op(Opcode::kConvert, ElementType::kS8, {2}), {&x})), (std::vector<int64_t>{44, -44}));
}

// pitfall 167
TEST(Elementwise, FmaRoundsOnce) {
  const Literal x = MakeDoubles(ElementType::kF32, {1}, {1 + 0x1p-13}),
                y = MakeDoubles(ElementType::kF32, {1}, {1 - 0x1p-13});
  const Literal z = MakeDoubles(ElementType::kF32, {1}, {-1});
  EXPECT_EQ(Doubles(*Apply(Op(Opcode::kFma, ElementType::kF32, {1}), {&x, &y, &z})),
            std::vector<double>{-0x1p-26});
  const Literal product = *Apply(Op(Opcode::kMultiply, ElementType::kF32, {1}), {&x, &y});
  EXPECT_EQ(Doubles(*Apply(Op(Opcode::kAdd, ElementType::kF32, {1}), {&product, &z})),
            std::vector<double>{0});
}

// pitfall 162
TEST(Elementwise, SelectOnEqualityChoosesByEquality) {
  const Literal x = MakeDoubles(ElementType::kBF16, {4}, {1, 2, 3, kNan}),
                y = MakeDoubles(ElementType::kBF16, {4}, {2, 2, 2, kNan});
  hlo::Instruction compare = Op(Opcode::kCompare, ElementType::kPred, {4});
  compare.direction = hlo::Direction::kEq;
  const Literal equal = *Apply(compare, {&x, &y});
  const Literal u = MakeDoubles(ElementType::kBF16, {4}, {10, 11, 12, 13}),
                v = MakeDoubles(ElementType::kBF16, {4}, {20, 21, 22, 23});
  EXPECT_EQ(Doubles(*Apply(Op(Opcode::kSelect, ElementType::kBF16, {4}), {&equal, &u, &v})),
            (std::vector<double>{20, 11, 22, 23}));
}

TEST(Elementwise, ComputedNansAreTheOneNanAndSignsAreBits) {
  for (ElementType type : {ElementType::kF32, ElementType::kBF16, ElementType::kF64, ElementType::kF8E5M2}) {
    const Literal x = MakeDoubles(type, {3}, {kInf, -kNan, 0}), y = MakeDoubles(type, {3}, {-kInf, 1, -kNan});
    for (Opcode opcode : {Opcode::kAdd, Opcode::kMaximum, Opcode::kDivide}) {
      const Literal r = *Apply(Op(opcode, type, {3}), {&x, &y});
      EXPECT_EQ(ElementToString(r, 1), "nan");
      EXPECT_EQ(ElementToString(r, 2), "nan");
    }
    EXPECT_EQ(LiteralToString(*Apply(Op(Opcode::kNegate, type, {3}), {&x})), "{-inf, nan, -0}");
    EXPECT_EQ(LiteralToString(*Apply(Op(Opcode::kAbs, type, {3}), {&x})), "{inf, nan, 0}");
  }
  const Literal f4 = MakeDoubles(ElementType::kF4E2M1FN, {3}, {6, -0.5, 0});
  EXPECT_EQ(LiteralToString(*Apply(Op(Opcode::kNegate, ElementType::kF4E2M1FN, {3}), {&f4})),
            "{-6, 0.5, -0}");
  EXPECT_EQ(LiteralToString(*Apply(Op(Opcode::kAdd, ElementType::kF4E2M1FN, {3}), {&f4, &f4})), "{6, -1, 0}");
  const Literal fnuz = MakeDoubles(ElementType::kF8E4M3FNUZ, {2}, {0, 240});
  EXPECT_EQ(LiteralToString(*Apply(Op(Opcode::kNegate, ElementType::kF8E4M3FNUZ, {2}), {&fnuz})),
            "{0, -240}");
  EXPECT_EQ(LiteralToString(*Apply(Op(Opcode::kAdd, ElementType::kF8E4M3FNUZ, {2}), {&fnuz, &fnuz})),
            "{0, nan}");
}

TEST(Elementwise, RefusesByNameWhatHasNoMeaning) {
  const Literal f = MakeDoubles(ElementType::kF32, {2}, {1, 2}), s = MakeInts(ElementType::kS32, {2}, {1, 2});
  const Literal p = MakeInts(ElementType::kPred, {2}, {1, 0}), c(Shape::Array(ElementType::kC64, {2}));
  const Literal short_f = MakeDoubles(ElementType::kF32, {1}, {1});
  const auto refused = [](const StatusOr<Literal>& r, const char* text) {
    return !r.ok() && r.status().message().find(text) != std::string::npos;
  };
  EXPECT_TRUE(refused(Apply(Op(Opcode::kXor, ElementType::kF32, {2}), {&f, &f}),
                      "'op' = xor: is not defined on f32"));
  EXPECT_TRUE(refused(Apply(Op(Opcode::kExp, ElementType::kS32, {2}), {&s}), "not defined on s32"));
  EXPECT_TRUE(
      refused(Apply(Op(Opcode::kSubtract, ElementType::kPred, {2}), {&p, &p}), "not defined on pred"));
  EXPECT_TRUE(refused(Apply(Op(Opcode::kMaximum, ElementType::kC64, {2}), {&c, &c}), "not defined on c64"));
  EXPECT_TRUE(
      refused(Apply(Op(Opcode::kAdd, ElementType::kF32, {2}), {&f, &s}), "found type s32, expected f32"));
  EXPECT_TRUE(refused(Apply(Op(Opcode::kAdd, ElementType::kF32, {2}), {&f, &short_f}), "other dimensions"));
  EXPECT_TRUE(refused(Apply(Op(Opcode::kAdd, ElementType::kF32, {2}), {&f}), "found 1 operands, expected 2"));
  EXPECT_TRUE(refused(Apply(Op(Opcode::kConvert, ElementType::kF32, {2}), {&c}), "take real or imag first"));
  EXPECT_TRUE(refused(Apply(Op(Opcode::kSelect, ElementType::kF32, {2}), {&f, &f, &f}), "expected pred"));
  EXPECT_TRUE(
      refused(Apply(Op(Opcode::kClamp, ElementType::kPred, {2}), {&p, &p, &p}), "not defined on pred"));
  EXPECT_TRUE(refused(Apply(Op(Opcode::kIsFinite, ElementType::kPred, {2}), {&s}), "not defined on s32"));
  EXPECT_TRUE(refused(Apply(Op(Opcode::kFma, ElementType::kS32, {2}), {&s, &s, &s}), "not defined on s32"));
  EXPECT_TRUE(refused(Apply(Op(Opcode::kComplex, ElementType::kC128, {2}), {&f, &f}), "not defined on f32"));
}

}  // namespace
}  // namespace act::eval
