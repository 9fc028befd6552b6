#include "isa/builder.h"

#include <algorithm>

#include "isa/cursor.h"
#include "isa/expression_reader.h"
#include "isa/semantics_reader.h"

namespace act::isa {
namespace {

std::string Quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

Status At(Status status, const SourceLocation& location) {
  for (Diagnostic& d : status.mutable_diagnostics()) {
    if (d.location.line == 0) d.location = location;
  }
  return status;
}

Status ValueErrorAt(std::string code, std::string message, const SourceLocation& location) {
  return At(Error(ErrorClass::kValue, std::move(code), std::move(message)), location);
}

// Puts "instruction 'name': " before every sentence.
Status InInstruction(Status status, const Instruction& instruction) {
  for (Diagnostic& d : status.mutable_diagnostics()) {
    d.message = "instruction " + Quoted(instruction.name) + ": " + d.message;
  }
  return status;
}

Status CheckIndex(const Accelerator& acc, size_t index) {
  if (index < acc.instructions.size()) return Status();
  return Error(ErrorClass::kInternal, "isa-index", "there is no instruction number " + std::to_string(index));
}

std::string Ordinal(std::string_view list, size_t number) {
  return std::string(list) + " " + std::to_string(number);
}

StatusOr<Expression> ReadPart(const std::string& text, const Instruction& instruction,
                              const std::string& part, const NameTable& names) {
  const SourceText source("<" + instruction.name + ", " + part + ">", text);
  StatusOr<Expression> expression = ParseExpression(source, names);
  if (expression.ok()) return expression;
  Status status = expression.status();
  for (Diagnostic& d : status.mutable_diagnostics()) {
    d.message = "instruction " + Quoted(instruction.name) + ", " + part + ": " + d.message;
  }
  return status;
}

StatusOr<std::vector<Region>> ReadRegions(const Accelerator& acc, const Instruction& instruction,
                                          const std::vector<RegionText>& texts, std::string_view list) {
  const std::vector<std::string> state_names = acc.state_names();
  const NameTable names = Names(instruction, state_names);
  std::vector<Region> regions;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string what = Ordinal(list, i);
    Region region;
    const auto buffer = acc.FindBuffer(texts[i].buffer);
    if (!buffer) {
      std::string message = "instruction " + Quoted(instruction.name) + ", " + what +
                            ": there is no buffer " + Quoted(texts[i].buffer) + "; buffers are";
      for (const Buffer& b : acc.buffers) message += " " + b.name;
      return ValueErrorAt("isa-unknown-buffer", std::move(message), instruction.location);
    }
    region.buffer = *buffer;
    region.location = instruction.location;
    const std::pair<const std::vector<std::string>*, std::vector<Expression>*> lists[] = {
        {&texts[i].starts, &region.starts},
        {&texts[i].sizes, &region.sizes},
        {&texts[i].strides, &region.strides}};
    constexpr std::string_view kParts[] = {"start", "size", "stride"};
    for (size_t part = 0; part < 3; ++part) {
      for (size_t d = 0; d < lists[part].first->size(); ++d) {
        ACT_ASSIGN_OR_RETURN(Expression expression, ReadPart((*lists[part].first)[d], instruction,
                                                             what + ", " + Ordinal(kParts[part], d), names));
        lists[part].second->push_back(std::move(expression));
      }
    }
    regions.push_back(std::move(region));
  }
  return regions;
}

const SourceLocation& PlaceOf(const Expression& expression, const Region& region) {
  return expression.location.line != 0 ? expression.location : region.location;
}

Status CheckRegion(const Accelerator& acc, const Instruction& instruction, const Region& region,
                   const std::string& what, bool is_output) {
  const Buffer& buffer = acc.buffer(region.buffer);
  const std::string thing = "instruction " + Quoted(instruction.name) + ", " + what;
  const size_t rank = buffer.addresses.size();
  if (region.starts.size() != rank) {
    return ValueErrorAt("isa-region-rank",
                        thing + ": buffer " + Quoted(buffer.name) + " has " + std::to_string(rank) +
                            " addressing dimensions and the region has " +
                            std::to_string(region.starts.size()) + " starts; give one start for each",
                        region.location);
  }
  if (region.strides.empty() && region.sizes.size() != rank) {
    return ValueErrorAt("isa-region-rank",
                        thing + ": buffer " + Quoted(buffer.name) + " has " + std::to_string(rank) +
                            " addressing dimensions and the region has " +
                            std::to_string(region.sizes.size()) + " sizes; give one size for each",
                        region.location);
  }
  if (!region.strides.empty() && region.strides.size() != region.sizes.size()) {
    return ValueErrorAt("isa-region-rank",
                        thing + ": the region has " + std::to_string(region.sizes.size()) + " sizes and " +
                            std::to_string(region.strides.size()) + " strides; give one stride for each size",
                        region.location);
  }
  for (size_t i = 0; i < region.sizes.size(); ++i) {
    const Expression& size = region.sizes[i];
    if (size.Uses(AttributeKind::kAddressing)) {
      return ValueErrorAt("isa-address-in-size",
                          thing + ", " + Ordinal("size", i) +
                              ": a size cannot use an addressing attribute (@a); make it computational (@c)",
                          PlaceOf(size, region));
    }
    const auto literal = size.AsInteger();
    if (literal && *literal < 1) {
      return ValueErrorAt("isa-size",
                          thing + ", " + Ordinal("size", i) + ": the size is " + std::to_string(*literal) +
                              "; sizes are at least 1",
                          PlaceOf(size, region));
    }
  }
  for (size_t i = 0; i < region.strides.size(); ++i) {
    const Expression& stride = region.strides[i];
    if (stride.Uses(AttributeKind::kAddressing)) {
      return ValueErrorAt(
          "isa-address-in-stride",
          thing + ", " + Ordinal("stride", i) +
              ": a stride cannot use an addressing attribute (@a); make it computational (@c)",
          PlaceOf(stride, region));
    }
    if (is_output && stride.AsInteger() == int64_t{0} && region.sizes[i].AsInteger() != int64_t{1}) {
      return ValueErrorAt("isa-output-stride",
                          thing + ", " + Ordinal("stride", i) +
                              ": stride 0 would write one place several times; only inputs may repeat",
                          PlaceOf(stride, region));
    }
  }
  return Status();
}

Status CheckFlagCount(const Instruction& instruction, const std::vector<bool>& flags, std::string_view mark) {
  if (flags.empty() || flags.size() == instruction.inputs.size()) return Status();
  return ValueErrorAt("isa-flag-count",
                      "instruction " + Quoted(instruction.name) + ": " + std::string(mark) + " has " +
                          std::to_string(flags.size()) + " flags and the instruction " +
                          std::to_string(instruction.inputs.size()) + " inputs; give one flag for each input",
                      instruction.location);
}

// Reads the semantics text again for the regions `candidate` has now.
Status Resolve(const Accelerator& acc, Instruction* candidate) {
  if (!candidate->semantics_source) return Status();
  candidate->semantics = Semantics();
  candidate->semantics_faults.clear();
  StatusOr<SemanticsResult> result = ReadSemanticsText(*candidate->semantics_source, acc, *candidate);
  if (!result.ok()) return result.status();
  candidate->semantics = std::move(result->semantics);
  candidate->semantics_faults = std::move(result->faults);
  return Status();
}

Status SetRegions(Accelerator* acc, size_t index, std::vector<Region> regions, bool is_output) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  Instruction candidate = acc->instructions[index];
  for (size_t i = 0; i < regions.size(); ++i) {
    ACT_RETURN_IF_ERROR(
        CheckRegion(*acc, candidate, regions[i], Ordinal(is_output ? "output" : "input", i), is_output));
  }
  if (is_output) {
    candidate.outputs = std::move(regions);
    candidate.outputs_given = true;
  } else {
    candidate.inputs = std::move(regions);
    candidate.inputs_given = true;
    ACT_RETURN_IF_ERROR(CheckFlagCount(candidate, candidate.inplace, "set_inplace"));
    ACT_RETURN_IF_ERROR(CheckFlagCount(candidate, candidate.apart, "set_apart"));
    ACT_RETURN_IF_ERROR(CheckFlagCount(candidate, candidate.no_partial_overlap, "set_no_partial_overlap"));
    for (std::vector<bool>* flags : {&candidate.inplace, &candidate.apart, &candidate.no_partial_overlap}) {
      if (std::find(flags->begin(), flags->end(), true) == flags->end()) flags->clear();
    }
  }
  ACT_RETURN_IF_ERROR(Resolve(*acc, &candidate));
  acc->instructions[index] = std::move(candidate);
  return Status();
}

}  // namespace

NameTable Names(const Instruction& instruction, const std::vector<std::string>& state_names) {
  NameTable names;
  names.computational = instruction.computational;
  names.addressing = instruction.addressing;
  names.state = state_names;
  return names;
}

std::string ElementTypeList() {
  std::string list;
  for (const ElementType type : kTaidlTypes) {
    if (!list.empty()) list += " ";
    list += ElementTypeName(type);
  }
  return list;
}

StatusOr<ElementType> TaidlElementType(std::string_view name) {
  const auto type = ElementTypeFromName(name);
  for (const ElementType known : kTaidlTypes) {
    if (type == known) return known;
  }
  return Error(
      ErrorClass::kValue, "isa-element-type",
      "there is no element type " + Quoted(name.substr(0, 60)) + "; the types are " + ElementTypeList());
}

Status AddBuffer(Accelerator* acc, std::string name, std::vector<int64_t> addresses,
                 std::vector<int64_t> unit, std::string_view element_type, SourceLocation location) {
  ACT_RETURN_IF_ERROR(At(CheckName("buffer", name), location));
  if (acc->FindBuffer(name)) {
    return ValueErrorAt("isa-duplicate-buffer",
                        "buffer " + Quoted(name) + " is declared twice; give one of them another name",
                        location);
  }
  Buffer buffer;
  const auto type = TaidlElementType(element_type);
  if (!type.ok()) {
    return ValueErrorAt("isa-element-type", "buffer " + Quoted(name) + ": " + type.status().front().message,
                        location);
  }
  buffer.type = *type;
  for (const std::vector<int64_t>* dims : {&addresses, &unit}) {
    for (const int64_t dim : *dims) {
      if (dim >= 1) continue;
      return ValueErrorAt("isa-buffer-dimension",
                          "buffer " + Quoted(name) + " has a dimension " + std::to_string(dim) +
                              "; dimensions are at least 1",
                          location);
    }
  }
  const auto units = CheckedProduct(addresses);
  const auto elements = CheckedProduct(unit);
  const auto bytes = units && elements ? CheckedMul(*units, *elements) : std::nullopt;
  if (!bytes || !CheckedMul(*bytes, StorageBytes(*type)) || addresses.size() > 32 || unit.size() > 32) {
    return ValueErrorAt("isa-buffer-size",
                        "buffer " + Quoted(name) +
                            " is too large: its bytes must fit in 64 bits and its "
                            "dimensions be at most 32 of each kind",
                        location);
  }
  buffer.name = std::move(name);
  buffer.addresses = std::move(addresses);
  buffer.unit = std::move(unit);
  buffer.location = std::move(location);
  acc->buffers.push_back(std::move(buffer));
  return Status();
}

Status AddState(Accelerator* acc, std::string name, int64_t initial, SourceLocation location) {
  ACT_RETURN_IF_ERROR(At(CheckName("state", name), location));
  for (const StateVariable& variable : acc->state) {
    if (variable.name == name) {
      return ValueErrorAt("isa-duplicate-state",
                          "state " + Quoted(name) + " is declared twice; give one of them another name",
                          location);
    }
  }
  acc->state.push_back({std::move(name), initial, std::move(location)});
  return Status();
}

Status AddInstruction(Accelerator* acc, std::string name, std::vector<std::string> computational,
                      std::vector<std::string> addressing, SourceLocation location) {
  Instruction instruction;
  instruction.name = NameWithoutBlanks(name);
  ACT_RETURN_IF_ERROR(At(CheckName("instruction", instruction.name), location));
  if (acc->FindInstruction(instruction.name)) {
    return ValueErrorAt(
        "isa-duplicate-instruction",
        "instruction " + Quoted(instruction.name) + " is declared twice; give one of them another name",
        location);
  }
  std::vector<std::string_view> seen;
  for (const std::vector<std::string>* list : {&computational, &addressing}) {
    for (const std::string& attribute : *list) {
      ACT_RETURN_IF_ERROR(InInstruction(At(CheckName("attribute", attribute), location), instruction));
      for (const std::string_view other : seen) {
        if (other != attribute) continue;
        return ValueErrorAt("isa-duplicate-attribute",
                            "instruction " + Quoted(instruction.name) + " has the attribute " +
                                Quoted(attribute) + " twice; names are unique over both lists",
                            location);
      }
      seen.push_back(attribute);
    }
  }
  instruction.computational = std::move(computational);
  instruction.addressing = std::move(addressing);
  instruction.location = std::move(location);
  acc->instructions.push_back(std::move(instruction));
  return Status();
}

Status SetInputs(Accelerator* acc, size_t index, const std::vector<RegionText>& regions) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  ACT_ASSIGN_OR_RETURN(std::vector<Region> read,
                       ReadRegions(*acc, acc->instructions[index], regions, "input"));
  return SetRegions(acc, index, std::move(read), false);
}

Status SetOutputs(Accelerator* acc, size_t index, const std::vector<RegionText>& regions) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  ACT_ASSIGN_OR_RETURN(std::vector<Region> read,
                       ReadRegions(*acc, acc->instructions[index], regions, "output"));
  return SetRegions(acc, index, std::move(read), true);
}

Status SetInputRegions(Accelerator* acc, size_t index, std::vector<Region> regions) {
  return SetRegions(acc, index, std::move(regions), false);
}

Status SetOutputRegions(Accelerator* acc, size_t index, std::vector<Region> regions) {
  return SetRegions(acc, index, std::move(regions), true);
}

Status SetSemantics(Accelerator* acc, size_t index, const SourceText& text) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  Instruction candidate = acc->instructions[index];
  candidate.semantics_text = std::string(text.text());
  candidate.semantics = Semantics();
  candidate.semantics_faults.clear();
  candidate.semantics_source = nullptr;
  if (!Cursor(text, {.newlines = true, .comments = true}).AtEnd()) {
    candidate.semantics_source = std::make_shared<const SourceText>(text);
    ACT_RETURN_IF_ERROR(Resolve(*acc, &candidate));
  }
  acc->instructions[index] = std::move(candidate);
  return Status();
}

Status AddConstraintValue(Accelerator* acc, size_t index, Condition condition) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  acc->instructions[index].constraints.push_back(std::move(condition));
  return Status();
}

Status AddConstraint(Accelerator* acc, size_t index, const SourceText& text) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  const std::vector<std::string> state_names = acc->state_names();
  const Instruction& instruction = acc->instructions[index];
  auto condition = ParseCondition(text, Names(instruction, state_names));
  if (!condition.ok()) return InInstruction(condition.status(), instruction);
  return AddConstraintValue(acc, index, std::move(*condition));
}

Status AddConstraintLines(Accelerator* acc, size_t index, const SourceText& text) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  const std::vector<std::string> state_names = acc->state_names();
  Instruction& instruction = acc->instructions[index];
  const NameTable names = Names(instruction, state_names);
  Cursor cursor(text, {.newlines = false, .comments = false});
  std::vector<Condition> conditions;
  while (true) {
    while (!cursor.AtEnd() && cursor.AtLineEnd()) cursor.Take('\n');
    if (cursor.AtEnd()) break;
    auto condition = ReadCondition(&cursor, names, NameStyle::kPrefixed);
    if (!condition.ok()) return InInstruction(condition.status(), instruction);
    if (!cursor.AtLineEnd()) {
      return InInstruction(cursor.Expected("'and', 'or' or the end of the line"), instruction);
    }
    conditions.push_back(std::move(*condition));
  }
  for (Condition& condition : conditions) instruction.constraints.push_back(std::move(condition));
  return Status();
}

Status AddUpdateValue(Accelerator* acc, size_t index, Update update) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  Instruction& instruction = acc->instructions[index];
  if (update.value.Uses(AttributeKind::kAddressing)) {
    return ValueErrorAt("isa-address-in-update",
                        "instruction " + Quoted(instruction.name) +
                            ": an update cannot use an addressing attribute (@a); make it computational (@c)",
                        update.value.location);
  }
  instruction.updates.push_back(std::move(update));
  return Status();
}

Status AddUpdate(Accelerator* acc, size_t index, const SourceText& text) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  const Instruction& instruction = acc->instructions[index];
  const std::vector<std::string> state_names = acc->state_names();
  Cursor cursor(text, BlankRules{});
  auto update = ReadUpdate(&cursor, Names(instruction, state_names), NameStyle::kPrefixed);
  if (!update.ok()) return InInstruction(update.status(), instruction);
  if (!cursor.AtEnd())
    return InInstruction(cursor.Expected("an operator or the end of the update"), instruction);
  return AddUpdateValue(acc, index, std::move(*update));
}

Status SetCostValue(Accelerator* acc, size_t index, Expression cost) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  acc->instructions[index].cost = std::move(cost);
  acc->instructions[index].has_cost = true;
  return Status();
}

Status SetCost(Accelerator* acc, size_t index, const SourceText& text) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  const std::vector<std::string> state_names = acc->state_names();
  const Instruction& instruction = acc->instructions[index];
  auto cost = ParseExpression(text, Names(instruction, state_names));
  if (!cost.ok()) return InInstruction(cost.status(), instruction);
  return SetCostValue(acc, index, std::move(*cost));
}

Status SetPlacement(Accelerator* acc, size_t index, PlacementMark mark, std::vector<bool> flags) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  Instruction& instruction = acc->instructions[index];
  const std::string_view name = mark == PlacementMark::kInplace ? "set_inplace"
                                : mark == PlacementMark::kApart ? "set_apart"
                                                                : "set_no_partial_overlap";
  if (instruction.inputs_given) {
    ACT_RETURN_IF_ERROR(CheckFlagCount(instruction, flags, name));
    if (flags.empty() && !instruction.inputs.empty()) {
      return ValueErrorAt("isa-flag-count",
                          "instruction " + Quoted(instruction.name) + ": " + std::string(name) +
                              " has no flags; give one flag for each input",
                          instruction.location);
    }
  }
  // No mark at all is the same as no call, so that equal specs compare equal.
  bool any = false;
  for (const bool flag : flags) any = any || flag;
  if (!any && instruction.inputs_given) flags.clear();
  std::vector<bool>& target = mark == PlacementMark::kInplace ? instruction.inplace
                              : mark == PlacementMark::kApart ? instruction.apart
                                                              : instruction.no_partial_overlap;
  target = std::move(flags);
  return Status();
}

Status SetUnit(Accelerator* acc, size_t index, std::string unit) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  Instruction& instruction = acc->instructions[index];
  ACT_RETURN_IF_ERROR(InInstruction(At(CheckName("unit", unit), instruction.location), instruction));
  instruction.unit = std::move(unit);
  return Status();
}

Status SetMnemonic(Accelerator* acc, size_t index, std::string mnemonic) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  Instruction& instruction = acc->instructions[index];
  bool well_formed = !mnemonic.empty() && mnemonic.size() <= 200 && IsNameStart(mnemonic.front());
  for (const char c : mnemonic) well_formed = well_formed && (IsNameChar(c) || c == '.');
  if (!well_formed) {
    return ValueErrorAt("isa-name",
                        "instruction " + Quoted(instruction.name) +
                            ": a mnemonic is a letter or '_' followed by letters, digits, '_' and '.'",
                        instruction.location);
  }
  instruction.mnemonic = std::move(mnemonic);
  return Status();
}

Status SetNumerics(Accelerator* acc, size_t index, std::string_view numerics) {
  ACT_RETURN_IF_ERROR(CheckIndex(*acc, index));
  Instruction& instruction = acc->instructions[index];
  if (numerics == "exact") {
    instruction.numerics = InstructionNumerics::kExact;
  } else if (numerics == "approx") {
    instruction.numerics = InstructionNumerics::kApproximate;
  } else if (numerics == "flush") {
    instruction.numerics = InstructionNumerics::kFlush;
  } else {
    return ValueErrorAt("isa-numerics",
                        "instruction " + Quoted(instruction.name) + ": numerics is " +
                            Quoted(numerics.substr(0, 60)) + "; it is one of exact, approx, flush",
                        instruction.location);
  }
  return Status();
}

Status CheckComplete(const Accelerator& acc, size_t index) {
  ACT_RETURN_IF_ERROR(CheckIndex(acc, index));
  const Instruction& instruction = acc.instructions[index];
  if (!instruction.semantics_faults.empty()) return Status(instruction.semantics_faults);
  if (!instruction.semantics_source || !instruction.semantics.empty()) return Status();
  return ValueErrorAt("isa-incomplete",
                      "instruction " + Quoted(instruction.name) + " has semantics and no " +
                          (instruction.outputs_given ? "inputs" : "outputs") +
                          "; give its regions with set_inputs and set_outputs",
                      instruction.location);
}

}  // namespace act::isa
