#include <optional>

#include "oracle/machine.h"
#include "oracle/oracle.h"

namespace act::oracle {
namespace {

constexpr int64_t kMaxOutputBytes = int64_t{1} << 33;

Status CheckInputs(const assembly::Program& program, std::span<const Literal> inputs) {
  auto fail = [](std::string message) {
    return Error(ErrorClass::kValue, "oracle-inputs", std::move(message));
  };
  if (inputs.size() != program.inputs.size()) {
    return fail("program " + program.name + " takes " + std::to_string(program.inputs.size()) +
                " inputs, but " + std::to_string(inputs.size()) + " are given");
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const assembly::HbmTensor& tensor = program.inputs[i];
    std::string name = "input " + std::to_string(i) + (tensor.name.empty() ? "" : " (" + tensor.name + ")");
    if (!SameTypeAndDims(inputs[i].shape, tensor.shape)) {
      return fail(name + " of " + program.name + " is " + ToString(tensor.shape) + ", but " +
                  ToString(inputs[i].shape) + " is given");
    }
    if (static_cast<int64_t>(inputs[i].bytes.size()) != tensor.shape.num_bytes()) {
      return fail(name + " does not have the bytes of its shape " + ToString(tensor.shape));
    }
  }
  return Status();
}

}  // namespace

struct Simulator::Impl {
  Impl(const isa::Accelerator& the_accelerator, const assembly::Program& the_program,
       const SimulateOptions& the_options)
      : accelerator(the_accelerator), program(the_program), options(the_options) {}
  Status Check() const;

  const isa::Accelerator& accelerator;
  const assembly::Program& program;
  const SimulateOptions options;
  std::optional<Machine> machine;  // made by the first run
};

Status Simulator::Impl::Check() const {
  ACT_RETURN_IF_ERROR(assembly::CheckProgram(accelerator, program));
  int64_t output_bytes = 0;
  for (const assembly::HbmTensor& tensor : program.outputs) output_bytes += *tensor.shape.num_bytes();
  if (output_bytes > kMaxOutputBytes) {
    return Error(ErrorClass::kLimit, "oracle-outputs",
                 "the outputs of " + program.name + " have " + std::to_string(output_bytes) +
                     " bytes; the simulator returns at most " + std::to_string(kMaxOutputBytes));
  }
  return Status();
}

Simulator::Simulator(const isa::Accelerator& accelerator, const assembly::Program& program,
                     const SimulateOptions& options)
    : impl_(std::make_unique<Impl>(accelerator, program, options)) {}
Simulator::~Simulator() = default;

StatusOr<Simulation> Simulator::Run(std::span<const Literal> inputs) {
  const assembly::Program& program = impl_->program;
  const bool is_first = !impl_->machine;
  if (is_first) ACT_RETURN_IF_ERROR(impl_->Check());
  ACT_RETURN_IF_ERROR(CheckInputs(program, inputs));
  if (is_first) {
    impl_->machine.emplace(impl_->accelerator, program, impl_->options, Mode::kExecute);
  } else {
    impl_->machine->Reset();
  }
  Machine& machine = *impl_->machine;
  for (const assembly::HbmConstant& constant : program.constants) {
    machine.hbm()->Write(constant.address, static_cast<int64_t>(constant.value.bytes.size()),
                         constant.value.bytes.data());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    machine.hbm()->Write(program.inputs[i].address, static_cast<int64_t>(inputs[i].bytes.size()),
                         inputs[i].bytes.data());
  }
  ACT_RETURN_IF_ERROR(machine.Run());
  Simulation simulation;
  for (const assembly::HbmTensor& tensor : program.outputs) {
    Literal output(Shape::Array(tensor.shape.type, tensor.shape.dims));
    machine.hbm()->Read(tensor.address, static_cast<int64_t>(output.bytes.size()), output.bytes.data());
    if (tensor.shape.type == ElementType::kPred) {
      for (uint8_t& byte : output.bytes) byte = byte != 0;
    }
    simulation.outputs.push_back(std::move(output));
  }
  simulation.executed_calls = machine.executed_calls();
  simulation.warnings = machine.warnings()->Take();
  return simulation;
}

StatusOr<Simulation> Simulate(const isa::Accelerator& accelerator, const assembly::Program& program,
                              std::span<const Literal> inputs, const SimulateOptions& options) {
  return Simulator(accelerator, program, options).Run(inputs);
}

}  // namespace act::oracle
