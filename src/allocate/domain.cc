#include "allocate/domain.h"

#include <algorithm>
#include <numeric>

#include "support/support.h"

namespace act::allocate {

int64_t FloorMod(int64_t value, int64_t modulus) {
  int64_t r = value % modulus;
  return r < 0 ? r + modulus : r;
}

std::optional<int64_t> Domain::AtLeast(int64_t value) const {
  value = std::max(value, low);
  if (value > high) return std::nullopt;
  int64_t step = FloorMod(remainder - FloorMod(value, modulus), modulus);
  std::optional<int64_t> result = CheckedAdd(value, step);
  if (!result || *result > high) return std::nullopt;
  return result;
}

bool Domain::Contains(int64_t value) const {
  return value >= low && value <= high && FloorMod(value, modulus) == remainder;
}

int64_t Domain::Count(int64_t limit) const {
  std::optional<int64_t> first = AtLeast(low);
  if (!first) return 0;
  return std::min(limit, (high - *first) / modulus + 1);
}

void Domain::RestrictRange(int64_t new_low, int64_t new_high) {
  low = std::max(low, new_low);
  high = std::min(high, new_high);
}

// Chinese remainders. A modulus beyond every address leaves at most one member, found by stepping.
void Domain::RestrictCongruence(int64_t new_modulus, int64_t new_remainder) {
  if (new_modulus <= 1) return;
  new_remainder = FloorMod(new_remainder, new_modulus);
  const int64_t common = std::gcd(modulus, new_modulus);
  if (FloorMod(new_remainder - remainder, common) != 0) return MakeEmpty();
  // x = remainder + modulus * k; k * (modulus / common) == (new_remainder - remainder) / common (mod m2).
  const int64_t m2 = new_modulus / common;
  const int128_t m1 = FloorMod(modulus / common, m2);
  const int64_t wanted = FloorMod((new_remainder - remainder) / common, m2);
  // Inverse of m1 modulo m2 by the extended Euclidean algorithm.
  int128_t r0 = m2, r1 = m1, s0 = 0, s1 = 1;
  while (r1 != 0) {
    const int128_t q = r0 / r1;
    r0 -= q * r1;
    std::swap(r0, r1);
    s0 -= q * s1;
    std::swap(s0, s1);
  }
  const int128_t inverse = ((s0 % m2) + m2) % m2;
  const int128_t k = m2 == 1 ? 0 : (inverse * wanted) % m2;
  const int128_t joint = static_cast<int128_t>(modulus) * m2;
  const int128_t residue = remainder + static_cast<int128_t>(modulus) * k;
  if (joint > kUnbounded) {
    // At most one member in any range we use.
    if (residue > high) return MakeEmpty();
    const int64_t only = static_cast<int64_t>(residue);
    if (only < low) return MakeEmpty();
    low = high = only;
    return;
  }
  modulus = static_cast<int64_t>(joint);
  remainder = static_cast<int64_t>(residue % joint);
}

void Domain::Intersect(const Domain& other) {
  RestrictRange(other.low, other.high);
  RestrictCongruence(other.modulus, other.remainder);
}

Domain Domain::Shifted(int64_t offset) const {
  Domain d = *this;
  d.low = low - offset;
  d.high = high - offset;
  d.remainder = FloorMod(remainder - FloorMod(offset, modulus), modulus);
  return d;
}

}  // namespace act::allocate
