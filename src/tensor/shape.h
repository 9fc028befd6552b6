// Shapes: an element type with dimensions and an optional layout, or a tuple of shapes.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/support.h"
#include "tensor/element_type.h"

namespace act {

// XLA layout: minor_to_major[0] is the dimension that varies fastest; tiles are applied one after the
// other, outermost first, each to the minor dimensions left by the one before it.
struct Layout {
  std::vector<int64_t> minor_to_major;
  std::vector<std::vector<int64_t>> tiles;
  // Anything of the text form beyond minor-to-major and tiles (memory space S(..), element bits E(..), ...),
  // kept verbatim for printing; whoever uses the layout must refuse what it does not understand.
  std::string other;
  friend bool operator==(const Layout&, const Layout&) = default;

  static Layout RowMajor(int64_t rank);
  bool IsRowMajor() const;  // descending minor_to_major, no tiles, nothing else
};

struct Shape {
  ElementType type = ElementType::kInvalid;
  std::vector<int64_t> dims;       // each >= 0
  std::vector<bool> dynamic_dims;  // empty, or one flag a dimension: "<=n" in the text
  Layout layout;                   // meaningful iff has_layout
  bool has_layout = false;
  std::vector<Shape> tuple;  // members, iff type == kTuple

  static Shape Array(ElementType type, std::vector<int64_t> dims);
  static Shape Tuple(std::vector<Shape> members);

  bool is_tuple() const { return type == ElementType::kTuple; }
  bool is_array() const { return IsArrayType(type); }
  bool is_dynamic() const;  // any dynamic dimension, tuples included
  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  // Number of elements and of bytes in row-major storage; nullopt beyond 64 bits. Arrays only.
  std::optional<int64_t> num_elements() const;
  std::optional<int64_t> num_bytes() const;
};

// Same types and dimensions; layouts and dynamic marks are not looked at.
bool SameTypeAndDims(const Shape& a, const Shape& b);
// HLO text: "bf16[64,64]", with_layout: "bf16[64,64]{1,0:T(16,4)}", "(f32[], s32[2])", "f32[<=4]".
std::string ToString(const Shape& shape, bool with_layout = false);
std::string ToString(const Layout& layout);
// Row-major strides in elements.
std::vector<int64_t> RowMajorStrides(std::span<const int64_t> dims);

}  // namespace act
