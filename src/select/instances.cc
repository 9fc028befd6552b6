#include "select/instances.h"

#include <algorithm>
#include <map>

namespace act::select {
namespace {

using assembly::SelectedGraph;
using assembly::Step;
using assembly::Value;

class InstanceMaker {
 public:
  InstanceMaker(const isa::Accelerator& accelerator, const StateGraph& states, const Selection& selection,
                Sharing sharing)
      : accelerator_(accelerator), states_(states), selection_(selection), sharing_(sharing) {}

  StatusOr<SelectedGraph> Run(std::span<const Shape> input_shapes, std::span<const Shape> output_shapes) {
    graph_.input_shapes.assign(input_shapes.begin(), input_shapes.end());
    graph_.output_shapes.assign(output_shapes.begin(), output_shapes.end());
    graph_.cost = selection_.cost;
    if (sharing_ != Sharing::kNothing) ACT_RETURN_IF_ERROR(MakeShared());
    for (int32_t goal : states_.goals) {
      ACT_ASSIGN_OR_RETURN(const ValueId output, Make(goal, 0));
      graph_.outputs.push_back(output);
    }
    ACT_RETURN_IF_ERROR(SeparateRepeatedOperands());
    if (sharing_ != Sharing::kNothing) {
      ACT_RETURN_IF_ERROR(SeparateDestructiveUses());
    } else {
      ACT_RETURN_IF_ERROR(KeepLeaves());
    }
    SortSteps();
    NameValues();
    TypeConstants();
    return std::move(graph_);
  }

 private:
  static constexpr size_t kMaxSteps = 100000;

  // All uses of the state have one instance.
  bool IsShared(const Production& p) const {
    if (p.kind != Production::Kind::kInstruction || sharing_ == Sharing::kAll) return true;
    // A load: its operands lie in HBM from the start.
    return sharing_ == Sharing::kComputed &&
           !std::all_of(p.operands.begin(), p.operands.end(), [&](int32_t operand) {
             return Chosen(operand).kind != Production::Kind::kInstruction;
           });
  }

  ValueId NewValue(Value value) {
    graph_.values.push_back(std::move(value));
    return ValueId(graph_.values.size() - 1);
  }

  const Production& Chosen(int32_t number) const {
    return states_.productions[static_cast<size_t>(selection_.production[static_cast<size_t>(number)])];
  }

  // One instance of every shared state that is needed, operands first, so that Make never goes deep.
  Status MakeShared() {
    std::vector<std::pair<int32_t, size_t>> stack;
    std::vector<bool> seen(states_.states.size());
    for (int32_t goal : states_.goals) {
      stack.push_back({goal, 0});
      while (!stack.empty()) {
        auto& [number, next] = stack.back();
        const std::vector<int32_t>& operands = Chosen(number).operands;
        if (next == operands.size()) {
          if (IsShared(Chosen(number))) ACT_RETURN_IF_ERROR(Make(number, 0).status());
          stack.pop_back();
          continue;
        }
        const int32_t operand = operands[next++];
        if (seen[static_cast<size_t>(operand)]) continue;
        seen[static_cast<size_t>(operand)] = true;
        stack.push_back({operand, 0});
      }
    }
    return Status();
  }

  // An instance of the state.
  StatusOr<ValueId> Make(int32_t number, int depth) {
    const State& state = states_.states[static_cast<size_t>(number)];
    const Production& p = Chosen(number);
    if (IsShared(p)) {
      const auto known = made_.find(number);
      if (known != made_.end()) return known->second;
    }
    if (depth > 2000 || graph_.steps.size() > kMaxSteps) {
      return Error(ErrorClass::kLimit, "select-size",
                   "the selected program has more than " + std::to_string(kMaxSteps) + " instructions");
    }
    Value value;
    value.buffer = state.buffer;
    value.size = state.size;
    ACT_ASSIGN_OR_RETURN(value.bytes, isa::BoxBytes(accelerator_, state.buffer, state.size));
    if (p.kind == Production::Kind::kInput) {
      value.kind = Value::Kind::kInput;
      value.index = p.input;
    } else if (p.kind == Production::Kind::kConstant) {
      value.kind = Value::Kind::kConstant;
      value.index = static_cast<int64_t>(graph_.constants.size());
      Literal literal(Shape::Array(ElementType::kU8, {static_cast<int64_t>(p.constant.size())}));
      literal.bytes = p.constant;
      graph_.constants.push_back(std::move(literal));
    } else {
      Step step;
      step.instruction = p.instruction;
      step.computational = p.computational;
      std::map<int32_t, ValueId> own;  // an operand used twice by one instruction is one instance
      for (int32_t operand : p.operands) {
        auto it = own.find(operand);
        if (it == own.end()) {
          ACT_ASSIGN_OR_RETURN(const ValueId id, Make(operand, depth + 1));
          it = own.emplace(operand, id).first;
        }
        step.operands.push_back(it->second);
      }
      value.kind = Value::Kind::kResult;
      value.index = static_cast<int64_t>(graph_.steps.size());
      step.result = ValueId(graph_.values.size());
      graph_.steps.push_back(std::move(step));
      if (sharing_ == Sharing::kComputed && made_.contains(number)) graph_.cost += p.cost;
    }
    const ValueId id = NewValue(std::move(value));
    made_[number] = id;
    return id;
  }

  // Rule (3) and (4): at most one destructive consumer an instance, behind all others. A further instance is
  // made by repeating the production, whose operands stay shared.
  Status SeparateDestructiveUses() {
    for (size_t round = 0; round < 1000; ++round) {
      bool changed = false;
      const std::vector<Uses> uses = AllUses();
      const auto before = Predecessors(uses);
      for (size_t v = 0; v < uses.size() && !changed; ++v) {
        ACT_ASSIGN_OR_RETURN(changed, SeparateOne(ValueId(v), uses[v], before));
      }
      if (!changed) return Status();
    }
    return Error(ErrorClass::kLimit, "select-instances",
                 "destructive instructions would need more than 1000 further instances");
  }

  // Steps that overwrite a value, and those that only read it.
  struct Uses {
    std::vector<size_t> destructive, others;
  };
  std::vector<Uses> AllUses() const {
    std::vector<Uses> all(graph_.values.size());
    for (size_t s = 0; s < graph_.steps.size(); ++s) {
      const Step& step = graph_.steps[s];
      std::map<ValueId, bool> destroys;  // by operand; an operand may occur twice
      for (size_t k = 0; k < step.operands.size(); ++k) {
        bool& one = destroys[step.operands[k]];
        one = one || assembly::OverwritesOperand(accelerator_, step, k);
      }
      for (const auto& [value, destroyed] : destroys) {
        Uses& uses = all[value.value()];
        (destroyed ? uses.destructive : uses.others).push_back(s);
      }
    }
    return all;
  }
  bool IsLeaf(ValueId value) const {
    const Value::Kind kind = graph_.value(value).kind;
    return kind == Value::Kind::kInput || kind == Value::Kind::kConstant;
  }
  Status Destroys(size_t step) const {
    const isa::Instruction& in = accelerator_.instruction(graph_.steps[step].instruction);
    return Error(ErrorClass::kUnsupported, "select-destroys-input",
                 "instruction '" + in.name + "' would overwrite a kernel input or constant in place");
  }

  // Rule (5) where nothing is shared but inputs and constants.
  Status KeepLeaves() const {
    const std::vector<Uses> all = AllUses();
    for (size_t v = 0; v < all.size(); ++v) {
      if (IsLeaf(ValueId(v)) && !all[v].destructive.empty()) return Destroys(all[v].destructive[0]);
    }
    return Status();
  }

  StatusOr<bool> SeparateOne(ValueId value, const Uses& uses,
                             const std::vector<std::vector<size_t>>& before) {
    const std::vector<size_t>& destructive = uses.destructive;
    const std::vector<size_t>& others = uses.others;
    const bool is_output =
        std::find(graph_.outputs.begin(), graph_.outputs.end(), value) != graph_.outputs.end();
    if (destructive.empty()) return false;
    if (IsLeaf(value)) return Destroys(destructive[0]);
    // The destructive consumer that keeps this instance comes behind all others, so none of them may have to
    // wait for it: for its result, or for a value that it reads before that is overwritten.
    size_t keep = destructive.size();
    for (size_t d = 0; d < destructive.size() && keep == destructive.size(); ++d) {
      const bool waited_for = std::any_of(others.begin(), others.end(), [&](size_t other) {
        return DependsOn(before, other, destructive[d]);
      });
      if (!waited_for && !is_output) keep = d;
    }
    for (size_t d = 0; d < destructive.size(); ++d) {
      if (d == keep) continue;
      const size_t producer = static_cast<size_t>(graph_.value(value).index);
      const ValueId copy = RepeatStep(producer);
      for (ValueId& operand : graph_.steps[destructive[d]].operands) {
        if (operand == value) operand = copy;
      }
      return true;
    }
    return false;
  }

  // A value that one instruction reads twice is one instance, unless the instruction's constraints keep the
  // two operands apart (an ISA whose source registers must differ): then it is made twice.
  Status SeparateRepeatedOperands() {
    const size_t steps = graph_.steps.size();
    for (size_t s = 0; s < steps; ++s) {
      for (size_t j = 1; j < graph_.steps[s].operands.size(); ++j) {
        for (size_t k = 0; k < j; ++k) {
          const ValueId value = graph_.steps[s].operands[j];
          if (graph_.steps[s].operands[k] != value || !MustDiffer(graph_.steps[s], k, j)) continue;
          if (graph_.value(value).kind != Value::Kind::kResult) {
            return Error(
                ErrorClass::kUnsupported, "select-operands-differ",
                "instruction '" + accelerator_.instruction(graph_.steps[s].instruction).name +
                    "' would read one kernel input or constant through two operands that its constraints "
                    "keep apart");
          }
          const ValueId copy = RepeatStep(static_cast<size_t>(graph_.value(value).index));
          graph_.steps[s].operands[j] = copy;
        }
      }
    }
    return Status();
  }

  // Do the constraints forbid operands k and j the same place?
  bool MustDiffer(const Step& step, size_t k, size_t j) const {
    const isa::Instruction& in = accelerator_.instruction(step.instruction);
    if (in.inputs[k].buffer != in.inputs[j].buffer) return false;
    return std::any_of(in.constraints.begin(), in.constraints.end(), [&](const isa::Condition& condition) {
      return Forbids(condition, step, in.inputs[k].starts, in.inputs[j].starts);
    });
  }
  // Is the condition false whenever both starts are equal? Only comparisons of the two starts are recognised.
  static bool Forbids(const isa::Condition& condition, const Step& step,
                      const std::vector<isa::Expression>& x, const std::vector<isa::Expression>& y) {
    const auto forbids = [&](const isa::Condition& part) { return Forbids(part, step, x, y); };
    switch (condition.kind) {
      case isa::Condition::Kind::kAnd:
        return std::any_of(condition.operands.begin(), condition.operands.end(), forbids);
      case isa::Condition::Kind::kOr:
        return std::all_of(condition.operands.begin(), condition.operands.end(), forbids);
      case isa::Condition::Kind::kCompare:
        break;
    }
    if (!condition.Uses(isa::AttributeKind::kAddressing) && !condition.Uses(isa::AttributeKind::kState)) {
      const auto holds = isa::Evaluate(condition, {step.computational, {}, {}});
      return holds.ok() && !*holds;
    }
    if (condition.relation != isa::Relation::kNotEqual && condition.relation != isa::Relation::kLess &&
        condition.relation != isa::Relation::kGreater) {
      return false;
    }
    for (size_t d = 0; d < x.size(); ++d) {
      if ((condition.left == x[d] && condition.right == y[d]) ||
          (condition.left == y[d] && condition.right == x[d])) {
        return true;
      }
    }
    return false;
  }

  ValueId RepeatStep(size_t producer) {
    Step step = graph_.steps[producer];
    Value value = graph_.value(step.result);
    value.index = static_cast<int64_t>(graph_.steps.size());
    step.result = NewValue(std::move(value));
    graph_.steps.push_back(step);
    return step.result;
  }

  // The steps that each step comes behind: producers of its operands and, where it is the only one to
  // overwrite a value, the others that read it.
  std::vector<std::vector<size_t>> Predecessors(const std::vector<Uses>& all) const {
    std::vector<std::vector<size_t>> before(graph_.steps.size());
    for (size_t s = 0; s < graph_.steps.size(); ++s) {
      for (ValueId operand : graph_.steps[s].operands) {
        const Value& v = graph_.value(operand);
        if (v.kind == Value::Kind::kResult) before[s].push_back(static_cast<size_t>(v.index));
      }
    }
    for (const Uses& uses : all) {
      if (uses.destructive.size() != 1) continue;
      std::vector<size_t>& list = before[uses.destructive[0]];
      list.insert(list.end(), uses.others.begin(), uses.others.end());
    }
    return before;
  }

  // Must step a come behind step b?
  static bool DependsOn(const std::vector<std::vector<size_t>>& before, size_t a, size_t b) {
    std::vector<size_t> stack{a};
    std::vector<bool> seen(before.size());
    while (!stack.empty()) {
      const size_t s = stack.back();
      stack.pop_back();
      if (s == b) return true;
      if (seen[s]) continue;
      seen[s] = true;
      stack.insert(stack.end(), before[s].begin(), before[s].end());
    }
    return false;
  }

  // Steps in dependence order, first made first.
  void SortSteps() {
    std::vector<size_t> order;
    std::vector<int> mark(graph_.steps.size());
    for (size_t root = 0; root < graph_.steps.size(); ++root) {
      std::vector<std::pair<size_t, size_t>> stack{{root, 0}};
      while (!stack.empty()) {
        auto& [s, k] = stack.back();
        if (k == 0) {
          if (mark[s] != 0) {
            stack.pop_back();
            continue;
          }
          mark[s] = 1;
        }
        if (k == graph_.steps[s].operands.size()) {
          order.push_back(s);
          stack.pop_back();
          continue;
        }
        const Value& v = graph_.value(graph_.steps[s].operands[k++]);
        if (v.kind == Value::Kind::kResult && mark[static_cast<size_t>(v.index)] == 0) {
          stack.push_back({static_cast<size_t>(v.index), 0});
        }
      }
    }
    std::vector<Step> sorted;
    for (size_t s : order) {
      graph_.values[graph_.steps[s].result.value()].index = static_cast<int64_t>(sorted.size());
      sorted.push_back(std::move(graph_.steps[s]));
    }
    graph_.steps = std::move(sorted);
  }

  void NameValues() {
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      Value& value = graph_.values[v];
      switch (value.kind) {
        case Value::Kind::kInput:
          value.name = "in" + std::to_string(value.index);
          break;
        case Value::Kind::kConstant:
          value.name = "const" + std::to_string(value.index);
          break;
        default:
          value.name = "v" + std::to_string(value.index);
          break;
      }
    }
    for (size_t k = 0; k < graph_.outputs.size(); ++k) {
      graph_.values[graph_.outputs[k].value()].name = "out" + std::to_string(k);
    }
  }

  // A constant is bytes to selection. For a reader it has the type and shape of the box it is first brought
  // to.
  void TypeConstants() {
    for (const Step& step : graph_.steps) {
      const Value& result = graph_.value(step.result);
      const isa::Buffer& buffer = accelerator_.buffer(result.buffer);
      for (ValueId operand : step.operands) {
        const Value& value = graph_.value(operand);
        if (value.kind != Value::Kind::kConstant || value.bytes != result.bytes) continue;
        Literal& literal = graph_.constants[static_cast<size_t>(value.index)];
        if (literal.shape.type != ElementType::kU8 || literal.shape.rank() != 1) continue;
        std::vector<int64_t> dims = result.size;
        dims.insert(dims.end(), buffer.unit.begin(), buffer.unit.end());
        literal.shape = Shape::Array(buffer.type, std::move(dims));
      }
    }
  }

  const isa::Accelerator& accelerator_;
  const StateGraph& states_;
  const Selection& selection_;
  const Sharing sharing_;
  SelectedGraph graph_;
  std::map<int32_t, ValueId> made_;
};

}  // namespace

StatusOr<SelectedGraph> MakeInstances(const isa::Accelerator& accelerator, const StateGraph& graph,
                                      const Selection& selection, std::span<const Shape> input_shapes,
                                      std::span<const Shape> output_shapes, Sharing sharing) {
  return InstanceMaker(accelerator, graph, selection, sharing).Run(input_shapes, output_shapes);
}

}  // namespace act::select
