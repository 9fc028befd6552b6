// tests/data/jax (tools/dump_hlo.py): what JAX hands over as text and as proto, and forms it seldom writes.
// The two forms were written by XLA, so each is the other's reference.
#include <algorithm>

#include "unit/hlo/hlo_testing.h"

namespace act::hlo {
namespace {

std::vector<std::string> Stems() {
  std::vector<std::string> stems;
  for (const char* folder : {"tests/data/jax", "tests/data/jax/forms"}) {
    for (const std::string& path : FilesOf(folder, ".pb")) stems.push_back(path.substr(0, path.size() - 3));
  }
  return stems;
}

TEST(Proto, GivesTheModuleOfTheText) {
  const std::vector<std::string> stems = Stems();
  EXPECT_GE(stems.size(), 110u);
  for (const std::string& stem : stems) {
    const StatusOr<Module> module = ParseProto(MustRead(stem + ".pb"));
    ASSERT_EQ(Outcome(module), "ok") << stem;
    const Module text = MustParse(MustRead(stem + ".hlo"));
    EXPECT_EQ(Print(*module), Print(text)) << stem;
    EXPECT_TRUE(SameModule(*module, text)) << stem;
    EXPECT_TRUE(Verify(*module).ok()) << stem;
  }
}

TEST(Proto, ReadPrintedAndReadAgainIsStable) {
  for (const std::string& stem : Stems()) {
    const StatusOr<Module> module = ParseProto(MustRead(stem + ".pb"));
    ASSERT_EQ(Outcome(module), "ok") << stem;
    const std::string printed = Print(*module);
    const Module again = MustParse(printed);
    EXPECT_TRUE(SameModule(*module, again)) << stem;
    EXPECT_EQ(Print(again), printed) << stem;
  }
}

TEST(Proto, FlattensAsTheTextDoes) {
  size_t flat = 0;
  for (const std::string& stem : Stems()) {
    const StatusOr<Module> module = ParseProto(MustRead(stem + ".pb"));
    ASSERT_EQ(Outcome(module), "ok") << stem;
    const StatusOr<FlatKernel> from_proto = Flatten(*module);
    const StatusOr<FlatKernel> from_text = Flatten(MustParse(MustRead(stem + ".hlo")));
    ASSERT_EQ(from_proto.ok(), from_text.ok()) << stem;
    if (!from_proto.ok()) {
      EXPECT_EQ(from_proto.status().front().message, from_text.status().front().message) << stem;
      continue;
    }
    ++flat;
    EXPECT_EQ(Print(from_proto->body, *module), Print(from_text->body, *module)) << stem;
  }
  EXPECT_GE(flat, 50u);
}

// A damaged proto is read or refused in a sentence; what is read verifies.
void CheckAnswer(const std::string& bytes, const std::string& what) {
  const StatusOr<Module> module = ParseProto(bytes);
  if (module.ok()) {
    EXPECT_TRUE(Verify(*module).ok()) << what;
  } else {
    EXPECT_FALSE(module.status().front().message.empty()) << what;
    EXPECT_EQ(module.status().front().location.file, "<proto>") << what;
  }
}

TEST(Proto, EveryTruncationAnswers) {
  for (const std::string& stem : Stems()) {
    const std::string bytes = MustRead(stem + ".pb");
    for (size_t size = 0; size < bytes.size(); ++size)
      CheckAnswer(bytes.substr(0, size), stem + " cut at " + std::to_string(size));
  }
}

TEST(Proto, MutationsAnswer) {
  constexpr int kMutations = 20000;
  std::vector<std::string> texts;
  for (const std::string& stem : Stems()) texts.push_back(MustRead(stem + ".pb"));
  Random random(11);
  for (int i = 0; i < kMutations; ++i) {
    const size_t file = random.Below(texts.size());
    std::string bytes = texts[file];
    for (uint64_t changes = random.Below(3) + 1; changes > 0; --changes) {
      const size_t at = random.Below(bytes.size());
      switch (random.Below(4)) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.Below(8)));
          break;
        case 1:
          bytes[at] = static_cast<char>(random.Below(256));
          break;
        case 2:
          bytes.erase(at, random.Below(6) + 1);
          break;
        default:
          bytes.insert(at, bytes.substr(random.Below(bytes.size()), random.Below(24)));
          break;
      }
      if (bytes.empty()) break;
    }
    CheckAnswer(bytes, "mutation " + std::to_string(i));
  }
}

// --- faults, by hand-made bytes
// ----------------------------------------------------------------------------------

std::string Varint(uint64_t value) {
  std::string out;
  for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
  return out + static_cast<char>(value);
}
std::string Number(uint32_t field, uint64_t value) { return Varint(field << 3) + Varint(value); }
std::string Text(uint32_t field, const std::string& bytes) {
  return Varint(field << 3 | 2) + Varint(bytes.size()) + bytes;
}

// f32[2]: element type 11.
const std::string kShape = Number(2, 11) + Number(3, 2);

std::string Parameter(const std::string& name, uint64_t id, const std::string& shape = kShape) {
  return Text(2, Text(1, name) + Text(2, "parameter") + Text(3, shape) + Number(35, id));
}
std::string Operation(const std::string& opcode, const std::string& rest, const std::string& shape = kShape) {
  return Text(2, Text(1, "y") + Text(2, opcode) + Text(3, shape) + Number(35, 2) + rest);
}
std::string Computation(const std::string& name, uint64_t id, uint64_t root,
                        const std::string& instructions) {
  return Text(3, Text(1, name) + Number(5, id) + Number(6, root) + instructions);
}
// One entry computation with the parameter x (id 1) and this operation (id 2) as root.
std::string Kernel(const std::string& operation) {
  return Text(1, "m") + Computation("main", 7, 2, Parameter("x", 1) + operation) + Number(6, 7);
}

TEST(Proto, HandMadeModuleReads) {
  const StatusOr<Module> module = ParseProto(Kernel(Operation("negate", Number(36, 1))));
  ASSERT_EQ(Outcome(module), "ok");
  EXPECT_EQ(Print(*module),
            "HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}\n\nENTRY main {\n"
            "  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}\n");
  // Packed and unpacked numbers say the same; fields that are not known are skipped.
  const StatusOr<Module> packed =
      ParseProto(Kernel(Operation("negate", Text(36, Varint(1)) + Text(1000, "?") + Number(999, 5))));
  ASSERT_EQ(Outcome(packed), "ok");
  EXPECT_TRUE(SameModule(*module, *packed));
}

std::string Constant(const std::string& literal, const std::string& shape = kShape) {
  return Operation("constant", Text(8, literal), shape);
}

TEST(Proto, ConstantsInEveryWireForm) {
  const std::string one("\0\0\x80\x3f", 4), two("\0\0\0\x40", 4);
  const std::string packed = Text(8, one + two);
  const std::string unpacked = Varint(8 << 3 | 5) + one + Varint(8 << 3 | 5) + two;
  for (const std::string& values : {packed, unpacked, Text(8, one) + Text(8, two)}) {
    const StatusOr<Module> module = ParseProto(Kernel(Constant(Text(1, kShape) + values)));
    ASSERT_EQ(Outcome(module), "ok");
    EXPECT_EQ(LiteralToString(*Find(module->entry_computation(), "y").literal), "{1, 2}");
  }
  // s32[2] as ten-byte negative numbers, one by one; pred[2] with a number other than 0 and 1.
  const std::string s32 = Number(2, 4) + Number(3, 2), pred = Number(2, 1) + Number(3, 2);
  StatusOr<Module> module =
      ParseProto(Kernel(Constant(Text(1, s32) + Number(4, ~uint64_t{4}) + Number(4, 9), s32)));
  ASSERT_EQ(Outcome(module), "ok");
  EXPECT_EQ(LiteralToString(*Find(module->entry_computation(), "y").literal), "{-5, 9}");
  module = ParseProto(Kernel(Constant(Text(1, pred) + Text(2, std::string("\x05\0", 2)), pred)));
  ASSERT_EQ(Outcome(module), "ok");
  EXPECT_EQ(LiteralToString(*Find(module->entry_computation(), "y").literal), "{true, false}");
}

std::string Nested(int depth, const std::string& innermost) {
  std::string shape = innermost;
  for (int i = 0; i < depth; ++i) shape = Number(2, 13) + Text(4, shape);
  return shape;
}

struct Fault {
  const char* name;
  std::string bytes;
  ErrorClass error_class;
  const char* sentence;  // a part of it
};

std::vector<Fault> Faults() {
  const ErrorClass value = ErrorClass::kValue, missing = ErrorClass::kNotImplemented;
  const std::string f32_0 = Number(2, 11);
  return {
      {"empty", "", value, "not an HloModuleProto: there is neither a name nor a computation"},
      {"text", "HloModule m\n\nENTRY main {}", value, "the bytes are not an HloModuleProto"},
      {"no computation", Text(1, "m"), value, "the entry computation of 'm' is none"},
      {"wire type", Text(1, "m") + Number(3, 1), value,
       "field 3 of HloModuleProto has wire type 0, expected 2"},
      {"module name", Text(1, "a b") + Computation("c", 0, 1, Parameter("x", 1)), value,
       "the module has the name \"a b\", which is no word"},
      {"instruction name", Kernel(Text(2, Text(1, "1\n") + Text(3, kShape))), value, "the name \"1\\n\""},
      {"no instruction", Text(1, "m") + Computation("c", 0, 1, ""), value, "'c' has no instruction (in 'c')"},
      {"root", Text(1, "m") + Computation("c", 0, 9, Parameter("x", 1)), value, "the root of 'c' is none"},
      {"id twice", Kernel(Parameter("z", 1)), value, "'z' has the id of an earlier instruction, 1"},
      {"name twice", Kernel(Parameter("x", 2) + Operation("negate", Number(36, 1) + Number(35, 3))), value,
       "numbered from 0"},
      {"operand", Kernel(Operation("negate", Number(36, 4))), value,
       "'y' has an operand that does not come before"},
      {"operands", Kernel(Operation("add", Number(36, 1))), value, "add"},
      {"declared shape", Kernel(Operation("negate", Number(36, 1), f32_0)), value,
       "'y' is declared as f32[]"},
      {"no shape", Kernel(Text(2, Text(1, "y") + Text(2, "negate"))), value, "'y' has no shape"},
      {"element type", Kernel(Operation("negate", Number(36, 1), Number(2, 99))), value, "number 99"},
      {"negative dimension", Kernel(Operation("negate", "", Number(2, 11) + Number(3, ~uint64_t{0}))), value,
       "a dimension is not negative, found -1"},
      {"huge shape", Kernel(Operation("negate", "", Number(2, 11) + Number(3, 1ull << 62))), value,
       "more bytes than 64 bits"},
      {"deep shape", Kernel(Operation("negate", "", Nested(300, kShape))), missing, "nested deeper"},
      {"layout", Kernel(Operation("negate", "", kShape + Text(5, Number(1, 1)))), value,
       "does not list each"},
      {"tile", Kernel(Operation("negate", "", kShape + Text(5, Text(6, Number(1, 0))))), value,
       "a tile's dimension is at least 1, found 0"},
      {"operation", Kernel(Operation("all-reduce", Number(36, 1))), missing,
       "the operation \"all-reduce\" of 'y' is not read from a proto"},
      {"callee", Kernel(Operation("call", Number(36, 1) + Number(38, 5))), value,
       "not defined before its own"},
      {"callees", Kernel(Operation("while", Number(36, 1))), value, "'y' calls 0 computations, not 2"},
      {"direction", Kernel(Operation("compare", Number(36, 1) + Number(36, 1) + Text(63, "XX"))), value,
       "\"XX\" is not a direction"},
      {"comparison type",
       Kernel(Operation("compare", Number(36, 1) + Number(36, 1) + Text(63, "LT") + Text(72, "SIGNED"))),
       value, "the comparison type \"SIGNED\" does not go with f32"},
      {"iota", Kernel(Operation("iota", "")), value, "iota has 0 dimensions"},
      {"constant without value", Kernel(Operation("constant", "")), value, "the constant 'y' has no value"},
      {"constant of another shape", Kernel(Constant(Text(1, f32_0))), value, "has a value of f32[]"},
      {"short constant", Kernel(Constant(Text(1, kShape) + Text(8, "abcd"))), value,
       "needs 8 bytes, but its value has 4"},
      {"uneven constant", Kernel(Constant(Text(1, kShape) + Text(8, "abc"))), value, "no multiple of 4"},
      {"huge constant",
       Kernel(
           Constant(Text(1, Number(2, 11) + Number(3, 1ull << 40)), Number(2, 11) + Number(3, 1ull << 40))),
       value, "needs 4398046511104 bytes"},
      {"convolution", Kernel(Operation("convolution", Number(36, 1) + Number(36, 1))), value,
       "do not name each dimension once"},
      {"fft type", Kernel(Operation("fft", Number(36, 1) + Number(31, 9))), value, "FFT type number 9"},
      {"sharding", Kernel(Operation("negate", Number(36, 1) + Text(40, Number(11, 1)))), missing, "sharding"},
      {"payload", Kernel(Operation("negate", Number(36, 1) + Text(99, ""))), missing, "payloads"},
      {"frontend attribute", Kernel(Operation("negate", Number(36, 1) + Text(68, Text(1, Text(1, "a b"))))),
       value, "a frontend attribute has the name \"a b\""},
      {"entry", Text(1, "m") + Computation("main", 7, 1, Parameter("x", 1)) + Number(6, 8), value,
       "the entry computation of 'm' is none of the module's"},
      {"entry name",
       Text(1, "m") + Text(2, "other") + Computation("main", 7, 1, Parameter("x", 1)) + Number(6, 7), value,
       "is 'main' by its id, but \"other\" by its name"},
      {"header", Kernel(Operation("negate", Number(36, 1))) + Text(4, Text(2, f32_0)), value, "header"},
  };
}

TEST(Proto, FaultsAreNamed) {
  for (const Fault& fault : Faults()) {
    const StatusOr<Module> module = ParseProto(fault.bytes, {}, "k.pb");
    ASSERT_FALSE(module.ok()) << fault.name;
    const Diagnostic& d = module.status().front();
    EXPECT_NE(d.message.find(fault.sentence), std::string::npos) << fault.name << ": " << d.message;
    EXPECT_EQ(d.error_class, fault.error_class) << fault.name << ": " << d.message;
    EXPECT_EQ(d.location.file, "k.pb") << fault.name;
    EXPECT_EQ(d.message.find('\n'), std::string::npos) << fault.name;
  }
}

}  // namespace
}  // namespace act::hlo
