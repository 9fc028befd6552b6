// The native text form `.taidl`. Grammar: docs/taidl.md. Reading what was written gives an equal accelerator.
#pragma once
#include "isa/accelerator.h"

namespace act::isa {

// All faults found are reported (at most 50), each with line and column.
StatusOr<Accelerator> ParseTaidl(const SourceText& source);
std::string PrintTaidl(const Accelerator& accelerator);

}  // namespace act::isa
