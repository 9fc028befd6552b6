#include "isa/factor.h"

#include <algorithm>

namespace act::isa {

std::optional<std::vector<int64_t>> Divisors(int64_t value, size_t limit) {
  constexpr int64_t kLargestTrial = int64_t{1} << 20;
  std::vector<int64_t> divisors{1};
  // Multiplies every divisor so far by 1, prime, ..., prime^power.
  const auto extend = [&divisors, limit](int64_t prime, int power) {
    const size_t before = divisors.size();
    if (before * static_cast<size_t>(power + 1) > limit) return false;
    int64_t factor = 1;
    for (int p = 0; p < power; ++p) {
      factor *= prime;
      for (size_t i = 0; i < before; ++i) divisors.push_back(divisors[i] * factor);
    }
    return true;
  };
  for (int64_t prime = 2; prime <= kLargestTrial && prime * prime <= value; prime += prime == 2 ? 1 : 2) {
    int power = 0;
    while (value % prime == 0) {
      value /= prime;
      ++power;
    }
    if (power > 0 && !extend(prime, power)) return std::nullopt;
  }
  if (value > 1) {
    // No factor up to the largest trial: prime if it is smaller than that squared.
    if (value > kLargestTrial * kLargestTrial) return std::nullopt;
    if (!extend(value, 1)) return std::nullopt;
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

}  // namespace act::isa
