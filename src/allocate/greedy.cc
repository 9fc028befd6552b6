// Best fit and first fit, each in several placement orders.
#include <algorithm>

#include "allocate/engines.h"

namespace act::allocate {

namespace {

constexpr int kPositionsTried = 32;  // of one component before its order is given up

struct Key {
  int64_t size = 0, begin = kUnbounded, end = -1;
};

bool PlaceInOrder(Placer* placer, const std::vector<int32_t>& order, bool best_fit, int64_t* nodes,
                  int64_t limit) {
  for (int32_t c : order) {
    if (placer->is_placed(c)) continue;
    std::vector<std::pair<int64_t, int64_t>> positions;  // (waste, value)
    const Domain& domain = placer->packing().components[c].domain;
    int64_t from = domain.low;
    bool done = false;
    for (int tries = 0; tries < kPositionsTried && !done; ++tries) {
      if (*nodes >= limit) return false;
      ++*nodes;
      const std::optional<int64_t> value = placer->FirstFit(c, from);
      if (!value) break;
      from = *value + 1;
      if (best_fit) {
        positions.push_back({placer->SlackAbove(c, *value), *value});
        // The next gap: behind the least placed box above.
        if (positions.back().first >= kUnbounded) break;
        from = *value + positions.back().first + 1;
      } else {
        done = placer->Set(c, *value);
      }
    }
    if (best_fit) {
      std::sort(positions.begin(), positions.end());
      for (size_t i = 0; i < positions.size() && !done; ++i) done = placer->Set(c, positions[i].second);
    }
    if (!done) return false;
  }
  return true;
}

}  // namespace

PlaceResult PlaceGreedy(const Packing& packing, int64_t* nodes, int64_t limit) {
  PlaceResult result;
  std::vector<Key> keys(packing.components.size());
  for (const Box& box : packing.boxes) {
    for (size_t d = 0; d < box.at.size(); ++d) {
      Key& key = keys[box.at[d].component];
      key.size = std::max(key.size, box.size[d]);
      key.begin = std::min(key.begin, box.begin);
      key.end = std::max(key.end, box.end);
    }
  }
  const auto area = [&keys](int32_t c) {
    return static_cast<double>(keys[c].size) * static_cast<double>(keys[c].end - keys[c].begin + 1);
  };
  for (int kind = 0; kind < 5; ++kind) {
    for (bool best_fit : {true, false}) {
      Placer placer(packing);
      if (!placer.PlaceForced()) {
        result.outcome = placer.steps().was_cut() ? PlaceOutcome::kCut : PlaceOutcome::kInfeasible;
        return result;
      }
      std::vector<int32_t> order = placer.Unplaced();
      std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
        const Key &x = keys[a], &y = keys[b];
        switch (kind) {
          case 0:
            return x.size > y.size;
          case 1:
            return area(a) > area(b);
          case 2:
            return x.begin != y.begin ? x.begin < y.begin : x.end > y.end;
          case 3:
            return x.end - x.begin > y.end - y.begin;
          default:
            return x.end != y.end ? x.end > y.end : x.size > y.size;
        }
      });
      if (PlaceInOrder(&placer, order, best_fit, nodes, limit)) {
        if (std::optional<std::vector<int64_t>> values = placer.Complete()) {
          result.outcome = PlaceOutcome::kFound;
          result.values = std::move(*values);
          return result;
        }
      }
      if (*nodes >= limit) {
        result.node_limit = true;
        return result;
      }
    }
  }
  return result;
}

PlaceResult Place(const Packing& packing, Engine engine, int64_t* nodes, int64_t limit) {
  if (packing.clash_first >= 0) return {PlaceOutcome::kInfeasible, {}, false};
  return engine == Engine::kGreedy ? PlaceGreedy(packing, nodes, limit) : PlaceSearch(packing, nodes, limit);
}

}  // namespace act::allocate
