#include "isa/check_report.h"

#include <algorithm>
#include <tuple>

namespace act::isa {

void Report::Add(Severity severity, const char* code, std::string message, const SourceLocation& location,
                 const SourceLocation& fallback) {
  Diagnostic d;
  d.is_warning = severity == Severity::kWarning;
  d.code = code;
  d.message = std::move(message);
  d.location = location.line > 0 ? location : fallback.line > 0 ? fallback : whole_;
  diagnostics_.push_back(std::move(d));
}

std::vector<Diagnostic> Report::TakeSorted() && {
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::make_tuple(a.location.line == 0, a.location.file, a.location.line, a.location.column) <
           std::make_tuple(b.location.line == 0, b.location.file, b.location.line, b.location.column);
  });
  return std::move(diagnostics_);
}

namespace {

std::vector<int64_t> InitialState(const Accelerator& accelerator) {
  std::vector<int64_t> values;
  for (const StateVariable& variable : accelerator.state) values.push_back(variable.initial);
  return values;
}

}  // namespace

Subject::Subject(const Accelerator& acc, const Instruction& instr)
    : accelerator(acc),
      instruction(instr),
      state_names(acc.state_names()),
      solver(acc, instr),
      samples(solver.Samples()),
      initial_state(InitialState(acc)) {}

std::string Subject::RegionName(bool is_output, size_t number) const {
  std::string text = Name() + (is_output ? ", output " : ", input ") + std::to_string(number);
  const Region& r = region(is_output, number);
  if (!r.name.empty()) text += " '" + r.name + "'";
  return text;
}

std::string Subject::ValuesText(std::span<const int64_t> values) const {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += "@c." + instruction.computational[i] + " = " + std::to_string(values[i]);
  }
  return text.empty() ? "every call" : text;
}

Condition Negation(const Condition& condition) {
  Condition negated = condition;
  if (condition.kind != Condition::Kind::kCompare) {
    negated.kind = condition.kind == Condition::Kind::kAnd ? Condition::Kind::kOr : Condition::Kind::kAnd;
    for (Condition& operand : negated.operands) operand = Negation(operand);
    return negated;
  }
  switch (condition.relation) {
    case Relation::kEqual:
      negated.relation = Relation::kNotEqual;
      break;
    case Relation::kNotEqual:
      negated.relation = Relation::kEqual;
      break;
    case Relation::kLess:
      negated.relation = Relation::kGreaterEqual;
      break;
    case Relation::kLessEqual:
      negated.relation = Relation::kGreater;
      break;
    case Relation::kGreater:
      negated.relation = Relation::kLessEqual;
      break;
    case Relation::kGreaterEqual:
      negated.relation = Relation::kLess;
      break;
  }
  return negated;
}

}  // namespace act::isa
