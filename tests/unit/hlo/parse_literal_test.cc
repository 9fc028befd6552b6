// Constants. The expected bits are those of NumPy and ml_dtypes.
#include <bit>
#include <cstring>

#include "unit/hlo/hlo_testing.h"

namespace act::hlo {
namespace {

// The bytes of a constant, most significant first in each element.
std::string Hex(const Literal& literal) {
  const auto size = static_cast<size_t>(StorageBytes(literal.shape.type));
  std::string out;
  for (size_t i = 0; i < literal.bytes.size(); i += size) {
    if (i > 0) out += ' ';
    for (size_t b = size; b-- > 0;) {
      constexpr char kDigits[] = "0123456789abcdef";
      out += kDigits[literal.bytes[i + b] >> 4];
      out += kDigits[literal.bytes[i + b] & 15];
    }
  }
  return out;
}

struct Row {
  std::string shape, value, expected;  // bits, or the message
};

void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const StatusOr<Module> module =
        ParseText(Entry("ROOT c = " + row.shape + " constant(" + row.value + ")"));
    std::string actual;
    if (module.ok()) {
      actual = Hex(*module->entry_computation().root_instruction().literal);
    } else {
      actual = module.status().front().message;
    }
    EXPECT_EQ(actual, row.expected) << row.shape << " " << row.value;
  }
}

TEST(ParseLiteral, Integers) {
  Check({
      {"s8[]", "-128", "80"},
      {"s8[2]", "{127, -1}", "7f ff"},
      {"s4[]", "-8", "f8"},
      {"s4[]", "8", "'8' does not fit s4"},
      {"s2[]", "-2", "fe"},
      {"u2[]", "3", "03"},
      {"u2[]", "4", "'4' does not fit u2"},
      {"s64[]", "-9223372036854775808", "8000000000000000"},
      {"s64[]", "9223372036854775808", "'9223372036854775808' does not fit s64"},
      {"u64[]", "18446744073709551615", "ffffffffffffffff"},
      {"u64[]", "18446744073709551616", "'18446744073709551616' does not fit u64"},
      {"u8[]", "-0", "00"},
      {"s32[]", "1e3", "'1e3' is not an integer, as s32 needs"},
      {"s32[]", "true", "'true' is not an integer, as s32 needs"},
      {"s32[]", "inf", "'inf' is not an integer, as s32 needs"},
      {"s32[]", "", "expected a value of type s32, found ')'"},
      {"pred[]", "true", "01"},
      {"pred[4]", "{1, 0, false, true}", "01 00 00 01"},
  });
}

TEST(ParseLiteral, Floats) {
  Check({
      {"f32[]", "0.1", "3dcccccd"},
      {"f32[]", "-0", "80000000"},
      {"f32[]", ".5", "3f000000"},
      {"f32[]", "5.", "40a00000"},
      {"f32[]", "1e-45", "00000001"},
      {"f32[]", "1e-60", "00000000"},
      {"f32[]", "1e-400", "00000000"},
      {"f32[]", "0.0e999999999999999999999", "00000000"},
      {"f32[]", "1e-999999999999999999999", "00000000"},
      {"f32[]", "3.4028235e38", "7f7fffff"},
      {"f32[]", "3.5e38", "'3.5e38' does not fit f32"},
      {"f32[]", "1e400", "'1e400' does not fit f32"},
      // Halfway between two f32 for a reader that goes by way of f64.
      {"f32[]", "1.00000005960464477540", "3f800001"},
      {"f64[]", "0.1", "3fb999999999999a"},
      {"f64[]", "1e400", "'1e400' does not fit f64"},
      {"f16[]", "65504", "7bff"},
      {"f16[]", "65520", "'65520' does not fit f16"},
      {"bf16[]", "0.1", "3dcd"},
      {"bf16[2]", "{inf, -inf}", "7f80 ff80"},
      {"f32[3]", "{nan, -nan, nan(0x123)}", "7fc00000 ffc00000 7f800123"},
      {"bf16[2]", "{-nan(0x12), nan(0x40)}", "ff92 7fc0"},
      {"bf16[]", "nan(0x80)", "'nan(0x80)' is not a NaN of type bf16"},
      {"f64[]", "nan(0x1)", "7ff0000000000001"},
      {"f32[]", "true", "'true' is not a number"},
      {"f32[]", "1.2.3", "'1.2.3' is not a number"},
      {"f32[]", "1x", "'1x' is not a number"},
      {"f32[]", "--1", "expected a value of type f32, found '-'"},
  });
}

TEST(ParseLiteral, NarrowFloats) {
  Check({
      {"f8e4m3fn[2]", "{448, -448}", "7e fe"},
      {"f8e4m3fn[]", "500", "'500' does not fit f8e4m3fn"},
      {"f8e4m3fn[2]", "{nan, -nan}", "7f ff"},
      {"f8e4m3fn[]", "inf", "f8e4m3fn has no value 'inf'"},
      {"f8e4m3fn[]", "nan(0x1)", "'nan(0x1)' is not a NaN of type f8e4m3fn"},
      {"f8e5m2[3]", "{57344, -inf, nan(0x1)}", "7b fc 7d"},
      {"f8e4m3fnuz[2]", "{240, nan}", "7f 80"},
      {"f4e2m1fn[2]", "{6, -0.5}", "07 09"},
      {"f4e2m1fn[]", "6.5", "'6.5' does not fit f4e2m1fn"},
      {"f4e2m1fn[]", "nan", "f4e2m1fn has no value 'nan'"},
      {"f8e8m0fnu[2]", "{1, 0.5}", "7f 7e"},
      {"f8e8m0fnu[]", "-1", "'-1' does not fit f8e8m0fnu"},
      {"f8e8m0fnu[]", "0", "'0' does not fit f8e8m0fnu"},
  });
}

TEST(ParseLiteral, Complex) {
  Check({
      {"c64[]", "(1, -2)", "c00000003f800000"},
      {"c128[1]", "{(0.5, nan)}", "7ff80000000000003fe0000000000000"},
      {"c64[]", "1", "expected '(' of a complex value (real, imaginary), found '1'"},
      {"c64[]", "(1)", "expected ',' and the imaginary part, found ')'"},
      {"c64[]", "(1, 2", "expected ',' or ')' in the operands of 'constant', found '}'"},
  });
}

TEST(ParseLiteral, Nesting) {
  Check({
      {"s8[2,3]", "{ { 1, 2, 3 }, { /*i0=1*/ 4, 5, 6 } }", "01 02 03 04 05 06"},
      {"s8[0]", "{}", ""},
      {"s8[2,0]", "{ {}, {} }", ""},
      {"s8[2,0]", "{}", ""},
      {"s8[0,2]", "{}", ""},
      {"s8[2,0]", "{ {} }", "dimension 0 of the constant has 1 entries, but s8[2,0] needs 2"},
      {"s8[]", "{1}", "the constant is nested deeper than its shape s8[]"},
      {"s8[2]", "1", "expected '{' of dimension 0 of the constant, found '1'"},
      {"s8[2,2]", "{{1,2},{3}}", "dimension 1 of the constant has 1 entries, but s8[2,2] needs 2"},
      {"s8[4]", "{1, ...}", "the constant's value is elided ('...'); print the module with large constants"},
      {"s8[4]", "{...}", "the constant's value is elided ('{...}'); print the module with large constants"},
      {"token[]", "1", "a constant of type token[] has no value"},
  });
}

TEST(ParseLiteral, TuplesAreKeptAsText) {
  const Module module =
      MustParse(Entry("ROOT c = (f32[], (s32[2], pred[])) constant((1.5, ({2, 3}, true)))"));
  const Instruction& root = module.entry_computation().root_instruction();
  EXPECT_EQ(root.opcode, Opcode::kOther);
  EXPECT_EQ(root.raw, (std::vector<RawAttribute>{{"literal", "(1.5, ({2, 3}, true))"}}));
  EXPECT_EQ(Outcome(ParseText(Entry("ROOT c = (f32[], s32[]) constant((1.5))"))),
            "k.hlo:4:38: expected ',' and the next member of the tuple constant, found ')'");
  EXPECT_EQ(Outcome(ParseText(Entry("ROOT c = (f32[], s32[]) constant({...})"))),
            "k.hlo:4:34: the constant's value is elided ('{...}'); print the module with large constants");
}

// pitfall 57
TEST(ParseLiteral, EqualTextsOfTwoTypesAreTwoValues) {
  const Module module =
      MustParse(Entry("a = bf16[] constant(1)\nb = s32[] constant(1)\nROOT t = tuple(a, b)"));
  const Computation& entry = module.entry_computation();
  EXPECT_EQ(Hex(*Find(entry, "a").literal), "3f80");
  EXPECT_EQ(Hex(*Find(entry, "b").literal), "00000001");
  EXPECT_EQ(ToString(entry.root_instruction().shape), "(bf16[], s32[])");
}

}  // namespace
}  // namespace act::hlo
