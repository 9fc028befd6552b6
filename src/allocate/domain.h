// Sets of integers low <= x <= high, x == remainder (mod modulus).
#pragma once
#include <cstdint>
#include <limits>
#include <optional>

namespace act::allocate {

// Far beyond every address and far from overflow.
inline constexpr int64_t kUnbounded = int64_t{1} << 60;

struct Domain {
  int64_t low = 0;
  int64_t high = kUnbounded;
  int64_t modulus = 1;    // >= 1
  int64_t remainder = 0;  // in [0, modulus)

  // The least member >= value; nullopt if there is none.
  std::optional<int64_t> AtLeast(int64_t value) const;
  bool empty() const { return !AtLeast(low).has_value(); }
  bool Contains(int64_t value) const;
  // Number of members, at most `limit`.
  int64_t Count(int64_t limit) const;
  // Intersections. The set may become empty.
  void RestrictRange(int64_t new_low, int64_t new_high);
  void RestrictCongruence(int64_t new_modulus, int64_t new_remainder);
  void Intersect(const Domain& other);
  // The set { x - offset : x in this }.
  Domain Shifted(int64_t offset) const;

 private:
  void MakeEmpty() {
    low = 1;
    high = 0;
  }
};

// value mod modulus in [0, modulus).
int64_t FloorMod(int64_t value, int64_t modulus);

}  // namespace act::allocate
