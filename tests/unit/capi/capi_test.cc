// The C ABI as a C caller sees it. The Python tests go through the same functions; these run under the
// sanitizers.
#include "capi/capi.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

act_string S(std::string_view text) { return {text.data(), text.size()}; }
std::string Text(act_string s) { return {s.data, s.size}; }
std::string Take(act_text* text) {
  std::string result = Text(act_text_get(text));
  act_text_free(text);
  return result;
}
// "class: rendered" of the first diagnostic; "" for null. Frees it.
std::string Take(act_error* error) {
  if (error == nullptr) return "";
  act_diagnostic d;
  act_error_get(error, 0, &d);
  std::string result = std::to_string(d.error_class) + ": " + Text(d.rendered);
  act_error_free(error);
  return result;
}

struct Spec {
  act_accelerator* accelerator = nullptr;
  ~Spec() { act_accelerator_free(accelerator); }
};
struct Kernel {
  act_program* program = nullptr;
  ~Kernel() { act_program_free(program); }
};

// Eight words of u8 on chip, a load and a store.
constexpr char kText[] = R"(accelerator T

buffer r [8] of u8

instruction load(n; src, to)
  in  x = d0[src : +n]
  out y = r[to : +n]
  y = copy(x)

instruction store(n; at, to)
  in  x = r[at : +n]
  out y = d0[to : +n]
  y = copy(x)
)";

void Parse(Spec* spec) {
  ASSERT_EQ(Take(act_accelerator_parse(S(kText), S("t.taidl"), &spec->accelerator)), "");
}

TEST(Capi, BuiltSpecEqualsTheText) {
  Spec built, read;
  Parse(&read);
  ASSERT_EQ(Take(act_accelerator_new(S("T"), &built.accelerator)), "");
  const int64_t eight = 8;
  ASSERT_EQ(Take(act_add_buffer(built.accelerator, S("r"), &eight, 1, nullptr, 0, S("u8"), nullptr)), "");
  const std::string names[] = {"n", "src", "to", "at"};
  const std::string starts[] = {"@a.src", "@a.to", "@a.at"};
  const act_string n = S(names[0]);
  for (int i = 0; i < 2; ++i) {
    const act_string addresses[] = {S(names[i == 0 ? 1 : 3]), S(names[2])};
    size_t index = 99;
    ASSERT_EQ(Take(act_add_instruction(built.accelerator, S(i == 0 ? "load" : "store"), &n, 1, addresses, 2,
                                       nullptr, 0, nullptr, 0, nullptr, nullptr, &index)),
              "");
    ASSERT_EQ(index, static_cast<size_t>(i));
    const act_string from = S(starts[i == 0 ? 0 : 2]), to = S(starts[1]), size = S("@c.n");
    const act_region in{S(i == 0 ? "d0" : "r"), &from, 1, &size, 1, nullptr, 0};
    const act_region out{S(i == 0 ? "r" : "d0"), &to, 1, &size, 1, nullptr, 0};
    ASSERT_EQ(Take(act_set_regions(built.accelerator, index, 0, &in, 1)), "");
    ASSERT_EQ(Take(act_set_regions(built.accelerator, index, 1, &out, 1)), "");
    ASSERT_EQ(
        Take(act_set_semantics(built.accelerator, index, S("ENTRY { ROOT %Out0 = u8[@c.n] copy(%In1) }"))),
        "");
  }
  EXPECT_EQ(act_accelerator_same(built.accelerator, read.accelerator), 1);
  act_text* text = nullptr;
  ASSERT_EQ(Take(act_accelerator_print(read.accelerator, &text)), "");
  Spec again;
  const std::string printed = Take(text);
  ASSERT_EQ(Take(act_accelerator_parse(S(printed), S("again"), &again.accelerator)), "");
  EXPECT_EQ(act_accelerator_same(again.accelerator, read.accelerator), 1);
}

TEST(Capi, AFailedInstructionLeavesNothing) {
  Spec spec;
  Parse(&spec);
  const act_string n = S("n"), bad = S("@c.m < 1"), good = S("@c.n < 9");
  const act_string constraints[] = {good, bad};
  size_t index = 0;
  const act_place place{S("spec.py"), 12};
  EXPECT_NE(Take(act_add_instruction(spec.accelerator, S("x"), &n, 1, nullptr, 0, constraints, 2, nullptr, 0,
                                     nullptr, &place, &index)),
            "");
  EXPECT_EQ(act_accelerator_num_instructions(spec.accelerator), 2U);
  EXPECT_EQ(Take(act_add_instruction(spec.accelerator, S("load"), &n, 1, nullptr, 0, nullptr, 0, nullptr, 0,
                                     nullptr, &place, &index)),
            "1: spec.py:12: instruction 'load' is declared twice; give one of them another name");
  EXPECT_NE(Take(act_add_constraints(spec.accelerator, 0, constraints, 2, 0)), "");
  Spec same;
  Parse(&same);
  EXPECT_EQ(act_accelerator_same(spec.accelerator, same.accelerator), 1);
}

TEST(Capi, IndicesOutOfRangeAreErrors) {
  Spec spec;
  Parse(&spec);
  const act_string text = S("1 < 2");
  EXPECT_NE(Take(act_set_semantics(spec.accelerator, 2, text)), "");
  EXPECT_NE(Take(act_add_constraints(spec.accelerator, 2, &text, 1, 1)), "");
  EXPECT_NE(Take(act_set_cost(spec.accelerator, 2, text)), "");
  EXPECT_NE(Take(act_set_regions(spec.accelerator, 2, 0, nullptr, 0)), "");
  EXPECT_NE(Take(act_set_placement(spec.accelerator, 2, ACT_APART, nullptr, 0)), "");
  act_text *a = nullptr, *b = nullptr, *c = nullptr;
  EXPECT_NE(Take(act_instruction_names(spec.accelerator, 2, &a, &b, &c)), "");
  Kernel kernel;
  ASSERT_EQ(Take(act_program_new(spec.accelerator, S("k"), 16, &kernel.program)), "");
  EXPECT_NE(Take(act_program_call(kernel.program, 2, nullptr, 0, nullptr, 0, nullptr)), "");
  act_string type;
  const int64_t* dims = nullptr;
  size_t rank = 0;
  EXPECT_NE(Take(act_program_tensor(kernel.program, ACT_INPUT, 0, &type, &dims, &rank)), "");
}

// A loop that loads byte i to r[7-i], then a store of all: the input reversed.
void Record(const Spec& spec, Kernel* kernel) {
  ASSERT_EQ(Take(act_program_new(spec.accelerator, S("reverse"), 16, &kernel->program)), "");
  const int64_t eight = 8, one = 1;
  ASSERT_EQ(Take(act_program_add_tensor(kernel->program, ACT_INPUT, 0, S("u8"), &eight, 1)), "");
  ASSERT_EQ(Take(act_program_add_tensor(kernel->program, ACT_OUTPUT, 8, S("u8"), &eight, 1)), "");
  ASSERT_EQ(Take(act_program_start_loop(kernel->program, S("i"), 0, 8, nullptr)), "");
  const act_value from{0, S("%i"), 0}, to{0, S("7 - %i"), 0};
  const act_value addresses[] = {from, to};
  ASSERT_EQ(Take(act_program_call(kernel->program, 0, &one, 1, addresses, 2, nullptr)), "");
  ASSERT_EQ(Take(act_program_debug(kernel->program, S("seen"), S("r[0]"), nullptr)), "");
  ASSERT_EQ(Take(act_program_end_loop(kernel->program, nullptr)), "");
  const act_value store[] = {{0, {nullptr, 0}, 0}, {8, {nullptr, 0}, 0}};
  ASSERT_EQ(Take(act_program_call(kernel->program, 1, &eight, 1, store, 2, nullptr)), "");
}

TEST(Capi, RecordsChecksAndRuns) {
  Spec spec;
  Parse(&spec);
  Kernel kernel;
  Record(spec, &kernel);
  act_error* warnings = nullptr;
  ASSERT_EQ(Take(act_program_check(kernel.program, &warnings)), "");
  EXPECT_EQ(warnings, nullptr);
  uint8_t in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8] = {};
  const act_bytes input{in, 8}, output{out, 8};
  int lines = 0;
  auto count = [](void* context, const char*, size_t) { ++*static_cast<int*>(context); };
  ASSERT_EQ(Take(act_program_simulate(kernel.program, &input, 1, &output, 1, count, &lines, &warnings)), "");
  const uint8_t expected[8] = {8, 7, 6, 5, 4, 3, 2, 1};
  EXPECT_EQ(std::memcmp(out, expected, 8), 0);
  EXPECT_EQ(lines, 8);
  const act_bytes narrow{out, 7};
  EXPECT_NE(Take(act_program_simulate(kernel.program, &input, 1, &narrow, 1, nullptr, nullptr, &warnings)),
            "");
  EXPECT_NE(Take(act_program_simulate(kernel.program, &narrow, 1, &output, 1, nullptr, nullptr, &warnings)),
            "");
  EXPECT_NE(Take(act_program_simulate(kernel.program, nullptr, 0, &output, 1, nullptr, nullptr, &warnings)),
            "");
  // The printed program reads back and says the same.
  for (int32_t form : {ACT_NATIVE_ASSEMBLY, ACT_PYTHON_KERNEL}) {
    act_text* text = nullptr;
    ASSERT_EQ(Take(act_program_print(kernel.program, form, &text)), "");
    const std::string printed = Take(text);
    Kernel read;
    ASSERT_EQ(Take(act_program_parse(spec.accelerator, form, S(printed), S("again"), &read.program)), "");
    std::memset(out, 0, 8);
    ASSERT_EQ(Take(act_program_simulate(read.program, &input, 1, &output, 1, nullptr, nullptr, &warnings)),
              "");
    EXPECT_EQ(std::memcmp(out, expected, 8), 0);
  }
}

TEST(Capi, BadArgumentsOfAProgram) {
  Spec spec;
  Parse(&spec);
  struct Case {
    const char *text, *message;
    int32_t wide;
  };
  const Case cases[] = {{"%j", "'j' is not the variable", 0},
                        {"1.5", "integer", 0},
                        {"%i +", "expected", 0},
                        {"1 1", "expected", 0},
                        {"", "expected", 0},
                        {"999999999999999999999999999999999999999999", "exceeds 128 bits", 1}};
  for (const Case& c : cases) {
    Kernel kernel;
    ASSERT_EQ(Take(act_program_new(spec.accelerator, S("k"), 16, &kernel.program)), "");
    ASSERT_EQ(Take(act_program_start_loop(kernel.program, S("i"), 0, 1, nullptr)), "");
    const int64_t one = 1;
    const std::string text = c.text;
    const act_value addresses[] = {{0, S(text), c.wide}, {0, {nullptr, 0}, 0}};
    const act_place place{S("k.py"), 3};
    const std::string error = Take(act_program_call(kernel.program, 0, &one, 1, addresses, 2, &place));
    EXPECT_TRUE(error.starts_with("1: k.py:3: load: attribute 'src'")) << error;
    EXPECT_NE(error.find(c.message), std::string::npos) << error;
  }
}

TEST(Capi, UnbalancedLoopsAndDebugTexts) {
  Spec spec;
  Parse(&spec);
  Kernel kernel;
  ASSERT_EQ(Take(act_program_new(spec.accelerator, S("k"), 16, &kernel.program)), "");
  EXPECT_NE(Take(act_program_end_loop(kernel.program, nullptr)), "");
  for (const std::string text :
       {"r[", "r[1", "r[1]]", "r[,]", "r[-1]", "q[0]", "", "r[99999999999999999999]"}) {
    EXPECT_NE(Take(act_program_debug(kernel.program, S("p"), S(text), nullptr)), "") << text;
  }
  for (const std::string text : {"r", "r[]", "r[ 1 ]", "d0"}) {
    EXPECT_EQ(Take(act_program_debug(kernel.program, S("p"), S(text), nullptr)), "") << text;
  }
  for (const std::string name : {"", "%i", "a b", "1"}) {
    EXPECT_NE(Take(act_program_start_loop(kernel.program, S(name), 0, 1, nullptr)), "") << name;
  }
  for (int depth = 0; depth < 64; ++depth) {
    ASSERT_EQ(Take(act_program_start_loop(kernel.program, S("v" + std::to_string(depth)), 0, 1, nullptr)),
              "");
  }
  EXPECT_NE(Take(act_program_start_loop(kernel.program, S("w"), 0, 1, nullptr)), "");
  EXPECT_NE(Take(act_program_start_loop(kernel.program, S("v3"), 0, 1, nullptr)), "");
  act_error* warnings = nullptr;
  EXPECT_NE(Take(act_program_check(kernel.program, &warnings)), "");
}

TEST(Capi, ConstantsRoundOnceAndMustFit) {
  Spec spec;
  Parse(&spec);
  Kernel kernel;
  ASSERT_EQ(Take(act_program_new(spec.accelerator, S("k"), 16, &kernel.program)), "");
  const int64_t one = 1, minus = -1;
  // Halfway between two bf16 values but for the last bits of a double: through f32 it would round to even,
  // down.
  const double value = 1.0 + 1.0 / 256 + 1.0 / (int64_t{1} << 40);
  ASSERT_EQ(Take(act_program_add_constant(kernel.program, 0, S("bf16"), &one, 1, 1, &value, 8)), "");
  EXPECT_NE(Take(act_program_add_constant(kernel.program, 2, S("bf16"), &one, 1, 0, &value, 8)), "");
  EXPECT_NE(Take(act_program_add_constant(kernel.program, 2, S("bf16"), &minus, 1, 0, &value, 8)), "");
  EXPECT_NE(Take(act_program_add_constant(kernel.program, 2, S("c64"), &one, 1, 0, &value, 8)), "");
  const int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_NE(Take(act_program_add_constant(kernel.program, 2, S("u8"), huge, 2, 0, &value, 8)), "");
  ASSERT_EQ(Take(act_program_add_tensor(kernel.program, ACT_OUTPUT, 0, S("bf16"), &one, 1)), "");
  uint8_t out[2] = {};
  const act_bytes output{out, 2};
  act_error* warnings = nullptr;
  ASSERT_EQ(Take(act_program_simulate(kernel.program, nullptr, 0, &output, 1, nullptr, nullptr, &warnings)),
            "");
  EXPECT_EQ(out[0] | out[1] << 8, 0x3f81);
}

TEST(Capi, HandlesOfDifferentThreadsAreIndependent) {
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([t, &right] {
      for (int round = 0; round < 20; ++round) {
        Spec spec;
        Parse(&spec);
        Kernel kernel;
        Record(spec, &kernel);
        uint8_t in[8] = {}, out[8] = {};
        in[0] = static_cast<uint8_t>(t + 1);
        const act_bytes input{in, 8}, output{out, 8};
        act_error* warnings = nullptr;
        Take(act_program_simulate(kernel.program, &input, 1, &output, 1, nullptr, nullptr, &warnings));
        right[t] += out[7] == t + 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : right) EXPECT_EQ(count, 20);
}

}  // namespace
