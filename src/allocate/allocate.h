// Order and addresses: from a selected graph to a program (design.md section 6).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "assembly/assembly.h"

namespace act::allocate {

struct AllocateOptions {
  int64_t max_search_nodes = 200000;  // of the depth-first search, over all orders
  int max_orders = 64;                // orders tried, each with another interference graph
  bool use_greedy = true;             // best fit in several placement orders before the search
};
struct AllocateReport {
  int64_t search_nodes = 0;
  int orders = 0;
  std::string engine;         // "greedy" or "search"
  std::vector<int64_t> peak;  // highest used address (outermost dimension), one a buffer
};
// The HBM map is reference/taidl.md section 13: inputs from byte 0 without padding, outputs directly behind
// the last input, constants and temporaries behind the outputs. Every value of one step's operands and
// result obeys the start expressions, constraints and placement marks of the spec. Instances with a
// destructive consumer are read by every other consumer first; if no order can, the failure says so
// (class kUnsupported, code "allocate-order"). When no addresses exist: code "allocate-capacity", naming the
// buffer and the simultaneously live values with their sizes. kLimit when the search was cut.
StatusOr<assembly::Program> Allocate(const isa::Accelerator& accelerator,
                                     const assembly::SelectedGraph& graph,
                                     const AllocateOptions& options = {}, AllocateReport* report = nullptr);

// ---- the parts, each usable and tested alone ----

// An order of graph.steps respecting data dependences and anti-dependences (readers before overwriters);
// multi-buffer Sethi-Ullman (act-algorithm.md 3.4).
StatusOr<std::vector<int32_t>> FirstOrder(const isa::Accelerator& accelerator,
                                          const assembly::SelectedGraph& graph);

// One variable is one addressing attribute of one step.
struct AddressTerm {
  isa::Expression start;  // over the step's @a; kComputational nodes evaluated with `step`
  int32_t step = 0;
};
struct Item {  // a value to be placed
  BufferId buffer;
  std::vector<int64_t> size;             // box
  int32_t live_begin = 0, live_end = 0;  // half-open positions in the order: [definition, last read]
  std::vector<int64_t> fixed;            // empty, or its place
  std::string name;
};
struct AllocationProblem {
  const isa::Accelerator* accelerator = nullptr;
  const assembly::SelectedGraph* graph = nullptr;
  std::vector<int32_t> order;
  std::vector<Item> items;  // one each value that needs a place of its own, by ValueId
};
struct Placement {
  std::vector<std::vector<int64_t>> place;       // by ValueId; empty for values without one
  std::vector<std::vector<int64_t>> addressing;  // @a of each step, by step index of the graph
};
enum class Engine { kGreedy, kSearch };
StatusOr<Placement> Place(const AllocationProblem& problem, Engine engine, const AllocateOptions& options,
                          AllocateReport* report);

}  // namespace act::allocate
