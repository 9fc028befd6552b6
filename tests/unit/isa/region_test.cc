#include <gtest/gtest.h>

#include <algorithm>

#include "isa/instantiate.h"

namespace act::isa {
namespace {

using Kind = Expression::Kind;

Accelerator Machine() {
  Accelerator acc = MakeAccelerator("M");
  acc.buffers.push_back({"d1", {128}, {64}, ElementType::kBF16, {}});
  acc.buffers.push_back({"spad", {6, 5}, {}, ElementType::kS8, {}});
  acc.buffers.push_back({"w", {}, {4, 4}, ElementType::kS32, {}});
  return acc;
}

Box MakeBox(int buffer, std::vector<int64_t> start, std::vector<int64_t> size,
            std::vector<int64_t> strides = {}) {
  return Box{BufferId(buffer), std::move(start), std::move(size), std::move(strides)};
}

// pitfall 108
TEST(EvaluateRegion, StartsAreExpressions) {
  const Expression i = Expression::Attribute(AttributeKind::kAddressing, 0);
  const int64_t addresses[] = {9};
  const Environment env{{}, addresses, {}};
  struct Row {
    Kind kind;
    int64_t right, start;
  };
  for (const Row& row : {Row{Kind::kMultiply, 16, 144}, Row{Kind::kAdd, 64, 73}, Row{Kind::kDivide, 4, 2}}) {
    Region region;
    region.buffer = BufferId(1);
    region.starts = {Expression::Binary(row.kind, i, Expression::Integer(row.right))};
    region.sizes = {Expression::Integer(8)};
    EXPECT_EQ(*EvaluateRegion(region, env), MakeBox(1, {row.start}, {8}));
  }
}

// pitfall 44
TEST(EvaluateRegion, AConstantStartStandsInItsPlace) {
  const int64_t addresses[] = {9};
  Region constant, free;
  constant.buffer = free.buffer = BufferId(1);
  constant.starts = {Expression::Integer(0)};
  free.starts = {Expression::Attribute(AttributeKind::kAddressing, 0)};
  constant.sizes = free.sizes = {Expression::Integer(8)};
  EXPECT_EQ(*EvaluateRegion(constant, {{}, addresses, {}}), MakeBox(1, {0}, {8}));
  EXPECT_EQ(*EvaluateRegion(free, {{}, addresses, {}}), MakeBox(1, {9}, {8}));
}

TEST(EvaluateRegion, SizeBelowOneIsRefused) {
  Region region;
  region.buffer = BufferId(1);
  region.name = "x";
  region.starts = {Expression::Integer(0)};
  region.sizes = {Expression::Attribute(AttributeKind::kComputational, 0)};
  const int64_t zero[] = {0};
  EXPECT_EQ(EvaluateSizes(region, {zero, {}, {}}).status().front().message,
            "size 0 of region 'x' is 0, but a region holds at least 1 in each dimension; exclude such "
            "attribute values by a constraint");
  EXPECT_EQ(EvaluateRegion(region, {zero, {}, {}}).status().front().code, "isa-size-below-1");
}

// pitfall 104
TEST(CheckBox, WindowsLieInsideTheirBuffer) {
  const Accelerator acc = Machine();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  struct Row {
    Box box;
    bool inside;
  };
  const Row rows[] = {
      {MakeBox(1, {0}, {128}), true},
      {MakeBox(1, {0}, {256}), false},
      {MakeBox(1, {64}, {64}), true},
      {MakeBox(1, {65}, {64}), false},
      {MakeBox(1, {-1}, {64}), false},
      {MakeBox(1, {kMax}, {kMax}), false},
      {MakeBox(1, {0}, {0}), false},
      {MakeBox(1, {0, 0}, {1, 1}), false},
      {MakeBox(2, {5, 4}, {1, 1}), true},
      {MakeBox(2, {5, 4}, {1, 2}), false},
      {MakeBox(3, {}, {}), true},
      {MakeBox(0, {kHbmCapacityBytes - 1}, {1}), true},
      {MakeBox(0, {kHbmCapacityBytes - 1}, {2}), false},
      // Rows of 2 that start 10 apart: the last byte is 3 + 2*10 + 1.
      {MakeBox(1, {103}, {3, 2}, {10, 1}), true},
      {MakeBox(1, {107}, {3, 2}, {10, 1}), false},
      {MakeBox(1, {20}, {3}, {-10}), true},
      {MakeBox(1, {19}, {3}, {-10}), false},
      {MakeBox(1, {0}, {3}, {kMax}), false},
      {MakeBox(1, {127}, {9}, {0}), true},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(CheckBox(acc, row.box).ok(), row.inside)
        << "row " << (&row - rows) << ": " << CheckBox(acc, row.box).message();
  }
  EXPECT_EQ(CheckBox(acc, MakeBox(1, {65}, {64})).front().message,
            "window d1[65 : +64] is not inside d1[128]; start it at 0 or later and end it at the buffer's "
            "size or earlier");
}

TEST(BoxBytes, CountsUnits) {
  const Accelerator acc = Machine();
  EXPECT_EQ(*BoxBytes(acc, BufferId(1), std::vector<int64_t>{3}), 384);
  EXPECT_EQ(*BoxBytes(acc, BufferId(3), std::vector<int64_t>{}), 64);
  EXPECT_EQ(BoxBytes(acc, BufferId(1), std::vector<int64_t>{int64_t{1} << 60}).status().front().code,
            "isa-too-wide");
}

// Byte by byte, from the definition.
std::vector<int64_t> BytesByDefinition(const Buffer& buffer, const Box& box) {
  std::vector<int64_t> strides = box.strides;
  int64_t start = 0;
  for (size_t d = 0; d < box.start.size(); ++d) start = start * buffer.addresses[d] + box.start[d];
  if (strides.empty()) {
    strides.assign(box.size.size(), 1);
    for (size_t d = box.size.size(); d-- > 1;) strides[d - 1] = strides[d] * buffer.addresses[d];
  }
  std::vector<int64_t> addresses{start};
  for (size_t d = 0; d < box.size.size(); ++d) {
    std::vector<int64_t> next;
    for (int64_t a : addresses) {
      for (int64_t i = 0; i < box.size[d]; ++i) next.push_back(a + i * strides[d]);
    }
    addresses = next;
  }
  std::vector<int64_t> bytes;
  for (int64_t a : addresses) {
    for (int64_t b = 0; b < buffer.UnitBytes(); ++b) bytes.push_back(a * buffer.UnitBytes() + b);
  }
  return bytes;
}

TEST(BoxRanges, CoverTheBytesInRowMajorOrderWithNeighboursMerged) {
  const Accelerator acc = Machine();
  std::vector<Box> boxes{MakeBox(1, {3}, {2}),
                         MakeBox(3, {}, {}),
                         MakeBox(1, {3}, {3, 2}, {9, 1}),
                         MakeBox(1, {20}, {3}, {-4}),
                         MakeBox(1, {20}, {3}, {0}),
                         MakeBox(0, {7}, {2, 3, 2}, {12, 4, 1}),
                         MakeBox(0, {7}, {2, 3, 2}, {6, 2, 1})};
  for (int64_t row = 0; row < 6; ++row) {
    for (int64_t column = 0; column < 5; ++column) {
      for (int64_t rows = 1; row + rows <= 6; ++rows) {
        for (int64_t columns = 1; column + columns <= 5; ++columns) {
          boxes.push_back(MakeBox(2, {row, column}, {rows, columns}));
        }
      }
    }
  }
  for (const Box& box : boxes) {
    ASSERT_TRUE(CheckBox(acc, box).ok());
    std::vector<int64_t> bytes;
    const std::vector<ByteRange> ranges = BoxRanges(acc, box);
    for (size_t i = 0; i < ranges.size(); ++i) {
      if (i > 0) {
        EXPECT_NE(ranges[i - 1].end, ranges[i].begin);
      }
      for (int64_t b = ranges[i].begin; b < ranges[i].end; ++b) bytes.push_back(b);
    }
    EXPECT_EQ(bytes, BytesByDefinition(acc.buffer(box.buffer), box));
  }
}

}  // namespace
}  // namespace act::isa
