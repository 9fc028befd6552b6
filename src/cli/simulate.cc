#include <algorithm>

#include "cli/commands.h"
#include "cli/program_file.h"
#include "oracle/oracle.h"

namespace act::cli {
namespace {

Status Fault(std::string message) { return Error(ErrorClass::kValue, "command-line", std::move(message)); }

std::string Name(const char* kind, size_t number, const std::string& name) {
  return std::string(kind) + " " + std::to_string(number) + (name.empty() ? "" : " (" + name + ")");
}

// "9 (number of instructions)".
StatusOr<std::string> CostText(const isa::Accelerator& accelerator, const assembly::Program& program) {
  bool costs = false, units = false;
  for (const isa::Instruction& in : accelerator.instructions) {
    costs = costs || in.has_cost;
    units = units || !in.unit.empty();
  }
  ACT_ASSIGN_OR_RETURN(const double cost,
                       cost::BuiltinModel()->Cost(accelerator, program,
                                                  assembly::PrintPythonKernel(accelerator, program, {})));
  std::string text = std::to_string(cost);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + (units   ? " (time with each unit working in order)"
                 : costs ? " (sum of the instructions' costs)"
                         : " (number of instructions)");
}

StatusOr<std::vector<Literal>> Inputs(const Arguments& arguments, const assembly::Program& program) {
  const std::vector<std::string> files = arguments.All("--input");
  std::vector<Literal> inputs;
  if (arguments.Has("--random")) {
    if (!files.empty()) return Fault("options --random and --input exclude each other");
    ACT_ASSIGN_OR_RETURN(const uint64_t seed, arguments.Integer("--random", 1, 0, UINT64_MAX));
    hlo::FlatKernel kernel;
    for (const assembly::HbmTensor& tensor : program.inputs) kernel.parameter_shapes.push_back(tensor.shape);
    return backend::RandomInputs(kernel, seed);
  }
  if (files.size() != program.inputs.size()) {
    std::string list;
    for (size_t k = 0; k < program.inputs.size(); ++k) {
      list += (k > 0 ? ", " : "") + Name("input", k, program.inputs[k].name) + " " +
              ToString(program.inputs[k].shape);
    }
    return Fault("the program has " + std::to_string(program.inputs.size()) + " inputs (" + list + "), " +
                 std::to_string(files.size()) +
                 " --input files are given; give one --input FILE for each, or "
                 "--random SEED");
  }
  for (size_t k = 0; k < files.size(); ++k) {
    ACT_ASSIGN_OR_RETURN(Literal literal, LoadTensor(files[k], program.inputs[k], k));
    inputs.push_back(std::move(literal));
  }
  return inputs;
}

StatusOr<std::string> Simulate(const Arguments& arguments) {
  ACT_ASSIGN_OR_RETURN(const isa::Accelerator accelerator, LoadAccelerator(arguments.Get("--target")));
  ACT_ASSIGN_OR_RETURN(const assembly::Program program, LoadProgram(arguments.operand(0), accelerator));
  ACT_ASSIGN_OR_RETURN(const std::string cost, CostText(accelerator, program));
  if (arguments.Has("--cost")) {
    for (const char* other : {"--input", "--random", "--output"}) {
      if (arguments.Has(other)) {
        return Fault("option --cost runs nothing; it excludes " + std::string(other));
      }
    }
    return "cost: " + cost + "\n";
  }
  const std::vector<std::string> files = arguments.All("--output");
  if (!files.empty() && files.size() != program.outputs.size()) {
    return Fault("the program has " + std::to_string(program.outputs.size()) + " outputs, " +
                 std::to_string(files.size()) + " --output files are given; give one for each, or none");
  }
  std::vector<std::string> targets;
  for (const std::string& file : files) {
    ACT_ASSIGN_OR_RETURN(std::string target, CheckOutputPath(file));
    if (std::find(targets.begin(), targets.end(), target) != targets.end()) {
      return Fault("two --output options name the same file '" + file + "'");
    }
    targets.push_back(std::move(target));
  }
  ACT_ASSIGN_OR_RETURN(const std::vector<Literal> inputs, Inputs(arguments, program));
  oracle::SimulateOptions options;
  options.poison = arguments.Has("--poison");
  std::string text;
  if (!arguments.Has("--no-debug")) {
    options.print = [&text](const std::string& line) { text += line + (line.ends_with('\n') ? "" : "\n"); };
  }
  ACT_ASSIGN_OR_RETURN(const oracle::Simulation simulation,
                       oracle::Simulate(accelerator, program, inputs, options));
  for (const Diagnostic& warning : simulation.warnings) PrintErr("Warning: " + RenderShort(warning) + "\n");
  for (size_t k = 0; k < targets.size(); ++k) {
    const std::vector<uint8_t>& bytes = simulation.outputs[k].bytes;
    ACT_RETURN_IF_ERROR(WriteFileAtomically(
        targets[k], std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
  }
  text += "instructions executed: " + std::to_string(simulation.executed_calls) + "\ncost: " + cost + "\n";
  for (size_t k = 0; k < program.outputs.size(); ++k) {
    text += Name("output", k, program.outputs[k].name) + ": " +
            (targets.empty() ? Summary(simulation.outputs[k])
                             : ToString(program.outputs[k].shape) + " written to " + files[k]) +
            "\n";
  }
  return text;
}

}  // namespace

Command SimulateCommand() {
  Command command;
  command.usage = "act simulate";
  command.summary =
      "Runs a program in the simulator, bit for bit; bounds and constraints hold at every call.";
  command.operands = {"PROGRAM"};
  command.operand_help = {
      "FILE.asm (native assembly) or FILE.py (published kernel format; read, not executed)."};
  command.options = {
      {"--target", "SPEC.taidl", "The accelerator.", true},
      {"--input", "FILE",
       "An input's elements, raw, little-endian, row-major; one option for each, in order.", false, true},
      {"--random", "SEED",
       "Random inputs in place of files: floats from N(0,1), integers over all their values; SEED an "
       "integer."},
      {"--output", "FILE",
       "Where an output is written, raw; one option for each, in order. Default: a summary is printed.",
       false, true},
      {"--cost", "", "Only print the program's cost under the built-in model; nothing is run."},
      {"--poison", "",
       "Fill memory with bytes 0xA5 in place of zeros, to show reads of what was never written."},
      {"--no-debug", "",
       "Do not print what the program's debug statements say (default: they are printed)."}};
  command.details = "Exit status: 0, or 1 with the reason on stderr; then no output is written.\n";
  return command;
}

int RunSimulate(const Arguments& arguments) {
  const auto text = Simulate(arguments);
  if (!text.ok()) return Fail(text.status());
  const Status printed = PrintOut(*text);
  return printed.ok() ? 0 : Fail(printed);
}

}  // namespace act::cli
