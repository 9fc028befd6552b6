// The certificate as a dataflow graph: what each of its values holds, without buffers and addresses.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "assembly/assembly.h"
#include "validate/semantics.h"

namespace act::validate {

struct Certified {
  std::vector<ContentId> outputs;          // one each output of the program
  std::map<std::string, ContentId> names;  // of the named values
};
// Checks that the graph is well formed (indices, order, boxes and bytes of every value, operands against the
// instructions' regions and constraints, inputs and outputs against the program's) and evaluates it. A
// failure has code "validate-certificate".
StatusOr<Certified> EvaluateCertificate(const assembly::SelectedGraph& graph,
                                        const assembly::Program& program, TermTable* terms,
                                        Semantics* semantics);

}  // namespace act::validate
