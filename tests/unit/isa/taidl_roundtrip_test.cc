// Printing and reading back is the identity, for random accelerators.
#include <gtest/gtest.h>

#include "isa/isa.h"
#include "random_spec.h"

namespace act::isa {
namespace {

// pitfall 45
TEST(TaidlRoundTrip, RandomAccelerators) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const Accelerator acc = RandomAccelerator(seed);
    const std::string text = PrintTaidl(acc);
    const auto again = ParseTaidl(SourceText("printed", text));
    ASSERT_TRUE(again.ok()) << "seed " << seed << "\n" << Render(again.status().front()) << "\n" << text;
    ASSERT_TRUE(SameAccelerator(acc, *again)) << "seed " << seed << "\n"
                                              << text << "\n"
                                              << PrintTaidl(*again);
    ASSERT_EQ(PrintTaidl(*again), text) << "seed " << seed;
  }
}

TEST(TaidlRoundTrip, RandomExpressionsInBothStyles) {
  // The same name in two lists, and names that are words of conditions' neighbours.
  const std::vector<std::string> c = {"n", "inf", "step"}, a = {"p", "unit"}, s = {"n", "p", "t"};
  const NameTable names{c, a, s};
  Random random(7);
  for (int i = 0; i < 5000; ++i) {
    const Expression e = RandomExpression(
        &random, names, {AttributeKind::kComputational, AttributeKind::kAddressing, AttributeKind::kState},
        6);
    const Condition condition = RandomCondition(&random, names, 4);
    for (const NameStyle style : {NameStyle::kPrefixed, NameStyle::kPlain}) {
      const auto read = ParseExpression(SourceText("e", ToString(e, names, style)), names, style);
      ASSERT_TRUE(read.ok()) << ToString(e, names, style) << read.status().message();
      ASSERT_EQ(*read, e) << ToString(e, names, style);
      const auto read_condition =
          ParseCondition(SourceText("c", ToString(condition, names, style)), names, style);
      ASSERT_TRUE(read_condition.ok()) << ToString(condition, names, style);
      ASSERT_EQ(*read_condition, condition) << ToString(condition, names, style);
    }
  }
}

}  // namespace
}  // namespace act::isa
