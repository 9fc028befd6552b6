#include "allocate/model.h"

#include "allocate/model_internal.h"

namespace act::allocate {

using assembly::Value;

std::string Model::StepName(int32_t step) const {
  return instruction(step).name + " (for " + graph->value(graph->steps[step].result).name + ")";
}

namespace {

Status CheckValue(const Model& model, size_t v) {
  const Value& value = model.graph->values[v];
  const isa::Accelerator& acc = *model.accelerator;
  const std::string who = "value " + value.name;
  if (value.buffer.value() >= acc.buffers.size()) return GraphError(who + " is in no buffer");
  const isa::Buffer& buffer = acc.buffer(value.buffer);
  if (value.size.size() != buffer.addresses.size()) {
    return GraphError(who + " has " + std::to_string(value.size.size()) + " sizes, buffer " + buffer.name +
                      " has " + std::to_string(buffer.addresses.size()) + " addressing dimensions");
  }
  for (int64_t s : value.size) {
    if (s < 1) return GraphError(who + " has size " + std::to_string(s));
  }
  for (ValueId part : value.parts) {
    if (part.value() >= model.graph->values.size()) return GraphError(who + " has an unknown part");
    if (model.graph->value(part).buffer != value.buffer) {
      return GraphError(who + " has a part in another buffer");
    }
  }
  const auto in_list = [&](size_t size) {
    return value.index >= 0 && static_cast<size_t>(value.index) < size;
  };
  switch (value.kind) {
    case Value::Kind::kInput:
      if (value.buffer != BufferId(0) || !in_list(model.graph->input_shapes.size())) {
        return GraphError(who + " is no kernel input");
      }
      break;
    case Value::Kind::kConstant:
      if (value.buffer != BufferId(0) || !in_list(model.graph->constants.size())) {
        return GraphError(who + " is no constant");
      }
      break;
    case Value::Kind::kResult:
      if (!in_list(model.graph->steps.size()) || model.graph->steps[value.index].result != ValueId(v)) {
        return GraphError(who + " is not the result of its step");
      }
      break;
    case Value::Kind::kWindow:
      if (value.parts.size() != 1) return GraphError(who + " is a window of several values");
      break;
    case Value::Kind::kAdjacent:
      if (value.parts.size() < 2) return GraphError(who + " joins fewer than two values");
      break;
  }
  for (size_t d = 0; d < value.size.size(); ++d) {
    if (value.size[d] <= buffer.addresses[d]) continue;
    std::string text = "buffer " + buffer.name + " holds " + std::to_string(buffer.addresses[d]) +
                       (value.buffer == BufferId(0) ? " bytes" : " units");
    if (value.size.size() > 1) text += " in dimension " + std::to_string(d);
    text += ", value " + value.name + " alone needs " + std::to_string(value.size[d]) +
            "; the kernel needs smaller tiles or the accelerator a larger buffer";
    return Error(ErrorClass::kUnsupported, "allocate-capacity", std::move(text));
  }
  return {};
}

Status CheckStep(const Model& model, int32_t s) {
  const assembly::Step& step = model.graph->steps[s];
  if (step.instruction.value() >= model.accelerator->instructions.size()) {
    return GraphError("step " + std::to_string(s) + " has no instruction");
  }
  const isa::Instruction& instruction = model.instruction(s);
  const std::string who = "step " + std::to_string(s) + " (" + instruction.name + ")";
  if (step.result.value() >= model.graph->values.size()) return GraphError(who + " has no result");
  const Value& result = model.graph->value(step.result);
  if (result.kind != Value::Kind::kResult || result.index != s) {
    return GraphError(who + " writes a value that is not its result");
  }
  if (instruction.outputs.size() != 1) {
    return Error(ErrorClass::kNotImplemented, "allocate-outputs",
                 "instruction " + instruction.name + " has " + std::to_string(instruction.outputs.size()) +
                     " outputs; allocation places instructions with exactly one");
  }
  if (step.operands.size() != instruction.inputs.size() ||
      step.computational.size() != instruction.computational.size()) {
    return GraphError(who + " has the wrong number of operands or attributes");
  }
  for (ValueId operand : step.operands) {
    if (operand.value() >= model.graph->values.size()) return GraphError(who + " reads an unknown value");
  }
  bool uses_state = false;
  const auto check_region = [&](const isa::Region& region, ValueId id) -> Status {
    const Value& value = model.graph->value(id);
    if (!region.strides.empty()) {
      return Error(
          ErrorClass::kNotImplemented, "allocate-strides",
          "instruction " + instruction.name + " has a strided region; allocation places dense regions only");
    }
    for (const isa::Expression& start : region.starts) {
      uses_state = uses_state || start.Uses(isa::AttributeKind::kState);
    }
    for (const isa::Expression& size : region.sizes) {
      uses_state = uses_state || size.Uses(isa::AttributeKind::kState);
    }
    ACT_ASSIGN_OR_RETURN(
        const std::vector<int64_t> sizes,
        isa::EvaluateSizes(region,
                           {.computational = step.computational, .addressing = {}, .state = model.state}));
    if (region.buffer != value.buffer || sizes != value.size) {
      return GraphError(who + " does not fit the buffer and size of value " + value.name);
    }
    return {};
  };
  for (size_t k = 0; k < step.operands.size(); ++k) {
    ACT_RETURN_IF_ERROR(check_region(instruction.inputs[k], step.operands[k]));
  }
  ACT_RETURN_IF_ERROR(check_region(instruction.outputs[0], step.result));
  for (const isa::Condition& condition : instruction.constraints) {
    uses_state = uses_state || condition.Uses(isa::AttributeKind::kState);
  }
  if (uses_state || !instruction.updates.empty()) {
    return Error(ErrorClass::kNotImplemented, "allocate-state",
                 "instruction " + instruction.name +
                     " reads or writes machine state, which allocation does not follow yet");
  }
  return {};
}

}  // namespace

Status CheckGraph(Model* model) {
  const auto add_bytes = [](const Shape& shape, int64_t* total) -> Status {
    const std::optional<int64_t> bytes = shape.num_bytes();
    const std::optional<int64_t> sum = bytes ? CheckedAdd(*total, *bytes) : std::nullopt;
    if (!sum || *sum > isa::kHbmCapacityBytes) {
      return Error(ErrorClass::kUnsupported, "allocate-capacity",
                   "buffer d0 holds " + std::to_string(isa::kHbmCapacityBytes) +
                       " bytes, the kernel's inputs and outputs alone need more");
    }
    *total = *sum;
    return {};
  };
  for (const Shape& shape : model->graph->input_shapes) {
    ACT_RETURN_IF_ERROR(add_bytes(shape, &model->inputs_end));
  }
  model->hbm_base = model->inputs_end;
  if (model->graph->outputs.size() != model->graph->output_shapes.size()) {
    return GraphError("outputs and their shapes differ in number");
  }
  for (const Shape& shape : model->graph->output_shapes) {
    ACT_RETURN_IF_ERROR(add_bytes(shape, &model->hbm_base));
  }
  for (size_t v = 0; v < model->graph->values.size(); ++v) ACT_RETURN_IF_ERROR(CheckValue(*model, v));
  for (size_t s = 0; s < model->graph->steps.size(); ++s) {
    ACT_RETURN_IF_ERROR(CheckStep(*model, static_cast<int32_t>(s)));
  }
  for (size_t k = 0; k < model->graph->outputs.size(); ++k) {
    const ValueId id = model->graph->outputs[k];
    if (id.value() >= model->graph->values.size()) return GraphError("an output has no value");
    const Value& value = model->graph->value(id);
    if (value.buffer != BufferId(0) || value.size[0] != *model->graph->output_shapes[k].num_bytes()) {
      return GraphError("output " + std::to_string(k) + " is not in HBM at its size");
    }
  }
  return {};
}

StatusOr<Model> BuildModel(const isa::Accelerator& accelerator, const assembly::SelectedGraph& graph) {
  Model model;
  model.accelerator = &accelerator;
  model.graph = &graph;
  for (const isa::StateVariable& variable : accelerator.state) model.state.push_back(variable.initial);
  ACT_RETURN_IF_ERROR(CheckGraph(&model));
  std::vector<bool> used;
  ACT_RETURN_IF_ERROR(BuildCells(&model, &used));
  ACT_RETURN_IF_ERROR(BuildComponents(&model, used));
  ACT_RETURN_IF_ERROR(BuildEdges(&model));
  return model;
}

}  // namespace act::allocate
