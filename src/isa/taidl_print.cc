#include <algorithm>

#include "isa/builder.h"
#include "isa/semantics_print.h"
#include "isa/taidl.h"

namespace act::isa {
namespace {

std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string Dims(const std::vector<int64_t>& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

std::string WindowText(const Region& region, const NameTable& names) {
  const auto text_of = [&](const Expression& e) { return ToString(e, names, NameStyle::kPlain); };
  std::string text = "[";
  for (size_t i = 0; i < std::max(region.starts.size(), region.sizes.size()); ++i) {
    if (i > 0) text += ", ";
    if (i < region.starts.size()) text += text_of(region.starts[i]);
    if (i >= region.sizes.size()) continue;
    if (i < region.starts.size()) text += " : ";
    text += "+" + text_of(region.sizes[i]);
    if (i < region.strides.size()) text += " step " + text_of(region.strides[i]);
  }
  return text + "]";
}

std::string_view UpdateOperator(Update::Kind kind) {
  switch (kind) {
    case Update::Kind::kAssign:
      return " = ";
    case Update::Kind::kAdd:
      return " += ";
    case Update::Kind::kSubtract:
      return " -= ";
    case Update::Kind::kMultiply:
      return " *= ";
  }
  return " = ";
}

void PrintMark(std::string_view word, const std::vector<bool>& flags, const std::vector<std::string>& inputs,
               std::string* text) {
  std::vector<std::string> marked;
  for (size_t i = 0; i < flags.size() && i < inputs.size(); ++i) {
    if (flags[i]) marked.push_back(inputs[i]);
  }
  if (!marked.empty()) *text += "  " + std::string(word) + " " + Join(marked) + "\n";
}

void PrintInstruction(const Accelerator& accelerator, const Instruction& instruction, std::string* out) {
  const std::vector<std::string> state_names = accelerator.state_names();
  const NameTable names = Names(instruction, state_names);
  std::string& text = *out;
  text += "\ninstruction " + instruction.name + "(" + Join(instruction.computational);
  if (!instruction.addressing.empty()) {
    text += (instruction.computational.empty() ? "; " : "; ") + Join(instruction.addressing);
  }
  text += ")\n";
  const PrintedSemantics semantics = PrintSemantics(instruction, names);
  const auto print_regions = [&](std::string_view word, const std::vector<Region>& regions,
                                 const std::vector<std::string>& region_names) {
    for (size_t i = 0; i < regions.size(); ++i) {
      text += "  " + std::string(word);
      if (!region_names[i].empty()) text += region_names[i] + " = ";
      text += accelerator.buffer(regions[i].buffer).name + WindowText(regions[i], names) + "\n";
    }
  };
  print_regions("in  ", instruction.inputs, semantics.inputs);
  print_regions("out ", instruction.outputs, semantics.outputs);
  PrintMark("inplace", instruction.inplace, semantics.inputs, &text);
  PrintMark("apart", instruction.apart, semantics.inputs, &text);
  PrintMark("no_partial_overlap", instruction.no_partial_overlap, semantics.inputs, &text);
  for (const Condition& condition : instruction.constraints) {
    text += "  where " + ToString(condition, names, NameStyle::kPlain) + "\n";
  }
  for (const Update& update : instruction.updates) {
    // The target alone: a state hidden by an attribute of its name keeps its prefix.
    text += "  update " +
            ToString(Expression::Attribute(AttributeKind::kState, update.state), names, NameStyle::kPlain);
    text += UpdateOperator(update.kind);
    text += ToString(update.value, names, NameStyle::kPlain) + "\n";
  }
  if (instruction.has_cost) {
    text += "  cost " + ToString(instruction.cost, names, NameStyle::kPlain);
    if (!instruction.unit.empty()) text += "  unit " + instruction.unit;
    text += "\n";
  } else if (!instruction.unit.empty()) {
    text += "  unit " + instruction.unit + "\n";
  }
  if (!instruction.mnemonic.empty()) text += "  mnemonic " + instruction.mnemonic + "\n";
  if (instruction.numerics == InstructionNumerics::kApproximate) text += "  numerics approx\n";
  if (instruction.numerics == InstructionNumerics::kFlush) text += "  numerics flush\n";
  for (const std::string& statement : semantics.statements) text += "  " + statement + "\n";
  // A text that could not be resolved is kept as it was given, so that reading it reports the same faults.
  if (semantics.statements.empty() && instruction.semantics_source) {
    text += "  " + std::string(instruction.semantics_source->text()) + "\n";
  }
}

}  // namespace

std::string PrintTaidl(const Accelerator& accelerator) {
  std::string text = "accelerator " + accelerator.name + "\n";
  if (accelerator.buffers.size() > 1) text += "\n";
  for (size_t i = 1; i < accelerator.buffers.size(); ++i) {
    const Buffer& buffer = accelerator.buffers[i];
    text += "buffer " + buffer.name + " " + Dims(buffer.addresses) + " of " +
            std::string(ElementTypeName(buffer.type)) + (buffer.unit.empty() ? "" : Dims(buffer.unit)) + "\n";
  }
  if (!accelerator.state.empty()) text += "\n";
  for (const StateVariable& variable : accelerator.state) {
    text += "state " + variable.name + " = " + std::to_string(variable.initial) + "\n";
  }
  for (const Instruction& instruction : accelerator.instructions) {
    PrintInstruction(accelerator, instruction, &text);
  }
  return text;
}

}  // namespace act::isa
