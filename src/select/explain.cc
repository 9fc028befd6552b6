#include "select/explain.h"

#include <algorithm>
#include <limits>

#include "select/extract.h"

namespace act::select {
namespace {

std::string BytesText(int64_t bytes) { return std::to_string(bytes) + " bytes"; }

class Explainer {
 public:
  Explainer(TensorGraph* graph, RuleBase* rules, const hlo::FlatKernel& kernel,
            const std::vector<ClassId>& terms, std::span<const ClassId> inputs)
      : graph_(*graph), rules_(*rules), kernel_(kernel), terms_(terms), inputs_(inputs) {}

  Status Run(std::span<const ClassId> outputs, const StateSearchOptions& options,
             const SaturateOptions& saturate) {
    // Ask for every value of the kernel in every place that could hold it.
    std::vector<State> goals;
    for (size_t i = 0; i < terms_.size(); ++i) {
      if (!terms_[i].valid()) continue;
      for (const State& place : Places(graph_.Bytes(terms_[i]))) {
        State goal = place;
        goal.content = terms_[i];
        goals.push_back(std::move(goal));
      }
    }
    SaturateReport report;
    auto states = SearchStatesFor(&graph_, &rules_, inputs_, goals, options, saturate, &report);
    if (!states.ok()) return states.status();
    const Trees trees = CheapestTrees(*states);
    const double infinity = std::numeric_limits<double>::infinity();
    for (size_t s = 0; s < states->states.size(); ++s) {
      if (trees.cost[s] == infinity) continue;
      const State& state = states->states[s];
      if (state.buffer.value() == 0 && state.output < 0 && graph_.IsConstant(state.content)) continue;
      reached_.push_back(graph_.Find(state.content));
      if (state.buffer.value() != 0) on_chip_.push_back(graph_.Find(state.content));
    }
    for (std::vector<ClassId>* list : {&reached_, &on_chip_}) {
      std::sort(list->begin(), list->end());
    }
    for (size_t k = 0; k < outputs.size(); ++k) {
      const int32_t index = kernel_.outputs[k];
      if (!Reached(terms_[static_cast<size_t>(index)]) || IsInputOrConstant(index)) {
        const Status blamed = Blame(index);
        if (!blamed.ok()) return blamed;
      }
    }
    return Error(ErrorClass::kUnsupported, "select-output",
                 "every value of the kernel can be computed, but none of the ways ends with every output "
                 "in HBM in the layout the kernel asks for; an instruction of " +
                     rules_.accelerator().name + " that writes this layout to HBM is missing");
  }

 private:
  bool IsInputOrConstant(int32_t index) const {
    const hlo::Opcode opcode = kernel_.body.instructions[static_cast<size_t>(index)].opcode;
    return opcode == hlo::Opcode::kParameter || graph_.IsConstant(terms_[static_cast<size_t>(index)]);
  }
  bool Reached(ClassId id) const {
    return std::binary_search(reached_.begin(), reached_.end(), graph_.Find(id));
  }
  bool OnChip(ClassId id) const {
    return std::binary_search(on_chip_.begin(), on_chip_.end(), graph_.Find(id));
  }

  // Buffers and boxes of that many bytes that some instruction can write.
  std::vector<State> Places(int64_t bytes) {
    std::vector<State> places;
    const isa::Accelerator& acc = rules_.accelerator();
    for (size_t i = 0; i < acc.instructions.size(); ++i) {
      if (!rules_.usable(i)) continue;
      const isa::Instruction& in = acc.instructions[i];
      const isa::Region& out = in.outputs[0];
      isa::Expression product = isa::Expression::Integer(acc.buffer(out.buffer).UnitBytes());
      for (const isa::Expression& size : out.sizes) {
        product = isa::Expression::Binary(isa::Expression::Kind::kMultiply, product, size);
      }
      const isa::Equation equation{product, bytes};
      const auto solutions = isa::SolveAttributes(acc, in, {&equation, 1}, 8);
      if (!solutions.ok()) continue;
      for (const std::vector<int64_t>& values : solutions->values) {
        auto size = isa::EvaluateSizes(out, {values, {}, {}});
        if (!size.ok()) continue;
        State state{ClassId(), out.buffer, *std::move(size), -1};
        if (std::find(places.begin(), places.end(), state) == places.end())
          places.push_back(std::move(state));
      }
    }
    return places;
  }

  // Blames the first operation, in the order of the text, that `output` needs and that is not reached: its
  // operands are. Ok where there is none.
  Status Blame(int32_t output) {
    std::vector<bool> needed(terms_.size());
    needed[static_cast<size_t>(output)] = true;
    for (size_t i = terms_.size(); i-- > 0;) {
      if (!needed[i] || !terms_[i].valid() || graph_.IsConstant(terms_[i])) continue;
      if (Reached(terms_[i]) && static_cast<int32_t>(i) != output) continue;
      for (int32_t operand : kernel_.body.instructions[i].operands)
        needed[static_cast<size_t>(operand)] = true;
    }
    for (size_t i = 0; i < terms_.size(); ++i) {
      if (!needed[i] || !terms_[i].valid()) continue;
      ACT_RETURN_IF_ERROR(BlameOne(static_cast<int32_t>(i), static_cast<int32_t>(i) == output));
    }
    return Status();
  }

  Status BlameOne(int32_t index, bool is_output) {
    const hlo::Instruction& in = kernel_.body.instructions[static_cast<size_t>(index)];
    const ClassId id = terms_[static_cast<size_t>(index)];
    if (IsInputOrConstant(index)) {
      const bool constant = graph_.IsConstant(id);
      if (OnChip(id) || (constant && !is_output)) return Status();  // constants end in what uses them
      return Fail(
          in, (constant ? "constant '" + in.name + "'" : "parameter " + std::to_string(in.parameter_number)) +
                  " (" + ToString(in.shape) + ", " + BytesText(graph_.Bytes(id)) +
                  ") cannot be moved from HBM into any buffer as it is: " + Moves());
    }
    if (Reached(id)) return Status();
    if (MovesOnly(in)) {
      return Fail(in, "no instruction of " + rules_.accelerator().name + " moves data as operation '" +
                          in.opcode_name + "' (" + in.name + ", " + ToString(in.shape) + ") does, " +
                          BytesText(graph_.Bytes(id)) + ": " + Moves());
    }
    return Fail(in, "operation '" + in.opcode_name + "' (" + in.name + ", " + ToString(in.shape) +
                        ") has no implementation on " + rules_.accelerator().name + ": " + Nearest(in));
  }

  static bool MovesOnly(const hlo::Instruction& in) {
    using hlo::Opcode;
    switch (in.opcode) {
      case Opcode::kBroadcast:
      case Opcode::kReshape:
      case Opcode::kTranspose:
      case Opcode::kSlice:
      case Opcode::kReverse:
      case Opcode::kCopy:
      case Opcode::kBitcastConvert:
        return true;
      default:
        return false;
    }
  }

  static Status Fail(const hlo::Instruction& in, std::string message) {
    Diagnostic d;
    d.error_class = ErrorClass::kUnsupported;
    d.code = "select-unsupported";
    d.message = std::move(message);
    d.location = in.location;
    return Status(std::move(d));
  }

  // What the instructions that read HBM can take from it, in words: "load_rm moves 128 to 16384 bytes
  // into buffer 'd1' in steps of 128".
  std::string Moves() {
    std::string text;
    const isa::Accelerator& acc = rules_.accelerator();
    for (size_t i = 0; i < acc.instructions.size(); ++i) {
      if (!rules_.usable(i)) continue;
      const isa::Instruction& in = acc.instructions[i];
      for (const isa::Region& region : in.inputs) {
        if (region.buffer.value() != 0) continue;
        std::vector<int64_t> low, high;
        for (const isa::AttributeRange& range : isa::AttributeRanges(acc, in)) {
          low.push_back(range.low);
          high.push_back(range.high);
        }
        const auto least = isa::EvaluateSizes(region, {low, {}, {}});
        const auto most = isa::EvaluateSizes(region, {high, {}, {}});
        if (!least.ok() || !most.ok()) continue;
        text += (text.empty() ? "" : ", ") + in.name + " moves ";
        const std::string into = " into buffer '" + acc.buffer(in.outputs[0].buffer).name + "'";
        if (*least == *most) {
          text += BytesText((*most)[0]) + into;
          continue;
        }
        text += std::to_string((*least)[0]) + " to " + BytesText((*most)[0]) + into;
        // With one attribute the sizes between are one step apart.
        if (low.size() != 1 || low[0] == high[0]) continue;
        const auto next = isa::EvaluateSizes(region, {std::vector<int64_t>{low[0] + 1}, {}, {}});
        if (next.ok() && (*next)[0] - (*least)[0] > 1) {
          text += " in steps of " + std::to_string((*next)[0] - (*least)[0]);
        }
      }
    }
    return text.empty() ? "no instruction reads HBM" : text;
  }

  // The instructions whose semantics contain the operation, or that there is none.
  std::string Nearest(const hlo::Instruction& op) {
    const isa::Accelerator& acc = rules_.accelerator();
    std::string named;
    for (size_t i = 0; i < acc.instructions.size(); ++i) {
      const isa::Instruction& in = acc.instructions[i];
      const bool contains =
          std::any_of(in.semantics.nodes.begin(), in.semantics.nodes.end(),
                      [&](const isa::SemanticNode& node) { return node.opcode == op.opcode; });
      if (!contains) continue;
      named += (named.empty() ? "" : "; ");
      if (!rules_.usable(i)) {
        named += rules_.reason(i);
        continue;
      }
      named += "instruction '" + in.name + "' computes it only as " + Core(i);
    }
    if (!named.empty()) return named;
    return "no instruction computes '" + std::string(hlo::OpcodeName(op.opcode)) + "'";
  }

  std::string Core(size_t i) {
    const isa::Accelerator& acc = rules_.accelerator();
    const auto sample = isa::SolveAttributes(acc, acc.instructions[i], {}, 1);
    std::vector<int64_t> values;
    for (const isa::AttributeRange& range : isa::AttributeRanges(acc, acc.instructions[i])) {
      values.push_back(range.high);
    }
    const std::vector<Pattern>* patterns = &rules_.Patterns(i, values);
    if (patterns->empty() && sample.ok() && !sample->values.empty()) {
      patterns = &rules_.Patterns(i, sample->values[0]);
    }
    if (patterns->empty()) return "a part of its semantics";
    return ToString((*patterns)[0], acc.instructions[i], graph_.operators());
  }

  TensorGraph& graph_;
  RuleBase& rules_;
  const hlo::FlatKernel& kernel_;
  const std::vector<ClassId>& terms_;
  std::span<const ClassId> inputs_;
  std::vector<ClassId> reached_, on_chip_;
};

}  // namespace

Status ExplainRefusal(TensorGraph* graph, RuleBase* rules, const hlo::FlatKernel& kernel,
                      const std::vector<ClassId>& terms, std::span<const ClassId> inputs,
                      std::span<const ClassId> outputs, const StateSearchOptions& options,
                      const SaturateOptions& saturate) {
  return Explainer(graph, rules, kernel, terms, inputs).Run(outputs, options, saturate);
}

}  // namespace act::select
