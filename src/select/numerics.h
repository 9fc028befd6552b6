// Numeric marks of rules and specialised cores.
#pragma once
#include <cstdint>
#include <string_view>

namespace act::select {

// What a step may cost against the kernel's own arithmetic. No mark: bit for bit, on every input.
struct NumericMarks {
  bool finite = false;       // exact only where no operand is Inf or NaN; the sign of zero may differ
  bool real = false;         // equal over the reals, no intermediate narrower than the kernel's
  bool range = false;        // differs where an intermediate over- or underflows
  bool approximate = false;  // approximate instruction, or a narrower intermediate
  bool flush = false;        // an instruction that takes or gives subnormals as 0

  friend bool operator==(const NumericMarks&, const NumericMarks&) = default;
  NumericMarks operator|(const NumericMarks& o) const {
    return {finite || o.finite, real || o.real, range || o.range, approximate || o.approximate,
            flush || o.flush};
  }
  bool exact_everywhere() const { return !finite && !real && !range && !approximate && !flush; }
};

enum class Numerics : uint8_t { kStrict, kDefault, kRelaxed };

inline bool Allowed(const NumericMarks& marks, Numerics numerics) {
  switch (numerics) {
    case Numerics::kStrict:
      return marks.exact_everywhere();
    case Numerics::kDefault:
      return !marks.range && !marks.approximate;
    case Numerics::kRelaxed:
      return true;
  }
  return false;
}

}  // namespace act::select
