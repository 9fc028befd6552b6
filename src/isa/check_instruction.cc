// One instruction: its attributes, constraints and cost.
#include <algorithm>

#include "isa/check_report.h"

namespace act::isa {
namespace {

// Calls visit(expression, is_size_or_semantics) for every expression of the instruction but the cost.
template <typename F>
void ForEachUse(const Instruction& instruction, F visit) {
  for (const std::vector<Region>* regions : {&instruction.inputs, &instruction.outputs}) {
    for (const Region& region : *regions) {
      for (const Expression& e : region.starts) visit(e, false);
      for (const Expression& e : region.sizes) visit(e, true);
      for (const Expression& e : region.strides) visit(e, true);
    }
  }
  for (const SemanticNode& node : instruction.semantics.nodes) {
    for (const Expression& e : node.dims) visit(e, true);
    for (const Expression& e : node.dimensions) visit(e, true);
    for (const Expression& e : node.dynamic_slice_sizes) visit(e, true);
    for (const SymbolicSlice& slice : node.slice) {
      visit(slice.start, true);
      visit(slice.limit, true);
      visit(slice.stride, true);
    }
    if (node.constant.expression) visit(*node.constant.expression, true);
  }
  for (const Update& update : instruction.updates) visit(update.value, true);
}

bool ConstraintUses(const Instruction& instruction, AttributeKind kind, int32_t index) {
  return std::any_of(instruction.constraints.begin(), instruction.constraints.end(),
                     [&](const Condition& constraint) { return constraint.Uses(kind, index); });
}

void CheckComputational(const Subject& subject, int32_t index, Report* report) {
  const Instruction& instruction = subject.instruction;
  const std::string name =
      subject.Name() + ": attribute '@c." + instruction.computational[static_cast<size_t>(index)] + "'";
  bool used = instruction.cost.Uses(AttributeKind::kComputational, index) ||
              ConstraintUses(instruction, AttributeKind::kComputational, index);
  bool fixed = false, start = false;
  ForEachUse(instruction, [&](const Expression& e, bool fixes) {
    if (!e.Uses(AttributeKind::kComputational, index)) return;
    (fixes ? fixed : start) = true;
  });
  if (!used && !fixed && !start) {
    report->Add(Severity::kWarning, "isa-unused-attribute", name + " is used nowhere; remove it",
                instruction.location);
    return;
  }
  if (!fixed) {
    report->Add(
        Severity::kWarning, "isa-unfixed-attribute",
        name + (start ? " only moves addresses; declare it as an addressing attribute (@a)"
                      : " is fixed by no size, shape or constant, so every kernel gets its least legal "
                        "value; use it in a region or in the semantics"),
        instruction.location);
  }
  if (subject.solver.infeasible()) return;
  const Domain& domain = subject.solver.domains()[static_cast<size_t>(index)];
  if (domain.fixed()) {
    report->Add(Severity::kWarning, "isa-fixed-attribute",
                name + " can only be " + std::to_string(static_cast<int64_t>(domain.low)) +
                    "; write the number in its place or loosen its constraints",
                instruction.location);
  } else if (!domain.bounded()) {
    report->Add(Severity::kWarning, "isa-attribute-unbounded",
                name + " is bounded by no constraint, region size or constant; bound it by a constraint",
                instruction.location);
  }
}

void CheckAddressing(const Subject& subject, int32_t index, Report* report) {
  const Instruction& instruction = subject.instruction;
  bool start = false;
  ForEachUse(instruction,
             [&](const Expression& e, bool) { start = start || e.Uses(AttributeKind::kAddressing, index); });
  if (start) return;
  const bool used = instruction.cost.Uses(AttributeKind::kAddressing, index) ||
                    ConstraintUses(instruction, AttributeKind::kAddressing, index);
  report->Add(Severity::kWarning, "isa-unused-address",
              subject.Name() + ": attribute '@a." + instruction.addressing[static_cast<size_t>(index)] +
                  "' " +
                  (used ? "addresses nothing; use it in the start of a region"
                        : "is used nowhere; use it in the start of a region or remove it"),
              instruction.location);
}

// Instructions with more constraints are not searched for constraints that say the same.
constexpr size_t kComparedConstraints = 100;

std::string Text(const Subject& subject, const Condition& condition) {
  return "constraint \"" + ToString(condition, subject.names()) + "\"";
}

bool UsesAttributes(const Condition& condition) {
  return condition.Uses(AttributeKind::kComputational) || condition.Uses(AttributeKind::kAddressing) ||
         condition.Uses(AttributeKind::kState);
}

bool IsFree(const Condition& condition) {
  return !condition.Uses(AttributeKind::kAddressing) && !condition.Uses(AttributeKind::kState);
}

// A lint of its own and not part of the others where it is found. True if it was reported.
bool CheckAlone(const Subject& subject, size_t index, Report* report) {
  const Instruction& instruction = subject.instruction;
  const Condition& constraint = instruction.constraints[index];
  const size_t attributes = instruction.computational.size();
  for (size_t other = 0; other < std::min(index, kComparedConstraints); ++other) {
    if (!(instruction.constraints[other] == constraint)) continue;
    report->Add(Severity::kWarning, "isa-constraint-repeated",
                subject.Name() + ": " + Text(subject, constraint) + " is given twice; remove one",
                constraint.location, instruction.location);
    return true;
  }
  if (!UsesAttributes(constraint)) {
    const StatusOr<bool> holds = Evaluate(constraint, {});
    if (holds.ok() && *holds) {
      report->Add(Severity::kWarning, "isa-constraint-constant",
                  subject.Name() + ": " + Text(subject, constraint) +
                      " holds whatever the attributes are; remove it or name an attribute in it",
                  constraint.location, instruction.location);
      return true;
    }
  }
  const bool never = IsFree(constraint) ? Decide({&constraint, 1}, attributes) == Feasibility::kNo
                                        : Contradictory({&constraint, 1}, attributes);
  if (never) {
    report->Add(Severity::kError, "isa-constraint-never",
                subject.Name() + ": " + Text(subject, constraint) + " never holds; correct or remove it",
                constraint.location, instruction.location);
    return true;
  }
  if (!IsFree(constraint)) return false;
  const Condition negated = Negation(constraint);
  if (Decide({&negated, 1}, attributes) == Feasibility::kNo) {
    report->Add(
        Severity::kWarning, "isa-constraint-constant",
        subject.Name() + ": " + Text(subject, constraint) + " holds whatever the attributes are; remove it",
        constraint.location, instruction.location);
    return true;
  }
  return false;
}

// The conditions of all constraints but one.
std::vector<Condition> Others(const Instruction& instruction, size_t index) {
  std::vector<Condition> others;
  for (size_t i = 0; i < instruction.constraints.size(); ++i) {
    if (i != index && IsFree(instruction.constraints[i])) others.push_back(instruction.constraints[i]);
  }
  return others;
}

// Why no attribute values are legal: the windows, the constraints, or both together.
void CheckSelectable(const Subject& subject, Report* report) {
  const Instruction& instruction = subject.instruction;
  const size_t attributes = instruction.computational.size();
  const std::vector<Condition> constraints = FreeConstraints(instruction);
  if (Decide(constraints, attributes) == Feasibility::kNo) {
    report->Add(
        Severity::kError, "isa-constraints-contradict",
        subject.Name() + ": its constraints cannot hold together, so it is never selected; loosen one",
        instruction.constraints.front().location, instruction.location);
    return;
  }
  const std::vector<Condition> implied = ImpliedConditions(subject.accelerator, instruction);
  if (Decide(implied, attributes) == Feasibility::kNo)
    return;  // CheckRegions says which, or CheckLegalValues
  std::vector<Condition> all = implied;
  all.insert(all.end(), constraints.begin(), constraints.end());
  if (Decide(all, attributes) != Feasibility::kNo) return;
  report->Add(Severity::kError, "isa-never-selectable",
              subject.Name() +
                  ": no attribute values satisfy its constraints and fit its regions into their "
                  "buffers; loosen a constraint or enlarge a buffer",
              instruction.location);
}

// The part of an expression below one node.
Expression PartOf(const Expression& e, int32_t root) {
  std::vector<bool> below(e.nodes.size());
  below[static_cast<size_t>(root)] = true;
  for (size_t i = static_cast<size_t>(root) + 1; i-- > 0;) {
    if (!below[i]) continue;
    if (e.nodes[i].left >= 0) below[static_cast<size_t>(e.nodes[i].left)] = true;
    if (e.nodes[i].right >= 0) below[static_cast<size_t>(e.nodes[i].right)] = true;
  }
  Expression part;
  part.location = e.location;
  std::vector<int32_t> moved(e.nodes.size(), -1);
  for (size_t i = 0; i <= static_cast<size_t>(root); ++i) {
    if (!below[i]) continue;
    moved[i] = static_cast<int32_t>(part.nodes.size());
    Expression::Node node = e.nodes[i];
    if (node.left >= 0) node.left = moved[static_cast<size_t>(node.left)];
    if (node.right >= 0) node.right = moved[static_cast<size_t>(node.right)];
    part.nodes.push_back(node);
  }
  return part;
}

// Divisors that are 0 at legal attribute values, with the first such values.
void CheckDivisors(const Subject& subject, Report* report) {
  ForEachUse(subject.instruction, [&](const Expression& e, bool) {
    for (const Expression::Node& node : e.nodes) {
      if (node.kind != Expression::Kind::kDivide && node.kind != Expression::Kind::kRemainder) continue;
      const Equation zero{PartOf(e, node.right), 0};
      if (zero.left.AsInteger() || zero.left.Uses(AttributeKind::kAddressing) ||
          zero.left.Uses(AttributeKind::kState)) {
        continue;
      }
      const StatusOr<AttributeSolutions> found = subject.solver.Solve({&zero, 1}, 1);
      if (!found.ok() || found->values.empty()) continue;
      report->Add(Severity::kError, "isa-divides-by-zero",
                  subject.Name() + ": \"" + ToString(e, subject.names()) + "\" divides by 0 at " +
                      subject.ValuesText(found->values.front()) + "; exclude that by a constraint",
                  e.location, subject.instruction.location);
      return;
    }
  });
}

}  // namespace

void CheckAttributes(const Subject& subject, Report* report) {
  for (size_t i = 0; i < subject.instruction.computational.size(); ++i) {
    CheckComputational(subject, static_cast<int32_t>(i), report);
  }
  for (size_t i = 0; i < subject.instruction.addressing.size(); ++i) {
    CheckAddressing(subject, static_cast<int32_t>(i), report);
  }
}

void CheckInstructionConstraints(const Subject& subject, Report* report) {
  const Instruction& instruction = subject.instruction;
  std::vector<bool> reported(instruction.constraints.size());
  bool alone = false;
  for (size_t i = 0; i < instruction.constraints.size(); ++i) {
    reported[i] = CheckAlone(subject, i, report);
    alone = alone || reported[i];
  }
  if (!alone) CheckSelectable(subject, report);
  CheckDivisors(subject, report);
  if (alone || subject.solver.infeasible() || instruction.constraints.size() > kComparedConstraints) return;
  for (size_t i = 0; i < instruction.constraints.size(); ++i) {
    const Condition& constraint = instruction.constraints[i];
    if (!IsFree(constraint)) continue;
    std::vector<Condition> conditions = Others(instruction, i);
    if (conditions.empty()) continue;
    conditions.push_back(Negation(constraint));
    if (Decide(conditions, instruction.computational.size()) != Feasibility::kNo) continue;
    report->Add(
        Severity::kWarning, "isa-constraint-implied",
        subject.Name() + ": " + Text(subject, constraint) + " follows from the other constraints; remove it",
        constraint.location, instruction.location);
    return;  // of several that imply one another only one may go
  }
}

void CheckLegalValues(const Subject& subject, Report* report) {
  if (!subject.solver.infeasible()) return;
  report->Add(Severity::kError, "isa-never-selectable",
              subject.Name() +
                  ": no attribute values give its regions, dimensions and constants legal sizes and "
                  "values together; correct one of them",
              subject.instruction.location);
}

void CheckCost(const Subject& subject, Report* report) {
  const Instruction& instruction = subject.instruction;
  if (!instruction.has_cost) return;
  const std::vector<int64_t> addresses(instruction.addressing.size(), 0);
  for (const std::vector<int64_t>& sample : subject.samples) {
    const StatusOr<int128_t> cost =
        EvaluateWide(instruction.cost, {sample, addresses, subject.initial_state});
    if (cost.ok() && *cost >= 0) continue;
    report->Add(Severity::kError, cost.ok() ? "isa-negative-cost" : "isa-cost-without-value",
                subject.Name() + ": its cost " +
                    (cost.ok() ? "is negative" : "has no value (" + cost.status().front().message + ")") +
                    " at " + subject.ValuesText(sample) +
                    "; correct the cost or exclude that by a constraint",
                instruction.cost.location, instruction.location);
    return;
  }
}

}  // namespace act::isa
