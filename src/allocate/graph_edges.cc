// Bytes that values share in every placement, and the order edges that follow: readers before overwriters.
#include <algorithm>
#include <map>

#include "allocate/model_internal.h"

namespace act::allocate {

using assembly::Value;

namespace {

// A cell at its offset inside the components of its dimensions.
struct Placed {
  int32_t cell = 0;
  std::vector<int64_t> low, high;
};

bool Disjoint(const Placed& a, const Placed& b) {
  for (size_t d = 0; d < a.low.size(); ++d) {
    if (a.high[d] <= b.low[d] || b.high[d] <= a.low[d]) return true;
  }
  return false;
}

void FindOverlaps(Model* model) {
  std::map<std::vector<int64_t>, std::vector<Placed>> groups;  // buffer and components
  for (size_t c = 0; c < model->cells.size(); ++c) {
    const Cell& cell = model->cells[c];
    const ValueId value = model->instances[cell.instance].value;
    std::vector<int64_t> key = {static_cast<int64_t>(model->graph->value(value).buffer.value())};
    Placed placed;
    placed.cell = static_cast<int32_t>(c);
    for (size_t d = 0; d < cell.size.size(); ++d) {
      const Coordinate& at = model->place[value.value()][d];
      key.push_back(at.component);
      placed.low.push_back(at.offset + cell.offset[d]);
      placed.high.push_back(placed.low[d] + cell.size[d]);
    }
    groups[key].push_back(std::move(placed));
  }
  for (auto& [key, group] : groups) {
    // A sweep along dimension 0.
    std::stable_sort(group.begin(), group.end(),
                     [](const Placed& a, const Placed& b) { return a.low[0] < b.low[0]; });
    for (size_t i = 0; i < group.size(); ++i) {
      for (size_t j = i + 1; j < group.size() && group[j].low[0] < group[i].high[0]; ++j) {
        if (Disjoint(group[i], group[j])) continue;
        const auto [first, second] = std::minmax(group[i].cell, group[j].cell);
        if (model->cells[first].instance != model->cells[second].instance)
          model->overlaps.push_back({first, second});
      }
    }
  }
  std::sort(model->overlaps.begin(), model->overlaps.end());
}

// Cells of `prints`, whole.
std::vector<int32_t> CellsOf(const Model& model, const std::vector<Footprint>& prints) {
  std::vector<int32_t> cells;
  for (const Footprint& f : prints) {
    const Instance& instance = model.instances[f.instance];
    for (int32_t c = instance.cells_begin; c < instance.cells_end; ++c) {
      bool inside = true;
      for (size_t d = 0; d < f.size.size(); ++d) {
        inside = inside && f.from[d] <= model.cells[c].offset[d] &&
                 model.cells[c].offset[d] < f.from[d] + f.size[d];
      }
      if (inside) cells.push_back(c);
    }
  }
  return cells;
}

class Edges {
 public:
  explicit Edges(Model* model) : model_(model) {
    const size_t steps = model->graph->steps.size();
    model->data_predecessors.resize(steps);
    model->anti_predecessors.resize(steps);
  }

  Status Run() {
    const assembly::SelectedGraph& graph = *model_->graph;
    for (size_t s = 0; s < graph.steps.size(); ++s) {
      for (int32_t c : model_->reads[s]) {
        const int32_t definition = model_->instances[model_->cells[c].instance].definition;
        if (definition >= 0) model_->data_predecessors[s].push_back(definition);
      }
    }
    for (const auto& [first, second] : model_->overlaps) {
      for (const auto& [older, newer] : {std::pair(first, second), std::pair(second, first)}) {
        const int32_t definition = model_->instances[model_->cells[newer].instance].definition;
        if (definition < 0) continue;
        const Cell& cell = model_->cells[older];
        const bool is_older = model_->instances[cell.instance].definition < 0 ||
                              std::binary_search(cell.readers.begin(), cell.readers.end(), definition);
        if (is_older) ACT_RETURN_IF_ERROR(Overwrite(older, definition));
      }
    }
    for (size_t s = 0; s < graph.steps.size(); ++s) {
      const assembly::Step& step = graph.steps[s];
      const isa::Instruction& instruction = model_->instruction(static_cast<int32_t>(s));
      for (size_t k = 0; k < step.operands.size(); ++k) {
        const std::vector<Footprint>& prints = model_->footprints[step.operands[k].value()];
        if (assembly::OverwritesOperand(*model_->accelerator, step, k)) {
          for (int32_t c : CellsOf(*model_, prints)) {
            ACT_RETURN_IF_ERROR(Overwrite(c, static_cast<int32_t>(s)));
          }
        }
        if (k < instruction.apart.size() && instruction.apart[k] &&
            graph.value(step.operands[k]).buffer == graph.value(step.result).buffer) {
          ACT_RETURN_IF_ERROR(Apart(static_cast<int32_t>(s), prints));
        }
      }
    }
    for (auto* lists : {&model_->data_predecessors, &model_->anti_predecessors}) {
      for (std::vector<int32_t>& list : *lists) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
      }
    }
    std::sort(model_->apart.begin(), model_->apart.end());
    return CheckAcyclic();
  }

 private:
  // Step `writer` destroys the cell: everyone else reads it before.
  Status Overwrite(int32_t c, int32_t writer) {
    const Cell& cell = model_->cells[c];
    if (cell.live_at_end) {
      const Value& value = model_->value_of(cell.instance);
      return Error(ErrorClass::kUnsupported, "allocate-order",
                   "step " + model_->StepName(writer) + " overwrites " + value.name + ", " +
                       (value.kind == Value::Kind::kInput ? "a kernel input, which must stay intact"
                                                          : "an output, which must be there at the end") +
                       "; it needs a copy of its own");
    }
    for (int32_t reader : cell.readers) {
      if (reader != writer) model_->anti_predecessors[writer].push_back(reader);
    }
    return {};
  }

  Status Apart(int32_t s, const std::vector<Footprint>& prints) {
    const std::vector<int32_t> outputs =
        CellsOf(*model_, model_->footprints[model_->graph->steps[s].result.value()]);
    for (int32_t a : CellsOf(*model_, prints)) {
      for (int32_t b : outputs) {
        const std::pair<int32_t, int32_t> key = std::minmax(a, b);
        if (std::binary_search(model_->overlaps.begin(), model_->overlaps.end(), key)) {
          return Error(ErrorClass::kUnsupported, "allocate-tie",
                       "step " + model_->StepName(s) + " must write apart from " +
                           model_->value_of(model_->cells[a].instance).name +
                           ", but its start expressions put both in one place");
        }
        model_->apart.push_back(key);
      }
    }
    return {};
  }

  Status CheckAcyclic() const {
    const size_t count = model_->graph->steps.size();
    std::vector<int32_t> waiting(count, 0);
    std::vector<std::vector<int32_t>> successors(count);
    for (size_t s = 0; s < count; ++s) {
      for (const auto* lists : {&model_->data_predecessors, &model_->anti_predecessors}) {
        for (int32_t p : (*lists)[s]) {
          successors[p].push_back(static_cast<int32_t>(s));
          ++waiting[s];
        }
      }
    }
    std::vector<int32_t> ready;
    for (size_t s = 0; s < count; ++s) {
      if (waiting[s] == 0) ready.push_back(static_cast<int32_t>(s));
    }
    for (size_t i = 0; i < ready.size(); ++i) {
      for (int32_t next : successors[ready[i]]) {
        if (--waiting[next] == 0) ready.push_back(next);
      }
    }
    if (ready.size() == count) return {};
    // Name one anti-dependence on a cycle: a waiting reader of something a waiting step overwrites. Walk
    // backwards through waiting predecessors until a step repeats; the walk then runs around a cycle.
    int32_t at = 0;
    while (waiting[at] == 0) ++at;
    std::vector<bool> seen(count, false);
    const auto blocked = [&](int32_t s, bool* anti) {
      for (int32_t p : model_->anti_predecessors[s]) {
        if (waiting[p] > 0) return *anti = true, p;
      }
      for (int32_t p : model_->data_predecessors[s]) {
        if (waiting[p] > 0) return *anti = false, p;
      }
      return *anti = false, s;
    };
    bool anti = false;
    while (!seen[at]) {
      seen[at] = true;
      at = blocked(at, &anti);
    }
    std::string text = "no order of the steps exists: ";
    for (size_t i = 0; i < count; ++i) {
      const int32_t before = blocked(at, &anti);
      if (anti) {
        text += "step " + model_->StepName(at) + " overwrites a value that step " + model_->StepName(before) +
                " must read before, but that step can only come later; ";
        return Error(ErrorClass::kUnsupported, "allocate-order",
                     text + "a second copy of the value is needed");
      }
      at = before;
    }
    return GraphError("the steps depend on one another in a circle");
  }

  Model* model_;
};

}  // namespace

Status BuildEdges(Model* model) {
  FindOverlaps(model);
  return Edges(model).Run();
}

}  // namespace act::allocate
