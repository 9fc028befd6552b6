// A program for one accelerator.
//
// Semantics: HBM holds zeros, then constants, then inputs; on-chip buffers hold zeros; the body runs in
// order, loops included; outputs are then read from HBM. Numbers are bytes in HBM and addressed units
// elsewhere.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/isa.h"
#include "tensor/tensor.h"

namespace act::assembly {

// A tensor's place in HBM. shape: row-major image of that type and dims (layouts have been applied).
struct HbmTensor {
  std::string name;  // may be empty
  int64_t address = 0;
  Shape shape;
};
struct HbmConstant {
  std::string name;
  int64_t address = 0;
  Literal value;
};

// A value of a call's addressing attribute: an expression in TAIDL's arithmetic over the variables of the
// enclosing loops. A node kAttribute with kind kAddressing and index d is the variable of the loop at depth
// d, outermost first; a constant has no such node.
struct AttributeValue {
  isa::Expression expression = isa::Expression::Integer(0);
  static AttributeValue Of(int64_t value) { return {isa::Expression::Integer(value)}; }
  std::optional<int64_t> AsInteger() const { return expression.AsInteger(); }
};

// Beside an operand may stand the name of the value it should hold; empty: not said.
struct Call {
  InstructionId instruction;
  std::vector<int64_t> computational;      // one each @c, never loop-dependent
  std::vector<AttributeValue> addressing;  // one each @a
  std::vector<std::string> operand_names;  // empty, or one each input region
  std::string result_name;                 // of output region 0; may be empty
  SourceLocation location;
};

// A statement: a call, a loop, or a debug print of the published API.
struct Statement {
  enum class Kind : uint8_t { kCall, kLoop, kDebug };
  Kind kind = Kind::kCall;
  Call call;
  // kLoop: variable runs over [start, end) step 1.
  std::string variable;
  int64_t start = 0, end = 0;
  std::vector<Statement> body;
  // kDebug: prefix, and the buffer with leading positions.
  std::string prefix;
  BufferId buffer;
  std::vector<int64_t> position;
  SourceLocation location;
};

// Loops nest at most this deep, so that walking a program may recurse.
inline constexpr int kMaxLoopDepth = 64;

struct Program {
  std::string name;           // kernel name, an identifier
  std::string original_name;  // HLO module name where it differs; may be empty
  std::string target;         // accelerator name
  int64_t hbm_bytes = 0;
  std::vector<HbmTensor> inputs;
  std::vector<HbmConstant> constants;
  std::vector<HbmTensor> outputs;
  std::vector<Statement> body;
};

// The identifier a kernel of this HLO module name has in assembly and as a Python function: characters
// outside [A-Za-z0-9_] become '_'; a leading digit, a Python keyword, a name the kernel file itself needs
// (jnp) and the empty name get "k_" in front.
std::string KernelIdentifier(const std::string& hlo_name);

// Number of call statements (a loop's body counts once).
int64_t NumCalls(const Program& program);
// Structure, attributes and HBM map are legal for the accelerator: known instructions, right numbers of
// attributes, tensors inside hbm, inputs, outputs and constants not overlapping as the published oracle
// demands (taidl.md section 16). Addresses of calls are checked when they run.
Status CheckProgram(const isa::Accelerator& accelerator, const Program& program);

}  // namespace act::assembly
