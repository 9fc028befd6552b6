#include "select/operator.h"

#include <algorithm>

namespace act::select {

Operator Operator::Input(int64_t index, int64_t bytes) {
  Operator op;
  op.kind = OperatorKind::kInput;
  op.index = index;
  op.bytes = bytes;
  return op;
}

Operator Operator::OfView(View view) {
  Operator op;
  op.kind = OperatorKind::kView;
  op.bytes = view.size();
  op.view = std::move(view);
  return op;
}

Operator Operator::Elementwise(hlo::Opcode opcode, ElementType result, std::vector<ElementType> operands) {
  Operator op;
  op.kind = OperatorKind::kElementwise;
  op.opcode = opcode;
  op.type = result;
  op.operand_types = std::move(operands);
  return op;
}

Operator Operator::Reduce(hlo::Reducer reducer, ElementType type, int64_t p, int64_t r, bool with_init) {
  Operator op;
  op.kind = OperatorKind::kReduce;
  op.reducer = reducer;
  op.type = type;
  op.operand_types = {type};
  if (with_init) op.operand_types.push_back(type);
  op.dims = {p, r};
  op.bytes = p * StorageBytes(type);
  return op;
}

Operator Operator::Dot(ElementType result, ElementType lhs, ElementType rhs, int64_t b, int64_t m, int64_t k,
                       int64_t n) {
  Operator op;
  op.kind = OperatorKind::kDot;
  op.type = result;
  op.operand_types = {lhs, rhs};
  op.dims = {b, m, k, n};
  op.bytes = b * m * n * StorageBytes(result);
  return op;
}

bool Operator::IsCommutative() const {
  return kind == OperatorKind::kElementwise && hlo::IsCommutative(opcode) && operand_types.size() == 2 &&
         operand_types[0] == operand_types[1];
}

std::string ToString(const Operator& op) {
  std::string out;
  switch (op.kind) {
    case OperatorKind::kInput:
      return "input " + std::to_string(op.index);
    case OperatorKind::kConstant:
      return "constant " + std::to_string(op.index);
    case OperatorKind::kView:
      return "View" + op.view.ToString();
    case OperatorKind::kElementwise:
    case OperatorKind::kHlo:
      out = hlo::OpcodeName(op.opcode);
      break;
    case OperatorKind::kReduce:
      out = "reduce-";
      out += hlo::OpcodeName(hlo::ReducerOpcode(op.reducer));
      break;
    case OperatorKind::kDot:
      out = "dot";
      break;
  }
  if (op.kind == OperatorKind::kReduce || op.kind == OperatorKind::kDot) {
    out += "{";
    for (size_t i = 0; i < op.dims.size(); ++i) out += (i ? "," : "") + std::to_string(op.dims[i]);
    out += "}";
  }
  out += ".";
  out += ElementTypeName(op.type);
  return out;
}

uint64_t OperatorTable::Hash(const Operator& op) {
  uint64_t h = HashCombine(static_cast<uint64_t>(op.kind), static_cast<uint64_t>(op.opcode));
  h = HashCombine(h, static_cast<uint64_t>(op.direction) * 16 + static_cast<uint64_t>(op.reducer));
  h = HashCombine(h, static_cast<uint64_t>(op.type));
  for (ElementType type : op.operand_types) h = HashCombine(h, static_cast<uint64_t>(type));
  h = HashInts(op.dims, h);
  h = HashCombine(h, static_cast<uint64_t>(op.index));
  h = HashCombine(h, static_cast<uint64_t>(op.bytes));
  return HashCombine(h, op.view.Hash());
}

egraph::OpId OperatorTable::Intern(const Operator& op) {
  if (operators_.size() * 2 >= buckets_.size()) {
    buckets_.assign(std::max<size_t>(64, buckets_.size() * 2), {});
    for (uint32_t i = 0; i < operators_.size(); ++i) {
      buckets_[Hash(operators_[i]) & (buckets_.size() - 1)].push_back(i);
    }
  }
  std::vector<uint32_t>& bucket = buckets_[Hash(op) & (buckets_.size() - 1)];
  for (uint32_t id : bucket) {
    if (operators_[id] == op) return id;
  }
  bucket.push_back(static_cast<uint32_t>(operators_.size()));
  operators_.push_back(op);
  return bucket.back();
}

egraph::OpId OperatorTable::Constant(const std::vector<uint8_t>& bytes) {
  const uint64_t hash =
      HashBytes(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  int64_t index = -1;
  for (const auto& [known, i] : constant_hashes_) {
    if (known == hash && constants_[static_cast<size_t>(i)] == bytes) index = i;
  }
  if (index < 0) {
    index = static_cast<int64_t>(constants_.size());
    constants_.push_back(bytes);
    constant_hashes_.push_back({hash, index});
  }
  Operator op;
  op.kind = OperatorKind::kConstant;
  op.index = index;
  op.bytes = static_cast<int64_t>(bytes.size());
  return Intern(op);
}

}  // namespace act::select
