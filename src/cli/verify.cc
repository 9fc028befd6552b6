#include <optional>

#include "cli/commands.h"
#include "cli/program_file.h"
#include "view/view.h"

namespace act::cli {
namespace {

Status Wrong(const std::string& what, const Status& why) {
  Diagnostic d = why.front();
  d.error_class = ErrorClass::kValue;  // the program is at fault
  d.message = what + ": " + d.message;
  return Status(std::move(d));
}

// The program's tensors must be the kernel's, as they lie in HBM.
Status SameTensors(const hlo::FlatKernel& kernel, const assembly::Program& program) {
  const auto compare = [](const char* kind, const std::vector<Shape>& shapes,
                          const std::vector<assembly::HbmTensor>& tensors) {
    if (shapes.size() != tensors.size()) {
      return Error(ErrorClass::kValue, "verify-tensors",
                   "the kernel has " + std::to_string(shapes.size()) + " " + kind + "s, the program " +
                       std::to_string(tensors.size()));
    }
    for (size_t k = 0; k < shapes.size(); ++k) {
      ACT_ASSIGN_OR_RETURN(const Shape image, ImageShape(shapes[k]));
      if (SameTypeAndDims(image, tensors[k].shape)) continue;
      return Error(ErrorClass::kValue, "verify-tensors",
                   std::string(kind) + " " + std::to_string(k) + " is " + ToString(shapes[k]) +
                       " in the kernel and " + ToString(tensors[k].shape) + " in the program");
    }
    return Status();
  };
  ACT_RETURN_IF_ERROR(compare("input", kernel.parameter_shapes, program.inputs));
  return compare("output", kernel.output_shapes, program.outputs);
}

StatusOr<std::string> Verify(const Arguments& arguments) {
  ACT_ASSIGN_OR_RETURN(const uint64_t runs, arguments.Integer("--runs", 3, 1, 1000000));
  ACT_ASSIGN_OR_RETURN(const uint64_t seed, arguments.Integer("--seed", 1, 0, UINT64_MAX));
  ACT_ASSIGN_OR_RETURN(const isa::Accelerator accelerator, LoadAccelerator(arguments.Get("--target")));
  ACT_ASSIGN_OR_RETURN(const assembly::Program program, LoadProgram(arguments.operand(0), accelerator));
  std::optional<assembly::SelectedGraph> certificate;
  if (arguments.Has("--certificate")) {
    const std::string path = arguments.Get("--certificate");
    ACT_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
    ACT_ASSIGN_OR_RETURN(certificate,
                         assembly::ParseSelectedGraph(accelerator, SourceText(path, std::move(text))));
  }
  std::optional<hlo::FlatKernel> kernel;
  if (arguments.Has("--kernel")) {
    const std::string path = arguments.Get("--kernel");
    ACT_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
    ACT_ASSIGN_OR_RETURN(const hlo::Module module, hlo::Parse(SourceText(path, std::move(text))));
    ACT_ASSIGN_OR_RETURN(kernel, hlo::Flatten(module));
    ACT_RETURN_IF_ERROR(SameTensors(*kernel, program));
  }
  const assembly::SelectedGraph* graph = certificate ? &*certificate : nullptr;
  const auto valid = validate::Validate(accelerator, program, graph);
  if (!valid.ok()) return Wrong("the program is not valid", valid.status());
  std::string text = "valid: " + std::to_string(valid->calls) +
                     " instructions keep to bounds, constraints and " +
                     "written memory; inputs stay intact, outputs are written\n";
  if (valid->claims_result) text += "valid: each output holds what the certificate says\n";
  if (!kernel) return text;
  // What tells a float kernel's own rounding from an error is the bound that grows at each operation.
  select::NumericMarks marks;
  marks.real = marks.finite = true;
  const auto verified =
      backend::VerifyByExecution(accelerator, *kernel, program, graph, marks, seed, static_cast<int>(runs));
  if (!verified.ok()) return Wrong("the program is wrong", verified.status());
  return text + "verified: " + verified->summary + "\n";
}

int Print(const StatusOr<std::string>& text) {
  if (!text.ok()) return Fail(text.status());
  const Status printed = PrintOut(*text);
  return printed.ok() ? 0 : Fail(printed);
}

const Option kTarget{"--target", "SPEC.taidl", "The accelerator.", true, false};
const Option kCertificate{
    "--certificate", "FILE",
    "The selected graph that the compile wrote; the program is then proved to compute it.", false, false};
constexpr const char* kProgramHelp = "FILE.asm (native assembly) or FILE.py (published kernel format).";

}  // namespace

Command VerifyCommand() {
  Command command;
  command.usage = "act verify";
  command.summary =
      "Checks a program: validation (bounds, constraints, memory never written, inputs intact; with a "
      "certificate "
      "also the result), then, with a kernel, execution on random inputs against the reference evaluator.";
  command.operands = {"PROGRAM"};
  command.operand_help = {kProgramHelp};
  command.options = {
      kTarget,
      {"--kernel", "FILE.hlo", "What the program should compute. Without it the program is only validated."},
      kCertificate,
      {"--runs", "N", "Executions on different random inputs (default 3)."},
      {"--seed", "N", "Seed of the first one's inputs; each further one adds 1 (default 1)."}};
  command.details =
      "Inputs and outputs are matched in their order; types and dimensions must be the kernel's. Integers,\n"
      "booleans and data that is only moved must be equal (zeros of either sign are). A computed float may\n"
      "differ from the kernel's by a bound that is computed for it: what the kernel's own roundings, and\n"
      "sums in another order, can make at most. Exit status: 0 if nothing wrong was found, else 1 with the\n"
      "reason.\n";
  return command;
}

int RunVerify(const Arguments& arguments) { return Print(Verify(arguments)); }

Command ValidateCommand() {
  Command command;
  command.usage = "act validate";
  command.summary = "Validates a program without running it; `act verify` also compares it with a kernel.";
  command.operands = {"PROGRAM"};
  command.operand_help = {kProgramHelp};
  command.options = {kTarget, kCertificate};
  command.details = "Exit status: 0 if the program is valid, else 1 with the reason.\n";
  return command;
}

int RunValidate(const Arguments& arguments) { return Print(Verify(arguments)); }

}  // namespace act::cli
