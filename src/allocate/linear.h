// Start expressions over the addressing attributes of one step: linear forms and preimages.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "allocate/domain.h"
#include "isa/isa.h"

namespace act::allocate {

// constant + sum of coefficient * @a[attribute], terms by increasing attribute, no coefficient 0.
struct LinearForm {
  int64_t constant = 0;
  std::vector<std::pair<int32_t, int64_t>> terms;
};
// nullopt if the expression is not of that form at these computational attributes and states, or if a
// number leaves the range of addresses.
std::optional<LinearForm> ToLinear(const isa::Expression& expression, const isa::Environment& environment);

// A superset of the values of @a[attribute] for which the expression can be `target`, every other attribute
// as in the environment. Exact for expressions in which the attribute occurs once below sums, products by
// known factors and quotients by known divisors; `start` where nothing is known.
Domain Preimage(const isa::Expression& expression, int32_t attribute, int64_t target,
                const isa::Environment& environment, const Domain& start);

}  // namespace act::allocate
