// Verifier with shape inference, and the passes that bring a module to the form the backend reads.
#pragma once
#include "hlo/module.h"
#include "support/support.h"

namespace act::hlo {

// The shape that `instruction` must have, from its operands' shapes and attributes (for kParameter,
// kConstant, kIota and kOther: the declared one). Failure: the sentence why the operands do not fit.
// `source` (optional) gives the message its line.
StatusOr<Shape> InferShape(const Instruction& instruction, const Computation& computation,
                           const Module* module, const SourceText* source = nullptr);
// Every declared shape equals the inferred one, operands precede users, parameters are numbered 0..n-1 and
// agree with the header, callees exist.
Status Verify(const Module& module, const SourceText* source = nullptr);

// One computation without call, tuple and get-tuple-element (except a root tuple, whose operands become the
// outputs). What is not reached from the outputs is dropped; parameters all stay, by number.
struct FlatKernel {
  std::string name;
  Computation body;                     // its root field is not used
  std::vector<int32_t> outputs;         // instruction indices, one an output; may repeat, may be parameters
  std::vector<Shape> parameter_shapes;  // with layouts
  std::vector<Shape> output_shapes;     // with layouts
};
// Fails, by name and line, for an operation that is not one of the known ones, dynamic shapes, reducers that
// are not recognised, non-array values other than tuples of arrays.
StatusOr<FlatKernel> Flatten(const Module& module);

// The reducer of a computation of two scalar parameters and one binary operation on exactly both of them.
std::optional<Reducer> RecogniseReducer(const Computation& computation);
// The identity element of a reducer: scalar literal of the type (-inf / lowest for maximum, ...).
Literal ReducerIdentity(Reducer reducer, ElementType type);

}  // namespace act::hlo
