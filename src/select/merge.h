// Joint transfers: after selection, transfers of one instruction with neighbouring
// sources, whose results may lie side by side, become one transfer.
#pragma once
#include "assembly/assembly.h"
#include "select/states.h"

namespace act::select {

// Variants of the graph with fewer transfers, fewest steps first: all merges that go together, then each
// merge alone. Empty where nothing merges. Allocation may still refuse a variant: results that used to be
// free are tied side by side.
std::vector<assembly::SelectedGraph> MergeTransfers(RuleBase* rules, const assembly::SelectedGraph& graph);

}  // namespace act::select
