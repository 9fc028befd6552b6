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
    WriteNumbers(accelerator_, &out_);
    Instructions();
    WritePrograms(accelerator_, round_trip_, &out_);
    WriteChecking(&out_);
    return out_.Take();
  }

 private:
  void Line(const std::string& line = "") { out_.Line(line); }
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
  // Calls as they are written, "..." for the numbers.
  static std::string NativeCall(const isa::Instruction& in) {
    std::string text = in.name;
    for (const std::string& name : in.computational) text += " " + name + "=...";
    for (size_t i = 0; i < in.addressing.size(); ++i)
      text += (i > 0 ? ", " : " [") + in.addressing[i] + "=...";
    return text + (in.addressing.empty() ? "" : "]");
  }
  static std::string PythonCall(const isa::Instruction& in) {
    std::string text = "api." + in.name + "(";
    bool first = true;
    for (const auto* names : {&in.computational, &in.addressing}) {
      for (const std::string& name : *names) {
        text += (first ? "" : ", ") + name + " = ...";
        first = false;
      }
    }
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
    out_.Paragraph(
        "Written by `act doc` from the accelerator's description. It is all that is needed to write programs "
        "by "
        "hand: what the memories are, what each instruction does, how a program file looks, and how to check "
        "it.");
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
    out_.Paragraph(
        "In `name(n; a, b)` the attributes before the semicolon are *computational*: they fix sizes and "
        "shapes. "
        "Those behind it are *addressing*: they are addresses.");
    Cost();
  }

  // How two right programs compare: the built-in cost model's rule.
  void Cost() {
    const auto& all = accelerator_.instructions;
    const bool costs = std::any_of(all.begin(), all.end(), [](const auto& in) { return in.has_cost; });
    const bool units = std::any_of(all.begin(), all.end(), [](const auto& in) { return !in.unit.empty(); });
    if (units) {
      out_.Paragraph(
          "The cost of a program is the time at which its last instruction ends. Each unit executes its "
          "instructions in order; an instruction starts when its unit is free and no earlier instruction is "
          "still at work that writes what it reads or writes, or reads what it writes. It takes its cost" +
          std::string(costs ? ", 0 where none is stated." : ", which is 1 for each, since none is stated."));
    } else if (costs) {
      out_.Paragraph(
          "The cost of a program is the sum over the instructions executed, 0 for those without a cost; a "
          "loop's count at every iteration.");
    } else {
      out_.Paragraph(
          "No costs are stated: the cost of a program is the number of instructions executed, a loop's "
          "counted "
          "at every iteration, and fewer is better.");
    }
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
    out_.Paragraph(
        "A *window* `m[s : +n]` is the n addresses from s on: s, s+1, ..., s+n-1. As a tensor it has the "
        "dimensions [n, dimensions at each address], in row-major order. A window must lie inside its memory "
        "and n be at least 1.");
    if (std::any_of(accelerator_.buffers.begin(), accelerator_.buffers.end(),
                    [](const isa::Buffer& b) { return b.addresses.size() > 1; })) {
      out_.Paragraph(
          "In a memory with several address dimensions `m[r : +a, s : +b]` takes a addresses from r on in "
          "the "
          "first and b from s on in the second; its tensor starts with the dimensions [a, b].");
    }
    if (std::any_of(accelerator_.instructions.begin(), accelerator_.instructions.end(), HasStrides)) {
      out_.Paragraph(
          "A window with `step` holds the addresses start + i*step_0 + j*step_1 + ..., the memory's "
          "addresses "
          "counted in row-major order, i below the first size, j below the second, and so on.");
    }
    out_.Paragraph(
        "Memory that was never written may be copied, but no operation may compute with it and no output "
        "hold "
        "it: the validator refuses that, although the simulator starts with zeros. Windows may overlap what "
        "was "
        "written before in any way: the bytes decide.");
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
    out_.Paragraph(
        "A program says where in `d0` its inputs, constants and outputs lie, and with `hbm` how many bytes "
        "of "
        "`d0` it has. Elements lie in row-major order, little-endian; `pred` and types below 8 bits take one "
        "byte an element.");
    out_.Bullet(
        "A tensor may start at any byte, and an instruction may use any byte address, unless the instruction "
        "demands otherwise.");
    out_.Bullet(
        "Every tensor and every window of `d0` must end within `hbm`, which may be larger than needed, up "
        "to " +
        Number(isa::kHbmCapacityBytes) +
        ". Bytes of it that no tensor has are free for intermediate values; they count as never written at "
        "the "
        "start.");
    out_.Bullet(
        "No byte may belong to two of the inputs and constants, nor to two outputs. An output may lie over a "
        "constant.");
    out_.Bullet(
        "At the end every input must hold its bytes unchanged (so an output over an input can only be a copy "
        "of "
        "it), and every byte of every output must have been written. Constants may be overwritten.");
    Line();
    std::string text =
        "The compiler's own programs put the inputs at address 0 and following, without gaps, then the "
        "outputs, "
        "then constants and intermediate values.";
    if (round_trip_ && !round_trip_->program.inputs.empty()) {
      const Shape& shape = round_trip_->program.inputs[0].shape;
      const int64_t bytes = shape.num_bytes().value_or(0);
      text += " Example: two inputs " + ToString(shape) + " (" + Number(bytes) +
              " bytes each) and an output of the same type: inputs at 0 and " + Number(bytes) +
              ", output at " + Number(2 * bytes) + ", `hbm` = " + Number(3 * bytes) + ".";
    }
    out_.Paragraph(text);
  }

  void Instructions() {
    Line("## Instructions");
    Line();
    out_.Paragraph(
        "An instruction reads all its windows completely before it writes, so that a result may replace an "
        "operand. It writes its output windows and nothing else.");
    for (const isa::Instruction& in : accelerator_.instructions) Instruction(in);
  }

  void Instruction(const isa::Instruction& in) {
    const Formulas formulas = DescribeSemantics(accelerator_, in);
    Line("### " + in.name);
    Line();
    Line("`" + Signature(in) + "`");
    Line();
    Line("```");
    Line("asm  " + NativeCall(in));
    Line("py   " + PythonCall(in));
    Line("```");
    Line();
    if (!in.mnemonic.empty() && in.mnemonic != in.name) {
      out_.Bullet("in native assembly also `" + in.mnemonic + "`, if no other instruction has that name");
    }
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
    if (in.numerics == isa::InstructionNumerics::kApproximate)
      Line("* the machine's arithmetic is only approximate; the simulator's follows the formulas");
    if (in.numerics == isa::InstructionNumerics::kFlush)
      Line("* the machine may take subnormal numbers as zero; the simulator keeps them");
    Line();
    if (formulas.steps.empty() && in.semantics.empty()) {
      Line("It changes state only.");
    } else {
      Line("What it computes, step by step:");
      Line();
      for (size_t i = 0; i < formulas.steps.size(); ++i)
        Line(Number(static_cast<int64_t>(i) + 1) + ". " + formulas.steps[i]);
      const std::vector<std::string> places = DescribePlaces(accelerator_, in, formulas);
      if (!places.empty()) Line();
      for (const std::string& place : places) out_.Bullet(place);
    }
    Line();
  }

  std::string AddressUse(const isa::Instruction& in, int32_t index) const {
    std::string text;
    const auto add = [&](const isa::Region& region, const char* verb) {
      for (const isa::Expression& start : region.starts) {
        if (!start.Uses(isa::AttributeKind::kAddressing, index)) continue;
        const bool whole = start == isa::Expression::Attribute(isa::AttributeKind::kAddressing, index);
        std::string one = "where in " + accelerator_.buffer(region.buffer).name + " it " + verb;
        if (!whole) one += ", in the term `" + Text(in, start) + "`";
        if (region.buffer.value() == 0) one += whole ? " (a byte address)" : ", a byte address";
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
      if (marked(in.inplace))
        Line("* destroys " + formulas.inputs[k] +
             ": what its window held is lost, and a result may lie there");
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
      Line("* once its demands hold, before anything else: `" +
           accelerator_.state[static_cast<size_t>(update.state)].name + sign + Text(in, update.value) + "`");
    }
  }

  const isa::Accelerator& accelerator_;
  const std::vector<std::string> states_;
  std::optional<RoundTrip> round_trip_;
  ManualWriter out_;
};

}  // namespace

std::string WriteManual(const isa::Accelerator& accelerator) { return Manual(accelerator).Write(); }

}  // namespace act::cli
