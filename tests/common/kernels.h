// The kernels of the foundation's table (issue 2, row 3) as HLO text, for any row count and element type.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace act::testing {

struct KernelCase {
  std::string name;
  std::string text;
  int qkv = 0;      // at most that many instructions on QKV,
  int qkv_new = 0;  // and on QKV_new
  bool softmax = false;
  bool relaxed = false;  // compiles only with --numerics=relaxed
};

// n: rows and columns; type: "bf16", "f16", "f32", "s32" (softmax kernels are left out for integers).
std::vector<KernelCase> FoundationKernels(int64_t n, const std::string& type);

}  // namespace act::testing
