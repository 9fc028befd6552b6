#include <algorithm>

#include "cli/commands.h"

namespace act::cli {
namespace {

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The name that a spec which cannot be read gives itself, so that what an earlier generation left under it
// can be removed; empty if there is none.
std::string NameInText(std::string_view text) {
  constexpr std::string_view kWord = "accelerator";
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(kWord) || line.size() == kWord.size()) continue;
    line.remove_prefix(kWord.size());
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == 0 || begin == std::string_view::npos) continue;
    line.remove_prefix(begin);
    return std::string(line.substr(0, line.find_first_of(" \t\r/")));
  }
  return "";
}

// Every fault with its line; for a failing tool also its own output.
int Refuse(const Status& status) {
  std::string text;
  for (const Diagnostic& d : status.diagnostics()) text += Render(d);
  PrintErr(text);
  const size_t faults = status.diagnostics().size();
  PrintErr("Error: no backend generated: " + std::to_string(faults) +
           (faults == 1 ? " fault\n" : " faults\n"));
  return 1;
}

}  // namespace

Command GenerateCommand() {
  Command command;
  command.usage = "act generate";
  command.summary =
      "Generates the compiler backend of an accelerator: one executable that needs nothing else and may be "
      "copied "
      "to another machine.";
  command.operands = {"SPEC.taidl"};
  command.operand_help = {"The spec."};
  command.options = {
      {"--output", "FILE", "The executable (default: BASE/backends/NAME, NAME being the accelerator's)."},
      {"--base-dir", "DIR",
       "BASE, in which backends/ and targets/ are made (default: the folder of the spec)."},
      {"--cost", "LIB",
       "Cost model in place of the built-in one: an object file (.o), static (.a) or shared (.so) library "
       "with "
       "`int act_cost(const char* asm_path, double* cost)`. The first two are linked with `cc` and carried "
       "inside "
       "the backend, the last one stays where it is."}};
  command.details =
      "The executable's path is printed. Also written, for people to read: "
      "BASE/targets/NAME/backend/NAME.taidl and derived.txt.\n"
      "A spec that is refused leaves neither of them nor an earlier backend behind.\n"
      "Exit status: 0, or 1 with the reasons on stderr.\n";
  return command;
}

int RunGenerate(const Arguments& arguments) {
  const std::string& path = arguments.operand(0);
  backend::GenerateOptions options;
  options.base_dir = arguments.Get("--base-dir", FolderOf(path));
  options.output = arguments.Get("--output");
  options.cost = arguments.Get("--cost");
  auto text = ReadFile(path);
  if (!text.ok()) return Fail(text.status());
  const SourceText source(path, *std::move(text));
  options.source = &source;
  const auto accelerator = isa::ParseTaidl(source);
  if (!accelerator.ok()) {
    const std::string name = NameInText(source.text());
    if (!name.empty()) backend::RemoveGenerated(name, options);
    return Refuse(accelerator.status());
  }
  const auto written = backend::Generate(*accelerator, options);
  if (!written.ok()) return Refuse(written.status());
  const Status printed = PrintOut(*written + "\n");
  return printed.ok() ? 0 : Fail(printed);
}

}  // namespace act::cli
