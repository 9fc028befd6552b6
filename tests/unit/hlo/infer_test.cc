// Shape inference. Where the result is a shape, XLA's own reader (jaxlib 0.10.2) gives the same for the same
// line; it does not infer slices, whose shapes here are by hand.
#include "unit/hlo/hlo_testing.h"

namespace act::hlo {
namespace {

struct Row {
  std::string parameters;  // shapes of p0, p1, ..., separated by ';'
  std::string line;        // the operation, without a result shape where that can be left out
  std::string expected;    // the shape, or the message
};

void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    std::string lines;
    size_t at = 0;
    for (int n = 0; at < row.parameters.size(); ++n) {
      const size_t end = std::min(row.parameters.find(';', at), row.parameters.size());
      lines += "p" + std::to_string(n) + " = " + row.parameters.substr(at, end - at) + " parameter(" +
               std::to_string(n) + ")\n";
      at = end + 1;
    }
    const StatusOr<Module> module = ParseText(WithCombiners(lines + "ROOT r = " + row.line));
    const std::string actual = module.ok() ? ToString(module->entry_computation().root_instruction().shape)
                                           : module.status().front().message;
    EXPECT_EQ(actual, row.expected) << row.parameters << " " << row.line;
  }
}

TEST(Infer, Unary) {
  Check({
      {"f32[2,3]", "exponential(p0)", "f32[2,3]"},
      {"c64[2]", "abs(p0)", "f32[2]"},
      {"c128[2]", "imag(p0)", "f64[2]"},
      {"f32[2]", "real(p0)", "f32[2]"},
      {"f16[2]", "is-finite(p0)", "pred[2]"},
      {"s8[2]", "negate(p0)", "s8[2]"},
      {"u8[2]", "negate(p0)", "u8[2]"},
      {"pred[2]", "not(p0)", "pred[2]"},
      {"c64[2]", "tanh(p0)", "c64[2]"},
      {"s32[2]", "count-leading-zeros(p0)", "s32[2]"},
      {"f32[2]", "not(p0)", "'not' takes pred or integers, but 'p0' is f32[2]"},
      {"s32[2]", "exponential(p0)", "'exponential' takes floats or complex, but 'p0' is s32[2]"},
      {"u32[2]", "abs(p0)", "'abs' takes signed integers or floats or complex, but 'p0' is u32[2]"},
      {"c64[2]", "floor(p0)", "'floor' takes floats, but 'p0' is c64[2]"},
      {"c64[2]", "erf(p0)", "'erf' takes floats, but 'p0' is c64[2]"},
      {"f32[2]", "negate(p0, p0)", "'negate' has 2 operands, but takes 1"},
      {"(f32[2])", "negate(p0)", "'negate' takes arrays, but 'p0' is (f32[2])"},
      {"token[]", "negate(p0)", "'negate' takes arrays, but 'p0' is token[]"},
  });
}

// pitfall 66
TEST(Infer, Binary) {
  Check({
      {"f32[64,64];f32[64]", "add(p0, p1)",
       "'add' needs operands of one shape, but 'p0' is f32[64,64] and 'p1' is f32[64]"},
      {"f32[2];f16[2]", "add(p0, p1)",
       "'add' needs operands of one shape, but 'p0' is f32[2] and 'p1' is f16[2]"},
      {"pred[2]", "add(p0, p0)", "pred[2]"},
      {"pred[2]", "subtract(p0, p0)", "'subtract' takes integers or floats or complex, but 'p0' is pred[2]"},
      {"s4[2]", "xor(p0, p0)", "s4[2]"},
      {"f32[2]", "or(p0, p0)", "'or' takes pred or integers, but 'p0' is f32[2]"},
      {"u32[2]", "shift-left(p0, p0)", "u32[2]"},
      {"pred[2]", "shift-left(p0, p0)", "'shift-left' takes integers, but 'p0' is pred[2]"},
      {"c64[2]", "maximum(p0, p0)", "'maximum' takes pred or integers or floats, but 'p0' is c64[2]"},
      {"f32[2]", "complex(p0, p0)", "c64[2]"},
      {"f64[]", "complex(p0, p0)", "c128[]"},
      {"f16[]", "complex(p0, p0)", "'complex' takes f32 or f64, but 'p0' is f16[]"},
      {"f32[2]", "add(p0)", "'add' has 1 operand, but takes 2"},
  });
}

TEST(Infer, CompareSelectClamp) {
  Check({
      {"f32[2]", "compare(p0, p0), direction=LT", "pred[2]"},
      {"f32[2]", "compare(p0, p0), direction=LT, type=TOTALORDER", "pred[2]"},
      {"u8[2]", "compare(p0, p0), direction=GE, type=UNSIGNED", "pred[2]"},
      {"u8[2]", "compare(p0, p0), direction=GE, type=SIGNED",
       "the comparison type SIGNED does not go with u8; leave it out"},
      {"c64[2]", "compare(p0, p0), direction=NE", "pred[2]"},
      {"c64[2]", "compare(p0, p0), direction=LT", "'compare' of complex values knows only EQ and NE, not LT"},
      {"pred[2];f32[2]", "select(p0, p1, p1)", "f32[2]"},
      {"f32[2]", "select(p0, p0, p0)", "'select' takes a pred first, but 'p0' is f32[2]"},
      {"pred[3];f32[2]", "select(p0, p1, p1)",
       "'select' needs operands of equal dimensions, but 'p0' is pred[3] and 'p1' is f32[2]"},
      {"pred[2];f32[2];f32[3]", "select(p0, p1, p2)",
       "'select' needs operands of one shape, but 'p1' is f32[2] and 'p2' is f32[3]"},
      {"f32[2]", "clamp(p0, p0, p0)", "f32[2]"},
      {"f32[2];f32[3]", "clamp(p1, p0, p0)",
       "'clamp' needs operands of one shape, but 'p0' is f32[2] and 'p1' is f32[3]"},
      {"c64[2]", "clamp(p0, p0, p0)", "'clamp' takes pred or integers or floats, but 'p0' is c64[2]"},
  });
}

TEST(Infer, Conversions) {
  Check({
      {"f32[2]", "s8[2] convert(p0)", "s8[2]"},
      {"f32[2]", "convert(p0)", "'convert' needs its result's shape written in front of it"},
      {"f32[2]", "s8[3] convert(p0)", "'r' is declared as s8[3], but its 'convert' gives s8[2]"},
      {"c64[2]", "f32[2] convert(p0)",
       "'convert' does not turn complex into f32 ('p0' is c64[2]); take its real part"},
      {"f32[2]", "token[] convert(p0)", "'convert' gives an array, not token"},
      {"f32[2]", "s32[2] bitcast-convert(p0)", "s32[2]"},
      {"f32[2,3]", "u8[2,3,4] bitcast-convert(p0)", "u8[2,3,4]"},
      {"u8[2,3,4]", "f32[2,3] bitcast-convert(p0)", "f32[2,3]"},
      {"s8[4,2]", "s4[4,2,2] bitcast-convert(p0)", "s4[4,2,2]"},
      {"u8[2,3]", "f32[2] bitcast-convert(p0)",
       "'bitcast-convert' of u8 to f32 needs a last dimension of 4, but 'p0' is u8[2,3]"},
      {"u8[]", "u16[] bitcast-convert(p0)",
       "'bitcast-convert' of u8 to u16 needs a last dimension of 2, but 'p0' is u8[]"},
      {"pred[2]", "u8[2] bitcast-convert(p0)", "'bitcast-convert' does not turn pred to u8"},
      {"c64[2]", "f64[2] bitcast-convert(p0)", "'bitcast-convert' does not turn c64 to f64"},
  });
}

// pitfall 83
TEST(Infer, BroadcastReshapeTranspose) {
  Check({
      {"f32[3]", "f32[2,3] broadcast(p0), dimensions={1}", "f32[2,3]"},
      {"f32[]", "f32[2,3] broadcast(p0)", "f32[2,3]"},
      {"f32[3]", "f32[2,3] broadcast(p0)",
       "'broadcast' has 0 entries in dimensions, but 'p0' is f32[3] has 1 dimension"},
      {"f32[3]", "f32[2,3] broadcast(p0), dimensions={2}",
       "'broadcast' has dimension 2, but its result f32[2,3] has 2 dimensions"},
      {"f32[3,3]", "f32[3,3] broadcast(p0), dimensions={1,0}",
       "'broadcast' has dimensions={1,0}, which do not rise; transpose the operand first"},
      {"f32[3]", "f32[2,4] broadcast(p0), dimensions={1}",
       "'broadcast' puts dimension 0 of f32[3] at dimension 1 of f32[2,4], which has another size"},
      {"f32[3]", "broadcast(p0), dimensions={0}",
       "'broadcast' needs its result's shape written in front of it"},
      {"f32[2,3]", "f32[6] reshape(p0)", "f32[6]"},
      {"f32[1]", "f32[] reshape(p0)", "f32[]"},
      {"f32[2,3]", "f32[5] reshape(p0)",
       "'reshape' keeps the number of elements, but 'p0' is f32[2,3] and the result is f32[5]"},
      {"f32[2,3]", "s32[6] reshape(p0)", "'r' is declared as s32[6], but its 'reshape' gives f32[6]"},
      {"f32[2,3,4]", "transpose(p0), dimensions={2,0,1}", "f32[4,2,3]"},
      {"f32[2,3]", "transpose(p0), dimensions={0,0}", "'transpose' has 0 twice in dimensions"},
      {"f32[2,3]", "transpose(p0), dimensions={0,-1}",
       "'transpose' has -1 in dimensions, but its operand has 2 dimensions"},
      {"f32[2,3]", "transpose(p0), dimensions={0}",
       "'transpose' has 1 entry in dimensions, but 'p0' is f32[2,3] has 2 dimensions"},
      {"f32[2,3]", "reverse(p0), dimensions={1}", "f32[2,3]"},
      {"f32[2,3]", "reverse(p0), dimensions={1,1}", "'reverse' has 1 twice in dimensions"},
      {"f32[2,3]", "copy(p0)", "f32[2,3]"},
  });
}

TEST(Infer, SliceConcatenatePad) {
  Check({
      {"f32[10,4]", "slice(p0), slice={[1:10:3],[2:2]}", "f32[3,0]"},
      {"f32[10]", "slice(p0), slice={[0:9:3]}", "f32[3]"},
      {"f32[10]", "slice(p0), slice={[3:2]}", "'slice' takes [3:2:1] of dimension 0, but 'p0' is f32[10]"},
      {"f32[10]", "slice(p0), slice={[-1:2]}", "'slice' takes [-1:2:1] of dimension 0, but 'p0' is f32[10]"},
      {"f32[2,3];f32[2,5]", "concatenate(p0, p1, p0), dimensions={1}", "f32[2,11]"},
      {"f32[2,3];f32[3,3]", "concatenate(p0, p1), dimensions={1}",
       "'concatenate' needs operands that differ only in dimension 1, but 'p0' is f32[2,3] and 'p1' is "
       "f32[3,3]"},
      {"f32[2];s32[2]", "concatenate(p0, p1), dimensions={0}",
       "'concatenate' needs operands that differ only in dimension 0, but 'p0' is f32[2] and 'p1' is s32[2]"},
      {"f32[2]", "concatenate(), dimensions={0}", "'concatenate' has no operands, but takes at least 1"},
      {"f32[2]", "concatenate(p0), dimensions={0,1}",
       "'concatenate' goes along one dimension, found dimensions={0,1}"},
      {"s8[4611686018427387904]", "concatenate(p0, p0), dimensions={0}",
       "'concatenate' gives a dimension that 64 bits cannot hold"},
      {"f32[4,3];f32[]", "pad(p0, p1), padding=-1_-2_1x0_1", "f32[4,4]"},
      {"f32[0];f32[]", "pad(p0, p1), padding=1_1_5", "f32[2]"},
      {"f32[4];f32[]", "pad(p0, p1), padding=-3_-2",
       "'pad' takes more from dimension 0 than it has: 'p0' is f32[4]"},
      {"f32[4];f32[]", "pad(p0, p1), padding=0_0_-1", "'pad' has interior padding -1, which is negative"},
      {"f32[4];f32[]", "pad(p0, p1), padding=9223372036854775807_1",
       "'pad' gives a dimension that 64 bits cannot hold"},
      {"f32[4];f32[]", "pad(p0, p1), padding=0_0_9223372036854775807",
       "'pad' gives a dimension that 64 bits cannot hold"},
      {"f32[4];s32[]", "pad(p0, p1), padding=0_0",
       "'pad' takes a scalar of the array's type second, but 'p0' is f32[4] and 'p1' is s32[]"},
      {"f32[4];f32[]", "pad(p0, p1), padding=0_0x0_0",
       "'pad' has 2 entries in padding, but 'p0' is f32[4] has 1 dimension"},
      {"f32[4];f32[]",
       "pad(p0, p1), padding=", "expected padding such as 0_1x2_2_1 (low_high_interior), found '}'"},
  });
}

TEST(Infer, DynamicSlices) {
  Check({
      {"f32[5,4];s32[]", "dynamic-slice(p0, p1, p1), dynamic_slice_sizes={2,3}", "f32[2,3]"},
      {"f32[5,4];s32[]", "dynamic-slice(p0, p1, p1), dynamic_slice_sizes={6,3}",
       "'dynamic-slice' takes 6 of dimension 0, but 'p0' is f32[5,4]"},
      {"f32[5,4];s32[]", "dynamic-slice(p0, p1), dynamic_slice_sizes={2,3}",
       "'dynamic-slice' has 1 start indices, but takes one for each dimension: 'p0' is f32[5,4]"},
      {"f32[5];f32[]", "dynamic-slice(p0, p1), dynamic_slice_sizes={2}",
       "'dynamic-slice' takes integer scalars as start indices, but 'p1' is f32[]"},
      {"f32[5,4];s32[];u8[]", "dynamic-slice(p0, p1, p2), dynamic_slice_sizes={2,3}",
       "'dynamic-slice' needs start indices of one type, but 'p1' is s32[] and 'p2' is u8[]"},
      {"f32[5]", "dynamic-slice(), dynamic_slice_sizes={2}", "'dynamic-slice' has 0 operands, but takes 1"},
      {"f32[5,4];f32[2,4];s32[]", "dynamic-update-slice(p0, p1, p2, p2)", "f32[5,4]"},
      {"f32[5,4];f32[6,4];s32[]", "dynamic-update-slice(p0, p1, p2, p2)",
       "'dynamic-update-slice' takes an update that fits into the array, but 'p0' is f32[5,4] and 'p1' is "
       "f32[6,4]"},
      {"f32[5]", "dynamic-update-slice(p0)", "'dynamic-update-slice' has 1 operand, but takes 2"},
  });
}

TEST(Infer, Dot) {
  const std::string mm = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  Check({
      {"f32[4,2];f32[2,3]", "dot(p0, p1)" + mm, "f32[4,3]"},
      {"f32[4,2];f32[3,2]", "dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={1}", "f32[4,3]"},
      {"f32[7,4,2,5];f32[5,2,7,3]",
       "dot(p0, p1), lhs_contracting_dims={2,3}, rhs_contracting_dims={1,0}, lhs_batch_dims={0}, "
       "rhs_batch_dims={2}",
       "f32[7,4,3]"},
      {"f32[4];f32[4]", "dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}", "f32[]"},
      {"f32[4];f32[3]", "dot(p0, p1)", "f32[4,3]"},
      {"s8[4,2];s8[2,3]", "s32[4,3] dot(p0, p1)" + mm, "s32[4,3]"},
      {"u8[4,2];s8[2,3]", "s32[4,3] dot(p0, p1)" + mm, "s32[4,3]"},
      {"bf16[4,2];bf16[2,3]", "f32[4,3] dot(p0, p1)" + mm, "f32[4,3]"},
      {"f32[4,2];f32[2,3]", "bf16[4,3] dot(p0, p1)" + mm, "bf16[4,3]"},
      {"u8[4,2];s8[2,3]", "dot(p0, p1)" + mm,
       "'dot' of two types needs its result's shape written in front of it"},
      {"s32[4,2];s32[2,3]", "s8[4,3] dot(p0, p1)" + mm, "'dot' of s32 and s32 does not give s8"},
      {"s8[4,2];f32[2,3]", "f32[4,3] dot(p0, p1)" + mm,
       "'dot' needs operands of one kind of type, but 'p0' is s8[4,2] and 'p1' is f32[2,3]"},
      {"f32[4,2];f32[3,2]", "dot(p0, p1)" + mm,
       "'dot' pairs contracting dimensions 1 and 0 of different sizes: 'p0' is f32[4,2] and 'p1' is "
       "f32[3,2]"},
      {"f32[4,2];f32[2,3]", "dot(p0, p1), lhs_contracting_dims={1}",
       "'dot' has 1 lhs and 0 rhs contracting dimensions; they go in pairs"},
      {"f32[4,2];f32[2,3]", "dot(p0, p1), lhs_contracting_dims={2}, rhs_contracting_dims={0}",
       "'dot' has 2 in lhs_contracting_dims, but its operand has 2 dimensions"},
      {"f32[4,4]",
       "dot(p0, p0), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_batch_dims={1}, "
       "rhs_batch_dims={1}",
       "'dot' contracts dimension 1 of its lhs operand and has it in lhs_batch_dims too"},
      {"s8[2147483648,1]", "dot(p0, p0), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
       "s8[2147483648,2147483648]"},
      {"s64[2147483648,1]", "dot(p0, p0), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
       "'dot' gives s64[2147483648,2147483648], more bytes than 64 bits can count"},
  });
}

TEST(Infer, ReduceIotaTuplesCalls) {
  Check({
      {"f32[2,3,4];f32[]", "reduce(p0, p1), dimensions={0,2}, to_apply=add_f32", "f32[3]"},
      {"f32[2];f32[]", "reduce(p0, p1), dimensions={}, to_apply=add_f32", "f32[2]"},
      {"f32[2];f32[]", "reduce(p0, p1), dimensions={1}, to_apply=add_f32",
       "'reduce' has 1 in dimensions, but its operand has 1 dimension"},
      {"f32[2];f32[1]", "reduce(p0, p1), dimensions={0}, to_apply=add_f32",
       "'reduce' takes a scalar of the array's type second, but 'p0' is f32[2] and 'p1' is f32[1]"},
      {"s32[2];s32[]", "reduce(p0, p1), dimensions={0}, to_apply=add_f32",
       "'reduce' of s32[] needs a combiner of two such scalars to one, which 'add_f32' is not"},
      {"f32[]", "s32[2,3] iota(), iota_dimension=1", "s32[2,3]"},
      {"f32[]", "s32[2,3] iota(), iota_dimension=2",
       "'iota' counts along one of the dimensions of s32[2,3], found iota_dimension=2"},
      {"f32[]", "s32[] iota(), iota_dimension=0",
       "'iota' counts along one of the dimensions of s32[], found iota_dimension=0"},
      {"f32[]", "pred[2] iota(), iota_dimension=0", "'iota' takes integers, floats, complex, not pred"},
      {"f32[];s32[2]", "tuple(p0, p1)", "(f32[], s32[2])"},
      {"f32[]", "tuple()", "()"},
      {"(f32[], s32[2])", "get-tuple-element(p0), index=1", "s32[2]"},
      {"f32[2]", "get-tuple-element(p0), index=0", "'get-tuple-element' takes a tuple, but 'p0' is f32[2]"},
      {"f32[]", "call(p0, p0), to_apply=add_f32", "f32[]"},
      {"s32[]", "call(p0, p0), to_apply=add_f32", "parameter 0 of 'add_f32' is f32[], but 'p0' is s32[]"},
      {"f32[]", "f32[7] sort(p0)", "f32[7]"},
      {"f32[]", "sort(p0)", "'sort' needs its result's shape written in front of it"},
  });
}

}  // namespace
}  // namespace act::hlo
