#include <iterator>
#include <utility>

#include "cli/cli.h"
#include "cli/commands.h"

namespace act::cli {
namespace {

constexpr std::pair<const char*, Command (*)()> kTables[] = {
    {"check", CheckCommand},     {"generate", GenerateCommand},
    {"compile", CompileCommand}, {"simulate", SimulateCommand},
    {"verify", VerifyCommand},   {"validate", ValidateCommand},
    {"doc", DocCommand}};
constexpr int (*kFunctions[])(const Arguments&) = {RunCheck,  RunGenerate, RunCompile, RunSimulate,
                                                   RunVerify, RunValidate, RunDoc};

std::string ActHelp() {
  std::string text =
      "Usage: act COMMAND ...\n\nFrom the description of an accelerator's instruction set to its compiler, "
      "simulator and manual.\n\nCommands:\n";
  for (const auto& [name, table] : kTables) {
    std::string line = "  ";
    line += name;
    line.resize(12, ' ');
    const std::string summary = table().summary;
    text += line + summary.substr(0, summary.find_first_of(":;")) +
            (summary.find_first_of(":;") == std::string::npos ? "\n" : ".\n");
  }
  return text + "\n`act COMMAND --help` describes a command; `act --version` prints the version.\n";
}

int RunAct(std::span<const std::string> words) {
  const std::string version = std::string("act ") + kVersion;
  if (words.empty()) {
    PrintErr("Error: a command is missing; act --help lists them\n");
    return 1;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "--version") {
    if (words.size() > 1) {
      PrintErr("Error: unexpected argument '" + words[1] + "' after " + words[0] + "\n");
      return 1;
    }
    const Status printed = PrintOut(words[0] == "--version" ? version + "\n" : ActHelp());
    return printed.ok() ? 0 : Fail(printed);
  }
  for (size_t i = 0; i < std::size(kTables); ++i) {
    if (words[0] == kTables[i].first) {
      return Dispatch(kTables[i].second(), words.subspan(1), version, kFunctions[i]);
    }
  }
  return Fail(
      Error(ErrorClass::kValue, "command-line", "unknown command '" + words[0] + "'; act --help lists them"));
}

int RunCarried(std::span<const std::string> words, const backend::Package& package) {
  const auto accelerator = isa::ParseTaidl(SourceText("the spec in this file", package.spec));
  if (!accelerator.ok()) {
    return Fail(Error(ErrorClass::kInternal, "package",
                      "the spec in this file does not read: " + accelerator.status().message()));
  }
  const std::string& name = accelerator->name;
  return Dispatch(BackendCommand(name, &*accelerator), words, name + " backend, act " + kVersion,
                  [&](const Arguments& arguments) { return RunBackend(arguments, *accelerator, package); });
}

}  // namespace

int Run(std::span<const std::string> words) {
  const auto package = backend::ReadPackage("/proc/self/exe");
  if (!package.ok()) return Fail(package.status());
  return *package ? RunCarried(words, **package) : RunAct(words);
}

}  // namespace act::cli
