// Domains and ties against enumeration.
#include "allocate/domain.h"

#include <gtest/gtest.h>

#include "allocate/ties.h"
#include "support/support.h"

namespace act::allocate {
namespace {

TEST(Domain, IntersectionsAgreeWithEnumeration) {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    Domain domain;
    domain.low = random.Between(-20, 20);
    domain.high = random.Between(-20, 60);
    std::vector<int64_t> members;
    for (int64_t x = -100; x <= 100; ++x) members.push_back(x);
    std::erase_if(members, [&](int64_t x) { return x < domain.low || x > domain.high; });
    for (int i = 0; i < 3; ++i) {
      const int64_t m = random.Between(1, 12), r = random.Between(-20, 20);
      domain.RestrictCongruence(m, r);
      std::erase_if(members, [&](int64_t x) { return FloorMod(x - r, m) != 0; });
    }
    EXPECT_EQ(domain.empty(), members.empty());
    EXPECT_EQ(domain.Count(1000), static_cast<int64_t>(members.size()));
    for (int64_t x = -30; x <= 70; ++x) {
      std::optional<int64_t> least;
      for (int64_t y : members) {
        if (y >= x && !least) least = y;
      }
      EXPECT_EQ(domain.AtLeast(x), least);
      EXPECT_EQ(domain.Contains(x), least == x);
      const Domain shifted = domain.Shifted(7);
      EXPECT_EQ(shifted.Contains(x - 7), domain.Contains(x));
    }
  }
}

TEST(Domain, LargeModuli) {
  Domain domain;
  domain.high = int64_t{96} << 30;
  domain.RestrictCongruence((int64_t{1} << 36) - 5, 3);
  domain.RestrictCongruence((int64_t{1} << 35) - 31, 3);
  EXPECT_EQ(domain.AtLeast(0), 3);
  EXPECT_EQ(domain.AtLeast(4), std::nullopt);
}

TEST(Ties, DifferencesAddUpAndContradictionsShow) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> truth;
    Ties ties;
    for (int i = 0; i < 12; ++i) {
      truth.push_back(random.Between(-50, 50));
      ties.AddVariable();
    }
    for (int i = 0; i < 10; ++i) {
      const int32_t a = static_cast<int32_t>(random.Below(12)), b = static_cast<int32_t>(random.Below(12));
      EXPECT_TRUE(ties.Tie(a, b, truth[a] - truth[b]));
      EXPECT_FALSE(ties.Tie(a, b, truth[a] - truth[b] + 1));
    }
    for (int32_t a = 0; a < 12; ++a) {
      for (int32_t b = 0; b < 12; ++b) {
        const Ties::Member x = ties.Find(a), y = ties.Find(b);
        if (x.root == y.root) {
          EXPECT_EQ(x.offset - y.offset, truth[a] - truth[b]);
        }
        EXPECT_LE(x.root, a);
      }
    }
  }
}

}  // namespace
}  // namespace act::allocate
