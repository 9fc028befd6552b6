// Reading the statements gives the same nodes in the same order: an operation's operands are read left to
// right, inner ones first, so a node may stand inside its only user exactly when the nodes between them stand
// there too.
#include "isa/semantics_print.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <set>

#include "isa/native_semantics.h"

namespace act::isa {
namespace {

using hlo::Opcode;

// Longer operands get a line of their own.
constexpr size_t kMaxInlineText = 60;
constexpr int kMaxInlineDepth = 6;

std::string DoubleText(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, end.ptr);
}

// The shortest text that reads back to the same bits.
std::string FloatText(double value, ElementType type) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const float narrow = static_cast<float>(value);
  if (static_cast<double>(narrow) == value && type != ElementType::kF64) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof(buffer), narrow);
    double back = 0;
    std::from_chars(buffer, end.ptr, back);
    if (std::bit_cast<uint64_t>(RoundToType(back, type)) == std::bit_cast<uint64_t>(value)) {
      return std::string(buffer, end.ptr);
    }
  }
  return DoubleText(value);
}

std::string IntegerText(int64_t value, ElementType type) {
  if (type == ElementType::kPred) return value != 0 ? "true" : "false";
  return IsUnsignedInteger(type) ? std::to_string(static_cast<uint64_t>(value)) : std::to_string(value);
}

std::string_view FirstWord(std::string_view text) {
  size_t stop = 0;
  while (stop < text.size() && IsNameChar(text[stop])) ++stop;
  return text.substr(0, stop);
}

std::string OperationText(Opcode opcode) {
  if (opcode == Opcode::kExp) return "exp";
  std::string name(hlo::OpcodeName(opcode));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class Writer {
 public:
  Writer(const Instruction& instruction, const NameTable& names)
      : instruction_(instruction), nodes_(instruction.semantics.nodes), names_(names) {}

  PrintedSemantics Write() {
    PrintedSemantics printed;
    NameRegions(&printed);
    if (nodes_.empty()) return printed;
    CountUses();
    texts_.resize(nodes_.size());
    starts_.resize(nodes_.size());
    depths_.assign(nodes_.size(), 0);
    inlined_.assign(nodes_.size(), false);
    value_names_.resize(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].opcode == Opcode::kParameter) {
        const size_t k = static_cast<size_t>(nodes_[i].parameter);
        value_names_[i] = k < printed.inputs.size() ? printed.inputs[k] : "?";
      }
    }
    // Output names belong to the first value that is stored under them.
    std::vector<bool> named(instruction_.outputs.size(), false);
    for (size_t j = 0; j < printed.outputs.size() && j < instruction_.semantics.outputs.size(); ++j) {
      std::string& name = value_names_[static_cast<size_t>(instruction_.semantics.outputs[j])];
      if (!name.empty()) continue;
      name = printed.outputs[j];
      named[j] = true;
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].opcode != Opcode::kParameter) Compose(i);
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].opcode == Opcode::kParameter || inlined_[i]) continue;
      printed.statements.push_back(NameOf(i) + " = " + texts_[i]);
    }
    for (size_t j = 0; j < printed.outputs.size() && j < instruction_.semantics.outputs.size(); ++j) {
      if (named[j]) continue;
      printed.statements.push_back(printed.outputs[j] + " = " +
                                   value_names_[static_cast<size_t>(instruction_.semantics.outputs[j])]);
    }
    return printed;
  }

 private:
  // A name like `wanted` that is free; taken from then on.
  std::string Fresh(std::string_view wanted, std::string_view fallback) {
    std::string base;
    for (const char c : wanted.substr(0, 100)) base += IsNameChar(c) ? c : '_';
    if (base.empty() || !IsNameStart(base.front())) base = std::string(fallback);
    std::string name = base;
    for (int n = 2; used_names_.contains(name) || !IsFreeValueName(names_, name); ++n) {
      name = base + "_" + std::to_string(n);
    }
    used_names_.insert(name);
    return name;
  }

  void NameRegions(PrintedSemantics* printed) {
    const bool any_mark = !instruction_.inplace.empty() || !instruction_.apart.empty() ||
                          !instruction_.no_partial_overlap.empty();
    std::vector<std::string> wanted(instruction_.inputs.size());
    for (const SemanticNode& node : nodes_) {
      const size_t k = static_cast<size_t>(node.parameter);
      if (node.opcode == Opcode::kParameter && k < wanted.size()) wanted[k] = node.name;
    }
    for (size_t k = 0; k < instruction_.inputs.size(); ++k) {
      const std::string& own = instruction_.inputs[k].name;
      if (own.empty() && nodes_.empty() && !any_mark) {
        printed->inputs.emplace_back();
      } else {
        printed->inputs.push_back(Fresh(own.empty() ? wanted[k] : own, "x"));
      }
    }
    for (size_t j = 0; j < instruction_.outputs.size(); ++j) {
      const std::string& own = instruction_.outputs[j].name;
      if (own.empty() && nodes_.empty()) {
        printed->outputs.emplace_back();
        continue;
      }
      std::string from_value;
      if (j < instruction_.semantics.outputs.size()) {
        from_value = nodes_[static_cast<size_t>(instruction_.semantics.outputs[j])].name;
      }
      printed->outputs.push_back(Fresh(own.empty() ? from_value : own, "y"));
    }
  }

  void CountUses() {
    uses_.assign(nodes_.size(), 0);
    for (const SemanticNode& node : nodes_) {
      for (const int32_t operand : node.operands) ++uses_[static_cast<size_t>(operand)];
    }
    for (const int32_t output : instruction_.semantics.outputs) uses_[static_cast<size_t>(output)] += 2;
  }

  std::string Item(const Expression& expression) const {
    return ToString(expression, names_, NameStyle::kPlain);
  }

  std::string List(const std::vector<Expression>& items, char open, char close) const {
    std::string text(1, open);
    for (size_t i = 0; i < items.size(); ++i) text += (i > 0 ? "," : "") + Item(items[i]);
    return text + close;
  }

  static std::string List(const std::vector<int64_t>& items) {
    std::string text = "{";
    for (size_t i = 0; i < items.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(items[i]);
    return text + "}";
  }

  bool IsScalarConstant(const SemanticNode& node) const {
    return node.opcode == Opcode::kConstant && node.dims.empty();
  }

  // The init that reduce_add and its like supply themselves.
  bool IsIdentity(const SemanticNode& init, const SemanticNode& reduce) const {
    if (!IsScalarConstant(init) || init.type != reduce.type || !reduce.reducer) return false;
    if (!TypeFits(ReducerTypes(*reduce.reducer), init.type) || init.constant.expression) return false;
    const Literal identity = hlo::ReducerIdentity(*reduce.reducer, init.type);
    SymbolicConstant expected;
    if (IsFloat(init.type)) {
      expected.floats = {identity.GetDouble(0)};
    } else {
      expected.integers = {identity.GetInt(0)};
    }
    return init.constant == expected;
  }

  // A dynamic start that can be written as an integer expression.
  bool IsPlainStart(const SemanticNode& node) const {
    return IsScalarConstant(node) && node.type == ElementType::kS64 &&
           (node.constant.expression || node.constant.integers.size() == 1) &&
           !(node.constant.expression && node.constant.expression->nodes.size() == 1 &&
             node.constant.expression->nodes[0].kind == Expression::Kind::kInteger);
  }

  std::string ConstantText(const SemanticNode& node) const {
    const SymbolicConstant& constant = node.constant;
    if (constant.expression) {
      std::string text = Item(*constant.expression);
      const std::string_view word = FirstWord(text);
      // An attribute of that name would be read as the value.
      const bool clash = word == "inf" || word == "infinity" || word == "nan" || word == "true" ||
                         word == "false" || text.starts_with("-");
      // A lone integer in brackets stays an expression.
      const bool digits = constant.expression->nodes.size() == 1 &&
                          constant.expression->nodes[0].kind == Expression::Kind::kInteger;
      return clash || digits ? "(" + text + ")" : text;
    }
    std::vector<std::string> values;
    for (const double value : constant.floats) values.push_back(FloatText(value, node.type));
    for (const int64_t value : constant.integers) values.push_back(IntegerText(value, node.type));
    if (values.size() == 1) return values.front();
    std::string text = "{";
    for (size_t i = 0; i < values.size(); ++i) text += (i > 0 ? ", " : "") + values[i];
    return text + "}";
  }

  std::string PlainStartText(const SemanticNode& node) const {
    if (!node.constant.expression) return std::to_string(node.constant.integers.front());
    // An attribute with the name of an element type would be read as the result's type.
    std::string text = Item(*node.constant.expression);
    return ElementTypeFromName(FirstWord(text)) ? "(" + text + ")" : text;
  }

  // Decides which operands stand inside, and writes the operation.
  void Compose(size_t i) {
    const SemanticNode& node = nodes_[i];
    std::vector<std::string> operands(node.operands.size());
    size_t next = i;  // one past the node that would have to stand inside next
    bool trailing = node.opcode == Opcode::kDynamicSlice || node.opcode == Opcode::kDynamicUpdateSlice;
    const size_t fixed = node.opcode == Opcode::kDynamicSlice ? 1 : 2;
    bool short_reduce = false;
    for (size_t o = node.operands.size(); o-- > 0;) {
      const size_t operand = static_cast<size_t>(node.operands[o]);
      const SemanticNode& inner = nodes_[operand];
      const bool adjacent = operand + 1 == next && uses_[operand] == 1 && inner.opcode != Opcode::kParameter;
      if (adjacent && node.opcode == Opcode::kReduce && o == 1 && IsIdentity(inner, node)) {
        inlined_[operand] = true;
        short_reduce = true;
        next = operand;
        continue;
      }
      trailing = trailing && o >= fixed && adjacent && IsPlainStart(inner);
      if (trailing) {
        inlined_[operand] = true;
        operands[o] = PlainStartText(inner);
        next = operand;
        continue;
      }
      if (adjacent && texts_[operand].size() <= kMaxInlineText && depths_[operand] < kMaxInlineDepth) {
        inlined_[operand] = true;
        operands[o] = texts_[operand];
        depths_[i] = std::max(depths_[i], depths_[operand] + 1);
        next = starts_[operand];
        continue;
      }
      operands[o] = NameOf(operand);
    }
    starts_[i] = next;
    texts_[i] = CallText(node, operands, short_reduce);
  }

  // Names are given when a value turns out to need one: it is used by name, or stands on a line of its own.
  const std::string& NameOf(size_t node) {
    if (value_names_[node].empty()) value_names_[node] = Fresh(nodes_[node].name, "t");
    return value_names_[node];
  }

  std::string CallText(const SemanticNode& node, const std::vector<std::string>& operands,
                       bool short_reduce) {
    std::string op = node.opcode == Opcode::kOther ? node.operation : OperationText(node.opcode);
    if (short_reduce) op = "reduce_" + std::string(ReducerWord(*node.reducer));
    std::string text = op + "(";
    bool first = true;
    const auto add = [&](const std::string& argument) {
      text += (first ? "" : ", ") + argument;
      first = false;
    };
    for (size_t o = 0; o < operands.size(); ++o) {
      if (!(short_reduce && o == 1)) add(operands[o]);
    }
    if (node.opcode == Opcode::kConstant) add(ConstantText(node));
    if (node.opcode == Opcode::kReduce && !short_reduce && node.reducer)
      add(std::string(ReducerWord(*node.reducer)));
    if (node.opcode == Opcode::kCompare) add(std::string(hlo::DirectionName(node.direction)));
    const std::string type = TypeText(node);
    if (!type.empty()) add(type);
    AddAttributes(node, add);
    return text + ")";
  }

  // The type where reading would not find it by itself, or would find another.
  std::string TypeText(const SemanticNode& node) const {
    const ElementType type = InferType(node, nodes_);
    const std::string name(ElementTypeName(node.type));
    if (node.opcode == Opcode::kConstant && node.dims.empty()) return name;
    const auto dims = InferDims(node, nodes_);
    const bool explicit_dims = node.opcode == Opcode::kBitcastConvert || !dims.ok() || !dims->has_value() ||
                               **dims != node.dims || IsLong(node.dims);
    if (explicit_dims) return name + List(node.dims, '[', ']');
    return type == node.type ? std::string() : name;
  }

  static bool IsLong(const std::vector<Expression>& dims) {
    return std::any_of(dims.begin(), dims.end(),
                       [](const Expression& dim) { return dim.nodes.size() > kMaxInferredNodes; });
  }

  template <typename Add>
  void AddAttributes(const SemanticNode& node, const Add& add) const {
    switch (node.opcode) {
      case Opcode::kIota:
      case Opcode::kBroadcast:
      case Opcode::kReduce:
      case Opcode::kTranspose:
      case Opcode::kConcatenate:
      case Opcode::kReverse:
        add(List(node.dimensions, '{', '}'));
        break;
      case Opcode::kDynamicSlice:
        add(List(node.dynamic_slice_sizes, '{', '}'));
        break;
      case Opcode::kSlice:
        if (node.slice.empty()) add("slice={}");
        for (const SymbolicSlice& range : node.slice) {
          std::string text = "[" + Item(range.start) + ":" + Item(range.limit);
          if (!(range.stride == Expression::Integer(1))) text += ":" + Item(range.stride);
          add(text + "]");
        }
        break;
      case Opcode::kPad:
        if (node.padding.empty()) add("padding={}");
        for (const hlo::PadDim& pad : node.padding) {
          std::string text = "[" + std::to_string(pad.low) + ":" + std::to_string(pad.high);
          if (pad.interior != 0) text += ":" + std::to_string(pad.interior);
          add(text + "]");
        }
        break;
      case Opcode::kDot:
        if (!node.dot.lhs_batch.empty() || !node.dot.rhs_batch.empty()) {
          add("lhs_batch=" + List(node.dot.lhs_batch));
          add("rhs_batch=" + List(node.dot.rhs_batch));
        }
        add("lhs_contracting=" + List(node.dot.lhs_contracting));
        add("rhs_contracting=" + List(node.dot.rhs_contracting));
        break;
      default:
        break;
    }
  }

 private:
  const Instruction& instruction_;
  const std::vector<SemanticNode>& nodes_;
  const NameTable& names_;
  std::set<std::string, std::less<>> used_names_;
  std::vector<std::string> texts_, value_names_;
  std::vector<size_t> starts_;  // the first node that stands inside this one, or itself
  std::vector<int> depths_, uses_;
  std::vector<bool> inlined_;
};

}  // namespace

PrintedSemantics PrintSemantics(const Instruction& instruction, const NameTable& names) {
  return Writer(instruction, names).Write();
}

}  // namespace act::isa
