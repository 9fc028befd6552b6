// Internal: the commands of `act`, each a table of options and a function.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "cli/arguments.h"
#include "cli/console.h"

namespace act::cli {

// Each function gets arguments that fit its table and returns the exit status.
Command CheckCommand();
int RunCheck(const Arguments& arguments);
Command GenerateCommand();
int RunGenerate(const Arguments& arguments);
Command CompileCommand();
int RunCompile(const Arguments& arguments);
Command SimulateCommand();
int RunSimulate(const Arguments& arguments);
Command VerifyCommand();
int RunVerify(const Arguments& arguments);
Command ValidateCommand();
int RunValidate(const Arguments& arguments);
Command DocCommand();
int RunDoc(const Arguments& arguments);
// The command line of a generated backend; `program` is its name.
Command BackendCommand(const std::string& program, const isa::Accelerator* accelerator);
int RunBackend(const Arguments& arguments, const isa::Accelerator& accelerator,
               const backend::Package& package);

// Prints the help or version that was asked for, or runs the function.
template <typename Function>
int Dispatch(const Command& command, std::span<const std::string> words, const std::string& version,
             Function function) {
  const StatusOr<Arguments> arguments = ParseArguments(command, words);
  if (!arguments.ok()) return Fail(arguments.status());
  Status printed;
  if (arguments->help) {
    printed = PrintOut(Help(command));
  } else if (arguments->version) {
    printed = PrintOut(version + "\n");
  } else {
    return function(*arguments);
  }
  return printed.ok() ? 0 : Fail(printed);
}

}  // namespace act::cli
