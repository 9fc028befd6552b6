// `act check`: everything that can be said about a spec before a kernel is seen.
#pragma once
#include "isa/accelerator.h"

namespace act::isa {

// Faults (errors: the instruction or the spec cannot be used as it is) and lints (warnings: legal, and
// probably not what was meant), in source order; each names file, line, column and the way out. An
// instruction whose semantics could not be built reports those faults (Instruction::semantics_faults) here.
// source: the text the spec was read from; diagnostics in it then carry their line.
std::vector<Diagnostic> Check(const Accelerator& accelerator, const SourceText* source = nullptr);

// The kinds of finding that Check itself adds to those of the readers and of Instantiate, by code.
struct CheckKind {
  const char* code;
  bool is_warning;
  const char* summary;
};
std::span<const CheckKind> CheckKinds();

}  // namespace act::isa
