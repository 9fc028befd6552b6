#include "select/extract.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <queue>

namespace act::select {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// For each state the states that every derivation of it contains, itself included, sorted: the greatest
// solution of must(s) = {s} + the intersection over productions of the union of must(operands), iterated down
// from the cheapest trees. Too large, or not settled soon: {s} alone, which is always right.
std::vector<std::vector<int32_t>> Unavoidable(const StateGraph& graph, const Trees& trees) {
  constexpr size_t kMaxEntries = size_t{1} << 21;
  constexpr int kMaxRounds = 50;
  const size_t n = graph.states.size();
  std::vector<std::vector<int32_t>> must(n);
  const auto alone = [&] {
    for (size_t s = 0; s < n; ++s) must[s] = {static_cast<int32_t>(s)};
    return must;
  };
  const auto join = [&](const Production& p) {
    std::vector<int32_t> all;
    for (int32_t o : p.operands) {
      const std::vector<int32_t>& one = must[static_cast<size_t>(o)];
      std::vector<int32_t> next;
      next.reserve(all.size() + one.size());
      std::set_union(all.begin(), all.end(), one.begin(), one.end(), std::back_inserter(next));
      all = std::move(next);
    }
    return all;
  };
  const auto with_self = [](std::vector<int32_t> set, size_t s) {
    const int32_t self = static_cast<int32_t>(s);
    const auto at = std::lower_bound(set.begin(), set.end(), self);
    if (at == set.end() || *at != self) set.insert(at, self);
    return set;
  };
  size_t entries = 0;
  for (int32_t s : trees.order) {
    const size_t i = static_cast<size_t>(s);
    must[i] = with_self(join(graph.productions[static_cast<size_t>(trees.production[i])]), i);
    entries += must[i].size();
    if (entries > kMaxEntries) return alone();
  }
  for (int round = 0; round < kMaxRounds; ++round) {
    bool changed = false;
    for (int32_t s : trees.order) {
      const size_t i = static_cast<size_t>(s);
      for (int32_t p : graph.by_state[i]) {
        const Production& production = graph.productions[static_cast<size_t>(p)];
        if (std::any_of(production.operands.begin(), production.operands.end(),
                        [&](int32_t o) { return trees.production[static_cast<size_t>(o)] < 0; })) {
          continue;
        }
        const std::vector<int32_t> one = join(production);
        std::vector<int32_t> both;
        std::set_intersection(must[i].begin(), must[i].end(), one.begin(), one.end(),
                              std::back_inserter(both));
        both = with_self(std::move(both), i);
        changed = changed || both.size() != must[i].size();
        must[i] = std::move(both);
      }
    }
    if (!changed) return must;
  }
  return alone();
}

// Exact, up to the node limit: states are opened as they are needed, and a production is chosen for the
// state opened last. The bound is what is paid plus the cheapest production of every state that the open ones
// cannot avoid.
class BranchAndBound {
 public:
  BranchAndBound(const StateGraph& graph, const Trees& trees, const ExtractOptions& options,
                 ExtractReport* report)
      : graph_(graph), options_(options), report_(*report) {
    const size_t n = graph.states.size();
    must_ = Unavoidable(graph, trees);
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
      // What lies in HBM from the start is never stored there again: such round trips would only crowd out
      // selections that differ in substance.
      const auto is_input = [&](const std::pair<double, int32_t>& entry) {
        return graph.productions[static_cast<size_t>(entry.second)].kind == Production::Kind::kInput;
      };
      const auto input = std::find_if(order_[s].begin(), order_[s].end(), is_input);
      if (input != order_[s].end()) order_[s] = {*input};
    }
    chosen_.assign(n, -1);
    open_flag_.assign(n, false);
    needed_.assign(n, 0);
    seen_.assign(n, 0);
  }

  std::vector<Selection> Run(const Selection& first) {
    Keep(first);
    for (int32_t goal : graph_.goals) Open(goal);
    Visit(0, 0);
    report_.proved = !cut_;
    return std::move(best_);
  }

 private:
  void Need(size_t state) {
    for (int32_t m : must_[state]) {
      const size_t s = static_cast<size_t>(m);
      if (needed_[s]++ == 0 && chosen_[s] < 0) unpaid_ += cheapest_[s];
    }
  }
  void Forget(size_t state) {
    for (int32_t m : must_[state]) {
      const size_t s = static_cast<size_t>(m);
      if (--needed_[s] == 0 && chosen_[s] < 0) unpaid_ -= cheapest_[s];
    }
  }
  void Open(int32_t state) {
    const size_t s = static_cast<size_t>(state);
    if (open_flag_[s] || chosen_[s] >= 0) return;
    open_flag_[s] = true;
    open_.push_back(state);
    Need(s);
  }
  void Close(int32_t state) {  // which is the last of the list
    const size_t s = static_cast<size_t>(state);
    open_flag_[s] = false;
    open_.pop_back();
    Forget(s);
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
    ++stamp_;
    stack_.assign(1, from);
    while (!stack_.empty()) {
      const int32_t s = stack_.back();
      stack_.pop_back();
      if (s == target) return true;
      if (seen_[static_cast<size_t>(s)] == stamp_ || chosen_[static_cast<size_t>(s)] < 0) continue;
      seen_[static_cast<size_t>(s)] = stamp_;
      const Production& p = graph_.productions[static_cast<size_t>(chosen_[static_cast<size_t>(s)])];
      stack_.insert(stack_.end(), p.operands.begin(), p.operands.end());
    }
    return false;
  }

  // Deeper than this a selection is not improved: the stack is finite, and so is the budget of nodes.
  static constexpr int kMaxDepth = 10000;

  void Visit(double cost, int depth) {
    if (cut_ || ++report_.nodes > options_.max_nodes || depth > kMaxDepth) {
      cut_ = true;
      return;
    }
    constexpr double kSlack = 1e-9;  // of sums in another order
    if (cost + unpaid_ >= Incumbent() - kSlack) return;
    if (open_.empty()) {
      Keep({chosen_, cost});
      return;
    }
    const int32_t state = open_.back();
    const size_t s = static_cast<size_t>(state);
    Close(state);
    if (needed_[s] > 0) unpaid_ -= cheapest_[s];  // it is paid for below
    const double unpaid = unpaid_;
    for (const auto& [tree, p] : order_[s]) {
      const Production& production = graph_.productions[static_cast<size_t>(p)];
      chosen_[s] = p;
      const bool cyclic = std::any_of(production.operands.begin(), production.operands.end(),
                                      [&](int32_t o) { return Reaches(o, state); });
      if (!cyclic) {
        const size_t mark = open_.size();
        for (int32_t o : production.operands) Open(o);
        Visit(cost + production.cost, depth + 1);
        while (open_.size() > mark) Close(open_.back());
        unpaid_ = unpaid;  // rounding does not add up
      }
      chosen_[s] = -1;
    }
    if (needed_[s] > 0) unpaid_ += cheapest_[s];
    open_flag_[s] = true;
    open_.push_back(state);
    Need(s);
  }

  const StateGraph& graph_;
  const ExtractOptions& options_;
  ExtractReport& report_;
  std::vector<std::vector<int32_t>> must_;
  std::vector<double> cheapest_;
  std::vector<std::vector<std::pair<double, int32_t>>> order_;
  std::vector<int32_t> chosen_;
  std::vector<bool> open_flag_;
  std::vector<int32_t> open_, needed_, stack_;
  std::vector<uint64_t> seen_;
  uint64_t stamp_ = 0;
  double unpaid_ = 0;  // cheapest productions of the states that are needed and not chosen
  bool cut_ = false;
  std::vector<Selection> best_;
};

}  // namespace

// Knuth's generalisation of Dijkstra: states in order of cost.
Trees CheapestTrees(const StateGraph& graph) {
  const size_t n = graph.states.size();
  Trees trees{std::vector<double>(n, kInfinity), std::vector<int32_t>(n, -1), {}};
  std::vector<std::vector<int32_t>> users(n);
  std::vector<int32_t> waiting(graph.productions.size());
  using Entry = std::pair<double, int32_t>;  // cost, production: ties by number
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
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
    const int32_t result = graph.productions[static_cast<size_t>(p)].result;
    const size_t state = static_cast<size_t>(result);
    if (trees.production[state] >= 0) continue;
    trees.production[state] = p;
    trees.cost[state] = cost;
    trees.order.push_back(result);
    for (int32_t user : users[state]) {
      if (--waiting[static_cast<size_t>(user)] > 0) continue;
      const Production& production = graph.productions[static_cast<size_t>(user)];
      double sum = production.cost;
      for (int32_t o : production.operands) sum += trees.cost[static_cast<size_t>(o)];
      queue.push({sum, user});
    }
  }
  return trees;
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
