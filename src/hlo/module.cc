#include "hlo/module.h"

namespace act::hlo {
namespace {

bool SameInstruction(const Instruction& a, const Instruction& b) {
  if (a.name != b.name || a.opcode != b.opcode || a.opcode_name != b.opcode_name) return false;
  if (!SameShapeWithLayout(a.shape, b.shape) || a.operands != b.operands) return false;
  if (a.dimensions != b.dimensions || a.slice != b.slice || a.padding != b.padding || a.dot != b.dot)
    return false;
  if (a.dynamic_slice_sizes != b.dynamic_slice_sizes || a.parameter_number != b.parameter_number)
    return false;
  if (a.direction != b.direction || a.total_order != b.total_order || a.tuple_index != b.tuple_index)
    return false;
  if (a.called != b.called || a.raw != b.raw || a.reducer != b.reducer) return false;
  if ((a.literal == nullptr) != (b.literal == nullptr)) return false;
  return a.literal == nullptr || *a.literal == *b.literal;
}

bool SameComputation(const Computation& a, const Computation& b) {
  if (a.name != b.name || a.root != b.root || a.is_entry != b.is_entry || a.parameters != b.parameters)
    return false;
  if (a.raw != b.raw || a.instructions.size() != b.instructions.size()) return false;
  for (size_t i = 0; i < a.instructions.size(); ++i) {
    if (!SameInstruction(a.instructions[i], b.instructions[i])) return false;
  }
  return true;
}

}  // namespace

bool SameShapeWithLayout(const Shape& a, const Shape& b) {
  if (a.type != b.type || a.dims != b.dims || a.dynamic_dims != b.dynamic_dims) return false;
  if (a.has_layout != b.has_layout || a.tuple.size() != b.tuple.size()) return false;
  if (a.has_layout && a.layout != b.layout) return false;
  for (size_t i = 0; i < a.tuple.size(); ++i) {
    if (!SameShapeWithLayout(a.tuple[i], b.tuple[i])) return false;
  }
  return true;
}

bool SameModule(const Module& a, const Module& b) {
  if (a.name != b.name || a.entry != b.entry || a.raw != b.raw || a.tables != b.tables) return false;
  if (a.computations.size() != b.computations.size()) return false;
  for (size_t i = 0; i < a.computations.size(); ++i) {
    if (!SameComputation(a.computations[i], b.computations[i])) return false;
  }
  if (a.parameter_shapes.size() != b.parameter_shapes.size()) return false;
  for (size_t i = 0; i < a.parameter_shapes.size(); ++i) {
    if (!SameShapeWithLayout(a.parameter_shapes[i], b.parameter_shapes[i])) return false;
  }
  return SameShapeWithLayout(a.result_shape, b.result_shape);
}

}  // namespace act::hlo
