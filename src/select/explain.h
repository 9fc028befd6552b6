// Why a kernel cannot be compiled: the smallest part without an implementation.
#pragma once
#include "select/states.h"

namespace act::select {

// terms[i]: class of body instruction i (invalid: not needed). Always returns a failure of class
// kUnsupported.
Status ExplainRefusal(TensorGraph* graph, RuleBase* rules, const hlo::FlatKernel& kernel,
                      const std::vector<ClassId>& terms, std::span<const ClassId> inputs,
                      std::span<const ClassId> outputs, const StateSearchOptions& options,
                      const SaturateOptions& saturate);

}  // namespace act::select
