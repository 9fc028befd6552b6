#include "select/match.h"

#include <algorithm>

namespace act::select {
namespace {

class Matcher {
 public:
  Matcher(TensorGraph* graph, const Pattern& pattern, size_t max_bindings)
      : graph_(*graph), pattern_(pattern), max_bindings_(max_bindings) {}

  std::vector<Binding> Run(ClassId content) {
    Binding empty;
    empty.classes.resize(pattern_.nodes.size());
    empty.free.resize(pattern_.nodes.size());
    std::vector<Binding> out;
    MatchEdge(pattern_.root, content, empty, /*create=*/true, &out);
    return out;
  }
  bool cut() const { return cut_; }

 private:
  void Emit(Binding binding, std::vector<Binding>* out) {
    if (out->size() >= max_bindings_) {
      cut_ = true;
      return;
    }
    out->push_back(std::move(binding));
  }

  // Classes z with y == View{view}(z), where z has `bytes` bytes. create: make the view where it is new.
  std::vector<ClassId> Sources(ClassId y, const View& view, int64_t bytes, bool create) {
    std::vector<ClassId> out;
    const auto add = [&](ClassId base, const View& psi) {
      std::optional<ClassId> z;
      if (create) {
        z = graph_.AddView(base, psi);
      } else {
        z = graph_.LookupView(base, psi);
      }
      if (z && std::find(out.begin(), out.end(), graph_.Find(*z)) == out.end())
        out.push_back(graph_.Find(*z));
    };
    if (view.IsIdentity(bytes)) {
      out.push_back(graph_.Find(y));
      return out;
    }
    if (const auto inverse = Inverse(view, bytes)) {
      add(y, *inverse);
      return out;
    }
    // The instruction repeats elements or leaves some out: y must be a view that is constant where it
    // repeats.
    std::vector<std::pair<ClassId, View>> forms{{graph_.Find(y), View::Identity(graph_.Bytes(y))}};
    for (NodeId n : graph_.graph().Nodes(y)) {
      if (graph_.op(n).kind == OperatorKind::kView) forms.push_back({graph_.child(n, 0), graph_.op(n).view});
    }
    for (const auto& [base, form] : forms) {
      if (const auto psi = Factor(form, view, bytes)) {
        add(base, *psi);
        continue;
      }
      // The instruction leaves bytes out: it must take the same part of a window of the base.
      const int64_t shift = form.offset() - view.offset();
      if (form.modes() == view.modes() && shift >= 0 && shift <= graph_.Bytes(base) - bytes) {
        add(base, View({{bytes, 1}}, shift));
      }
    }
    return out;
  }

  void MatchEdge(const PatternEdge& edge, ClassId y, const Binding& binding, bool create,
                 std::vector<Binding>* out) {
    const PatternNode& node = pattern_.nodes[static_cast<size_t>(edge.node)];
    const size_t index = static_cast<size_t>(edge.node);
    if (edge.view.size() != graph_.Bytes(y)) return;
    if (binding.classes[index].valid()) {
      // Met before: the same value, or no match.
      const auto seen = graph_.LookupView(binding.classes[index], edge.view);
      if (seen && graph_.Find(*seen) == graph_.Find(y)) Emit(binding, out);
      return;
    }
    switch (node.kind) {
      case PatternNode::Kind::kParameter:
        for (ClassId z : Sources(y, edge.view, node.bytes, /*create=*/true)) {
          Binding next = binding;
          next.classes[index] = z;
          Emit(std::move(next), out);
        }
        return;
      case PatternNode::Kind::kConstant: {
        if (!graph_.IsConstant(y)) return;
        if (*graph_.ConstantBytes(y) == ApplyView(edge.view, node.constant)) Emit(binding, out);
        return;
      }
      case PatternNode::Kind::kFree:
        MatchFree(edge, node, y, binding, out);
        return;
      case PatternNode::Kind::kOperation:
        for (ClassId z : Sources(y, edge.view, node.bytes, create)) MatchOperation(index, z, binding, out);
        return;
    }
  }

  // y = View{edge}(v) for a constant v that is read off y's bytes.
  void MatchFree(const PatternEdge& edge, const PatternNode& node, ClassId y, const Binding& binding,
                 std::vector<Binding>* out) {
    if (!graph_.IsConstant(y)) return;
    const std::vector<uint8_t> bytes = *graph_.ConstantBytes(y);
    std::vector<uint8_t> vector(static_cast<size_t>(node.bytes));
    std::vector<bool> known(vector.size());
    for (int64_t i = 0; i < edge.view.size(); ++i) {
      const size_t at = static_cast<size_t>(edge.view.At(i));
      const uint8_t byte = bytes[static_cast<size_t>(i)];
      if (known[at] && vector[at] != byte) return;
      known[at] = true;
      vector[at] = byte;
    }
    if (std::find(known.begin(), known.end(), false) != known.end()) return;
    const size_t index = static_cast<size_t>(edge.node);
    if (!binding.free[index].empty() && binding.free[index] != vector) return;
    Binding next = binding;
    next.free[index] = std::move(vector);
    Emit(std::move(next), out);
  }

  void MatchOperation(size_t index, ClassId z, const Binding& binding, std::vector<Binding>* out) {
    const PatternNode& node = pattern_.nodes[index];
    const auto span = graph_.graph().Nodes(z);
    const std::vector<NodeId> members(span.begin(), span.end());
    const bool commutative = graph_.op(node.op).IsCommutative();
    for (NodeId member : members) {
      if (graph_.graph().node(member).op != node.op) continue;
      for (int order = 0; order < (commutative ? 2 : 1); ++order) {
        if (order == 1 && graph_.child(member, 0) == graph_.child(member, 1)) break;
        Binding start = binding;
        start.classes[index] = graph_.Find(z);
        std::vector<Binding> partial{std::move(start)};
        for (size_t k = 0; k < node.children.size() && !partial.empty(); ++k) {
          const ClassId child = graph_.child(member, order == 0 ? k : 1 - k);
          std::vector<Binding> next;
          for (const Binding& b : partial) MatchEdge(node.children[k], child, b, /*create=*/false, &next);
          partial = std::move(next);
        }
        for (Binding& b : partial) Emit(std::move(b), out);
      }
    }
  }

  TensorGraph& graph_;
  const Pattern& pattern_;
  const size_t max_bindings_;
  bool cut_ = false;
};

}  // namespace

std::vector<Binding> Match(TensorGraph* graph, const Pattern& pattern, ClassId content, size_t max_bindings,
                           bool* cut) {
  Matcher matcher(graph, pattern, max_bindings);
  std::vector<Binding> out = matcher.Run(content);
  if (cut != nullptr && matcher.cut()) *cut = true;
  return out;
}

}  // namespace act::select
