// The view algebra against enumeration of the functions.
#include "view/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "support/support.h"

namespace act {
namespace {

std::vector<int64_t> Table(const View& view) {
  std::vector<int64_t> table;
  for (int64_t i = 0; i < view.size(); ++i) table.push_back(view.At(i));
  return table;
}

// Every mode list of at most `rank` modes over the given extents and strides.
void ForEachView(int rank, const std::vector<int64_t>& extents, const std::vector<int64_t>& strides,
                 const std::function<void(std::vector<Mode>)>& body, std::vector<Mode> prefix = {}) {
  body(prefix);
  if (rank == 0) return;
  for (int64_t e : extents) {
    for (int64_t s : strides) {
      prefix.push_back({e, s});
      ForEachView(rank - 1, extents, strides, body, prefix);
      prefix.pop_back();
    }
  }
}

std::vector<int64_t> RandomFactors(Random* random, int64_t n) {
  std::vector<int64_t> factors;
  while (n > 1) {
    std::vector<int64_t> divisors;
    for (int64_t d = 2; d <= 8; ++d) {
      if (n % d == 0) divisors.push_back(d);
    }
    const int64_t d = divisors.empty() ? n : divisors[random->Below(divisors.size())];
    factors.push_back(d);
    n /= d;
  }
  return factors;
}

// A random permutation view of n positions: dimensions in another order.
View RandomPermutation(Random* random, int64_t n, bool reverse_some = false) {
  const std::vector<int64_t> dims = RandomFactors(random, n);
  std::vector<Mode> modes(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    modes[i] = {dims[i], stride};
    stride *= dims[i];
  }
  for (size_t i = modes.size(); i > 1; --i) std::swap(modes[i - 1], modes[random->Below(i)]);
  int64_t offset = 0;
  for (Mode& mode : modes) {
    if (reverse_some && random->Below(3) == 0) {
      offset += (mode.extent - 1) * mode.stride;
      mode.stride = -mode.stride;
    }
  }
  return View(std::move(modes), offset);
}

TEST(View, EqualFunctionsHaveEqualNormalForms) {
  std::map<std::vector<int64_t>, View> seen;
  int64_t forms = 0;
  ForEachView(4, {1, 2, 3, 4}, {-2, 0, 1, 2, 3, 4, 6, 8}, [&](std::vector<Mode> modes) {
    const View view(modes, 40);
    const auto [it, fresh] = seen.emplace(Table(view), view);
    ++forms;
    ASSERT_EQ(it->second, view) << view.ToString();
    ASSERT_EQ(FromTable(it->first), view) << view.ToString();
  });
  EXPECT_GT(forms, 1000000);
}

TEST(View, ComposeIsExactlyTheRepresentableCompositions) {
  Random random(1);
  int composed = 0, none = 0;
  for (int64_t n : {24, 60, 64, 96, 210, 4096}) {
    for (int trial = 0; trial < (n < 4096 ? 2000 : 150); ++trial) {
      const View outer = RandomPermutation(&random, n, trial % 2 == 1);
      View inner = RandomPermutation(&random, n, trial % 3 == 1);
      if (trial % 5 == 0) {  // a window that repeats
        inner = View({{3, 0}, {n / 4, 1}}, static_cast<int64_t>(random.Below(static_cast<uint64_t>(n / 2))));
      }
      std::vector<int64_t> table;
      for (int64_t i = 0; i < inner.size(); ++i) table.push_back(outer.At(inner.At(i)));
      const auto expected = FromTable(table);
      const auto actual = Compose(outer, inner);
      ASSERT_EQ(actual.has_value(), expected.has_value()) << outer.ToString() << " o " << inner.ToString();
      if (actual) {
        ASSERT_EQ(*actual, *expected) << outer.ToString() << " o " << inner.ToString();
      }
      (actual ? composed : none)++;
    }
  }
  EXPECT_GT(composed, 1000);
  EXPECT_GT(none, 1000);
}

// walkthroughs.md section 3: two representable permutations without a representable composition.
TEST(View, TransposeReshapeTransposeHasNoView) {
  EXPECT_EQ(Compose(View({{6, 1}, {4, 6}}), View({{3, 1}, {8, 3}})), std::nullopt);
}

TEST(View, ComposeRefusesPositionsOutside) {
  EXPECT_EQ(Compose(View::Identity(8), View({{4, 1}}, 5)), std::nullopt);
  EXPECT_EQ(Compose(View::Identity(8), View({{4, -1}}, 2)), std::nullopt);
}

TEST(View, InverseUndoesEveryBijection) {
  Random random(2);
  for (int trial = 0; trial < 2000; ++trial) {
    const int64_t n = trial % 2 ? 96 : 128;
    const View view = RandomPermutation(&random, n, true);
    ASSERT_TRUE(view.IsBijection(n));
    const auto inverse = Inverse(view, n);
    ASSERT_TRUE(inverse.has_value());
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(view.At(inverse->At(i)), i) << view.ToString();
  }
  EXPECT_EQ(Inverse(View({{2, 0}, {4, 1}}), 8), std::nullopt);
  EXPECT_EQ(Inverse(View({{4, 1}}), 8), std::nullopt);
}

TEST(View, BijectionAndInjectivityAgreeWithCounting) {
  ForEachView(3, {2, 3, 4}, {-3, -1, 0, 1, 2, 3, 4, 5, 6, 12}, [](std::vector<Mode> modes) {
    const View view(modes, 60);
    std::vector<int64_t> table = Table(view);
    std::sort(table.begin(), table.end());
    const bool distinct = std::adjacent_find(table.begin(), table.end()) == table.end();
    ASSERT_EQ(view.IsInjective(), distinct) << view.ToString();
    ASSERT_EQ(view.MinByte(), table.front());
    ASSERT_EQ(view.MaxByte(), table.back());
  });
}

TEST(View, FactorExistsIffConstantOnFibres) {
  Random random(3);
  int found = 0, none = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    // v repeats an inner vector of n bytes; w is psi o v for half of the trials.
    const int64_t n = 24;
    const View inner = RandomPermutation(&random, n, trial % 3 == 0);
    std::vector<Mode> modes = inner.modes();
    const size_t at = random.Below(modes.size() + 1);
    modes.insert(modes.begin() + static_cast<ptrdiff_t>(at), Mode{random.Between(2, 4), 0});
    const View v(modes, inner.offset());
    std::optional<View> w;
    if (trial % 2 == 0) {
      w = Compose(RandomPermutation(&random, n), v);
      if (!w) continue;
    } else {
      w = RandomPermutation(&random, v.size());
    }
    std::map<int64_t, int64_t> psi;
    bool constant = true;
    for (int64_t i = 0; i < v.size(); ++i) {
      constant = constant && psi.emplace(v.At(i), w->At(i)).first->second == w->At(i);
    }
    std::optional<View> expected;
    if (constant) {
      std::vector<int64_t> table;
      for (const auto& entry : psi) table.push_back(entry.second);
      expected = FromTable(table);
    }
    const auto actual = Factor(*w, v, n);
    ASSERT_EQ(actual.has_value(), expected.has_value()) << w->ToString() << " = psi o " << v.ToString();
    if (actual) {
      ASSERT_EQ(*actual, *expected);
    }
    (actual ? found : none)++;
  }
  EXPECT_GT(found, 500);
  EXPECT_GT(none, 500);
}

TEST(View, ElementsAndBytesGoBackAndForth) {
  const View transpose({{64, 2}, {64, 128}, {2, 1}});
  const auto elements = ToElements(transpose, 2);
  ASSERT_TRUE(elements.has_value());
  EXPECT_EQ(*elements, View({{64, 1}, {64, 64}}));
  EXPECT_EQ(FromElements(*elements, 2), transpose);
  EXPECT_EQ(ToElements(View({{64, 1}, {64, 64}}), 2), std::nullopt);  // byte-wise transpose
  EXPECT_EQ(ToElements(View({{8, 1}}, 1), 2), std::nullopt);          // half an element off
  EXPECT_EQ(ToElements(View({{4, 4}, {2, 1}}), 2), View({{4, 2}}));
}

TEST(View, SplitCutsInsideAMode) {
  const auto split = SplitAt(View({{64, 2}, {64, 128}}), 16);
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->outer, (std::vector<Mode>{{64, 2}, {4, 2048}}));
  EXPECT_EQ(split->inner, (std::vector<Mode>{{16, 128}}));
  EXPECT_FALSE(SplitAt(View({{4, 1}, {6, 4}}), 4).has_value());
}

}  // namespace
}  // namespace act
