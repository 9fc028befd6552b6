// From a solved packing to the program, with a last check of everything the spec says about addresses.
#pragma once
#include "allocate/packing.h"

namespace act::allocate {

// values: by component. Fails (kInternal "allocate-check") if a region, constraint, mark or live range is
// violated: our own fault, and never a wrong program.
StatusOr<assembly::Program> EmitProgram(const Packing& packing, const std::vector<int32_t>& order,
                                        const std::vector<int64_t>& values, AllocateReport* report);

// Sentences of failures.
Status OverflowError(const Model& model, BufferId buffer, int32_t step, const std::vector<int32_t>& cells);
// The order fits by volume, but has no addresses: names the fullest moment of
// the buffer (-1: of all).
Status NoAddressError(const Packing& packing, const std::vector<int32_t>& order, int32_t buffer);

}  // namespace act::allocate
