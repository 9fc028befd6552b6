// The validator: exact, and independent of selection and allocation.
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
  int64_t max_calls = 1000000;                 // executed calls of unrolled loops
  int64_t max_value_bytes = int64_t{1} << 26;  // one value inside one instruction's semantics
  int64_t max_work_bytes = int64_t{1} << 35;   // all values of all different calls together
  // With a certificate: an operand or result named beside a call must hold the value of that name, if the
  // certificate has one.
  bool check_names = true;
};
struct ValidateReport {
  int64_t calls = 0;
  int64_t terms = 0;
  bool claims_result = false;  // a certificate was given: the outputs are proved to hold its terms
};
// Without certificate: memory safety (bounds, constraints, state, undefined bytes, inputs intact, outputs
// written). With it: also each output holds the certificate's term. The certificate itself is checked.
//
// The claim is about the bytes the simulator would leave in the outputs and inputs, whatever the inputs hold.
// An operand marked in place counts as destroyed by its instruction, beyond what the simulator does.
// Failures name the call and its place; codes: validate-undefined (an operation consumes, or an output holds,
// bytes never written), validate-bounds, validate-input (an input overwritten), validate-output (an output
// differs from the certificate: first byte, term found, term expected, writing call), validate-name,
// validate-certificate (the certificate is malformed), validate-limit (class kLimit, names the option), and
// those of isa for windows and constraints.
StatusOr<ValidateReport> Validate(const isa::Accelerator& accelerator, const assembly::Program& program,
                                  const assembly::SelectedGraph* certificate,
                                  const ValidateOptions& options = {});

}  // namespace act::validate
