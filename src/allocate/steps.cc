#include "allocate/steps.h"

#include <algorithm>

namespace act::allocate {

using isa::AttributeKind;
using isa::Environment;
using isa::Expression;

namespace {

constexpr int kFilterTries = 1 << 14;     // members refused by filters before Least gives up
constexpr int kAttributeTries = 1 << 16;  // attribute values tried for one step

bool Uses(const Expression& e, int32_t attribute) { return e.Uses(AttributeKind::kAddressing, attribute); }

}  // namespace

StepSolver::StepSolver(const Model& model) : model_(model) {
  open_by_component_.resize(model.components.size());
  constraint_attributes_.resize(model.graph->steps.size());
  for (int32_t s : model.open_steps) {
    const isa::Instruction& instruction = model.instruction(s);
    std::vector<int32_t> touched;
    for (size_t r = 0; r <= instruction.inputs.size(); ++r) {
      for (const Coordinate& c : PlaceOf(s, r)) touched.push_back(c.component);
    }
    for (const AttributeLink& link : model.attributes[s]) {
      if (link.component >= 0) touched.push_back(link.component);
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (int32_t c : touched) open_by_component_[c].push_back(s);
    for (const isa::Condition& condition : instruction.constraints) {
      std::vector<bool> used;
      for (size_t i = 0; i < instruction.addressing.size(); ++i) {
        used.push_back(condition.Uses(AttributeKind::kAddressing, static_cast<int32_t>(i)));
      }
      constraint_attributes_[s].push_back(std::move(used));
    }
  }
}

const Expression* StepSolver::Start(int32_t step, size_t region, size_t d) const {
  const isa::Instruction& instruction = model_.instruction(step);
  return region < instruction.inputs.size() ? &instruction.inputs[region].starts[d]
                                            : &instruction.outputs[0].starts[d];
}

const std::vector<Coordinate>& StepSolver::PlaceOf(int32_t step, size_t region) const {
  const assembly::Step& s = model_.graph->steps[step];
  const ValueId v = region < s.operands.size() ? s.operands[region] : s.result;
  return model_.place[v.value()];
}

bool StepSolver::Allowed(int32_t component, int64_t value) const {
  const Component& c = model_.components[component];
  if (!c.domain.Contains(value)) return false;
  for (const auto& [step, index] : c.filters) {
    const std::vector<AttributeLink>& links = model_.attributes[step];
    std::vector<int64_t> attributes(links.size(), 0);
    for (size_t i = 0; i < links.size(); ++i) {
      if (links[i].component != component) continue;
      const int64_t scaled = value + links[i].offset;
      if (scaled % links[i].divisor != 0) return false;
      attributes[i] = scaled / links[i].divisor;
    }
    const Environment environment{model_.graph->steps[step].computational, attributes, model_.state};
    const StatusOr<bool> holds = isa::Evaluate(model_.instruction(step).constraints[index], environment);
    if (!holds.ok() || !*holds) return false;
  }
  return true;
}

std::optional<int64_t> StepSolver::Least(int32_t component, int64_t from) {
  const Component& c = model_.components[component];
  std::optional<int64_t> value = c.domain.AtLeast(from);
  if (c.filters.empty()) return value;
  for (int tries = 0; value; ++tries) {
    if (Allowed(component, *value)) return value;
    if (tries == kFilterTries) {
      was_cut_ = true;
      return std::nullopt;
    }
    value = c.domain.AtLeast(*value + 1);
  }
  return std::nullopt;
}

// Constraints all of whose attributes are known.
bool StepSolver::CheckConstraints(int32_t step, const std::vector<int64_t>& attributes,
                                  const std::vector<bool>& known) const {
  const isa::Instruction& instruction = model_.instruction(step);
  const Environment environment{model_.graph->steps[step].computational, attributes, model_.state};
  for (size_t i = 0; i < instruction.constraints.size(); ++i) {
    const std::vector<bool>& used = constraint_attributes_[step][i];
    bool ready = true;
    for (size_t a = 0; a < used.size(); ++a) ready = ready && (!used[a] || known[a]);
    if (!ready) continue;
    const StatusOr<bool> holds = isa::Evaluate(instruction.constraints[i], environment);
    if (!holds.ok() || !*holds) return false;
  }
  return true;
}

bool StepSolver::PropagateStep(int32_t step, Assignment* assignment) {
  const isa::Instruction& instruction = model_.instruction(step);
  const std::vector<AttributeLink>& links = model_.attributes[step];
  std::vector<int64_t> attributes(links.size(), 0);
  std::vector<bool> known(links.size(), false);
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < links.size(); ++i) {
      if (links[i].component < 0 || !assignment->known[links[i].component]) continue;
      const int64_t scaled = assignment->value[links[i].component] + links[i].offset;
      if (scaled % links[i].divisor != 0) return false;
      const int64_t value = scaled / links[i].divisor;
      if (value < 0 || (known[i] && attributes[i] != value)) return false;
      again = again || !known[i];
      attributes[i] = value;
      known[i] = true;
    }
    const Environment environment{model_.graph->steps[step].computational, attributes, model_.state};
    for (size_t r = 0; r <= instruction.inputs.size(); ++r) {
      const std::vector<Coordinate>& place = PlaceOf(step, r);
      for (size_t d = 0; d < place.size(); ++d) {
        const Expression& start = *Start(step, r, d);
        int32_t unknown = -1;
        int unknowns = 0;
        for (size_t i = 0; i < links.size(); ++i) {
          if (!known[i] && Uses(start, static_cast<int32_t>(i))) {
            unknown = static_cast<int32_t>(i);
            ++unknowns;
          }
        }
        if (unknowns == 0) {
          const StatusOr<int64_t> value = isa::Evaluate(start, environment);
          if (!value.ok()) return false;
          if (assignment->Known(place[d])) {
            if (assignment->At(place[d]) != *value) return false;
            continue;
          }
          const int32_t component = place[d].component;
          const std::optional<int64_t> origin = CheckedSub(*value, place[d].offset);
          if (!origin || !Allowed(component, *origin)) return false;
          assignment->Set(component, *origin);
          again = true;
        } else if (unknowns == 1 && assignment->Known(place[d])) {
          const Domain set = Preimage(start, unknown, assignment->At(place[d]), environment, Domain{});
          const int64_t count = set.Count(2);
          if (count == 0) return false;
          if (count > 1) continue;
          attributes[unknown] = *set.AtLeast(set.low);
          known[unknown] = true;
          again = true;
          const AttributeLink& link = links[unknown];
          if (link.component >= 0) {  // not known yet, or the attribute would be
            const int64_t origin = attributes[unknown] * link.divisor - link.offset;
            if (!Allowed(link.component, origin)) return false;
            assignment->Set(link.component, origin);
          }
        }
      }
    }
  }
  if (!CheckConstraints(step, attributes, known)) return false;
  for (size_t r = 0; r <= instruction.inputs.size(); ++r) {
    for (const Coordinate& c : PlaceOf(step, r)) {
      if (!assignment->Known(c)) return true;
    }
  }
  return Solve(step, *assignment).has_value();
}

bool StepSolver::Propagate(Assignment* assignment, size_t from) {
  if (model_.open_steps.empty()) return true;
  for (size_t i = from; i < assignment->trail.size(); ++i) {
    for (int32_t s : open_by_component_[assignment->trail[i]]) {
      if (!PropagateStep(s, assignment)) return false;
    }
  }
  return true;
}

// Every start expression, constraint and mark of the step.
bool StepSolver::Check(int32_t step, const std::vector<int64_t>& attributes,
                       const Assignment& assignment) const {
  const isa::Instruction& instruction = model_.instruction(step);
  const assembly::Step& s = model_.graph->steps[step];
  const Environment environment{s.computational, attributes, model_.state};
  for (size_t r = 0; r <= instruction.inputs.size(); ++r) {
    const std::vector<Coordinate>& place = PlaceOf(step, r);
    for (size_t d = 0; d < place.size(); ++d) {
      const StatusOr<int64_t> value = isa::Evaluate(*Start(step, r, d), environment);
      if (!value.ok() || *value != assignment.At(place[d])) return false;
    }
  }
  for (const isa::Condition& condition : instruction.constraints) {
    const StatusOr<bool> holds = isa::Evaluate(condition, environment);
    if (!holds.ok() || !*holds) return false;
  }
  const assembly::Value& result = model_.graph->value(s.result);
  for (size_t k = 0; k < instruction.no_partial_overlap.size() && k < s.operands.size(); ++k) {
    const assembly::Value& operand = model_.graph->value(s.operands[k]);
    if (!instruction.no_partial_overlap[k] || operand.buffer != result.buffer) continue;
    bool equal = operand.size == result.size, apart = false;
    for (size_t d = 0; d < result.size.size(); ++d) {
      const int64_t a = assignment.At(PlaceOf(step, k)[d]);
      const int64_t b = assignment.At(model_.place[s.result.value()][d]);
      equal = equal && a == b;
      apart = apart || a + operand.size[d] <= b || b + result.size[d] <= a;
    }
    if (!equal && !apart) return false;
  }
  return true;
}

std::optional<std::vector<int64_t>> StepSolver::Solve(int32_t step, const Assignment& assignment) {
  const std::vector<AttributeLink>& links = model_.attributes[step];
  std::vector<int64_t> attributes(links.size(), 0);
  std::vector<bool> known(links.size(), false);
  for (size_t i = 0; i < links.size(); ++i) {
    if (links[i].component < 0 || !assignment.known[links[i].component]) continue;
    const int64_t scaled = assignment.value[links[i].component] + links[i].offset;
    if (scaled % links[i].divisor != 0 || scaled / links[i].divisor < 0) return std::nullopt;
    attributes[i] = scaled / links[i].divisor;
    known[i] = true;
  }
  std::vector<int32_t> free;
  for (size_t i = 0; i < links.size(); ++i) {
    if (!known[i]) free.push_back(static_cast<int32_t>(i));
  }
  if (free.empty()) {
    if (!Check(step, attributes, assignment)) return std::nullopt;
    return attributes;
  }
  // Depth-first over the free attributes, least values first. An attribute alone in an expression is bounded
  // by its preimage; the others by the largest place and number around.
  const isa::Instruction& instruction = model_.instruction(step);
  int64_t bound = 64;
  const auto grow = [&bound](const Expression& e) {
    for (const Expression::Node& n : e.nodes) {
      if (n.kind == Expression::Kind::kInteger)
        bound = std::max(bound, std::min(kUnbounded / 4, std::max(n.integer, -(n.integer + 1))));
    }
  };
  for (size_t r = 0; r <= instruction.inputs.size(); ++r) {
    for (size_t d = 0; d < PlaceOf(step, r).size(); ++d) {
      bound = std::max(bound, assignment.At(PlaceOf(step, r)[d]));
      grow(*Start(step, r, d));
    }
  }
  std::vector<const isa::Condition*> stack;
  for (const isa::Condition& condition : instruction.constraints) stack.push_back(&condition);
  while (!stack.empty()) {
    const isa::Condition* c = stack.back();
    stack.pop_back();
    if (c->kind == isa::Condition::Kind::kCompare) {
      grow(c->left);
      grow(c->right);
    }
    for (const isa::Condition& operand : c->operands) stack.push_back(&operand);
  }
  bound = std::min(kUnbounded, 2 * bound + 64);

  int tries = 0;
  std::vector<Domain> range(free.size());
  std::vector<int64_t> at(free.size(), 0);
  const auto open_range = [&](size_t level) {
    const int32_t attribute = free[level];
    // The attributes of higher levels are not known: only expressions without them count.
    Domain set;
    bool bounded = false;
    const Environment environment{model_.graph->steps[step].computational, attributes, model_.state};
    for (size_t r = 0; r <= instruction.inputs.size(); ++r) {
      for (size_t d = 0; d < PlaceOf(step, r).size(); ++d) {
        const Expression& start = *Start(step, r, d);
        if (!Uses(start, attribute)) continue;
        bool alone = true;
        for (size_t l = level + 1; l < free.size(); ++l) alone = alone && !Uses(start, free[l]);
        if (!alone) continue;
        set = Preimage(start, attribute, assignment.At(PlaceOf(step, r)[d]), environment, set);
        bounded = true;
      }
    }
    if (!bounded) set.RestrictRange(0, bound);
    range[level] = set;
    at[level] = set.low;
  };
  size_t level = 0;
  open_range(0);
  while (true) {
    const std::optional<int64_t> value = range[level].AtLeast(at[level]);
    if (!value) {
      if (level == 0) return std::nullopt;
      --level;
      continue;
    }
    if (++tries > kAttributeTries) {
      was_cut_ = true;
      return std::nullopt;
    }
    at[level] = *value + 1;
    attributes[free[level]] = *value;
    if (level + 1 < free.size()) {
      open_range(++level);
    } else if (Check(step, attributes, assignment)) {
      return attributes;
    }
  }
}

}  // namespace act::allocate
