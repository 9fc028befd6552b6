#include "tensor/shape.h"

#include <utility>

namespace act {

Layout Layout::RowMajor(int64_t rank) {
  Layout layout;
  for (int64_t d = rank - 1; d >= 0; --d) layout.minor_to_major.push_back(d);
  return layout;
}

bool Layout::IsRowMajor() const {
  const auto rank = static_cast<int64_t>(minor_to_major.size());
  for (int64_t i = 0; i < rank; ++i) {
    if (minor_to_major[static_cast<size_t>(i)] != rank - 1 - i) return false;
  }
  return tiles.empty() && other.empty();
}

Shape Shape::Array(ElementType type, std::vector<int64_t> dims) {
  Shape shape;
  shape.type = type;
  shape.dims = std::move(dims);
  return shape;
}

Shape Shape::Tuple(std::vector<Shape> members) {
  Shape shape;
  shape.type = ElementType::kTuple;
  shape.tuple = std::move(members);
  return shape;
}

bool Shape::is_dynamic() const {
  for (bool dynamic : dynamic_dims) {
    if (dynamic) return true;
  }
  for (const Shape& member : tuple) {
    if (member.is_dynamic()) return true;
  }
  return false;
}

std::optional<int64_t> Shape::num_elements() const {
  // A zero extent makes the product zero whatever the others are.
  for (int64_t d : dims) {
    if (d == 0) return 0;
  }
  return CheckedProduct(dims);
}

std::optional<int64_t> Shape::num_bytes() const {
  const std::optional<int64_t> elements = num_elements();
  if (!elements) return std::nullopt;
  return CheckedMul(*elements, StorageBytes(type));
}

bool SameTypeAndDims(const Shape& a, const Shape& b) {
  if (a.type != b.type || a.dims != b.dims || a.tuple.size() != b.tuple.size()) return false;
  for (size_t i = 0; i < a.tuple.size(); ++i) {
    if (!SameTypeAndDims(a.tuple[i], b.tuple[i])) return false;
  }
  return true;
}

std::string ToString(const Layout& layout) {
  std::string text = "{";
  for (size_t i = 0; i < layout.minor_to_major.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(layout.minor_to_major[i]);
  }
  if (!layout.tiles.empty() || !layout.other.empty()) text += ':';
  if (!layout.tiles.empty()) text += 'T';
  for (const std::vector<int64_t>& tile : layout.tiles) {
    text += '(';
    for (size_t i = 0; i < tile.size(); ++i) {
      if (i > 0) text += ',';
      // The least value stands for XLA's '*': combine with the next more minor dimension.
      text += tile[i] == std::numeric_limits<int64_t>::min() ? "*" : std::to_string(tile[i]);
    }
    text += ')';
  }
  text += layout.other;
  text += '}';
  return text;
}

std::string ToString(const Shape& shape, bool with_layout) {
  std::string text;
  if (shape.is_tuple()) {
    text = "(";
    for (size_t i = 0; i < shape.tuple.size(); ++i) {
      if (i > 0) text += ", ";
      text += ToString(shape.tuple[i], with_layout);
    }
    text += ')';
    return text;
  }
  text = ElementTypeName(shape.type);
  text += '[';
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    if (i > 0) text += ',';
    if (i < shape.dynamic_dims.size() && shape.dynamic_dims[i]) text += "<=";
    text += std::to_string(shape.dims[i]);
  }
  text += ']';
  if (with_layout && shape.has_layout && (!shape.dims.empty() || !shape.layout.IsRowMajor())) {
    text += ToString(shape.layout);
  }
  return text;
}

std::vector<int64_t> RowMajorStrides(std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) {
    // Strides of a shape whose size overflows are never used; wrapping keeps the loop defined.
    strides[i - 1] = static_cast<int64_t>(static_cast<uint64_t>(strides[i]) * static_cast<uint64_t>(dims[i]));
  }
  return strides;
}

}  // namespace act
