// Start expressions, constraints, marks, several addressing dimensions, constants and temporaries.
#include "unit/allocate/testing.h"

namespace act::allocate {
namespace {

using isa::Relation;

// One buffer of 256 units and a move whose start expressions the test chooses.
struct Machine {
  isa::Accelerator acc;
  explicit Machine(std::vector<int64_t> addresses = {256}) {
    acc.name = "forms";
    Buffer(&acc, "d1", addresses);
    std::vector<isa::Expression> starts, sizes;
    for (size_t d = 0; d < addresses.size(); ++d) {
      starts.push_back(A(static_cast<int32_t>(d) + 1));
      sizes.push_back(N(8));
    }
    const int count = static_cast<int>(addresses.size()) + 1;
    const isa::Expression bytes = N(addresses.size() == 1 ? 8 : 64);
    Instr(&acc, "load", 0, count, {R(0, {A(0)}, {bytes})}, R(1, starts, sizes));
    Instr(&acc, "store", 0, count, {R(1, starts, sizes)}, R(0, {A(0)}, {bytes}));
  }
  isa::Instruction& Move(int attributes, const isa::Expression& in, const isa::Expression& out) {
    return Instr(&acc, "move", 0, attributes, {R(1, {in}, {N(8)})}, R(1, {out}, {N(8)}));
  }
  // load, move, store; `held` other values stay live across the move.
  Graph Chain(int held = 0) const {
    Graph g(&acc);
    std::vector<ValueId> others;
    for (int i = 0; i < held; ++i) others.push_back(g.Run("load", {}, {g.Input(8)}));
    const ValueId moved = g.Run("move", {}, {g.Run("load", {}, {g.Input(8)})});
    g.Output(g.Run("store", {}, {moved}));
    for (ValueId v : others) g.Output(g.Run("store", {}, {v}));
    return g;
  }
};

// pitfall 108, 109
TEST(Forms, StartExpressionsAreObeyed) {
  const struct {
    int attributes;
    isa::Expression in, out;
  } kRows[] = {
      {2, Times(A(0), N(16)), A(1)},
      {2, Plus(A(0), N(64)), A(1)},
      {2, Over(A(0), N(4)), A(1)},
      {1, A(0), A(0)},
      {1, A(0), Plus(A(0), N(8))},
      {1, Plus(A(0), N(3)), Plus(A(0), N(100))},
      {1, Times(A(0), N(16)), Plus(Times(A(0), N(16)), N(16))},
      {1, A(0), Times(A(0), N(3))},
      {1, Times(A(0), N(16)), Plus(A(0), N(8))},
      {3, Times(A(0), A(1)), A(2)},
      {2, Times(A(0), A(1)), Plus(A(0), A(1))},
      {3, Plus(A(0), A(1)), A(2)},
      {2, Plus(Times(A(0), N(16)), A(1)), Times(A(1), N(8))},
      {2, N(40), A(0)},
      {0, N(40), N(40)},
      {0, N(0), N(248)},
      {1, Minus(N(200), A(0)), A(0)},
      {2, Mod(A(0), N(32)), A(1)},
  };
  for (size_t i = 0; i < std::size(kRows); ++i) {
    SCOPED_TRACE(i);
    Machine m;
    m.Move(kRows[i].attributes, kRows[i].in, kRows[i].out);
    MustPlace(m.Chain());
    MustPlace(m.Chain(), {.use_greedy = false});
    MustPlace(m.Chain(3));
  }
}

// pitfall 110
TEST(Forms, AddressConstraintsAreObeyed) {
  const isa::Condition kRows[] = {
      Is(Mod(A(1), N(16)), Relation::kEqual, N(0)),
      Is(Mod(Plus(A(1), N(3)), N(16)), Relation::kEqual, N(0)),
      Is(Mod(Times(A(1), N(3)), N(16)), Relation::kEqual, N(9)),
      Is(A(1), Relation::kGreaterEqual, N(100)),
      Is(N(100), Relation::kLess, A(1)),
      Or(Is(A(1), Relation::kEqual, N(96)), Is(A(1), Relation::kEqual, N(97))),
      Is(A(0), Relation::kNotEqual, A(1)),
      Is(Plus(A(0), N(64)), Relation::kLessEqual, A(1)),
      Is(Over(A(0), N(128)), Relation::kNotEqual, Over(A(1), N(128))),
      Is(Plus(A(0), A(1)), Relation::kEqual, N(77)),
      Is(Times(A(0), A(1)), Relation::kEqual, N(77)),
      Is(Times(A(1), A(1)), Relation::kGreater, N(500)),
  };
  for (size_t i = 0; i < std::size(kRows); ++i) {
    SCOPED_TRACE(i);
    Machine m;
    m.Move(2, A(0), A(1)).constraints = {kRows[i]};
    MustPlace(m.Chain());
    MustPlace(m.Chain(3));
  }
}

// An attribute that no region uses, only constraints.
TEST(Forms, FreeAttributesTakeTheLeastLegalValue) {
  Machine m;
  m.Move(4, A(0), A(1)).constraints = {Is(A(2), Relation::kGreater, Plus(A(0), N(7))),
                                       Is(A(2), Relation::kNotEqual, N(8))};
  const assembly::Program p = MustPlace(m.Chain());
  EXPECT_EQ(Addresses(p, 1)[2], std::max<int64_t>(9, Addresses(p, 1)[0] + 8));
  EXPECT_EQ(Addresses(p, 1)[3], 0);
}

// pitfall 110, 119
TEST(Forms, MarksDecideOverlapWithADyingOperand) {
  const auto with = [](int64_t capacity, bool apart, bool whole) {
    Machine m({capacity});
    isa::Instruction& move = m.Move(2, A(0), A(1));
    if (apart) move.apart = {true};
    if (whole) move.no_partial_overlap = {true};
    return m;
  };
  // 8 units hold operand and result one upon the other, unless they must be apart.
  MustPlace(with(8, false, false).Chain());
  MustPlace(with(8, false, true).Chain());
  MustPlace(with(16, true, false).Chain());
  MustPlace(with(16, true, true).Chain());
  const Machine small = with(15, true, false);
  MustFail(small.Chain(), "allocate-capacity", {"buffer d1 holds 15"});
  // A partial overlap is used where it is the only way, and only if allowed.
  for (bool whole : {false, true}) {
    Machine m({12});
    isa::Instruction& move = m.Move(1, A(0), Plus(A(0), N(4)));
    if (whole) move.no_partial_overlap = {true};
    if (whole) {
      MustFail(m.Chain(), "allocate-capacity", {"d1"});
    } else {
      MustPlace(m.Chain());
    }
  }
}

TEST(Forms, InPlaceMarkWithoutOneAddressDestroysTheOperand) {
  Machine m;
  m.Move(2, A(0), A(1)).inplace = {true};
  Graph g(&m.acc);
  const ValueId x = g.Run("load", {}, {g.Input(8)});
  const ValueId moved = g.Run("move", {}, {x});
  g.Output(g.Run("store", {}, {moved}));
  g.Output(g.Run("store", {}, {x}));  // must come before the move
  MustPlace(g);
  const ValueId twice = g.Run("move", {}, {x});
  g.Output(g.Run("store", {}, {twice}));
  MustFail(g, "allocate-order", {"move"});
}

// pitfall 106, 107
TEST(Forms, BoxesAreDisjointInOneDimension) {
  Machine m({8, 16});
  m.Move(0, N(0), N(0));  // unused
  for (int count : {1, 2}) {
    Graph g(&m.acc);
    std::vector<ValueId> loaded;
    for (int i = 0; i < count; ++i) loaded.push_back(g.Run("load", {}, {g.Input(64)}));
    // Every load is stored twice, the second time in reverse: all live at once.
    for (ValueId v : loaded) g.Output(g.Run("store", {}, {v}));
    const assembly::Program p = MustPlace(g);
    for (const assembly::Statement& s : p.body) EXPECT_EQ(*s.call.addressing[1].AsInteger(), 0);
  }
}

TEST(Forms, TwoDimensionsPackedTightly) {
  isa::Accelerator acc;
  acc.name = "grid";
  Buffer(&acc, "d1", {5, 5});
  Instr(&acc, "load", 2, 3, {R(0, {A(0)}, {Times(C(0), C(1))})}, R(1, {A(1), A(2)}, {C(0), C(1)}));
  // Reads five boxes at once: the pinwheel 2x3, 3x2, 3x2, 2x3 around 1x1 fills the square.
  const auto box = [](int k, int64_t h, int64_t w) { return R(1, {A(2 * k), A(2 * k + 1)}, {N(h), N(w)}); };
  Instr(&acc, "use", 0, 11, {box(0, 2, 3), box(1, 3, 2), box(2, 3, 2), box(3, 2, 3), box(4, 1, 1)},
        R(0, {A(10)}, {N(1)}));
  Graph g(&acc);
  const auto load = [&](int64_t h, int64_t w) { return g.Run("load", {h, w}, {g.Input(h * w)}); };
  g.Output(g.Run("use", {}, {load(2, 3), load(3, 2), load(3, 2), load(2, 3), load(1, 1)}));
  MustPlace(g);
  MustPlace(g, {.use_greedy = false});
}

// Windows of a two-dimensional value: rows of it.
// pitfall 113
TEST(Forms, OverlappingWindowsAndWindowsOfWindows) {
  isa::Accelerator acc;
  acc.name = "windows";
  Buffer(&acc, "d1", {16}, 4);
  Instr(&acc, "load", 1, 2, {R(0, {A(0)}, {Times(C(0), N(4))})}, R(1, {A(1)}, {C(0)}));
  Instr(&acc, "store", 1, 2, {R(1, {A(0)}, {C(0)})}, R(0, {A(1)}, {Times(C(0), N(4))}));
  Graph g(&acc);
  const ValueId x = g.Run("load", {16}, {g.Input(64)});
  const ValueId a = g.Window(x, 0, {10}), b = g.Window(x, 24, {10});
  const ValueId c = g.Window(b, 8, {3});
  for (ValueId v : {a, b, c}) g.Output(g.Run("store", {g.graph.value(v).size[0]}, {v}));
  const assembly::Program p = MustPlace(g);
  for (const assembly::Statement& s : p.body) {
    if (s.call.operand_names[0] == "v4") {
      EXPECT_EQ(*s.call.addressing[0].AsInteger(), 8);  // 24/4 + 8/4
    }
  }
}

// A slice of a kernel input, taken in HBM.
// pitfall 112
TEST(Forms, WindowOfAKernelInputIsAnOffset) {
  Machine m;
  m.Move(2, A(0), A(1));
  Graph g(&m.acc);
  const ValueId in = g.Input(64);
  const ValueId part = g.Window(g.Window(in, 16, {32}), 8, {8});
  g.Output(g.Run("store", {}, {g.Run("load", {}, {part})}));
  const assembly::Program p = MustPlace(g);
  EXPECT_EQ(Addresses(p, 0)[0], 24);
}

// pitfall 120, 121
TEST(Forms, ConstantsAndTemporariesLieBehindTheOutputs) {
  Machine m;
  m.Move(2, A(0), A(1));
  Graph g(&m.acc);
  const ValueId in = g.Input(8);
  g.Input(100);  // unused
  const ValueId used = g.Constant(8);
  g.Constant(8);  // without a user
  const ValueId second = g.Constant(8);
  const ValueId spilled = g.Run("store", {}, {g.Run("load", {}, {in})});  // a temporary in HBM
  g.Run("load", {}, {used});                                              // a value without a user
  g.Output(g.Run("store", {}, {g.Run("load", {}, {second})}));
  g.Output(g.Run("store", {}, {g.Run("load", {}, {spilled})}));
  const assembly::Program p = MustPlace(g);
  ASSERT_EQ(p.inputs.size(), 2u);
  EXPECT_EQ(p.inputs[1].address, 8);
  EXPECT_EQ(p.outputs[0].address, 108);
  EXPECT_EQ(p.outputs[1].address, 116);
  ASSERT_EQ(p.constants.size(), 2u);
  for (const assembly::HbmConstant& c : p.constants) EXPECT_GE(c.address, 124);
  EXPECT_GE(p.hbm_bytes, 140);
  EXPECT_LE(p.hbm_bytes, 148);
}

// pitfall 111
TEST(Forms, AddressesNearTheEndOfHbm) {
  const int64_t gib = int64_t{1} << 30;
  isa::Accelerator acc;
  acc.name = "large";
  Buffer(&acc, "d1", {4});
  Instr(&acc, "load", 1, 2, {R(0, {A(0)}, {C(0)})}, R(1, {A(1)}, {N(1)}));
  Instr(&acc, "store", 1, 2, {R(1, {A(0)}, {N(1)})}, R(0, {A(1)}, {C(0)}));
  Graph g(&acc);
  const ValueId in = g.Input(40 * gib);
  const ValueId temporary = g.Run("store", {15 * gib}, {g.Run("load", {40 * gib}, {in})});
  g.Output(g.Run("store", {40 * gib}, {g.Run("load", {15 * gib}, {temporary})}));
  const StatusOr<assembly::Program> p = Allocate(acc, g.graph);
  ASSERT_TRUE(p.ok()) << p.status().message();
  EXPECT_EQ(p->hbm_bytes, 95 * gib);
  EXPECT_EQ(Addresses(*p, 1)[1], 80 * gib);
}

// pitfall 117
TEST(Forms, AttributesAreBoundedByTheBuffer) {
  Machine m({24});
  m.Move(2, A(0), Over(A(1), N(7)));
  const assembly::Program p = MustPlace(m.Chain(1));
  for (const assembly::Statement& s : p.body) {
    for (const assembly::AttributeValue& a : s.call.addressing) EXPECT_LE(*a.AsInteger(), 24 * 7 + 6);
  }
}

}  // namespace
}  // namespace act::allocate
