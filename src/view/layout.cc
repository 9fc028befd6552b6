#include "view/layout.h"

namespace act {

std::vector<uint8_t> ApplyView(const View& view, std::span<const uint8_t> bytes) {
  std::vector<uint8_t> out(static_cast<size_t>(view.size()));
  // Expand mode by mode, outermost first: `at` holds the byte of each position so far.
  std::vector<int64_t> at{view.offset()};
  for (const Mode& mode : view.modes()) {
    std::vector<int64_t> next;
    next.reserve(at.size() * static_cast<size_t>(mode.extent));
    for (int64_t base : at) {
      for (int64_t i = 0; i < mode.extent; ++i) next.push_back(base + i * mode.stride);
    }
    at = std::move(next);
  }
  for (size_t i = 0; i < out.size(); ++i) out[i] = bytes[static_cast<size_t>(at[i])];
  return out;
}

StatusOr<View> LayoutImage(const Shape& shape) {
  const int64_t width = StorageBytes(shape.type);
  const auto refuse = [&](const std::string& why) {
    return Error(ErrorClass::kUnsupported, "select-layout", "layout of " + ToString(shape, true) + " " + why);
  };
  const std::vector<int64_t> strides = RowMajorStrides(shape.dims);
  if (!shape.has_layout) {
    std::vector<Mode> modes;
    for (size_t d = 0; d < shape.dims.size(); ++d) modes.push_back({shape.dims[d], strides[d] * width});
    return View::OfElements(modes, width);
  }
  const Layout& layout = shape.layout;
  if (!layout.other.empty()) return refuse("has '" + layout.other + "', which has no meaning here");
  if (layout.minor_to_major.size() != shape.dims.size()) return refuse("does not name every dimension");
  // Dimensions major to minor; each is a list of modes, outermost first.
  std::vector<Mode> dims;
  for (size_t i = layout.minor_to_major.size(); i-- > 0;) {
    const size_t d = static_cast<size_t>(layout.minor_to_major[i]);
    dims.push_back({shape.dims[d], strides[d] * width});
  }
  // A tile applies to the last tile.size() of the current dimensions: they become the tile counts, and the
  // tile's own dimensions follow behind them (XLA "Tiled layout").
  for (const std::vector<int64_t>& tile : layout.tiles) {
    if (tile.size() > dims.size()) return refuse("has a tile of more dimensions than the tensor");
    const size_t first = dims.size() - tile.size();
    std::vector<Mode> inner;
    for (size_t i = 0; i < tile.size(); ++i) {
      Mode& dim = dims[first + i];
      if (tile[i] <= 0 || dim.extent % tile[i] != 0) {
        return refuse("has a tile that does not divide the tensor; pad the tensor or choose a dividing tile");
      }
      inner.push_back({tile[i], dim.stride});
      dim = {dim.extent / tile[i], dim.stride * tile[i]};
    }
    dims.insert(dims.end(), inner.begin(), inner.end());
  }
  return View::OfElements(dims, width);
}

StatusOr<Shape> ImageShape(const Shape& shape) {
  ACT_RETURN_IF_ERROR(LayoutImage(shape).status());
  if (!shape.has_layout || shape.layout.IsRowMajor()) return Shape::Array(shape.type, shape.dims);
  std::vector<int64_t> dims;
  for (size_t i = shape.layout.minor_to_major.size(); i-- > 0;) {
    dims.push_back(shape.dims[static_cast<size_t>(shape.layout.minor_to_major[i])]);
  }
  for (const std::vector<int64_t>& tile : shape.layout.tiles) {
    const size_t first = dims.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) dims[first + i] /= tile[i];
    dims.insert(dims.end(), tile.begin(), tile.end());
  }
  return Shape::Array(shape.type, std::move(dims));
}

StatusOr<Literal> ToImage(const Literal& value, const Shape& shape_with_layout) {
  ACT_ASSIGN_OR_RETURN(const View image, LayoutImage(shape_with_layout));
  ACT_ASSIGN_OR_RETURN(const Shape shape, ImageShape(shape_with_layout));
  Literal out(shape);
  out.bytes = ApplyView(image, value.bytes);
  return out;
}

StatusOr<Literal> FromImage(const Literal& image, const Shape& shape_with_layout) {
  ACT_ASSIGN_OR_RETURN(const View view, LayoutImage(shape_with_layout));
  const auto inverse = Inverse(view, static_cast<int64_t>(image.bytes.size()));
  Literal out(Shape::Array(shape_with_layout.type, shape_with_layout.dims));
  out.bytes = ApplyView(*inverse, image.bytes);
  return out;
}

}  // namespace act
