// Arrays in an accumulator type, for dot and reduce: an operand is widened once and put in the order in which
// the sums walk it.
#pragma once
#include <algorithm>
#include <complex>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "eval/float_rules.h"
#include "eval/internal.h"

namespace act::eval {

// T: float, double, uint32_t, int64_t, std::complex<float>, std::complex<double>.
template <typename T>
std::vector<T> Widen(const Literal& literal) {
  constexpr int64_t kChunk = 512;
  const ElementType type = literal.shape.type;
  const int64_t count = literal.num_elements(), size = StorageBytes(type);
  std::vector<T> values(static_cast<size_t>(count));
  const auto chunks = [&](auto* buffer, auto load) {
    for (int64_t start = 0; start < count; start += kChunk) {
      const int64_t n = std::min(kChunk, count - start);
      load(type, literal.bytes.data() + start * size, n, buffer);
      for (int64_t i = 0; i < n; ++i) values[static_cast<size_t>(start + i)] = static_cast<T>(buffer[i]);
    }
  };
  if constexpr (std::is_integral_v<T>) {
    int64_t buffer[kChunk];
    chunks(buffer, LoadInts);
  } else if constexpr (std::is_floating_point_v<T>) {
    double buffer[kChunk];
    chunks(buffer, LoadDoubles);
  } else {
    std::complex<double> buffer[kChunk];
    chunks(buffer, LoadComplex);
  }
  return values;
}

// The values of an array of `dims` with its dimensions in the order `order` (result dimension i is dims'
// dimension order[i]).
template <typename T>
std::vector<T> Reorder(std::vector<T> values, std::span<const int64_t> dims, std::span<const int64_t> order) {
  if (std::ranges::is_sorted(order)) return values;
  const std::vector<int64_t> strides = RowMajorStrides(dims);
  std::vector<int64_t> to_dims, from_strides;
  for (int64_t d : order) {
    to_dims.push_back(dims[static_cast<size_t>(d)]);
    from_strides.push_back(strides[static_cast<size_t>(d)]);
  }
  std::vector<T> result(values.size());
  if (values.empty()) return result;
  CopyStrided(sizeof(T), to_dims, reinterpret_cast<const uint8_t*>(values.data()), from_strides,
              reinterpret_cast<uint8_t*>(result.data()), RowMajorStrides(to_dims));
  return result;
}

// Rounds (floats) or wraps (integers) each value once to the literal's type.
template <typename T>
void StoreAll(std::span<const T> values, Literal* literal) {
  constexpr int64_t kChunk = 512;
  const ElementType type = literal->shape.type;
  const auto count = static_cast<int64_t>(values.size());
  const int64_t size = StorageBytes(type);
  for (int64_t start = 0; start < count; start += kChunk) {
    const int64_t n = std::min(kChunk, count - start);
    uint8_t* out = literal->bytes.data() + start * size;
    const T* in = values.data() + start;
    if constexpr (std::is_integral_v<T>) {
      int64_t buffer[kChunk];
      for (int64_t i = 0; i < n; ++i) buffer[i] = static_cast<int64_t>(in[i]);
      StoreInts(type, buffer, n, /*is_unsigned=*/false, out);
    } else if constexpr (std::is_floating_point_v<T>) {
      double buffer[kChunk];
      for (int64_t i = 0; i < n; ++i) buffer[i] = OneNan(static_cast<double>(in[i]));
      StoreDoubles(type, buffer, n, out);
    } else {
      std::complex<double> buffer[kChunk];
      for (int64_t i = 0; i < n; ++i) {
        buffer[i] = {OneNan(static_cast<double>(in[i].real())), OneNan(static_cast<double>(in[i].imag()))};
      }
      StoreComplex(type, buffer, n, out);
    }
  }
}

// Whether `elements` values of an accumulator type stay within the memory limit.
inline bool FitsAccumulator(int64_t elements, size_t bytes) {
  return elements <= kMaxValueBytes / static_cast<int64_t>(bytes);
}

}  // namespace act::eval
