// What a call needs beyond its addresses, prepared once for each instruction, @c and state that its sizes or
// semantics use. Internal to src/oracle.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/isa.h"
#include "oracle/arithmetic.h"
#include "oracle/memory.h"
#include "oracle/movement.h"
#include "tensor/tensor.h"

namespace act::oracle {

struct RegionPlan {
  std::vector<int64_t> size, strides;  // addressed units; strides empty: dense
  Shape shape;                         // sizes, then the unit's dimensions
  Footprint footprint;                 // valid iff fits
  bool fits = true;                    // at some address of its buffer
};

struct CallPlan {
  std::vector<RegionPlan> inputs, outputs;
  bool instantiated = false;
  isa::Instance instance;
  std::optional<MovementPool> movement;
  // Memory of the executor, kept from call to call.
  std::vector<Literal> parameters;
  std::vector<uint8_t> pool, result;
};

// Whether sizes, strides or semantics of the instruction mention state.
bool ShapesUseState(const isa::Instruction& instruction);
// One addressing dimension's extents of a buffer, where HBM has the size that the program declares.
std::vector<int64_t> Extents(const isa::Accelerator& accelerator, BufferId buffer, int64_t hbm_bytes);
// The sizes and strides of a region, in 128 bits, into a plan. `fault` names what has no value.
struct RegionFault {
  std::string text;  // empty: none
  bool negative_remainder = false;
};
RegionPlan PlanRegion(const isa::Accelerator& accelerator, const isa::Region& region,
                      const WideEnvironment& environment, int64_t hbm_bytes, RegionFault* fault);

}  // namespace act::oracle
