#include <cstring>

#include "eval/internal.h"

namespace act::eval {
namespace {

using hlo::Direction;

template <typename T>
bool Holds(Direction direction, T x, T y) {
  switch (direction) {
    case Direction::kEq:
      return x == y;
    case Direction::kNe:
      return x != y;
    case Direction::kLt:
      return x < y;
    case Direction::kLe:
      return x <= y;
    case Direction::kGt:
      return x > y;
    case Direction::kGe:
      return x >= y;
  }
  return false;
}

template <typename T, typename Load>
void Loop(Direction direction, int64_t size, const uint8_t* x, const uint8_t* y, int64_t count, uint8_t* out,
          Load load) {
  constexpr int64_t kChunk = 512;
  T a[kChunk], b[kChunk];
  for (int64_t start = 0; start < count; start += kChunk) {
    const int64_t n = std::min(kChunk, count - start);
    load(x + start * size, n, a);
    load(y + start * size, n, b);
    for (int64_t i = 0; i < n; ++i) out[start + i] = Holds(direction, a[i], b[i]) ? 1 : 0;
  }
}

// Sign and magnitude of a float's bits as an integer with the same total order:
// -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
void LoadTotalOrder(ElementType type, const uint8_t* bytes, int64_t count, int64_t* values) {
  const auto size = static_cast<size_t>(StorageBytes(type));
  const int width = BitWidth(type);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes + static_cast<size_t>(i) * size, size);
    if (type == ElementType::kF8E8M0FNU) {  // unsigned
      values[i] = static_cast<int64_t>(bits);
      continue;
    }
    const uint64_t sign = uint64_t{1} << (width - 1);
    const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
    values[i] = (bits & sign) != 0 ? -1 - magnitude : magnitude;
  }
}

}  // namespace

bool Compare(Direction direction, bool total_order, ElementType type, const uint8_t* x, const uint8_t* y,
             int64_t count, uint8_t* out) {
  const int64_t size = StorageBytes(type);
  if (IsComplex(type)) {
    if (total_order || (direction != Direction::kEq && direction != Direction::kNe)) return false;
    for (int64_t i = 0; i < count; ++i) {
      std::complex<double> a, b;
      LoadComplex(type, x + i * size, 1, &a);
      LoadComplex(type, y + i * size, 1, &b);
      out[i] = (a == b) == (direction == Direction::kEq) ? 1 : 0;
    }
    return true;
  }
  if (IsFloat(type) && total_order) {
    Loop<int64_t>(direction, size, x, y, count, out, [=](const uint8_t* in, int64_t n, int64_t* values) {
      LoadTotalOrder(type, in, n, values);
    });
  } else if (IsFloat(type)) {
    Loop<double>(direction, size, x, y, count, out,
                 [=](const uint8_t* in, int64_t n, double* values) { LoadDoubles(type, in, n, values); });
  } else if (type == ElementType::kU64) {
    Loop<uint64_t>(direction, size, x, y, count, out, [=](const uint8_t* in, int64_t n, uint64_t* values) {
      std::memcpy(values, in, static_cast<size_t>(n) * sizeof(uint64_t));
    });
  } else {
    Loop<int64_t>(direction, size, x, y, count, out,
                  [=](const uint8_t* in, int64_t n, int64_t* values) { LoadInts(type, in, n, values); });
  }
  return true;
}

}  // namespace act::eval
