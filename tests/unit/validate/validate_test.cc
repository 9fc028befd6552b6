#include "validate/validate.h"

#include <gtest/gtest.h>

#include "kit.h"

namespace act::validate {
namespace {

constexpr int64_t kRows = 64;
constexpr int64_t kMatrix = 2 * kRows * kRows;

Kit Named(std::vector<Example> examples, const std::string& name) {
  for (Example& e : examples) {
    if (e.name == name) return std::move(e.kit);
  }
  ADD_FAILURE() << "no example " << name;
  return std::move(examples[0].kit);
}
Kit Attention() { return Named(QkvExamples(kRows), "attention"); }

TEST(Validate, AcceptsRightProgramsWithAndWithoutCertificate) {
  for (const int64_t rows : {8, 64}) {
    std::vector<Example> all = QkvExamples(rows);
    for (auto* more :
         {new std::vector<Example>(QkvNewExamples(rows)), new std::vector<Example>(IntegerExamples())}) {
      for (Example& e : *more) all.push_back(std::move(e));
      delete more;
    }
    for (const Example& e : all) {
      EXPECT_EQ(Fault(e.kit, true), "") << e.name;
      EXPECT_EQ(Fault(e.kit, false), "") << e.name;
    }
  }
}

TEST(Validate, ReportSaysWhatWasProved) {
  const Kit kit = Attention();
  StatusOr<ValidateReport> report = Validate(kit.accelerator, kit.program, &kit.graph);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->calls, 9);
  EXPECT_TRUE(report->claims_result);
  // The literal term, 3 inputs, 2 dots, exp, reduce, divide: the certificate's terms are the program's.
  EXPECT_EQ(report->terms, 9);
  report = Validate(kit.accelerator, kit.program, nullptr);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->claims_result);
}

TEST(Validate, SwappedOperandsAreSafeButWrong) {
  Kit kit = Attention();
  std::swap(kit.call(6).addressing[0], kit.call(6).addressing[1]);  // gemm(64, 0) for gemm(0, 64)
  EXPECT_EQ(Fault(kit, false), "");
  EXPECT_TRUE(
      Says(Fault(kit, true), {"validate-output", "output 0 at byte 0, element [0,0]", "gemm.dot(C, v",
                              "where the certificate has byte 0 of v", "written by call 8, store_rm"}));
}

// pitfall 211
TEST(Validate, OneOperandLoadedOverAnotherIsWrong) {
  Kit kit = Attention();
  kit.call(5).addressing[1] = assembly::AttributeValue::Of(0);  // V over P
  EXPECT_EQ(Fault(kit, false), "");
  EXPECT_TRUE(Says(Fault(kit, true), {"validate-output"}));
}

TEST(Validate, PartlyOverwrittenOperandIsWrong) {
  Kit kit = Attention();
  kit.call(4).addressing[1] = assembly::AttributeValue::Of(1);  // P to rows 1..64: row 0 is still Q's
  EXPECT_EQ(Fault(kit, false), "");
  EXPECT_TRUE(Says(Fault(kit, true), {"validate-output", "bytes of A and "}));
  Kit overlap = Attention();
  overlap.call(5).addressing[1] = assembly::AttributeValue::Of(63);  // V over the last row of P
  overlap.call(6).addressing[1] = assembly::AttributeValue::Of(63);
  EXPECT_EQ(Fault(overlap, false), "");
  EXPECT_TRUE(Says(Fault(overlap, true), {"validate-output"}));
}

TEST(Validate, UnwrittenRowsMayNotBeConsumed) {
  Kit kit(MakeQkv());
  const ValueId x = kit.Input("X", Matrix(kRows, kRows));
  const int64_t out = kit.Output(Matrix(kRows, kRows));
  const ValueId a = kit.Do("load_rm", {kRows}, {0, 0}, {x});
  const ValueId s = kit.Do("gemm", {}, {0, 1, 0}, {a, a});  // rows 1..64, of which 64 was never written
  const ValueId t = kit.Do("mov", {kRows}, {0, 0}, {s});
  kit.Returns({kit.Do("store_rm", {kRows}, {0, out}, {t})});
  for (const bool certificate : {false, true}) {
    EXPECT_TRUE(Says(Fault(kit, certificate),
                     {"validate-undefined", "call 1, gemm(addr_1 = 0, addr_2 = 1, addr_out = 0)",
                      "dot consumes", "operand 1", "d1 byte 8192 (unit 64)"}));
  }
}

TEST(Validate, UnwrittenBytesMayBeMovedButNotReturned) {
  Kit kit(MakeQkv());
  const ValueId x = kit.Input("X", Matrix(kRows, kRows));
  const int64_t out = kit.Output(Matrix(kRows, kRows));
  kit.Reserve(kMatrix);
  const ValueId loaded = kit.Step("load_rm", {kRows}, {x});
  kit.Call("load_rm", {2 * kRows}, {0, 0});     // the input and whatever lies behind it
  kit.Call("store_rm", {2 * kRows}, {0, out});  // the rest goes to the slack behind the output
  kit.Returns({kit.Step("store_rm", {kRows}, {loaded})});
  EXPECT_EQ(Fault(kit, true), "");
  kit.call(1).addressing[0] = assembly::AttributeValue::Of(1);
  kit.call(1).computational[0] = kRows;
  EXPECT_TRUE(Says(Fault(kit, false), {"validate-undefined", "output 0 at byte 8064, element [63,0]",
                                       "d0 byte 8192, which nothing has written", "written by call 1"}));
}

TEST(Validate, OutputsMustBeWritten) {
  Kit kit = Attention();
  kit.program.body.pop_back();
  EXPECT_TRUE(Says(Fault(kit, false), {"validate-undefined", "output 0 at byte 0", "no call wrote it"}));
  Kit partly = Attention();
  partly.call(8).computational[0] = 63;
  EXPECT_TRUE(
      Says(Fault(partly, false), {"validate-undefined", "output 0 at byte 8064", "no call wrote it"}));
}

// pitfall 120
TEST(Validate, InputsMustStayIntact) {
  Kit kit = Attention();
  kit.Call("store_rm", {1}, {5, 2 * kMatrix - 128});
  for (const bool certificate : {false, true}) {
    EXPECT_TRUE(Says(Fault(kit, certificate), {"validate-input", "input 1 ('B') at byte 8064, element [63,0]",
                                               "written by call 9, store_rm(n = 1"}));
  }
  // Written back unchanged is intact: the claim is about the end.
  Kit same = Named(QkvExamples(kRows), "copy");
  same.Call("store_rm", {kRows}, {kRows, 0});
  EXPECT_EQ(Fault(same, true), "");
}

// pitfall 104, 147, 148
TEST(Validate, WindowsMustLieInside) {
  struct Case {
    std::vector<int64_t> computational, addressing;
    const char* says;
  };
  for (const Case& c : std::vector<Case>{{{64}, {0, 65}, "d1[65 : +64]"},
                                         {{256}, {0, 0}, "d1[0 : +256]"},
                                         {{64}, {0, -1}, "d1[-1 : +64]"},
                                         {{64}, {-128, 0}, "d0[-128 : +8192]"},
                                         {{64}, {isa::kHbmCapacityBytes, 0}, "d0["},
                                         {{0}, {0, 0}, "size"},
                                         {{-4}, {0, 0}, "size"},
                                         {{64}, {3 * 8192, 0}, "HBM"}}) {
    Kit kit = Named(QkvExamples(kRows), "A*Bt");
    kit.call(0).computational = c.computational;
    kit.call(0).addressing = {assembly::AttributeValue::Of(c.addressing[0]),
                              assembly::AttributeValue::Of(c.addressing[1])};
    kit.program.hbm_bytes = 3 * 8192;
    EXPECT_TRUE(Says(Fault(kit, false), {"call 0, load_rm", c.says}));
  }
}

TEST(Validate, ConstantsAreKnownByTheirBytes) {
  Kit kit = Named(QkvExamples(kRows), "softmax");
  // A second copy of the identity elsewhere serves as well.
  const int64_t second = kit.Reserve(kMatrix);
  kit.program.constants.push_back({"copy", second, Identity(kRows)});
  kit.call(1).addressing[0] = assembly::AttributeValue::Of(second);
  EXPECT_EQ(Fault(kit, true), "");
  kit.program.constants.back().value.SetDouble(5, 0.25);
  EXPECT_TRUE(Says(Fault(kit, true), {"validate-output"}));
  EXPECT_EQ(Fault(kit, false), "");
}

TEST(Validate, AddressesNear96GiB) {
  Kit kit(MakeQkv());
  kit.Reserve(isa::kHbmCapacityBytes - 2 * kMatrix);
  const ValueId x = kit.Input("X", Matrix(kRows, kRows));
  const int64_t out = kit.Output(Matrix(kRows, kRows));
  ASSERT_EQ(out, isa::kHbmCapacityBytes - kMatrix);
  const ValueId a = kit.Do("load_cm", {kRows}, {kit.AddressOf(x), 0}, {x});
  kit.Returns({kit.Do("store_rm", {kRows}, {0, out}, {a})});
  EXPECT_EQ(Fault(kit, true), "");
}

TEST(Validate, NamesBesideOperandsMustHold) {
  Kit kit = Attention();
  kit.call(2).operand_names = {"v" + std::to_string(kit.graph.steps[0].result.value()), ""};
  kit.call(2).result_name = kit.graph.value(kit.graph.steps[2].result).name;
  EXPECT_EQ(Fault(kit, true), "");
  kit.call(2).operand_names[1] = "unheard_of";  // not the certificate's: says nothing
  EXPECT_EQ(Fault(kit, true), "");
  kit.call(2).operand_names[1] = "C";
  EXPECT_TRUE(Says(Fault(kit, true), {"validate-name", "call 2, gemm", "operand 1 is named 'C'"}));
  EXPECT_EQ(Fault(kit, false), "");
  ValidateOptions lax;
  lax.check_names = false;
  EXPECT_EQ(Fault(kit, true, lax), "");
}

// Loops: the same tile program unrolled and rolled up.
isa::Expression Affine(int64_t slope, int64_t rest) {
  using isa::Expression;
  return Expression::Binary(Expression::Kind::kAdd,
                            Expression::Binary(Expression::Kind::kMultiply,
                                               Expression::Attribute(isa::AttributeKind::kAddressing, 0),
                                               Expression::Integer(slope)),
                            Expression::Integer(rest));
}

Kit LoopedCopy(int64_t trips) {
  Kit kit(MakeQkv());
  const Shape shape = Matrix(4 * kRows, kRows);
  const ValueId x = kit.Input("X", shape);
  const int64_t out = kit.Output(shape);
  kit.graph.outputs = {};
  assembly::Statement loop;
  loop.kind = assembly::Statement::Kind::kLoop;
  loop.variable = "i";
  loop.end = trips;
  Kit body(MakeQkv());
  body.Call("load_cm", {kRows}, {0, 0});
  body.Call("store_rm", {kRows}, {0, 0});
  loop.body = body.program.body;
  loop.body[0].call.addressing[0].expression = Affine(kMatrix, 0);
  loop.body[1].call.addressing[1].expression = Affine(kMatrix, out);
  kit.program.body = {loop};
  (void)x;
  return kit;
}

TEST(Validate, LoopsAreUnrolled) {
  EXPECT_EQ(Fault(LoopedCopy(4), false), "");
  EXPECT_TRUE(Says(Fault(LoopedCopy(3), false), {"validate-undefined", "output 0 at byte 24576"}));
  EXPECT_TRUE(Says(Fault(LoopedCopy(5), false), {"call 9, store_rm", "HBM"}));
  // One tile too early: an input is overwritten.
  Kit early = LoopedCopy(4);
  early.program.body[0].body[1].call.addressing[1].expression = Affine(kMatrix, 3 * kMatrix);
  EXPECT_TRUE(Says(Fault(early, false),
                   {"validate-input", "written by call 1, store_rm(n = 64, addr_in = 0, addr_out = 24576)"}));
}

TEST(Validate, LimitsAreNamed) {
  Kit kit = LoopedCopy(4);
  ValidateOptions options;
  options.max_calls = 7;
  EXPECT_TRUE(Says(Fault(kit, false, options), {"validate-limit", "8 calls", "max_calls"}));
  kit.program.body[0].end = std::numeric_limits<int64_t>::max();
  const StatusOr<ValidateReport> endless = Validate(kit.accelerator, kit.program, nullptr);
  ASSERT_FALSE(endless.ok());
  EXPECT_EQ(endless.status().front().error_class, ErrorClass::kLimit);
  options = {};
  options.max_value_bytes = 8191;
  EXPECT_TRUE(Says(Fault(Attention(), false, options), {"validate-limit", "max_value_bytes"}));
  options = {};
  options.max_work_bytes = 50000;
  EXPECT_TRUE(Says(Fault(Attention(), false, options), {"validate-limit", "max_work_bytes"}));
}

TEST(Validate, LoopsWithoutCallsCostNothing) {
  Kit kit = Named(QkvExamples(kRows), "copy");
  assembly::Statement empty, outer;
  empty.kind = outer.kind = assembly::Statement::Kind::kLoop;
  empty.variable = "j";
  empty.end = std::numeric_limits<int64_t>::max();
  outer.variable = "i";
  outer.start = std::numeric_limits<int64_t>::min();
  outer.end = std::numeric_limits<int64_t>::max();
  outer.body = {empty};
  kit.program.body.push_back(outer);
  EXPECT_EQ(Fault(kit, true), "");
}

}  // namespace
}  // namespace act::validate
