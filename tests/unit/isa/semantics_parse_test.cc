// The ENTRY block: what it accepts, in both forms, and what it refuses with which class.
#include <gtest/gtest.h>

#include <cmath>

#include "isa/isa.h"

namespace act::isa {
namespace {

using hlo::Opcode;

std::string Faults(const Status& status) {
  std::string text;
  for (const Diagnostic& d : status.diagnostics()) text += Render(d) + "\n";
  return text;
}

// Buffers f: rows of f32[8], b: rows of bf16[8], i: rows of s32[8], c: rows of u8[8], p: rows of pred[8].
// Instruction 0 has @c.n, @c.scale, @a.a; state st.
Accelerator Base(const std::vector<std::string>& inputs, size_t outputs = 1) {
  Accelerator acc = MakeAccelerator("T");
  for (const auto& [name, type] : std::vector<std::pair<const char*, const char*>>{
           {"f", "f32"}, {"b", "bf16"}, {"i", "s32"}, {"c", "u8"}, {"p", "pred"}, {"w", "u64"}}) {
    EXPECT_TRUE(AddBuffer(&acc, name, {64}, {8}, type).ok());
  }
  EXPECT_TRUE(AddState(&acc, "st", 0).ok());
  EXPECT_TRUE(AddInstruction(&acc, "ins", {"n", "scale"}, {"a"}).ok());
  std::vector<RegionText> in, out;
  for (const std::string& buffer : inputs) in.push_back({buffer, {"@a.a"}, {"4"}, {}});
  for (size_t j = 0; j < outputs; ++j) out.push_back({"f", {"0"}, {"4"}, {}});
  EXPECT_TRUE(SetInputs(&acc, 0, in).ok());
  EXPECT_TRUE(SetOutputs(&acc, 0, out).ok());
  return acc;
}

Status Set(Accelerator* acc, const std::string& text) {
  return SetSemantics(acc, 0, SourceText("sem", text));
}

const Semantics& Of(const Accelerator& acc) { return acc.instructions[0].semantics; }

TEST(Semantics, NamedAndUnnamedFormsAgree) {
  Accelerator named = Base({"f", "f"}), unnamed = Base({"f", "f"}), zero = Base({"f", "f"});
  ASSERT_TRUE(Set(&named,
                  "ENTRY any.name { %x = f32[4,8] parameter(1); y = f32[4,8] parameter(0) "
                  "ROOT %r = f32[4,8] subtract(%y, x) }")
                  .ok());
  ASSERT_TRUE(Set(&unnamed, "ENTRY { ROOT %Out0 = f32[4,8] subtract(%In1, %In2) }").ok());
  ASSERT_TRUE(Set(&zero, "ENTRY named { ROOT %Out0 = f32[4,8] subtract(%In0, %In1) }").ok());
  EXPECT_EQ(Of(named), Of(unnamed));
  EXPECT_EQ(Of(named), Of(zero));
  ASSERT_EQ(Of(named).nodes.size(), 3u);
  EXPECT_EQ(Of(named).nodes[2].operands, (std::vector<int32_t>{0, 1}));
}

// pitfall 12
TEST(Semantics, TheParameterNumberDecides) {
  Accelerator acc = Base({"f", "i"});
  ASSERT_TRUE(Set(&acc,
                  "ENTRY { %In1 = s32[4,8] parameter(1) %In2 = f32[4,8] parameter(0)\n"
                  "%c = f32[4,8] convert(%In1) ROOT %o = f32[4,8] subtract(%In2, %c) }")
                  .ok());
  EXPECT_TRUE(CheckComplete(acc, 0).ok());
  EXPECT_EQ(Of(acc).nodes[0].type, ElementType::kF32);
  EXPECT_EQ(Of(acc).nodes[2].operands, std::vector<int32_t>{1});
}

// pitfall 13
TEST(Semantics, ParametersMayHaveAnyName) {
  Accelerator acc = Base({"f"});
  ASSERT_TRUE(Set(&acc, "ENTRY e { %x = f32[4,8] parameter(0) ROOT %y = f32[4,8] negate(%x) }").ok());
  EXPECT_EQ(Of(acc).nodes.size(), 2u);
}

// pitfall 23
TEST(Semantics, OrderOfStatementsIsFree) {
  Accelerator a = Base({"f", "f"}), b = Base({"f", "f"});
  ASSERT_TRUE(Set(&a,
                  "ENTRY { %x = f32[4,8] parameter(0) %y = f32[4,8] parameter(1) %u = f32[4,8] negate(%x) "
                  "%v = f32[4,8] negate(%y) ROOT %r = f32[4,8] add(%u, %v) }")
                  .ok());
  ASSERT_TRUE(Set(&b,
                  "ENTRY { %y = f32[4,8] parameter(1) %x = f32[4,8] parameter(0) %u = f32[4,8] negate(%x) "
                  "%v = f32[4,8] negate(%y) ROOT %r = f32[4,8] add(%u, %v) }")
                  .ok());
  EXPECT_EQ(Of(a), Of(b));
}

TEST(Semantics, RootMayStandAnywhere) {
  Accelerator acc = Base({"f"});
  ASSERT_TRUE(Set(&acc, "ENTRY { ROOT %r = f32[4,8] negate(%In1) %dead = f32[4,8] exp(%r) }").ok());
  EXPECT_EQ(Of(acc).outputs, std::vector<int32_t>{1});
}

// pitfall 22, 37
TEST(Semantics, ManyInputsAndUses) {
  std::vector<std::string> inputs(40, "f");
  Accelerator acc = Base(inputs);
  std::string text = "ENTRY { %s0 = f32[4,8] add(%In1, %In1) ";
  for (int i = 1; i < 40; ++i) {
    const std::string s = std::to_string(i);
    text += "%s" + s + " = f32[4,8] add(%s" + std::to_string(i - 1) + ", %In" + std::to_string(i + 1) + ") ";
  }
  text += "%m = f32[4,8] fma(%s39, %s39, %s39) ROOT %r = f32[4,8] add(%m, %s39) }";
  const Status status = Set(&acc, text);
  ASSERT_TRUE(status.ok()) << Faults(status);
  EXPECT_TRUE(CheckComplete(acc, 0).ok());
  EXPECT_EQ(Of(acc).nodes.size(), 82u);
}

// pitfall 35
TEST(Semantics, NoInputs) {
  Accelerator acc = Base({});
  ASSERT_TRUE(Set(&acc, "ENTRY { ROOT %z = f32[4,8] constant(7) }").ok());
  EXPECT_EQ(Of(acc).nodes[0].constant.floats, std::vector<double>{7.0});
}

TEST(Semantics, SeveralOutputs) {
  Accelerator acc = Base({"f"}, 2);
  ASSERT_TRUE(Set(&acc, "ENTRY { %Out1 = f32[4,8] negate(%In1) %Out0 = f32[4,8] exp(%In1) }").ok());
  EXPECT_EQ(Of(acc).outputs, (std::vector<int32_t>{2, 1}));
  EXPECT_FALSE(Set(&acc, "ENTRY { %Out0 = f32[4,8] negate(%In1) }").ok());
}

// pitfall 5
TEST(Semantics, Scalars) {
  for (const char* shape : {"", "1"}) {
    Accelerator acc = Base({"f"});
    const Status status = Set(&acc, std::string("ENTRY { %c = f32[") + shape +
                                        "] constant(2.5) %b = f32[4,8] broadcast(%c), dimensions={} "
                                        "ROOT %r = f32[4,8] multiply(%In1, %b) }");
    ASSERT_TRUE(status.ok()) << Faults(status);
    EXPECT_TRUE(CheckComplete(acc, 0).ok());
    EXPECT_TRUE(Of(acc).nodes[1].dims.empty());
  }
  // Used as a vector it is one.
  Accelerator acc = Base({"f"});
  ASSERT_TRUE(Set(&acc,
                  "ENTRY { %c = f32[1] constant(2) %d = f32[1] negate(%c) %e = f32[] reshape(%d) "
                  "%b = f32[4,8] broadcast(%e), dimensions={} ROOT %r = f32[4,8] multiply(%In1, %b) }")
                  .ok());
  EXPECT_EQ(Of(acc).nodes[1].dims.size(), 1u);
}

struct ConstantCase {
  const char* type;
  const char* text;
  bool ok;
  double value;
};

TEST(Semantics, Constants) {
  const double inf = INFINITY;
  const ConstantCase cases[] = {
      // pitfall 1
      {"s8", "-1", true, -1},
      {"s8", "127", true, 127},
      {"s8", "128", false, 0},
      {"u8", "-1", false, 0},
      {"u8", "255", true, 255},
      {"s2", "-2", true, -2},
      {"s2", "2", false, 0},
      {"s64", "-9223372036854775808", true, -9223372036854775808.0},
      // pitfall 3
      {"f32", "`0.5`", true, 0.5},
      {"s32", "`0.5`", false, 0},
      {"f32", "0.5", true, 0.5},
      {"s32", "2.0", true, 2},
      {"f32", "-1.5e-3", true, static_cast<double>(-1.5e-3f)},
      {"f64", "0.1", true, 0.1},
      // 0.1 to 8 bits of significand: 205 * 2^-11.
      {"bf16", "0.1", true, 0.10009765625},
      {"f32", "inf", true, inf},
      {"f32", "-inf", true, -inf},
      {"f32", "1e999", true, inf},
      {"f16", "65520", true, inf},
      {"s32", "inf", false, 0},
      {"pred", "true", true, 1},
      {"pred", "0", true, 0},
      {"pred", "2", false, 0},
      {"s32", "true", false, 0},
      // pitfall 9: exact, though no double holds it
      {"s64", "9007199254740993", true, 9007199254740992.0 + 1},
      {"u64", "9223372036854775808", false, 0},
      {"s32", "", false, 0},
      {"s32", "1.2.3", false, 0},
      {"f32", "1f", false, 0},
      {"s32", "%x", false, 0},
  };
  for (const ConstantCase& c : cases) {
    Accelerator acc = Base({});
    const Status status =
        Set(&acc, std::string("ENTRY { ROOT %c = ") + c.type + "[4,8] constant(" + c.text + ") }");
    ASSERT_EQ(status.ok(), c.ok) << c.type << " " << c.text << " " << Faults(status);
    if (!c.ok) continue;
    const SymbolicConstant& constant = Of(acc).nodes[0].constant;
    if (!constant.floats.empty()) {
      EXPECT_EQ(constant.floats, std::vector<double>{c.value}) << c.text;
    } else if (std::string(c.text) == "9007199254740993") {
      EXPECT_EQ(constant.integers, std::vector<int64_t>{9007199254740993});
    } else {
      EXPECT_EQ(constant.integers, std::vector<int64_t>{static_cast<int64_t>(c.value)}) << c.text;
    }
  }
  Accelerator acc = Base({});
  ASSERT_TRUE(Set(&acc, "ENTRY { ROOT %c = f32[] constant(nan) }").ok());
  EXPECT_TRUE(std::isnan(Of(acc).nodes[0].constant.floats[0]));
  ASSERT_TRUE(Set(&acc, "ENTRY { ROOT %c = s32[] constant(`@c.scale * 2`) }").ok());
  EXPECT_TRUE(Of(acc).nodes[0].constant.expression.has_value());
  ASSERT_TRUE(Set(&acc, "ENTRY { ROOT %c = s32[] constant(@c.scale) }").ok());
  ASSERT_TRUE(Set(&acc, "ENTRY { ROOT %c = s32[2,2] constant({{1,-2},{3,4}}) }").ok());
  EXPECT_EQ(Of(acc).nodes[0].constant.integers, (std::vector<int64_t>{1, -2, 3, 4}));
}

// pitfall 4
TEST(Semantics, SliceAttribute) {
  Accelerator acc = Base({"f"});
  ASSERT_TRUE(Set(&acc, "ENTRY { ROOT %s = f32[2,8] slice(%In1), slice={[0:4:2],[0:8]} }").ok());
  EXPECT_TRUE(CheckComplete(acc, 0).ok());
  const SemanticNode& node = Of(acc).nodes[1];
  ASSERT_EQ(node.slice.size(), 2u);
  EXPECT_EQ(node.slice[0].stride, Expression::Integer(2));
  EXPECT_EQ(node.slice[1].stride, Expression::Integer(1));
  ASSERT_TRUE(
      Set(&acc, "ENTRY { ROOT %s = f32[`@c.n`,8] slice(%In1), slice={[`@s.st`:`@s.st+@c.n`],[0:8]} }").ok());
  EXPECT_TRUE(CheckComplete(acc, 0).ok());
}

TEST(Semantics, Lowering) {
  Accelerator acc = Base({"i", "i"});
  ASSERT_TRUE(Set(&acc,
                  "ENTRY { %a = s32[4] reduce_add(%In1), dimensions={1} %b = s32[4] reduce-max(%In1), "
                  "dimensions={1} %c = s32[4] reduce_min(%In1), dimensions={1} "
                  "%i = s32[1] constant(5) %d = s32[4] reduce(%In1, %i), dimensions={1}, to_apply=%add_s32 "
                  "%e = s32[4,8] select_lt(%In1, %In2, %In2, %In1) "
                  "%f = s32[4,8] shift-left(%In1, %In2) %g = s32[4,8] shift_right_logical(%In1, %In2) "
                  "%h = s32[16] iota() "
                  "%j = s32[4,8] dynamic_update_slice(%In1, %In2, 0, `@c.n`) "
                  "%k = s32[8,8] concatenate(%In1, %In2) "
                  "ROOT %r = s32[4,8] copy(%In1) }")
                  .ok());
  ASSERT_TRUE(CheckComplete(acc, 0).ok()) << Faults(CheckComplete(acc, 0));
  const std::vector<SemanticNode>& n = Of(acc).nodes;
  // In1, In2, init, reduce, init, reduce, init, reduce, i, reduce, compare, select, ...
  EXPECT_EQ(n[2].constant.integers, std::vector<int64_t>{0});
  EXPECT_EQ(n[4].constant.integers, std::vector<int64_t>{INT32_MIN});
  EXPECT_EQ(n[6].constant.integers, std::vector<int64_t>{INT32_MAX});
  EXPECT_EQ(n[3].opcode, Opcode::kReduce);
  EXPECT_EQ(n[5].reducer, hlo::Reducer::kMaximum);
  EXPECT_TRUE(n[8].dims.empty());
  EXPECT_EQ(n[9].operands, (std::vector<int32_t>{0, 8}));
  EXPECT_EQ(n[10].opcode, Opcode::kCompare);
  EXPECT_EQ(n[10].direction, hlo::Direction::kLt);
  EXPECT_EQ(n[11].operands, (std::vector<int32_t>{10, 1, 0}));
  EXPECT_EQ(n[12].opcode, Opcode::kShiftLeft);
  EXPECT_EQ(n[14].dimensions, std::vector<Expression>{Expression::Integer(0)});
  EXPECT_EQ(n[17].opcode, Opcode::kDynamicUpdateSlice);
  EXPECT_EQ(n[17].operands, (std::vector<int32_t>{0, 1, 15, 16}));
  EXPECT_EQ(n[18].dimensions, std::vector<Expression>{Expression::Integer(0)});
}

TEST(Semantics, MaximumOfFloatsStartsAtMinusInfinity) {
  Accelerator acc = Base({"b"});
  ASSERT_TRUE(Set(&acc, "ENTRY { ROOT %a = bf16[4] reduce_max(%In1), dimensions={1} }").ok());
  EXPECT_EQ(Of(acc).nodes[1].constant.floats, std::vector<double>{-INFINITY});
}

TEST(Semantics, DotDefaults) {
  Accelerator acc = Base({"f"});
  ASSERT_TRUE(Set(&acc,
                  "ENTRY { %t = f32[8,4] transpose(%In1), dimensions={1,0} "
                  "ROOT %d = f32[4,4] dot(%In1, %t) }")
                  .ok());
  EXPECT_EQ(Of(acc).nodes[2].dot.lhs_contracting, std::vector<int64_t>{1});
  EXPECT_EQ(Of(acc).nodes[2].dot.rhs_contracting, std::vector<int64_t>{0});
  EXPECT_FALSE(
      Set(&acc, "ENTRY { %t = f32[2,2,8] reshape(%In1) ROOT %d = f32[2,2,2,2] dot(%In1, %t) }").ok());
}

TEST(Semantics, SelectEqVarIsKept) {
  Accelerator acc = Base({"f", "f"});
  ASSERT_TRUE(Set(&acc, "ENTRY { ROOT %r = f32[4,8] select_eq_var(%In1, %In2) }").ok());
  EXPECT_EQ(Of(acc).nodes[2].opcode, Opcode::kOther);
  EXPECT_EQ(Of(acc).nodes[2].operation, "select_eq_var");
}

TEST(Semantics, CommentsAndSemicolons) {
  Accelerator acc = Base({"f"});
  EXPECT_TRUE(
      Set(&acc,
          "// head\nENTRY /* x */ {\n // in\n ROOT %r = f32[4,8] /*op*/ negate(%In1) ; // end\n}\n// after")
          .ok());
}

struct FaultCase {
  const char* text;
  ErrorClass error;
  const char* part;  // of the message
  int line, column;  // 0: not checked
};

// Refused by the reading call.
TEST(Semantics, Refusals) {
  const auto kSyntax = ErrorClass::kSyntax, kValue = ErrorClass::kValue;
  const FaultCase cases[] = {
      // pitfall 2
      {"ENTRY { ROOT %r = f32[4,8] negate(%In1) } extra", kSyntax, "after the block's '}'", 1, 43},
      {"ENTRY { ROOT %r = f32[4,8] negate(%In1) } }", kSyntax, "after the block's '}'", 0, 0},
      // pitfall 6
      {"ENTRY { %r = f32[4,8] negate(%In1) }", kValue, "no statement is marked ROOT", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] negate(%In1)\nROOT %s = f32[4,8] negate(%In1) }", kValue, "second ROOT", 2,
       1},
      // pitfall 7
      {"ENTRY { ROOT %r = f32[4,8] negate(%Im1) }", kValue, "there is no value 'Im1'", 1, 35},
      {"ENTRY {\n  ROOT %r = f32[4,8] negate(%s)\n  %s = f32[4,8] negate(%In1) }", kValue, "no value 's'", 2,
       29},
      {"ENTRY { %x = f32[4,8] negate(%In1) ROOT %x = f32[4,8] negate(%In1) }", kValue, "defined twice", 0, 0},
      {"ENTRY { ROOT %In1 = f32[4,8] negate(%In1) }", kValue, "'In1' is defined twice", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] negate(%In2) }", kSyntax, "there is no input %In2", 1, 35},
      {"ENTRY { ROOT %r = f32[4,8] add(%In0, %In1) }", kSyntax, "counts them from 0", 0, 0},
      {"ENTRY { %a = f32[4,8] parameter(1) ROOT %r = f32[4,8] negate(%a) }", kValue,
       "parameter(1) is no input", 0, 0},
      {"ENTRY { %a = f32[4,8] parameter(0) %b = f32[4,8] parameter(0) ROOT %r = f32[4,8] negate(%a) }",
       kValue, "declared twice", 0, 0},
      {"ENTRY { %a = f32[4,8] parameter(-1) ROOT %r = f32[4,8] negate(%a) }", kValue, "parameter(-1)", 0, 0},
      {"ENTRY { %a = f32[4,8] parameter() ROOT %r = f32[4,8] negate(%a) }", kSyntax, "input's number", 0, 0},
      {"ENTRY { %a = f32[4,8] parameter(0), x=1 ROOT %r = f32[4,8] negate(%a) }", kValue,
       "takes no attribute", 0, 0},
      {"ENTRY { %a = f32[4,8] parameter(0) ROOT %r = f32[4,8] negate(%In1) }", kValue, "declares its inputs",
       0, 0},
      {"ENTRY { ROOT %r = f32[4,8] frobnicate(%In1) }", kValue, "there is no operation 'frobnicate'", 1, 28},
      {"ENTRY { ROOT %r = f32[4,8] tuple(%In1) }", kValue, "there is no operation", 0, 0},
      {"ENTRY { ROOT %r = f33[4,8] negate(%In1) }", kValue, "no element type 'f33'", 1, 19},
      {"ENTRY { ROOT %r = c64[4,8] negate(%In1) }", kValue, "no element type 'c64'", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] negate(%In1), dims={0} }", kValue, "there is no attribute 'dims'", 1, 42},
      {"ENTRY { ROOT %r = f32[4,8] add(%In1, %In1), dimensions={0} }", kValue, "takes none", 0, 0},
      {"ENTRY { ROOT %r = f32[8,4] transpose(%In1) }", kValue, "'dimensions' is missing", 0, 0},
      {"ENTRY { ROOT %r = f32[8,4] transpose(%In1), dimensions={1,0}, dimensions={1,0} }", kValue,
       "given twice", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] transpose(%In1), dimensions=LT }", kSyntax, "", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] slice(%In1), slice={0,1} }", kSyntax, "takes ranges", 0, 0},
      {"ENTRY { ROOT %r = pred[4,8] compare(%In1,%In1), direction=LESS }", kValue, "no direction 'LESS'", 0,
       0},
      {"ENTRY { ROOT %r = pred[4,8] compare(%In1,%In1) }", kValue, "'direction' is missing", 0, 0},
      {"ENTRY { %c = f32[] constant(0) ROOT %r = f32[4] reduce(%In1,%c), dimensions={1}, to_apply=%foo_f32 }",
       kValue, "no combiner 'foo_f32'", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] dot(%In1,%In1), lhs_contracting_dims={1} }", kValue,
       "both operands or for none", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] dot(%In1,%In1), lhs_contracting_dims={@c.n}, rhs_contracting_dims={1} }",
       kValue, "takes integers", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] negate(%In1, %In1) }", kValue, "takes 1 operands and was given 2", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] negate(3) }", kValue, "operand 0 must be a value", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] constant(1, 2, `@c.n`) }", kValue, "cannot be one of a list", 0, 0},
      {"ENTRY { ROOT %r = pred[4,8] constant(`@c.n`) }", kValue, "true or false", 0, 0},
      // attributes in forbidden places, undeclared
      {"ENTRY { ROOT %r = f32[`@a.a`,8] negate(%In1) }", kValue, "cannot use an addressing attribute", 1, 23},
      {"ENTRY { ROOT %r = f32[`@c.m`,8] negate(%In1) }", kValue, "@c.m is not a declared", 0, 0},
      // pitfall 11
      {"ENTRY { ROOT %r = f32[`@c.n / 0`,8] negate(%In1) }", kSyntax, "by the literal 0", 1, 29},
      {"ENTRY {\nROOT %r = f32[9223372036854775808,8] negate(%In1) }", kSyntax, "64 bits", 2, 15},
      {"ENTRY { ROOT %r = f32[@c.n+1,8] negate(%In1) }", kSyntax, "',' or ']'", 0, 0},
      {"ENTRY { ROOT %r = f32[`@c.n+`,8] negate(%In1) }", kSyntax, "found '`'", 0, 0},
      {"ENTRY { ROOT %r = f32[`@c.n,8] negate(%In1) }", kSyntax, "closing '`'", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8]{1,0} negate(%In1) }", kSyntax, "no layouts", 0, 0},
      {"ENTRY { ROOT %r = f32 negate(%In1) }", kSyntax, "'['", 0, 0},
      {"ENTRY { ROOT %r f32[4,8] negate(%In1) }", kSyntax, "'='", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] negate %In1 }", kSyntax, "'('", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] negate(%In1 }", kSyntax, "',' or ')'", 0, 0},
      {"ENTRY { ROOT % r = f32[4,8] negate(%In1) }", kSyntax, "a statement", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] negate(%In1) $ }", kSyntax, "'$'", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] negate(%In1) \x80 }", kSyntax, "byte 0x80", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] negate(%In1)", kSyntax, "end of the text", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] negate(%In1) /* }", kSyntax, "comment is not closed", 0, 0},
      {"ENTRY { }", kSyntax, "no statement", 0, 0},
      {"ENTRY", kSyntax, "'{'", 0, 0},
      {"entry { ROOT %r = f32[4,8] negate(%In1) }", kSyntax, "'ENTRY'", 0, 0},
      // TAIDL v1
      {"%r <- negate(%In1)", kSyntax, "'ENTRY'", 0, 0},
      {"ENTRY { IF(@c.n) { } }", kSyntax, "", 0, 0},
      {"ENTRY { ROOT %r = 4x8xf32 negate(%In1) }", kSyntax, "an element type", 0, 0},
  };
  for (const FaultCase& c : cases) {
    Accelerator acc = Base({"f"});
    const Accelerator before = acc;
    const Status status = Set(&acc, c.text);
    ASSERT_FALSE(status.ok()) << c.text;
    EXPECT_EQ(status.front().error_class, c.error) << c.text << "\n" << Faults(status);
    EXPECT_NE(status.front().message.find(c.part), std::string::npos) << c.text << "\n" << Faults(status);
    EXPECT_NE(status.front().message.find("instruction 'ins'"), std::string::npos) << Faults(status);
    EXPECT_EQ(status.front().location.file, "sem") << c.text;
    if (c.line > 0) {
      EXPECT_EQ(status.front().location.line, c.line) << c.text << "\n" << Faults(status);
      EXPECT_EQ(status.front().location.column, c.column) << c.text << "\n" << Faults(status);
    }
    EXPECT_TRUE(SameAccelerator(acc, before));
  }
}

// Types, shapes and attributes that disagree: read, and reported when the spec is complete.
TEST(Semantics, Faults) {
  const FaultCase cases[] = {
      // pitfall 14
      {"ENTRY { %x = f32[2,8] parameter(0) ROOT %r = f32[2,8] negate(%x) }", ErrorClass::kValue,
       "16 elements and its region 32", 0, 0},
      {"ENTRY { %x = bf16[4,8] parameter(0) ROOT %r = bf16[4,8] negate(%x) }", ErrorClass::kValue,
       "declared bf16 and buffer 'f' holds f32", 0, 0},
      {"ENTRY { ROOT %r = bf16[4,8] negate(%In1) }", ErrorClass::kValue, "is declared bf16 and is f32", 1,
       29},
      {"ENTRY { ROOT %r = f32[8,4] negate(%In1) }", ErrorClass::kValue,
       "dimension 0 of the result is declared 8 and is 4", 0, 0},
      {"ENTRY { ROOT %r = f32[32] negate(%In1) }", ErrorClass::kValue, "declared with rank 1 and has rank 2",
       0, 0},
      {"ENTRY { ROOT %r = f32[31] reshape(%In1) }", ErrorClass::kValue, "keeps the number of elements", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] xor(%In1, %In1) }", ErrorClass::kValue,
       "takes integers and pred and was given f32", 0, 0},
      {"ENTRY { %c = s32[4,8] convert(%In1) ROOT %r = s32[4,8] exp(%c) }", ErrorClass::kValue,
       "takes floats and was given s32", 0, 0},
      {"ENTRY { %c = u8[4,8] convert(%In1) ROOT %r = u8[4,8] negate(%c) }", ErrorClass::kValue,
       "signed integers", 0, 0},
      {"ENTRY { %c = s32[4,8] convert(%In1) ROOT %r = f32[4,8] add(%In1, %c) }", ErrorClass::kValue,
       "operand 1 is s32", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] compare(%In1, %In1), direction=LT }", ErrorClass::kValue,
       "is declared f32 and is pred", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] select(%In1, %In1, %In1) }", ErrorClass::kValue, "must be pred", 0, 0},
      {"ENTRY { %p = pred[4,8] convert(%In1) ROOT %r = u8[4,8] bitcast_convert(%p) }", ErrorClass::kValue,
       "any type but pred", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] transpose(%In1), dimensions={0,2} }", ErrorClass::kValue,
       "no dimension of rank 2", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] transpose(%In1), dimensions={1} }", ErrorClass::kValue,
       "permutation of all", 0, 0},
      {"ENTRY { ROOT %r = f32[4,4] transpose(%In1), dimensions={0,0} }", ErrorClass::kValue, "0 twice", 0, 0},
      {"ENTRY { ROOT %r = f32[4] reduce_add(%In1), dimensions={2} }", ErrorClass::kValue,
       "no dimension of rank 2", 0, 0},
      {"ENTRY { ROOT %r = f32[8,4] broadcast(%In1), dimensions={1,0} }", ErrorClass::kValue, "must rise", 0,
       0},
      {"ENTRY { ROOT %r = f32[8,4,2] broadcast(%In1), dimensions={0,1} }", ErrorClass::kValue, "differ", 0,
       0},
      {"ENTRY { ROOT %r = f32[4,9] slice(%In1), slice={[0:4],[0:9]} }", ErrorClass::kValue, "not inside", 0,
       0},
      {"ENTRY { ROOT %r = f32[4,8] slice(%In1), slice={[0:4]} }", ErrorClass::kValue, "1 ranges", 0, 0},
      {"ENTRY { ROOT %r = f32[4,16] concatenate(%In1, %In1), dimensions={0} }", ErrorClass::kValue,
       "is declared 4 and is 8", 0, 0},
      {"ENTRY { %i = s32[4,8] iota(), iota_dimension=2 ROOT %r = f32[4,8] convert(%i) }", ErrorClass::kValue,
       "no dimension of rank 2", 0, 0},
      {"ENTRY { ROOT %r = f32[4,4] dot(%In1, %In1), lhs_contracting_dims={0}, rhs_contracting_dims={1} }",
       ErrorClass::kValue, "differs in extent", 0, 0},
      {"ENTRY { ROOT %r = bf16[4,4] dot(%In1, %In1), lhs_contracting_dims={1}, rhs_contracting_dims={1} }",
       ErrorClass::kValue, "at least as wide", 0, 0},
      {"ENTRY { %b = bf16[4,8,2] bitcast_convert(%In1) ROOT %r = f32[4,8] bitcast_convert(%In1) }",
       ErrorClass::kValue, "", 0, 0},
      {"ENTRY { %b = bf16[4,8] convert(%In1) ROOT %r = f32[4] bitcast_convert(%b) }", ErrorClass::kValue,
       "must be 2, the ratio", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] dynamic_slice(%In1, 0), dynamic_slice_sizes={4,8} }", ErrorClass::kValue,
       "one start and one size", 0, 0},
      {"ENTRY { ROOT %r = f32[4,8] dynamic_update_slice(%In1, %In1, 0) }", ErrorClass::kValue,
       "one start for each", 0, 0},
      {"ENTRY { ROOT %r = f32[0,8] constant(1) }", ErrorClass::kValue, "at least 1", 0, 0},
      {"ENTRY { %c = f32[] constant(0) ROOT %r = f32[4] reduce(%In1, %c), dimensions={1}, to_apply=%add_bf16 "
       "}",
       ErrorClass::kValue, "is not one of f32", 0, 0},
      {"ENTRY { ROOT %r = f32[3] constant(1, 2) }", ErrorClass::kValue, "2 values do not fill", 0, 0},
  };
  for (const FaultCase& c : cases) {
    Accelerator acc = Base({"f"});
    const Status read = Set(&acc, c.text);
    if (std::string(c.text).find("%b = bf16[4,8,2]") != std::string::npos) {
      EXPECT_TRUE(CheckComplete(acc, 0).ok());
      continue;
    }
    ASSERT_TRUE(read.ok()) << c.text << "\n" << Faults(read);
    const Status status = CheckComplete(acc, 0);
    ASSERT_FALSE(status.ok()) << c.text;
    EXPECT_EQ(status.front().error_class, c.error);
    EXPECT_NE(status.front().message.find(c.part), std::string::npos) << c.text << "\n" << Faults(status);
    if (c.line > 0) {
      EXPECT_EQ(status.front().location.line, c.line) << Faults(status);
      EXPECT_EQ(status.front().location.column, c.column) << Faults(status);
    }
    EXPECT_TRUE(acc.instructions[0].semantics.empty());
  }
}

// pitfall 15
TEST(Semantics, PresumedReshapeIsLeftToTheRegions) {
  Accelerator acc = Base({"f"});
  ASSERT_TRUE(Set(&acc, "ENTRY { %x = f32[32] parameter(0) ROOT %r = f32[32] negate(%x) }").ok());
  EXPECT_TRUE(CheckComplete(acc, 0).ok());
  ASSERT_TRUE(Set(&acc, "ENTRY { ROOT %r = f32[8,4] transpose(%In1), dimensions={1,0} }").ok());
  EXPECT_TRUE(CheckComplete(acc, 0).ok());
}

TEST(Semantics, DeepNestingIsRefused) {
  Accelerator acc = Base({"f"});
  const std::string open(100000, '('), close(100000, ')');
  EXPECT_FALSE(Set(&acc, "ENTRY { ROOT %r = f32[`" + open + "1" + close + "`,8] negate(%In1) }").ok());
  EXPECT_FALSE(Set(&acc, "ENTRY { ROOT %r = f32[] constant(" + std::string(100000, '{') + ") }").ok());
  EXPECT_FALSE(Set(&acc, "ENTRY { ROOT %r = f32[`" + std::string(100000, '-') + "1`,8] negate(%In1) }").ok());
}

}  // namespace
}  // namespace act::isa
