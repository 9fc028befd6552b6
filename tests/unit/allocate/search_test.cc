// Engines on the placement problem of a fixed order, against exhaustive placement.
#include <numeric>

#include "unit/allocate/testing.h"

namespace act::allocate {
namespace {

struct Rectangle {
  int64_t size, begin, end;
};

// Loads of any size, and steps that read one value into HBM: lifetimes as wished, in the order of the steps.
isa::Accelerator Packer(int64_t capacity) {
  isa::Accelerator acc;
  acc.name = "packer";
  Buffer(&acc, "d1", {capacity});
  Instr(&acc, "load", 1, 2, {R(0, {A(0)}, {N(1)})}, R(1, {A(1)}, {C(0)}));
  Instr(&acc, "use", 1, 2, {R(1, {A(0)}, {C(0)})}, R(0, {A(1)}, {N(1)}));
  return acc;
}

// Whether the rectangles fit, by trying every address of every one.
bool Exhaustive(const std::vector<Rectangle>& list, int64_t capacity, size_t next, std::vector<int64_t>* at) {
  if (next == list.size()) return true;
  for (int64_t a = 0; a + list[next].size <= capacity; ++a) {
    bool free = true;
    for (size_t o = 0; o < next && free; ++o) {
      const bool together = list[o].begin < list[next].end && list[next].begin < list[o].end;
      free = !together || (*at)[o] + list[o].size <= a || a + list[next].size <= (*at)[o];
    }
    if (!free) continue;
    (*at)[next] = a;
    if (Exhaustive(list, capacity, next + 1, at)) return true;
  }
  return false;
}

// Steps in an order in which load i comes at tick begin and its use at tick end (uses before loads).
Graph FromRectangles(const isa::Accelerator* acc, const std::vector<Rectangle>& list) {
  Graph g(acc);
  const ValueId in = g.Input(1);
  std::vector<ValueId> loaded(list.size());
  for (int64_t t = 0; t <= 40; ++t) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].end == t) g.Run("use", {list[i].size}, {loaded[i]});
    }
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].begin == t) loaded[i] = g.Run("load", {list[i].size}, {in});
    }
  }
  return g;
}

std::vector<int32_t> Identity(size_t n) {
  std::vector<int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

TEST(PlaceSearch, AgreesWithExhaustivePlacement) {
  Random random(6);
  int infeasible = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<Rectangle> list;
    const int64_t count = random.Between(2, 7), capacity = random.Between(4, 9);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t begin = random.Between(0, 8);
      list.push_back(
          {random.Between(1, std::min<int64_t>(4, capacity)), begin, begin + random.Between(1, 6)});
    }
    const isa::Accelerator acc = Packer(capacity);
    const Graph g = FromRectangles(&acc, list);
    const StatusOr<Model> model = BuildModel(acc, g.graph);
    ASSERT_TRUE(model.ok());
    const Packing packing = BuildPacking(*model, Identity(g.graph.steps.size()));
    std::vector<int64_t> at(list.size());
    const bool expected = Exhaustive(list, capacity, 0, &at);
    int64_t nodes = 0;
    const PlaceResult found = Place(packing, Engine::kSearch, &nodes, 1000000);
    EXPECT_EQ(found.outcome, expected ? PlaceOutcome::kFound : PlaceOutcome::kInfeasible);
    const PlaceResult greedy = Place(packing, Engine::kGreedy, &nodes, 1000000);
    if (!expected) {
      EXPECT_NE(greedy.outcome, PlaceOutcome::kFound);
    }
    if (expected) {
      AllocateReport report;
      // The fixed order fits, so some order does.
      MustPlace(g, {.use_greedy = round % 2 == 0}, &report);
    }
    infeasible += !expected;
  }
  EXPECT_GT(infeasible, 100);
}

// Rectangles cut from one: a placement without any waste exists. Twelve values alive at once.
TEST(PlaceSearch, CutRectanglesAreFound) {
  Random random(7);
  for (int round = 0; round < 100; ++round) {
    const int64_t capacity = 64;
    std::vector<Rectangle> list = {{capacity, 0, 40}};
    while (list.size() < 14) {
      const size_t i = random.Below(list.size());
      Rectangle& r = list[i];
      Rectangle other = r;
      if (random.Below(2) == 0 && r.size > 1) {
        other.size = random.Between(1, r.size - 1);
        r.size -= other.size;
      } else if (r.end - r.begin > 1) {
        r.end = other.begin = random.Between(r.begin + 1, r.end - 1);
      } else {
        continue;
      }
      list.push_back(other);
    }
    const isa::Accelerator acc = Packer(capacity);
    const Graph g = FromRectangles(&acc, list);
    const StatusOr<Model> model = BuildModel(acc, g.graph);
    ASSERT_TRUE(model.ok());
    const Packing packing = BuildPacking(*model, Identity(g.graph.steps.size()));
    int64_t nodes = 0;
    EXPECT_EQ(Place(packing, Engine::kSearch, &nodes, 200000).outcome, PlaceOutcome::kFound) << round;
  }
}

// Three values that fit only in one arrangement.
// pitfall 114
TEST(PlaceSearch, OneArrangementOnly) {
  const std::vector<Rectangle> list = {{3, 0, 2}, {2, 0, 4}, {3, 2, 4}, {3, 2, 6}, {5, 4, 6}};
  const isa::Accelerator acc = Packer(8);
  const Graph g = FromRectangles(&acc, list);
  MustPlace(g);
}

TEST(PlaceSearch, CutSearchNamesItsLimit) {
  Random random(8);
  std::vector<Rectangle> list;
  for (int i = 0; i < 12; ++i) list.push_back({random.Between(3, 9), i, i + 7});
  const isa::Accelerator acc = Packer(40);
  const Graph g = FromRectangles(&acc, list);
  const StatusOr<assembly::Program> p = Allocate(acc, g.graph, {.max_search_nodes = 5});
  ASSERT_FALSE(p.ok());
  EXPECT_EQ(p.status().front().error_class, ErrorClass::kLimit);
  EXPECT_NE(p.status().message().find("max_search_nodes = 5"), std::string::npos) << p.status().message();
  EXPECT_NE(p.status().message().find("--effort"), std::string::npos);
}

}  // namespace
}  // namespace act::allocate
