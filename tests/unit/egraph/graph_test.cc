// The e-graph against a naive congruence closure.
#include <gtest/gtest.h>

#include <map>

#include "egraph/egraph.h"

namespace act::egraph {
namespace {

// No canonical forms of its own.
class PlainClient : public Client {
 public:
  std::variant<Node, ClassId> Canonicalise(Node node) override { return node; }
  void OnNewClass(ClassId, const Node&) override { ++made; }
  void OnMerge(ClassId, ClassId) override { ++merged; }
  int made = 0, merged = 0;
};

// Operator 1 is the identity: its node is its operand.
class IdentityClient : public PlainClient {
 public:
  std::variant<Node, ClassId> Canonicalise(Node node) override {
    if (node.op == 1) return node.children[0];
    return node;
  }
};

TEST(Graph, SharesEqualNodes) {
  PlainClient client;
  Graph graph(&client);
  const ClassId a = graph.Add({10, {}}), b = graph.Add({11, {}});
  EXPECT_EQ(graph.Add({10, {}}), a);
  const ClassId f = graph.Add({2, {a, b}});
  EXPECT_EQ(graph.Add({2, {a, b}}), f);
  EXPECT_NE(graph.Add({2, {b, a}}), f);
  EXPECT_EQ(graph.Lookup({2, {b, b}}), std::nullopt);
  EXPECT_EQ(client.made, 4);
}

TEST(Graph, CongruenceRisesThroughParents) {
  PlainClient client;
  Graph graph(&client);
  const ClassId a = graph.Add({10, {}}), b = graph.Add({11, {}});
  ClassId fa = a, fb = b;
  for (int i = 0; i < 50; ++i) {
    fa = graph.Add({2, {fa}});
    fb = graph.Add({2, {fb}});
  }
  EXPECT_TRUE(graph.Union(a, b));
  EXPECT_FALSE(graph.Union(a, b));
  EXPECT_EQ(graph.Rebuild(), 50);
  EXPECT_EQ(graph.Find(fa), graph.Find(fb));
  EXPECT_EQ(graph.CheckInvariants(), "");
}

TEST(Graph, ANodeThatBecomesItsOperandVanishes) {
  IdentityClient client;
  Graph graph(&client);
  const ClassId a = graph.Add({10, {}});
  EXPECT_EQ(graph.Add({1, {a}}), a);
  EXPECT_EQ(graph.num_nodes(), 1u);
}

// f(f(a)) = a and f(f(f(a))) = a make f(a) = a.
TEST(Graph, CyclesCollapse) {
  PlainClient client;
  Graph graph(&client);
  const ClassId a = graph.Add({10, {}});
  const ClassId f1 = graph.Add({2, {a}}), f2 = graph.Add({2, {f1}}), f3 = graph.Add({2, {f2}});
  graph.Union(f2, a);
  graph.Union(f3, a);
  graph.Rebuild();
  EXPECT_EQ(graph.Find(f1), graph.Find(a));
  EXPECT_EQ(graph.num_classes(), 1u);
  EXPECT_EQ(graph.CheckInvariants(), "");
}

TEST(Graph, RandomUnionsAgreeWithNaiveClosure) {
  Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    PlainClient client;
    Graph graph(&client);
    std::vector<ClassId> ids;
    std::vector<Node> made;
    for (int i = 0; i < 30; ++i) {
      Node node;
      node.op = static_cast<OpId>(i < 5 ? 10 + i : 2 + static_cast<int>(random.Below(3)));
      if (i >= 5) {
        for (uint64_t k = 0, n = 1 + random.Below(2); k < n; ++k) {
          node.children.push_back(ids[random.Below(ids.size())]);
        }
      }
      made.push_back(node);
      ids.push_back(graph.Add(node));
    }
    std::vector<std::pair<ClassId, ClassId>> unions;
    for (int i = 0; i < 4; ++i) {
      unions.push_back({ids[random.Below(ids.size())], ids[random.Below(ids.size())]});
    }
    for (const auto& [x, y] : unions) {
      graph.Union(x, y);
      if (random.Below(2)) graph.Rebuild();
    }
    graph.Rebuild();
    ASSERT_EQ(graph.CheckInvariants(), "");
    // Naive: a label a term, merged until nothing changes.
    std::map<ClassId, size_t> label;
    for (size_t i = 0; i < ids.size(); ++i) label.emplace(ids[i], i);
    const auto unite = [&](size_t x, size_t y) {
      for (auto& entry : label) {
        if (entry.second == y) entry.second = x;
      }
    };
    for (const auto& [x, y] : unions) unite(label[x], label[y]);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < made.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
          if (made[i].op != made[j].op || made[i].children.size() != made[j].children.size()) continue;
          bool equal = label[ids[i]] != label[ids[j]];
          for (size_t k = 0; k < made[i].children.size(); ++k) {
            equal = equal && label[made[i].children[k]] == label[made[j].children[k]];
          }
          if (equal) {
            unite(label[ids[i]], label[ids[j]]);
            changed = true;
          }
        }
      }
    }
    for (size_t i = 0; i < ids.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        ASSERT_EQ(graph.Find(ids[i]) == graph.Find(ids[j]), label[ids[i]] == label[ids[j]]);
      }
    }
  }
}

}  // namespace
}  // namespace act::egraph
