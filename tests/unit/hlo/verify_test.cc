#include <cmath>

#include "unit/hlo/hlo_testing.h"

namespace act::hlo {
namespace {

const char* const kText =
    "HloModule m\n\nadd_f32 {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, "
    "b)\n}\n\n"
    "ENTRY main {\n  x = f32[4,2] parameter(0)\n  i = f32[] constant(0)\n"
    "  s = f32[4] reduce(x, i), dimensions={1}, to_apply=add_f32\n"
    "  ROOT y = f32[4,2] broadcast(s), dimensions={0}\n}\n";

// A sound module with one thing changed.
template <typename Change>
std::string Broken(Change change) {
  Module module = MustParse(kText);
  change(&module, &module.computations[1]);
  return Verify(module).message();
}

TEST(Verify, FindsWhatIsChanged) {
  EXPECT_EQ(Verify(MustParse(kText)).message(), "");
  EXPECT_EQ(Broken([](Module* m, Computation*) { m->entry = 2; }), "the module 'm' has no entry computation");
  EXPECT_EQ(Broken([](Module*, Computation* c) { c->root = -1; }), "the computation 'main' has no root");
  EXPECT_EQ(Broken([](Module*, Computation* c) { c->instructions[2].operands[0] = 2; }),
            "k.hlo:12:3: 's' has an operand that does not come before it");
  EXPECT_EQ(Broken([](Module*, Computation* c) { c->instructions[2].called[0] = 1; }),
            "k.hlo:12:3: 's' calls a computation that does not come before its own");
  EXPECT_EQ(Broken([](Module*, Computation* c) { c->instructions[2].called.clear(); }),
            "k.hlo:12:3: 's' calls 0 computations, not one");
  EXPECT_EQ(Broken([](Module*, Computation* c) { c->instructions[1].name = "x"; }),
            "k.hlo:11:3: 'x' is defined twice");
  EXPECT_EQ(Broken([](Module*, Computation* c) { c->instructions[2].shape.dims = {5}; }),
            "k.hlo:12:3: 's' is declared as f32[5], but its 'reduce' gives f32[4]");
  EXPECT_EQ(Broken([](Module*, Computation* c) { c->instructions[2].dimensions = {2}; }),
            "k.hlo:12:3: 'reduce' has 2 in dimensions, but its operand has 2 dimensions");
  EXPECT_EQ(Broken([](Module*, Computation* c) { c->instructions[1].literal = nullptr; }),
            "k.hlo:11:3: 'constant' has no value");
  EXPECT_EQ(Broken([](Module*, Computation* c) { c->instructions[0].parameter_number = 1; }),
            "the parameters of 'main' are not numbered from 0 without gaps");
  EXPECT_EQ(Broken([](Module*, Computation* c) { c->parameters.clear(); }),
            "the parameters of 'main' are not numbered from 0 without gaps");
  EXPECT_EQ(Broken([](Module* m, Computation*) { m->computations[0].name = "main"; }),
            "the computation 'main' is defined twice");
  EXPECT_EQ(Broken([](Module* m, Computation*) { m->parameter_shapes.clear(); }),
            "the module's header and its entry computation have different numbers of parameters");
  EXPECT_EQ(Broken([](Module* m, Computation*) { m->parameter_shapes[0].has_layout = false; }),
            "the module's header does not agree with its parameter 'x'");
  EXPECT_EQ(Broken([](Module* m, Computation*) { m->result_shape.dims[0] = 3; }),
            "the module's header does not agree with its root 'y'");
}

TEST(Verify, MessagesShowTheLine) {
  Module module = MustParse(kText);
  module.computations[1].instructions[2].dimensions = {2};
  const SourceText source("k.hlo", kText);
  EXPECT_EQ(Verify(module, &source).front().line_text,
            "  s = f32[4] reduce(x, i), dimensions={1}, to_apply=add_f32");
  const Computation& entry = module.entry_computation();
  EXPECT_FALSE(InferShape(entry.instructions[2], entry, &module).ok());
  EXPECT_EQ(ToString(*InferShape(entry.instructions[3], entry, nullptr)), "f32[4,2]");
}

TEST(Verify, FmaAndFlatReduceInfer) {
  Module module = MustParse(kText);
  Computation& entry = module.computations[1];
  Instruction fma;
  fma.opcode = Opcode::kFma;
  fma.operands = {2, 2, 2};
  EXPECT_EQ(ToString(*InferShape(fma, entry, nullptr)), "f32[4]");
  fma.operands = {2, 2, 0};
  EXPECT_EQ(InferShape(fma, entry, nullptr).status().front().message,
            "'fma' needs operands of one shape, but 's' is f32[4] and 'x' is f32[4,2]");
  Instruction reduce = entry.instructions[2];
  reduce.called.clear();
  EXPECT_EQ(ToString(*InferShape(reduce, entry, nullptr)), "f32[4]");
  reduce.operands = {0, 0, 1, 1};
  EXPECT_EQ(InferShape(reduce, entry, nullptr).status().front().error_class, ErrorClass::kNotImplemented);
}

TEST(Verify, RecogniseReducer) {
  const auto recognise = [](const std::string& type, const std::string& lines) {
    const Module module = MustParse("HloModule m\nENTRY f {\n  a = " + type + " parameter(0)\n  b = " + type +
                                    " parameter(1)\n" + lines + "\n}\n");
    return RecogniseReducer(module.computations[0]);
  };
  EXPECT_EQ(recognise("f32[]", "r = f32[] add(a, b)"), Reducer::kAdd);
  EXPECT_EQ(recognise("f32[]", "r = f32[] multiply(b, a)"), Reducer::kMultiply);
  EXPECT_EQ(recognise("s8[]", "r = s8[] minimum(a, b)"), Reducer::kMinimum);
  EXPECT_EQ(recognise("pred[]", "r = pred[] and(a, b)"), Reducer::kAnd);
  EXPECT_EQ(recognise("pred[]", "r = pred[] or(a, b)"), Reducer::kOr);
  EXPECT_EQ(recognise("f32[]", "r = f32[] subtract(a, b)"), std::nullopt);
  EXPECT_EQ(recognise("f32[]", "r = f32[] add(a, a)"), std::nullopt);
  EXPECT_EQ(recognise("f32[]", "c = f32[] negate(b)\nr = f32[] add(a, c)"), std::nullopt);
  EXPECT_EQ(recognise("f32[2]", "r = f32[2] add(a, b)"), std::nullopt);
  EXPECT_EQ(recognise("s8[]", "r = s8[] xor(a, b)"), std::nullopt);
  EXPECT_EQ(recognise("s8[]", "r = pred[] compare(a, b), direction=LT"), std::nullopt);
}

TEST(Verify, Identities) {
  using enum ElementType;
  EXPECT_EQ(ReducerIdentity(Reducer::kAdd, kF32).GetDouble(0), 0.0);
  EXPECT_EQ(ReducerIdentity(Reducer::kMultiply, kBF16).GetDouble(0), 1.0);
  EXPECT_EQ(ReducerIdentity(Reducer::kMultiply, kS8).GetInt(0), 1);
  EXPECT_EQ(ReducerIdentity(Reducer::kMultiply, kC64).GetComplex(0), std::complex<double>(1, 0));
  EXPECT_EQ(ReducerIdentity(Reducer::kMultiply, kPred).GetInt(0), 1);
  EXPECT_EQ(ReducerIdentity(Reducer::kAnd, kU8).GetInt(0), 255);
  EXPECT_EQ(ReducerIdentity(Reducer::kAnd, kS4).GetInt(0), -1);
  EXPECT_EQ(ReducerIdentity(Reducer::kAnd, kPred).GetInt(0), 1);
  EXPECT_EQ(ReducerIdentity(Reducer::kOr, kS64).GetInt(0), 0);
  EXPECT_EQ(ReducerIdentity(Reducer::kMinimum, kF16).GetDouble(0), HUGE_VAL);
  EXPECT_EQ(ReducerIdentity(Reducer::kMaximum, kF64).GetDouble(0), -HUGE_VAL);
  EXPECT_EQ(ReducerIdentity(Reducer::kMaximum, kS64).GetInt(0), INT64_MIN);
  EXPECT_EQ(ReducerIdentity(Reducer::kMinimum, kS64).GetInt(0), INT64_MAX);
  EXPECT_EQ(ReducerIdentity(Reducer::kMaximum, kS4).GetInt(0), -8);
  EXPECT_EQ(ReducerIdentity(Reducer::kMinimum, kS1).GetInt(0), 0);
  EXPECT_EQ(ReducerIdentity(Reducer::kMinimum, kU4).GetInt(0), 15);
  EXPECT_EQ(ReducerIdentity(Reducer::kMaximum, kU32).GetInt(0), 0);
  EXPECT_EQ(ReducerIdentity(Reducer::kMinimum, kPred).GetInt(0), 1);
  EXPECT_EQ(ReducerIdentity(Reducer::kMaximum, kPred).GetInt(0), 0);
  // Types without infinity: their largest finite values.
  EXPECT_EQ(ReducerIdentity(Reducer::kMinimum, kF8E4M3FN).GetDouble(0), 448.0);
  EXPECT_EQ(ReducerIdentity(Reducer::kMaximum, kF8E4M3FN).GetDouble(0), -448.0);
  EXPECT_EQ(ReducerIdentity(Reducer::kMaximum, kF8E4M3FNUZ).GetDouble(0), -240.0);
  EXPECT_EQ(ReducerIdentity(Reducer::kMinimum, kF8E4M3B11FNUZ).GetDouble(0), 30.0);
  EXPECT_EQ(ReducerIdentity(Reducer::kMinimum, kF8E5M2FNUZ).GetDouble(0), 57344.0);
  EXPECT_EQ(ReducerIdentity(Reducer::kMaximum, kF4E2M1FN).GetDouble(0), -6.0);
  EXPECT_EQ(ReducerIdentity(Reducer::kMaximum, kF8E8M0FNU).GetDouble(0), std::ldexp(1.0, -127));
  EXPECT_EQ(ReducerIdentity(Reducer::kMinimum, kF8E8M0FNU).GetDouble(0), std::ldexp(1.0, 127));
  EXPECT_EQ(ReducerIdentity(Reducer::kMinimum, kF8E5M2).GetDouble(0), HUGE_VAL);
}

}  // namespace
}  // namespace act::hlo
