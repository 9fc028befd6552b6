// What of an allocation does not depend on the order of the steps.
//
// Unknowns are the coordinates of every value's place and the addressing attributes of every step. Unknowns
// with a known difference (windows and neighbours, `@a.x + 64` against `@a.x`, one attribute in two regions,
// fixed places) form a component, one integer to choose. What is left (products, quotients, constraints over
// several components) stays with the step, see steps.h.
#pragma once
#include <utility>
#include <vector>

#include "allocate/domain.h"
#include "allocate/linear.h"
#include "assembly/assembly.h"

namespace act::allocate {

// An unknown: component's value + offset.
struct Coordinate {
  int32_t component = -1;
  int64_t offset = 0;
  friend bool operator==(const Coordinate&, const Coordinate&) = default;
};
// An addressing attribute: (component's value + offset) / divisor, which must divide. component -1: not
// determined by one place alone.
struct AttributeLink {
  int32_t component = -1;
  int64_t offset = 0;
  int64_t divisor = 1;
};
// A part of an instance that is read as a whole or not at all by every step.
struct Cell {
  int32_t instance = 0;
  std::vector<int64_t> offset, size;  // inside the instance's box, addressed units
  std::vector<int32_t> readers;       // steps, increasing
  bool live_at_end = false;           // kernel inputs and outputs
};
// A value that owns bytes: kernel input, constant, or result of a step.
struct Instance {
  ValueId value;
  int32_t definition = -1;  // step; -1: there from the start
  int32_t cells_begin = 0, cells_end = 0;
};
struct Component {
  Domain domain;
  // Constraints (step, index) that name only attributes linked to this component.
  std::vector<std::pair<int32_t, int32_t>> filters;
  bool is_place = false;  // some instance lies at it
  int64_t weight = 0;     // volume of the instances at it, for placement orders
};
// A part of an operand: cells of one instance lie inside a value at `at`.
struct Footprint {
  int32_t instance = 0;
  std::vector<int64_t> from, size;  // inside the instance
  std::vector<int64_t> at;          // inside the value
};

struct Model {
  const isa::Accelerator* accelerator = nullptr;
  const assembly::SelectedGraph* graph = nullptr;
  int64_t inputs_end = 0;                              // first byte behind the kernel inputs
  int64_t hbm_base = 0;                                // first byte behind the outputs
  std::vector<int64_t> state;                          // initial values
  std::vector<std::vector<Coordinate>> place;          // by value, one a dimension; empty: not used
  std::vector<std::vector<AttributeLink>> attributes;  // by step
  std::vector<Component> components;                   // [0] is fixed at 0
  std::vector<Instance> instances;
  std::vector<Cell> cells;                         // grouped by instance
  std::vector<std::vector<int32_t>> reads;         // by step: cells, increasing
  std::vector<std::vector<Footprint>> footprints;  // by value
  // Cells of different instances that share bytes in every placement; first < second.
  std::vector<std::pair<int32_t, int32_t>> overlaps;
  // Cells that must never share bytes, whenever they are live (set_apart).
  std::vector<std::pair<int32_t, int32_t>> apart;
  // Steps with something that components do not say: see steps.h.
  std::vector<int32_t> open_steps;
  // By step: steps that must come before it, increasing.
  std::vector<std::vector<int32_t>> data_predecessors, anti_predecessors;

  const isa::Instruction& instruction(int32_t step) const {
    return accelerator->instruction(graph->steps[step].instruction);
  }
  const assembly::Value& value_of(int32_t instance) const { return graph->value(instances[instance].value); }
  // HBM bytes are fixed or behind hbm_base; every other buffer is packed.
  int64_t Capacity(BufferId buffer) const { return accelerator->buffer(buffer).addresses[0]; }
  // "gemm (for v3)".
  std::string StepName(int32_t step) const;
};

// Failures: kUnsupported "allocate-capacity" (a value larger than its buffer), "allocate-order" (a kernel
// input or output would be overwritten; readers and overwriters wait for each other), "allocate-tie" (no
// place satisfies the start expressions); kNotImplemented for strided regions, several outputs and machine
// state in addresses; kInternal "allocate-graph" for a graph that contradicts itself or the accelerator.
StatusOr<Model> BuildModel(const isa::Accelerator& accelerator, const assembly::SelectedGraph& graph);

}  // namespace act::allocate
