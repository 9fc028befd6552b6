#include "hlo/print.h"

#include <algorithm>

namespace act::hlo {
namespace {

void AppendList(const std::vector<int64_t>& values, std::string* out) {
  *out += '{';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) *out += ',';
    *out += std::to_string(values[i]);
  }
  *out += '}';
}

void AppendListAttribute(std::string_view name, const std::vector<int64_t>& values, std::string* out) {
  *out += ", ";
  *out += name;
  *out += '=';
  AppendList(values, out);
}

// XLA's way: a stride (an interior padding) that is not the default is written on every dimension.
void AppendSlice(const std::vector<SliceDim>& slice, std::string* out) {
  const bool strides =
      std::any_of(slice.begin(), slice.end(), [](const SliceDim& d) { return d.stride != 1; });
  *out += ", slice={";
  for (size_t i = 0; i < slice.size(); ++i) {
    if (i > 0) *out += ", ";
    *out += '[' + std::to_string(slice[i].start) + ':' + std::to_string(slice[i].limit);
    if (strides) *out += ':' + std::to_string(slice[i].stride);
    *out += ']';
  }
  *out += '}';
}

void AppendPadding(const std::vector<PadDim>& padding, std::string* out) {
  const bool interior =
      std::any_of(padding.begin(), padding.end(), [](const PadDim& d) { return d.interior != 0; });
  *out += ", padding=";
  for (size_t i = 0; i < padding.size(); ++i) {
    if (i > 0) *out += 'x';
    *out += std::to_string(padding[i].low) + '_' + std::to_string(padding[i].high);
    if (interior) *out += '_' + std::to_string(padding[i].interior);
  }
}

// XLA's order: the batch dimensions are left out where there are none.
void AppendDot(const DotDims& dot, std::string* out) {
  if (!dot.lhs_batch.empty()) AppendListAttribute("lhs_batch_dims", dot.lhs_batch, out);
  AppendListAttribute("lhs_contracting_dims", dot.lhs_contracting, out);
  if (!dot.rhs_batch.empty()) AppendListAttribute("rhs_batch_dims", dot.rhs_batch, out);
  AppendListAttribute("rhs_contracting_dims", dot.rhs_contracting, out);
}

void AppendAttributes(const Instruction& instruction, const Module& module, std::string* out) {
  switch (instruction.opcode) {
    case Opcode::kBroadcast:
    case Opcode::kTranspose:
    case Opcode::kReverse:
    case Opcode::kConcatenate:
    case Opcode::kReduce:
      AppendListAttribute("dimensions", instruction.dimensions, out);
      break;
    case Opcode::kIota:
      *out += ", iota_dimension=" + std::to_string(instruction.dimensions[0]);
      break;
    case Opcode::kSlice:
      AppendSlice(instruction.slice, out);
      break;
    case Opcode::kPad:
      AppendPadding(instruction.padding, out);
      break;
    case Opcode::kDynamicSlice:
      AppendListAttribute("dynamic_slice_sizes", instruction.dynamic_slice_sizes, out);
      break;
    case Opcode::kDot:
      AppendDot(instruction.dot, out);
      break;
    case Opcode::kCompare:
      *out += ", direction=";
      *out += DirectionName(instruction.direction);
      if (instruction.total_order) *out += ", type=TOTALORDER";
      break;
    case Opcode::kGetTupleElement:
      *out += ", index=" + std::to_string(instruction.tuple_index);
      break;
    default:
      break;
  }
  if (instruction.opcode == Opcode::kReduce || instruction.opcode == Opcode::kCall) {
    // A flattened reduce has no computation any more, only its reducer's name.
    *out += ", to_apply=";
    if (instruction.called.empty()) {
      *out += instruction.reducer ? OpcodeName(ReducerOpcode(*instruction.reducer)) : "unknown";
    } else {
      *out += module.computations[static_cast<size_t>(instruction.called[0])].name;
    }
  }
  for (const RawAttribute& raw : instruction.raw) {
    if (instruction.opcode == Opcode::kOther && instruction.opcode_name == "constant" &&
        raw.name == "literal") {
      continue;  // between the parentheses
    }
    *out += ", " + raw.name + '=' + raw.value;
  }
}

// Without elements the text is written out level by level, as XLA reads it, unless it would be long.
void AppendEmptyLiteral(const Shape& shape, std::string* out) {
  constexpr int64_t kMostEntries = 1000;
  int64_t entries = 1;
  size_t levels = 0;
  for (; shape.dims[levels] != 0; ++levels) {
    if (shape.dims[levels] > kMostEntries / entries) {
      *out += "{}";
      return;
    }
    entries *= shape.dims[levels];
  }
  std::string text = "{}";
  for (size_t level = levels; level-- > 0;) {
    std::string outer = "{ ";
    for (int64_t i = 0; i < shape.dims[level]; ++i) {
      if (i > 0) outer += ", ";
      outer += text;
    }
    text = outer + " }";
  }
  *out += text;
}

void AppendOperands(const Instruction& instruction, const Computation& computation, std::string* out) {
  if (instruction.opcode == Opcode::kParameter) {
    *out += std::to_string(instruction.parameter_number);
    return;
  }
  if (instruction.opcode == Opcode::kConstant) {
    if (instruction.literal->num_elements() == 0) {
      AppendEmptyLiteral(instruction.literal->shape, out);
    } else {
      *out += LiteralToString(*instruction.literal);
    }
    return;
  }
  if (instruction.opcode == Opcode::kOther && instruction.opcode_name == "constant") {
    for (const RawAttribute& raw : instruction.raw) {
      if (raw.name == "literal") *out += raw.value;
    }
    return;
  }
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    if (i > 0) *out += ", ";
    *out += computation.instructions[static_cast<size_t>(instruction.operands[i])].name;
  }
}

}  // namespace

std::string Print(const Computation& computation, const Module& module) {
  std::string out;
  if (computation.is_entry) out += "ENTRY ";
  out += computation.name + " {\n";
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    const Instruction& instruction = computation.instructions[i];
    out += static_cast<int32_t>(i) == computation.root ? "  ROOT " : "  ";
    out += instruction.name + " = " + ToString(instruction.shape, /*with_layout=*/true) + ' ';
    out += instruction.opcode_name.empty() ? OpcodeName(instruction.opcode)
                                           : std::string_view(instruction.opcode_name);
    out += '(';
    AppendOperands(instruction, computation, &out);
    out += ')';
    AppendAttributes(instruction, module, &out);
    out += '\n';
  }
  out += '}';
  for (const RawAttribute& raw : computation.raw) out += ", " + raw.name + '=' + raw.value;
  out += '\n';
  return out;
}

std::string Print(const Module& module) {
  std::string out = "HloModule " + module.name + ", entry_computation_layout={(";
  for (size_t i = 0; i < module.parameter_shapes.size(); ++i) {
    if (i > 0) out += ", ";
    out += ToString(module.parameter_shapes[i], /*with_layout=*/true);
  }
  out += ")->" + ToString(module.result_shape, /*with_layout=*/true) + '}';
  for (const RawAttribute& raw : module.raw) out += ", " + raw.name + '=' + raw.value;
  out += "\n\n";
  for (const std::string& table : module.tables) out += table + "\n\n";
  for (size_t i = 0; i < module.computations.size(); ++i) {
    if (i > 0) out += '\n';
    out += Print(module.computations[i], module);
  }
  return out;
}

}  // namespace act::hlo
