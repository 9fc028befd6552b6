// The certificate's text form, and which operands an instruction overwrites.
#include <gtest/gtest.h>

#include "assembly/assembly.h"
#include "helpers/qkv.h"

namespace act::assembly {
namespace {

const char* kText = R"(graph QKV
cost 5.25
input bf16[64,64]
input u8[8192]
const bf16[64,64] = eye
output u8[8192] = out
value in0 d0[8192] bytes 8192 = input 0
value const0 d0[8192] bytes 8192 = const 0
value q d1[64] bytes 8192 = step 0
value i d1[64] bytes 8192 = step 1
value pair d1[128] bytes 16384 = adjacent q, i
value "half of q" d1[32] bytes 4096 = window q + 4096
value s d2[64] bytes 8192 = step 2
value out d0[8192] bytes 8192 = step 3
step load_rm n=64  ; q <- in0
step load_rm n=64  ; i <- const0
step gemm  ; s <- q, i
step store_rm n=64  ; out <- q
)";

TEST(SelectedGraphTest, ReadThenPrintIsTheIdentity) {
  isa::Accelerator qkv = MakeQkv();
  StatusOr<SelectedGraph> g = ParseSelectedGraph(qkv, SourceText("k.graph", kText));
  ASSERT_TRUE(g.ok()) << g.status().message();
  EXPECT_EQ(PrintSelectedGraph(qkv, *g), kText);
  EXPECT_EQ(g->cost, 5.25);
  EXPECT_EQ(g->values[4].parts, (std::vector<ValueId>{ValueId(2), ValueId(3)}));
  EXPECT_EQ(g->values[5].offset, 4096);
  EXPECT_EQ(g->values[6].kind, Value::Kind::kResult);
  EXPECT_EQ(g->values[6].buffer, *qkv.FindBuffer("d2"));
  EXPECT_EQ(g->steps[2].operands, (std::vector<ValueId>{ValueId(2), ValueId(3)}));
  EXPECT_EQ(g->outputs, (std::vector<ValueId>{ValueId(7)}));
  EXPECT_EQ(g->input_shapes.size(), 2u);
}

TEST(SelectedGraphTest, Errors) {
  isa::Accelerator qkv = MakeQkv();
  struct Case {
    const char* from;
    const char* to;
    const char* message;
  };
  const Case cases[] = {
      {"graph QKV", "graph AMX", "g:1:7: the certificate is for AMX, not for QKV"},
      {"cost 5.25", "cost x", "g:2:6: expected a number, found 'x'"},
      {"= out", "= nowhere", "g:6:19: no value is named 'nowhere'"},
      {"value i ", "value q ", "g:10:7: two values are named 'q'"},
      {"input 0", "input 2", "g:7:33: value 'in0' names number 2 of 2"},
      {"= step 2", "= step 3", "g:13:29: value 's' is not the result of step 3"},
      {"step gemm  ; s <- q, i", "step gemm  ; s <- q",
       "g:17:6: gemm reads 2 regions, but the step has 1 operands"},
      {"load_rm n=64  ; q", "load_rm m=64  ; q", "g:15:14: expected 'n', found 'm'"},
      {"adjacent q, i", "adjacent q", "g:11:34: adjacent needs at least two values"},
      {" d1[128]", " d7[128]", "g:11:12: 'd7' is not a buffer of QKV"},
  };
  for (const Case& c : cases) {
    std::string text = kText;
    size_t at = text.find(c.from);
    ASSERT_NE(at, std::string::npos) << c.from;
    text.replace(at, std::string(c.from).size(), c.to);
    StatusOr<SelectedGraph> g = ParseSelectedGraph(qkv, SourceText("g", text));
    ASSERT_FALSE(g.ok()) << c.to;
    EXPECT_EQ(g.status().message(), c.message);
  }
}

TEST(SelectedGraphTest, OverwritesOperand) {
  isa::Accelerator qkv = MakeQkv();
  auto step = [&](const char* name) {
    Step s;
    s.instruction = *qkv.FindInstruction(name);
    return s;
  };
  EXPECT_TRUE(OverwritesOperand(qkv, step("softmax"), 0));
  EXPECT_FALSE(OverwritesOperand(qkv, step("softmax"), 1));
  EXPECT_FALSE(OverwritesOperand(qkv, step("mov"), 0));
  EXPECT_FALSE(OverwritesOperand(qkv, step("gemm"), 1));
  qkv.instructions[5].inplace = {false, true};
  EXPECT_FALSE(OverwritesOperand(qkv, step("gemm"), 0));
  EXPECT_TRUE(OverwritesOperand(qkv, step("gemm"), 1));
}

}  // namespace
}  // namespace act::assembly
