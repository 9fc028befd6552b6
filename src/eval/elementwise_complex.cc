// Elementwise operations on c64 and c128, at c128 for both; c64 rounds each part once at the end.
#include <cmath>

#include "eval/internal.h"

namespace act::eval {
namespace {

using hlo::Opcode;
using Complex = std::complex<double>;

Complex Multiply(Complex x, Complex y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

template <typename F>
bool Map(ElementType type, const uint8_t* x, int64_t count, uint8_t* out, F f) {
  const int64_t size = StorageBytes(type);
  for (int64_t i = 0; i < count; ++i) {
    Complex value;
    LoadComplex(type, x + i * size, 1, &value);
    value = f(value);
    StoreComplex(type, &value, 1, out + i * size);
  }
  return true;
}

template <typename F>
bool MapToReal(ElementType type, ElementType result, const uint8_t* x, int64_t count, uint8_t* out, F f) {
  const int64_t size = StorageBytes(type), result_size = StorageBytes(result);
  for (int64_t i = 0; i < count; ++i) {
    Complex value;
    LoadComplex(type, x + i * size, 1, &value);
    const double real = f(value);
    StoreDoubles(result, &real, 1, out + i * result_size);
  }
  return true;
}

}  // namespace

bool ComplexUnary(Opcode opcode, ElementType type, ElementType result, const uint8_t* x, int64_t count,
                  uint8_t* out) {
  const auto apply = [&](auto f) { return Map(type, x, count, out, f); };
  const auto to_real = [&](auto f) { return MapToReal(type, result, x, count, out, f); };
  switch (opcode) {
    case Opcode::kAbs:
      return to_real([](Complex v) { return std::hypot(v.real(), v.imag()); });
    case Opcode::kReal:
      return to_real([](Complex v) { return v.real(); });
    case Opcode::kImag:
      return to_real([](Complex v) { return v.imag(); });
    case Opcode::kNegate:
      return apply([](Complex v) { return Complex(-v.real(), -v.imag()); });
    case Opcode::kSign:
      return apply([](Complex v) {
        const double size = std::hypot(v.real(), v.imag());
        return size == 0 ? v : Complex(v.real() / size, v.imag() / size);
      });
    case Opcode::kExp:
      return apply([](Complex v) { return std::exp(v); });
    case Opcode::kExpm1:
      return apply([](Complex v) {
        // exp(a) cos b - 1 = expm1(a) cos b - 2 sin^2(b/2), without cancellation near zero.
        const double sine = std::sin(v.imag() / 2);
        return Complex(std::expm1(v.real()) * std::cos(v.imag()) - 2 * sine * sine,
                       std::exp(v.real()) * std::sin(v.imag()));
      });
    case Opcode::kLog:
      return apply([](Complex v) { return std::log(v); });
    case Opcode::kLog1p:
      return apply([](Complex v) {
        // log|1+v|: log1p of |1+v|^2 - 1 = a(2+a) + b^2.
        const double a = v.real(), b = v.imag();
        return Complex(std::log1p(a * (2 + a) + b * b) / 2, std::atan2(b, 1 + a));
      });
    case Opcode::kLogistic:
      return apply([](Complex v) { return 1.0 / (1.0 + std::exp(-v)); });
    case Opcode::kSqrt:
      return apply([](Complex v) { return std::sqrt(v); });
    case Opcode::kRsqrt:
      return apply([](Complex v) { return 1.0 / std::sqrt(v); });
    case Opcode::kSin:
      return apply([](Complex v) { return std::sin(v); });
    case Opcode::kCos:
      return apply([](Complex v) { return std::cos(v); });
    case Opcode::kTan:
      return apply([](Complex v) { return std::tan(v); });
    case Opcode::kTanh:
      return apply([](Complex v) { return std::tanh(v); });
    default:
      return false;
  }
}

bool ComplexBinary(Opcode opcode, ElementType type, const uint8_t* x, const uint8_t* y, int64_t count,
                   uint8_t* out) {
  const int64_t size = StorageBytes(type);
  const auto apply = [&](auto f) {
    for (int64_t i = 0; i < count; ++i) {
      Complex a, b;
      LoadComplex(type, x + i * size, 1, &a);
      LoadComplex(type, y + i * size, 1, &b);
      a = f(a, b);
      StoreComplex(type, &a, 1, out + i * size);
    }
    return true;
  };
  switch (opcode) {
    case Opcode::kAdd:
      return apply([](Complex a, Complex b) { return a + b; });
    case Opcode::kSubtract:
      return apply([](Complex a, Complex b) { return a - b; });
    case Opcode::kMultiply:
      return apply(Multiply);
    case Opcode::kDivide:
      return apply([](Complex a, Complex b) { return a / b; });
    case Opcode::kPower:
      return apply([](Complex a, Complex b) {
        if (b == Complex(0, 0)) return Complex(1, 0);
        if (a == Complex(0, 0)) return Complex(0, 0);
        return std::pow(a, b);
      });
    default:
      return false;
  }
}

}  // namespace act::eval
