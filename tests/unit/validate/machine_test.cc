// What the examples' machines lack: constraints, placement marks, state, several dimensions, several outputs.
#include <gtest/gtest.h>

#include "kit.h"
#include "validate/validate.h"

namespace act::validate {
namespace {

Kit Example0(size_t i) { return std::move(IntegerExamples()[i].kit); }
assembly::AttributeValue At(int64_t value) { return assembly::AttributeValue::Of(value); }

// pitfall 110, 149
TEST(ValidateMachine, ConstraintsHoldAtEveryCall) {
  Kit kit = Example0(1);
  kit.call(3).addressing[2] = At(23);  // sub: @a.o % 2 == 0
  kit.call(4).addressing[0] = At(23);
  EXPECT_TRUE(Says(Fault(kit, false), {"call 3, sub(n = 2, x = 1, y = 6, o = 23)", "@a.o%2 == 0"}));
  Kit wide = Example0(1);
  wide.call(3).computational[0] = 17;
  EXPECT_TRUE(Says(Fault(wide, false), {"call 3, sub", "@c.n <= 16"}));
}

// pitfall 119
TEST(ValidateMachine, ResultsMayLieOverOperandsUnlessMarked) {
  // add writes partly over its own operand: read, then written.
  Kit kit(MakeInteger());
  const ValueId x = kit.Input("x", Matrix(2, 8, ElementType::kS32));
  const int64_t out = kit.Output(Matrix(2, 8, ElementType::kS32));
  const ValueId x1 = kit.Do("load", {2}, {0, 4}, {x});
  const ValueId y = kit.Do("add", {2}, {4, 4, 5}, {x1, x1});
  kit.Returns({kit.Do("store", {2}, {5, out}, {y})});
  EXPECT_EQ(Fault(kit, true), "");
  // max2 must lie apart from its first operand, and not partly over its second.
  for (const auto& [oy, ox, fine] : std::vector<std::tuple<int64_t, int64_t, bool>>{
           {1, 9, true}, {1, 2, false}, {2, 3, false}, {1, 10, false}, {2, 9, false}, {4, 9, false}}) {
    Kit marked = Example0(2);
    marked.call(2).addressing[4] = At(oy);
    marked.call(2).addressing[5] = At(ox);
    marked.call(3).addressing[0] = At(oy);
    marked.call(3).addressing[1] = At(ox);
    EXPECT_EQ(Fault(marked, true).empty(), fine) << oy << "," << ox << " " << Fault(marked, true);
  }
}

TEST(ValidateMachine, OperandsMarkedInPlaceAreDead) {
  Kit kit(MakeInteger());
  const ValueId x = kit.Input("x", Matrix(2, 8, ElementType::kS32));
  const int64_t out = kit.Output(Matrix(2, 8, ElementType::kS32));
  const ValueId x1 = kit.Do("load", {2}, {0, 4}, {x});
  const ValueId y = kit.Do("eat", {2}, {4, 5}, {x1});  // rows 4-5 die, rows 5-6 are the result
  const ValueId z = kit.Do("add", {2}, {5, 5, 8}, {y, y});
  kit.Returns({kit.Do("store", {2}, {8, out}, {z})});
  EXPECT_EQ(Fault(kit, true), "");
  kit.call(2).addressing[0] = At(4);
  EXPECT_TRUE(Says(Fault(kit, false), {"validate-undefined", "call 2, add", "call 1 destroyed in place",
                                       "operand 0", "v byte 128 (unit 4)"}));
}

// pitfall 164
TEST(ValidateMachine, ConstraintsSeeTheOldStateWindowsTheNewOne) {
  Kit kit(MakeInteger());
  kit.Input("x", Matrix(5, 8, ElementType::kS32));
  const int64_t out = kit.Output(Matrix(4, 8, ElementType::kS32));
  assembly::Statement loop;
  loop.kind = assembly::Statement::Kind::kLoop;
  loop.variable = "i";
  loop.end = 4;
  Kit body(MakeInteger());
  body.Call("push", {}, {0});
  loop.body = body.program.body;
  loop.body[0].call.addressing[0].expression = isa::Expression::Binary(
      isa::Expression::Kind::kMultiply, isa::Expression::Attribute(isa::AttributeKind::kAddressing, 0),
      isa::Expression::Integer(32));
  kit.program.body = {loop};
  kit.Call("store", {4}, {0, out});
  EXPECT_EQ(Fault(kit, false), "");  // heads 1..4, rows 0..3
  kit.program.body[0].end = 5;
  EXPECT_TRUE(Says(Fault(kit, false), {"call 4, push", "@s.head < 4"}));
  // Which rows were pushed is known: rows 0-3 hold input rows 0-3, so storing from row 1 reads one too many.
  kit.program.body[0].end = 4;
  kit.call(1).addressing[0] = At(1);
  EXPECT_TRUE(Says(Fault(kit, false), {"validate-undefined", "output 0 at byte 96", "v byte 128 (unit 4)"}));
}

TEST(ValidateMachine, StateInValues) {
  // scale by 3 (the initial state), and by 5 after set_scale: two different results of one instruction.
  Kit kit(MakeInteger());
  const Shape rows = Matrix(1, 8, ElementType::kS32);
  const ValueId x = kit.Input("x", rows);
  const int64_t out = kit.Output(rows), other = kit.Output(rows);
  kit.Call("load", {1}, {0, 0});
  kit.Call("scale", {1}, {0, 1});
  kit.Call("set_scale", {5}, {});
  kit.Call("scale", {1}, {0, 2});
  kit.Call("store", {1}, {1, out});
  kit.Call("store", {1}, {2, other});
  StatusOr<ValidateReport> report = Validate(kit.accelerator, kit.program, nullptr);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->terms, 4);  // literal, input, two products
  kit.call(2).computational[0] = 3;
  report = Validate(kit.accelerator, kit.program, nullptr);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->terms, 3);
  // A certificate has no state, so it may not use such an instruction.
  const ValueId x1 = kit.Step("load", {1}, {x});
  const ValueId y = kit.Step("scale", {1}, {x1});
  kit.Returns({kit.Step("store", {1}, {y}), kit.Step("store", {1}, {x1})});
  EXPECT_TRUE(Says(Fault(kit, true), {"validate-certificate", "(scale)", "state"}));
}

TEST(ValidateMachine, SeveralOutputs) {
  Kit kit(MakeInteger());
  const Shape rows = Matrix(1, 8, ElementType::kS32);
  const ValueId x = kit.Input("x", rows), y = kit.Input("y", rows);
  const int64_t out = kit.Output(rows), other = kit.Output(rows);
  const ValueId x1 = kit.Do("load", {1}, {0, 0}, {x}), y1 = kit.Do("load", {1}, {32, 1}, {y});
  kit.Call("both", {1}, {0, 1, 4, 6});
  const ValueId sum = kit.Step("add", {1}, {x1, y1}), difference = kit.Step("sub", {1}, {x1, y1});
  kit.Returns({kit.Do("store", {1}, {4, out}, {sum}), kit.Do("store", {1}, {6, other}, {difference})});
  EXPECT_EQ(Fault(kit, true), "");
  std::swap(kit.call(3).addressing[0], kit.call(4).addressing[0]);
  EXPECT_TRUE(Says(Fault(kit, true), {"validate-output", "= sub.subtract(x, y)", "= add.add(x, y)"}));
}

// pitfall 106, 107
TEST(ValidateMachine, BoxesOfTwoDimensions) {
  // Beside one another in columns is apart; one column of overlap is wrong.
  Kit kit = Example0(2);
  EXPECT_EQ(Fault(kit, true), "");
  kit.call(1).addressing[2] = At(8);  // columns 8-13 for 9-14
  kit.call(2).addressing[3] = At(8);
  kit.call(2).addressing[5] = At(8);
  kit.call(3).addressing[1] = At(8);
  EXPECT_EQ(Fault(kit, true), "");  // columns 2-7 and 8-13
  kit.call(1).addressing[2] = At(7);
  kit.call(2).addressing[3] = At(7);
  EXPECT_FALSE(Fault(kit, true).empty());
  Kit outside = Example0(2);
  outside.call(0).addressing[2] = At(11);
  EXPECT_TRUE(Says(Fault(outside, false), {"call 0, load2", "t["}));
}

TEST(ValidateMachine, StridedRegionsReadWhatTheySay) {
  Kit kit = Example0(2);
  kit.call(0).computational[2] = 9;  // another pitch: other bytes of the image
  EXPECT_EQ(Fault(kit, false), "");
  EXPECT_TRUE(Says(Fault(kit, true), {"validate-output", "max2.maximum", "image"}));
}

TEST(ValidateMachine, CommutingIntegersAreOneTermFloatsAreNot) {
  Kit kit = Example0(1);
  std::swap(kit.call(2).addressing[0], kit.call(2).addressing[1]);  // x + y for y + x
  EXPECT_EQ(Fault(kit, true), "");
  std::swap(kit.call(3).addressing[0], kit.call(3).addressing[1]);  // y - x for x - y
  EXPECT_TRUE(Says(Fault(kit, true), {"validate-output", "sub.subtract"}));
}

TEST(ValidateMachine, AccumulationInPlaceKeepsItsOrder) {
  Kit kit = Example0(0);
  // One accumulator register for another: its bytes were never zeroed.
  kit.call(5).addressing[2] = At(1);
  EXPECT_TRUE(
      Says(Fault(kit, false), {"validate-undefined", "call 5, mac", "operand 2", "acc byte 256 (unit 1)"}));
  Kit twice = Example0(0);
  twice.program.body.insert(twice.program.body.begin() + 6, twice.program.body[5]);
  EXPECT_TRUE(Says(Fault(twice, true), {"validate-output"}));
  Kit order = Example0(0);  // C*D first: as integers equal, as terms not; what is refused is only unproved
  std::swap(order.program.body[5], order.program.body[6]);
  EXPECT_TRUE(Says(Fault(order, true), {"validate-output"}));
}

}  // namespace
}  // namespace act::validate
