#include "isa/instantiate.h"

#include <gtest/gtest.h>

#include "isa/builder.h"

namespace act::isa {
namespace {

SourceText Text(std::string text) { return SourceText("spec", std::move(text)); }

void Ok(const Status& status) { EXPECT_TRUE(status.ok()) << status.message(); }

// d1 [128] of bf16[64], d2 [64] of bf16[64], r [16] of s32[4]; instructions are added by Add.
Accelerator Machine() {
  Accelerator acc = MakeAccelerator("M");
  Ok(AddBuffer(&acc, "d1", {128}, {64}, "bf16"));
  Ok(AddBuffer(&acc, "d2", {64}, {64}, "bf16"));
  Ok(AddBuffer(&acc, "r", {16}, {4}, "s32"));
  Ok(AddState(&acc, "mode", 3));
  return acc;
}

const Instruction& Add(Accelerator* acc, std::string name, std::vector<std::string> computational,
                       std::vector<std::string> addressing, std::vector<RegionText> inputs,
                       std::vector<RegionText> outputs, const std::string& semantics) {
  Ok(AddInstruction(acc, std::move(name), std::move(computational), std::move(addressing)));
  const size_t index = acc->instructions.size() - 1;
  Ok(SetInputs(acc, index, inputs));
  Ok(SetOutputs(acc, index, outputs));
  Ok(SetSemantics(acc, index, Text(semantics)));
  return acc->instructions.back();
}

const Instruction& AddLoadTransposed(Accelerator* acc) {
  return Add(acc, "load_cm", {"n"}, {"addr_in", "addr_out"}, {{"d0", {"@a.addr_in"}, {"@c.n*128"}, {}}},
             {{"d1", {"@a.addr_out"}, {"@c.n"}, {}}},
             "ENTRY load_cm { %In1 = u8[`@c.n*128`] parameter(0);"
             " %a = u8[`@c.n`,64,2] reshape(%In1); %b = bf16[`@c.n`,64] bitcast_convert(%a);"
             " ROOT %Out0 = bf16[64,`@c.n`] transpose(%b), dimensions={1,0}; }");
}

std::string Shapes(const Instance& instance) {
  std::string text;
  for (const hlo::Instruction& instruction : instance.body.instructions) {
    text += std::string(hlo::OpcodeName(instruction.opcode)) + " " + ToString(instruction.shape) + "\n";
  }
  return text;
}

StatusOr<Instance> At(const Accelerator& acc, const Instruction& instruction, std::vector<int64_t> values,
                      std::vector<int64_t> state = {3}) {
  return Instantiate(acc, instruction, values, state);
}

// pitfall 15
TEST(Instantiate, TheResultTakesTheRegionsShapeRowMajor) {
  Accelerator acc = Machine();
  const Instruction& load = AddLoadTransposed(&acc);
  const StatusOr<Instance> narrow = At(acc, load, {32});
  ASSERT_TRUE(narrow.ok()) << narrow.status().message();
  EXPECT_EQ(Shapes(*narrow),
            "parameter u8[4096]\nreshape u8[32,64,2]\nbitcast-convert bf16[32,64]\ntranspose bf16[64,32]\n"
            "reshape bf16[32,64]\n");
  EXPECT_EQ(narrow->outputs, std::vector<int32_t>{4});
  const StatusOr<Instance> square = At(acc, load, {64});
  ASSERT_TRUE(square.ok());
  EXPECT_EQ(square->outputs, std::vector<int32_t>{3});
  EXPECT_EQ(square->body.parameters, std::vector<int32_t>{0});
}

// pitfall 14
TEST(Instantiate, AParameterOfOtherSizeIsRefused) {
  Accelerator acc = Machine();
  const Instruction& mov =
      Add(&acc, "mov", {"n"}, {"x", "y"}, {{"d2", {"@a.x"}, {"@c.n"}, {}}}, {{"d1", {"@a.y"}, {"@c.n"}, {}}},
          "ENTRY mov { %In1 = bf16[32,64] parameter(0); ROOT %Out0 = bf16[32,64] copy(%In1); }");
  EXPECT_TRUE(At(acc, mov, {32}).ok());
  const Status status = At(acc, mov, {48}).status();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.front().code, "isa-parameter-shape");
  EXPECT_EQ(status.front().message,
            "instruction 'mov': value 'In1' is declared bf16[32,64], but input 0 is a region of bf16[48,64]; "
            "declare its type and as many elements (at @c.n = 48, @s.mode = 3)");
}

// pitfall 12, 13
TEST(Instantiate, ParametersGoByNumberAndAllExist) {
  Accelerator acc = Machine();
  const Instruction& sub =
      Add(&acc, "sub", {}, {"x", "y", "z", "o"},
          {{"r", {"@a.x"}, {"2"}, {}}, {"r", {"@a.y"}, {"2"}, {}}, {"r", {"@a.z"}, {"3"}, {}}},
          {{"r", {"@a.o"}, {"2"}, {}}},
          "ENTRY sub { %second = s32[2,4] parameter(1); %first = s32[2,4] parameter(0); %third = s32[3,4] "
          "parameter(2);"
          " ROOT %Out0 = s32[2,4] subtract(%first, %second); }");
  const StatusOr<Instance> instance = At(acc, sub, {});
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  const hlo::Instruction& root = instance->body.root_instruction();
  EXPECT_EQ(root.operands, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(instance->body.parameters, (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(ToString(instance->body.instructions[2].shape), "s32[3,4]");
}

TEST(Instantiate, ConstantsAreTakenByValue) {
  Accelerator acc = Machine();
  const Instruction& instruction =
      Add(&acc, "addc", {"k"}, {"x", "o"}, {{"r", {"@a.x"}, {"1"}, {}}}, {{"r", {"@a.o"}, {"1"}, {}}},
          "ENTRY addc { %In1 = s32[1,4] parameter(0); %c = s32[] constant(`@c.k*2+@s.mode`);"
          " %b = s32[1,4] broadcast(%c), dimensions={}; ROOT %Out0 = s32[1,4] add(%In1, %b); }");
  const StatusOr<Instance> instance = At(acc, instruction, {-20});
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  const Literal* literal = nullptr;
  for (const hlo::Instruction& node : instance->body.instructions) {
    if (node.opcode == hlo::Opcode::kConstant) literal = node.literal.get();
  }
  ASSERT_NE(literal, nullptr);
  EXPECT_EQ(literal->GetInt(0), -37);
  EXPECT_EQ(At(acc, instruction, {int64_t{1} << 40}).status().front().code, "isa-constant-range");
}

TEST(Instantiate, AConstantOfAWholeShapeIsABroadcastScalar) {
  Accelerator acc = Machine();
  const Instruction& instruction = Add(&acc, "fill", {"n"}, {"o"}, {}, {{"d1", {"@a.o"}, {"@c.n"}, {}}},
                                       "ENTRY fill { ROOT %Out0 = bf16[`@c.n`,64] constant(0.5); }");
  const StatusOr<Instance> instance = At(acc, instruction, {128});
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  EXPECT_EQ(Shapes(*instance), "constant bf16[]\nbroadcast bf16[128,64]\n");
  EXPECT_EQ(instance->body.instructions[0].literal->GetDouble(0), 0.5);
}

TEST(Instantiate, ReduceKeepsItsInitAndCombiner) {
  Accelerator acc = Machine();
  const Instruction& instruction = Add(
      &acc, "rowmax", {}, {"x", "o"}, {{"r", {"@a.x"}, {"4"}, {}}}, {{"r", {"@a.o"}, {"1"}, {}}},
      "ENTRY rowmax { %In1 = s32[4,4] parameter(0); ROOT %Out0 = s32[4] reduce_max(%In1), dimensions={1}; }");
  const StatusOr<Instance> instance = At(acc, instruction, {});
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  EXPECT_EQ(ToString(instance->body.instructions[static_cast<size_t>(instance->outputs[0])].shape),
            "s32[1,4]");
  for (const hlo::Instruction& node : instance->body.instructions) {
    if (node.opcode != hlo::Opcode::kReduce) continue;
    EXPECT_EQ(node.reducer, hlo::Reducer::kMaximum);
    ASSERT_EQ(node.operands.size(), 2u);
    const hlo::Instruction& init = instance->body.instructions[static_cast<size_t>(node.operands[1])];
    EXPECT_EQ(init.literal->GetInt(0), std::numeric_limits<int32_t>::min());
  }
}

TEST(Instantiate, ShapesThatDependOnAttributesAreChecked) {
  Accelerator acc = Machine();
  const Instruction& gemm = Add(
      &acc, "gemm", {"m", "k"}, {"x", "y", "o"},
      {{"d1", {"@a.x"}, {"@c.m"}, {}}, {"d1", {"@a.y"}, {"@c.k"}, {}}}, {{"d2", {"@a.o"}, {"@c.m"}, {}}},
      "ENTRY gemm { %In1 = bf16[`@c.m`,64] parameter(0); %In2 = bf16[`@c.k`,64] parameter(1);"
      " ROOT %Out0 = bf16[`@c.m`,64] dot(%In1, %In2), lhs_contracting_dims={1}, rhs_contracting_dims={0}; }");
  EXPECT_TRUE(At(acc, gemm, {16, 64}).ok());
  const Status status = At(acc, gemm, {16, 32}).status();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.front().message.find("instruction 'gemm': value 'Out0': 'dot' pairs"), 0u)
      << status.front().message;
  EXPECT_NE(status.front().message.find("(at @c.m = 16, @c.k = 32, @s.mode = 3)"), std::string::npos);
}

TEST(Instantiate, RefusesNamedThings) {
  Accelerator acc = Machine();
  const Instruction& window = Add(
      &acc, "window", {"s", "n"}, {"x", "o"}, {{"r", {"@a.x"}, {"8"}, {}}}, {{"r", {"@a.o"}, {"@c.n"}, {}}},
      "ENTRY window { %In1 = s32[8,4] parameter(0);"
      " ROOT %Out0 = s32[`@c.n`,4] slice(%In1), slice={[`@c.s`:`@c.s+@c.n`:1],[0:4:1]}; }");
  EXPECT_TRUE(At(acc, window, {4, 4}).ok());
  EXPECT_EQ(At(acc, window, {6, 4}).status().front().code, "hlo-shape");
  EXPECT_EQ(At(acc, window, {0, 0}).status().front().code, "isa-size-below-1");
  EXPECT_EQ(At(acc, window, {0, std::numeric_limits<int64_t>::max()}).status().front().code, "isa-too-wide");
  Ok(AddInstruction(&acc, "nothing", {}, {}));
  EXPECT_EQ(At(acc, acc.instructions.back(), {}).status().front().code, "isa-no-semantics");
}

// pitfall 43
TEST(CheckConstraints, NamesInstructionConstraintAndValues) {
  Accelerator acc = Machine();
  AddLoadTransposed(&acc);
  Ok(AddConstraint(&acc, 0, Text("@c.n % 16 == 0")));
  Ok(AddConstraint(&acc, 0, Text("@a.addr_out + @c.n <= 100")));
  Ok(AddConstraint(&acc, 0, Text("@s.mode == 3")));
  Ok(AddConstraint(&acc, 0, Text("128 / (@c.n - 16) > 0 or @c.n == 64")));
  const Instruction& load = acc.instructions[0];
  const auto check = [&](std::vector<int64_t> c, std::vector<int64_t> a, std::vector<int64_t> s, bool all) {
    return CheckConstraints(acc, load, {c, a, s}, all);
  };
  EXPECT_TRUE(check({32}, {}, {}, false).ok());
  EXPECT_TRUE(check({32}, {0, 68}, {3}, true).ok());
  EXPECT_EQ(check({24}, {}, {}, false).front().message,
            "instruction 'load_cm': constraint \"@c.n%16 == 0\" does not hold at @c.n = 24");
  EXPECT_EQ(check({32}, {5, 69}, {3}, true).front().message,
            "instruction 'load_cm': constraint \"@a.addr_out + @c.n <= 100\" does not hold at @c.n = 32, "
            "@a.addr_in = 5, @a.addr_out = 69, @s.mode = 3");
  EXPECT_EQ(check({32}, {0, 0}, {2}, true).front().code, "isa-constraint");
  EXPECT_EQ(check({16}, {}, {}, false).front().code, "isa-division-by-zero");
  EXPECT_NE(check({16}, {}, {}, false).front().message.find("load_cm"), std::string::npos);
}

TEST(CheckPlacement, MarksAreConditionsOnBoxes) {
  Instruction instruction;
  instruction.name = "i";
  const auto box = [](int buffer, int64_t start, int64_t size, std::vector<int64_t> strides = {}) {
    return Box{BufferId(buffer), {start}, {size}, std::move(strides)};
  };
  struct Row {
    Box input, output;
    bool apart, no_partial_overlap;  // whether each mark allows it
  };
  const Row rows[] = {
      {box(1, 0, 8), box(1, 8, 8), true, true},       {box(1, 0, 8), box(1, 7, 8), false, false},
      {box(1, 8, 8), box(1, 0, 8), true, true},       {box(1, 4, 8), box(1, 4, 8), false, true},
      {box(1, 4, 8), box(1, 4, 4), false, false},     {box(1, 4, 8), box(2, 4, 4), true, true},
      {box(1, 0, 4, {8}), box(1, 25, 2), true, true}, {box(1, 0, 4, {8}), box(1, 24, 2), false, false},
  };
  for (const Row& row : rows) {
    const std::vector<Box> inputs{row.input}, outputs{row.output};
    instruction.apart = {true};
    instruction.no_partial_overlap = {};
    EXPECT_EQ(CheckPlacement(instruction, inputs, outputs).ok(), row.apart) << &row - rows;
    instruction.apart = {};
    instruction.no_partial_overlap = {true};
    EXPECT_EQ(CheckPlacement(instruction, inputs, outputs).ok(), row.no_partial_overlap) << &row - rows;
    instruction.no_partial_overlap = {false};
    EXPECT_TRUE(CheckPlacement(instruction, inputs, outputs).ok());
  }
  // Two dimensions: apart in one is enough.
  const std::vector<Box> input{{BufferId(1), {0, 0}, {4, 4}, {}}}, output{{BufferId(1), {0, 4}, {4, 4}, {}}};
  instruction.apart = {true};
  EXPECT_TRUE(CheckPlacement(instruction, input, output).ok());
}

}  // namespace
}  // namespace act::isa
