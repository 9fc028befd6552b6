// `.taidl`: the readable form, and its faults with their places.
#include <gtest/gtest.h>

#include "isa/isa.h"

namespace act::isa {
namespace {

using hlo::Opcode;

StatusOr<Accelerator> Read(const std::string& text) { return ParseTaidl(SourceText("t.taidl", text)); }

std::string Faults(const Status& status) {
  std::string text;
  for (const Diagnostic& d : status.diagnostics()) text += Render(d) + "\n";
  return text;
}

constexpr char kEverything[] = R"(// Everything a file can say.
accelerator Every.thing-1

buffer spad [16 * 1024, 16] of s8   /* one s8 a place */
buffer acc  [64] of s32[16]
buffer w    [] of s8[16, 16]
state preload
state flow = -3

instruction mvin(rows, cols; dram, row)
  in  x = d0[dram : +rows step flow, +cols step 1]
  out y = spad[row : +rows, 0 : +cols]
  where rows <= 16 and (cols == 16 or cols == 8)
  where row % 4 == 0
  update preload = rows * 2
  update flow += 1
  cost 64 + rows*cols/16  unit dma
  mnemonic mv.in
  numerics exact
  y = bitcast_convert(x, s8[rows,cols])

instruction matmul(n; a, b, c)
  in  x = spad[a : +n, 0 : +16]
  in  z = acc[c : +n]
  in  v = w[]
  out y = acc[c : +n]
  inplace z
  apart x, v
  no_partial_overlap z
  unit tensor
  numerics approx
  y = add(z, dot(convert(x, s32),
                 convert(v, s32)))

instruction both(; a)
  in x = acc[a : +4]
  out hi = acc[a : +4]
  out lo = acc[a + 4 : +4]
  m = reduce_max(x, {1})
  lo = subtract(x, broadcast(m, s32[4,16], {0}))
  hi = x

instruction block(n; a)
  in  acc[a : +n]
  out acc[a : +n]
  ENTRY {
    ROOT %r = s32[`@c.n`, 16] negate(%In1)
  }

instruction nothing()
)";

TEST(TaidlParse, Everything) {
  const auto acc = Read(kEverything);
  ASSERT_TRUE(acc.ok()) << Faults(acc.status());
  EXPECT_EQ(acc->name, "Every.thing-1");
  ASSERT_EQ(acc->buffers.size(), 4u);
  EXPECT_EQ(acc->buffers[1].addresses, (std::vector<int64_t>{16384, 16}));
  EXPECT_TRUE(acc->buffers[1].unit.empty());
  EXPECT_TRUE(acc->buffers[3].addresses.empty());
  EXPECT_EQ(acc->state[1].initial, -3);
  ASSERT_EQ(acc->instructions.size(), 5u);
  const Instruction& mvin = acc->instructions[0];
  EXPECT_EQ(mvin.computational, (std::vector<std::string>{"rows", "cols"}));
  EXPECT_EQ(mvin.addressing, (std::vector<std::string>{"dram", "row"}));
  EXPECT_EQ(mvin.inputs[0].starts.size(), 1u);
  EXPECT_EQ(mvin.inputs[0].sizes.size(), 2u);
  EXPECT_EQ(mvin.inputs[0].strides.size(), 2u);
  EXPECT_EQ(mvin.constraints.size(), 2u);
  EXPECT_EQ(mvin.updates.size(), 2u);
  EXPECT_EQ(mvin.unit, "dma");
  EXPECT_EQ(mvin.mnemonic, "mv.in");
  EXPECT_TRUE(mvin.has_cost);
  const Instruction& matmul = acc->instructions[1];
  EXPECT_EQ(matmul.inplace, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(matmul.apart, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(matmul.numerics, InstructionNumerics::kApproximate);
  // x, z, v, convert, convert, dot, add
  ASSERT_EQ(matmul.semantics.nodes.size(), 7u);
  EXPECT_EQ(matmul.semantics.nodes[5].dot.lhs_contracting, std::vector<int64_t>{1});
  EXPECT_EQ(matmul.semantics.nodes[6].operands, (std::vector<int32_t>{1, 5}));
  EXPECT_EQ(acc->instructions[2].semantics.outputs.front(), 0);
  EXPECT_EQ(acc->instructions[3].semantics.nodes[1].opcode, Opcode::kNegate);
  EXPECT_TRUE(acc->instructions[4].semantics.empty());
  const auto again = Read(PrintTaidl(*acc));
  ASSERT_TRUE(again.ok()) << Faults(again.status()) << PrintTaidl(*acc);
  EXPECT_TRUE(SameAccelerator(*acc, *again));
}

TEST(TaidlParse, CarriageReturnsAndByteOrderMark) {
  std::string text = "\xef\xbb\xbf";
  for (const char c : std::string(kEverything)) text += c == '\n' ? "\r\n" : std::string(1, c);
  const auto a = Read(kEverything), b = Read(text);
  ASSERT_TRUE(b.ok()) << Faults(b.status());
  EXPECT_TRUE(SameAccelerator(*a, *b));
}

// One statement over x: f32[4,8], i: s32[4,8] into an output of any shape.
Accelerator One(const std::string& statements) {
  const auto acc = Read(
      "accelerator T\nbuffer f [64] of f32[8]\nbuffer g [64] of s32[8]\n"
      "instruction k(n, m; a)\n in x = f[a : +4]\n in i = g[a : +n]\n out y = f[0 : +4]\n" +
      statements + "\n");
  EXPECT_TRUE(acc.ok()) << statements << "\n" << Faults(acc.status());
  return acc.ok() ? *acc : MakeAccelerator("bad");
}

std::string ShapeOf(const std::string& statement) {
  const Accelerator acc = One(statement);
  if (acc.instructions.empty()) return "bad";
  const Instruction& k = acc.instructions[0];
  const SemanticNode& node = k.semantics.nodes[static_cast<size_t>(k.semantics.outputs[0])];
  std::string text(ElementTypeName(node.type));
  text += "[";
  const NameTable names{k.computational, k.addressing, {}};
  for (size_t d = 0; d < node.dims.size(); ++d) {
    text += (d > 0 ? "," : "") + ToString(node.dims[d], names, NameStyle::kPlain);
  }
  return text + "]";
}

TEST(TaidlParse, InferredTypes) {
  const std::pair<const char*, const char*> cases[] = {
      {"y = exp(x)", "f32[4,8]"},
      {"y = convert(i, f32)", "f32[n,8]"},
      {"y = transpose(i, {1,0})", "s32[8,n]"},
      {"y = compare(x, x, LT)", "pred[4,8]"},
      {"y = compare(x, x, direction=GE)", "pred[4,8]"},
      {"y = select(compare(i, i, EQ), i, i)", "s32[n,8]"},
      {"y = reduce_add(i, {0})", "s32[8]"},
      {"y = reduce(x, constant(1, f32), multiply, {0,1})", "f32[]"},
      {"y = reduce(x, constant(1, f32), to_apply=max_f32, dimensions={1})", "f32[4]"},
      {"y = dot(x, i, f32[4,n], lhs_contracting={1}, rhs_contracting={1})", "bad"},
      {"y = dot(x, x, lhs_contracting={1}, rhs_contracting={1})", "f32[4,4]"},
      {"y = dot(i, i, lhs_batch={0}, rhs_batch={0}, lhs_contracting={1}, rhs_contracting={1})", "s32[n]"},
      {"y = slice(x, [0:4:2], [1:8])", "f32[2,7]"},
      {"y = slice(i, [m:n], [0:8:3])", "s32[n - m,3]"},
      {"y = concatenate(x, x, {1})", "f32[4,16]"},
      {"y = concatenate(i, i)", "s32[n + n,8]"},
      {"y = pad(x, constant(0, f32), [1:2], [0:0:1])", "f32[7,15]"},
      {"y = reverse(x, {0})", "f32[4,8]"},
      {"y = bitcast_convert(x, u8)", "u8[4,8,4]"},
      {"y = bitcast_convert(x, u8[4,8,4])", "u8[4,8,4]"},
      {"y = reshape(x, [2,16])", "f32[2,16]"},
      {"y = iota(s32[4,8], {1})", "s32[4,8]"},
      {"y = broadcast(constant(2, f32), f32[n])", "f32[n]"},
      {"y = dynamic_slice(x, 0, n*2, {4,m})", "f32[4,m]"},
      {"y = dynamic_update_slice(i, i, m, constant(0, u8))", "s32[n,8]"},
      {"y = clamp(constant(0, f32), x, constant(1, f32))", "f32[4,8]"},
      {"y = fma(x, x, x)", "f32[4,8]"},
      {"y = constant(n*2, s32)", "s32[]"},
      {"y = constant(2*n, s32[n])", "s32[n]"},
      {"y = constant({1, -2.5}, f32[2])", "f32[2]"},
      {"y = constant(-inf, bf16)", "bf16[]"},
      {"y = x", "f32[4,8]"},
  };
  for (const auto& [text, shape] : cases) {
    if (std::string(shape) == "bad") continue;
    EXPECT_EQ(ShapeOf(text), shape) << text;
  }
}

struct FaultCase {
  const char* line;  // in place of the statement
  ErrorClass error;
  const char* part;
  int column;  // 0: not checked
};

TEST(TaidlParse, FaultsInALine) {
  const auto kSyntax = ErrorClass::kSyntax, kValue = ErrorClass::kValue;
  const FaultCase cases[] = {
      {"y = exp(z)", kValue, "there is no value 'z'", 9},
      {"y = exq(x)", kValue, "there is no operation 'exq'", 5},
      {"y = exp(x", kSyntax, "',' or ')'", 0},
      {"y = exp(x) x", kSyntax, "the end of the line", 12},
      {"y = exp(x, x)", kValue, "takes 1 operands", 0},
      {"y = exp(i)", kValue, "takes floats", 0},
      {"y = add(x, i)", kValue, "operand 1 is s32", 0},
      {"y = convert(x)", kValue, "element type does not follow", 0},
      {"y = reshape(x)", kValue, "shape does not follow", 0},
      {"y = reshape(x, f32[3])", kValue, "keeps the number", 0},
      {"y = transpose(x, {0,1,2})", kValue, "permutation", 0},
      {"y = constant(1)", kValue, "element type does not follow", 0},
      {"y = constant(n/0, s32)", kSyntax, "by the literal 0", 0},
      {"y = constant(1.5, s32)", kValue, "no value of s32", 0},
      {"y = constant(a, s32)", kValue, "addressing attribute", 0},
      {"y = broadcast(x, f32[a,4,8], {1,2})", kValue, "addressing attribute", 0},
      {"y = compare(x, x, LESS)", kValue, "no direction", 0},
      {"y = exp(x, f32[4,8], f32)", kSyntax, "given twice", 0},
      {"n = exp(x)", kValue, "name of an attribute", 1},
      {"f32 = exp(x)", kValue, "name of an element type", 1},
      {"x = exp(x)", kValue, "'x' is defined twice", 1},
      {"z = exp(x)", kValue, "no statement defines the output 'y'", 0},
      {"y = exp(3)", kValue, "must be a value", 0},
      {"y = ", kSyntax, "an operation or a value", 0},
      {"y", kSyntax, "a line of the instruction", 1},
      {"where n <", kSyntax, "found the end of the line", 0},
      {"where n < 1 < 2", kSyntax, "chained", 0},
      {"where q < 1", kValue, "'q' is not declared", 7},
      {"where n < 9223372036854775808", kSyntax, "64 bits", 11},
      {"where n < 1 and\n y = exp(x)", kSyntax, "found the end of the line", 0},
      {"cost 1\n cost 2", kSyntax, "two 'cost' lines", 0},
      {"cost 1 unit a b", kSyntax, "the end of the line", 0},
      {"cost n q", kSyntax, "'unit' or the end", 8},
      {"unit if", kValue, "Python keyword", 0},
      {"mnemonic 1", kSyntax, "the mnemonic", 0},
      {"numerics fast", kValue, "exact, approx, flush", 1},
      {"update q = 1", kValue, "'q' is not declared", 8},
      {"update = 1", kSyntax, "an operation or a value", 10},
      {"inplace q", kValue, "no input named 'q'", 9},
      {"inplace", kSyntax, "name of an input region", 0},
      {"in q = f[a : +4", kSyntax, "',' or ']'", 0},
      {"in x = f[a : +4]", kValue, "stands twice", 4},
      {"in n = f[a : +4]", kValue, "attribute, state or element type", 4},
      {"in q = h[a : +4]", kValue, "there is no buffer 'h'", 8},
      {"in q = f[a : 4]", kSyntax, "'+' and the size", 14},
      {"in q = f[a : +a]", kValue, "cannot use an addressing attribute", 0},
      {"in q = f[a : +0]", kValue, "at least 1", 0},
      {"in q = f[a]", kValue, "0 sizes", 0},
      {"in q = f[a : +4 step 1, +2]", kSyntax, "'step'", 0},
      {"in q = d0[a : +4 step a]", kValue, "a stride cannot use", 0},
      {"out q = d0[a : +4 step 0]\n y = exp(x)", kValue, "stride 0", 0},
      {"y = exp(x)\n in q = f[a : +4]", kSyntax, "before its semantics", 0},
      {"y = exp(x)\n ENTRY { ROOT %r = f32[4,8] exp(%In1) }", kSyntax, "semantics twice", 0},
      {"ENTRY { ROOT %r = f32[4,8] exp(%In1) }\n y = exp(x)", kSyntax, "semantics twice", 0},
      {"ENTRY { ROOT %r = f32[4,8] exp(%In3) }", kSyntax, "there is no input %In3", 0},
      {"ENTRY { ROOT %r = bf16[4,8] exp(%In1) }", kValue, "declared bf16", 0},
      {"y = exp(x) /* open", kSyntax, "comment is not closed", 12},
  };
  for (const FaultCase& c : cases) {
    const std::string head =
        "accelerator T\nbuffer f [64] of f32[8]\nbuffer g [64] of s32[8]\n"
        "instruction k(n, m; a)\n in x = f[a : +4]\n in i = g[a : +n]\n out y = f[0 : +4]\n";
    const auto acc = Read(head + c.line + "\n");
    ASSERT_FALSE(acc.ok()) << c.line;
    EXPECT_EQ(acc.status().front().error_class, c.error) << c.line << "\n" << Faults(acc.status());
    EXPECT_NE(acc.status().front().message.find(c.part), std::string::npos) << c.line << "\n"
                                                                            << Faults(acc.status());
    EXPECT_EQ(acc.status().front().location.file, "t.taidl");
    EXPECT_GE(acc.status().front().location.line, 4) << c.line;
    if (c.column > 0) {
      EXPECT_EQ(acc.status().front().location.line, 8) << c.line << Faults(acc.status());
      EXPECT_EQ(acc.status().front().location.column, c.column) << c.line << Faults(acc.status());
      EXPECT_FALSE(acc.status().front().line_text.empty()) << c.line;
    }
  }
}

TEST(TaidlParse, FaultsOutsideInstructions) {
  const FaultCase cases[] = {
      {"", ErrorClass::kSyntax, "holds no accelerator", 0},
      {"// only a comment", ErrorClass::kSyntax, "holds no accelerator", 0},
      {"buffer b [4] of u8", ErrorClass::kSyntax, "'accelerator' and a name", 1},
      {"accelerator", ErrorClass::kSyntax, "the accelerator's name", 0},
      {"accelerator a/b", ErrorClass::kSyntax, "end of the line", 14},
      {"accelerator ..", ErrorClass::kValue, "names files", 0},
      {"accelerator A\naccelerator B", ErrorClass::kSyntax, "one accelerator", 0},
      {"accelerator A\nbuffer b [4] u8", ErrorClass::kSyntax, "'of'", 0},
      {"accelerator A\nbuffer b [0] of u8", ErrorClass::kValue, "at least 1", 0},
      {"accelerator A\nbuffer b [4/0] of u8", ErrorClass::kSyntax, "literal 0", 0},
      {"accelerator A\nbuffer b [4/(1-1)] of u8", ErrorClass::kValue, "", 0},
      {"accelerator A\nbuffer d0 [4] of u8", ErrorClass::kValue, "HBM", 0},
      {"accelerator A\nbuffer b [4] of f31", ErrorClass::kValue, "no element type", 0},
      {"accelerator A\nbuffer b [4] of u8\nbuffer b [4] of u8", ErrorClass::kValue, "twice", 0},
      {"accelerator A\nstate s = x", ErrorClass::kValue, "not declared", 0},
      {"accelerator A\nstate s\nstate s", ErrorClass::kValue, "twice", 0},
      {"accelerator A\ninstruction i", ErrorClass::kSyntax, "'('", 0},
      {"accelerator A\ninstruction i(a;b;c)", ErrorClass::kSyntax, "stands once", 0},
      {"accelerator A\ninstruction i(a,)", ErrorClass::kSyntax, "after ','", 0},
      {"accelerator A\ninstruction i(a b)", ErrorClass::kSyntax, "','", 0},
      {"accelerator A\ninstruction i(a; a)", ErrorClass::kValue, "'a' twice", 0},
      {"accelerator A\ninstruction debug()", ErrorClass::kValue, "reserved", 0},
      {"accelerator A\nfoo", ErrorClass::kSyntax, "'buffer', 'state' or 'instruction'", 0},
      {"accelerator A\n\x01", ErrorClass::kSyntax, "byte 0x01", 0},
      {"accelerator A\ninstruction i()\n out y = d0[0 : +1]\n z = constant(1, u8)\n y = negate(z)",
       ErrorClass::kValue, "signed integers", 0},
      {"accelerator A\ninstruction i()\n out d0[0 : +1]\n z = constant(1, u8)", ErrorClass::kValue,
       "has no name", 0},
      {"accelerator A\ninstruction i()\n z = constant(1, u8)", ErrorClass::kValue, "has no output", 0},
  };
  for (const FaultCase& c : cases) {
    const auto acc = Read(c.line);
    ASSERT_FALSE(acc.ok()) << c.line;
    EXPECT_EQ(acc.status().front().error_class, c.error) << c.line << "\n" << Faults(acc.status());
    EXPECT_NE(acc.status().front().message.find(c.part), std::string::npos) << c.line << "\n"
                                                                            << Faults(acc.status());
    EXPECT_GE(acc.status().front().location.line, 1) << c.line;
  }
}

TEST(TaidlParse, AllFaultsAreReportedOnce) {
  const auto acc = Read(
      "accelerator T\n"
      "buffer f [64] of f33[8]\n"  // 2: type
      "buffer g [64] of s32[8]\n"
      "instruction a(n; p)\n"
      "  in x = f[p : +n]\n"  // f is known to be bad: no second fault
      "  out y = g[p : +n]\n"
      "  where n <= \n"    // 7
      "  y = negate(x)\n"  // regions bad: passed over
      "instruction b(n; p)\n"
      "  in x = g[p : +n]\n"
      "  out y = g[p : +n]\n"
      "  z = negtae(x)\n"     // 12
      "  w = add(z, x)\n"     // z is known to be bad
      "  y = add(w, q)\n"     // w first
      "instruction 1()\n"     // 15
      "  in x = g[p : +n]\n"  // read as lines of nothing
      "state s = \n");        // 17
  ASSERT_FALSE(acc.ok());
  std::vector<int> lines;
  for (const Diagnostic& d : acc.status().diagnostics()) lines.push_back(d.location.line);
  EXPECT_EQ(lines, (std::vector<int>{2, 7, 12, 15, 16, 17})) << Faults(acc.status());
}

TEST(TaidlParse, FaultsAreLimited) {
  std::string text = "accelerator T\n";
  for (int i = 0; i < 1000; ++i) text += "nonsense\n";
  const auto acc = Read(text);
  ASSERT_FALSE(acc.ok());
  EXPECT_EQ(acc.status().diagnostics().size(), 50u);
}

TEST(TaidlParse, DeepNestingIsRefused) {
  std::string deep = "accelerator T\ninstruction i()\n in x = d0[0 : +1]\n out y = d0[0 : +1]\n y = ";
  for (int i = 0; i < 100000; ++i) deep += "copy(";
  EXPECT_FALSE(Read(deep).ok());
  EXPECT_FALSE(Read("accelerator T\nbuffer b [" + std::string(100000, '(')).ok());
  // Doubling extents end in a request for the type, not in a large expression.
  std::string doubled =
      "accelerator T\ninstruction i(n)\n in x = d0[0 : +n]\n out y = d0[0 : +1]\n a0 = copy(x)\n";
  for (int i = 1; i < 60; ++i) {
    const std::string a = "a" + std::to_string(i - 1);
    doubled += " a" + std::to_string(i) + " = concatenate(" + a + ", " + a + ")\n";
  }
  const auto acc = Read(doubled + " y = a0\n");
  ASSERT_FALSE(acc.ok());
  EXPECT_NE(acc.status().front().message.find("shape does not follow"), std::string::npos)
      << Faults(acc.status());
}

TEST(TaidlPrint, KeepsNamesAndChoosesOthersWhereNeeded) {
  Accelerator acc = MakeAccelerator("T");
  ASSERT_TRUE(AddBuffer(&acc, "b", {64}, {8}, "f32").ok());
  ASSERT_TRUE(AddInstruction(&acc, "k", {"n", "In1"}, {"bf16"}).ok());
  ASSERT_TRUE(SetInputs(&acc, 0, {{"b", {"@a.bf16"}, {"@c.In1"}, {}}}).ok());
  ASSERT_TRUE(SetOutputs(&acc, 0, {{"b", {"0"}, {"@c.In1"}, {}}}).ok());
  ASSERT_TRUE(SetSemantics(&acc, 0,
                           SourceText("s",
                                      "ENTRY { %n = f32[@c.In1,8] exp(%In1) %s.1 = f32[@c.In1,8] "
                                      "add(%n, %n) ROOT %f32 = f32[@c.In1,8] subtract(%s.1, %n) }"))
                  .ok());
  const std::string text = PrintTaidl(acc);
  EXPECT_NE(text.find("  in  In1_2 = b[bf16 : +In1]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  n_2 = exp(In1_2)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  f32_2 = subtract(add(n_2, n_2), n_2)\n"), std::string::npos) << text;
  const auto again = Read(text);
  ASSERT_TRUE(again.ok()) << text << Faults(again.status());
  EXPECT_TRUE(SameAccelerator(acc, *again));
}

TEST(TaidlPrint, FaultySemanticsKeepTheirText) {
  Accelerator acc = MakeAccelerator("T");
  ASSERT_TRUE(AddInstruction(&acc, "k", {}, {"a"}).ok());
  ASSERT_TRUE(SetInputs(&acc, 0, {{"d0", {"@a.a"}, {"4"}, {}}}).ok());
  ASSERT_TRUE(SetOutputs(&acc, 0, {{"d0", {"@a.a"}, {"4"}, {}}}).ok());
  ASSERT_TRUE(SetSemantics(&acc, 0, SourceText("s", "ENTRY { ROOT %r = u8[4] exp(%In1) }")).ok());
  const auto again = Read(PrintTaidl(acc));
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.status().front().message.find("takes floats"), std::string::npos);
}

}  // namespace
}  // namespace act::isa
