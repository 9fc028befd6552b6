// Instances and cells: which bytes each step reads.
#include <algorithm>
#include <map>

#include "allocate/model_internal.h"

namespace act::allocate {

using assembly::Value;

namespace {

// Values in an order in which parts come first; fails on a cycle.
Status PartsFirst(const assembly::SelectedGraph& graph, std::vector<int32_t>* order) {
  const size_t count = graph.values.size();
  std::vector<int8_t> mark(count, 0);  // 1 open, 2 done
  std::vector<std::pair<int32_t, size_t>> stack;
  for (size_t root = 0; root < count; ++root) {
    if (mark[root] != 0) continue;
    stack.push_back({static_cast<int32_t>(root), 0});
    mark[root] = 1;
    while (!stack.empty()) {
      auto& [v, next] = stack.back();
      const std::vector<ValueId>& parts = graph.values[v].parts;
      if (next == parts.size()) {
        mark[v] = 2;
        order->push_back(v);
        stack.pop_back();
        continue;
      }
      const int32_t part = static_cast<int32_t>(parts[next++].value());
      if (mark[part] == 1) return GraphError("value " + graph.values[part].name + " is a part of itself");
      if (mark[part] == 0) {
        mark[part] = 1;
        stack.push_back({part, 0});
      }
    }
  }
  return {};
}

}  // namespace

std::optional<std::vector<int64_t>> WindowStart(const isa::Buffer& buffer, const Value& parent,
                                                const Value& window) {
  const size_t rank = parent.size.size();
  const int64_t unit = buffer.UnitBytes();
  if (unit <= 0 || window.offset < 0 || window.offset % unit != 0) return std::nullopt;
  int64_t rest = window.offset / unit;
  std::vector<int64_t> start(rank, 0);
  for (size_t d = rank; d-- > 0;) {
    start[d] = d == 0 ? rest : rest % parent.size[d];
    rest = d == 0 ? 0 : rest / parent.size[d];
  }
  // Contiguous: single positions, then one range, then whole dimensions.
  size_t range = 0;
  while (range + 1 < rank && window.size[range] == 1) ++range;
  for (size_t d = 0; d < rank; ++d) {
    if (start[d] + window.size[d] > parent.size[d]) return std::nullopt;
    if (d > range && window.size[d] != parent.size[d]) return std::nullopt;
  }
  return start;
}

namespace {

// The parts of `from` inside [start, start + size), relative to start.
void Clip(const std::vector<Footprint>& from, const std::vector<int64_t>& start,
          const std::vector<int64_t>& size, std::vector<Footprint>* to) {
  for (const Footprint& f : from) {
    Footprint part = f;
    bool keep = true;
    for (size_t d = 0; d < size.size() && keep; ++d) {
      const int64_t low = std::max(f.at[d], start[d]);
      const int64_t high = std::min(f.at[d] + f.size[d], start[d] + size[d]);
      keep = low < high;
      part.at[d] = low - start[d];
      part.from[d] = f.from[d] + (low - f.at[d]);
      part.size[d] = high - low;
    }
    if (keep) to->push_back(std::move(part));
  }
}

// Cuts an instance along the borders of what is read of it; neighbours with equal readers stay one cell.
void CutInstance(Model* model, int32_t instance,
                 const std::vector<std::pair<int32_t, const Footprint*>>& reads, int32_t end_step) {
  const Value& value = model->value_of(instance);
  const size_t rank = value.size.size();
  std::vector<std::vector<int64_t>> cuts(rank);
  for (size_t d = 0; d < rank; ++d) {
    cuts[d] = {0, value.size[d]};
    for (const auto& [step, f] : reads) {
      cuts[d].push_back(f->from[d]);
      cuts[d].push_back(f->from[d] + f->size[d]);
    }
    std::sort(cuts[d].begin(), cuts[d].end());
    cuts[d].erase(std::unique(cuts[d].begin(), cuts[d].end()), cuts[d].end());
  }
  const size_t first = model->cells.size();
  std::vector<size_t> at(rank, 0);
  for (bool more = true; more;) {
    Cell cell;
    cell.instance = instance;
    for (size_t d = 0; d < rank; ++d) {
      cell.offset.push_back(cuts[d][at[d]]);
      cell.size.push_back(cuts[d][at[d] + 1] - cuts[d][at[d]]);
    }
    for (const auto& [step, f] : reads) {
      bool inside = true;
      for (size_t d = 0; d < rank; ++d) {
        inside = inside && f->from[d] <= cell.offset[d] && cell.offset[d] < f->from[d] + f->size[d];
      }
      if (!inside) continue;
      if (step == end_step) {
        cell.live_at_end = true;
      } else {
        cell.readers.push_back(step);
      }
    }
    std::sort(cell.readers.begin(), cell.readers.end());
    cell.readers.erase(std::unique(cell.readers.begin(), cell.readers.end()), cell.readers.end());
    if (value.kind == Value::Kind::kInput) cell.live_at_end = true;
    // Join with the cell before it along the last dimension.
    bool joined = false;
    if (model->cells.size() > first) {
      Cell& last = model->cells.back();
      const size_t d = rank - 1;
      bool same = last.readers == cell.readers && last.live_at_end == cell.live_at_end &&
                  last.offset[d] + last.size[d] == cell.offset[d];
      for (size_t e = 0; e < d; ++e) same = same && last.offset[e] == cell.offset[e];
      if (same) {
        last.size[d] += cell.size[d];
        joined = true;
      }
    }
    if (!joined) model->cells.push_back(std::move(cell));
    more = false;
    for (size_t d = rank; d-- > 0 && !more;) {
      if (++at[d] + 1 < cuts[d].size()) {
        more = true;
      } else {
        at[d] = 0;
      }
    }
  }
  model->instances[instance].cells_begin = static_cast<int32_t>(first);
  model->instances[instance].cells_end = static_cast<int32_t>(model->cells.size());
}

}  // namespace

Status BuildCells(Model* model, std::vector<bool>* used) {
  const assembly::SelectedGraph& graph = *model->graph;
  std::vector<int32_t> order;
  ACT_RETURN_IF_ERROR(PartsFirst(graph, &order));
  used->assign(graph.values.size(), false);
  for (const assembly::Step& step : graph.steps) {
    (*used)[step.result.value()] = true;
    for (ValueId operand : step.operands) (*used)[operand.value()] = true;
  }
  for (ValueId output : graph.outputs) (*used)[output.value()] = true;
  for (size_t i = order.size(); i-- > 0;) {
    if (!(*used)[order[i]]) continue;
    for (ValueId part : graph.values[order[i]].parts) (*used)[part.value()] = true;
  }

  model->footprints.resize(graph.values.size());
  std::map<std::pair<int, int64_t>, int32_t> leaf;  // (kind, index) -> instance
  for (int32_t v : order) {
    const Value& value = graph.values[v];
    // A kernel input is there whether it is read or not.
    if (!(*used)[v] && value.kind == Value::Kind::kInput) (*used)[v] = true;
    if (!(*used)[v]) continue;
    std::vector<Footprint>& prints = model->footprints[v];
    const std::vector<int64_t> zero(value.size.size(), 0);
    if (value.kind == Value::Kind::kWindow) {
      const Value& parent = graph.value(value.parts[0]);
      const auto start = WindowStart(model->accelerator->buffer(value.buffer), parent, value);
      if (!start) {
        return GraphError("value " + value.name + " is no box inside value " + parent.name);
      }
      Clip(model->footprints[value.parts[0].value()], *start, value.size, &prints);
    } else if (value.kind == Value::Kind::kAdjacent) {
      int64_t at = 0;
      for (ValueId part : value.parts) {
        const Value& piece = graph.value(part);
        for (size_t d = 1; d < value.size.size(); ++d) {
          if (piece.size[d] != value.size[d]) {
            return GraphError("value " + value.name + " joins boxes of different widths");
          }
        }
        for (Footprint f : model->footprints[part.value()]) {
          f.at[0] += at;
          prints.push_back(std::move(f));
        }
        at += piece.size[0];
      }
      if (at != value.size[0]) return GraphError("value " + value.name + " is not the sum of its parts");
    } else {
      int32_t instance = static_cast<int32_t>(model->instances.size());
      bool fresh = true;
      if (value.kind != Value::Kind::kResult) {
        // Equal constants, and one input named twice, are one instance.
        const auto [it, inserted] = leaf.try_emplace({static_cast<int>(value.kind), value.index}, instance);
        instance = it->second;
        fresh = inserted;
        if (!fresh && model->value_of(instance).size != value.size) {
          return GraphError("value " + value.name + " has another size than its twin");
        }
      }
      if (fresh) {
        Instance made;
        made.value = ValueId(v);
        made.definition = value.kind == Value::Kind::kResult ? static_cast<int32_t>(value.index) : -1;
        model->instances.push_back(made);
      }
      prints.push_back({instance, zero, value.size, zero});
    }
  }

  const int32_t end_step = static_cast<int32_t>(graph.steps.size());
  std::vector<std::vector<std::pair<int32_t, const Footprint*>>> reads(model->instances.size());
  const auto add_reads = [&](ValueId v, int32_t step) {
    for (const Footprint& f : model->footprints[v.value()]) reads[f.instance].push_back({step, &f});
  };
  for (int32_t s = 0; s < end_step; ++s) {
    for (ValueId operand : graph.steps[s].operands) add_reads(operand, s);
  }
  for (ValueId output : graph.outputs) add_reads(output, end_step);
  for (size_t i = 0; i < model->instances.size(); ++i) {
    CutInstance(model, static_cast<int32_t>(i), reads[i], end_step);
  }
  model->reads.resize(graph.steps.size());
  for (size_t c = 0; c < model->cells.size(); ++c) {
    for (int32_t s : model->cells[c].readers) model->reads[s].push_back(static_cast<int32_t>(c));
  }
  return {};
}

}  // namespace act::allocate
