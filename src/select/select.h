// Instruction selection: from a flat HLO kernel to selected graphs, cheapest first.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assembly/assembly.h"
#include "hlo/hlo.h"
#include "select/numerics.h"

namespace act::select {

struct SelectOptions {
  Numerics numerics = Numerics::kDefault;
  int64_t max_nodes = 20000;  // e-nodes
  int max_iterations = 30;
  int64_t max_extract_nodes = 200000;
  int64_t max_states = 20000;
  int max_views_a_base = 16;
  size_t max_bindings = 8;  // of one rule on one content
  int max_route = 3;        // transfers in a row
};

struct SelectReport {
  int64_t e_nodes = 0, e_classes = 0, states = 0, productions = 0, extract_nodes = 0;
  int iterations = 0;
  bool proved = false;              // the first candidate is the cheapest selection
  std::vector<std::string> limits;  // limits that were reached, by name
};

// One selected program without order and addresses.
struct Candidate {
  assembly::SelectedGraph graph;
  // Everything in it equals the kernel bit for bit, on every input / on finite inputs.
  NumericMarks marks;
  // Each step that is not exact everywhere, for the report: "gemm: y = identity (finite inputs)".
  std::vector<std::string> inexact_steps;
};

// The rules of one accelerator; reusable for many kernels.
class Selector {
 public:
  explicit Selector(const isa::Accelerator* accelerator);
  ~Selector();
  // Candidates, cheapest first, never empty on success: the `count` cheapest selections (a few more where
  // they cost the same), each also with its transfers joined. Failure: kUnsupported with the smallest part
  // that has no implementation, or kLimit with the limit that cut the search and the option that raises it.
  StatusOr<std::vector<Candidate>> Select(const hlo::FlatKernel& kernel, const SelectOptions& options,
                                          size_t count, SelectReport* report);
  // What generation refuses: one diagnostic for each instruction that selection cannot use.
  std::vector<Diagnostic> Unusable() const;
  // What `act check --derived` prints: for each instruction its transfers and compute rules at sample
  // attributes, or why there is none.
  std::string DescribeRules();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace act::select
