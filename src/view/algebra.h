// The view algebra: a View is a function from positions of a new byte vector to bytes of an
// old one, written as an offset and modes (extent, stride), outermost first. View{L}(b) is the vector whose
// byte i is byte L(i) of b, where i is written in the mixed radix of the extents and
// L(i) = offset + sum digit_k * stride_k. Strides may be zero (repetition) or negative (reversal).
//
// A View value is always in normal form: no mode of extent 1, and neighbours with
// s_outer == e_inner * s_inner merged. Equal functions have equal normal forms.
// A view of one byte has no modes. Views of zero bytes do not exist.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace act {

struct Mode {
  int64_t extent = 1;  // >= 1
  int64_t stride = 0;
  friend auto operator<=>(const Mode&, const Mode&) = default;
};

class View {
 public:
  View() = default;  // one byte, offset 0
  // Normalises. Every extent >= 1; the product of extents and all addresses fit 64 bits.
  explicit View(std::vector<Mode> modes, int64_t offset = 0);
  static View Identity(int64_t size);
  // The view of a dense row-major tensor of elements of width bytes whose dimension i has the given extent
  // and byte stride; appends the mode (width, 1) for the bytes of an element.
  static View OfElements(std::span<const Mode> element_modes_in_bytes, int64_t width, int64_t offset = 0);

  const std::vector<Mode>& modes() const { return modes_; }
  int64_t offset() const { return offset_; }
  int64_t size() const;                     // number of positions (bytes of the new vector)
  int64_t MinByte() const;                  // smallest byte of the old vector that is read
  int64_t MaxByte() const;                  // largest
  int64_t At(int64_t position) const;       // L(position), 0 <= position < size()
  bool IsIdentity(int64_t old_size) const;  // the whole old vector, unchanged
  // A contiguous piece [offset, offset+size) of the old vector.
  bool IsContiguous() const;
  bool IsInjective() const;  // no byte of the old vector read twice (exact)
  // L is a bijection of [0, size) onto [0, old_size).
  bool IsBijection(int64_t old_size) const;

  friend bool operator==(const View&, const View&) = default;
  friend auto operator<=>(const View&, const View&) = default;
  std::string ToString() const;  // "[(64,2),(64,128),(2,1)]", "+o" behind it where offset is not 0
  uint64_t Hash() const;

 private:
  std::vector<Mode> modes_;
  int64_t offset_ = 0;
};

// outer o inner: the view whose byte i is outer(inner(i)), so that View{inner}(View{outer}(b)) =
// View{Compose(outer, inner)}(b). inner's values must lie in [0, outer.size()). Exact: the composition, or
// nullopt iff no view equals it (tested by enumeration).
std::optional<View> Compose(const View& outer, const View& inner);
// The inverse of a bijection onto [0, old_size); nullopt when it is none.
std::optional<View> Inverse(const View& view, int64_t old_size);
// psi with w == Compose(psi, v), that is View{w}(b) = View{v}(View{psi}(b)): exists iff w is constant on v's
// fibres and v reaches every position of psi, [0, inner_size), and psi is a view. Used where an instruction
// repeats elements of its operand. v.size() == w.size().
std::optional<View> Factor(const View& w, const View& v, int64_t inner_size);
// The view of elements under a view of bytes: L == elements scaled by width with an innermost mode
// (width, 1). nullopt where L splits or reorders the bytes of an element.
std::optional<View> ToElements(const View& bytes, int64_t width);
// The inverse of ToElements: every stride and the offset times width, then (width, 1).
View FromElements(const View& elements, int64_t width);
// Recovers a view from its table of values (at least one); nullopt if no view has it. For tests and for
// compositions of small views.
std::optional<View> FromTable(std::span<const int64_t> table);
// The modes of view cut at an inner size: (outer modes, inner modes) with inner extents' product ==
// inner_size; nullopt where no cut exists. The offset stays with the outer part.
struct SplitModes {
  std::vector<Mode> outer;
  std::vector<Mode> inner;
};
std::optional<SplitModes> SplitAt(const View& view, int64_t inner_size);

}  // namespace act
