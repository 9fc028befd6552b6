// What the simulator refuses, with whole messages.
#include <gtest/gtest.h>

#include "helpers/qkv.h"
#include "oracle/oracle.h"

namespace act::oracle {
namespace {

assembly::Program Parse(const isa::Accelerator& accelerator, const std::string& body, int64_t hbm = 32768) {
  std::string text =
      "program k target " + accelerator.name + " hbm " + std::to_string(hbm) + " code {\n" + body + "\n}";
  StatusOr<assembly::Program> p = assembly::ParseNative(accelerator, SourceText("k.asm", text));
  EXPECT_TRUE(p.ok()) << p.status().message();
  return *p;
}
std::string Refusal(const isa::Accelerator& accelerator, const std::string& body) {
  assembly::Program program = Parse(accelerator, body);
  StatusOr<Simulation> run = Simulate(accelerator, program, {});
  StatusOr<std::vector<Diagnostic>> check = CheckCalls(accelerator, program);
  // Without data, the same is refused in the same words.
  EXPECT_EQ(run.ok(), check.ok());
  if (run.ok()) return "";
  EXPECT_EQ(run.status().message(), check.status().message());
  EXPECT_EQ(run.status().front().error_class, ErrorClass::kValue);
  return run.status().message();
}

// pitfall 147, 148
TEST(RefusalTest, Windows) {
  isa::Accelerator qkv = MakeQkv();
  struct Case {
    const char* body;
    const char* message;
  };
  const Case cases[] = {
      {"load_rm n=64 [addr_in=0, addr_out=64]", ""},
      {"load_rm n=64 [addr_in=0, addr_out=100]",
       "k.asm:2:1: load_rm writes output 0 at d1[100 : +64], outside d1, which has 128 addresses (at n = 64, "
       "addr_in = 0, addr_out = 100)"},
      {"load_rm n=64 [addr_in=0, addr_out=-1]",
       "k.asm:2:1: load_rm writes output 0 at d1[-1 : +64], outside d1, which has 128 addresses (at n = 64, "
       "addr_in = 0, addr_out = -1)"},
      {"load_rm n=64 [addr_in=24577, addr_out=0]",
       "k.asm:2:1: load_rm reads input 0 at d0[24577 : +8192], outside d0, which has 32768 bytes in this "
       "program (at "
       "n = 64, addr_in = 24577, addr_out = 0)"},
      {"mov n=65 [addr_in=0, addr_out=0]",
       "k.asm:2:1: mov reads input 0 at d2[0 : +65], outside d2, which has 64 addresses (at n = 65, addr_in "
       "= 0, "
       "addr_out = 0)"},
      {"mov n=1 [addr_in=9223372036854775807, addr_out=0]",
       "k.asm:2:1: mov reads input 0 at d2[9223372036854775807 : +1], outside d2, which has 64 addresses (at "
       "n = 1, "
       "addr_in = 9223372036854775807, addr_out = 0)"},
      {"mov n=0 [addr_in=0, addr_out=0]",
       "k.asm:2:1: mov, input 0: a size of it is 0, but must be at least 1 (at n = 0, addr_in = 0, addr_out "
       "= 0)"},
      {"mov n=-3 [addr_in=0, addr_out=0]",
       "k.asm:2:1: mov, input 0: a size of it is -3, but must be at least 1 (at n = -3, addr_in = 0, "
       "addr_out = 0)"},
      {"mov n=9223372036854775807 [addr_in=0, addr_out=0]",
       "k.asm:2:1: mov reads input 0 at d2[0 : +9223372036854775807], outside d2, which has 64 addresses (at "
       "n = "
       "9223372036854775807, addr_in = 0, addr_out = 0)"},
      {"loop i 0..3 {\n  mov n=32 [addr_in=i*32, addr_out=0] }",
       "k.asm:3:3: mov reads input 0 at d2[64 : +32], outside d2, which has 64 addresses (at n = 32, addr_in "
       "= 64, "
       "addr_out = 0)"},
      {"loop i 0..3 { mov n=32 [addr_in=4/i, addr_out=0] }",
       "k.asm:2:15: mov: attribute 'addr_in' divides by zero"},
  };
  for (const Case& c : cases) EXPECT_EQ(Refusal(qkv, c.body), c.message);
}

// pitfall 149
TEST(RefusalTest, Constraints) {
  isa::Accelerator qkv = MakeQkv("@c.n % 16 == 0 and @c.n <= 64");
  EXPECT_EQ(Refusal(qkv, "mov n=16 [addr_in=0, addr_out=0]"), "");
  EXPECT_EQ(Refusal(qkv, "mov n=24 [addr_in=0, addr_out=0]"),
            "k.asm:2:1: mov: its constraint \"@c.n%16 == 0 and @c.n <= 64\" does not hold at n = 24, "
            "addr_in = 0, "
            "addr_out = 0");
  isa::Accelerator address = MakeQkv("64 / @c.n > 1");
  EXPECT_EQ(
      Refusal(address, "mov n=0 [addr_in=0, addr_out=0]"),
      "k.asm:2:1: mov: its constraint \"64/@c.n > 1\" divides by zero at n = 0, addr_in = 0, addr_out = 0");
}

// pitfall 119
TEST(RefusalTest, PlacementMarks) {
  SpecBuilder b("T");
  b.Buffer("m", {16}, {}, "u8");
  b.Instruction("cp", {}, {"a", "o"}, {{"m", "@a.a", "4"}}, {{"m", "@a.o", "4"}},
                "ENTRY { ROOT %Out0 = u8[4] copy(%In1) }");
  const char* over = "cp [a=0, o=2]";
  const char* same = "cp [a=4, o=4]";
  const char* apart = "cp [a=4, o=8]";
  EXPECT_EQ(Refusal(b.spec, over), "");
  b.Ok(isa::SetPlacement(&b.spec, 0, isa::PlacementMark::kNoPartialOverlap, {true}));
  EXPECT_NE(Refusal(b.spec, over), "");
  EXPECT_EQ(Refusal(b.spec, same), "");
  EXPECT_EQ(Refusal(b.spec, apart), "");
  b.Ok(isa::SetPlacement(&b.spec, 0, isa::PlacementMark::kApart, {true}));
  EXPECT_EQ(Refusal(b.spec, apart), "");
  EXPECT_EQ(Refusal(b.spec, same),
            "k.asm:2:1: instruction 'cp': output 0 at [4 : +4] overlaps input 0 at [4 : +4], which is marked "
            "apart; "
            "place them without a common unit (at a = 4, o = 4)");
}

// pitfall 159
TEST(RefusalTest, Inputs) {
  isa::Accelerator qkv = MakeQkv();
  assembly::Program p = Parse(qkv, "");
  p.inputs = {{"Q", 0, Shape::Array(ElementType::kBF16, {64, 64})}};
  EXPECT_EQ(Simulate(qkv, p, {}).status().message(), "program k takes 1 inputs, but 0 are given");
  std::vector<Literal> wrong{Literal(Shape::Array(ElementType::kF32, {64, 64}))};
  EXPECT_EQ(Simulate(qkv, p, wrong).status().message(),
            "input 0 (Q) of k is bf16[64,64], but f32[64,64] is given");
  wrong = {Literal(Shape::Array(ElementType::kBF16, {64, 32}))};
  EXPECT_EQ(Simulate(qkv, p, wrong).status().message(),
            "input 0 (Q) of k is bf16[64,64], but bf16[64,32] is given");
  wrong = {Literal(Shape::Array(ElementType::kBF16, {64, 64}))};
  wrong[0].bytes.pop_back();
  EXPECT_FALSE(Simulate(qkv, p, wrong).ok());
}

// pitfall 171
TEST(RefusalTest, WarningsBeyond64Bits) {
  isa::Accelerator qkv = MakeQkv();
  std::string body = "loop i 0..2 { mov n=1 [addr_in=(i + 9223372036854775807)*4, addr_out=0] }";
  StatusOr<Simulation> run = Simulate(qkv, Parse(qkv, body), {});
  // i = 0 gives 4*(2^63 - 1), which wraps to -4.
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(
      run.status().message(),
      "k.asm:2:15: mov reads input 0 at d2[-4 : +1], outside d2, which has 64 addresses (at n = 1, addr_in = "
      "36893488147419103228, addr_out = 0)");
  body = "loop i 0..1 { mov n=1 [addr_in=i*0 + (i + 4611686018427387904)*4, addr_out=0] }";
  run = Simulate(qkv, Parse(qkv, body), {});
  ASSERT_TRUE(run.ok()) << run.status().message();
  ASSERT_EQ(run->warnings.size(), 2u);
  EXPECT_EQ(run->warnings[0].message,
            "mov: attribute 'addr_in' is 18446744073709551616, beyond 64 bits; the exact value is used");
  EXPECT_TRUE(run->warnings[0].is_warning);
  EXPECT_EQ(run->warnings[0].location.column, 15);
}

// pitfall 10
TEST(RefusalTest, WarningsForNegativeRemainders) {
  isa::Accelerator qkv = MakeQkv();
  StatusOr<Simulation> run =
      Simulate(qkv, Parse(qkv, "loop i 0..9 { mov n=1 [addr_in=(i - 8) % 3 + 2, addr_out=0] }"), {});
  ASSERT_TRUE(run.ok()) << run.status().message();
  ASSERT_EQ(run->warnings.size(), 1u);
  EXPECT_EQ(run->warnings[0].message,
            "mov: attribute 'addr_in' takes % of a negative number; the remainder has the dividend's sign");
}

TEST(RefusalTest, StepLimit) {
  isa::Accelerator qkv = MakeQkv();
  SimulateOptions options;
  options.max_steps = 100;
  StatusOr<Simulation> run =
      Simulate(qkv, Parse(qkv, "loop i 0..101 { mov n=1 [addr_in=0, addr_out=0] }"), {}, options);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.status().front().error_class, ErrorClass::kLimit);
  EXPECT_EQ(
      run.status().message(),
      "k.asm:2:17: the program executes more than 100 calls; raise the limit of steps to run it to its end");
  // Loops without calls end at once, however long.
  std::string idle = "loop i 0..9223372036854775807 { loop j 0..9223372036854775807 { } }";
  EXPECT_TRUE(Simulate(qkv, Parse(qkv, idle), {}, options).ok());
}

}  // namespace
}  // namespace act::oracle
