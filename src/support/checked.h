// Signed 64-bit arithmetic that reports overflow instead of wrapping. Sizes, addresses, strides and
// products of dimensions all go through it.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace act {

__extension__ typedef __int128 int128_t;  // NOLINT(modernize-use-using): `using` cannot say __extension__

inline std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
  return r;
}
inline std::optional<int64_t> CheckedSub(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_sub_overflow(a, b, &r)) return std::nullopt;
  return r;
}
inline std::optional<int64_t> CheckedMul(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
  return r;
}
// Product of all values; 1 for none.
inline std::optional<int64_t> CheckedProduct(std::span<const int64_t> values) {
  int64_t product = 1;
  for (int64_t v : values) {
    if (__builtin_mul_overflow(product, v, &product)) return std::nullopt;
  }
  return product;
}
// Rounds value up to a multiple of alignment (alignment >= 1, value >= 0).
inline std::optional<int64_t> CheckedRoundUp(int64_t value, int64_t alignment) {
  int64_t remainder = value % alignment;
  return remainder == 0 ? std::optional<int64_t>(value) : CheckedAdd(value, alignment - remainder);
}

}  // namespace act
