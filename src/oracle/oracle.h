// The simulator: executes a program over the buffers, exactly.
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
// A program for many runs: what its calls need beyond data is worked out at the first one and kept. One
// thread at a time; accelerator and program must outlive it. Each run starts from fresh memories and state
// and answers as Simulate, except that a warning is given in the first run that meets it and not again.
class Simulator {
 public:
  Simulator(const isa::Accelerator& accelerator, const assembly::Program& program,
            const SimulateOptions& options = {});
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;
  StatusOr<Simulation> Run(std::span<const Literal> inputs);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
// Everything that can be refused without data: CheckProgram, then each call's arguments, windows,
// semantics and constraints, and updates of state, at every iteration.
StatusOr<std::vector<Diagnostic>> CheckCalls(const isa::Accelerator& accelerator,
                                             const assembly::Program& program);
// Sum of the cost expressions, loops by iteration.
StatusOr<int64_t> Cost(const isa::Accelerator& accelerator, const assembly::Program& program);

}  // namespace act::oracle
