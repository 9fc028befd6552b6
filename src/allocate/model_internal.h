// The stages of BuildModel, each in a file of its own.
#pragma once
#include "allocate/model.h"
#include "allocate/ties.h"

namespace act::allocate {

// Refuses graphs whose indices, sizes or parts do not fit the accelerator or each other. Fills inputs_end and
// hbm_base.
Status CheckGraph(Model* model);
// Instances, footprints and cells (graph_cells.cc). used[v]: the value is read, written or an output.
Status BuildCells(Model* model, std::vector<bool>* used);
// Unknowns, ties, components, links, open steps (graph_ties.cc).
Status BuildComponents(Model* model, const std::vector<bool>& used);
// Shared bytes and the edges that follow (graph_edges.cc).
Status BuildEdges(Model* model);

// Where a window starts inside its parent's box; nullopt if no box there covers exactly its bytes.
std::optional<std::vector<int64_t>> WindowStart(const isa::Buffer& buffer, const assembly::Value& parent,
                                                const assembly::Value& window);

inline Status GraphError(std::string message) {
  return Error(ErrorClass::kInternal, "allocate-graph", "selected graph: " + std::move(message));
}

}  // namespace act::allocate
