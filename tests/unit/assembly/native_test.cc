// Native assembly text: what it means, its errors, and print-then-parse as the identity.
#include <gtest/gtest.h>

#include "assembly/assembly.h"
#include "helpers/qkv.h"

namespace act::assembly {
namespace {

// A program's structure without source locations.
std::string Describe(const std::vector<Statement>& body) {
  std::string out;
  for (const Statement& s : body) {
    if (s.kind == Statement::Kind::kLoop) {
      out += "loop(" + s.variable + "," + std::to_string(s.start) + "," + std::to_string(s.end) + "){" +
             Describe(s.body) + "}";
      continue;
    }
    if (s.kind == Statement::Kind::kDebug) {
      out += "debug(" + s.prefix + "," + std::to_string(s.buffer.value());
      for (int64_t p : s.position) out += "," + std::to_string(p);
      out += ")";
      continue;
    }
    out += "call(" + std::to_string(s.call.instruction.value());
    for (int64_t c : s.call.computational) out += " c" + std::to_string(c);
    for (const AttributeValue& a : s.call.addressing) {
      out += " a";
      for (const isa::Expression::Node& n : a.expression.nodes) {
        out += "<" + std::to_string(static_cast<int>(n.kind)) + "," + std::to_string(n.integer) + "," +
               std::to_string(n.index) + "," + std::to_string(n.left) + "," + std::to_string(n.right) + ">";
      }
    }
    out += " r'" + s.call.result_name + "'";
    for (const std::string& o : s.call.operand_names) out += " o'" + o + "'";
    out += ")";
  }
  return out;
}

std::string Describe(const Program& p) {
  std::string out =
      p.name + "|" + p.original_name + "|" + p.target + "|" + std::to_string(p.hbm_bytes) + "\n";
  for (const HbmTensor& t : p.inputs)
    out += "in " + t.name + std::to_string(t.address) + ToString(t.shape) + "\n";
  for (const HbmConstant& c : p.constants) {
    out += "const " + c.name + std::to_string(c.address) + ToString(c.value.shape);
    for (uint8_t b : c.value.bytes) out += " " + std::to_string(b);
    out += "\n";
  }
  for (const HbmTensor& t : p.outputs)
    out += "out " + t.name + std::to_string(t.address) + ToString(t.shape) + "\n";
  return out + Describe(p.body);
}

TEST(NativeTest, ReadsEveryPart) {
  isa::Accelerator qkv = MakeQkv();
  SourceText source("k.asm", R"(// comment
program k "jit k.1" target QKV hbm 40000
input in0 @0 bf16[64,64]
input @8192 u8[]
const "a b" @8200 s8[2,2] = { {1, -2}, {3, 4} }
output out.0 @16384 bf16[64,64]
code {
  loop i -1..3 { loop j 0..2 {
    load_rm n=64 [addr_out=j*64, addr_in=(i + 1)*128]  ; x.1 <- _
  } }
  debug "row:" d1[0,3]
  gemm [addr_1=0, addr_2=64, addr_out=0] ; S <- q, "_"
  softmax n=64 [addr=0] ; _
}
)");
  StatusOr<Program> p = ParseNative(qkv, source);
  ASSERT_TRUE(p.ok()) << p.status().message();
  EXPECT_EQ(p->name, "k");
  EXPECT_EQ(p->original_name, "jit k.1");
  EXPECT_EQ(p->inputs[1].shape.rank(), 0);
  EXPECT_EQ(p->inputs[1].name, "");
  EXPECT_EQ(p->constants[0].name, "a b");
  EXPECT_EQ(p->constants[0].value.bytes, (std::vector<uint8_t>{1, 254, 3, 4}));
  EXPECT_EQ(p->outputs[0].name, "out.0");
  ASSERT_EQ(p->body.size(), 4u);
  EXPECT_EQ(p->body[0].start, -1);
  const Statement& load = p->body[0].body[0].body[0];
  EXPECT_EQ(load.location.line, 9);
  EXPECT_EQ(load.location.column, 5);
  EXPECT_EQ(load.call.result_name, "x.1");
  EXPECT_EQ(load.call.operand_names, std::vector<std::string>{""});
  EXPECT_EQ(load.call.addressing[1].expression.nodes[0].index, 1);  // j is the loop at depth 1
  EXPECT_EQ(p->body[1].position, (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(p->body[2].call.operand_names, (std::vector<std::string>{"q", "_"}));
  EXPECT_TRUE(p->body[3].call.operand_names.empty());
  EXPECT_EQ(NumCalls(*p), 3);
  StatusOr<std::string> target = NativeTarget(source);
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(*target, "QKV");
}

TEST(NativeTest, PrintsReadableText) {
  isa::Accelerator qkv = MakeQkv();
  SourceText source("k.asm",
                    R"(program k target QKV hbm 8192 input X @0 bf16[4,4] const c @64 f32[3] = {1, 2.5, -3}
    output Y @128 bf16[4,4] code { loop i 0..4 { load_rm n=2 [addr_in=i*8 + 128, addr_out=0] ; x <- X } })");
  StatusOr<Program> p = ParseNative(qkv, source);
  ASSERT_TRUE(p.ok()) << p.status().message();
  EXPECT_EQ(PrintNative(qkv, *p), R"(program k
target QKV
hbm 8192
input X @0 bf16[4,4]
const c @64 f32[3] = {1.0, 2.5, -3.0}
output Y @128 bf16[4,4]
code {
  loop i 0..4 {
    load_rm n=2 [addr_in=i*8 + 128, addr_out=0]  ; x <- X
  }
}
)");
}

TEST(NativeTest, ErrorsHaveLineAndColumn) {
  isa::Accelerator qkv = MakeQkv();
  const std::string head = "program k\ntarget QKV\nhbm 9000\n";
  struct Case {
    std::string text, message;
  };
  const Case cases[] = {
      {"", "k.asm:1:1: expected 'program', found the end of the text"},
      {"program 5", "k.asm:1:9: expected the program's name, found '5'"},
      {"program a.b target QKV hbm 0 code {}", "k.asm:1:9: the program's name 'a.b' is not an identifier"},
      {"program k\ntarget AMX\n", "k.asm:2:8: the program is for AMX, not for QKV"},
      {"program k\ntarget QKV\nhbm -1", "k.asm:3:5: the size of HBM in bytes cannot be negative: -1"},
      {"program k\ntarget QKV\nhbm 9223372036854775808",
       "k.asm:3:5: integer 9223372036854775808 does not fit in 64 signed bits"},
      {head + "inputs", "k.asm:4:1: expected 'input', 'const', 'output' or 'code', found 'inputs'"},
      {head + "input x bf16[4]", "k.asm:4:9: expected '@', found 'bf16'"},
      {head + "input x @0 bf17[4]", "k.asm:4:12: 'bf17' is not an element type"},
      {head + "input x @0 bf16[4,]", "k.asm:4:19: expected a dimension, found ']'"},
      {head + "input x @0 bf16[9223372036854775807,2]",
       "k.asm:4:12: the shape bf16[9223372036854775807,2] is too large"},
      {head + "const c @0 s8[2] = {1, 200}", "k.asm:4:24: 200 is not a value of type s8"},
      {head + "const c @0 s8[2] = {1}",
       "k.asm:4:22: the list of dimension 0 must have 2 members; it ends after 1"},
      {head + "const c @0 s8[1] = {1, 2}",
       "k.asm:4:24: the list of dimension 0 must have 1 members; there are more"},
      {head + "const c @0 s8[4] = eye", "k.asm:4:20: eye needs two dimensions and a real type, not s8[4]"},
      {head + "code {", "k.asm:4:7: expected a statement or '}', found the end of the text"},
      {head + "code {\n  ld n=1 [a=0]\n}", "k.asm:5:3: 'ld' is not an instruction of QKV"},
      {head + "code {\n  mov n=1 [addr_in=0]\n}",
       "k.asm:5:3: the call of mov lacks its attribute 'addr_out'"},
      {head + "code {\n  mov [addr_in=0, addr_out=0]\n}",
       "k.asm:5:3: the call of mov lacks its attribute 'n'"},
      {head + "code {\n  mov n=1 m=2 [addr_in=0, addr_out=0]\n}",
       "k.asm:5:11: 'm' is not a computational attribute of mov"},
      {head + "code {\n  mov n=1 [addr_in=0, addr_in=0]\n}",
       "k.asm:5:23: attribute 'addr_in' is given twice"},
      {head + "code {\n  mov n=1 [addr_in=i, addr_out=0]\n}",
       "k.asm:5:20: 'i' is not the variable of an enclosing loop"},
      {head + "code {\n  mov n=1 [addr_in=1/0, addr_out=0]\n}", "k.asm:5:22: division by the literal 0"},
      {head + "code {\n  mov n=1 [addr_in=0, addr_out=0] ; x <- a, b\n}",
       "k.asm:5:39: mov reads 1 regions, but 2 operand names are given; write '_' where nothing is said"},
      {head + "code {\n  mov n=1 [addr_in=0, addr_out=0] ; <- a\n}",
       "k.asm:5:37: expected the name of a value, or '_', found '<-'"},
      {head + "code {\n  loop i 0..2 { loop i 0..2 { } }\n}",
       "k.asm:5:22: 'i' is already the variable of an enclosing loop"},
      {head + "code {\n  debug \"x\" d9[0]\n}", "k.asm:5:13: 'd9' is not a buffer of QKV"},
      {head + "code {\n  debug \"x\" d1[128]\n}",
       "k.asm:5:3: debug position 128 is outside dimension 0 of d1, which has 128"},
      {head + "code { } x", "k.asm:4:10: expected the end of the text after the code, found 'x'"},
      {head + "code { } /* x", "k.asm:4:10: the comment that starts here has no end; add \"*/\""},
      {head + "const c @0 s8[] = \"x",
       "k.asm:4:19: the string that starts here has no end; add the closing quote"},
      {head + "\x01", "k.asm:4:1: unexpected character 'byte 1'"},
  };
  for (const Case& c : cases) {
    StatusOr<Program> p = ParseNative(qkv, SourceText("k.asm", c.text));
    ASSERT_FALSE(p.ok()) << c.text;
    EXPECT_EQ(p.status().message(), c.message) << c.text;
  }
}

TEST(NativeTest, DepthIsBounded) {
  isa::Accelerator qkv = MakeQkv();
  std::string text = "program k target QKV hbm 9000 code { mov n=1 [addr_in=" + std::string(100000, '(');
  StatusOr<Program> p = ParseNative(qkv, SourceText("k.asm", text));
  ASSERT_FALSE(p.ok());
  EXPECT_NE(p.status().message().find("nested too deeply"), std::string::npos);
  text = "program k target QKV hbm 9000 code { ";
  for (int i = 0; i < 1000; ++i) text += "loop i" + std::to_string(i) + " 0..1 { ";
  p = ParseNative(qkv, SourceText("k.asm", text));
  ASSERT_FALSE(p.ok());
  EXPECT_NE(p.status().message().find("loops are nested more than 64 deep"), std::string::npos);
}

TEST(NativeTest, NamesLikeKeywordsAndMnemonics) {
  SpecBuilder b("T");
  b.Buffer("m", {8}, {}, "u8");
  for (const char* name : {"loop", "code", "input", "act_relu", "act_gelu", "plain"}) {
    b.Instruction(name, {"i"}, {"a"}, {}, {{"m", "@a.a", "1"}}, "");
  }
  b.spec.instructions[3].mnemonic = "act";
  b.spec.instructions[4].mnemonic = "act";
  b.spec.instructions[5].mnemonic = "nice";
  SourceText source("t.asm", R"(program input target T hbm 0 code {
    loop i=1 [a=0] loop loop 0..2 { code i=2 [a=loop] input i=3 [a=1] } plain i=4 [a=2] nice i=5 [a=3] act_gelu i=0 [a=0] })");
  StatusOr<Program> p = ParseNative(b.spec, source);
  ASSERT_TRUE(p.ok()) << p.status().message();
  std::string printed = PrintNative(b.spec, *p);
  EXPECT_NE(printed.find("  nice i=4 [a=2]\n  nice i=5 [a=3]\n  act_gelu i=0 [a=0]\n"), std::string::npos)
      << printed;
  StatusOr<Program> again = ParseNative(b.spec, SourceText("t.asm", printed));
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(Describe(*again), Describe(*p));
  StatusOr<Program> ambiguous =
      ParseNative(b.spec, SourceText("t.asm", "program k target T hbm 0 code { act i=0 [a=0] }"));
  ASSERT_FALSE(ambiguous.ok());
  EXPECT_EQ(ambiguous.status().message(),
            "t.asm:1:33: 'act' is the mnemonic of several instructions of T (act_relu, act_gelu); write the "
            "instruction's name");
}

class ProgramGenerator {
 public:
  ProgramGenerator(const isa::Accelerator& accelerator, uint64_t seed)
      : accelerator_(accelerator), random_(seed) {}

  Program Make() {
    Program p;
    p.name = "k" + std::to_string(random_.Below(100));
    if (random_.Below(2) == 0) p.original_name = Name();
    p.target = accelerator_.name;
    int64_t at = 0;
    for (uint64_t i = random_.Below(3); i > 0; --i)
      p.inputs.push_back({MaybeName(), Next(&at, 64), RandomShape()});
    for (uint64_t i = random_.Below(4); i > 0; --i) {
      HbmConstant c;
      c.name = MaybeName();
      c.address = Next(&at, 512);
      c.value = RandomConstant();
      p.constants.push_back(std::move(c));
    }
    for (uint64_t i = random_.Below(3); i > 0; --i)
      p.outputs.push_back({MaybeName(), Next(&at, 64), RandomShape()});
    p.hbm_bytes = at + 8192;
    p.body = Body(0);
    return p;
  }

 private:
  static int64_t Next(int64_t* at, int64_t bytes) { return (*at += bytes) - bytes; }
  std::string Name() {
    static const char* kNames[] = {"x",        "dot.5", "_",      "a b",    "q\"uote\\", "line\nbreak",
                                   "\x01\xff", "loop",  "9lives", "jit(f)", "."};
    return kNames[random_.Below(std::size(kNames))];
  }
  std::string MaybeName() { return random_.Below(3) == 0 ? "" : Name(); }
  Shape RandomShape() {
    static const ElementType kTypes[] = {ElementType::kBF16, ElementType::kF32,  ElementType::kS8,
                                         ElementType::kU64,  ElementType::kPred, ElementType::kS4,
                                         ElementType::kF16,  ElementType::kS32};
    std::vector<int64_t> dims;
    for (uint64_t i = random_.Below(4); i > 0; --i) dims.push_back(random_.Between(0, 2));
    return Shape::Array(kTypes[random_.Below(std::size(kTypes))], dims);
  }
  Literal RandomConstant() {
    Shape shape = RandomShape();
    for (int64_t& d : shape.dims) d = random_.Between(1, 3);
    Literal literal(shape);
    uint64_t form = random_.Below(3);
    for (int64_t i = 0; i < literal.num_elements(); ++i) {
      if (form == 0) literal.SetInt(i, 1);
      if (form == 1) literal.SetInt(i, static_cast<int64_t>(random_.Below(2)));
      if (form == 2) literal.SetInt(i, random_.Between(-8, 7));
    }
    if (form == 2 && IsFloat(shape.type)) {  // any bits at all
      for (uint8_t& b : literal.bytes) b = static_cast<uint8_t>(random_.Below(256));
    }
    return literal;
  }
  isa::Expression Address(int depth, int loops, bool* variable) {
    uint64_t form = random_.Below(depth > 3 ? 2 : 5);
    if (form == 0 || (form == 1 && loops == 0)) return isa::Expression::Integer(random_.Between(-1000, 1000));
    if (form == 1) {
      *variable = true;
      return isa::Expression::Attribute(isa::AttributeKind::kAddressing,
                                        static_cast<int32_t>(random_.Below(static_cast<uint64_t>(loops))));
    }
    using Kind = isa::Expression::Kind;
    static const Kind kKinds[] = {Kind::kAdd, Kind::kSubtract, Kind::kMultiply, Kind::kDivide,
                                  Kind::kRemainder};
    isa::Expression left = Address(depth + 1, loops, variable);
    if (form == 2 && random_.Below(3) == 0) {
      isa::Expression::Node negate;
      negate.kind = Kind::kNegate;
      negate.left = static_cast<int32_t>(left.nodes.size()) - 1;
      left.nodes.push_back(negate);
      return left;
    }
    isa::Expression right = Address(depth + 1, loops, variable);
    Kind kind = kKinds[random_.Below(std::size(kKinds))];
    // A literal zero divisor is refused by the reader.
    if (right.nodes.size() == 1 && right.nodes[0].kind == Kind::kInteger && right.nodes[0].integer == 0)
      kind = Kind::kAdd;
    return isa::Expression::Binary(kind, left, right);
  }
  std::vector<Statement> Body(int depth) {
    std::vector<Statement> body;
    for (uint64_t i = random_.Below(4) + 1; i > 0; --i) {
      Statement s;
      uint64_t form = random_.Below(6);
      if (form == 0 && depth < 4) {
        s.kind = Statement::Kind::kLoop;
        s.variable = "i" + std::to_string(depth);
        s.start = random_.Between(-3, 3);
        s.end = random_.Between(-3, 9);
        s.body = Body(depth + 1);
      } else if (form == 1) {
        s.kind = Statement::Kind::kDebug;
        s.prefix = Name();
        s.buffer = BufferId(random_.Below(3));
        if (random_.Below(2) == 0) s.position.push_back(random_.Between(0, 63));
      } else {
        s.call = RandomCall(depth);
      }
      body.push_back(std::move(s));
    }
    return body;
  }
  Call RandomCall(int loops) {
    Call call;
    call.instruction = InstructionId(random_.Below(accelerator_.instructions.size()));
    const isa::Instruction& instruction = accelerator_.instruction(call.instruction);
    for (size_t i = 0; i < instruction.computational.size(); ++i)
      call.computational.push_back(random_.Between(-2, 200));
    for (size_t i = 0; i < instruction.addressing.size(); ++i) {
      bool variable = false;
      AttributeValue value{Address(0, loops, &variable)};
      if (!variable) value = AttributeValue::Of(random_.Between(-5, 1 << 20));
      call.addressing.push_back(value);
    }
    if (random_.Below(2) == 0) call.result_name = MaybeName();
    if (random_.Below(2) == 0) {
      for (size_t i = 0; i < instruction.inputs.size(); ++i) call.operand_names.push_back(MaybeName());
    }
    return call;
  }

  const isa::Accelerator& accelerator_;
  Random random_;
};

TEST(NativeTest, PrintThenParseIsTheIdentity) {
  isa::Accelerator qkv = MakeQkv();
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Program p = ProgramGenerator(qkv, seed).Make();
    std::string text = PrintNative(qkv, p);
    StatusOr<Program> read = ParseNative(qkv, SourceText("r.asm", text));
    ASSERT_TRUE(read.ok()) << read.status().message() << "\n" << text;
    ASSERT_EQ(Describe(*read), Describe(p)) << text;
    ASSERT_EQ(PrintNative(qkv, *read), text);
  }
}

TEST(NativeTest, DamagedTextsNeverCrash) {
  isa::Accelerator qkv = MakeQkv();
  Random random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text = PrintNative(qkv, ProgramGenerator(qkv, random.Below(50)).Make());
    for (uint64_t i = random.Below(4) + 1; i > 0; --i) {
      size_t at = random.Below(text.size());
      if (random.Below(2) == 0)
        text.erase(at, random.Below(8));
      else
        text.insert(at, 1, "{}[]()@=;,<-.09azQ\"\\%*/ \n"[random.Below(25)]);
    }
    (void)ParseNative(qkv, SourceText("d.asm", text)).ok();
  }
}

}  // namespace
}  // namespace act::assembly
