#include "isa/accelerator.h"

#include <bit>

namespace act::isa {
namespace {

bool SameBuffer(const Buffer& a, const Buffer& b) {
  return a.name == b.name && a.addresses == b.addresses && a.unit == b.unit && a.type == b.type;
}

bool SameRegions(const std::vector<Region>& a, const std::vector<Region>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].buffer != b[i].buffer || a[i].starts != b[i].starts || a[i].sizes != b[i].sizes ||
        a[i].strides != b[i].strides) {
      return false;
    }
  }
  return true;
}

bool SameUpdates(const std::vector<Update>& a, const std::vector<Update>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].state != b[i].state || a[i].kind != b[i].kind || !(a[i].value == b[i].value)) return false;
  }
  return true;
}

bool SameInstruction(const Instruction& a, const Instruction& b) {
  return a.name == b.name && a.mnemonic == b.mnemonic && a.computational == b.computational &&
         a.addressing == b.addressing && SameRegions(a.inputs, b.inputs) &&
         SameRegions(a.outputs, b.outputs) && a.semantics == b.semantics && a.constraints == b.constraints &&
         SameUpdates(a.updates, b.updates) && a.inplace == b.inplace && a.apart == b.apart &&
         a.no_partial_overlap == b.no_partial_overlap && a.has_cost == b.has_cost &&
         (!a.has_cost || a.cost == b.cost) && a.unit == b.unit && a.numerics == b.numerics;
}

}  // namespace

int64_t Buffer::UnitBytes() const {
  return CheckedMul(CheckedProduct(unit).value_or(0), StorageBytes(type)).value_or(0);
}

int64_t Buffer::CapacityBytes() const {
  return CheckedMul(CheckedProduct(addresses).value_or(0), UnitBytes()).value_or(0);
}

std::optional<BufferId> Accelerator::FindBuffer(std::string_view buffer_name) const {
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].name == buffer_name) return BufferId(i);
  }
  return std::nullopt;
}

std::optional<InstructionId> Accelerator::FindInstruction(std::string_view instruction_name) const {
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].name == instruction_name) return InstructionId(i);
  }
  return std::nullopt;
}

std::vector<std::string> Accelerator::state_names() const {
  std::vector<std::string> names;
  names.reserve(state.size());
  for (const StateVariable& variable : state) names.push_back(variable.name);
  return names;
}

Accelerator MakeAccelerator(std::string name) {
  Accelerator accelerator;
  accelerator.name = std::move(name);
  Buffer hbm;
  hbm.name = "d0";
  hbm.addresses = {kHbmCapacityBytes};
  hbm.type = ElementType::kU8;
  accelerator.buffers.push_back(std::move(hbm));
  return accelerator;
}

bool SameAccelerator(const Accelerator& a, const Accelerator& b) {
  if (a.name != b.name || a.buffers.size() != b.buffers.size() || a.state.size() != b.state.size() ||
      a.instructions.size() != b.instructions.size()) {
    return false;
  }
  for (size_t i = 0; i < a.buffers.size(); ++i) {
    if (!SameBuffer(a.buffers[i], b.buffers[i])) return false;
  }
  for (size_t i = 0; i < a.state.size(); ++i) {
    if (a.state[i].name != b.state[i].name || a.state[i].initial != b.state[i].initial) return false;
  }
  for (size_t i = 0; i < a.instructions.size(); ++i) {
    if (!SameInstruction(a.instructions[i], b.instructions[i])) return false;
  }
  return true;
}

bool operator==(const SymbolicConstant& a, const SymbolicConstant& b) {
  if (a.integers != b.integers || a.expression != b.expression || a.floats.size() != b.floats.size()) {
    return false;
  }
  for (size_t i = 0; i < a.floats.size(); ++i) {
    if (std::bit_cast<uint64_t>(a.floats[i]) != std::bit_cast<uint64_t>(b.floats[i])) return false;
  }
  return true;
}

bool operator==(const SemanticNode& a, const SemanticNode& b) {
  return a.opcode == b.opcode && a.operation == b.operation && a.type == b.type && a.dims == b.dims &&
         a.operands == b.operands && a.parameter == b.parameter && a.dimensions == b.dimensions &&
         a.slice == b.slice && a.dynamic_slice_sizes == b.dynamic_slice_sizes && a.padding == b.padding &&
         a.dot == b.dot && a.direction == b.direction && a.reducer == b.reducer && a.constant == b.constant;
}

}  // namespace act::isa
