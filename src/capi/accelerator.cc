#include "backend/backend.h"
#include "capi/handles.h"
#include "hlo/hlo.h"

using act::Diagnostic;
using act::ErrorClass;
using act::SourceText;
using act::Status;
using act::capi::FromC;
using act::capi::NewText;
using act::capi::ToC;
namespace isa = act::isa;

namespace {

SourceText PartText(const isa::Instruction& instruction, std::string_view part, std::string text) {
  return SourceText("<" + instruction.name + ", " + std::string(part) + ">", std::move(text));
}

Status CheckIndex(const act_accelerator* accelerator, size_t index) {
  if (index < accelerator->value.instructions.size()) return Status();
  return act::Error(ErrorClass::kInternal, "capi-index",
                    "there is no instruction number " + std::to_string(index));
}

Status AddConstraints(isa::Accelerator* acc, size_t index, const std::vector<std::string>& texts,
                      bool lines) {
  const size_t before = acc->instructions[index].constraints.size();
  for (size_t i = 0; i < texts.size(); ++i) {
    const isa::Instruction& instruction = acc->instructions[index];
    const std::string part = texts.size() == 1 ? "constraints" : "constraint " + std::to_string(i);
    const SourceText source = PartText(instruction, part, texts[i]);
    Status status =
        lines ? isa::AddConstraintLines(acc, index, source) : isa::AddConstraint(acc, index, source);
    if (status.ok()) continue;
    std::vector<isa::Condition>& list = acc->instructions[index].constraints;
    list.resize(before);
    return status;
  }
  return Status();
}

Status AddUpdates(isa::Accelerator* acc, size_t index, const std::vector<std::string>& texts) {
  const size_t before = acc->instructions[index].updates.size();
  for (size_t i = 0; i < texts.size(); ++i) {
    Status status = isa::AddUpdate(
        acc, index, PartText(acc->instructions[index], "update " + std::to_string(i), texts[i]));
    if (status.ok()) continue;
    acc->instructions[index].updates.resize(before);
    return status;
  }
  return Status();
}

Status SetCost(isa::Accelerator* acc, size_t index, std::string text) {
  return isa::SetCost(acc, index, PartText(acc->instructions[index], "cost", std::move(text)));
}

act_error* Created(act::StatusOr<isa::Accelerator> made, act_accelerator** accelerator) {
  if (!made.ok()) return ToC(made.status());
  *accelerator = new act_accelerator{*std::move(made)};
  return nullptr;
}

}  // namespace

act_error* act_accelerator_new(act_string name, act_accelerator** accelerator) {
  std::string plain = isa::NameWithoutBlanks(FromC(name));
  if (Status status = isa::CheckAcceleratorName(plain); !status.ok()) return ToC(status);
  return Created(isa::MakeAccelerator(std::move(plain)), accelerator);
}

act_error* act_accelerator_parse(act_string text, act_string file, act_accelerator** accelerator) {
  return Created(isa::ParseTaidl(SourceText(FromC(file), FromC(text))), accelerator);
}

void act_accelerator_free(act_accelerator* accelerator) { delete accelerator; }

act_error* act_accelerator_print(const act_accelerator* accelerator, act_text** text) {
  *text = NewText(isa::PrintTaidl(accelerator->value));
  return nullptr;
}

act_error* act_accelerator_name(const act_accelerator* accelerator, act_text** name) {
  *name = NewText(accelerator->value.name);
  return nullptr;
}

int32_t act_accelerator_same(const act_accelerator* a, const act_accelerator* b) {
  return isa::SameAccelerator(a->value, b->value) ? 1 : 0;
}

act_error* act_accelerator_check(const act_accelerator* accelerator, act_error** findings) {
  *findings = ToC(isa::Check(accelerator->value));
  return nullptr;
}

act_error* act_accelerator_check_oracle(const act_accelerator* accelerator) {
  const isa::Accelerator& acc = accelerator->value;
  std::vector<Diagnostic> faults;
  for (size_t i = 0; i < acc.instructions.size(); ++i) {
    const isa::Instruction& instruction = acc.instructions[i];
    Status status = isa::CheckComplete(acc, i);
    for (const Diagnostic& d : status.diagnostics()) faults.push_back(d);
    for (const isa::SemanticNode& node : instruction.semantics.nodes) {
      if (node.opcode != act::hlo::Opcode::kOther) continue;
      Status refused =
          act::Error(ErrorClass::kNotImplemented, "oracle-operation",
                     "instruction '" + instruction.name + "': the simulator does not have the operation " +
                         node.operation + "; describe it by the operations of docs/taidl.md");
      Diagnostic d = refused.front();
      d.location = node.location;
      faults.push_back(std::move(d));
    }
  }
  // The kinds of fault of `act check` that say types, shapes or attributes disagree.
  for (Diagnostic& d : isa::Check(acc)) {
    bool disagrees = d.code == "isa-output-type" || d.code == "isa-parameter-type";
    if (disagrees && !d.is_warning) faults.push_back(std::move(d));
  }
  return ToC(std::move(faults));
}

size_t act_accelerator_num_instructions(const act_accelerator* accelerator) {
  return accelerator->value.instructions.size();
}

act_error* act_instruction_names(const act_accelerator* accelerator, size_t index, act_text** name,
                                 act_text** computational, act_text** addressing) {
  if (Status status = CheckIndex(accelerator, index); !status.ok()) return ToC(status);
  const isa::Instruction& instruction = accelerator->value.instructions[index];
  auto lines = [](const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& item : list) text += item + "\n";
    return NewText(std::move(text));
  };
  *name = NewText(instruction.name);
  *computational = lines(instruction.computational);
  *addressing = lines(instruction.addressing);
  return nullptr;
}

act_error* act_add_buffer(act_accelerator* accelerator, act_string name, const int64_t* addresses,
                          size_t num_addresses, const int64_t* unit, size_t num_unit, act_string type,
                          const act_place* place) {
  return ToC(isa::AddBuffer(&accelerator->value, FromC(name), {addresses, addresses + num_addresses},
                            {unit, unit + num_unit}, FromC(type), FromC(place)));
}

act_error* act_add_state(act_accelerator* accelerator, act_string name, int64_t initial,
                         const act_place* place) {
  return ToC(isa::AddState(&accelerator->value, FromC(name), initial, FromC(place)));
}

act_error* act_add_instruction(act_accelerator* accelerator, act_string name, const act_string* computational,
                               size_t num_computational, const act_string* addressing, size_t num_addressing,
                               const act_string* constraints, size_t num_constraints,
                               const act_string* updates, size_t num_updates, const act_string* cost,
                               const act_place* place, size_t* index) {
  isa::Accelerator* acc = &accelerator->value;
  *index = acc->instructions.size();
  Status status = isa::AddInstruction(acc, FromC(name), FromC(computational, num_computational),
                                      FromC(addressing, num_addressing), FromC(place));
  if (!status.ok()) return ToC(status);
  if (cost != nullptr) status = SetCost(acc, *index, FromC(*cost));
  if (status.ok()) status = AddConstraints(acc, *index, FromC(constraints, num_constraints), false);
  if (status.ok()) status = AddUpdates(acc, *index, FromC(updates, num_updates));
  if (!status.ok()) acc->instructions.pop_back();
  return ToC(status);
}

act_error* act_set_regions(act_accelerator* accelerator, size_t instruction, int32_t outputs,
                           const act_region* regions, size_t num_regions) {
  std::vector<isa::RegionText> texts;
  for (size_t i = 0; i < num_regions; ++i) {
    const act_region& r = regions[i];
    texts.push_back({FromC(r.buffer), FromC(r.starts, r.num_starts), FromC(r.sizes, r.num_sizes),
                     FromC(r.strides, r.num_strides)});
  }
  if (Status status = CheckIndex(accelerator, instruction); !status.ok()) return ToC(status);
  return ToC(outputs != 0 ? isa::SetOutputs(&accelerator->value, instruction, texts)
                          : isa::SetInputs(&accelerator->value, instruction, texts));
}

act_error* act_set_semantics(act_accelerator* accelerator, size_t instruction, act_string text) {
  if (Status status = CheckIndex(accelerator, instruction); !status.ok()) return ToC(status);
  return ToC(
      isa::SetSemantics(&accelerator->value, instruction,
                        PartText(accelerator->value.instructions[instruction], "semantics", FromC(text))));
}

act_error* act_add_constraints(act_accelerator* accelerator, size_t instruction, const act_string* texts,
                               size_t num_texts, int32_t lines) {
  if (Status status = CheckIndex(accelerator, instruction); !status.ok()) return ToC(status);
  return ToC(AddConstraints(&accelerator->value, instruction, FromC(texts, num_texts), lines != 0));
}

act_error* act_add_updates(act_accelerator* accelerator, size_t instruction, const act_string* texts,
                           size_t num_texts) {
  if (Status status = CheckIndex(accelerator, instruction); !status.ok()) return ToC(status);
  return ToC(AddUpdates(&accelerator->value, instruction, FromC(texts, num_texts)));
}

act_error* act_set_cost(act_accelerator* accelerator, size_t instruction, act_string text) {
  if (Status status = CheckIndex(accelerator, instruction); !status.ok()) return ToC(status);
  return ToC(SetCost(&accelerator->value, instruction, FromC(text)));
}

act_error* act_set_placement(act_accelerator* accelerator, size_t instruction, int32_t mark,
                             const uint8_t* flags, size_t num_flags) {
  std::vector<bool> list;
  for (size_t i = 0; i < num_flags; ++i) list.push_back(flags[i] != 0);
  const isa::PlacementMark kind = mark == ACT_INPLACE ? isa::PlacementMark::kInplace
                                  : mark == ACT_APART ? isa::PlacementMark::kApart
                                                      : isa::PlacementMark::kNoPartialOverlap;
  return ToC(isa::SetPlacement(&accelerator->value, instruction, kind, std::move(list)));
}

act_error* act_set_unit(act_accelerator* accelerator, size_t instruction, act_string unit) {
  return ToC(isa::SetUnit(&accelerator->value, instruction, FromC(unit)));
}

act_error* act_set_mnemonic(act_accelerator* accelerator, size_t instruction, act_string mnemonic) {
  return ToC(isa::SetMnemonic(&accelerator->value, instruction, FromC(mnemonic)));
}

act_error* act_set_numerics(act_accelerator* accelerator, size_t instruction, act_string numerics) {
  return ToC(isa::SetNumerics(&accelerator->value, instruction, FromC(numerics)));
}

act_error* act_generate_backend(const act_accelerator* accelerator, act_string engine, act_string base_dir,
                                act_string cost, act_text** output) {
  act::backend::GenerateOptions options;
  options.engine = FromC(engine);
  options.base_dir = FromC(base_dir);
  options.cost = FromC(cost);
  act::StatusOr<std::string> path = act::backend::Generate(accelerator->value, options);
  if (!path.ok()) return ToC(path.status());
  *output = NewText(*std::move(path));
  return nullptr;
}

act_error* act_remove_backend(act_string name, act_string base_dir) {
  act::backend::GenerateOptions options;
  options.base_dir = FromC(base_dir);
  act::backend::RemoveGenerated(FromC(name), options);
  return nullptr;
}
