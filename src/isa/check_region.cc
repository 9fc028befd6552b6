// Regions: windows that fit, outputs that do not collide, placement marks that make sense.
#include <algorithm>

#include "isa/check_report.h"

namespace act::isa {
namespace {

// Elements of a strided box that are enumerated; larger ones are judged by their strides.
constexpr int64_t kEnumeratedElements = 1 << 16;

Condition Compare(Relation relation, const Expression& left, int64_t right) {
  Condition condition;
  condition.relation = relation;
  condition.left = left;
  condition.right = Expression::Integer(right);
  return condition;
}

bool IsFree(const Expression& e) {
  return !e.nodes.empty() && !e.Uses(AttributeKind::kAddressing) && !e.Uses(AttributeKind::kState);
}

// "d1[128]".
std::string BufferText(const Buffer& buffer) {
  std::string text = buffer.name + "[";
  for (size_t d = 0; d < buffer.addresses.size(); ++d) {
    text += (d > 0 ? "," : "") + std::to_string(buffer.addresses[d]);
  }
  return text + "]";
}

SourceLocation PlaceOf(const Expression& e, const Region& region) {
  return e.location.line > 0 ? e.location : region.location;
}

// A window of which some dimension leaves the buffer whatever the attributes are.
void CheckWindow(const Subject& subject, bool is_output, size_t number, Report* report) {
  const Region& region = subject.region(is_output, number);
  const Buffer& buffer = subject.accelerator.buffer(region.buffer);
  const size_t attributes = subject.instruction.computational.size();
  for (size_t d = 0; d < region.sizes.size(); ++d) {
    const Expression& size = region.sizes[d];
    if (!IsFree(size)) continue;
    std::vector<Condition> conditions{Compare(Relation::kGreaterEqual, size, 1)};
    const bool dense = region.strides.empty() && d < buffer.addresses.size();
    if (dense) conditions.push_back(Compare(Relation::kLessEqual, size, buffer.addresses[d]));
    if (Decide(conditions, attributes) == Feasibility::kNo) {
      report->Add(Severity::kError, "isa-window-never-fits",
                  subject.RegionName(is_output, number) + ": size " + std::to_string(d) + ", \"" +
                      ToString(size, subject.names()) + "\", is never between 1 and the size of " +
                      BufferText(buffer) + "; correct the size or enlarge the buffer",
                  PlaceOf(size, region), subject.instruction.location);
      continue;
    }
    if (!dense || d >= region.starts.size() || !IsFree(region.starts[d])) continue;
    const Expression& start = region.starts[d];
    conditions = {Compare(Relation::kGreaterEqual, size, 1), Compare(Relation::kGreaterEqual, start, 0),
                  Compare(Relation::kLessEqual, Expression::Binary(Expression::Kind::kAdd, start, size),
                          buffer.addresses[d])};
    if (Decide(conditions, attributes) == Feasibility::kNo) {
      report->Add(Severity::kError, "isa-start-outside",
                  subject.RegionName(is_output, number) + ": a window that starts at \"" +
                      ToString(start, subject.names()) + "\" with size \"" + ToString(size, subject.names()) +
                      "\" is never inside " + BufferText(buffer) + "; correct the start or the size",
                  PlaceOf(start, region), subject.instruction.location);
    }
  }
}

// Whether two elements of the box lie at one address; nullopt where that is not easily told.
std::optional<bool> Coincides(const Box& box) {
  const std::optional<int64_t> count = CheckedProduct(box.size);
  if (!count || *count > kEnumeratedElements) return std::nullopt;
  std::vector<int128_t> addresses{0};
  for (size_t d = 0; d < box.size.size(); ++d) {
    std::vector<int128_t> next;
    next.reserve(addresses.size() * static_cast<size_t>(box.size[d]));
    for (const int128_t address : addresses) {
      for (int64_t i = 0; i < box.size[d]; ++i) {
        next.push_back(address + static_cast<int128_t>(i) * box.strides[d]);
      }
    }
    addresses = std::move(next);
  }
  std::sort(addresses.begin(), addresses.end());
  return std::adjacent_find(addresses.begin(), addresses.end()) != addresses.end();
}

// The box at a sample, with every address 0.
StatusOr<Box> BoxAt(const Subject& subject, const Region& region, std::span<const int64_t> sample) {
  const std::vector<int64_t> addresses(subject.instruction.addressing.size(), 0);
  return EvaluateRegion(region, {sample, addresses, subject.initial_state});
}

void CheckStrides(const Subject& subject, size_t number, Report* report) {
  const Region& region = subject.instruction.outputs[number];
  if (region.strides.empty()) return;
  for (const std::vector<int64_t>& sample : subject.samples) {
    const StatusOr<Box> box = BoxAt(subject, region, sample);
    if (!box.ok() || box->strides.size() != box->size.size() || !Coincides(*box).value_or(false)) continue;
    report->Add(Severity::kError, "isa-output-coincides",
                subject.RegionName(true, number) + ": two elements are written to one place at " +
                    subject.ValuesText(sample) + "; enlarge a stride or exclude that by a constraint",
                region.location, subject.instruction.location);
    return;
  }
}

bool SameStart(const Region& a, const Region& b) { return a.buffer == b.buffer && a.starts == b.starts; }

// Dense boxes whose starts use no address: overlap at every sample.
bool AlwaysOverlap(const Subject& subject, const Region& a, const Region& b) {
  if (a.buffer != b.buffer || subject.samples.empty() || !a.strides.empty() || !b.strides.empty())
    return false;
  if (!std::all_of(a.starts.begin(), a.starts.end(), IsFree)) return false;
  if (!std::all_of(b.starts.begin(), b.starts.end(), IsFree)) return false;
  for (const std::vector<int64_t>& sample : subject.samples) {
    const StatusOr<Box> first = BoxAt(subject, a, sample), second = BoxAt(subject, b, sample);
    if (!first.ok() || !second.ok()) return false;
    for (size_t d = 0; d < first->start.size(); ++d) {
      if (first->start[d] + first->size[d] <= second->start[d]) return false;
      if (second->start[d] + second->size[d] <= first->start[d]) return false;
    }
  }
  return true;
}

void CheckOutputPairs(const Subject& subject, Report* report) {
  const std::vector<Region>& outputs = subject.instruction.outputs;
  for (size_t j = 1; j < outputs.size(); ++j) {
    for (size_t i = 0; i < j; ++i) {
      if (!SameStart(outputs[i], outputs[j]) && !AlwaysOverlap(subject, outputs[i], outputs[j])) continue;
      report->Add(Severity::kError, "isa-outputs-overlap",
                  subject.RegionName(true, j) + " overlaps output " + std::to_string(i) +
                      " of the same buffer " + "whatever the attributes are; give them different addresses",
                  outputs[j].location, subject.instruction.location);
      break;
    }
  }
}

bool Flag(const std::vector<bool>& flags, size_t input) { return input < flags.size() && flags[input]; }

void CheckInplace(const Subject& subject, size_t input, Report* report) {
  const Instruction& instruction = subject.instruction;
  const Region& region = instruction.inputs[input];
  const auto same_buffer = [&region](const Region& output) { return output.buffer == region.buffer; };
  if (std::none_of(instruction.outputs.begin(), instruction.outputs.end(), same_buffer)) {
    report->Add(Severity::kError, "isa-inplace-buffer",
                subject.RegionName(false, input) + " is marked in place, but no output lies in its buffer " +
                    BufferText(subject.accelerator.buffer(region.buffer)) + "; remove the mark",
                region.location, instruction.location);
    return;
  }
  if (subject.samples.empty()) return;
  for (const std::vector<int64_t>& sample : subject.samples) {
    const StatusOr<Box> read = BoxAt(subject, region, sample);
    if (!read.ok()) return;
    for (const Region& output : instruction.outputs) {
      if (!same_buffer(output)) continue;
      const StatusOr<Box> written = BoxAt(subject, output, sample);
      if (!written.ok() || CheckedProduct(written->size) == CheckedProduct(read->size)) return;
    }
  }
  report->Add(
      Severity::kError, "isa-inplace-size",
      subject.RegionName(false, input) +
          " is marked in place, but its size always differs from the output's; make them equal or remove "
          "the mark",
      region.location, instruction.location);
}

void CheckMarks(const Subject& subject, size_t input, Report* report) {
  const Instruction& instruction = subject.instruction;
  const Region& region = instruction.inputs[input];
  const std::string name = subject.RegionName(false, input);
  const bool inplace = Flag(instruction.inplace, input);
  const bool apart = Flag(instruction.apart, input);
  const bool whole = Flag(instruction.no_partial_overlap, input);
  const auto add = [&](Severity severity, const char* code, const char* sentence) {
    report->Add(severity, code, name + sentence, region.location, instruction.location);
  };
  if (inplace) CheckInplace(subject, input, report);
  if (!apart && !whole) return;
  if (std::none_of(instruction.outputs.begin(), instruction.outputs.end(),
                   [&region](const Region& output) { return output.buffer == region.buffer; })) {
    add(Severity::kWarning, "isa-mark-without-effect",
        " is marked apart or not partly overlapping, but no output lies in its buffer; remove the mark");
    return;
  }
  if (apart && inplace) {
    add(Severity::kError, "isa-marks-conflict",
        " is marked both in place and apart, which exclude each other; remove one mark");
    return;
  }
  if (apart && whole) {
    add(Severity::kWarning, "isa-mark-redundant",
        " is marked apart, which says more than not partly overlapping; remove the latter mark");
  }
  if (apart && std::any_of(instruction.outputs.begin(), instruction.outputs.end(),
                           [&region](const Region& output) { return SameStart(output, region); })) {
    add(Severity::kError, "isa-apart-same-place",
        " is marked apart, but an output starts at the same address, so no call is legal; give the output an "
        "address of its own or remove the mark");
  }
}

}  // namespace

void CheckRegions(const Subject& subject, Report* report) {
  for (size_t i = 0; i < subject.instruction.inputs.size(); ++i) {
    CheckWindow(subject, false, i, report);
    CheckMarks(subject, i, report);
  }
  for (size_t j = 0; j < subject.instruction.outputs.size(); ++j) {
    CheckWindow(subject, true, j, report);
    CheckStrides(subject, j, report);
  }
  CheckOutputPairs(subject, report);
}

}  // namespace act::isa
