// What an instruction's regions, semantics and constraints say about its computational attributes.
#include <algorithm>

#include "isa/solve.h"

namespace act::isa {
namespace {

bool IsFree(const Expression& e) {
  return !e.nodes.empty() && !e.Uses(AttributeKind::kAddressing) && !e.Uses(AttributeKind::kState);
}

class ConditionList {
 public:
  void Add(Relation relation, const Expression& left, const Expression& right) {
    if (!IsFree(left) || !IsFree(right)) return;
    Condition condition;
    condition.relation = relation;
    condition.left = left;
    condition.right = right;
    if (!left.Uses(AttributeKind::kComputational) && !right.Uses(AttributeKind::kComputational)) {
      const StatusOr<bool> holds = Evaluate(condition, {});
      if (holds.ok() && *holds) return;
    }
    conditions_.push_back(std::move(condition));
  }
  void Add(Relation relation, const Expression& left, int64_t right) {
    Add(relation, left, Expression::Integer(right));
  }
  std::vector<Condition> Take() && { return std::move(conditions_); }

 private:
  std::vector<Condition> conditions_;
};

void AddRegion(const Buffer& buffer, const Region& region, ConditionList* list) {
  for (const Expression& size : region.sizes) list->Add(Relation::kGreaterEqual, size, 1);
  const Expression one = Expression::Integer(1);
  if (!region.strides.empty()) {
    // The first and the last position of a dimension are not further apart than the buffer is long.
    const std::optional<int64_t> units = CheckedProduct(buffer.addresses);
    for (size_t d = 0; units && d < region.sizes.size() && d < region.strides.size(); ++d) {
      if (!IsFree(region.sizes[d]) || !IsFree(region.strides[d])) continue;
      const Expression reach = Expression::Binary(
          Expression::Kind::kMultiply, Expression::Binary(Expression::Kind::kSubtract, region.sizes[d], one),
          region.strides[d]);
      list->Add(Relation::kLess, reach, *units);
      list->Add(Relation::kGreater, reach, -*units);
    }
    return;
  }
  for (size_t d = 0; d < region.sizes.size() && d < buffer.addresses.size(); ++d) {
    const bool known_start = d < region.starts.size() && IsFree(region.starts[d]);
    if (known_start) list->Add(Relation::kGreaterEqual, region.starts[d], 0);
    if (!IsFree(region.sizes[d])) continue;
    list->Add(Relation::kLessEqual,
              known_start ? Expression::Binary(Expression::Kind::kAdd, region.starts[d], region.sizes[d])
                          : region.sizes[d],
              buffer.addresses[d]);
  }
}

void AddSemantics(const Semantics& semantics, ConditionList* list) {
  for (const SemanticNode& node : semantics.nodes) {
    for (const Expression& dim : node.dims) list->Add(Relation::kGreaterEqual, dim, 0);
    for (size_t d = 0; d < node.slice.size(); ++d) {
      const SymbolicSlice& slice = node.slice[d];
      list->Add(Relation::kGreaterEqual, slice.start, 0);
      list->Add(Relation::kLessEqual, slice.start, slice.limit);
      if (!slice.stride.nodes.empty()) list->Add(Relation::kGreaterEqual, slice.stride, 1);
      if (node.operands.empty()) continue;
      const int32_t operand = node.operands[0];
      if (operand < 0 || static_cast<size_t>(operand) >= semantics.nodes.size()) continue;
      const std::vector<Expression>& dims = semantics.nodes[static_cast<size_t>(operand)].dims;
      if (d < dims.size()) list->Add(Relation::kLessEqual, slice.limit, dims[d]);
    }
    if (node.constant.expression && IsInteger(node.type) && BitWidth(node.type) <= 64) {
      const int bits = BitWidth(node.type) - (IsSignedInteger(node.type) ? 1 : 0);
      const int64_t high = bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
      const int64_t low = IsSignedInteger(node.type) ? -high - 1 : 0;
      list->Add(Relation::kGreaterEqual, *node.constant.expression, low);
      list->Add(Relation::kLessEqual, *node.constant.expression, high);
    }
  }
}

void TakeApart(const Condition& condition, std::vector<Condition>* parts) {
  if (condition.kind == Condition::Kind::kAnd) {
    for (const Condition& operand : condition.operands) TakeApart(operand, parts);
  } else if (!condition.Uses(AttributeKind::kAddressing) && !condition.Uses(AttributeKind::kState)) {
    parts->push_back(condition);
  }
}

}  // namespace

std::vector<Condition> ImpliedConditions(const Accelerator& accelerator, const Instruction& instruction) {
  ConditionList list;
  for (const Region& region : instruction.inputs) AddRegion(accelerator.buffer(region.buffer), region, &list);
  for (const Region& region : instruction.outputs)
    AddRegion(accelerator.buffer(region.buffer), region, &list);
  AddSemantics(instruction.semantics, &list);
  return std::move(list).Take();
}

std::vector<Condition> FreeConstraints(const Instruction& instruction) {
  std::vector<Condition> parts;
  for (const Condition& constraint : instruction.constraints) TakeApart(constraint, &parts);
  return parts;
}

std::vector<Between> BoundedProducts(std::span<const Condition> conditions) {
  std::vector<Between> bounds;
  for (const Condition& condition : conditions) {
    if (condition.kind != Condition::Kind::kCompare || condition.relation == Relation::kNotEqual) continue;
    const std::optional<int64_t> right = condition.right.AsInteger();
    const std::vector<Expression::Node>& nodes = condition.left.nodes;
    if (!right || std::none_of(nodes.begin(), nodes.end(), [](const Expression::Node& node) {
          return node.kind == Expression::Kind::kMultiply;
        })) {
      continue;
    }
    auto bound = std::find_if(bounds.begin(), bounds.end(),
                              [&](const Between& b) { return b.expression == condition.left; });
    if (bound == bounds.end())
      bound = bounds.insert(bounds.end(), Between{condition.left, -kInfinite, kInfinite});
    const Relation relation = condition.relation;
    if (relation == Relation::kLess) bound->high = std::min<int128_t>(bound->high, int128_t{*right} - 1);
    if (relation == Relation::kGreater) bound->low = std::max<int128_t>(bound->low, int128_t{*right} + 1);
    if (relation == Relation::kLessEqual || relation == Relation::kEqual) {
      bound->high = std::min<int128_t>(bound->high, *right);
    }
    if (relation == Relation::kGreaterEqual || relation == Relation::kEqual) {
      bound->low = std::max<int128_t>(bound->low, *right);
    }
  }
  std::erase_if(bounds, [](const Between& b) { return b.low <= -kInfinite || b.high >= kInfinite; });
  return bounds;
}

}  // namespace act::isa
