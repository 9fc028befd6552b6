#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "eval/dot_kernels.h"
#include "support/support.h"
#include "unit/eval/test_util.h"

namespace act::eval {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

hlo::Instruction MatMul(ElementType type, int64_t m, int64_t n) {
  hlo::Instruction dot = Op(hlo::Opcode::kDot, type, {m, n});
  dot.dot.lhs_contracting = {1};
  dot.dot.rhs_contracting = {0};
  return dot;
}

template <typename T>
std::vector<T> RandomArray(Random* random, int64_t size) {
  std::vector<T> values;
  for (int64_t i = 0; i < size; ++i) {
    if constexpr (std::is_integral_v<T>) {
      values.push_back(static_cast<T>(random->Next()));
    } else {
      // Exponents wide enough for cancellation, subnormal and overflowing products.
      values.push_back(
          static_cast<T>(std::ldexp(random->Normal(), static_cast<int>(random->Between(-80, 60)))));
    }
  }
  return values;
}

// Bit for bit the triple loop written down naively, in both variants, for every remainder of the blocking.
template <typename T, typename Step>
void CheckKernel(void (*portable)(const T*, const T*, T*, int64_t, int64_t, int64_t),
                 void (*wide)(const T*, const T*, T*, int64_t, int64_t, int64_t), Step step) {
  Random random(11);
  for (int round = 0; round < 60; ++round) {
    const int64_t m = random.Between(1, 9), k = random.Between(0, 20), n = random.Between(1, 37);
    const std::vector<T> a = RandomArray<T>(&random, m * k), b = RandomArray<T>(&random, k * n);
    std::vector<T> expected(static_cast<size_t>(m * n)), first(expected.size(), T(7)),
        second(expected.size(), T(7));
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum = step(a[static_cast<size_t>(i * k + p)], b[static_cast<size_t>(p * n + j)], sum);
        expected[static_cast<size_t>(i * n + j)] = sum;
      }
    }
    portable(a.data(), b.data(), first.data(), m, k, n);
    ASSERT_EQ(std::memcmp(first.data(), expected.data(), first.size() * sizeof(T)), 0)
        << m << "x" << k << "x" << n;
    if (!HasWideDotKernels()) continue;
    wide(a.data(), b.data(), second.data(), m, k, n);
    ASSERT_EQ(std::memcmp(second.data(), expected.data(), second.size() * sizeof(T)), 0)
        << m << "x" << k << "x" << n;
  }
}

TEST(DotKernels, BothVariantsAreTheNaiveLoop) {
  const DotKernels portable = PortableDotKernels();
  const DotKernels wide = HasWideDotKernels() ? WideDotKernels() : portable;
  CheckKernel<float>(portable.f32, wide.f32, [](float x, float y, float z) { return std::fma(x, y, z); });
  CheckKernel<double>(portable.f64, wide.f64, [](double x, double y, double z) { return std::fma(x, y, z); });
  CheckKernel<uint32_t>(portable.i32, wide.i32, [](uint32_t x, uint32_t y, uint32_t z) { return x * y + z; });
}

// pitfall 170
TEST(Dot, SumsInIncreasingOrderAndRoundsOnce) {
  // In f32, 2^24 + 1 is 2^24; the order decides what survives.
  const Literal ones = MakeDoubles(ElementType::kBF16, {4, 1}, {1, 1, 1, 1});
  const Literal up = MakeDoubles(ElementType::kBF16, {1, 4}, {1, 1, 0x1p24, -0x1p24});
  const Literal down = MakeDoubles(ElementType::kBF16, {1, 4}, {0x1p24, 1, 1, -0x1p24});
  EXPECT_EQ(Doubles(*Apply(MatMul(ElementType::kBF16, 1, 1), {&up, &ones})), std::vector<double>{2});
  EXPECT_EQ(Doubles(*Apply(MatMul(ElementType::kBF16, 1, 1), {&down, &ones})), std::vector<double>{0});
  // bf16 after each step would lose every 1 after 256.
  const Literal many = MakeDoubles(ElementType::kBF16, {1, 300}, std::vector<double>(300, 1));
  const Literal column = MakeDoubles(ElementType::kBF16, {300, 1}, std::vector<double>(300, 1));
  EXPECT_EQ(Doubles(*Apply(MatMul(ElementType::kBF16, 1, 1), {&many, &column})), std::vector<double>{300});
}

// pitfall 214
TEST(Dot, IntegersWrapToTheResultType) {
  const Literal x = MakeInts(ElementType::kS8, {1, 3}, {-128, 127, -128});
  const Literal y = MakeInts(ElementType::kS8, {3, 1}, {-128, 127, 3});
  EXPECT_EQ(Ints(*Apply(MatMul(ElementType::kS32, 1, 1), {&x, &y})), std::vector<int64_t>{32129});
  EXPECT_EQ(Ints(*Apply(MatMul(ElementType::kS8, 1, 1), {&x, &y})), std::vector<int64_t>{-127});
  EXPECT_EQ(Ints(*Apply(MatMul(ElementType::kS4, 1, 1), {&x, &y})), std::vector<int64_t>{1});
  const Literal u = MakeInts(ElementType::kU8, {3, 1}, {255, 255, 2});
  EXPECT_EQ(Ints(*Apply(MatMul(ElementType::kS32, 1, 1), {&x, &u})),
            std::vector<int64_t>{-511});  // mixed signs
  const Literal big =
      MakeInts(ElementType::kS64, {1, 2}, {std::numeric_limits<int64_t>::min(), int64_t{1} << 40});
  const Literal two = MakeInts(ElementType::kS64, {2, 1}, {2, int64_t{1} << 30});
  EXPECT_EQ(Ints(*Apply(MatMul(ElementType::kS64, 1, 1), {&big, &two})), std::vector<int64_t>{0});
}

TEST(Dot, PredIsOrOfAndsAndCountsInWiderTypes) {
  const Literal x = MakeInts(ElementType::kPred, {2, 2}, {1, 1, 0, 1});
  const Literal y = MakeInts(ElementType::kPred, {2, 2}, {1, 0, 1, 0});
  EXPECT_EQ(Ints(*Apply(MatMul(ElementType::kPred, 2, 2), {&x, &y})), (std::vector<int64_t>{1, 0, 1, 0}));
  EXPECT_EQ(Ints(*Apply(MatMul(ElementType::kS32, 2, 2), {&x, &y})), (std::vector<int64_t>{2, 0, 1, 0}));
}

TEST(Dot, NanIsOneNanAndEmptyContractionIsZero) {
  const Literal x = MakeDoubles(ElementType::kF32, {1, 2}, {kInf, 1});
  const Literal y = MakeDoubles(ElementType::kF32, {2, 2}, {0, 1, -kNan, 1});
  const Literal r = *Apply(MatMul(ElementType::kF32, 1, 2), {&x, &y});
  EXPECT_EQ(ElementToString(r, 0), "nan");
  EXPECT_EQ(r.GetDouble(1), kInf);
  const Literal none = MakeDoubles(ElementType::kBF16, {2, 0}, {}),
                none2 = MakeDoubles(ElementType::kBF16, {0, 2}, {});
  EXPECT_EQ(Doubles(*Apply(MatMul(ElementType::kBF16, 2, 2), {&none, &none2})),
            (std::vector<double>{0, 0, 0, 0}));
}

TEST(Dot, AccumulatorHoldsMixedOperandsExactly) {
  const Literal s32 = MakeInts(ElementType::kS32, {1, 2}, {(1 << 24) + 1, 1});
  const Literal f32 = MakeDoubles(ElementType::kF32, {2, 1}, {1, -0x1p24});
  EXPECT_EQ(Doubles(*Apply(MatMul(ElementType::kF32, 1, 1), {&s32, &f32})), std::vector<double>{1});
  const Literal s8 = MakeInts(ElementType::kS8, {1, 2}, {-128, 5});
  EXPECT_EQ(Doubles(*Apply(MatMul(ElementType::kF64, 1, 1), {&s8, &f32})),
            std::vector<double>{-128 - 5 * 0x1p24});
}

TEST(Dot, RefusesByName) {
  const Literal x = MakeDoubles(ElementType::kF32, {2, 3}, {}),
                y = MakeDoubles(ElementType::kF32, {3, 2}, {});
  const Literal c = MakeDoubles(ElementType::kC64, {3, 2}, {});
  hlo::Instruction wrong = MatMul(ElementType::kF32, 2, 2);
  wrong.dot.rhs_contracting = {1};
  EXPECT_FALSE(Apply(wrong, {&x, &y}).ok());
  wrong.dot.rhs_contracting = {7};
  EXPECT_NE(Apply(wrong, {&x, &y}).status().message().find("dimension numbers"), std::string::npos);
  wrong.dot.rhs_contracting = {0, 0};
  EXPECT_FALSE(Apply(wrong, {&x, &y}).ok());
  EXPECT_FALSE(Apply(MatMul(ElementType::kS32, 2, 2), {&x, &y}).ok());
  EXPECT_FALSE(Apply(MatMul(ElementType::kF32, 2, 2), {&x, &c}).ok());
  EXPECT_FALSE(Apply(MatMul(ElementType::kF32, 2, 3), {&x, &y}).ok());
  EXPECT_FALSE(Apply(MatMul(ElementType::kF32, 2, 2), {&x}).ok());
}

}  // namespace
}  // namespace act::eval
