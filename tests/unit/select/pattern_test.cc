// Patterns derived from invented instructions against the instruction's own semantics, with the constant
// operands that each specialisation asks for.
#include "select/pattern.h"

#include <algorithm>
#include <map>

#include "unit/select/testing.h"

namespace act::select {
namespace {

const char kSpec[] = R"(accelerator patterns
buffer m [4096] of u8
instruction add_f32(n; a, b, o)
  in x = m[a : +n*4]
  in y = m[b : +n*4]
  out z = m[o : +n*4]
  where n <= 16
  z = bitcast_convert(add(bitcast_convert(reshape(x, u8[n,4]), f32[n]), bitcast_convert(reshape(y, u8[n,4]), f32[n])), u8[n,4])
instruction sub_bf16(n; a, b, o)
  in x = m[a : +n*2]
  in y = m[b : +n*2]
  out z = m[o : +n*2]
  where n <= 16
  z = bitcast_convert(subtract(bitcast_convert(reshape(x, u8[n,2]), bf16[n]), bitcast_convert(reshape(y, u8[n,2]), bf16[n])), u8[n,2])
instruction mul_s8(n; a, b, o)
  in x = m[a : +n]
  in y = m[b : +n]
  out z = m[o : +n]
  where n <= 16
  z = bitcast_convert(multiply(bitcast_convert(x, s8[n]), bitcast_convert(y, s8[n])), u8[n])
instruction mul_f16_transposed(n; a, b, o)
  in x = m[a : +n*8]
  in y = m[b : +n*8]
  out z = m[o : +n*8]
  where n <= 8
  u = bitcast_convert(reshape(x, u8[n,4,2]), f16[n,4])
  v = transpose(bitcast_convert(reshape(y, u8[4,n,2]), f16[4,n]), {1,0})
  z = bitcast_convert(multiply(u, v), u8[n,4,2])
instruction div_f32(n; a, b, o)
  in x = m[a : +n*4]
  in y = m[b : +n*4]
  out z = m[o : +n*4]
  where n <= 8
  z = bitcast_convert(divide(bitcast_convert(reshape(x, u8[n,4]), f32[n]), bitcast_convert(reshape(y, u8[n,4]), f32[n])), u8[n,4])
instruction shift(n; a, b, o)
  in x = m[a : +n*4]
  in y = m[b : +n*4]
  out z = m[o : +n*4]
  where n <= 8
  z = bitcast_convert(shift_right_arithmetic(bitcast_convert(reshape(x, u8[n,4]), s32[n]), bitcast_convert(reshape(y, u8[n,4]), s32[n])), u8[n,4])
instruction bits(n; a, b, o)
  in x = m[a : +n]
  in y = m[b : +n]
  out z = m[o : +n]
  where n <= 8
  z = xor(x, y)
instruction dot_f32(n, k, p; a, b, o)
  in x = m[a : +n*k*4]
  in y = m[b : +k*p*4]
  out z = m[o : +n*p*4]
  where n <= 6
  where k <= 6
  where p <= 6
  u = bitcast_convert(reshape(x, u8[n,k,4]), f32[n,k])
  v = bitcast_convert(reshape(y, u8[k,p,4]), f32[k,p])
  z = bitcast_convert(dot(u, v), u8[n,p,4])
instruction dot_bf16_wide(n, k; a, b, o)
  in x = m[a : +n*k*2]
  in y = m[b : +k*k*2]
  out z = m[o : +n*k*4]
  where n <= 6
  where k <= 6
  u = bitcast_convert(reshape(x, u8[n,k,2]), bf16[n,k])
  v = bitcast_convert(reshape(y, u8[k,k,2]), bf16[k,k])
  z = bitcast_convert(dot(u, v, f32[n,k]), u8[n,k,4])
instruction dot_bf16(n, k; a, b, o)
  in x = m[a : +n*k*2]
  in y = m[b : +k*k*2]
  out z = m[o : +n*k*2]
  where n <= 6
  where k <= 6
  u = bitcast_convert(reshape(x, u8[n,k,2]), bf16[n,k])
  v = transpose(bitcast_convert(reshape(y, u8[k,k,2]), bf16[k,k]), {1,0})
  z = bitcast_convert(dot(u, v), u8[n,k,2])
instruction mac(n; a, b, c, o)
  in x = m[a : +n*n]
  in y = m[b : +n*n]
  in w = m[c : +n*n*4]
  out z = m[o : +n*n*4]
  where n <= 6
  u = bitcast_convert(reshape(x, u8[n,n]), s8[n,n])
  v = bitcast_convert(reshape(y, u8[n,n]), s8[n,n])
  s = bitcast_convert(reshape(w, u8[n,n,4]), s32[n,n])
  z = bitcast_convert(add(dot(u, v, s32[n,n]), s), u8[n,n,4])
instruction chain(n; a, b, c, o)
  in x = m[a : +n*n*4]
  in y = m[b : +n*n*4]
  in w = m[c : +n*n*4]
  out z = m[o : +n*n*4]
  where n <= 4
  u = bitcast_convert(reshape(x, u8[n,n,4]), f32[n,n])
  v = bitcast_convert(reshape(y, u8[n,n,4]), f32[n,n])
  s = bitcast_convert(reshape(w, u8[n,n,4]), f32[n,n])
  z = bitcast_convert(add(dot(dot(u, v), s), u), u8[n,n,4])
instruction twice(n; a, b, o)
  in x = m[a : +n*4]
  in y = m[b : +n*4]
  out z = m[o : +n*4]
  where n <= 8
  u = bitcast_convert(reshape(x, u8[n,4]), f32[n])
  v = bitcast_convert(reshape(y, u8[n,4]), f32[n])
  z = bitcast_convert(add(multiply(u, v), v), u8[n,4])
instruction shrug(n; a, o)
  in x = m[a : +n*4]
  out z = m[o : +n*4]
  where n <= 8
  numerics approx
  z = bitcast_convert(exp(bitcast_convert(reshape(x, u8[n,4]), f32[n])), u8[n,4])
instruction flushed(n; a, o)
  in x = m[a : +n*4]
  out z = m[o : +n*4]
  where n <= 8
  numerics flush
  z = bitcast_convert(exp(bitcast_convert(reshape(x, u8[n,4]), f32[n])), u8[n,4])
instruction rows(n; a, o)
  in x = m[a : +n*8]
  out z = m[o : +n*2]
  where n <= 8
  z = bitcast_convert(reduce_add(bitcast_convert(reshape(x, u8[n,4,2]), bf16[n,4]), {1}), u8[n,2])
instruction seven(n; a, o)
  in x = m[a : +n]
  out z = m[o : +n]
  where n <= 8
  z = bitcast_convert(add(bitcast_convert(x, s8[n]), constant(7, s8[n])), u8[n])
)";

struct Type {
  ElementType type;  // of every input
  std::vector<std::string> specialisations;
};

const std::map<std::string, Type> kExpected = {
    {"add_f32", {ElementType::kF32, {"x = 0", "y = 0"}}},
    {"sub_bf16", {ElementType::kBF16, {"y = 0"}}},
    {"mul_s8", {ElementType::kS8, {"x = 1", "x = -1", "y = 1", "y = -1"}}},
    {"mul_f16_transposed", {ElementType::kF16, {"x = 1", "x = -1", "y = 1", "y = -1"}}},
    {"div_f32", {ElementType::kF32, {"y = 1"}}},
    {"shift", {ElementType::kS32, {"y = 0"}}},
    {"bits", {ElementType::kU8, {"x = 0", "y = 0"}}},
    {"dot_f32", {ElementType::kF32, {}}},
    {"dot_bf16_wide", {ElementType::kBF16, {"y = identity", "y = reversed identity"}}},
    {"dot_bf16", {ElementType::kBF16, {"y = identity", "y = reversed identity", "y = diagonal"}}},
    {"mac", {ElementType::kS8, {"x = identity", "y = identity", "w = 0", "x = identity, w = 0"}}},
    {"chain", {ElementType::kF32, {}}},
    {"twice", {ElementType::kF32, {}}},
    {"shrug", {ElementType::kF32, {}}},
    {"flushed", {ElementType::kF32, {}}},
    {"rows", {ElementType::kBF16, {}}},
    {"seven", {ElementType::kS8, {}}},
};

isa::Accelerator ReadSpec(const char* text) {
  auto accelerator = isa::ParseTaidl(SourceText("test.taidl", text));
  if (!accelerator.ok()) {
    ADD_FAILURE() << accelerator.status().message();
    return isa::MakeAccelerator("none");
  }
  return *std::move(accelerator);
}

std::vector<uint8_t> RandomBytes(ElementType type, int64_t bytes, Random* random) {
  return RandomLiteral(Shape::Array(type, {bytes / StorageBytes(type)}), random, false).bytes;
}

// The bytes of the output region that the pattern promises.
std::vector<uint8_t> EvaluatePattern(const Pattern& pattern, const OperatorTable& operators,
                                     const std::vector<std::vector<uint8_t>>& parameters,
                                     const std::vector<std::vector<uint8_t>>& free) {
  std::vector<std::vector<uint8_t>> values;
  const auto edge = [&](const PatternEdge& e) {
    std::vector<uint8_t> out;
    for (int64_t i = 0; i < e.view.size(); ++i) {
      out.push_back(values[static_cast<size_t>(e.node)].at(static_cast<size_t>(e.view.At(i))));
    }
    return out;
  };
  for (size_t n = 0; n < pattern.nodes.size(); ++n) {
    const PatternNode& node = pattern.nodes[n];
    switch (node.kind) {
      case PatternNode::Kind::kParameter:
        values.push_back(parameters[static_cast<size_t>(node.parameter)]);
        break;
      case PatternNode::Kind::kConstant:
        values.push_back(node.constant);
        break;
      case PatternNode::Kind::kFree:
        values.push_back(free[n]);
        break;
      case PatternNode::Kind::kOperation: {
        std::vector<std::vector<uint8_t>> operands;
        for (const PatternEdge& child : node.children) operands.push_back(edge(child));
        std::vector<const std::vector<uint8_t>*> pointers;
        for (const auto& operand : operands) pointers.push_back(&operand);
        const auto value = EvaluateOperator(operators, operators.at(node.op), pointers);
        EXPECT_TRUE(value.ok()) << value.status().message();
        values.push_back(value.ok() ? *value : std::vector<uint8_t>(static_cast<size_t>(node.bytes)));
        break;
      }
    }
    EXPECT_EQ(static_cast<int64_t>(values.back().size()), node.bytes);
  }
  return edge(pattern.root);
}

// Equal bytes; or equal elements of a float type up to the sign of zero.
bool SameBytes(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b, ElementType type,
               bool zeros_equal) {
  if (a == b) return true;
  if (!zeros_equal || a.size() != b.size()) return false;
  Literal x(Shape::Array(type, {static_cast<int64_t>(a.size()) / StorageBytes(type)})), y = x;
  x.bytes = a;
  y.bytes = b;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    if (x.GetDouble(i) != y.GetDouble(i)) return false;
  }
  return true;
}

TEST(Pattern, EqualTheSemanticsWithTheirConstants) {
  const isa::Accelerator accelerator = ReadSpec(kSpec);
  Random random(5);
  for (const isa::Instruction& in : accelerator.instructions) {
    const Type& expected = kExpected.at(in.name);
    const auto solutions = isa::SolveAttributes(accelerator, in, {}, 300);
    ASSERT_TRUE(solutions.ok());
    ASSERT_FALSE(solutions->values.empty());
    for (const std::vector<int64_t>& attributes : solutions->values) {
      SCOPED_TRACE(in.name + " at " + std::to_string(attributes[0]));
      OperatorTable operators;
      const auto patterns = DerivePatterns(accelerator, in, attributes, &operators);
      ASSERT_TRUE(patterns.ok()) << patterns.status().message();
      const auto instance = isa::Instantiate(accelerator, in, attributes, {});
      ASSERT_TRUE(instance.ok());
      for (const std::string& name : expected.specialisations) {
        if (attributes[0] == 1) continue;  // a matrix of one element has simpler names
        EXPECT_TRUE(std::any_of(patterns->begin(), patterns->end(), [&](const Pattern& p) {
          return p.specialisation == name;
        })) << name;
      }
      for (const Pattern& pattern : *patterns) {
        SCOPED_TRACE(ToString(pattern, in, operators));
        for (int run = 0; run < 4; ++run) {
          std::vector<std::vector<uint8_t>> parameters, free(pattern.nodes.size());
          for (int32_t p : instance->body.parameters) {
            const int64_t bytes = *instance->body.instructions[static_cast<size_t>(p)].shape.num_bytes();
            const bool wide = in.name == "mac" && parameters.size() == 2;
            parameters.push_back(RandomBytes(wide ? ElementType::kS32 : expected.type, bytes, &random));
          }
          for (const ConstantOperand& c : pattern.constants) {
            std::vector<uint8_t>& region = parameters[static_cast<size_t>(c.parameter)];
            if (c.diagonal < 0) {
              ASSERT_EQ(c.bytes.size(), region.size());
              region = c.bytes;
              continue;
            }
            const std::vector<uint8_t> diagonal = RandomBytes(expected.type, c.size * c.width, &random);
            std::vector<uint8_t> matrix(static_cast<size_t>(c.size * c.size * c.width));
            for (int64_t i = 0; i < c.size; ++i) {
              for (int64_t b = 0; b < c.width; ++b) {
                matrix[static_cast<size_t>((i * c.size + i) * c.width + b)] =
                    diagonal[static_cast<size_t>(i * c.width + b)];
              }
            }
            region = ApplyView(c.placement, matrix);
            free[static_cast<size_t>(c.diagonal)] = diagonal;
          }
          std::vector<Literal> literals;
          for (size_t k = 0; k < parameters.size(); ++k) {
            literals.emplace_back(
                instance->body.instructions[static_cast<size_t>(instance->body.parameters[k])].shape);
            literals.back().bytes = parameters[k];
          }
          const auto result = eval::Evaluate(instance->body, instance->outputs, literals);
          ASSERT_TRUE(result.ok()) << result.status().message();
          const ElementType type = in.name == "dot_bf16_wide" ? ElementType::kF32 : expected.type;
          EXPECT_TRUE(SameBytes(EvaluatePattern(pattern, operators, parameters, free), (*result)[0].bytes,
                                type, pattern.marks.finite));
        }
      }
    }
  }
}

TEST(Pattern, MarksFollowTheSpec) {
  const isa::Accelerator accelerator = ReadSpec(kSpec);
  for (const isa::Instruction& in : accelerator.instructions) {
    OperatorTable operators;
    const auto solutions = isa::SolveAttributes(accelerator, in, {}, 3);
    const auto patterns = DerivePatterns(accelerator, in, solutions->values.back(), &operators);
    ASSERT_TRUE(patterns.ok());
    const NumericMarks& marks = (*patterns)[0].marks;
    EXPECT_EQ(marks.approximate, in.name == "shrug") << in.name;
    EXPECT_EQ(marks.flush, in.name == "flushed") << in.name;
    EXPECT_FALSE(marks.finite) << in.name;
  }
}

struct Fault {
  const char* name;
  const char* spec;
  const char* named;
};

TEST(Pattern, FaultsAreNamed) {
  const Fault faults[] = {
      {"a movement that is no view",
       "accelerator t\nbuffer m [256] of u8\ninstruction i(; a, o)\n  in x = m[a : +24]\n  out z = m[o : "
       "+24]\n"
       "  z = transpose(reshape(transpose(reshape(x, u8[4,6]), {1,0}), u8[8,3]), {1,0})\n",
       "no single view"},
      {"an input that is not read",
       "accelerator t\nbuffer m [256] of u8\ninstruction i(; a, b, o)\n  in x = m[a : +24]\n  in y = m[b : "
       "+8]\n"
       "  out z = m[o : +24]\n  z = copy(x)\n",
       "never reads"},
  };
  for (const Fault& f : faults) {
    SCOPED_TRACE(f.name);
    const isa::Accelerator accelerator = ReadSpec(f.spec);
    if (accelerator.instructions.empty()) continue;
    OperatorTable operators;
    const auto patterns = DerivePatterns(accelerator, accelerator.instructions[0], {}, &operators);
    ASSERT_FALSE(patterns.ok());
    EXPECT_NE(patterns.status().message().find(f.named), std::string::npos) << patterns.status().message();
  }
}

}  // namespace
}  // namespace act::select
