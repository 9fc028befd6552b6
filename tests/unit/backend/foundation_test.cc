// The foundation's table, row 3: every kernel compiles, is validated and verified, in at most so many
// instructions.
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "common/compile.h"
#include "common/kernels.h"

namespace act::backend {
namespace {

class Foundation : public ::testing::TestWithParam<const char*> {};

TEST_P(Foundation, KernelsCompileWithinTheirCounts) {
  const bool is_new = std::string(GetParam()).find("QKV_new") != std::string::npos;
  const isa::Accelerator accelerator = testing::ReadAccelerator(GetParam());
  select::Selector selector(&accelerator);
  for (const testing::KernelCase& kernel : testing::FoundationKernels(64, "bf16")) {
    SCOPED_TRACE(kernel.name);
    CompileOptions options;
    if (kernel.relaxed) options.numerics = select::Numerics::kRelaxed;
    const auto compiled = testing::CompileText(accelerator, &selector, kernel.name, kernel.text, options);
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    const int limit = is_new ? kernel.qkv_new : kernel.qkv;
    EXPECT_LE(compiled->report.instructions, limit);
    EXPECT_TRUE(compiled->report.validate.claims_result);
    std::printf("%-32s %2lld of at most %2d instructions; %s\n", kernel.name.c_str(),
                static_cast<long long>(compiled->report.instructions), limit,
                compiled->report.verification.c_str());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Foundation,
                         ::testing::Values("accelerators/qkv/QKV.taidl",
                                           "accelerators/qkv_new/QKV_new.taidl"));

}  // namespace
}  // namespace act::backend
