// Matrix products c[m,n] = a[m,k] * b[k,n], row-major and dense, every sum in increasing order of k from 0.
#pragma once
#include <cstdint>

namespace act::eval {

struct DotKernels {
  // One fused multiply-add a step.
  void (*f32)(const float* a, const float* b, float* c, int64_t m, int64_t k, int64_t n);
  void (*f64)(const double* a, const double* b, double* c, int64_t m, int64_t k, int64_t n);
  // Modulo 2^32.
  void (*i32)(const uint32_t* a, const uint32_t* b, uint32_t* c, int64_t m, int64_t k, int64_t n);
};

// Any machine.
DotKernels PortableDotKernels();
// x86-64-v3; same bits. Call only if HasWideDotKernels().
DotKernels WideDotKernels();
bool HasWideDotKernels();

}  // namespace act::eval
