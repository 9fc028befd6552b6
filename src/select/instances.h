// From a selection to a selected graph of instances: sharing made legal for destructive instructions
// (design.md section 4b, rules 1 to 6).
#pragma once
#include <span>

#include "assembly/assembly.h"
#include "select/extract.h"

namespace act::select {

// share: one instance a state, with further instances where destructive consumers conflict. Otherwise every
// use has its own production (the tree fallback), except inputs and constants.
StatusOr<assembly::SelectedGraph> MakeInstances(const isa::Accelerator& accelerator, const StateGraph& graph,
                                                const Selection& selection,
                                                std::span<const Shape> input_shapes,
                                                std::span<const Shape> output_shapes, bool share);

}  // namespace act::select
