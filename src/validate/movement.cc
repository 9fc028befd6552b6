#include "validate/movement.h"

#include <algorithm>

namespace act::validate {
namespace {

using hlo::Opcode;

// Types whose elements fill their bytes: bitcast-convert between them keeps the bytes.
bool FillsBytes(ElementType type) { return BitWidth(type) == 8 * StorageBytes(type); }

Status Contradiction(const hlo::Instruction& instruction) {
  return Error(ErrorClass::kInternal, "validate-shape",
               std::string(hlo::OpcodeName(instruction.opcode)) + " '" + instruction.name +
                   "' has attributes that contradict its shape " + ToString(instruction.shape));
}

// Literal starts of dynamic-slice (from = 1) and dynamic-update-slice (from = 2), one a dimension.
std::optional<std::vector<int64_t>> LiteralStarts(const ContentTable& table, size_t from,
                                                  std::span<const Shape* const> shapes,
                                                  std::span<const ContentId> operands) {
  std::vector<int64_t> starts;
  for (size_t k = from; k < operands.size(); ++k) {
    if (!IsInteger(shapes[k]->type)) return std::nullopt;
    std::optional<std::vector<uint8_t>> bytes = table.AsLiteral(operands[k]);
    Literal literal;
    literal.shape = *shapes[k];
    if (!bytes || static_cast<int64_t>(bytes->size()) % StorageBytes(shapes[k]->type) != 0) {
      return std::nullopt;
    }
    literal.bytes = std::move(*bytes);
    const int64_t count = literal.shape.num_elements().value_or(0);
    // The old form of HLO has one vector of starts.
    for (int64_t i = 0; i < count; ++i) {
      const int64_t value = literal.GetInt(i);
      // An unsigned 64-bit start beyond int64 reads as negative and is refused as outside.
      starts.push_back(value);
    }
  }
  return starts;
}

// The sentence for a dynamic window; starts and sizes must agree in rank with dims.
Status CheckWindow(const hlo::Instruction& instruction, std::span<const int64_t> starts,
                   std::span<const int64_t> sizes, std::span<const int64_t> dims) {
  if (starts.size() != dims.size() || sizes.size() != dims.size()) return Contradiction(instruction);
  for (size_t d = 0; d < dims.size(); ++d) {
    if (starts[d] < 0 || sizes[d] > dims[d] || starts[d] > dims[d] - sizes[d]) {
      return Error(ErrorClass::kValue, "validate-bounds",
                   std::string(hlo::OpcodeName(instruction.opcode)) + " '" + instruction.name +
                       "' starts at " + std::to_string(starts[d]) + " in dimension " + std::to_string(d) +
                       " and takes " + std::to_string(sizes[d]) + " of " + std::to_string(dims[d]) +
                       " elements; the window must lie inside");
    }
  }
  return Status();
}

// Calls row(index) for every index of all dimensions but the innermost.
template <typename Row>
void ForEachRow(std::span<const int64_t> dims, Row row) {
  std::vector<int64_t> index(dims.empty() ? 0 : dims.size() - 1, 0);
  for (const int64_t d : dims) {
    if (d == 0) return;
  }
  while (true) {
    row(std::span<const int64_t>(index));
    size_t d = index.size();
    while (true) {
      if (d == 0) return;
      --d;
      if (++index[d] < dims[d]) break;
      index[d] = 0;
    }
  }
}

ContentId Pad(ContentTable* table, const hlo::Instruction& instruction, const Shape& from, ContentId source,
              ContentId value) {
  const int64_t es = StorageBytes(from.type);
  const std::vector<int64_t> strides = RowMajorStrides(from.dims);
  ContentBuilder builder(table);
  if (from.dims.empty()) {
    builder.AddAll(source);
    return builder.Finish();
  }
  // A single run as pad value repeats without a copy an element.
  const std::optional<std::vector<uint8_t>> literal = table->AsLiteral(value);
  const auto add_pad = [&](int64_t count) {
    if (count <= 0) return;
    if (literal) {
      std::vector<uint8_t> bytes;
      bytes.reserve(static_cast<size_t>(count * es));
      for (int64_t i = 0; i < count; ++i) bytes.insert(bytes.end(), literal->begin(), literal->end());
      builder.AddLiteral(bytes);
      return;
    }
    for (int64_t i = 0; i < count; ++i) builder.AddAll(value);
  };
  // Source index of a result index in one dimension; -1 where the result is padding.
  const auto locate = [&](size_t d, int64_t index) -> int64_t {
    const hlo::PadDim& p = instruction.padding[d];
    const int64_t shifted = index - p.low;
    if (shifted < 0 || shifted % (p.interior + 1) != 0) return -1;
    const int64_t at = shifted / (p.interior + 1);
    return at < from.dims[d] ? at : -1;
  };
  const size_t last = from.dims.size() - 1;
  const int64_t width = instruction.shape.dims[last];
  ForEachRow(instruction.shape.dims, [&](std::span<const int64_t> index) {
    int64_t base = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      const int64_t at = locate(d, index[d]);
      if (at < 0) {
        add_pad(width);
        return;
      }
      base += at * strides[d];
    }
    if (instruction.padding[last].interior != 0) {
      for (int64_t i = 0; i < width; ++i) {
        const int64_t at = locate(last, i);
        at < 0 ? add_pad(1) : builder.AddSlice(source, (base + at) * es, es);
      }
      return;
    }
    const int64_t low = instruction.padding[last].low;
    const int64_t begin = std::clamp<int64_t>(low, 0, width);
    const int64_t end = std::clamp<int64_t>(low + from.dims[last], begin, width);
    add_pad(begin);
    if (end > begin) builder.AddSlice(source, (base + begin - low) * es, (end - begin) * es);
    add_pad(width - end);
  });
  return builder.Finish();
}

ContentId UpdateSlice(ContentTable* table, const Shape& shape, ContentId source, const Shape& update_shape,
                      ContentId update, std::span<const int64_t> starts) {
  ContentBuilder builder(table);
  const int64_t es = StorageBytes(shape.type);
  if (shape.dims.empty()) {
    builder.AddAll(update);
    return builder.Finish();
  }
  const std::vector<int64_t> strides = RowMajorStrides(shape.dims);
  const std::vector<int64_t> update_strides = RowMajorStrides(update_shape.dims);
  const size_t last = shape.dims.size() - 1;
  ForEachRow(shape.dims, [&](std::span<const int64_t> index) {
    int64_t base = 0, update_base = 0;
    bool inside = true;
    for (size_t d = 0; d < index.size(); ++d) {
      base += index[d] * strides[d];
      update_base += (index[d] - starts[d]) * update_strides[d];
      inside = inside && index[d] >= starts[d] && index[d] < starts[d] + update_shape.dims[d];
    }
    if (!inside) {
      builder.AddSlice(source, base * es, shape.dims[last] * es);
      return;
    }
    const int64_t end = starts[last] + update_shape.dims[last];
    builder.AddSlice(source, base * es, starts[last] * es);
    builder.AddSlice(update, update_base * es, update_shape.dims[last] * es);
    builder.AddSlice(source, (base + end) * es, (shape.dims[last] - end) * es);
  });
  return builder.Finish();
}

ContentId Concatenate(ContentTable* table, const hlo::Instruction& instruction, size_t dimension,
                      std::span<const Shape* const> shapes, std::span<const ContentId> operands) {
  const int64_t es = StorageBytes(instruction.shape.type);
  int64_t outer = 1;
  for (size_t d = 0; d < dimension; ++d) outer *= instruction.shape.dims[d];
  std::vector<int64_t> row(operands.size(), es);
  for (size_t k = 0; k < operands.size(); ++k) {
    for (size_t d = dimension; d < shapes[k]->dims.size(); ++d) row[k] *= shapes[k]->dims[d];
  }
  ContentBuilder builder(table);
  for (int64_t o = 0; o < outer; ++o) {
    for (size_t k = 0; k < operands.size(); ++k) builder.AddSlice(operands[k], o * row[k], row[k]);
  }
  return builder.Finish();
}

}  // namespace

bool IsMovement(const ContentTable& table, const hlo::Instruction& instruction,
                std::span<const Shape* const> operand_shapes, std::span<const ContentId> operands) {
  switch (instruction.opcode) {
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kConcatenate:
    case Opcode::kPad:
    case Opcode::kReverse:
    case Opcode::kCopy:
      return true;
    case Opcode::kBitcastConvert:
      return operand_shapes[0]->type == instruction.shape.type ||
             (FillsBytes(operand_shapes[0]->type) && FillsBytes(instruction.shape.type));
    case Opcode::kConvert:
      return operand_shapes[0]->type == instruction.shape.type;
    case Opcode::kDynamicSlice:
      return LiteralStarts(table, 1, operand_shapes, operands).has_value();
    case Opcode::kDynamicUpdateSlice:
      return LiteralStarts(table, 2, operand_shapes, operands).has_value();
    default:
      return false;
  }
}

StatusOr<ContentId> MoveData(ContentTable* table, const hlo::Instruction& instruction,
                             std::span<const Shape* const> operand_shapes,
                             std::span<const ContentId> operands) {
  const Shape& from = *operand_shapes[0];
  const Shape& to = instruction.shape;
  const size_t rank = from.dims.size();
  const int64_t es = StorageBytes(from.type);
  const std::vector<int64_t> strides = RowMajorStrides(from.dims);
  std::vector<Mode> modes;
  int64_t base = 0;
  const auto& dims = instruction.dimensions;
  switch (instruction.opcode) {
    case Opcode::kReshape:
    case Opcode::kBitcastConvert:
    case Opcode::kConvert:
    case Opcode::kCopy:
      if (table->bytes(operands[0]) != to.num_bytes()) return Contradiction(instruction);
      return operands[0];
    case Opcode::kTranspose: {
      if (dims.size() != rank || to.dims.size() != rank) return Contradiction(instruction);
      for (size_t d = 0; d < rank; ++d) {
        if (dims[d] < 0 || static_cast<size_t>(dims[d]) >= rank) return Contradiction(instruction);
        const size_t source = static_cast<size_t>(dims[d]);
        if (to.dims[d] != from.dims[source]) return Contradiction(instruction);
        modes.push_back({to.dims[d], strides[source]});
      }
      return Gather(table, operands[0], es, 0, std::move(modes));
    }
    case Opcode::kBroadcast: {
      if (dims.size() != rank) return Contradiction(instruction);
      for (const int64_t extent : to.dims) modes.push_back({extent, 0});
      for (size_t d = 0; d < rank; ++d) {
        if (dims[d] < 0 || static_cast<size_t>(dims[d]) >= modes.size()) return Contradiction(instruction);
        Mode& mode = modes[static_cast<size_t>(dims[d])];
        // An extent of 1 may be stretched.
        if (from.dims[d] != mode.extent && from.dims[d] != 1) return Contradiction(instruction);
        mode.stride = from.dims[d] == 1 ? 0 : strides[d];
      }
      return Gather(table, operands[0], es, 0, std::move(modes));
    }
    case Opcode::kReverse: {
      for (size_t d = 0; d < rank; ++d) modes.push_back({from.dims[d], strides[d]});
      for (const int64_t d : dims) {
        if (d < 0 || static_cast<size_t>(d) >= rank) return Contradiction(instruction);
        Mode& mode = modes[static_cast<size_t>(d)];
        base += (mode.extent - 1) * mode.stride;
        mode.stride = -mode.stride;
      }
      return Gather(table, operands[0], es, base, std::move(modes));
    }
    case Opcode::kSlice: {
      if (instruction.slice.size() != rank || to.dims.size() != rank) return Contradiction(instruction);
      for (size_t d = 0; d < rank; ++d) {
        const hlo::SliceDim& s = instruction.slice[d];
        if (s.start < 0 || s.stride < 1 || s.limit > from.dims[d] || s.limit < s.start ||
            to.dims[d] != (s.limit - s.start + s.stride - 1) / s.stride) {
          return Contradiction(instruction);
        }
        base += s.start * strides[d];
        modes.push_back({to.dims[d], s.stride * strides[d]});
      }
      return Gather(table, operands[0], es, base, std::move(modes));
    }
    case Opcode::kDynamicSlice: {
      const auto starts = LiteralStarts(*table, 1, operand_shapes, operands);
      if (!starts) return Contradiction(instruction);
      ACT_RETURN_IF_ERROR(CheckWindow(instruction, *starts, to.dims, from.dims));
      for (size_t d = 0; d < rank; ++d) {
        base += (*starts)[d] * strides[d];
        modes.push_back({to.dims[d], strides[d]});
      }
      return Gather(table, operands[0], es, base, std::move(modes));
    }
    case Opcode::kDynamicUpdateSlice: {
      const auto starts = LiteralStarts(*table, 2, operand_shapes, operands);
      if (!starts || to.dims != from.dims) return Contradiction(instruction);
      ACT_RETURN_IF_ERROR(CheckWindow(instruction, *starts, operand_shapes[1]->dims, from.dims));
      return UpdateSlice(table, to, operands[0], *operand_shapes[1], operands[1], *starts);
    }
    case Opcode::kPad: {
      if (operands.size() != 2 || instruction.padding.size() != rank || to.dims.size() != rank ||
          table->bytes(operands[1]) != es) {
        return Contradiction(instruction);
      }
      for (const hlo::PadDim& p : instruction.padding) {
        if (p.interior < 0 || p.interior > (int64_t{1} << 40)) return Contradiction(instruction);
      }
      return Pad(table, instruction, from, operands[0], operands[1]);
    }
    case Opcode::kConcatenate: {
      if (dims.size() != 1 || dims[0] < 0 || static_cast<size_t>(dims[0]) >= to.dims.size()) {
        return Contradiction(instruction);
      }
      for (size_t k = 0; k < operands.size(); ++k) {
        Shape expected = to;
        if (operand_shapes[k]->dims.size() != to.dims.size()) return Contradiction(instruction);
        expected.dims[static_cast<size_t>(dims[0])] = operand_shapes[k]->dims[static_cast<size_t>(dims[0])];
        if (!SameTypeAndDims(expected, *operand_shapes[k])) return Contradiction(instruction);
      }
      return Concatenate(table, instruction, static_cast<size_t>(dims[0]), operand_shapes, operands);
    }
    default:
      return Contradiction(instruction);
  }
}

}  // namespace act::validate
