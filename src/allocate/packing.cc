#include "allocate/packing.h"

#include <algorithm>

namespace act::allocate {

bool OverlapInTime(const Box& a, const Box& b) { return a.begin < b.end && b.begin < a.end; }

namespace {

// What the components' domains and ties say of two boxes in one dimension.
enum class Relation { kUnknown, kApart, kOverlap };

Relation Relate(const Packing& packing, const Box& a, const Box& b, size_t d) {
  const Coordinate &x = a.at[d], &y = b.at[d];
  if (x.component == y.component) {
    return x.offset + a.size[d] <= y.offset || y.offset + b.size[d] <= x.offset ? Relation::kApart
                                                                                : Relation::kOverlap;
  }
  const Domain &dx = packing.components[x.component].domain, &dy = packing.components[y.component].domain;
  if (dx.high + x.offset + a.size[d] <= dy.low + y.offset ||
      dy.high + y.offset + b.size[d] <= dx.low + x.offset) {
    return Relation::kApart;
  }
  return Relation::kUnknown;
}

}  // namespace

Packing BuildPacking(const Model& model, const std::vector<int32_t>& order) {
  Packing packing;
  packing.model = &model;
  packing.components = model.components;
  for (const isa::Buffer& buffer : model.accelerator->buffers) packing.capacity.push_back(buffer.addresses);
  packing.position.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) packing.position[order[i]] = static_cast<int32_t>(i);
  const int64_t end = static_cast<int64_t>(order.size());
  packing.boxes_of.resize(model.components.size());
  for (size_t c = 0; c < model.cells.size(); ++c) {
    const Cell& cell = model.cells[c];
    const Instance& instance = model.instances[cell.instance];
    Box box;
    box.buffer = static_cast<int32_t>(model.value_of(cell.instance).buffer.value());
    box.at = model.place[instance.value.value()];
    for (size_t d = 0; d < box.at.size(); ++d) box.at[d].offset += cell.offset[d];
    box.size = cell.size;
    box.begin = instance.definition < 0 ? -1 : packing.position[instance.definition];
    box.end = box.begin;
    for (int32_t r : cell.readers) box.end = std::max<int64_t>(box.end, packing.position[r]);
    if (cell.live_at_end) box.end = end;
    for (size_t d = 0; d < box.at.size(); ++d) {
      std::vector<int32_t>& list = packing.boxes_of[box.at[d].component];
      if (list.empty() || list.back() != static_cast<int32_t>(c)) list.push_back(static_cast<int32_t>(c));
    }
    packing.boxes.push_back(std::move(box));
  }

  packing.conflicts.resize(packing.boxes.size());
  const auto add = [&](int32_t a, int32_t b) {
    const Box &x = packing.boxes[a], &y = packing.boxes[b];
    bool overlap = true;
    for (size_t d = 0; d < x.size.size(); ++d) {
      const Relation relation = Relate(packing, x, y, d);
      if (relation == Relation::kApart) return;
      overlap = overlap && relation == Relation::kOverlap;
    }
    if (overlap && packing.clash_first < 0) {
      packing.clash_first = a;
      packing.clash_second = b;
    }
    packing.conflicts[a].push_back(b);
    packing.conflicts[b].push_back(a);
  };
  // A sweep over the positions, buffer by buffer.
  std::vector<std::vector<int32_t>> by_buffer(packing.capacity.size());
  for (size_t c = 0; c < packing.boxes.size(); ++c)
    by_buffer[packing.boxes[c].buffer].push_back(static_cast<int32_t>(c));
  for (std::vector<int32_t>& list : by_buffer) {
    std::stable_sort(list.begin(), list.end(),
                     [&](int32_t a, int32_t b) { return packing.boxes[a].begin < packing.boxes[b].begin; });
    std::vector<int32_t> active;
    for (int32_t c : list) {
      const Box& box = packing.boxes[c];
      std::erase_if(active, [&](int32_t o) { return packing.boxes[o].end <= box.begin; });
      for (int32_t o : active) {
        if (model.cells[o].instance != model.cells[c].instance && OverlapInTime(packing.boxes[o], box))
          add(o, c);
      }
      active.push_back(c);
    }
  }
  for (const auto& [a, b] : model.apart) {
    if (!OverlapInTime(packing.boxes[a], packing.boxes[b])) add(a, b);
  }
  for (std::vector<int32_t>& list : packing.conflicts) std::sort(list.begin(), list.end());
  return packing;
}

}  // namespace act::allocate
