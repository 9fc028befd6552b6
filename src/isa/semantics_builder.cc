#include "isa/semantics_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace act::isa {

using hlo::Opcode;

namespace {

std::string Quoted(std::string_view text) { return "'" + std::string(text.substr(0, 80)) + "'"; }

// Signed integers as two's complement; false if the value is not one of the type's.
bool IntegerOfType(bool negative, uint64_t magnitude, ElementType type, int64_t* value) {
  if (type == ElementType::kPred) {
    *value = static_cast<int64_t>(magnitude);
    return magnitude <= 1 && (!negative || magnitude == 0);
  }
  const int width = BitWidth(type);
  if (IsUnsignedInteger(type)) {
    *value = static_cast<int64_t>(magnitude);
    if (negative && magnitude != 0) return false;
    return width >= 64 || magnitude < (uint64_t{1} << width);
  }
  const uint64_t limit = uint64_t{1} << (width - 1);
  if (magnitude > (negative ? limit : limit - 1)) return false;
  *value = static_cast<int64_t>(negative ? uint64_t{0} - magnitude : magnitude);
  return true;
}

double FloatOfInteger(bool negative, uint64_t magnitude, ElementType type) {
  Literal exact(Shape::Array(ElementType::kU64, {}));
  exact.SetInt(0, static_cast<int64_t>(magnitude));
  const auto converted = ConvertLiteral(exact, type);
  const double value = converted.ok() ? converted->GetDouble(0) : static_cast<double>(magnitude);
  return negative ? -value : value;
}

}  // namespace

double RoundToType(double value, ElementType type) {
  if (type == ElementType::kF64 || std::isnan(value)) return value;
  Literal literal(Shape::Array(type, {}));
  literal.SetDouble(0, value);
  return literal.GetDouble(0);
}

Diagnostic SemanticsBuilder::Make(ErrorClass error_class, std::string code, std::string message,
                                  size_t offset) const {
  return source_.MakeError(error_class, std::move(code),
                           "instruction " + Quoted(instruction_) + ", " + std::move(message), offset);
}

Status SemanticsBuilder::SyntaxError(std::string code, std::string message, size_t offset) const {
  return Make(ErrorClass::kSyntax, std::move(code), std::move(message), offset);
}

Status SemanticsBuilder::ValueError(std::string code, std::string message, size_t offset) const {
  return Make(ErrorClass::kValue, std::move(code), std::move(message), offset);
}

void SemanticsBuilder::AddFault(std::string code, std::string message, size_t offset) {
  if (faults_.size() < 50)
    faults_.push_back(Make(ErrorClass::kValue, std::move(code), std::move(message), offset));
}

std::string SemanticsBuilder::Where(const Operation& operation) const {
  if (operation.result.empty()) return "operation " + Quoted(operation.op) + ": ";
  return "value " + Quoted(operation.result) + ", operation " + Quoted(operation.op) + ": ";
}

int32_t SemanticsBuilder::AddParameter(int32_t number, std::string name, ElementType type,
                                       std::vector<Expression> dims, SourceLocation location) {
  SemanticNode parameter;
  parameter.name = std::move(name);
  parameter.opcode = Opcode::kParameter;
  parameter.parameter = number;
  parameter.type = type;
  parameter.dims = std::move(dims);
  parameter.location = std::move(location);
  semantics_.nodes.push_back(std::move(parameter));
  return static_cast<int32_t>(semantics_.nodes.size() - 1);
}

Status SemanticsBuilder::ReadConstant(const Operation& operation, SemanticNode* node) {
  const std::string where = Where(operation);
  if (operation.items.empty()) {
    return ValueError("isa-constant", where + "a constant needs its value in the brackets",
                      operation.op_offset);
  }
  const std::string type_name(ElementTypeName(node->type));
  for (const ConstantItem& item : operation.items) {
    const auto inexact = [&](std::string_view value) {
      return ValueError("isa-constant",
                        where + std::string(value) + " is no value of " + type_name +
                            "; use a value of the type or another type",
                        item.offset);
    };
    if (item.kind == ConstantItem::Kind::kExpression) {
      if (operation.items.size() != 1) {
        return ValueError("isa-constant",
                          where + "an expression stands for every element; it cannot be one of a list",
                          item.offset);
      }
      if (node->type == ElementType::kPred) {
        return ValueError("isa-constant",
                          where + "a pred constant is true or false; compare an integer constant instead",
                          item.offset);
      }
      node->constant.expression = item.expression;
      return Status();
    }
    if (item.is_bool && node->type != ElementType::kPred) {
      return inexact(item.number != 0 ? "true" : "false");
    }
    if (IsFloat(node->type)) {
      node->constant.floats.push_back(item.kind == ConstantItem::Kind::kFloat
                                          ? RoundToType(item.number, node->type)
                                          : FloatOfInteger(item.negative, item.magnitude, node->type));
      continue;
    }
    bool negative = item.negative;
    uint64_t magnitude = item.magnitude;
    if (item.kind == ConstantItem::Kind::kFloat) {
      const double absolute = std::fabs(item.number);
      // Not below 2^64, not a whole number, or NaN.
      if (!(absolute < 18446744073709551616.0) || absolute != std::floor(absolute)) {
        return inexact("a fraction, infinity or NaN");
      }
      negative = std::signbit(item.number);
      magnitude = static_cast<uint64_t>(absolute);
    }
    int64_t value = 0;
    if (!IntegerOfType(negative, magnitude, node->type, &value)) {
      return inexact((negative ? "-" : "") + std::to_string(magnitude));
    }
    node->constant.integers.push_back(value);
  }
  return Status();
}

void SemanticsBuilder::CheckTypes(const Operation& operation, const OperationName& name,
                                  const SemanticNode& node) {
  const std::string where = Where(operation);
  const auto type_of = [&](size_t i) { return semantics_.nodes[static_cast<size_t>(node.operands[i])].type; };
  const auto text = [](ElementType type) { return std::string(ElementTypeName(type)); };
  const Opcode opcode = node.opcode;
  const size_t count = node.operands.size();
  const TypeRule rule =
      opcode == Opcode::kReduce && node.reducer ? ReducerTypes(*node.reducer) : name.info.types;
  const ElementType checked =
      opcode == Opcode::kCompare || opcode == Opcode::kIsFinite ? type_of(0) : node.type;
  if (!TypeFits(rule, checked) || (opcode == Opcode::kBitcastConvert && !TypeFits(rule, type_of(0)))) {
    AddFault("isa-operation-type",
             where + "takes " + std::string(TypeRuleText(rule)) + " and was given " + text(checked) +
                 "; convert the operand or choose another operation",
             operation.op_offset);
    return;
  }
  // The operands that must agree in type with the first of them.
  size_t first = 0, last = count;
  if (opcode == Opcode::kSelect) {
    if (type_of(0) != ElementType::kPred) {
      AddFault("isa-operation-type",
               where + "the first operand is " + text(type_of(0)) + " and must be pred; use compare",
               operation.op_offset);
    }
    first = 1;
  } else if (opcode == Opcode::kDynamicSlice || opcode == Opcode::kDynamicUpdateSlice) {
    last = opcode == Opcode::kDynamicSlice ? 1 : 2;
    for (size_t i = last; i < count; ++i) {
      if (IsInteger(type_of(i))) continue;
      AddFault("isa-operation-type",
               where + "start " + std::to_string(i - last) + " must be an integer scalar",
               operation.op_offset);
    }
  } else if (opcode == Opcode::kDot) {
    last = 1;
    const bool ints = IsInteger(type_of(0));
    if (ints != IsInteger(type_of(1)) || ints != IsInteger(node.type) || !TypeFits(rule, type_of(1)) ||
        !TypeFits(rule, type_of(0)) ||
        BitWidth(node.type) < std::max(BitWidth(type_of(0)), BitWidth(type_of(1)))) {
      AddFault("isa-operation-type",
               where + "the operands are " + text(type_of(0)) + " and " + text(type_of(1)) +
                   " and the result " + text(node.type) +
                   "; all must be integers or all floats, and the result at least as wide",
               operation.op_offset);
    }
    return;
  }
  for (size_t i = first + 1; i < last; ++i) {
    if (type_of(i) == type_of(first)) continue;
    AddFault("isa-operation-type",
             where + "operand " + std::to_string(i) + " is " + text(type_of(i)) + " and operand " +
                 std::to_string(first) + " is " + text(type_of(first)) + "; convert one of them",
             operation.op_offset);
    return;
  }
  const ElementType expected = InferType(node, semantics_.nodes);
  if (expected != ElementType::kInvalid && expected != node.type) {
    AddFault("isa-result-type",
             where + "the result is declared " + text(node.type) + " and is " + text(expected) +
                 "; declare that type or add a convert",
             operation.op_offset);
  }
}

// Type and dimensions: inferred where they are not written, compared where they are.
Status SemanticsBuilder::Complete(const Operation& operation, const OperationName& name, SemanticNode* node) {
  const std::string where = Where(operation);
  if (operation.type) {
    node->type = *operation.type;
  } else {
    node->type = InferType(*node, semantics_.nodes);
    if (node->type == ElementType::kInvalid) {
      return ValueError("isa-missing-type", where + "the result's element type does not follow; write it",
                        operation.op_offset);
    }
  }
  if (operation.dims) node->dims = *operation.dims;
  for (const Expression& dim : node->dims) {
    const auto literal = dim.AsInteger();
    if (literal && *literal < 1) {
      AddFault("isa-dimension",
               where + "dimension " + std::to_string(*literal) + "; dimensions are at least 1",
               operation.offset);
    }
  }
  ACT_RETURN_IF_ERROR(ReadAttributes(operation, name, node));
  if (node->opcode == Opcode::kOther) return Status();
  if (!operation.dims && (node->opcode == Opcode::kIota || node->opcode == Opcode::kReshape ||
                          node->opcode == Opcode::kBroadcast)) {
    return ValueError("isa-missing-type",
                      where + "the result's shape does not follow; write its type, T[dims]",
                      operation.op_offset);
  }
  const auto inferred = InferDims(*node, semantics_.nodes);
  if (!inferred.ok()) {
    if (!operation.dims)
      return ValueError("isa-shape", where + inferred.status().front().message, operation.op_offset);
    AddFault("isa-shape", where + inferred.status().front().message, operation.op_offset);
    return Status();
  }
  if (!operation.dims) {
    if (node->opcode == Opcode::kConstant) return Status();
    bool known = inferred->has_value();
    for (const Expression& dim : known ? **inferred : std::vector<Expression>()) {
      known = known && dim.nodes.size() <= kMaxInferredNodes;
    }
    if (!known) {
      return ValueError("isa-missing-type",
                        where + "the result's shape does not follow; write its type, T[dims]",
                        operation.op_offset);
    }
    node->dims = **inferred;
    return Status();
  }
  if (!inferred->has_value()) return Status();
  const std::vector<Expression>& dims = **inferred;
  if (dims.size() != node->dims.size()) {
    AddFault("isa-result-shape",
             where + "the result is declared with rank " + std::to_string(node->dims.size()) +
                 " and has rank " + std::to_string(dims.size()) + "; declare its shape, or reshape it",
             operation.op_offset);
    return Status();
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    const auto have = node->dims[d].AsInteger(), want = dims[d].AsInteger();
    if (!have || !want || *have == *want) continue;
    AddFault("isa-result-shape",
             where + "dimension " + std::to_string(d) + " of the result is declared " +
                 std::to_string(*have) + " and is " + std::to_string(*want) +
                 "; declare its shape, or reshape it",
             operation.op_offset);
  }
  return Status();
}

// Integers in the place of dynamic starts become scalar constants.
Status SemanticsBuilder::AddStarts(const Operation& operation, const OperationName& name,
                                   SemanticNode* node) {
  const size_t fixed = name.info.opcode == Opcode::kDynamicSlice ? 1 : 2;
  const bool dynamic =
      name.info.opcode == Opcode::kDynamicSlice || name.info.opcode == Opcode::kDynamicUpdateSlice;
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    const Operand& operand = operation.operands[i];
    if (!operand.expression) {
      node->operands.push_back(operand.node);
      continue;
    }
    if (!dynamic || i < fixed) {
      return ValueError("isa-operand",
                        Where(operation) + "operand " + std::to_string(i) +
                            " must be a value; define a constant and name it",
                        operand.offset);
    }
    SemanticNode start;
    start.name = operation.result + ".start" + std::to_string(i - fixed);
    start.opcode = Opcode::kConstant;
    start.type = ElementType::kS64;
    start.location = source_.LocationAt(operand.offset);
    if (operand.expression->nodes.size() == 1 &&
        operand.expression->nodes.front().kind == Expression::Kind::kInteger) {
      start.constant.integers = {operand.expression->nodes.front().integer};
    } else {
      start.constant.expression = operand.expression;
    }
    semantics_.nodes.push_back(std::move(start));
    node->operands.push_back(static_cast<int32_t>(semantics_.nodes.size() - 1));
  }
  return Status();
}

StatusOr<int32_t> SemanticsBuilder::Add(const Operation& operation) {
  const auto name = FindOperation(operation.op);
  if (!name) {
    return ValueError(
        "isa-unknown-operation",
        (operation.result.empty() ? std::string() : "value " + Quoted(operation.result) + ": ") +
            "there is no operation " + Quoted(operation.op) + "; docs/taidl.md lists the operations",
        operation.op_offset);
  }
  const int count = static_cast<int>(operation.operands.size());
  if (count < name->info.min_operands || (name->info.max_operands >= 0 && count > name->info.max_operands)) {
    return ValueError("isa-operand-count",
                      Where(operation) + "takes " + (name->info.max_operands < 0 ? "at least " : "") +
                          std::to_string(name->info.min_operands) + " operands and was given " +
                          std::to_string(count),
                      operation.op_offset);
  }
  SemanticNode node;
  node.name = operation.result;
  node.opcode = name->info.opcode;
  node.location = source_.LocationAt(operation.offset);
  ACT_RETURN_IF_ERROR(AddStarts(operation, *name, &node));
  if (name->special == Special::kSelectEqualVar) node.operation = "select_eq_var";
  if (name->special == Special::kSelectLess) {
    SemanticNode compare;
    compare.name = operation.result + ".lt";
    compare.opcode = Opcode::kCompare;
    compare.type = ElementType::kPred;
    compare.direction = hlo::Direction::kLt;
    compare.operands = {node.operands[0], node.operands[1]};
    compare.dims = semantics_.nodes[static_cast<size_t>(node.operands[0])].dims;
    compare.location = node.location;
    CheckTypes(operation, {InfoOf(Opcode::kCompare)}, compare);
    if (const auto dims = InferDims(compare, semantics_.nodes); !dims.ok()) {
      AddFault("isa-shape", Where(operation) + dims.status().front().message, operation.op_offset);
    }
    semantics_.nodes.push_back(std::move(compare));
    node.operands = {static_cast<int32_t>(semantics_.nodes.size() - 1), node.operands[2], node.operands[3]};
  }
  if (name->special == Special::kReduceShort) {
    SemanticNode init;
    init.name = operation.result + ".init";
    init.opcode = Opcode::kConstant;
    init.type = semantics_.nodes[static_cast<size_t>(node.operands[0])].type;
    init.location = node.location;
    if (!TypeFits(name->info.types, init.type)) {
      AddFault("isa-operation-type",
               Where(operation) + "takes " + std::string(TypeRuleText(name->info.types)) + " and was given " +
                   std::string(ElementTypeName(init.type)) + "; convert the operand",
               operation.op_offset);
      init.constant.integers = {0};
    } else {
      const Literal identity = hlo::ReducerIdentity(name->reducer, init.type);
      if (IsFloat(init.type)) {
        init.constant.floats = {identity.GetDouble(0)};
      } else {
        init.constant.integers = {identity.GetInt(0)};
      }
    }
    semantics_.nodes.push_back(std::move(init));
    node.operands.push_back(static_cast<int32_t>(semantics_.nodes.size() - 1));
  }
  const size_t faults = faults_.size();
  ACT_RETURN_IF_ERROR(Complete(operation, *name, &node));
  if (node.opcode == Opcode::kConstant) {
    ACT_RETURN_IF_ERROR(ReadConstant(operation, &node));
    const size_t given = operation.items.size();
    int64_t elements = 1;
    for (const Expression& dim : node.dims) {
      elements = CheckedMul(elements, dim.AsInteger().value_or(-1)).value_or(-1);
    }
    if (given > 1 && (elements < 0 || static_cast<uint64_t>(elements) != given)) {
      AddFault("isa-constant",
               Where(operation) + std::to_string(given) +
                   " values do not fill the shape; give one value, or one for each element of a fixed shape",
               operation.op_offset);
    }
  } else if (node.opcode != Opcode::kOther && faults == faults_.size()) {
    CheckTypes(operation, *name, node);
  }
  semantics_.nodes.push_back(std::move(node));
  return static_cast<int32_t>(semantics_.nodes.size() - 1);
}

Semantics SemanticsBuilder::Finish(std::vector<int32_t> outputs) {
  std::vector<bool> as_vector(semantics_.nodes.size(), false), used(semantics_.nodes.size(), false);
  for (const int32_t output : outputs) as_vector[static_cast<size_t>(output)] = true;
  for (const SemanticNode& node : semantics_.nodes) {
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const size_t operand = static_cast<size_t>(node.operands[i]);
      used[operand] = true;
      const bool scalar_place = (node.opcode == Opcode::kBroadcast && node.dimensions.empty()) ||
                                (node.opcode == Opcode::kReduce && i == 1) ||
                                (node.opcode == Opcode::kDynamicSlice && i >= 1) ||
                                (node.opcode == Opcode::kDynamicUpdateSlice && i >= 2);
      if (!scalar_place) as_vector[operand] = true;
    }
  }
  for (size_t i = 0; i < semantics_.nodes.size(); ++i) {
    SemanticNode& node = semantics_.nodes[i];
    if (node.opcode == Opcode::kConstant && node.dims.size() == 1 && node.dims[0].AsInteger() == int64_t{1} &&
        used[i] && !as_vector[i]) {
      node.dims.clear();
    }
  }
  semantics_.outputs = std::move(outputs);
  return std::move(semantics_);
}

}  // namespace act::isa
