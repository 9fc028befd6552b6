#include <new>
#include <utility>

#include "eval/internal.h"

namespace act::eval {

using hlo::Instruction;
using hlo::Opcode;

Status Fail(const Instruction& instruction, ErrorClass error_class, const std::string& reason) {
  std::string text = "'" + instruction.name + "' = ";
  text += instruction.opcode == Opcode::kOther ? std::string_view(instruction.opcode_name)
                                               : OpcodeName(instruction.opcode);
  text += ": " + reason;
  Diagnostic diagnostic;
  diagnostic.error_class = error_class;
  diagnostic.code = error_class == ErrorClass::kLimit ? "eval-limit" : "eval-operation";
  diagnostic.message = std::move(text);
  diagnostic.location = instruction.location;
  return Status(std::move(diagnostic));
}

Status Undefined(const Instruction& instruction, ElementType type) {
  return Invalid(instruction, "is not defined on " + std::string(ElementTypeName(type)));
}

namespace {

StatusOr<Literal> Dispatch(const Instruction& instruction, Operands operands, OutOfRange out_of_range) {
  switch (instruction.opcode) {
    case Opcode::kParameter:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kCall:
      return Fail(instruction, ErrorClass::kInternal,
                  "is no operation on arrays; expected a flat computation");
    case Opcode::kOther:
      return Fail(instruction, ErrorClass::kNotImplemented, "this operation is read but not evaluated");
    default:
      break;
  }
  const Shape& shape = instruction.shape;
  if (!shape.is_array()) return Invalid(instruction, "the result " + ToString(shape) + " is not an array");
  if (shape.is_dynamic())
    return Fail(instruction, ErrorClass::kNotImplemented, "dynamic shape " + ToString(shape));
  const std::optional<int64_t> size = shape.num_bytes();
  if (!size || *size > kMaxValueBytes) {
    return Fail(instruction, ErrorClass::kLimit,
                "the result " + ToString(shape) + " is larger than the evaluator's limit of 16 GiB a value");
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const Literal& operand = *operands[i];
    if (!operand.shape.is_array() ||
        operand.bytes.size() != static_cast<size_t>(operand.shape.num_bytes().value_or(-1))) {
      return Fail(instruction, ErrorClass::kInternal,
                  "operand " + std::to_string(i) + " has not the bytes of its shape");
    }
  }
  if (instruction.opcode == Opcode::kDot) return EvaluateDot(instruction, operands);
  if (instruction.opcode == Opcode::kReduce) return EvaluateReduce(instruction, operands);
  switch (instruction.opcode) {
    case Opcode::kConstant:
    case Opcode::kIota:
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kConcatenate:
    case Opcode::kPad:
    case Opcode::kReverse:
    case Opcode::kBitcastConvert:
    case Opcode::kCopy:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
      return EvaluateMovement(instruction, operands, out_of_range);
    default:
      return EvaluateElementwise(instruction, operands);
  }
}

}  // namespace

StatusOr<Literal> EvaluateInstruction(const Instruction& instruction, Operands operands,
                                      OutOfRange out_of_range) {
  try {
    return Dispatch(instruction, operands, out_of_range);
  } catch (const std::bad_alloc&) {
    return Fail(instruction, ErrorClass::kLimit,
                "not enough memory for the result " + ToString(instruction.shape));
  }
}

StatusOr<std::vector<Literal>> Evaluate(const hlo::Computation& body, std::span<const int32_t> outputs,
                                        std::span<const Literal> parameters, OutOfRange out_of_range) {
  const size_t count = body.instructions.size();
  const auto internal = [&](const std::string& reason) {
    return Error(ErrorClass::kInternal, "eval-computation", "computation '" + body.name + "': " + reason);
  };
  // uses[i]: how often value i is still needed; outputs never run out.
  std::vector<int64_t> uses(count, 0);
  for (int32_t output : outputs) {
    if (output < 0 || static_cast<size_t>(output) >= count)
      return internal("output " + std::to_string(output) + " does not exist");
    uses[static_cast<size_t>(output)] += 1;
  }
  for (size_t i = count; i-- > 0;) {
    if (uses[i] == 0) continue;
    for (int32_t operand : body.instructions[i].operands) {
      if (operand < 0 || static_cast<size_t>(operand) >= i)
        return internal("'" + body.instructions[i].name + "' uses a later value");
      uses[static_cast<size_t>(operand)] += 1;
    }
  }
  std::vector<Literal> owned(count);
  std::vector<const Literal*> values(count, nullptr);
  for (size_t i = 0; i < count; ++i) {
    if (uses[i] == 0) continue;
    const Instruction& instruction = body.instructions[i];
    if (instruction.opcode == Opcode::kParameter) {
      const int64_t number = instruction.parameter_number;
      if (number < 0 || static_cast<uint64_t>(number) >= parameters.size()) {
        return Invalid(instruction, "parameter " + std::to_string(number) + " was not given; found " +
                                        std::to_string(parameters.size()));
      }
      const Literal& value = parameters[static_cast<size_t>(number)];
      if (!SameTypeAndDims(value.shape, instruction.shape)) {
        return Invalid(instruction, "parameter " + std::to_string(number) + " is " + ToString(value.shape) +
                                        ", expected " + ToString(instruction.shape));
      }
      values[i] = &value;
      continue;
    }
    std::vector<const Literal*> operands;
    for (int32_t operand : instruction.operands) operands.push_back(values[static_cast<size_t>(operand)]);
    ACT_ASSIGN_OR_RETURN(owned[i], EvaluateInstruction(instruction, operands, out_of_range));
    values[i] = &owned[i];
    for (int32_t operand : instruction.operands) {
      const auto at = static_cast<size_t>(operand);
      if (--uses[at] == 0) owned[at] = Literal();
    }
  }
  std::vector<Literal> results;
  for (int32_t output : outputs) {
    const auto at = static_cast<size_t>(output);
    // The last use of a value that is ours moves it.
    if (--uses[at] == 0 && values[at] == &owned[at]) {
      results.push_back(std::move(owned[at]));
    } else {
      results.push_back(*values[at]);
    }
  }
  return results;
}

StatusOr<std::vector<Literal>> Evaluate(const hlo::FlatKernel& kernel, std::span<const Literal> parameters) {
  return Evaluate(kernel.body, kernel.outputs, parameters);
}

}  // namespace act::eval
