// The reference evaluator of HLO: the project's definition of right (design.md section 7).
//
// Integers wrap in two's complement; divide toward zero, by 0 gives all ones, MIN / -1 gives MIN; remainder
// by 0 gives the dividend. Elementwise float operations give the exact result (functions: the f64 result,
// computed at f64 for every narrower type) rounded once to nearest even; f8, f16, bf16, f32 alike.
// Contraction and reduction go in increasing index order with an f32 accumulator for types up to f32 (dot:
// one fused multiply-add a step; reduce add: one add a step), f64 for f64, wrap for integers, and one
// rounding at the end. maximum and minimum give NaN if either operand is NaN. Shifts by the width or more
// give 0 or sign fill.
#pragma once
#include <span>
#include <vector>

#include "hlo/hlo.h"
#include "support/support.h"
#include "tensor/tensor.h"

namespace act::eval {

// Operand dynamic-slice starts outside: HLO clamps, TAIDL semantics refuse (reference/taidl.md section 10).
enum class OutOfRange { kClamp, kRefuse };

// One operation on literals; `result` gives type and dims of the result (so a dot may widen). Called
// computations are not looked at: reduce uses instruction.reducer and the init operand.
StatusOr<Literal> EvaluateInstruction(const hlo::Instruction& instruction,
                                      std::span<const Literal* const> operands,
                                      OutOfRange out_of_range = OutOfRange::kClamp);
// Every output of a flat computation; parameters by number. Values are freed after their last use.
StatusOr<std::vector<Literal>> Evaluate(const hlo::Computation& body, std::span<const int32_t> outputs,
                                        std::span<const Literal> parameters,
                                        OutOfRange out_of_range = OutOfRange::kClamp);
StatusOr<std::vector<Literal>> Evaluate(const hlo::FlatKernel& kernel, std::span<const Literal> parameters);

}  // namespace act::eval
