#include "isa/instantiate.h"

#include <algorithm>
#include <utility>

namespace act::isa {
namespace {

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// "@c.n = 64, @a.addr = 0".
std::string ValuesText(const Accelerator& accelerator, const Instruction& instruction,
                       const Environment& environment) {
  std::string text;
  const auto append = [&text](const char* prefix, const std::string& name, int64_t value) {
    if (!text.empty()) text += ", ";
    text += prefix + name + " = " + std::to_string(value);
  };
  for (size_t i = 0; i < instruction.computational.size() && i < environment.computational.size(); ++i) {
    append("@c.", instruction.computational[i], environment.computational[i]);
  }
  for (size_t i = 0; i < instruction.addressing.size() && i < environment.addressing.size(); ++i) {
    append("@a.", instruction.addressing[i], environment.addressing[i]);
  }
  for (size_t i = 0; i < accelerator.state.size() && i < environment.state.size(); ++i) {
    append("@s.", accelerator.state[i].name, environment.state[i]);
  }
  return text;
}

// Builds one instance; every failure names the instruction, the place in it and the attribute values.
class Instantiation {
 public:
  Instantiation(const Accelerator& accelerator, const Instruction& instruction,
                const Environment& environment)
      : accelerator_(accelerator), instruction_(instruction), environment_(environment) {}

  StatusOr<Instance> Run() &&;

 private:
  Status AddParameters();
  Status AddNode(const SemanticNode& node);
  Status AddParameterNode(const SemanticNode& node);
  Status FillAttributes(const SemanticNode& node, hlo::Instruction* out);
  Status FillConstant(const SemanticNode& node, hlo::Instruction* out);
  Status CheckShape(const SemanticNode& node, const hlo::Instruction& out);
  Status CheckDynamicWindow(const SemanticNode& node, const hlo::Instruction& out);
  Status AddOutputs();
  StatusOr<Shape> RegionShape(const Region& region, const char* what, size_t number);
  Status Evaluate(const Expression& expression, const SemanticNode& node, int64_t* value);
  Status EvaluateAll(const std::vector<Expression>& expressions, const SemanticNode& node,
                     std::vector<int64_t>* values);
  // The value in the shape of a region, by a reshape where only the dimensions differ; -1 if it cannot be.
  int32_t InShape(int32_t value, const Shape& shape, std::string name);
  int32_t Append(hlo::Instruction instruction) {
    instance_.body.instructions.push_back(std::move(instruction));
    return static_cast<int32_t>(instance_.body.instructions.size()) - 1;
  }
  const Shape& ShapeOf(int32_t value) const {
    return instance_.body.instructions[static_cast<size_t>(value)].shape;
  }
  Status Fault(std::string_view code, std::string sentence, const SourceLocation& location) const;
  Status FaultAt(std::string_view code, std::string sentence, const SemanticNode& node) const {
    return Fault(code, "value " + Quoted(node.name) + " " + std::move(sentence), node.location);
  }
  // A failure of a helper, placed in this instruction.
  Status Placed(const Status& status, std::string_view prefix, const SourceLocation& location) const;

  const Accelerator& accelerator_;
  const Instruction& instruction_;
  const Environment& environment_;
  Instance instance_;
  std::vector<int32_t> value_of_node_;
};

Status Instantiation::Fault(std::string_view code, std::string sentence,
                            const SourceLocation& location) const {
  Diagnostic d;
  d.code = code;
  d.message = "instruction " + Quoted(instruction_.name) + ": " + std::move(sentence);
  const std::string values = ValuesText(accelerator_, instruction_, environment_);
  if (!values.empty()) d.message += " (at " + values + ")";
  d.location = location.line > 0 ? location : instruction_.location;
  return Status(std::move(d));
}

Status Instantiation::Placed(const Status& status, std::string_view prefix,
                             const SourceLocation& location) const {
  const Diagnostic& cause = status.front();
  Status out = Fault(cause.code, std::string(prefix) + cause.message,
                     cause.location.line > 0 ? cause.location : location);
  out.mutable_diagnostics().front().error_class = cause.error_class;
  return out;
}

Status Instantiation::Evaluate(const Expression& expression, const SemanticNode& node, int64_t* value) {
  StatusOr<int64_t> result = isa::Evaluate(expression, environment_);
  if (!result.ok()) return Placed(result.status(), "value " + Quoted(node.name) + ": ", node.location);
  *value = *result;
  return {};
}

Status Instantiation::EvaluateAll(const std::vector<Expression>& expressions, const SemanticNode& node,
                                  std::vector<int64_t>* values) {
  values->resize(expressions.size());
  for (size_t i = 0; i < expressions.size(); ++i) {
    ACT_RETURN_IF_ERROR(Evaluate(expressions[i], node, &(*values)[i]));
  }
  return {};
}

StatusOr<Shape> Instantiation::RegionShape(const Region& region, const char* what, size_t number) {
  StatusOr<std::vector<int64_t>> sizes = EvaluateSizes(region, environment_);
  if (!sizes.ok()) {
    return Placed(sizes.status(), std::string(what) + std::to_string(number) + ": ", region.location);
  }
  const Buffer& buffer = accelerator_.buffer(region.buffer);
  Shape shape;
  shape.type = buffer.type;
  shape.dims = std::move(sizes).value();
  shape.dims.insert(shape.dims.end(), buffer.unit.begin(), buffer.unit.end());
  if (!shape.num_bytes()) {
    return Fault("isa-too-wide",
                 std::string(what) + std::to_string(number) + " has more bytes than fit in 64 bits",
                 region.location);
  }
  return shape;
}

Status Instantiation::AddParameters() {
  const size_t count = instruction_.inputs.size();
  instance_.body.instructions.reserve(count + instruction_.semantics.nodes.size() + 2);
  for (size_t k = 0; k < count; ++k) {
    ACT_ASSIGN_OR_RETURN(Shape shape, RegionShape(instruction_.inputs[k], "input ", k));
    hlo::Instruction parameter;
    parameter.name = "in." + std::to_string(k);
    parameter.opcode = hlo::Opcode::kParameter;
    parameter.shape = std::move(shape);
    parameter.parameter_number = static_cast<int64_t>(k);
    parameter.location = instruction_.inputs[k].location;
    instance_.body.parameters.push_back(Append(std::move(parameter)));
  }
  return {};
}

int32_t Instantiation::InShape(int32_t value, const Shape& shape, std::string name) {
  const Shape& have = ShapeOf(value);
  if (have.type == shape.type && have.dims == shape.dims) return value;
  if (have.type != shape.type || have.num_elements() != shape.num_elements() || !have.num_elements())
    return -1;
  hlo::Instruction reshape;
  reshape.name = std::move(name);
  reshape.opcode = hlo::Opcode::kReshape;
  reshape.shape = shape;
  reshape.operands = {value};
  return Append(std::move(reshape));
}

Status Instantiation::AddParameterNode(const SemanticNode& node) {
  if (node.parameter < 0 || static_cast<size_t>(node.parameter) >= instance_.body.parameters.size()) {
    return FaultAt("isa-parameter-number",
                   "is parameter " + std::to_string(node.parameter) + ", but the instruction has " +
                       std::to_string(instance_.body.parameters.size()) +
                       " inputs; number parameters from 0 in the order of the inputs",
                   node);
  }
  Shape shape;
  shape.type = node.type;
  ACT_RETURN_IF_ERROR(EvaluateAll(node.dims, node, &shape.dims));
  const int32_t parameter = instance_.body.parameters[static_cast<size_t>(node.parameter)];
  const int32_t value = InShape(parameter, shape, node.name);
  if (value < 0) {
    return FaultAt("isa-parameter-shape",
                   "is declared " + ToString(shape) + ", but input " + std::to_string(node.parameter) +
                       " is a region of " + ToString(ShapeOf(parameter)) +
                       "; declare its type and as many elements",
                   node);
  }
  if (value == parameter) instance_.body.instructions[static_cast<size_t>(parameter)].name = node.name;
  value_of_node_.push_back(value);
  return {};
}

Status Instantiation::FillConstant(const SemanticNode& node, hlo::Instruction* out) {
  const SymbolicConstant& constant = node.constant;
  int64_t computed = 0;
  std::span<const int64_t> integers = constant.integers;
  if (constant.expression) {
    ACT_RETURN_IF_ERROR(Evaluate(*constant.expression, node, &computed));
    integers = {&computed, 1};
  }
  const ElementType type = node.type;
  const bool whole = IsInteger(type) || type == ElementType::kPred;
  const size_t given = integers.empty() ? constant.floats.size() : integers.size();
  if (integers.empty() && whole) {
    return FaultAt("isa-constant-type",
                   "is a constant of type " + std::string(ElementTypeName(type)) +
                       " without an integer value; write an integer or declare a float type",
                   node);
  }
  if (whole) {
    const int width = BitWidth(type);
    const bool is_signed = IsSignedInteger(type);
    // All of these are exact in 64 bits; u64 is bounded by the expressions' own range.
    const int64_t low = !is_signed    ? 0
                        : width >= 64 ? std::numeric_limits<int64_t>::min()
                                      : -(int64_t{1} << (width - 1));
    const int bits = is_signed ? width - 1 : width;
    const int64_t high = bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
    for (const int64_t value : integers) {
      if (value < low || value > high) {
        return FaultAt("isa-constant-range",
                       "is the constant " + std::to_string(value) + ", but " +
                           std::string(ElementTypeName(type)) + " holds " + std::to_string(low) + " to " +
                           std::to_string(high) + "; use a wider type or exclude the value by a constraint",
                       node);
      }
    }
  }
  const std::optional<int64_t> elements = out->shape.num_elements();
  // One value for all elements is a scalar that is broadcast, so that its size never matters.
  const bool splat = given == 1;
  if (!splat && (!elements || static_cast<uint64_t>(*elements) != given)) {
    return FaultAt("isa-constant-count",
                   "has " + std::to_string(given) + " values for the shape " + ToString(out->shape) +
                       "; give one value, or one for each element",
                   node);
  }
  Literal literal(splat ? Shape::Array(type, {}) : Shape::Array(type, out->shape.dims));
  for (size_t i = 0; i < given; ++i) {
    if (integers.empty()) {
      literal.SetDouble(static_cast<int64_t>(i), constant.floats[i]);
    } else {
      literal.SetInt(static_cast<int64_t>(i), integers[i]);
    }
  }
  if (splat && !out->shape.dims.empty()) {
    hlo::Instruction scalar;
    scalar.name = node.name + ".value";
    scalar.opcode = hlo::Opcode::kConstant;
    scalar.shape = literal.shape;
    scalar.literal = std::make_shared<const Literal>(std::move(literal));
    scalar.location = node.location;
    out->opcode = hlo::Opcode::kBroadcast;
    out->operands = {Append(std::move(scalar))};
  } else {
    out->literal = std::make_shared<const Literal>(std::move(literal));
  }
  return {};
}

Status Instantiation::FillAttributes(const SemanticNode& node, hlo::Instruction* out) {
  ACT_RETURN_IF_ERROR(EvaluateAll(node.dimensions, node, &out->dimensions));
  ACT_RETURN_IF_ERROR(EvaluateAll(node.dynamic_slice_sizes, node, &out->dynamic_slice_sizes));
  out->slice.resize(node.slice.size());
  for (size_t d = 0; d < node.slice.size(); ++d) {
    hlo::SliceDim& slice = out->slice[d];
    ACT_RETURN_IF_ERROR(Evaluate(node.slice[d].start, node, &slice.start));
    ACT_RETURN_IF_ERROR(Evaluate(node.slice[d].limit, node, &slice.limit));
    if (!node.slice[d].stride.nodes.empty()) {
      ACT_RETURN_IF_ERROR(Evaluate(node.slice[d].stride, node, &slice.stride));
    }
  }
  out->padding = node.padding;
  out->dot = node.dot;
  out->direction = node.direction;
  out->reducer = node.reducer;
  return {};
}

// dot may accumulate into a wider type of the operands' kind (taidl.md section 10).
bool WiderOfOneKind(ElementType wide, ElementType narrow) {
  const bool one_kind = (IsFloat(wide) && IsFloat(narrow)) || (IsSignedInteger(wide) && IsInteger(narrow)) ||
                        (IsUnsignedInteger(wide) && IsUnsignedInteger(narrow));
  return one_kind && BitWidth(wide) > BitWidth(narrow);
}

Status Instantiation::CheckShape(const SemanticNode& node, const hlo::Instruction& out) {
  for (const int64_t dim : out.shape.dims) {
    if (dim < 0) {
      return FaultAt(
          "isa-negative-dimension",
          "has the shape " + ToString(out.shape) + "; exclude such attribute values by a constraint", node);
    }
  }
  if (!out.shape.num_bytes()) {
    return FaultAt("isa-too-wide", "has more bytes than fit in 64 bits", node);
  }
  const StatusOr<Shape> inferred = hlo::InferShape(out, instance_.body, nullptr);
  if (!inferred.ok()) return Placed(inferred.status(), "value " + Quoted(node.name) + ": ", node.location);
  if (inferred->dims == out.shape.dims &&
      (inferred->type == out.shape.type ||
       (out.opcode == hlo::Opcode::kDot && WiderOfOneKind(out.shape.type, inferred->type)))) {
    return {};
  }
  return FaultAt("isa-declared-shape",
                 "is declared " + ToString(out.shape) + ", but its " +
                     std::string(hlo::OpcodeName(node.opcode)) + " yields " + ToString(*inferred) +
                     "; declare that shape or change the operation",
                 node);
}

// A window that a constant start puts outside is refused, never clamped.
Status Instantiation::CheckDynamicWindow(const SemanticNode& node, const hlo::Instruction& out) {
  const bool is_slice = out.opcode == hlo::Opcode::kDynamicSlice;
  const size_t first = is_slice ? 1 : 2;
  const std::vector<int64_t>& whole = ShapeOf(out.operands[0]).dims;
  const std::vector<int64_t>& window = is_slice ? out.dynamic_slice_sizes : ShapeOf(out.operands[1]).dims;
  for (size_t d = 0; d + first < out.operands.size() && d < whole.size(); ++d) {
    const hlo::Instruction& start = instance_.body.instructions[static_cast<size_t>(out.operands[d + first])];
    if (start.opcode != hlo::Opcode::kConstant || !start.literal) continue;
    const int64_t value = start.literal->GetInt(0);
    if (value < 0 || value > whole[d] - window[d]) {
      return FaultAt("isa-window-outside",
                     "starts its window of " + std::to_string(window[d]) + " at " + std::to_string(value) +
                         " in dimension " + std::to_string(d) + " of size " + std::to_string(whole[d]) +
                         "; keep the window inside",
                     node);
    }
  }
  return {};
}

Status Instantiation::AddNode(const SemanticNode& node) {
  if (node.opcode == hlo::Opcode::kParameter) return AddParameterNode(node);
  hlo::Instruction out;
  out.name = node.name;
  out.opcode = node.opcode;
  out.opcode_name = hlo::OpcodeName(node.opcode);
  out.location = node.location;
  out.shape.type = node.type;
  ACT_RETURN_IF_ERROR(EvaluateAll(node.dims, node, &out.shape.dims));
  out.operands.reserve(node.operands.size());
  for (const int32_t operand : node.operands) {
    if (operand < 0 || static_cast<size_t>(operand) >= value_of_node_.size()) {
      return FaultAt("isa-undefined-value", "has an operand that is not defined before it", node);
    }
    out.operands.push_back(value_of_node_[static_cast<size_t>(operand)]);
  }
  ACT_RETURN_IF_ERROR(FillAttributes(node, &out));
  if (node.opcode == hlo::Opcode::kConstant) {
    // Before the literal is made: its size is bounded by the text, its shape must be a shape.
    for (const int64_t dim : out.shape.dims) {
      if (dim < 0) return CheckShape(node, out);
    }
    ACT_RETURN_IF_ERROR(FillConstant(node, &out));
  }
  ACT_RETURN_IF_ERROR(CheckShape(node, out));
  if (out.opcode == hlo::Opcode::kDynamicSlice || out.opcode == hlo::Opcode::kDynamicUpdateSlice) {
    ACT_RETURN_IF_ERROR(CheckDynamicWindow(node, out));
  }
  value_of_node_.push_back(Append(std::move(out)));
  return {};
}

Status Instantiation::AddOutputs() {
  const Semantics& semantics = instruction_.semantics;
  if (semantics.outputs.size() != instruction_.outputs.size()) {
    return Fault("isa-output-count",
                 "the semantics stores " + std::to_string(semantics.outputs.size()) +
                     " values, but there are " + std::to_string(instruction_.outputs.size()) +
                     " output regions; give one region a value",
                 instruction_.location);
  }
  for (size_t j = 0; j < semantics.outputs.size(); ++j) {
    const SemanticNode& node = semantics.nodes[static_cast<size_t>(semantics.outputs[j])];
    ACT_ASSIGN_OR_RETURN(const Shape shape, RegionShape(instruction_.outputs[j], "output ", j));
    const int32_t value = value_of_node_[static_cast<size_t>(semantics.outputs[j])];
    const int32_t stored = InShape(value, shape, "out." + std::to_string(j));
    if (stored < 0) {
      return FaultAt("isa-output-shape",
                     "is " + ToString(ShapeOf(value)) + ", but output " + std::to_string(j) +
                         " is a region of " + ToString(shape) + "; store its type and as many elements",
                     node);
    }
    instance_.outputs.push_back(stored);
  }
  instance_.body.root = instance_.outputs.empty() ? -1 : instance_.outputs.front();
  return {};
}

StatusOr<Instance> Instantiation::Run() && {
  if (instruction_.semantics.empty()) {
    return Fault("isa-no-semantics", "it has no semantics; add one before it is used", instruction_.location);
  }
  instance_.body.name = instruction_.name;
  ACT_RETURN_IF_ERROR(AddParameters());
  value_of_node_.reserve(instruction_.semantics.nodes.size());
  for (const SemanticNode& node : instruction_.semantics.nodes) ACT_RETURN_IF_ERROR(AddNode(node));
  ACT_RETURN_IF_ERROR(AddOutputs());
  return std::move(instance_);
}

}  // namespace

StatusOr<Instance> Instantiate(const Accelerator& accelerator, const Instruction& instruction,
                               std::span<const int64_t> computational, std::span<const int64_t> state) {
  const Environment environment{computational, {}, state};
  return Instantiation(accelerator, instruction, environment).Run();
}

Status CheckConstraints(const Accelerator& accelerator, const Instruction& instruction,
                        const Environment& environment, bool with_addresses) {
  for (const Condition& constraint : instruction.constraints) {
    if (!with_addresses &&
        (constraint.Uses(AttributeKind::kAddressing) || constraint.Uses(AttributeKind::kState))) {
      continue;
    }
    const StatusOr<bool> holds = Evaluate(constraint, environment);
    if (holds.ok() && *holds) continue;
    const std::vector<std::string> states = accelerator.state_names();
    const NameTable names{instruction.computational, instruction.addressing, states};
    Diagnostic d;
    d.message =
        "instruction " + Quoted(instruction.name) + ": constraint \"" + ToString(constraint, names) + "\" ";
    if (holds.ok()) {
      d.code = "isa-constraint";
      d.message += "does not hold";
    } else {
      d.code = holds.status().front().code;
      d.error_class = holds.status().front().error_class;
      d.message += "has no value: " + holds.status().front().message;
    }
    const std::string values = ValuesText(accelerator, instruction, environment);
    if (!values.empty()) d.message += " at " + values;
    d.location = constraint.location.line > 0 ? constraint.location : instruction.location;
    return Status(std::move(d));
  }
  return {};
}

}  // namespace act::isa
