#include "select/pattern.h"

#include <algorithm>
#include <numeric>

namespace act::select {
namespace {

enum class Special : uint8_t { kNone, kZero, kOne, kMinusOne, kIdentity, kReversed, kDiagonal };

const char* SpecialName(Special special) {
  switch (special) {
    case Special::kNone:
      return "";
    case Special::kZero:
      return "0";
    case Special::kOne:
      return "1";
    case Special::kMinusOne:
      return "-1";
    case Special::kIdentity:
      return "identity";
    case Special::kReversed:
      return "reversed identity";
    case Special::kDiagonal:
      return "diagonal";
  }
  return "";
}

// One element of a type with a small integer value.
std::vector<uint8_t> Element(ElementType type, int64_t value) {
  Literal literal(Shape::Array(type, {}));
  literal.SetInt(0, value);
  return literal.bytes;
}

std::vector<uint8_t> Repeat(const std::vector<uint8_t>& element, int64_t count) {
  std::vector<uint8_t> out;
  out.reserve(element.size() * static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) out.insert(out.end(), element.begin(), element.end());
  return out;
}

// An n x n matrix with ones on the diagonal, or on the other one.
std::vector<uint8_t> UnitMatrix(ElementType type, int64_t n, bool reversed) {
  const std::vector<uint8_t> one = Element(type, 1);
  std::vector<uint8_t> out(one.size() * static_cast<size_t>(n * n));
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = i * n + (reversed ? n - 1 - i : i);
    std::copy(one.begin(), one.end(),
              out.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(at) * one.size()));
  }
  return out;
}

// Builds a pattern; terms are numbers of edges.
class PatternBuilder final : public TermBuilder {
 public:
  PatternBuilder(OperatorTable* operators, const std::vector<int64_t>& parameter_bytes,
                 std::vector<Special> specials)
      : operators_(operators), specials_(std::move(specials)) {
    for (size_t k = 0; k < parameter_bytes.size(); ++k) {
      PatternNode node;
      node.kind = PatternNode::Kind::kParameter;
      node.parameter = static_cast<int32_t>(k);
      node.bytes = parameter_bytes[k];
      pattern_.nodes.push_back(std::move(node));
      parameters_.push_back(NewEdge({static_cast<int32_t>(k), View::Identity(parameter_bytes[k])}));
    }
  }
  const std::vector<int32_t>& parameters() const { return parameters_; }

  int32_t MakeConstant(const std::vector<uint8_t>& bytes) override {
    PatternNode node;
    node.kind = PatternNode::Kind::kConstant;
    node.bytes = static_cast<int64_t>(bytes.size());
    node.constant = bytes;
    return WholeNode(std::move(node));
  }

  StatusOr<int32_t> MakeView(int32_t term, const View& view) override {
    const PatternEdge& edge = edges_[static_cast<size_t>(term)];
    auto composed = Compose(edge.view, view);
    if (!composed) {
      return Error(ErrorClass::kValue, "derive-view",
                   "the data movement " + view.ToString() + " after " + edge.view.ToString() +
                       " is no single view; describe it by one transpose or slice");
    }
    return NewEdge({edge.node, *std::move(composed)});
  }

  StatusOr<int32_t> MakeOperation(const Operator& op, std::span<const int32_t> operands) override {
    if (std::any_of(specials_.begin(), specials_.end(), [](Special s) { return s != Special::kNone; })) {
      ACT_ASSIGN_OR_RETURN(const int32_t simplified, Simplify(op, operands));
      if (simplified >= 0) return simplified;
    }
    return Operation(op, operands);
  }

  // Moves the pattern out, dropping nodes the root does not reach.
  Pattern Finish(int32_t root) {
    pattern_.root = edges_[static_cast<size_t>(root)];
    std::vector<bool> used(pattern_.nodes.size());
    used[static_cast<size_t>(pattern_.root.node)] = true;
    for (size_t i = pattern_.nodes.size(); i-- > 0;) {
      if (!used[i]) continue;
      for (const PatternEdge& child : pattern_.nodes[i].children)
        used[static_cast<size_t>(child.node)] = true;
    }
    std::vector<int32_t> number(pattern_.nodes.size(), -1);
    std::vector<PatternNode> kept;
    for (size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      number[i] = static_cast<int32_t>(kept.size());
      kept.push_back(std::move(pattern_.nodes[i]));
      for (PatternEdge& child : kept.back().children) child.node = number[static_cast<size_t>(child.node)];
    }
    pattern_.nodes = std::move(kept);
    pattern_.root.node = number[static_cast<size_t>(pattern_.root.node)];
    for (ConstantOperand& constant : pattern_.constants) {
      if (constant.diagonal < 0) continue;
      constant.diagonal = number[static_cast<size_t>(constant.diagonal)];
      if (constant.diagonal < 0) pattern_.dangling = true;
    }
    return std::move(pattern_);
  }

 private:
  int32_t NewEdge(PatternEdge edge) {
    edges_.push_back(std::move(edge));
    return static_cast<int32_t>(edges_.size() - 1);
  }
  int32_t WholeNode(PatternNode node) {
    const int64_t bytes = node.bytes;
    // Equal nodes are one: a value used twice is one node of the DAG.
    for (size_t i = 0; i < pattern_.nodes.size(); ++i) {
      const PatternNode& other = pattern_.nodes[i];
      if (other.kind == node.kind && node.kind != PatternNode::Kind::kFree && other.op == node.op &&
          other.bytes == bytes && other.constant == node.constant &&
          SameEdges(other.children, node.children)) {
        if (node.kind == PatternNode::Kind::kParameter) continue;
        return NewEdge({static_cast<int32_t>(i), View::Identity(bytes)});
      }
    }
    pattern_.nodes.push_back(std::move(node));
    return NewEdge({static_cast<int32_t>(pattern_.nodes.size() - 1), View::Identity(bytes)});
  }
  static bool SameEdges(const std::vector<PatternEdge>& a, const std::vector<PatternEdge>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const PatternEdge& x, const PatternEdge& y) {
      return x.node == y.node && x.view == y.view;
    });
  }

  int32_t Operation(const Operator& op, std::span<const int32_t> operands) {
    PatternNode node;
    node.op = operators_->Intern(op);
    for (int32_t operand : operands) node.children.push_back(edges_[static_cast<size_t>(operand)]);
    node.bytes = op.bytes;
    if (op.kind == OperatorKind::kElementwise) {
      node.bytes = node.children[0].view.size() / StorageBytes(op.operand_types[0]) * StorageBytes(op.type);
    }
    return WholeNode(std::move(node));
  }

  // The special of an operand that is a bijective view of a replaced parameter.
  Special SpecialOf(int32_t operand) const {
    const PatternEdge& edge = edges_[static_cast<size_t>(operand)];
    const PatternNode& node = pattern_.nodes[static_cast<size_t>(edge.node)];
    if (node.kind != PatternNode::Kind::kParameter) return Special::kNone;
    if (!Inverse(edge.view, node.bytes)) return Special::kNone;
    return specials_[static_cast<size_t>(node.parameter)];
  }

  // Demands that the operand hold `content`.
  void Require(int32_t operand, const std::vector<uint8_t>& content) {
    const PatternEdge& edge = edges_[static_cast<size_t>(operand)];
    const PatternNode& node = pattern_.nodes[static_cast<size_t>(edge.node)];
    ConstantOperand constant;
    constant.parameter = node.parameter;
    constant.bytes = ApplyView(*Inverse(edge.view, node.bytes), content);
    pattern_.constants.push_back(std::move(constant));
  }

  StatusOr<int32_t> Convert(int32_t term, ElementType from, ElementType to) {
    if (from == to) return term;
    return MakeOperation(Operator::Elementwise(hlo::Opcode::kConvert, to, {from}),
                         std::vector<int32_t>{term});
  }

  // The simpler term that `op` is with the replaced operands; -1: none. A constant operand larger than what
  // is folded is not worth its bytes.
  StatusOr<int32_t> Simplify(const Operator& op, std::span<const int32_t> operands) {
    for (int32_t operand : operands) {
      const View& view = edges_[static_cast<size_t>(operand)].view;
      if (SpecialOf(operand) != Special::kNone && view.size() > kFoldLimitBytes) return -1;
    }
    if (op.kind == OperatorKind::kDot && op.dims[0] == 1) {
      for (size_t side = 0; side < 2; ++side) {
        ACT_ASSIGN_OR_RETURN(const int32_t simple, SimplifyDot(op, operands, side));
        if (simple >= 0) return simple;
      }
    }
    if (op.kind == OperatorKind::kElementwise && operands.size() == 2) {
      for (size_t side = 0; side < 2; ++side) {
        ACT_ASSIGN_OR_RETURN(const int32_t simple, SimplifyBinary(op, operands, side));
        if (simple >= 0) return simple;
      }
    }
    return -1;
  }

  // dot with operand `side` special.
  StatusOr<int32_t> SimplifyDot(const Operator& op, std::span<const int32_t> operands, size_t side) {
    const Special special = SpecialOf(operands[side]);
    const int64_t m = op.dims[1], k = op.dims[2], n = op.dims[3];
    const int64_t square = side == 1 ? n : m;  // the other extent of the special matrix
    const ElementType type = op.operand_types[side];
    const ElementType other_type = op.operand_types[1 - side];
    const int32_t other = operands[1 - side];
    if (special == Special::kZero) {
      Require(operands[side], Repeat(Element(type, 0), k * square));
      if (!IsInteger(op.type)) pattern_.marks.finite = true;
      return MakeView(MakeConstant(Element(op.type, 0)), View({{m * n, 0}, {StorageBytes(op.type), 1}}));
    }
    if (k != square) return -1;
    if (special == Special::kIdentity || special == Special::kReversed) {
      const bool reversed = special == Special::kReversed;
      Require(operands[side], UnitMatrix(type, k, reversed));
      if (!IsInteger(op.type)) pattern_.marks.finite = true;
      ACT_ASSIGN_OR_RETURN(const int32_t converted, Convert(other, other_type, op.type));
      if (!reversed) return converted;
      const int64_t w = StorageBytes(op.type);
      const View flip = side == 1 ? View({{m, n * w}, {n, -w}, {w, 1}}, (n - 1) * w)
                                  : View({{m, -n * w}, {n * w, 1}}, (m - 1) * n * w);
      return MakeView(converted, flip);
    }
    // A diagonal scales columns (right) or rows (left). Exact only if the product has no further rounding
    // than the elementwise one: one type throughout.
    if (special == Special::kDiagonal && type == op.type && other_type == op.type) {
      const PatternEdge edge = edges_[static_cast<size_t>(operands[side])];
      const int64_t w = StorageBytes(type);
      ConstantOperand constant;
      constant.parameter = pattern_.nodes[static_cast<size_t>(edge.node)].parameter;
      constant.placement = *Inverse(edge.view, pattern_.nodes[static_cast<size_t>(edge.node)].bytes);
      constant.size = k;
      constant.width = w;
      PatternNode vector;
      vector.kind = PatternNode::Kind::kFree;
      vector.bytes = k * w;
      const int32_t free = WholeNode(std::move(vector));
      constant.diagonal = edges_[static_cast<size_t>(free)].node;
      pattern_.constants.push_back(std::move(constant));
      if (!IsInteger(op.type)) pattern_.marks.finite = true;
      const View spread = side == 1 ? View({{m, 0}, {n, w}, {w, 1}}) : View({{m, w}, {n, 0}, {w, 1}});
      ACT_ASSIGN_OR_RETURN(const int32_t factor, MakeView(free, spread));
      return MakeOperation(Operator::Elementwise(hlo::Opcode::kMultiply, op.type, {op.type, op.type}),
                           std::vector<int32_t>{other, factor});
    }
    return -1;
  }

  StatusOr<int32_t> SimplifyBinary(const Operator& op, std::span<const int32_t> operands, size_t side) {
    const Special special = SpecialOf(operands[side]);
    if (special == Special::kNone || op.operand_types[0] != op.type || op.operand_types[1] != op.type)
      return -1;
    const int64_t count = edges_[static_cast<size_t>(operands[side])].view.size() / StorageBytes(op.type);
    const int32_t other = operands[1 - side];
    using hlo::Opcode;
    const bool zero_vanishes =
        op.opcode == Opcode::kAdd || op.opcode == Opcode::kOr || op.opcode == Opcode::kXor ||
        (side == 1 &&
         (op.opcode == Opcode::kSubtract || op.opcode == Opcode::kShiftLeft ||
          op.opcode == Opcode::kShiftRightArithmetic || op.opcode == Opcode::kShiftRightLogical));
    const bool one_vanishes = op.opcode == Opcode::kMultiply || (side == 1 && op.opcode == Opcode::kDivide);
    if (special == Special::kZero && zero_vanishes) {
      Require(operands[side], Repeat(Element(op.type, 0), count));
      // x + 0 loses the sign of -0.
      if (IsFloat(op.type) && op.opcode == Opcode::kAdd) pattern_.marks.finite = true;
      return other;
    }
    if (special == Special::kOne && one_vanishes) {
      Require(operands[side], Repeat(Element(op.type, 1), count));
      return other;
    }
    if (special == Special::kMinusOne && op.opcode == Opcode::kMultiply && !IsUnsignedInteger(op.type)) {
      Require(operands[side], Repeat(Element(op.type, -1), count));
      return MakeOperation(Operator::Elementwise(Opcode::kNegate, op.type, {op.type}),
                           std::vector<int32_t>{other});
    }
    return -1;
  }

  OperatorTable* operators_;
  std::vector<Special> specials_;
  Pattern pattern_;
  std::vector<PatternEdge> edges_;
  std::vector<int32_t> parameters_;
};

}  // namespace

StatusOr<std::vector<Pattern>> DerivePatterns(const isa::Accelerator& accelerator,
                                              const isa::Instruction& instruction,
                                              std::span<const int64_t> computational,
                                              OperatorTable* operators) {
  ACT_ASSIGN_OR_RETURN(const isa::Instance instance,
                       isa::Instantiate(accelerator, instruction, computational, {}));
  std::vector<int64_t> parameter_bytes;
  for (int32_t p : instance.body.parameters) {
    parameter_bytes.push_back(*instance.body.instructions[static_cast<size_t>(p)].shape.num_bytes());
  }
  const size_t inputs = parameter_bytes.size();
  std::vector<Pattern> patterns;
  const auto build = [&](std::vector<Special> specials) -> Status {
    PatternBuilder builder(operators, parameter_bytes, specials);
    ACT_ASSIGN_OR_RETURN(const std::vector<int32_t> roots,
                         Lower(instance.body, instance.outputs, builder.parameters(), &builder));
    Pattern pattern = builder.Finish(roots[0]);
    if (pattern.dangling) return Status();
    std::vector<bool> needed(inputs), constant(inputs);
    for (const PatternNode& node : pattern.nodes) {
      if (node.kind == PatternNode::Kind::kParameter) needed[static_cast<size_t>(node.parameter)] = true;
    }
    for (const ConstantOperand& c : pattern.constants) {
      // An operand that would have to be two constants at once is none.
      if (constant[static_cast<size_t>(c.parameter)]) return Status();
      constant[static_cast<size_t>(c.parameter)] = true;
    }
    for (size_t k = 0; k < inputs; ++k) {
      const bool special = specials[k] != Special::kNone;
      if (special != constant[k] || needed[k] == special) return Status();
      if (!special) continue;
      if (!pattern.specialisation.empty()) pattern.specialisation += ", ";
      const std::string& name = instruction.inputs[k].name;
      pattern.specialisation +=
          (name.empty() ? "operand " + std::to_string(k + 1) : name) + " = " + SpecialName(specials[k]);
    }
    // What the spec says of the instruction holds for everything made of it.
    if (instruction.numerics == isa::InstructionNumerics::kApproximate) pattern.marks.approximate = true;
    if (instruction.numerics == isa::InstructionNumerics::kFlush) pattern.marks.flush = true;
    patterns.push_back(std::move(pattern));
    return Status();
  };
  std::vector<Special> specials(inputs, Special::kNone);
  ACT_RETURN_IF_ERROR(build(specials));
  if (patterns.empty()) {
    return Error(ErrorClass::kValue, "derive-unread",
                 "instruction '" + instruction.name + "' has an input that its semantics never reads");
  }
  constexpr Special kAll[] = {Special::kZero,     Special::kOne,      Special::kMinusOne,
                              Special::kIdentity, Special::kReversed, Special::kDiagonal};
  if (patterns[0].IsTransfer()) return patterns;
  // One operand at a time; then pairs of what vanished alone.
  std::vector<std::vector<Special>> vanishing(inputs);
  for (size_t k = 0; k < inputs; ++k) {
    for (Special special : kAll) {
      const size_t before = patterns.size();
      specials[k] = special;
      ACT_RETURN_IF_ERROR(build(specials));
      if (patterns.size() > before) vanishing[k].push_back(special);
    }
    specials[k] = Special::kNone;
  }
  for (size_t k = 0; k < inputs; ++k) {
    for (size_t j = k + 1; j < inputs; ++j) {
      for (Special one : vanishing[k]) {
        for (Special two : vanishing[j]) {
          specials[k] = one;
          specials[j] = two;
          ACT_RETURN_IF_ERROR(build(specials));
        }
      }
      specials[k] = specials[j] = Special::kNone;
    }
  }
  return patterns;
}

namespace {

std::string EdgeText(const Pattern& pattern, const PatternEdge& edge, const isa::Instruction& instruction,
                     const OperatorTable& operators) {
  const PatternNode& node = pattern.nodes[static_cast<size_t>(edge.node)];
  std::string text;
  switch (node.kind) {
    case PatternNode::Kind::kParameter: {
      const std::string& name = instruction.inputs[static_cast<size_t>(node.parameter)].name;
      text = name.empty() ? "%In" + std::to_string(node.parameter + 1) : name;
      break;
    }
    case PatternNode::Kind::kConstant:
      text = "constant of " + std::to_string(node.bytes) + " bytes";
      break;
    case PatternNode::Kind::kFree:
      text = "any constant of " + std::to_string(node.bytes) + " bytes";
      break;
    case PatternNode::Kind::kOperation:
      text = ToString(operators.at(node.op)) + "(";
      for (size_t k = 0; k < node.children.size(); ++k) {
        text += (k ? ", " : "") + EdgeText(pattern, node.children[k], instruction, operators);
      }
      text += ")";
      break;
  }
  return edge.view.IsIdentity(node.bytes) ? text : "View" + edge.view.ToString() + "(" + text + ")";
}

}  // namespace

std::string ToString(const Pattern& pattern, const isa::Instruction& instruction,
                     const OperatorTable& operators) {
  return (pattern.IsTransfer() ? "transfer " : "compute ") +
         EdgeText(pattern, pattern.root, instruction, operators) +
         (pattern.specialisation.empty() ? "" : " with " + pattern.specialisation);
}

}  // namespace act::select
