// The always-on rules: push, carry, sort and the two forms of a product.
#include "select/rules.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

namespace act::select {
namespace {

class Saturation {
 public:
  Saturation(TensorGraph* graph, const SaturateOptions& options, SaturateReport* report)
      : graph_(*graph), options_(options), report_(*report) {}

  void Run() {
    for (int i = 0; i < options_.max_iterations; ++i) {
      const size_t nodes = graph_.graph().num_node_ids(), classes = graph_.graph().num_classes();
      const size_t ids = graph_.graph().num_class_ids();
      Iterate();
      graph_.Rebuild();
      ++report_.iterations;
      if (report_.node_limit) return;
      if (graph_.graph().num_node_ids() == nodes && graph_.graph().num_classes() == classes &&
          graph_.graph().num_class_ids() == ids) {
        return;
      }
    }
    report_.iteration_limit = true;
  }

 private:
  void Iterate() {
    CountViews();
    const size_t count = graph_.graph().num_node_ids();
    for (size_t i = 0; i < count; ++i) {
      const NodeId id(i);
      if (!graph_.graph().alive(id)) continue;
      if (static_cast<int64_t>(graph_.graph().num_nodes()) > options_.max_nodes) {
        report_.node_limit = true;
        return;
      }
      switch (graph_.op(id).kind) {
        case OperatorKind::kView:
          Push(id);
          break;
        case OperatorKind::kElementwise:
          Carry(id);
          break;
        case OperatorKind::kReduce:
          SortReduce(id);
          break;
        case OperatorKind::kDot:
          ExchangeDot(id);
          break;
        default:
          break;
      }
      ApplyAxioms(id);
    }
  }

  void CountViews() {
    views_.clear();
    for (size_t i = 0; i < graph_.graph().num_node_ids(); ++i) {
      const NodeId id(i);
      if (!graph_.graph().alive(id) || graph_.op(id).kind != OperatorKind::kView) continue;
      const ClassId base = graph_.child(id, 0);
      if (graph_.op(id).view.IsBijection(graph_.Bytes(base))) ++views_[base];
    }
  }

  // (push) View{L}(f(x, ..)) = f(View{L}(x), ..) for elementwise f.
  void Push(NodeId id) {
    const View view = graph_.op(id).view;
    const ClassId base = graph_.child(id, 0);
    const auto nodes = graph_.graph().Nodes(base);
    const std::vector<NodeId> members(nodes.begin(), nodes.end());
    for (NodeId member : members) {
      const Operator& f = graph_.op(member);
      if (f.kind != OperatorKind::kElementwise) continue;
      const auto elements = ToElements(view, StorageBytes(f.type));
      if (!elements) continue;
      std::vector<ClassId> operands;
      for (size_t k = 0; k < f.operand_types.size(); ++k) {
        operands.push_back(graph_.AddView(graph_.child(member, k),
                                          FromElements(*elements, StorageBytes(f.operand_types[k]))));
      }
      graph_.Union(graph_.graph().ClassOf(id), graph_.Add(f, std::move(operands)));
    }
  }

  // (carry) for elementwise f(x, ..) in class c and a bijective view L that exists on an operand, or under
  // which an operand is known: View{L}(c) exists too.
  void Carry(NodeId id) {
    const Operator& f = graph_.op(id);
    const int64_t width = StorageBytes(f.type);
    const ClassId c = graph_.graph().ClassOf(id);
    std::vector<View> wanted;
    for (size_t k = 0; k < f.operand_types.size(); ++k) {
      const ClassId x = graph_.child(id, k);
      const int64_t operand_width = StorageBytes(f.operand_types[k]);
      const auto want = [&](const View& bytes) {
        if (const auto elements = ToElements(bytes, operand_width)) {
          wanted.push_back(FromElements(*elements, width));
        }
      };
      if (const auto origin = graph_.OriginOf(x)) {
        if (const auto inverse = Inverse(origin->view, graph_.Bytes(origin->base))) want(*inverse);
      }
      for (NodeId parent : graph_.graph().Parents(x)) {
        if (!graph_.graph().alive(parent) || graph_.op(parent).kind != OperatorKind::kView) continue;
        if (graph_.op(parent).view.IsBijection(graph_.Bytes(x))) want(graph_.op(parent).view);
      }
    }
    for (const View& view : wanted) {
      ClassId base = c;
      if (const auto origin = graph_.OriginOf(c)) base = origin->base;
      if (graph_.LookupView(c, view)) continue;
      if (views_[base] >= options_.max_views_a_base) {
        report_.view_limit = true;
        continue;
      }
      ++views_[base];
      graph_.AddView(c, view);
    }
  }

  // (sort) the kept modes of reduce{P,R}(View) sorted by falling stride, the result viewed back. Each output
  // still sums the same elements in the same order.
  void SortReduce(NodeId id) {
    const Operator op = graph_.op(id);
    const ClassId x = graph_.child(id, 0);
    const int64_t width = StorageBytes(op.operand_types[0]);
    const auto origin = graph_.OriginOf(x);
    if (!origin) return;
    const auto elements = ToElements(origin->view, width);
    if (!elements) return;
    const auto split = SplitAt(*elements, op.dims[1]);
    if (!split) return;
    const std::vector<Mode>& p = split->outer;
    std::vector<size_t> order(p.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return std::abs(p[a].stride) > std::abs(p[b].stride); });
    if (std::is_sorted(order.begin(), order.end())) return;
    std::vector<Mode> modes;
    for (size_t i : order) modes.push_back(p[i]);
    modes.insert(modes.end(), split->inner.begin(), split->inner.end());
    const ClassId sorted = graph_.AddView(origin->base, FromElements(View(modes, elements->offset()), width));
    std::vector<ClassId> operands{sorted};
    if (op.operand_types.size() == 2) operands.push_back(graph_.child(id, 1));
    const ClassId reduced = graph_.Add(op, std::move(operands));
    // Where each original mode has gone in the sorted result.
    std::vector<Mode> back(p.size());
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      back[order[i]] = {p[order[i]].extent, stride};
      stride *= p[order[i]].extent;
    }
    const int64_t result_width = StorageBytes(op.type);
    graph_.Union(graph_.graph().ClassOf(id), graph_.AddView(reduced, FromElements(View(back), result_width)));
  }

  // dot{B,M,K,N}(a, b) = View(dot{B,N,K,M}(transpose b, transpose a)): the same products in the same order.
  void ExchangeDot(NodeId id) {
    const Operator op = graph_.op(id);
    const int64_t b = op.dims[0], m = op.dims[1], k = op.dims[2], n = op.dims[3];
    const auto swapped = [](int64_t batch, int64_t rows, int64_t columns, int64_t width) {
      return View({{batch, rows * columns * width}, {columns, width}, {rows, columns * width}, {width, 1}});
    };
    const int64_t lw = StorageBytes(op.operand_types[0]), rw = StorageBytes(op.operand_types[1]);
    const ClassId at = graph_.AddView(graph_.child(id, 0), swapped(b, m, k, lw));
    const ClassId bt = graph_.AddView(graph_.child(id, 1), swapped(b, k, n, rw));
    const ClassId product =
        graph_.Add(Operator::Dot(op.type, op.operand_types[1], op.operand_types[0], b, n, k, m), {bt, at});
    graph_.Union(graph_.graph().ClassOf(id),
                 graph_.AddView(product, swapped(b, n, m, StorageBytes(op.type))));
  }

  void ApplyAxioms(NodeId id) {
    for (const Axiom& axiom : Axioms()) {
      if (!graph_.graph().alive(id)) return;
      const ElementType type = graph_.op(id).type;
      const NumericMarks marks = IsFloat(type) ? axiom.marks : NumericMarks();
      const bool allowed =
          Allowed(marks, options_.numerics) && (options_.use_inexact_axioms || marks.exact_everywhere());
      const size_t nodes = graph_.graph().num_node_ids(), classes = graph_.graph().num_classes();
      if (!axiom.apply(&graph_, id, !allowed)) continue;
      const std::string name(axiom.name);
      if (!allowed) {
        Remember(&report_.withheld, name);
      } else if (!marks.exact_everywhere() &&
                 (graph_.graph().num_node_ids() != nodes || graph_.graph().num_classes() != classes)) {
        Remember(&report_.inexact_used, name);
      }
    }
  }
  static void Remember(std::vector<std::string>* names, const std::string& name) {
    if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
  }

  TensorGraph& graph_;
  const SaturateOptions& options_;
  SaturateReport& report_;
  std::map<ClassId, int> views_;  // bijective views of a base
};

}  // namespace

void Saturate(TensorGraph* graph, const SaturateOptions& options, SaturateReport* report) {
  Saturation(graph, options, report).Run();
}

}  // namespace act::select
