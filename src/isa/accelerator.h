// The accelerator as a value: what a spec says, in TAIDL's terms.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/expression.h"
#include "isa/semantics.h"
#include "support/support.h"
#include "tensor/tensor.h"

namespace act::isa {

// A memory. addresses[i] is the size of addressing dimension i; one addressed unit is a tensor type[unit].
// Buffer 0 is always HBM: name "d0", u8, one addressing dimension counted in bytes, no declared size
// (addresses == {kHbmCapacityBytes}), empty unit.
struct Buffer {
  std::string name;
  std::vector<int64_t> addresses;
  std::vector<int64_t> unit;
  ElementType type = ElementType::kU8;
  SourceLocation location;
  int64_t UnitBytes() const;  // bytes of one addressed unit
  int64_t CapacityBytes() const;
};
inline constexpr int64_t kHbmCapacityBytes = int64_t{96} << 30;

struct StateVariable {
  std::string name;
  int64_t initial = 0;
  SourceLocation location;
};

// A window of a buffer: one start and one size for each addressing dimension, in addressed units. Its tensor
// shape is the sizes followed by the buffer's unit dimensions. strides: empty (dense row-major) or one a
// size dimension (an extension: the box of elements at start + sum index_i * stride_i).
struct Region {
  BufferId buffer;
  std::vector<Expression> starts;
  std::vector<Expression> sizes;
  std::vector<Expression> strides;
  std::string name;  // operand name in the native text; may be empty
  SourceLocation location;
};

struct Update {
  enum class Kind : uint8_t { kAssign, kAdd, kSubtract, kMultiply };
  int32_t state = 0;
  Kind kind = Kind::kAssign;
  Expression value;
};

// What `numerics=` says of an instruction.
enum class InstructionNumerics : uint8_t { kExact, kApproximate, kFlush };

struct Instruction {
  std::string name;
  std::string mnemonic;  // printed in native assembly in place of the name; empty: the name
  std::vector<std::string> computational;
  std::vector<std::string> addressing;
  std::vector<Region> inputs;
  std::vector<Region> outputs;
  Semantics semantics;
  std::string semantics_text;  // as given, for tools that read it
  std::vector<Condition> constraints;
  std::vector<Update> updates;
  std::vector<bool> inplace, apart, no_partial_overlap;  // empty, or one flag an input
  Expression cost = Expression::Integer(0);
  bool has_cost = false;
  std::string unit;  // engine; empty: none given
  InstructionNumerics numerics = InstructionNumerics::kExact;
  SourceLocation location;
  // How the spec got here, for the builder: regions may come after the semantics that needs them, so the text
  // is read again when they change. Not part of what the instruction is.
  bool inputs_given = false;
  bool outputs_given = false;
  std::shared_ptr<const SourceText> semantics_source;  // null: none, or built from native text
  // Why the semantics is empty although there is a text: types, shapes or attributes that disagree. Reported
  // by CheckComplete, since TAIDL reports them when the spec is used and not when the text is read.
  std::vector<Diagnostic> semantics_faults;
};

struct Accelerator {
  std::string name;
  std::vector<Buffer> buffers;  // [0] is HBM
  std::vector<StateVariable> state;
  std::vector<Instruction> instructions;

  const Buffer& buffer(BufferId id) const { return buffers[id.value()]; }
  const Instruction& instruction(InstructionId id) const { return instructions[id.value()]; }
  // nullopt if there is none of that name.
  std::optional<BufferId> FindBuffer(std::string_view buffer_name) const;
  std::optional<InstructionId> FindInstruction(std::string_view instruction_name) const;
  std::vector<std::string> state_names() const;
};
// A new accelerator that holds only HBM.
Accelerator MakeAccelerator(std::string name);
// Equal specs: everything but source locations, operand names (Region::name, SemanticNode::name) and
// semantics_text. Floats compare by their bits.
bool SameAccelerator(const Accelerator& a, const Accelerator& b);

}  // namespace act::isa
