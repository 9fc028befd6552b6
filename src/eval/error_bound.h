// The evaluator with an error bound beside every element.
#pragma once
#include <span>
#include <vector>

#include "hlo/hlo.h"
#include "support/support.h"

namespace act::eval {

// value: as Evaluate gives it. bound[i] >= 0 (row-major): any evaluation that is equal over the reals, rounds
// each float operation to the kernel's own type or wider, and sums in any order lies within bound[i] of
// element i. Infinite where no bound is known (for example behind a comparison that could go either way).
struct Bounded {
  Literal value;
  std::vector<double> bound;
};
StatusOr<std::vector<Bounded>> EvaluateWithBound(const hlo::FlatKernel& kernel,
                                                 std::span<const Literal> parameters);

}  // namespace act::eval
