// Extraction against brute force on small AND-OR graphs with sharing and cycles.
#include "select/extract.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "unit/select/testing.h"

namespace act::select {
namespace {

struct Builder {
  StateGraph graph;
  explicit Builder(size_t states) {
    graph.states.resize(states);
    graph.by_state.resize(states);
  }
  void Add(int32_t result, double cost, std::vector<int32_t> operands) {
    Production p;
    p.result = result;
    p.cost = cost;
    p.operands = std::move(operands);
    graph.by_state[static_cast<size_t>(result)].push_back(static_cast<int32_t>(graph.productions.size()));
    graph.productions.push_back(std::move(p));
  }
};

// The cost of the choices that the goals need, each state once; nullopt where one is missing or a cycle is.
// `used` receives the productions of the needed states.
std::optional<double> CostOf(const StateGraph& graph, const std::vector<int32_t>& choice,
                             std::vector<int32_t>* used) {
  used->assign(choice.size(), -1);
  std::vector<int> mark(choice.size());  // 1: on the path, 2: done
  double cost = 0;
  std::function<bool(int32_t)> visit = [&](int32_t state) {
    const size_t s = static_cast<size_t>(state);
    if (mark[s] == 2) return true;
    if (mark[s] == 1 || choice[s] < 0) return false;
    mark[s] = 1;
    const Production& p = graph.productions[static_cast<size_t>(choice[s])];
    for (int32_t o : p.operands) {
      if (!visit(o)) return false;
    }
    mark[s] = 2;
    (*used)[s] = choice[s];
    cost += p.cost;
    return true;
  };
  for (int32_t goal : graph.goals) {
    if (!visit(goal)) return std::nullopt;
  }
  return cost;
}

// Costs of all distinct selections, sorted.
std::vector<double> BruteForce(const StateGraph& graph) {
  std::set<std::vector<int32_t>> seen;
  std::vector<double> costs;
  const size_t n = graph.states.size();
  std::vector<size_t> digit(n);
  std::vector<int32_t> choice(n, -1), used;
  for (;;) {
    for (size_t s = 0; s < n; ++s) choice[s] = digit[s] == 0 ? -1 : graph.by_state[s][digit[s] - 1];
    const auto cost = CostOf(graph, choice, &used);
    if (cost && seen.insert(used).second) costs.push_back(*cost);
    size_t s = 0;
    while (s < n && ++digit[s] > graph.by_state[s].size()) digit[s++] = 0;
    if (s == n) break;
  }
  std::sort(costs.begin(), costs.end());
  return costs;
}

StateGraph RandomGraph(Random* random) {
  const size_t n = 4 + random->Below(4);
  Builder b(n);
  for (size_t s = 0; s < n; ++s) {
    for (uint64_t k = random->Below(4); k > 0; --k) {
      std::vector<int32_t> operands;
      // Mostly later states, so that many graphs have an answer; sometimes any, which makes cycles.
      for (uint64_t o = random->Below(4); o > 0; --o) {
        const bool later = s + 1 < n && random->Below(5) != 0;
        operands.push_back(static_cast<int32_t>(later ? s + 1 + random->Below(n - s - 1) : random->Below(n)));
      }
      b.Add(static_cast<int32_t>(s), static_cast<double>(random->Below(7)), operands);
    }
    if (random->Below(3) == 0) b.Add(static_cast<int32_t>(s), static_cast<double>(3 + random->Below(9)), {});
  }
  for (uint64_t g = 1 + random->Below(3); g > 0; --g) {
    const int32_t goal = static_cast<int32_t>(random->Below(n));
    if (std::find(b.graph.goals.begin(), b.graph.goals.end(), goal) == b.graph.goals.end()) {
      b.graph.goals.push_back(goal);
    }
  }
  return b.graph;
}

TEST(Extract, EqualsBruteForce) {
  Random random(1);
  int answered = 0, shared = 0;
  for (int i = 0; i < Scaled(400); ++i) {
    const StateGraph graph = RandomGraph(&random);
    const std::vector<double> expected = BruteForce(graph);
    const Trees trees = CheapestTrees(graph);
    for (const size_t k : {size_t{1}, size_t{5}}) {
      ExtractOptions options;
      options.candidates = k;
      options.max_nodes = 10000000;
      ExtractReport report;
      const std::vector<Selection> found = Extract(graph, trees, options, &report);
      ASSERT_EQ(found.size(), std::min(k, expected.size())) << "graph " << i;
      if (found.empty()) continue;
      EXPECT_TRUE(report.proved);
      std::set<std::vector<int32_t>> distinct;
      for (size_t j = 0; j < found.size(); ++j) {
        EXPECT_DOUBLE_EQ(found[j].cost, expected[j]) << "graph " << i << ", candidate " << j << " of " << k;
        std::vector<int32_t> used;
        const auto cost = CostOf(graph, found[j].production, &used);
        ASSERT_TRUE(cost);
        EXPECT_DOUBLE_EQ(*cost, found[j].cost);
        EXPECT_EQ(used, found[j].production);  // nothing that is not needed
        EXPECT_TRUE(distinct.insert(used).second);
      }
      ++answered;
    }
    double tree = 0;
    for (int32_t g : graph.goals) tree += trees.cost[static_cast<size_t>(g)];
    if (!expected.empty() && expected[0] < tree) ++shared;
  }
  EXPECT_GT(answered, Scaled(400) / 4);
  EXPECT_GT(shared, 0);
}

// The dearest operand of what is still open may be paid for already: it is no lower bound of what is missing.
// pitfall 92, 93
TEST(Extract, WhatIsPaidOnceCountsOnce) {
  Builder b(5);
  b.Add(0, 1, {1, 2});  // goal
  b.Add(1, 0, {4});
  b.Add(1, 6, {});
  b.Add(2, 0, {4});
  b.Add(2, 6, {});
  b.Add(4, 10, {});
  b.graph.goals = {0};
  ExtractReport report;
  const Trees trees = CheapestTrees(b.graph);
  EXPECT_DOUBLE_EQ(trees.cost[0], 13);
  const auto best = Extract(b.graph, trees, {}, &report);
  ASSERT_EQ(best.size(), 1u);
  EXPECT_DOUBLE_EQ(best[0].cost, 11);
  EXPECT_TRUE(report.proved);
}

// pitfall 89, 100
TEST(Extract, CyclesOfMovesAreHarmless) {
  Builder b(3);
  b.Add(0, 1, {1});
  b.Add(1, 1, {0});
  b.Add(1, 1, {2});
  b.Add(2, 0, {});
  b.graph.goals = {0};
  ExtractReport report;
  const auto best = Extract(b.graph, CheapestTrees(b.graph), {}, &report);
  ASSERT_EQ(best.size(), 1u);
  EXPECT_DOUBLE_EQ(best[0].cost, 2);
  Builder none(2);
  none.Add(0, 1, {1});
  none.Add(1, 1, {0});
  none.graph.goals = {0};
  const Trees trees = CheapestTrees(none.graph);
  EXPECT_EQ(trees.cost[0], std::numeric_limits<double>::infinity());
  EXPECT_TRUE(Extract(none.graph, trees, {}, &report).empty());
}

// A chain of squarings is a tree of 2^70 leaves and a graph of 71 productions.
// pitfall 91
TEST(Extract, LongSharedChainsNeedNoTree) {
  const int n = 70;
  Builder b(n + 1);
  for (int32_t s = 0; s < n; ++s) b.Add(s, 1, {s + 1, s + 1});
  b.Add(n, 1, {});
  b.graph.goals = {0};
  ExtractReport report;
  const auto best = Extract(b.graph, CheapestTrees(b.graph), {}, &report);
  ASSERT_EQ(best.size(), 1u);
  EXPECT_DOUBLE_EQ(best[0].cost, n + 1);
  EXPECT_TRUE(report.proved);
  EXPECT_LT(report.nodes, 1000);
}

// A node limit never empties the answer and never makes it dearer than the trees' productions.
TEST(Extract, LimitKeepsTheTrees) {
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    const StateGraph graph = RandomGraph(&random);
    const Trees trees = CheapestTrees(graph);
    ExtractOptions options;
    options.max_nodes = 1;
    ExtractReport report;
    const auto found = Extract(graph, trees, options, &report);
    bool possible = true;
    double tree = 0;
    for (int32_t g : graph.goals) {
      possible = possible && trees.production[static_cast<size_t>(g)] >= 0;
      tree += trees.cost[static_cast<size_t>(g)];
    }
    ASSERT_EQ(found.size(), possible ? 1u : 0u);
    if (possible) {
      EXPECT_LE(found[0].cost, tree);
    }
  }
}

}  // namespace
}  // namespace act::select
