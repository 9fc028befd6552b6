#include <gtest/gtest.h>

#include "support/support.h"
#include "unit/eval/test_util.h"

namespace act::eval {
namespace {

using hlo::Opcode;

// x, y parameters; sum = x + y; twice = sum + sum; unused = a giant value that must not be computed.
hlo::Computation Body() {
  hlo::Computation body;
  body.name = "main";
  const auto add = [&](const char* name, Opcode opcode, std::vector<int32_t> operands, int64_t number = 0) {
    hlo::Instruction instruction = Op(opcode, ElementType::kS32, {2});
    instruction.name = name;
    instruction.operands = std::move(operands);
    instruction.parameter_number = number;
    body.instructions.push_back(std::move(instruction));
  };
  add("y", Opcode::kParameter, {}, 1);
  add("x", Opcode::kParameter, {}, 0);
  add("difference", Opcode::kSubtract, {1, 0});
  add("twice", Opcode::kAdd, {2, 2});
  add("giant", Opcode::kIota, {});
  body.instructions.back().shape = Shape::Array(ElementType::kF32, {int64_t{1} << 40});
  body.instructions.back().dimensions = {0};
  return body;
}

TEST(Evaluate, ParametersByNumberOutputsRepeatAndMayBeParameters) {
  const std::vector<Literal> parameters = {MakeInts(ElementType::kS32, {2}, {10, 20}),
                                           MakeInts(ElementType::kS32, {2}, {1, 2})};
  const std::vector<int32_t> outputs = {3, 2, 0, 3, 1};
  const auto results = Evaluate(Body(), outputs, parameters);
  ASSERT_TRUE(results.ok()) << results.status().message();
  ASSERT_EQ(results->size(), 5u);
  EXPECT_EQ(Ints((*results)[0]), (std::vector<int64_t>{18, 36}));
  EXPECT_EQ(Ints((*results)[1]), (std::vector<int64_t>{9, 18}));
  EXPECT_EQ((*results)[2], parameters[1]);
  EXPECT_EQ((*results)[3], (*results)[0]);
  EXPECT_EQ((*results)[4], parameters[0]);
  hlo::FlatKernel kernel;
  kernel.body = Body();
  kernel.outputs = outputs;
  EXPECT_EQ(*Evaluate(kernel, parameters), *results);
}

TEST(Evaluate, RefusesByName) {
  const std::vector<Literal> parameters = {MakeInts(ElementType::kS32, {2}, {10, 20}),
                                           MakeInts(ElementType::kS32, {3}, {1, 2, 3})};
  const auto message = [&](std::span<const Literal> given, int32_t output) {
    const std::vector<int32_t> outputs = {output};
    const auto result = Evaluate(Body(), outputs, given);
    return result.ok() ? std::string() : result.status().message();
  };
  EXPECT_NE(message(parameters, 2).find("parameter 1 is s32[3], expected s32[2]"), std::string::npos);
  EXPECT_NE(message(std::span(parameters).first(1), 2).find("parameter 1 was not given; found 1"),
            std::string::npos);
  EXPECT_NE(message(parameters, 4).find("'giant' = iota: the result f32[1099511627776] is larger than"),
            std::string::npos);
  EXPECT_NE(message(parameters, 9).find("output 9 does not exist"), std::string::npos);
  EXPECT_NE(message(parameters, -1).find("output -1 does not exist"), std::string::npos);
  hlo::Computation loop = Body();
  loop.instructions[2].operands = {2, 0};
  const std::vector<int32_t> outputs = {2};
  EXPECT_NE(Evaluate(loop, outputs, parameters).status().message().find("uses a later value"),
            std::string::npos);
}

TEST(Evaluate, StructureAndUnknownOperationsAreRefused) {
  for (Opcode opcode : {Opcode::kParameter, Opcode::kTuple, Opcode::kGetTupleElement, Opcode::kCall}) {
    EXPECT_EQ(Apply(Op(opcode, ElementType::kF32, {}), {}).status().front().error_class,
              ErrorClass::kInternal);
  }
  hlo::Instruction other = Op(Opcode::kOther, ElementType::kF32, {});
  other.opcode_name = "custom-call";
  other.location = {"k.hlo", 3, 5};
  const Status status = Apply(other, {}).status();
  EXPECT_EQ(status.front().error_class, ErrorClass::kNotImplemented);
  EXPECT_EQ(status.message(), "k.hlo:3:5: 'op' = custom-call: this operation is read but not evaluated");
  const Literal broken = [] {
    Literal literal(Shape::Array(ElementType::kF32, {4}));
    literal.bytes.pop_back();
    return literal;
  }();
  EXPECT_FALSE(Apply(Op(Opcode::kAbs, ElementType::kF32, {4}), {&broken}).ok());
}

// pitfall 161
TEST(Evaluate, DynamicWindowsClampOrAreRefused) {
  const Literal x = MakeInts(ElementType::kS8, {5}, {0, 1, 2, 3, 4}),
                update = MakeInts(ElementType::kS8, {2}, {8, 9});
  hlo::Instruction slice = Op(Opcode::kDynamicSlice, ElementType::kS8, {2});
  slice.dynamic_slice_sizes = {2};
  const hlo::Instruction write = Op(Opcode::kDynamicUpdateSlice, ElementType::kS8, {5});
  const auto start = [](int64_t v) { return MakeInts(ElementType::kS32, {}, {v}); };
  const Literal inside = start(3), above = start(4), below = start(-1),
                huge = MakeInts(ElementType::kU64, {}, {-1});
  const Literal vector = MakeInts(ElementType::kS64, {1}, {1});
  EXPECT_EQ(Ints(*Apply(slice, {&x, &inside}, OutOfRange::kRefuse)), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(Ints(*Apply(slice, {&x, &vector}, OutOfRange::kRefuse)), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(Ints(*Apply(slice, {&x, &above})), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(Ints(*Apply(slice, {&x, &below})), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(Ints(*Apply(slice, {&x, &huge})), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(Ints(*Apply(write, {&x, &update, &above})), (std::vector<int64_t>{0, 1, 2, 8, 9}));
  for (const Literal* outside : {&above, &below, &huge}) {
    const Status status = Apply(slice, {&x, outside}, OutOfRange::kRefuse).status();
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.message().find("lies outside 0..3"), std::string::npos);
    EXPECT_FALSE(Apply(write, {&x, &update, outside}, OutOfRange::kRefuse).ok());
  }
}

TEST(Evaluate, ShapesWithoutElementsMayHaveAnyOtherExtents) {
  const int64_t big = int64_t{1} << 40;
  const Literal x(Shape::Array(ElementType::kF32, {0, big, big}));
  hlo::Instruction transpose = Op(Opcode::kTranspose, ElementType::kF32, {big, 0, big});
  transpose.dimensions = {1, 0, 2};
  EXPECT_TRUE(Apply(transpose, {&x}).ok());
  hlo::Instruction slice = Op(Opcode::kSlice, ElementType::kF32, {0, 1, 1});
  slice.slice = {{0, 0, 1}, {big - 1, big, big}, {big - 1, big, big}};
  EXPECT_TRUE(Apply(slice, {&x}).ok());
  EXPECT_TRUE(Apply(Op(Opcode::kAbs, ElementType::kF32, {0, big, big}), {&x}).ok());
  hlo::Instruction pad = Op(Opcode::kPad, ElementType::kF32, {2});
  const Literal y = MakeDoubles(ElementType::kF32, {2}, {1, 2}),
                zero = MakeDoubles(ElementType::kF32, {}, {0});
  pad.padding = {{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), 0}};
  EXPECT_FALSE(Apply(pad, {&y, &zero}).ok());
  pad.padding = {{-1, -3, std::numeric_limits<int64_t>::max()}};
  EXPECT_FALSE(Apply(pad, {&y, &zero}).ok());
}

// Nonsense of every kind gives a failure or a value of the declared shape, never a crash.
TEST(Evaluate, RandomInstructionsNeverCrash) {
  Random random(3);
  const auto number = [&] {
    return random.Below(8) == 0 ? static_cast<int64_t>(random.Next()) : random.Between(-2, 4);
  };
  const auto list = [&] {
    std::vector<int64_t> values(random.Below(4));
    for (int64_t& v : values) v = number();
    return values;
  };
  const auto dims = [&] {
    std::vector<int64_t> values(random.Below(4));
    for (int64_t& v : values) v = random.Between(0, 3);
    return values;
  };
  const auto type = [&] {
    return static_cast<ElementType>(random.Between(1, static_cast<int64_t>(ElementType::kC128)));
  };
  int good = 0;
  for (int round = 0; round < 60000; ++round) {
    hlo::Instruction op =
        Op(static_cast<Opcode>(random.Between(0, static_cast<int64_t>(Opcode::kOther))), type(), dims());
    const ElementType shared = type();
    const std::vector<int64_t> shared_dims = dims();
    if (random.Below(2) == 0) op.shape = Shape::Array(shared, shared_dims);
    op.dimensions = random.Below(2) == 0 ? std::vector<int64_t>{0} : list();
    op.dynamic_slice_sizes = random.Below(2) == 0 ? op.shape.dims : list();
    for (size_t i = random.Below(4); i > 0; --i) {
      op.slice.push_back({number(), number(), number()});
      op.padding.push_back({number(), number(), number()});
    }
    op.dot = {list(), list(), list(), list()};
    if (random.Below(2) == 0) op.dot = {{0}, {0}, {}, {}};
    op.direction = static_cast<hlo::Direction>(random.Below(6));
    op.total_order = random.Below(2) == 0;
    if (random.Below(4) != 0) op.reducer = static_cast<hlo::Reducer>(random.Below(6));
    std::vector<Literal> operands(random.Below(4));
    std::vector<const Literal*> pointers;
    for (Literal& operand : operands) {
      operand = Literal(
          Shape::Array(random.Below(4) == 0 ? type() : shared, random.Below(3) == 0 ? dims() : shared_dims));
      for (int64_t i = 0; i < operand.num_elements(); ++i) operand.SetInt(i, number());
      pointers.push_back(&operand);
    }
    const auto result =
        EvaluateInstruction(op, pointers, random.Below(2) == 0 ? OutOfRange::kClamp : OutOfRange::kRefuse);
    if (!result.ok()) continue;
    ++good;
    ASSERT_TRUE(SameTypeAndDims(result->shape, op.shape)) << hlo::OpcodeName(op.opcode);
    ASSERT_EQ(static_cast<int64_t>(result->bytes.size()), op.shape.num_bytes());
  }
  EXPECT_GT(good, 1500);
}

}  // namespace
}  // namespace act::eval
