// Order and addresses: from a selected graph to a program.
//
// The parts, each usable and tested alone: model.h (unknowns and ties), order.h (orders), packing.h (the
// placement problem of one order and its engines).
#pragma once
#include "allocate/model.h"
#include "allocate/options.h"
#include "allocate/order.h"
#include "allocate/packing.h"
#include "assembly/assembly.h"

namespace act::allocate {

// The HBM map is TAIDL's: inputs from byte 0 without padding, outputs directly behind
// the last input, constants and temporaries behind the outputs. Constants nobody reads are left out. Every
// value of one step's operands and result obeys the start expressions, constraints and placement marks of the
// spec, which are checked once more on the result. Values with a destructive consumer are read by every other
// consumer first.
// The program has no name: the caller gives it one.
//
// Failures: those of BuildModel, and
//   kUnsupported "allocate-order": no order of the steps exists;
//   kUnsupported "allocate-capacity": no addresses exist in any order; names the buffer, its capacity and
//   simultaneously live values with their sizes;
//   kLimit "allocate-limit": the search was cut; names the limit and --effort.
StatusOr<assembly::Program> Allocate(const isa::Accelerator& accelerator,
                                     const assembly::SelectedGraph& graph,
                                     const AllocateOptions& options = {}, AllocateReport* report = nullptr);

// An order of graph.steps respecting data dependences and anti-dependences (readers before overwriters);
// multi-buffer Sethi-Ullman.
StatusOr<std::vector<int32_t>> FirstOrder(const isa::Accelerator& accelerator,
                                          const assembly::SelectedGraph& graph);

}  // namespace act::allocate
