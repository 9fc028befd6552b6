#include "allocate/emit.h"

#include <algorithm>

#include "allocate/steps.h"

namespace act::allocate {

using assembly::Value;

namespace {

Status Internal(std::string message) {
  return Error(ErrorClass::kInternal, "allocate-check", "allocation: " + std::move(message));
}

Status CheckStepPlaces(const Model& model, int32_t s, const std::vector<int64_t>& attributes,
                       const Assignment& assignment) {
  const assembly::Step& step = model.graph->steps[s];
  const isa::Instruction& instruction = model.instruction(s);
  const isa::Environment environment{step.computational, attributes, model.state};
  std::vector<isa::Box> inputs, outputs;
  const auto check = [&](const isa::Region& region, ValueId v, std::vector<isa::Box>* list) -> Status {
    ACT_ASSIGN_OR_RETURN(isa::Box box, isa::EvaluateRegion(region, environment));
    ACT_RETURN_IF_ERROR(isa::CheckBox(*model.accelerator, box));
    for (size_t d = 0; d < box.start.size(); ++d) {
      if (box.start[d] != assignment.At(model.place[v.value()][d])) {
        return Internal("step " + model.StepName(s) + " does not reach value " + model.graph->value(v).name);
      }
    }
    list->push_back(std::move(box));
    return {};
  };
  for (size_t k = 0; k < step.operands.size(); ++k) {
    ACT_RETURN_IF_ERROR(check(instruction.inputs[k], step.operands[k], &inputs));
  }
  ACT_RETURN_IF_ERROR(check(instruction.outputs[0], step.result, &outputs));
  ACT_RETURN_IF_ERROR(isa::CheckConstraints(*model.accelerator, instruction, environment, true));
  return isa::CheckPlacement(instruction, inputs, outputs);
}

Status CheckBoxes(const Packing& packing, const Assignment& assignment) {
  for (size_t a = 0; a < packing.boxes.size(); ++a) {
    for (int32_t b : packing.conflicts[a]) {
      bool apart = false;
      for (size_t d = 0; d < packing.boxes[a].size.size(); ++d) {
        const int64_t x = assignment.At(packing.boxes[a].at[d]), y = assignment.At(packing.boxes[b].at[d]);
        apart = apart || x + packing.boxes[a].size[d] <= y || y + packing.boxes[b].size[d] <= x;
      }
      if (!apart) {
        const Model& model = *packing.model;
        return Internal("values " + model.value_of(model.cells[a].instance).name + " and " +
                        model.value_of(model.cells[b].instance).name + " share bytes while both are live");
      }
    }
  }
  return {};
}

}  // namespace

StatusOr<assembly::Program> EmitProgram(const Packing& packing, const std::vector<int32_t>& order,
                                        const std::vector<int64_t>& values, AllocateReport* report) {
  const Model& model = *packing.model;
  const assembly::SelectedGraph& graph = *model.graph;
  Assignment assignment(packing.components.size());
  for (size_t c = 0; c < values.size(); ++c) assignment.Set(static_cast<int32_t>(c), values[c]);
  ACT_RETURN_IF_ERROR(CheckBoxes(packing, assignment));

  assembly::Program program;
  program.target = model.accelerator->name;
  int64_t at = 0;
  for (size_t k = 0; k < graph.input_shapes.size(); ++k) {
    program.inputs.push_back({"in" + std::to_string(k), at, graph.input_shapes[k]});
    at += *graph.input_shapes[k].num_bytes();
  }
  for (const Value& value : graph.values) {
    if (value.kind == Value::Kind::kInput) program.inputs[value.index].name = value.name;
  }
  for (size_t k = 0; k < graph.outputs.size(); ++k) {
    program.outputs.push_back({graph.value(graph.outputs[k]).name, at, graph.output_shapes[k]});
    at += *graph.output_shapes[k].num_bytes();
  }
  program.hbm_bytes = at;
  report->peak.assign(model.accelerator->buffers.size(), 0);
  std::vector<std::pair<int64_t, assembly::HbmConstant>> constants;
  for (size_t i = 0; i < model.instances.size(); ++i) {
    const Value& value = model.value_of(static_cast<int32_t>(i));
    const int64_t start = assignment.At(model.place[model.instances[i].value.value()][0]);
    int64_t& peak = report->peak[value.buffer.value()];
    peak = std::max(peak, start + value.size[0]);
    if (value.kind == Value::Kind::kConstant) {
      constants.push_back({value.index, {value.name, start, graph.constants[value.index]}});
    }
  }
  report->peak[0] = program.hbm_bytes = std::max(program.hbm_bytes, report->peak[0]);
  std::sort(constants.begin(), constants.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [index, constant] : constants) program.constants.push_back(std::move(constant));

  StepSolver solver(model);
  for (int32_t s : order) {
    const assembly::Step& step = graph.steps[s];
    std::vector<int64_t> attributes;
    if (std::binary_search(model.open_steps.begin(), model.open_steps.end(), s)) {
      std::optional<std::vector<int64_t>> solved = solver.Solve(s, assignment);
      if (!solved) return Internal("step " + model.StepName(s) + " has no addressing attributes");
      attributes = std::move(*solved);
    } else {
      for (const AttributeLink& link : model.attributes[s]) {
        attributes.push_back(
            link.component < 0 ? 0 : (assignment.value[link.component] + link.offset) / link.divisor);
      }
    }
    ACT_RETURN_IF_ERROR(CheckStepPlaces(model, s, attributes, assignment));
    assembly::Statement statement;
    statement.kind = assembly::Statement::Kind::kCall;
    statement.call.instruction = step.instruction;
    statement.call.computational = step.computational;
    for (int64_t a : attributes) statement.call.addressing.push_back(assembly::AttributeValue::Of(a));
    for (ValueId operand : step.operands) statement.call.operand_names.push_back(graph.value(operand).name);
    statement.call.result_name = graph.value(step.result).name;
    program.body.push_back(std::move(statement));
  }
  return program;
}

namespace {

std::string SizeText(const std::vector<int64_t>& size) {
  std::string text;
  for (int64_t s : size) text += (text.empty() ? "" : "x") + std::to_string(s);
  return text;
}

// "v1 64, v2 64": the cells, those of one instance together.
std::string LiveText(const Model& model, const std::vector<int32_t>& cells) {
  std::string text;
  size_t shown = 0;
  for (size_t i = 0; i < cells.size();) {
    const int32_t instance = model.cells[cells[i]].instance;
    size_t j = i;
    int64_t volume = 0;
    for (; j < cells.size() && model.cells[cells[j]].instance == instance; ++j) {
      volume += CheckedProduct(model.cells[cells[j]].size).value_or(kUnbounded);
    }
    if (++shown <= 16) {
      const Value& value = model.value_of(instance);
      const bool whole = static_cast<int32_t>(j - i) ==
                         model.instances[instance].cells_end - model.instances[instance].cells_begin;
      text += (shown > 1 ? ", " : "") + value.name + " " +
              (whole ? SizeText(value.size) : std::to_string(volume));
    }
    i = j;
  }
  if (shown > 16) text += " and " + std::to_string(shown - 16) + " more";
  return text;
}

std::string BufferText(const Model& model, BufferId buffer) {
  const isa::Buffer& b = model.accelerator->buffer(buffer);
  return "buffer " + b.name + " holds " + SizeText(b.addresses) +
         (buffer == BufferId(0) ? " bytes" : " addressed units");
}

}  // namespace

Status OverflowError(const Model& model, BufferId buffer, int32_t step, const std::vector<int32_t>& cells) {
  int64_t volume = 0;
  for (int32_t c : cells) volume += CheckedProduct(model.cells[c].size).value_or(kUnbounded);
  return Error(ErrorClass::kUnsupported, "allocate-capacity",
               BufferText(model, buffer) + ", but when step " + model.StepName(step) + " has written, " +
                   std::to_string(volume) + " are needed at once: " + LiveText(model, cells) +
                   "; no order of the steps needs less");
}

Status NoAddressError(const Packing& packing, const std::vector<int32_t>& order, int32_t buffer) {
  const Model& model = *packing.model;
  if (packing.clash_first >= 0) {
    const Value& a = model.value_of(model.cells[packing.clash_first].instance);
    const Value& b = model.value_of(model.cells[packing.clash_second].instance);
    return Error(
        ErrorClass::kUnsupported, "allocate-capacity",
        BufferText(model, a.buffer) + ", but values " + a.name + " " + SizeText(a.size) + " and " + b.name +
            " " + SizeText(b.size) +
            " are live at once and their start expressions put both in one place; one of them needs a "
            "copy elsewhere");
  }
  double fullest = -1;
  std::vector<int32_t> cells;
  int32_t at = 0;
  size_t where = 0;
  for (size_t b = 0; b < packing.capacity.size(); ++b) {
    if (buffer >= 0 && b != static_cast<size_t>(buffer)) continue;
    double capacity = 1;
    for (int64_t c : packing.capacity[b]) capacity *= static_cast<double>(c);
    for (int32_t s : order) {
      std::vector<int32_t> live;
      double volume = 0;
      for (size_t c = 0; c < packing.boxes.size(); ++c) {
        const Box& box = packing.boxes[c];
        const int64_t p = packing.position[s];
        if (static_cast<size_t>(box.buffer) != b || box.begin > p || (box.end <= p && box.begin != p))
          continue;
        live.push_back(static_cast<int32_t>(c));
        volume += static_cast<double>(CheckedProduct(box.size).value_or(kUnbounded));
      }
      if (volume / capacity > fullest) {
        fullest = volume / capacity;
        cells = std::move(live);
        at = s;
        where = b;
      }
    }
  }
  return Error(
      ErrorClass::kUnsupported, "allocate-capacity",
      BufferText(model, BufferId(where)) +
          ", and no addresses satisfy the start expressions and address constraints in any order; it is "
          "fullest when step " +
          (order.empty() ? std::string("none") : model.StepName(at)) +
          " has written: " + LiveText(model, cells));
}

}  // namespace act::allocate
