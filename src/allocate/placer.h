// What the engines share: a partial placement and where a component can still go.
#pragma once
#include <optional>
#include <vector>

#include "allocate/packing.h"
#include "allocate/steps.h"

namespace act::allocate {

class Placer {
 public:
  explicit Placer(const Packing& packing);

  // Places what has one choice only. False on a contradiction.
  bool PlaceForced();
  // The least value >= from of the component at which its boxes meet no box placed so far.
  std::optional<int64_t> FirstFit(int32_t component, int64_t from);
  // Space from the component's boxes at `value` to the next placed box or the buffer's end, the least over
  // its boxes (first dimension).
  int64_t SlackAbove(int32_t component, int64_t value) const;
  // Sets the component and everything that follows; false, with nothing changed, on a contradiction.
  bool Set(int32_t component, int64_t value);
  void UndoTo(size_t trail) { assignment_.UndoTo(trail); }
  size_t mark() const { return assignment_.trail.size(); }

  const Assignment& assignment() const { return assignment_; }
  const Packing& packing() const { return packing_; }
  StepSolver& steps() { return steps_; }
  bool is_placed(int32_t component) const { return assignment_.known[component]; }
  // Components that hold boxes and are not placed yet.
  std::vector<int32_t> Unplaced() const;
  // The values, with every remaining component (addressing attributes alone) at its least value; nullopt if a
  // step then has no attributes. Changes the placement.
  std::optional<std::vector<int64_t>> Complete();

 private:
  // Where the component must at least move to leave `other`, if its box lies upon it at `value`.
  std::optional<int64_t> Blocked(int32_t component, int64_t value, const Box& box, const Box& other,
                                 bool* hopeless) const;
  bool Fits(int32_t component) const;

  const Packing& packing_;
  StepSolver steps_;
  Assignment assignment_;
};

}  // namespace act::allocate
