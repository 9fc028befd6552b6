// Selection as a whole: what matches and what must not, sharing with destructive instructions, and answers
// that do not depend on earlier kernels.
#include <algorithm>
#include <functional>

#include "select/match.h"
#include "select/select.h"
#include "select/states.h"
#include "unit/select/testing.h"

namespace act::select {
namespace {

isa::Accelerator ReadSpec(const std::string& text) {
  auto accelerator = isa::ParseTaidl(SourceText("test.taidl", text));
  if (!accelerator.ok()) {
    ADD_FAILURE() << accelerator.status().message() << "\n" << text;
    return isa::MakeAccelerator("none");
  }
  return *std::move(accelerator);
}

// 8 f32 an address; loads and stores of n rows; further instructions behind.
std::string Spec(const std::string& instructions) {
  return R"(accelerator t
buffer d [64] of f32[8]
instruction load(n; a, o)
  in x = d0[a : +n*32]
  out z = d[o : +n]
  z = bitcast_convert(reshape(x, u8[n,8,4]), f32[n,8])
instruction store(n; a, o)
  in x = d[a : +n]
  out z = d0[o : +n*32]
  z = reshape(bitcast_convert(x, u8[n,8,4]), u8[n*32])
)" + instructions;
}

std::string Binary(const std::string& name, const std::string& semantics, const std::string& lines = "") {
  return "instruction " + name +
         "(n; a, b, o)\n  in x = d[a : +n]\n  in y = d[b : +n]\n  out z = d[o : +n]\n" + lines +
         "  z = " + semantics + "\n";
}
std::string Unary(const std::string& name, const std::string& semantics, const std::string& lines = "") {
  return "instruction " + name + "(n; a, o)\n  in x = d[a : +n]\n  out z = d[o : +n]\n" + lines +
         "  z = " + semantics + "\n";
}
// Its output lies where its input lies.
std::string InPlace(const std::string& name, const std::string& semantics) {
  return "instruction " + name + "(n; a)\n  in x = d[a : +n]\n  out z = d[a : +n]\n  z = " + semantics + "\n";
}

StatusOr<std::vector<Candidate>> SelectText(const isa::Accelerator& accelerator, const std::string& body,
                                            size_t count = 1, const SelectOptions& options = {}) {
  Selector selector(&accelerator);
  return selector.Select(MakeKernel(ModuleText(body)), options, count, nullptr);
}

int StepsBesidesLoads(const isa::Accelerator& accelerator, const assembly::SelectedGraph& graph) {
  return static_cast<int>(std::count_if(graph.steps.begin(), graph.steps.end(), [&](const assembly::Step& s) {
    return accelerator.instruction(s.instruction).name.substr(0, 4) != "load";
  }));
}

const std::string kXY = "  x = f32[4,8] parameter(0)\n  y = f32[4,8] parameter(1)\n";

struct Case {
  const char* name;
  std::string instructions;
  std::string kernel;
  int steps;  // of the cheapest selection, loads left out (they may be joint); 0: refused
};

std::string Softmax(int64_t reduced, int64_t laid, const char* other) {
  const std::string r = std::to_string(reduced), l = std::to_string(laid);
  return "  x = f32[8,8] parameter(0)\n  y = f32[8,8] parameter(1)\n  e = f32[8,8] exponential(x)\n"
         "  f = f32[8,8] exponential(y)\n  zero = f32[] constant(0)\n  s = f32[8] reduce(" +
         std::string(other) + ", zero), dimensions={" + r +
         "}, to_apply=add_f32\n  t = f32[8,8] broadcast(s), "
         "dimensions={" +
         l + "}\n  ROOT r = f32[8,8] divide(e, t)\n";
}
const std::string kSoftmax =
    Unary("softmax", "divide(exp(x), broadcast(reduce_add(exp(x), {1}), f32[n,8], {0}))");

const Case kCases[] = {
    {"a copy", "", "  x = f32[4,8] parameter(0)\n  ROOT r = f32[4,8] copy(x)\n", 1},
    // pitfall 21
    {"x + x does not compute x + y", Unary("twice", "add(x, x)"), kXY + "  ROOT r = f32[4,8] add(x, y)\n", 0},
    // pitfall 21
    {"x + x computes x + x", Unary("twice", "add(x, x)"),
     "  x = f32[4,8] parameter(0)\n  ROOT r = f32[4,8] add(x, x)\n", 2},
    {"a sum of two computes x + x from one instance", Binary("sum", "add(x, y)"),
     "  x = f32[4,8] parameter(0)\n  ROOT r = f32[4,8] add(x, x)\n", 2},
    // pitfall 20
    {"softmax", kSoftmax, Softmax(1, 0, "e"), 2},
    // pitfall 20
    {"softmax over another's sums", kSoftmax, Softmax(1, 0, "f"), 0},
    // pitfall 25
    {"softmax of columns", kSoftmax, Softmax(0, 1, "e"), 0},
    // pitfall 26
    {"row sums laid along columns", kSoftmax, Softmax(1, 1, "e"), 0},
    // pitfall 22
    {"a value used three times", Unary("cube", "multiply(multiply(exp(x), exp(x)), exp(x))"),
     "  x = f32[4,8] parameter(0)\n  e = f32[4,8] exponential(x)\n  f = f32[4,8] multiply(e, e)\n  ROOT r = "
     "f32[4,8] multiply(f, e)\n",
     2},
    // pitfall 23
    {"order of the operands", Binary("mix", "subtract(exp(y), negate(x))"),
     kXY + "  n = f32[4,8] negate(y)\n  e = f32[4,8] exponential(x)\n  ROOT r = f32[4,8] subtract(e, n)\n",
     2},
    {"a commuted operand", Binary("mix", "add(exp(x), y)"),
     kXY + "  e = f32[4,8] exponential(y)\n  ROOT r = f32[4,8] add(x, e)\n", 2},
    // pitfall 27
    {"an identity transpose", "",
     "  x = f32[4,8] parameter(0)\n  ROOT r = f32[4,8] transpose(x), dimensions={0,1}\n", 1},
    // pitfall 28
    {"another slice than the instruction's",
     "instruction half(; a, o)\n  in x = d[a : +2]\n  out z = d[o : +1]\n  z = slice(x, [1:2], [0:8])\n",
     "  x = f32[2,8] parameter(0)\n  ROOT r = f32[1,8] slice(x), slice={[0:1], [0:8]}\n", 0},
    // pitfall 29
    {"another constant", Unary("seven", "add(x, constant(7, f32[n,8]))"),
     "  x = f32[4,8] parameter(0)\n  c = f32[] constant(3)\n  b = f32[4,8] broadcast(c), dimensions={}\n  "
     "ROOT r = "
     "f32[4,8] add(x, b)\n",
     0},
    // pitfall 29, 30
    {"the instruction's constant", Unary("seven", "add(x, constant(7, f32[n,8]))"),
     "  x = f32[4,8] parameter(0)\n  c = f32[] constant(7)\n  b = f32[4,8] broadcast(c), dimensions={}\n  "
     "ROOT r = "
     "f32[4,8] add(x, b)\n",
     2},
    // pitfall 31
    {"a size that is a sum",
     "instruction pair(n; a, o)\n  in x = d[a : +2*n+1]\n  out z = d[o : +2*n+1]\n  z = negate(x)\n",
     "  x = f32[7,8] parameter(0)\n  ROOT r = f32[7,8] negate(x)\n", 2},
    // pitfall 31
    {"a size that no attribute gives",
     "instruction pair(n; a, o)\n  in x = d[a : +2*n+1]\n  out z = d[o : +2*n+1]\n  z = negate(x)\n",
     "  x = f32[6,8] parameter(0)\n  ROOT r = f32[6,8] negate(x)\n", 0},
    // pitfall 31, 32
    {"attributes that only inputs have",
     "buffer w [64] of f32[4]\n"
     "instruction load_w(n; a, o)\n  in x = d0[a : +n*16]\n  out z = w[o : +n]\n"
     "  z = bitcast_convert(reshape(x, u8[n,4,4]), f32[n,4])\n"
     "instruction gemm(n, m; a, b, o)\n  in x = w[a : +n*m]\n  in y = d[b : +m*4]\n  out z = d[o : +n]\n"
     "  z = dot(reshape(x, f32[n,m*4]), reshape(y, f32[m*4,8]))\n",
     "  x = f32[3,12] parameter(0)\n  y = f32[12,8] parameter(1)\n  ROOT r = f32[3,8] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
     2},
    // pitfall 33
    {"bytes that are no row", "", "  x = f32[4,7] parameter(0)\n  ROOT r = f32[4,7] copy(x)\n", 0},
    // pitfall 35
    {"an instruction without inputs",
     "instruction fill(n; o)\n  out z = d[o : +n]\n  z = constant(7, f32[n,8])\n",
     "  c = f32[] constant(7)\n  ROOT r = f32[4,8] broadcast(c), dimensions={}\n", 2},
    // pitfall 36
    {"other types",
     "buffer h [64] of f16[8]\ninstruction load_h(n; a, o)\n  in x = d0[a : +n*16]\n  out z = h[o : +n]\n"
     "  z = bitcast_convert(reshape(x, u8[n,8,2]), f16[n,8])\ninstruction widen(n; a, o)\n  in x = h[a : "
     "+n]\n"
     "  out z = d[o : +n]\n  z = convert(x, f32[n,8])\n",
     "  x = f16[4,8] parameter(0)\n  ROOT r = f32[4,8] convert(x)\n", 2},
    // pitfall 38, 39
    {"instructions that are named like operations",
     Unary("add", "negate(x)") + Unary("Add", "exp(x)") + Unary("dot", "tanh(x)") + Unary("copy", "abs(x)"),
     "  x = f32[4,8] parameter(0)\n  n = f32[4,8] negate(x)\n  e = f32[4,8] exponential(n)\n  ROOT r = "
     "f32[4,8] tanh(e)\n",
     4},
    // pitfall 42
    {"an instruction without semantics",
     "instruction nothing(n; a)\n  in x = d[a : +n]\n  out z = d[a : +n]\n" + Unary("neg", "negate(x)"),
     "  x = f32[4,8] parameter(0)\n  ROOT r = f32[4,8] negate(x)\n", 2},
    // pitfall 43
    {"a constraint that does not hold", Unary("neg", "negate(x)", "  where n % 16 == 0\n"),
     "  x = f32[24,8] parameter(0)\n  ROOT r = f32[24,8] negate(x)\n", 0},
    // pitfall 43
    {"a constraint that holds", Unary("neg", "negate(x)", "  where n % 16 == 0\n"),
     "  x = f32[32,8] parameter(0)\n  ROOT r = f32[32,8] negate(x)\n", 2},
    // pitfall 44
    {"a constant start before other operands",
     "instruction bias(n; a, o)\n  in y = d[0 : +n]\n  in x = d[a : +n]\n  out z = d[o : +n]\n  z = "
     "subtract(x, y)\n",
     kXY + "  ROOT r = f32[4,8] subtract(x, y)\n", 2},
    {"approximate instructions need relaxed numerics", Unary("fast", "exp(x)", "  numerics approx\n"),
     "  x = f32[4,8] parameter(0)\n  ROOT r = f32[4,8] exponential(x)\n", 0},
    // pitfall 87
    {"an addition serves as a move only where it must", Binary("sum", "add(x, y)"),
     "  x = f32[4,8] parameter(0)\n  ROOT r = f32[4,8] copy(x)\n", 1},
    // pitfall 92, 93
    {"a value used twice is computed once",
     Unary("neg", "negate(x)") + Binary("sum", "add(x, y)") + Unary("ex", "exp(x)"),
     "  x = f32[4,8] parameter(0)\n  e = f32[4,8] exponential(x)\n  n = f32[4,8] negate(e)\n  ROOT r = "
     "f32[4,8] add(n, e)\n",
     4},
    // pitfall 99
    {"an output wanted twice", Unary("neg", "negate(x)"),
     "  x = f32[4,8] parameter(0)\n  n = f32[4,8] negate(x)\n  ROOT r = (f32[4,8], f32[4,8]) tuple(n, n)\n",
     3},
};

TEST(Selector, MatchesWhatIsEqualAndNothingElse) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const isa::Accelerator accelerator = ReadSpec(Spec(c.instructions));
    const auto selected = SelectText(accelerator, c.kernel);
    if (c.steps == 0) {
      ASSERT_FALSE(selected.ok()) << assembly::PrintSelectedGraph(accelerator, (*selected)[0].graph);
      EXPECT_EQ(selected.status().front().error_class, ErrorClass::kUnsupported)
          << selected.status().message();
    } else {
      ASSERT_TRUE(selected.ok()) << selected.status().message();
      EXPECT_EQ(StepsBesidesLoads(accelerator, (*selected)[0].graph), c.steps)
          << assembly::PrintSelectedGraph(accelerator, (*selected)[0].graph);
    }
  }
}

// pitfall 37
TEST(Selector, ThirtyInputsWithRepeatedValues) {
  std::string inputs, sum = "x0", parameters, total = "p0";
  std::string body;
  std::string names;
  for (int i = 0; i < 30; ++i) {
    const std::string n = std::to_string(i);
    names += (i == 0 ? "" : ", ") + ("a" + n);
    inputs += "  in x" + n + " = d[a" + n + " : +1]\n";
    if (i > 0) sum = "subtract(" + sum + ", x" + n + ")";
    body += "  p" + n + " = f32[1,8] parameter(" + n + ")\n";
  }
  const isa::Accelerator accelerator =
      ReadSpec(Spec("instruction many(; " + names + ", o)\n" + inputs +
                    "  out z = d[o : +1]\n  z = subtract(" + sum + ", x3)\n"));
  for (int i = 1; i < 30; ++i) {
    body += "  s" + std::to_string(i) + " = f32[1,8] subtract(" +
            (i == 1 ? "p0" : "s" + std::to_string(i - 1)) + ", p" + std::to_string(i) + ")\n";
  }
  const auto right = SelectText(accelerator, body + "  ROOT r = f32[1,8] subtract(s29, p3)\n");
  ASSERT_TRUE(right.ok()) << right.status().message();
  EXPECT_EQ(StepsBesidesLoads(accelerator, (*right)[0].graph), 2);
  EXPECT_FALSE(SelectText(accelerator, body + "  ROOT r = f32[1,8] subtract(s29, p4)\n").ok());
}

TEST(Selector, ApproximateInstructionsAreNamed) {
  const isa::Accelerator accelerator = ReadSpec(Spec(Unary("fast", "exp(x)", "  numerics approx\n")));
  const std::string kernel = "  x = f32[4,8] parameter(0)\n  ROOT r = f32[4,8] exponential(x)\n";
  const auto refused = SelectText(accelerator, kernel);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("--numerics=relaxed"), std::string::npos)
      << refused.status().message();
  EXPECT_NE(refused.status().message().find("fast"), std::string::npos);
  SelectOptions options;
  options.numerics = Numerics::kRelaxed;
  const auto selected = SelectText(accelerator, kernel, 1, options);
  ASSERT_TRUE(selected.ok());
  EXPECT_TRUE((*selected)[0].marks.approximate);
  ASSERT_EQ((*selected)[0].inexact_steps.size(), 1u);
  EXPECT_NE((*selected)[0].inexact_steps[0].find("fast"), std::string::npos);
}

// Same program whatever the order of the instructions.
// pitfall 94
TEST(Selector, CheapestWhateverTheOrder) {
  const std::string slow = Unary("slow", "exp(x)", "  cost 9\n"),
                    quick = Unary("quick", "exp(x)", "  cost 2\n");
  for (const std::string& text : {slow + quick, quick + slow}) {
    const isa::Accelerator accelerator = ReadSpec(Spec(text));
    const auto selected =
        SelectText(accelerator, "  x = f32[4,8] parameter(0)\n  ROOT r = f32[4,8] exponential(x)\n", 4);
    ASSERT_TRUE(selected.ok());
    const assembly::SelectedGraph& graph = (*selected)[0].graph;
    EXPECT_EQ(accelerator.instruction(graph.steps[1].instruction).name, "quick");
    // The last is the tree, for want of room only.
    for (size_t i = 1; i + 1 < selected->size(); ++i) {
      EXPECT_LE((*selected)[i - 1].graph.cost, (*selected)[i].graph.cost);
    }
  }
}

// Every instance has at most one step that overwrites it, and there is an order in which that one comes last.
std::string SharingFault(const isa::Accelerator& accelerator, const assembly::SelectedGraph& graph) {
  std::vector<std::vector<size_t>> before(graph.steps.size());
  std::vector<std::vector<size_t>> readers(graph.values.size());
  std::vector<int> destroyer(graph.values.size(), -1);
  for (size_t s = 0; s < graph.steps.size(); ++s) {
    for (size_t k = 0; k < graph.steps[s].operands.size(); ++k) {
      const size_t v = graph.steps[s].operands[k].value();
      readers[v].push_back(s);
      const assembly::Value& value = graph.values[v];
      if (value.kind == assembly::Value::Kind::kResult) before[s].push_back(static_cast<size_t>(value.index));
      if (!assembly::OverwritesOperand(accelerator, graph.steps[s], k)) continue;
      if (value.kind == assembly::Value::Kind::kInput || value.kind == assembly::Value::Kind::kConstant) {
        return "an input or constant is overwritten";
      }
      if (destroyer[v] >= 0 && destroyer[v] != static_cast<int>(s))
        return "two steps overwrite " + value.name;
      if (std::find(graph.outputs.begin(), graph.outputs.end(), ValueId(v)) != graph.outputs.end()) {
        return "an output is overwritten";
      }
      destroyer[v] = static_cast<int>(s);
    }
  }
  for (size_t v = 0; v < readers.size(); ++v) {
    if (destroyer[v] < 0) continue;
    for (size_t r : readers[v]) {
      if (static_cast<int>(r) != destroyer[v]) before[static_cast<size_t>(destroyer[v])].push_back(r);
    }
  }
  std::vector<int> mark(graph.steps.size());
  std::function<bool(size_t)> acyclic = [&](size_t s) {
    if (mark[s] != 0) return mark[s] == 2;
    mark[s] = 1;
    for (size_t b : before[s]) {
      if (!acyclic(b)) return false;
    }
    mark[s] = 2;
    return true;
  };
  for (size_t s = 0; s < graph.steps.size(); ++s) {
    if (!acyclic(s)) return "no order puts every overwriting step last";
  }
  return "";
}

struct SharingCase {
  const char* name;
  std::string kernel;
};

// pitfall 101, 115
TEST(Selector, DestructiveInstructionsShareOnlyWhatTheyMay) {
  const isa::Accelerator accelerator =
      ReadSpec(Spec(InPlace("neg", "negate(x)") + InPlace("ex", "exp(x)") + Binary("sum", "add(x, y)") +
                    Binary("mul", "multiply(x, y)") +
                    "instruction into(n; a, b)\n  in x = d[a : +n]\n  in y = d[b : +n]\n  out z = d[a : +n]\n"
                    "  z = subtract(x, y)\n"));
  const std::string x = "  x = f32[4,8] parameter(0)\n",
                    s = x + "  y = f32[4,8] parameter(1)\n  s = f32[4,8] add(x, y)\n";
  const SharingCase cases[] = {
      {"two destructive consumers",
       s + "  a = f32[4,8] negate(s)\n  b = f32[4,8] exponential(s)\n  ROOT r = f32[4,8] add(a, b)\n"},
      {"an operand of itself destroyed",
       s + "  e = f32[4,8] exponential(s)\n  ROOT r = f32[4,8] multiply(s, e)\n"},
      {"a chain over one value", s + "  e = f32[4,8] exponential(s)\n  n = f32[4,8] negate(e)\n  m = "
                                     "f32[4,8] multiply(s, n)\n  ROOT r = f32[4,8] add(m, e)\n"},
      {"each destroys what the other reads",
       s + "  u = f32[4,8] multiply(x, y)\n  a = f32[4,8] subtract(s, u)\n  b = f32[4,8] subtract(u, s)\n  "
           "ROOT r = f32[4,8] multiply(a, b)\n"},
      {"x - x in place", s + "  ROOT r = f32[4,8] subtract(s, s)\n"},
      {"an output that is also destroyed",
       s + "  e = f32[4,8] exponential(s)\n  ROOT r = (f32[4,8], f32[4,8]) tuple(s, e)\n"},
      {"destroyed inputs of the kernel", x + "  e = f32[4,8] exponential(x)\n  n = f32[4,8] negate(x)\n  "
                                             "ROOT r = (f32[4,8], f32[4,8]) tuple(e, n)\n"},
      {"a destroyed constant",
       "  c = f32[4,8] iota(), iota_dimension=0\n  x = f32[4,8] parameter(0)\n  m = f32[4,8] multiply(c, "
       "x)\n  d = f32[4,8] subtract(c, m)\n  ROOT r = f32[4,8] multiply(d, c)\n"},
  };
  for (const SharingCase& c : cases) {
    SCOPED_TRACE(c.name);
    const auto selected = SelectText(accelerator, c.kernel, 6);
    ASSERT_TRUE(selected.ok()) << selected.status().message();
    for (const Candidate& candidate : *selected) {
      EXPECT_EQ(SharingFault(accelerator, candidate.graph), "")
          << assembly::PrintSelectedGraph(accelerator, candidate.graph);
    }
  }
}

TEST(Selector, InputsAreNeverOverwritten) {
  const isa::Accelerator accelerator = ReadSpec(Spec(
      "instruction in_hbm(n; a)\n  in x = d0[a : +n*32]\n  out z = d0[a : +n*32]\n"
      "  z = reshape(bitcast_convert(negate(bitcast_convert(reshape(x, u8[n,8,4]), f32[n,8])), u8[n,8,4]), "
      "u8[n*32])\n"));
  const auto selected =
      SelectText(accelerator, "  x = f32[4,8] parameter(0)\n  ROOT r = f32[4,8] negate(x)\n", 4);
  if (selected.ok()) {  // only by way of a copy
    for (const Candidate& candidate : *selected) EXPECT_EQ(SharingFault(accelerator, candidate.graph), "");
  } else {
    EXPECT_EQ(selected.status().front().error_class, ErrorClass::kUnsupported);
    EXPECT_NE(selected.status().message().find("overwrite"), std::string::npos)
        << selected.status().message();
  }
}

// A selector that has served other kernels answers as a fresh one.
// pitfall 96
TEST(Selector, AnswersDoNotDependOnEarlierKernels) {
  const isa::Accelerator accelerator = ReadSpec(Spec(
      Unary("neg", "negate(x)") + Unary("ex", "exp(x)") + Binary("sum", "add(x, y)") +
      Binary("mul", "multiply(x, y)") +
      "buffer w [64] of f32[4]\ninstruction load_w(n; a, o)\n  in x = d0[a : +n*16]\n  out z = w[o : +n]\n"
      "  z = bitcast_convert(reshape(x, u8[n,4,4]), f32[n,4])\n"
      "instruction gemm(n, m; a, b, o)\n  in x = w[a : +n*m]\n  in y = d[b : +m*4]\n  out z = d[o : +n]\n"
      "  z = dot(reshape(x, f32[n,m*4]), reshape(y, f32[m*4,8]))\n"));
  std::vector<std::string> bodies;
  for (const char* m : {"4", "12", "60", "8", "52"}) {
    const std::string k = m;
    bodies.push_back(
        "  x = f32[3," + k + "] parameter(0)\n  y = f32[" + k +
        ",8] parameter(1)\n  p = f32[3,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
        "  ROOT r = f32[3,8] negate(p)\n");
  }
  bodies.push_back(
      kXY + "  e = f32[4,8] exponential(x)\n  s = f32[4,8] add(e, y)\n  ROOT r = f32[4,8] multiply(s, e)\n");
  bodies.push_back(kXY + "  s = f32[4,8] subtract(x, y)\n  ROOT r = f32[4,8] negate(s)\n");  // refused
  bodies.push_back("  x = f32[4,8] parameter(0)\n  ROOT r = f32[4,8] add(x, x)\n");
  const auto text = [&](Selector* selector, const std::string& body) {
    const auto selected = selector->Select(MakeKernel(ModuleText(body)), {}, 3, nullptr);
    std::string out;
    if (!selected.ok()) return selected.status().message();
    for (const Candidate& c : *selected) out += assembly::PrintSelectedGraph(accelerator, c.graph);
    return out;
  };
  std::vector<std::string> fresh;
  for (const std::string& body : bodies) {
    Selector selector(&accelerator);
    fresh.push_back(text(&selector, body));
    EXPECT_EQ(text(&selector, body), fresh.back());
  }
  for (const bool backwards : {false, true}) {
    Selector reused(&accelerator);
    for (size_t i = 0; i < bodies.size(); ++i) {
      const size_t at = backwards ? bodies.size() - 1 - i : i;
      EXPECT_EQ(text(&reused, bodies[at]), fresh[at]) << bodies[at];
    }
  }
}

TEST(Selector, UnusableInstructionsAreNamed) {
  const isa::Accelerator accelerator = ReadSpec(Spec("state mode\ninstruction set(v;)\n  update mode = v\n" +
                                                     Unary("neg", "negate(x)", "  where mode == 1\n") +
                                                     Unary("never", "negate(x)", "  where n >= 70\n")));
  Selector selector(&accelerator);
  std::string all;
  for (const Diagnostic& d : selector.Unusable()) all += d.message + "\n";
  EXPECT_NE(all.find("'neg'"), std::string::npos) << all;
  EXPECT_NE(all.find("'never'"), std::string::npos) << all;
  EXPECT_EQ(all.find("'load'"), std::string::npos) << all;
  EXPECT_NE(selector.DescribeRules().find("transfer"), std::string::npos);
}

// No quadratic growth: a chain of 150 operations is selected in moderate time.
TEST(Selector, LongKernelsStayCheap) {
  const isa::Accelerator accelerator =
      ReadSpec(Spec(Unary("neg", "negate(x)") + Unary("ex", "exp(x)") + Binary("sum", "add(x, y)")));
  std::string body = kXY;
  std::string last = "x";
  for (int i = 0; i < 150; ++i) {
    const std::string name = "v" + std::to_string(i);
    const std::string rest = i % 3 == 0   ? "negate(" + last + ")"
                             : i % 3 == 1 ? "add(" + last + ", y)"
                                          : "exponential(" + last + ")";
    body += std::string(i == 149 ? "  ROOT " : "  ") + name + " = f32[4,8] " + rest + "\n";
    last = name;
  }
  SelectReport report;
  Selector selector(&accelerator);
  const auto selected = selector.Select(MakeKernel(ModuleText(body)), {}, 1, &report);
  ASSERT_TRUE(selected.ok()) << selected.status().message();
  EXPECT_EQ(StepsBesidesLoads(accelerator, (*selected)[0].graph), 151);
  EXPECT_TRUE(report.proved);
  EXPECT_LT(report.extract_nodes, 2000);
  EXPECT_LT(report.states, 2000);
}

}  // namespace
}  // namespace act::select
