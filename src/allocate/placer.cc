#include "allocate/placer.h"

#include <algorithm>

namespace act::allocate {

Placer::Placer(const Packing& packing)
    : packing_(packing), steps_(*packing.model), assignment_(packing.components.size()) {}

std::vector<int32_t> Placer::Unplaced() const {
  std::vector<int32_t> list;
  for (size_t c = 0; c < packing_.components.size(); ++c) {
    if (!assignment_.known[c] && !packing_.boxes_of[c].empty()) list.push_back(static_cast<int32_t>(c));
  }
  return list;
}

std::optional<int64_t> Placer::Blocked(int32_t component, int64_t value, const Box& box, const Box& other,
                                       bool* hopeless) const {
  std::optional<int64_t> next;
  for (size_t d = 0; d < box.size.size(); ++d) {
    const Coordinate &x = box.at[d], &y = other.at[d];
    const bool own = x.component == component, shared = y.component == component;
    if ((!own && !assignment_.known[x.component]) || (!shared && !assignment_.known[y.component])) {
      return std::nullopt;  // that dimension can still keep them apart
    }
    const int64_t a = (own ? value : assignment_.value[x.component]) + x.offset;
    const int64_t b = (shared ? value : assignment_.value[y.component]) + y.offset;
    if (a + box.size[d] <= b || b + other.size[d] <= a) return std::nullopt;
    if (own && !shared) {
      const int64_t behind = b + other.size[d] - x.offset;
      next = next ? std::min(*next, behind) : behind;
    } else if (own != shared) {
      next = value + 1;
    }
  }
  if (!next) *hopeless = true;
  return next;
}

std::optional<int64_t> Placer::FirstFit(int32_t component, int64_t from) {
  std::optional<int64_t> value = steps_.Least(component, from);
  for (bool moved = true; moved && value;) {
    moved = false;
    for (int32_t b : packing_.boxes_of[component]) {
      for (int32_t o : packing_.conflicts[b]) {
        bool hopeless = false;
        const std::optional<int64_t> next =
            Blocked(component, *value, packing_.boxes[b], packing_.boxes[o], &hopeless);
        if (hopeless) return std::nullopt;
        if (!next) continue;
        value = steps_.Least(component, std::max(*next, *value + 1));
        if (!value) return std::nullopt;
        moved = true;
      }
    }
  }
  return value;
}

int64_t Placer::SlackAbove(int32_t component, int64_t value) const {
  int64_t slack = kUnbounded;
  for (int32_t b : packing_.boxes_of[component]) {
    const Box& box = packing_.boxes[b];
    if (box.at[0].component != component) continue;
    const int64_t top = value + box.at[0].offset + box.size[0];
    slack = std::min(slack, packing_.capacity[box.buffer][0] - top);
    for (int32_t o : packing_.conflicts[b]) {
      const Box& other = packing_.boxes[o];
      if (!assignment_.Known(other.at[0])) continue;
      const int64_t start = assignment_.At(other.at[0]);
      if (start >= top) slack = std::min(slack, start - top);
    }
  }
  return slack;
}

// No box of the component lies upon a placed one.
bool Placer::Fits(int32_t component) const {
  for (int32_t b : packing_.boxes_of[component]) {
    for (int32_t o : packing_.conflicts[b]) {
      bool hopeless = false;
      if (Blocked(component, assignment_.value[component], packing_.boxes[b], packing_.boxes[o], &hopeless) ||
          hopeless) {
        return false;
      }
    }
  }
  return true;
}

bool Placer::Set(int32_t component, int64_t value) {
  const size_t before = mark();
  assignment_.Set(component, value);
  bool ok = steps_.Propagate(&assignment_, before);
  for (size_t i = before; ok && i < assignment_.trail.size(); ++i) ok = Fits(assignment_.trail[i]);
  if (!ok) UndoTo(before);
  return ok;
}

bool Placer::PlaceForced() {
  for (size_t c = 0; c < packing_.components.size(); ++c) {
    if (assignment_.known[c] || packing_.components[c].domain.Count(2) != 1) continue;
    const std::optional<int64_t> value =
        steps_.Least(static_cast<int32_t>(c), packing_.components[c].domain.low);
    if (!value || !Set(static_cast<int32_t>(c), *value)) return false;
  }
  return true;
}

std::optional<std::vector<int64_t>> Placer::Complete() {
  for (size_t c = 0; c < packing_.components.size(); ++c) {
    if (assignment_.known[c]) continue;
    const std::optional<int64_t> value =
        steps_.Least(static_cast<int32_t>(c), std::max<int64_t>(0, packing_.components[c].domain.low));
    // A component that belongs to open steps alone: its value is sought with the step.
    if (!value) return std::nullopt;
    if (!Set(static_cast<int32_t>(c), *value)) return std::nullopt;
  }
  for (int32_t s : packing_.model->open_steps) {
    if (!steps_.Solve(s, assignment_)) return std::nullopt;
  }
  return assignment_.value;
}

}  // namespace act::allocate
