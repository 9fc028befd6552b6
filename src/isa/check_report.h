// What the groups of checks share: the report they add to and the facts about one instruction they start
// from.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "isa/accelerator.h"
#include "isa/solve.h"

namespace act::isa {

enum class Severity : uint8_t { kError, kWarning };

class Report {
 public:
  // whole: the place of what concerns the accelerator as a whole.
  explicit Report(SourceLocation whole) : whole_(std::move(whole)) {}
  // message: the sentence with its way out. A place without a line falls back to `fallback`.
  void Add(Severity severity, const char* code, std::string message, const SourceLocation& location,
           const SourceLocation& fallback = {});
  void AddDiagnostic(Diagnostic diagnostic) { diagnostics_.push_back(std::move(diagnostic)); }
  size_t size() const { return diagnostics_.size(); }
  // In source order; diagnostics without a place last; what is equal in place stays in order of discovery.
  std::vector<Diagnostic> TakeSorted() &&;

 private:
  SourceLocation whole_;
  std::vector<Diagnostic> diagnostics_;
};

// One instruction under check.
struct Subject {
  Subject(const Accelerator& acc, const Instruction& instr);

  const Accelerator& accelerator;
  const Instruction& instruction;
  std::vector<std::string> state_names;
  AttributeSolver solver;
  // Legal values of the computational attributes: the smallest, the largest, and two between, as far as they
  // exist and are found; empty where no legal values were found.
  std::vector<std::vector<int64_t>> samples;
  std::vector<int64_t> initial_state;

  NameTable names() const { return {instruction.computational, instruction.addressing, state_names}; }
  // "instruction 'x'", "instruction 'x', input 1" (with the operand's name where it has one).
  std::string Name() const { return "instruction '" + instruction.name + "'"; }
  std::string RegionName(bool is_output, size_t number) const;
  const Region& region(bool is_output, size_t number) const {
    return is_output ? instruction.outputs[number] : instruction.inputs[number];
  }
  // "@c.n = 64, @c.m = 2"; "every call" where there are no attributes.
  std::string ValuesText(std::span<const int64_t> values) const;
};

// The condition that holds exactly where the given one has a value and does not hold.
Condition Negation(const Condition& condition);

// The groups. Each adds to the report.
void CheckMachine(const Accelerator& accelerator, Report* report);         // buffers and data flow
void CheckInstructionSet(const Accelerator& accelerator, Report* report);  // instructions as a set
void CheckState(const Accelerator& accelerator, Report* report);           // state and updates
void CheckAttributes(const Subject& subject, Report* report);              // declared and used
void CheckInstructionConstraints(const Subject& subject, Report* report);  // constraints and windows
void CheckRegions(const Subject& subject, Report* report);                 // outputs and marks
void CheckSemantics(const Subject& subject, Report* report);               // types, shapes, values
void CheckCost(const Subject& subject, Report* report);
// For an instruction that nothing was said about and that no attribute values make legal.
void CheckLegalValues(const Subject& subject, Report* report);

}  // namespace act::isa
