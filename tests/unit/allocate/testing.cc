#include "unit/allocate/testing.h"

#include <map>
#include <set>

namespace act::allocate {

using assembly::Value;
using isa::AttributeKind;
using isa::Expression;

Expression A(int32_t index) { return Expression::Attribute(AttributeKind::kAddressing, index); }
Expression C(int32_t index) { return Expression::Attribute(AttributeKind::kComputational, index); }
Expression N(int64_t value) { return Expression::Integer(value); }
Expression Op(Expression::Kind kind, const Expression& l, const Expression& r) {
  return Expression::Binary(kind, l, r);
}
Expression Plus(const Expression& l, const Expression& r) { return Op(Expression::Kind::kAdd, l, r); }
Expression Minus(const Expression& l, const Expression& r) { return Op(Expression::Kind::kSubtract, l, r); }
Expression Times(const Expression& l, const Expression& r) { return Op(Expression::Kind::kMultiply, l, r); }
Expression Over(const Expression& l, const Expression& r) { return Op(Expression::Kind::kDivide, l, r); }
Expression Mod(const Expression& l, const Expression& r) { return Op(Expression::Kind::kRemainder, l, r); }
isa::Condition Is(const Expression& l, isa::Relation relation, const Expression& r) {
  isa::Condition c;
  c.relation = relation;
  c.left = l;
  c.right = r;
  return c;
}
isa::Condition Or(const isa::Condition& a, const isa::Condition& b) {
  isa::Condition c;
  c.kind = isa::Condition::Kind::kOr;
  c.operands = {a, b};
  return c;
}

BufferId Buffer(isa::Accelerator* acc, const std::string& name, std::vector<int64_t> addresses,
                int64_t unit_bytes) {
  if (acc->buffers.empty()) {
    isa::Buffer hbm;
    hbm.name = "d0";
    hbm.addresses = {isa::kHbmCapacityBytes};
    acc->buffers.push_back(hbm);
  }
  isa::Buffer b;
  b.name = name;
  b.addresses = std::move(addresses);
  b.unit = {unit_bytes};
  acc->buffers.push_back(b);
  return BufferId(acc->buffers.size() - 1);
}

isa::Region R(uint32_t buffer, std::vector<Expression> starts, std::vector<Expression> sizes) {
  isa::Region r;
  r.buffer = BufferId(buffer);
  r.starts = std::move(starts);
  r.sizes = std::move(sizes);
  return r;
}

isa::Instruction& Instr(isa::Accelerator* acc, const std::string& name, int computational, int addressing,
                        std::vector<isa::Region> inputs, isa::Region output) {
  isa::Instruction i;
  i.name = name;
  for (int k = 0; k < computational; ++k) i.computational.push_back("c" + std::to_string(k));
  for (int k = 0; k < addressing; ++k) i.addressing.push_back("a" + std::to_string(k));
  i.inputs = std::move(inputs);
  i.outputs = {std::move(output)};
  acc->instructions.push_back(std::move(i));
  return acc->instructions.back();
}

isa::Accelerator Qkv(int64_t d1_rows, int64_t d2_rows) {
  isa::Accelerator acc;
  acc.name = "QKV";
  Buffer(&acc, "d1", {d1_rows}, 128);
  Buffer(&acc, "d2", {d2_rows}, 128);
  const Expression bytes = Times(C(0), N(128));
  for (const char* name : {"load_rm", "load_cm"}) {
    Instr(&acc, name, 1, 2, {R(0, {A(0)}, {bytes})}, R(1, {A(1)}, {C(0)}));
  }
  for (const char* name : {"store_rm", "store_cm"}) {
    Instr(&acc, name, 1, 2, {R(1, {A(0)}, {C(0)})}, R(0, {A(1)}, {bytes}));
  }
  Instr(&acc, "mov", 1, 2, {R(2, {A(0)}, {C(0)})}, R(1, {A(1)}, {C(0)}));
  Instr(&acc, "gemm", 0, 3, {R(1, {A(0)}, {N(64)}), R(1, {A(1)}, {N(64)})}, R(2, {A(2)}, {N(64)}));
  Instr(&acc, "softmax", 1, 1, {R(2, {A(0)}, {C(0)})}, R(2, {A(0)}, {C(0)}));
  return acc;
}

ValueId Graph::Add(Value value) {
  const ValueId id(graph.values.size());
  if (value.name.empty()) value.name = "v" + std::to_string(id.value());
  const isa::Buffer& b = acc->buffer(value.buffer);
  value.bytes = b.unit.empty() ? 1 : b.unit[0];
  for (int64_t s : value.size) value.bytes *= s;
  graph.values.push_back(std::move(value));
  return id;
}

ValueId Graph::Input(int64_t bytes) {
  Value v;
  v.kind = Value::Kind::kInput;
  v.buffer = BufferId(0);
  v.size = {bytes};
  v.index = static_cast<int64_t>(graph.input_shapes.size());
  v.name = "in" + std::to_string(v.index);
  graph.input_shapes.push_back(Shape::Array(ElementType::kU8, {bytes}));
  return Add(v);
}

ValueId Graph::Constant(int64_t bytes) {
  Value v;
  v.kind = Value::Kind::kConstant;
  v.buffer = BufferId(0);
  v.size = {bytes};
  v.index = static_cast<int64_t>(graph.constants.size());
  v.name = "const" + std::to_string(v.index);
  Literal literal;
  literal.shape = Shape::Array(ElementType::kU8, {bytes});
  literal.bytes.assign(static_cast<size_t>(bytes), 1);
  graph.constants.push_back(literal);
  return Add(v);
}

ValueId Graph::Run(const std::string& instruction, std::vector<int64_t> computational,
                   std::vector<ValueId> operands) {
  size_t index = 0;
  while (acc->instructions[index].name != instruction) ++index;
  assembly::Step step;
  step.instruction = InstructionId(index);
  step.computational = std::move(computational);
  step.operands = std::move(operands);
  const isa::Region& out = acc->instructions[index].outputs[0];
  Value v;
  v.kind = Value::Kind::kResult;
  v.buffer = out.buffer;
  for (const Expression& e : out.sizes) {
    v.size.push_back(*isa::Evaluate(e, {.computational = step.computational, .addressing = {}, .state = {}}));
  }
  v.index = static_cast<int64_t>(graph.steps.size());
  step.result = Add(v);
  graph.steps.push_back(step);
  return step.result;
}

ValueId Graph::Window(ValueId of, int64_t offset_bytes, std::vector<int64_t> size) {
  Value v;
  v.kind = Value::Kind::kWindow;
  v.buffer = graph.value(of).buffer;
  v.offset = offset_bytes;
  v.parts = {of};
  v.size = std::move(size);
  return Add(v);
}

ValueId Graph::Adjacent(std::vector<ValueId> parts) {
  Value v;
  v.kind = Value::Kind::kAdjacent;
  v.buffer = graph.value(parts[0]).buffer;
  v.size = graph.value(parts[0]).size;
  v.size[0] = 0;
  for (ValueId p : parts) v.size[0] += graph.value(p).size[0];
  v.parts = std::move(parts);
  return Add(v);
}

void Graph::Output(ValueId value) {
  graph.outputs.push_back(value);
  graph.output_shapes.push_back(Shape::Array(ElementType::kU8, {graph.value(value).size[0]}));
}

Graph Attention(const isa::Accelerator* acc) {
  Graph g(acc);
  const ValueId q = g.Input(8192), k = g.Input(8192), v = g.Input(8192);
  const ValueId q1 = g.Run("load_rm", {64}, {q}), k1 = g.Run("load_cm", {64}, {k});
  const ValueId p = g.Run("softmax", {64}, {g.Run("gemm", {}, {q1, k1})});
  const ValueId p1 = g.Run("mov", {64}, {p}), v1 = g.Run("load_rm", {64}, {v});
  const ValueId o = g.Run("mov", {64}, {g.Run("gemm", {}, {p1, v1})});
  g.Output(g.Run("store_rm", {64}, {o}));
  return g;
}

namespace {

// A unit knows which value's which unit it holds; HBM units are bytes.
using Tag = std::pair<int64_t, int64_t>;
constexpr Tag kNothing{-1, -1};

class Machine {
 public:
  Machine(const isa::Accelerator& acc, const assembly::SelectedGraph& graph) : acc_(acc), graph_(graph) {
    memory_.resize(acc.buffers.size());
  }

  // The tags a value consists of, in row-major order of its box.
  std::vector<Tag> Expect(ValueId id) const {
    const Value& v = graph_.value(id);
    std::vector<Tag> tags;
    if (v.kind == Value::Kind::kWindow) {
      const std::vector<Tag> whole = Expect(v.parts[0]);
      const int64_t unit = acc_.buffer(v.buffer).unit.empty() ? 1 : acc_.buffer(v.buffer).unit[0];
      const int64_t count = Count(v.size);
      tags.assign(whole.begin() + v.offset / unit, whole.begin() + v.offset / unit + count);
    } else if (v.kind == Value::Kind::kAdjacent) {
      for (ValueId part : v.parts) {
        const std::vector<Tag> piece = Expect(part);
        tags.insert(tags.end(), piece.begin(), piece.end());
      }
    } else {
      int64_t name = id.value();
      // Twins of one input or constant are the same bytes.
      for (size_t o = 0; o < id.value() && v.kind != Value::Kind::kResult; ++o) {
        if (graph_.values[o].kind == v.kind && graph_.values[o].index == v.index) {
          name = static_cast<int64_t>(o);
          break;
        }
      }
      for (int64_t i = 0; i < Count(v.size); ++i) tags.push_back({name, i});
    }
    return tags;
  }

  static int64_t Count(const std::vector<int64_t>& size) {
    int64_t n = 1;
    for (int64_t s : size) n *= s;
    return n;
  }

  // Row-major addresses of a box; empty if it leaves the buffer.
  std::vector<int64_t> Units(BufferId buffer, const std::vector<int64_t>& start,
                             const std::vector<int64_t>& size) const {
    const std::vector<int64_t>& limit = acc_.buffer(buffer).addresses;
    std::vector<int64_t> units = {0};
    for (size_t d = 0; d < limit.size(); ++d) {
      if (start[d] < 0 || start[d] + size[d] > limit[d]) return {};
      std::vector<int64_t> next;
      for (int64_t u : units) {
        for (int64_t i = 0; i < size[d]; ++i) next.push_back(u * limit[d] + start[d] + i);
      }
      units = std::move(next);
    }
    return units;
  }

  void Write(BufferId buffer, const std::vector<int64_t>& units, const std::vector<Tag>& tags) {
    for (size_t i = 0; i < units.size(); ++i) memory_[buffer.value()][units[i]] = tags[i];
  }
  bool Holds(BufferId buffer, const std::vector<int64_t>& units, const std::vector<Tag>& tags) const {
    for (size_t i = 0; i < units.size(); ++i) {
      const auto it = memory_[buffer.value()].find(units[i]);
      if (it == memory_[buffer.value()].end() || it->second != tags[i]) return false;
    }
    return units.size() == tags.size();
  }

 private:
  const isa::Accelerator& acc_;
  const assembly::SelectedGraph& graph_;
  std::vector<std::map<int64_t, Tag>> memory_;
};

}  // namespace

std::string Replay(const isa::Accelerator& acc, const assembly::SelectedGraph& graph,
                   const assembly::Program& program) {
  Machine machine(acc, graph);
  const auto hbm = [&](int64_t address, int64_t bytes) {
    return address + bytes <= program.hbm_bytes ? machine.Units(BufferId(0), {address}, {bytes})
                                                : std::vector<int64_t>{};
  };
  int64_t at = 0;
  for (const assembly::HbmTensor& t : program.inputs) {
    if (t.address != at) return "input not packed";
    at += *t.shape.num_bytes();
  }
  for (const assembly::HbmTensor& t : program.outputs) {
    if (t.address != at) return "output not packed";
    at += *t.shape.num_bytes();
  }
  // Constants first: an input they lay upon would win.
  std::map<std::string, ValueId> by_name;
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const Value& value = graph.values[v];
    by_name[value.name] = ValueId(v);
    if (value.kind != Value::Kind::kConstant) continue;
    for (const assembly::HbmConstant& c : program.constants) {
      if (c.value.bytes.size() != static_cast<size_t>(value.size[0]) || c.name != value.name) continue;
      if (c.address < at) return "constant before the end of the outputs";
      machine.Write(BufferId(0), hbm(c.address, value.size[0]), machine.Expect(ValueId(v)));
    }
  }
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const Value& value = graph.values[v];
    if (value.kind != Value::Kind::kInput) continue;
    machine.Write(BufferId(0), hbm(program.inputs[value.index].address, value.size[0]),
                  machine.Expect(ValueId(v)));
  }
  if (program.body.size() != graph.steps.size()) return "wrong number of calls";
  for (const assembly::Statement& statement : program.body) {
    const assembly::Call& call = statement.call;
    const isa::Instruction& instruction = acc.instruction(call.instruction);
    const auto named = by_name.find(call.result_name);
    if (named == by_name.end()) return "unknown result";
    const assembly::Step& step = graph.steps[graph.value(named->second).index];
    if (step.instruction != call.instruction || step.computational != call.computational) return "wrong call";
    std::vector<int64_t> addressing;
    for (const assembly::AttributeValue& a : call.addressing)
      addressing.push_back(a.AsInteger().value_or(-1));
    if (addressing.size() != instruction.addressing.size()) return "wrong number of addresses";
    for (int64_t a : addressing) {
      if (a < 0) return "negative address attribute";
    }
    const isa::Environment environment{call.computational, addressing, {}};
    for (const isa::Condition& c : instruction.constraints) {
      const StatusOr<bool> holds = isa::Evaluate(c, environment);
      if (!holds.ok() || !*holds) return "constraint violated by " + call.result_name;
    }
    std::vector<std::vector<int64_t>> starts;
    const auto units_of = [&](const isa::Region& region) {
      std::vector<int64_t> start, size;
      for (const Expression& e : region.starts)
        start.push_back(isa::Evaluate(e, environment).ok() ? *isa::Evaluate(e, environment) : -1);
      for (const Expression& e : region.sizes) size.push_back(*isa::Evaluate(e, environment));
      return machine.Units(region.buffer, start, size);
    };
    std::vector<std::vector<int64_t>> reads;
    for (size_t k = 0; k < step.operands.size(); ++k) {
      reads.push_back(units_of(instruction.inputs[k]));
      if (reads[k].empty()) return "operand outside its buffer: " + call.result_name;
      if (!machine.Holds(instruction.inputs[k].buffer, reads[k], machine.Expect(step.operands[k]))) {
        return "operand " + std::to_string(k) + " of " + call.result_name + " is not there";
      }
    }
    for (size_t k = 0; k < step.operands.size(); ++k) {  // what the spec marks as destroyed
      if (k < instruction.inplace.size() && instruction.inplace[k]) {
        machine.Write(instruction.inputs[k].buffer, reads[k], std::vector<Tag>(reads[k].size(), kNothing));
      }
    }
    const std::vector<int64_t> written = units_of(instruction.outputs[0]);
    if (written.empty()) return "result outside its buffer: " + call.result_name;
    if (instruction.outputs[0].buffer == BufferId(0) && written.back() >= program.hbm_bytes)
      return "beyond hbm";
    for (size_t k = 0; k < step.operands.size(); ++k) {
      const bool apart = k < instruction.apart.size() && instruction.apart[k];
      const bool whole = k < instruction.no_partial_overlap.size() && instruction.no_partial_overlap[k];
      if ((!apart && !whole) || instruction.inputs[k].buffer != instruction.outputs[0].buffer) continue;
      const std::set<int64_t> in(reads[k].begin(), reads[k].end());
      size_t shared = 0;
      for (int64_t u : written) shared += in.count(u);
      if (apart && shared > 0) return "not apart";
      if (whole && shared > 0 && (shared != in.size() || shared != written.size())) return "partial overlap";
    }
    machine.Write(instruction.outputs[0].buffer, written, machine.Expect(step.result));
  }
  for (size_t k = 0; k < graph.outputs.size(); ++k) {
    const assembly::HbmTensor& t = program.outputs[k];
    if (!machine.Holds(BufferId(0), hbm(t.address, *t.shape.num_bytes()), machine.Expect(graph.outputs[k]))) {
      return "output " + std::to_string(k) + " is not there";
    }
  }
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const Value& value = graph.values[v];
    if (value.kind != Value::Kind::kInput) continue;
    if (!machine.Holds(BufferId(0), hbm(program.inputs[value.index].address, value.size[0]),
                       machine.Expect(ValueId(v)))) {
      return "input " + value.name + " was overwritten";
    }
  }
  return "";
}

assembly::Program MustPlace(const Graph& g, const AllocateOptions& options, AllocateReport* report) {
  StatusOr<assembly::Program> program = Allocate(*g.acc, g.graph, options, report);
  EXPECT_TRUE(program.ok()) << program.status().message();
  if (!program.ok()) return {};
  EXPECT_EQ(Replay(*g.acc, g.graph, *program), "");
  return std::move(program).value();
}

void MustFail(const Graph& g, const std::string& code, const std::vector<std::string>& texts,
              const AllocateOptions& options) {
  const StatusOr<assembly::Program> program = Allocate(*g.acc, g.graph, options);
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.status().front().code, code) << program.status().message();
  for (const std::string& text : texts) {
    EXPECT_NE(program.status().message().find(text), std::string::npos)
        << text << " in: " << program.status().message();
  }
}

std::vector<int64_t> Addresses(const assembly::Program& program, size_t i) {
  std::vector<int64_t> list;
  for (const assembly::AttributeValue& a : program.body[i].call.addressing) list.push_back(*a.AsInteger());
  return list;
}

std::vector<std::string> CallNames(const isa::Accelerator& acc, const assembly::Program& program) {
  std::vector<std::string> names;
  for (const assembly::Statement& s : program.body) names.push_back(acc.instruction(s.call.instruction).name);
  return names;
}

}  // namespace act::allocate
