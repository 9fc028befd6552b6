#include "assembly/selected_graph.h"

#include <charconv>

#include "assembly/constant_native.h"
#include "assembly/mnemonic.h"

namespace act::assembly {
namespace {

class Printer {
 public:
  Printer(const isa::Accelerator& accelerator, const SelectedGraph& graph)
      : accelerator_(accelerator), graph_(graph) {}

  std::string Run() {
    char number[64];
    char* end = std::to_chars(number, number + sizeof number, graph_.cost).ptr;
    out_ = "graph " + NativeName(accelerator_.name) + "\ncost " + std::string(number, end) + "\n";
    for (const Shape& shape : graph_.input_shapes) out_ += "input " + ToString(shape) + "\n";
    for (const Literal& constant : graph_.constants) out_ += "const " + PrintNativeConstant(constant) + "\n";
    for (size_t k = 0; k < graph_.output_shapes.size(); ++k) {
      out_ += "output " + ToString(graph_.output_shapes[k]);
      if (k < graph_.outputs.size()) out_ += " = " + Name(graph_.outputs[k]);
      out_ += "\n";
    }
    for (const Value& value : graph_.values) ValueLine(value);
    for (const Step& step : graph_.steps) StepLine(step);
    return std::move(out_);
  }

 private:
  std::string Name(ValueId id) const { return NativeName(graph_.value(id).name); }

  void ValueLine(const Value& value) {
    out_ += "value " + NativeName(value.name) + " " + accelerator_.buffer(value.buffer).name + "[";
    for (size_t i = 0; i < value.size.size(); ++i) out_ += (i > 0 ? "," : "") + std::to_string(value.size[i]);
    out_ += "] bytes " + std::to_string(value.bytes) + " = ";
    switch (value.kind) {
      case Value::Kind::kInput:
        out_ += "input " + std::to_string(value.index);
        break;
      case Value::Kind::kConstant:
        out_ += "const " + std::to_string(value.index);
        break;
      case Value::Kind::kResult:
        out_ += "step " + std::to_string(value.index);
        break;
      case Value::Kind::kWindow:
        out_ += "window " + Name(value.parts[0]) + " + " + std::to_string(value.offset);
        break;
      case Value::Kind::kAdjacent:
        for (size_t i = 0; i < value.parts.size(); ++i)
          out_ += (i > 0 ? ", " : "adjacent ") + Name(value.parts[i]);
        break;
    }
    out_ += "\n";
  }

  void StepLine(const Step& step) {
    const isa::Instruction& instruction = accelerator_.instruction(step.instruction);
    out_ += "step " + NativeMnemonic(accelerator_, step.instruction);
    for (size_t i = 0; i < step.computational.size(); ++i) {
      out_ += " " + instruction.computational[i] + "=" + std::to_string(step.computational[i]);
    }
    out_ += "  ; " + Name(step.result);
    for (size_t i = 0; i < step.operands.size(); ++i)
      out_ += (i > 0 ? ", " : " <- ") + Name(step.operands[i]);
    out_ += "\n";
  }

  const isa::Accelerator& accelerator_;
  const SelectedGraph& graph_;
  std::string out_;
};

}  // namespace

bool OverwritesOperand(const isa::Accelerator& accelerator, const Step& step, size_t operand) {
  const isa::Instruction& instruction = accelerator.instruction(step.instruction);
  if (operand >= instruction.inputs.size()) return false;
  if (operand < instruction.inplace.size() && instruction.inplace[operand]) return true;
  if (instruction.outputs.empty()) return false;
  const isa::Region& in = instruction.inputs[operand];
  const isa::Region& out = instruction.outputs[0];
  return in.buffer == out.buffer && in.starts == out.starts && in.sizes == out.sizes &&
         in.strides == out.strides;
}

std::string PrintSelectedGraph(const isa::Accelerator& accelerator, const SelectedGraph& graph) {
  return Printer(accelerator, graph).Run();
}

}  // namespace act::assembly
