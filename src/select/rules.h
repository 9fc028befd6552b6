// Rewrites inside the e-graph: the always-on rules that see through views, and the table of axioms
//.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "select/numerics.h"
#include "select/tensor_graph.h"

namespace act::select {

struct SaturateOptions {
  int64_t max_nodes = 20000;
  int max_iterations = 30;
  int max_views_a_base = 16;
  Numerics numerics = Numerics::kDefault;
  bool use_inexact_axioms = true;  // false: only axioms that are exact everywhere
};

struct SaturateReport {
  int iterations = 0;
  bool node_limit = false, iteration_limit = false, view_limit = false;
  // Names of axioms that changed the graph and are not exact everywhere, in order of first use.
  std::vector<std::string> inexact_used;
  // An axiom beyond `numerics` or `use_inexact_axioms` would have matched.
  std::vector<std::string> withheld;
};

// Applies all rules to a fixpoint or a limit. The graph is clean afterwards.
void Saturate(TensorGraph* graph, const SaturateOptions& options, SaturateReport* report);

// One axiom: finds every place where it applies and adds the equal form.
struct Axiom {
  std::string_view name;
  std::string_view statement;  // for reports and documentation
  NumericMarks marks;          // on floats; on integers every axiom here is exact
  // Applies the axiom at e-node `at` (alive, clean graph); with `dry`, only says whether it would apply.
  // True iff it applied (or would).
  bool (*apply)(TensorGraph* graph, NodeId at, bool dry);
};
std::span<const Axiom> Axioms();

}  // namespace act::select
