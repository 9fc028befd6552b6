// Compiles a kernel, runs the program in the simulator and compares with a reference written in the test.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace act::pitfalls {

using Values = std::vector<double>;  // a tensor, row-major
using Tensors = std::vector<Values>;
using Reference = std::function<Tensors(const Tensors& inputs)>;

// An accelerator with its selector.
class Machine {
 public:
  explicit Machine(const std::string& taidl);
  static Machine FromFile(const std::string& path);  // from the root of the repository

  // `lines`: the instructions of ENTRY, or a whole module if it begins with "HloModule". The reducers add,
  // maximum (bf16) and add_s32, maximum_s32 are there.
  StatusOr<backend::Compiled> Compile(const std::string& lines, const backend::CompileOptions& options = {},
                                      backend::CompileReport* report = nullptr);
  // The kernel compiles, and the program's outputs are the reference's, each within `tolerance`.
  std::optional<backend::Compiled> ExpectComputes(const std::string& lines, const Reference& reference,
                                                  double tolerance = 0);
  // The kernel compiles to right values, or is refused as ExpectRefused says.
  void ExpectComputesOrRefuses(const std::string& lines, const Reference& reference, double tolerance = 0);
  // Refused for a reason of the kernel, not of the compiler, in one sentence that holds every word of
  // `named`.
  void ExpectRefused(const std::string& lines, const std::vector<std::string>& named = {});

  const isa::Accelerator& accelerator() const { return *accelerator_; }
  std::string NativeText(const assembly::Program& program) const;
  int64_t Calls(const assembly::Program& program, const std::string& instruction) const;

 private:
  explicit Machine(isa::Accelerator accelerator);
  void CompareWith(const hlo::Module& module, const assembly::Program& program, const Reference& reference,
                   double tolerance);
  std::unique_ptr<isa::Accelerator> accelerator_;
  std::unique_ptr<select::Selector> selector_;
};

std::string ModuleText(const std::string& lines);

// Buffer v of 64 rows of s32[16], with load(n; from, to) and store(n; from, to); `more` is added.
std::string Toy(const std::string& more = "");

// Arithmetic of the references.
double Round(ElementType type, double value);
double WrapS32(int64_t value);
Values Map(const Values& x, const std::function<double(double)>& f);
Values Map(const Values& x, const Values& y, const std::function<double(double, double)>& f);
Values Transpose(const Values& x, int64_t rows, int64_t columns);
Values MatMul(const Values& x, const Values& y, int64_t m, int64_t k, int64_t n,
              ElementType type = ElementType::kBF16);
Values Softmax(const Values& x, int64_t rows, int64_t columns);  // over rows, not rounded
// Two bf16 ulps of the largest magnitude.
double TwoUlps(const Values& x);

}  // namespace act::pitfalls
