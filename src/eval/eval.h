// The reference evaluator of HLO: the project's definition of right.
//
// Integers wrap in two's complement; divide toward zero, by 0 gives all ones, MIN / -1 gives MIN; remainder
// by 0 gives the dividend; power with a negative exponent is the integer part. Shifts by the width or more
// give 0 or sign fill; a negative amount is one. Elementwise float operations give the exact result
// (functions: the f64 result, computed at f64 for every narrower type) rounded once to nearest even; f8, f16,
// bf16, f32 alike. The f64 functions are the C library's, so their last bit is that of the machine's library;
// types up to f32 see it only where the exact result lies within that bit of a rounding boundary. maximum and
// minimum give NaN if either operand is NaN, and order -0 below +0. A NaN that an operation computes is the
// positive quiet NaN; negate, abs and the operations that move elements keep all bits.
//
// dot: each operand widened exactly to the accumulator, from 0 in increasing row-major order of the
// contracting dimensions (in the order the dimension numbers list them), one fused multiply-add a step, one
// rounding to the result type. Accumulator: f32 for types up to f32, f64 where any type is f64 or an integer
// of more than 16 bits meets a float, integers modulo 2^64, complex by parts with four fused steps; pred is
// or of ands. reduce: init, then the reduced elements in increasing row-major order, one operation a step, in
// f32 for types up to f32, else in the type; one rounding at the end.
//
// Refused by name: values above 16 GiB, operand shapes or types that do not fit, operations that have no
// meaning on a type (ErrorClass::kValue), opcodes outside hlo/opcode.h and unrecognised reducers
// (kNotImplemented).
#pragma once
#include <span>
#include <vector>

#include "eval/error_bound.h"
#include "hlo/hlo.h"
#include "support/support.h"
#include "tensor/tensor.h"

namespace act::eval {

// Operand dynamic-slice starts outside: HLO clamps, TAIDL semantics refuse.
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
