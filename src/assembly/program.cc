#include "assembly/program.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "assembly/lexer.h"

namespace act::assembly {
namespace {

// A tensor's bytes in HBM, with what to call it in messages.
struct Extent {
  std::string what;
  int64_t begin = 0, end = 0;
  size_t order = 0;  // among equal addresses, as declared
};

Status Fail(std::string code, std::string message) {
  return Error(ErrorClass::kValue, std::move(code), std::move(message));
}
Status FailAt(const SourceLocation& location, std::string code, std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.location = location;
  return Status(std::move(diagnostic));
}

StatusOr<Extent> MakeExtent(std::string_view kind, size_t number, const std::string& name, int64_t address,
                            const Shape& shape, int64_t hbm) {
  Extent extent;
  extent.what = std::string(kind) + " " + std::to_string(number);
  if (!name.empty()) extent.what += " (" + name + ")";
  if (!shape.is_array() || shape.is_dynamic()) {
    return Fail("asm-shape", extent.what + " must be an array of fixed dimensions, not " + ToString(shape));
  }
  for (int64_t dim : shape.dims) {
    if (dim < 0) {
      return Fail("asm-shape", extent.what + " has the negative dimension " + std::to_string(dim) + " in " +
                                   ToString(shape));
    }
  }
  std::optional<int64_t> bytes = shape.num_bytes();
  std::optional<int64_t> end = bytes ? CheckedAdd(address, *bytes) : std::nullopt;
  if (address < 0 || !end || *end > hbm) {
    return Fail("asm-outside-hbm",
                extent.what + ", " + ToString(shape) + " at address " + std::to_string(address) + ", " +
                    (end && address >= 0 ? "ends at " + std::to_string(*end) + ", " : "") +
                    "outside HBM, which is declared with " + std::to_string(hbm) + " bytes");
  }
  extent.begin = address;
  extent.end = *end;
  return extent;
}

// The first pair that shares a byte, in order of address.
Status Disjoint(std::vector<Extent> extents) {
  std::erase_if(extents, [](const Extent& e) { return e.begin == e.end; });
  for (size_t i = 0; i < extents.size(); ++i) extents[i].order = i;
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
    return std::pair(a.begin, a.order) < std::pair(b.begin, b.order);
  });
  for (size_t i = 1; i < extents.size(); ++i) {
    const Extent& a = extents[i - 1];
    const Extent& b = extents[i];
    if (a.end > b.begin) {
      auto range = [](const Extent& e) {
        return e.what + " [" + std::to_string(e.begin) + ":" + std::to_string(e.end) + "]";
      };
      return Fail("asm-overlap",
                  range(a) + " and " + range(b) + " overlap in HBM; give them addresses apart");
    }
  }
  return Status();
}

Status CheckMap(const Program& program) {
  if (program.hbm_bytes < 0 || program.hbm_bytes > isa::kHbmCapacityBytes) {
    return Fail("asm-hbm-size", "hbm is " + std::to_string(program.hbm_bytes) +
                                    " bytes; it must be between 0 and " +
                                    std::to_string(isa::kHbmCapacityBytes));
  }
  std::vector<Extent> fixed, outputs;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const HbmTensor& t = program.inputs[i];
    ACT_ASSIGN_OR_RETURN(Extent e, MakeExtent("input", i, t.name, t.address, t.shape, program.hbm_bytes));
    fixed.push_back(std::move(e));
  }
  for (size_t i = 0; i < program.constants.size(); ++i) {
    const HbmConstant& c = program.constants[i];
    ACT_ASSIGN_OR_RETURN(Extent e,
                         MakeExtent("constant", i, c.name, c.address, c.value.shape, program.hbm_bytes));
    if (static_cast<int64_t>(c.value.bytes.size()) != e.end - e.begin) {
      return Fail("asm-constant",
                  e.what + " does not have the bytes of its shape " + ToString(c.value.shape));
    }
    fixed.push_back(std::move(e));
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const HbmTensor& t = program.outputs[i];
    ACT_ASSIGN_OR_RETURN(Extent e, MakeExtent("output", i, t.name, t.address, t.shape, program.hbm_bytes));
    outputs.push_back(std::move(e));
  }
  ACT_RETURN_IF_ERROR(Disjoint(std::move(fixed)));
  return Disjoint(std::move(outputs));
}

class BodyChecker {
 public:
  explicit BodyChecker(const isa::Accelerator& accelerator) : accelerator_(accelerator) {}

  Status Body(const std::vector<Statement>& body) {
    for (const Statement& s : body) {
      if (s.kind == Statement::Kind::kCall) ACT_RETURN_IF_ERROR(CheckCall(s.call));
      if (s.kind == Statement::Kind::kDebug) ACT_RETURN_IF_ERROR(Debug(s));
      if (s.kind == Statement::Kind::kLoop) ACT_RETURN_IF_ERROR(Loop(s));
    }
    return Status();
  }

 private:
  Status Loop(const Statement& s) {
    if (static_cast<int>(loops_.size()) >= kMaxLoopDepth) {
      return FailAt(s.location, "asm-loop-depth",
                    "loops are nested more than " + std::to_string(kMaxLoopDepth) + " deep");
    }
    if (!IsPlainIdentifier(s.variable)) {
      return FailAt(s.location, "asm-loop-variable",
                    "'" + s.variable + "' cannot be a loop variable; use an identifier");
    }
    if (std::find(loops_.begin(), loops_.end(), s.variable) != loops_.end()) {
      return FailAt(s.location, "asm-loop-variable",
                    "'" + s.variable + "' is already the variable of an enclosing loop");
    }
    loops_.push_back(s.variable);
    ACT_RETURN_IF_ERROR(Body(s.body));
    loops_.pop_back();
    return Status();
  }

  Status CheckCall(const Call& call) {
    if (call.instruction.value() >= accelerator_.instructions.size()) {
      return FailAt(call.location, "asm-unknown-instruction",
                    "a call names no instruction of " + accelerator_.name);
    }
    const isa::Instruction& instruction = accelerator_.instruction(call.instruction);
    auto count = [&](std::string_view what, size_t found, size_t wanted) {
      if (found == wanted) return Status();
      return FailAt(call.location, "asm-attribute",
                    "the call of " + instruction.name + " has " + std::to_string(found) + " " +
                        std::string(what) + "; it takes " + std::to_string(wanted));
    };
    ACT_RETURN_IF_ERROR(
        count("computational attributes", call.computational.size(), instruction.computational.size()));
    ACT_RETURN_IF_ERROR(
        count("addressing attributes", call.addressing.size(), instruction.addressing.size()));
    if (!call.operand_names.empty()) {
      ACT_RETURN_IF_ERROR(count("operand names", call.operand_names.size(), instruction.inputs.size()));
    }
    for (size_t i = 0; i < call.addressing.size(); ++i) {
      const std::string& name = instruction.addressing[i];
      const std::vector<isa::Expression::Node>& nodes = call.addressing[i].expression.nodes;
      bool legal = !nodes.empty();
      for (size_t k = 0; k < nodes.size(); ++k)
        legal = legal && NodeIsLegal(nodes[k], static_cast<int32_t>(k));
      if (!legal) {
        return FailAt(call.location, "asm-address",
                      "attribute '" + name + "' of " + instruction.name +
                          " is not an expression over the enclosing loops' variables");
      }
    }
    return Status();
  }

  bool NodeIsLegal(const isa::Expression::Node& node, int32_t index) const {
    using Kind = isa::Expression::Kind;
    auto child = [&](int32_t c) { return c >= 0 && c < index; };
    switch (node.kind) {
      case Kind::kInteger:
        return true;
      case Kind::kAttribute:
        return node.attribute == isa::AttributeKind::kAddressing && node.index >= 0 &&
               node.index < static_cast<int32_t>(loops_.size());
      case Kind::kNegate:
        return child(node.left);
      default:
        return child(node.left) && child(node.right);
    }
  }

  Status Debug(const Statement& s) {
    if (s.buffer.value() >= accelerator_.buffers.size()) {
      return FailAt(s.location, "asm-unknown-buffer", "debug names no buffer of " + accelerator_.name);
    }
    const isa::Buffer& buffer = accelerator_.buffer(s.buffer);
    std::vector<int64_t> dims = buffer.addresses;
    dims.insert(dims.end(), buffer.unit.begin(), buffer.unit.end());
    if (s.position.size() > dims.size()) {
      return FailAt(s.location, "asm-debug",
                    "debug gives " + std::to_string(s.position.size()) + " positions of " + buffer.name +
                        ", which has " + std::to_string(dims.size()) + " dimensions");
    }
    for (size_t i = 0; i < s.position.size(); ++i) {
      if (s.position[i] >= 0 && s.position[i] < dims[i]) continue;
      return FailAt(s.location, "asm-debug",
                    "debug position " + std::to_string(s.position[i]) + " is outside dimension " +
                        std::to_string(i) + " of " + buffer.name + ", which has " + std::to_string(dims[i]));
    }
    return Status();
  }

  const isa::Accelerator& accelerator_;
  std::vector<std::string> loops_;
};

int64_t CountCalls(const std::vector<Statement>& body) {
  int64_t calls = 0;
  for (const Statement& s : body) {
    if (s.kind == Statement::Kind::kCall) ++calls;
    if (s.kind == Statement::Kind::kLoop) calls += CountCalls(s.body);
  }
  return calls;
}

}  // namespace

std::string KernelIdentifier(const std::string& hlo_name) {
  constexpr std::string_view kTaken[] = {
      "False", "None",     "True", "and",    "as",     "assert", "async",  "await",   "break",
      "class", "continue", "def",  "del",    "elif",   "else",   "except", "finally", "for",
      "from",  "global",   "if",   "import", "in",     "is",     "jnp",    "lambda",  "nonlocal",
      "not",   "or",       "pass", "raise",  "return", "try",    "while",  "with",    "yield"};
  std::string name = hlo_name;
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain) c = '_';
  }
  const bool taken = std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
  if (name.empty() || (name[0] >= '0' && name[0] <= '9') || taken) name.insert(0, "k_");
  return name;
}

int64_t NumCalls(const Program& program) { return CountCalls(program.body); }

Status CheckProgram(const isa::Accelerator& accelerator, const Program& program) {
  if (program.target != accelerator.name) {
    return Fail("asm-target", "the program is for " + program.target + ", not for " + accelerator.name);
  }
  if (!IsPlainIdentifier(program.name)) {
    return Fail("asm-name", "the program's name '" + program.name + "' is not an identifier");
  }
  ACT_RETURN_IF_ERROR(CheckMap(program));
  return BodyChecker(accelerator).Body(program.body);
}

}  // namespace act::assembly
