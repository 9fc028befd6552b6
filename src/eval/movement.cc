// Constants, iota and the operations that only move elements.
#include <algorithm>
#include <cstring>

#include "eval/internal.h"

namespace act::eval {
namespace {

using hlo::Instruction;
using hlo::Opcode;

std::string Dims(std::span<const int64_t> dims) {
  std::string text = "{";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(dims[i]);
  }
  return text + "}";
}

Status CheckOperands(const Instruction& instruction, Operands operands, size_t count) {
  if (operands.size() == count) return Status();
  return Invalid(instruction,
                 "found " + std::to_string(operands.size()) + " operands, expected " + std::to_string(count));
}

Status CheckType(const Instruction& instruction, const Literal& operand) {
  if (operand.shape.type == instruction.shape.type) return Status();
  return Invalid(instruction, "operand is " + ToString(operand.shape) + ", but the result is " +
                                  ToString(instruction.shape));
}

Status CheckResult(const Instruction& instruction, std::span<const int64_t> dims) {
  if (std::ranges::equal(dims, instruction.shape.dims)) return Status();
  return Invalid(instruction,
                 "the result is " + ToString(instruction.shape) + ", expected dimensions " + Dims(dims));
}

Status CheckAttribute(const Instruction& instruction, const char* name, size_t found, size_t expected) {
  if (found == expected) return Status();
  return Invalid(instruction, std::string(name) + " has " + std::to_string(found) + " entries, expected " +
                                  std::to_string(expected));
}

uint8_t* At(Literal& literal, int64_t element) {
  return literal.bytes.data() + element * StorageBytes(literal.shape.type);
}
const uint8_t* At(const Literal& literal, int64_t element) {
  return literal.bytes.data() + element * StorageBytes(literal.shape.type);
}

Literal Empty(const Instruction& instruction) {
  return Literal(Shape::Array(instruction.shape.type, instruction.shape.dims));
}

StatusOr<Literal> Iota(const Instruction& instruction) {
  const Shape& shape = instruction.shape;
  if (shape.type == ElementType::kPred) return Undefined(instruction, shape.type);
  if (instruction.dimensions.size() != 1 || instruction.dimensions[0] < 0 ||
      instruction.dimensions[0] >= shape.rank()) {
    return Invalid(instruction, "iota_dimension is " + Dims(instruction.dimensions) +
                                    ", expected one dimension of " + ToString(shape));
  }
  Literal result = Empty(instruction);
  if (result.bytes.empty()) return result;
  const auto d = static_cast<size_t>(instruction.dimensions[0]);
  Literal line(Shape::Array(shape.type, {shape.dims[d]}));
  for (int64_t i = 0; i < shape.dims[d]; ++i) line.SetInt(i, i);
  std::vector<int64_t> source(shape.dims.size(), 0);
  source[d] = 1;
  CopyStrided(StorageBytes(shape.type), shape.dims, line.bytes.data(), source, result.bytes.data(),
              RowMajorStrides(shape.dims));
  return result;
}

StatusOr<Literal> Broadcast(const Instruction& instruction, const Literal& x) {
  const std::vector<int64_t>& dims = instruction.shape.dims;
  ACT_RETURN_IF_ERROR(
      CheckAttribute(instruction, "dimensions", instruction.dimensions.size(), x.shape.dims.size()));
  const std::vector<int64_t> strides = RowMajorStrides(x.shape.dims);
  std::vector<int64_t> source(dims.size(), 0);
  std::vector<bool> seen(dims.size(), false);
  for (size_t i = 0; i < x.shape.dims.size(); ++i) {
    const int64_t d = instruction.dimensions[i];
    if (d < 0 || d >= instruction.shape.rank() || seen[static_cast<size_t>(d)] ||
        dims[static_cast<size_t>(d)] != x.shape.dims[i]) {
      return Invalid(instruction, "dimensions=" + Dims(instruction.dimensions) + " do not place " +
                                      ToString(x.shape) + " in " + ToString(instruction.shape));
    }
    seen[static_cast<size_t>(d)] = true;
    source[static_cast<size_t>(d)] = strides[i];
  }
  Literal result = Empty(instruction);
  CopyStrided(StorageBytes(x.shape.type), dims, x.bytes.data(), source, result.bytes.data(),
              RowMajorStrides(dims));
  return result;
}

StatusOr<Literal> Reshape(const Instruction& instruction, const Literal& x) {
  Literal result = x;
  result.shape = Shape::Array(instruction.shape.type, instruction.shape.dims);
  if (result.shape.num_elements() != x.shape.num_elements()) {
    return Invalid(instruction,
                   ToString(x.shape) + " has another number of elements than " + ToString(instruction.shape));
  }
  return result;
}

StatusOr<Literal> Transpose(const Instruction& instruction, const Literal& x) {
  const size_t rank = x.shape.dims.size();
  ACT_RETURN_IF_ERROR(CheckAttribute(instruction, "dimensions", instruction.dimensions.size(), rank));
  const std::vector<int64_t> strides = RowMajorStrides(x.shape.dims);
  std::vector<int64_t> dims(rank), source(rank);
  std::vector<bool> seen(rank, false);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t d = instruction.dimensions[i];
    if (d < 0 || d >= x.shape.rank() || seen[static_cast<size_t>(d)]) {
      return Invalid(instruction, "dimensions=" + Dims(instruction.dimensions) + " is no permutation");
    }
    seen[static_cast<size_t>(d)] = true;
    dims[i] = x.shape.dims[static_cast<size_t>(d)];
    source[i] = strides[static_cast<size_t>(d)];
  }
  ACT_RETURN_IF_ERROR(CheckResult(instruction, dims));
  Literal result = Empty(instruction);
  CopyStrided(StorageBytes(x.shape.type), dims, x.bytes.data(), source, result.bytes.data(),
              RowMajorStrides(dims));
  return result;
}

StatusOr<Literal> Slice(const Instruction& instruction, const Literal& x) {
  const size_t rank = x.shape.dims.size();
  ACT_RETURN_IF_ERROR(CheckAttribute(instruction, "slice", instruction.slice.size(), rank));
  const std::vector<int64_t> strides = RowMajorStrides(x.shape.dims);
  std::vector<int64_t> dims(rank), source(rank);
  int64_t offset = 0;
  for (size_t i = 0; i < rank; ++i) {
    const hlo::SliceDim& s = instruction.slice[i];
    if (s.start < 0 || s.limit < s.start || s.limit > x.shape.dims[i] || s.stride < 1) {
      return Invalid(instruction, "slice [" + std::to_string(s.start) + ":" + std::to_string(s.limit) + ":" +
                                      std::to_string(s.stride) + "] does not fit in dimension " +
                                      std::to_string(i) + " of " + ToString(x.shape));
    }
    dims[i] = (s.limit - s.start) / s.stride + ((s.limit - s.start) % s.stride != 0 ? 1 : 0);
  }
  ACT_RETURN_IF_ERROR(CheckResult(instruction, dims));
  Literal result = Empty(instruction);
  if (result.bytes.empty()) return result;
  for (size_t i = 0; i < rank; ++i) {
    // With one element the stride is not used, and might overflow.
    source[i] = dims[i] > 1 ? strides[i] * instruction.slice[i].stride : 0;
    offset += instruction.slice[i].start * strides[i];
  }
  CopyStrided(StorageBytes(x.shape.type), dims, At(x, offset), source, result.bytes.data(),
              RowMajorStrides(dims));
  return result;
}

StatusOr<Literal> Concatenate(const Instruction& instruction, Operands operands) {
  const size_t rank = instruction.shape.dims.size();
  if (operands.empty() || instruction.dimensions.size() != 1 || instruction.dimensions[0] < 0 ||
      instruction.dimensions[0] >= instruction.shape.rank()) {
    return Invalid(instruction,
                   "expected one or more operands and one dimension of " + ToString(instruction.shape));
  }
  const auto d = static_cast<size_t>(instruction.dimensions[0]);
  std::vector<int64_t> total = instruction.shape.dims;
  total[d] = 0;
  for (const Literal* operand : operands) {
    ACT_RETURN_IF_ERROR(CheckType(instruction, *operand));
    std::vector<int64_t> dims = operand->shape.dims;
    bool fits = dims.size() == rank;
    if (fits) {
      const std::optional<int64_t> sum = CheckedAdd(total[d], dims[d]);
      fits = sum.has_value();
      dims[d] = instruction.shape.dims[d];
      fits = fits && dims == instruction.shape.dims;
      total[d] = sum.value_or(0);
    }
    if (!fits)
      return Invalid(instruction, "operand " + ToString(operand->shape) + " does not fit in " +
                                      ToString(instruction.shape));
  }
  ACT_RETURN_IF_ERROR(CheckResult(instruction, total));
  Literal result = Empty(instruction);
  if (result.bytes.empty()) return result;
  const std::vector<int64_t> strides = RowMajorStrides(total);
  int64_t offset = 0;
  for (const Literal* operand : operands) {
    const std::vector<int64_t>& dims = operand->shape.dims;
    if (operand->bytes.empty()) continue;
    CopyStrided(StorageBytes(result.shape.type), dims, operand->bytes.data(), RowMajorStrides(dims),
                At(result, offset), strides);
    offset += dims[d] * strides[d];
  }
  return result;
}

StatusOr<Literal> Pad(const Instruction& instruction, const Literal& x, const Literal& value) {
  const size_t rank = x.shape.dims.size();
  ACT_RETURN_IF_ERROR(CheckType(instruction, value));
  if (!value.shape.dims.empty())
    return Invalid(instruction, "padding value is " + ToString(value.shape) + ", expected a scalar");
  ACT_RETURN_IF_ERROR(CheckAttribute(instruction, "padding", instruction.padding.size(), rank));
  std::vector<int64_t> dims(rank), count(rank), source_start(rank), start(rank), step(rank);
  for (size_t i = 0; i < rank; ++i) {
    const hlo::PadDim& p = instruction.padding[i];
    const int64_t extent = x.shape.dims[i];
    // Beyond this no size is possible, and the differences below could overflow.
    constexpr int64_t kMost = int64_t{1} << 61;
    const bool absurd =
        p.low < -kMost || p.low > kMost || p.high < -kMost || p.high > kMost || extent > kMost;
    const std::optional<int64_t> gap = p.interior < 0 || absurd ? std::nullopt : CheckedAdd(p.interior, 1);
    std::optional<int64_t> size =
        gap && extent > 0 ? CheckedMul(extent - 1, *gap) : std::optional<int64_t>(extent - 1);
    if (size) size = CheckedAdd(*size, 1);
    if (size) size = CheckedAdd(*size, p.low);
    if (size) size = CheckedAdd(*size, p.high);
    if (!gap || !size || *size < 0) {
      return Invalid(instruction, "padding " + std::to_string(p.low) + "_" + std::to_string(p.high) + "_" +
                                      std::to_string(p.interior) + " does not fit dimension " +
                                      std::to_string(i) + " of " + ToString(x.shape));
    }
    dims[i] = *size;
    step[i] = *gap;
    // Element e lies at low + e * step; those in [0, size) are kept.
    const int64_t first = p.low >= 0 ? 0 : (-(p.low + 1)) / *gap + 1;
    const int64_t end = p.low >= *size ? 0 : (*size - 1 - p.low) / *gap + 1;
    source_start[i] = std::min(first, extent);
    count[i] = std::max<int64_t>(0, std::min(end, extent) - source_start[i]);
    start[i] = count[i] > 0 ? p.low + first * *gap : 0;
  }
  ACT_RETURN_IF_ERROR(CheckResult(instruction, dims));
  Literal result = Empty(instruction);
  const auto size = static_cast<size_t>(StorageBytes(x.shape.type));
  for (size_t at = 0; at < result.bytes.size(); at += size)
    std::memcpy(result.bytes.data() + at, value.bytes.data(), size);
  if (std::ranges::any_of(count, [](int64_t c) { return c == 0; })) return result;
  const std::vector<int64_t> source = RowMajorStrides(x.shape.dims);
  std::vector<int64_t> destination = RowMajorStrides(dims);
  int64_t from = 0, to = 0;
  for (size_t i = 0; i < rank; ++i) {
    from += source_start[i] * source[i];
    to += start[i] * destination[i];
    destination[i] = count[i] > 1 ? destination[i] * step[i] : 0;
  }
  CopyStrided(static_cast<int64_t>(size), count, At(x, from), source, At(result, to), destination);
  return result;
}

StatusOr<Literal> Reverse(const Instruction& instruction, const Literal& x) {
  ACT_RETURN_IF_ERROR(CheckResult(instruction, x.shape.dims));
  std::vector<int64_t> source = RowMajorStrides(x.shape.dims);
  Literal result = Empty(instruction);
  std::vector<bool> reversed(source.size(), false);
  for (int64_t d : instruction.dimensions) {
    if (d < 0 || d >= x.shape.rank() || reversed[static_cast<size_t>(d)]) {
      return Invalid(instruction,
                     "dimensions=" + Dims(instruction.dimensions) + " do not fit " + ToString(x.shape));
    }
    reversed[static_cast<size_t>(d)] = true;
  }
  if (result.bytes.empty()) return result;
  int64_t offset = 0;
  for (size_t d = 0; d < source.size(); ++d) {
    if (!reversed[d]) continue;
    offset += (x.shape.dims[d] - 1) * source[d];
    source[d] = -source[d];
  }
  CopyStrided(StorageBytes(x.shape.type), x.shape.dims, At(x, offset), source, result.bytes.data(),
              RowMajorStrides(x.shape.dims));
  return result;
}

// Start positions of a window of `window` in `dims`: one integer scalar a dimension, or one vector of them.
StatusOr<std::vector<int64_t>> Starts(const Instruction& instruction, Operands starts,
                                      std::span<const int64_t> dims, std::span<const int64_t> window,
                                      OutOfRange out_of_range) {
  const bool vector = starts.size() == 1 && starts[0]->shape.dims.size() == 1;
  const size_t given = vector ? static_cast<size_t>(starts[0]->num_elements()) : starts.size();
  if (given != dims.size()) {
    return Invalid(instruction, "found " + std::to_string(given) + " start indices, expected " +
                                    std::to_string(dims.size()));
  }
  std::vector<int64_t> result(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    const Literal& start = vector ? *starts[0] : *starts[i];
    if (!IsInteger(start.shape.type) || (!vector && !start.shape.dims.empty())) {
      return Invalid(instruction, "start index is " + ToString(start.shape) + ", expected an integer scalar");
    }
    if (window[i] < 0 || window[i] > dims[i]) {
      return Invalid(instruction, "a window of " + Dims(window) + " does not fit in " + Dims(dims));
    }
    int64_t value = start.GetInt(vector ? static_cast<int64_t>(i) : 0);
    const int64_t last = dims[i] - window[i];
    const bool huge = start.shape.type == ElementType::kU64 && value < 0;
    const bool outside = huge || value < 0 || value > last;
    if (outside && out_of_range == OutOfRange::kRefuse) {
      return Invalid(instruction,
                     "start " +
                         (huge ? std::to_string(static_cast<uint64_t>(value)) : std::to_string(value)) +
                         " in dimension " + std::to_string(i) + " lies outside 0.." + std::to_string(last));
    }
    result[i] = huge ? last : std::clamp<int64_t>(value, 0, last);
  }
  return result;
}

StatusOr<Literal> DynamicSlice(const Instruction& instruction, Operands operands, OutOfRange out_of_range) {
  if (operands.empty()) return Invalid(instruction, "found no operands");
  const Literal& x = *operands[0];
  ACT_RETURN_IF_ERROR(CheckType(instruction, x));
  ACT_RETURN_IF_ERROR(CheckAttribute(instruction, "dynamic_slice_sizes",
                                     instruction.dynamic_slice_sizes.size(), x.shape.dims.size()));
  ACT_ASSIGN_OR_RETURN(
      const std::vector<int64_t> starts,
      Starts(instruction, operands.subspan(1), x.shape.dims, instruction.dynamic_slice_sizes, out_of_range));
  ACT_RETURN_IF_ERROR(CheckResult(instruction, instruction.dynamic_slice_sizes));
  Literal result = Empty(instruction);
  if (result.bytes.empty()) return result;
  const std::vector<int64_t> strides = RowMajorStrides(x.shape.dims);
  int64_t offset = 0;
  for (size_t i = 0; i < starts.size(); ++i) offset += starts[i] * strides[i];
  CopyStrided(StorageBytes(x.shape.type), result.shape.dims, At(x, offset), strides, result.bytes.data(),
              RowMajorStrides(result.shape.dims));
  return result;
}

StatusOr<Literal> DynamicUpdateSlice(const Instruction& instruction, Operands operands,
                                     OutOfRange out_of_range) {
  if (operands.size() < 2)
    return Invalid(instruction, "found " + std::to_string(operands.size()) + " operands, expected 2 or more");
  const Literal& x = *operands[0];
  const Literal& update = *operands[1];
  ACT_RETURN_IF_ERROR(CheckType(instruction, x));
  ACT_RETURN_IF_ERROR(CheckType(instruction, update));
  ACT_RETURN_IF_ERROR(CheckResult(instruction, x.shape.dims));
  if (update.shape.dims.size() != x.shape.dims.size()) {
    return Invalid(instruction,
                   "update " + ToString(update.shape) + " has another rank than " + ToString(x.shape));
  }
  ACT_ASSIGN_OR_RETURN(
      const std::vector<int64_t> starts,
      Starts(instruction, operands.subspan(2), x.shape.dims, update.shape.dims, out_of_range));
  Literal result = x;
  result.shape = Shape::Array(instruction.shape.type, instruction.shape.dims);
  if (update.bytes.empty()) return result;
  const std::vector<int64_t> strides = RowMajorStrides(x.shape.dims);
  int64_t offset = 0;
  for (size_t i = 0; i < starts.size(); ++i) offset += starts[i] * strides[i];
  CopyStrided(StorageBytes(x.shape.type), update.shape.dims, update.bytes.data(),
              RowMajorStrides(update.shape.dims), At(result, offset), strides);
  return result;
}

StatusOr<Literal> Constant(const Instruction& instruction) {
  if (instruction.literal == nullptr || !SameTypeAndDims(instruction.literal->shape, instruction.shape) ||
      instruction.literal->bytes.size() != static_cast<size_t>(instruction.shape.num_bytes().value_or(-1))) {
    return Invalid(instruction, "has no literal of shape " + ToString(instruction.shape));
  }
  return *instruction.literal;
}

}  // namespace

StatusOr<Literal> EvaluateMovement(const Instruction& instruction, Operands operands,
                                   OutOfRange out_of_range) {
  switch (instruction.opcode) {
    case Opcode::kConstant:
      return Constant(instruction);
    case Opcode::kIota:
      return Iota(instruction);
    case Opcode::kConcatenate:
      return Concatenate(instruction, operands);
    case Opcode::kDynamicSlice:
      return DynamicSlice(instruction, operands, out_of_range);
    case Opcode::kDynamicUpdateSlice:
      return DynamicUpdateSlice(instruction, operands, out_of_range);
    case Opcode::kPad:
      ACT_RETURN_IF_ERROR(CheckOperands(instruction, operands, 2));
      ACT_RETURN_IF_ERROR(CheckType(instruction, *operands[0]));
      return Pad(instruction, *operands[0], *operands[1]);
    default:
      break;
  }
  ACT_RETURN_IF_ERROR(CheckOperands(instruction, operands, 1));
  const Literal& x = *operands[0];
  if (instruction.opcode == Opcode::kBitcastConvert) {
    ACT_ASSIGN_OR_RETURN(Literal result, BitcastConvertLiteral(x, instruction.shape.type));
    ACT_RETURN_IF_ERROR(CheckResult(instruction, result.shape.dims));
    return result;
  }
  ACT_RETURN_IF_ERROR(CheckType(instruction, x));
  switch (instruction.opcode) {
    case Opcode::kBroadcast:
      return Broadcast(instruction, x);
    case Opcode::kReshape:
      return Reshape(instruction, x);
    case Opcode::kTranspose:
      return Transpose(instruction, x);
    case Opcode::kSlice:
      return Slice(instruction, x);
    case Opcode::kReverse:
      return Reverse(instruction, x);
    default:
      ACT_RETURN_IF_ERROR(CheckResult(instruction, x.shape.dims));
      return x;
  }
}

}  // namespace act::eval
