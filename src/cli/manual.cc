#include "cli/manual.h"

#include <algorithm>
#include <optional>

namespace act::cli {
namespace {

std::string Number(int64_t value) { return std::to_string(value); }

class Manual {
 public:
  explicit Manual(const isa::Accelerator& accelerator)
      : accelerator_(accelerator), states_(accelerator.state_names()) {}

  std::string Write() {
    round_trip_ = FindRoundTrip(accelerator_);
    Overview();
    Memories();
    Hbm();
    Numbers();
    Instructions();
    Programs();
    Example();
    Checking();
    return std::move(text_);
  }

 private:
  void Line(const std::string& line = "") { text_ += line + "\n"; }
  std::string Text(const isa::Instruction& in, const isa::Expression& e) const {
    return isa::ToString(e, isa::Names(in, states_), isa::NameStyle::kPlain);
  }
  // As the spec writes it. A strided window may have another number of sizes than of starts.
  std::string Window(const isa::Instruction& in, const isa::Region& region) const {
    std::string text = accelerator_.buffer(region.buffer).name + "[";
    for (size_t d = 0; d < std::max(region.starts.size(), region.sizes.size()); ++d) {
      text += d > 0 ? ", " : "";
      if (d < region.starts.size()) text += Text(in, region.starts[d]);
      if (d < region.sizes.size()) {
        text += (d < region.starts.size() ? " : +" : "+") + Text(in, region.sizes[d]);
      }
      if (d < region.strides.size()) text += " step " + Text(in, region.strides[d]);
    }
    return text + "]";
  }
  static std::string Signature(const isa::Instruction& in) {
    std::string text = in.name + "(";
    for (size_t i = 0; i < in.computational.size(); ++i) text += (i > 0 ? ", " : "") + in.computational[i];
    text += "; ";
    for (size_t i = 0; i < in.addressing.size(); ++i) text += (i > 0 ? ", " : "") + in.addressing[i];
    return text + ")";
  }
  std::string UnitText(const isa::Buffer& buffer) const {
    std::string text(ElementTypeName(buffer.type));
    text += "[";
    for (size_t d = 0; d < buffer.unit.size(); ++d) text += (d > 0 ? "," : "") + Number(buffer.unit[d]);
    return text + "]";
  }
  std::string AddressesText(const isa::Buffer& buffer) const {
    std::string text;
    for (size_t d = 0; d < buffer.addresses.size(); ++d) {
      text += (d > 0 ? " x " : "") + Number(buffer.addresses[d]);
    }
    return text;
  }

  void Overview() {
    Line("# Instruction set of " + accelerator_.name);
    Line();
    Line(
        "Written by `act doc` from the accelerator's description. It is all that is needed to write programs "
        "by");
    Line(
        "hand: what the memories are, what each instruction does, how a program file looks, and how to check "
        "it.");
    Line();
    Line("| instruction | reads | writes |" + std::string(HasCosts() ? " cost |" : ""));
    Line("|---|---|---|" + std::string(HasCosts() ? "---|" : ""));
    for (const isa::Instruction& in : accelerator_.instructions) {
      std::string line = "| [`" + Signature(in) + "`](#" + Anchor(in.name) + ") | ";
      for (size_t k = 0; k < in.inputs.size(); ++k) {
        line += (k > 0 ? ", " : "") + accelerator_.buffer(in.inputs[k].buffer).name;
      }
      line += " | ";
      for (size_t k = 0; k < in.outputs.size(); ++k) {
        line += (k > 0 ? ", " : "") + accelerator_.buffer(in.outputs[k].buffer).name;
      }
      Line(line + " |" + (HasCosts() ? " " + CostText(in) + " |" : ""));
    }
    Line();
    Line(
        "In `name(n; a, b)` the attributes before the semicolon are *computational*: they fix sizes and "
        "shapes.");
    Line("Those behind it are *addressing*: they are addresses.");
    Line();
  }

  static bool HasStrides(const isa::Instruction& in) {
    const auto strided = [](const isa::Region& region) { return !region.strides.empty(); };
    return std::any_of(in.inputs.begin(), in.inputs.end(), strided) ||
           std::any_of(in.outputs.begin(), in.outputs.end(), strided);
  }
  bool HasCosts() const {
    return std::any_of(accelerator_.instructions.begin(), accelerator_.instructions.end(),
                       [](const isa::Instruction& in) { return in.has_cost || !in.unit.empty(); });
  }
  std::string CostText(const isa::Instruction& in) const {
    std::string text = in.has_cost ? Text(in, in.cost) : "-";
    return in.unit.empty() ? text : text + " on " + in.unit;
  }
  static std::string Anchor(const std::string& name) {
    std::string anchor;
    for (const char c : name) anchor += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return anchor;
  }

  void Memories() {
    Line("## Memories");
    Line();
    Line("| memory | addresses | at each address | bytes an address | bytes in all |");
    Line("|---|---|---|---|---|");
    Line("| `d0` (HBM) | one a byte | a byte, u8 | 1 | up to " + Number(isa::kHbmCapacityBytes) +
         "; each program declares how many it uses |");
    for (size_t b = 1; b < accelerator_.buffers.size(); ++b) {
      const isa::Buffer& buffer = accelerator_.buffers[b];
      Line("| `" + buffer.name + "` | " + AddressesText(buffer) + ", from 0 | " + UnitText(buffer) + " | " +
           Number(buffer.UnitBytes()) + " | " + Number(buffer.CapacityBytes()) + " |");
    }
    Line();
    Line(
        "A *window* `m[s : +n]` is the n addresses from s on: s, s+1, ..., s+n-1. As a tensor it has the "
        "dimensions");
    Line(
        "[n, dimensions at each address], in row-major order. A window must lie inside its memory and n be "
        "at least 1.");
    if (std::any_of(accelerator_.buffers.begin(), accelerator_.buffers.end(),
                    [](const isa::Buffer& b) { return b.addresses.size() > 1; })) {
      Line(
          "In a memory with several address dimensions `m[r : +a, s : +b]` takes a addresses from r on in "
          "the");
      Line("first and b from s on in the second; its tensor starts with the dimensions [a, b].");
    }
    if (std::any_of(accelerator_.instructions.begin(), accelerator_.instructions.end(), HasStrides)) {
      Line(
          "A window with `step` holds the addresses start + i*step_0 + j*step_1 + ..., the memory's "
          "addresses");
      Line("counted in row-major order, i below the first size, j below the second, and so on.");
    }
    Line(
        "Memory that was never written holds nothing a program may use (the simulator starts with zeros, "
        "the");
    Line(
        "validator refuses the read). Windows may overlap what was written before in any way: the bytes "
        "decide.");
    Line();
    if (!accelerator_.state.empty()) {
      Line("State: integers that instructions read and change. At the start:");
      Line();
      for (const isa::StateVariable& s : accelerator_.state) {
        Line("* `" + s.name + "` = " + Number(s.initial));
      }
      Line();
    }
  }

  void Hbm() {
    Line("## What lies in HBM");
    Line();
    Line(
        "A kernel's tensors lie in `d0`, elements in row-major order, little-endian; `pred` and types below "
        "8 bits");
    Line(
        "take one byte an element. The compiler's own programs put the inputs at address 0 and following, "
        "without");
    Line(
        "gaps, in the order of the parameters, the outputs behind the last input, and constants and "
        "intermediate values");
    Line(
        "behind the outputs; a program by hand may choose other addresses, since it declares each one. "
        "Inputs must");
    Line(
        "still be there, unchanged, when the program ends, and every byte of every output must have been "
        "written.");
    Line(
        "Example: two inputs bf16[64,64] (8192 bytes each) and an output of the same type: inputs at 0 and "
        "8192,");
    Line("output at 16384, `hbm` = 24576.");
    Line();
  }

  void Numbers() {
    Line("## Numbers");
    Line();
    Line(
        "* Every formula below gives a value of the type stated beside it: the exact result, rounded once to "
        "that");
    Line("  type (to nearest, ties to even). So a chain of formulas in bf16 rounds to bf16 at every step.");
    Line(
        "* Integers wrap at their width; `/` on integers rounds toward zero. Conversions of floats to "
        "integers round");
    Line("  toward zero and saturate.");
    Line(
        "* A sum or product over k starts from the value given and adds in increasing order of k, in f32 for "
        "types up");
    Line(
        "  to f32 (f64 for f64), and is rounded once at the end; a sum of products uses fused "
        "multiply-adds.");
    Line("* `0..n` are the numbers 0 to n-1. i0, i1, ... run over the dimensions of the result.");
    Line(
        "* Attributes are 64-bit integers; in their formulas `/` rounds toward zero and `%` has the "
        "dividend's sign.");
    Line();
  }

  void Instructions() {
    Line("## Instructions");
    Line();
    Line(
        "An instruction reads all its windows completely before it writes, so that a result may replace an "
        "operand.");
    Line("It writes its output windows and nothing else.");
    Line();
    for (const isa::Instruction& in : accelerator_.instructions) Instruction(in);
  }

  void Instruction(const isa::Instruction& in) {
    const Formulas formulas = DescribeSemantics(accelerator_, in);
    Line("### " + in.name);
    Line();
    Line("`" + Signature(in) + "`" +
         (in.mnemonic.empty() ? "" : ", in native assembly also `" + in.mnemonic + "`"));
    Line();
    if (!in.computational.empty()) {
      const std::vector<isa::AttributeRange> ranges = isa::AttributeRanges(accelerator_, in);
      for (size_t i = 0; i < in.computational.size(); ++i) {
        std::string line = "* `" + in.computational[i] + "`: ";
        if (i < ranges.size() && ranges[i].bounded) {
          line += "from " + Number(ranges[i].low) + " to " + Number(ranges[i].high);
          if (ranges[i].modulus > 1) {
            line += ", " + Number(ranges[i].remainder) + " modulo " + Number(ranges[i].modulus);
          }
        } else {
          line += "an integer";
        }
        Line(line);
      }
    }
    for (size_t i = 0; i < in.addressing.size(); ++i) {
      Line("* `" + in.addressing[i] + "`: " + AddressUse(in, static_cast<int32_t>(i)));
    }
    for (size_t k = 0; k < in.inputs.size(); ++k) {
      Line("* reads **" + formulas.inputs[k] + "** = `" + Window(in, in.inputs[k]) + "`, a tensor " +
           RegionShape(accelerator_, in, in.inputs[k]));
    }
    for (size_t k = 0; k < in.outputs.size(); ++k) {
      Line("* writes **" + formulas.outputs[k] + "** = `" + Window(in, in.outputs[k]) + "`, a tensor " +
           RegionShape(accelerator_, in, in.outputs[k]));
    }
    for (const isa::Condition& condition : in.constraints) {
      Line("* demands `" + isa::ToString(condition, isa::Names(in, states_), isa::NameStyle::kPlain) + "`");
    }
    Marks(in, formulas);
    Updates(in);
    if (in.has_cost) Line("* cost " + Text(in, in.cost));
    if (!in.unit.empty())
      Line("* runs on the unit " + in.unit + ", in order with that unit's other instructions");
    if (in.numerics == isa::InstructionNumerics::kApproximate) Line("* its arithmetic is only approximate");
    if (in.numerics == isa::InstructionNumerics::kFlush) Line("* takes subnormal numbers as zero");
    Line();
    if (formulas.steps.empty() && in.semantics.empty()) {
      Line("It changes state only.");
    } else {
      Line("What it computes, step by step:");
      Line();
      for (size_t i = 0; i < formulas.steps.size(); ++i)
        Line(Number(static_cast<int64_t>(i) + 1) + ". " + formulas.steps[i]);
      Reshaped(in, formulas);
    }
    Line();
  }

  // Where the last value has another shape than the window it is stored to.
  void Reshaped(const isa::Instruction& in, const Formulas& formulas) {
    for (size_t j = 0; j < in.outputs.size() && j < in.semantics.outputs.size(); ++j) {
      const isa::SemanticNode& node = in.semantics.nodes[static_cast<size_t>(in.semantics.outputs[j])];
      std::string shape(ElementTypeName(node.type));
      shape += "[";
      for (size_t d = 0; d < node.dims.size(); ++d) shape += (d > 0 ? "," : "") + Text(in, node.dims[d]);
      shape += "]";
      if (shape == RegionShape(accelerator_, in, in.outputs[j])) continue;
      Line();
      Line(formulas.outputs[j] + " is stored as its " + shape +
           " elements in row-major order, whatever the window's own shape.");
    }
  }

  std::string AddressUse(const isa::Instruction& in, int32_t index) const {
    std::string text;
    const auto add = [&](const isa::Region& region, const char* verb) {
      for (const isa::Expression& start : region.starts) {
        if (!start.Uses(isa::AttributeKind::kAddressing, index)) continue;
        const std::string one = std::string("where in ") + accelerator_.buffer(region.buffer).name + " it " +
                                verb + (region.buffer.value() == 0 ? " (a byte address)" : "");
        if (text.find(one) == std::string::npos) text += (text.empty() ? "" : ", and ") + one;
      }
    };
    for (const isa::Region& region : in.inputs) add(region, "reads");
    for (const isa::Region& region : in.outputs) add(region, "writes");
    return text.empty() ? "used in no window" : text;
  }

  void Marks(const isa::Instruction& in, const Formulas& formulas) {
    for (size_t k = 0; k < in.inputs.size(); ++k) {
      const auto marked = [k](const std::vector<bool>& flags) { return k < flags.size() && flags[k]; };
      if (marked(in.inplace)) Line("* the result replaces " + formulas.inputs[k] + " (same place)");
      if (marked(in.apart)) Line("* " + formulas.inputs[k] + " and the result must not overlap");
      if (marked(in.no_partial_overlap)) {
        Line("* " + formulas.inputs[k] + " and the result must be the same window or not overlap");
      }
    }
  }

  void Updates(const isa::Instruction& in) {
    for (const isa::Update& update : in.updates) {
      const char* sign = update.kind == isa::Update::Kind::kAdd        ? " += "
                         : update.kind == isa::Update::Kind::kSubtract ? " -= "
                         : update.kind == isa::Update::Kind::kMultiply ? " *= "
                                                                       : " = ";
      Line("* before anything else: `" + accelerator_.state[static_cast<size_t>(update.state)].name + sign +
           Text(in, update.value) + "`");
    }
  }

  void Programs() {
    Line("## Program files");
    Line();
    Line("A program may be written in either of two forms; both say the same.");
    Line();
    Line("**Published kernel format, `.py`.** A Python module with one function of `(kernel, api)`:");
    Line();
    Line(
        "* `import jax.numpy as jnp` stands at the top. The function returns the inner function, which "
        "carries the");
    Line("  decorator `@kernel(hbm=..., input=[...], constant=[...], output=[...])`.");
    Line("* `hbm` is the number of bytes of `d0` that the program uses. Each input and output is");
    Line(
        "  `{'addr': BYTE, 'shape': (64, 64), 'dtype': jnp.bfloat16}`; one dimension is written `(64,)`. A "
        "constant has");
    Line(
        "  also `'value'`: a nested list, `jnp.eye(64, dtype=jnp.bfloat16)` or `jnp.full((64,), 0.5, "
        "dtype=jnp.bfloat16)`.");
    Line(
        "  Types: `jnp."
        "bool_`, `int8` to `int64`, `uint8` to `uint64`, `float16`, `bfloat16`, `float32`, `float64`.");
    Line(
        "* The body has one call a line, `api.instruction(attribute = value, ...)`, every attribute by its "
        "name, the");
    Line(
        "  computational ones first. `api.start_loop(\"i\", 0, 8)` and `api.end_loop()` repeat what stands "
        "between");
    Line("  them; inside, an addressing attribute may be a text such as `\"%i*64 + 128\"`.");
    Line("* `api.debug(\"prefix\", \"memory[0,0]\")` prints a part of a memory when the run reaches it.");
    Line();
    Line(
        "**Native assembly, `.asm`.** `program`, `target` and `hbm`, then lines `input NAME @BYTE "
        "type[dims]`,");
    Line(
        "`const NAME @BYTE type[dims] = value`, `output NAME @BYTE type[dims]`, then `code { ... }` with one "
        "call a");
    Line(
        "line: the instruction, computational attributes `n=64`, addressing attributes in brackets `[a=0, "
        "b=64]`.");
    Line(
        "`loop i 0..8 { ... }` repeats; inside, an address may be an expression such as `i*64 + 128`. Behind "
        "`;` may");
    Line("stand names, `result <- operand, operand`, which say what the values are. Comments are `//`.");
    Line();
  }

  void Example() {
    Line("## Example: a tensor through the chip and back");
    Line();
    if (!round_trip_) {
      Line(
          "No program that brings a tensor onto the chip and back unchanged was found for this accelerator.");
      Line();
      return;
    }
    Line("The kernel");
    Line();
    Line("```\n" + round_trip_->kernel + "```");
    Line();
    Line("as a program in the published format:");
    Line();
    Line("```python\n" +
         assembly::PrintPythonKernel(accelerator_, round_trip_->program, {"roundtrip.hlo", 1}) + "```");
    Line();
    Line("and in native assembly:");
    Line();
    Line("```\n" + assembly::PrintNative(accelerator_, round_trip_->program) + "```");
    Line();
    Line("Line by line:");
    Line();
    Explain(round_trip_->program);
    Line();
  }

  void Explain(const assembly::Program& program) {
    for (const assembly::Statement& statement : program.body) {
      if (statement.kind != assembly::Statement::Kind::kCall) continue;
      const assembly::Call& call = statement.call;
      const isa::Instruction& in = accelerator_.instruction(call.instruction);
      std::vector<int64_t> addressing, state;
      for (const assembly::AttributeValue& value : call.addressing) {
        addressing.push_back(value.AsInteger().value_or(0));
      }
      for (const isa::StateVariable& s : accelerator_.state) state.push_back(s.initial);
      const isa::Environment environment{call.computational, addressing, state};
      std::string line = "* `" + in.name + "` reads ";
      const auto list = [&](const std::vector<isa::Region>& regions) {
        for (size_t k = 0; k < regions.size(); ++k) {
          line += k > 0 ? " and " : "";
          const auto box = isa::EvaluateRegion(regions[k], environment);
          if (!box.ok()) continue;
          line += "`" + accelerator_.buffer(box->buffer).name + "[";
          for (size_t d = 0; d < box->start.size(); ++d) {
            line += (d > 0 ? ", " : "") + Number(box->start[d]) + " : +" + Number(box->size[d]);
          }
          line += "]`";
        }
      };
      list(in.inputs);
      line += " and writes ";
      list(in.outputs);
      Line(line + ".");
    }
  }

  void Checking() {
    Line("## Checking a program");
    Line();
    Line("```");
    Line(
        "act validate program.py --target SPEC.taidl                        # bounds, constraints, unwritten "
        "memory");
    Line(
        "act verify program.py --target SPEC.taidl --kernel kernel.hlo      # also: runs it against the "
        "kernel");
    Line("act simulate program.py --target SPEC.taidl --input a.dat --input b.dat --output c.dat");
    Line("```");
  }

  const isa::Accelerator& accelerator_;
  const std::vector<std::string> states_;
  std::optional<RoundTrip> round_trip_;
  std::string text_;
};

}  // namespace

std::string WriteManual(const isa::Accelerator& accelerator) { return Manual(accelerator).Write(); }

}  // namespace act::cli
