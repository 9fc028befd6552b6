#include <gtest/gtest.h>

#include "isa/isa.h"

namespace act::isa {
namespace {

SourceText Text(std::string text) { return SourceText("spec", std::move(text)); }

// d1 of 128 rows of bf16[64]; instruction 0 is "i" with @c.n, @c.nn and @a.p, @a.q; state s.
Accelerator Base() {
  Accelerator acc = MakeAccelerator("T");
  EXPECT_TRUE(AddBuffer(&acc, "d1", {128}, {64}, "bf16").ok());
  EXPECT_TRUE(AddBuffer(&acc, "grid", {16, 16}, {}, "s32").ok());
  EXPECT_TRUE(AddState(&acc, "s", 3).ok());
  EXPECT_TRUE(AddInstruction(&acc, "i", {"n", "nn"}, {"p", "q"}).ok());
  return acc;
}

std::string Failure(const Status& status) { return status.ok() ? "ok" : status.front().message; }

TEST(Builder, MakesHbm) {
  const Accelerator acc = MakeAccelerator("T");
  ASSERT_EQ(acc.buffers.size(), 1u);
  EXPECT_EQ(acc.buffers[0].name, "d0");
  EXPECT_EQ(acc.buffers[0].type, ElementType::kU8);
  EXPECT_EQ(acc.buffers[0].CapacityBytes(), int64_t{96} * 1024 * 1024 * 1024);
  EXPECT_EQ(acc.buffers[0].UnitBytes(), 1);
}

TEST(Builder, SizesOfBuffers) {
  const Accelerator acc = Base();
  EXPECT_EQ(acc.buffers[1].UnitBytes(), 128);
  EXPECT_EQ(acc.buffers[1].CapacityBytes(), 16384);
  EXPECT_EQ(acc.buffers[2].CapacityBytes(), 1024);
  EXPECT_TRUE(acc.FindBuffer("grid").has_value());
  EXPECT_FALSE(acc.FindBuffer("Grid").has_value());
}

// pitfall 19
TEST(Builder, NamesAreUnique) {
  Accelerator acc = Base();
  EXPECT_NE(Failure(AddBuffer(&acc, "d1", {1}, {}, "u8")).find("'d1' is declared twice"), std::string::npos);
  EXPECT_NE(Failure(AddInstruction(&acc, "i", {}, {})).find("'i' is declared twice"), std::string::npos);
  EXPECT_NE(Failure(AddState(&acc, "s", 0)).find("'s' is declared twice"), std::string::npos);
  EXPECT_NE(Failure(AddInstruction(&acc, "j", {"a"}, {"a"})).find("attribute 'a' twice"), std::string::npos);
  EXPECT_EQ(acc.instructions.size(), 1u);
}

// pitfall 38, 39
TEST(Builder, NamesAreData) {
  Accelerator acc = Base();
  for (const char* name : {"add", "dot", "copy", "slice", "mv_in", "mv_In", "MvIn", "_x", "ENTRY", "bf16"}) {
    EXPECT_TRUE(AddInstruction(&acc, name, {"bf16", "ROOT"}, {"where"}).ok()) << name;
  }
  for (const char* name : {"debug", "start_loop", "end_loop", "lambda", "1x", "a-b", "", "a.b", "\xc3\xa9"}) {
    const Status status = AddInstruction(&acc, name, {}, {});
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.front().error_class, ErrorClass::kValue);
  }
  for (const char* name : {"d0", "HBM", "ANY", "class"}) {
    EXPECT_FALSE(AddBuffer(&acc, name, {1}, {}, "u8").ok()) << name;
  }
  EXPECT_TRUE(AddInstruction(&acc, "load row", {}, {}).ok());
  EXPECT_TRUE(acc.FindInstruction("load_row").has_value());
  EXPECT_TRUE(CheckAcceleratorName("a.b-c_1").ok());
  for (const char* name : {"", ".", "..", "a/b", "a b"})
    EXPECT_FALSE(CheckAcceleratorName(name).ok()) << name;
}

TEST(Builder, RefusedBuffers) {
  Accelerator acc = MakeAccelerator("T");
  EXPECT_FALSE(AddBuffer(&acc, "b", {0}, {}, "u8").ok());
  EXPECT_FALSE(AddBuffer(&acc, "b", {4}, {-1}, "u8").ok());
  EXPECT_FALSE(AddBuffer(&acc, "b", {int64_t{1} << 40, int64_t{1} << 40}, {}, "u8").ok());
  EXPECT_FALSE(AddBuffer(&acc, "b", {int64_t{1} << 62}, {}, "u32").ok());
  EXPECT_NE(Failure(AddBuffer(&acc, "b", {4}, {}, "bf17")).find("no element type 'bf17'"), std::string::npos);
  EXPECT_FALSE(AddBuffer(&acc, "b", {4}, {}, "c64").ok());
  for (const ElementType type : kTaidlTypes) {
    EXPECT_TRUE(
        AddBuffer(&acc, "b_" + std::string(ElementTypeName(type)), {4}, {2}, ElementTypeName(type)).ok());
  }
  EXPECT_TRUE(AddBuffer(&acc, "w", {}, {16, 16}, "s8").ok());
}

struct RegionCase {
  RegionText region;
  bool output;
  ErrorClass error;
  const char* part;
};

TEST(Builder, RefusedRegions) {
  const RegionCase cases[] = {
      // pitfall 17
      {{"d9", {"0"}, {"1"}, {}},
       false,
       ErrorClass::kValue,
       "instruction 'i', input 0: there is no buffer 'd9'"},
      {{"d1", {"0", "0"}, {"1"}, {}}, false, ErrorClass::kValue, "2 starts"},
      {{"grid", {"0", "0"}, {"1"}, {}}, true, ErrorClass::kValue, "1 sizes"},
      {{"d1", {"@a.p"}, {"@a.q"}, {}},
       false,
       ErrorClass::kValue,
       "a size cannot use an addressing attribute"},
      {{"d1", {"@a.p"}, {"0"}, {}}, false, ErrorClass::kValue, "at least 1"},
      {{"d1", {"@a.p"}, {"@c.m"}, {}}, false, ErrorClass::kValue, "@c.m is not a declared"},
      {{"d1", {"@a.p +"}, {"1"}, {}}, false, ErrorClass::kSyntax, "input 0, start 0"},
      {{"d1", {"@a.p"}, {"9223372036854775808"}, {}}, false, ErrorClass::kSyntax, "64 bits"},
      {{"d0", {"@a.p"}, {"4", "4"}, {"8"}}, false, ErrorClass::kValue, "1 strides"},
      {{"d0", {"@a.p"}, {"4", "4"}, {"0", "1"}}, true, ErrorClass::kValue, "stride 0"},
      {{"d0", {"@a.p"}, {"4"}, {"@a.q"}}, false, ErrorClass::kValue, "a stride cannot use"},
  };
  for (const RegionCase& c : cases) {
    Accelerator acc = Base();
    const Accelerator before = acc;
    const Status status = c.output ? SetOutputs(&acc, 0, {c.region}) : SetInputs(&acc, 0, {c.region});
    ASSERT_FALSE(status.ok()) << c.part;
    EXPECT_EQ(status.front().error_class, c.error) << c.part;
    EXPECT_NE(status.front().message.find(c.part), std::string::npos) << status.front().message;
    EXPECT_TRUE(SameAccelerator(acc, before));
  }
}

TEST(Builder, StridedAndMultiDimensionalRegions) {
  Accelerator acc = Base();
  EXPECT_TRUE(SetInputs(&acc, 0,
                        {{"d0", {"@a.p"}, {"@c.n", "@c.nn"}, {"@s.s", "1"}},
                         {"grid", {"@a.p/16", "@a.p%16"}, {"@c.n", "16"}, {}}})
                  .ok());
  EXPECT_EQ(acc.instructions[0].inputs[0].strides.size(), 2u);
  // A second call replaces the first.
  EXPECT_TRUE(SetInputs(&acc, 0, {{"d1", {"0"}, {"1"}, {}}}).ok());
  EXPECT_EQ(acc.instructions[0].inputs.size(), 1u);
}

// pitfall 16
TEST(Builder, ConstraintsAdd) {
  Accelerator acc = Base();
  EXPECT_TRUE(AddConstraint(&acc, 0, Text("@c.n <= 128")).ok());
  EXPECT_TRUE(AddConstraintLines(&acc, 0, Text("\n@c.n % 16 == 0\n\n  (@a.p == 0\n or @s.s >= 1)\n")).ok());
  ASSERT_EQ(acc.instructions[0].constraints.size(), 3u);
  EXPECT_FALSE(AddConstraintLines(&acc, 0, Text("@c.n == 1\n@c.n ==\n")).ok());
  EXPECT_FALSE(AddConstraintLines(&acc, 0, Text("@c.n == 1 @c.n == 2")).ok());
  EXPECT_EQ(acc.instructions[0].constraints.size(), 3u);
}

TEST(Builder, Updates) {
  Accelerator acc = Base();
  for (const char* text : {"@s.s = 1", "@s.s += @c.n", "@s.s -= 2*@s.s", " @s.s*=-3 "}) {
    EXPECT_TRUE(AddUpdate(&acc, 0, Text(text)).ok()) << text;
  }
  ASSERT_EQ(acc.instructions[0].updates.size(), 4u);
  EXPECT_EQ(acc.instructions[0].updates[3].kind, Update::Kind::kMultiply);
  const std::pair<const char*, ErrorClass> bad[] = {
      {"@c.n = 1", ErrorClass::kValue},    {"@s.t = 1", ErrorClass::kValue},
      {"@s.s == 1", ErrorClass::kSyntax},  {"@s.s /= 1", ErrorClass::kSyntax},
      {"@s.s = @a.p", ErrorClass::kValue}, {"s = 1", ErrorClass::kSyntax},
      {"", ErrorClass::kSyntax},           {"@s.s = 1 2", ErrorClass::kSyntax}};
  for (const auto& [text, error] : bad) {
    const Status status = AddUpdate(&acc, 0, Text(text));
    ASSERT_FALSE(status.ok()) << text;
    EXPECT_EQ(status.front().error_class, error) << text;
  }
  EXPECT_EQ(acc.instructions[0].updates.size(), 4u);
}

TEST(Builder, PlacementMarks) {
  Accelerator acc = Base();
  EXPECT_TRUE(SetPlacement(&acc, 0, PlacementMark::kApart, {true, false}).ok());  // before the inputs
  EXPECT_FALSE(SetInputs(&acc, 0, {{"d1", {"0"}, {"1"}, {}}}).ok());
  EXPECT_TRUE(SetInputs(&acc, 0, {{"d1", {"0"}, {"1"}, {}}, {"d1", {"1"}, {"1"}, {}}}).ok());
  EXPECT_FALSE(SetPlacement(&acc, 0, PlacementMark::kInplace, {true}).ok());
  EXPECT_TRUE(SetPlacement(&acc, 0, PlacementMark::kInplace, {false, false}).ok());
  EXPECT_TRUE(acc.instructions[0].inplace.empty());
  EXPECT_EQ(acc.instructions[0].apart, (std::vector<bool>{true, false}));
}

TEST(Builder, CostUnitMnemonicNumerics) {
  Accelerator acc = Base();
  EXPECT_TRUE(SetCost(&acc, 0, Text("64 + @c.n*@a.p + @s.s")).ok());
  EXPECT_FALSE(SetCost(&acc, 0, Text("64 + @c.m")).ok());
  EXPECT_TRUE(SetUnit(&acc, 0, "dma").ok());
  EXPECT_FALSE(SetUnit(&acc, 0, "d m").ok());
  EXPECT_TRUE(SetMnemonic(&acc, 0, "vld.bf16").ok());
  EXPECT_FALSE(SetMnemonic(&acc, 0, "v\n").ok());
  EXPECT_TRUE(SetNumerics(&acc, 0, "approx").ok());
  EXPECT_FALSE(SetNumerics(&acc, 0, "fast").ok());
  EXPECT_TRUE(acc.instructions[0].has_cost);
  EXPECT_EQ(acc.instructions[0].numerics, InstructionNumerics::kApproximate);
}

constexpr char kUnnamed[] = "ENTRY { ROOT %Out0 = bf16[`@c.n`,64] add(%In1, %In2) }";

TEST(Builder, SemanticsBeforeOrAfterRegions) {
  const std::vector<RegionText> inputs = {{"d1", {"@a.p"}, {"@c.n"}, {}}, {"d1", {"@a.q"}, {"@c.n"}, {}}};
  const std::vector<RegionText> outputs = {{"d1", {"@a.q"}, {"@c.n"}, {}}};
  Accelerator after = Base(), before = Base();
  ASSERT_TRUE(SetInputs(&after, 0, inputs).ok());
  ASSERT_TRUE(SetOutputs(&after, 0, outputs).ok());
  ASSERT_TRUE(SetSemantics(&after, 0, Text(kUnnamed)).ok());
  ASSERT_TRUE(SetSemantics(&before, 0, Text(kUnnamed)).ok());
  EXPECT_TRUE(before.instructions[0].semantics.empty());
  EXPECT_FALSE(CheckComplete(before, 0).ok());
  ASSERT_TRUE(SetOutputs(&before, 0, outputs).ok());
  ASSERT_TRUE(SetInputs(&before, 0, inputs).ok());
  EXPECT_TRUE(SameAccelerator(before, after));
  EXPECT_TRUE(CheckComplete(before, 0).ok());
  EXPECT_EQ(after.instructions[0].semantics.nodes.size(), 3u);
  // Other inputs, other shapes: resolved again.
  ASSERT_TRUE(SetInputs(&after, 0, {{"d1", {"0"}, {"64"}, {}}, {"d1", {"1"}, {"64"}, {}}}).ok());
  EXPECT_EQ(after.instructions[0].semantics.nodes[0].dims[0], Expression::Integer(64));
  // One input less: %In2 is nowhere.
  const Status fewer = SetInputs(&after, 0, {{"d1", {"0"}, {"64"}, {}}});
  ASSERT_FALSE(fewer.ok());
  EXPECT_EQ(fewer.front().error_class, ErrorClass::kSyntax);
  EXPECT_EQ(after.instructions[0].inputs.size(), 2u);
}

TEST(Builder, BlankSemanticsIsNone) {
  Accelerator acc = Base();
  EXPECT_TRUE(SetSemantics(&acc, 0, Text(" \n // nothing\n")).ok());
  EXPECT_TRUE(acc.instructions[0].semantics.empty());
  EXPECT_TRUE(CheckComplete(acc, 0).ok());
}

TEST(Builder, SemanticsWithoutInputsNeedNoRegions) {
  Accelerator acc = Base();
  EXPECT_TRUE(SetSemantics(&acc, 0, Text("ENTRY { ROOT %z = bf16[1,64] constant(0) }")).ok());
  EXPECT_EQ(acc.instructions[0].semantics.nodes.size(), 1u);
}

TEST(Builder, UnknownIndexFails) {
  Accelerator acc = Base();
  EXPECT_FALSE(SetCost(&acc, 7, Text("1")).ok());
  EXPECT_FALSE(CheckComplete(acc, 7).ok());
}

}  // namespace
}  // namespace act::isa
