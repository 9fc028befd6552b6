// The e-graph over the tensor language, with origins.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "egraph/egraph.h"
#include "select/operator.h"

namespace act::select {

// A class has at most one origin: "this is View{view}(base)". Origins form a forest; they only choose names.
struct Origin {
  ClassId base;
  View view;
};

class TensorGraph final : private egraph::Client {
 public:
  explicit TensorGraph(OperatorTable* operators) : operators_(operators), graph_(this) {}

  ClassId Add(const Operator& op, std::vector<ClassId> children);
  ClassId AddConstant(const std::vector<uint8_t>& bytes);
  // The splat of an element: View{(count,0),(width,1)} of its bytes.
  ClassId AddView(ClassId id, const View& view);
  std::optional<ClassId> Lookup(const Operator& op, std::vector<ClassId> children);
  std::optional<ClassId> LookupView(ClassId id, const View& view);
  bool Union(ClassId a, ClassId b) { return graph_.Union(a, b); }
  void Rebuild() { graph_.Rebuild(); }

  ClassId Find(ClassId id) const { return graph_.Find(id); }
  int64_t Bytes(ClassId id) const { return data_[Find(id).value()].bytes; }
  // nullopt: the class is a base.
  std::optional<Origin> OriginOf(ClassId id) const;
  const Operator& op(NodeId id) const { return operators_->at(graph_.node(id).op); }
  const Operator& op(egraph::OpId id) const { return operators_->at(id); }
  ClassId child(NodeId id, size_t k) const { return Find(graph_.node(id).children[k]); }
  const egraph::Graph& graph() const { return graph_; }
  egraph::Graph& graph() { return graph_; }
  OperatorTable& operators() { return *operators_; }

  // The bytes of a class that is a constant or a view of one.
  std::optional<std::vector<uint8_t>> ConstantBytes(ClassId id) const;
  bool IsConstant(ClassId id) const;
  // The bytes of the one element that a constant class repeats; width: bytes of an element.
  std::optional<std::vector<uint8_t>> SplatOf(ClassId id, int64_t width) const;

  // Not empty iff two classes of different sizes were united: our fault, or a wrong rule.
  const std::string& fault() const { return fault_; }

 private:
  struct ClassData {
    int64_t bytes = 0;
    std::optional<Origin> origin;
  };
  std::variant<egraph::Node, ClassId> Canonicalise(egraph::Node node) override;
  void OnNewClass(ClassId id, const egraph::Node& node) override;
  void OnMerge(ClassId kept, ClassId merged) override;
  bool ReachesByOrigins(ClassId from, ClassId target) const;

  OperatorTable* operators_;
  std::vector<ClassData> data_;
  egraph::Graph graph_;
  std::string fault_;
};

}  // namespace act::select
