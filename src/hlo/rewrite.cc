#include "hlo/rewrite.h"

#include <algorithm>
#include <set>
#include <string>

namespace act::hlo {
namespace {

bool IsScalar(const Shape& shape) { return shape.is_array() && shape.dims.empty(); }

}  // namespace

std::vector<Instruction> BroadcastScalarOperands(const std::vector<Instruction>& before,
                                                 Instruction* instruction) {
  std::vector<size_t> positions;  // of the operands that may be scalars
  if (instruction->opcode == Opcode::kClamp) positions = {0, 2};
  if (instruction->opcode == Opcode::kSelect) positions = {0};
  if (positions.empty() || instruction->operands.size() != 3) return {};
  const Shape& array = before[static_cast<size_t>(instruction->operands[1])].shape;
  if (!array.is_array() || IsScalar(array)) return {};
  std::vector<Instruction> added;
  for (size_t position : positions) {
    const int32_t scalar = instruction->operands[position];
    const Shape& shape = before[static_cast<size_t>(scalar)].shape;
    if (!IsScalar(shape)) continue;
    Instruction broadcast;
    broadcast.name = instruction->name + ".broadcast";
    broadcast.opcode = Opcode::kBroadcast;
    broadcast.opcode_name = OpcodeName(Opcode::kBroadcast);
    broadcast.shape = Shape::Array(shape.type, array.dims);
    broadcast.operands = {scalar};
    instruction->operands[position] = static_cast<int32_t>(before.size() + added.size());
    added.push_back(std::move(broadcast));
  }
  return added;
}

void NameAddedInstructions(const std::vector<int32_t>& added, Computation* computation) {
  if (added.empty()) return;
  std::set<std::string> names;
  for (size_t i = 0; i < computation->instructions.size(); ++i) {
    if (!std::binary_search(added.begin(), added.end(), static_cast<int32_t>(i)))
      names.insert(computation->instructions[i].name);
  }
  for (int32_t index : added) {
    std::string& name = computation->instructions[static_cast<size_t>(index)].name;
    const std::string base = name;
    for (int64_t suffix = 1; names.contains(name); ++suffix) name = base + "." + std::to_string(suffix);
    names.insert(name);
  }
}

}  // namespace act::hlo
