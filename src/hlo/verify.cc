#include "hlo/verify.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "hlo/infer.h"

namespace act::hlo {
namespace {

std::string Quote(std::string_view name) { return "'" + std::string(name) + "'"; }

// Gives the first failure the instruction's place.
Status Located(Status status, const Instruction& instruction, const SourceText* source) {
  Diagnostic& d = status.mutable_diagnostics().front();
  d.location = instruction.location;
  if (source != nullptr && d.location.line > 0) {
    const std::string_view text = source->text();
    size_t offset = 0;
    for (int32_t line = 1; line < d.location.line && offset != std::string_view::npos; ++line) {
      offset = text.find('\n', offset);
      if (offset != std::string_view::npos) ++offset;
    }
    if (offset <= text.size()) d.line_text = std::string(source->LineAt(offset));
  }
  return status;
}

Status StructureError(std::string message) {
  return Error(ErrorClass::kValue, "hlo-structure", std::move(message));
}

// What shape inference relies on: indices that exist, in order.
Status CheckIndices(const Module& module, size_t computation, size_t index) {
  const Instruction& instruction = module.computations[computation].instructions[index];
  for (int32_t operand : instruction.operands) {
    if (operand >= 0 && static_cast<size_t>(operand) < index) continue;
    return StructureError(Quote(instruction.name) + " has an operand that does not come before it");
  }
  for (int32_t called : instruction.called) {
    if (called >= 0 && static_cast<size_t>(called) < computation) continue;
    return StructureError(Quote(instruction.name) + " calls a computation that does not come before its own");
  }
  const bool calls_one = instruction.opcode == Opcode::kCall || instruction.opcode == Opcode::kReduce;
  if (calls_one && instruction.called.size() != 1) {
    return StructureError(Quote(instruction.name) + " calls " + std::to_string(instruction.called.size()) +
                          " computations, not one");
  }
  return Status();
}

Status CheckParameters(const Computation& computation) {
  size_t count = 0;
  for (const Instruction& i : computation.instructions) count += i.opcode == Opcode::kParameter ? 1 : 0;
  bool ok = computation.parameters.size() == count;
  for (size_t number = 0; ok && number < count; ++number) {
    const int32_t index = computation.parameters[number];
    ok = index >= 0 && static_cast<size_t>(index) < computation.instructions.size();
    if (!ok) break;
    const Instruction& parameter = computation.instructions[static_cast<size_t>(index)];
    ok = parameter.opcode == Opcode::kParameter && parameter.parameter_number == static_cast<int64_t>(number);
  }
  if (ok) return Status();
  return StructureError("the parameters of " + Quote(computation.name) +
                        " are not numbered from 0 without gaps");
}

Status CheckComputation(const Module& module, size_t index, const SourceText* source) {
  const Computation& computation = module.computations[index];
  if (computation.root < 0 || static_cast<size_t>(computation.root) >= computation.instructions.size()) {
    return StructureError("the computation " + Quote(computation.name) + " has no root");
  }
  std::set<std::string_view> names;
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    const Instruction& instruction = computation.instructions[i];
    Status status = CheckIndices(module, index, i);
    if (!status.ok()) return Located(std::move(status), instruction, source);
    if (!names.insert(instruction.name).second) {
      return Located(StructureError(Quote(instruction.name) + " is defined twice"), instruction, source);
    }
    ACT_ASSIGN_OR_RETURN(const Shape shape, InferShape(instruction, computation, &module, source));
    if (SameTypeAndDims(shape, instruction.shape)) continue;
    return Located(
        StructureError(Quote(instruction.name) + " is declared as " + ToString(instruction.shape) +
                       ", but its " + Quote(instruction.opcode_name) + " gives " + ToString(shape)),
        instruction, source);
  }
  return CheckParameters(computation);
}

bool AllHaveLayouts(const Shape& shape) {
  if (!shape.is_tuple()) return shape.has_layout;
  return std::all_of(shape.tuple.begin(), shape.tuple.end(), AllHaveLayouts);
}

Status CheckHeader(const Module& module) {
  const Computation& entry = module.entry_computation();
  if (module.parameter_shapes.size() != entry.parameters.size()) {
    return StructureError(
        "the module's header and its entry computation have different numbers of parameters");
  }
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const Instruction& parameter = entry.instructions[static_cast<size_t>(entry.parameters[i])];
    const Shape& header = module.parameter_shapes[i];
    if (!SameTypeAndDims(header, parameter.shape) || !AllHaveLayouts(header)) {
      return StructureError("the module's header does not agree with its parameter " + Quote(parameter.name));
    }
  }
  if (!SameTypeAndDims(module.result_shape, entry.root_instruction().shape) ||
      !AllHaveLayouts(module.result_shape)) {
    return StructureError("the module's header does not agree with its root " +
                          Quote(entry.root_instruction().name));
  }
  return Status();
}

}  // namespace

StatusOr<Shape> InferShape(const Instruction& instruction, const Computation& computation,
                           const Module* module, const SourceText* source) {
  StatusOr<Shape> shape = InferFromOperands(instruction, computation, module);
  if (shape.ok()) return shape;
  return Located(shape.status(), instruction, source);
}

Status Verify(const Module& module, const SourceText* source) {
  if (module.entry < 0 || static_cast<size_t>(module.entry) >= module.computations.size()) {
    return StructureError("the module " + Quote(module.name) + " has no entry computation");
  }
  std::set<std::string_view> names;
  for (size_t i = 0; i < module.computations.size(); ++i) {
    if (!names.insert(module.computations[i].name).second) {
      return StructureError("the computation " + Quote(module.computations[i].name) + " is defined twice");
    }
    ACT_RETURN_IF_ERROR(CheckComputation(module, i, source));
  }
  return CheckHeader(module);
}

std::optional<Reducer> RecogniseReducer(const Computation& computation) {
  if (computation.root < 0 || computation.parameters.size() != 2) return std::nullopt;
  const Instruction& root = computation.root_instruction();
  for (int32_t parameter : computation.parameters) {
    if (parameter < 0) return std::nullopt;
    const Shape& shape = computation.instructions[static_cast<size_t>(parameter)].shape;
    if (!shape.is_array() || !shape.dims.empty() || shape.type != root.shape.type) return std::nullopt;
  }
  const std::vector<int32_t> forward = {computation.parameters[0], computation.parameters[1]};
  const std::vector<int32_t> backward = {computation.parameters[1], computation.parameters[0]};
  if (root.operands != forward && root.operands != backward) return std::nullopt;
  for (Reducer reducer : {Reducer::kAdd, Reducer::kMultiply, Reducer::kMinimum, Reducer::kMaximum,
                          Reducer::kAnd, Reducer::kOr}) {
    if (root.opcode == ReducerOpcode(reducer)) return reducer;
  }
  return std::nullopt;
}

namespace {

// The bits of the largest (or lowest) value of a type without infinities.
uint8_t ExtremeBits(ElementType type, bool largest) {
  uint8_t magnitude = 0x7f;                              // f8e4m3b11fnuz, f8e4m3fnuz, f8e5m2fnuz
  if (type == ElementType::kF8E4M3FN) magnitude = 0x7e;  // 0x7f is NaN
  if (type == ElementType::kF4E2M1FN) magnitude = 0x07;
  if (type == ElementType::kF8E8M0FNU) return largest ? 0xfe : 0x00;  // unsigned: 2^127 and 2^-127
  if (largest) return magnitude;
  return static_cast<uint8_t>(magnitude | (type == ElementType::kF4E2M1FN ? 0x08 : 0x80));
}

void SetExtreme(bool largest, Literal* literal) {
  const ElementType type = literal->shape.type;
  const int bits = BitWidth(type);
  if (IsFloat(type)) {
    literal->SetDouble(0, largest ? HUGE_VAL : -HUGE_VAL);
    if (!std::isinf(literal->GetDouble(0))) literal->bytes[0] = ExtremeBits(type, largest);
  } else if (type == ElementType::kPred || IsUnsignedInteger(type)) {
    // All bits of the type.
    literal->SetInt(0, !largest ? 0 : type == ElementType::kPred ? 1 : -1);
  } else {
    const auto top = static_cast<int64_t>(uint64_t{1} << (bits - 1));
    literal->SetInt(0, largest ? static_cast<int64_t>(static_cast<uint64_t>(top) - 1) : top);
  }
}

}  // namespace

Literal ReducerIdentity(Reducer reducer, ElementType type) {
  Literal literal(Shape::Array(type, {}));
  switch (reducer) {
    case Reducer::kAdd:
    case Reducer::kOr:
      break;  // all zero
    case Reducer::kMultiply:
      literal.SetComplex(0, 1.0);
      if (IsInteger(type) || type == ElementType::kPred) literal.SetInt(0, 1);
      break;
    case Reducer::kAnd:
      literal.SetInt(0, type == ElementType::kPred ? 1 : -1);
      break;
    case Reducer::kMinimum:
      SetExtreme(/*largest=*/true, &literal);
      break;
    case Reducer::kMaximum:
      SetExtreme(/*largest=*/false, &literal);
      break;
  }
  return literal;
}

}  // namespace act::hlo
