#include "kit.h"

#include <cstdio>
#include <cstdlib>

namespace act::validate {
namespace {

// Specs of tests are right; anything else is a fault of the test itself.
void Must(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "kit: %s\n", status.message().c_str());
  std::abort();
}
template <typename T>
T Must(StatusOr<T> value) {
  Must(value.status());
  return std::move(value).value();
}

struct InstructionText {
  std::string name;
  std::vector<std::string> computational, addressing;
  std::vector<isa::RegionText> inputs, outputs;
  std::string semantics;
};

size_t Define(isa::Accelerator* acc, InstructionText text) {
  Must(isa::AddInstruction(acc, text.name, text.computational, text.addressing));
  const size_t index = acc->instructions.size() - 1;
  Must(isa::SetInputs(acc, index, text.inputs));
  Must(isa::SetOutputs(acc, index, text.outputs));
  if (!text.semantics.empty()) {
    Must(isa::SetSemantics(acc, index, SourceText(text.name, "ENTRY {" + text.semantics + "}")));
  }
  return index;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// "R" stands for the row count in all texts.
class RowSpec {
 public:
  RowSpec(std::string name, int64_t rows) : acc_(isa::MakeAccelerator(std::move(name))), rows_(rows) {}

  void Buffer(const std::string& name, int64_t units) {
    Must(isa::AddBuffer(&acc_, name, {units}, {rows_}, "bf16"));
  }
  void Load(const std::string& name, const std::string& buffer, bool transposed) {
    const std::string rows = "%a = u8[@c.n,R,2] reshape(%In1) ";
    Add(name, {"n"}, {"addr_in", "addr_out"}, {{"d0", {"@a.addr_in"}, {"@c.n*R*2"}, {}}},
        {{buffer, {"@a.addr_out"}, {"@c.n"}, {}}},
        rows + (transposed ? "%b = bf16[@c.n,R] bitcast_convert(%a) "
                             "ROOT %Out0 = bf16[R,@c.n] transpose(%b), dimensions={1,0}"
                           : "ROOT %Out0 = bf16[@c.n,R] bitcast_convert(%a)"));
  }
  void Store(const std::string& name, const std::string& buffer, bool transposed) {
    Add(name, {"n"}, {"addr_in", "addr_out"}, {{buffer, {"@a.addr_in"}, {"@c.n"}, {}}},
        {{"d0", {"@a.addr_out"}, {"@c.n*R*2"}, {}}},
        transposed ? "%a = bf16[R,@c.n] transpose(%In1), dimensions={1,0} "
                     "%b = u8[R,@c.n,2] bitcast_convert(%a) ROOT %Out0 = u8[`@c.n*R*2`] reshape(%b)"
                   : "%b = u8[@c.n,R,2] bitcast_convert(%In1) ROOT %Out0 = u8[`@c.n*R*2`] reshape(%b)");
  }
  void Move(const std::string& name, const std::string& from, const std::string& to) {
    Add(name, {"n"}, {"addr_in", "addr_out"}, {{from, {"@a.addr_in"}, {"@c.n"}, {}}},
        {{to, {"@a.addr_out"}, {"@c.n"}, {}}}, "ROOT %Out0 = bf16[@c.n,R] copy(%In1)");
  }
  void Gemm(const std::string& name, const std::string& lhs, const std::string& rhs) {
    Add(name, {}, {"addr_1", "addr_2", "addr_out"},
        {{lhs, {"@a.addr_1"}, {"R"}, {}}, {rhs, {"@a.addr_2"}, {"R"}, {}}},
        {{"d2", {"@a.addr_out"}, {"R"}, {}}},
        "ROOT %Out0 = bf16[R,R] dot(%In1, %In2), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  }
  void Softmax() {
    Add("softmax", {"n"}, {"addr"}, {{"d2", {"@a.addr"}, {"@c.n"}, {}}}, {{"d2", {"@a.addr"}, {"@c.n"}, {}}},
        "%e = bf16[@c.n,R] exponential(%In1) %s = bf16[@c.n] reduce_add(%e), dimensions={1} "
        "%b = bf16[@c.n,R] broadcast(%s), dimensions={0} ROOT %Out0 = bf16[@c.n,R] divide(%e, %b)");
  }
  void Transpose(const std::string& name) {
    Add(name, {}, {"addr_in", "addr_out"}, {{"d1", {"@a.addr_in"}, {"R"}, {}}},
        {{"d3", {"@a.addr_out"}, {"R"}, {}}},
        "%t = bf16[R,R] transpose(%In1), dimensions={1,0} ROOT %Out0 = bf16[R,R] copy(%t)");
  }
  isa::Accelerator Take() { return std::move(acc_); }

 private:
  void Add(const std::string& name, std::vector<std::string> computational,
           std::vector<std::string> addressing, std::vector<isa::RegionText> inputs,
           std::vector<isa::RegionText> outputs, const std::string& semantics) {
    const std::string rows = std::to_string(rows_);
    for (auto* regions : {&inputs, &outputs}) {
      for (isa::RegionText& region : *regions) region.sizes[0] = Replaced(region.sizes[0], "R", rows);
    }
    std::string text = Replaced(semantics, "[R", "[" + rows);
    text = Replaced(Replaced(text, ",R", "," + rows), "*R*", "*" + rows + "*");
    Define(&acc_, {name, std::move(computational), std::move(addressing), std::move(inputs),
                   std::move(outputs), text});
  }
  isa::Accelerator acc_;
  int64_t rows_;
};

}  // namespace

isa::Accelerator MakeQkv(int64_t rows) {
  RowSpec spec("QKV", rows);
  spec.Buffer("d1", 2 * rows);
  spec.Buffer("d2", rows);
  spec.Load("load_rm", "d1", false);
  spec.Load("load_cm", "d1", true);
  spec.Store("store_rm", "d1", false);
  spec.Store("store_cm", "d1", true);
  spec.Move("mov", "d2", "d1");
  spec.Gemm("gemm", "d1", "d1");
  spec.Softmax();
  return spec.Take();
}

isa::Accelerator MakeQkvNew(int64_t rows) {
  RowSpec spec("QKV", rows);
  spec.Buffer("d1", 2 * rows);
  spec.Buffer("d3", 2 * rows);
  spec.Buffer("d2", rows);
  spec.Load("load_01", "d1", false);
  spec.Load("load_03", "d3", false);
  spec.Store("store_10", "d1", false);
  spec.Store("store_30", "d3", false);
  spec.Transpose("transpose_13");
  spec.Move("mov_21", "d2", "d1");
  spec.Move("mov_23", "d2", "d3");
  spec.Gemm("gemm_33", "d3", "d3");
  spec.Gemm("gemm_13", "d1", "d3");
  spec.Softmax();
  return spec.Take();
}

isa::Accelerator MakeInteger() {
  isa::Accelerator acc = isa::MakeAccelerator("integer");
  Must(isa::AddBuffer(&acc, "v", {32}, {8}, "s32"));
  Must(isa::AddBuffer(&acc, "acc", {4}, {8, 8}, "s32"));
  Must(isa::AddBuffer(&acc, "t", {8, 16}, {}, "s8"));
  Must(isa::AddState(&acc, "head", 0));
  Must(isa::AddState(&acc, "scale", 3));
  const std::vector<std::string> n = {"n"};
  const isa::RegionText memory{"d0", {"@a.mem"}, {"@c.n*32"}, {}};
  const isa::RegionText x{"v", {"@a.x"}, {"@c.n"}, {}}, y{"v", {"@a.y"}, {"@c.n"}, {}},
      o{"v", {"@a.o"}, {"@c.n"}, {}};
  const std::string to_words = "%a = u8[@c.n,8,4] reshape(%In1) ROOT %Out0 = s32[@c.n,8] bitcast_convert(%a)";
  const std::string to_bytes =
      "%a = u8[@c.n,8,4] bitcast_convert(%In1) ROOT %Out0 = u8[`@c.n*32`] reshape(%a)";
  Define(&acc, {"load", n, {"mem", "o"}, {memory}, {o}, to_words});
  Define(&acc, {"store", n, {"x", "mem"}, {x}, {memory}, to_bytes});
  Define(&acc, {"add", n, {"x", "y", "o"}, {x, y}, {o}, "ROOT %Out0 = s32[@c.n,8] add(%In1, %In2)"});
  const size_t sub =
      Define(&acc, {"sub", n, {"x", "y", "o"}, {x, y}, {o}, "ROOT %Out0 = s32[@c.n,8] subtract(%In1, %In2)"});
  Must(isa::AddConstraint(&acc, sub, SourceText("sub", "@a.o % 2 == 0")));
  Must(isa::AddConstraint(&acc, sub, SourceText("sub", "@c.n <= 16")));
  // acc[c] += x * y, and acc[c] = 0.
  const isa::RegionText a{"acc", {"@a.c"}, {"1"}, {}};
  const isa::RegionText x8{"v", {"@a.x"}, {"8"}, {}}, y8{"v", {"@a.y"}, {"8"}, {}},
      o8{"v", {"@a.o"}, {"8"}, {}};
  const size_t mac = Define(&acc, {"mac",
                                   {},
                                   {"x", "y", "c"},
                                   {x8, y8, a},
                                   {a},
                                   "%d = s32[8,8] dot(%In1, %In2), lhs_contracting_dims={1}, "
                                   "rhs_contracting_dims={0} %r = s32[8,8] reshape(%In3) "
                                   "ROOT %Out0 = s32[8,8] add(%d, %r)"});
  Must(isa::SetPlacement(&acc, mac, isa::PlacementMark::kInplace, {false, false, true}));
  Define(&acc, {"zero", {}, {"c"}, {}, {a}, "ROOT %Out0 = s32[1,8,8] constant(0)"});
  Define(&acc, {"take", {}, {"c", "o"}, {a}, {o8}, "ROOT %Out0 = s32[1,8,8] copy(%In1)"});
  // A marked operand that lies elsewhere than the result: its bytes are lost.
  const size_t eat = Define(&acc, {"eat", n, {"x", "o"}, {x}, {o}, "ROOT %Out0 = s32[@c.n,8] negate(%In1)"});
  Must(isa::SetPlacement(&acc, eat, isa::PlacementMark::kInplace, {true}));
  // Two address dimensions; the loads are strided in HBM.
  const std::vector<std::string> rc = {"r", "c"};
  const std::vector<std::string> box = {"@c.r", "@c.c"};
  Define(&acc, {"load2",
                {"r", "c", "pitch"},
                {"mem", "oy", "ox"},
                {{"d0", {"@a.mem"}, box, {"@c.pitch", "1"}}},
                {{"t", {"@a.oy", "@a.ox"}, box, {}}},
                "ROOT %Out0 = s8[@c.r,@c.c] bitcast_convert(%In1)"});
  Define(&acc, {"store2",
                rc,
                {"iy", "ix", "mem"},
                {{"t", {"@a.iy", "@a.ix"}, box, {}}},
                {{"d0", {"@a.mem"}, {"@c.r*@c.c"}, {}}},
                "%b = u8[@c.r,@c.c] bitcast_convert(%In1) ROOT %Out0 = u8[`@c.r*@c.c`] reshape(%b)"});
  const size_t max2 = Define(&acc, {"max2",
                                    rc,
                                    {"xy", "xx", "yy", "yx", "oy", "ox"},
                                    {{"t", {"@a.xy", "@a.xx"}, box, {}}, {"t", {"@a.yy", "@a.yx"}, box, {}}},
                                    {{"t", {"@a.oy", "@a.ox"}, box, {}}},
                                    "ROOT %Out0 = s8[@c.r,@c.c] maximum(%In1, %In2)"});
  Must(isa::SetPlacement(&acc, max2, isa::PlacementMark::kApart, {true, false}));
  Must(isa::SetPlacement(&acc, max2, isa::PlacementMark::kNoPartialOverlap, {false, true}));
  // State: a setter, a user in values, and a queue whose window moves with the updates.
  const size_t set = Define(&acc, {"set_scale", {"s"}, {}, {}, {}, ""});
  Must(isa::AddUpdate(&acc, set, SourceText("set_scale", "@s.scale = @c.s")));
  Define(&acc, {"scale",
                n,
                {"x", "o"},
                {x},
                {o},
                "%k = s32[] constant(`@s.scale`) %b = s32[@c.n,8] broadcast(%k), dimensions={} "
                "ROOT %Out0 = s32[@c.n,8] multiply(%In1, %b)"});
  const size_t push =
      Define(&acc, {"push",
                    {},
                    {"mem"},
                    {{"d0", {"@a.mem"}, {"32"}, {}}},
                    {{"v", {"@s.head - 1"}, {"1"}, {}}},
                    "%a = u8[1,8,4] reshape(%In1) ROOT %Out0 = s32[1,8] bitcast_convert(%a)"});
  Must(isa::AddConstraint(&acc, push, SourceText("push", "@s.head < 4")));
  Must(isa::AddUpdate(&acc, push, SourceText("push", "@s.head += 1")));
  // Two results: x + y and x - y.
  Define(&acc, {"both",
                n,
                {"x", "y", "o", "p"},
                {x, y},
                {o, {"v", {"@a.p"}, {"@c.n"}, {}}},
                "%Out0 = s32[@c.n,8] add(%In1, %In2) %Out1 = s32[@c.n,8] subtract(%In1, %In2)"});
  return acc;
}

Kit::Kit(isa::Accelerator acc) : accelerator(std::move(acc)) {
  program.name = "kernel";
  program.target = accelerator.name;
}

ValueId Kit::Add(assembly::Value value) {
  const ValueId id(graph.values.size());
  if (value.name.empty()) value.name = "v" + std::to_string(id.value());
  graph.values.push_back(std::move(value));
  return id;
}

int64_t Kit::Reserve(int64_t bytes) {
  const int64_t address = program.hbm_bytes;
  program.hbm_bytes += bytes;
  return address;
}

ValueId Kit::Input(const std::string& name, Shape shape) {
  const int64_t bytes = shape.num_bytes().value();
  const int64_t address = Reserve(bytes);
  program.inputs.push_back({name, address, shape});
  graph.input_shapes.push_back(shape);
  assembly::Value value;
  value.kind = assembly::Value::Kind::kInput;
  value.buffer = BufferId(0);
  value.size = {bytes};
  value.bytes = bytes;
  value.index = static_cast<int64_t>(program.inputs.size()) - 1;
  value.name = name;
  const ValueId id = Add(std::move(value));
  addresses_[id.value()] = address;
  return id;
}

int64_t Kit::Output(Shape shape) {
  const int64_t address = Reserve(shape.num_bytes().value());
  program.outputs.push_back({"", address, shape});
  graph.output_shapes.push_back(shape);
  return address;
}

ValueId Kit::Constant(const std::string& name, Literal literal) {
  const int64_t bytes = static_cast<int64_t>(literal.bytes.size());
  const int64_t address = Reserve(bytes);
  program.constants.push_back({name, address, literal});
  assembly::Value value;
  value.kind = assembly::Value::Kind::kConstant;
  value.buffer = BufferId(0);
  value.size = {bytes};
  value.bytes = bytes;
  value.index = static_cast<int64_t>(graph.constants.size());
  value.name = name;
  graph.constants.push_back(std::move(literal));
  const ValueId id = Add(std::move(value));
  addresses_[id.value()] = address;
  return id;
}

int64_t Kit::AddressOf(ValueId id) const { return addresses_.at(id.value()); }

void Kit::Call(const std::string& instruction, std::vector<int64_t> computational,
               std::vector<int64_t> addressing) {
  assembly::Statement statement;
  statement.call.instruction = accelerator.FindInstruction(instruction).value();
  statement.call.computational = std::move(computational);
  for (const int64_t a : addressing) statement.call.addressing.push_back(assembly::AttributeValue::Of(a));
  program.body.push_back(std::move(statement));
}

ValueId Kit::Step(const std::string& instruction, std::vector<int64_t> computational,
                  std::vector<ValueId> operands) {
  assembly::Step step;
  step.instruction = accelerator.FindInstruction(instruction).value();
  step.computational = std::move(computational);
  step.operands = std::move(operands);
  const isa::Region& region = accelerator.instruction(step.instruction).outputs[0];
  assembly::Value value;
  value.buffer = region.buffer;
  value.size = Must(isa::EvaluateSizes(region, {step.computational, {}, {}}));
  value.bytes = Must(isa::BoxBytes(accelerator, value.buffer, value.size));
  value.index = static_cast<int64_t>(graph.steps.size());
  step.result = Add(std::move(value));
  graph.steps.push_back(step);
  return step.result;
}

ValueId Kit::Do(const std::string& instruction, std::vector<int64_t> computational,
                std::vector<int64_t> addressing, std::vector<ValueId> operands) {
  Call(instruction, computational, std::move(addressing));
  return Step(instruction, std::move(computational), std::move(operands));
}

ValueId Kit::Window(ValueId whole, std::vector<int64_t> size, int64_t offset) {
  assembly::Value value;
  value.kind = assembly::Value::Kind::kWindow;
  value.buffer = graph.value(whole).buffer;
  value.bytes = Must(isa::BoxBytes(accelerator, value.buffer, size));
  value.size = std::move(size);
  value.offset = offset;
  value.parts = {whole};
  return Add(std::move(value));
}

ValueId Kit::Adjacent(std::vector<ValueId> parts) {
  assembly::Value value;
  value.kind = assembly::Value::Kind::kAdjacent;
  value.buffer = graph.value(parts[0]).buffer;
  value.size = graph.value(parts[0]).size;
  value.size[0] = 0;
  for (const ValueId part : parts) {
    value.size[0] += graph.value(part).size[0];
    value.bytes += graph.value(part).bytes;
  }
  value.parts = std::move(parts);
  return Add(std::move(value));
}

Shape Matrix(int64_t rows, int64_t columns, ElementType type) { return Shape::Array(type, {rows, columns}); }

Literal Identity(int64_t rows) {
  Literal identity(Matrix(rows, rows));
  for (int64_t i = 0; i < rows; ++i) identity.SetDouble(i * rows + i, 1.0);
  return identity;
}

std::string Fault(const Kit& kit, bool certificate, const ValidateOptions& options) {
  const StatusOr<ValidateReport> report =
      Validate(kit.accelerator, kit.program, certificate ? &kit.graph : nullptr, options);
  if (report.ok()) return "";
  return report.status().front().code + ": " + report.status().message();
}

testing::AssertionResult Says(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (text.find(part) == std::string::npos) {
      return testing::AssertionFailure() << "'" << part << "' is not in '" << text << "'";
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace act::validate
