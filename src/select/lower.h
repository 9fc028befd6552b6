// From HLO to the tensor language: the one normaliser for kernels and for instruction semantics.
//
// Reshape, copy, byte-multiple bitcast-convert and identity converts vanish; transpose, slice, broadcast and
// reverse become views; dot becomes [B,M,K] x [B,K,N]; reduce becomes [P,R]; operations on constants are
// folded up to kFoldLimitBytes; a constant whose elements are all equal is a view of one element.
#pragma once
#include <span>
#include <vector>

#include "select/operator.h"
#include "support/support.h"

namespace act::select {

inline constexpr int64_t kFoldLimitBytes = int64_t{1} << 20;

// Receives the terms; a term is a number of the builder's own.
class TermBuilder {
 public:
  virtual ~TermBuilder() = default;
  virtual int32_t MakeConstant(const std::vector<uint8_t>& bytes) = 0;
  virtual StatusOr<int32_t> MakeView(int32_t term, const View& view) = 0;
  virtual StatusOr<int32_t> MakeOperation(const Operator& op, std::span<const int32_t> operands) = 0;
};

// The terms of `outputs`, given those of the parameters (by number). `terms`, if not null, receives the term
// of every instruction (-1: not needed). Fails by name and place for what has no form here (tensors of no
// elements, complex element types).
StatusOr<std::vector<int32_t>> Lower(const hlo::Computation& body, std::span<const int32_t> outputs,
                                     std::span<const int32_t> parameters, TermBuilder* builder,
                                     std::vector<int32_t>* terms = nullptr);

}  // namespace act::select
