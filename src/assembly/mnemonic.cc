#include "assembly/mnemonic.h"

namespace act::assembly {

std::string NativeMnemonic(const isa::Accelerator& accelerator, InstructionId id) {
  const isa::Instruction& own = accelerator.instruction(id);
  if (own.mnemonic.empty() || !IsPlainIdentifier(own.mnemonic)) return own.name;
  for (size_t i = 0; i < accelerator.instructions.size(); ++i) {
    if (i == id.value()) continue;
    const isa::Instruction& other = accelerator.instructions[i];
    if (other.mnemonic == own.mnemonic || other.name == own.mnemonic) return own.name;
  }
  return own.mnemonic;
}

StatusOr<InstructionId> FindByMnemonic(const isa::Accelerator& accelerator, const TokenCursor& cursor,
                                       std::string_view text, size_t offset) {
  if (std::optional<InstructionId> id = accelerator.FindInstruction(text)) return *id;
  std::optional<InstructionId> found;
  std::string candidates;
  for (size_t i = 0; i < accelerator.instructions.size(); ++i) {
    if (accelerator.instructions[i].mnemonic != text) continue;
    found = InstructionId(i);
    candidates += (candidates.empty() ? "" : ", ") + accelerator.instructions[i].name;
  }
  if (found && candidates.find(',') == std::string::npos) return *found;
  std::string message = "'" + std::string(text) + "' is ";
  message += found ? "the mnemonic of several instructions of " + accelerator.name + " (" + candidates +
                         "); write the instruction's name"
                   : "not an instruction of " + accelerator.name;
  return cursor.ValueError("asm-unknown-instruction", std::move(message), offset);
}

}  // namespace act::assembly
