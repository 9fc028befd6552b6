// Address texts of loops: TAIDL's arithmetic, in native text and in the strings of the Python API.
#include <gtest/gtest.h>

#include "assembly/assembly.h"
#include "helpers/qkv.h"

namespace act::assembly {
namespace {

std::string PythonLoop(const std::string& address) {
  return "def k(kernel, api):\n  @kernel(hbm=8192, input=[], output=[])\n  def f():\n"
         "    api.start_loop('i', 0, 4)\n    api.mov(n=1, addr_in=\"" +
         address + "\", addr_out=0)\n    api.end_loop()\n  return f\n";
}

// Value of the address at i.
StatusOr<int64_t> PythonAddress(const std::string& address, int64_t i) {
  static const isa::Accelerator qkv = MakeQkv();
  ACT_ASSIGN_OR_RETURN(Program p, ParsePythonKernel(qkv, SourceText("k.py", PythonLoop(address))));
  int64_t loops[] = {i};
  return isa::Evaluate(p.body[0].body[0].call.addressing[0].expression, {{}, loops, {}});
}

// pitfall 153, 154
TEST(AddressTest, PythonTexts) {
  struct Case {
    const char* text;
    int64_t i, value;
  };
  const Case cases[] = {
      {"%i + 4", 3, 7},        {"4096/16 * %i", 3, 768}, {"(%i+1)*64", 2, 192}, {"%i/2", 3, 1},
      {"64*(%i)", 3, 192},     {"%i*64 + 128", 2, 256},  {"%i % 2", 3, 1},      {"%i%2", 2, 0},
      {"7 % %i", 4, 3},        {"-%i", 3, -3},           {"- 2*%i", 3, -6},     {"10 - %i - 1", 3, 6},
      {"10 - (%i - 1)", 3, 8}, {"100/%i/2", 5, 10},      {"100/(%i/2)", 5, 50}, {"2 + 3*%i", 4, 14},
      {"-7/2 + %i*0", 0, -3},  {"-7 % 3 + %i*0", 0, -1}, {"--%i", 5, 5},        {"((((%i))))", 1, 1},
  };
  for (const Case& c : cases) {
    StatusOr<int64_t> value = PythonAddress(c.text, c.i);
    ASSERT_TRUE(value.ok()) << c.text << ": " << value.status().message();
    EXPECT_EQ(*value, c.value) << c.text;
  }
}

// pitfall 155
TEST(AddressTest, AddressesHave64Bits) {
  StatusOr<int64_t> value = PythonAddress("%i * 4294967296 + 3", 3);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, int64_t{12884901891});
}

// pitfall 152
TEST(AddressTest, RefusedTexts) {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"256.0 * %i + 128",
       "k.py:5:27: in \"256.0 * %i + 128\": an address is an integer expression; '256.0' is not an integer"},
      {"%j", "k.py:5:27: in \"%j\": 'j' is not the variable of an enclosing loop"},
      {"i*2", "k.py:5:27: in \"i*2\": a loop variable is written with '%': %i"},
      {"%i//2", "k.py:5:30: in \"%i//2\": expected an integer, a loop variable or '(', found '/'"},
      {"%i**2", "k.py:5:30: in \"%i**2\": expected an integer, a loop variable or '(', found '*'"},
      {"%i / 0", "k.py:5:32: in \"%i / 0\": division by the literal 0"},
      {"%i % 0", "k.py:5:32: in \"%i % 0\": remainder by the literal 0"},
      {"%i %",
       "k.py:5:31: in \"%i %\": expected an integer, a loop variable or '(', found the end of the text"},
      {"(%i", "k.py:5:30: in \"(%i\": expected ')', found the end of the text"},
      {"%i 2", "k.py:5:30: in \"%i 2\": expected the end of the text, found '2'"},
      {"%i # x", "k.py:5:30: in \"%i # x\": unexpected character '#'"},
      {"0x10", "k.py:5:28: in \"0x10\": a number runs into a letter here; separate them by a blank"},
      {"9223372036854775808",
       "k.py:5:27: in \"9223372036854775808\": integer 9223372036854775808 does not fit in 64 signed bits"},
      {"", "k.py:5:27: in \"\": expected an integer, a loop variable or '(', found the end of the text"},
  };
  for (const Case& c : cases) {
    StatusOr<int64_t> value = PythonAddress(c.text, 1);
    ASSERT_FALSE(value.ok()) << c.text;
    EXPECT_EQ(value.status().message(), c.message);
  }
}

TEST(AddressTest, ConstantsFold) {
  isa::Accelerator qkv = MakeQkv();
  StatusOr<Program> p =
      ParseNative(qkv, SourceText("k",
                                  "program k target QKV hbm 0 code { mov n=1 [addr_in=(2+3)*-4 - "
                                  "-9223372036854775807, addr_out=-(5)] }"));
  ASSERT_TRUE(p.ok()) << p.status().message();
  EXPECT_EQ(p->body[0].call.addressing[0].expression.nodes.size(), 1u);
  EXPECT_EQ(p->body[0].call.addressing[0].AsInteger(), int64_t{9223372036854775787});
  EXPECT_EQ(p->body[0].call.addressing[1].AsInteger(), -5);
}

}  // namespace
}  // namespace act::assembly
