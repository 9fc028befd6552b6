#include "select/extract.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace act::select {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Knuth's generalisation of Dijkstra: states in order of cost, where `combine` joins operand costs.
template <typename Combine>
Trees Knuth(const StateGraph& graph, Combine combine) {
  const size_t n = graph.states.size();
  Trees trees{std::vector<double>(n, kInfinity), std::vector<int32_t>(n, -1)};
  std::vector<std::vector<int32_t>> users(n);
  std::vector<int32_t> waiting(graph.productions.size());
  using Entry = std::pair<double, int32_t>;  // cost, production: ties by number
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  const auto cost_of = [&](int32_t p) {
    const Production& production = graph.productions[static_cast<size_t>(p)];
    double operands = 0;
    for (int32_t o : production.operands) operands = combine(operands, trees.cost[static_cast<size_t>(o)]);
    return production.cost + operands;
  };
  for (size_t p = 0; p < graph.productions.size(); ++p) {
    std::vector<int32_t> operands = graph.productions[p].operands;
    std::sort(operands.begin(), operands.end());
    operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    waiting[p] = static_cast<int32_t>(operands.size());
    for (int32_t o : operands) users[static_cast<size_t>(o)].push_back(static_cast<int32_t>(p));
    if (operands.empty()) queue.push({graph.productions[p].cost, static_cast<int32_t>(p)});
  }
  while (!queue.empty()) {
    const auto [cost, p] = queue.top();
    queue.pop();
    const size_t state = static_cast<size_t>(graph.productions[static_cast<size_t>(p)].result);
    if (trees.production[state] >= 0) continue;
    trees.production[state] = p;
    trees.cost[state] = cost;
    for (int32_t user : users[state]) {
      if (--waiting[static_cast<size_t>(user)] == 0) queue.push({cost_of(user), user});
    }
  }
  return trees;
}

class BranchAndBound {
 public:
  BranchAndBound(const StateGraph& graph, const Trees& trees, const ExtractOptions& options,
                 ExtractReport* report)
      : graph_(graph), options_(options), report_(*report) {
    const size_t n = graph.states.size();
    // The dearest operand alone is a lower bound of any shared selection.
    chain_ = Knuth(graph, [](double a, double b) { return std::max(a, b); }).cost;
    cheapest_.assign(n, kInfinity);
    order_.resize(n);
    for (size_t s = 0; s < n; ++s) {
      for (int32_t p : graph.by_state[s]) {
        double tree = graph.productions[static_cast<size_t>(p)].cost;
        for (int32_t o : graph.productions[static_cast<size_t>(p)].operands) {
          tree += trees.cost[static_cast<size_t>(o)];
        }
        if (tree == kInfinity) continue;
        order_[s].push_back({tree, p});
        cheapest_[s] = std::min(cheapest_[s], graph.productions[static_cast<size_t>(p)].cost);
      }
      std::sort(order_[s].begin(), order_[s].end());
    }
    chosen_.assign(n, -1);
    open_flag_.assign(n, false);
  }

  std::vector<Selection> Run(const Selection& first) {
    Keep(first);
    for (int32_t goal : graph_.goals) Open(goal);
    Visit(0);
    report_.proved = !cut_;
    return std::move(best_);
  }

 private:
  void Open(int32_t state) {
    const size_t s = static_cast<size_t>(state);
    if (open_flag_[s] || chosen_[s] >= 0) return;
    open_flag_[s] = true;
    open_.push_back(state);
    open_cost_ += cheapest_[s];
  }
  void Close(int32_t state) {  // removes the last occurrence, which is at the end of the list
    const size_t s = static_cast<size_t>(state);
    open_flag_[s] = false;
    open_.pop_back();
    open_cost_ -= cheapest_[s];
  }

  void Keep(const Selection& selection) {
    const auto same = [&](const Selection& s) { return s.production == selection.production; };
    if (std::any_of(best_.begin(), best_.end(), same)) return;
    const auto at = std::upper_bound(best_.begin(), best_.end(), selection.cost,
                                     [](double c, const Selection& s) { return c < s.cost; });
    best_.insert(at, selection);
    if (best_.size() > options_.candidates) best_.pop_back();
  }
  // What a further selection must stay below.
  double Incumbent() const { return best_.size() < options_.candidates ? kInfinity : best_.back().cost; }

  // Does `from` need `target` under the choices made?
  bool Reaches(int32_t from, int32_t target) {
    std::vector<int32_t> stack{from};
    std::vector<bool> seen(graph_.states.size());
    while (!stack.empty()) {
      const int32_t s = stack.back();
      stack.pop_back();
      if (s == target) return true;
      if (seen[static_cast<size_t>(s)] || chosen_[static_cast<size_t>(s)] < 0) continue;
      seen[static_cast<size_t>(s)] = true;
      for (int32_t o : graph_.productions[static_cast<size_t>(chosen_[static_cast<size_t>(s)])].operands) {
        stack.push_back(o);
      }
    }
    return false;
  }

  void Visit(double cost) {
    if (cut_ || ++report_.nodes > options_.max_nodes) {
      cut_ = true;
      return;
    }
    double chain = 0;
    for (int32_t s : open_) chain = std::max(chain, chain_[static_cast<size_t>(s)]);
    constexpr double kSlack = 1e-12;  // of sums in another order
    if (cost + std::max(open_cost_, chain) >= Incumbent() - kSlack) return;
    if (open_.empty()) {
      Keep({chosen_, cost});
      return;
    }
    const int32_t state = open_.back();
    const size_t s = static_cast<size_t>(state);
    Close(state);
    for (const auto& [tree, p] : order_[s]) {
      const Production& production = graph_.productions[static_cast<size_t>(p)];
      chosen_[s] = p;
      const bool cyclic = std::any_of(production.operands.begin(), production.operands.end(),
                                      [&](int32_t o) { return Reaches(o, state); });
      if (!cyclic) {
        const size_t mark = open_.size();
        for (int32_t o : production.operands) Open(o);
        Visit(cost + production.cost);
        while (open_.size() > mark) Close(open_.back());
      }
      chosen_[s] = -1;
    }
    open_flag_[s] = true;
    open_.push_back(state);
    open_cost_ += cheapest_[s];
  }

  const StateGraph& graph_;
  const ExtractOptions& options_;
  ExtractReport& report_;
  std::vector<double> chain_, cheapest_;
  std::vector<std::vector<std::pair<double, int32_t>>> order_;
  std::vector<int32_t> chosen_;
  std::vector<bool> open_flag_;
  std::vector<int32_t> open_;
  double open_cost_ = 0;
  bool cut_ = false;
  std::vector<Selection> best_;
};

}  // namespace

Trees CheapestTrees(const StateGraph& graph) {
  return Knuth(graph, [](double a, double b) { return a + b; });
}

std::vector<Selection> Extract(const StateGraph& graph, const Trees& trees, const ExtractOptions& options,
                               ExtractReport* report) {
  Selection shared;  // the trees' productions, each state once
  shared.production.assign(graph.states.size(), -1);
  std::vector<int32_t> stack = graph.goals;
  while (!stack.empty()) {
    const size_t s = static_cast<size_t>(stack.back());
    stack.pop_back();
    if (trees.production[s] < 0) return {};
    if (shared.production[s] >= 0) continue;
    shared.production[s] = trees.production[s];
    const Production& production = graph.productions[static_cast<size_t>(trees.production[s])];
    shared.cost += production.cost;
    stack.insert(stack.end(), production.operands.begin(), production.operands.end());
  }
  return BranchAndBound(graph, trees, options, report).Run(shared);
}

}  // namespace act::select
