#include "oracle/machine.h"
#include "oracle/oracle.h"

namespace act::oracle {

StatusOr<std::vector<Diagnostic>> CheckCalls(const isa::Accelerator& accelerator,
                                             const assembly::Program& program) {
  ACT_RETURN_IF_ERROR(assembly::CheckProgram(accelerator, program));
  SimulateOptions options;
  Machine machine(accelerator, program, options, Mode::kCheck);
  ACT_RETURN_IF_ERROR(machine.Run());
  return machine.warnings()->Take();
}

StatusOr<int64_t> Cost(const isa::Accelerator& accelerator, const assembly::Program& program) {
  ACT_RETURN_IF_ERROR(assembly::CheckProgram(accelerator, program));
  SimulateOptions options;
  Machine machine(accelerator, program, options, Mode::kCost);
  ACT_RETURN_IF_ERROR(machine.Run());
  if (!FitsIn64(machine.cost())) {
    return Error(ErrorClass::kValue, "oracle-cost",
                 "the cost of " + program.name + " is " + ToString(machine.cost()) + ", beyond 64 bits");
  }
  return static_cast<int64_t>(machine.cost());
}

}  // namespace act::oracle
