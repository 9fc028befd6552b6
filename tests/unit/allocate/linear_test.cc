// Linear forms and preimages against evaluation.
#include "allocate/linear.h"

#include "unit/allocate/testing.h"

namespace act::allocate {
namespace {

isa::Expression RandomExpression(Random* random, int depth) {
  using Kind = isa::Expression::Kind;
  if (depth == 0 || random->Below(4) == 0) {
    const uint64_t pick = random->Below(4);
    if (pick < 2) return A(static_cast<int32_t>(pick));
    return pick == 2 ? C(0) : N(random->Between(-3, 5));
  }
  constexpr Kind kKinds[] = {Kind::kAdd, Kind::kSubtract, Kind::kMultiply, Kind::kDivide, Kind::kRemainder};
  return Op(kKinds[random->Below(5)], RandomExpression(random, depth - 1),
            RandomExpression(random, depth - 1));
}

TEST(Linear, FormsAgreeWithEvaluation) {
  Random random(3);
  const std::vector<int64_t> computational = {4};
  int linear = 0;
  for (int round = 0; round < 3000; ++round) {
    const isa::Expression e = RandomExpression(&random, 3);
    const auto form = ToLinear(e, {.computational = computational, .addressing = {}, .state = {}});
    if (!form) continue;
    ++linear;
    for (int i = 0; i < 10; ++i) {
      const std::vector<int64_t> a = {random.Between(0, 30), random.Between(0, 30)};
      const StatusOr<int64_t> value = isa::Evaluate(e, {computational, a, {}});
      if (!value.ok()) continue;
      int64_t expected = form->constant;
      for (const auto& [attribute, coefficient] : form->terms) expected += coefficient * a[attribute];
      EXPECT_EQ(*value, expected);
    }
  }
  EXPECT_GT(linear, 500);
}

TEST(Linear, PreimagesHoldEverySolution) {
  Random random(4);
  const std::vector<int64_t> computational = {4};
  for (int round = 0; round < 3000; ++round) {
    const isa::Expression e = RandomExpression(&random, 3);
    std::vector<int64_t> a = {0, random.Between(0, 9)};
    Domain start;
    start.high = 60;
    const int64_t x = random.Between(0, 60);
    a[0] = x;
    const StatusOr<int64_t> target = isa::Evaluate(e, {computational, a, {}});
    if (!target.ok()) continue;
    a[0] = 0;
    EXPECT_TRUE(Preimage(e, 0, *target, {computational, a, {}}, start).Contains(x));
  }
}

// pitfall 108
TEST(Linear, PreimagesAreSharp) {
  const struct {
    isa::Expression expression;
    int64_t target, low, high, count;
  } kRows[] = {
      {Times(A(0), N(16)), 48, 3, 3, 1},
      {Plus(A(0), N(64)), 100, 36, 36, 1},
      {Over(A(0), N(4)), 5, 20, 23, 4},
      {Over(A(0), N(4)), 0, 0, 3, 4},
      {Minus(N(64), A(0)), 60, 4, 4, 1},
      {Times(A(0), N(16)), 50, 0, 0, 0},
      {Plus(Times(N(2), A(0)), N(1)), 9, 4, 4, 1},
      {Plus(A(0), N(64)), 3, 0, 0, 0},
  };
  for (const auto& row : kRows) {
    const Domain d = Preimage(row.expression, 0, row.target, {}, Domain{});
    EXPECT_EQ(d.Count(100), row.count);
    if (row.count > 0) {
      EXPECT_EQ(d.AtLeast(d.low), row.low);
      EXPECT_EQ(d.high, row.high);
    }
  }
}

}  // namespace
}  // namespace act::allocate
