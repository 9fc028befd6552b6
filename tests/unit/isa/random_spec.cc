#include "random_spec.h"

#include <cmath>
#include <limits>

namespace act::isa {
namespace {

using hlo::Opcode;
using Dims = std::vector<Expression>;

bool Chance(Random* random, int percent) { return random->Below(100) < static_cast<uint64_t>(percent); }

template <typename T>
const T& Pick(Random* random, const std::vector<T>& list) {
  return list[random->Below(list.size())];
}

int64_t RandomInteger(Random* random) {
  switch (random->Below(6)) {
    case 0:
      return std::numeric_limits<int64_t>::min();
    case 1:
      return std::numeric_limits<int64_t>::max();
    case 2:
      return -random->Between(1, 300);
    default:
      return random->Between(0, 300);
  }
}

Expression Negated(Expression e) {
  Expression::Node node;
  node.kind = Expression::Kind::kNegate;
  node.left = static_cast<int32_t>(e.nodes.size()) - 1;
  e.nodes.push_back(node);
  return e;
}

// Semantics node by node. Whatever has to follow from the operands does; what cannot be decided is random.
class SemanticsMaker {
 public:
  SemanticsMaker(Random* random, const Accelerator& acc, Instruction* instruction, const NameTable& names)
      : random_(random), instruction_(instruction), names_(names) {
    for (size_t k = 0; k < instruction->inputs.size(); ++k) {
      SemanticNode p;
      p.opcode = Opcode::kParameter;
      p.parameter = static_cast<int32_t>(k);
      p.type = acc.buffer(instruction->inputs[k].buffer).type;
      p.dims = instruction->inputs[k].sizes;
      for (const int64_t d : acc.buffer(instruction->inputs[k].buffer).unit) {
        p.dims.push_back(Expression::Integer(d));
      }
      p.name = Pick<std::string>(random, {"In1", "x", "", "n", "bf16", "a.b"});
      nodes().push_back(std::move(p));
    }
  }

  void Make(size_t operations) {
    if (nodes().empty()) AddConstant();
    for (size_t i = 0; i < operations; ++i) AddAny();
    Semantics& s = instruction_->semantics;
    for (size_t j = 0; j < instruction_->outputs.size(); ++j) {
      s.outputs.push_back(j == 0 ? static_cast<int32_t>(nodes().size()) - 1 : Any());
    }
  }

 private:
  std::vector<SemanticNode>& nodes() { return instruction_->semantics.nodes; }
  SemanticNode& node(int32_t i) { return nodes()[static_cast<size_t>(i)]; }
  // Recent values are likelier, so that chains appear.
  int32_t Any() {
    const size_t n = nodes().size();
    const size_t back = Chance(random_, 60) ? std::min<size_t>(n, 1) : n;
    return static_cast<int32_t>(n - 1 - random_->Below(back));
  }
  Expression Item() {
    return RandomExpression(random_, names_, {AttributeKind::kComputational, AttributeKind::kState}, 2);
  }
  // An extent that no check can decide, or a fixed one.
  Expression Extent() {
    if (!names_.computational.empty() && Chance(random_, 50)) {
      return Expression::Binary(Expression::Kind::kAdd,
                                Expression::Attribute(AttributeKind::kComputational, 0),
                                Expression::Integer(random_->Between(0, 9)));
    }
    return Expression::Integer(random_->Between(1, 40));
  }
  Dims Shape(size_t max_rank) {
    Dims dims;
    for (size_t r = random_->Below(max_rank + 1); r > 0; --r) dims.push_back(Extent());
    return dims;
  }

  SemanticNode New(Opcode opcode, std::vector<int32_t> operands) {
    SemanticNode n;
    n.opcode = opcode;
    n.operands = std::move(operands);
    if (!n.operands.empty()) {
      n.type = node(n.operands[0]).type;
      n.dims = node(n.operands[0]).dims;
    }
    static const std::vector<std::string> kNames = {"a", "e",     "t",  "Out0", "s1.init",
                                                    "",  "where", "in", "f32",  "m"};
    n.name = Pick(random_, kNames);
    return n;
  }
  int32_t Push(SemanticNode n) {
    nodes().push_back(std::move(n));
    return static_cast<int32_t>(nodes().size()) - 1;
  }

  void FillConstant(SemanticNode* n) {
    int64_t count = 1;
    if (n->dims.size() == 1 && n->dims[0].AsInteger() && Chance(random_, 50)) count = *n->dims[0].AsInteger();
    if (count == 1 && n->type != ElementType::kPred && Chance(random_, 30)) {
      n->constant.expression = Item();
      // A bare literal is a literal, not an expression.
      if (n->constant.expression->nodes.size() > 1) return;
      n->constant.expression.reset();
    }
    for (int64_t i = 0; i < count; ++i) {
      if (IsFloat(n->type)) {
        static const std::vector<double> kSpecial = {0.0,
                                                     -0.0,
                                                     1.0,
                                                     std::numeric_limits<double>::infinity(),
                                                     -std::numeric_limits<double>::infinity(),
                                                     std::nan("")};
        Literal rounded(::act::Shape::Array(n->type, {}));
        const double raw = random_->Normal() * std::ldexp(1.0, static_cast<int>(random_->Between(-30, 30)));
        rounded.SetDouble(0, raw);
        n->constant.floats.push_back(Chance(random_, 40) ? Pick(random_, kSpecial) : rounded.GetDouble(0));
        continue;
      }
      Literal wrapped(::act::Shape::Array(n->type, {}));
      wrapped.SetInt(0, RandomInteger(random_));
      n->constant.integers.push_back(wrapped.GetInt(0));
    }
  }

  void AddConstant() {
    SemanticNode n = New(Opcode::kConstant, {});
    n.type = kTaidlTypes[random_->Below(std::size(kTaidlTypes))];
    n.dims = Shape(2);
    FillConstant(&n);
    // T[1] would be read as a scalar where only broadcasts use it.
    if (n.dims.size() == 1 && n.dims[0].AsInteger() == int64_t{1}) {
      n.dims = {};
      n.constant = {};
      FillConstant(&n);
    }
    Push(std::move(n));
  }

  // A value of x's type and dimensions: x itself, or a copy.
  int32_t Like(int32_t x) {
    if (Chance(random_, 50)) return x;
    return Push(New(Opcode::kCopy, {x}));
  }

  void AddElementwise(int32_t x) {
    const ElementType type = node(x).type;
    std::vector<Opcode> unary, binary;
    if (IsFloat(type)) {
      unary = {Opcode::kExp,
               Opcode::kLog1p,
               Opcode::kTanh,
               Opcode::kLogistic,
               Opcode::kSqrt,
               Opcode::kRsqrt,
               Opcode::kCbrt,
               Opcode::kFloor,
               Opcode::kCeil,
               Opcode::kSin,
               Opcode::kErf,
               Opcode::kLog,
               Opcode::kRoundNearestEven,
               Opcode::kExpm1,
               Opcode::kIsFinite};
      binary = {Opcode::kAtan2};
    }
    if (IsSignedInteger(type) || IsFloat(type)) {
      for (const Opcode o : {Opcode::kAbs, Opcode::kNegate, Opcode::kSign}) unary.push_back(o);
    }
    if (IsInteger(type)) {
      for (const Opcode o : {Opcode::kClz, Opcode::kPopcnt}) unary.push_back(o);
      for (const Opcode o : {Opcode::kShiftLeft, Opcode::kShiftRightLogical, Opcode::kShiftRightArithmetic}) {
        binary.push_back(o);
      }
    }
    if (!IsFloat(type)) {
      unary.push_back(Opcode::kNot);
      for (const Opcode o : {Opcode::kAnd, Opcode::kOr, Opcode::kXor}) binary.push_back(o);
    }
    for (const Opcode o : {Opcode::kMultiply, Opcode::kMaximum, Opcode::kMinimum}) binary.push_back(o);
    if (type != ElementType::kPred) {
      for (const Opcode o :
           {Opcode::kAdd, Opcode::kSubtract, Opcode::kDivide, Opcode::kRemainder, Opcode::kPower}) {
        binary.push_back(o);
      }
    }
    if (!unary.empty() && Chance(random_, 40)) {
      SemanticNode n = New(Pick(random_, unary), {x});
      if (n.opcode == Opcode::kIsFinite) n.type = ElementType::kPred;
      Push(std::move(n));
      return;
    }
    const int32_t y = Like(x);
    const bool swap = Chance(random_, 50);
    Push(New(Pick(random_, binary), {swap ? y : x, swap ? x : y}));
  }

  void AddReduce(int32_t x) {
    if (node(x).dims.empty()) return;
    std::vector<hlo::Reducer> reducers;
    if (node(x).type != ElementType::kPred) reducers.push_back(hlo::Reducer::kAdd);
    if (!IsFloat(node(x).type)) {
      reducers.push_back(hlo::Reducer::kAnd);
      reducers.push_back(hlo::Reducer::kOr);
    }
    for (const auto r : {hlo::Reducer::kMaximum, hlo::Reducer::kMinimum, hlo::Reducer::kMultiply}) {
      reducers.push_back(r);
    }
    SemanticNode n = New(Opcode::kReduce, {x, 0});
    n.reducer = Pick(random_, reducers);
    const size_t dropped = random_->Below(n.dims.size());
    n.dimensions = {Expression::Integer(static_cast<int64_t>(dropped))};
    n.dims.erase(n.dims.begin() + static_cast<int64_t>(dropped));
    SemanticNode init = New(Opcode::kConstant, {});
    init.type = n.type;
    if (Chance(random_, 60)) {
      const Literal identity = hlo::ReducerIdentity(*n.reducer, n.type);
      if (IsFloat(n.type)) {
        init.constant.floats = {identity.GetDouble(0)};
      } else {
        init.constant.integers = {identity.GetInt(0)};
      }
    } else {
      FillConstant(&init);
    }
    n.operands[1] = Push(std::move(init));
    Push(std::move(n));
  }

  void AddDot(int32_t x) {
    if (node(x).type == ElementType::kPred || node(x).dims.empty()) return;
    const int32_t y = Like(x);
    SemanticNode n = New(Opcode::kDot, {x, y});
    const size_t rank = node(x).dims.size();
    const int64_t contracted = static_cast<int64_t>(random_->Below(rank));
    n.dot.lhs_contracting = n.dot.rhs_contracting = {contracted};
    Dims batch, free;
    for (size_t d = 0; d < rank; ++d) {
      if (static_cast<int64_t>(d) == contracted) continue;
      if (batch.empty() && Chance(random_, 40)) {
        n.dot.lhs_batch = n.dot.rhs_batch = {static_cast<int64_t>(d)};
        batch.push_back(node(x).dims[d]);
      } else {
        free.push_back(node(x).dims[d]);
      }
    }
    n.dims = batch;
    for (int twice = 0; twice < 2; ++twice) n.dims.insert(n.dims.end(), free.begin(), free.end());
    if (n.type == ElementType::kBF16 && Chance(random_, 50)) n.type = ElementType::kF32;
    if (n.type == ElementType::kS8 && Chance(random_, 50)) n.type = ElementType::kS32;
    Push(std::move(n));
  }

  void AddMovement(int32_t x) {
    const Dims dims = node(x).dims;
    switch (random_->Below(9)) {
      case 0: {
        SemanticNode n = New(Opcode::kTranspose, {x});
        for (size_t d = dims.size(); d > 0; --d)
          n.dimensions.push_back(Expression::Integer(static_cast<int64_t>(d) - 1));
        n.dims.assign(dims.rbegin(), dims.rend());
        Push(std::move(n));
        return;
      }
      case 1: {
        SemanticNode n = New(Opcode::kSlice, {x});
        for (size_t d = 0; d < dims.size(); ++d) {
          const bool fixed = dims[d].AsInteger().has_value();
          const Expression stride =
              Expression::Integer(fixed && Chance(random_, 30) ? *dims[d].AsInteger() : 1);
          n.slice.push_back({Expression::Integer(0), dims[d], stride});
          if (!(stride == Expression::Integer(1))) n.dims[d] = Expression::Integer(1);
          if (!fixed && Chance(random_, 50)) {
            n.slice[d] = {Item(), Item(), Item()};
            if (n.slice[d].start.AsInteger() || n.slice[d].limit.AsInteger() ||
                n.slice[d].stride.AsInteger()) {
              n.slice[d] = {Expression::Integer(0), dims[d], Expression::Integer(1)};
            } else {
              n.dims[d] = Extent();
              if (n.dims[d].AsInteger()) n.dims[d] = dims[d];
            }
          }
        }
        Push(std::move(n));
        return;
      }
      case 2: {
        SemanticNode n = New(Opcode::kReshape, {x});
        int64_t elements = 1;
        for (const Expression& d : dims)
          elements = elements > 0 && d.AsInteger() ? elements * *d.AsInteger() : 0;
        if (elements > 0) {
          n.dims = {Expression::Integer(elements)};
        } else {
          n.dims = Shape(3);
        }
        Push(std::move(n));
        return;
      }
      case 3: {
        SemanticNode n = New(Opcode::kBroadcast, {x});
        n.dims.clear();
        for (size_t d = 0; d < dims.size(); ++d) {
          if (Chance(random_, 30)) n.dims.push_back(Extent());
          n.dimensions.push_back(Expression::Integer(static_cast<int64_t>(n.dims.size())));
          n.dims.push_back(dims[d]);
        }
        if (dims.empty()) n.dims = Shape(3);
        Push(std::move(n));
        return;
      }
      case 4: {
        const int32_t y = Like(x);
        if (dims.empty()) return;
        SemanticNode n = New(Opcode::kConcatenate, {x, y});
        n.dimensions = {Expression::Integer(0)};
        const auto extent = dims[0].AsInteger();
        n.dims[0] = extent ? Expression::Integer(2 * *extent)
                           : Expression::Binary(Expression::Kind::kAdd, dims[0], dims[0]);
        Push(std::move(n));
        return;
      }
      case 5: {
        SemanticNode n = New(Opcode::kReverse, {x});
        if (!dims.empty()) n.dimensions = {Expression::Integer(static_cast<int64_t>(dims.size()) - 1)};
        Push(std::move(n));
        return;
      }
      case 6: {
        SemanticNode value = New(Opcode::kConstant, {});
        value.type = node(x).type;
        FillConstant(&value);
        SemanticNode n = New(Opcode::kPad, {x, Push(std::move(value))});
        for (size_t d = 0; d < dims.size(); ++d) {
          n.padding.push_back({random_->Between(0, 3), random_->Between(0, 3), 0});
          const int64_t ends = n.padding[d].low + n.padding[d].high;
          const auto extent = dims[d].AsInteger();
          n.dims[d] = extent ? Expression::Integer(*extent + ends)
                             : Expression::Binary(Expression::Kind::kAdd, dims[d], Expression::Integer(ends));
        }
        Push(std::move(n));
        return;
      }
      case 7: {
        SemanticNode n = New(Opcode::kConvert, {x});
        n.type = kTaidlTypes[random_->Below(std::size(kTaidlTypes))];
        Push(std::move(n));
        return;
      }
      default: {
        if (node(x).type == ElementType::kPred) return;
        SemanticNode n = New(Opcode::kBitcastConvert, {x});
        const int width = BitWidth(n.type);
        n.type = width == 16 ? ElementType::kU16 : width == 8 ? ElementType::kU8 : n.type;
        if (width == 16 && Chance(random_, 50)) {
          n.type = ElementType::kS8;
          n.dims.push_back(Expression::Integer(2));
        }
        Push(std::move(n));
        return;
      }
    }
  }

  void AddDynamic(int32_t x) {
    const Dims dims = node(x).dims;
    const bool update = Chance(random_, 50);
    SemanticNode n = New(update ? Opcode::kDynamicUpdateSlice : Opcode::kDynamicSlice, {x});
    if (update) {
      const int32_t y = Like(x);
      n.operands.push_back(y);
    } else {
      for (size_t d = 0; d < dims.size(); ++d) {
        n.dynamic_slice_sizes.push_back(Extent());
        n.dims[d] = n.dynamic_slice_sizes[d];
      }
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      SemanticNode start = New(Opcode::kConstant, {});
      start.type = Chance(random_, 70) ? ElementType::kS64 : ElementType::kU8;
      if (start.type == ElementType::kS64 && Chance(random_, 60)) {
        start.constant.expression = Item();
        if (start.constant.expression->nodes.size() == 1 &&
            start.constant.expression->nodes[0].kind == Expression::Kind::kInteger) {
          start.constant.integers = {*start.constant.expression->AsInteger()};
          start.constant.expression.reset();
        }
      } else {
        start.constant.integers = {3};
      }
      n.operands.push_back(Push(std::move(start)));
    }
    Push(std::move(n));
  }

  void AddAny() {
    const int32_t x = Any();
    switch (random_->Below(12)) {
      case 0:
        AddConstant();
        return;
      case 1: {
        SemanticNode n = New(Opcode::kIota, {});
        n.type = Pick<ElementType>(random_, {ElementType::kU32, ElementType::kF16, ElementType::kS2});
        n.dims = {Extent(), Extent()};
        n.dimensions = {Expression::Integer(random_->Between(0, 1))};
        Push(std::move(n));
        return;
      }
      case 2: {
        SemanticNode n = New(Opcode::kCompare, {x, Like(x)});
        n.type = ElementType::kPred;
        n.direction = static_cast<hlo::Direction>(random_->Below(6));
        const int32_t p = Push(std::move(n));
        const int32_t y = Like(x);
        SemanticNode select = New(Opcode::kSelect, {p, x, y});
        select.type = node(x).type;
        Push(std::move(select));
        return;
      }
      case 3: {
        if (node(x).type == ElementType::kPred) return;
        const int32_t low = Like(x), high = Like(x);
        Push(New(Opcode::kClamp, {low, x, high}));
        return;
      }
      case 4: {
        if (!IsFloat(node(x).type)) return;
        const int32_t y = Like(x), z = Like(x);
        Push(New(Opcode::kFma, {x, y, z}));
        return;
      }
      case 5:
        AddReduce(x);
        return;
      case 6:
        AddDot(x);
        return;
      case 7:
        AddDynamic(x);
        return;
      case 8: {
        SemanticNode n = New(Opcode::kOther, {x, x});
        n.operation = "select_eq_var";
        if (Chance(random_, 20)) Push(std::move(n));
        return;
      }
      case 9:
        AddElementwise(x);
        return;
      default:
        AddMovement(x);
        return;
    }
  }

  Random* random_;
  Instruction* instruction_;
  const NameTable& names_;
};

std::vector<Region> RandomRegions(Random* random, const Accelerator& acc, const NameTable& names,
                                  size_t count, bool is_output, size_t* serial) {
  std::vector<Region> regions;
  for (size_t i = 0; i < count; ++i) {
    Region region;
    region.buffer = BufferId(random->Below(acc.buffers.size()));
    const size_t rank = acc.buffer(region.buffer).addresses.size();
    const auto start = [&] {
      return RandomExpression(
          random, names, {AttributeKind::kComputational, AttributeKind::kAddressing, AttributeKind::kState},
          3);
    };
    const auto size = [&] {
      Expression e =
          RandomExpression(random, names, {AttributeKind::kComputational, AttributeKind::kState}, 2);
      return e.AsInteger() ? Expression::Integer(random->Between(1, 64)) : e;
    };
    for (size_t d = 0; d < rank; ++d) region.starts.push_back(start());
    size_t sizes = rank;
    const bool strided = Chance(random, 25);
    if (strided) sizes = 1 + random->Below(3);
    for (size_t d = 0; d < sizes; ++d) {
      region.sizes.push_back(size());
      if (!strided) continue;
      Expression stride = RandomExpression(random, names, {AttributeKind::kComputational}, 2);
      if (is_output && stride.AsInteger() == int64_t{0}) stride = Expression::Integer(5);
      region.strides.push_back(std::move(stride));
    }
    if (Chance(random, 50)) region.name = "r" + std::to_string((*serial)++);
    regions.push_back(std::move(region));
  }
  return regions;
}

}  // namespace

Expression RandomExpression(Random* random, const NameTable& names, std::vector<AttributeKind> kinds,
                            int depth) {
  using Kind = Expression::Kind;
  if (depth == 0 || Chance(random, 35)) {
    const AttributeKind kind = Pick(random, kinds);
    const auto list = kind == AttributeKind::kComputational ? names.computational
                      : kind == AttributeKind::kAddressing  ? names.addressing
                                                            : names.state;
    if (!list.empty() && Chance(random, 70)) {
      return Expression::Attribute(kind, static_cast<int32_t>(random->Below(list.size())));
    }
    return Expression::Integer(RandomInteger(random));
  }
  Expression left = RandomExpression(random, names, kinds, depth - 1);
  if (Chance(random, 15)) return Negated(std::move(left));
  const Expression right = RandomExpression(random, names, kinds, depth - 1);
  const Kind kind =
      Pick<Kind>(random, {Kind::kAdd, Kind::kSubtract, Kind::kMultiply, Kind::kDivide, Kind::kRemainder});
  const bool zero = right.nodes.size() == 1 && right.AsInteger() == int64_t{0};
  return Expression::Binary(zero ? Kind::kAdd : kind, left, right);
}

Condition RandomCondition(Random* random, const NameTable& names, int depth) {
  Condition condition;
  if (depth == 0 || Chance(random, 50)) {
    const std::vector<AttributeKind> kinds = {AttributeKind::kComputational, AttributeKind::kAddressing,
                                              AttributeKind::kState};
    condition.relation = static_cast<Relation>(random->Below(6));
    condition.left = RandomExpression(random, names, kinds, 3);
    condition.right = RandomExpression(random, names, kinds, 3);
    return condition;
  }
  condition.kind = Chance(random, 50) ? Condition::Kind::kAnd : Condition::Kind::kOr;
  for (uint64_t n = 2 + random->Below(2); n > 0; --n) {
    condition.operands.push_back(RandomCondition(random, names, depth - 1));
  }
  return condition;
}

Accelerator RandomAccelerator(uint64_t seed) {
  Random random(seed);
  Accelerator acc = MakeAccelerator(Pick<std::string>(&random, {"QKV", "a.b-c", "x86", "1"}));
  // Names that also mean something to the reader.
  const std::vector<std::string> words = {
      "n",  "m",     "nn",     "cost", "unit",  "where", "update", "step", "inf", "nan", "true",
      "s8", "state", "buffer", "of",   "ENTRY", "apart", "add",    "x",    "out", "EQ",  "infinity"};
  for (uint64_t i = random.Below(4); i > 0; --i) {
    std::vector<int64_t> addresses, unit;
    for (uint64_t d = random.Below(3); d > 0; --d) addresses.push_back(random.Between(1, 300));
    for (uint64_t d = random.Below(3); d > 0; --d) unit.push_back(random.Between(1, 70));
    (void)AddBuffer(&acc, "b" + std::to_string(i), addresses, unit,
                    ElementTypeName(kTaidlTypes[random.Below(std::size(kTaidlTypes))]));
  }
  for (uint64_t i = random.Below(3); i > 0; --i)
    (void)AddState(&acc, Pick(&random, words), RandomInteger(&random));
  for (uint64_t i = 1 + random.Below(3); i > 0; --i) {
    std::vector<std::string> lists[2];
    for (std::vector<std::string>& list : lists) {
      for (uint64_t a = random.Below(3); a > 0; --a) list.push_back(Pick(&random, words));
    }
    if (!AddInstruction(&acc, "i" + std::to_string(i), lists[0], lists[1]).ok()) continue;
    const size_t index = acc.instructions.size() - 1;
    const std::vector<std::string> state_names = acc.state_names();
    const std::vector<std::string> c = acc.instructions[index].computational,
                                   a = acc.instructions[index].addressing;
    const NameTable names{c, a, state_names};
    size_t serial = 0;
    const size_t inputs = random.Below(4), outputs = 1 + random.Below(2);
    (void)SetInputRegions(&acc, index, RandomRegions(&random, acc, names, inputs, false, &serial));
    (void)SetOutputRegions(&acc, index, RandomRegions(&random, acc, names, outputs, true, &serial));
    Instruction& instruction = acc.instructions[index];
    if (instruction.outputs.size() == outputs && instruction.inputs.size() == inputs && Chance(&random, 85)) {
      SemanticsMaker(&random, acc, &instruction, names).Make(1 + random.Below(14));
    }
    for (uint64_t k = random.Below(3); k > 0; --k) {
      instruction.constraints.push_back(RandomCondition(&random, names, 3));
    }
    for (uint64_t k = state_names.empty() ? 0 : random.Below(3); k > 0; --k) {
      Update update;
      update.state = static_cast<int32_t>(random.Below(state_names.size()));
      update.kind = static_cast<Update::Kind>(random.Below(4));
      update.value =
          RandomExpression(&random, names, {AttributeKind::kComputational, AttributeKind::kState}, 3);
      instruction.updates.push_back(std::move(update));
    }
    const PlacementMark marks[] = {PlacementMark::kInplace, PlacementMark::kApart,
                                   PlacementMark::kNoPartialOverlap};
    for (const PlacementMark mark : marks) {
      std::vector<bool> flags;
      for (size_t k = 0; k < inputs; ++k) flags.push_back(Chance(&random, 30));
      if (Chance(&random, 30)) (void)SetPlacement(&acc, index, mark, flags);
    }
    if (Chance(&random, 40))
      (void)SetCostValue(
          &acc, index,
          RandomExpression(&random, names,
                           {AttributeKind::kComputational, AttributeKind::kAddressing, AttributeKind::kState},
                           3));
    if (Chance(&random, 30)) (void)SetUnit(&acc, index, Pick(&random, words) + "0");
    if (Chance(&random, 30)) (void)SetMnemonic(&acc, index, "v.add1");
    if (Chance(&random, 30)) (void)SetNumerics(&acc, index, Pick<std::string>(&random, {"approx", "flush"}));
  }
  return acc;
}

}  // namespace act::isa
