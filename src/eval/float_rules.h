// Rules for NaN and signed zero that elementwise operations and reductions share.
#pragma once
#include <cmath>
#include <limits>

namespace act::eval {

// A NaN that an operation computes is the positive quiet one: which operand's sign survives would depend on
// how the compiler ordered a commutative instruction.
template <typename T>
T OneNan(T value) {
  return value == value ? value : std::numeric_limits<T>::quiet_NaN();
}

// NaN if either is NaN; +0 is above -0 (IEEE 754-2019 maximum and minimum).
template <typename T>
T Maximum(T x, T y) {
  if (x != x || y != y) return std::numeric_limits<T>::quiet_NaN();
  if (x == y) return std::signbit(x) ? y : x;
  return x > y ? x : y;
}
template <typename T>
T Minimum(T x, T y) {
  if (x != x || y != y) return std::numeric_limits<T>::quiet_NaN();
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

}  // namespace act::eval
