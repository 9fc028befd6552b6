// Loops, state, debug prints and cost.
#include <gtest/gtest.h>

#include "helpers/qkv.h"
#include "oracle/oracle.h"

namespace act::oracle {
namespace {

// Bytes in HBM and a buffer of 8 bytes; every instruction is about single bytes.
isa::Accelerator MakeBytes() {
  SpecBuilder b("B");
  b.Buffer("m", {8}, {}, "u8");
  b.Ok(isa::AddState(&b.spec, "count", 3));
  const char* copy = "ENTRY { ROOT %Out0 = u8[1] copy(%In1) }";
  b.Instruction("load", {}, {"src", "dst"}, {{"d0", "@a.src", "1"}}, {{"m", "@a.dst", "1"}}, copy);
  b.Instruction("store", {}, {"src", "dst"}, {{"m", "@a.src", "1"}}, {{"d0", "@a.dst", "1"}}, copy);
  // Writes the state to the buffer, then the state has grown: the semantics sees the state after the update.
  b.Instruction("tick", {}, {"dst"}, {}, {{"m", "@a.dst", "1"}},
                "ENTRY { ROOT %Out0 = u8[1] constant(`@s.count`) }", {"@s.count < 6"},
                {"@s.count += 1", "@s.count = @s.count * 1"});
  // Starts and sizes see it, too.
  b.Instruction("push", {}, {}, {{"m", "0", "1"}}, {{"m", "@s.count", "1"}}, copy, {}, {"@s.count -= 1"});
  b.Instruction("reset", {}, {}, {}, {}, "", {}, {"@s.count = 0"});
  b.Ok(isa::SetCost(&b.spec, 0, SourceText("c", "10")));
  b.Ok(isa::SetCost(&b.spec, 1, SourceText("c", "1 + @a.dst")));
  b.Ok(isa::SetCost(&b.spec, 2, SourceText("c", "@s.count")));
  return b.spec;
}

assembly::Program Parse(const isa::Accelerator& accelerator, const std::string& body) {
  std::string text = "program k target " + accelerator.name +
                     " hbm 16 input x @0 u8[8] output y @8 u8[8] code {\n" + body + "\n}";
  StatusOr<assembly::Program> p = assembly::ParseNative(accelerator, SourceText("k.asm", text));
  EXPECT_TRUE(p.ok()) << p.status().message();
  return *p;
}
std::vector<Literal> Input() {
  Literal x(Shape::Array(ElementType::kU8, {8}));
  for (int64_t i = 0; i < 8; ++i) x.SetInt(i, 10 * i);
  return {x};
}
std::vector<uint8_t> RunBytes(const isa::Accelerator& accelerator, const std::string& body) {
  StatusOr<Simulation> run = Simulate(accelerator, Parse(accelerator, body), Input());
  EXPECT_TRUE(run.ok()) << run.status().message();
  return run.ok() ? run->outputs[0].bytes : std::vector<uint8_t>();
}

TEST(LoopTest, NestedLoopsWithArithmetic) {
  isa::Accelerator b = MakeBytes();
  EXPECT_EQ(
      RunBytes(
          b,
          "loop i 0..4 { loop j 0..2 { load [src=7 - (i*2 + j), dst=j] store [src=j, dst=8 + i*2 + j] } }"),
      (std::vector<uint8_t>{70, 60, 50, 40, 30, 20, 10, 0}));
  EXPECT_EQ(RunBytes(b, "loop i -2..2 { load [src=(i + 2)*2 % 5, dst=0] store [src=0, dst=10 + i] }"),
            (std::vector<uint8_t>{0, 20, 40, 10, 0, 0, 0, 0}));
  EXPECT_EQ(RunBytes(b, "loop i 3..3 { store [src=9, dst=0] } loop i 5..1 { store [src=9, dst=0] }"),
            std::vector<uint8_t>(8, 0));
}

// pitfall 158, 164
TEST(LoopTest, StateChangesAtEveryIteration) {
  isa::Accelerator b = MakeBytes();
  EXPECT_EQ(RunBytes(b, "loop i 0..3 { tick [dst=0] store [src=0, dst=8 + i] }"),
            (std::vector<uint8_t>{4, 5, 6, 0, 0, 0, 0, 0}));
  // Constraints see the state before the updates.
  StatusOr<Simulation> run = Simulate(b, Parse(b, "loop i 0..4 { tick [dst=0] }"), Input());
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.status().message(),
            "k.asm:2:15: tick: its constraint \"@s.count < 6\" does not hold at dst = 0, state count = 6");
  EXPECT_FALSE(CheckCalls(b, Parse(b, "loop i 0..4 { tick [dst=0] }")).ok());
}

// Nothing of a run reaches the next one: not the state, not what the buffer held, not a failure.
TEST(LoopTest, SimulatorStartsFresh) {
  const isa::Accelerator b = MakeBytes();
  const assembly::Program ticks =
      Parse(b, "store [src=7, dst=15] loop i 0..3 { tick [dst=7] store [src=7, dst=8 + i] }");
  Simulator simulator(b, ticks);
  for (int run = 0; run < 3; ++run) {
    const StatusOr<Simulation> result = simulator.Run(Input());
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->outputs[0].bytes, (std::vector<uint8_t>{4, 5, 6, 0, 0, 0, 0, 0}));
    EXPECT_EQ(result->executed_calls, 7);
    EXPECT_FALSE(simulator.Run({}).ok());
  }
  const assembly::Program fails = Parse(b, "loop i 0..4 { tick [dst=0] store [src=0, dst=8 + i] }");
  Simulator failing(b, fails);
  for (int run = 0; run < 2; ++run) {
    const StatusOr<Simulation> result = failing.Run(Input());
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.status().message().find("state count = 6"), std::string::npos);
  }
  // Inputs are those of the run.
  const assembly::Program copies = Parse(b, "loop i 0..8 { load [src=i, dst=i] store [src=i, dst=8 + i] }");
  Simulator copier(b, copies);
  for (int run = 0; run < 4; ++run) {
    std::vector<Literal> input = Input();
    input[0].SetInt(3, run);
    EXPECT_EQ(copier.Run(input)->outputs[0].bytes, input[0].bytes);
  }
}

TEST(LoopTest, StartsSeeTheStateAfterUpdates) {
  isa::Accelerator b = MakeBytes();
  EXPECT_EQ(RunBytes(b,
                     "load [src=5, dst=0] push load [src=6, dst=0] push "
                     "loop i 0..4 { store [src=i, dst=8 + i] }"),
            (std::vector<uint8_t>{60, 60, 50, 0, 0, 0, 0, 0}));
  EXPECT_EQ(RunBytes(b, "reset tick [dst=0] store [src=0, dst=8]")[0], 1);
}

// Programs and runs keep nothing from one another.
// pitfall 156, 173
TEST(LoopTest, RunsAreIndependent) {
  isa::Accelerator b = MakeBytes();
  assembly::Program first = Parse(b, "tick [dst=0] store [src=0, dst=8]");
  assembly::Program second = Parse(b, "load [src=2, dst=0] store [src=0, dst=8]");
  EXPECT_FALSE(isa::AddInstruction(&b, "debug", {}, {}).ok());  // would hide the debug statement
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Simulate(b, first, Input())->outputs[0].bytes[0], 4);
    EXPECT_EQ(Simulate(b, second, Input())->outputs[0].bytes[0], 20);
  }
}

TEST(LoopTest, DebugPrints) {
  isa::Accelerator b = MakeBytes();
  std::string printed;
  SimulateOptions options;
  options.print = [&](const std::string& line) { printed += line + "\n"; };
  std::string body =
      "loop i 0..2 { load [src=i + 1, dst=1] debug \"m:\" m[] } debug \"one\" m[1] debug \"hbm\" d0[3]";
  ASSERT_TRUE(Simulate(b, Parse(b, body), Input(), options).ok());
  EXPECT_EQ(printed, "m: [0, 10, 0, 0, 0, 0, 0, 0]\nm: [0, 20, 0, 0, 0, 0, 0, 0]\none 20\nhbm 30\n");
  // Not printed without a receiver, and not when only checked.
  ASSERT_TRUE(Simulate(b, Parse(b, body), Input()).ok());
  isa::Accelerator qkv = MakeQkv();
  StatusOr<assembly::Program> p = assembly::ParseNative(
      qkv, SourceText("k",
                      "program k target QKV hbm 256 const c @0 bf16[1,64] = full 1.5 code { load_rm n=1 "
                      "[addr_in=0, addr_out=3] debug \"x\" d1[3,62] debug \"y\" d0[99] }"));
  printed.clear();
  ASSERT_TRUE(p.ok() && Simulate(qkv, *p, {}, options).ok());
  EXPECT_EQ(printed, "x 1.5\ny 63\n");
}

// pitfall 157
TEST(LoopTest, Cost) {
  isa::Accelerator b = MakeBytes();
  struct Case {
    const char* body;
    int64_t cost;
  };
  const Case cases[] = {
      {"", 0},
      {"load [src=0, dst=0]", 10},
      {"load [src=99, dst=0] store [src=0, dst=2]", 13},  // windows are not looked at
      {"loop i 0..1000000000000 { load [src=i, dst=0] }", 10000000000000},
      {"loop i 0..4 { store [src=0, dst=i] }", 10},
      {"loop i 0..2 { loop j 0..3 { load [src=0, dst=0] } }", 60},
      {"loop i 0..3 { tick [dst=0] }", 15},  // 4 + 5 + 6
      {"loop i 0..0 { load [src=0, dst=0] }", 0},
  };
  for (const Case& c : cases) {
    assembly::Program p = Parse(b, c.body);
    for (int i = 0; i < 2; ++i) {
      StatusOr<int64_t> cost = Cost(b, p);
      ASSERT_TRUE(cost.ok()) << cost.status().message();
      EXPECT_EQ(*cost, c.cost) << c.body;
    }
  }
  EXPECT_FALSE(Cost(b, Parse(b, "loop i 0..9223372036854775807 { load [src=0, dst=0] }")).ok());
}

TEST(LoopTest, ManyIterationsAreFast) {
  isa::Accelerator b = MakeBytes();
  StatusOr<Simulation> run = Simulate(
      b, Parse(b, "loop i 0..100000 { load [src=i % 8, dst=i % 8] store [src=i % 8, dst=8 + i % 8] }"),
      Input());
  ASSERT_TRUE(run.ok()) << run.status().message();
  EXPECT_EQ(run->executed_calls, 200000);
  EXPECT_EQ(run->outputs[0].bytes, Input()[0].bytes);
}

}  // namespace
}  // namespace act::oracle
