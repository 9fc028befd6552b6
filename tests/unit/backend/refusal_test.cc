// Row 4: what no program of QKV computes is refused with a reason that names the operation, the instruction,
// the buffer or the limit.
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "common/compile.h"

namespace act::backend {
namespace {

const char kAdd[] =
    "add {\n  x = bf16[] parameter(0)\n  y = bf16[] parameter(1)\n  ROOT z = bf16[] add(x, y)\n}\n";

struct Case {
  const char* name;
  std::string body;  // of ENTRY
  std::vector<std::string> named;
};

std::string Module(const std::string& body) {
  return std::string("HloModule m\n") + kAdd + "ENTRY e {\n" + body + "}\n";
}

const std::string kTwo = "  a = bf16[64,64] parameter(0)\n  b = bf16[64,64] parameter(1)\n";

const Case kCases[] = {
    {"maximum", kTwo + "  ROOT r = bf16[64,64] maximum(a, b)\n", {"operation 'maximum'", "QKV"}},
    // pitfall 201
    {"sum of two", kTwo + "  ROOT r = bf16[64,64] add(a, b)\n", {"operation 'add'"}},
    // pitfall 20, 206
    {"exponential over another's sums",
     kTwo +
         "  ea = bf16[64,64] exponential(a)\n  eb = bf16[64,64] exponential(b)\n  zero = bf16[] constant(0)\n"
         "  s = bf16[64] reduce(eb, zero), dimensions={1}, to_apply=add\n"
         "  t = bf16[64,64] broadcast(s), dimensions={0}\n  ROOT r = bf16[64,64] divide(ea, t)\n",
     {"operation 'exponential'", "instruction 'softmax'"}},
    // pitfall 26
    {"sums laid along the wrong axis",
     "  a = bf16[64,64] parameter(0)\n  e = bf16[64,64] exponential(a)\n  zero = bf16[] constant(0)\n"
     "  s = bf16[64] reduce(e, zero), dimensions={1}, to_apply=add\n"
     "  t = bf16[64,64] broadcast(s), dimensions={1}\n  ROOT r = bf16[64,64] divide(e, t)\n",
     {"operation 'exponential'", "instruction 'softmax'"}},
    // pitfall 25
    {"sums along the other axis",
     "  a = bf16[64,64] parameter(0)\n  e = bf16[64,64] exponential(a)\n  zero = bf16[] constant(0)\n"
     "  s = bf16[64] reduce(e, zero), dimensions={0}, to_apply=add\n"
     "  t = bf16[64,64] broadcast(s), dimensions={0}\n  ROOT r = bf16[64,64] divide(e, t)\n",
     {"operation 'exponential'"}},
    {"f32 product",
     "  a = f32[64,64] parameter(0)\n  b = f32[64,64] parameter(1)\n"
     "  ROOT r = f32[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
     {"operation 'dot'", "instruction 'gemm'"}},
    // pitfall 202
    {"contraction of 128",
     "  a = bf16[64,128] parameter(0)\n  b = bf16[128,64] parameter(1)\n"
     "  ROOT r = bf16[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
     {"operation 'dot'", "dot{1,64,64,64}.bf16"}},
    // pitfall 203
    {"32 rows",
     "  a = bf16[32,64] parameter(0)\n  b = bf16[64,64] parameter(1)\n"
     "  ROOT r = bf16[32,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
     {"operation 'dot'"}},
    // pitfall 204
    {"two heads",
     "  a = bf16[2,64,64] parameter(0)\n  b = bf16[2,64,64] parameter(1)\n"
     "  ROOT r = bf16[2,64,64] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
     "rhs_contracting_dims={1}\n",
     {"operation 'dot'"}},
    {"copy of 129 rows",
     "  a = bf16[129,64] parameter(0)\n  ROOT r = bf16[129,64] copy(a)\n",
     {"parameter 0", "16512 bytes", "load_rm moves 128 to 16384 bytes into buffer 'd1' in steps of 128"}},
    // pitfall 104
    {"256 rows",
     "  a = bf16[256,64] parameter(0)\n  ROOT r = bf16[256,64] copy(a)\n",
     {"parameter 0", "load_rm moves"}},
    // pitfall 33
    {"bytes that are no row", "  a = bf16[50] parameter(0)\n  ROOT r = bf16[50] copy(a)\n", {"parameter 0"}},
    {"dynamic shape", "  a = bf16[<=64,64] parameter(0)\n  ROOT r = bf16[<=64,64] copy(a)\n", {"dynamic"}},
    {"unknown operation",
     "  a = bf16[64,64] parameter(0)\n  ROOT r = bf16[64,64] cholesky(a)\n",
     {"cholesky"}},
    {"no elements", "  a = bf16[0,64] parameter(0)\n  ROOT r = bf16[0,64] copy(a)\n", {"no elements"}},
    // pitfall 53
    {"sum from 5",
     "  a = bf16[64,64] parameter(0)\n  five = bf16[] constant(5)\n"
     "  ROOT r = bf16[64] reduce(a, five), dimensions={1}, to_apply=add\n",
     {"operation 'reduce'"}},
};

TEST(Refusal, NamesWhatIsInTheWay) {
  const isa::Accelerator accelerator = testing::ReadAccelerator("accelerators/qkv/QKV.taidl");
  select::Selector selector(&accelerator);
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto compiled = testing::CompileText(accelerator, &selector, "k", Module(c.body));
    ASSERT_FALSE(compiled.ok());
    const Diagnostic& d = compiled.status().front();
    EXPECT_NE(d.error_class, ErrorClass::kInternal) << d.message;
    for (const std::string& name : c.named) {
      EXPECT_NE(d.message.find(name), std::string::npos) << d.message;
    }
  }
}

// pitfall 200
TEST(Refusal, ShiftedSoftmaxNamesTheOption) {
  const isa::Accelerator accelerator = testing::ReadAccelerator("accelerators/qkv/QKV.taidl");
  select::Selector selector(&accelerator);
  const std::string text =
      "HloModule m\n" + std::string(kAdd) +
      "max {\n  x = bf16[] parameter(0)\n  y = bf16[] parameter(1)\n  ROOT z = bf16[] maximum(x, y)\n}\n"
      "ENTRY e {\n  a = bf16[64,64] parameter(0)\n  low = bf16[] constant(-inf)\n  zero = bf16[] "
      "constant(0)\n"
      "  h = bf16[64] reduce(a, low), dimensions={1}, to_apply=max\n  g = bf16[64,64] broadcast(h), "
      "dimensions={0}\n"
      "  d = bf16[64,64] subtract(a, g)\n  x = bf16[64,64] exponential(d)\n"
      "  s = bf16[64] reduce(x, zero), dimensions={1}, to_apply=add\n"
      "  t = bf16[64,64] broadcast(s), dimensions={0}\n  ROOT r = bf16[64,64] divide(x, t)\n}\n";
  const auto refused = testing::CompileText(accelerator, &selector, "k", text);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("--numerics=relaxed"), std::string::npos)
      << refused.status().message();
  EXPECT_NE(refused.status().message().find("softmax-without-shift"), std::string::npos);
  CompileOptions relaxed;
  relaxed.numerics = select::Numerics::kRelaxed;
  const auto compiled = testing::CompileText(accelerator, &selector, "k", text, relaxed);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  EXPECT_EQ(compiled->report.instructions, 6);
  ASSERT_FALSE(compiled->report.inexact_steps.empty());
  EXPECT_NE(compiled->report.inexact_steps.back().find("softmax-without-shift"), std::string::npos);
}

}  // namespace
}  // namespace act::backend
