#include "tensor/shape.h"

#include <gtest/gtest.h>

namespace act {
namespace {

TEST(Shape, SizesAreChecked) {
  EXPECT_EQ(Shape::Array(ElementType::kBF16, {64, 64}).num_bytes(), 8192);
  EXPECT_EQ(Shape::Array(ElementType::kF32, {}).num_elements(), 1);
  EXPECT_EQ(Shape::Array(ElementType::kS4, {3}).num_bytes(), 3);
  const int64_t big = int64_t{1} << 40;
  EXPECT_EQ(Shape::Array(ElementType::kS8, {big, big}).num_elements(), std::nullopt);
  EXPECT_EQ(Shape::Array(ElementType::kS8, {big, big, 0}).num_elements(), 0);
  EXPECT_EQ(Shape::Array(ElementType::kC128, {int64_t{1} << 60}).num_bytes(), std::nullopt);
}

TEST(Shape, Text) {
  Shape shape = Shape::Array(ElementType::kBF16, {64, 32});
  EXPECT_EQ(ToString(shape), "bf16[64,32]");
  EXPECT_EQ(ToString(shape, true), "bf16[64,32]");
  shape.has_layout = true;
  shape.layout = Layout::RowMajor(2);
  EXPECT_TRUE(shape.layout.IsRowMajor());
  EXPECT_EQ(ToString(shape, true), "bf16[64,32]{1,0}");
  shape.layout.tiles = {{8, 128}, {2, 1}};
  shape.layout.other = "S(1)";
  EXPECT_FALSE(shape.layout.IsRowMajor());
  EXPECT_EQ(ToString(shape, true), "bf16[64,32]{1,0:T(8,128)(2,1)S(1)}");
  shape.layout.tiles = {{std::numeric_limits<int64_t>::min(), 4}};
  shape.layout.other.clear();
  EXPECT_EQ(ToString(shape, true), "bf16[64,32]{1,0:T(*,4)}");
  const Shape scalar = Shape::Array(ElementType::kF32, {});
  EXPECT_EQ(ToString(Shape::Tuple({scalar, Shape::Array(ElementType::kS32, {2}), Shape::Tuple({})})),
            "(f32[], s32[2], ())");
  Shape dynamic = Shape::Array(ElementType::kF32, {4, 2});
  dynamic.dynamic_dims = {true, false};
  EXPECT_EQ(ToString(dynamic), "f32[<=4,2]");
  EXPECT_TRUE(Shape::Tuple({scalar, dynamic}).is_dynamic());
  EXPECT_FALSE(Shape::Tuple({scalar}).is_dynamic());
}

TEST(Shape, SameTypeAndDimsIgnoresLayout) {
  Shape a = Shape::Array(ElementType::kS8, {2, 3});
  Shape b = a;
  b.has_layout = true;
  b.layout.minor_to_major = {0, 1};
  EXPECT_FALSE(b.layout.IsRowMajor());
  EXPECT_TRUE(SameTypeAndDims(a, b));
  EXPECT_FALSE(SameTypeAndDims(a, Shape::Array(ElementType::kU8, {2, 3})));
  EXPECT_FALSE(SameTypeAndDims(a, Shape::Array(ElementType::kS8, {3, 2})));
  EXPECT_FALSE(SameTypeAndDims(Shape::Tuple({a}), Shape::Tuple({a, a})));
  EXPECT_TRUE(SameTypeAndDims(Shape::Tuple({a}), Shape::Tuple({b})));
}

TEST(Shape, RowMajorStrides) {
  EXPECT_EQ(RowMajorStrides(std::vector<int64_t>{2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(RowMajorStrides(std::vector<int64_t>{}), std::vector<int64_t>{});
}

}  // namespace
}  // namespace act
