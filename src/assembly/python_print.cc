#include "assembly/address_text.h"
#include "assembly/constant_text.h"
#include "assembly/python_kernel.h"
#include "assembly/python_types.h"

namespace act::assembly {
namespace {

// A comment is one line.
std::string OneLine(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

// Never a directory: the same kernel gives the same bytes wherever it lies.
std::string BaseName(const std::string& path) {
  size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string ShapeText(const std::vector<int64_t>& dims) {
  std::string out = "(";
  for (size_t i = 0; i < dims.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(dims[i]);
  return out + (dims.size() == 1 ? ",)" : ")");
}

std::string TypeText(ElementType type) {
  std::string_view name = PythonTypeName(type);
  // Types without a NumPy name (s1, u1) cannot be kernel values; the text says what was meant.
  return "jnp." + std::string(name.empty() ? ElementTypeName(type) : name);
}

// jax.numpy computes with at most 32 bits unless told otherwise, so wider values stay plain Python numbers.
bool JaxHoldsExactly(ElementType type) { return BitWidth(type) <= 32; }

std::string ValueText(const Literal& value) {
  ElementType type = value.shape.type;
  std::string dtype = ", dtype=" + TypeText(type) + ")";
  if (JaxHoldsExactly(type)) {
    if (IsEye(value)) {
      int64_t rows = value.shape.dims[0], columns = value.shape.dims[1];
      return "jnp.eye(" + std::to_string(rows) + (rows == columns ? "" : ", " + std::to_string(columns)) +
             dtype;
    }
    if (value.shape.rank() > 0 && IsSplat(value)) {
      std::optional<std::string> element = ElementText(value, 0, kPythonWords);
      if (element) return "jnp.full(" + ShapeText(value.shape.dims) + ", " + *element + dtype;
    }
  }
  if (value.num_elements() == 0) return "jnp.zeros(" + ShapeText(value.shape.dims) + dtype;
  std::optional<std::string> nested = NestedText(value, kPythonWords, '[', ']', 26);
  if (nested) return *nested;
  // Some bits have no decimal (NaNs with a payload): the bytes, seen as the type.
  std::vector<int64_t> dims = value.shape.dims;
  dims.push_back(StorageBytes(type));
  Literal raw(Shape::Array(ElementType::kU8, dims));
  raw.bytes = value.bytes;
  std::string text = "jnp.array(" + *NestedText(raw, kPythonWords, '[', ']', 26) +
                     ", dtype=jnp.uint8).view(" + TypeText(type) + ")";
  return text + ".reshape(" + ShapeText(value.shape.dims) + ")";
}

class Printer {
 public:
  explicit Printer(const isa::Accelerator& accelerator) : accelerator_(accelerator) {}

  std::string Run(const Program& program, const PythonKernelHeader& header) {
    out_ = "# Input file: " + OneLine(BaseName(header.input_file)) + "\n";
    out_ +=
        "# Kernel name: " + OneLine(program.original_name.empty() ? program.name : program.original_name) +
        "\n";
    out_ += "# Candidate: " + std::to_string(header.candidate) + "\n";
    out_ += "# Do not edit!\n\nimport jax.numpy as jnp\n\n\n";
    out_ += "def " + program.name + "(kernel, api):\n";
    out_ += "    @kernel(hbm=" + std::to_string(program.hbm_bytes) + ",\n";
    Open("input", program.inputs.empty());
    for (const HbmTensor& t : program.inputs) Item(t.address, t.shape, "");
    Close(program.inputs.empty());
    Open("constant", program.constants.empty());
    for (const HbmConstant& c : program.constants) {
      Item(c.address, c.value.shape, ", 'value': " + ValueText(c.value));
    }
    Close(program.constants.empty());
    Open("output", program.outputs.empty());
    for (const HbmTensor& t : program.outputs) Item(t.address, t.shape, "");
    out_ += program.outputs.empty() ? "]\n" : "            ]\n";
    out_ += "            )\n    def " + program.name + "_():\n";
    if (program.body.empty()) out_ += "        pass\n";
    Body(program.body);
    out_ += "\n    return " + program.name + "_\n";
    return std::move(out_);
  }

 private:
  void Open(const std::string& key, bool empty) { out_ += "            " + key + (empty ? "=[" : "=[\n"); }
  void Close(bool empty) { out_ += empty ? "],\n" : "            ],\n"; }
  void Item(int64_t address, const Shape& shape, const std::string& value) {
    out_ += "                {'addr': " + std::to_string(address) + ", 'shape': " + ShapeText(shape.dims) +
            ", 'dtype': " + TypeText(shape.type) + value + "},\n";
  }

  void Body(const std::vector<Statement>& body) {
    for (const Statement& s : body) {
      if (s.kind == Statement::Kind::kCall) CallLine(s.call);
      if (s.kind == Statement::Kind::kDebug) {
        std::string place = accelerator_.buffer(s.buffer).name + "[";
        for (size_t i = 0; i < s.position.size(); ++i)
          place += (i > 0 ? "," : "") + std::to_string(s.position[i]);
        out_ += "        api.debug(" + Quote(s.prefix) + ", \"" + place + "]\")\n";
      }
      if (s.kind == Statement::Kind::kLoop) {
        out_ += "        api.start_loop(\"" + s.variable + "\", " + std::to_string(s.start) + ", " +
                std::to_string(s.end) + ")\n";
        loops_.push_back(s.variable);
        Body(s.body);
        loops_.pop_back();
        out_ += "        api.end_loop()\n";
      }
    }
  }

  void CallLine(const Call& call) {
    const isa::Instruction& instruction = accelerator_.instruction(call.instruction);
    out_ += "        api." + instruction.name + "(";
    bool first = true;
    auto argument = [&](const std::string& name, const std::string& value) {
      out_ += (first ? "" : ", ") + name + " = " + value;
      first = false;
    };
    for (size_t i = 0; i < call.computational.size(); ++i) {
      argument(instruction.computational[i], std::to_string(call.computational[i]));
    }
    for (size_t i = 0; i < call.addressing.size(); ++i) {
      const isa::Expression& expression = call.addressing[i].expression;
      std::string text = PrintAddress(expression, loops_, VariableStyle::kPercent);
      bool plain = expression.AsInteger().has_value() && expression.nodes.size() == 1;
      argument(instruction.addressing[i], plain ? text : "\"" + text + "\"");
    }
    out_ += ")\n";
  }

  const isa::Accelerator& accelerator_;
  std::vector<std::string> loops_;
  std::string out_;
};

}  // namespace

std::string PrintPythonKernel(const isa::Accelerator& accelerator, const Program& program,
                              const PythonKernelHeader& header) {
  return Printer(accelerator).Run(program, header);
}

}  // namespace act::assembly
