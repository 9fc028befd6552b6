#include "hlo/proto_read.h"

#include <set>

#include "hlo/infer.h"
#include "hlo/proto_attributes.h"
#include "hlo/proto_fields.h"
#include "hlo/proto_instruction.h"
#include "hlo/proto_values.h"
#include "hlo/rewrite.h"
#include "hlo/verify.h"

namespace act::hlo {
namespace proto {
namespace {

std::string Quote(std::string_view name) { return "'" + std::string(name) + "'"; }

class ModuleReader {
 public:
  explicit ModuleReader(const ParseOptions& options) : options_(options) {}
  Module Read(std::string_view bytes);
  // The computation and the instruction being read, for messages.
  std::string Place() const;

 private:
  void ReadComputation(std::string_view bytes);
  void ReadInstruction(std::string_view bytes, Computation* computation);
  void NumberParameters(Computation* computation);
  void SetHeader(std::string_view program_shape);

  const ParseOptions& options_;
  Module module_;
  ComputationIds computations_;
  // Of the computation being read.
  std::string computation_name_, instruction_name_;
  std::map<int64_t, int32_t> instructions_;
  std::vector<int32_t> added_;
};

std::string ModuleReader::Place() const {
  std::string place;
  if (!instruction_name_.empty()) place += " (at " + Quote(instruction_name_);
  if (!computation_name_.empty()) place += (place.empty() ? " (in " : " in ") + Quote(computation_name_);
  return place.empty() ? place : place + ')';
}

void ModuleReader::ReadInstruction(std::string_view bytes, Computation* computation) {
  std::vector<Instruction>& instructions = computation->instructions;
  const auto type_of = [&](int64_t id) {
    const auto found = instructions_.find(id);
    if (found == instructions_.end()) return ElementType::kInvalid;
    return instructions[static_cast<size_t>(found->second)].shape.type;
  };
  InstructionReader reader(&module_, &computations_, options_.max_depth);
  ReadInstructionResult read = reader.Read(bytes, type_of);
  Instruction& instruction = read.instruction;
  instruction_name_ = instruction.name;
  for (int64_t id : read.operand_ids) {
    const auto found = instructions_.find(id);
    if (found == instructions_.end()) {
      FailValue("hlo-name", Quote(instruction.name) + " has an operand that does not come before it");
    }
    instruction.operands.push_back(found->second);
  }
  for (Instruction& broadcast : BroadcastScalarOperands(instructions, &instruction)) {
    added_.push_back(static_cast<int32_t>(instructions.size()));
    instructions.push_back(std::move(broadcast));
  }
  if (instruction.opcode == Opcode::kReduce)
    instruction.reducer = RecogniseReducer(module_.computations[static_cast<size_t>(instruction.called[0])]);
  if (!instructions_.emplace(read.id, static_cast<int32_t>(instructions.size())).second) {
    FailValue("hlo-proto",
              Quote(instruction.name) + " has the id of an earlier instruction, " + std::to_string(read.id));
  }
  instructions.push_back(std::move(instruction));
  instruction_name_.clear();
}

void ModuleReader::NumberParameters(Computation* computation) {
  size_t count = 0;
  for (const Instruction& i : computation->instructions) count += i.opcode == Opcode::kParameter ? 1 : 0;
  computation->parameters.assign(count, -1);
  for (size_t i = 0; i < computation->instructions.size(); ++i) {
    const Instruction& instruction = computation->instructions[i];
    if (instruction.opcode != Opcode::kParameter) continue;
    const auto number = static_cast<size_t>(instruction.parameter_number);
    if (number >= count || computation->parameters[number] >= 0) {
      FailValue("hlo-parameter",
                "the parameters of " + Quote(computation->name) + " are not numbered from 0 without gaps");
    }
    computation->parameters[number] = static_cast<int32_t>(i);
  }
}

void ModuleReader::ReadComputation(std::string_view bytes) {
  Computation computation;
  std::vector<std::string_view> instructions;
  std::string thread;
  int64_t id = 0, root_id = 0;
  Fields fields(bytes, "HloComputationProto");
  while (fields.Next()) {
    switch (fields.number()) {
      case 1:
        computation.name = fields.Text();
        break;
      case 2:
        instructions.push_back(fields.Bytes());
        break;
      case 5:
        id = fields.Int();
        break;
      case 6:
        root_id = fields.Int();
        break;
      case 8:
        thread = fields.Text();
        break;
      default:
        break;
    }
  }
  CheckName(computation.name, "computation");
  computation_name_ = computation.name;
  instructions_.clear();
  added_.clear();
  for (std::string_view instruction : instructions) ReadInstruction(instruction, &computation);
  if (instructions.empty())
    FailValue("hlo-computation", "the computation " + Quote(computation.name) + " has no instruction");
  const auto root = instructions_.find(root_id);
  if (root == instructions_.end())
    FailValue("hlo-root", "the root of " + Quote(computation.name) + " is none of its instructions");
  computation.root = root->second;
  NumberParameters(&computation);
  hlo::NameAddedInstructions(added_, &computation);
  if (!thread.empty() && thread != "main")
    computation.raw.push_back({"execution_thread", QuotedText(thread)});
  if (!computations_.emplace(id, static_cast<int32_t>(module_.computations.size())).second) {
    FailValue("hlo-proto",
              Quote(computation.name) + " has the id of an earlier computation, " + std::to_string(id));
  }
  module_.computations.push_back(std::move(computation));
  computation_name_.clear();
}

// As in text: every shape with a layout, row-major where none is given.
void SetDefaultLayouts(Shape* shape) {
  for (Shape& member : shape->tuple) SetDefaultLayouts(&member);
  if (shape->is_tuple() || shape->has_layout) return;
  shape->has_layout = true;
  shape->layout = Layout::RowMajor(shape->rank());
}

void ClearLayouts(Shape* shape) {
  for (Shape& member : shape->tuple) ClearLayouts(&member);
  shape->has_layout = false;
  shape->layout = Layout();
}

void ModuleReader::SetHeader(std::string_view program_shape) {
  const Computation& entry = module_.entry_computation();
  bool has_result = false;
  Fields fields(program_shape, "ProgramShapeProto");
  while (fields.Next()) {
    if (fields.number() == 1) {
      module_.parameter_shapes.push_back(ReadShape(fields.Bytes(), options_.max_depth));
    } else if (fields.number() == 2) {
      module_.result_shape = ReadShape(fields.Bytes(), options_.max_depth);
      has_result = true;
    }
  }
  if (!has_result) {
    module_.parameter_shapes.clear();
    for (int32_t index : entry.parameters) {
      module_.parameter_shapes.push_back(entry.instructions[static_cast<size_t>(index)].shape);
      ClearLayouts(&module_.parameter_shapes.back());
    }
    module_.result_shape = entry.root_instruction().shape;
    ClearLayouts(&module_.result_shape);
  }
  for (Shape& shape : module_.parameter_shapes) SetDefaultLayouts(&shape);
  SetDefaultLayouts(&module_.result_shape);
}

Module ModuleReader::Read(std::string_view bytes) {
  std::vector<std::string_view> computations;
  std::string_view program_shape, alias, donor, frontend;
  std::string entry_name;
  int64_t entry_id = 0;
  bool scheduled = false;
  Fields fields(bytes, "HloModuleProto");
  while (fields.Next()) {
    switch (fields.number()) {
      case 1:
        module_.name = fields.Text();
        break;
      case 2:
        entry_name = fields.Text();
        break;
      case 3:
        computations.push_back(fields.Bytes());
        break;
      case 4:
        program_shape = fields.Bytes();
        break;
      case 6:
        entry_id = fields.Int();
        break;
      case 7:
        scheduled = !fields.Bytes().empty();
        break;
      case 8:
        alias = fields.Bytes();
        break;
      case 18:
        donor = fields.Bytes();
        break;
      case 19:
        frontend = fields.Bytes();
        break;
      default:
        break;
    }
  }
  if (module_.name.empty() && computations.empty()) {
    FailValue("hlo-proto", "the bytes are not an HloModuleProto: there is neither a name nor a computation");
  }
  CheckName(module_.name, "module");
  for (std::string_view computation : computations) ReadComputation(computation);
  const auto entry = computations_.find(entry_id);
  if (entry == computations_.end())
    FailValue("hlo-computation",
              "the entry computation of " + Quote(module_.name) + " is none of the module's");
  module_.entry = entry->second;
  Computation& computation = module_.computations[static_cast<size_t>(module_.entry)];
  computation.is_entry = true;
  if (!entry_name.empty() && entry_name != computation.name) {
    FailValue("hlo-computation", "the entry computation is " + Quote(computation.name) + " by its id, but " +
                                     QuotedText(entry_name) + " by its name");
  }
  if (scheduled) module_.raw.push_back({"is_scheduled", "true"});
  AppendInputOutputAlias(alias, &module_.raw);
  AppendBufferDonor(donor, &module_.raw);
  AppendFrontendAttributes(frontend, &module_.raw);
  SetHeader(program_shape);
  return std::move(module_);
}

}  // namespace
}  // namespace proto

StatusOr<Module> ParseProto(std::string_view bytes, const ParseOptions& options, std::string_view name) {
  proto::ModuleReader reader(options);
  const auto error = [&](ErrorClass error_class, std::string code, std::string message) {
    Status status = Error(error_class, std::move(code), std::move(message) + reader.Place());
    status.mutable_diagnostics().front().location.file = std::string(name);
    return status;
  };
  try {
    Module module = reader.Read(bytes);
    Status verified = Verify(module);
    if (verified.ok()) return module;
    verified.mutable_diagnostics().front().location.file = std::string(name);
    return verified;
  } catch (const proto::Failure& failure) {
    return error(failure.error_class, failure.code, failure.message);
  } catch (const protozero::exception& damage) {
    return error(ErrorClass::kValue, "hlo-proto",
                 std::string("the bytes are not an HloModuleProto, or are damaged (protozero: ") +
                     damage.what() + ")");
  }
}

}  // namespace act::hlo
