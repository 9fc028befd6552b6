// The command lines: `act` with its commands, and the one of a generated backend.
#pragma once
#include <span>
#include <string>

namespace act::cli {

// Runs `act` (or, where the running executable carries a package, the backend) with the words behind the
// program's name. Returns the exit status, 0 or 1. Exceptions are for the caller to report.
int Run(std::span<const std::string> words);

}  // namespace act::cli
