#include "select/merge.h"

#include <algorithm>

namespace act::select {
namespace {

using assembly::SelectedGraph;
using assembly::Step;
using assembly::Value;

// Two steps that one transfer of both their bytes could replace.
struct Merge {
  size_t first = 0, second = 0;        // steps, in order of their bytes
  std::vector<int64_t> computational;  // of the joint transfer
};

class Merger {
 public:
  Merger(RuleBase* rules, const SelectedGraph& graph) : rules_(*rules), graph_(graph) {}

  std::vector<SelectedGraph> Run() {
    std::vector<Merge> merges;
    for (size_t a = 0; a < graph_.steps.size(); ++a) {
      for (size_t b = 0; b < graph_.steps.size(); ++b) {
        if (a == b) continue;
        if (auto merge = Find(a, b)) merges.push_back(*std::move(merge));
      }
    }
    std::vector<Merge> together;
    std::vector<bool> taken(graph_.steps.size());
    for (const Merge& merge : merges) {
      if (taken[merge.first] || taken[merge.second]) continue;
      taken[merge.first] = taken[merge.second] = true;
      together.push_back(merge);
    }
    std::vector<SelectedGraph> out;
    if (together.size() > 1) out.push_back(Apply(together));
    for (const Merge& merge : merges) out.push_back(Apply({merge}));
    return out;
  }

 private:
  // Operand bytes of b directly behind those of a: kernel inputs in HBM order.
  bool Neighbours(ValueId a, ValueId b) const {
    const Value& x = graph_.value(a);
    const Value& y = graph_.value(b);
    return x.kind == Value::Kind::kInput && y.kind == Value::Kind::kInput && y.index == x.index + 1;
  }

  // The transfer view of a step, if the step is a plain transfer of one operand along the outermost address.
  const Pattern* Transfer(size_t instruction, const std::vector<int64_t>& computational) const {
    const std::vector<Pattern>& patterns = rules_.Patterns(instruction, computational);
    if (patterns.empty() || !patterns[0].IsTransfer() || !patterns[0].constants.empty()) return nullptr;
    return &patterns[0];
  }

  std::optional<Merge> Find(size_t a, size_t b) const {
    const Step& x = graph_.steps[a];
    const Step& y = graph_.steps[b];
    if (x.instruction != y.instruction || x.operands.size() != 1 ||
        !Neighbours(x.operands[0], y.operands[0])) {
      return std::nullopt;
    }
    const auto is_output = [&](ValueId id) {
      return std::find(graph_.outputs.begin(), graph_.outputs.end(), id) != graph_.outputs.end();
    };
    if (is_output(x.result) || is_output(y.result)) return std::nullopt;
    const Value& u = graph_.value(x.result);
    const Value& v = graph_.value(y.result);
    // Side by side along the outermost address: the other extents must agree.
    if (!std::equal(u.size.begin() + 1, u.size.end(), v.size.begin() + 1, v.size.end())) return std::nullopt;
    std::vector<int64_t> size = u.size;
    size[0] += v.size[0];
    const size_t instruction = x.instruction.value();
    const Pattern* first = Transfer(instruction, x.computational);
    const Pattern* second = Transfer(instruction, y.computational);
    if (first == nullptr || second == nullptr) return std::nullopt;
    // Copies: the references into the rule base may move when more patterns are derived.
    const View vx = first->root.view, vy = second->root.view;
    const auto assignments = rules_.Assignments(instruction, size, 8, nullptr, {}, {});
    for (const std::vector<int64_t>& computational : assignments) {
      const Pattern* joint = Transfer(instruction, computational);
      if (joint == nullptr || !IsJoint(joint->root.view, vx, u.bytes, vy, v.bytes)) continue;
      return Merge{a, b, computational};
    }
    return std::nullopt;
  }

  // joint moves its first bytes as x does, and the others, one operand further, as y does.
  static bool IsJoint(const View& joint, const View& x, int64_t x_bytes, const View& y, int64_t y_bytes) {
    if (joint.size() != x_bytes + y_bytes) return false;
    const auto head = Compose(joint, View({{x_bytes, 1}}));
    const auto tail = Compose(joint, View({{y_bytes, 1}}, x_bytes));
    return head && tail && *head == x && *tail == View(y.modes(), y.offset() + x_bytes);
  }

  SelectedGraph Apply(const std::vector<Merge>& merges) const {
    SelectedGraph out = graph_;
    std::vector<bool> dropped(out.steps.size());
    int number = 0;
    for (const Merge& merge : merges) {
      Step& step = out.steps[merge.first];
      const Step& second = graph_.steps[merge.second];
      const ValueId first_result = step.result, second_result = second.result;
      const std::string name = "joint" + std::to_string(number++);
      const Value& first_operand = graph_.value(step.operands[0]);
      const Value& second_operand = graph_.value(second.operands[0]);
      Value source;
      source.kind = Value::Kind::kAdjacent;
      source.buffer = first_operand.buffer;
      source.size = first_operand.size;
      source.size[0] += second_operand.size[0];
      source.bytes = first_operand.bytes + second_operand.bytes;
      source.parts = {step.operands[0], second.operands[0]};
      source.name = name + "_source";
      Value result = graph_.value(first_result);
      const Value& other = graph_.value(second_result);
      result.size[0] += other.size[0];
      result.bytes += other.bytes;
      result.name = name;
      const ValueId source_id(out.values.size());
      out.values.push_back(std::move(source));
      const ValueId result_id(out.values.size());
      out.values.push_back(std::move(result));
      step.computational = merge.computational;
      step.operands = {source_id};
      step.result = result_id;
      // The old results become windows of the joint one.
      int64_t offset = 0;
      for (ValueId part : {first_result, second_result}) {
        Value& window = out.values[part.value()];
        window.kind = Value::Kind::kWindow;
        window.parts = {result_id};
        window.offset = offset;
        window.index = 0;
        offset += window.bytes;
      }
      dropped[merge.second] = true;
      out.cost -= rules_.Cost(step.instruction.value(), graph_.steps[merge.first].computational) +
                  rules_.Cost(step.instruction.value(), second.computational) -
                  rules_.Cost(step.instruction.value(), merge.computational);
    }
    // A joint transfer needs only inputs, so it may stand where its earlier half stood; nothing may use a
    // window before it.
    std::vector<Step> kept;
    for (const Merge& merge : merges) kept.push_back(std::move(out.steps[merge.first]));
    std::vector<bool> moved(out.steps.size());
    for (const Merge& merge : merges) moved[merge.first] = true;
    for (size_t s = 0; s < out.steps.size(); ++s) {
      if (!dropped[s] && !moved[s]) kept.push_back(std::move(out.steps[s]));
    }
    out.steps = std::move(kept);
    for (size_t s = 0; s < out.steps.size(); ++s) {
      out.values[out.steps[s].result.value()].index = static_cast<int64_t>(s);
    }
    return out;
  }

  RuleBase& rules_;
  const SelectedGraph& graph_;
};

}  // namespace

std::vector<SelectedGraph> MergeTransfers(RuleBase* rules, const SelectedGraph& graph) {
  return Merger(rules, graph).Run();
}

}  // namespace act::select
