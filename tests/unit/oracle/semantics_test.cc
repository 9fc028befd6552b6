// Instructions of small invented machines: operations that earlier simulators lacked, several outputs,
// presumed reshapes, strided and two-dimensional regions. Expected numbers by hand.
#include <gtest/gtest.h>

#include "helpers/qkv.h"
#include "oracle/oracle.h"

namespace act::oracle {
namespace {

// One instruction from all of buffer a to all of buffer b; values pass through HBM as bytes.
class OneInstruction {
 public:
  OneInstruction(const std::string& in_type, std::vector<int64_t> in_unit, const std::string& out_type,
                 std::vector<int64_t> out_unit, const std::string& semantics)
      : builder_("T") {
    builder_.Buffer("a", {2}, std::move(in_unit), in_type);
    builder_.Buffer("b", {2}, std::move(out_unit), out_type);
    Transfer("load", "d0", "a");
    builder_.Instruction("op", {}, {}, {{"a", "0", "2"}}, {{"b", "0", "2"}}, semantics);
    Transfer("store", "b", "d0");
  }
  std::vector<double> Run(const std::vector<double>& values) {
    const isa::Accelerator& spec = builder_.spec;
    Shape in = ShapeOf("a"), out = ShapeOf("b");
    std::string bytes = std::to_string(*in.num_bytes());
    std::string text = "program k target T hbm 4096 input x @0 " + ToString(in) + " output y @" + bytes +
                       " " + ToString(out) + " code { load [o=0] op store [o=" + bytes + "] }";
    StatusOr<assembly::Program> p = assembly::ParseNative(spec, SourceText("k.asm", text));
    EXPECT_TRUE(p.ok()) << p.status().message();
    Literal x(in);
    for (size_t i = 0; i < values.size(); ++i) x.SetDouble(static_cast<int64_t>(i), values[i]);
    std::vector<Literal> inputs{x};
    StatusOr<Simulation> run = Simulate(spec, *p, inputs);
    EXPECT_TRUE(run.ok()) << run.status().message();
    std::vector<double> result;
    if (!run.ok()) return result;
    for (int64_t i = 0; i < run->outputs[0].num_elements(); ++i)
      result.push_back(run->outputs[0].GetDouble(i));
    return result;
  }

 private:
  Shape ShapeOf(const std::string& name) const {
    const isa::Buffer& buffer = builder_.spec.buffer(*builder_.spec.FindBuffer(name));
    std::vector<int64_t> dims = buffer.addresses;
    dims.insert(dims.end(), buffer.unit.begin(), buffer.unit.end());
    return Shape::Array(buffer.type, dims);
  }
  // Bytes to elements or back; a pred is one byte, any but 0 is true.
  void Transfer(const std::string& name, const std::string& from, const std::string& to) {
    bool load = from == "d0";
    Shape shape = ShapeOf(load ? to : from);
    std::string size = std::to_string(*shape.num_bytes()), type(ElementTypeName(shape.type));
    std::string dims = ToString(shape).substr(ToString(shape).find('['));
    std::string bytes = "u8" + dims, wide = dims;
    int width = StorageBytes(shape.type);
    if (width > 1) bytes = "u8" + dims.substr(0, dims.size() - 1) + "," + std::to_string(width) + "]";
    std::string cast = shape.type == ElementType::kPred ? "convert" : "bitcast_convert";
    std::string semantics =
        load ? "ENTRY { %a = " + bytes + " reshape(%In1) ROOT %Out0 = " + type + dims + " " + cast + "(%a) }"
             : "ENTRY { %a = " + bytes + " " + cast + "(%In1) ROOT %Out0 = u8[" + size + "] reshape(%a) }";
    SpecRegion hbm{"d0", "@a.o", size}, chip{load ? to : from, "0", "2"};
    if (load)
      builder_.Instruction(name, {}, {"o"}, {hbm}, {chip}, semantics);
    else
      builder_.Instruction(name, {}, {"o"}, {chip}, {hbm}, semantics);
  }

  SpecBuilder builder_;
};

struct Case {
  const char* in_type;
  std::vector<int64_t> in_unit;
  const char* out_type;
  std::vector<int64_t> out_unit;
  const char* semantics;
  std::vector<double> in, out;
};

// pitfall 150, 151, 160, 161, 162
TEST(SemanticsTest, Operations) {
  const Case cases[] = {
      // A broadcast's dimensions are its own, whatever the reduce before it had.
      {"f32",
       {2},
       "f32",
       {2},
       "ENTRY { %s = f32[2] reduce_add(%In1), dimensions={1} ROOT %Out0 = f32[2,2] broadcast(%s), "
       "dimensions={0} }",
       {1, 2, 3, 4},
       {3, 3, 7, 7}},
      {"f32",
       {2},
       "f32",
       {2},
       "ENTRY { %s = f32[2] reduce_add(%In1), dimensions={1} ROOT %Out0 = f32[2,2] broadcast(%s), "
       "dimensions={1} }",
       {1, 2, 3, 4},
       {3, 7, 3, 7}},
      // Without a reduce.
      {"f32",
       {},
       "f32",
       {3},
       "ENTRY { ROOT %Out0 = f32[2,3] broadcast(%In1), dimensions={0} }",
       {1, 2},
       {1, 1, 1, 2, 2, 2}},
      {"u8",
       {3},
       "u8",
       {},
       "ENTRY { ROOT %Out0 = u8[2] reduce_add(%In1), dimensions={1} }",
       {1, 2, 3, 200, 50, 10},
       {6, 4}},
      {"s8",
       {3},
       "s8",
       {2},
       "ENTRY { ROOT %Out0 = s8[2,2] slice(%In1), slice={[0:2],[1:3]} }",
       {1, 2, 3, 4, 5, 6},
       {2, 3, 5, 6}},
      {"s8",
       {4},
       "s8",
       {2},
       "ENTRY { ROOT %Out0 = s8[2,2] slice(%In1), slice={[0:2:1],[0:4:2]} }",
       {1, 2, 3, 4, 5, 6, 7, 8},
       {1, 3, 5, 7}},
      {"s8",
       {1},
       "s8",
       {3},
       "ENTRY { %c = s8[2,1] constant(9) ROOT %Out0 = s8[2,3] concatenate(%In1, %c, %In1), dimensions={1} }",
       {1, 2},
       {1, 9, 1, 2, 9, 2}},
      {"s32",
       {},
       "s32",
       {},
       "ENTRY { %c = s32[2] constant(5) %p = pred[2] compare(%In1, %c), direction=EQ %z = s32[2] "
       "constant(-1) "
       "ROOT %Out0 = s32[2] select(%p, %z, %In1) }",
       {5, 4},
       {-1, 4}},
      {"s32",
       {2},
       "s32",
       {2},
       "ENTRY { ROOT %Out0 = s32[2,2] reverse(%In1), dimensions={1} }",
       {1, 2, 3, 4},
       {2, 1, 4, 3}},
      // Presumed reshape: a result of another shape is taken row-major.
      {"s16",
       {3},
       "s16",
       {3},
       "ENTRY { ROOT %Out0 = s16[3,2] transpose(%In1), dimensions={1,0} }",
       {1, 2, 3, 4, 5, 6},
       {1, 4, 2, 5, 3, 6}},
      {"pred", {}, "pred", {}, "ENTRY { ROOT %Out0 = pred[2] not(%In1) }", {1, 0}, {0, 1}},
  };
  for (const Case& c : cases) {
    OneInstruction machine(c.in_type, c.in_unit, c.out_type, c.out_unit, c.semantics);
    EXPECT_EQ(machine.Run(c.in), c.out) << c.semantics;
  }
}

TEST(SemanticsTest, ReadsAllInputsBeforeWriting) {
  SpecBuilder b("T");
  b.Buffer("m", {8}, {}, "u8");
  const char* copy = "ENTRY { ROOT %Out0 = u8[4] copy(%In1) }";
  b.Instruction("load", {}, {}, {{"d0", "0", "4"}}, {{"m", "0", "4"}}, copy);
  b.Instruction("shift", {}, {}, {{"m", "0", "4"}}, {{"m", "1", "4"}}, copy);
  b.Instruction("swap", {}, {}, {{"m", "0", "2"}, {"m", "2", "2"}}, {{"m", "2", "2"}, {"m", "0", "2"}},
                "ENTRY { %Out0 = u8[2] copy(%In1) %Out1 = u8[2] copy(%In2) }");
  b.Instruction("store", {}, {}, {{"m", "0", "8"}}, {{"d0", "4", "8"}},
                "ENTRY { ROOT %Out0 = u8[8] copy(%In1) }");
  auto run = [&](const std::string& body) {
    StatusOr<assembly::Program> p = assembly::ParseNative(
        b.spec,
        SourceText(
            "k", "program k target T hbm 12 const c @0 u8[4] = {1, 2, 3, 4} output y @4 u8[8] code { load " +
                     body + " store }"));
    EXPECT_TRUE(p.ok()) << p.status().message();
    StatusOr<Simulation> s = Simulate(b.spec, *p, {});
    EXPECT_TRUE(s.ok()) << s.status().message();
    return s->outputs[0].bytes;
  };
  EXPECT_EQ(run("shift"), (std::vector<uint8_t>{1, 1, 2, 3, 4, 0, 0, 0}));
  EXPECT_EQ(run("swap"), (std::vector<uint8_t>{3, 4, 1, 2, 0, 0, 0, 0}));
}

// Boxes of two addressing dimensions, and strided regions: rows of a matrix in HBM.
// pitfall 107
TEST(SemanticsTest, BoxesAndStrides) {
  SpecBuilder b("T");
  b.Buffer("m", {4, 4}, {}, "u8");
  const char* copy = "ENTRY { ROOT %Out0 = u8[2,3] copy(%In1) }";
  b.Ok(isa::AddInstruction(&b.spec, "ld", {}, {"p", "r", "c"}));
  b.Ok(isa::SetInputs(&b.spec, 0, {{"d0", {"@a.p"}, {"2", "3"}, {"5", "1"}}}));
  b.Ok(isa::SetOutputs(&b.spec, 0, {{"m", {"@a.r", "@a.c"}, {"2", "3"}, {}}}));
  b.Ok(isa::SetSemantics(&b.spec, 0, SourceText("s", copy)));
  b.Ok(isa::AddInstruction(&b.spec, "st", {}, {"p"}));
  b.Ok(isa::SetInputs(&b.spec, 1, {{"m", {"0", "0"}, {"4", "4"}, {}}}));
  b.Ok(isa::SetOutputs(&b.spec, 1, {{"d0", {"@a.p"}, {"16"}, {}}}));
  b.Ok(isa::SetSemantics(&b.spec, 1, SourceText("s", "ENTRY { ROOT %Out0 = u8[16] reshape(%In1) }")));
  auto run = [&](const std::string& body) -> StatusOr<Simulation> {
    ACT_ASSIGN_OR_RETURN(
        assembly::Program p,
        assembly::ParseNative(b.spec, SourceText("k",
                                                 "program k target T hbm 32 const c @0 u8[16] = iota 0 "
                                                 "output y @16 u8[16] code { " +
                                                     body + " st [p=16] }")));
    return Simulate(b.spec, p, {});
  };
  StatusOr<Simulation> s = run("ld [p=2, r=1, c=1]");
  ASSERT_TRUE(s.ok()) << s.status().message();
  EXPECT_EQ(s->outputs[0].bytes, (std::vector<uint8_t>{0, 0, 0, 0, 0, 2, 3, 4, 0, 7, 8, 9, 0, 0, 0, 0}));
  s = run("ld [p=0, r=2, c=2]");
  EXPECT_EQ(s.status().front().message,
            "ld writes output 0 at m[2 : +2, 2 : +3], outside m, which has 4 x 4 addresses (at p = 0, r = 2, "
            "c = 2)");
  s = run("ld [p=25, r=0, c=0]");
  EXPECT_EQ(s.status().front().message,
            "ld reads input 0 at d0[25 : +2 step 5, : +3 step 1], outside d0, which has 32 bytes in this "
            "program (at p "
            "= 25, r = 0, c = 0)");
}

}  // namespace
}  // namespace act::oracle
