// Placement marks at concrete boxes.
#include "isa/instantiate.h"

namespace act::isa {
namespace {

// The lowest and highest address of a box with one addressing dimension. False beyond 64 bits.
bool Span(const Box& box, int64_t* low, int64_t* high) {
  *low = *high = box.start[0];
  for (size_t d = 0; d < box.size.size(); ++d) {
    const int64_t stride = box.strides.empty() ? 1 : box.strides[d];
    int64_t reach = 0;
    if (__builtin_mul_overflow(box.size[d] - 1, stride, &reach)) return false;
    int64_t* const end = reach < 0 ? low : high;
    if (__builtin_add_overflow(*end, reach, end)) return false;
  }
  return true;
}

// Boxes of one buffer. Strided boxes count as everything between their ends, and overlap where that is not
// known, so that an answer "apart" is always right.
bool Disjoint(const Box& a, const Box& b) {
  if (a.strides.empty() && b.strides.empty()) {
    for (size_t d = 0; d < a.start.size() && d < b.start.size(); ++d) {
      const int128_t a_begin = a.start[d], b_begin = b.start[d];
      if (a_begin + a.size[d] <= b_begin || b_begin + b.size[d] <= a_begin) return true;
    }
    return false;
  }
  if (a.start.size() != 1 || b.start.size() != 1) return false;
  int64_t a_low = 0, a_high = 0, b_low = 0, b_high = 0;
  if (!Span(a, &a_low, &a_high) || !Span(b, &b_low, &b_high)) return false;
  return a_high < b_low || b_high < a_low;
}

std::string WindowText(const Box& box) {
  std::string text = "[";
  for (size_t d = 0; d < box.start.size(); ++d) {
    if (d > 0) text += ", ";
    text += std::to_string(box.start[d]);
    if (d < box.size.size()) text += " : +" + std::to_string(box.size[d]);
  }
  return text + "]";
}

bool Marked(const std::vector<bool>& flags, size_t input) { return input < flags.size() && flags[input]; }

}  // namespace

Status CheckPlacement(const Instruction& instruction, std::span<const Box> inputs,
                      std::span<const Box> outputs) {
  if (instruction.apart.empty() && instruction.no_partial_overlap.empty()) return {};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool apart = Marked(instruction.apart, i);
    if (!apart && !Marked(instruction.no_partial_overlap, i)) continue;
    for (size_t j = 0; j < outputs.size(); ++j) {
      if (inputs[i].buffer != outputs[j].buffer || Disjoint(inputs[i], outputs[j])) continue;
      if (!apart && inputs[i] == outputs[j]) continue;
      Diagnostic d;
      d.code = apart ? "isa-apart" : "isa-partial-overlap";
      d.message = "instruction '" + instruction.name + "': output " + std::to_string(j) + " at " +
                  WindowText(outputs[j]) + " overlaps input " + std::to_string(i) + " at " +
                  WindowText(inputs[i]) +
                  (apart ? ", which is marked apart; place them without a common unit"
                         : ", which may not overlap in part; give both one place or none in common");
      d.location = instruction.location;
      return Status(std::move(d));
    }
  }
  return {};
}

}  // namespace act::isa
