// The built-in models on programs whose cost is computed by hand.
#include <gtest/gtest.h>

#include "cost/cost.h"

namespace act::cost {
namespace {

isa::Accelerator ReadSpec(const std::string& lines) {
  auto accelerator =
      isa::ParseTaidl(SourceText("t.taidl",
                                 "accelerator t\nbuffer d [64] of s8[1]\n"
                                 "instruction load(n; a, o)\n  in x = d0[a : +n]\n  out y = d[o : +n]\n" +
                                     lines));
  if (!accelerator.ok()) {
    ADD_FAILURE() << accelerator.status().message();
    return isa::MakeAccelerator("none");
  }
  return *std::move(accelerator);
}

const std::string kCopyIn = "  y = bitcast_convert(reshape(x, u8[n,1]), s8[n,1])\n";
const std::string kNeg = "instruction neg(n; a, o)\n  in x = d[a : +n]\n  out y = d[o : +n]\n";
const std::string kNegValue = "  y = negate(x)\n";

isa::Accelerator Counting() { return ReadSpec(kCopyIn + kNeg + kNegValue); }
isa::Accelerator Costs() { return ReadSpec("  cost 10 + n\n" + kCopyIn + kNeg + "  cost 2*n\n" + kNegValue); }
isa::Accelerator Units() {
  return ReadSpec("  cost 10 + n  unit dma\n" + kCopyIn + kNeg + "  cost 2*n  unit vector\n" + kNegValue);
}

assembly::Statement Call(uint32_t instruction, int64_t n, int64_t from, int64_t to) {
  assembly::Statement s;
  s.call.instruction = InstructionId(instruction);
  s.call.computational = {n};
  s.call.addressing = {assembly::AttributeValue::Of(from), assembly::AttributeValue::Of(to)};
  return s;
}
constexpr uint32_t kLoad = 0, kNegate = 1;

assembly::Statement Loop(int64_t start, int64_t end, std::vector<assembly::Statement> body) {
  assembly::Statement s;
  s.kind = assembly::Statement::Kind::kLoop;
  s.variable = "i";
  s.start = start;
  s.end = end;
  s.body = std::move(body);
  return s;
}

struct Case {
  const char* name;
  std::vector<assembly::Statement> body;
  double count, sum, makespan;
};

// pitfall 143
TEST(Builtin, CountsSumsAndTimelines) {
  assembly::Statement debug;
  debug.kind = assembly::Statement::Kind::kDebug;
  const Case cases[] = {
      {"nothing", {}, 0, 0, 0},
      {"a print costs nothing", {debug}, 0, 0, 0},
      {"one load", {Call(kLoad, 4, 0, 0)}, 1, 14, 14},
      // The second load waits for the engine, the first negation for its operand only.
      {"loads in order, a negation beside the second",
       {Call(kLoad, 4, 0, 0), Call(kLoad, 4, 4, 4), Call(kNegate, 4, 0, 8)},
       3,
       14 + 14 + 8,
       28},
      {"a negation behind its load", {Call(kLoad, 4, 0, 0), Call(kNegate, 4, 0, 8)}, 2, 22, 22},
      {"independent", {Call(kLoad, 4, 0, 0), Call(kNegate, 10, 20, 40)}, 2, 34, 20},
      // A write waits for the readers of what it overwrites.
      {"a load over what is read", {Call(kNegate, 10, 0, 20), Call(kLoad, 10, 0, 0)}, 2, 40, 40},
      {"a load beside what is read", {Call(kNegate, 10, 0, 20), Call(kLoad, 10, 0, 10)}, 2, 40, 20},
      // Two writes of one place keep their order.
      {"a load over a result", {Call(kNegate, 10, 0, 20), Call(kLoad, 10, 0, 29)}, 2, 40, 40},
      {"two readers", {Call(kLoad, 4, 0, 0), Call(kNegate, 2, 0, 8), Call(kNegate, 2, 2, 10)}, 3, 22, 22},
      {"loops count by iteration", {Loop(0, 5, {Call(kLoad, 4, 0, 0)})}, 5, 70, 70},
      {"loops inside loops", {Loop(0, 2, {Loop(1, 4, {Call(kNegate, 3, 0, 8)})})}, 6, 36, 36},
      {"an empty loop", {Loop(3, 3, {Call(kLoad, 4, 0, 0)})}, 0, 0, 0},
  };
  const isa::Accelerator counting = Counting(), costs = Costs(), units = Units();
  const auto model = BuiltinModel();
  EXPECT_TRUE(model->IsAdditive(counting));
  EXPECT_TRUE(model->IsAdditive(costs));
  EXPECT_FALSE(model->IsAdditive(units));
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    assembly::Program program;
    program.body = c.body;
    for (const auto& [accelerator, expected] :
         {std::pair{&counting, c.count}, std::pair{&costs, c.sum}, std::pair{&units, c.makespan}}) {
      const auto cost = model->Cost(*accelerator, program, "");
      ASSERT_TRUE(cost.ok()) << cost.status().message();
      EXPECT_DOUBLE_EQ(*cost, expected);
    }
  }
}

TEST(Builtin, LoopAddressesAreFollowed) {
  // Each iteration writes another place, so that only the engines hold it up.
  assembly::Statement load = Call(kLoad, 4, 0, 0), negate = Call(kNegate, 4, 0, 32);
  const isa::Expression i = isa::Expression::Attribute(isa::AttributeKind::kAddressing, 0);
  const auto times4 =
      isa::Expression::Binary(isa::Expression::Kind::kMultiply, i, isa::Expression::Integer(4));
  load.call.addressing[1].expression = times4;
  negate.call.addressing[0].expression = times4;
  assembly::Program program;
  program.body = {Loop(0, 4, {load, negate})};
  const auto cost = BuiltinModel()->Cost(Units(), program, "");
  ASSERT_TRUE(cost.ok()) << cost.status().message();
  EXPECT_DOUBLE_EQ(*cost, 4 * 14 + 8);
}

TEST(Builtin, EndlessLoopsAreRefused) {
  assembly::Program program;
  program.body = {Loop(0, int64_t{1} << 60, {Call(kLoad, 4, 0, 0)})};
  const auto cost = BuiltinModel()->Cost(Counting(), program, "");
  ASSERT_FALSE(cost.ok());
  EXPECT_EQ(cost.status().front().error_class, ErrorClass::kLimit);
}

// Loops over the same bytes cost no more time than others: the timeline keeps ranges, not accesses.
TEST(Builtin, LongLoopsWithUnits) {
  assembly::Program program;
  program.body = {Loop(0, 200000, {Call(kLoad, 4, 0, 0), Call(kNegate, 4, 0, 8)})};
  const auto cost = BuiltinModel()->Cost(Units(), program, "");
  ASSERT_TRUE(cost.ok());
  // Each load overwrites what the negation before it reads.
  EXPECT_DOUBLE_EQ(*cost, 200000.0 * (14 + 8));
}

}  // namespace
}  // namespace act::cost
