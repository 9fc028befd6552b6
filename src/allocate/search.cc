// Depth-first search with backtracking, in three forms.
//
// Why few candidates are enough. Take a solution whose sum of coordinates is least. Nothing in it can move
// down, alone or together with others, so following tight contacts downwards from any component ends at a
// component at its least allowed value: every component lies at its least value or right behind a box of a
// component that can be placed before it. Filters and congruences only round such a value up.
//
// Canonical form (one dimension, no open steps, every component's boxes start level): components are placed
// by rising coordinate, each at the least value that the boxes placed before it leave free, and
//   - a component that fits below the present coordinate altogether could be moved there: leave the node;
//   - a component that would start at or above the top of another one's least place could only be the next
//     one if that other could be moved down: skip it;
//   - at every time, what lies below the present coordinate is lost: what is still to come must fit above.
// General form: all components, at their least value and behind every placed box they conflict with; after a
// choice has been refuted, the same choice is not repeated under the node's later choices.
// Exhaustive form (equations or constraints over several components, where contacts are no argument): every
// value of the smallest domain, by consequences of the equations.
#include <algorithm>

#include "allocate/engines.h"

namespace act::allocate {

namespace {

constexpr int64_t kExhaustiveValues = 1 << 14;  // of one domain

// Nodes stand for work: so many places looked at count as one more.
constexpr int64_t kPlacesANode = 4;

struct Choice {
  int32_t component = 0;
  int64_t value = 0;
  friend bool operator==(const Choice&, const Choice&) = default;
};

struct Frame {
  std::vector<Choice> choices;
  size_t next = 0;
  size_t mark = 0;      // trail before the present choice
  size_t refuted = 0;   // length of refuted choices on entry
  bool placed = false;  // a choice is in force
};

enum class Form { kCanonical, kGeneral, kExhaustive };

class Search {
 public:
  Search(Placer* placer, std::vector<int32_t> members, Form form, int64_t* nodes, int64_t limit)
      : placer_(placer),
        packing_(placer->packing()),
        members_(std::move(members)),
        form_(form),
        nodes_(nodes),
        limit_(limit) {
    height_.assign(packing_.components.size(), 0);
    level_.assign(packing_.components.size(), 0);
    for (int32_t c : members_) {
      for (int32_t b : packing_.boxes_of[c]) {
        const Box& box = packing_.boxes[b];
        for (size_t d = 0; d < box.at.size(); ++d) {
          if (box.at[d].component == c) {
            height_[c] = std::max(height_[c], box.size[d]);
            level_[c] = box.at[d].offset;
          }
        }
      }
    }
    if (form == Form::kCanonical) BuildSlots();
  }

  PlaceOutcome Run(bool* node_limit) {
    std::vector<Frame> stack(1);
    if (!Open(&stack.back(), kNone)) return solved_ ? PlaceOutcome::kFound : Dead();
    while (true) {
      Frame& frame = stack.back();
      if (frame.placed) {  // back from below: the choice is refuted
        placer_->UndoTo(frame.mark);
        frame.placed = false;
        refuted_.resize(frame.refuted);
        if (form_ == Form::kGeneral) {
          for (size_t i = 0; i < frame.next; ++i) refuted_.push_back(frame.choices[i]);
        }
      }
      if (frame.next == frame.choices.size()) {
        refuted_.resize(frame.refuted);
        stack.pop_back();
        if (stack.empty()) return Dead();
        continue;
      }
      if (*nodes_ >= limit_) {
        *node_limit = true;
        return PlaceOutcome::kCut;
      }
      ++*nodes_;
      const Choice choice = frame.choices[frame.next++];
      frame.mark = placer_->mark();
      if (!placer_->Set(choice.component, choice.value)) {
        if (form_ == Form::kGeneral) refuted_.push_back(choice);
        continue;
      }
      frame.placed = true;
      Frame child;
      child.refuted = refuted_.size();
      const bool open = Open(&child, choice);
      if (solved_) return PlaceOutcome::kFound;
      if (open) stack.push_back(std::move(child));
    }
  }

 private:
  static constexpr Choice kNone{-1, -kUnbounded};

  PlaceOutcome Dead() const {
    return incomplete_ || placer_->steps().was_cut() ? PlaceOutcome::kCut : PlaceOutcome::kInfeasible;
  }

  std::vector<int32_t> Open() const {
    std::vector<int32_t> list;
    for (int32_t c : members_) {
      if (!placer_->is_placed(c)) list.push_back(c);
    }
    return list;
  }

  // Fills a node's choices. False if there are none or the placement is complete (solved_).
  bool Open(Frame* frame, const Choice& last) {
    const std::vector<int32_t> open = Open();
    if (open.empty()) {
      solved_ = true;
      return false;
    }
    switch (form_) {
      case Form::kCanonical:
        return OpenCanonical(frame, open, last);
      case Form::kGeneral:
        return OpenGeneral(frame, open);
      case Form::kExhaustive:
        return OpenExhaustive(frame, open);
    }
    return false;
  }

  // Coordinate of a choice: where its boxes start.
  int64_t Coordinate(const Choice& c) const { return c.value + level_[c.component]; }

  bool OpenCanonical(Frame* frame, const std::vector<int32_t>& open, const Choice& last) {
    *nodes_ += static_cast<int64_t>(open.size()) / kPlacesANode;
    const int64_t floor = last.component < 0 ? -kUnbounded : Coordinate(last);
    int64_t top = kUnbounded;
    for (int32_t c : open) {
      const std::optional<int64_t> value = placer_->FirstFit(c, packing_.components[c].domain.low);
      if (!value) return false;
      const Choice choice{c, *value};
      const int64_t at = Coordinate(choice);
      if (at + height_[c] <= floor) return false;
      top = std::min(top, at + height_[c]);
      if (at > floor || (at == floor && c > last.component)) frame->choices.push_back(choice);
    }
    std::erase_if(frame->choices, [&](const Choice& c) { return Coordinate(c) >= top; });
    if (!SlotsFit(floor)) return false;
    std::stable_sort(frame->choices.begin(), frame->choices.end(), [&](const Choice& a, const Choice& b) {
      const int64_t x = Coordinate(a), y = Coordinate(b);
      if (x != y) return x < y;
      return height_[a.component] > height_[b.component];
    });
    // Equal coordinates are placed by rising component: what that order forbids is found in another branch.
    return !frame->choices.empty();
  }

  bool OpenGeneral(Frame* frame, const std::vector<int32_t>& open) {
    for (int32_t c : open) {
      std::vector<int64_t> starts = {packing_.components[c].domain.low};
      for (int32_t b : packing_.boxes_of[c]) {
        const Box& box = packing_.boxes[b];
        for (int32_t o : packing_.conflicts[b]) {
          const Box& other = packing_.boxes[o];
          for (size_t d = 0; d < box.at.size(); ++d) {
            if (box.at[d].component != c || !placer_->assignment().Known(other.at[d])) continue;
            starts.push_back(placer_->assignment().At(other.at[d]) + other.size[d] - box.at[d].offset);
          }
        }
      }
      std::sort(starts.begin(), starts.end());
      starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
      int64_t last = -kUnbounded;
      bool any = false;
      for (int64_t start : starts) {
        const std::optional<int64_t> value = placer_->FirstFit(c, start);
        if (++places_ % kPlacesANode == 0) ++*nodes_;
        if (!value) break;
        any = true;
        if (*value == last) continue;
        last = *value;
        const Choice choice{c, *value};
        if (std::find(refuted_.begin(), refuted_.end(), choice) == refuted_.end())
          frame->choices.push_back(choice);
      }
      if (!any) return false;
    }
    std::stable_sort(frame->choices.begin(), frame->choices.end(), [&](const Choice& a, const Choice& b) {
      const int64_t x = Coordinate(a), y = Coordinate(b);
      if (x != y) return x < y;
      return height_[a.component] > height_[b.component];
    });
    return !frame->choices.empty();
  }

  bool OpenExhaustive(Frame* frame, const std::vector<int32_t>& open) {
    int32_t best = open[0];
    int64_t least = kUnbounded;
    for (int32_t c : open) {
      const int64_t count = packing_.components[c].domain.Count(kUnbounded);
      if (count < least) {
        least = count;
        best = c;
      }
    }
    std::optional<int64_t> value = placer_->FirstFit(best, packing_.components[best].domain.low);
    while (value) {
      if (static_cast<int64_t>(frame->choices.size()) == kExhaustiveValues) {
        incomplete_ = true;
        break;
      }
      frame->choices.push_back({best, *value});
      value = placer_->FirstFit(best, *value + 1);
    }
    return !frame->choices.empty();
  }

  // Times at which a box begins, with the boxes of members (and their components) occupied then.
  void BuildSlots() {
    int64_t total = 0;
    for (int32_t c : members_) {
      for (int32_t b : packing_.boxes_of[c]) {
        const Box& at = packing_.boxes[b];
        std::vector<int32_t> slot = {b};
        for (int32_t o : packing_.conflicts[b]) {
          const Box& other = packing_.boxes[o];
          const bool live = other.begin <= at.begin && at.begin < other.end;
          if (live && (other.begin < at.begin || o < b || other.end == other.begin)) slot.push_back(o);
        }
        total += static_cast<int64_t>(slot.size());
        if (total > 100000) return;  // the bound would cost more than it saves
        if (slot.size() > 2) slots_.push_back(std::move(slot));
      }
    }
  }

  // At every slot: placed boxes reach up to some top, what is not placed must fit above it and the floor.
  bool SlotsFit(int64_t floor) const {
    for (const std::vector<int32_t>& slot : slots_) {
      int64_t top = std::max<int64_t>(floor, 0), rest = 0, fixed = 0;
      bool any = false;
      for (int32_t b : slot) {
        const Box& box = packing_.boxes[b];
        if (!placer_->assignment().Known(box.at[0])) {
          rest += box.size[0];
          any = true;
        } else if (packing_.components[box.at[0].component].domain.low ==
                   packing_.components[box.at[0].component].domain.high) {
          // A fixed box may lie anywhere: its size counts where it lies above the floor.
          const int64_t end = placer_->assignment().At(box.at[0]) + box.size[0];
          fixed += std::clamp<int64_t>(end - std::max<int64_t>(floor, 0), 0, box.size[0]);
        } else {
          top = std::max(top, placer_->assignment().At(box.at[0]) + box.size[0]);
        }
      }
      if (!any) continue;
      // Fixed boxes may lie below `top` as far as it exceeds the floor.
      const int64_t above = top - std::max<int64_t>(floor, 0);
      if (top + rest + std::max<int64_t>(0, fixed - above) >
          packing_.capacity[packing_.boxes[slot[0]].buffer][0]) {
        return false;
      }
    }
    return true;
  }

  Placer* placer_;
  const Packing& packing_;
  std::vector<int32_t> members_;
  Form form_;
  int64_t* nodes_;
  int64_t limit_;
  std::vector<int64_t> height_;  // by component: its tallest box
  std::vector<int64_t> level_;   // by component: offset of its boxes
  std::vector<std::vector<int32_t>> slots_;
  std::vector<Choice> refuted_;
  int64_t places_ = 0;
  bool incomplete_ = false;
  bool solved_ = false;
};

// Groups of components that no conflict, box or open step joins, in increasing order of their first.
std::vector<std::vector<int32_t>> Parts(const Packing& packing, const Placer& placer) {
  const size_t count = packing.components.size();
  std::vector<int32_t> parent(count);
  for (size_t c = 0; c < count; ++c) parent[c] = static_cast<int32_t>(c);
  const auto find = [&](int32_t c) {
    while (parent[c] != c) c = parent[c] = parent[parent[c]];
    return c;
  };
  const auto join = [&](int32_t a, int32_t b) {
    if (placer.is_placed(a) || placer.is_placed(b)) return;
    a = find(a);
    b = find(b);
    parent[std::max(a, b)] = std::min(a, b);
  };
  for (size_t b = 0; b < packing.boxes.size(); ++b) {
    const Box& box = packing.boxes[b];
    for (const Coordinate& at : box.at) join(at.component, box.at[0].component);
    for (int32_t o : packing.conflicts[b]) {
      for (const Coordinate& x : box.at) {
        for (const Coordinate& y : packing.boxes[o].at) join(x.component, y.component);
      }
    }
  }
  for (int32_t s : packing.model->open_steps) {
    const assembly::Step& step = packing.model->graph->steps[s];
    std::vector<int32_t> touched;
    for (const Coordinate& at : packing.model->place[step.result.value()]) touched.push_back(at.component);
    for (ValueId operand : step.operands) {
      for (const Coordinate& at : packing.model->place[operand.value()]) touched.push_back(at.component);
    }
    std::erase_if(touched, [&](int32_t c) { return placer.is_placed(c); });
    for (int32_t c : touched) join(c, touched[0]);
  }
  std::vector<std::vector<int32_t>> parts;
  std::vector<int32_t> part_of(count, -1);
  for (int32_t c : placer.Unplaced()) {
    const int32_t root = find(c);
    if (part_of[root] < 0) {
      part_of[root] = static_cast<int32_t>(parts.size());
      parts.emplace_back();
    }
    parts[part_of[root]].push_back(c);
  }
  return parts;
}

Form FormOf(const Packing& packing, const std::vector<int32_t>& members) {
  for (int32_t c : members) {
    const std::vector<int32_t>& boxes = packing.boxes_of[c];
    for (int32_t b : boxes) {
      const Box& box = packing.boxes[b];
      if (box.at.size() != 1 || box.at[0].offset != packing.boxes[boxes[0]].at[0].offset)
        return Form::kGeneral;
    }
  }
  return Form::kCanonical;
}

bool TouchesOpenStep(const Packing& packing, const std::vector<int32_t>& members) {
  for (int32_t s : packing.model->open_steps) {
    const assembly::Step& step = packing.model->graph->steps[s];
    std::vector<ValueId> values = step.operands;
    values.push_back(step.result);
    for (ValueId v : values) {
      for (const Coordinate& at : packing.model->place[v.value()]) {
        if (std::binary_search(members.begin(), members.end(), at.component)) return true;
      }
    }
  }
  return false;
}

}  // namespace

PlaceResult PlaceSearch(const Packing& packing, int64_t* nodes, int64_t limit) {
  PlaceResult result;
  Placer placer(packing);
  if (!placer.PlaceForced()) {
    result.outcome = placer.steps().was_cut() ? PlaceOutcome::kCut : PlaceOutcome::kInfeasible;
    return result;
  }
  for (const std::vector<int32_t>& part : Parts(packing, placer)) {
    if (TouchesOpenStep(packing, part)) {
      // Contacts first, with half of the nodes; they prove nothing here.
      const size_t before = placer.mark();
      const int64_t half = *nodes + (limit - *nodes) / 2;
      bool ignored = false;
      if (Search(&placer, part, Form::kGeneral, nodes, half).Run(&ignored) == PlaceOutcome::kFound) continue;
      placer.UndoTo(before);
      result.outcome = Search(&placer, part, Form::kExhaustive, nodes, limit).Run(&result.node_limit);
    } else {
      result.outcome = Search(&placer, part, FormOf(packing, part), nodes, limit).Run(&result.node_limit);
    }
    if (result.outcome != PlaceOutcome::kFound) {
      result.buffer = packing.boxes[packing.boxes_of[part[0]][0]].buffer;
      return result;
    }
  }
  std::optional<std::vector<int64_t>> values = placer.Complete();
  if (!values) {
    result.outcome = placer.steps().was_cut() ? PlaceOutcome::kCut : PlaceOutcome::kInfeasible;
    return result;
  }
  result.outcome = PlaceOutcome::kFound;
  result.values = std::move(*values);
  return result;
}

}  // namespace act::allocate
