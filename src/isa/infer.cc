// Shapes and types of semantic nodes, as far as they follow without the values of the attributes.
#include <algorithm>

#include "isa/semantics_builder.h"

namespace act::isa {
namespace {

using hlo::Opcode;
using Dims = std::vector<Expression>;
using Result = StatusOr<std::optional<Dims>>;

Status Fault(std::string message) { return Error(ErrorClass::kValue, "isa-shape", std::move(message)); }

Expression Sum(const Expression& a, const Expression& b) {
  const auto x = a.AsInteger(), y = b.AsInteger();
  if (x && y) {
    if (const auto sum = CheckedAdd(*x, *y)) return Expression::Integer(*sum);
  }
  if (x == int64_t{0}) return b;
  if (y == int64_t{0}) return a;
  return Expression::Binary(Expression::Kind::kAdd, a, b);
}

Expression Difference(const Expression& a, const Expression& b) {
  const auto x = a.AsInteger(), y = b.AsInteger();
  if (x && y) {
    if (const auto difference = CheckedSub(*x, *y)) return Expression::Integer(*difference);
  }
  if (y == int64_t{0}) return a;
  return Expression::Binary(Expression::Kind::kSubtract, a, b);
}

// Elements of [start, limit) by stride: ceil((limit - start) / stride).
Expression SliceExtent(const SymbolicSlice& slice) {
  const Expression length = Difference(slice.limit, slice.start);
  const auto stride = slice.stride.AsInteger();
  if (stride == int64_t{1}) return length;
  const auto whole = length.AsInteger();
  if (whole && stride && *stride > 0 && *whole >= 0) {
    return Expression::Integer(*whole / *stride + (*whole % *stride != 0 ? 1 : 0));
  }
  const Expression one = Expression::Integer(1);
  return Expression::Binary(Expression::Kind::kDivide, Sum(length, Difference(slice.stride, one)),
                            slice.stride);
}

bool Differ(const Expression& a, const Expression& b) {
  const auto x = a.AsInteger(), y = b.AsInteger();
  return x && y && *x != *y;
}

std::string Number(size_t n) { return std::to_string(n); }

// Equal shapes, as elementwise operations need; the first operand's dimensions are the result's.
Result SameDims(const SemanticNode& node, const std::vector<SemanticNode>& nodes, size_t first, size_t last) {
  const Dims& dims = nodes[static_cast<size_t>(node.operands[first])].dims;
  for (size_t i = first + 1; i < last; ++i) {
    const Dims& other = nodes[static_cast<size_t>(node.operands[i])].dims;
    if (other.size() != dims.size()) {
      return Fault("operand " + Number(i) + " has rank " + Number(other.size()) + " and operand " +
                   Number(first) + " rank " + Number(dims.size()) +
                   "; shapes must be equal, so broadcast one of them");
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      if (!Differ(dims[d], other[d])) continue;
      return Fault("operands " + Number(first) + " and " + Number(i) + " differ in dimension " + Number(d) +
                   " (" + std::to_string(*dims[d].AsInteger()) + " and " +
                   std::to_string(*other[d].AsInteger()) + "); shapes must be equal");
    }
  }
  return std::optional<Dims>(dims);
}

// Literal dimension numbers, each in [0, rank) and none twice; nullopt if one depends on an attribute.
StatusOr<std::optional<std::vector<size_t>>> DimensionNumbers(const std::vector<Expression>& items,
                                                              size_t rank, std::string_view what) {
  std::vector<size_t> numbers;
  for (const Expression& item : items) {
    const auto value = item.AsInteger();
    if (!value) return std::optional<std::vector<size_t>>();
    if (*value < 0 || static_cast<uint64_t>(*value) >= rank) {
      return Fault(std::string(what) + " has " + std::to_string(*value) + ", which is no dimension of rank " +
                   Number(rank) + "; dimensions count from 0");
    }
    const size_t number = static_cast<size_t>(*value);
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) {
      return Fault(std::string(what) + " has " + Number(number) + " twice; name each dimension once");
    }
    numbers.push_back(number);
  }
  return std::optional<std::vector<size_t>>(std::move(numbers));
}

Result InferTranspose(const SemanticNode& node, const Dims& x) {
  if (node.dimensions.size() != x.size()) {
    return Fault("dimensions has " + Number(node.dimensions.size()) + " entries and the operand rank " +
                 Number(x.size()) + "; give a permutation of all dimensions");
  }
  ACT_ASSIGN_OR_RETURN(const auto numbers, DimensionNumbers(node.dimensions, x.size(), "dimensions"));
  if (!numbers) return std::optional<Dims>();
  Dims dims;
  for (const size_t d : *numbers) dims.push_back(x[d]);
  return std::optional<Dims>(std::move(dims));
}

Result InferReduce(const SemanticNode& node, const Dims& x) {
  ACT_ASSIGN_OR_RETURN(const auto numbers, DimensionNumbers(node.dimensions, x.size(), "dimensions"));
  if (!numbers) return std::optional<Dims>();
  Dims dims;
  for (size_t d = 0; d < x.size(); ++d) {
    if (std::find(numbers->begin(), numbers->end(), d) == numbers->end()) dims.push_back(x[d]);
  }
  return std::optional<Dims>(std::move(dims));
}

Result InferBroadcast(const SemanticNode& node, const std::vector<SemanticNode>& nodes) {
  const SemanticNode& operand = nodes[static_cast<size_t>(node.operands[0])];
  const bool scalar_constant =
      operand.opcode == Opcode::kConstant && node.dimensions.empty() && operand.dims.size() == 1;
  if (!scalar_constant && node.dimensions.size() != operand.dims.size()) {
    return Fault("dimensions has " + Number(node.dimensions.size()) + " entries and the operand rank " +
                 Number(operand.dims.size()) + "; give the result dimension of each operand dimension");
  }
  ACT_ASSIGN_OR_RETURN(const auto numbers, DimensionNumbers(node.dimensions, node.dims.size(), "dimensions"));
  if (!numbers) return std::optional<Dims>();
  for (size_t i = 0; i < numbers->size(); ++i) {
    if (i > 0 && (*numbers)[i - 1] >= (*numbers)[i]) {
      return Fault("dimensions of broadcast must rise; transpose the operand first");
    }
    if (Differ(operand.dims[i], node.dims[(*numbers)[i]])) {
      return Fault("dimension " + Number(i) + " of the operand and dimension " + Number((*numbers)[i]) +
                   " of the result differ; broadcast only adds dimensions");
    }
  }
  return std::optional<Dims>();
}

Result InferSlice(const SemanticNode& node, const Dims& x) {
  if (node.slice.size() != x.size()) {
    return Fault("slice has " + Number(node.slice.size()) + " ranges and the operand rank " +
                 Number(x.size()) + "; give one [start:limit:step] for each dimension");
  }
  Dims dims;
  for (size_t d = 0; d < x.size(); ++d) {
    const auto start = node.slice[d].start.AsInteger(), limit = node.slice[d].limit.AsInteger(),
               stride = node.slice[d].stride.AsInteger(), extent = x[d].AsInteger();
    if ((start && *start < 0) || (stride && *stride < 1) || (start && limit && *limit < *start) ||
        (extent && limit && *limit > *extent)) {
      return Fault("the range of dimension " + Number(d) +
                   " is not inside the operand; it needs 0 <= start <= limit <= extent and step >= 1");
    }
    dims.push_back(SliceExtent(node.slice[d]));
  }
  return std::optional<Dims>(std::move(dims));
}

Result InferConcatenate(const SemanticNode& node, const std::vector<SemanticNode>& nodes) {
  Dims dims = nodes[static_cast<size_t>(node.operands[0])].dims;
  if (node.dimensions.size() != 1) return Fault("concatenate takes one dimension; give dimensions={d}");
  ACT_ASSIGN_OR_RETURN(const auto numbers, DimensionNumbers(node.dimensions, dims.size(), "dimensions"));
  for (size_t i = 1; i < node.operands.size(); ++i) {
    const Dims& other = nodes[static_cast<size_t>(node.operands[i])].dims;
    if (other.size() != dims.size()) return Fault("the operands differ in rank; reshape them first");
    if (!numbers) continue;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (d == numbers->front()) {
        dims[d] = Sum(dims[d], other[d]);
        // Sums of symbolic extents only grow; the caller asks for a written type where one becomes too long.
        if (dims[d].nodes.size() > kMaxInferredNodes) return std::optional<Dims>();
      } else if (Differ(dims[d], other[d])) {
        return Fault("the operands differ in dimension " + Number(d) +
                     ", along which they are not joined; they must agree there");
      }
    }
  }
  if (!numbers) return std::optional<Dims>();
  return std::optional<Dims>(std::move(dims));
}

Result InferPad(const SemanticNode& node, const Dims& x) {
  if (node.padding.size() != x.size()) {
    return Fault("padding has " + Number(node.padding.size()) + " entries and the operand rank " +
                 Number(x.size()) + "; give one [low:high:interior] for each dimension");
  }
  Dims dims;
  for (size_t d = 0; d < x.size(); ++d) {
    const hlo::PadDim& pad = node.padding[d];
    const auto ends = CheckedAdd(pad.low, pad.high);
    if (pad.interior < 0 || !ends) return Fault("the padding of dimension " + Number(d) + " is out of range");
    Expression extent = x[d];
    if (pad.interior > 0) {
      const Expression gaps = Difference(x[d], Expression::Integer(1));
      const Expression interior = Expression::Integer(pad.interior);
      const auto known = gaps.AsInteger();
      const auto product = known ? CheckedMul(*known, pad.interior) : std::nullopt;
      extent = Sum(extent, product ? Expression::Integer(*product)
                                   : Expression::Binary(Expression::Kind::kMultiply, gaps, interior));
    }
    dims.push_back(Sum(extent, Expression::Integer(*ends)));
  }
  return std::optional<Dims>(std::move(dims));
}

Result InferBitcast(const SemanticNode& node, const SemanticNode& operand) {
  const int from = BitWidth(operand.type), to = BitWidth(node.type);
  Dims dims = operand.dims;
  if (operand.type == ElementType::kPred || node.type == ElementType::kPred) return std::optional<Dims>();
  if (from == to || from == 0 || to == 0) return std::optional<Dims>(std::move(dims));
  if (from > to) {
    dims.push_back(Expression::Integer(from / to));
    return std::optional<Dims>(std::move(dims));
  }
  if (dims.empty() || Differ(dims.back(), Expression::Integer(to / from))) {
    return Fault("the last dimension must be " + Number(static_cast<size_t>(to / from)) +
                 ", the ratio of the widths; reshape the operand first");
  }
  dims.pop_back();
  return std::optional<Dims>(std::move(dims));
}

Result InferDot(const SemanticNode& node, const Dims& x, const Dims& y) {
  const auto check = [](const std::vector<int64_t>& contracting, const std::vector<int64_t>& batch,
                        size_t rank, std::string_view side, std::vector<bool>* used) -> Status {
    used->assign(rank, false);
    for (const std::vector<int64_t>* list : {&contracting, &batch}) {
      for (const int64_t d : *list) {
        if (d < 0 || static_cast<uint64_t>(d) >= rank || (*used)[static_cast<size_t>(d)]) {
          return Fault("dimension " + std::to_string(d) + " of the " + std::string(side) +
                       " operand is out of range or named twice; its rank is " + std::to_string(rank));
        }
        (*used)[static_cast<size_t>(d)] = true;
      }
    }
    return Status();
  };
  std::vector<bool> used_x, used_y;
  ACT_RETURN_IF_ERROR(check(node.dot.lhs_contracting, node.dot.lhs_batch, x.size(), "left", &used_x));
  ACT_RETURN_IF_ERROR(check(node.dot.rhs_contracting, node.dot.rhs_batch, y.size(), "right", &used_y));
  if (node.dot.lhs_contracting.size() != node.dot.rhs_contracting.size() ||
      node.dot.lhs_batch.size() != node.dot.rhs_batch.size()) {
    return Fault("both operands need as many contracting and as many batch dimensions; name them in pairs");
  }
  const auto agree = [&](const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (Differ(x[static_cast<size_t>(a[i])], y[static_cast<size_t>(b[i])])) return false;
    }
    return true;
  };
  if (!agree(node.dot.lhs_contracting, node.dot.rhs_contracting) ||
      !agree(node.dot.lhs_batch, node.dot.rhs_batch)) {
    return Fault("a pair of contracting or batch dimensions differs in extent; check the dimension numbers");
  }
  Dims dims;
  for (const int64_t d : node.dot.lhs_batch) dims.push_back(x[static_cast<size_t>(d)]);
  for (size_t d = 0; d < x.size(); ++d) {
    if (!used_x[d]) dims.push_back(x[d]);
  }
  for (size_t d = 0; d < y.size(); ++d) {
    if (!used_y[d]) dims.push_back(y[d]);
  }
  return std::optional<Dims>(std::move(dims));
}

}  // namespace

Result InferDims(const SemanticNode& node, const std::vector<SemanticNode>& nodes) {
  const auto dims_of = [&](size_t operand) -> const Dims& {
    return nodes[static_cast<size_t>(node.operands[operand])].dims;
  };
  switch (node.opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kOther:
      return std::optional<Dims>();
    case Opcode::kIota: {
      ACT_RETURN_IF_ERROR(DimensionNumbers(node.dimensions, node.dims.size(), "iota_dimension").status());
      return std::optional<Dims>();
    }
    case Opcode::kReshape: {
      int64_t from = 1, to = 1;
      for (const Expression& dim : dims_of(0)) {
        const auto product = CheckedMul(from, dim.AsInteger().value_or(0));
        if (!product || *product <= 0) return std::optional<Dims>();
        from = *product;
      }
      for (const Expression& dim : node.dims) {
        const auto product = CheckedMul(to, dim.AsInteger().value_or(0));
        if (!product || *product <= 0) return std::optional<Dims>();
        to = *product;
      }
      if (from != to) {
        return Fault("a reshape keeps the number of elements, and the operand has " + std::to_string(from) +
                     " and the result " + std::to_string(to));
      }
      return std::optional<Dims>();
    }
    case Opcode::kBroadcast:
      return InferBroadcast(node, nodes);
    case Opcode::kTranspose:
      return InferTranspose(node, dims_of(0));
    case Opcode::kSlice:
      return InferSlice(node, dims_of(0));
    case Opcode::kConcatenate:
      return InferConcatenate(node, nodes);
    case Opcode::kPad:
      return InferPad(node, dims_of(0));
    case Opcode::kReverse: {
      ACT_RETURN_IF_ERROR(DimensionNumbers(node.dimensions, dims_of(0).size(), "dimensions").status());
      return std::optional<Dims>(dims_of(0));
    }
    case Opcode::kBitcastConvert:
      return InferBitcast(node, nodes[static_cast<size_t>(node.operands[0])]);
    case Opcode::kDynamicSlice:
      if (node.dynamic_slice_sizes.size() != dims_of(0).size() ||
          node.operands.size() != dims_of(0).size() + 1) {
        return Fault("dynamic_slice takes one start and one size for each dimension of its operand (rank " +
                     Number(dims_of(0).size()) + ")");
      }
      return std::optional<Dims>(node.dynamic_slice_sizes);
    case Opcode::kDynamicUpdateSlice:
      if (dims_of(1).size() != dims_of(0).size() || node.operands.size() != dims_of(0).size() + 2) {
        return Fault("dynamic_update_slice takes an update of the operand's rank (" +
                     Number(dims_of(0).size()) + ") and one start for each dimension");
      }
      return std::optional<Dims>(dims_of(0));
    case Opcode::kDot:
      return InferDot(node, dims_of(0), dims_of(1));
    case Opcode::kReduce:
      return InferReduce(node, dims_of(0));
    case Opcode::kClamp: {
      // HLO lets the bounds be scalars.
      SemanticNode bounded = node;
      bounded.operands = {node.operands[1]};
      if (!dims_of(0).empty()) bounded.operands.push_back(node.operands[0]);
      if (!dims_of(2).empty()) bounded.operands.push_back(node.operands[2]);
      return SameDims(bounded, nodes, 0, bounded.operands.size());
    }
    case Opcode::kSelect: {
      if (dims_of(0).empty()) return SameDims(node, nodes, 1, 3);
      ACT_RETURN_IF_ERROR(SameDims(node, nodes, 0, 3).status());
      return std::optional<Dims>(dims_of(1));
    }
    default:
      return SameDims(node, nodes, 0, node.operands.size());
  }
}

ElementType InferType(const SemanticNode& node, const std::vector<SemanticNode>& nodes) {
  switch (node.opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kIota:
    case Opcode::kConvert:
    case Opcode::kBitcastConvert:
    case Opcode::kOther:
      return ElementType::kInvalid;
    case Opcode::kCompare:
    case Opcode::kIsFinite:
      return ElementType::kPred;
    case Opcode::kSelect:
      return nodes[static_cast<size_t>(node.operands[1])].type;
    default:
      return node.operands.empty() ? ElementType::kInvalid
                                   : nodes[static_cast<size_t>(node.operands[0])].type;
  }
}

}  // namespace act::isa
