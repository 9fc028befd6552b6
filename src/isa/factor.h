// Divisors of a number.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace act::isa {

// All positive divisors of value >= 1 in increasing order; nullopt where there are more than `limit`, or the
// number cannot be taken apart by trial division within a fixed number of steps.
std::optional<std::vector<int64_t>> Divisors(int64_t value, size_t limit);

}  // namespace act::isa
