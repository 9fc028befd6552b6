// Instruction names as written in native text. Internal to src/assembly.
#pragma once
#include <string>

#include "assembly/lexer.h"
#include "isa/isa.h"

namespace act::assembly {

// The mnemonic where it is an identifier that names this instruction only; else the instruction's name.
std::string NativeMnemonic(const isa::Accelerator& accelerator, InstructionId id);
// By name first, then by a mnemonic that one instruction has. The failure lists what the name could mean.
StatusOr<InstructionId> FindByMnemonic(const isa::Accelerator& accelerator, const TokenCursor& cursor,
                                       std::string_view text, size_t offset);

}  // namespace act::assembly
