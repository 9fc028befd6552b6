// Internal: writes semantics as `.taidl` statements.
#pragma once
#include <string>
#include <vector>

#include "isa/accelerator.h"

namespace act::isa {

// The names the writer gives to regions and the statements that use them.
struct PrintedSemantics {
  std::vector<std::string> inputs, outputs;  // empty: that region needs no name
  std::vector<std::string> statements;       // "name = operation(...)"
};
PrintedSemantics PrintSemantics(const Instruction& instruction, const NameTable& names);

}  // namespace act::isa
