// The state search: states (content, buffer, box) and the productions that reach them, found
// backwards from the outputs.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "select/match.h"
#include "select/rules.h"

namespace act::select {

struct State {
  ClassId content;
  BufferId buffer;
  std::vector<int64_t> size;  // box, in addressed units
  int32_t output = -1;        // >= 0: the place of output k in HBM
  friend auto operator<=>(const State&, const State&) = default;
};

// One way to make a state: an input's image, a constant, or an instruction.
struct Production {
  enum class Kind : uint8_t { kInput, kConstant, kInstruction };
  Kind kind = Kind::kInstruction;
  int64_t input = 0;              // kInput
  std::vector<uint8_t> constant;  // kConstant: the bytes
  InstructionId instruction;
  std::vector<int64_t> computational;
  std::vector<int32_t> operands;  // states, one each input region
  int32_t result = -1;
  double cost = 0;
  NumericMarks marks;
  std::string specialisation;
};

struct StateSearchOptions {
  int max_route = 3;  // transfers in a row
  int64_t max_states = 20000;
  size_t max_bindings = 8;    // of one rule on one content
  size_t max_attributes = 8;  // assignments of one instruction for one box
  Numerics numerics = Numerics::kDefault;
};

struct StateGraph {
  std::vector<State> states;
  std::vector<Production> productions;
  std::vector<std::vector<int32_t>> by_state;  // productions of each state
  std::vector<int32_t> goals;                  // places of the outputs, in order
  bool state_limit = false, binding_limit = false, attribute_limit = false;
};

// Rules of one accelerator, derived on demand and kept: patterns for (instruction, attributes), attribute
// assignments for (instruction, box).
class RuleBase {
 public:
  RuleBase(const isa::Accelerator* accelerator, OperatorTable* operators);
  const isa::Accelerator& accelerator() const { return *accelerator_; }
  // Instructions that selection can use, with the reason for those it cannot.
  bool usable(size_t instruction) const { return reasons_[instruction].empty(); }
  const std::string& reason(size_t instruction) const { return reasons_[instruction]; }
  const std::vector<Pattern>& Patterns(size_t instruction, const std::vector<int64_t>& computational);
  // Attribute assignments whose output box is `size`; `dots` and `reduces` (dimensions of such operators in
  // the kernel) bind what the box leaves open.
  std::vector<std::vector<int64_t>> Assignments(size_t instruction, const std::vector<int64_t>& size,
                                                size_t limit, bool* cut,
                                                const std::vector<std::vector<int64_t>>& dots,
                                                const std::vector<std::vector<int64_t>>& reduces);
  double Cost(size_t instruction, const std::vector<int64_t>& computational) const;

 private:
  const isa::Accelerator* accelerator_;
  OperatorTable* operators_;
  std::vector<std::string> reasons_;
  bool any_cost_ = false;
  std::map<std::pair<size_t, std::vector<int64_t>>, std::vector<Pattern>> patterns_;
  struct Solved {
    std::vector<std::vector<int64_t>> values;
    bool cut = false;
  };
  // The attributes that give the box `size`, with the core's dimensions equal to `dims` (empty: any).
  const Solved& Solve(size_t instruction, const std::vector<int64_t>& size, size_t limit,
                      const std::vector<isa::Expression>& core, const std::vector<int64_t>& dims);
  // By instruction, box, limit, dimensions.
  std::map<std::tuple<size_t, std::vector<int64_t>, size_t, std::vector<int64_t>>, Solved> assignments_;
};

// inputs: the class of each kernel input's image in HBM. outputs: of each output's image. Saturates the graph
// with `saturate` whenever new contents have appeared, until nothing new appears.
StatusOr<StateGraph> SearchStates(TensorGraph* graph, RuleBase* rules, std::span<const ClassId> inputs,
                                  std::span<const ClassId> outputs, const StateSearchOptions& options,
                                  const SaturateOptions& saturate, SaturateReport* report);

// The same for any goal states.
StatusOr<StateGraph> SearchStatesFor(TensorGraph* graph, RuleBase* rules, std::span<const ClassId> inputs,
                                     const std::vector<State>& goals, const StateSearchOptions& options,
                                     const SaturateOptions& saturate, SaturateReport* report);

}  // namespace act::select
