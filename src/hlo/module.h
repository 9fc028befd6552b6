// An HLO module as a value.
//
// Semantics: XLA's operation semantics. A value has the type and dimensions of its shape; layouts inside the
// module say nothing, layouts in entry_parameter_layouts / entry_result_layout say where inputs and outputs
// lie in HBM.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hlo/opcode.h"
#include "support/support.h"
#include "tensor/tensor.h"

namespace act::hlo {

struct SliceDim {
  int64_t start = 0, limit = 0, stride = 1;
  friend bool operator==(const SliceDim&, const SliceDim&) = default;
};
struct PadDim {
  int64_t low = 0, high = 0, interior = 0;  // low and high may be negative
  friend bool operator==(const PadDim&, const PadDim&) = default;
};
struct DotDims {
  std::vector<int64_t> lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
  friend bool operator==(const DotDims&, const DotDims&) = default;
};
// An attribute this reader keeps as text (of kOther, or ignored ones such as metadata and sharding).
struct RawAttribute {
  std::string name;
  std::string value;  // verbatim
  friend bool operator==(const RawAttribute&, const RawAttribute&) = default;
};

// One instruction. Only the fields of its opcode are meaningful.
struct Instruction {
  std::string name;  // without '%'
  Opcode opcode = Opcode::kOther;
  std::string opcode_name;  // as written; the only name of a kOther
  Shape shape;
  std::vector<int32_t> operands;  // indices into Computation::instructions, each smaller than its own

  // broadcast, reduce, transpose, concatenate (one), reverse, iota (one: iota_dimension)
  std::vector<int64_t> dimensions;
  std::vector<SliceDim> slice;               // slice
  std::vector<int64_t> dynamic_slice_sizes;  // dynamic-slice
  std::vector<PadDim> padding;               // pad, one a dimension
  DotDims dot;                               // dot
  Direction direction = Direction::kEq;      // compare
  bool total_order = false;                  // compare type=TOTALORDER
  int64_t parameter_number = 0;              // parameter
  int64_t tuple_index = 0;                   // get-tuple-element
  std::shared_ptr<const Literal> literal;    // constant (array constants)
  std::vector<int32_t> called;               // computations: reduce (1), call (1), kOther (any)
  // Kept, in source order. A constant of a tuple shape is a kOther whose value is the entry "literal".
  std::vector<RawAttribute> raw;
  SourceLocation location;
  // Set by reduce: the combiner recognised from the called computation; nullopt when it is none of them.
  std::optional<Reducer> reducer;
};

struct Computation {
  std::string name;
  std::vector<Instruction> instructions;  // operands before users
  int32_t root = -1;
  bool is_entry = false;
  // Indices of the parameter instructions by parameter number.
  std::vector<int32_t> parameters;
  std::vector<RawAttribute> raw;  // behind the closing brace: execution_thread

  const Instruction& root_instruction() const { return instructions[static_cast<size_t>(root)]; }
};

struct Module {
  std::string name;
  std::vector<Computation> computations;  // callees first
  int32_t entry = -1;
  // From entry_computation_layout, or derived with row-major layouts when the header lacks it. Every shape
  // has_layout.
  std::vector<Shape> parameter_shapes;
  Shape result_shape;               // a tuple for several outputs
  std::vector<RawAttribute> raw;    // further header attributes, verbatim
  std::vector<std::string> tables;  // FileNames, StackFrames, ... verbatim

  const Computation& entry_computation() const { return computations[static_cast<size_t>(entry)]; }
};

// Equal in everything that the printed text says: names, operations, shapes with layouts, attributes,
// literals bit for bit. Source locations are not looked at.
bool SameModule(const Module& a, const Module& b);
bool SameShapeWithLayout(const Shape& a, const Shape& b);

}  // namespace act::hlo
