// The simulator: executes a program over the buffers, exactly (reference/taidl.md sections 15 and 16).
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assembly/assembly.h"

namespace act::oracle {

struct SimulateOptions {
  // Fill on-chip buffers and unused HBM with a byte pattern instead of zeros, to expose reads of memory that
  // the program never wrote.
  bool poison = false;
  uint8_t poison_byte = 0xA5;
  int64_t max_steps = int64_t{1} << 40;           // executed calls; beyond it a kLimit failure
  std::function<void(const std::string&)> print;  // receives debug lines; null: dropped
};
struct Simulation {
  std::vector<Literal> outputs;
  int64_t executed_calls = 0;
  std::vector<Diagnostic> warnings;  // values beyond 64 bits, negative operands of %
};
// inputs: one each program.inputs, of that shape. Bounds and constraints are enforced at each call; the
// failure names instruction, operand, window and the statement's place.
StatusOr<Simulation> Simulate(const isa::Accelerator& accelerator, const assembly::Program& program,
                              std::span<const Literal> inputs, const SimulateOptions& options = {});
// Everything that can be refused without data: CheckProgram, then each call's arguments, windows,
// semantics and constraints, and updates of state, at every iteration.
StatusOr<std::vector<Diagnostic>> CheckCalls(const isa::Accelerator& accelerator,
                                             const assembly::Program& program);
// Sum of the cost expressions, loops by iteration.
StatusOr<int64_t> Cost(const isa::Accelerator& accelerator, const assembly::Program& program);

}  // namespace act::oracle
