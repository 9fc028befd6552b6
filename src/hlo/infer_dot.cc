// Shape of dot: batch dimensions, then the free ones of the left side, then those of the right.
#include <algorithm>

#include "hlo/infer.h"

namespace act::hlo {
namespace {

bool Contains(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// The contracting and batch dimensions of one side: in range, none twice over both lists.
Status CheckSide(const OperandView& operands, size_t side, const std::vector<int64_t>& contracting,
                 const std::vector<int64_t>& batch, const std::string& prefix) {
  const int64_t rank = operands.shape(side).rank();
  ACT_RETURN_IF_ERROR(CheckDimensions(operands, contracting, rank, prefix + "_contracting_dims"));
  ACT_RETURN_IF_ERROR(CheckDimensions(operands, batch, rank, prefix + "_batch_dims"));
  for (int64_t dim : contracting) {
    if (!Contains(batch, dim)) continue;
    return ShapeError("'dot' contracts dimension " + std::to_string(dim) + " of its " + prefix +
                      " operand and has it in " + prefix + "_batch_dims too");
  }
  return Status();
}

Status CheckPairs(const OperandView& operands, const std::vector<int64_t>& lhs,
                  const std::vector<int64_t>& rhs, std::string_view what) {
  if (lhs.size() != rhs.size()) {
    return ShapeError("'dot' has " + std::to_string(lhs.size()) + " lhs and " + std::to_string(rhs.size()) +
                      " rhs " + std::string(what) + " dimensions; they go in pairs");
  }
  for (size_t i = 0; i < lhs.size(); ++i) {
    if (operands.shape(0).dims[static_cast<size_t>(lhs[i])] ==
        operands.shape(1).dims[static_cast<size_t>(rhs[i])]) {
      continue;
    }
    return ShapeError("'dot' pairs " + std::string(what) + " dimensions " + std::to_string(lhs[i]) + " and " +
                      std::to_string(rhs[i]) + " of different sizes: " + operands.Describe(0) + " and " +
                      operands.Describe(1));
  }
  return Status();
}

// XLA lets the result be of another type than the operands: integers of equal or larger width, floats of
// any. Operands of two types are taken if both are integers or both are floats.
StatusOr<ElementType> ResultType(const OperandView& operands) {
  const ElementType lhs = operands.shape(0).type;
  const ElementType rhs = operands.shape(1).type;
  const ElementType declared = operands.instruction().shape.type;
  const bool integers = IsInteger(lhs) && IsInteger(rhs);
  const bool floats = IsFloat(lhs) && IsFloat(rhs);
  if (lhs != rhs && !integers && !floats) {
    return ShapeError("'dot' needs operands of one kind of type, but " + operands.Describe(0) + " and " +
                      operands.Describe(1));
  }
  if (declared == ElementType::kInvalid) {
    if (lhs == rhs) return lhs;
    return ShapeError("'dot' of two types needs its result's shape written in front of it");
  }
  if (declared == lhs && declared == rhs) return declared;
  const bool wide_enough = BitWidth(declared) >= std::max(BitWidth(lhs), BitWidth(rhs));
  if ((integers && IsInteger(declared) && wide_enough) || (floats && IsFloat(declared))) return declared;
  return ShapeError("'dot' of " + std::string(ElementTypeName(lhs)) + " and " +
                    std::string(ElementTypeName(rhs)) + " does not give " +
                    std::string(ElementTypeName(declared)));
}

}  // namespace

StatusOr<Shape> InferDot(const OperandView& operands) {
  const DotDims& dot = operands.instruction().dot;
  ACT_RETURN_IF_ERROR(CheckSide(operands, 0, dot.lhs_contracting, dot.lhs_batch, "lhs"));
  ACT_RETURN_IF_ERROR(CheckSide(operands, 1, dot.rhs_contracting, dot.rhs_batch, "rhs"));
  ACT_RETURN_IF_ERROR(CheckPairs(operands, dot.lhs_contracting, dot.rhs_contracting, "contracting"));
  ACT_RETURN_IF_ERROR(CheckPairs(operands, dot.lhs_batch, dot.rhs_batch, "batch"));
  ACT_ASSIGN_OR_RETURN(const ElementType type, ResultType(operands));
  Shape shape = Shape::Array(type, {});
  for (int64_t dim : dot.lhs_batch) shape.dims.push_back(operands.shape(0).dims[static_cast<size_t>(dim)]);
  const auto append_free = [&](size_t side, const std::vector<int64_t>& contracting,
                               const std::vector<int64_t>& batch) {
    for (int64_t dim = 0; dim < operands.shape(side).rank(); ++dim) {
      if (Contains(contracting, dim) || Contains(batch, dim)) continue;
      shape.dims.push_back(operands.shape(side).dims[static_cast<size_t>(dim)]);
    }
  };
  append_free(0, dot.lhs_contracting, dot.lhs_batch);
  append_free(1, dot.rhs_contracting, dot.rhs_batch);
  if (!shape.num_bytes())
    return ShapeError("'dot' gives " + ToString(shape) + ", more bytes than 64 bits can count");
  return shape;
}

}  // namespace act::hlo
