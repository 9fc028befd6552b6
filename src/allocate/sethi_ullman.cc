#include <algorithm>

#include "allocate/order.h"

namespace act::allocate {

namespace {

std::vector<int32_t> Topological(const Model& model) {
  const size_t count = model.graph->steps.size();
  std::vector<int32_t> waiting(count, 0), ready;
  std::vector<std::vector<int32_t>> successors(count);
  for (size_t s = 0; s < count; ++s) {
    for (const auto* lists : {&model.data_predecessors, &model.anti_predecessors}) {
      for (int32_t p : (*lists)[s]) {
        successors[p].push_back(static_cast<int32_t>(s));
        ++waiting[s];
      }
    }
    if (waiting[s] == 0) ready.push_back(static_cast<int32_t>(s));
  }
  for (size_t i = 0; i < ready.size(); ++i) {
    for (int32_t next : successors[ready[i]]) {
      if (--waiting[next] == 0) ready.push_back(next);
    }
  }
  return ready;
}

}  // namespace

std::vector<int32_t> SethiUllman(const Model& model) {
  const size_t count = model.graph->steps.size();
  const size_t buffers = model.accelerator->buffers.size();
  // Needs are fractions of the buffers' volumes. HBM has no need.
  std::vector<double> capacity(buffers, 0);
  for (size_t b = 1; b < buffers; ++b) {
    capacity[b] = 1;
    for (int64_t a : model.accelerator->buffers[b].addresses) capacity[b] *= static_cast<double>(a);
  }
  std::vector<double> own(count, 0);  // of the step's result, in its buffer
  std::vector<size_t> where(count, 0);
  std::vector<std::vector<double>> need(count);
  std::vector<std::vector<int32_t>> children(count);
  // Sorts by the largest tau over the buffers; siblings' results count for each other.
  const auto sort_children = [&](std::vector<int32_t>* list) {
    std::vector<double> sum(buffers, 0);
    for (int32_t c : *list) sum[where[c]] += own[c];
    std::vector<std::pair<double, int32_t>> keyed;
    for (int32_t c : *list) {
      double tau = 0;
      for (size_t b = 1; b < buffers; ++b) {
        tau = std::max(tau, need[c][b] + sum[b] - (where[c] == b ? own[c] : 0));
      }
      keyed.push_back({-tau, c});
    }
    std::sort(keyed.begin(), keyed.end());
    for (size_t i = 0; i < keyed.size(); ++i) (*list)[i] = keyed[i].second;
  };
  for (int32_t s : Topological(model)) {
    const assembly::Value& result = model.graph->value(model.graph->steps[s].result);
    where[s] = result.buffer.value();
    if (where[s] != 0) {
      own[s] = 1 / capacity[where[s]];
      for (int64_t n : result.size) own[s] *= static_cast<double>(n);
    }
    std::vector<int32_t> operands = model.data_predecessors[s];
    sort_children(&operands);
    std::vector<double> held(buffers, 0);
    need[s].assign(buffers, 0);
    for (int32_t c : operands) {
      for (size_t b = 1; b < buffers; ++b) need[s][b] = std::max(need[s][b], held[b] + need[c][b]);
      held[where[c]] += own[c];
    }
    // Reads come before the write: the result may take its operands' places.
    if (where[s] != 0) need[s][where[s]] = std::max(need[s][where[s]], own[s]);
    children[s] = std::move(operands);
    std::vector<int32_t> before = model.anti_predecessors[s];
    sort_children(&before);
    children[s].insert(children[s].end(), before.begin(), before.end());
  }

  std::vector<int32_t> roots;
  for (ValueId output : model.graph->outputs) {
    for (const Footprint& f : model.footprints[output.value()]) {
      if (model.instances[f.instance].definition >= 0)
        roots.push_back(model.instances[f.instance].definition);
    }
  }
  sort_children(&roots);
  for (size_t s = 0; s < count; ++s) roots.push_back(static_cast<int32_t>(s));
  std::vector<int32_t> order;
  std::vector<bool> seen(count, false);
  std::vector<std::pair<int32_t, size_t>> stack;
  for (int32_t root : roots) {
    if (seen[root]) continue;
    seen[root] = true;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      auto& [s, next] = stack.back();
      if (next == children[s].size()) {
        order.push_back(s);
        stack.pop_back();
        continue;
      }
      const int32_t child = children[s][next++];
      if (seen[child]) continue;
      seen[child] = true;
      stack.push_back({child, 0});
    }
  }
  return order;
}

}  // namespace act::allocate
