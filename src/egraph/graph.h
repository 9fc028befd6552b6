// The e-graph (Willsey et al., "egg: Fast and Extensible Equality Saturation", POPL 2021: deferred rebuild).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "support/support.h"

namespace act::egraph {

// Interned operator of the client. Equal operators have equal numbers.
using OpId = uint32_t;

struct Node {
  OpId op = 0;
  std::vector<ClassId> children;
  friend bool operator==(const Node&, const Node&) = default;
};

// What the client adds to congruence closure. Every hook must be deterministic.
class Client {
 public:
  virtual ~Client() = default;
  // The canonical form of a node whose children are canonical: a node (often the same one), or the class that
  // the node is equal to by definition (an identity view is its operand). Must be idempotent for a fixed
  // state of the graph, and may depend on client data of the children's classes: when that data changes, the
  // client calls Graph::Touch.
  virtual std::variant<Node, ClassId> Canonicalise(Node node) = 0;
  // A class was made for `node`, which is its first e-node. May not change the graph.
  virtual void OnNewClass(ClassId id, const Node& node) = 0;
  // `merged` was united into `kept`; Find(merged) == kept from now on. May call Touch.
  virtual void OnMerge(ClassId kept, ClassId merged) = 0;
};

class Graph {
 public:
  explicit Graph(Client* client) : client_(client) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // The class of the node, made if there is none. Children may be any (also not canonical) classes.
  ClassId Add(Node node);
  // The class of the node if it is there already. Exact only after Rebuild.
  std::optional<ClassId> Lookup(Node node);
  ClassId Find(ClassId id) const;
  // Unites two classes; false if they were one already. Parents are repaired by the next Rebuild.
  bool Union(ClassId a, ClassId b);
  // The client's data of the class changed so that its parents' canonical forms may have.
  void Touch(ClassId id);
  // Restores congruence: no two e-nodes of different classes are equal. Returns the number of unions made.
  int64_t Rebuild();
  bool clean() const { return worklist_.empty(); }

  // Canonical classes in increasing order of id.
  std::vector<ClassId> Classes() const;
  // E-nodes of a class, in order of insertion, without repetition after Rebuild. Invalidated by Add, Union
  // and Rebuild: copy ids before changing the graph.
  std::span<const NodeId> Nodes(ClassId id) const { return classes_[Find(id).value()].nodes; }
  // E-nodes that have the class as a child (possibly repeated, possibly dead).
  std::span<const NodeId> Parents(ClassId id) const { return classes_[Find(id).value()].parents; }
  const Node& node(NodeId id) const { return nodes_[id.value()].node; }
  ClassId ClassOf(NodeId id) const { return Find(nodes_[id.value()].owner); }
  bool alive(NodeId id) const { return nodes_[id.value()].alive; }

  size_t num_classes() const { return num_classes_; }
  size_t num_nodes() const { return num_nodes_; }  // alive
  size_t num_class_ids() const { return parent_.size(); }
  size_t num_node_ids() const { return nodes_.size(); }
  // Naive check of every invariant, for tests: empty if all hold, else the first violation.
  std::string CheckInvariants();

 private:
  struct NodeData {
    Node node;
    uint64_t hash = 0;
    ClassId owner;
    bool alive = true;
  };
  struct ClassData {
    std::vector<NodeId> nodes;
    std::vector<NodeId> parents;
  };

  static uint64_t HashNode(const Node& node);
  std::variant<Node, ClassId> Canonical(Node node);
  NodeId FindInTable(const Node& node, uint64_t hash) const;
  void InsertInTable(NodeId id);
  void EraseFromTable(NodeId id);
  void GrowTable();
  ClassId NewClass(Node node);
  void Kill(NodeId id);
  void Repair(NodeId id);

  Client* client_;
  std::vector<NodeData> nodes_;
  std::vector<ClassData> classes_;
  mutable std::vector<ClassId> parent_;  // union-find
  std::vector<NodeId> worklist_;
  std::vector<bool> queued_;     // by NodeId
  std::vector<uint32_t> table_;  // open addressing over node ids, with tombstones
  size_t table_filled_ = 0;      // tombstones included
  size_t num_classes_ = 0;
  size_t num_nodes_ = 0;
};

}  // namespace act::egraph
