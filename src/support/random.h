// A seeded generator with the same numbers on every platform (xoshiro256**, seeded by splitmix64;
// Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators"). The standard library's
// distributions differ between implementations and are not used.
#pragma once
#include <cstdint>

namespace act {

class Random {
 public:
  explicit Random(uint64_t seed);
  uint64_t Next();
  // Uniform in [0, bound); bound >= 1.
  uint64_t Below(uint64_t bound);
  // Uniform in [low, high].
  int64_t Between(int64_t low, int64_t high);
  // Uniform in [0, 1), 53 bits.
  double Uniform();
  // Standard normal (Box-Muller, one value a call).
  double Normal();

 private:
  uint64_t state_[4] = {};
};

}  // namespace act
