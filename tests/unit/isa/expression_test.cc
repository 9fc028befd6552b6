#include "isa/expression.h"

#include <gtest/gtest.h>

namespace act::isa {
namespace {

using Kind = Expression::Kind;

Expression C(int32_t index) { return Expression::Attribute(AttributeKind::kComputational, index); }
Expression A(int32_t index) { return Expression::Attribute(AttributeKind::kAddressing, index); }
Expression S(int32_t index) { return Expression::Attribute(AttributeKind::kState, index); }
Expression I(int64_t value) { return Expression::Integer(value); }
Expression Add(const Expression& a, const Expression& b) { return Expression::Binary(Kind::kAdd, a, b); }
Expression Sub(const Expression& a, const Expression& b) { return Expression::Binary(Kind::kSubtract, a, b); }
Expression Mul(const Expression& a, const Expression& b) { return Expression::Binary(Kind::kMultiply, a, b); }
Expression Div(const Expression& a, const Expression& b) { return Expression::Binary(Kind::kDivide, a, b); }
Expression Rem(const Expression& a, const Expression& b) {
  return Expression::Binary(Kind::kRemainder, a, b);
}

Condition Compare(Relation relation, const Expression& left, const Expression& right) {
  Condition c;
  c.relation = relation;
  c.left = left;
  c.right = right;
  return c;
}

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// pitfall 10
TEST(Expression, QuotientRoundsTowardZeroAndRemainderHasTheDividendsSign) {
  struct Row {
    int64_t a, b, quotient, remainder;
  };
  for (const Row& row : {Row{-7, 2, -3, -1}, Row{-7, 3, -2, -1}, Row{7, -3, -2, 1}, Row{-7, -3, 2, -1},
                         Row{6, 3, 2, 0}, Row{5, -1, -5, 0}, Row{0, 9, 0, 0}}) {
    EXPECT_EQ(*Evaluate(Div(I(row.a), I(row.b)), {}), row.quotient) << row.a << "/" << row.b;
    EXPECT_EQ(*Evaluate(Rem(I(row.a), I(row.b)), {}), row.remainder) << row.a << "%" << row.b;
  }
}

// pitfall 9
TEST(Expression, LargeIntegersStayExact) {
  EXPECT_EQ(*Evaluate(Div(I(9007199254740993), I(1)), {}), 9007199254740993);
  EXPECT_EQ(Div(I(9007199254740993), I(1)).AsInteger(), 9007199254740993);
  // A value beyond 64 bits on the way is no fault.
  EXPECT_EQ(*Evaluate(Div(Mul(I(kMax), I(kMax)), I(kMax)), {}), kMax);
  EXPECT_EQ(*Evaluate(Rem(I(kMin), I(-1)), {}), 0);
}

// pitfall 171
TEST(Expression, ValuesBeyond64BitsAreExactIn128AndRefusedIn64) {
  const int64_t values[] = {kMax};
  const Environment env{values, {}, {}};
  const StatusOr<int128_t> wide = EvaluateWide(Mul(C(0), I(4)), env);
  ASSERT_TRUE(wide.ok());
  EXPECT_TRUE(*wide == static_cast<int128_t>(kMax) * 4);
  EXPECT_EQ(Evaluate(Mul(C(0), I(4)), env).status().front().code, "isa-too-wide");
  EXPECT_EQ(EvaluateWide(Mul(Mul(C(0), C(0)), C(0)), env).status().front().code, "isa-too-wide");
  EXPECT_EQ(Evaluate(Expression::Negate(I(kMin)), {}).status().front().code, "isa-too-wide");
}

// pitfall 8
TEST(Expression, AttributesAreReadByIndexNotByText) {
  const int64_t values[] = {3, 50};
  EXPECT_EQ(*Evaluate(Add(Mul(C(0), I(2)), C(1)), {values, {}, {}}), 56);
}

TEST(Expression, TheThreeListsAreApart) {
  const int64_t c[] = {1}, a[] = {20}, s[] = {300};
  EXPECT_EQ(*Evaluate(Add(C(0), Add(A(0), S(0))), {c, a, s}), 321);
  EXPECT_TRUE(Add(C(0), A(1)).Uses(AttributeKind::kAddressing));
  EXPECT_TRUE(Add(C(0), A(1)).Uses(AttributeKind::kAddressing, 1));
  EXPECT_FALSE(Add(C(0), A(1)).Uses(AttributeKind::kAddressing, 0));
  EXPECT_FALSE(Add(C(0), A(1)).Uses(AttributeKind::kState));
}

TEST(Expression, ComputedZeroDivisorIsAFault) {
  const int64_t c[] = {0};
  EXPECT_EQ(Evaluate(Div(I(1), C(0)), {c, {}, {}}).status().front().code, "isa-division-by-zero");
  EXPECT_EQ(Evaluate(Rem(I(1), C(0)), {c, {}, {}}).status().front().code, "isa-division-by-zero");
  EXPECT_EQ(Evaluate(C(1), {c, {}, {}}).status().front().code, "isa-no-value");
}

TEST(Expression, LongExpressionsLeaveTheInlineStorage) {
  Expression sum = C(0);
  for (int i = 0; i < 500; ++i) sum = Add(sum, C(0));
  const int64_t c[] = {3};
  EXPECT_EQ(*Evaluate(sum, {c, {}, {}}), 1503);
  const std::optional<Affine> affine = AffineIn(sum, AttributeKind::kComputational, 0, {c, {}, {}});
  ASSERT_TRUE(affine.has_value());
  EXPECT_EQ(affine->slope, 501);
}

TEST(Expression, AsIntegerNeedsNoAttribute) {
  EXPECT_EQ(Mul(I(6), Expression::Negate(I(7))).AsInteger(), -42);
  EXPECT_EQ(Mul(I(6), C(0)).AsInteger(), std::nullopt);
  EXPECT_EQ(Div(I(6), I(0)).AsInteger(), std::nullopt);
}

TEST(AffineIn, AgreesWithEvaluationWhereItExists) {
  // x*128 + y*4 - x, (x*6+4)/2, -(x*y), (x*8)%4, y*(x+1).
  const Expression x = C(0), y = C(1);
  const Expression forms[] = {Sub(Add(Mul(x, I(128)), Mul(y, I(4))), x),
                              Div(Add(Mul(x, I(6)), I(4)), I(2)),
                              Expression::Negate(Mul(x, y)),
                              Rem(Mul(x, I(8)), I(4)),
                              Mul(y, Add(x, I(1))),
                              Div(Mul(x, I(6)), I(-3))};
  const Affine expected[] = {{127, 20}, {3, 2}, {-5, 0}, {0, 0}, {5, 5}, {-2, 0}};
  for (size_t i = 0; i < std::size(forms); ++i) {
    for (int64_t value = -5; value <= 5; ++value) {
      const int64_t c[] = {value, 5};
      const std::optional<Affine> affine = AffineIn(forms[i], AttributeKind::kComputational, 0, {c, {}, {}});
      ASSERT_TRUE(affine.has_value()) << i;
      EXPECT_EQ(affine->slope, expected[i].slope) << i;
      EXPECT_EQ(affine->rest, expected[i].rest) << i;
      EXPECT_EQ(affine->slope * value + affine->rest, *Evaluate(forms[i], {c, {}, {}})) << i;
    }
  }
}

TEST(AffineIn, OtherFormsHaveNone) {
  const int64_t c[] = {4, 5};
  const Expression x = C(0);
  for (const Expression& e :
       {Mul(x, x), Div(x, I(2)), Rem(x, I(2)), Div(I(8), x), Rem(Add(x, I(1)), I(1000)), Add(x, C(7))}) {
    EXPECT_FALSE(AffineIn(e, AttributeKind::kComputational, 0, {c, {}, {}}).has_value());
  }
}

TEST(Condition, RelationsAndConnectives) {
  struct Row {
    Relation relation;
    bool less, equal, greater;
  };
  for (const Row& row :
       {Row{Relation::kEqual, false, true, false}, Row{Relation::kNotEqual, true, false, true},
        Row{Relation::kLess, true, false, false}, Row{Relation::kLessEqual, true, true, false},
        Row{Relation::kGreater, false, false, true}, Row{Relation::kGreaterEqual, false, true, true}}) {
    EXPECT_EQ(*Evaluate(Compare(row.relation, I(1), I(2)), {}), row.less);
    EXPECT_EQ(*Evaluate(Compare(row.relation, I(2), I(2)), {}), row.equal);
    EXPECT_EQ(*Evaluate(Compare(row.relation, I(3), I(2)), {}), row.greater);
  }
}

TEST(Condition, WhatIsNotNeededIsNotEvaluated) {
  Condition guarded;  // x != 0 and 128 % x == 0
  guarded.kind = Condition::Kind::kAnd;
  guarded.operands = {Compare(Relation::kNotEqual, C(0), I(0)),
                      Compare(Relation::kEqual, Rem(I(128), C(0)), I(0))};
  for (int64_t x : {0, 1, 3, 64}) {
    const int64_t c[] = {x};
    const StatusOr<bool> holds = Evaluate(guarded, {c, {}, {}});
    ASSERT_TRUE(holds.ok());
    EXPECT_EQ(*holds, x == 1 || x == 64);
  }
  const int64_t zero[] = {0};
  EXPECT_EQ(Evaluate(guarded.operands[1], {zero, {}, {}}).status().front().code, "isa-division-by-zero");
  EXPECT_TRUE(guarded.Uses(AttributeKind::kComputational, 0));
  EXPECT_FALSE(guarded.Uses(AttributeKind::kState));
}

}  // namespace
}  // namespace act::isa
