// The published kernel format, byte for byte as in reference/taidl.md section 14.
#include <gtest/gtest.h>

#include "assembly/assembly.h"
#include "helpers/qkv.h"

namespace act::assembly {
namespace {

Shape Rows64() { return Shape::Array(ElementType::kBF16, {64, 64}); }

Statement MakeCall(const isa::Accelerator& accelerator, const std::string& name,
                   std::vector<int64_t> computational, const std::vector<int64_t>& addressing) {
  Statement s;
  s.call.instruction = *accelerator.FindInstruction(name);
  s.call.computational = std::move(computational);
  for (int64_t a : addressing) s.call.addressing.push_back(AttributeValue::Of(a));
  return s;
}

Program MakeXyt(const isa::Accelerator& qkv) {
  Program p;
  p.name = "xyt";
  p.target = "QKV";
  p.hbm_bytes = 24576;
  p.inputs = {{"", 0, Rows64()}, {"", 8192, Rows64()}};
  p.outputs = {{"", 16384, Rows64()}};
  p.body = {MakeCall(qkv, "load_rm", {64}, {0, 0}), MakeCall(qkv, "load_cm", {64}, {8192, 64}),
            MakeCall(qkv, "gemm", {}, {0, 64, 0}), MakeCall(qkv, "mov", {64}, {0, 0}),
            MakeCall(qkv, "store_rm", {64}, {0, 16384})};
  return p;
}

// pitfall 122
TEST(PythonPrintTest, ThePublishedExample) {
  isa::Accelerator qkv = MakeQkv();
  EXPECT_EQ(PrintPythonKernel(qkv, MakeXyt(qkv), {"xyt.hlo", 3}), R"(# Input file: xyt.hlo
# Kernel name: xyt
# Candidate: 3
# Do not edit!

import jax.numpy as jnp


def xyt(kernel, api):
    @kernel(hbm=24576,
            input=[
                {'addr': 0, 'shape': (64, 64), 'dtype': jnp.bfloat16},
                {'addr': 8192, 'shape': (64, 64), 'dtype': jnp.bfloat16},
            ],
            constant=[],
            output=[
                {'addr': 16384, 'shape': (64, 64), 'dtype': jnp.bfloat16},
            ]
            )
    def xyt_():
        api.load_rm(n = 64, addr_in = 0, addr_out = 0)
        api.load_cm(n = 64, addr_in = 8192, addr_out = 64)
        api.gemm(addr_1 = 0, addr_2 = 64, addr_out = 0)
        api.mov(n = 64, addr_in = 0, addr_out = 0)
        api.store_rm(n = 64, addr_in = 0, addr_out = 16384)

    return xyt_
)");
}

// pitfall 124, 125
TEST(PythonPrintTest, RanksZeroAndOneAndConstants) {
  isa::Accelerator qkv = MakeQkv();
  Program p;
  p.name = "k";
  p.original_name = "jit_f.1";
  p.target = "QKV";
  p.hbm_bytes = 1024;
  p.inputs = {{"", 0, Shape::Array(ElementType::kF32, {64})}, {"", 256, Shape::Array(ElementType::kS8, {})}};
  Literal c(Shape::Array(ElementType::kS8, {}));
  c.SetInt(0, -3);
  p.constants.push_back({"", 300, c});
  p.outputs = {{"", 512, Shape::Array(ElementType::kPred, {8})}};
  EXPECT_EQ(PrintPythonKernel(qkv, p, {"f.hlo", 1}), R"(# Input file: f.hlo
# Kernel name: jit_f.1
# Candidate: 1
# Do not edit!

import jax.numpy as jnp


def k(kernel, api):
    @kernel(hbm=1024,
            input=[
                {'addr': 0, 'shape': (64,), 'dtype': jnp.float32},
                {'addr': 256, 'shape': (), 'dtype': jnp.int8},
            ],
            constant=[
                {'addr': 300, 'shape': (), 'dtype': jnp.int8, 'value': -3},
            ],
            output=[
                {'addr': 512, 'shape': (8,), 'dtype': jnp.bool_},
            ]
            )
    def k_():
        pass

    return k_
)");
}

TEST(PythonPrintTest, LoopsAndDebug) {
  isa::Accelerator qkv = MakeQkv();
  Program p = MakeXyt(qkv);
  Statement loop;
  loop.kind = Statement::Kind::kLoop;
  loop.variable = "i";
  loop.end = 8;
  Statement call = MakeCall(qkv, "load_rm", {8}, {0, 0});
  using E = isa::Expression;
  call.call.addressing[0].expression = E::Binary(
      E::Kind::kAdd,
      E::Binary(E::Kind::kMultiply, E::Attribute(isa::AttributeKind::kAddressing, 0), E::Integer(64)),
      E::Integer(128));
  Statement debug;
  debug.kind = Statement::Kind::kDebug;
  debug.prefix = "row \"a\"";
  debug.buffer = BufferId(1);
  debug.position = {0, 3};
  loop.body = {call, debug};
  p.body = {loop};
  std::string text = PrintPythonKernel(qkv, p, {"x.hlo", 1});
  EXPECT_EQ(text.substr(text.find("    def xyt_")), R"py(    def xyt_():
        api.start_loop("i", 0, 8)
        api.load_rm(n = 8, addr_in = "%i*64 + 128", addr_out = 0)
        api.debug("row \"a\"", "d1[0,3]")
        api.end_loop()

    return xyt_
)py");
  StatusOr<Program> read = ParsePythonKernel(qkv, SourceText("x.py", text));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(PrintPythonKernel(qkv, *read, {"x.hlo", 1}), text);
  EXPECT_EQ(PrintNative(qkv, *read), PrintNative(qkv, p));
}

// pitfall 126
TEST(PythonPrintTest, TheHeaderNamesNoDirectory) {
  isa::Accelerator qkv = MakeQkv();
  EXPECT_EQ(PrintPythonKernel(qkv, MakeXyt(qkv), {"/tmp/some where/xyt.hlo", 3}),
            PrintPythonKernel(qkv, MakeXyt(qkv), {"xyt.hlo", 3}));
}

// pitfall 128
TEST(PythonPrintTest, SameBytesEachTime) {
  isa::Accelerator qkv = MakeQkv();
  EXPECT_EQ(PrintPythonKernel(qkv, MakeXyt(qkv), {"xyt.hlo", 3}),
            PrintPythonKernel(MakeQkv(), MakeXyt(qkv), {"xyt.hlo", 3}));
}

// A name from the module is free text, but a comment is one line.
TEST(PythonPrintTest, CommentsStayOneLine) {
  isa::Accelerator qkv = MakeQkv();
  Program p = MakeXyt(qkv);
  p.original_name = "a\nimport os";
  std::string text = PrintPythonKernel(qkv, p, {"xyt.hlo", 1});
  EXPECT_NE(text.find("# Kernel name: a import os\n"), std::string::npos);
}

}  // namespace
}  // namespace act::assembly
