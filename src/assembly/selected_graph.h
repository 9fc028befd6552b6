// The selected graph: which instructions compute the outputs, without order and addresses. Selection makes
// it, allocation places it, and the validator takes it as the certificate that the program must live up to.
#pragma once
#include <string>
#include <vector>

#include "isa/isa.h"
#include "tensor/tensor.h"

namespace act::assembly {

// An instance: one production of some bytes in one buffer.
struct Value {
  enum class Kind : uint8_t {
    kInput,     // kernel input `index`, at its fixed place in HBM
    kConstant,  // constants[index], anywhere in HBM
    kResult,    // output region 0 of step `index`
    kWindow,    // bytes [offset, offset + bytes) of value `parts[0]` (same buffer, by placement alone)
    kAdjacent,  // `parts` end to end (same buffer, by placement alone; outermost addressing dimension)
  };
  Kind kind = Kind::kResult;
  BufferId buffer;
  std::vector<int64_t> size;  // box, in addressed units, one each addressing dimension
  int64_t bytes = 0;
  int64_t index = 0;
  int64_t offset = 0;          // kWindow, bytes
  std::vector<ValueId> parts;  // kWindow (1), kAdjacent (>= 2)
  std::string name;            // unique identifier, for printing: "in0", "const0", "v3"
};

// One instruction at concrete computational attributes.
struct Step {
  InstructionId instruction;
  std::vector<int64_t> computational;
  std::vector<ValueId> operands;  // one each input region; the same value may occur twice
  ValueId result;
};

struct SelectedGraph {
  std::vector<Value> values;
  std::vector<Step> steps;  // in a valid topological order of data dependences (not yet the final order)
  // outputs[k]: the value, a result in HBM, that is output k: allocated at output k's place. Distinct.
  std::vector<ValueId> outputs;
  std::vector<Literal> constants;
  // Images in HBM (row-major shapes after applying the kernel's layouts: rank-1 u8 where the layout is not
  // row-major... the bytes are what matters), in kernel order. All inputs, unused ones too.
  std::vector<Shape> input_shapes;
  std::vector<Shape> output_shapes;
  double cost = 0;  // additive cost of selection

  const Value& value(ValueId id) const { return values[id.value()]; }
};

// True iff the step's output region 0 overwrites operand k by construction: same buffer and equal start
// expressions and sizes, or the spec marks it in place.
bool OverwritesOperand(const isa::Accelerator& accelerator, const Step& step, size_t operand);

// Text form of the certificate (docs/assembly.md); reading what was printed gives an equal graph.
std::string PrintSelectedGraph(const isa::Accelerator& accelerator, const SelectedGraph& graph);
StatusOr<SelectedGraph> ParseSelectedGraph(const isa::Accelerator& accelerator, const SourceText& source);

}  // namespace act::assembly
