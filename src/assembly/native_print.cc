#include "assembly/address_text.h"
#include "assembly/constant_native.h"
#include "assembly/mnemonic.h"
#include "assembly/native.h"

namespace act::assembly {
namespace {

class Printer {
 public:
  explicit Printer(const isa::Accelerator& accelerator) : accelerator_(accelerator) {}

  std::string Run(const Program& program) {
    out_ = "program " + NativeName(program.name);
    if (!program.original_name.empty()) out_ += " " + Quote(program.original_name);
    out_ += "\ntarget " + NativeName(program.target);
    out_ += "\nhbm " + std::to_string(program.hbm_bytes) + "\n";
    for (const HbmTensor& t : program.inputs) Tensor("input", t);
    for (const HbmConstant& c : program.constants) {
      out_ += "const " + Place(c.name, c.address) + PrintNativeConstant(c.value) + "\n";
    }
    for (const HbmTensor& t : program.outputs) Tensor("output", t);
    out_ += "code {\n";
    Body(program.body);
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  static std::string Place(const std::string& name, int64_t address) {
    return (name.empty() ? "" : NativeName(name) + " ") + "@" + std::to_string(address) + " ";
  }
  void Tensor(std::string_view kind, const HbmTensor& t) {
    out_ += std::string(kind) + " " + Place(t.name, t.address) + ToString(t.shape) + "\n";
  }

  void Body(const std::vector<Statement>& body) {
    for (const Statement& s : body) {
      out_.append(2 * (loops_.size() + 1), ' ');
      switch (s.kind) {
        case Statement::Kind::kCall:
          CallLine(s.call);
          break;
        case Statement::Kind::kLoop:
          out_ +=
              "loop " + s.variable + " " + std::to_string(s.start) + ".." + std::to_string(s.end) + " {\n";
          loops_.push_back(s.variable);
          Body(s.body);
          loops_.pop_back();
          out_.append(2 * (loops_.size() + 1), ' ');
          out_ += "}\n";
          break;
        case Statement::Kind::kDebug:
          out_ += "debug " + Quote(s.prefix) + " " + accelerator_.buffer(s.buffer).name + "[";
          for (size_t i = 0; i < s.position.size(); ++i) {
            out_ += (i > 0 ? "," : "") + std::to_string(s.position[i]);
          }
          out_ += "]\n";
          break;
      }
    }
  }

  void CallLine(const Call& call) {
    const isa::Instruction& instruction = accelerator_.instruction(call.instruction);
    out_ += NativeMnemonic(accelerator_, call.instruction);
    for (size_t i = 0; i < call.computational.size(); ++i) {
      out_ += " " + instruction.computational[i] + "=" + std::to_string(call.computational[i]);
    }
    if (!call.addressing.empty()) {
      out_ += " [";
      for (size_t i = 0; i < call.addressing.size(); ++i) {
        out_ += (i > 0 ? ", " : "") + instruction.addressing[i] + "=" +
                PrintAddress(call.addressing[i].expression, loops_, VariableStyle::kPlain);
      }
      out_ += "]";
    }
    if (!call.result_name.empty() || !call.operand_names.empty()) {
      out_ += "  ; " + ValueName(call.result_name);
      for (size_t i = 0; i < call.operand_names.size(); ++i) {
        out_ += (i > 0 ? ", " : " <- ") + ValueName(call.operand_names[i]);
      }
    }
    out_ += "\n";
  }
  static std::string ValueName(const std::string& name) { return name.empty() ? "_" : NativeName(name); }

  const isa::Accelerator& accelerator_;
  std::vector<std::string> loops_;
  std::string out_;
};

}  // namespace

std::string PrintNative(const isa::Accelerator& accelerator, const Program& program) {
  return Printer(accelerator).Run(program);
}

}  // namespace act::assembly
