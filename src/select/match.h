// Matching a pattern against an e-class.
#pragma once
#include <vector>

#include "select/pattern.h"
#include "select/tensor_graph.h"

namespace act::select {

// What each pattern node stands for: the class of a parameter's content, of an operation's value, or, for
// the diagonal of a constant operand, the bytes.
struct Binding {
  std::vector<ClassId> classes;            // by pattern node; invalid: not bound
  std::vector<std::vector<uint8_t>> free;  // by pattern node; kFree only
};

// All bindings under which the pattern's output region holds `content`, fewest first found, at most
// `max_bindings`. New View nodes may be added to the graph (contents of operands, and of the core itself),
// but nothing is united. `cut` is set where bindings were dropped.
std::vector<Binding> Match(TensorGraph* graph, const Pattern& pattern, ClassId content, size_t max_bindings,
                           bool* cut);

}  // namespace act::select
