// The table of pure data movement against the evaluator, on random chains of moving operations.
#include "oracle/movement.h"

#include <gtest/gtest.h>

#include "eval/eval.h"
#include "support/support.h"

namespace act::oracle {
namespace {

class ChainGenerator {
 public:
  explicit ChainGenerator(uint64_t seed) : random_(seed) {}

  isa::Instance Make() {
    isa::Instance instance;
    int64_t parameters = random_.Between(1, 2);
    Shape shape = Shape::Array(ElementType::kU8, {random_.Between(1, 3), random_.Between(1, 3), 4});
    for (int64_t k = 0; k < parameters; ++k) {
      hlo::Instruction p;
      p.opcode = hlo::Opcode::kParameter;
      p.parameter_number = k;
      p.shape = shape;
      instance.body.parameters.push_back(Add(&instance, p));
    }
    hlo::Instruction constant;
    constant.opcode = hlo::Opcode::kConstant;
    constant.shape = shape;
    auto literal = std::make_shared<Literal>(shape);
    for (uint8_t& b : literal->bytes) b = static_cast<uint8_t>(random_.Next());
    constant.literal = literal;
    Add(&instance, constant);
    for (int i = 0; i < 8; ++i) Grow(&instance);
    instance.outputs = {static_cast<int32_t>(instance.body.instructions.size()) - 1,
                        static_cast<int32_t>(random_.Below(instance.body.instructions.size()))};
    return instance;
  }

 private:
  static int32_t Add(isa::Instance* instance, hlo::Instruction node) {
    instance->body.instructions.push_back(std::move(node));
    return static_cast<int32_t>(instance->body.instructions.size()) - 1;
  }
  void Grow(isa::Instance* instance) {
    auto from = static_cast<int32_t>(random_.Below(instance->body.instructions.size()));
    const Shape operand = instance->body.instructions[static_cast<size_t>(from)].shape;
    size_t rank = operand.dims.size();
    hlo::Instruction node;
    node.operands = {from};
    node.shape = operand;
    switch (random_.Below(8)) {
      case 0: {
        node.opcode = hlo::Opcode::kTranspose;
        for (size_t d = 0; d < rank; ++d) node.dimensions.push_back(static_cast<int64_t>(d));
        for (size_t d = rank; d > 1; --d)
          std::swap(node.dimensions[d - 1], node.dimensions[random_.Below(d)]);
        for (size_t d = 0; d < rank; ++d)
          node.shape.dims[d] = operand.dims[static_cast<size_t>(node.dimensions[d])];
        break;
      }
      case 1:
        node.opcode = hlo::Opcode::kSlice;
        for (size_t d = 0; d < rank; ++d) {
          hlo::SliceDim s;
          s.start = random_.Between(0, operand.dims[d] - 1);
          s.limit = random_.Between(s.start + 1, operand.dims[d]);
          s.stride = random_.Between(1, 2);
          node.shape.dims[d] = (s.limit - s.start + s.stride - 1) / s.stride;
          node.slice.push_back(s);
        }
        break;
      case 2:
        node.opcode = hlo::Opcode::kReverse;
        for (size_t d = 0; d < rank; ++d) {
          if (random_.Below(2) == 0) node.dimensions.push_back(static_cast<int64_t>(d));
        }
        break;
      case 3: {
        node.opcode = hlo::Opcode::kBroadcast;
        size_t at = random_.Below(rank + 1);
        node.shape.dims.insert(node.shape.dims.begin() + static_cast<ptrdiff_t>(at), random_.Between(1, 2));
        for (size_t d = 0; d < rank; ++d) node.dimensions.push_back(static_cast<int64_t>(d < at ? d : d + 1));
        break;
      }
      case 4: {
        node.opcode = hlo::Opcode::kConcatenate;
        if (rank == 0) return;
        node.operands.push_back(from);
        auto d = random_.Below(rank);
        node.dimensions = {static_cast<int64_t>(d)};
        node.shape.dims[d] *= 2;
        break;
      }
      case 5:
        node.opcode = hlo::Opcode::kReshape;
        node.shape.dims = {*operand.num_elements()};
        break;
      case 6:
        if (operand.type != ElementType::kU8 || rank == 0 || operand.dims.back() != 4) return;
        node.opcode = hlo::Opcode::kBitcastConvert;
        node.shape.type = ElementType::kF32;
        node.shape.dims.pop_back();
        break;
      default:
        node.opcode = hlo::Opcode::kCopy;
    }
    if (*node.shape.num_elements() > 5000) return;
    Add(instance, std::move(node));
  }

  Random random_;
};

TEST(MovementTest, RandomChainsAgreeWithTheEvaluator) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    isa::Instance instance = ChainGenerator(seed).Make();
    std::optional<MovementPool> pool = AnalyseMovement(instance);
    ASSERT_TRUE(pool.has_value());
    Random random(seed);
    std::vector<Literal> parameters;
    std::vector<uint8_t> bytes(static_cast<size_t>(pool->constants_offset));
    bytes.insert(bytes.end(), pool->constants.begin(), pool->constants.end());
    for (int32_t p : instance.body.parameters) {
      Literal literal(instance.body.instructions[static_cast<size_t>(p)].shape);
      for (uint8_t& b : literal.bytes) b = static_cast<uint8_t>(random.Next());
      std::copy(literal.bytes.begin(), literal.bytes.end(),
                bytes.begin() + pool->parameter_offset[parameters.size()]);
      parameters.push_back(std::move(literal));
    }
    StatusOr<std::vector<Literal>> expected = eval::Evaluate(instance.body, instance.outputs, parameters);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    for (size_t j = 0; j < instance.outputs.size(); ++j) {
      std::vector<uint8_t> out((*expected)[j].bytes.size());
      Move(pool->outputs[j], bytes.data(), out.data(), static_cast<int64_t>(out.size()));
      ASSERT_EQ(out, (*expected)[j].bytes) << seed;
    }
  }
}

TEST(MovementTest, ComputationIsNoMovement) {
  isa::Instance instance = ChainGenerator(1).Make();
  hlo::Instruction add;
  add.opcode = hlo::Opcode::kAdd;
  add.shape = instance.body.instructions[0].shape;
  add.operands = {0, 0};
  instance.body.instructions.push_back(add);
  instance.outputs = {static_cast<int32_t>(instance.body.instructions.size()) - 1};
  EXPECT_FALSE(AnalyseMovement(instance).has_value());
}

}  // namespace
}  // namespace act::oracle
