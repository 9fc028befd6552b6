// The table of axioms: IR-to-IR rewrites with their numeric marks.
#include <algorithm>
#include <cmath>

#include "select/rules.h"

namespace act::select {
namespace {

using hlo::Opcode;

// The e-nodes of a class with an elementwise operation.
std::vector<NodeId> NodesWith(const TensorGraph& graph, ClassId id, Opcode opcode) {
  std::vector<NodeId> out;
  for (NodeId n : graph.graph().Nodes(id)) {
    if (graph.op(n).IsElementwise(opcode)) out.push_back(n);
  }
  return out;
}

std::optional<double> SplatValue(const TensorGraph& graph, ClassId id, ElementType type) {
  if (!IsFloat(type) && !IsInteger(type)) return std::nullopt;
  const auto bytes = graph.SplatOf(id, StorageBytes(type));
  if (!bytes) return std::nullopt;
  Literal literal(Shape::Array(type, {}));
  literal.bytes = *bytes;
  return literal.GetDouble(0);
}

ClassId Splat(TensorGraph* graph, ElementType type, double value, int64_t bytes) {
  Literal literal(Shape::Array(type, {}));
  literal.SetDouble(0, value);
  const int64_t width = StorageBytes(type);
  return graph->AddView(graph->AddConstant(literal.bytes), View({{bytes / width, 0}, {width, 1}}));
}

bool IsPowerOfTwo(double value) {
  int exponent = 0;
  return std::abs(std::frexp(value, &exponent)) == 0.5;
}

// x * (1 / y) = x / y. Over the reals; the product rounds twice.
bool ProductWithReciprocal(TensorGraph* graph, NodeId at, bool dry) {
  const Operator op = graph->op(at);
  if (!op.IsElementwise(Opcode::kMultiply) || !IsFloat(op.type)) return false;
  bool any = false;
  for (size_t side = 0; side < 2; ++side) {
    const ClassId x = graph->child(at, 1 - side);
    for (NodeId n : NodesWith(*graph, graph->child(at, side), Opcode::kDivide)) {
      if (graph->op(n).type != op.type || SplatValue(*graph, graph->child(n, 0), op.type) != 1.0) continue;
      any = true;
      if (dry) return true;
      const ClassId quotient = graph->Add(Operator::Elementwise(Opcode::kDivide, op.type, {op.type, op.type}),
                                          {x, graph->child(n, 1)});
      graph->Union(graph->graph().ClassOf(at), quotient);
    }
  }
  return any;
}

// x / c = x * (1 / c) for a power of two c whose reciprocal is normal: both only shift the exponent.
bool QuotientByPowerOfTwo(TensorGraph* graph, NodeId at, bool dry) {
  const Operator op = graph->op(at);
  if (!op.IsElementwise(Opcode::kDivide) || !IsFloat(op.type)) return false;
  const auto value = SplatValue(*graph, graph->child(at, 1), op.type);
  if (!value || !IsPowerOfTwo(*value)) return false;
  Literal reciprocal(Shape::Array(op.type, {}));
  reciprocal.SetDouble(0, 1 / *value);
  // Exact, and far from the subnormals of every type down to f16's range.
  if (reciprocal.GetDouble(0) != 1 / *value || std::abs(1 / *value) < 0x1p-14 || std::abs(*value) < 0x1p-14) {
    return false;
  }
  if (dry) return true;
  const ClassId x = graph->child(at, 0);
  const ClassId factor = Splat(graph, op.type, 1 / *value, graph->Bytes(x));
  graph->Union(
      graph->graph().ClassOf(at),
      graph->Add(Operator::Elementwise(Opcode::kMultiply, op.type, {op.type, op.type}), {x, factor}));
  return true;
}

// x * 1 = x, x / 1 = x, x - 0 = x; x + 0 = x on integers.
bool NeutralOperand(TensorGraph* graph, NodeId at, bool dry) {
  const Operator op = graph->op(at);
  if (op.kind != OperatorKind::kElementwise || op.operand_types.size() != 2) return false;
  if (op.operand_types[0] != op.type || op.operand_types[1] != op.type) return false;
  double neutral = 0;
  bool both = true;
  switch (op.opcode) {
    case Opcode::kMultiply:
      neutral = 1;
      break;
    case Opcode::kDivide:
      neutral = 1;
      both = false;
      break;
    case Opcode::kSubtract:
      both = false;
      break;
    case Opcode::kAdd:
      if (IsFloat(op.type)) return false;  // -0 + 0 is +0
      break;
    default:
      return false;
  }
  for (size_t side = both ? 0 : 1; side < 2; ++side) {
    const auto value = SplatValue(*graph, graph->child(at, side), op.type);
    if (!value || *value != neutral || (neutral == 0 && std::signbit(*value))) continue;
    if (!dry) graph->Union(graph->graph().ClassOf(at), graph->child(at, 1 - side));
    return true;
  }
  return false;
}

// Every value of `narrow` is a value of `wide`.
bool Widens(ElementType narrow, ElementType wide) {
  if (narrow == wide) return true;
  if (IsFloat(wide) && (narrow == ElementType::kBF16 || narrow == ElementType::kF16)) {
    return wide == ElementType::kF32 || wide == ElementType::kF64;
  }
  if (narrow == ElementType::kF32) return wide == ElementType::kF64;
  if (IsInteger(narrow) && IsInteger(wide)) {
    if (IsSignedInteger(narrow) && IsUnsignedInteger(wide)) return false;
    return BitWidth(wide) > BitWidth(narrow) ||
           (BitWidth(wide) == BitWidth(narrow) && IsSignedInteger(narrow) == IsSignedInteger(wide));
  }
  return false;
}

// convert_T(convert_W(x)) = x for x of type T and W that holds every T.
bool ConvertThereAndBack(TensorGraph* graph, NodeId at, bool dry) {
  const Operator op = graph->op(at);
  if (!op.IsElementwise(Opcode::kConvert)) return false;
  for (NodeId n : NodesWith(*graph, graph->child(at, 0), Opcode::kConvert)) {
    const ElementType from = graph->op(n).operand_types[0];
    if (from != op.type || graph->op(n).type != op.operand_types[0] || !Widens(from, op.operand_types[0]))
      continue;
    if (!dry) graph->Union(graph->graph().ClassOf(at), graph->child(n, 0));
    return true;
  }
  return false;
}

// convert_T(reduce_W(convert_W(x))) = reduce_T(x): narrow sums accumulate in f32 and round once, minimum and
// maximum round nothing.
bool ReduceInWiderType(TensorGraph* graph, NodeId at, bool dry) {
  const Operator op = graph->op(at);
  if (!op.IsElementwise(Opcode::kConvert)) return false;
  const auto nodes = graph->graph().Nodes(graph->child(at, 0));
  const std::vector<NodeId> members(nodes.begin(), nodes.end());
  for (NodeId n : members) {
    const Operator reduce = graph->op(n);
    if (reduce.kind != OperatorKind::kReduce || reduce.operand_types.size() != 1) continue;
    const ElementType wide = reduce.type;
    if (wide != op.operand_types[0] || !Widens(op.type, wide)) continue;
    const bool order_only =
        reduce.reducer == hlo::Reducer::kMinimum || reduce.reducer == hlo::Reducer::kMaximum;
    // f32 is the accumulator of the narrow sum itself; integer sums wrap alike in every width.
    const bool sum = (reduce.reducer == hlo::Reducer::kAdd || reduce.reducer == hlo::Reducer::kMultiply) &&
                     (IsInteger(op.type) || wide == ElementType::kF32);
    if (!order_only && !sum) continue;
    for (NodeId inner : NodesWith(*graph, graph->child(n, 0), Opcode::kConvert)) {
      if (graph->op(inner).operand_types[0] != op.type || graph->op(inner).type != wide) continue;
      if (dry) return true;
      const ClassId narrow =
          graph->Add(Operator::Reduce(reduce.reducer, op.type, reduce.dims[0], reduce.dims[1]),
                     {graph->child(inner, 0)});
      graph->Union(graph->graph().ClassOf(at), narrow);
      return true;
    }
  }
  return false;
}

// The view repeats one element along each row of `columns` elements.
bool ConstantAlongRows(const View& view, int64_t width, int64_t columns) {
  const auto elements = ToElements(view, width);
  if (!elements) return false;
  const auto split = SplitAt(*elements, columns);
  if (!split) return false;
  return std::all_of(split->inner.begin(), split->inner.end(), [](const Mode& m) { return m.stride == 0; });
}

// e / rows(sum e) with e = exp(x - rows(m)) equals the same with e = exp(x), for any m of one value a row.
bool SoftmaxWithoutShift(TensorGraph* graph, NodeId at, bool dry) {
  const Operator op = graph->op(at);
  if (!op.IsElementwise(Opcode::kDivide) || !IsFloat(op.type)) return false;
  const int64_t width = StorageBytes(op.type);
  const ClassId e = graph->child(at, 0), denominator = graph->child(at, 1);
  bool any = false;
  const auto members = [&](ClassId id) {
    const auto nodes = graph->graph().Nodes(id);
    return std::vector<NodeId>(nodes.begin(), nodes.end());
  };
  for (NodeId spread : members(denominator)) {
    if (graph->op(spread).kind != OperatorKind::kView) continue;
    const View spread_view = graph->op(spread).view;
    for (NodeId sum : members(graph->child(spread, 0))) {
      const Operator reduce = graph->op(sum);
      if (reduce.kind != OperatorKind::kReduce || reduce.reducer != hlo::Reducer::kAdd ||
          reduce.operand_types.size() != 1 || graph->child(sum, 0) != e || reduce.type != op.type) {
        continue;
      }
      const int64_t columns = reduce.dims[1];
      // The sum of row i is laid along row i, so the shift cancels.
      if (spread_view != View({{reduce.dims[0], width}, {columns, 0}, {width, 1}})) continue;
      for (NodeId exponential : NodesWith(*graph, e, Opcode::kExp)) {
        // Classes have no type: the same bytes may be numbers of another one.
        if (graph->op(exponential).type != op.type) continue;
        for (NodeId shift : NodesWith(*graph, graph->child(exponential, 0), Opcode::kSubtract)) {
          if (graph->op(shift).type != op.type) continue;
          bool row_constant = false;
          for (NodeId m : members(graph->child(shift, 1))) {
            row_constant = row_constant || (graph->op(m).kind == OperatorKind::kView &&
                                            ConstantAlongRows(graph->op(m).view, width, columns));
          }
          if (!row_constant) continue;
          any = true;
          if (dry) return true;
          const ClassId plain = graph->Add(graph->op(exponential), {graph->child(shift, 0)});
          const ClassId sums = graph->Add(reduce, {plain});
          graph->Union(graph->graph().ClassOf(at),
                       graph->Add(op, {plain, graph->AddView(sums, spread_view)}));
        }
      }
    }
  }
  return any;
}

constexpr NumericMarks kExact{};
constexpr NumericMarks kReal{.real = true};
constexpr NumericMarks kRange{.real = true, .range = true};

constexpr Axiom kAxioms[] = {
    {"neutral-operand", "x * 1 = x / 1 = x - 0 = x", kExact, NeutralOperand},
    {"convert-there-and-back", "convert_T(convert_W(x)) = x, W holds every T", kExact, ConvertThereAndBack},
    {"reduce-in-wider-type", "convert_T(reduce_W(convert_W(x))) = reduce_T(x)", kExact, ReduceInWiderType},
    {"quotient-by-power-of-two", "x / 2^k = x * 2^-k", kExact, QuotientByPowerOfTwo},
    {"product-with-reciprocal", "x * (1 / y) = x / y", kReal, ProductWithReciprocal},
    {"softmax-without-shift", "softmax(x - m) = softmax(x), m one value a row", kRange, SoftmaxWithoutShift},
};

}  // namespace

std::span<const Axiom> Axioms() { return kAxioms; }

}  // namespace act::select
