// The placement problem of one order: boxes, which of them must not share bytes, and the engines that solve
// it.
//
// Interface for engines: a Packing goes in, one integer for every component comes out. A packing without a
// model's open steps is pure geometry, so that other sources of packing problems can use the engines too.
#pragma once
#include <cstdint>
#include <vector>

#include "allocate/model.h"
#include "allocate/options.h"

namespace act::allocate {

// A cell in time and space. Occupied from the write at position `begin` up to the reads at position `end`:
// a box that ends where another begins may share its place (reads come before writes).
struct Box {
  int32_t buffer = 0;
  std::vector<Coordinate> at;  // one a dimension, the cell's own offset included
  std::vector<int64_t> size;
  int64_t begin = 0, end = 0;
};
// Whether the two are occupied at once (the same buffer is not looked at).
bool OverlapInTime(const Box& a, const Box& b);

struct Packing {
  const Model* model = nullptr;
  std::vector<Component> components;            // the model's
  std::vector<std::vector<int64_t>> capacity;   // by buffer and dimension
  std::vector<int32_t> position;                // of each step in the order
  std::vector<Box> boxes;                       // by cell
  std::vector<std::vector<int32_t>> conflicts;  // by box: boxes that must be disjoint from it
  std::vector<std::vector<int32_t>> boxes_of;   // by component
  // Two boxes that no choice can keep apart; -1 if there are none.
  int32_t clash_first = -1, clash_second = -1;
};
Packing BuildPacking(const Model& model, const std::vector<int32_t>& order);

enum class Engine { kGreedy, kSearch };
enum class PlaceOutcome { kFound, kInfeasible, kCut };
struct PlaceResult {
  PlaceOutcome outcome = PlaceOutcome::kCut;
  std::vector<int64_t> values;  // by component, iff kFound
  int32_t buffer = -1;          // not kFound: a buffer without addresses, where known
  bool node_limit = false;      // kCut: by the node limit (else by the number of addresses tried)
};
// kGreedy: best fit and first fit in several placement orders; kCut where none succeeds. kSearch: depth-first
// with backtracking; kInfeasible is a proof. `nodes` counts and stops at `limit`.
PlaceResult Place(const Packing& packing, Engine engine, int64_t* nodes, int64_t limit);

}  // namespace act::allocate
