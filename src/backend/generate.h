// Generation of a backend: checks the spec, appends it to a copy of the engine.
#pragma once
#include <string>

#include "isa/isa.h"
#include "select/select.h"

namespace act::backend {

struct GenerateOptions {
  std::string engine = "/proc/self/exe";  // the executable that is copied: `act` or a generated backend
  std::string base_dir = ".";             // targets/ and backends/ are made in it
  std::string output;                     // of the executable; empty: <base_dir>/backends/<name>
  std::string cost;                       // cost model: .o, .a or .so; empty: the built-in one
  const SourceText* source = nullptr;     // what the spec was read from, for messages
};

// Writes <base_dir>/targets/<name>/backend/{<name>.taidl, derived.txt} and the executable; returns the
// executable's path. A spec that is refused (faults of isa::Check, instructions that selection cannot use) is
// a failure that carries every reason, and nothing is written. After any failure neither the executable nor
// targets/<name>/backend of an earlier generation remains.
StatusOr<std::string> Generate(const isa::Accelerator& accelerator, const GenerateOptions& options);
// Removes what an earlier generation left: the backend folder, and the executable. A file at options.output
// that is no generated backend is left alone.
void RemoveGenerated(const std::string& name, const GenerateOptions& options);

// derived.txt, and what `act check --derived` prints: ranges of the attributes, and the rules.
std::string DescribeDerived(const isa::Accelerator& accelerator, select::Selector* selector);

}  // namespace act::backend
