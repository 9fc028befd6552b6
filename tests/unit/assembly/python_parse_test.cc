// Reading kernels in the published Python form, without executing them.
#include <gtest/gtest.h>

#include "assembly/assembly.h"
#include "helpers/qkv.h"

namespace act::assembly {
namespace {

const char* kHead = "import jax.numpy as jnp\nfrom oracle import api\nfrom oracle.decorator import kernel\n";

StatusOr<Program> Parse(const std::string& text) {
  static const isa::Accelerator qkv = MakeQkv();
  return ParsePythonKernel(qkv, SourceText("k.py", text));
}
// A kernel with one constant of the shape.
StatusOr<Program> ParseConstant(const std::string& shape, const std::string& type, const std::string& value) {
  return Parse(std::string(kHead) + "@kernel(hbm=4096, input=[], output=[], constant=[{'value': " + value +
               ", 'addr': 0, 'shape': " + shape + ", 'dtype': " + type + "}])\ndef k():\n    pass\n");
}

TEST(PythonParseTest, FormsOfKernels) {
  for (const char* name : {"identity", "matmul", "softmax", "attention"}) {
    for (const char* target : {"qkv", "qkv_new"}) {
      isa::Accelerator accelerator = std::string(target) == "qkv" ? MakeQkv() : MakeQkvNew();
      std::string base = std::string(ACT_SOURCE_DIR "/tests/data/asm/") + target + "_" + name;
      StatusOr<std::string> native = ReadFile(base + ".asm"), python = ReadFile(base + ".py");
      ASSERT_TRUE(native.ok() && python.ok()) << base;
      StatusOr<Program> a = ParseNative(accelerator, SourceText(base, *native));
      StatusOr<Program> b = ParsePythonKernel(accelerator, SourceText(base, *python));
      ASSERT_TRUE(a.ok()) << a.status().message();
      ASSERT_TRUE(b.ok()) << b.status().message();
      EXPECT_EQ(PrintPythonKernel(accelerator, *a, {"k.hlo", 1}),
                PrintPythonKernel(accelerator, *b, {"k.hlo", 1}));
    }
  }
}

TEST(PythonParseTest, ConstantForms) {
  struct Case {
    const char* shape;
    const char* type;
    const char* value;
    std::vector<double> expected;
  };
  const Case cases[] = {
      {"(2, 2)", "jnp.bfloat16", "jnp.eye(2, dtype=jnp.bfloat16)", {1, 0, 0, 1}},
      {"(1, 2)", "'bfloat16'", "jnp.eye(1, 2)", {1, 0}},
      {"(2,)", "jnp.float32", "jnp.full((2,), -0.5, dtype=jnp.float32)", {-0.5, -0.5}},
      {"[2]", "jnp.float32", "jnp.full(2, 3, jnp.float32)", {3, 3}},
      {"(2,)", "jnp.int8", "jnp.zeros((2,), dtype='int8')", {0, 0}},
      {"(2,)", "jnp.int8", "jnp.ones([2], jnp.int8)", {1, 1}},
      {"(2, 1)", "jnp.int8", "jnp.array([[1], [-2]], dtype=jnp.int8)", {1, -2}},
      {"(2,)", "jnp.float32", "[1, 2.5e-1,]", {1, 0.25}},
      {"()", "jnp.float32", "-2.5", {-2.5}},
      {"(2,)", "jnp.bool_", "[True, False]", {1, 0}},
      {"(2, 2)", "jnp.int32", "jnp.array([1, 2, 3, 4]).reshape((2, 2))", {1, 2, 3, 4}},
      {"(2,)", "jnp.float32", "jnp.array([1, 2], dtype=jnp.int32).astype(jnp.float32)", {1, 2}},
      {"(1,)", "jnp.bfloat16", "jnp.array([128, 63], dtype=jnp.uint8).view(jnp.bfloat16)", {1}},
  };
  for (const Case& c : cases) {
    StatusOr<Program> p = ParseConstant(c.shape, c.type, c.value);
    ASSERT_TRUE(p.ok()) << c.value << ": " << p.status().message();
    const Literal& value = p->constants[0].value;
    ASSERT_EQ(value.num_elements(), static_cast<int64_t>(c.expected.size()));
    for (size_t i = 0; i < c.expected.size(); ++i) {
      EXPECT_EQ(value.GetDouble(static_cast<int64_t>(i)), c.expected[i]) << c.value;
    }
  }
  StatusOr<Program> p = ParseConstant("(3,)", "jnp.float32", "[float('inf'), -jnp.inf, jnp.nan]");
  ASSERT_TRUE(p.ok()) << p.status().message();
  EXPECT_EQ(LiteralToString(p->constants[0].value), "{inf, -inf, nan}");
}

// pitfall 165
TEST(PythonParseTest, ConstantsThatDoNotFit) {
  struct Case {
    const char* shape;
    const char* type;
    const char* value;
    const char* message;
  };
  const Case cases[] = {
      {"(2,)", "jnp.int8", "[1, 2, 3]", "the constant is declared as s8[2], but its value is s8[3]"},
      {"(2,)", "jnp.int8", "5", "the constant is declared as s8[2], but its value is s8[]"},
      {"(2,)", "jnp.int8", "[1, 128]", "128 is not a value of type s8"},
      {"(1,)", "jnp.uint8", "[-1]", "-1 is not a value of type u8"},
      {"(1,)", "jnp.int8", "[0.5]", "0.5 is not a value of type s8"},
      {"(2, 2)", "jnp.int8", "[[1, 2], [3]]", "the list of dimension 1 must have 2 members; it ends after 1"},
      {"(2,)", "jnp.int8", "jnp.ones((2,), dtype=jnp.int16)",
       "the constant is declared as s8[2], but its value is s16[2]"},
      {"(2,)", "jnp.int8", "jnp.arange(2)",
       "a constant is a number, a nested list, or eye, full, zeros, ones or array, not 'arange'"},
      {"(2,)", "jnp.int8", "open('x')", "expected a number of type s8, found 'open'"},
      {"(2,)", "jnp.quaternion", "[1, 2]", "'quaternion' is not an element type"},
      {"(2)", "jnp.int8", "[1, 2]", "(2) is an integer, not a shape; write (2,)"},
      {"2", "jnp.int8", "[1, 2]", "a shape is a tuple, such as (64, 64), (64,) or ()"},
      {"(2, -1)", "jnp.int8", "[1, 2]", "a dimension cannot be negative: -1"},
      {"(4294967296,)", "jnp.int8", "jnp.zeros(4294967296)",
       "a constant of shape s8[4294967296] is too large; at most 268435456 bytes can be spelled"},
  };
  for (const Case& c : cases) {
    StatusOr<Program> p = ParseConstant(c.shape, c.type, c.value);
    ASSERT_FALSE(p.ok()) << c.value;
    EXPECT_EQ(p.status().front().message, c.message);
    EXPECT_EQ(p.status().front().location.line, 4);
  }
}

TEST(PythonParseTest, RefusedTexts) {
  const std::string head = kHead;
  const std::string open = "@kernel(hbm=4096, input=[], output=[])\ndef k():\n";
  struct Case {
    std::string text, message;
  };
  const Case cases[] = {
      {"",
       "k.py:1:1: no kernel found; a kernel file holds imports and one kernel: @kernel(...) over a function "
       "of "
       "api calls, alone or inside def name(kernel, api)"},
      {"x = 5\n",
       "k.py:1:1: a kernel file holds imports and one kernel: @kernel(...) over a function of api calls, "
       "alone or inside def name(kernel, api)"},
      {"@kernel(hbm=1, input=[], output=[])\ndef k():\n  pass\n",
       "k.py:1:2: 'kernel' is not the kernel decorator; import it or take it as the first parameter of the "
       "enclosing function"},
      {head + "@kernel(hbm=1, input=[])\ndef k():\n  pass\n", "k.py:4:8: the decorator lacks 'output'"},
      {head + "@kernel(hbm=1, hbm=2)\ndef k():\n  pass\n",
       "k.py:4:16: the decorator takes hbm, input, output and constant, each once"},
      {head + "@kernel(hbm=1/2, input=[], output=[])\ndef k():\n  pass\n",
       "k.py:4:14: '/' gives a float in Python; hbm must be an integer: use '//'"},
      {head + "@kernel(hbm=f(), input=[], output=[])\ndef k():\n  pass\n",
       "k.py:4:13: hbm must be an integer, not f"},
      {head + open + "    for i in x:\n", "k.py:6:5: a kernel's body holds only calls such as api.load(...)"},
      {head + open + "    api.mov(1, 0)\n", "k.py:6:9: the call of mov lacks its attribute 'addr_out'"},
      {head + open + "    api.mov(1, 0, 0, 0)\n", "k.py:6:22: mov takes 3 arguments"},
      {head + open + "    api.mov(1, 0, n=0)\n", "k.py:6:19: 'n' is given twice"},
      {head + open + "    api.mov(n=1, 0)\n", "k.py:6:18: a positional argument after a keyword argument"},
      {head + open + "    api.mov(1, 0, dst=0)\n", "k.py:6:19: mov has no attribute 'dst'"},
      {head + open + "    api.nothing()\n", "k.py:6:9: 'nothing' is not an instruction of QKV"},
      {head + open + "    api.mov(1.5, 0, 0)\n",
       "k.py:6:13: attribute 'n' of mov must be an integer, not 1.5"},
      {head + open + "    api.mov(True, 0, 0)\n",
       "k.py:6:13: attribute 'n' of mov must be an integer, not True"},
      {head + open + "    api.mov(\"%i\", 0, 0)\n",
       "k.py:6:13: attribute 'n' of mov is computational and cannot depend on a loop; give an integer"},
      {head + open + "    api.mov(1, 0, 0)\n      api.mov(1, 0, 0)\n", "k.py:7:7: unexpected indentation"},
      {head + open + "pass\n", "k.py:6:1: the function has no body"},
      {head + open + "    api.end_loop()\n", "k.py:6:5: end_loop() without start_loop"},
      {head + open + "    api.start_loop('i', 0, 2)\n", "k.py:6:5: the loop over 'i' has no end_loop()"},
      {head + open + "    api.start_loop('%i', 0, 2)\n",
       "k.py:6:20: '%i' cannot be a loop variable; use an identifier without '%'"},
      {head + open + "    api.debug('x', 'd1[')\n",
       "k.py:6:24: in \"d1[\": expected a position, found the end of the text"},
      {head + open + "    pass\n" + open + "    pass\n", "k.py:7:1: a second kernel; a file holds one"},
      {"def k(kernel, api):\n  @kernel(hbm=1, input=[], output=[])\n  def f():\n    pass\n",
       "k.py:5:1: expected 'return f', found the end of the text"},
      {"def k(kernel, api):\n  @kernel(hbm=1, input=[], output=[])\n  def f():\n    pass\n  return g\n",
       "k.py:5:10: expected 'f', found 'g'"},
  };
  for (const Case& c : cases) {
    StatusOr<Program> p = Parse(c.text);
    ASSERT_FALSE(p.ok()) << c.text;
    EXPECT_EQ(p.status().message(), c.message) << c.text;
  }
}

TEST(PythonParseTest, NonIntegerIsATypeError) {
  StatusOr<Program> p = Parse(std::string(kHead) +
                              "@kernel(4096, [], [])\ndef k():\n  api.mov(n=1.0, addr_in=0, addr_out=0)\n");
  ASSERT_FALSE(p.ok());
  EXPECT_EQ(p.status().front().error_class, ErrorClass::kType);
}

// The exact value is kept, so that the run can warn and refuse the window.
TEST(PythonParseTest, AddressesBeyond64Bits) {
  StatusOr<Program> p =
      Parse(std::string(kHead) + "@kernel(4096, [], [])\ndef k():\n  api.mov(1, 3*2**62 + 5, 0)\n");
  ASSERT_TRUE(p.ok()) << p.status().message();
  StatusOr<int128_t> value = isa::EvaluateWide(p->body[0].call.addressing[0].expression, {});
  ASSERT_TRUE(value.ok());
  EXPECT_TRUE(*value == (static_cast<int128_t>(3) << 62) + 5);
}

TEST(PythonParseTest, DamagedTextsNeverCrash) {
  StatusOr<std::string> text = ReadFile(ACT_SOURCE_DIR "/tests/data/asm/qkv_softmax.py");
  ASSERT_TRUE(text.ok());
  Random random(11);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = *text;
    for (uint64_t i = random.Below(4) + 1; i > 0; --i) {
      size_t at = random.Below(damaged.size());
      if (random.Below(2) == 0)
        damaged.erase(at, random.Below(8));
      else
        damaged.insert(at, 1, "{}[]()@=;,<-.09az'\"\\%*/:#\n"[random.Below(26)]);
    }
    (void)Parse(damaged).ok();
  }
}

}  // namespace
}  // namespace act::assembly
