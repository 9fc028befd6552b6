#include "cli/commands.h"

namespace act::cli {
namespace {

std::string Count(size_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace

Command CheckCommand() {
  Command command;
  command.usage = "act check";
  command.summary =
      "Checks a spec: every fault and every doubtful thing, each with its place and the way out.";
  command.operands = {"SPEC.taidl"};
  command.operand_help = {"The spec."};
  command.options = {
      {"--derived", "",
       "Also print what is derived from the spec: the range of each computational attribute, and "
       "for each instruction the data movements and compute rules that compilation uses."}};
  command.details = "Findings go to stderr. Exit status: 1 if any of them is an error, 0 otherwise.\n";
  return command;
}

int RunCheck(const Arguments& arguments) {
  const std::string& path = arguments.operand(0);
  auto text = ReadFile(path);
  if (!text.ok()) return Fail(text.status());
  const SourceText source(path, *std::move(text));
  const auto accelerator = isa::ParseTaidl(source);
  const std::vector<Diagnostic> findings =
      accelerator.ok() ? isa::Check(*accelerator, &source) : accelerator.status().diagnostics();
  size_t errors = 0, warnings = 0;
  std::string report;
  for (const Diagnostic& d : findings) {
    report += Render(d);
    ++(d.is_warning ? warnings : errors);
  }
  PrintErr(report);
  if (errors > 0) {
    PrintErr(path + ": " + Count(errors, "error") + ", " + Count(warnings, "warning") + "\n");
    return 1;
  }
  std::string out =
      accelerator->name + ": " + Count(accelerator->buffers.size() - 1, "buffer") + ", " +
      Count(accelerator->instructions.size(), "instruction") + ", " +
      (accelerator->state.empty() ? "" : Count(accelerator->state.size(), "state variable") + ", ") +
      "no errors, " + Count(warnings, "warning") + "\n";
  if (arguments.Has("--derived")) {
    select::Selector selector(&*accelerator);
    out += "\n" + backend::DescribeDerived(*accelerator, &selector);
    for (const Diagnostic& d : selector.Unusable())
      out += "not usable for compilation: " + RenderShort(d) + "\n";
  }
  const Status printed = PrintOut(out);
  return printed.ok() ? 0 : Fail(printed);
}

}  // namespace act::cli
