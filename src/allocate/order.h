// Orders of the steps: multi-buffer Sethi-Ullman, and the enumeration of all orders up to interference.
#pragma once
#include <cstdint>
#include <set>
#include <vector>

#include "allocate/model.h"

namespace act::allocate {

// Depth-first from the outputs, operands by decreasing max_d tau_d / capacity_d, anti-dependences respected.
std::vector<int32_t> SethiUllman(const Model& model);

// Where one order needs more of a buffer than there is.
struct Overflow {
  BufferId buffer;
  int32_t step = -1;           // whose result does not fit
  int64_t volume = 0;          // live there, addressed units
  std::vector<int32_t> cells;  // live there
};

// Enumerates topological orders depth first, steps by their rank in a first order. Prefixes are left as soon
// as (1) a step would overwrite bytes that are still to be read, (2) the live values exceed a buffer's
// volume, or (3) the conflicts so far contain the interference graph of an order that failed: fewer conflicts
// can only be easier to place, more cannot.
class OrderSearch {
 public:
  OrderSearch(const Model& model, const std::vector<int32_t>& first_order);

  enum class Outcome { kOrder, kExhausted, kLimit };
  // The next order; `nodes` counts steps tried and stops the search at `limit`.
  Outcome Next(int64_t* nodes, int64_t limit);
  const std::vector<int32_t>& order() const { return order_; }
  // The order that Next returned last has no addresses.
  void Failed();
  // The smallest overflow met; volume 0 if none was.
  const Overflow& overflow() const { return overflow_; }
  // A step that could not come because of bytes still to be read, and one of those cells; -1 if none.
  std::pair<int32_t, int32_t> blocked() const { return blocked_; }

 private:
  struct Frame {
    int32_t step = -1;                // that led here; -1 for the root
    std::vector<int32_t> candidates;  // by rank
    size_t next = 0;
    std::vector<int32_t> died;        // cells whose last reader `step` is
    std::vector<uint64_t> conflicts;  // sorted keys of pairs that `step` adds
    bool tainted = false;             // an order or a failed graph lies below: not a dead end by itself
  };
  bool Apply(int32_t step, Frame* frame);
  void Undo(const Frame& frame);
  void MakeLive(int32_t cell);
  void MakeDead(int32_t cell);
  void CountFailed(const Frame& frame, int delta);
  bool ContainsFailed() const;
  void FillCandidates(Frame* frame) const;

  const Model& model_;
  std::vector<int32_t> rank_;
  std::vector<std::vector<int32_t>> successors_;
  std::vector<std::vector<int32_t>> overlapping_;   // by cell
  std::vector<std::vector<int32_t>> result_cells_;  // by step
  std::vector<int64_t> volume_, capacity_;          // by buffer
  std::vector<int64_t> cell_volume_;
  std::vector<int32_t> waiting_, unread_;      // by step; by cell
  std::vector<bool> defined_;                  // by cell
  std::vector<std::vector<int32_t>> live_;     // by buffer
  std::vector<int32_t> live_position_;         // by cell, -1: not live
  std::vector<std::vector<uint64_t>> failed_;  // sorted keys
  std::vector<int64_t> missing_;               // of failed_[i], not in the prefix
  std::vector<Frame> frames_;
  std::vector<int32_t> order_;
  std::pair<uint64_t, uint64_t> hash_{0, 0};      // of the set of scheduled steps
  std::set<std::pair<uint64_t, uint64_t>> dead_;  // sets without a completion
  Overflow overflow_;
  std::pair<int32_t, int32_t> blocked_{-1, -1};
};

}  // namespace act::allocate
