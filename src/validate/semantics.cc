#include "validate/semantics.h"

#include "validate/movement.h"

namespace act::validate {
namespace {

using hlo::Opcode;

// Instances are made again after this many different ones, so that state that counts cannot fill memory.
constexpr size_t kMaxInstances = 4096;

Status Unknown(const hlo::Instruction& node) {
  const std::string_view name =
      node.opcode == Opcode::kOther ? std::string_view(node.opcode_name) : hlo::OpcodeName(node.opcode);
  return Error(ErrorClass::kNotImplemented, "validate-operation",
               "operation '" + std::string(name) + "' in semantics is not one the validator knows");
}

bool Uses(std::span<const isa::Expression> expressions) {
  for (const isa::Expression& e : expressions) {
    if (e.Uses(isa::AttributeKind::kState)) return true;
  }
  return false;
}

}  // namespace

bool DependsOnState(const isa::Instruction& instruction) {
  for (const isa::Region& region : instruction.inputs) {
    if (Uses(region.sizes)) return true;
  }
  for (const isa::Region& region : instruction.outputs) {
    if (Uses(region.sizes)) return true;
  }
  for (const isa::SemanticNode& node : instruction.semantics.nodes) {
    if (Uses(node.dims) || Uses(node.dimensions) || Uses(node.dynamic_slice_sizes)) return true;
    for (const isa::SymbolicSlice& s : node.slice) {
      if (Uses(std::span(&s.start, 1)) || Uses(std::span(&s.limit, 1)) || Uses(std::span(&s.stride, 1))) {
        return true;
      }
    }
    if (node.constant.expression && Uses(std::span(&*node.constant.expression, 1))) return true;
  }
  return false;
}

Semantics::Semantics(TermTable* terms, int64_t max_value_bytes, int64_t max_work_bytes)
    : terms_(terms), max_value_bytes_(max_value_bytes), max_work_bytes_(max_work_bytes) {
  for (const isa::Instruction& instruction : terms->accelerator().instructions) {
    depends_on_state_.push_back(DependsOnState(instruction));
  }
}

StatusOr<const Semantics::Prepared*> Semantics::Prepare(InstructionId instruction,
                                                        std::span<const int64_t> computational,
                                                        std::span<const int64_t> state) {
  std::vector<int64_t> key = {instruction.value()};
  key.insert(key.end(), computational.begin(), computational.end());
  if (depends_on_state_[instruction.value()]) key.insert(key.end(), state.begin(), state.end());
  if (const auto it = prepared_.find(key); it != prepared_.end()) return &it->second;
  if (prepared_.size() >= kMaxInstances) prepared_.clear();
  const isa::Accelerator& accelerator = terms_->accelerator();
  Prepared prepared;
  prepared.instruction = instruction;
  ACT_ASSIGN_OR_RETURN(prepared.instance, isa::Instantiate(accelerator, accelerator.instruction(instruction),
                                                           computational, state));
  const std::vector<hlo::Instruction>& nodes = prepared.instance.body.instructions;
  for (const hlo::Instruction& node : nodes) {
    if (!node.shape.is_array()) return Unknown(node);
    const std::optional<int64_t> bytes = node.shape.num_bytes();
    if (!bytes || *bytes > max_value_bytes_) {
      return Error(ErrorClass::kLimit, "validate-limit",
                   "instruction '" + accelerator.instruction(instruction).name + "' has a value " +
                       ToString(node.shape) + ", more than the " + std::to_string(max_value_bytes_) +
                       " bytes that the validator follows (max_value_bytes)");
    }
  }
  // Only what the outputs depend on is evaluated: a value that goes nowhere consumes nothing.
  prepared.needed.assign(nodes.size(), false);
  for (const int32_t output : prepared.instance.outputs) prepared.needed[static_cast<size_t>(output)] = true;
  for (size_t i = nodes.size(); i-- > 0;) {
    if (!prepared.needed[i]) continue;
    for (const int32_t operand : nodes[i].operands) prepared.needed[static_cast<size_t>(operand)] = true;
  }
  prepared.id = next_id_++;
  return &prepared_.emplace(std::move(key), std::move(prepared)).first->second;
}

StatusOr<Applied> Semantics::Apply(const Prepared& prepared, std::span<const ContentId> inputs) {
  std::vector<int64_t> key = {prepared.id};
  for (const ContentId input : inputs) key.push_back(input.value());
  // Failures are not kept, so a key without outputs is worked out again.
  const uint32_t application = applications_.Intern(key);
  if (application == application_outputs_.size()) application_outputs_.emplace_back();
  Applied applied;
  applied.outputs = application_outputs_[application];
  if (!applied.outputs.empty()) return applied;

  const std::vector<hlo::Instruction>& nodes = prepared.instance.body.instructions;
  std::vector<ContentId> values(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!prepared.needed[i]) continue;
    const hlo::Instruction& node = nodes[i];
    if (node.opcode == Opcode::kParameter) {
      if (node.parameter_number < 0 || static_cast<size_t>(node.parameter_number) >= inputs.size()) {
        return Unknown(node);
      }
      values[i] = inputs[static_cast<size_t>(node.parameter_number)];
    } else {
      ACT_ASSIGN_OR_RETURN(values[i], Evaluate(prepared.instruction, prepared.instance.body, node, values,
                                               &applied.undefined));
      if (applied.undefined) return applied;
    }
    const int64_t bytes = terms_->contents().bytes(values[i]);
    if (bytes != node.shape.num_bytes()) {
      return Error(ErrorClass::kInternal, "validate-shape",
                   "value '" + node.name + "' of instruction '" +
                       terms_->accelerator().instruction(prepared.instruction).name + "' has " +
                       std::to_string(bytes) + " bytes where its shape is " + ToString(node.shape));
    }
    work_bytes_ += bytes;
    if (work_bytes_ > max_work_bytes_) {
      return Error(ErrorClass::kLimit, "validate-limit",
                   "the values of the program have more than the " + std::to_string(max_work_bytes_) +
                       " bytes that the validator follows (max_work_bytes)");
    }
  }
  for (const int32_t output : prepared.instance.outputs) {
    applied.outputs.push_back(values[static_cast<size_t>(output)]);
  }
  application_outputs_[application] = applied.outputs;
  return applied;
}

StatusOr<ContentId> Semantics::Leaf(const hlo::Instruction& node) {
  ContentTable& contents = terms_->contents();
  if (node.opcode == Opcode::kConstant) {
    if (node.literal == nullptr) return Unknown(node);
    return contents.Literal(node.literal->bytes);
  }
  // iota: one row along its dimension, repeated outside and stretched inside.
  if (node.dimensions.size() != 1 || node.dimensions[0] < 0 || node.dimensions[0] >= node.shape.rank()) {
    return Unknown(node);
  }
  const size_t dimension = static_cast<size_t>(node.dimensions[0]);
  const int64_t extent = node.shape.dims[dimension];
  Literal row(Shape::Array(node.shape.type, {extent}));
  for (int64_t i = 0; i < extent; ++i) {
    if (IsComplex(node.shape.type)) {
      row.SetComplex(i, {static_cast<double>(i), 0.0});
    } else {
      row.SetInt(i, i);
    }
  }
  std::vector<Mode> modes;
  for (size_t d = 0; d < node.shape.dims.size(); ++d) {
    modes.push_back({node.shape.dims[d], d == dimension ? int64_t{1} : int64_t{0}});
  }
  return Gather(&contents, contents.Literal(row.bytes), StorageBytes(node.shape.type), 0, std::move(modes));
}

StatusOr<ContentId> Semantics::Evaluate(InstructionId instruction, const hlo::Computation& body,
                                        const hlo::Instruction& node, std::span<const ContentId> values,
                                        std::optional<UndefinedUse>* undefined) {
  ContentTable& contents = terms_->contents();
  switch (node.opcode) {
    case Opcode::kConstant:
    case Opcode::kIota:
      return Leaf(node);
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kCall:
    case Opcode::kOther:
    case Opcode::kParameter:
      return Unknown(node);
    default:
      break;
  }
  // Two combiners that are not recognised could not be told apart.
  if (node.opcode == Opcode::kReduce && !node.reducer) return Unknown(node);
  std::vector<ContentId> operands;
  std::vector<const Shape*> shapes;
  for (const int32_t k : node.operands) {
    operands.push_back(values[static_cast<size_t>(k)]);
    shapes.push_back(&body.instructions[static_cast<size_t>(k)].shape);
  }
  if (operands.empty()) return Unknown(node);
  // A constant's conversion is its value, so that equal constants stay equal.
  if (node.opcode == Opcode::kConvert || node.opcode == Opcode::kBitcastConvert) {
    if (std::optional<std::vector<uint8_t>> bytes = contents.AsLiteral(operands[0])) {
      Literal from;
      from.shape = *shapes[0];
      from.bytes = std::move(*bytes);
      ACT_ASSIGN_OR_RETURN(const Literal to, node.opcode == Opcode::kConvert
                                                 ? ConvertLiteral(from, node.shape.type)
                                                 : BitcastConvertLiteral(from, node.shape.type));
      return contents.Literal(to.bytes);
    }
  }
  if (IsMovement(contents, node, shapes, operands)) return MoveData(&contents, node, shapes, operands);
  std::vector<OperandKey> keys;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (const std::optional<int64_t> at = FirstUndefined(contents, operands[k])) {
      *undefined =
          UndefinedUse{std::string(hlo::OpcodeName(node.opcode)), ByteAt(contents, operands[k], *at)};
      return operands[k];
    }
    keys.push_back({shapes[k]->type, shapes[k]->dims, operands[k]});
  }
  const TermId term = terms_->Operation(node, keys, instruction);
  return contents.Whole(term, node.shape.num_bytes().value_or(0));
}

}  // namespace act::validate
