#include "isa/solve.h"

#include <gtest/gtest.h>

#include "isa/factor.h"

namespace act::isa {
namespace {

using Kind = Expression::Kind;

Expression C(int32_t index) { return Expression::Attribute(AttributeKind::kComputational, index); }
Expression I(int64_t value) { return Expression::Integer(value); }
Expression Bin(Kind kind, const Expression& a, const Expression& b) { return Expression::Binary(kind, a, b); }
Expression Mul(const Expression& a, const Expression& b) { return Bin(Kind::kMultiply, a, b); }
Expression Add(const Expression& a, const Expression& b) { return Bin(Kind::kAdd, a, b); }

Condition Compare(const Expression& left, Relation relation, const Expression& right) {
  Condition c;
  c.relation = relation;
  c.left = left;
  c.right = right;
  return c;
}
Condition Join(Condition::Kind kind, std::vector<Condition> operands) {
  Condition c;
  c.kind = kind;
  c.operands = std::move(operands);
  return c;
}

// One buffer "m" of the given extents; one input region of the given sizes at address attributes.
struct Spec {
  Accelerator acc = MakeAccelerator("S");
  Instruction instruction;

  explicit Spec(size_t attributes) {
    instruction.name = "i";
    for (size_t k = 0; k < attributes; ++k) instruction.computational.push_back("c" + std::to_string(k));
  }
  Spec& Sized(std::vector<int64_t> extents, std::vector<Expression> sizes) {
    const BufferId id(acc.buffers.size());
    acc.buffers.push_back({"m" + std::to_string(id.value()), extents, {}, ElementType::kU8, {}});
    Region region;
    region.buffer = id;
    for (size_t d = 0; d < extents.size(); ++d) {
      region.starts.push_back(Expression::Attribute(AttributeKind::kAddressing,
                                                    static_cast<int32_t>(instruction.addressing.size())));
      instruction.addressing.push_back("a" + std::to_string(instruction.addressing.size()));
    }
    region.sizes = std::move(sizes);
    instruction.inputs.push_back(std::move(region));
    return *this;
  }
  Spec& Where(Condition condition) {
    instruction.constraints.push_back(std::move(condition));
    return *this;
  }
  AttributeSolutions Solve(std::vector<Equation> equations, size_t limit = 1000) const {
    StatusOr<AttributeSolutions> solutions = SolveAttributes(acc, instruction, equations, limit);
    EXPECT_TRUE(solutions.ok()) << solutions.status().message();
    return solutions.ok() ? *solutions : AttributeSolutions{};
  }
};

using Values = std::vector<std::vector<int64_t>>;

// pitfall 31
TEST(SolveAttributes, AffineInOneUnknown) {
  Spec spec(1);
  spec.Sized({128}, {C(0)});
  EXPECT_EQ(spec.Solve({{Mul(C(0), I(128)), 8192}}).values, (Values{{64}}));
  EXPECT_EQ(spec.Solve({{Add(Mul(C(0), I(2)), I(1)), 9}}).values, (Values{{4}}));
  EXPECT_EQ(spec.Solve({{Add(Mul(C(0), I(3)), C(0)), 8}}).values, (Values{{2}}));
  EXPECT_EQ(spec.Solve({{Mul(C(0), I(128)), 128 * 200}}).values, (Values{}));
}

// pitfall 33
TEST(SolveAttributes, ARemainderIsNoSolution) {
  Spec spec(1);
  spec.Sized({128}, {C(0)});
  EXPECT_EQ(spec.Solve({{Mul(C(0), I(128)), 100}}).values, (Values{}));
}

// pitfall 32
TEST(SolveAttributes, SeveralUnknownsOneAfterTheOther) {
  Spec spec(2);
  spec.Sized({64}, {C(0)}).Sized({64}, {C(1)});
  EXPECT_EQ(spec.Solve({{Mul(C(0), C(1)), 96}, {C(0), 8}}).values, (Values{{8, 12}}));
  EXPECT_EQ(spec.Solve({{Mul(C(0), C(1)), 96}, {Add(C(0), C(1)), 20}}).values, (Values{{8, 12}, {12, 8}}));
  EXPECT_EQ(
      spec.Solve({{Mul(C(0), C(1)), 96}}).values,
      (Values{{2, 48}, {3, 32}, {4, 24}, {6, 16}, {8, 12}, {12, 8}, {16, 6}, {24, 4}, {32, 3}, {48, 2}}));
}

// pitfall 43
TEST(SolveAttributes, ConstraintsFilter) {
  Spec spec(1);
  spec.Sized({128}, {C(0)}).Where(Compare(Bin(Kind::kRemainder, C(0), I(16)), Relation::kEqual, I(0)));
  EXPECT_EQ(spec.Solve({{C(0), 24}}).values, (Values{}));
  EXPECT_EQ(spec.Solve({{C(0), 32}}).values, (Values{{32}}));
  EXPECT_EQ(spec.Solve({}).values, (Values{{16}, {32}, {48}, {64}, {80}, {96}, {112}, {128}}));
}

TEST(SolveAttributes, LimitKeepsTheFirstAndSaysSo) {
  Spec spec(2);
  spec.Sized({1000}, {C(0)}).Sized({int64_t{1} << 40}, {C(1)});
  const AttributeSolutions solutions = spec.Solve({{Bin(Kind::kRemainder, C(1), I(7)), 3}}, 3);
  EXPECT_EQ(solutions.values, (Values{{1, 3}, {1, 10}, {1, 17}}));
  EXPECT_TRUE(solutions.truncated);
  EXPECT_FALSE(spec.Solve({{C(0), 1}, {C(1), 5}}, 1).truncated);
}

TEST(SolveAttributes, ProductsOfHugeRangesAreFactored) {
  Spec spec(2);
  spec.Sized({int64_t{1} << 50}, {C(0)}).Sized({int64_t{1} << 50}, {C(1)});
  // 2 * 3 * 1000003 * 999983 has 16 divisors.
  EXPECT_EQ(spec.Solve({{Mul(C(0), C(1)), int64_t{6} * 1000003 * 999983}}).values.size(), 16u);
  // (c0 + 1) * c1 == 2^40.
  EXPECT_EQ(spec.Solve({{Mul(Add(C(0), I(1)), C(1)), int64_t{1} << 40}}).values.size(), 40u);
}

TEST(SolveAttributes, TheLastAttributeMayDecideTheFirst) {
  // c0 - c1 * c1 == 0 with c1 of 1..4 but c0 of 2^40.
  Spec spec(2);
  spec.Sized({int64_t{1} << 40}, {C(0)}).Sized({4}, {C(1)});
  EXPECT_EQ(spec.Solve({{Bin(Kind::kSubtract, C(0), Mul(C(1), C(1))), 0}}).values,
            (Values{{1, 1}, {4, 2}, {9, 3}, {16, 4}}));
}

TEST(SolveAttributes, UnboundedAttributesAndEndlessSearchesAreRefused) {
  Spec free_spec(1);
  EXPECT_EQ(
      SolveAttributes(free_spec.acc, free_spec.instruction, {}, 8).status().front().message,
      "instruction 'i': attribute '@c.c0' is bounded by no constraint, region size or constant; bound it "
      "by a constraint");
  // No solution, and no propagation sees it: squares differ by 2 nowhere.
  Spec hard(2);
  hard.Sized({int64_t{1} << 40}, {C(0)}).Sized({int64_t{1} << 40}, {C(1)});
  const std::vector<Equation> equations{{Bin(Kind::kSubtract, Mul(C(0), C(0)), Mul(C(1), C(1))), 2}};
  const Status status = SolveAttributes(hard.acc, hard.instruction, equations, 8).status();
  EXPECT_EQ(status.front().code, "isa-solve-limit");
  EXPECT_EQ(status.front().error_class, ErrorClass::kLimit);
}

TEST(AttributeRanges, FromConstraintsBuffersAndSizes) {
  struct Row {
    const char* what;
    Spec spec;
    std::vector<std::vector<int64_t>> expected;  // low, high, modulus, remainder, bounded
  };
  const auto rem = [](const Expression& e, int64_t m) { return Bin(Kind::kRemainder, e, I(m)); };
  const Row rows[] = {
      {"size of a buffer", Spec(1).Sized({128}, {C(0)}), {{1, 128, 1, 0, 1}}},
      {"scaled size", Spec(1).Sized({1000}, {Mul(C(0), I(128))}), {{1, 7, 1, 0, 1}}},
      {"constraint below the buffer",
       Spec(1).Sized({128}, {C(0)}).Where(Compare(C(0), Relation::kLess, I(65))),
       {{1, 64, 1, 0, 1}}},
      {"congruence tightens the ends",
       Spec(1).Sized({100}, {C(0)}).Where(Compare(rem(C(0), 16), Relation::kEqual, I(4))),
       {{4, 100, 16, 4, 1}}},
      {"congruence of an affine form",
       Spec(1).Sized({100}, {C(0)}).Where(Compare(rem(Mul(C(0), I(6)), 16), Relation::kEqual, I(4))),
       {{6, 94, 8, 6, 1}}},
      {"two congruences",
       Spec(1)
           .Sized({100}, {C(0)})
           .Where(Compare(rem(C(0), 4), Relation::kEqual, I(1)))
           .Where(Compare(rem(C(0), 6), Relation::kEqual, I(3))),
       {{9, 93, 12, 9, 1}}},
      {"or keeps the hull and the common congruence",
       Spec(1)
           .Sized({500}, {C(0)})
           .Where(Join(Condition::Kind::kOr,
                       {Compare(C(0), Relation::kEqual, I(16)), Compare(C(0), Relation::kEqual, I(64)),
                        Compare(C(0), Relation::kEqual, I(1000))})),
       {{16, 64, 48, 16, 1}}},
      {"contradiction",
       Spec(1).Sized({8}, {C(0)}).Where(Compare(C(0), Relation::kGreater, I(8))),
       {{1, 0, 1, 0, 1}}},
      {"one attribute through another",
       Spec(2)
           .Sized({64}, {C(0)})
           .Where(Compare(C(1), Relation::kLessEqual, C(0)))
           .Where(Compare(C(1), Relation::kGreaterEqual, I(2))),
       {{2, 64, 1, 0, 1}, {2, 64, 1, 0, 1}}},
      {"nothing known",
       Spec(1),
       {{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), 1, 0, 0}}},
  };
  for (const Row& row : rows) {
    const std::vector<AttributeRange> ranges = AttributeRanges(row.spec.acc, row.spec.instruction);
    std::vector<std::vector<int64_t>> found;
    for (const AttributeRange& r : ranges)
      found.push_back({r.low, r.high, r.modulus, r.remainder, r.bounded});
    EXPECT_EQ(found, row.expected) << row.what;
  }
}

TEST(AttributeRanges, ConstantsBoundTheirAttribute) {
  Spec spec(1);
  SemanticNode node;
  node.opcode = hlo::Opcode::kConstant;
  node.type = ElementType::kS8;
  node.constant.expression = Add(C(0), I(1));
  spec.instruction.semantics.nodes.push_back(node);
  const AttributeRange range = AttributeRanges(spec.acc, spec.instruction)[0];
  EXPECT_EQ(range.low, -129);
  EXPECT_EQ(range.high, 126);
  EXPECT_TRUE(range.bounded);
}

TEST(Divisors, ByTrialOfEveryNumber) {
  for (int64_t value = 1; value <= 2000; ++value) {
    std::vector<int64_t> expected;
    for (int64_t d = 1; d <= value; ++d) {
      if (value % d == 0) expected.push_back(d);
    }
    ASSERT_EQ(Divisors(value, 1000), expected) << value;
  }
  EXPECT_EQ(Divisors(64, 6), std::nullopt);
  EXPECT_EQ(Divisors(2305843009213693951, 100), std::nullopt);  // 2^61 - 1 is prime, but too large to tell
  EXPECT_EQ(Divisors(int64_t{1} << 62, 100)->size(), 63u);
}

// An evaluator of its own: false where a division by zero is evaluated.
bool Value(const Expression& e, int32_t node, const std::vector<int64_t>& c, int64_t* out) {
  const Expression::Node& n = e.nodes[static_cast<size_t>(node)];
  if (n.kind == Kind::kInteger) return *out = n.integer, true;
  if (n.kind == Kind::kAttribute) return *out = c[static_cast<size_t>(n.index)], true;
  int64_t a = 0, b = 0;
  if (!Value(e, n.left, c, &a)) return false;
  if (n.kind == Kind::kNegate) return *out = -a, true;
  if (!Value(e, n.right, c, &b)) return false;
  if (n.kind == Kind::kAdd) return *out = a + b, true;
  if (n.kind == Kind::kSubtract) return *out = a - b, true;
  if (n.kind == Kind::kMultiply) return *out = a * b, true;
  if (b == 0) return false;
  *out = n.kind == Kind::kDivide ? a / b : a % b;
  return true;
}
// 1 true, 0 false, -1 no value.
int Holds(const Condition& condition, const std::vector<int64_t>& c) {
  if (condition.kind == Condition::Kind::kCompare) {
    int64_t a = 0, b = 0;
    if (!Value(condition.left, static_cast<int32_t>(condition.left.nodes.size()) - 1, c, &a) ||
        !Value(condition.right, static_cast<int32_t>(condition.right.nodes.size()) - 1, c, &b)) {
      return -1;
    }
    switch (condition.relation) {
      case Relation::kEqual:
        return a == b;
      case Relation::kNotEqual:
        return a != b;
      case Relation::kLess:
        return a < b;
      case Relation::kLessEqual:
        return a <= b;
      case Relation::kGreater:
        return a > b;
      case Relation::kGreaterEqual:
        return a >= b;
    }
  }
  const int decides = condition.kind == Condition::Kind::kOr ? 1 : 0;
  for (const Condition& operand : condition.operands) {
    const int holds = Holds(operand, c);
    if (holds != 1 - decides) return holds;
  }
  return 1 - decides;
}

class Generator {
 public:
  Generator(uint64_t seed, int32_t attributes) : random_(seed), attributes_(attributes) {}

  Expression MakeExpression(int depth) {
    const uint64_t pick = random_.Below(depth == 0 ? 2 : 10);
    if (pick == 0) return I(random_.Between(-4, 12));
    if (pick == 1) return C(static_cast<int32_t>(random_.Below(static_cast<uint64_t>(attributes_))));
    if (pick == 2) return Expression::Negate(MakeExpression(depth - 1));
    static constexpr Kind kKinds[] = {Kind::kAdd,      Kind::kSubtract, Kind::kMultiply, Kind::kMultiply,
                                      Kind::kMultiply, Kind::kDivide,   Kind::kRemainder};
    return Bin(kKinds[pick - 3], MakeExpression(depth - 1), MakeExpression(depth - 1));
  }
  Condition MakeCondition(int depth) {
    if (depth > 0 && random_.Below(3) == 0) {
      return Join(random_.Below(2) == 0 ? Condition::Kind::kAnd : Condition::Kind::kOr,
                  {MakeCondition(depth - 1), MakeCondition(depth - 1)});
    }
    const Relation relation = static_cast<Relation>(random_.Below(6));
    if (relation == Relation::kEqual && random_.Below(2) == 0) {
      const int64_t m = random_.Between(2, 6);
      return Compare(Bin(Kind::kRemainder, MakeExpression(1), I(m)), relation, I(random_.Between(0, m - 1)));
    }
    return Compare(MakeExpression(2), relation, MakeExpression(1));
  }
  Random& random() { return random_; }

 private:
  Random random_;
  int32_t attributes_;
};

// Calls visit with every point of [-5, 14]^attributes in lexicographic order.
template <typename F>
void EveryPoint(size_t attributes, F visit) {
  std::vector<int64_t> point(attributes, -5);
  while (true) {
    visit(point);
    size_t k = attributes;
    while (k > 0 && point[k - 1] == 14) point[--k] = -5;
    if (k == 0) return;
    ++point[k - 1];
  }
}

TEST(SolveAttributes, EqualsEnumerationOnRandomSpecs) {
  int with_solutions = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const size_t attributes = 1 + seed % 3;
    Generator generator(seed, static_cast<int32_t>(attributes));
    Random& random = generator.random();
    Spec spec(attributes);
    std::vector<Condition> all;
    const auto where = [&](const Condition& condition) {
      spec.Where(condition);
      all.push_back(condition);
    };
    for (int32_t k = 0; k < static_cast<int32_t>(attributes); ++k) {
      if (random.Below(2) == 0) {
        const int64_t extent = random.Between(3, 14);
        spec.Sized({extent}, {C(k)});
        all.push_back(Compare(C(k), Relation::kGreaterEqual, I(1)));
        all.push_back(Compare(C(k), Relation::kLessEqual, I(extent)));
      } else {
        where(Compare(C(k), Relation::kGreaterEqual, I(-5)));
        where(Compare(C(k), Relation::kLessEqual, I(14)));
      }
    }
    for (uint64_t i = random.Below(3); i > 0; --i) where(generator.MakeCondition(2));
    if (random.Below(3) == 0) {
      const Expression size = generator.MakeExpression(2);
      spec.Sized({40}, {size});
      all.push_back(Compare(size, Relation::kGreaterEqual, I(1)));
      all.push_back(Compare(size, Relation::kLessEqual, I(40)));
    }
    std::vector<Equation> equations;
    for (uint64_t i = random.Below(3); i > 0; --i) {
      const Expression left = generator.MakeExpression(3);
      // Half of the right sides are values the left side takes.
      int64_t right = random.Between(-20, 60);
      std::vector<int64_t> point;
      for (size_t k = 0; k < attributes; ++k) point.push_back(random.Between(-5, 14));
      int64_t value = 0;
      if (random.Below(4) != 0 && Value(left, static_cast<int32_t>(left.nodes.size()) - 1, point, &value)) {
        right = value;
      }
      equations.push_back({left, right});
      all.push_back(Compare(left, Relation::kEqual, I(right)));
    }
    Values expected;
    EveryPoint(attributes, [&](const std::vector<int64_t>& point) {
      for (const Condition& condition : all) {
        if (Holds(condition, point) != 1) return;
      }
      expected.push_back(point);
    });
    const size_t limit = seed % 5 == 0 ? 4 : 10000;
    const bool truncated = expected.size() > limit;
    if (truncated) expected.resize(limit);
    with_solutions += expected.empty() ? 0 : 1;
    const AttributeSolutions found = spec.Solve(equations, limit);
    ASSERT_EQ(found.values, expected) << "seed " << seed;
    ASSERT_EQ(found.truncated, truncated) << "seed " << seed;
  }
  EXPECT_GT(with_solutions, 500);
}

TEST(AttributeRanges, NeverCutOffALegalValue) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const size_t attributes = 1 + seed % 3;
    Generator generator(seed + 5000, static_cast<int32_t>(attributes));
    Spec spec(attributes);
    for (uint64_t i = generator.random().Below(4); i > 0; --i) spec.Where(generator.MakeCondition(2));
    const std::vector<AttributeRange> ranges = AttributeRanges(spec.acc, spec.instruction);
    EveryPoint(attributes, [&](const std::vector<int64_t>& point) {
      for (const Condition& condition : spec.instruction.constraints) {
        if (Holds(condition, point) != 1) return;
      }
      for (size_t k = 0; k < attributes; ++k) {
        ASSERT_GE(point[k], ranges[k].low) << "seed " << seed;
        ASSERT_LE(point[k], ranges[k].high) << "seed " << seed;
        ASSERT_EQ((point[k] - ranges[k].remainder) % ranges[k].modulus, 0) << "seed " << seed;
      }
    });
  }
}

}  // namespace
}  // namespace act::isa
