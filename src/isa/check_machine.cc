// The machine as a whole: buffers, the ways data can take, the set of instructions, state.
#include <algorithm>

#include "isa/check_report.h"

namespace act::isa {
namespace {

std::string Quoted(const std::string& name) { return "'" + name + "'"; }

// Buffers by index: what is read and written somewhere.
struct Uses {
  std::vector<bool> read, written;
  explicit Uses(const Accelerator& acc) : read(acc.buffers.size()), written(acc.buffers.size()) {
    for (const Instruction& instruction : acc.instructions) {
      for (const Region& region : instruction.inputs) read[region.buffer.value()] = true;
      for (const Region& region : instruction.outputs) written[region.buffer.value()] = true;
    }
  }
};

// Buffers that data from HBM (or from an instruction without inputs) can reach. One operand is enough:
// accumulators are read by the instruction that fills them.
std::vector<bool> Reached(const Accelerator& acc) {
  std::vector<bool> reached(acc.buffers.size());
  reached[0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction& instruction : acc.instructions) {
      const bool source = instruction.inputs.empty() ||
                          std::any_of(instruction.inputs.begin(), instruction.inputs.end(),
                                      [&](const Region& region) { return reached[region.buffer.value()]; });
      if (!source) continue;
      for (const Region& region : instruction.outputs) {
        changed = changed || !reached[region.buffer.value()];
        reached[region.buffer.value()] = true;
      }
    }
  }
  return reached;
}

// Buffers from which data can reach HBM.
std::vector<bool> Leaving(const Accelerator& acc) {
  std::vector<bool> leaving(acc.buffers.size());
  leaving[0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction& instruction : acc.instructions) {
      const bool target = std::any_of(instruction.outputs.begin(), instruction.outputs.end(),
                                      [&](const Region& region) { return leaving[region.buffer.value()]; });
      if (!target) continue;
      for (const Region& region : instruction.inputs) {
        changed = changed || !leaving[region.buffer.value()];
        leaving[region.buffer.value()] = true;
      }
    }
  }
  return leaving;
}

void CheckBuffer(const Buffer& buffer, bool read, bool written, bool reached, bool leaving, Report* report) {
  const std::string name = "buffer " + Quoted(buffer.name);
  const auto warn = [&](const char* code, std::string sentence) {
    report->Add(Severity::kWarning, code, name + std::move(sentence), buffer.location);
  };
  if (!read && !written) {
    warn("isa-unused-buffer", " is used by no instruction; remove it or add the instructions that use it");
    return;
  }
  if (!written) {
    warn("isa-buffer-never-filled", " is read, but no instruction writes it; add one that fills it");
  } else if (!reached) {
    warn("isa-buffer-unreachable",
         " is written only from buffers that no data of HBM reaches; add an instruction that brings data "
         "there");
  }
  if (!read) {
    warn("isa-buffer-never-emptied", " is written, but no instruction reads it; add one that takes data out");
  } else if (!leaving) {
    warn("isa-buffer-no-way-out",
         " is read only by instructions whose results never reach HBM; add an instruction that stores them");
  }
}

bool SameRegion(const Region& a, const Region& b) {
  return a.buffer == b.buffer && a.sizes == b.sizes && a.strides == b.strides && a.starts == b.starts;
}
bool SameRegions(const std::vector<Region>& a, const std::vector<Region>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameRegion);
}
bool SameUpdates(const Instruction& a, const Instruction& b) {
  return std::equal(a.updates.begin(), a.updates.end(), b.updates.begin(), b.updates.end(),
                    [](const Update& x, const Update& y) {
                      return x.state == y.state && x.kind == y.kind && x.value == y.value;
                    });
}

// Nothing that a program can tell apart, or that makes one the better choice.
bool SameInstruction(const Instruction& a, const Instruction& b) {
  return !a.semantics.empty() && a.computational.size() == b.computational.size() &&
         a.addressing.size() == b.addressing.size() && SameRegions(a.inputs, b.inputs) &&
         SameRegions(a.outputs, b.outputs) && a.semantics == b.semantics && a.constraints == b.constraints &&
         SameUpdates(a, b) && a.cost == b.cost && a.has_cost == b.has_cost && a.unit == b.unit &&
         a.inplace == b.inplace && a.apart == b.apart && a.no_partial_overlap == b.no_partial_overlap;
}

// "a given here is missing there": of entries that only some instructions have.
void CheckMissing(const Accelerator& acc, const char* code, const char* thing, const char* meaning,
                  bool (*has)(const Instruction&), Report* report) {
  const auto given = std::find_if(acc.instructions.begin(), acc.instructions.end(), has);
  if (given == acc.instructions.end()) return;
  for (const Instruction& instruction : acc.instructions) {
    if (has(instruction)) continue;
    report->Add(Severity::kWarning, code,
                "instruction " + Quoted(instruction.name) + " has no " + thing + ", but " +
                    Quoted(given->name) + " has one; " + meaning,
                instruction.location);
  }
}

}  // namespace

void CheckMachine(const Accelerator& acc, Report* report) {
  const Uses uses(acc);
  if (acc.instructions.empty()) {
    report->Add(Severity::kWarning, "isa-no-instructions",
                "accelerator " + Quoted(acc.name) + " has no instructions; add some", {});
    return;
  }
  if (!uses.read[0]) {
    report->Add(Severity::kWarning, "isa-no-load",
                "no instruction reads HBM (d0), so no program has inputs; add one that loads from d0", {});
  }
  if (!uses.written[0]) {
    report->Add(Severity::kWarning, "isa-no-store",
                "no instruction writes HBM (d0), so no program has results; add one that stores to d0", {});
  }
  // Without a load or a store every buffer would be reported once more.
  const std::vector<bool> reached = uses.read[0] ? Reached(acc) : std::vector<bool>(acc.buffers.size(), true);
  const std::vector<bool> leaving =
      uses.written[0] ? Leaving(acc) : std::vector<bool>(acc.buffers.size(), true);
  for (size_t b = 1; b < acc.buffers.size(); ++b) {
    CheckBuffer(acc.buffers[b], uses.read[b], uses.written[b], reached[b], leaving[b], report);
  }
}

void CheckInstructionSet(const Accelerator& acc, Report* report) {
  for (size_t i = 1; i < acc.instructions.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!SameInstruction(acc.instructions[j], acc.instructions[i])) continue;
      report->Add(
          Severity::kWarning, "isa-same-instruction",
          "instruction " + Quoted(acc.instructions[i].name) + " is " + Quoted(acc.instructions[j].name) +
              " under another name: regions, semantics, constraints and cost are equal; remove one or "
              "give them different costs",
          acc.instructions[i].location);
      break;
    }
  }
  CheckMissing(
      acc, "isa-missing-cost", "cost", "without one it counts as free, so give it a cost",
      [](const Instruction& instruction) { return instruction.has_cost; }, report);
  CheckMissing(
      acc, "isa-missing-unit", "unit", "name the unit it runs on, so that its time can overlap with others",
      [](const Instruction& instruction) { return !instruction.unit.empty(); }, report);
}

namespace {

bool ReadsState(const Instruction& instruction, int32_t state) {
  const auto uses = [state](const Expression& e) { return e.Uses(AttributeKind::kState, state); };
  const auto region_uses = [&uses](const Region& region) {
    return std::any_of(region.starts.begin(), region.starts.end(), uses) ||
           std::any_of(region.sizes.begin(), region.sizes.end(), uses) ||
           std::any_of(region.strides.begin(), region.strides.end(), uses);
  };
  if (std::any_of(instruction.inputs.begin(), instruction.inputs.end(), region_uses)) return true;
  if (std::any_of(instruction.outputs.begin(), instruction.outputs.end(), region_uses)) return true;
  for (const Condition& constraint : instruction.constraints) {
    if (constraint.Uses(AttributeKind::kState, state)) return true;
  }
  for (const Update& update : instruction.updates) {
    // Its own counter is no use of it.
    if (update.state != state && uses(update.value)) return true;
  }
  for (const SemanticNode& node : instruction.semantics.nodes) {
    if (std::any_of(node.dims.begin(), node.dims.end(), uses)) return true;
    if (std::any_of(node.dimensions.begin(), node.dimensions.end(), uses)) return true;
    if (std::any_of(node.dynamic_slice_sizes.begin(), node.dynamic_slice_sizes.end(), uses)) return true;
    for (const SymbolicSlice& slice : node.slice) {
      if (uses(slice.start) || uses(slice.limit) || uses(slice.stride)) return true;
    }
    if (node.constant.expression && uses(*node.constant.expression)) return true;
  }
  return uses(instruction.cost);
}

// The values a state can have, where every update assigns a known integer.
std::optional<std::vector<int64_t>> PossibleValues(const Accelerator& acc, int32_t state) {
  std::vector<int64_t> values{acc.state[static_cast<size_t>(state)].initial};
  for (const Instruction& instruction : acc.instructions) {
    for (const Update& update : instruction.updates) {
      if (update.state != state) continue;
      const std::optional<int64_t> value = update.value.AsInteger();
      if (update.kind != Update::Kind::kAssign || !value) return std::nullopt;
      values.push_back(*value);
    }
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Conditions on one state alone that none of its values satisfies.
void CheckStateCondition(const Accelerator& acc, const Instruction& instruction, const Condition& condition,
                         Report* report) {
  if (condition.kind == Condition::Kind::kAnd) {
    for (const Condition& operand : condition.operands) {
      CheckStateCondition(acc, instruction, operand, report);
    }
    return;
  }
  if (condition.Uses(AttributeKind::kComputational) || condition.Uses(AttributeKind::kAddressing)) return;
  std::optional<int32_t> only;
  for (int32_t s = 0; s < static_cast<int32_t>(acc.state.size()); ++s) {
    if (!condition.Uses(AttributeKind::kState, s)) continue;
    if (only) return;
    only = s;
  }
  if (!only) return;
  const std::optional<std::vector<int64_t>> values = PossibleValues(acc, *only);
  if (!values) return;
  std::vector<int64_t> state(acc.state.size(), 0);
  for (const int64_t value : *values) {
    state[static_cast<size_t>(*only)] = value;
    const StatusOr<bool> holds = Evaluate(condition, {{}, {}, state});
    if (!holds.ok() || *holds) return;
  }
  const std::vector<std::string> state_names = acc.state_names();
  std::string list;
  for (const int64_t value : *values) list += (list.empty() ? "" : ", ") + std::to_string(value);
  report->Add(Severity::kError, "isa-state-never-holds",
              "instruction " + Quoted(instruction.name) + ": constraint \"" +
                  ToString(condition, {instruction.computational, instruction.addressing, state_names}) +
                  "\" never holds, since '@s." + state_names[static_cast<size_t>(*only)] + "' is only ever " +
                  list + "; add an update that sets it or change the constraint",
              condition.location, instruction.location);
}

void CheckUpdates(const Accelerator& acc, const Instruction& instruction, Report* report) {
  for (size_t i = 0; i < instruction.updates.size(); ++i) {
    const Update& update = instruction.updates[i];
    const std::string name = "instruction " + Quoted(instruction.name) + ": the update of '@s." +
                             acc.state[static_cast<size_t>(update.state)].name + "'";
    const std::optional<int64_t> value = update.value.AsInteger();
    const bool is_self = update.kind == Update::Kind::kAssign &&
                         update.value == Expression::Attribute(AttributeKind::kState, update.state);
    const bool adds_nothing =
        (update.kind == Update::Kind::kAdd || update.kind == Update::Kind::kSubtract) && value == int64_t{0};
    const bool scales_by_one = update.kind == Update::Kind::kMultiply && value == int64_t{1};
    if (is_self || adds_nothing || scales_by_one) {
      report->Add(Severity::kWarning, "isa-update-without-effect", name + " changes nothing; remove it",
                  update.value.location, instruction.location);
      continue;
    }
    for (size_t j = i + 1; j < instruction.updates.size(); ++j) {
      const Update& later = instruction.updates[j];
      if (later.value.Uses(AttributeKind::kState, update.state)) break;
      if (later.state != update.state) continue;
      if (later.kind == Update::Kind::kAssign) {
        report->Add(Severity::kWarning, "isa-update-overwritten",
                    name + " is overwritten by a later update before anything reads it; remove one of them",
                    update.value.location, instruction.location);
      }
      break;
    }
  }
}

}  // namespace

void CheckState(const Accelerator& acc, Report* report) {
  for (int32_t s = 0; s < static_cast<int32_t>(acc.state.size()); ++s) {
    const StateVariable& variable = acc.state[static_cast<size_t>(s)];
    bool is_read = false, is_set = false;
    for (const Instruction& instruction : acc.instructions) {
      is_read = is_read || ReadsState(instruction, s);
      for (const Update& update : instruction.updates) is_set = is_set || update.state == s;
    }
    const std::string name = "state " + Quoted(variable.name);
    if (!is_read) {
      report->Add(
          Severity::kWarning, "isa-unread-state",
          name + (is_set ? " is updated, but no instruction reads it; use it in a region, constraint or "
                           "semantics, or remove it"
                         : " is used by no instruction; remove it"),
          variable.location);
    } else if (!is_set) {
      report->Add(Severity::kWarning, "isa-constant-state",
                  name + " is read, but no instruction updates it, so it always is " +
                      std::to_string(variable.initial) + "; add an update or write the number",
                  variable.location);
    }
  }
  for (const Instruction& instruction : acc.instructions) {
    CheckUpdates(acc, instruction, report);
    for (const Condition& constraint : instruction.constraints) {
      CheckStateCondition(acc, instruction, constraint, report);
    }
  }
}

}  // namespace act::isa
