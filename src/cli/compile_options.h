// Internal: the options that `act compile` and a generated backend share.
#pragma once
#include "cli/commands.h"
#include "isa/isa.h"

namespace act::cli {

std::vector<Option> SharedCompileOptions();
// The lines after the options: what --effort means, exit status.
std::string CompileDetails();
// input: the kernel's path. Prints all that is to be said; returns the exit status.
int CompileFile(const Arguments& arguments, const std::string& input, const isa::Accelerator& accelerator,
                cost::Model* cost);

}  // namespace act::cli
