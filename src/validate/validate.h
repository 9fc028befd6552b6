// The validator of design.md I5 (1): exact, and independent of selection and allocation.
//
// It walks the program and keeps for every buffer which bytes hold which bytes of which term. Terms are
// hash-consed: an input, a constant, or an operation of an instruction's semantics on the terms it finds at
// its addresses; data movement inside semantics (reshape, transpose, slice, bitcast, copy, broadcast, ...)
// only renames bytes. A byte never written is "undefined", which no operation may consume and no output may
// hold. It needs no liveness information.
#pragma once
#include <cstdint>
#include <string>

#include "assembly/assembly.h"

namespace act::validate {

struct ValidateOptions {
  int64_t max_calls = 1000000;  // executed calls of unrolled loops
};
struct ValidateReport {
  int64_t calls = 0;
  int64_t terms = 0;
  bool claims_result = false;  // a certificate was given: the outputs are proved to hold its terms
};
// Without certificate: memory safety (bounds, constraints, state, undefined bytes, inputs intact, outputs
// written). With it: also each output holds the certificate's term. The certificate itself is checked.
StatusOr<ValidateReport> Validate(const isa::Accelerator& accelerator, const assembly::Program& program,
                                  const assembly::SelectedGraph* certificate,
                                  const ValidateOptions& options = {});

}  // namespace act::validate
