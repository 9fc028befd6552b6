#include "unit/select/testing.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace act::select {
namespace {

using hlo::Opcode;

class Builder final : public TermBuilder {
 public:
  explicit Builder(TensorGraph* graph) : graph_(*graph) {}
  int32_t MakeConstant(const std::vector<uint8_t>& bytes) override { return Term(graph_.AddConstant(bytes)); }
  StatusOr<int32_t> MakeView(int32_t term, const View& view) override {
    return Term(graph_.AddView(ClassId(term), view));
  }
  StatusOr<int32_t> MakeOperation(const Operator& op, std::span<const int32_t> operands) override {
    std::vector<ClassId> children;
    for (int32_t operand : operands) children.push_back(ClassId(operand));
    return Term(graph_.Add(op, std::move(children)));
  }

 private:
  static int32_t Term(ClassId id) { return static_cast<int32_t>(id.value()); }
  TensorGraph& graph_;
};

hlo::Instruction Bare(Opcode opcode, ElementType type, std::vector<int64_t> dims) {
  hlo::Instruction in;
  in.name = "op";
  in.opcode = opcode;
  in.opcode_name = hlo::OpcodeName(opcode);
  in.shape = Shape::Array(type, std::move(dims));
  return in;
}

// The attributes that lowering packed into the dims of an operation it does not take apart.
std::vector<std::vector<int64_t>> Lists(const std::vector<int64_t>& dims) {
  std::vector<std::vector<int64_t>> lists;
  for (size_t i = 0; i < dims.size(); i += static_cast<size_t>(dims[i]) + 1) {
    const auto begin = dims.begin() + static_cast<ptrdiff_t>(i) + 1;
    lists.emplace_back(begin, begin + dims[i]);
  }
  return lists;
}

}  // namespace

hlo::FlatKernel MakeKernel(const std::string& text) {
  const auto module = hlo::Parse(SourceText("k.hlo", text));
  if (!module.ok()) {
    ADD_FAILURE() << module.status().message() << "\n" << text;
    return {};
  }
  auto kernel = hlo::Flatten(*module);
  if (!kernel.ok()) {
    ADD_FAILURE() << kernel.status().message() << "\n" << text;
    return {};
  }
  return *std::move(kernel);
}

std::string ModuleText(const std::string& entry_body) {
  std::string text = "HloModule m\n";
  for (const auto& [name, opcode] : {std::pair{"add", "add"}, std::pair{"max", "maximum"},
                                     std::pair{"min", "minimum"}, std::pair{"mul", "multiply"}}) {
    for (const char* type : {"bf16", "f16", "f32", "f64", "s8", "s16", "s32", "s64", "u8", "u16", "u32"}) {
      const std::string combiner = std::string(name) + "_" + type;
      if (entry_body.find(combiner + "\n") == std::string::npos) continue;
      text += combiner + " {\n  x = " + type + "[] parameter(0)\n  y = " + type +
              "[] parameter(1)\n  ROOT z = " + type + "[] " + opcode + "(x, y)\n}\n";
    }
  }
  return text + "ENTRY e {\n" + entry_body + "}\n";
}

Lowered LowerInto(const hlo::FlatKernel& kernel, TensorGraph* graph) {
  Lowered out;
  std::vector<int32_t> parameters;
  for (size_t k = 0; k < kernel.parameter_shapes.size(); ++k) {
    out.inputs.push_back(
        graph->Add(Operator::Input(static_cast<int64_t>(k), *kernel.parameter_shapes[k].num_bytes()), {}));
    parameters.push_back(static_cast<int32_t>(out.inputs.back().value()));
  }
  Builder builder(graph);
  const auto terms = Lower(kernel.body, kernel.outputs, parameters, &builder);
  if (!terms.ok()) {
    ADD_FAILURE() << terms.status().message();
    return out;
  }
  for (int32_t term : *terms) out.outputs.push_back(ClassId(term));
  return out;
}

Literal RandomLiteral(const Shape& shape, Random* random, bool special) {
  Literal literal(Shape::Array(shape.type, shape.dims));
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double specials[] = {kInf,        -kInf,     0.0,     -0.0,  std::numeric_limits<double>::quiet_NaN(),
                             0x1p-149,    -0x1p-133, 0x1p-24, 65504, 0x1.fep127,
                             -0x1.fep127, 1.0,       -1.0};
  for (int64_t i = 0, n = literal.num_elements(); i < n; ++i) {
    if (IsFloat(shape.type)) {
      const bool one = special && random->Below(3) == 0;
      literal.SetDouble(i, one ? specials[random->Below(std::size(specials))] : random->Normal());
    } else if (shape.type == ElementType::kPred) {
      literal.SetInt(i, static_cast<int64_t>(random->Below(2)));
    } else if (special && random->Below(3) == 0) {
      const int width = BitWidth(shape.type);
      const uint64_t top = uint64_t{1} << (width - 1);
      const int64_t extremes[] = {0, 1, -1, static_cast<int64_t>(top), static_cast<int64_t>(top - 1)};
      literal.SetInt(i, extremes[random->Below(5)]);
    } else {
      literal.SetInt(i, static_cast<int64_t>(random->Next()));
    }
  }
  return literal;
}

std::vector<Literal> RandomLiterals(const hlo::FlatKernel& kernel, Random* random, bool special) {
  std::vector<Literal> out;
  for (const Shape& shape : kernel.parameter_shapes) out.push_back(RandomLiteral(shape, random, special));
  return out;
}

StatusOr<std::vector<uint8_t>> EvaluateOperator(const OperatorTable& operators, const Operator& op,
                                                const std::vector<const std::vector<uint8_t>*>& operands) {
  if (op.kind == OperatorKind::kConstant) return operators.ConstantBytes(op);
  if (op.kind == OperatorKind::kView) {
    std::vector<uint8_t> out;
    for (int64_t i = 0; i < op.view.size(); ++i) {
      out.push_back(operands[0]->at(static_cast<size_t>(op.view.At(i))));
    }
    return out;
  }
  hlo::Instruction in;
  std::vector<Literal> literals;
  const auto operand = [&](size_t k, std::vector<int64_t> dims) {
    Literal literal(Shape::Array(op.operand_types[k], std::move(dims)));
    EXPECT_EQ(literal.bytes.size(), operands[k]->size()) << ToString(op);
    literal.bytes = *operands[k];
    literals.push_back(std::move(literal));
  };
  switch (op.kind) {
    case OperatorKind::kElementwise: {
      const int64_t n = static_cast<int64_t>(operands[0]->size()) / StorageBytes(op.operand_types[0]);
      in = Bare(op.opcode, op.type, {n});
      in.direction = op.direction;
      in.total_order = !op.dims.empty();
      for (size_t k = 0; k < operands.size(); ++k) operand(k, {n});
      break;
    }
    case OperatorKind::kReduce:
      in = Bare(Opcode::kReduce, op.type, {op.dims[0]});
      in.dimensions = {1};
      in.reducer = op.reducer;
      operand(0, op.dims);
      if (operands.size() == 2) {
        operand(1, {});
      } else {
        literals.push_back(hlo::ReducerIdentity(op.reducer, op.type));
      }
      break;
    case OperatorKind::kDot:
      in = Bare(Opcode::kDot, op.type, {op.dims[0], op.dims[1], op.dims[3]});
      in.dot.lhs_batch = in.dot.rhs_batch = {0};
      in.dot.lhs_contracting = {2};
      in.dot.rhs_contracting = {1};
      operand(0, {op.dims[0], op.dims[1], op.dims[2]});
      operand(1, {op.dims[0], op.dims[2], op.dims[3]});
      break;
    case OperatorKind::kHlo: {
      const auto lists = Lists(op.dims);
      in = Bare(op.opcode, op.type, lists[0]);
      in.dimensions = lists[1];
      in.dynamic_slice_sizes = lists[2];
      size_t next = 3;
      if (op.opcode == Opcode::kPad) {
        for (size_t d = 0; d < lists[0].size(); ++d, ++next) {
          in.padding.push_back({lists[next][0], lists[next][1], lists[next][2]});
        }
      }
      for (size_t k = 0; k < operands.size(); ++k, ++next) operand(k, lists[next]);
      break;
    }
    default:
      return Error(ErrorClass::kInternal, "test", "no operator to evaluate");
  }
  std::vector<const Literal*> pointers;
  for (const Literal& literal : literals) pointers.push_back(&literal);
  ACT_ASSIGN_OR_RETURN(Literal value, eval::EvaluateInstruction(in, pointers));
  return std::move(value.bytes);
}

Evaluated EvaluateGraph(const TensorGraph& graph, const OperatorTable& operators,
                        const std::vector<Literal>& inputs) {
  Evaluated out;
  const auto value_of = [&](NodeId id) -> std::optional<std::vector<uint8_t>> {
    const Operator& op = graph.op(id);
    if (op.kind == OperatorKind::kInput) return inputs[static_cast<size_t>(op.index)].bytes;
    std::vector<const std::vector<uint8_t>*> operands;
    for (size_t k = 0; k < graph.graph().node(id).children.size(); ++k) {
      const auto known = out.bytes.find(graph.child(id, k));
      if (known == out.bytes.end()) return std::nullopt;
      operands.push_back(&known->second);
    }
    auto value = EvaluateOperator(operators, op, operands);
    if (!value.ok()) {
      out.faults.push_back(ToString(op) + ": " + value.status().message());
      return std::nullopt;
    }
    return *std::move(value);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < graph.graph().num_node_ids(); ++i) {
      const NodeId id(i);
      if (!graph.graph().alive(id) || out.bytes.contains(graph.graph().ClassOf(id))) continue;
      if (auto value = value_of(id)) {
        out.bytes.emplace(graph.graph().ClassOf(id), *std::move(value));
        changed = true;
      }
    }
  }
  for (size_t i = 0; i < graph.graph().num_node_ids(); ++i) {
    const NodeId id(i);
    if (!graph.graph().alive(id)) continue;
    ++out.nodes;
    const ClassId owner = graph.graph().ClassOf(id);
    const auto known = out.bytes.find(owner);
    const auto value = value_of(id);
    if (known == out.bytes.end() || !value) {
      out.faults.push_back("class " + std::to_string(owner.value()) + " has no value");
    } else if (*value != known->second) {
      out.faults.push_back("class " + std::to_string(owner.value()) + ", node " + ToString(graph.op(id)) +
                           " has other bytes than its class");
    }
  }
  return out;
}

}  // namespace act::select
