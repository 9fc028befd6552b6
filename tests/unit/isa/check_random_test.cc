// Check, ranges, solving and instantiation on random accelerators: every answer is consistent with the
// others.
#include <gtest/gtest.h>

#include "random_spec.h"

namespace act::isa {
namespace {

TEST(RandomAccelerators, CheckEndsWithSentencesOfKnownKinds) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const Accelerator acc = RandomAccelerator(seed);
    for (const Diagnostic& finding : Check(acc)) {
      EXPECT_FALSE(finding.code.empty()) << seed;
      EXPECT_FALSE(finding.message.empty()) << seed;
      EXPECT_NE(finding.error_class, ErrorClass::kInternal) << seed << ": " << finding.message;
    }
  }
}

TEST(RandomAccelerators, SamplesAreLegalAndInTheRanges) {
  int samples = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const Accelerator acc = RandomAccelerator(seed);
    for (const Instruction& instruction : acc.instructions) {
      const AttributeSolver solver(acc, instruction);
      const std::vector<AttributeRange> ranges = solver.Ranges();
      ASSERT_EQ(ranges.size(), instruction.computational.size());
      for (const std::vector<int64_t>& values : solver.Samples()) {
        ++samples;
        EXPECT_TRUE(CheckConstraints(acc, instruction, {values, {}, {}}, false).ok()) << seed;
        std::vector<Equation> equations;
        for (size_t i = 0; i < values.size(); ++i) {
          EXPECT_GE(values[i], ranges[i].low) << seed;
          EXPECT_LE(values[i], ranges[i].high) << seed;
          equations.push_back(
              {Expression::Attribute(AttributeKind::kComputational, static_cast<int32_t>(i)), values[i]});
        }
        // A sample is the only solution of the equations that name it.
        const StatusOr<AttributeSolutions> found = solver.Solve(equations, 2);
        ASSERT_TRUE(found.ok()) << seed << ": " << found.status().message();
        EXPECT_EQ(found->values, std::vector<std::vector<int64_t>>{values}) << seed;
      }
    }
  }
  EXPECT_GT(samples, 100);
}

TEST(RandomAccelerators, InstancesHaveTheRegionsShapes) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const Accelerator acc = RandomAccelerator(seed);
    std::vector<int64_t> state;
    for (const StateVariable& variable : acc.state) state.push_back(variable.initial);
    for (const Instruction& instruction : acc.instructions) {
      for (const std::vector<int64_t>& values : AttributeSolver(acc, instruction).Samples()) {
        const StatusOr<Instance> instance = Instantiate(acc, instruction, values, state);
        if (!instance.ok()) {
          EXPECT_EQ(instance.status().front().message.find("instruction '" + instruction.name + "'"), 0u)
              << seed;
          continue;
        }
        const auto shape_of = [&](int32_t index) {
          return instance->body.instructions[static_cast<size_t>(index)].shape;
        };
        const auto compare = [&](const Region& region, const Shape& shape) {
          const Buffer& buffer = acc.buffer(region.buffer);
          std::vector<int64_t> dims = *EvaluateSizes(region, {values, {}, state});
          dims.insert(dims.end(), buffer.unit.begin(), buffer.unit.end());
          EXPECT_TRUE(SameTypeAndDims(shape, Shape::Array(buffer.type, dims))) << seed;
        };
        ASSERT_EQ(instance->body.parameters.size(), instruction.inputs.size());
        ASSERT_EQ(instance->outputs.size(), instruction.outputs.size());
        for (size_t i = 0; i < instruction.inputs.size(); ++i) {
          compare(instruction.inputs[i], shape_of(instance->body.parameters[i]));
        }
        for (size_t j = 0; j < instruction.outputs.size(); ++j) {
          compare(instruction.outputs[j], shape_of(instance->outputs[j]));
        }
      }
    }
  }
}

}  // namespace
}  // namespace act::isa
