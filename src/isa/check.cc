#include "isa/check.h"

#include "isa/builder.h"
#include "isa/check_report.h"

namespace act::isa {
namespace {

constexpr CheckKind kKinds[] = {
    {"isa-apart-same-place", false, "an input marked apart starts where an output starts"},
    {"isa-attribute-unbounded", true, "a computational attribute that nothing bounds"},
    {"isa-buffer-never-emptied", true, "a buffer that is written and never read"},
    {"isa-buffer-never-filled", true, "a buffer that is read and never written"},
    {"isa-buffer-no-way-out", true, "a buffer whose data cannot reach HBM"},
    {"isa-buffer-unreachable", true, "a buffer that no data of HBM reaches"},
    {"isa-constant-state", true, "a state that is read and never updated"},
    {"isa-constraint-constant", true, "a constraint that holds for all attribute values"},
    {"isa-constraint-implied", true, "a constraint that follows from the others"},
    {"isa-constraint-never", false, "a constraint that holds for no attribute values"},
    {"isa-constraint-repeated", true, "one constraint given twice"},
    {"isa-constraints-contradict", false, "constraints that cannot hold together"},
    {"isa-cost-without-value", false, "a cost that cannot be computed at legal attribute values"},
    {"isa-dead-value", true, "a value in the semantics that no output uses"},
    {"isa-divides-by-zero", false, "a start or update that divides by zero at legal attribute values"},
    {"isa-fixed-attribute", true, "an attribute that has one legal value"},
    {"isa-inplace-buffer", false, "an input marked in place, and no output in its buffer"},
    {"isa-inplace-size", false, "an input marked in place whose size is never the output's"},
    {"isa-input-unread", false, "an input that the semantics never reads"},
    {"isa-mark-redundant", true, "a mark that another mark implies"},
    {"isa-mark-without-effect", true, "a placement mark on an input of another buffer than the outputs'"},
    {"isa-marks-conflict", false, "an input marked in place and apart"},
    {"isa-missing-cost", true, "an instruction without cost where others have one"},
    {"isa-missing-unit", true, "an instruction without unit where others have one"},
    {"isa-negative-cost", false, "a cost that is negative at legal attribute values"},
    {"isa-never-selectable", false, "constraints and regions that no attribute values satisfy"},
    {"isa-no-instructions", true, "an accelerator without instructions"},
    {"isa-no-load", true, "no instruction reads HBM"},
    {"isa-no-semantics", true, "an instruction without semantics"},
    {"isa-no-store", true, "no instruction writes HBM"},
    {"isa-output-coincides", false, "a strided output that writes one place twice"},
    {"isa-output-type", false, "a result of another type than its buffer"},
    {"isa-outputs-overlap", false, "two outputs at one place"},
    {"isa-parameter-type", false, "a parameter of another type than its buffer"},
    {"isa-same-instruction", true, "two instructions equal but for their name"},
    {"isa-start-outside", false, "a start at which the window is never inside the buffer"},
    {"isa-state-never-holds", false, "a constraint on a state that none of its values satisfies"},
    {"isa-unfixed-attribute", true, "a computational attribute that changes no size, shape or constant"},
    {"isa-unread-state", true, "a state that no instruction reads"},
    {"isa-unused-address", true, "an addressing attribute in no region's start"},
    {"isa-unused-attribute", true, "a computational attribute that is used nowhere"},
    {"isa-unused-buffer", true, "a buffer that no instruction uses"},
    {"isa-update-overwritten", true, "an update that a later one overwrites unread"},
    {"isa-update-without-effect", true, "an update that changes nothing"},
    {"isa-window-never-fits", false, "a size that never fits its buffer"},
    {"isa-without-effect", true, "an instruction that writes back what it reads"},
};

// The line that names the accelerator.
SourceLocation HeadOf(const SourceText& source) {
  for (size_t line = 0; line < source.text().size();) {
    if (source.text().substr(line).starts_with("accelerator ")) return source.LocationAt(line);
    const size_t end = source.text().find('\n', line);
    if (end == std::string_view::npos) break;
    line = end + 1;
  }
  return {};
}

void AttachLines(const SourceText& source, std::vector<Diagnostic>* diagnostics) {
  std::vector<std::string_view> lines;
  for (std::string_view rest = source.text(); !rest.empty();) {
    const size_t end = rest.find('\n');
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  for (Diagnostic& d : *diagnostics) {
    if (!d.line_text.empty() || d.location.line <= 0 || d.location.file != source.file()) continue;
    const size_t line = static_cast<size_t>(d.location.line) - 1;
    if (line < lines.size()) d.line_text = lines[line];
  }
}

}  // namespace

std::vector<Diagnostic> Check(const Accelerator& accelerator, const SourceText* source) {
  Report report(source != nullptr ? HeadOf(*source) : SourceLocation{});
  CheckMachine(accelerator, &report);
  CheckInstructionSet(accelerator, &report);
  CheckState(accelerator, &report);
  for (size_t i = 0; i < accelerator.instructions.size(); ++i) {
    const Status complete = CheckComplete(accelerator, i);
    if (!complete.ok()) {
      for (const Diagnostic& fault : complete.diagnostics()) report.AddDiagnostic(fault);
      continue;
    }
    const Subject subject(accelerator, accelerator.instructions[i]);
    const size_t before = report.size();
    CheckAttributes(subject, &report);
    CheckInstructionConstraints(subject, &report);
    CheckRegions(subject, &report);
    CheckSemantics(subject, &report);
    CheckCost(subject, &report);
    if (report.size() == before) CheckLegalValues(subject, &report);
  }
  std::vector<Diagnostic> diagnostics = std::move(report).TakeSorted();
  if (source != nullptr) AttachLines(*source, &diagnostics);
  return diagnostics;
}

std::span<const CheckKind> CheckKinds() { return kKinds; }

}  // namespace act::isa
