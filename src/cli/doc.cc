#include "cli/commands.h"
#include "cli/manual.h"

namespace act::cli {

Command DocCommand() {
  Command command;
  command.usage = "act doc";
  command.summary =
      "Writes the accelerator's ISA manual in Markdown: memories, every instruction, program files, an "
      "example.";
  command.operands = {"SPEC.taidl"};
  command.operand_help = {"The spec."};
  command.options = {{"--output", "FILE.md", "Where the manual is written (default: stdout)."}};
  return command;
}

int RunDoc(const Arguments& arguments) {
  std::string target;
  if (arguments.Has("--output")) {
    auto checked = CheckOutputPath(arguments.Get("--output"));
    if (!checked.ok()) return Fail(checked.status());
    target = *std::move(checked);
  }
  const auto accelerator = LoadAccelerator(arguments.operand(0));
  if (!accelerator.ok()) return Fail(accelerator.status());
  const std::string manual = WriteManual(*accelerator);
  const Status written = target.empty() ? PrintOut(manual) : WriteFileAtomically(target, manual);
  return written.ok() ? 0 : Fail(written);
}

}  // namespace act::cli
