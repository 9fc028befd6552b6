#include <algorithm>

#include "select/states.h"

namespace act::select {
namespace {

bool SemanticsUseState(const isa::Instruction& instruction) {
  const auto uses = [](const isa::Expression& e) { return e.Uses(isa::AttributeKind::kState); };
  for (const isa::SemanticNode& node : instruction.semantics.nodes) {
    if (std::any_of(node.dims.begin(), node.dims.end(), uses)) return true;
    if (std::any_of(node.dimensions.begin(), node.dimensions.end(), uses)) return true;
    if (node.constant.expression && uses(*node.constant.expression)) return true;
    for (const isa::SymbolicSlice& s : node.slice) {
      if (uses(s.start) || uses(s.limit) || uses(s.stride)) return true;
    }
  }
  for (const auto* regions : {&instruction.inputs, &instruction.outputs}) {
    for (const isa::Region& region : *regions) {
      if (std::any_of(region.starts.begin(), region.starts.end(), uses) ||
          std::any_of(region.sizes.begin(), region.sizes.end(), uses) ||
          std::any_of(region.strides.begin(), region.strides.end(), uses)) {
        return true;
      }
    }
  }
  return std::any_of(instruction.constraints.begin(), instruction.constraints.end(),
                     [](const isa::Condition& c) { return c.Uses(isa::AttributeKind::kState); });
}

// Why selection cannot use the instruction; empty if it can.
std::string Unusable(const isa::Instruction& instruction) {
  const std::string name = "instruction '" + instruction.name + "' ";
  if (instruction.semantics.empty()) return name + "has no semantics";
  if (instruction.outputs.size() != 1) {
    return name + "has " + std::to_string(instruction.outputs.size()) +
           " output regions; the compiler uses instructions with one";
  }
  if (!instruction.updates.empty() || SemanticsUseState(instruction)) {
    return name + "reads or sets machine state, which the compiler does not use yet";
  }
  for (const auto* regions : {&instruction.inputs, &instruction.outputs}) {
    for (const isa::Region& region : *regions) {
      if (!region.strides.empty()) return name + "has a strided region, which the compiler does not use yet";
    }
  }
  return "";
}

// Product of the dimensions of a symbolic shape.
isa::Expression ProductOf(const std::vector<isa::Expression>& dims, const std::vector<size_t>& which) {
  isa::Expression product = isa::Expression::Integer(1);
  for (size_t d : which) {
    product = isa::Expression::Binary(isa::Expression::Kind::kMultiply, product, dims[d]);
  }
  return product;
}

std::vector<size_t> Complement(size_t rank, const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  std::vector<size_t> out;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t v = static_cast<int64_t>(d);
    if (std::find(a.begin(), a.end(), v) == a.end() && std::find(b.begin(), b.end(), v) == b.end()) {
      out.push_back(d);
    }
  }
  return out;
}

std::vector<size_t> Indices(const std::vector<int64_t>& dims) { return {dims.begin(), dims.end()}; }

// The first dot (else reduce) of the semantics as expressions {B,M,K,N} (else {P,R}); empty: none.
std::vector<isa::Expression> CoreDimensions(const isa::Semantics& semantics, hlo::Opcode opcode) {
  for (const isa::SemanticNode& node : semantics.nodes) {
    if (node.opcode != opcode) continue;
    const auto& lhs = semantics.nodes[static_cast<size_t>(node.operands[0])].dims;
    if (opcode == hlo::Opcode::kDot) {
      const auto& rhs = semantics.nodes[static_cast<size_t>(node.operands[1])].dims;
      const hlo::DotDims& d = node.dot;
      return {ProductOf(lhs, Indices(d.lhs_batch)),
              ProductOf(lhs, Complement(lhs.size(), d.lhs_batch, d.lhs_contracting)),
              ProductOf(lhs, Indices(d.lhs_contracting)),
              ProductOf(rhs, Complement(rhs.size(), d.rhs_batch, d.rhs_contracting))};
    }
    std::vector<int64_t> reduced;
    for (const isa::Expression& e : node.dimensions) reduced.push_back(e.AsInteger().value_or(-1));
    if (std::find(reduced.begin(), reduced.end(), -1) != reduced.end()) continue;
    return {ProductOf(lhs, Complement(lhs.size(), reduced, {})), ProductOf(lhs, Indices(reduced))};
  }
  return {};
}

}  // namespace

RuleBase::RuleBase(const isa::Accelerator* accelerator, OperatorTable* operators)
    : accelerator_(accelerator), operators_(operators) {
  for (const isa::Instruction& instruction : accelerator->instructions) {
    reasons_.push_back(Unusable(instruction));
    any_cost_ = any_cost_ || instruction.has_cost;
  }
}

const std::vector<Pattern>& RuleBase::Patterns(size_t instruction,
                                               const std::vector<int64_t>& computational) {
  const auto key = std::make_pair(instruction, computational);
  auto it = patterns_.find(key);
  if (it == patterns_.end()) {
    auto derived =
        DerivePatterns(*accelerator_, accelerator_->instructions[instruction], computational, operators_);
    it = patterns_.emplace(key, derived.ok() ? *std::move(derived) : std::vector<Pattern>()).first;
  }
  return it->second;
}

const RuleBase::Solved& RuleBase::Solve(size_t instruction, const std::vector<int64_t>& size, size_t limit,
                                        const std::vector<isa::Expression>& core,
                                        const std::vector<int64_t>& dims) {
  // Kept by everything that the answer depends on, so that one kernel's questions never change another's.
  const auto key = std::make_tuple(instruction, size, limit, dims);
  auto it = assignments_.find(key);
  if (it == assignments_.end()) {
    const isa::Instruction& in = accelerator_->instructions[instruction];
    std::vector<isa::Equation> equations;
    for (size_t d = 0; d < size.size(); ++d) equations.push_back({in.outputs[0].sizes[d], size[d]});
    for (size_t i = 0; i < dims.size(); ++i) equations.push_back({core[i], dims[i]});
    Solved solved;
    auto all = isa::SolveAttributes(*accelerator_, in, equations, limit);
    solved.cut = !all.ok() || all->truncated;
    if (all.ok()) solved.values = std::move(all->values);
    it = assignments_.emplace(key, std::move(solved)).first;
  }
  return it->second;
}

std::vector<std::vector<int64_t>> RuleBase::Assignments(size_t instruction, const std::vector<int64_t>& size,
                                                        size_t limit, bool* cut,
                                                        const std::vector<std::vector<int64_t>>& dots,
                                                        const std::vector<std::vector<int64_t>>& reduces) {
  const Solved& all = Solve(instruction, size, limit, {}, {});
  std::vector<std::vector<int64_t>> values = all.values;
  if (!all.cut) return values;
  if (cut != nullptr) *cut = true;
  // The box does not fix the attributes: the kernel's own dimensions do.
  for (const hlo::Opcode opcode : {hlo::Opcode::kDot, hlo::Opcode::kReduce}) {
    const std::vector<isa::Expression> core =
        CoreDimensions(accelerator_->instructions[instruction].semantics, opcode);
    for (const std::vector<int64_t>& dims : opcode == hlo::Opcode::kDot ? dots : reduces) {
      if (core.size() != dims.size()) continue;
      for (const std::vector<int64_t>& v : Solve(instruction, size, limit, core, dims).values) {
        if (std::find(values.begin(), values.end(), v) == values.end()) values.push_back(v);
      }
    }
    if (!core.empty()) break;
  }
  return values;
}

double RuleBase::Cost(size_t instruction, const std::vector<int64_t>& computational) const {
  if (!any_cost_) return 1;
  const auto cost = isa::Evaluate(accelerator_->instructions[instruction].cost, {computational, {}, {}});
  // Below zero, a cycle would pay for itself.
  return cost.ok() ? std::max(0.0, static_cast<double>(*cost)) : 0;
}

}  // namespace act::select
