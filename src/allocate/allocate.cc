#include "allocate/allocate.h"

#include <algorithm>

#include "allocate/emit.h"

namespace act::allocate {

namespace {

Status LimitError(const std::string& option, int64_t value) {
  return Error(ErrorClass::kLimit, "allocate-limit",
               "the search for an order and addresses was cut at " + option + " = " + std::to_string(value) +
                   "; raise it with --effort");
}

Status OrderError(const Model& model, std::pair<int32_t, int32_t> blocked) {
  return Error(ErrorClass::kUnsupported, "allocate-order",
               "no order of the steps exists: step " + model.StepName(blocked.first) + " would overwrite " +
                   model.value_of(model.cells[blocked.second].instance).name +
                   " while it is still needed; a second copy of the value is needed");
}

}  // namespace

StatusOr<assembly::Program> Allocate(const isa::Accelerator& accelerator,
                                     const assembly::SelectedGraph& graph, const AllocateOptions& options,
                                     AllocateReport* report) {
  AllocateReport ignored;
  if (report == nullptr) report = &ignored;
  *report = {};
  ACT_ASSIGN_OR_RETURN(const Model model, BuildModel(accelerator, graph));
  OrderSearch orders(model, SethiUllman(model));
  int64_t& nodes = report->search_nodes;
  // The order search needs one node a step even where there is nothing to search.
  const int64_t limit = options.max_search_nodes + static_cast<int64_t>(graph.steps.size());
  bool cut = false;            // an order was given up on without a proof
  bool cut_by_places = false;  // by the number of addresses tried, not by nodes
  std::optional<Status> no_address;
  while (true) {
    const OrderSearch::Outcome outcome = orders.Next(&nodes, limit);
    if (outcome == OrderSearch::Outcome::kLimit)
      return LimitError("max_search_nodes", options.max_search_nodes);
    if (outcome == OrderSearch::Outcome::kExhausted) break;
    if (report->orders >= options.max_orders) return LimitError("max_orders", options.max_orders);
    ++report->orders;
    const Packing packing = BuildPacking(model, orders.order());
    PlaceResult result;
    if (options.use_greedy) {
      report->engine = "greedy";
      result = Place(packing, Engine::kGreedy, &nodes, limit);
    }
    if (result.outcome == PlaceOutcome::kCut && options.use_search) {
      report->engine = "search";
      // No single order may use up what the others need.
      result = Place(packing, Engine::kSearch, &nodes, nodes + (limit - nodes) / 4);
    }
    if (result.outcome == PlaceOutcome::kFound) {
      return EmitProgram(packing, orders.order(), result.values, report);
    }
    if (result.outcome == PlaceOutcome::kCut) {
      cut = true;
      cut_by_places = cut_by_places || (!result.node_limit && options.use_search);
    }
    if (!no_address) no_address = NoAddressError(packing, orders.order(), result.buffer);
    orders.Failed();
  }
  report->engine.clear();
  if (cut && cut_by_places) {
    return Error(
        ErrorClass::kLimit, "allocate-limit",
        "the search for addresses tried too many values of an address attribute; narrower constraints on "
        "it, or an order found with a larger --effort (max_search_nodes = " +
            std::to_string(options.max_search_nodes) + "), may help");
  }
  if (cut) return LimitError("max_search_nodes", options.max_search_nodes);
  if (no_address) return *no_address;
  if (orders.overflow().volume > 0) {
    return OverflowError(model, orders.overflow().buffer, orders.overflow().step, orders.overflow().cells);
  }
  return OrderError(model, orders.blocked());
}

StatusOr<std::vector<int32_t>> FirstOrder(const isa::Accelerator& accelerator,
                                          const assembly::SelectedGraph& graph) {
  ACT_ASSIGN_OR_RETURN(const Model model, BuildModel(accelerator, graph));
  return SethiUllman(model);
}

}  // namespace act::allocate
