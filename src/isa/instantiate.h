// An instruction at concrete attribute values.
#pragma once
#include "isa/accelerator.h"

namespace act::isa {

// A region at concrete attributes: start and size in addressed units, one each a dimension.
struct Box {
  BufferId buffer;
  std::vector<int64_t> start;
  std::vector<int64_t> size;
  std::vector<int64_t> strides;  // empty: dense
  friend bool operator==(const Box&, const Box&) = default;
};
// Sizes must be >= 1. Starts are not checked against the buffer: see CheckBox.
StatusOr<Box> EvaluateRegion(const Region& region, const Environment& environment);
// Only the sizes (a region's size never uses @a).
StatusOr<std::vector<int64_t>> EvaluateSizes(const Region& region, const Environment& environment);
// The sentence for a box that leaves its buffer: names buffer, window and size.
Status CheckBox(const Accelerator& accelerator, const Box& box);
// Bytes of the dense box: product of sizes times the unit's bytes. Fails beyond 64 bits.
StatusOr<int64_t> BoxBytes(const Accelerator& accelerator, BufferId buffer, std::span<const int64_t> size);
// A strided box counts in the buffer's row-major linear address: start + sum index_i * stride_i, whole units.
// The byte ranges [begin, end) of the buffer that a box covers, in the box's row-major order, neighbours
// merged. Byte 0 is the buffer's first unit; multi-dimensional addresses are row-major.
struct ByteRange {
  int64_t begin = 0, end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};
std::vector<ByteRange> BoxRanges(const Accelerator& accelerator, const Box& box);

// The semantics at concrete @c and @s as an HLO computation: parameters 0..inputs-1 have the regions' shapes
// (sizes, then unit dims), output j has output region j's shape; presumed reshapes (taidl.md section 9) have
// become reshapes. Inputs the semantics does not read are parameters all the same. Fails with the
// instruction's name where shapes or types disagree at these values.
struct Instance {
  hlo::Computation body;
  std::vector<int32_t> outputs;
};
StatusOr<Instance> Instantiate(const Accelerator& accelerator, const Instruction& instruction,
                               std::span<const int64_t> computational, std::span<const int64_t> state);

// Every constraint that uses no addressing attribute and no state holds (`addressing` empty), or every
// constraint holds (all three given). The failure names instruction and constraint.
Status CheckConstraints(const Accelerator& accelerator, const Instruction& instruction,
                        const Environment& environment, bool with_addresses);
// apart and no_partial_overlap marks as conditions on concrete boxes. A strided box counts as everything
// between its two ends, so "apart" is never claimed wrongly.
Status CheckPlacement(const Instruction& instruction, std::span<const Box> inputs,
                      std::span<const Box> outputs);

// Bounds of each computational attribute from constraints, buffer sizes and region sizes (each size >= 1 and
// at most the buffer's): low <= value <= high, value == remainder (mod modulus).
struct AttributeRange {
  int64_t low = 0;
  int64_t high = 0;
  int64_t modulus = 1;
  int64_t remainder = 0;
  bool bounded = false;  // both ends follow from the spec
};
std::vector<AttributeRange> AttributeRanges(const Accelerator& accelerator, const Instruction& instruction);

// One equation over the computational attributes, for SolveAttributes.
struct Equation {
  Expression left;
  int64_t right = 0;
};
// All assignments of the computational attributes that satisfy the equations, the attribute ranges and every
// constraint free of addresses and state, in increasing lexicographic order, at most `limit` (truncated says
// whether there are more). Affine in one unknown first, then factors of products, then enumeration of a
// bounded range; fails if an attribute is bounded by nothing.
struct AttributeSolutions {
  std::vector<std::vector<int64_t>> values;
  bool truncated = false;
};
StatusOr<AttributeSolutions> SolveAttributes(const Accelerator& accelerator, const Instruction& instruction,
                                             std::span<const Equation> equations, size_t limit);

}  // namespace act::isa
