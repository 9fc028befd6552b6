// The products for x86-64-v3. This file alone is compiled for that machine level, so it must not use inline
// functions of other headers: the linker might keep this copy for everyone.
#include "eval/dot_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace act::eval {
namespace {

struct F32 {
  using T = float;
  using V = __m256;
  static constexpr int64_t kLanes = 8;
  static V Zero() { return _mm256_setzero_ps(); }
  static V Load(const T* p) { return _mm256_loadu_ps(p); }
  static void Store(T* p, V v) { _mm256_storeu_ps(p, v); }
  static V Spread(T x) { return _mm256_set1_ps(x); }
  static V Step(V x, V y, V z) { return _mm256_fmadd_ps(x, y, z); }
  static T Step(T x, T y, T z) { return __builtin_fmaf(x, y, z); }
};
struct F64 {
  using T = double;
  using V = __m256d;
  static constexpr int64_t kLanes = 4;
  static V Zero() { return _mm256_setzero_pd(); }
  static V Load(const T* p) { return _mm256_loadu_pd(p); }
  static void Store(T* p, V v) { _mm256_storeu_pd(p, v); }
  static V Spread(T x) { return _mm256_set1_pd(x); }
  static V Step(V x, V y, V z) { return _mm256_fmadd_pd(x, y, z); }
  static T Step(T x, T y, T z) { return __builtin_fma(x, y, z); }
};
struct I32 {
  using T = uint32_t;
  using V = __m256i;
  static constexpr int64_t kLanes = 8;
  static V Zero() { return _mm256_setzero_si256(); }
  static V Load(const T* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static void Store(T* p, V v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  static V Spread(T x) { return _mm256_set1_epi32(static_cast<int>(x)); }
  static V Step(V x, V y, V z) { return _mm256_add_epi32(z, _mm256_mullo_epi32(x, y)); }
  static T Step(T x, T y, T z) { return z + x * y; }
};

// A block of kRows x (kColumns vectors) of outputs in registers over all of k.
template <typename A, int kRows, int kColumns>
void Block(const typename A::T* a, const typename A::T* b, typename A::T* c, int64_t k, int64_t n) {
  typename A::V sum[kRows][kColumns];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kColumns; ++v) sum[r][v] = A::Zero();
  }
  for (int64_t p = 0; p < k; ++p) {
    typename A::V row[kColumns];
    for (int v = 0; v < kColumns; ++v) row[v] = A::Load(b + p * n + v * A::kLanes);
    for (int r = 0; r < kRows; ++r) {
      const typename A::V factor = A::Spread(a[r * k + p]);
      for (int v = 0; v < kColumns; ++v) sum[r][v] = A::Step(factor, row[v], sum[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kColumns; ++v) A::Store(c + r * n + v * A::kLanes, sum[r][v]);
  }
}

template <typename A, int kRows>
void Rows(const typename A::T* a, const typename A::T* b, typename A::T* c, int64_t k, int64_t n) {
  int64_t j = 0;
  for (; j + 2 * A::kLanes <= n; j += 2 * A::kLanes) Block<A, kRows, 2>(a, b + j, c + j, k, n);
  for (; j + A::kLanes <= n; j += A::kLanes) Block<A, kRows, 1>(a, b + j, c + j, k, n);
  for (; j < n; ++j) {
    typename A::T sum[kRows] = {};
    for (int64_t p = 0; p < k; ++p) {
      for (int r = 0; r < kRows; ++r) sum[r] = A::Step(a[r * k + p], b[p * n + j], sum[r]);
    }
    for (int r = 0; r < kRows; ++r) c[r * n + j] = sum[r];
  }
}

template <typename A>
void Product(const typename A::T* a, const typename A::T* b, typename A::T* c, int64_t m, int64_t k,
             int64_t n) {
  int64_t i = 0;
  for (; i + 4 <= m; i += 4) Rows<A, 4>(a + i * k, b, c + i * n, k, n);
  for (; i < m; ++i) Rows<A, 1>(a + i * k, b, c + i * n, k, n);
}

}  // namespace

DotKernels WideDotKernels() { return {Product<F32>, Product<F64>, Product<I32>}; }

}  // namespace act::eval
#endif
