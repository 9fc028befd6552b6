// Extraction: Knuth's trees, then the cheapest shared selections by branch and bound.
#pragma once
#include <cstdint>
#include <vector>

#include "select/states.h"

namespace act::select {

// A production for each state that is needed; -1 elsewhere. Acyclic from the goals.
struct Selection {
  std::vector<int32_t> production;  // by state
  double cost = 0;                  // additive, each state once
};

// Cheapest tree of every state (Knuth 1977): cost and production; infinity and -1 where none exists.
struct Trees {
  std::vector<double> cost;
  std::vector<int32_t> production;
  std::vector<int32_t> order;  // the states that have a tree, cheapest first: operands before results
};
Trees CheapestTrees(const StateGraph& graph);

struct ExtractOptions {
  size_t candidates = 1;
  int64_t max_nodes = 200000;
};
struct ExtractReport {
  int64_t nodes = 0;
  bool proved = false;  // the first selection is the cheapest
};
// The cheapest selections, best first, at most options.candidates; ties in a fixed order. Empty iff some goal
// has no tree. The tree optimum is always among what is considered, so a node limit never empties the answer.
std::vector<Selection> Extract(const StateGraph& graph, const Trees& trees, const ExtractOptions& options,
                               ExtractReport* report);

}  // namespace act::select
