// Reader of HLO text: the grammar that JAX and XLA print.
#pragma once
#include "hlo/module.h"
#include "support/support.h"

namespace act::hlo {

struct ParseOptions {
  // Accept broadcast of a size-1 dimension to a larger one (rewritten to reshape + broadcast), as public ACT
  // kernels write it; a warning is added to `warnings`.
  bool allow_stretching_broadcast = true;
  int max_depth = 200;  // nesting of shapes, literals and operands
};

// Parses and verifies. All faults found are reported (at most 20), each with line and column. Never aborts,
// whatever the text.
StatusOr<Module> Parse(const SourceText& source, const ParseOptions& options = {},
                       std::vector<Diagnostic>* warnings = nullptr);

}  // namespace act::hlo
