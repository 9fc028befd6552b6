#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "cli/manual.h"

namespace act::cli {
namespace {

using hlo::Opcode;
using isa::Expression;
using isa::SemanticNode;

std::string Index(size_t k) { return "i" + std::to_string(k); }

std::string Joined(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) text += (i > 0 ? "," : "") + items[i];
  return text;
}

std::string FloatText(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end.ptr);
}

const char* Infix(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return " + ";
    case Opcode::kSubtract:
      return " - ";
    case Opcode::kMultiply:
      return " * ";
    case Opcode::kDivide:
      return " / ";
    case Opcode::kAnd:
      return " & ";
    case Opcode::kOr:
      return " | ";
    case Opcode::kXor:
      return " ^ ";
    case Opcode::kShiftLeft:
      return " << ";
    default:
      return nullptr;
  }
}

std::string FunctionName(Opcode opcode) {
  switch (opcode) {
    case Opcode::kExp:
      return "exp";
    case Opcode::kExpm1:
      return "expm1";
    case Opcode::kLog1p:
      return "log1p";
    case Opcode::kMaximum:
      return "max";
    case Opcode::kMinimum:
      return "min";
    case Opcode::kNegate:
      return "-";
    default:
      break;
  }
  std::string name(hlo::OpcodeName(opcode));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string_view Relation(hlo::Direction direction) {
  switch (direction) {
    case hlo::Direction::kEq:
      return " == ";
    case hlo::Direction::kNe:
      return " != ";
    case hlo::Direction::kLt:
      return " < ";
    case hlo::Direction::kLe:
      return " <= ";
    case hlo::Direction::kGt:
      return " > ";
    case hlo::Direction::kGe:
      return " >= ";
  }
  return "";
}

class Describer {
 public:
  Describer(const isa::Accelerator& accelerator, const isa::Instruction& instruction)
      : instruction_(instruction), nodes_(instruction.semantics.nodes), states_(accelerator.state_names()) {
    names_ = isa::Names(instruction, states_);
  }

  Formulas Describe() {
    NameValues();
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].opcode == Opcode::kParameter || IsScalar(i)) continue;
      formulas_.steps.push_back("`" + Left(i) + " = " + Right(i) + "`" + Remark(i) + "; " + values_[i] +
                                " is " + Type(nodes_[i]));
    }
    for (size_t j = 0; j < formulas_.outputs.size() && j < instruction_.semantics.outputs.size(); ++j) {
      const size_t node = static_cast<size_t>(instruction_.semantics.outputs[j]);
      if (values_[node] != formulas_.outputs[j]) {
        formulas_.steps.push_back("`" + formulas_.outputs[j] + " = " + Ref(node, Indices(nodes_[node])) +
                                  "` element for element");
      }
    }
    formulas_.values = values_;
    return std::move(formulas_);
  }

 private:
  static bool IsName(const std::string& text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
    return std::all_of(text.begin(), text.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
  }

  std::string Fresh(const std::string& wanted, const std::string& otherwise) {
    std::string name = IsName(wanted) ? wanted : otherwise;
    for (int n = 2; used_.contains(name); ++n) {
      name = (IsName(wanted) ? wanted : otherwise) + "_" + std::to_string(n);
    }
    used_.insert(name);
    return name;
  }

  void NameValues() {
    for (const auto* list : {&instruction_.computational, &instruction_.addressing}) {
      used_.insert(list->begin(), list->end());
    }
    used_.insert(states_.begin(), states_.end());
    std::vector<std::string> given(instruction_.inputs.size());
    for (const SemanticNode& node : nodes_) {
      const size_t k = static_cast<size_t>(node.parameter);
      if (node.opcode == Opcode::kParameter && k < given.size()) given[k] = node.name;
    }
    for (size_t k = 0; k < instruction_.inputs.size(); ++k) {
      const std::string& own = instruction_.inputs[k].name;
      formulas_.inputs.push_back(Fresh(own.empty() ? given[k] : own, "x" + std::to_string(k)));
    }
    for (size_t j = 0; j < instruction_.outputs.size(); ++j) {
      formulas_.outputs.push_back(Fresh(instruction_.outputs[j].name, "y" + std::to_string(j)));
    }
    values_.resize(nodes_.size());
    for (size_t j = 0; j < instruction_.semantics.outputs.size() && j < formulas_.outputs.size(); ++j) {
      const size_t node = static_cast<size_t>(instruction_.semantics.outputs[j]);
      if (values_[node].empty() && nodes_[node].opcode != Opcode::kParameter && !IsScalar(node)) {
        values_[node] = formulas_.outputs[j];
      }
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const size_t k = static_cast<size_t>(nodes_[i].parameter);
      if (nodes_[i].opcode == Opcode::kParameter && k < formulas_.inputs.size()) {
        values_[i] = formulas_.inputs[k];
      } else if (values_[i].empty() && !IsScalar(i)) {
        values_[i] = Fresh(nodes_[i].name, "t" + std::to_string(i));
      }
    }
  }

  std::string Text(const Expression& e) const { return isa::ToString(e, names_, isa::NameStyle::kPlain); }
  std::string Type(const SemanticNode& node) const {
    std::vector<std::string> dims;
    for (const Expression& d : node.dims) dims.push_back(Text(d));
    return std::string(ElementTypeName(node.type)) + "[" + Joined(dims) + "]";
  }
  // Written where it is used.
  bool IsScalar(size_t i) const { return nodes_[i].opcode == Opcode::kConstant && nodes_[i].dims.empty(); }

  std::string ConstantText(const SemanticNode& node) const {
    if (node.constant.expression) return Text(*node.constant.expression);
    std::vector<std::string> items;
    for (const double v : node.constant.floats) items.push_back(FloatText(v));
    for (const int64_t v : node.constant.integers) {
      items.push_back(IsUnsignedInteger(node.type) ? std::to_string(static_cast<uint64_t>(v))
                                                   : std::to_string(v));
    }
    if (items.size() == 1) return items[0];
    return "{" + Joined(items) + "} in row-major order";
  }

  static std::vector<std::string> Indices(const SemanticNode& node) {
    std::vector<std::string> indices;
    for (size_t k = 0; k < node.dims.size(); ++k) indices.push_back(Index(k));
    return indices;
  }
  std::string Ref(size_t i, const std::vector<std::string>& indices) const {
    if (IsScalar(i)) return ConstantText(nodes_[i]);
    return indices.empty() ? values_[i] : values_[i] + "[" + Joined(indices) + "]";
  }
  std::string Left(size_t i) const { return Ref(i, Indices(nodes_[i])); }
  size_t Operand(const SemanticNode& node, size_t k) const { return static_cast<size_t>(node.operands[k]); }
  std::string Same(const SemanticNode& node, size_t k) const {
    const size_t operand = Operand(node, k);
    return Ref(operand, nodes_[operand].dims.empty() ? std::vector<std::string>() : Indices(node));
  }
  std::vector<int64_t> Numbers(const std::vector<Expression>& list) const {
    std::vector<int64_t> numbers;
    for (const Expression& e : list) numbers.push_back(e.AsInteger().value_or(-1));
    return numbers;
  }

  std::string Right(size_t i) const {
    const SemanticNode& node = nodes_[i];
    switch (node.opcode) {
      case Opcode::kConstant:
        return ConstantText(node);
      case Opcode::kIota:
        return Index(static_cast<size_t>(std::max<int64_t>(0, Numbers(node.dimensions).at(0))));
      case Opcode::kCopy:
      case Opcode::kConvert:
        return Same(node, 0);
      case Opcode::kReshape:
        return "reshape(" + values_[Operand(node, 0)] + ")";
      case Opcode::kBitcastConvert:
        return "bits(" + values_[Operand(node, 0)] + ")";
      case Opcode::kBroadcast:
        return Broadcast(node);
      case Opcode::kTranspose:
        return Transpose(node);
      case Opcode::kSlice:
        return Slice(node);
      case Opcode::kReverse:
        return Reverse(node);
      case Opcode::kConcatenate:
        return Concatenate(node);
      case Opcode::kPad:
        return Pad(node);
      case Opcode::kDynamicSlice:
      case Opcode::kDynamicUpdateSlice:
        return Dynamic(node);
      case Opcode::kDot:
        return Dot(node);
      case Opcode::kReduce:
        return Reduce(node);
      case Opcode::kCompare:
        return Same(node, 0) + std::string(Relation(node.direction)) + Same(node, 1);
      case Opcode::kSelect:
        return Same(node, 0) + " ? " + Same(node, 1) + " : " + Same(node, 2);
      case Opcode::kClamp:
        return "min(max(" + Same(node, 0) + ", " + Same(node, 1) + "), " + Same(node, 2) + ")";
      case Opcode::kFma:
        return Same(node, 0) + " * " + Same(node, 1) + " + " + Same(node, 2);
      default:
        break;
    }
    const char* infix = Infix(node.opcode);
    if (infix != nullptr && node.operands.size() == 2) return Same(node, 0) + infix + Same(node, 1);
    std::string text = (node.opcode == Opcode::kOther ? node.operation : FunctionName(node.opcode)) + "(";
    for (size_t k = 0; k < node.operands.size(); ++k) text += (k > 0 ? ", " : "") + Same(node, k);
    return text + ")";
  }

  std::string Remark(size_t i) const {
    const SemanticNode& node = nodes_[i];
    const std::string_view type = ElementTypeName(node.type);
    switch (node.opcode) {
      case Opcode::kReshape:
        return " (the same elements in the same row-major order)";
      case Opcode::kBitcastConvert:
        return " (the same bytes, little-endian, read as " + std::string(type) + ")";
      case Opcode::kConvert:
        return " (converted to " + std::string(type) + ")";
      case Opcode::kFma:
        return " (one rounding)";
      case Opcode::kDot:
        return IsFloat(node.type) ? " (accumulated in " + Accumulator(node) +
                                        " from 0, k0 = 0 first; then rounded to " + std::string(type) + ")"
                                  : " (wraps at the width of " + std::string(type) + ")";
      case Opcode::kReduce: {
        const bool sum = node.reducer == hlo::Reducer::kAdd || node.reducer == hlo::Reducer::kMultiply;
        return IsFloat(node.type) && sum
                   ? " (accumulated in " + Accumulator(node) +
                         " in increasing row-major order of k; then rounded to " + std::string(type) + ")"
                   : "";
      }
      default:
        return "";
    }
  }

  // As eval/eval.h has it for dot and reduce.
  std::string Accumulator(const SemanticNode& node) const {
    bool wide = node.type == ElementType::kF64;
    for (const int32_t operand : node.operands) {
      const ElementType type = nodes_[static_cast<size_t>(operand)].type;
      wide = wide || type == ElementType::kF64 || (IsInteger(type) && BitWidth(type) > 16);
    }
    return wide ? "f64" : "f32";
  }

  std::string Broadcast(const SemanticNode& node) const {
    std::vector<std::string> indices;
    for (const int64_t d : Numbers(node.dimensions)) indices.push_back(Index(static_cast<size_t>(d)));
    return Ref(Operand(node, 0), indices);
  }
  std::string Transpose(const SemanticNode& node) const {
    const std::vector<int64_t> permutation = Numbers(node.dimensions);
    std::vector<std::string> indices(permutation.size());
    for (size_t k = 0; k < permutation.size(); ++k) {
      const size_t to = static_cast<size_t>(permutation[k]);
      if (to < indices.size()) indices[to] = Index(k);
    }
    return Ref(Operand(node, 0), indices);
  }
  std::string Slice(const SemanticNode& node) const {
    std::vector<std::string> indices;
    for (size_t k = 0; k < node.slice.size(); ++k) {
      const auto start = node.slice[k].start.AsInteger(), stride = node.slice[k].stride.AsInteger();
      std::string index = stride == 1 ? Index(k) : "(" + Text(node.slice[k].stride) + ")*" + Index(k);
      if (start != 0) index = Text(node.slice[k].start) + " + " + index;
      indices.push_back(index);
    }
    return Ref(Operand(node, 0), indices);
  }
  std::string Reverse(const SemanticNode& node) const {
    std::vector<std::string> indices = Indices(node);
    for (const int64_t d : Numbers(node.dimensions)) {
      const size_t k = static_cast<size_t>(d);
      if (k < indices.size()) indices[k] = Text(node.dims[k]) + " - 1 - " + Index(k);
    }
    return Ref(Operand(node, 0), indices);
  }
  std::string Concatenate(const SemanticNode& node) const {
    std::string text = "concatenate(";
    for (size_t k = 0; k < node.operands.size(); ++k) text += (k > 0 ? ", " : "") + values_[Operand(node, k)];
    return text + ") along dimension " + Text(node.dimensions.at(0));
  }
  std::string Pad(const SemanticNode& node) const {
    std::string text = "pad(" + values_[Operand(node, 0)] + ", with " + Ref(Operand(node, 1), {}) + ":";
    for (size_t k = 0; k < node.padding.size(); ++k) {
      const hlo::PadDim& pad = node.padding[k];
      text += (k > 0 ? ";" : "") + std::string(" dimension ") + std::to_string(k) + " " +
              std::to_string(pad.low) + " before, " + std::to_string(pad.high) + " behind";
      if (pad.interior != 0) text += ", " + std::to_string(pad.interior) + " between neighbours";
    }
    return text + ")";
  }
  std::string Dynamic(const SemanticNode& node) const {
    const bool update = node.opcode == Opcode::kDynamicUpdateSlice;
    std::vector<std::string> starts;
    for (size_t k = update ? 2 : 1; k < node.operands.size(); ++k)
      starts.push_back(Ref(Operand(node, k), {}));
    const std::string window = "the window at (" + Joined(starts) + ")";
    const std::string operand = values_[Operand(node, 0)];
    if (!update) return window + " of " + operand;
    return operand + " with " + window + " replaced by " + values_[Operand(node, 1)];
  }

  std::string Dot(const SemanticNode& node) const {
    const SemanticNode& a = nodes_[Operand(node, 0)];
    const SemanticNode& b = nodes_[Operand(node, 1)];
    std::vector<std::string> left(a.dims.size()), right(b.dims.size()), sums;
    size_t next = 0;
    for (size_t k = 0; k < node.dot.lhs_batch.size(); ++k) {
      left.at(static_cast<size_t>(node.dot.lhs_batch[k])) = Index(next);
      right.at(static_cast<size_t>(node.dot.rhs_batch.at(k))) = Index(next++);
    }
    for (size_t k = 0; k < node.dot.lhs_contracting.size(); ++k) {
      const size_t d = static_cast<size_t>(node.dot.lhs_contracting[k]);
      const std::string index = "k" + std::to_string(k);
      left.at(d) = index;
      right.at(static_cast<size_t>(node.dot.rhs_contracting.at(k))) = index;
      sums.push_back(index + " in 0.." + Text(a.dims.at(d)));
    }
    for (auto* side : {&left, &right}) {
      for (std::string& index : *side) {
        if (index.empty()) index = Index(next++);
      }
    }
    return "sum over " + Joined(sums) + " of " + Ref(Operand(node, 0), left) + " * " +
           Ref(Operand(node, 1), right);
  }

  std::string Reduce(const SemanticNode& node) const {
    const size_t operand = Operand(node, 0);
    const SemanticNode& a = nodes_[operand];
    const std::vector<int64_t> reduced = Numbers(node.dimensions);
    std::vector<std::string> indices, over;
    size_t kept = 0;
    for (size_t d = 0; d < a.dims.size(); ++d) {
      if (std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(d)) == reduced.end()) {
        indices.push_back(Index(kept++));
      } else {
        indices.push_back("k" + std::to_string(over.size()));
        over.push_back(indices.back() + " in 0.." + Text(a.dims[d]));
      }
    }
    const Opcode opcode = node.reducer ? hlo::ReducerOpcode(*node.reducer) : Opcode::kOther;
    const std::string what = opcode == Opcode::kAdd        ? "sum"
                             : opcode == Opcode::kMultiply ? "product"
                                                           : FunctionName(opcode);
    return what + " over " + Joined(over) + " of " + Ref(operand, indices) + ", starting with " +
           Ref(Operand(node, 1), {});
  }

  const isa::Instruction& instruction_;
  const std::vector<SemanticNode>& nodes_;
  const std::vector<std::string> states_;
  isa::NameTable names_;
  Formulas formulas_;
  std::vector<std::string> values_;
  std::set<std::string> used_;
};

}  // namespace

Formulas DescribeSemantics(const isa::Accelerator& accelerator, const isa::Instruction& instruction) {
  return Describer(accelerator, instruction).Describe();
}

std::string RegionShape(const isa::Accelerator& accelerator, const isa::Instruction& instruction,
                        const isa::Region& region) {
  const std::vector<std::string> states = accelerator.state_names();
  const isa::NameTable names = isa::Names(instruction, states);
  const isa::Buffer& buffer = accelerator.buffer(region.buffer);
  std::vector<std::string> dims;
  for (const Expression& size : region.sizes) {
    dims.push_back(isa::ToString(size, names, isa::NameStyle::kPlain));
  }
  for (const int64_t d : buffer.unit) dims.push_back(std::to_string(d));
  return std::string(ElementTypeName(buffer.type)) + "[" + Joined(dims) + "]";
}

}  // namespace act::cli
