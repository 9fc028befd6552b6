#include "egraph/graph.h"

#include <algorithm>

namespace act::egraph {
namespace {
constexpr uint32_t kEmpty = 0xffffffffu;
constexpr uint32_t kTombstone = 0xfffffffeu;
}  // namespace

uint64_t Graph::HashNode(const Node& node) {
  uint64_t h = HashCombine(node.op, node.children.size());
  for (ClassId child : node.children) h = HashCombine(h, child.value());
  return h;
}

ClassId Graph::Find(ClassId id) const {
  while (parent_[id.value()] != id) {
    parent_[id.value()] = parent_[parent_[id.value()].value()];
    id = parent_[id.value()];
  }
  return id;
}

std::variant<Node, ClassId> Graph::Canonical(Node node) {
  for (ClassId& child : node.children) child = Find(child);
  auto form = client_->Canonicalise(std::move(node));
  if (auto* id = std::get_if<ClassId>(&form)) return Find(*id);
  return form;
}

NodeId Graph::FindInTable(const Node& node, uint64_t hash) const {
  if (table_.empty()) return NodeId();
  const size_t mask = table_.size() - 1;
  for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    if (table_[slot] == kEmpty) return NodeId();
    if (table_[slot] == kTombstone) continue;
    const NodeData& data = nodes_[table_[slot]];
    if (data.hash == hash && data.node == node) return NodeId(table_[slot]);
  }
}

void Graph::GrowTable() {
  const std::vector<uint32_t> old = std::move(table_);
  size_t capacity = 64;
  while (capacity < (num_nodes_ + 1) * 4) capacity *= 2;
  table_.assign(capacity, kEmpty);
  table_filled_ = 0;
  for (uint32_t entry : old) {
    if (entry != kEmpty && entry != kTombstone) InsertInTable(NodeId(entry));
  }
}

void Graph::InsertInTable(NodeId id) {
  if (table_.empty() || (table_filled_ + 1) * 2 > table_.size()) GrowTable();
  const size_t mask = table_.size() - 1;
  size_t slot = nodes_[id.value()].hash & mask;
  while (table_[slot] != kEmpty) slot = (slot + 1) & mask;
  table_[slot] = id.value();
  ++table_filled_;
}

void Graph::EraseFromTable(NodeId id) {
  const size_t mask = table_.size() - 1;
  for (size_t slot = nodes_[id.value()].hash & mask; table_[slot] != kEmpty; slot = (slot + 1) & mask) {
    if (table_[slot] == id.value()) {
      table_[slot] = kTombstone;
      return;
    }
  }
}

ClassId Graph::NewClass(Node node) {
  const ClassId id(parent_.size());
  const NodeId node_id(nodes_.size());
  NodeData data;
  data.hash = HashNode(node);
  data.owner = id;
  data.node = std::move(node);
  parent_.push_back(id);
  nodes_.push_back(std::move(data));
  queued_.push_back(false);
  classes_.emplace_back();
  classes_.back().nodes.push_back(node_id);
  ++num_classes_;
  ++num_nodes_;
  InsertInTable(node_id);
  for (ClassId child : nodes_.back().node.children) classes_[child.value()].parents.push_back(node_id);
  client_->OnNewClass(id, nodes_[node_id.value()].node);
  return id;
}

ClassId Graph::Add(Node node) {
  auto form = Canonical(std::move(node));
  if (auto* id = std::get_if<ClassId>(&form)) return *id;
  Node& canonical = std::get<Node>(form);
  const NodeId found = FindInTable(canonical, HashNode(canonical));
  if (found.valid()) return ClassOf(found);
  return NewClass(std::move(canonical));
}

std::optional<ClassId> Graph::Lookup(Node node) {
  auto form = Canonical(std::move(node));
  if (auto* id = std::get_if<ClassId>(&form)) return *id;
  const Node& canonical = std::get<Node>(form);
  const NodeId found = FindInTable(canonical, HashNode(canonical));
  if (!found.valid()) return std::nullopt;
  return ClassOf(found);
}

bool Graph::Union(ClassId a, ClassId b) {
  a = Find(a);
  b = Find(b);
  if (a == b) return false;
  // The older class stays, so that ids do not depend on sizes; its lists grow by the younger one's.
  const ClassId kept = std::min(a, b), merged = std::max(a, b);
  Touch(kept);
  Touch(merged);
  parent_[merged.value()] = kept;
  ClassData& to = classes_[kept.value()];
  ClassData& from = classes_[merged.value()];
  to.nodes.insert(to.nodes.end(), from.nodes.begin(), from.nodes.end());
  to.parents.insert(to.parents.end(), from.parents.begin(), from.parents.end());
  from.nodes = {};
  from.parents = {};
  --num_classes_;
  client_->OnMerge(kept, merged);
  return true;
}

void Graph::Touch(ClassId id) {
  for (NodeId parent : classes_[Find(id).value()].parents) {
    if (!nodes_[parent.value()].alive || queued_[parent.value()]) continue;
    queued_[parent.value()] = true;
    worklist_.push_back(parent);
  }
}

void Graph::Kill(NodeId id) {
  NodeData& data = nodes_[id.value()];
  data.alive = false;
  --num_nodes_;
  std::vector<NodeId>& list = classes_[Find(data.owner).value()].nodes;
  list.erase(std::find(list.begin(), list.end(), id));
}

void Graph::Repair(NodeId id) {
  const ClassId owner = ClassOf(id);
  auto form = Canonical(nodes_[id.value()].node);
  if (auto* equal = std::get_if<ClassId>(&form)) {
    // The node has become its operand; what is left of it says nothing.
    EraseFromTable(id);
    Kill(id);
    Union(owner, *equal);
    return;
  }
  Node& canonical = std::get<Node>(form);
  if (canonical == nodes_[id.value()].node) return;
  EraseFromTable(id);
  const uint64_t hash = HashNode(canonical);
  const NodeId twin = FindInTable(canonical, hash);
  if (twin.valid()) {
    Kill(id);
    Union(owner, ClassOf(twin));
    return;
  }
  nodes_[id.value()].node = std::move(canonical);
  nodes_[id.value()].hash = hash;
  InsertInTable(id);
  for (ClassId child : nodes_[id.value()].node.children) classes_[child.value()].parents.push_back(id);
}

int64_t Graph::Rebuild() {
  if (worklist_.empty()) return 0;
  const size_t before = num_classes_;
  while (!worklist_.empty()) {
    const std::vector<NodeId> work = std::move(worklist_);
    worklist_.clear();
    for (NodeId id : work) {
      queued_[id.value()] = false;
      if (nodes_[id.value()].alive) Repair(id);
    }
  }
  for (ClassData& data : classes_) {
    std::vector<NodeId>& parents = data.parents;
    std::sort(parents.begin(), parents.end());
    parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
    std::erase_if(parents, [&](NodeId p) { return !nodes_[p.value()].alive; });
  }
  return static_cast<int64_t>(before - num_classes_);
}

std::vector<ClassId> Graph::Classes() const {
  std::vector<ClassId> out;
  out.reserve(num_classes_);
  for (size_t i = 0; i < parent_.size(); ++i) {
    if (parent_[i].value() == i) out.push_back(ClassId(i));
  }
  return out;
}

std::string Graph::CheckInvariants() {
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const NodeId id(i);
    if (!nodes_[i].alive) continue;
    const auto form = Canonical(nodes_[i].node);
    if (std::holds_alternative<ClassId>(form)) return "node " + std::to_string(i) + " should be its operand";
    if (std::get<Node>(form) != nodes_[i].node) return "node " + std::to_string(i) + " is not canonical";
    if (FindInTable(nodes_[i].node, HashNode(nodes_[i].node)) != id) {
      return "node " + std::to_string(i) + " is not in the table or has a twin";
    }
    const auto list = Nodes(nodes_[i].owner);
    if (std::find(list.begin(), list.end(), id) == list.end()) {
      return "node " + std::to_string(i) + " is missing from its class";
    }
    for (ClassId child : nodes_[i].node.children) {
      const auto parents = Parents(child);
      if (std::find(parents.begin(), parents.end(), id) == parents.end()) {
        return "node " + std::to_string(i) + " is missing from its child's parents";
      }
    }
  }
  return "";
}

}  // namespace act::egraph
