// Equations and constraints of single steps: what components do not say by themselves.
#pragma once
#include <vector>

#include "allocate/model.h"

namespace act::allocate {

// Values of the components chosen so far.
struct Assignment {
  std::vector<int64_t> value;
  std::vector<bool> known;
  std::vector<int32_t> trail;  // components in the order of their choice
  explicit Assignment(size_t components) : value(components, 0), known(components, false) {}
  void Set(int32_t component, int64_t v) {
    value[component] = v;
    known[component] = true;
    trail.push_back(component);
  }
  void UndoTo(size_t size) {
    while (trail.size() > size) {
      known[trail.back()] = false;
      trail.pop_back();
    }
  }
  bool Known(const Coordinate& c) const { return known[c.component]; }
  int64_t At(const Coordinate& c) const { return value[c.component] + c.offset; }
};

class StepSolver {
 public:
  explicit StepSolver(const Model& model);

  // The least member >= from of the component's domain that passes its filters. Gives up (was_cut) after
  // some thousand members refused by filters.
  std::optional<int64_t> Least(int32_t component, int64_t from);
  bool Allowed(int32_t component, int64_t value) const;
  // Draws the consequences of trail[from..] in the open steps: assigns components that follow. False on a
  // contradiction.
  bool Propagate(Assignment* assignment, size_t from);
  // Addressing attributes of a step all of whose places are known: the least values by attribute that satisfy
  // every start expression, constraint and mark; nullopt if there are none (or was_cut).
  std::optional<std::vector<int64_t>> Solve(int32_t step, const Assignment& assignment);
  // Whether some answer was given up on for its size.
  bool was_cut() const { return was_cut_; }
  bool has_open_steps() const { return !model_.open_steps.empty(); }

 private:
  bool PropagateStep(int32_t step, Assignment* assignment);
  bool Check(int32_t step, const std::vector<int64_t>& attributes, const Assignment& assignment) const;
  bool CheckConstraints(int32_t step, const std::vector<int64_t>& attributes,
                        const std::vector<bool>& known) const;
  const isa::Expression* Start(int32_t step, size_t region, size_t d) const;
  const std::vector<Coordinate>& PlaceOf(int32_t step, size_t region) const;

  const Model& model_;
  std::vector<std::vector<int32_t>> open_by_component_;
  std::vector<std::vector<std::vector<bool>>>
      constraint_attributes_;  // of open steps: step, constraint, attribute
  mutable bool was_cut_ = false;
};

}  // namespace act::allocate
