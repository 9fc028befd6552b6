#include "select/tensor_graph.h"

#include <algorithm>

namespace act::select {

ClassId TensorGraph::Add(const Operator& op, std::vector<ClassId> children) {
  return graph_.Add({operators_->Intern(op), std::move(children)});
}

ClassId TensorGraph::AddConstant(const std::vector<uint8_t>& bytes) {
  return graph_.Add({operators_->Constant(bytes), {}});
}

ClassId TensorGraph::AddView(ClassId id, const View& view) { return Add(Operator::OfView(view), {id}); }

std::optional<ClassId> TensorGraph::Lookup(const Operator& op, std::vector<ClassId> children) {
  return graph_.Lookup({operators_->Intern(op), std::move(children)});
}

std::optional<ClassId> TensorGraph::LookupView(ClassId id, const View& view) {
  return Lookup(Operator::OfView(view), {id});
}

std::optional<Origin> TensorGraph::OriginOf(ClassId id) const {
  const auto& origin = data_[Find(id).value()].origin;
  if (!origin) return std::nullopt;
  return Origin{Find(origin->base), origin->view};
}

std::variant<egraph::Node, ClassId> TensorGraph::Canonicalise(egraph::Node node) {
  const Operator& op = operators_->at(node.op);
  if (op.kind == OperatorKind::kView) {
    View view = op.view;
    ClassId base = node.children[0];
    bool moved = false;
    while (const auto origin = OriginOf(base)) {
      auto composed = Compose(origin->view, view);
      if (!composed) break;
      view = *std::move(composed);
      base = origin->base;
      moved = true;
    }
    if (view.IsIdentity(data_[base.value()].bytes)) return base;
    if (!moved) return node;
    return egraph::Node{operators_->Intern(Operator::OfView(std::move(view))), {base}};
  }
  if (op.IsCommutative() && node.children[1] < node.children[0]) {
    std::swap(node.children[0], node.children[1]);
  }
  return node;
}

void TensorGraph::OnNewClass(ClassId id, const egraph::Node& node) {
  const Operator& op = operators_->at(node.op);
  ClassData data;
  data.bytes = op.bytes;
  if (op.kind == OperatorKind::kElementwise) {
    data.bytes = Bytes(node.children[0]) / StorageBytes(op.operand_types[0]) * StorageBytes(op.type);
  } else if (op.kind == OperatorKind::kView) {
    data.origin = Origin{node.children[0], op.view};
  }
  if (data_.size() <= id.value()) data_.resize(id.value() + 1);
  data_[id.value()] = std::move(data);
}

bool TensorGraph::ReachesByOrigins(ClassId from, ClassId target) const {
  for (ClassId at = Find(from);;) {
    if (at == target) return true;
    const auto origin = OriginOf(at);
    if (!origin) return false;
    at = origin->base;
  }
}

void TensorGraph::OnMerge(ClassId kept, ClassId merged) {
  ClassData& to = data_[kept.value()];
  ClassData& from = data_[merged.value()];
  if (to.bytes != from.bytes && fault_.empty()) {
    fault_ = "classes of " + std::to_string(to.bytes) + " and " + std::to_string(from.bytes) +
             " bytes were united";
  }
  std::vector<Origin> candidates;
  for (std::optional<Origin>* origin : {&to.origin, &from.origin}) {
    if (*origin) candidates.push_back({Find((*origin)->base), (*origin)->view});
    origin->reset();
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Origin& a, const Origin& b) { return a.base < b.base; });
  for (Origin& candidate : candidates) {
    // The class has no origin at this moment, so a path that ends elsewhere closes no cycle.
    if (ReachesByOrigins(candidate.base, kept)) continue;
    to.origin = std::move(candidate);
    break;
  }
}

std::optional<std::vector<uint8_t>> TensorGraph::ConstantBytes(ClassId id) const {
  for (NodeId n : graph_.Nodes(id)) {
    const Operator& o = op(n);
    if (o.kind == OperatorKind::kConstant) return operators_->ConstantBytes(o);
    if (o.kind != OperatorKind::kView) continue;
    for (NodeId inner : graph_.Nodes(graph_.node(n).children[0])) {
      if (op(inner).kind == OperatorKind::kConstant) {
        return ApplyView(o.view, operators_->ConstantBytes(op(inner)));
      }
    }
  }
  return std::nullopt;
}

bool TensorGraph::IsConstant(ClassId id) const {
  for (NodeId n : graph_.Nodes(id)) {
    if (op(n).kind == OperatorKind::kConstant) return true;
    if (op(n).kind != OperatorKind::kView) continue;
    for (NodeId inner : graph_.Nodes(graph_.node(n).children[0])) {
      if (op(inner).kind == OperatorKind::kConstant) return true;
    }
  }
  return false;
}

std::optional<std::vector<uint8_t>> TensorGraph::SplatOf(ClassId id, int64_t width) const {
  if (Bytes(id) % width != 0) return std::nullopt;
  // A large constant is a repeated element, or never asked for: its bytes are not written out here.
  for (NodeId n : graph_.Nodes(id)) {
    if (op(n).kind != OperatorKind::kView) continue;
    const auto elements = ToElements(op(n).view, width);
    if (!elements) continue;
    const bool repeats = std::all_of(elements->modes().begin(), elements->modes().end(),
                                     [](const Mode& m) { return m.stride == 0; });
    if (!repeats) continue;
    for (NodeId inner : graph_.Nodes(graph_.node(n).children[0])) {
      if (op(inner).kind != OperatorKind::kConstant) continue;
      const auto at = operators_->ConstantBytes(op(inner)).begin() + op(n).view.offset();
      return std::vector<uint8_t>(at, at + width);
    }
  }
  constexpr int64_t kLargest = int64_t{1} << 20;
  if (Bytes(id) > kLargest || !IsConstant(id)) return std::nullopt;
  const auto bytes = *ConstantBytes(id);
  const size_t w = static_cast<size_t>(width);
  for (size_t i = w; i < bytes.size(); ++i) {
    if (bytes[i] != bytes[i - w]) return std::nullopt;
  }
  return std::vector<uint8_t>(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(w));
}

}  // namespace act::select
