// Constants in both text forms: compact patterns, and exact round trips.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "assembly/assembly.h"
#include "helpers/qkv.h"

namespace act::assembly {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Literal Make(ElementType type, std::vector<int64_t> dims, const std::vector<double>& values) {
  Literal literal(Shape::Array(type, std::move(dims)));
  for (size_t i = 0; i < values.size(); ++i) literal.SetDouble(static_cast<int64_t>(i), values[i]);
  return literal;
}

Program WithConstant(const Literal& value) {
  Program p;
  p.name = "k";
  p.target = "QKV";
  p.hbm_bytes = 1 << 20;
  p.constants.push_back({"c", 0, value});
  return p;
}

// What stands after the shape, and that both readers give the bytes back.
void RoundTrip(const Literal& value, std::string* native, std::string* python) {
  isa::Accelerator qkv = MakeQkv();
  Program p = WithConstant(value);
  std::string text = PrintNative(qkv, p);
  StatusOr<Program> read = ParseNative(qkv, SourceText("k.asm", text));
  ASSERT_TRUE(read.ok()) << read.status().message() << text;
  EXPECT_TRUE(read->constants[0].value == value) << text;
  size_t begin = text.find(" = ") + 3;
  *native = text.substr(begin, text.find("\ncode") - begin);
  text = PrintPythonKernel(qkv, p, {"k.hlo", 1});
  read = ParsePythonKernel(qkv, SourceText("k.py", text));
  ASSERT_TRUE(read.ok()) << read.status().message() << text;
  EXPECT_TRUE(read->constants[0].value == value) << text;
  begin = text.find("'value': ") + 9;
  *python = text.substr(begin, text.find("},\n            ],", begin) - begin);
}

// pitfall 123, 125
TEST(ConstantTest, Forms) {
  Literal eye(Shape::Array(ElementType::kBF16, {64, 64}));
  for (int64_t i = 0; i < 64; ++i) eye.SetInt(65 * i, 1);
  Literal wide(Shape::Array(ElementType::kS32, {2, 3}));
  wide.SetInt(0, 1);
  wide.SetInt(4, 1);
  Literal scaled(Shape::Array(ElementType::kBF16, {2, 2}));
  scaled.SetDouble(0, 0.125);
  scaled.SetDouble(3, 0.125);
  Literal rows(Shape::Array(ElementType::kS32, {3, 2}));
  for (int64_t i = 0; i < 6; ++i) rows.SetInt(i, i / 2);
  struct Case {
    Literal value;
    const char* native;
    const char* python;
  };
  const Case cases[] = {
      {eye, "eye", "jnp.eye(64, dtype=jnp.bfloat16)"},
      {wide, "eye", "jnp.eye(2, 3, dtype=jnp.int32)"},
      {scaled, "\n  {{0.125, 0.0},\n   {0.0, 0.125}}",
       "[[0.125, 0.0],\n                           [0.0, 0.125]]"},
      {rows, "iota 0", "[[0, 0],\n                           [1, 1],\n                           [2, 2]]"},
      {Make(ElementType::kBF16, {2, 2}, {0.125, 0.125, 0.125, 0.125}), "full 0.125",
       "jnp.full((2, 2), 0.125, dtype=jnp.bfloat16)"},
      {Make(ElementType::kF32, {3}, {kInf, kInf, kInf}), "full inf",
       "jnp.full((3,), jnp.inf, dtype=jnp.float32)"},
      {Make(ElementType::kF32, {2}, {-kInf, std::nan("")}), "{-inf, nan}", "[-jnp.inf, jnp.nan]"},
      {Make(ElementType::kF32, {2}, {-0.0, 0.0}), "{-0.0, 0.0}", "[-0.0, 0.0]"},
      {Make(ElementType::kF32, {}, {1.5}), "1.5", "1.5"},
      {Make(ElementType::kPred, {2}, {1, 0}), "{true, false}", "[True, False]"},
      {Make(ElementType::kS8, {2}, {-128, 127}), "{-128, 127}", "[-128, 127]"},
      // jax.numpy would cut 64-bit values to 32 bits: plain numbers.
      {Make(ElementType::kS64, {2}, {4294967296.0, 4294967296.0}), "full 4294967296",
       "[4294967296, 4294967296]"},
      {Make(ElementType::kF32, {2}, {0.1f, 16777216.0}), "{0.1, 16777216.0}", "[0.1, 16777216.0]"},
      {Make(ElementType::kF64, {2}, {0.1, 1e300}), "{0.1, 1e+300}", "[0.1, 1e+300]"},
  };
  for (const Case& c : cases) {
    std::string native, python;
    RoundTrip(c.value, &native, &python);
    EXPECT_EQ(native, c.native);
    EXPECT_EQ(python, c.python);
  }
}

// Every value of the 16-bit floats, NaN payloads included.
// pitfall 127
TEST(ConstantTest, EveryBf16AndF16IsExact) {
  for (ElementType type : {ElementType::kBF16, ElementType::kF16}) {
    // The NaNs are kept apart: one of them alone makes its constant fall back to bytes.
    Literal numbers(Shape::Array(type, {512, 128})), nans(Shape::Array(type, {65536}));
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      auto half = static_cast<uint16_t>(bits);
      std::memcpy(nans.bytes.data() + 2 * bits, &half, 2);
      if (std::isnan(nans.GetDouble(bits))) half = 0;
      std::memcpy(numbers.bytes.data() + 2 * bits, &half, 2);
    }
    std::string native, python;
    RoundTrip(numbers, &native, &python);
    EXPECT_EQ(native.substr(0, 4), "\n  {");
    RoundTrip(nans, &native, &python);
    EXPECT_EQ(native.substr(0, 7), "bytes \"");
  }
}

// pitfall 127
TEST(ConstantTest, WideIntegersAreExact) {
  std::string native, python;
  for (ElementType type : {ElementType::kS64, ElementType::kU64}) {
    Literal literal(Shape::Array(type, {3}));
    literal.SetInt(0, std::numeric_limits<int64_t>::min());
    literal.SetInt(1, -1);
    literal.SetInt(2, 9007199254740993);
    RoundTrip(literal, &native, &python);
  }
  EXPECT_EQ(python, "[9223372036854775808, 18446744073709551615, 9007199254740993]");
}

TEST(ConstantTest, RandomBitsOfEveryType) {
  Random random(3);
  for (ElementType type : {ElementType::kF8E4M3FN, ElementType::kF8E5M2, ElementType::kF8E4M3,
                           ElementType::kF8E3M4, ElementType::kF32, ElementType::kF64, ElementType::kU8,
                           ElementType::kS16, ElementType::kU32, ElementType::kC64, ElementType::kC128}) {
    Literal literal(Shape::Array(type, {4, 16}));
    for (int round = 0; round < 20; ++round) {
      for (uint8_t& byte : literal.bytes) byte = static_cast<uint8_t>(random.Next());
      std::string native, python;
      RoundTrip(literal, &native, &python);
    }
  }
}

}  // namespace
}  // namespace act::assembly
