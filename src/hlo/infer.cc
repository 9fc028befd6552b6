// Shape inference: XLA's rules (xla/service/shape_inference and hlo_verifier), strict.
#include "hlo/infer.h"

#include <algorithm>

#include "support/support.h"

namespace act::hlo {
namespace {

constexpr int64_t kMostTupleMembers = 65536;

std::string Quote(std::string_view name) { return "'" + std::string(name) + "'"; }

Status CheckCount(const OperandView& operands, size_t count) {
  if (operands.size() == count) return Status();
  return ShapeError(operands.op() + " has " + Counted(operands.size(), "operand") + ", but takes " +
                    std::to_string(count));
}

Status CheckArrays(const OperandView& operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands.shape(i).is_array()) continue;
    return ShapeError(operands.op() + " takes arrays, but " + operands.Describe(i));
  }
  return Status();
}

// `values` of the attribute `name` has one entry a dimension of operand 0.
Status CheckEntries(const OperandView& operands, size_t entries, std::string_view name) {
  if (static_cast<int64_t>(entries) == operands.shape(0).rank()) return Status();
  return ShapeError(operands.op() + " has " + std::to_string(entries) +
                    (entries == 1 ? " entry" : " entries") + " in " + std::string(name) + ", but " +
                    operands.Describe(0) + " has " + Counted(operands.shape(0).dims.size(), "dimension"));
}

StatusOr<Shape> Declared(const OperandView& operands) {
  const Shape& shape = operands.instruction().shape;
  if (shape.type != ElementType::kInvalid) return shape;
  return ShapeError(operands.op() + " needs its result's shape written in front of it");
}

StatusOr<Shape> DeclaredArray(const OperandView& operands) {
  ACT_ASSIGN_OR_RETURN(Shape shape, Declared(operands));
  if (!shape.is_array()) return ShapeError(operands.op() + " gives an array, not " + ToString(shape));
  if (!shape.num_bytes()) return ShapeError(ToString(shape) + " has more bytes than 64 bits can count");
  return shape;
}

Shape Like(const Shape& shape) { return Shape::Array(shape.type, shape.dims); }

StatusOr<Shape> InferConstant(const OperandView& operands) {
  ACT_ASSIGN_OR_RETURN(const Shape shape, DeclaredArray(operands));
  const Literal* literal = operands.instruction().literal.get();
  if (literal == nullptr) return ShapeError("'constant' has no value");
  if (static_cast<int64_t>(literal->bytes.size()) != literal->shape.num_bytes()) {
    return ShapeError("'constant' has " + std::to_string(literal->bytes.size()) + " bytes, not those of " +
                      ToString(literal->shape));
  }
  return Shape::Array(literal->shape.type, literal->shape.dims);
}

StatusOr<Shape> InferIota(const OperandView& operands) {
  ACT_ASSIGN_OR_RETURN(const Shape shape, DeclaredArray(operands));
  const std::vector<int64_t>& dims = operands.instruction().dimensions;
  if (shape.type == ElementType::kPred) return ShapeError("'iota' takes integers, floats, complex, not pred");
  if (dims.size() != 1 || dims[0] < 0 || dims[0] >= shape.rank()) {
    return ShapeError("'iota' counts along one of the dimensions of " + ToString(shape) +
                      ", found iota_dimension=" + (dims.empty() ? "nothing" : std::to_string(dims[0])));
  }
  return shape;
}

StatusOr<Shape> InferBroadcast(const OperandView& operands) {
  ACT_ASSIGN_OR_RETURN(const Shape shape, DeclaredArray(operands));
  const std::vector<int64_t>& dims = operands.instruction().dimensions;
  const Shape& from = operands.shape(0);
  ACT_RETURN_IF_ERROR(CheckEntries(operands, dims.size(), "dimensions"));
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= shape.rank()) {
      return ShapeError("'broadcast' has dimension " + std::to_string(dims[i]) + ", but its result " +
                        ToString(shape) + " has " + Counted(shape.dims.size(), "dimension"));
    }
    if (i > 0 && dims[i] <= dims[i - 1]) {
      return ShapeError("'broadcast' has dimensions=" + ListToString(dims) +
                        ", which do not rise; transpose the operand first");
    }
    if (from.dims[i] != shape.dims[static_cast<size_t>(dims[i])]) {
      return ShapeError("'broadcast' puts dimension " + std::to_string(i) + " of " + ToString(from) +
                        " at dimension " + std::to_string(dims[i]) + " of " + ToString(shape) +
                        ", which has another size");
    }
  }
  return Shape::Array(from.type, shape.dims);
}

StatusOr<Shape> InferReshape(const OperandView& operands) {
  ACT_ASSIGN_OR_RETURN(const Shape shape, DeclaredArray(operands));
  if (shape.num_elements() != operands.shape(0).num_elements()) {
    return ShapeError("'reshape' keeps the number of elements, but " + operands.Describe(0) +
                      " and the result is " + ToString(shape));
  }
  return Shape::Array(operands.shape(0).type, shape.dims);
}

StatusOr<Shape> InferTranspose(const OperandView& operands) {
  const std::vector<int64_t>& dims = operands.instruction().dimensions;
  const Shape& from = operands.shape(0);
  ACT_RETURN_IF_ERROR(CheckEntries(operands, dims.size(), "dimensions"));
  ACT_RETURN_IF_ERROR(CheckDimensions(operands, dims, from.rank(), "dimensions"));
  Shape shape = Shape::Array(from.type, {});
  for (int64_t dim : dims) shape.dims.push_back(from.dims[static_cast<size_t>(dim)]);
  return shape;
}

StatusOr<Shape> InferSlice(const OperandView& operands) {
  const std::vector<SliceDim>& slice = operands.instruction().slice;
  const Shape& from = operands.shape(0);
  ACT_RETURN_IF_ERROR(CheckEntries(operands, slice.size(), "slice"));
  Shape shape = Shape::Array(from.type, {});
  for (size_t i = 0; i < slice.size(); ++i) {
    const SliceDim& s = slice[i];
    const std::string range =
        "[" + std::to_string(s.start) + ":" + std::to_string(s.limit) + ":" + std::to_string(s.stride) + "]";
    if (s.stride < 1) return ShapeError("'slice' has the stride of " + range + ", which is below 1");
    if (s.start < 0 || s.start > s.limit || s.limit > from.dims[i]) {
      return ShapeError("'slice' takes " + range + " of dimension " + std::to_string(i) + ", but " +
                        operands.Describe(0));
    }
    const int64_t length = s.limit - s.start;
    shape.dims.push_back(length == 0 ? 0 : (length - 1) / s.stride + 1);
  }
  return shape;
}

StatusOr<Shape> InferConcatenate(const OperandView& operands) {
  if (operands.size() == 0) return ShapeError("'concatenate' has no operands, but takes at least 1");
  const std::vector<int64_t>& dims = operands.instruction().dimensions;
  Shape shape = Like(operands.shape(0));
  if (dims.size() != 1) {
    return ShapeError("'concatenate' goes along one dimension, found dimensions=" + ListToString(dims));
  }
  ACT_RETURN_IF_ERROR(CheckDimensions(operands, dims, shape.rank(), "dimensions"));
  const auto along = static_cast<size_t>(dims[0]);
  for (size_t i = 1; i < operands.size(); ++i) {
    const Shape& next = operands.shape(i);
    Shape same = Like(next);
    if (same.dims.size() == shape.dims.size()) same.dims[along] = operands.shape(0).dims[along];
    if (!SameTypeAndDims(same, operands.shape(0))) {
      return ShapeError("'concatenate' needs operands that differ only in dimension " +
                        std::to_string(along) + ", but " + operands.Describe(0) + " and " +
                        operands.Describe(i));
    }
    const std::optional<int64_t> sum = CheckedAdd(shape.dims[along], next.dims[along]);
    if (!sum) return ShapeError("'concatenate' gives a dimension that 64 bits cannot hold");
    shape.dims[along] = *sum;
  }
  if (!shape.num_bytes())
    return ShapeError("'concatenate' gives " + ToString(shape) + ", more bytes than 64 bits can count");
  return shape;
}

StatusOr<Shape> InferPad(const OperandView& operands) {
  const std::vector<PadDim>& padding = operands.instruction().padding;
  Shape shape = Like(operands.shape(0));
  if (!SameTypeAndDims(operands.shape(1), Shape::Array(shape.type, {}))) {
    return ShapeError("'pad' takes a scalar of the array's type second, but " + operands.Describe(0) +
                      " and " + operands.Describe(1));
  }
  ACT_RETURN_IF_ERROR(CheckEntries(operands, padding.size(), "padding"));
  for (size_t i = 0; i < padding.size(); ++i) {
    const PadDim& pad = padding[i];
    int64_t& dim = shape.dims[i];
    if (pad.interior < 0) {
      return ShapeError("'pad' has interior padding " + std::to_string(pad.interior) + ", which is negative");
    }
    const std::optional<int64_t> between = CheckedMul(std::max<int64_t>(dim - 1, 0), pad.interior);
    const std::optional<int64_t> inner = between ? CheckedAdd(dim, *between) : std::nullopt;
    const std::optional<int64_t> edges = CheckedAdd(pad.low, pad.high);
    const std::optional<int64_t> size = inner && edges ? CheckedAdd(*inner, *edges) : std::nullopt;
    if (!size) return ShapeError("'pad' gives a dimension that 64 bits cannot hold");
    if (*size < 0) {
      return ShapeError("'pad' takes more from dimension " + std::to_string(i) +
                        " than it has: " + operands.Describe(0));
    }
    dim = *size;
  }
  if (!shape.num_bytes())
    return ShapeError("'pad' gives " + ToString(shape) + ", more bytes than 64 bits can count");
  return shape;
}

// Packed bits of one element: what the ratio of bitcast-convert goes by.
StatusOr<Shape> InferBitcastConvert(const OperandView& operands) {
  ACT_ASSIGN_OR_RETURN(const Shape declared, DeclaredArray(operands));
  const Shape& from = operands.shape(0);
  Shape shape = Shape::Array(declared.type, from.dims);
  if (from.type == declared.type) return shape;
  const std::string types =
      std::string(ElementTypeName(from.type)) + " to " + std::string(ElementTypeName(declared.type));
  if (from.type == ElementType::kPred || declared.type == ElementType::kPred ||
      IsComplex(from.type) != IsComplex(declared.type)) {
    return ShapeError("'bitcast-convert' does not turn " + types);
  }
  const int from_bits = BitWidth(from.type);
  const int to_bits = BitWidth(declared.type);
  if (from_bits == to_bits) return shape;
  if (std::max(from_bits, to_bits) % std::min(from_bits, to_bits) != 0) {
    return ShapeError("'bitcast-convert' of " + types + " does not divide evenly");
  }
  if (from_bits > to_bits) {
    shape.dims.push_back(from_bits / to_bits);
    if (!shape.num_bytes()) {
      return ShapeError("'bitcast-convert' gives " + ToString(shape) + ", more bytes than 64 bits can count");
    }
    return shape;
  }
  if (shape.dims.empty() || shape.dims.back() != to_bits / from_bits) {
    return ShapeError("'bitcast-convert' of " + types + " needs a last dimension of " +
                      std::to_string(to_bits / from_bits) + ", but " + operands.Describe(0));
  }
  shape.dims.pop_back();
  return shape;
}

// The scalar start indices, from operand `first` on: one a dimension, of one integer type.
Status CheckStarts(const OperandView& operands, size_t first) {
  const auto rank = static_cast<size_t>(operands.shape(0).rank());
  if (operands.size() != first + rank) {
    return ShapeError(operands.op() + " has " + std::to_string(operands.size() - first) +
                      " start indices, but takes one for each dimension: " + operands.Describe(0));
  }
  for (size_t i = first; i < operands.size(); ++i) {
    const Shape& start = operands.shape(i);
    if (!IsInteger(start.type) || !start.dims.empty()) {
      return ShapeError(operands.op() + " takes integer scalars as start indices, but " +
                        operands.Describe(i));
    }
    if (start.type != operands.shape(first).type) {
      return ShapeError(operands.op() + " needs start indices of one type, but " + operands.Describe(first) +
                        " and " + operands.Describe(i));
    }
  }
  return Status();
}

StatusOr<Shape> InferDynamicSlice(const OperandView& operands) {
  if (operands.size() == 0) return CheckCount(operands, 1);
  ACT_RETURN_IF_ERROR(CheckStarts(operands, 1));
  const std::vector<int64_t>& sizes = operands.instruction().dynamic_slice_sizes;
  ACT_RETURN_IF_ERROR(CheckEntries(operands, sizes.size(), "dynamic_slice_sizes"));
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] >= 0 && sizes[i] <= operands.shape(0).dims[i]) continue;
    return ShapeError("'dynamic-slice' takes " + std::to_string(sizes[i]) + " of dimension " +
                      std::to_string(i) + ", but " + operands.Describe(0));
  }
  return Shape::Array(operands.shape(0).type, sizes);
}

StatusOr<Shape> InferDynamicUpdateSlice(const OperandView& operands) {
  if (operands.size() < 2) return CheckCount(operands, 2);
  ACT_RETURN_IF_ERROR(CheckStarts(operands, 2));
  const Shape& into = operands.shape(0);
  const Shape& update = operands.shape(1);
  bool fits = into.type == update.type && into.rank() == update.rank();
  for (size_t i = 0; fits && i < into.dims.size(); ++i) fits = update.dims[i] <= into.dims[i];
  if (!fits) {
    return ShapeError("'dynamic-update-slice' takes an update that fits into the array, but " +
                      operands.Describe(0) + " and " + operands.Describe(1));
  }
  return Like(into);
}

StatusOr<Shape> InferReduce(const OperandView& operands, const Module* module) {
  const Instruction& instruction = operands.instruction();
  if (operands.size() > 2) {
    return ShapeErrorNotImplemented(
        "'reduce' of several arrays at once is not supported; reduce one array a time");
  }
  ACT_RETURN_IF_ERROR(CheckCount(operands, 2));
  const Shape& from = operands.shape(0);
  const Shape scalar = Shape::Array(from.type, {});
  if (!SameTypeAndDims(operands.shape(1), scalar)) {
    return ShapeError("'reduce' takes a scalar of the array's type second, but " + operands.Describe(0) +
                      " and " + operands.Describe(1));
  }
  ACT_RETURN_IF_ERROR(CheckDimensions(operands, instruction.dimensions, from.rank(), "dimensions"));
  if (module != nullptr && !instruction.called.empty()) {
    const Computation& combiner = module->computations[static_cast<size_t>(instruction.called[0])];
    bool fits = combiner.parameters.size() == 2 && SameTypeAndDims(combiner.root_instruction().shape, scalar);
    for (int32_t p : combiner.parameters) {
      fits = fits && SameTypeAndDims(combiner.instructions[static_cast<size_t>(p)].shape, scalar);
    }
    if (!fits) {
      return ShapeError("'reduce' of " + ToString(scalar) +
                        " needs a combiner of two such scalars to one, which " + Quote(combiner.name) +
                        " is not");
    }
  }
  std::vector<bool> reduced(from.dims.size(), false);
  for (int64_t dim : instruction.dimensions) reduced[static_cast<size_t>(dim)] = true;
  Shape shape = scalar;
  for (size_t i = 0; i < from.dims.size(); ++i) {
    if (!reduced[i]) shape.dims.push_back(from.dims[i]);
  }
  if (!shape.num_bytes())
    return ShapeError("'reduce' gives " + ToString(shape) + ", more bytes than 64 bits can count");
  return shape;
}

StatusOr<Shape> InferCall(const OperandView& operands, const Module* module) {
  const Instruction& instruction = operands.instruction();
  if (module == nullptr || instruction.called.size() != 1) return Declared(operands);
  const Computation& callee = module->computations[static_cast<size_t>(instruction.called[0])];
  if (callee.parameters.size() != operands.size()) {
    return ShapeError("'call' passes " + Counted(operands.size(), "operand") + " to " + Quote(callee.name) +
                      ", which has " + Counted(callee.parameters.size(), "parameter"));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const Shape& parameter = callee.instructions[static_cast<size_t>(callee.parameters[i])].shape;
    if (SameTypeAndDims(parameter, operands.shape(i))) continue;
    return ShapeError("parameter " + std::to_string(i) + " of " + Quote(callee.name) + " is " +
                      ToString(parameter) + ", but " + operands.Describe(i));
  }
  return callee.root_instruction().shape;
}

// Tuples of tuples double in a line each; the limit keeps their shapes small.
StatusOr<Shape> InferTuple(const OperandView& operands) {
  int64_t members = 0;
  for (size_t i = 0; i < operands.size(); ++i) members += CountMembers(operands.shape(i));
  if (members > kMostTupleMembers) {
    return Error(
        ErrorClass::kLimit, "hlo-tuple-size",
        "'tuple' gives more than " + std::to_string(kMostTupleMembers) + " members, nested ones included");
  }
  Shape shape = Shape::Tuple({});
  for (size_t i = 0; i < operands.size(); ++i) shape.tuple.push_back(operands.shape(i));
  return shape;
}

StatusOr<Shape> InferGetTupleElement(const OperandView& operands) {
  ACT_RETURN_IF_ERROR(CheckCount(operands, 1));
  const int64_t index = operands.instruction().tuple_index;
  if (!operands.shape(0).is_tuple()) {
    return ShapeError("'get-tuple-element' takes a tuple, but " + operands.Describe(0));
  }
  if (index < 0 || index >= static_cast<int64_t>(operands.shape(0).tuple.size())) {
    return ShapeError("'get-tuple-element' takes member " + std::to_string(index) + ", but " +
                      operands.Describe(0));
  }
  return operands.shape(0).tuple[static_cast<size_t>(index)];
}

// The operations that need only one array operand (pad two) and their attributes.
StatusOr<Shape> InferMovement(const OperandView& operands) {
  const Opcode opcode = operands.instruction().opcode;
  ACT_RETURN_IF_ERROR(CheckCount(operands, opcode == Opcode::kPad || opcode == Opcode::kDot ? 2 : 1));
  switch (opcode) {
    case Opcode::kBroadcast:
      return InferBroadcast(operands);
    case Opcode::kReshape:
      return InferReshape(operands);
    case Opcode::kTranspose:
      return InferTranspose(operands);
    case Opcode::kSlice:
      return InferSlice(operands);
    case Opcode::kPad:
      return InferPad(operands);
    case Opcode::kBitcastConvert:
      return InferBitcastConvert(operands);
    case Opcode::kDot:
      return InferDot(operands);
    case Opcode::kReverse:
      ACT_RETURN_IF_ERROR(CheckDimensions(operands, operands.instruction().dimensions,
                                          operands.shape(0).rank(), "dimensions"));
      return Like(operands.shape(0));
    default:  // copy
      return Like(operands.shape(0));
  }
}

}  // namespace

int64_t CountMembers(const Shape& shape) {
  int64_t count = 1;
  for (const Shape& member : shape.tuple) count += CountMembers(member);
  return count;
}

std::string OperandView::op() const {
  return Quote(instruction_.opcode_name.empty() ? OpcodeName(instruction_.opcode)
                                                : std::string_view(instruction_.opcode_name));
}

std::string OperandView::Describe(size_t i) const { return Quote(at(i).name) + " is " + ToString(shape(i)); }

Status ShapeError(std::string message) { return Error(ErrorClass::kValue, "hlo-shape", std::move(message)); }

Status ShapeErrorNotImplemented(std::string message) {
  return Error(ErrorClass::kNotImplemented, "hlo-shape", std::move(message));
}

std::string Counted(size_t count, std::string_view noun) {
  std::string out = std::to_string(count) + " ";
  out += noun;
  return count == 1 ? out : out + "s";
}

std::string ListToString(const std::vector<int64_t>& values) {
  std::string out = "{";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ",";
    out += std::to_string(values[i]);
  }
  return out + "}";
}

Status CheckDimensions(const OperandView& operands, const std::vector<int64_t>& dims, int64_t rank,
                       std::string_view what) {
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank) {
      return ShapeError(operands.op() + " has " + std::to_string(dim) + " in " + std::string(what) +
                        ", but its operand has " + Counted(static_cast<size_t>(rank), "dimension"));
    }
    if (seen[static_cast<size_t>(dim)]) {
      return ShapeError(operands.op() + " has " + std::to_string(dim) + " twice in " + std::string(what));
    }
    seen[static_cast<size_t>(dim)] = true;
  }
  return Status();
}

StatusOr<Shape> InferFromOperands(const Instruction& instruction, const Computation& computation,
                                  const Module* module) {
  const OperandView operands(instruction, computation);
  switch (instruction.opcode) {
    case Opcode::kParameter:
      return Declared(operands);
    case Opcode::kOther:
      return Declared(operands);
    case Opcode::kConstant:
      ACT_RETURN_IF_ERROR(CheckCount(operands, 0));
      return InferConstant(operands);
    case Opcode::kIota:
      ACT_RETURN_IF_ERROR(CheckCount(operands, 0));
      return InferIota(operands);
    case Opcode::kTuple:
      return InferTuple(operands);
    case Opcode::kGetTupleElement:
      return InferGetTupleElement(operands);
    case Opcode::kCall:
      return InferCall(operands, module);
    default:
      break;
  }
  if (IsElementwise(instruction.opcode)) return InferElementwise(operands);
  ACT_RETURN_IF_ERROR(CheckArrays(operands));
  switch (instruction.opcode) {
    case Opcode::kConcatenate:
      return InferConcatenate(operands);
    case Opcode::kDynamicSlice:
      return InferDynamicSlice(operands);
    case Opcode::kDynamicUpdateSlice:
      return InferDynamicUpdateSlice(operands);
    case Opcode::kReduce:
      return InferReduce(operands, module);
    default:
      return InferMovement(operands);
  }
}

}  // namespace act::hlo
