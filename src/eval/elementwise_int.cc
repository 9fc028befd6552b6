// Elementwise operations on integers and pred: two's complement, wrapping. Narrow types are computed at 64
// bits and wrapped when stored.
#include <bit>
#include <limits>

#include "eval/internal.h"

namespace act::eval {
namespace {

using hlo::Opcode;

constexpr int64_t kChunk = 512;

uint64_t U(int64_t v) { return static_cast<uint64_t>(v); }
int64_t S(uint64_t v) { return static_cast<int64_t>(v); }

template <typename F>
bool Map(ElementType type, const uint8_t* x, int64_t count, uint8_t* out, F f) {
  int64_t values[kChunk];
  const int64_t size = StorageBytes(type);
  for (int64_t start = 0; start < count; start += kChunk) {
    const int64_t n = std::min(kChunk, count - start);
    LoadInts(type, x + start * size, n, values);
    for (int64_t i = 0; i < n; ++i) values[i] = f(values[i]);
    StoreInts(type, values, n, /*is_unsigned=*/false, out + start * size);
  }
  return true;
}

template <typename F>
bool Map2(ElementType type, const uint8_t* x, const uint8_t* y, int64_t count, uint8_t* out, F f) {
  int64_t a[kChunk], b[kChunk];
  const int64_t size = StorageBytes(type);
  for (int64_t start = 0; start < count; start += kChunk) {
    const int64_t n = std::min(kChunk, count - start);
    LoadInts(type, x + start * size, n, a);
    LoadInts(type, y + start * size, n, b);
    for (int64_t i = 0; i < n; ++i) a[i] = f(a[i], b[i]);
    StoreInts(type, a, n, /*is_unsigned=*/false, out + start * size);
  }
  return true;
}

int64_t DivideSigned(int64_t a, int64_t b) {
  if (b == 0) return -1;
  if (b == -1) return S(0 - U(a));  // MIN / -1 is MIN
  return a / b;
}
int64_t RemainderSigned(int64_t a, int64_t b) {
  if (b == 0) return a;
  if (b == -1) return 0;
  return a % b;
}

int64_t PowerUnsigned(int64_t base, uint64_t exponent) {
  uint64_t result = 1, square = U(base);
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= square;
    square *= square;
  }
  return S(result);
}
// A negative exponent gives the integer part of the reciprocal power, 0 for base 0.
int64_t PowerSigned(int64_t base, int64_t exponent) {
  if (exponent >= 0) return PowerUnsigned(base, U(exponent));
  if (base == 1) return 1;
  if (base == -1) return (exponent & 1) != 0 ? -1 : 1;
  return 0;
}

}  // namespace

bool IntUnary(Opcode opcode, ElementType type, const uint8_t* x, int64_t count, uint8_t* out) {
  const bool pred = type == ElementType::kPred;
  const bool is_signed = IsSignedInteger(type);
  const int width = BitWidth(type);
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const auto apply = [&](auto f) { return Map(type, x, count, out, f); };
  if (opcode == Opcode::kNot) {
    if (pred) return apply([](int64_t v) { return int64_t{v == 0}; });
    return apply([](int64_t v) { return ~v; });
  }
  if (pred) return false;
  switch (opcode) {
    case Opcode::kAbs:
      return apply([=](int64_t v) { return is_signed && v < 0 ? S(0 - U(v)) : v; });
    case Opcode::kNegate:
      return apply([](int64_t v) { return S(0 - U(v)); });
    case Opcode::kSign:
      return apply([=](int64_t v) { return is_signed ? int64_t{v > 0} - int64_t{v < 0} : int64_t{v != 0}; });
    case Opcode::kPopcnt:
      return apply([=](int64_t v) { return int64_t{std::popcount(U(v) & mask)}; });
    case Opcode::kClz:
      return apply([=](int64_t v) { return int64_t{std::countl_zero(U(v) & mask)} - (64 - width); });
    default:
      return false;
  }
}

bool IntBinary(Opcode opcode, ElementType type, const uint8_t* x, const uint8_t* y, int64_t count,
               uint8_t* out) {
  const bool is_signed = IsSignedInteger(type);
  const auto width = static_cast<uint64_t>(BitWidth(type));
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const auto apply = [&](auto f) { return Map2(type, x, y, count, out, f); };
  switch (opcode) {
    case Opcode::kAdd:  // on pred: or
      return apply([](int64_t a, int64_t b) { return S(U(a) + U(b)); });
    case Opcode::kMultiply:  // on pred: and
      return apply([](int64_t a, int64_t b) { return S(U(a) * U(b)); });
    case Opcode::kMaximum:
      if (is_signed) return apply([](int64_t a, int64_t b) { return a > b ? a : b; });
      return apply([](int64_t a, int64_t b) { return U(a) > U(b) ? a : b; });
    case Opcode::kMinimum:
      if (is_signed) return apply([](int64_t a, int64_t b) { return a < b ? a : b; });
      return apply([](int64_t a, int64_t b) { return U(a) < U(b) ? a : b; });
    case Opcode::kAnd:
      return apply([](int64_t a, int64_t b) { return a & b; });
    case Opcode::kOr:
      return apply([](int64_t a, int64_t b) { return a | b; });
    case Opcode::kXor:
      return apply([](int64_t a, int64_t b) { return a ^ b; });
    default:
      break;
  }
  if (type == ElementType::kPred) return false;
  switch (opcode) {
    case Opcode::kSubtract:
      return apply([](int64_t a, int64_t b) { return S(U(a) - U(b)); });
    case Opcode::kDivide:
      if (is_signed) return apply(DivideSigned);
      return apply([](int64_t a, int64_t b) { return b == 0 ? -1 : S(U(a) / U(b)); });
    case Opcode::kRemainder:
      if (is_signed) return apply(RemainderSigned);
      return apply([](int64_t a, int64_t b) { return b == 0 ? a : S(U(a) % U(b)); });
    case Opcode::kPower:
      if (is_signed) return apply(PowerSigned);
      return apply([](int64_t a, int64_t b) { return PowerUnsigned(a, U(b)); });
    // A shift amount counts as unsigned, so a negative one is "the width or more".
    case Opcode::kShiftLeft:
      return apply(
          [=](int64_t a, int64_t b) { return (U(b) & mask) >= width ? 0 : S(U(a) << (U(b) & mask)); });
    case Opcode::kShiftRightLogical:
      return apply([=](int64_t a, int64_t b) {
        return (U(b) & mask) >= width ? 0 : S((U(a) & mask) >> (U(b) & mask));
      });
    case Opcode::kShiftRightArithmetic:
      // The sign is the top bit of the width, for unsigned types too.
      return apply([=](int64_t a, int64_t b) {
        const uint64_t amount = std::min(U(b) & mask, width - 1);
        const int64_t extended = S(U(a) << (64 - width)) >> (64 - width);
        return extended >> amount;
      });
    default:
      return false;
  }
}

}  // namespace act::eval
