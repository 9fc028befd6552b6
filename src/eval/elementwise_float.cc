// Elementwise float operations: exact results rounded once.
//
// Types narrower than f64 are computed at f64 and rounded to the type. For add, subtract, multiply, divide
// and sqrt that equals one rounding of the exact result: f64 has 53 bits, and 2p + 2 bits suffice for a type
// of p (Figueroa, "When is double rounding innocuous?"); f32 has p = 24. f32 itself takes the direct way.
// Functions (exp, log, ...) are libm's at f64, whose last bit differs between C libraries.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "eval/float_rules.h"
#include "eval/internal.h"

namespace act::eval {
namespace {

using hlo::Opcode;

constexpr int64_t kChunk = 512;

template <typename F>
bool Unary(ElementType type, const uint8_t* x, int64_t count, uint8_t* out, F f) {
  double values[kChunk];
  const int64_t size = StorageBytes(type);
  for (int64_t start = 0; start < count; start += kChunk) {
    const int64_t n = std::min(kChunk, count - start);
    LoadDoubles(type, x + start * size, n, values);
    for (int64_t i = 0; i < n; ++i) values[i] = OneNan(f(values[i]));
    StoreDoubles(type, values, n, out + start * size);
  }
  return true;
}

template <typename T, typename F>
void Direct(const uint8_t* x, const uint8_t* y, int64_t count, uint8_t* out, F f) {
  for (int64_t i = 0; i < count; ++i) {
    T a, b;
    std::memcpy(&a, x + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    std::memcpy(&b, y + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    const T r = OneNan(f(a, b));
    std::memcpy(out + i * static_cast<int64_t>(sizeof(T)), &r, sizeof(T));
  }
}

template <typename F>
bool Wide(ElementType type, const uint8_t* x, const uint8_t* y, int64_t count, uint8_t* out, F f) {
  double a[kChunk], b[kChunk];
  const int64_t size = StorageBytes(type);
  for (int64_t start = 0; start < count; start += kChunk) {
    const int64_t n = std::min(kChunk, count - start);
    LoadDoubles(type, x + start * size, n, a);
    LoadDoubles(type, y + start * size, n, b);
    for (int64_t i = 0; i < n; ++i) a[i] = OneNan(f(a[i], b[i]));
    StoreDoubles(type, a, n, out + start * size);
  }
  return true;
}

// Operations whose f32 form is correctly rounded by itself.
template <typename F>
bool Arithmetic(ElementType type, const uint8_t* x, const uint8_t* y, int64_t count, uint8_t* out, F f) {
  if (type == ElementType::kF32) {
    Direct<float>(x, y, count, out, f);
    return true;
  }
  return Wide(type, x, y, count, out, f);
}

// The sign bit flipped (mask all but it: cleared), which keeps a NaN's payload; for types with every
// sign-magnitude value.
bool Signs(bool negate, ElementType type, const uint8_t* x, int64_t count, uint8_t* out) {
  const int64_t size = StorageBytes(type);
  std::memcpy(out, x, static_cast<size_t>(count * size));
  for (int64_t i = 0; i < count; ++i) {
    uint8_t& top = out[i * size + size - 1];
    top = static_cast<uint8_t>(negate ? top ^ 0x80 : top & 0x7f);
  }
  return true;
}

bool HasSignBit(ElementType type) {
  switch (type) {
    case ElementType::kF8E3M4:
    case ElementType::kF8E4M3:
    case ElementType::kF8E4M3FN:
    case ElementType::kF8E5M2:
    case ElementType::kF16:
    case ElementType::kBF16:
    case ElementType::kF32:
    case ElementType::kF64:
      return true;
    default:
      return false;  // one NaN, no -0, or four bits: through the value
  }
}

}  // namespace

bool FloatUnary(Opcode opcode, ElementType type, const uint8_t* x, int64_t count, uint8_t* out) {
  const auto apply = [&](auto f) { return Unary(type, x, count, out, f); };
  switch (opcode) {
    case Opcode::kAbs:
      if (HasSignBit(type)) return Signs(false, type, x, count, out);
      return apply([](double v) { return std::fabs(v); });
    case Opcode::kNegate:
      if (HasSignBit(type)) return Signs(true, type, x, count, out);
      return apply([](double v) { return -v; });
    case Opcode::kCbrt:
      return apply([](double v) { return std::cbrt(v); });
    case Opcode::kCeil:
      return apply([](double v) { return std::ceil(v); });
    case Opcode::kCos:
      return apply([](double v) { return std::cos(v); });
    case Opcode::kErf:
      return apply([](double v) { return std::erf(v); });
    case Opcode::kExp:
      return apply([](double v) { return std::exp(v); });
    case Opcode::kExpm1:
      return apply([](double v) { return std::expm1(v); });
    case Opcode::kFloor:
      return apply([](double v) { return std::floor(v); });
    case Opcode::kLog:
      return apply([](double v) { return std::log(v); });
    case Opcode::kLog1p:
      return apply([](double v) { return std::log1p(v); });
    case Opcode::kLogistic:
      return apply([](double v) { return 1.0 / (1.0 + std::exp(-v)); });
    case Opcode::kRoundNearestAfz:
      return apply([](double v) { return std::round(v); });
    case Opcode::kRoundNearestEven:
      return apply([](double v) { return std::nearbyint(v); });
    case Opcode::kRsqrt:
      return apply([](double v) { return 1.0 / std::sqrt(v); });
    case Opcode::kSign:
      return apply([](double v) { return v > 0 ? 1.0 : v < 0 ? -1.0 : v; });
    case Opcode::kSin:
      return apply([](double v) { return std::sin(v); });
    case Opcode::kSqrt:
      return apply([](double v) { return std::sqrt(v); });
    case Opcode::kTan:
      return apply([](double v) { return std::tan(v); });
    case Opcode::kTanh:
      return apply([](double v) { return std::tanh(v); });
    default:
      return false;
  }
}

bool FloatBinary(Opcode opcode, ElementType type, const uint8_t* x, const uint8_t* y, int64_t count,
                 uint8_t* out) {
  const auto arithmetic = [&](auto f) { return Arithmetic(type, x, y, count, out, f); };
  const auto wide = [&](auto f) { return Wide(type, x, y, count, out, f); };
  switch (opcode) {
    case Opcode::kAdd:
      return arithmetic([](auto a, auto b) { return a + b; });
    case Opcode::kSubtract:
      return arithmetic([](auto a, auto b) { return a - b; });
    case Opcode::kMultiply:
      return arithmetic([](auto a, auto b) { return a * b; });
    case Opcode::kDivide:
      return arithmetic([](auto a, auto b) { return a / b; });
    case Opcode::kMaximum:
      return arithmetic([](auto a, auto b) { return Maximum(a, b); });
    case Opcode::kMinimum:
      return arithmetic([](auto a, auto b) { return Minimum(a, b); });
    case Opcode::kAtan2:
      return wide([](double a, double b) { return std::atan2(a, b); });
    case Opcode::kPower:
      return wide([](double a, double b) { return std::pow(a, b); });
    case Opcode::kRemainder:
      return wide([](double a, double b) { return std::fmod(a, b); });
    default:
      return false;
  }
}

namespace {

// x * y + z for values whose product is exact in f64, rounded to odd: a following rounding to at most 51
// bits equals one rounding of the exact result (Boldo and Melquiond, "Emulation of FMA and correctly rounded
// sums").
double FmaToOdd(double x, double y, double z) {
  const double product = x * y;
  const double sum = product + z;
  if (!std::isfinite(sum)) return sum;
  // The error of the sum, exactly (Knuth's two-sum).
  const double z_part = sum - product;
  const double error = (product - (sum - z_part)) + (z - z_part);
  auto bits = std::bit_cast<uint64_t>(sum);
  if (error != 0 && (bits & 1) == 0) {
    // The neighbour in the direction of the error has an odd last bit.
    bits = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  }
  return std::bit_cast<double>(bits);
}

}  // namespace

void FloatFma(ElementType type, const uint8_t* x, const uint8_t* y, const uint8_t* z, int64_t count,
              uint8_t* out) {
  const int64_t size = StorageBytes(type);
  for (int64_t i = 0; i < count; ++i) {
    double a, b, c;
    LoadDoubles(type, x + i * size, 1, &a);
    LoadDoubles(type, y + i * size, 1, &b);
    LoadDoubles(type, z + i * size, 1, &c);
    double result;
    if (type == ElementType::kF64) {
      result = std::fma(a, b, c);
    } else if (type == ElementType::kF32) {
      result = std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
    } else {
      result = FmaToOdd(a, b, c);
    }
    result = OneNan(result);
    StoreDoubles(type, &result, 1, out + i * size);
  }
}

}  // namespace act::eval
