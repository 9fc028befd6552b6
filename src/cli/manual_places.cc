#include <algorithm>

#include "cli/manual.h"

namespace act::cli {
namespace {

using hlo::Opcode;
using isa::Expression;
using isa::SemanticNode;

// Elements as many bytes apart as they have bits: what a bit cast of bytes keeps in place.
bool WholeBytes(ElementType type) { return BitWidth(type) == 8 * StorageBytes(type); }

int64_t Product(std::span<const int64_t> numbers) {
  int64_t product = 1;
  for (const int64_t n : numbers) product = CheckedMul(product, n).value_or(INT64_MAX);
  return product;
}

class Places {
 public:
  Places(const isa::Accelerator& accelerator, const isa::Instruction& instruction, const Formulas& formulas)
      : accelerator_(accelerator),
        in_(instruction),
        formulas_(formulas),
        nodes_(instruction.semantics.nodes),
        states_(accelerator.state_names()) {
    for (const isa::StateVariable& s : accelerator.state) initial_.push_back(s.initial);
  }

  std::vector<std::string> Describe() {
    for (size_t k = 0; k < nodes_.size(); ++k) {
      if (nodes_[k].opcode == Opcode::kParameter) Read(k);
    }
    for (size_t j = 0; j < in_.outputs.size() && j < in_.semantics.outputs.size(); ++j) Written(j);
    return std::move(lines_);
  }

 private:
  std::string Text(const Expression& e) const {
    const std::string text = isa::ToString(e, isa::Names(in_, states_), isa::NameStyle::kPlain);
    return text.find_first_of(" */%-") == std::string::npos ? text : "(" + text + ")";
  }
  // What is added to the window's first address.
  std::string Start(const isa::Region& region) const {
    const Expression& start = region.starts[0];
    if (start.AsInteger() == 0) return "";
    return isa::ToString(start, isa::Names(in_, states_), isa::NameStyle::kPlain);
  }
  bool DenseBytes(const isa::Region& region) const {
    return region.buffer.value() == 0 && region.strides.empty() && region.starts.size() == 1;
  }

  // "(i0*64 + i1)*2 + i2": the row-major number of an element. Dimensions of 1 add nothing.
  std::string Linear(const SemanticNode& node) const {
    std::string text;
    bool sum = false;
    for (size_t d = 0; d < node.dims.size(); ++d) {
      if (!text.empty() && node.dims[d].AsInteger() != 1) {
        text = (sum ? "(" + text + ")" : text) + "*" + Text(node.dims[d]);
        sum = false;
      }
      if (node.dims[d].AsInteger() == 1) continue;
      sum = !text.empty();
      text += (sum ? " + i" : "i") + std::to_string(d);
    }
    return text;
  }
  static bool IsSum(const std::string& text) { return text.find(' ') != std::string::npos; }
  static std::string Factor(const std::string& text) { return IsSum(text) ? "(" + text + ")" : text; }
  std::string Element(size_t node) const {
    std::string text = formulas_.values[node] + "[";
    for (size_t d = 0; d < nodes_[node].dims.size(); ++d) text += (d > 0 ? ",i" : "i") + std::to_string(d);
    return text + "]";
  }
  // "addr + 2*(i0*64 + i1)".
  std::string Byte(const isa::Region& region, const SemanticNode& node) const {
    const std::string linear = Linear(node);
    const int bytes = StorageBytes(node.type);
    std::string text = Start(region);
    if (linear.empty()) return text.empty() ? "0" : text;
    if (!text.empty()) text += " + ";
    return text + (bytes == 1 ? linear : std::to_string(bytes) + "*" + Factor(linear));
  }

  // The value that bytes of HBM become: behind reshapes and bit casts that nothing else shares.
  void Read(size_t parameter) {
    const size_t k = static_cast<size_t>(nodes_[parameter].parameter);
    if (k >= in_.inputs.size() || !DenseBytes(in_.inputs[k])) return;
    size_t value = parameter;
    for (bool moved = true; moved;) {
      moved = false;
      size_t users = 0, user = 0;
      for (size_t i = value + 1; i < nodes_.size(); ++i) {
        for (const int32_t operand : nodes_[i].operands) {
          if (static_cast<size_t>(operand) != value) continue;
          ++users;
          user = i;
        }
      }
      if (users != 1) break;
      const Opcode opcode = nodes_[user].opcode;
      if (opcode != Opcode::kReshape && opcode != Opcode::kBitcastConvert) break;
      value = user;
      moved = true;
    }
    const SemanticNode& node = nodes_[value];
    if (value == parameter || node.dims.empty() || !WholeBytes(node.type)) return;
    lines_.push_back("`" + Element(value) + "` is read at byte `" + Byte(in_.inputs[k], node) + "` of d0.");
  }

  void Written(size_t j) {
    const isa::Region& region = in_.outputs[j];
    size_t value = static_cast<size_t>(in_.semantics.outputs[j]);
    const bool bytes = DenseBytes(region);
    while (nodes_[value].opcode == Opcode::kReshape ||
           (bytes && nodes_[value].opcode == Opcode::kBitcastConvert)) {
      value = static_cast<size_t>(nodes_[value].operands[0]);
    }
    const SemanticNode& node = nodes_[value];
    if (node.dims.empty() || formulas_.values[value].empty() || !WholeBytes(node.type)) return;
    const bool parameter = node.opcode == Opcode::kParameter;
    if (bytes) {
      if (node.type == ElementType::kU8 && node.dims.size() < 2) return;
      lines_.push_back("`" + Element(value) + "` is written at byte `" + Byte(region, node) + "` of d0.");
    } else if (!parameter && ShapeText(node) != RegionShape(accelerator_, in_, region)) {
      Presumed(j, value);
    }
  }

  std::string ShapeText(const SemanticNode& node) const {
    std::string text(ElementTypeName(node.type));
    text += "[";
    for (size_t d = 0; d < node.dims.size(); ++d) {
      text +=
          (d > 0 ? "," : "") + isa::ToString(node.dims[d], isa::Names(in_, states_), isa::NameStyle::kPlain);
    }
    return text + "]";
  }

  std::vector<std::string> WithoutOnes(const std::vector<Expression>& dims,
                                       const std::vector<int64_t>& more) const {
    std::vector<std::string> texts;
    for (const Expression& e : dims) {
      if (e.AsInteger() != 1) texts.push_back(Text(e));
    }
    for (const int64_t d : more) {
      if (d != 1) texts.push_back(std::to_string(d));
    }
    return texts;
  }

  // A result of another shape than its window's.
  void Presumed(size_t j, size_t value) {
    const isa::Region& region = in_.outputs[j];
    const isa::Buffer& buffer = accelerator_.buffer(region.buffer);
    const SemanticNode& node = nodes_[value];
    const std::string window = RegionShape(accelerator_, in_, region);
    if (WithoutOnes(node.dims, {}) == WithoutOnes(region.sizes, buffer.unit)) {
      lines_.push_back(formulas_.values[value] + " is stored as a tensor " + window + ".");
      return;
    }
    std::string text =
        formulas_.values[value] + ", a tensor " + ShapeText(node) +
        ", fills the window in row-major order, whatever its shape; who reads the window later "
        "sees a tensor " +
        window + ".";
    const int64_t unit = Product(buffer.unit);
    if (region.starts.size() == 1 && region.strides.empty()) {
      const std::string linear = Linear(node);
      const std::string start = Start(region).empty() ? "" : Start(region) + " + ";
      text += " `" + Element(value) + "` goes to address `" + start;
      if (unit == 1) {
        text += linear + "`.";
      } else {
        text += Factor(linear) + "/" + std::to_string(unit) + "`, place `" + Factor(linear) + " % " +
                std::to_string(unit) + "` there.";
        text += Examples(value, region, unit);
      }
    }
    lines_.push_back(std::move(text));
  }

  // Where the first element of the second row goes: for the longest row shorter than an address's unit and
  // the shortest longer one, among powers of two of one attribute.
  std::string Examples(size_t value, const isa::Region& region, int64_t unit) const {
    const SemanticNode& node = nodes_[value];
    const std::vector<isa::AttributeRange> ranges = isa::AttributeRanges(accelerator_, in_);
    for (size_t a = 0; a < in_.computational.size() && a < ranges.size(); ++a) {
      const auto uses = [a](const Expression& e) {
        return e.Uses(isa::AttributeKind::kComputational, static_cast<int32_t>(a));
      };
      if (!ranges[a].bounded || std::none_of(node.dims.begin() + 1, node.dims.end(), uses)) continue;
      std::string shorter, longer;
      for (int64_t v = 1; v <= ranges[a].high && v < (int64_t{1} << 40) && longer.empty(); v *= 2) {
        if (v < ranges[a].low) continue;
        const isa::Equation equation{
            Expression::Attribute(isa::AttributeKind::kComputational, static_cast<int32_t>(a)), v};
        const auto solved = isa::SolveAttributes(accelerator_, in_, {&equation, 1}, 1);
        if (!solved.ok() || solved->values.empty()) continue;
        const auto [row, text] = Example(value, region, unit, solved->values[0]);
        if (row > 1 && row < unit) shorter = text;
        if (row > unit) longer = text;
      }
      const std::string between = !shorter.empty() && !longer.empty() ? ";" : "";
      if (!shorter.empty() || !longer.empty()) return " Example:" + shorter + between + longer + ".";
    }
    return "";
  }
  // The length of a row, and the sentence.
  std::pair<int64_t, std::string> Example(size_t value, const isa::Region& region, int64_t unit,
                                          const std::vector<int64_t>& computational) const {
    const isa::Environment environment{computational, {}, initial_};
    std::vector<int64_t> dims;
    for (const Expression& e : nodes_[value].dims) {
      const auto n = isa::Evaluate(e, environment);
      if (!n.ok()) return {0, ""};
      dims.push_back(*n);
    }
    if (dims.size() < 2 || dims[0] < 2) return {0, ""};
    const int64_t row = Product(std::span(dims).subspan(1));
    std::string text = " for ";
    for (size_t a = 0; a < computational.size(); ++a) {
      text += (a > 0 ? ", " : "") + in_.computational[a] + " = " + std::to_string(computational[a]);
    }
    text += ", " + formulas_.values[value] + "[1";
    for (size_t d = 1; d < dims.size(); ++d) text += ",0";
    const int64_t address = row / unit;
    std::string start = Start(region);
    if (address > 0 || start.empty()) start += (start.empty() ? "" : " + ") + std::to_string(address);
    return {row, text + "] goes to address " + start + ", place " + std::to_string(row % unit)};
  }

  const isa::Accelerator& accelerator_;
  const isa::Instruction& in_;
  const Formulas& formulas_;
  const std::vector<SemanticNode>& nodes_;
  const std::vector<std::string> states_;
  std::vector<int64_t> initial_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> DescribePlaces(const isa::Accelerator& accelerator,
                                        const isa::Instruction& instruction, const Formulas& formulas) {
  return Places(accelerator, instruction, formulas).Describe();
}

}  // namespace act::cli
