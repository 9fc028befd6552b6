// From a selection to a selected graph of instances: sharing made legal for destructive instructions
//.
#pragma once
#include <cstdint>
#include <span>

#include "assembly/assembly.h"
#include "select/extract.h"

namespace act::select {

// What several uses of a state share. Inputs and constants are always one instance.
enum class Sharing : uint8_t {
  kAll,       // one instance a state, with further instances where destructive consumers conflict
  kComputed,  // the same, but each use loads its own copy of an input or constant: less is alive at once
  kNothing,   // every use has its own production (the tree fallback)
};
StatusOr<assembly::SelectedGraph> MakeInstances(const isa::Accelerator& accelerator, const StateGraph& graph,
                                                const Selection& selection,
                                                std::span<const Shape> input_shapes,
                                                std::span<const Shape> output_shapes, Sharing sharing);

}  // namespace act::select
