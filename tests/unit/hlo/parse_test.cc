#include "unit/hlo/hlo_testing.h"

namespace act::hlo {
namespace {

// pitfall 46
TEST(Parse, RootIsTheMarkedLine) {
  const Module module =
      MustParse(Entry("x = f32[2] parameter(0)\nROOT y = f32[2] negate(x)\nz = f32[2] abs(x)"));
  EXPECT_EQ(module.entry_computation().root_instruction().name, "y");
}

TEST(Parse, RootDefaultsToTheLastLine) {
  const Module module = MustParse(Entry("x = f32[2] parameter(0)\ny = f32[2] negate(x)"));
  EXPECT_EQ(module.entry_computation().root_instruction().name, "y");
}

// pitfall 47
TEST(Parse, ParameterOrConstantAsRoot) {
  EXPECT_EQ(Outcome(ParseText(Entry("ROOT x = f32[2] parameter(0)"))), "ok");
  EXPECT_EQ(Outcome(ParseText(Entry("ROOT x = f32[2] constant({1, 2})"))), "ok");
}

// pitfall 48, 69
TEST(Parse, HeaderLayoutsAreKept) {
  const Module module = MustParse(
      "HloModule m, entry_computation_layout={(bf16[64,64]{0,1}, u8[32,8]{1,0:T(16,4)(2,1)E(4)S(1)}, "
      "f32[2,2])->"
      "bf16[64,64]{1,0:T(8,*)}}\nENTRY e {\n  ROOT x = bf16[64,64] parameter(0)\n  y = u8[32,8] "
      "parameter(1)\n"
      "  z = f32[2,2] parameter(2)\n}\n");
  ASSERT_EQ(module.parameter_shapes.size(), 3u);
  EXPECT_EQ(module.parameter_shapes[0].layout.minor_to_major, (std::vector<int64_t>{0, 1}));
  const Layout& tiled = module.parameter_shapes[1].layout;
  EXPECT_EQ(tiled.tiles, (std::vector<std::vector<int64_t>>{{16, 4}, {2, 1}}));
  EXPECT_EQ(tiled.other, "E(4)S(1)");
  EXPECT_TRUE(module.parameter_shapes[2].layout.IsRowMajor());
  EXPECT_EQ(ToString(module.result_shape, true), "bf16[64,64]{1,0:T(8,*)}");
}

TEST(Parse, HeaderIsDerivedWhereItIsMissing) {
  const Module module = MustParse(Entry("x = f32[2,3]{0,1} parameter(0)\nROOT y = tuple(x, x)"));
  ASSERT_EQ(module.parameter_shapes.size(), 1u);
  EXPECT_EQ(ToString(module.parameter_shapes[0], true), "f32[2,3]{1,0}");
  EXPECT_EQ(ToString(module.result_shape, true), "(f32[2,3]{1,0}, f32[2,3]{1,0})");
}

TEST(Parse, HeaderWithoutParameters) {
  const Module module = MustParse(
      "HloModule m, entry_computation_layout={()->s8[2]{0}}\nENTRY e () -> s8[2] {\n  ROOT c = s8[2]{0} "
      "constant({1, "
      "2})\n}\n");
  EXPECT_TRUE(module.parameter_shapes.empty());
}

// pitfall 49
TEST(Parse, SliceKeepsItsStride) {
  const Module module =
      MustParse(Entry("x = f32[64] parameter(0)\nROOT y = f32[32] slice(x), slice={[0:64:2]}"));
  EXPECT_EQ(module.entry_computation().root_instruction().slice, (std::vector<SliceDim>{{0, 64, 2}}));
}

// pitfall 50
TEST(Parse, ConcatenateOfThree) {
  const Module module =
      MustParse(Entry("x = f32[2] parameter(0)\nROOT y = f32[6] concatenate(x, x, x), dimensions={0}"));
  EXPECT_EQ(module.entry_computation().root_instruction().operands.size(), 3u);
}

// pitfall 51, 52, 64
TEST(Parse, AttributesAreReadByName) {
  const std::string x = "x = f32[2,4] parameter(0)\n";
  const Module a =
      MustParse(Entry(x + "ROOT y = f32[4,4] concatenate(x, x), metadata={source_line=35}, dimensions={0}"));
  EXPECT_EQ(a.entry_computation().root_instruction().dimensions, (std::vector<int64_t>{0}));
  EXPECT_EQ(a.entry_computation().root_instruction().raw,
            (std::vector<RawAttribute>{{"metadata", "{source_line=35}"}}));
  const Module b =
      MustParse(Entry(x + "ROOT y = f32[1,4] slice(x), metadata={a={1,2} b=\"}\"}, slice={[1:2], [0:4]}"));
  EXPECT_EQ(b.entry_computation().root_instruction().slice, (std::vector<SliceDim>{{1, 2, 1}, {0, 4, 1}}));
  const Module c = MustParse(Entry(x + "ROOT y = f32[4,2] transpose(x), dimensions={1, 0}"));
  const Module d = MustParse(Entry(x + "ROOT y = f32[4,2] transpose(x), dimensions={1,0}"));
  EXPECT_EQ(c.entry_computation().root_instruction().dimensions,
            d.entry_computation().root_instruction().dimensions);
}

// pitfall 53
TEST(Parse, ReduceKeepsItsInitialValue) {
  const Module module =
      MustParse(WithCombiners("x = f32[4] parameter(0)\ni = f32[] constant(5)\nROOT y = f32[] reduce(x, i), "
                              "dimensions={0}, to_apply=add_f32"));
  const Instruction& root = module.entry_computation().root_instruction();
  ASSERT_EQ(root.operands.size(), 2u);
  const Instruction& init = module.entry_computation().instructions[static_cast<size_t>(root.operands[1])];
  EXPECT_EQ(init.literal->GetDouble(0), 5.0);
}

// pitfall 54, 55
TEST(Parse, CombinersAreRecognised) {
  const auto reducer = [](const std::string& combiner) {
    const Module module =
        MustParse(WithCombiners("x = f32[4] parameter(0)\ni = f32[] constant(0)\n"
                                "ROOT y = f32[] reduce(x, i), dimensions={0}, to_apply=" +
                                combiner));
    return module.entry_computation().root_instruction().reducer;
  };
  EXPECT_EQ(reducer("add_f32"), Reducer::kAdd);
  EXPECT_EQ(reducer("%max_f32"), Reducer::kMaximum);
  EXPECT_EQ(reducer("double_f32"), std::nullopt);
}

// pitfall 56
TEST(Parse, ReduceOfSeveralArraysIsReadAsUnknown) {
  const Module module = MustParse(
      "HloModule m\nboth {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n"
      "  d = f32[] parameter(3)\n  ROOT t = tuple(a, b)\n}\nENTRY e {\n  x = f32[4] parameter(0)\n"
      "  i = f32[] constant(0)\n"
      "  ROOT y = (f32[], f32[]) reduce(x, x, i, i), dimensions={0}, to_apply=both\n}\n");
  const Instruction& root = module.entry_computation().root_instruction();
  EXPECT_EQ(root.opcode, Opcode::kOther);
  EXPECT_EQ(root.opcode_name, "reduce");
  EXPECT_EQ(root.called, (std::vector<int32_t>{0}));
}

// pitfall 58, 70
TEST(Parse, TypedOperandsCommentsAndBlanks) {
  const Module a =
      MustParse(Entry("x = bf16[64,64]{1,0} parameter(0)\nROOT y = bf16[64,64]{1,0} dot(x, x), "
                      "lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
  const Module b = MustParse(Entry(
      "%x = bf16 [ 64 , 64 ] {1,0} parameter( 0 ) // first\r\n\n/* two\nlines */ ROOT %y = bf16[64,64]{1,0} "
      "dot(bf16[64,64]{1,0} %x, /*index=1*/ bf16[64,64] x), lhs_contracting_dims = { 1 },\n  "
      "rhs_contracting_dims={0}"));
  EXPECT_TRUE(SameModule(a, b));
}

// pitfall 65
TEST(Parse, ConvertHasOneTypeValue) {
  const Module module =
      MustParse(Entry("x = f32[2] parameter(0)\na = s32[2] convert(x)\nb = s32[2]{0} convert(x)\n"
                      "ROOT r = s32[2] add(a, b)"));
  EXPECT_EQ(Find(module.entry_computation(), "a").shape.type, ElementType::kS32);
  EXPECT_EQ(Find(module.entry_computation(), "b").shape.type, ElementType::kS32);
}

// pitfall 68
TEST(Parse, LargeShapes) {
  const Module module = MustParse(Entry("ROOT x = f32[65536,65536] parameter(0)"));
  EXPECT_EQ(module.parameter_shapes[0].num_bytes(), int64_t{1} << 34);
}

TEST(Parse, ModuleNamesAreKept) {
  const Module module =
      MustParse("HloModule jit_f.1, is_scheduled=true\nENTRY e {\n  ROOT x = f32[] parameter(0)\n}\n");
  EXPECT_EQ(module.name, "jit_f.1");
  EXPECT_EQ(module.raw, (std::vector<RawAttribute>{{"is_scheduled", "true"}}));
}

TEST(Parse, ComputationHeads) {
  const Module module = MustParse(
      "HloModule m\n%f (p.1: f32[], q: (f32[], s32[2])) -> f32[] {\n  ROOT %p.1 = f32[] parameter(0)\n"
      "  %q = (f32[], s32[2]{0}) parameter(1)\n}, execution_thread=\"main\"\n"
      "ENTRY %main.3 (x: f32[]) -> f32[] {\n  ROOT %x = f32[] parameter(0)\n}\n");
  ASSERT_EQ(module.computations.size(), 2u);
  EXPECT_EQ(module.computations[0].name, "f");
  EXPECT_EQ(module.computations[0].raw, (std::vector<RawAttribute>{{"execution_thread", "\"main\""}}));
  EXPECT_EQ(module.entry_computation().name, "main.3");
}

TEST(Parse, OnlyComputationIsTheEntry) {
  EXPECT_TRUE(MustParse("HloModule m\nf {\n  ROOT x = f32[] parameter(0)\n}\n").computations[0].is_entry);
}

TEST(Parse, TablesBeforeAndBehind) {
  const Module module = MustParse(
      "HloModule m\n\nFileNames\n1 \"a.py\"\n2 \"b.py\"\n\nENTRY e {\n  ROOT x = f32[] parameter(0), "
      "metadata={stack_frame_id=1}\n}\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n");
  EXPECT_EQ(module.tables,
            (std::vector<std::string>{"FileNames\n1 \"a.py\"\n2 \"b.py\"",
                                      "StackFrames\n1 {file_location_id=1 parent_frame_id=1}"}));
}

TEST(Parse, OtherOperationsKeepTheirAttributes) {
  const Module module =
      MustParse(WithCombiners("x = f32[4] parameter(0)\ni = f32[] constant(0)\n"
                              "w = f32[4] reduce-window(x, i), window={size=4 pad=3_0}, to_apply=%add_f32, "
                              "backend_config={\"a\":[1,{}]}\n"
                              "ROOT s = f32[4] select-and-scatter(w, x, i), select=max_f32, scatter=add_f32, "
                              "calls={%add_f32, max_f32}"));
  const Instruction& window = Find(module.entry_computation(), "w");
  EXPECT_EQ(window.opcode, Opcode::kOther);
  EXPECT_EQ(window.opcode_name, "reduce-window");
  EXPECT_EQ(window.raw, (std::vector<RawAttribute>{{"window", "{size=4 pad=3_0}"},
                                                   {"to_apply", "%add_f32"},
                                                   {"backend_config", "{\"a\":[1,{}]}"}}));
  EXPECT_EQ(window.called, (std::vector<int32_t>{0}));
  EXPECT_EQ(module.entry_computation().root_instruction().called, (std::vector<int32_t>{1, 0, 0, 1}));
}

TEST(Parse, AccuracyHintsAreKept) {
  const Module module = MustParse(
      Entry("x = f32[2,2] parameter(0)\ny = f32[2,2] exponential(x), result_accuracy={mode=highest}\n"
            "ROOT z = f32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
            "operand_precision={highest,highest}, algorithm=dot_bf16_bf16_f32"));
  EXPECT_EQ(module.entry_computation().root_instruction().raw.size(), 2u);
}

TEST(Parse, DynamicDimensions) {
  const Module module = MustParse(Entry("x = f32[<=4,2] parameter(0)\nROOT y = f32[4,<=2] negate(x)"));
  EXPECT_EQ(module.entry_computation().instructions[0].shape.dynamic_dims, (std::vector<bool>{true, false}));
  EXPECT_EQ(module.entry_computation().instructions[1].shape.dynamic_dims, (std::vector<bool>{false, true}));
}

TEST(Parse, StretchingBroadcastIsRewritten) {
  const std::string text = Entry(
      "x = s8[16,1] parameter(0)\ny.reshape = s8[16,1] copy(x)\n"
      "ROOT y = s8[16,16] broadcast(x), dimensions={0,1}");
  std::vector<Diagnostic> warnings;
  const StatusOr<Module> module = ParseText(text, {}, &warnings);
  ASSERT_TRUE(module.ok());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].is_warning);
  EXPECT_EQ(RenderShort(warnings[0]),
            "k.hlo:6:6: 'broadcast' of 'x' stretches a dimension of size 1, which HLO does not have; read as "
            "reshape "
            "and broadcast");
  const Computation& entry = module->entry_computation();
  const Instruction& root = entry.root_instruction();
  EXPECT_EQ(root.dimensions, (std::vector<int64_t>{0}));
  const Instruction& reshape = entry.instructions[static_cast<size_t>(root.operands[0])];
  EXPECT_EQ(reshape.opcode, Opcode::kReshape);
  EXPECT_EQ(reshape.name, "y.reshape.1");
  EXPECT_EQ(ToString(reshape.shape), "s8[16]");
  EXPECT_TRUE(Verify(*module).ok());

  ParseOptions strict;
  strict.allow_stretching_broadcast = false;
  EXPECT_EQ(Outcome(ParseText(text, strict)),
            "k.hlo:6:6: 'broadcast' does not stretch a dimension of size 1 ('x' is s8[16,1]); reshape it "
            "away first");
  // A dimension that stays 1 is no stretching.
  EXPECT_EQ(
      Outcome(ParseText(
          Entry("x = s8[16,1] parameter(0)\nROOT y = s8[2,16,1] broadcast(x), dimensions={1,2}"), strict)),
      "ok");
}

TEST(Parse, ScalarBoundsAreBroadcast) {
  const Module module = MustParse(
      Entry("x = f32[4] parameter(0)\nl = f32[] constant(0)\nh = f32[] constant(1)\np = pred[] parameter(1)\n"
            "c = f32[4] clamp(l, x, h)\nROOT s = f32[4] select(p, c, x)"));
  EXPECT_TRUE(Verify(module).ok());
  const Computation& entry = module.entry_computation();
  EXPECT_EQ(entry.instructions.size(), 9u);
  EXPECT_EQ(Find(entry, "s.broadcast").operands, (std::vector<int32_t>{3}));
  EXPECT_EQ(ToString(Find(entry, "c.broadcast.1").shape), "f32[4]");
}

TEST(Parse, NamesMayLookLikeWords) {
  const Module module = MustParse(Entry("ROOT = f32[] parameter(0)\nROOT ENTRY = f32[] negate(ROOT)"));
  EXPECT_EQ(module.entry_computation().root_instruction().name, "ENTRY");
}

TEST(Parse, LocationsPointAtNames) {
  const Module module = MustParse(Entry("  x = f32[] parameter(0)\n  ROOT y = f32[] negate(x)"));
  const SourceLocation& location = module.entry_computation().root_instruction().location;
  EXPECT_EQ(location.file, "k.hlo");
  EXPECT_EQ(location.line, 5);
  EXPECT_EQ(location.column, 8);
}

TEST(Parse, Utf8InComments) {
  EXPECT_EQ(Outcome(ParseText("// \xe2\x82\xac \xc3\xa9\n" +
                              Entry("ROOT x = f32[] parameter(0) // \xf0\x9f\x99\x82"))),
            "ok");
}

}  // namespace
}  // namespace act::hlo
