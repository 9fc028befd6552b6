// Kernels on QKV, steps as selection would give them.
#include <algorithm>

#include "unit/allocate/testing.h"

namespace act::allocate {
namespace {

TEST(AllocateQkv, AttentionIsPlacedAsInTheHbmMap) {
  const isa::Accelerator acc = Qkv();
  const Graph g = Attention(&acc);
  AllocateReport report;
  const assembly::Program p = MustPlace(g, {}, &report);
  ASSERT_EQ(p.body.size(), 9u);
  EXPECT_EQ(p.target, "QKV");
  EXPECT_EQ(p.hbm_bytes, 32768);
  ASSERT_EQ(p.outputs.size(), 1u);
  EXPECT_EQ(p.outputs[0].address, 24576);
  EXPECT_EQ(Addresses(p, 8)[1], 24576);
  EXPECT_EQ(report.orders, 1);
  EXPECT_EQ(report.engine, "greedy");
  EXPECT_LE(report.peak[1], 128);
  EXPECT_EQ(p.body[0].call.operand_names, std::vector<std::string>{"in0"});
  // The same bytes from every run.
  const assembly::Program again = MustPlace(g);
  for (size_t i = 0; i < p.body.size(); ++i) EXPECT_EQ(Addresses(p, i), Addresses(again, i));
}

TEST(AllocateQkv, SearchAloneAgrees) {
  const isa::Accelerator acc = Qkv();
  AllocateReport report;
  MustPlace(Attention(&acc), {.use_greedy = false}, &report);
  EXPECT_EQ(report.engine, "search");
}

// act-algorithm.md 3.6: 12 orders, 2 interference graphs; V loaded before the first gemm puts 192 rows into
// d1. With the orders tried worst first the search still needs no more than 2.
TEST(AllocateQkv, AttentionHasTwelveOrdersAndOneOfTwoGraphsFits) {
  const isa::Accelerator wide = Qkv(192);
  const Graph g = Attention(&wide);
  const StatusOr<Model> model = BuildModel(wide, g.graph);
  ASSERT_TRUE(model.ok());
  std::vector<int32_t> first = SethiUllman(*model);
  {
    OrderSearch all(*model, first);
    int64_t nodes = 0;
    int orders = 0;
    while (all.Next(&nodes, 100000) == OrderSearch::Outcome::kOrder) ++orders;
    EXPECT_EQ(orders, 12);
  }
  // V (step 5) as early as can be: the failed graph is the larger one, the smaller one is still tried.
  std::vector<int32_t> worst = {5, 0, 1, 2, 3, 4, 6, 7, 8};
  OrderSearch pruned(*model, worst);
  int64_t nodes = 0;
  ASSERT_EQ(pruned.Next(&nodes, 100000), OrderSearch::Outcome::kOrder);
  EXPECT_EQ(pruned.order(), worst);
  pruned.Failed();
  ASSERT_EQ(pruned.Next(&nodes, 100000), OrderSearch::Outcome::kOrder);
  EXPECT_GT(std::find(pruned.order().begin(), pruned.order().end(), 5) - pruned.order().begin(), 2);
  pruned.Failed();
  EXPECT_EQ(pruned.Next(&nodes, 100000), OrderSearch::Outcome::kExhausted);
  // The other way round: the smaller graph failed, so everything has.
  std::vector<int32_t> best = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  OrderSearch none(*model, best);
  ASSERT_EQ(none.Next(&nodes, 100000), OrderSearch::Outcome::kOrder);
  none.Failed();
  EXPECT_EQ(none.Next(&nodes, 100000), OrderSearch::Outcome::kExhausted);
}

TEST(AllocateQkv, LoadingEarlyIsPrunedByCapacity) {
  const isa::Accelerator acc = Qkv(128);
  const Graph g = Attention(&acc);
  const StatusOr<Model> model = BuildModel(acc, g.graph);
  ASSERT_TRUE(model.ok());
  OrderSearch search(*model, {5, 0, 1, 2, 3, 4, 6, 7, 8});
  int64_t nodes = 0;
  int orders = 0;
  while (search.Next(&nodes, 100000) == OrderSearch::Outcome::kOrder) {
    ++orders;
    EXPECT_GT(std::find(search.order().begin(), search.order().end(), 5) - search.order().begin(), 2);
  }
  EXPECT_EQ(orders, 6);  // two orders of the first loads, three places for V
}

TEST(AllocateQkv, AttentionAndProjection) {
  const isa::Accelerator acc = Qkv();
  Graph g(&acc);
  const ValueId q = g.Input(8192), k = g.Input(8192), v = g.Input(8192), w = g.Input(8192);
  const ValueId q1 = g.Run("load_rm", {64}, {q}), k1 = g.Run("load_cm", {64}, {k});
  const ValueId v1 = g.Run("load_rm", {64}, {v}), w1 = g.Run("load_rm", {64}, {w});
  const ValueId p = g.Run("softmax", {64}, {g.Run("gemm", {}, {q1, k1})});
  const ValueId o = g.Run("mov", {64}, {g.Run("gemm", {}, {g.Run("mov", {64}, {p}), v1})});
  g.Output(g.Run("store_rm", {64}, {g.Run("mov", {64}, {g.Run("gemm", {}, {o, w1})})}));
  EXPECT_EQ(MustPlace(g).body.size(), 12u);
}

TEST(AllocateQkv, FiveMatrices) {
  const isa::Accelerator acc = Qkv();
  Graph g(&acc);
  ValueId at = g.Run("load_rm", {64}, {g.Input(8192)});
  for (int i = 0; i < 4; ++i) {
    at = g.Run("mov", {64}, {g.Run("gemm", {}, {at, g.Run("load_rm", {64}, {g.Input(8192)})})});
  }
  g.Output(g.Run("store_rm", {64}, {at}));
  EXPECT_EQ(MustPlace(g).body.size(), 14u);
}

TEST(AllocateQkv, OneReadTwice) {
  const isa::Accelerator acc = Qkv();
  Graph g(&acc);
  const ValueId x = g.Run("load_rm", {64}, {g.Input(8192)});
  g.Output(g.Run("store_rm", {64}, {g.Run("mov", {64}, {g.Run("gemm", {}, {x, x})})}));
  const assembly::Program p = MustPlace(g);
  EXPECT_EQ(Addresses(p, 1)[0], Addresses(p, 1)[1]);
}

// (A*B, softmax(A*B)): S is moved before the in-place softmax, whatever the order of the steps given.
// pitfall 115
TEST(AllocateQkv, ReadersComeBeforeTheOverwriter) {
  const isa::Accelerator acc = Qkv();
  for (bool softmax_first : {false, true}) {
    Graph g(&acc);
    const ValueId a = g.Run("load_rm", {64}, {g.Input(8192)}), b = g.Run("load_rm", {64}, {g.Input(8192)});
    const ValueId s = g.Run("gemm", {}, {a, b});
    ValueId p, s1;
    if (softmax_first) p = g.Run("softmax", {64}, {s});
    s1 = g.Run("mov", {64}, {s});
    if (!softmax_first) p = g.Run("softmax", {64}, {s});
    const ValueId out_p = g.Run("store_rm", {64}, {g.Run("mov", {64}, {p})});
    const ValueId out_s = g.Run("store_rm", {64}, {s1});
    g.Output(softmax_first ? out_p : out_s);
    g.Output(softmax_first ? out_s : out_p);
    const std::vector<std::string> names = CallNames(acc, MustPlace(g));
    EXPECT_LT(std::find(names.begin(), names.end(), "mov"), std::find(names.begin(), names.end(), "softmax"));
  }
}

// softmax(S) * S with S = A * B (walkthroughs.md section 3): one order of the shared part is legal.
TEST(AllocateQkv, SharedOperandOfAnInPlaceInstruction) {
  const isa::Accelerator acc = Qkv();
  Graph g(&acc);
  const ValueId a = g.Run("load_rm", {64}, {g.Input(8192)}), b = g.Run("load_rm", {64}, {g.Input(8192)});
  const ValueId s = g.Run("gemm", {}, {a, b});
  const ValueId p = g.Run("mov", {64}, {g.Run("softmax", {64}, {s})}), s1 = g.Run("mov", {64}, {s});
  g.Output(g.Run("store_rm", {64}, {g.Run("mov", {64}, {g.Run("gemm", {}, {p, s1})})}));
  EXPECT_EQ(MustPlace(g).body.size(), 9u);
}

// f(S, softmax S) for a consumer that reads both in d2 has no order.
// pitfall 115
TEST(AllocateQkv, NoOrderWhenTheReaderNeedsTheOverwriter) {
  isa::Accelerator acc = Qkv(128, 192);
  Instr(&acc, "add", 0, 3, {R(2, {A(0)}, {N(64)}), R(2, {A(1)}, {N(64)})}, R(2, {A(2)}, {N(64)}));
  Graph g(&acc);
  const ValueId a = g.Run("load_rm", {64}, {g.Input(8192)}), b = g.Run("load_rm", {64}, {g.Input(8192)});
  const ValueId s = g.Run("gemm", {}, {a, b});
  const ValueId both = g.Run("add", {}, {s, g.Run("softmax", {64}, {s})});
  g.Output(g.Run("store_rm", {64}, {g.Run("mov", {64}, {both})}));
  MustFail(g, "allocate-order", {"softmax", "add", "copy"});
}

TEST(AllocateQkv, TwoDestructiveConsumersHaveNoOrder) {
  const isa::Accelerator acc = Qkv(128, 192);
  Graph g(&acc);
  const ValueId a = g.Run("load_rm", {64}, {g.Input(8192)}), b = g.Run("load_rm", {64}, {g.Input(8192)});
  const ValueId s = g.Run("gemm", {}, {a, b});
  for (int i = 0; i < 2; ++i) {
    g.Output(g.Run("store_rm", {64}, {g.Run("mov", {64}, {g.Run("softmax", {64}, {s})})}));
  }
  MustFail(g, "allocate-order", {"softmax", "copy"});
}

TEST(AllocateQkv, TooSmallABufferNamesTheLiveValues) {
  const isa::Accelerator acc = Qkv(127);
  MustFail(Attention(&acc), "allocate-capacity", {"buffer d1 holds 127", "128 are needed", " 64, ", "load_"});
}

// [A; B] loaded by halves next to each other, read as one; a window of the result stored.
TEST(AllocateQkv, WindowsAndNeighbours) {
  const isa::Accelerator acc = Qkv();
  Graph g(&acc);
  const ValueId a = g.Run("load_rm", {32}, {g.Input(4096)}), b = g.Run("load_rm", {32}, {g.Input(4096)});
  const ValueId ab = g.Adjacent({a, b}), ba = g.Run("load_rm", {64}, {g.Input(8192)});
  const ValueId s = g.Run("gemm", {}, {ab, ba});
  const ValueId lower = g.Window(s, 32 * 128, {32});
  // The lower half is overwritten in place while the upper half of S is still to be read.
  const ValueId soft = g.Run("softmax", {32}, {lower});
  const ValueId upper = g.Run("mov", {32}, {g.Window(s, 0, {32})});
  g.Output(g.Run("store_rm", {64}, {g.Adjacent({g.Run("mov", {32}, {soft}), upper})}));
  MustPlace(g);
}

// Output written by two stores.
TEST(AllocateQkv, OutputOfTwoParts) {
  const isa::Accelerator acc = Qkv();
  Graph g(&acc);
  const ValueId x = g.Run("load_rm", {64}, {g.Input(8192)});
  const ValueId top = g.Run("store_rm", {32}, {g.Window(x, 0, {32})});
  const ValueId bottom = g.Run("store_rm", {32}, {g.Window(x, 4096, {32})});
  g.Output(g.Adjacent({top, bottom}));
  const assembly::Program p = MustPlace(g);
  EXPECT_EQ(p.hbm_bytes, 16384);
}

}  // namespace
}  // namespace act::allocate
