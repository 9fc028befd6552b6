// The normaliser against the evaluator, and images of layouts against XLA's definition of tiles.
#include "select/lower.h"

#include "select/select.h"
#include "unit/select/testing.h"
#include "view/view.h"

namespace act::select {
namespace {

TEST(Lower, RandomKernelsKeepTheirBytes) {
  Random random(11);
  for (int i = 0; i < Scaled(300); ++i) {
    KernelOptions options;
    options.operations = 5 + i % 30;
    options.movement_only = i % 3 == 0;
    const std::string text = RandomKernel(&random, options);
    const hlo::FlatKernel kernel = MakeKernel(text);
    OperatorTable operators;
    TensorGraph graph(&operators);
    const Lowered lowered = LowerInto(kernel, &graph);
    ASSERT_EQ(graph.fault(), "");
    const std::vector<Literal> inputs = RandomLiterals(kernel, &random, i % 2 == 0);
    const Evaluated evaluated = EvaluateGraph(graph, operators, inputs);
    ASSERT_TRUE(evaluated.faults.empty()) << evaluated.faults[0] << "\n" << text;
    const auto expected = eval::Evaluate(kernel, inputs);
    ASSERT_TRUE(expected.ok());
    for (size_t k = 0; k < lowered.outputs.size(); ++k) {
      ASSERT_EQ(evaluated.bytes.at(graph.Find(lowered.outputs[k])), (*expected)[k].bytes) << text;
    }
  }
}

struct Same {
  const char* name;
  std::string body;  // two outputs
  bool equal;
};

const std::string kSquare = "  x = f32[4,4] parameter(0)\n";
const std::string kPair = kSquare + "  y = f32[4,4] parameter(1)\n";
const std::string kRoot = "  ROOT r = (f32[4,4], f32[4,4]) tuple(a, b)\n";

const Same kSame[] = {
    // pitfall 27
    {"a transpose that moves nothing",
     kSquare + "  a = f32[4,4] transpose(x), dimensions={0,1}\n  b = f32[4,4] copy(x)\n" + kRoot, true},
    {"a transpose that moves",
     kSquare + "  a = f32[4,4] transpose(x), dimensions={1,0}\n  b = f32[4,4] copy(x)\n" + kRoot, false},
    // pitfall 88
    {"there and back",
     kSquare +
         "  t = f32[4,4] transpose(x), dimensions={1,0}\n  a = f32[4,4] transpose(t), dimensions={1,0}\n  b "
         "= f32[4,4] copy(x)\n" +
         kRoot,
     true},
    // pitfall 88
    {"a commuted sum", kPair + "  a = f32[4,4] add(x, y)\n  b = f32[4,4] add(y, x)\n" + kRoot, true},
    {"a difference does not commute",
     kPair + "  a = f32[4,4] subtract(x, y)\n  b = f32[4,4] subtract(y, x)\n" + kRoot, false},
    // pitfall 24
    {"a product with the right side transposed",
     kPair +
         "  a = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n  b = f32[4,4] "
         "dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" +
         kRoot,
     false},
    // pitfall 24, 88
    {"a product with the right side transposed twice",
     kPair +
         "  t = f32[4,4] transpose(y), dimensions={1,0}\n  a = f32[4,4] dot(x, t), lhs_contracting_dims={1}, "
         "rhs_contracting_dims={1}\n  b = f32[4,4] dot(x, y), lhs_contracting_dims={1}, "
         "rhs_contracting_dims={0}\n" +
         kRoot,
     true},
    // pitfall 28
    {"slices of two places",
     kSquare + "  c = f32[2,4] slice(x), slice={[0:2], [0:4]}\n  d = f32[2,4] slice(x), slice={[2:4], "
               "[0:4]}\n  ROOT r = (f32[2,4], f32[2,4]) tuple(c, d)\n",
     false},
    // pitfall 49
    {"a slice with a step",
     kSquare + "  c = f32[2,4] slice(x), slice={[0:4:2], [0:4]}\n  d = f32[2,4] slice(x), slice={[0:2], "
               "[0:4]}\n  ROOT r = (f32[2,4], f32[2,4]) tuple(c, d)\n",
     false},
    // pitfall 26, 83
    {"broadcasts along two axes",
     kSquare +
         "  v = f32[4] parameter(1)\n  a = f32[4,4] broadcast(v), dimensions={0}\n  b = f32[4,4] "
         "broadcast(v), dimensions={1}\n" +
         kRoot,
     false},
    // pitfall 25, 82
    {"reductions along two axes",
     kSquare +
         "  i = f32[] constant(0)\n  c = f32[4] reduce(x, i), dimensions={0}, to_apply=add_f32\n  d = f32[4] "
         "reduce(x, i), dimensions={1}, to_apply=add_f32\n  ROOT r = (f32[4], f32[4]) tuple(c, d)\n",
     false},
    // pitfall 53, 82
    {"reductions from two values",
     kSquare + "  i = f32[] constant(0)\n  j = f32[] constant(5)\n  c = f32[4] reduce(x, i), dimensions={1}, "
               "to_apply=add_f32\n  d = f32[4] reduce(x, j), dimensions={1}, to_apply=add_f32\n  ROOT r = "
               "(f32[4], f32[4]) tuple(c, d)\n",
     false},
    // pitfall 54
    {"two reductions",
     kSquare +
         "  i = f32[] constant(0)\n  c = f32[4] reduce(x, i), dimensions={1}, to_apply=add_f32\n  d = f32[4] "
         "reduce(x, i), dimensions={1}, to_apply=max_f32\n  ROOT r = (f32[4], f32[4]) tuple(c, d)\n",
     false},
    // pitfall 80
    {"reverses along two axes",
     kSquare + "  a = f32[4,4] reverse(x), dimensions={0}\n  b = f32[4,4] reverse(x), dimensions={1}\n" +
         kRoot,
     false},
    {"comparisons in two directions",
     kPair + "  p = pred[4,4] compare(x, y), direction=LT\n  q = pred[4,4] compare(x, y), direction=LE\n  "
             "ROOT r = (pred[4,4], pred[4,4]) tuple(p, q)\n",
     false},
    {"comparisons in two orders",
     kPair + "  p = pred[4,4] compare(x, y), direction=LT, type=TOTALORDER\n  q = pred[4,4] compare(x, y), "
             "direction=LT\n  ROOT r = (pred[4,4], pred[4,4]) tuple(p, q)\n",
     false},
    // pitfall 57
    {"ones of two types",
     "  x = bf16[2] parameter(0)\n  c = bf16[2] constant({1, 1})\n  d = s16[2] constant({1, 1})\n  ROOT r = "
     "(bf16[2], s16[2]) tuple(c, d)\n",
     false},
    // pitfall 50
    {"concatenations of three and of two",
     kSquare + "  c = f32[12,4] concatenate(x, x, x), dimensions={0}\n  d = f32[8,4] concatenate(x, x), "
               "dimensions={0}\n  ROOT r = (f32[12,4], f32[8,4]) tuple(c, d)\n",
     false},
    // pitfall 51
    {"concatenations along two axes",
     kSquare + "  c = f32[8,4] concatenate(x, x), dimensions={0}\n  d = f32[4,8] concatenate(x, x), "
               "dimensions={1}\n  ROOT r = (f32[8,4], f32[4,8]) tuple(c, d)\n",
     false},
    {"pads on two sides",
     kSquare + "  i = f32[] constant(0)\n  c = f32[5,4] pad(x, i), padding=1_0x0_0\n  d = f32[5,4] pad(x, "
               "i), padding=0_1x0_0\n  ROOT r = (f32[5,4], f32[5,4]) tuple(c, d)\n",
     false},
    {"zeros of two signs",
     "  c = f32[2] constant({0, 0})\n  d = f32[2] constant({-0, -0})\n  ROOT r = (f32[2], f32[2]) tuple(c, "
     "d)\n",
     false},
    {"a reshape and a bitcast",
     "  x = f32[4,4] parameter(0)\n  c = f32[2,8] reshape(x)\n  d = u8[4,4,4] bitcast-convert(x)\n  ROOT r = "
     "(f32[2,8], u8[4,4,4]) tuple(c, d)\n",
     true},
};

TEST(Lower, OneFactHasOneName) {
  for (const Same& c : kSame) {
    SCOPED_TRACE(c.name);
    const hlo::FlatKernel kernel = MakeKernel(ModuleText(c.body));
    if (kernel.outputs.size() != 2) continue;
    OperatorTable operators;
    TensorGraph graph(&operators);
    const Lowered lowered = LowerInto(kernel, &graph);
    EXPECT_EQ(graph.Find(lowered.outputs[0]) == graph.Find(lowered.outputs[1]), c.equal);
  }
}

TEST(Lower, LargeConstantsAreRepeatedElements) {
  const hlo::FlatKernel kernel =
      MakeKernel(ModuleText("  one = f32[] constant(1)\n  c = f32[65536,16384] broadcast(one), "
                            "dimensions={}\n  x = f32[65536,16384] "
                            "parameter(0)\n  ROOT r = f32[65536,16384] multiply(x, c)\n"));
  OperatorTable operators;
  TensorGraph graph(&operators);
  const Lowered lowered = LowerInto(kernel, &graph);
  SaturateReport report;
  Saturate(&graph, {}, &report);  // four gigabytes are never written out
  EXPECT_EQ(graph.Find(lowered.outputs[0]), graph.Find(lowered.inputs[0]));
}

// The byte of the image in which each element lies, from XLA's words: dimensions from major to minor; each
// tile splits the minor dimensions into tile numbers and places within the tile, which come last.
int64_t PlaceOf(const Shape& shape, std::vector<int64_t> index) {
  std::vector<int64_t> extent, at;
  for (size_t i = shape.layout.minor_to_major.size(); i-- > 0;) {
    const size_t d = static_cast<size_t>(shape.layout.minor_to_major[i]);
    extent.push_back(shape.dims[d]);
    at.push_back(index[d]);
  }
  for (const std::vector<int64_t>& tile : shape.layout.tiles) {
    const size_t first = extent.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) {
      extent.push_back(tile[i]);
      at.push_back(at[first + i] % tile[i]);
      extent[first + i] /= tile[i];
      at[first + i] /= tile[i];
    }
  }
  int64_t place = 0;
  for (size_t i = 0; i < extent.size(); ++i) place = place * extent[i] + at[i];
  return place * StorageBytes(shape.type);
}

struct LayoutCase {
  ElementType type;
  std::vector<int64_t> dims, minor_to_major;
  std::vector<std::vector<int64_t>> tiles;
};

// pitfall 48, 69
TEST(Lower, ImagesFollowXlaLayouts) {
  const LayoutCase cases[] = {
      {ElementType::kBF16, {64, 64}, {1, 0}, {{16, 16}}},
      {ElementType::kBF16, {64, 64}, {1, 0}, {{16, 4}}},
      {ElementType::kBF16, {28, 32}, {1, 0}, {{14, 16}}},
      {ElementType::kBF16, {64, 64}, {1, 0}, {{8, 16}}},
      {ElementType::kBF16, {64, 32}, {0, 1}, {}},
      {ElementType::kF32, {6, 10}, {0, 1}, {{5, 3}}},
      {ElementType::kS8, {16, 8}, {1, 0}, {{8, 4}, {4, 1}}},
      {ElementType::kS8, {3, 4, 6}, {2, 1, 0}, {{2, 3}}},
      {ElementType::kS8, {3, 4, 6}, {1, 2, 0}, {{3, 2}}},
      {ElementType::kF32, {3, 4, 6}, {0, 2, 1}, {{3}}},
      {ElementType::kF32, {5}, {0}, {}},
      {ElementType::kF64, {}, {}, {}},
      {ElementType::kS4, {4, 6}, {0, 1}, {}},
  };
  Random random(3);
  for (const LayoutCase& c : cases) {
    Shape shape = Shape::Array(c.type, c.dims);
    shape.has_layout = true;
    shape.layout.minor_to_major = c.minor_to_major;
    shape.layout.tiles = c.tiles;
    SCOPED_TRACE(ToString(shape, true));
    const Literal value = RandomLiteral(shape, &random, true);
    const auto image = ToImage(value, shape);
    ASSERT_TRUE(image.ok()) << image.status().message();
    ASSERT_EQ(image->bytes.size(), value.bytes.size());
    const size_t width = static_cast<size_t>(StorageBytes(c.type));
    for (int64_t e = 0; e < value.num_elements(); ++e) {
      std::vector<int64_t> index(c.dims.size());
      int64_t rest = e;
      for (size_t d = c.dims.size(); d-- > 0;) {
        index[d] = rest % c.dims[d];
        rest /= c.dims[d];
      }
      const int64_t place = PlaceOf(shape, index);
      for (size_t b = 0; b < width; ++b) {
        ASSERT_EQ(image->bytes[static_cast<size_t>(place) + b],
                  value.bytes[static_cast<size_t>(e) * width + b]);
      }
    }
    const auto back = FromImage(*image, shape);
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, value);
  }
}

// pitfall 69
TEST(Lower, LayoutsThatAreNoViewAreRefusedByName) {
  struct Bad {
    LayoutCase layout;
    const char* other;
    const char* named;
  };
  const Bad bad[] = {
      {{ElementType::kBF16, {64, 64}, {1, 0}, {{14, 16}}}, "", "T(14,16)"},
      {{ElementType::kBF16, {64}, {0}, {{8, 16}}}, "", "T(8,16)"},
      {{ElementType::kBF16, {64, 64}, {1, 0}, {{0, 16}}}, "", "T(0,16)"},
      {{ElementType::kBF16, {64, 64}, {1}, {}}, "", "every dimension"},
      {{ElementType::kBF16, {64, 64}, {1, 0}, {}}, "S(1)", "S(1)"},
  };
  for (const Bad& b : bad) {
    Shape shape = Shape::Array(b.layout.type, b.layout.dims);
    shape.has_layout = true;
    shape.layout.minor_to_major = b.layout.minor_to_major;
    shape.layout.tiles = b.layout.tiles;
    shape.layout.other = b.other;
    const auto image = LayoutImage(shape);
    ASSERT_FALSE(image.ok()) << b.named;
    EXPECT_EQ(image.status().front().error_class, ErrorClass::kUnsupported);
    EXPECT_NE(image.status().message().find(b.named), std::string::npos) << image.status().message();
    EXPECT_FALSE(ImageShape(shape).ok());
    EXPECT_FALSE(ToImage(Literal(Shape::Array(b.layout.type, b.layout.dims)), shape).ok());
  }
}

}  // namespace
}  // namespace act::select
