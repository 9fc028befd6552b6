#include "validate/certificate.h"

#include <algorithm>

namespace act::validate {
namespace {

using assembly::SelectedGraph;
using assembly::Step;
using assembly::Value;

Status Malformed(std::string sentence) {
  return Error(ErrorClass::kValue, "validate-certificate", "certificate: " + std::move(sentence));
}

class Evaluator {
 public:
  Evaluator(const SelectedGraph& graph, const assembly::Program& program, TermTable* terms,
            Semantics* semantics)
      : graph_(graph), program_(program), terms_(*terms), semantics_(*semantics) {}

  StatusOr<Certified> Run();

 private:
  Status CheckInterface();
  Status CheckValue(size_t index);
  Status CheckParts(const Value& value, const std::string& who);
  // Values that need no step, or only steps already taken; iterative over windows and adjacencies.
  Status Resolve(ValueId wanted);
  Status Build(ValueId id);
  Status Take(size_t index);
  Status CheckOperands(const Step& step, const std::string& who, std::span<const int64_t> state);

  bool Exists(ValueId id) const { return id.value() < graph_.values.size(); }
  std::string Who(ValueId id) const {
    const std::string& name = graph_.value(id).name;
    return name.empty() ? "value " + std::to_string(id.value()) : "value '" + name + "'";
  }
  StatusOr<int64_t> ShapeBytes(const Shape& shape) const {
    const std::optional<int64_t> bytes = shape.is_array() ? shape.num_bytes() : std::nullopt;
    if (!bytes) return Malformed("the shape " + ToString(shape) + " has no size in bytes");
    return *bytes;
  }

  const SelectedGraph& graph_;
  const assembly::Program& program_;
  TermTable& terms_;
  Semantics& semantics_;
  enum class Mark : uint8_t { kNew, kOpen, kDone };
  std::vector<Mark> marks_;
  std::vector<ContentId> contents_;
  std::vector<bool> taken_;  // steps
};

Status Evaluator::CheckInterface() {
  const auto compare = [&](const std::vector<Shape>& shapes, const std::vector<assembly::HbmTensor>& tensors,
                           const char* what) -> Status {
    if (shapes.size() != tensors.size()) {
      return Malformed("it has " + std::to_string(shapes.size()) + " " + what + "s, the program has " +
                       std::to_string(tensors.size()));
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
      ACT_ASSIGN_OR_RETURN(const int64_t want, ShapeBytes(shapes[i]));
      ACT_ASSIGN_OR_RETURN(const int64_t have, ShapeBytes(tensors[i].shape));
      if (want != have) {
        return Malformed(std::string(what) + " " + std::to_string(i) + " is " + ToString(shapes[i]) + " of " +
                         std::to_string(want) + " bytes, in the program " + ToString(tensors[i].shape) +
                         " of " + std::to_string(have));
      }
    }
    return Status();
  };
  ACT_RETURN_IF_ERROR(compare(graph_.input_shapes, program_.inputs, "input"));
  ACT_RETURN_IF_ERROR(compare(graph_.output_shapes, program_.outputs, "output"));
  if (graph_.outputs.size() != graph_.output_shapes.size()) {
    return Malformed("it names " + std::to_string(graph_.outputs.size()) + " values for " +
                     std::to_string(graph_.output_shapes.size()) + " outputs");
  }
  for (size_t k = 0; k < graph_.outputs.size(); ++k) {
    const ValueId id = graph_.outputs[k];
    if (!Exists(id)) return Malformed("output " + std::to_string(k) + " is no value of it");
    const Value& value = graph_.value(id);
    ACT_ASSIGN_OR_RETURN(const int64_t bytes, ShapeBytes(graph_.output_shapes[k]));
    if (value.kind != Value::Kind::kResult || value.buffer != BufferId(0) || value.bytes != bytes) {
      return Malformed("output " + std::to_string(k) + " is " + Who(id) + ", which is not a result of " +
                       std::to_string(bytes) + " bytes in HBM");
    }
    if (std::count(graph_.outputs.begin(), graph_.outputs.end(), id) != 1) {
      return Malformed(Who(id) + " is more than one output");
    }
  }
  return Status();
}

Status Evaluator::CheckParts(const Value& value, const std::string& who) {
  const bool window = value.kind == Value::Kind::kWindow;
  if (window ? value.parts.size() != 1 : value.parts.size() < 2) {
    return Malformed(who + " has " + std::to_string(value.parts.size()) + " parts, expected " +
                     (window ? "one" : "two or more"));
  }
  int64_t bytes = 0;
  int64_t outermost = 0;
  for (const ValueId id : value.parts) {
    if (!Exists(id)) return Malformed(who + " has a part that is no value of it");
    const Value& part = graph_.value(id);
    if (part.buffer != value.buffer)
      return Malformed(who + " lies in another buffer than its part " + Who(id));
    if (part.bytes < 0 || part.size.empty() || value.size.empty() || part.size.size() != value.size.size()) {
      return Malformed(who + " and its part " + Who(id) + " have boxes that do not fit");
    }
    const std::optional<int64_t> sum = CheckedAdd(bytes, part.bytes);
    const std::optional<int64_t> outer = CheckedAdd(outermost, part.size[0]);
    if (!sum || !outer) return Malformed(who + " is larger than 64 bits can say");
    bytes = *sum;
    outermost = *outer;
    for (size_t d = 1; !window && d < part.size.size(); ++d) {
      if (part.size[d] != value.size[d]) {
        return Malformed(who + " and its part " + Who(id) + " differ in dimension " + std::to_string(d));
      }
    }
  }
  if (window) {
    const int64_t unit = terms_.accelerator().buffer(value.buffer).UnitBytes();
    if (value.offset < 0 || value.offset > bytes - value.bytes || unit < 1 || value.offset % unit != 0) {
      return Malformed(who + " is no window of whole units inside " + Who(value.parts[0]));
    }
  } else if (bytes != value.bytes || outermost != value.size[0]) {
    return Malformed(who + " has " + std::to_string(value.bytes) + " bytes, its parts have " +
                     std::to_string(bytes));
  }
  return Status();
}

Status Evaluator::CheckValue(size_t index) {
  const Value& value = graph_.values[index];
  const std::string who = Who(ValueId(index));
  const isa::Accelerator& accelerator = terms_.accelerator();
  if (value.buffer.value() >= accelerator.buffers.size()) return Malformed(who + " is in no buffer");
  const isa::Buffer& buffer = accelerator.buffer(value.buffer);
  if (value.size.size() != buffer.addresses.size()) {
    return Malformed(who + " has a box of " + std::to_string(value.size.size()) + " dimensions in buffer '" +
                     buffer.name + "' of " + std::to_string(buffer.addresses.size()));
  }
  const int64_t least = value.buffer == BufferId(0) ? 0 : 1;  // a tensor in HBM may be empty
  for (size_t d = 0; d < value.size.size(); ++d) {
    if (value.size[d] < least || value.size[d] > buffer.addresses[d]) {
      return Malformed(who + " is larger than buffer '" + buffer.name + "'");
    }
  }
  const StatusOr<int64_t> bytes = isa::BoxBytes(accelerator, value.buffer, value.size);
  if (!bytes.ok() || *bytes != value.bytes) {
    return Malformed(who + " says " + std::to_string(value.bytes) + " bytes, which is not its box's size");
  }
  const auto index_below = [&](size_t count, const char* what) -> Status {
    if (value.index >= 0 && static_cast<size_t>(value.index) < count) return Status();
    return Malformed(who + " is " + what + " " + std::to_string(value.index) + " of " +
                     std::to_string(count));
  };
  const auto in_hbm_of_shape = [&](const Shape& shape) -> Status {
    ACT_ASSIGN_OR_RETURN(const int64_t size, ShapeBytes(shape));
    if (value.buffer == BufferId(0) && size == value.bytes) return Status();
    return Malformed(who + " must lie in HBM with the " + std::to_string(size) + " bytes of " +
                     ToString(shape));
  };
  switch (value.kind) {
    case Value::Kind::kInput:
      ACT_RETURN_IF_ERROR(index_below(graph_.input_shapes.size(), "input"));
      return in_hbm_of_shape(graph_.input_shapes[static_cast<size_t>(value.index)]);
    case Value::Kind::kConstant: {
      ACT_RETURN_IF_ERROR(index_below(graph_.constants.size(), "constant"));
      const Literal& literal = graph_.constants[static_cast<size_t>(value.index)];
      ACT_RETURN_IF_ERROR(in_hbm_of_shape(literal.shape));
      if (static_cast<int64_t>(literal.bytes.size()) != value.bytes) {
        return Malformed(who + " has a constant whose bytes are not those of its shape");
      }
      return Status();
    }
    case Value::Kind::kResult:
      ACT_RETURN_IF_ERROR(index_below(graph_.steps.size(), "the result of step"));
      if (graph_.steps[static_cast<size_t>(value.index)].result != ValueId(index)) {
        return Malformed(who + " is not the result that step " + std::to_string(value.index) + " names");
      }
      return Status();
    case Value::Kind::kWindow:
    case Value::Kind::kAdjacent:
      return CheckParts(value, who);
  }
  return Malformed(who + " is of no known kind");
}

Status Evaluator::Build(ValueId id) {
  const Value& value = graph_.value(id);
  ContentTable& contents = terms_.contents();
  ContentId& content = contents_[id.value()];
  switch (value.kind) {
    case Value::Kind::kInput:
      content = contents.Whole(terms_.Input(value.index, value.bytes), value.bytes);
      break;
    case Value::Kind::kConstant:
      content = contents.Literal(graph_.constants[static_cast<size_t>(value.index)].bytes);
      break;
    case Value::Kind::kResult:
      if (!taken_[static_cast<size_t>(value.index)]) {
        return Malformed(Who(id) + " is used before step " + std::to_string(value.index) +
                         " makes it; steps stand in the order of their data");
      }
      break;
    case Value::Kind::kWindow: {
      ContentBuilder builder(&contents);
      builder.AddSlice(contents_[value.parts[0].value()], value.offset, value.bytes);
      content = builder.Finish();
      break;
    }
    case Value::Kind::kAdjacent: {
      ContentBuilder builder(&contents);
      for (const ValueId part : value.parts) builder.AddAll(contents_[part.value()]);
      content = builder.Finish();
      break;
    }
  }
  terms_.NameContent(content, value.name);
  return Status();
}

Status Evaluator::Resolve(ValueId wanted) {
  std::vector<ValueId> stack = {wanted};
  while (!stack.empty()) {
    const ValueId id = stack.back();
    Mark& mark = marks_[id.value()];
    if (mark == Mark::kDone) {
      stack.pop_back();
      continue;
    }
    if (mark == Mark::kNew) {
      mark = Mark::kOpen;
      for (const ValueId part : graph_.value(id).parts) {
        if (marks_[part.value()] == Mark::kOpen) return Malformed(Who(id) + " is a part of itself");
        if (marks_[part.value()] == Mark::kNew) stack.push_back(part);
      }
      continue;
    }
    ACT_RETURN_IF_ERROR(Build(id));
    mark = Mark::kDone;
    stack.pop_back();
  }
  return Status();
}

Status Evaluator::CheckOperands(const Step& step, const std::string& who, std::span<const int64_t> state) {
  const isa::Accelerator& accelerator = terms_.accelerator();
  const isa::Instruction& instruction = accelerator.instruction(step.instruction);
  const isa::Environment environment{step.computational, {}, state};
  const auto fits = [&](ValueId id, const isa::Region& region, const std::string& what) -> Status {
    const Value& value = graph_.value(id);
    if (value.buffer != region.buffer) {
      return Malformed(who + ": " + what + " is " + Who(id) + " in buffer '" +
                       accelerator.buffer(value.buffer).name + "', the region is in '" +
                       accelerator.buffer(region.buffer).name + "'");
    }
    ACT_ASSIGN_OR_RETURN(const std::vector<int64_t> size, isa::EvaluateSizes(region, environment));
    ACT_ASSIGN_OR_RETURN(const int64_t bytes, isa::BoxBytes(accelerator, region.buffer, size));
    // A strided region names its elements one by one; only their number can be compared.
    if (bytes != value.bytes || (region.strides.empty() && size != value.size)) {
      return Malformed(who + ": " + what + " is " + Who(id) + " of " + std::to_string(value.bytes) +
                       " bytes, the region has " + std::to_string(bytes) + " or another box");
    }
    return Status();
  };
  for (size_t k = 0; k < step.operands.size(); ++k) {
    ACT_RETURN_IF_ERROR(fits(step.operands[k], instruction.inputs[k], "operand " + std::to_string(k)));
  }
  return fits(step.result, instruction.outputs[0], "its result");
}

Status Evaluator::Take(size_t index) {
  const Step& step = graph_.steps[index];
  const isa::Accelerator& accelerator = terms_.accelerator();
  std::string who = "step " + std::to_string(index);
  if (step.instruction.value() >= accelerator.instructions.size()) {
    return Malformed(who + " names no instruction");
  }
  const isa::Instruction& instruction = accelerator.instruction(step.instruction);
  who += " (" + instruction.name + ")";
  if (step.computational.size() != instruction.computational.size() ||
      step.operands.size() != instruction.inputs.size() || instruction.outputs.empty() ||
      instruction.semantics.empty()) {
    return Malformed(who + " does not have the instruction's attributes, operands, result and semantics");
  }
  // What a state-dependent instruction computes is not said by a graph without states.
  if (DependsOnState(instruction)) {
    return Malformed(who + " computes what machine state decides, which a certificate does not say");
  }
  if (!Exists(step.result) || graph_.value(step.result).kind != Value::Kind::kResult ||
      graph_.value(step.result).index != static_cast<int64_t>(index)) {
    return Malformed(who + " has a result that is not its own");
  }
  for (const ValueId operand : step.operands) {
    if (!Exists(operand)) return Malformed(who + " has an operand that is no value");
    ACT_RETURN_IF_ERROR(Resolve(operand));
  }
  std::vector<int64_t> state;
  for (const isa::StateVariable& s : accelerator.state) state.push_back(s.initial);
  ACT_RETURN_IF_ERROR(
      isa::CheckConstraints(accelerator, instruction, {step.computational, {}, state}, false));
  ACT_RETURN_IF_ERROR(CheckOperands(step, who, state));
  ACT_ASSIGN_OR_RETURN(const Semantics::Prepared* prepared,
                       semantics_.Prepare(step.instruction, step.computational, state));
  std::vector<ContentId> inputs;
  for (const ValueId operand : step.operands) inputs.push_back(contents_[operand.value()]);
  ACT_ASSIGN_OR_RETURN(const Applied applied, semantics_.Apply(*prepared, inputs));
  if (applied.undefined || applied.outputs.empty()) return Malformed(who + " yields no value");
  contents_[step.result.value()] = applied.outputs[0];
  taken_[index] = true;
  return Resolve(step.result);
}

StatusOr<Certified> Evaluator::Run() {
  ACT_RETURN_IF_ERROR(CheckInterface());
  Certified certified;
  for (size_t i = 0; i < graph_.values.size(); ++i) {
    ACT_RETURN_IF_ERROR(CheckValue(i));
    const std::string& name = graph_.values[i].name;
    if (!name.empty() && !certified.names.try_emplace(name, ContentId()).second) {
      return Malformed("two values have the name '" + name + "'");
    }
  }
  marks_.assign(graph_.values.size(), Mark::kNew);
  contents_.assign(graph_.values.size(), ContentId());
  taken_.assign(graph_.steps.size(), false);
  // Inputs first: their own names are the best ones for messages.
  for (size_t i = 0; i < graph_.values.size(); ++i) {
    const Value::Kind kind = graph_.values[i].kind;
    if (kind == Value::Kind::kInput || kind == Value::Kind::kConstant) {
      ACT_RETURN_IF_ERROR(Resolve(ValueId(i)));
    }
  }
  for (size_t s = 0; s < graph_.steps.size(); ++s) ACT_RETURN_IF_ERROR(Take(s));
  for (size_t i = 0; i < graph_.values.size(); ++i) {
    ACT_RETURN_IF_ERROR(Resolve(ValueId(i)));
    if (const auto it = certified.names.find(graph_.values[i].name); it != certified.names.end()) {
      it->second = contents_[i];
    }
  }
  for (const ValueId id : graph_.outputs) certified.outputs.push_back(contents_[id.value()]);
  return certified;
}

}  // namespace

StatusOr<Certified> EvaluateCertificate(const assembly::SelectedGraph& graph,
                                        const assembly::Program& program, TermTable* terms,
                                        Semantics* semantics) {
  return Evaluator(graph, program, terms, semantics).Run();
}

}  // namespace act::validate
