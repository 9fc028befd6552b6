#include "allocate/order.h"

#include <algorithm>

namespace act::allocate {

namespace {

uint64_t PairKey(int32_t a, int32_t b) {
  if (a > b) std::swap(a, b);
  return (static_cast<uint64_t>(a) << 32) | static_cast<uint32_t>(b);
}

}  // namespace

OrderSearch::OrderSearch(const Model& model, const std::vector<int32_t>& first_order) : model_(model) {
  const size_t steps = model.graph->steps.size(), cells = model.cells.size();
  const size_t buffers = model.accelerator->buffers.size();
  rank_.resize(steps);
  for (size_t i = 0; i < first_order.size(); ++i) rank_[first_order[i]] = static_cast<int32_t>(i);
  successors_.resize(steps);
  waiting_.assign(steps, 0);
  for (size_t s = 0; s < steps; ++s) {
    std::vector<int32_t> before = model.data_predecessors[s];
    before.insert(before.end(), model.anti_predecessors[s].begin(), model.anti_predecessors[s].end());
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    for (int32_t p : before) successors_[p].push_back(static_cast<int32_t>(s));
    waiting_[s] = static_cast<int32_t>(before.size());
  }
  overlapping_.resize(cells);
  for (const auto& [a, b] : model.overlaps) {
    overlapping_[a].push_back(b);
    overlapping_[b].push_back(a);
  }
  capacity_.assign(buffers, kUnbounded);
  volume_.assign(buffers, 0);
  for (size_t b = 1; b < buffers; ++b) {
    capacity_[b] = CheckedProduct(model.accelerator->buffers[b].addresses).value_or(kUnbounded);
  }
  live_.resize(buffers);
  live_position_.assign(cells, -1);
  unread_.resize(cells);
  defined_.assign(cells, false);
  result_cells_.resize(steps);
  cell_volume_.resize(cells);
  for (size_t c = 0; c < cells; ++c) {
    const Cell& cell = model.cells[c];
    cell_volume_[c] = CheckedProduct(cell.size).value_or(kUnbounded);
    unread_[c] = static_cast<int32_t>(cell.readers.size());
    const int32_t definition = model.instances[cell.instance].definition;
    if (definition >= 0) {
      result_cells_[definition].push_back(static_cast<int32_t>(c));
    } else {
      defined_[c] = true;
      if (unread_[c] > 0 || cell.live_at_end) MakeLive(static_cast<int32_t>(c));
    }
  }
  frames_.emplace_back();
  FillCandidates(&frames_.back());
}

void OrderSearch::MakeLive(int32_t cell) {
  const size_t b = model_.value_of(model_.cells[cell].instance).buffer.value();
  live_position_[cell] = static_cast<int32_t>(live_[b].size());
  live_[b].push_back(cell);
  volume_[b] += cell_volume_[cell];
}

void OrderSearch::MakeDead(int32_t cell) {
  const size_t b = model_.value_of(model_.cells[cell].instance).buffer.value();
  const int32_t at = live_position_[cell], last = live_[b].back();
  live_[b][at] = last;
  live_position_[last] = at;
  live_[b].pop_back();
  live_position_[cell] = -1;
  volume_[b] -= cell_volume_[cell];
}

void OrderSearch::CountFailed(const Frame& frame, int delta) {
  for (size_t f = 0; f < failed_.size(); ++f) {
    for (uint64_t key : frame.conflicts) {
      if (std::binary_search(failed_[f].begin(), failed_[f].end(), key)) missing_[f] += delta;
    }
  }
}

bool OrderSearch::ContainsFailed() const {
  return std::find(missing_.begin(), missing_.end(), 0) != missing_.end();
}

void OrderSearch::FillCandidates(Frame* frame) const {
  // The parent's other candidates, and what its step has made ready.
  if (frames_.size() > 1) {
    const Frame& parent = frames_[frames_.size() - 2];
    for (int32_t c : parent.candidates) {
      if (c != frame->step) frame->candidates.push_back(c);
    }
    for (int32_t s : successors_[frame->step]) {
      if (waiting_[s] == 0) frame->candidates.push_back(s);
    }
  } else {
    for (size_t s = 0; s < waiting_.size(); ++s) {
      if (waiting_[s] == 0) frame->candidates.push_back(static_cast<int32_t>(s));
    }
  }
  std::sort(frame->candidates.begin(), frame->candidates.end(),
            [this](int32_t a, int32_t b) { return rank_[a] < rank_[b]; });
}

// Schedules the step, or leaves everything as it was.
bool OrderSearch::Apply(int32_t step, Frame* frame) {
  frame->step = step;
  const std::vector<int32_t>& written = result_cells_[step];
  // Bytes still to be read by others must not be overwritten.
  for (int32_t c : written) {
    for (int32_t other : overlapping_[c]) {
      if (!defined_[other]) continue;
      const Cell& cell = model_.cells[other];
      const bool reads = std::binary_search(cell.readers.begin(), cell.readers.end(), step);
      if (cell.live_at_end || unread_[other] > (reads ? 1 : 0)) {
        blocked_ = {step, other};
        return false;
      }
    }
  }
  for (int32_t c : model_.reads[step]) {
    if (--unread_[c] == 0 && !model_.cells[c].live_at_end) {
      MakeDead(c);
      frame->died.push_back(c);
    }
  }
  bool fits = true;
  if (!written.empty()) {
    const BufferId buffer = model_.value_of(model_.cells[written[0]].instance).buffer;
    const size_t b = buffer.value();
    int64_t volume = volume_[b];
    for (int32_t c : written) volume += cell_volume_[c];
    fits = volume <= capacity_[b];
    if (!fits && (overflow_.volume == 0 || volume < overflow_.volume)) {
      overflow_.buffer = buffer;
      overflow_.step = step;
      overflow_.volume = volume;
      overflow_.cells = live_[b];
      overflow_.cells.insert(overflow_.cells.end(), written.begin(), written.end());
      std::sort(overflow_.cells.begin(), overflow_.cells.end());
    }
    if (fits) {
      for (int32_t c : written) {
        for (int32_t other : live_[b]) {
          // Kernel inputs are in every conflict; they tell no order from another.
          if (model_.value_of(model_.cells[other].instance).kind != assembly::Value::Kind::kInput) {
            frame->conflicts.push_back(PairKey(c, other));
          }
        }
      }
      std::sort(frame->conflicts.begin(), frame->conflicts.end());
    }
  }
  if (!fits) {
    for (int32_t c : frame->died) MakeLive(c);
    for (int32_t c : model_.reads[step]) ++unread_[c];
    return false;
  }
  for (int32_t c : written) {
    defined_[c] = true;
    if (unread_[c] > 0 || model_.cells[c].live_at_end) MakeLive(c);
  }
  for (int32_t s : successors_[step]) --waiting_[s];
  hash_.first ^= HashMix(static_cast<uint64_t>(step) + 1);
  hash_.second ^= HashMix((static_cast<uint64_t>(step) + 1) * 0x9e3779b97f4a7c15ull);
  order_.push_back(step);
  CountFailed(*frame, -1);
  return true;
}

void OrderSearch::Undo(const Frame& frame) {
  CountFailed(frame, 1);
  const int32_t step = frame.step;
  order_.pop_back();
  hash_.first ^= HashMix(static_cast<uint64_t>(step) + 1);
  hash_.second ^= HashMix((static_cast<uint64_t>(step) + 1) * 0x9e3779b97f4a7c15ull);
  for (int32_t s : successors_[step]) ++waiting_[s];
  for (int32_t c : result_cells_[step]) {
    defined_[c] = false;
    if (live_position_[c] >= 0) MakeDead(c);
  }
  for (int32_t c : frame.died) MakeLive(c);
  for (int32_t c : model_.reads[step]) ++unread_[c];
}

OrderSearch::Outcome OrderSearch::Next(int64_t* nodes, int64_t limit) {
  while (!frames_.empty()) {
    // Leaving a frame: complete, without candidates, or known to fail.
    Frame& frame = frames_.back();
    const bool complete = order_.size() == rank_.size();
    bool leave = frame.next >= frame.candidates.size();
    if (complete && frame.next == 0 && !ContainsFailed()) {
      frame.next = 1;  // an empty candidate list: the next visit leaves
      frame.tainted = true;
      return Outcome::kOrder;
    }
    if (ContainsFailed()) {
      frame.tainted = true;
      leave = true;
    }
    if (leave) {
      const bool tainted = frame.tainted;
      if (!tainted) dead_.insert(hash_);
      if (frames_.size() > 1) {
        Undo(frame);
        frames_[frames_.size() - 2].tainted |= tainted;
      }
      frames_.pop_back();
      continue;
    }
    const int32_t step = frame.candidates[frame.next++];
    if (*nodes >= limit) return Outcome::kLimit;
    ++*nodes;
    Frame child;
    if (!Apply(step, &child)) continue;
    if (dead_.count(hash_) != 0) {
      Undo(child);
      continue;
    }
    frames_.push_back(std::move(child));
    FillCandidates(&frames_.back());
  }
  return Outcome::kExhausted;
}

void OrderSearch::Failed() {
  std::vector<uint64_t> graph;
  for (const Frame& frame : frames_)
    graph.insert(graph.end(), frame.conflicts.begin(), frame.conflicts.end());
  std::sort(graph.begin(), graph.end());
  failed_.push_back(std::move(graph));
  missing_.push_back(0);
}

}  // namespace act::allocate
