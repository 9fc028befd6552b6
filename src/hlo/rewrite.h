// Forms that HLO allows and the module does not have, rewritten by both readers. Internal to this folder.
#pragma once
#include <vector>

#include "hlo/module.h"

namespace act::hlo {

// clamp with scalar bounds on an array, select with a scalar condition on arrays: the broadcasts to put
// behind the instructions `before`, and `instruction` made to use them. They have the name NAME.broadcast and
// have to be given one of their own by NameAddedInstructions. The operands are indices into `before`.
std::vector<Instruction> BroadcastScalarOperands(const std::vector<Instruction>& before,
                                                 Instruction* instruction);

// Gives the instructions at `added` (rising) names clear of all others: theirs, or theirs with the least
// number.
void NameAddedInstructions(const std::vector<int32_t>& added, Computation* computation);

}  // namespace act::hlo
