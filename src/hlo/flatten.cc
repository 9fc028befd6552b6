// Inlines calls and resolves tuples: the form that the backend reads.
//
// Everything is inlined first, operations that are not supported included; they are refused only where an
// output needs them.
#include <algorithm>
#include <map>

#include "hlo/verify.h"

namespace act::hlo {
namespace {

constexpr int kMostCallDepth = 200;
constexpr size_t kMostInstructions = 500000;
constexpr int64_t kMostSteps = 2000000;  // instructions looked at, those of calls anew for each call

std::string Quote(std::string_view name) { return "'" + std::string(name) + "'"; }

Status Refuse(ErrorClass error_class, std::string_view code, std::string message,
              const SourceLocation& location) {
  Diagnostic d;
  d.error_class = error_class;
  d.code = std::string(code);
  d.message = std::move(message);
  d.location = location;
  return d;
}

// A value while inlining: an instruction of the flat body, or a tuple of values (indices into the list of
// all values, so that a member used twice is stored once).
struct Value {
  int32_t instruction = -1;
  std::vector<int32_t> members;  // iff instruction < 0
};

class Flattener {
 public:
  explicit Flattener(const Module& module) : module_(module) {}
  StatusOr<FlatKernel> Run();

 private:
  StatusOr<int32_t> Inline(const Computation& computation, const std::vector<int32_t>& arguments, int depth);
  StatusOr<int32_t> InlineInstruction(const Instruction& instruction, const std::vector<int32_t>& values,
                                      const std::vector<int32_t>& arguments, int depth);
  int32_t NewTuple(std::vector<int32_t> members);
  int32_t Append(Instruction instruction);
  Status CollectOutputs(int32_t root);
  Status CheckAndCompact();
  Status CheckSupported(const Instruction& instruction) const;
  void NameUniquely();

  const Module& module_;
  std::vector<Value> values_;
  int64_t steps_ = 0;
  FlatKernel kernel_;
};

int32_t Flattener::NewTuple(std::vector<int32_t> members) {
  values_.push_back({-1, std::move(members)});
  return static_cast<int32_t>(values_.size()) - 1;
}

int32_t Flattener::Append(Instruction instruction) {
  values_.push_back({static_cast<int32_t>(kernel_.body.instructions.size()), {}});
  kernel_.body.instructions.push_back(std::move(instruction));
  return static_cast<int32_t>(values_.size()) - 1;
}

StatusOr<int32_t> Flattener::InlineInstruction(const Instruction& instruction,
                                               const std::vector<int32_t>& values,
                                               const std::vector<int32_t>& arguments, int depth) {
  std::vector<int32_t> operands;
  for (int32_t operand : instruction.operands) operands.push_back(values[static_cast<size_t>(operand)]);
  switch (instruction.opcode) {
    case Opcode::kParameter:
      if (depth > 0) return arguments[static_cast<size_t>(instruction.parameter_number)];
      break;
    case Opcode::kTuple:
      return NewTuple(std::move(operands));
    case Opcode::kGetTupleElement: {
      const Value& tuple = values_[static_cast<size_t>(operands[0])];
      if (tuple.instruction < 0) return tuple.members[static_cast<size_t>(instruction.tuple_index)];
      return operands[0];  // of an operation that is not supported: refused there if it is needed
    }
    case Opcode::kCall:
      return Inline(module_.computations[static_cast<size_t>(instruction.called[0])], operands, depth + 1);
    default:
      break;
  }
  if (kernel_.body.instructions.size() >= kMostInstructions) {
    return Refuse(ErrorClass::kLimit, "hlo-inline-limit",
                  "inlining the calls gives more than " + std::to_string(kMostInstructions) + " instructions",
                  instruction.location);
  }
  Instruction flat = instruction;
  flat.called.clear();
  flat.operands.clear();
  // An operation that is not supported is never used, so neither are its operands.
  if (instruction.opcode != Opcode::kOther) {
    for (int32_t operand : operands) {
      const int32_t index = values_[static_cast<size_t>(operand)].instruction;
      if (index >= 0) flat.operands.push_back(index);
    }
  }
  return Append(std::move(flat));
}

// Calls do not recurse: a computation calls only computations before it. The depth is bounded all the same.
StatusOr<int32_t> Flattener::Inline(const Computation& computation, const std::vector<int32_t>& arguments,
                                    int depth) {
  if (depth > kMostCallDepth) {
    return Refuse(ErrorClass::kLimit, "hlo-inline-limit",
                  "calls are nested deeper than " + std::to_string(kMostCallDepth) + " levels at " +
                      Quote(computation.name),
                  computation.instructions.front().location);
  }
  // What the root does not need is left out here already, so that unused calls cost nothing.
  std::vector<bool> needed(computation.instructions.size(), false);
  needed[static_cast<size_t>(computation.root)] = true;
  for (size_t i = computation.instructions.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (int32_t operand : computation.instructions[i].operands) needed[static_cast<size_t>(operand)] = true;
  }
  std::vector<int32_t> values(computation.instructions.size(), -1);
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    const Instruction& instruction = computation.instructions[i];
    if (!needed[i] && (depth > 0 || instruction.opcode != Opcode::kParameter)) continue;
    if (++steps_ > kMostSteps) {
      return Refuse(ErrorClass::kLimit, "hlo-inline-limit",
                    "inlining the calls takes more than " + std::to_string(kMostSteps) + " steps",
                    instruction.location);
    }
    ACT_ASSIGN_OR_RETURN(values[i], InlineInstruction(instruction, values, arguments, depth));
  }
  return values[static_cast<size_t>(computation.root)];
}

Status Flattener::CollectOutputs(int32_t root) {
  const Instruction& root_instruction = module_.entry_computation().root_instruction();
  const Value& value = values_[static_cast<size_t>(root)];
  if (value.instruction >= 0) {
    kernel_.outputs.push_back(value.instruction);
    kernel_.output_shapes.push_back(module_.result_shape);
    return Status();
  }
  for (size_t i = 0; i < value.members.size(); ++i) {
    const Value& member = values_[static_cast<size_t>(value.members[i])];
    if (member.instruction < 0) {
      return Refuse(ErrorClass::kNotImplemented, "hlo-nested-result",
                    "member " + std::to_string(i) + " of the root " + Quote(root_instruction.name) +
                        " is itself a tuple; return a flat tuple of arrays",
                    root_instruction.location);
    }
    kernel_.outputs.push_back(member.instruction);
    kernel_.output_shapes.push_back(module_.result_shape.tuple[i]);
  }
  return Status();
}

Status Flattener::CheckSupported(const Instruction& instruction) const {
  if (instruction.opcode == Opcode::kOther) {
    const bool variadic = instruction.opcode_name == "reduce";
    const bool tuple_constant = instruction.opcode_name == "constant";
    return Refuse(ErrorClass::kNotImplemented, "hlo-operation",
                  variadic ? "operation 'reduce' of several arrays at once is not supported by the compiler"
                  : tuple_constant
                      ? "operation 'constant' of a tuple is not supported by the compiler"
                      : "operation " + Quote(instruction.opcode_name) + " is not supported by the compiler",
                  instruction.location);
  }
  if (!instruction.shape.is_array()) {
    return Refuse(
        ErrorClass::kNotImplemented, "hlo-value",
        Quote(instruction.name) + " is a " + ToString(instruction.shape) + "; only arrays are compiled",
        instruction.location);
  }
  if (instruction.shape.is_dynamic()) {
    return Refuse(ErrorClass::kNotImplemented, "hlo-dynamic",
                  Quote(instruction.name) + " has the dynamic shape " + ToString(instruction.shape) +
                      "; only static shapes are compiled",
                  instruction.location);
  }
  if (instruction.opcode == Opcode::kReduce && !instruction.reducer) {
    return Refuse(
        ErrorClass::kNotImplemented, "hlo-reducer",
        "operation 'reduce' of " + Quote(instruction.name) +
            " is not supported by the compiler: its combiner is none of add, multiply, minimum, maximum, "
            "and, or of its two parameters",
        instruction.location);
  }
  return Status();
}

// Refuses what is needed and not supported; drops what is not needed.
Status Flattener::CheckAndCompact() {
  std::vector<Instruction>& instructions = kernel_.body.instructions;
  std::vector<bool> needed(instructions.size(), false);
  for (int32_t output : kernel_.outputs) needed[static_cast<size_t>(output)] = true;
  for (size_t i = instructions.size(); i-- > 0;) {
    if (instructions[i].opcode == Opcode::kParameter) needed[i] = true;
    if (!needed[i]) continue;
    for (int32_t operand : instructions[i].operands) needed[static_cast<size_t>(operand)] = true;
  }
  std::vector<int32_t> place(instructions.size(), -1);
  int32_t count = 0;
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (!needed[i]) continue;
    ACT_RETURN_IF_ERROR(CheckSupported(instructions[i]));
    for (int32_t& operand : instructions[i].operands) operand = place[static_cast<size_t>(operand)];
    place[i] = count;
    if (static_cast<size_t>(count) != i)
      instructions[static_cast<size_t>(count)] = std::move(instructions[i]);
    ++count;
  }
  instructions.resize(static_cast<size_t>(count));
  for (int32_t& output : kernel_.outputs) output = place[static_cast<size_t>(output)];
  return Status();
}

// Inlined instructions may share a name: later ones get ".1", ".2", ... behind it.
void Flattener::NameUniquely() {
  std::map<std::string, int64_t, std::less<>> next;  // names in use, and the suffix to try next
  for (const Instruction& i : kernel_.body.instructions) next.emplace(i.name, 0);
  std::map<std::string, bool, std::less<>> taken;
  for (Instruction& i : kernel_.body.instructions) {
    if (taken.emplace(i.name, true).second) continue;
    int64_t& suffix = next.find(i.name)->second;
    std::string name;
    do {
      name = i.name + "." + std::to_string(++suffix);
    } while (next.contains(name) || taken.contains(name));
    taken.emplace(name, true);
    i.name = std::move(name);
  }
}

StatusOr<FlatKernel> Flattener::Run() {
  const Computation& entry = module_.entry_computation();
  kernel_.name = module_.name;
  kernel_.parameter_shapes = module_.parameter_shapes;
  kernel_.body.name = entry.name;
  kernel_.body.is_entry = true;
  ACT_ASSIGN_OR_RETURN(const int32_t root, Inline(entry, {}, 0));
  ACT_RETURN_IF_ERROR(CollectOutputs(root));
  ACT_RETURN_IF_ERROR(CheckAndCompact());
  NameUniquely();
  kernel_.body.parameters.assign(entry.parameters.size(), -1);
  for (size_t i = 0; i < kernel_.body.instructions.size(); ++i) {
    const Instruction& instruction = kernel_.body.instructions[i];
    if (instruction.opcode != Opcode::kParameter) continue;
    kernel_.body.parameters[static_cast<size_t>(instruction.parameter_number)] = static_cast<int32_t>(i);
  }
  return std::move(kernel_);
}

}  // namespace

StatusOr<FlatKernel> Flatten(const Module& module) { return Flattener(module).Run(); }

}  // namespace act::hlo
