// Mutants of right programs: every one that the simulator tells apart must be rejected.
#include <cstdio>

#include "kit.h"
#include "oracle/oracle.h"

namespace act::validate {
namespace {

constexpr int64_t kRows = 8;

// Outputs and, behind them, the inputs' places at the end, for three seeded inputs, on memory of zeros and on
// poisoned memory; nullopt if the simulator refuses the program.
std::optional<std::vector<Literal>> Run(const Kit& kit) {
  assembly::Program program = kit.program;
  for (const assembly::HbmTensor& input : kit.program.inputs) program.outputs.push_back(input);
  std::vector<Literal> results;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    std::vector<Literal> inputs;
    for (const assembly::HbmTensor& tensor : kit.program.inputs) {
      Literal input(tensor.shape);
      for (int64_t i = 0; i < input.num_elements(); ++i) {
        if (IsFloat(tensor.shape.type)) {
          input.SetDouble(i, random.Normal());
        } else {
          input.SetInt(i, static_cast<int64_t>(random.Next()));
        }
      }
      inputs.push_back(std::move(input));
    }
    for (const bool poison : {false, true}) {
      oracle::SimulateOptions options;
      options.poison = poison;
      StatusOr<oracle::Simulation> simulation = oracle::Simulate(kit.accelerator, program, inputs, options);
      if (!simulation.ok()) return std::nullopt;
      for (Literal& output : simulation->outputs) results.push_back(std::move(output));
    }
  }
  return results;
}

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  // False if the kit has no place for the mutation drawn.
  bool Mutate(Kit* kit) {
    std::vector<assembly::Statement>& body = kit->program.body;
    const size_t at = random_.Below(body.size());
    assembly::Call& call = body[at].call;
    switch (random_.Below(9)) {
      case 0:  // one unit
        return Shift(&call, random_.Below(2) == 0 ? 1 : -1);
      case 1: {  // a tile, in units of either memory
        const int64_t tiles[] = {kRows, 64, 2 * kRows, 2 * kRows * kRows, 16};
        return Shift(&call, (random_.Below(2) == 0 ? 1 : -1) * tiles[random_.Below(5)]);
      }
      case 2: {  // operands swapped
        if (call.addressing.size() < 2) return false;
        const size_t k = random_.Below(call.addressing.size() - 1);
        std::swap(call.addressing[k], call.addressing[k + 1]);
        return true;
      }
      case 3: {  // the sources of two calls of one instruction
        const size_t other = random_.Below(body.size());
        if (other == at || body[other].call.instruction != call.instruction || call.addressing.empty())
          return false;
        std::swap(call.addressing[0], body[other].call.addressing[0]);
        return true;
      }
      case 4: {
        const size_t other = random_.Below(body.size());
        if (other == at) return false;
        std::swap(body[at], body[other]);
        return true;
      }
      case 5:
        body.erase(body.begin() + static_cast<std::ptrdiff_t>(at));
        return true;
      case 6: {
        const assembly::Statement copy = body[at];
        body.insert(body.begin() + static_cast<std::ptrdiff_t>(random_.Below(body.size() + 1)), copy);
        return true;
      }
      case 7: {
        if (call.computational.empty()) return false;
        int64_t& n = call.computational[random_.Below(call.computational.size())];
        const int64_t changed[] = {n - 1, n + 1, n / 2, n * 2};
        n = changed[random_.Below(4)];
        return true;
      }
      default: {  // another instruction of the same attributes
        const InstructionId other(random_.Below(kit->accelerator.instructions.size()));
        const isa::Instruction& instruction = kit->accelerator.instruction(other);
        if (other == call.instruction || instruction.computational.size() != call.computational.size() ||
            instruction.addressing.size() != call.addressing.size()) {
          return false;
        }
        call.instruction = other;
        return true;
      }
    }
  }

 private:
  bool Shift(assembly::Call* call, int64_t by) {
    if (call->addressing.empty()) return false;
    assembly::AttributeValue& value = call->addressing[random_.Below(call->addressing.size())];
    value = assembly::AttributeValue::Of(value.AsInteger().value() + by);
    return true;
  }
  Random random_;
};

void CheckMutants(std::vector<Example> examples, int count, uint64_t seed) {
  int rejected = 0, equal_accepted = 0, equal_rejected = 0, refused_by_simulator = 0;
  std::vector<std::vector<Literal>> expected;
  for (Example& e : examples) {
    e.kit.Reserve(4 * 2 * kRows * kRows);  // so that a shifted store lands in memory
    ASSERT_EQ(Fault(e.kit, true), "") << e.name;
    const std::optional<std::vector<Literal>> result = Run(e.kit);
    ASSERT_TRUE(result.has_value()) << e.name;
    expected.push_back(*result);
  }
  Mutator mutator(seed);
  for (int n = 0; n < count;) {
    const size_t k = static_cast<size_t>(n) % examples.size();
    Kit kit = examples[k].kit;
    if (!mutator.Mutate(&kit)) continue;
    ++n;
    const std::string fault = Fault(kit, true);
    const std::optional<std::vector<Literal>> result = Run(kit);
    const bool equal = result.has_value() && *result == expected[k];
    if (!result) ++refused_by_simulator;
    if (equal) {
      ++(fault.empty() ? equal_accepted : equal_rejected);
      continue;
    }
    ++rejected;
    EXPECT_NE(fault, "") << examples[k].name << ", mutant " << n
                         << (result ? " gives another result" : " is refused by the simulator");
    // What is safe alone may be wrong, but what the simulator refuses is not even safe.
    if (!result) {
      EXPECT_NE(Fault(kit, false), "") << examples[k].name << ", mutant " << n;
    }
  }
  std::printf(
      "%d mutants: %d differ and are rejected (%d of them refused by the simulator), %d equal and "
      "accepted, %d equal though rejected\n",
      count, rejected, refused_by_simulator, equal_accepted, equal_rejected);
  EXPECT_GT(rejected, count / 2);
  EXPECT_LE(equal_rejected * 10, count);
}

TEST(ValidateMutants, Qkv) { CheckMutants(QkvExamples(kRows), 1500, 41); }
TEST(ValidateMutants, QkvNew) { CheckMutants(QkvNewExamples(kRows), 500, 42); }
TEST(ValidateMutants, Integer) { CheckMutants(IntegerExamples(), 1500, 43); }

}  // namespace
}  // namespace act::validate
