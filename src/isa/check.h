// `act check`: everything that can be said about a spec before a kernel is seen.
#pragma once
#include "isa/accelerator.h"

namespace act::isa {

// Faults and lints, in source order; each names file, line, column and the way out. At least: the refusals of
// reference/taidl.md section 18, unused buffers, buffers nothing can fill or empty, unsatisfiable
// constraints, constraints implied by others, instructions equal but for their name, inputs never read,
// attributes that nothing fixes, windows that cannot fit.
std::vector<Diagnostic> Check(const Accelerator& accelerator);

}  // namespace act::isa
