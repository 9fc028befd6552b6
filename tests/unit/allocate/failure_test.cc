// What cannot be placed is refused by name, and leaves no trace in the next allocation.
#include "unit/allocate/testing.h"

namespace act::allocate {
namespace {

// pitfall 104
TEST(Failure, AValueLargerThanItsBuffer) {
  const isa::Accelerator acc = Qkv();
  Graph g(&acc);
  g.Output(g.Run("store_rm", {256}, {g.Run("load_rm", {256}, {g.Input(32768)})}));
  MustFail(g, "allocate-capacity", {"buffer d1 holds 128", "needs 256"});
}

// pitfall 105, 118
TEST(Failure, AnInfeasibleCandidateLeavesNothingBehind) {
  const isa::Accelerator small = Qkv(100), acc = Qkv();
  const assembly::Program before = MustPlace(Attention(&acc));
  for (int i = 0; i < 50; ++i) MustFail(Attention(&small), "allocate-capacity", {"d1"});
  const assembly::Program after = MustPlace(Attention(&acc));
  for (size_t i = 0; i < before.body.size(); ++i) EXPECT_EQ(Addresses(before, i), Addresses(after, i));
}

TEST(Failure, KernelInputsAndOutputsAreNotOverwritten) {
  isa::Accelerator acc;
  acc.name = "inplace";
  Buffer(&acc, "d1", {8});
  Instr(&acc, "negate", 0, 1, {R(0, {A(0)}, {N(8)})}, R(0, {A(0)}, {N(8)}));
  Instr(&acc, "copy", 0, 2, {R(0, {A(0)}, {N(8)})}, R(0, {A(1)}, {N(8)}));
  Graph input(&acc);
  input.Output(input.Run("negate", {}, {input.Input(8)}));
  MustFail(input, "allocate-tie", {"negate"});
  Graph output(&acc);
  const ValueId first = output.Run("copy", {}, {output.Input(8)});
  output.Output(first);
  output.Run("negate", {}, {first});
  MustFail(output, "allocate-order", {"overwrites", "output"});
  // A temporary may be.
  Graph good(&acc);
  good.Output(good.Run("negate", {}, {good.Run("negate", {}, {good.Run("copy", {}, {good.Input(8)})})}));
  MustPlace(good);
}

TEST(Failure, ContradictoryTies) {
  const isa::Accelerator acc = Qkv();
  Graph g(&acc);
  const ValueId x = g.Run("load_rm", {32}, {g.Input(4096)});
  g.Output(g.Run("store_rm", {64}, {g.Adjacent({x, x})}));
  MustFail(g, "allocate-tie", {"copy"});
}

TEST(Failure, FixedPlacesInOnePlace) {
  isa::Accelerator acc;
  acc.name = "fixed";
  Buffer(&acc, "d1", {8});
  Instr(&acc, "load", 0, 1, {R(0, {A(0)}, {N(2)})}, R(1, {N(0)}, {N(2)}));
  Instr(&acc, "add", 0, 2, {R(1, {A(0)}, {N(2)}), R(1, {A(1)}, {N(2)})}, R(1, {N(4)}, {N(2)}));
  Instr(&acc, "store", 0, 2, {R(1, {A(0)}, {N(2)})}, R(0, {A(1)}, {N(2)}));
  Graph g(&acc);
  const ValueId x = g.Run("load", {}, {g.Input(2)}), y = g.Run("load", {}, {g.Input(2)});
  g.Output(g.Run("store", {}, {g.Run("add", {}, {x, y})}));
  MustFail(g, "allocate-order", {"load", "while it is still needed"});
}

TEST(Failure, UnsatisfiableAddressConstraint) {
  isa::Accelerator acc = Qkv();
  acc.instructions[5].constraints = {Is(A(0), isa::Relation::kGreaterEqual, N(100))};
  MustFail(Attention(&acc), "allocate-capacity", {"d1", "v"});
}

// Fragments: every moment fits by volume, no addresses exist.
TEST(Failure, AlignmentThatCannotBeMet) {
  isa::Accelerator acc = Qkv(130);
  // Both operands at addresses 1 mod 64: 1 and 65 are taken whole, 129 units; a third row set has no place.
  acc.instructions[0].constraints = {Is(Mod(A(1), N(64)), isa::Relation::kEqual, N(3))};
  MustFail(Attention(&acc), "allocate-capacity", {"d1"});
}

TEST(Failure, StatesStridesAndOutputsAreRefusedByName) {
  {
    isa::Accelerator acc = Qkv();
    acc.instructions[5].outputs.push_back(acc.instructions[5].outputs[0]);
    MustFail(Attention(&acc), "allocate-outputs", {"gemm"});
  }
  {
    isa::Accelerator acc = Qkv();
    acc.instructions[0].inputs[0].strides = {N(2)};
    MustFail(Attention(&acc), "allocate-strides", {"load_rm"});
  }
  {
    isa::Accelerator acc = Qkv();
    acc.state.push_back({"mode", 0, {}});
    acc.instructions[4].updates.push_back({0, isa::Update::Kind::kAssign, N(1)});
    MustFail(Attention(&acc), "allocate-state", {"mov"});
  }
}

// Graphs that contradict themselves end in a sentence, never in a crash.
// pitfall 118
TEST(Failure, BrokenGraphs) {
  const isa::Accelerator acc = Qkv();
  const auto expect_broken = [&](const auto& change) {
    Graph g = Attention(&acc);
    change(&g.graph);
    MustFail(g, "allocate-graph", {"selected graph"});
  };
  using G = assembly::SelectedGraph;
  expect_broken([](G* g) { g->steps[0].operands.clear(); });
  expect_broken([](G* g) { g->steps[0].operands[0] = ValueId(999); });
  expect_broken([](G* g) { g->steps[0].result = ValueId(0); });
  expect_broken([](G* g) { g->steps[0].computational = {32}; });
  expect_broken([](G* g) { g->values[5].size = {}; });
  expect_broken([](G* g) { g->values[5].buffer = BufferId(7); });
  expect_broken([](G* g) { g->values[0].index = 9; });
  expect_broken([](G* g) { g->outputs[0] = ValueId(3); });
  expect_broken([](G* g) { g->outputs.clear(); });
  expect_broken([](G* g) {
    g->values[3].kind = assembly::Value::Kind::kWindow;
    g->values[3].parts = {ValueId(3)};
  });
}

TEST(Failure, MaxOrdersIsNamed) {
  // Every order has the alignment problem; one order is allowed.
  isa::Accelerator acc;
  acc.name = "orders";
  Buffer(&acc, "d1", {6});
  Instr(&acc, "load", 0, 2, {R(0, {A(0)}, {N(2)})}, R(1, {A(1)}, {N(2)})).constraints = {
      Is(Mod(A(1), N(4)), isa::Relation::kEqual, N(1))};
  Instr(&acc, "add", 0, 3, {R(1, {A(0)}, {N(2)}), R(1, {A(1)}, {N(2)})}, R(1, {A(2)}, {N(2)}));
  Instr(&acc, "store", 0, 2, {R(1, {A(0)}, {N(2)})}, R(0, {A(1)}, {N(2)}));
  Graph g(&acc);
  const auto load = [&] { return g.Run("load", {}, {g.Input(2)}); };
  const ValueId l = g.Run("add", {}, {load(), load()}), r = g.Run("add", {}, {load(), load()});
  g.Output(g.Run("store", {}, {g.Run("add", {}, {l, r})}));
  MustFail(g, "allocate-limit", {"max_orders = 0", "--effort"}, {.max_orders = 0});
  MustFail(g, "allocate-capacity", {"buffer d1 holds 6"}, {.max_orders = 64});
}

}  // namespace
}  // namespace act::allocate
