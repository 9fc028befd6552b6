#include "eval/dot_kernels.h"

#include <cmath>

namespace act::eval {
namespace {

template <typename T, typename Step>
void Product(const T* a, const T* b, T* c, int64_t m, int64_t k, int64_t n, Step step) {
  for (int64_t i = 0; i < m * n; ++i) c[i] = T{0};
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t p = 0; p < k; ++p) {
      const T factor = a[i * k + p];
      const T* row = b + p * n;
      T* out = c + i * n;
      for (int64_t j = 0; j < n; ++j) out[j] = step(factor, row[j], out[j]);
    }
  }
}

// std::fma is one rounding by definition; where the machine lacks the instruction the library computes it.
void F32(const float* a, const float* b, float* c, int64_t m, int64_t k, int64_t n) {
  Product(a, b, c, m, k, n, [](float x, float y, float z) { return std::fma(x, y, z); });
}
void F64(const double* a, const double* b, double* c, int64_t m, int64_t k, int64_t n) {
  Product(a, b, c, m, k, n, [](double x, double y, double z) { return std::fma(x, y, z); });
}
void I32(const uint32_t* a, const uint32_t* b, uint32_t* c, int64_t m, int64_t k, int64_t n) {
  Product(a, b, c, m, k, n, [](uint32_t x, uint32_t y, uint32_t z) { return z + x * y; });
}

}  // namespace

DotKernels PortableDotKernels() { return {F32, F64, I32}; }

#if defined(__x86_64__)
bool HasWideDotKernels() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
bool HasWideDotKernels() { return false; }
DotKernels WideDotKernels() { return PortableDotKernels(); }
#endif

}  // namespace act::eval
