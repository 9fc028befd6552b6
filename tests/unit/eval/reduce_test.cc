#include <gtest/gtest.h>

#include <cmath>

#include "support/support.h"
#include "unit/eval/test_util.h"

namespace act::eval {
namespace {

using hlo::Reducer;

hlo::Instruction Reduce(Reducer reducer, ElementType type, std::vector<int64_t> dims,
                        std::vector<int64_t> over) {
  hlo::Instruction instruction = Op(hlo::Opcode::kReduce, type, std::move(dims));
  instruction.reducer = reducer;
  instruction.dimensions = std::move(over);
  return instruction;
}

// pitfall 160, 170
TEST(Reduce, AddsInRowMajorOrderOfTheReducedDimensionsForEverySubset) {
  Random random(5);
  const std::vector<int64_t> dims = {3, 4, 2, 5};
  for (ElementType type : {ElementType::kBF16, ElementType::kF16, ElementType::kF32, ElementType::kU8}) {
    Literal x(Shape::Array(type, dims));
    for (int64_t i = 0; i < x.num_elements(); ++i)
      x.SetDouble(i, std::ldexp(random.Uniform() + 0.5, static_cast<int>(random.Between(-4, 12))));
    const Literal init = MakeDoubles(type, {}, {3});
    for (int subset = 0; subset < 16; ++subset) {
      std::vector<int64_t> over, kept;
      for (int d = 0; d < 4; ++d) (subset >> d & 1 ? over : kept).push_back(d);
      std::vector<int64_t> result_dims;
      for (int64_t d : kept) result_dims.push_back(dims[static_cast<size_t>(d)]);
      const Literal result = *Apply(Reduce(Reducer::kAdd, type, result_dims, over), {&x, &init});
      // Walking the operand in row-major order meets each output's elements in the defined order.
      std::vector<float> sums(static_cast<size_t>(result.num_elements()), 3.0f);
      std::vector<int64_t> counts(sums.size(), 3);
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        const int64_t index[] = {i / 40, i / 10 % 4, i / 5 % 2, i % 5};
        int64_t at = 0;
        for (int64_t d : kept) at = at * dims[static_cast<size_t>(d)] + index[d];
        sums[static_cast<size_t>(at)] += static_cast<float>(x.GetDouble(i));
        counts[static_cast<size_t>(at)] += x.GetInt(i);
      }
      Literal expected(Shape::Array(type, result_dims));
      for (size_t i = 0; i < sums.size(); ++i) {
        if (IsFloat(type)) {
          expected.SetDouble(static_cast<int64_t>(i), static_cast<double>(sums[i]));
        } else {
          expected.SetInt(static_cast<int64_t>(i), counts[i]);
        }
      }
      ASSERT_EQ(result, expected) << ElementTypeName(type) << " subset " << subset;
    }
  }
}

// pitfall 170
TEST(Reduce, RowSumsOfBf16AccumulateInF32) {
  const Literal x = MakeDoubles(ElementType::kBF16, {2, 3}, {256, 1, 1, 1, 1, 256});
  const Literal zero = MakeDoubles(ElementType::kBF16, {}, {0});
  EXPECT_EQ(Doubles(*Apply(Reduce(Reducer::kAdd, ElementType::kBF16, {2}, {1}), {&x, &zero})),
            (std::vector<double>{258, 258}));
}

TEST(Reduce, EmptyReductionIsTheInitValue) {
  const Literal x(Shape::Array(ElementType::kF32, {2, 0}));
  const Literal init = MakeDoubles(ElementType::kF32, {}, {-7});
  EXPECT_EQ(Doubles(*Apply(Reduce(Reducer::kMaximum, ElementType::kF32, {2}, {1}), {&x, &init})),
            (std::vector<double>{-7, -7}));
  const Literal y = MakeDoubles(ElementType::kF32, {2}, {1, -9});
  EXPECT_EQ(Doubles(*Apply(Reduce(Reducer::kMaximum, ElementType::kF32, {2}, {}), {&y, &init})),
            (std::vector<double>{1, -7}));
}

TEST(Reduce, PredAndExtremes) {
  const Literal x = MakeInts(ElementType::kPred, {2, 2}, {1, 0, 1, 1});
  const Literal no = MakeInts(ElementType::kPred, {}, {0}), yes = MakeInts(ElementType::kPred, {}, {1});
  EXPECT_EQ(Ints(*Apply(Reduce(Reducer::kAdd, ElementType::kPred, {2}, {1}), {&x, &no})),
            (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(Ints(*Apply(Reduce(Reducer::kMultiply, ElementType::kPred, {2}, {1}), {&x, &yes})),
            (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(Ints(*Apply(Reduce(Reducer::kMinimum, ElementType::kPred, {2}, {0}), {&x, &yes})),
            (std::vector<int64_t>{1, 0}));
  const Literal u = MakeInts(ElementType::kU64, {2}, {-1, 1});
  const Literal zero = MakeInts(ElementType::kU64, {}, {0});
  EXPECT_EQ(Ints(*Apply(Reduce(Reducer::kMaximum, ElementType::kU64, {}, {0}), {&u, &zero})),
            (std::vector<int64_t>{-1}));
}

TEST(Reduce, RefusesByName) {
  const Literal x(Shape::Array(ElementType::kF32, {2, 3}));
  const Literal init = MakeDoubles(ElementType::kF32, {}, {0});
  hlo::Instruction unknown = Reduce(Reducer::kAdd, ElementType::kF32, {2}, {1});
  unknown.reducer = std::nullopt;
  EXPECT_EQ(Apply(unknown, {&x, &init}).status().front().error_class, ErrorClass::kNotImplemented);
  EXPECT_FALSE(Apply(Reduce(Reducer::kAdd, ElementType::kF32, {2}, {2}), {&x, &init}).ok());
  EXPECT_FALSE(Apply(Reduce(Reducer::kAdd, ElementType::kF32, {2}, {1, 1}), {&x, &init}).ok());
  EXPECT_FALSE(Apply(Reduce(Reducer::kAdd, ElementType::kF32, {3}, {1}), {&x, &init}).ok());
  EXPECT_FALSE(Apply(Reduce(Reducer::kAnd, ElementType::kF32, {2}, {1}), {&x, &init}).ok());
  EXPECT_FALSE(Apply(Reduce(Reducer::kAdd, ElementType::kF32, {2}, {1}), {&x, &x}).ok());
  EXPECT_FALSE(Apply(Reduce(Reducer::kAdd, ElementType::kF32, {2}, {1}), {&x}).ok());
}

}  // namespace
}  // namespace act::eval
