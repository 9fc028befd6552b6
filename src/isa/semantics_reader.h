// Internal: from texts to isa::Semantics.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "isa/accelerator.h"
#include "isa/cursor.h"

namespace act::isa {

// What reading a block came to.
struct SemanticsResult {
  Semantics semantics;  // empty while it waits for regions, or has faults
  bool waits = false;   // parameters or outputs are named whose regions are not given yet
  // Types, shapes and attributes that disagree: found when the spec is used, not by the reading call
  //.
  std::vector<Diagnostic> faults;
};
// Reads the block `ENTRY ... { ... }` at the cursor for the instruction's regions and leaves the cursor
// behind its closing brace.
StatusOr<SemanticsResult> ReadSemanticsBlock(Cursor* cursor, const Accelerator& accelerator,
                                             const Instruction& instruction);
// The same for a whole text; nothing may follow the brace.
StatusOr<SemanticsResult> ReadSemanticsText(const SourceText& source, const Accelerator& accelerator,
                                            const Instruction& instruction);

}  // namespace act::isa
