// Semantics: values that are read, types and shapes that agree at the attribute values tried.
#include <algorithm>

#include "isa/check_report.h"

namespace act::isa {
namespace {

std::string Quoted(const std::string& name) { return "'" + name + "'"; }

// Which nodes the outputs depend on.
std::vector<bool> Live(const Semantics& semantics) {
  std::vector<bool> live(semantics.nodes.size());
  for (const int32_t output : semantics.outputs) live[static_cast<size_t>(output)] = true;
  for (size_t i = semantics.nodes.size(); i-- > 0;) {
    if (!live[i]) continue;
    for (const int32_t operand : semantics.nodes[i].operands) live[static_cast<size_t>(operand)] = true;
  }
  return live;
}

void CheckReads(const Subject& subject, Report* report) {
  const Semantics& semantics = subject.instruction.semantics;
  const std::vector<bool> live = Live(semantics);
  std::vector<bool> read(subject.instruction.inputs.size());
  for (size_t i = 0; i < semantics.nodes.size(); ++i) {
    const SemanticNode& node = semantics.nodes[i];
    if (node.opcode == hlo::Opcode::kParameter) {
      const size_t input = static_cast<size_t>(node.parameter);
      if (live[i] && input < read.size()) read[input] = true;
    } else if (!live[i]) {
      report->Add(Severity::kWarning, "isa-dead-value",
                  subject.Name() + ": value " + Quoted(node.name) + " is used by no output; remove it",
                  node.location, subject.instruction.location);
    }
  }
  for (size_t k = 0; k < read.size(); ++k) {
    if (read[k]) continue;
    report->Add(Severity::kError, "isa-input-unread",
                subject.RegionName(false, k) + " is never read by the semantics; use it or remove the input",
                subject.instruction.inputs[k].location, subject.instruction.location);
  }
}

// The types of regions and values, which no attribute changes. True if they agree.
bool CheckTypes(const Subject& subject, Report* report) {
  const Semantics& semantics = subject.instruction.semantics;
  bool agree = true;
  const auto compare = [&](const SemanticNode& node, bool is_output, size_t number) {
    const std::vector<Region>& regions = is_output ? subject.instruction.outputs : subject.instruction.inputs;
    if (number >= regions.size()) return;
    const Buffer& buffer = subject.accelerator.buffer(regions[number].buffer);
    if (buffer.type == node.type) return;
    agree = false;
    report->Add(Severity::kError, is_output ? "isa-output-type" : "isa-parameter-type",
                subject.RegionName(is_output, number) + ": value " + Quoted(node.name) + " is " +
                    std::string(ElementTypeName(node.type)) + ", but buffer " + Quoted(buffer.name) +
                    " holds " + std::string(ElementTypeName(buffer.type)) + "; " +
                    (is_output ? "convert or bitcast_convert it" : "declare that type"),
                node.location, subject.instruction.location);
  };
  for (const SemanticNode& node : semantics.nodes) {
    if (node.opcode == hlo::Opcode::kParameter) compare(node, false, static_cast<size_t>(node.parameter));
  }
  for (size_t j = 0; j < semantics.outputs.size(); ++j) {
    compare(semantics.nodes[static_cast<size_t>(semantics.outputs[j])], true, j);
  }
  return agree;
}

// An instruction that fails at every legal value tried cannot be used; one that fails at some should say
// which by a constraint.
void CheckInstances(const Subject& subject, Report* report) {
  std::optional<Diagnostic> failure;
  size_t failures = 0;
  for (const std::vector<int64_t>& sample : subject.samples) {
    const StatusOr<Instance> instance =
        Instantiate(subject.accelerator, subject.instruction, sample, subject.initial_state);
    if (instance.ok()) continue;
    ++failures;
    if (!failure) failure = instance.status().front();
  }
  if (!failure) return;
  if (failures < subject.samples.size()) {
    failure->is_warning = true;
    failure->message += "; exclude such values by a constraint";
  }
  report->AddDiagnostic(std::move(*failure));
}

void CheckEffect(const Subject& subject, Report* report) {
  const Instruction& instruction = subject.instruction;
  if (!instruction.updates.empty() || instruction.semantics.outputs.empty()) return;
  for (size_t j = 0; j < instruction.semantics.outputs.size(); ++j) {
    int32_t value = instruction.semantics.outputs[j];
    while (instruction.semantics.nodes[static_cast<size_t>(value)].opcode == hlo::Opcode::kCopy) {
      value = instruction.semantics.nodes[static_cast<size_t>(value)].operands[0];
    }
    const SemanticNode& node = instruction.semantics.nodes[static_cast<size_t>(value)];
    if (node.opcode != hlo::Opcode::kParameter || j >= instruction.outputs.size() ||
        static_cast<size_t>(node.parameter) >= instruction.inputs.size()) {
      return;
    }
    const Region& from = instruction.inputs[static_cast<size_t>(node.parameter)];
    const Region& to = instruction.outputs[j];
    if (from.buffer != to.buffer || from.starts != to.starts || from.sizes != to.sizes ||
        from.strides != to.strides) {
      return;
    }
  }
  report->Add(
      Severity::kWarning, "isa-without-effect",
      subject.Name() + " writes back what it reads, to the same place; give the output another address",
      instruction.location);
}

}  // namespace

void CheckSemantics(const Subject& subject, Report* report) {
  const Instruction& instruction = subject.instruction;
  if (instruction.semantics.empty()) {
    if (!instruction.updates.empty() && instruction.outputs.empty()) return;  // a setter of state
    report->Add(Severity::kWarning, "isa-no-semantics",
                subject.Name() + " has no semantics, so it is left out of every backend; add one",
                instruction.location);
    return;
  }
  CheckReads(subject, report);
  if (!CheckTypes(subject, report)) return;
  CheckInstances(subject, report);
  CheckEffect(subject, report);
}

}  // namespace act::isa
