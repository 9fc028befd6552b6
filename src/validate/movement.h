// Data movement on contents: the operations that only rename bytes.
#pragma once
#include "hlo/hlo.h"
#include "tensor/tensor.h"
#include "validate/content.h"

namespace act::validate {

// One dimension of a result: its extent and the distance of neighbours in elements of the source.
struct Mode {
  int64_t extent = 0;
  int64_t stride = 0;
};
// The content whose element with index (i0, i1, ...) is element base + sum i_k * stride_k of the source.
// Every such element must exist.
ContentId Gather(ContentTable* table, ContentId source, int64_t element_bytes, int64_t base,
                 std::vector<Mode> modes);

// True iff MoveData renames bytes for this instruction: the operation moves data, and the starts of
// dynamic-slice and dynamic-update-slice are literal. `operands` are the operands' contents.
bool IsMovement(const ContentTable& table, const hlo::Instruction& instruction,
                std::span<const Shape* const> operand_shapes, std::span<const ContentId> operands);
// The result of an instruction for which IsMovement holds. Fails where a dynamic window leaves its operand
// and where shapes contradict the operation.
StatusOr<ContentId> MoveData(ContentTable* table, const hlo::Instruction& instruction,
                             std::span<const Shape* const> operand_shapes,
                             std::span<const ContentId> operands);

}  // namespace act::validate
