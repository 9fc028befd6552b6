#include <functional>

#include "kit.h"

namespace act::validate {
namespace {

using assembly::SelectedGraph;
using assembly::Value;

constexpr int64_t kRows = 8;

Kit Named(const std::string& name) {
  for (Example& e : QkvExamples(kRows)) {
    if (e.name == name) return std::move(e.kit);
  }
  ADD_FAILURE() << "no example " << name;
  return Kit(MakeQkv(kRows));
}

struct Case {
  const char* example;
  const char* says;
  std::function<void(SelectedGraph&)> change;
};

TEST(ValidateCertificate, MalformedOnesAreRefusedByName) {
  const auto result = [](const SelectedGraph& g, size_t step) { return g.steps[step].result.value(); };
  const std::vector<Case> cases = {
      {"attention", "2 inputs", [](SelectedGraph& g) { g.input_shapes.pop_back(); }},
      {"attention", "input 1", [](SelectedGraph& g) { g.input_shapes[1].dims[0] = 9; }},
      {"attention", "output 0", [](SelectedGraph& g) { g.output_shapes[0].dims[0] = 9; }},
      {"attention", "0 values for 1 outputs", [](SelectedGraph& g) { g.outputs.clear(); }},
      {"attention", "no value", [](SelectedGraph& g) { g.outputs[0] = ValueId(999); }},
      {"attention", "not a result", [](SelectedGraph& g) { g.outputs[0] = ValueId(0); }},
      {"A*B and softmax(A*B)", "more than one output", [](SelectedGraph& g) { g.outputs[0] = g.outputs[1]; }},
      {"attention", "'A' is in no buffer", [](SelectedGraph& g) { g.values[0].buffer = BufferId(7); }},
      {"attention", "must lie in HBM",
       [](SelectedGraph& g) { g.values[0].buffer = BufferId(1), g.values[0].size = {8}; }},
      {"attention", "2 dimensions", [](SelectedGraph& g) { g.values[0].size = {128, 1}; }},
      {"attention", "not its box's size", [](SelectedGraph& g) { g.values[0].bytes = 64; }},
      {"attention", "larger than buffer 'd1'", [&](SelectedGraph& g) { g.values[result(g, 0)].size = {17}; }},
      {"attention", "input 3 of 3", [](SelectedGraph& g) { g.values[0].index = 3; }},
      {"attention", "input -1 of 3", [](SelectedGraph& g) { g.values[0].index = -1; }},
      {"softmax", "constant 1 of 1", [](SelectedGraph& g) { g.values[1].index = 1; }},
      {"softmax", "the 64 bytes of bf16[4,8]", [](SelectedGraph& g) { g.constants[0].shape.dims[0] = 4; }},
      {"softmax", "bytes are not those", [](SelectedGraph& g) { g.constants[0].bytes.pop_back(); }},
      {"attention", "step 99", [&](SelectedGraph& g) { g.values[result(g, 0)].index = 99; }},
      {"attention", "not the result that step 1 names",
       [&](SelectedGraph& g) { g.values[result(g, 0)].index = 1; }},
      {"attention", "two values have the name 'B'", [](SelectedGraph& g) { g.values[0].name = "B"; }},
      {"halves swapped", "2 parts, expected one",
       [](SelectedGraph& g) { g.values[2].parts.emplace_back(0); }},
      {"halves swapped", "no window", [](SelectedGraph& g) { g.values[2].offset = 66; }},
      {"halves swapped", "no window", [](SelectedGraph& g) { g.values[2].offset = -16; }},
      {"halves swapped", "no window of whole units", [](SelectedGraph& g) { g.values[2].offset = 8; }},
      {"halves swapped", "another buffer", [](SelectedGraph& g) { g.values[2].parts = {ValueId(0)}; }},
      {"halves swapped", "two or more", [](SelectedGraph& g) { g.values[5].parts.pop_back(); }},
      {"halves swapped", "its parts have 192",
       [](SelectedGraph& g) { g.values[5].parts.push_back(g.values[5].parts[0]); }},
      {"halves swapped", "part that is no value",
       [](SelectedGraph& g) { g.values[5].parts[0] = ValueId(77); }},
      {"attention", "names no instruction",
       [](SelectedGraph& g) { g.steps[0].instruction = InstructionId(99); }},
      {"attention", "attributes, operands", [](SelectedGraph& g) { g.steps[0].computational.clear(); }},
      {"attention", "attributes, operands", [](SelectedGraph& g) { g.steps[2].operands.pop_back(); }},
      {"attention", "operand that is no value",
       [](SelectedGraph& g) { g.steps[2].operands[0] = ValueId(99); }},
      {"attention", "result", [](SelectedGraph& g) { g.steps[2].result = ValueId(0); }},
      {"attention", "buffer 'd2', the region is in 'd1'",
       [&](SelectedGraph& g) { g.steps[6].operands[0] = ValueId(result(g, 3)); }},
      {"attention", "used before step",
       [&](SelectedGraph& g) { g.steps[2].operands[0] = ValueId(result(g, 5)); }},
      {"attention", "another box", [](SelectedGraph& g) { g.steps[0].computational[0] = 4; }},
  };
  for (const Case& c : cases) {
    Kit kit = Named(c.example);
    c.change(kit.graph);
    EXPECT_TRUE(Says(Fault(kit, true), {"validate-certificate", c.says}));
    EXPECT_EQ(Fault(kit, false), "");
  }
}

TEST(ValidateCertificate, PartsMayNotContainThemselves) {
  Kit kit = Named("halves swapped");
  Value loop;
  loop.kind = Value::Kind::kWindow;
  loop.buffer = BufferId(1);
  loop.size = {1};
  loop.bytes = 16;
  loop.name = "loop";
  loop.parts = {ValueId(kit.graph.values.size() + 1)};
  Value other = loop;
  other.name = "other";
  other.parts = {ValueId(kit.graph.values.size())};
  kit.graph.values.push_back(loop);
  kit.graph.values.push_back(other);
  EXPECT_TRUE(Says(Fault(kit, true), {"validate-certificate", "part of itself"}));
}

TEST(ValidateCertificate, LongChainsOfPartsNeedNoStack) {
  Kit kit = Named("copy");
  ValueId value = kit.graph.steps[0].result;
  for (int i = 0; i < 200000; ++i) value = kit.Window(value, {kRows}, 0);
  kit.graph.steps[1].operands[0] = value;
  EXPECT_EQ(Fault(kit, true), "");
}

// Every change of what a certificate computes is noticed, since the program still computes the old thing.
TEST(ValidateCertificate, MutantsAreRejected) {
  Random random(31);
  int mutants = 0;
  std::vector<Example> examples = QkvExamples(kRows);
  for (Example& e : QkvNewExamples(kRows)) examples.push_back(std::move(e));
  for (Example& e : IntegerExamples()) examples.push_back(std::move(e));
  while (mutants < 1000) {
    const Example& example = examples[random.Below(examples.size())];
    Kit kit = example.kit;
    SelectedGraph& g = kit.graph;
    const SelectedGraph before = g;
    assembly::Step& step = g.steps[random.Below(g.steps.size())];
    const uint64_t kind = random.Below(6);
    switch (kind) {
      case 0:
        step.instruction = InstructionId(random.Below(kit.accelerator.instructions.size()));
        if (step.instruction == before.steps[static_cast<size_t>(&step - g.steps.data())].instruction)
          continue;
        // The first result of "both" is add's, and the constant of softmax is its own transpose.
        if (example.name == "softmax") continue;
        if (kit.accelerator.instruction(step.instruction).name == "both") continue;
        break;
      case 1:
        // load2's pitch says where its operand lies, which a certificate does not.
        if (step.computational.empty() || step.computational.size() == 3) continue;
        step.computational[random.Below(step.computational.size())] += random.Below(2) == 0 ? 1 : -1;
        break;
      case 2: {
        if (step.operands.empty()) continue;
        ValueId& operand = step.operands[random.Below(step.operands.size())];
        const ValueId old = operand;
        operand = ValueId(random.Below(g.values.size()));
        if (operand == old) continue;
        break;
      }
      case 3: {
        if (g.constants.empty()) continue;
        std::vector<uint8_t>& bytes = g.constants[0].bytes;
        bytes[random.Below(bytes.size())] ^= static_cast<uint8_t>(1 + random.Below(255));
        break;
      }
      case 4: {
        Value& value = g.values[random.Below(g.values.size())];
        if (value.kind == Value::Kind::kWindow) {
          value.offset += random.Below(2) == 0 ? 1 : -1;
        } else if (value.kind == Value::Kind::kAdjacent) {
          if (value.parts[0] == value.parts[1]) continue;
          std::swap(value.parts[0], value.parts[1]);
        } else {
          value.index += random.Below(2) == 0 ? 1 : -1;
        }
        break;
      }
      default: {
        if (step.operands.size() < 2 || step.operands[0] == step.operands[1]) continue;
        // Sums of integers are equal in either order.
        if (kit.accelerator.instruction(step.instruction).name == "add" ||
            kit.accelerator.instruction(step.instruction).name == "max2") {
          continue;
        }
        std::swap(step.operands[0], step.operands[1]);
      }
    }
    ++mutants;
    EXPECT_NE(Fault(kit, true), "") << example.name << ", mutant " << mutants << " of kind " << kind
                                    << ", step " << (&step - g.steps.data());
  }
}

}  // namespace
}  // namespace act::validate
