#include "select/states.h"

#include <algorithm>
#include <deque>

namespace act::select {
namespace {

constexpr BufferId kHbm{0u};

class Search {
 public:
  Search(TensorGraph* graph, RuleBase* rules, std::span<const ClassId> inputs,
         const StateSearchOptions& options)
      : graph_(*graph), rules_(*rules), inputs_(inputs), options_(options) {
    CollectCores();
    for (const isa::Instruction& in : rules->accelerator().instructions)
      exchangeable_.push_back(Exchangeable(in));
  }

  StateGraph Run(const std::vector<State>& goals) {
    for (State goal : goals) {
      goal.content = graph_.Find(goal.content);
      out_.goals.push_back(Demand(std::move(goal), options_.max_route));
    }
    while (!work_.empty()) {
      const int32_t state = work_.front();
      work_.pop_front();
      queued_[static_cast<size_t>(state)] = false;
      Expand(state);
    }
    return std::move(out_);
  }

 private:
  // Nothing but their contents tells the instruction's operands apart: each starts at an address of its own
  // that no other window, mark or constraint speaks of.
  static bool Exchangeable(const isa::Instruction& in) {
    if (in.outputs.size() != 1) return false;
    if (!in.inplace.empty() || !in.apart.empty() || !in.no_partial_overlap.empty()) return false;
    for (const isa::Condition& c : in.constraints) {
      if (c.Uses(isa::AttributeKind::kAddressing)) return false;
    }
    std::vector<isa::Expression> starts;
    for (const isa::Region& region : in.inputs) {
      for (const isa::Expression& start : region.starts) {
        const bool plain = start.nodes.size() == 1 && start.Uses(isa::AttributeKind::kAddressing);
        if (!plain || std::find(starts.begin(), starts.end(), start) != starts.end()) return false;
        starts.push_back(start);
      }
    }
    for (const isa::Expression& start : in.outputs[0].starts) {
      for (const isa::Expression& input : starts) {
        if (start.Uses(isa::AttributeKind::kAddressing, input.nodes[0].index)) return false;
      }
    }
    return true;
  }

  // Dimensions of the dots and reductions in the kernel: they bind attributes that a box leaves open.
  void CollectCores() {
    for (size_t i = 0; i < graph_.graph().num_node_ids(); ++i) {
      const NodeId id(i);
      if (!graph_.graph().alive(id)) continue;
      const Operator& op = graph_.op(id);
      std::vector<std::vector<int64_t>>* list = op.kind == OperatorKind::kDot      ? &dots_
                                                : op.kind == OperatorKind::kReduce ? &reduces_
                                                                                   : nullptr;
      if (list != nullptr && std::find(list->begin(), list->end(), op.dims) == list->end()) {
        list->push_back(op.dims);
      }
    }
  }

  // The number of a state, expanded again if more transfers may follow than before.
  int32_t Demand(State state, int route) {
    const auto [it, fresh] = numbers_.emplace(state, static_cast<int32_t>(out_.states.size()));
    const size_t number = static_cast<size_t>(it->second);
    if (fresh) {
      out_.states.push_back(std::move(state));
      out_.by_state.emplace_back();
      route_.push_back(-1);
      queued_.push_back(false);
    }
    if (route > route_[number]) {
      route_[number] = route;
      if (static_cast<int64_t>(out_.states.size()) > options_.max_states) {
        out_.state_limit = true;
      } else if (!queued_[number]) {
        queued_[number] = true;
        work_.push_back(it->second);
      }
    }
    return it->second;
  }

  void AddProduction(Production production) {
    const size_t result = static_cast<size_t>(production.result);
    for (int32_t known : out_.by_state[result]) {
      const Production& p = out_.productions[static_cast<size_t>(known)];
      if (p.kind == production.kind && p.instruction == production.instruction &&
          p.computational == production.computational &&
          (p.operands == production.operands ||
           (p.kind == Production::Kind::kInstruction && p.marks == production.marks &&
            exchangeable_[p.instruction.value()] &&
            std::is_permutation(p.operands.begin(), p.operands.end(), production.operands.begin(),
                                production.operands.end())))) {
        return;
      }
    }
    out_.by_state[result].push_back(static_cast<int32_t>(out_.productions.size()));
    out_.productions.push_back(std::move(production));
  }

  void Supply(int32_t number) {
    const State state = out_.states[static_cast<size_t>(number)];
    if (state.buffer != kHbm || state.output >= 0) return;
    for (size_t k = 0; k < inputs_.size(); ++k) {
      if (graph_.Find(inputs_[k]) != state.content) continue;
      Production p;
      p.kind = Production::Kind::kInput;
      p.input = static_cast<int64_t>(k);
      p.result = number;
      AddProduction(std::move(p));
      return;
    }
    if (graph_.IsConstant(state.content)) {
      Production p;
      p.kind = Production::Kind::kConstant;
      p.constant = *graph_.ConstantBytes(state.content);
      p.result = number;
      // The price of a constant is its bytes: it decides between equals only.
      p.cost = 1e-9 * static_cast<double>(p.constant.size());
      AddProduction(std::move(p));
    }
  }

  void Expand(int32_t number) {
    Supply(number);
    const State state = out_.states[static_cast<size_t>(number)];
    const isa::Accelerator& acc = rules_.accelerator();
    for (size_t i = 0; i < acc.instructions.size(); ++i) {
      if (!rules_.usable(i) || acc.instructions[i].outputs[0].buffer != state.buffer) continue;
      const std::vector<std::vector<int64_t>> assignments =
          rules_.Assignments(i, state.size, options_.max_attributes, &out_.attribute_limit, dots_, reduces_);
      for (const std::vector<int64_t>& computational : assignments) {
        for (const Pattern& pattern : rules_.Patterns(i, computational)) {
          if (Allowed(pattern.marks, options_.numerics)) Apply(number, i, computational, pattern);
        }
      }
    }
  }

  void Apply(int32_t number, size_t i, const std::vector<int64_t>& computational, const Pattern& pattern) {
    const isa::Instruction& in = rules_.accelerator().instructions[i];
    const int route = route_[static_cast<size_t>(number)];
    if (pattern.IsTransfer() && route == 0) return;
    const ClassId content = out_.states[static_cast<size_t>(number)].content;
    for (const Binding& binding :
         Match(&graph_, pattern, content, options_.max_bindings, &out_.binding_limit)) {
      std::vector<ClassId> contents(in.inputs.size());
      for (size_t n = 0; n < pattern.nodes.size(); ++n) {
        if (pattern.nodes[n].kind == PatternNode::Kind::kParameter) {
          contents[static_cast<size_t>(pattern.nodes[n].parameter)] = binding.classes[n];
        }
      }
      for (const ConstantOperand& constant : pattern.constants) {
        contents[static_cast<size_t>(constant.parameter)] =
            graph_.AddConstant(ConstantContent(constant, binding));
      }
      Production p;
      p.instruction = InstructionId(i);
      p.computational = computational;
      p.result = number;
      p.cost = rules_.Cost(i, computational);
      p.marks = pattern.marks;
      p.specialisation = pattern.specialisation;
      bool complete = true;
      for (size_t k = 0; k < in.inputs.size(); ++k) {
        auto size = isa::EvaluateSizes(in.inputs[k], {computational, {}, {}});
        if (!size.ok() || !contents[k].valid()) {
          complete = false;
          break;
        }
        State operand{graph_.Find(contents[k]), in.inputs[k].buffer, *std::move(size), -1};
        p.operands.push_back(
            Demand(std::move(operand), pattern.IsTransfer() ? route - 1 : options_.max_route));
      }
      if (complete) AddProduction(std::move(p));
    }
  }

  static std::vector<uint8_t> ConstantContent(const ConstantOperand& constant, const Binding& binding) {
    if (constant.diagonal < 0) return constant.bytes;
    const std::vector<uint8_t>& diagonal = binding.free[static_cast<size_t>(constant.diagonal)];
    std::vector<uint8_t> matrix(static_cast<size_t>(constant.size * constant.size * constant.width));
    for (int64_t i = 0; i < constant.size; ++i) {
      std::copy_n(diagonal.begin() + i * constant.width, constant.width,
                  matrix.begin() + (i * constant.size + i) * constant.width);
    }
    return ApplyView(constant.placement, matrix);
  }

  TensorGraph& graph_;
  RuleBase& rules_;
  std::span<const ClassId> inputs_;
  const StateSearchOptions& options_;
  StateGraph out_;
  std::map<State, int32_t> numbers_;
  std::vector<int> route_;  // transfers that may still follow behind a state
  std::vector<bool> queued_;
  std::deque<int32_t> work_;
  std::vector<std::vector<int64_t>> dots_, reduces_;
  std::vector<bool> exchangeable_;  // by instruction
};

}  // namespace

StatusOr<StateGraph> SearchStatesFor(TensorGraph* graph, RuleBase* rules, std::span<const ClassId> inputs,
                                     const std::vector<State>& goals, const StateSearchOptions& options,
                                     const SaturateOptions& saturate, SaturateReport* report) {
  // A search meets contents that the graph did not have; the rules see them; what they add may match.
  constexpr int kMaxRounds = 8;
  for (int round = 0;; ++round) {
    Saturate(graph, saturate, report);
    if (!graph->fault().empty()) {
      return Error(ErrorClass::kInternal, "select-merge", "internal error in saturation: " + graph->fault());
    }
    const size_t before = graph->graph().num_node_ids();
    StateGraph states = Search(graph, rules, inputs, options).Run(goals);
    if (graph->graph().num_node_ids() == before || report->node_limit) return states;
    if (round >= kMaxRounds) {
      report->iteration_limit = true;  // the rules have not seen the newest contents
      return states;
    }
  }
}

StatusOr<StateGraph> SearchStates(TensorGraph* graph, RuleBase* rules, std::span<const ClassId> inputs,
                                  std::span<const ClassId> outputs, const StateSearchOptions& options,
                                  const SaturateOptions& saturate, SaturateReport* report) {
  std::vector<State> goals;
  for (size_t k = 0; k < outputs.size(); ++k) {
    goals.push_back({outputs[k], kHbm, {graph->Bytes(outputs[k])}, static_cast<int32_t>(k)});
  }
  return SearchStatesFor(graph, rules, inputs, goals, options, saturate, report);
}

}  // namespace act::select
