// CheckProgram: the HBM map and the structure of the body.
#include <gtest/gtest.h>

#include "assembly/assembly.h"
#include "helpers/qkv.h"

namespace act::assembly {
namespace {

Shape Bytes(int64_t n) { return Shape::Array(ElementType::kU8, {n}); }

Program Empty(int64_t hbm) {
  Program p;
  p.name = "k";
  p.target = "QKV";
  p.hbm_bytes = hbm;
  return p;
}

// pitfall 165
TEST(ProgramTest, HbmMap) {
  isa::Accelerator qkv = MakeQkv();
  HbmConstant constant{"c", 8, Literal(Bytes(8))};
  struct Case {
    std::vector<HbmTensor> inputs;
    std::vector<HbmConstant> constants;
    std::vector<HbmTensor> outputs;
    const char* message;
  };
  const Case cases[] = {
      {{{"a", 0, Bytes(8)}, {"b", 16, Bytes(8)}},
       {constant},
       {{"o", 8, Bytes(24)}},
       ""},  // outputs may lie over both
      {{{"a", 0, Bytes(0)}, {"b", 0, Bytes(32)}}, {}, {}, ""},
      {{{"a", 0, Bytes(33)}},
       {},
       {},
       "input 0 (a), u8[33] at address 0, ends at 33, outside HBM, which is declared with 32 bytes"},
      {{{"", -1, Bytes(1)}},
       {},
       {},
       "input 0, u8[1] at address -1, outside HBM, which is declared with 32 bytes"},
      {{{"", INT64_MAX, Bytes(1)}},
       {},
       {},
       "input 0, u8[1] at address 9223372036854775807, outside HBM, which is declared with 32 bytes"},
      {{},
       {},
       {{"o", 0, Shape::Array(ElementType::kU8, {-2})}},
       "output 0 (o) has the negative dimension -2 in u8[-2]"},
      {{{"a", 0, Bytes(9)}},
       {constant},
       {},
       "input 0 (a) [0:9] and constant 0 (c) [8:16] overlap in HBM; give them addresses apart"},
      {{{"a", 0, Bytes(9)}, {"b", 8, Bytes(1)}},
       {},
       {},
       "input 0 (a) [0:9] and input 1 (b) [8:9] overlap in HBM; give them addresses apart"},
      {{},
       {constant, constant},
       {},
       "constant 0 (c) [8:16] and constant 1 (c) [8:16] overlap in HBM; give them addresses apart"},
      {{},
       {},
       {{"o", 4, Bytes(4)}, {"p", 0, Bytes(5)}},
       "output 1 (p) [0:5] and output 0 (o) [4:8] overlap in HBM; give them addresses apart"},
  };
  for (const Case& c : cases) {
    Program p = Empty(32);
    p.inputs = c.inputs;
    p.constants = c.constants;
    p.outputs = c.outputs;
    Status status = CheckProgram(qkv, p);
    EXPECT_EQ(status.message(), c.message);
    if (!status.ok()) {
      EXPECT_EQ(status.front().error_class, ErrorClass::kValue);
    }
  }
}

// pitfall 111
TEST(ProgramTest, HbmCapacity) {
  isa::Accelerator qkv = MakeQkv();
  EXPECT_TRUE(CheckProgram(qkv, Empty(isa::kHbmCapacityBytes)).ok());
  EXPECT_EQ(CheckProgram(qkv, Empty(isa::kHbmCapacityBytes + 1)).message(),
            "hbm is 103079215105 bytes; it must be between 0 and 103079215104");
  EXPECT_FALSE(CheckProgram(qkv, Empty(-1)).ok());
}

TEST(ProgramTest, BodyIsChecked) {
  isa::Accelerator qkv = MakeQkv();
  Program p = Empty(0);
  p.body.resize(1);
  Call& call = p.body[0].call;
  EXPECT_EQ(CheckProgram(qkv, p).message(), "a call names no instruction of QKV");
  call.instruction = InstructionId(0);
  EXPECT_EQ(CheckProgram(qkv, p).message(), "the call of load_rm has 0 computational attributes; it takes 1");
  call.computational = {1};
  EXPECT_EQ(CheckProgram(qkv, p).message(), "the call of load_rm has 0 addressing attributes; it takes 2");
  call.addressing.assign(2, AttributeValue::Of(0));
  EXPECT_TRUE(CheckProgram(qkv, p).ok());
  call.addressing[1].expression = isa::Expression::Attribute(isa::AttributeKind::kAddressing, 0);
  EXPECT_EQ(CheckProgram(qkv, p).message(),
            "attribute 'addr_out' of load_rm is not an expression over the enclosing loops' variables");
  call.addressing[1] = AttributeValue::Of(0);
  call.operand_names = {"a", "b"};
  EXPECT_EQ(CheckProgram(qkv, p).message(), "the call of load_rm has 2 operand names; it takes 1");
  p.target = "AMX";
  EXPECT_EQ(CheckProgram(qkv, p).message(), "the program is for AMX, not for QKV");
}

TEST(ProgramTest, KernelIdentifiers) {
  const std::pair<const char*, const char*> kRows[] = {
      {"attention", "attention"},
      {"jit_f.2", "jit_f_2"},
      {"a-b c", "a_b_c"},
      {"2d", "k_2d"},
      {"lambda", "k_lambda"},
      {"None", "k_None"},
      {"jnp", "k_jnp"},
      {"", "k_"},
      {"_", "_"},
      {"match", "match"},
      {"\xc3\xa9t\xc3\xa9", "__t__"},
      {"lambda.1", "lambda_1"},
  };
  for (const auto& [name, identifier] : kRows) EXPECT_EQ(KernelIdentifier(name), identifier);
}

}  // namespace
}  // namespace act::assembly
