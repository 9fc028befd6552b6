#include "validate/movement.h"

#include <gtest/gtest.h>

#include "eval/eval.h"

namespace act::validate {
namespace {

using hlo::Opcode;

// Data movement is checked against the evaluator: an s32 tensor of distinct labels goes through it, and each
// label says where the byte must come from.
struct Operand {
  Literal labels;
  ContentId content;
};

class MovementTest : public testing::Test {
 protected:
  // A tensor whose element i has label first_label_ + i; its content is one term, or broken into pieces of
  // several terms and literals.
  Operand MakeOperand(std::vector<int64_t> dims) {
    Operand operand;
    operand.labels = Literal(Shape::Array(ElementType::kS32, std::move(dims)));
    const int64_t count = operand.labels.num_elements();
    const int style = static_cast<int>(random_.Below(3));
    ContentBuilder builder(&table_);
    const TermId term = next_term_++;
    for (int64_t i = 0; i < count; ++i) {
      operand.labels.SetInt(i, static_cast<int64_t>(bytes_.size()));
      std::vector<ByteOf> element;
      for (int64_t b = 0; b < 4; ++b) {
        if (style == 1 && i % 3 == 0) {
          element.push_back({kLiteralTerm, (i * 5 + b) % 7});
        } else if (style == 2 && b == 3) {
          element.push_back({term, 1000 + i});  // elements of two runs: no common granule of 4
        } else {
          element.push_back({term, 4 * ((i * 3) % count) + b});
        }
      }
      if (style == 0) {
        element = {{term, 4 * i}, {term, 4 * i + 1}, {term, 4 * i + 2}, {term, 4 * i + 3}};
      }
      for (const ByteOf& b : element) {
        const uint8_t value = static_cast<uint8_t>(b.offset);
        b.term == kLiteralTerm ? builder.AddLiteral({&value, 1}) : builder.Add(b.term, b.offset, 1);
      }
      bytes_.push_back(element);
    }
    operand.content = builder.Finish();
    return operand;
  }

  void Check(hlo::Instruction instruction, const std::vector<Operand>& operands) {
    std::vector<const Literal*> literals;
    std::vector<const Shape*> shapes;
    std::vector<ContentId> contents;
    for (const Operand& o : operands) {
      literals.push_back(&o.labels);
      shapes.push_back(&o.labels.shape);
      contents.push_back(o.content);
    }
    StatusOr<Literal> expected = eval::EvaluateInstruction(instruction, literals);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    ASSERT_TRUE(IsMovement(table_, instruction, shapes, contents));
    StatusOr<ContentId> moved = MoveData(&table_, instruction, shapes, contents);
    ASSERT_TRUE(moved.ok()) << moved.status().message();
    ASSERT_EQ(table_.bytes(*moved), expected->shape.num_bytes());
    for (int64_t i = 0; i < expected->num_elements(); ++i) {
      const auto& element = bytes_[static_cast<size_t>(expected->GetInt(i))];
      for (int64_t b = 0; b < 4; ++b) {
        ASSERT_EQ(ByteAt(table_, *moved, 4 * i + b), element[static_cast<size_t>(b)])
            << hlo::OpcodeName(instruction.opcode) << " element " << i;
      }
    }
  }

  std::vector<int64_t> RandomDims(int64_t low_rank, int64_t high_rank) {
    std::vector<int64_t> dims(static_cast<size_t>(random_.Between(low_rank, high_rank)));
    for (int64_t& d : dims) d = random_.Between(1, 5);
    return dims;
  }
  hlo::Instruction Make(Opcode opcode, std::vector<int64_t> dims) {
    hlo::Instruction instruction;
    instruction.opcode = opcode;
    instruction.opcode_name = hlo::OpcodeName(opcode);
    instruction.shape = Shape::Array(ElementType::kS32, std::move(dims));
    return instruction;
  }

  Random random_{21};
  ContentTable table_;
  TermId next_term_ = 1;
  std::vector<std::vector<ByteOf>> bytes_;  // by label
};

TEST_F(MovementTest, Transpose) {
  for (int trial = 0; trial < 300; ++trial) {
    const Operand x = MakeOperand(RandomDims(1, 4));
    const std::vector<int64_t>& dims = x.labels.shape.dims;
    std::vector<int64_t> order;
    for (size_t d = 0; d < dims.size(); ++d) order.push_back(static_cast<int64_t>(d));
    for (size_t d = dims.size(); d > 1; --d) std::swap(order[d - 1], order[random_.Below(d)]);
    std::vector<int64_t> result;
    for (const int64_t d : order) result.push_back(dims[static_cast<size_t>(d)]);
    hlo::Instruction i = Make(Opcode::kTranspose, result);
    i.dimensions = order;
    Check(i, {x});
  }
}

TEST_F(MovementTest, SliceAndReverse) {
  for (int trial = 0; trial < 300; ++trial) {
    const Operand x = MakeOperand(RandomDims(1, 4));
    const std::vector<int64_t>& dims = x.labels.shape.dims;
    std::vector<int64_t> result, reversed;
    hlo::Instruction i = Make(Opcode::kSlice, {});
    for (size_t d = 0; d < dims.size(); ++d) {
      const int64_t start = random_.Between(0, dims[d] - 1);
      const int64_t limit = random_.Between(start + 1, dims[d]);
      const int64_t stride = random_.Between(1, 3);
      i.slice.push_back({start, limit, stride});
      result.push_back((limit - start + stride - 1) / stride);
      if (random_.Below(2) == 0) reversed.push_back(static_cast<int64_t>(d));
    }
    i.shape.dims = result;
    Check(i, {x});
    hlo::Instruction r = Make(Opcode::kReverse, dims);
    r.dimensions = reversed;
    Check(r, {x});
  }
}

TEST_F(MovementTest, Broadcast) {
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<int64_t> result = RandomDims(0, 4);
    std::vector<int64_t> dims, kept;
    for (size_t d = 0; d < result.size(); ++d) {
      if (random_.Below(2) == 0) continue;
      kept.push_back(static_cast<int64_t>(d));
      dims.push_back(result[d]);
    }
    hlo::Instruction i = Make(Opcode::kBroadcast, result);
    i.dimensions = kept;
    Check(i, {MakeOperand(dims)});
  }
}

// pitfall 50
TEST_F(MovementTest, ConcatenateTakesEveryOperand) {
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<int64_t> dims = RandomDims(1, 4);
    const size_t dimension = random_.Below(dims.size());
    std::vector<Operand> operands;
    int64_t sum = 0;
    for (int64_t k = random_.Between(1, 4); k > 0; --k) {
      dims[dimension] = random_.Between(1, 4);
      sum += dims[dimension];
      operands.push_back(MakeOperand(dims));
    }
    dims[dimension] = sum;
    hlo::Instruction i = Make(Opcode::kConcatenate, dims);
    i.dimensions = {static_cast<int64_t>(dimension)};
    Check(i, operands);
  }
}

TEST_F(MovementTest, Pad) {
  for (int trial = 0; trial < 400; ++trial) {
    const Operand x = MakeOperand(RandomDims(0, 3));
    const Operand value = MakeOperand({});
    std::vector<int64_t> result;
    hlo::Instruction i = Make(Opcode::kPad, {});
    for (const int64_t d : x.labels.shape.dims) {
      hlo::PadDim p{random_.Between(-2, 3), random_.Between(-2, 3), random_.Between(0, 2)};
      int64_t extent = d + (d - 1) * p.interior + p.low + p.high;
      if (extent < 0) {
        p = {0, 0, 0};
        extent = d;
      }
      i.padding.push_back(p);
      result.push_back(extent);
    }
    i.shape.dims = result;
    Check(i, {x, value});
  }
}

TEST_F(MovementTest, DynamicWindowsWithKnownStarts) {
  for (int trial = 0; trial < 300; ++trial) {
    const Operand x = MakeOperand(RandomDims(1, 3));
    const std::vector<int64_t>& dims = x.labels.shape.dims;
    std::vector<int64_t> window;
    std::vector<Operand> starts;
    for (const int64_t d : dims) {
      window.push_back(random_.Between(1, d));
      Operand start;
      start.labels = Literal(Shape::Array(ElementType::kS32, {}));
      start.labels.SetInt(0, random_.Between(0, d - window.back()));
      start.content = table_.Literal(start.labels.bytes);
      starts.push_back(start);
    }
    hlo::Instruction slice = Make(Opcode::kDynamicSlice, window);
    slice.dynamic_slice_sizes = window;
    std::vector<Operand> operands = {x};
    operands.insert(operands.end(), starts.begin(), starts.end());
    Check(slice, operands);
    operands.insert(operands.begin() + 1, MakeOperand(window));
    Check(Make(Opcode::kDynamicUpdateSlice, dims), operands);
    // One further, and the window is outside: refused, not clamped.
    starts[0].labels.SetInt(0, dims[0] - window[0] + 1);
    starts[0].content = table_.Literal(starts[0].labels.bytes);
    std::vector<const Shape*> shapes = {&x.labels.shape};
    std::vector<ContentId> contents = {x.content};
    for (const Operand& s : starts) {
      shapes.push_back(&s.labels.shape);
      contents.push_back(s.content);
    }
    const StatusOr<ContentId> outside = MoveData(&table_, slice, shapes, contents);
    ASSERT_FALSE(outside.ok());
    EXPECT_EQ(outside.status().front().code, "validate-bounds");
  }
}

TEST_F(MovementTest, ReshapeCopyAndEqualWidthsKeepTheContent) {
  const Operand x = MakeOperand({4, 3});
  const Shape* shape = &x.labels.shape;
  for (const Opcode opcode : {Opcode::kReshape, Opcode::kCopy, Opcode::kConvert, Opcode::kBitcastConvert}) {
    hlo::Instruction i = Make(opcode, {4, 3});
    if (opcode == Opcode::kReshape) i.shape.dims = {2, 6};
    const StatusOr<ContentId> moved = MoveData(&table_, i, {&shape, 1}, {&x.content, 1});
    ASSERT_TRUE(moved.ok());
    EXPECT_EQ(*moved, x.content);
  }
  hlo::Instruction bytes = Make(Opcode::kBitcastConvert, {4, 3, 4});
  bytes.shape.type = ElementType::kU8;
  EXPECT_TRUE(IsMovement(table_, bytes, {&shape, 1}, {&x.content, 1}));
  // A sub-byte element does not fill its byte, and a conversion computes.
  hlo::Instruction nibbles = Make(Opcode::kBitcastConvert, {4, 3, 8});
  nibbles.shape.type = ElementType::kU4;
  EXPECT_FALSE(IsMovement(table_, nibbles, {&shape, 1}, {&x.content, 1}));
  hlo::Instruction convert = Make(Opcode::kConvert, {4, 3});
  convert.shape.type = ElementType::kF32;
  EXPECT_FALSE(IsMovement(table_, convert, {&shape, 1}, {&x.content, 1}));
}

TEST_F(MovementTest, EmptyTensors) {
  const Operand x = MakeOperand({0, 3});
  hlo::Instruction transpose = Make(Opcode::kTranspose, {3, 0});
  transpose.dimensions = {1, 0};
  Check(transpose, {x});
  hlo::Instruction pad = Make(Opcode::kPad, {2, 3});
  pad.padding = {{1, 1, 0}, {0, 0, 0}};
  Check(pad, {x, MakeOperand({})});
}

}  // namespace
}  // namespace act::validate
