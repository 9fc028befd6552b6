// Layouts as views: how a tensor's row-major bytes lie in HBM.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "support/support.h"
#include "tensor/tensor.h"
#include "view/algebra.h"

namespace act {

// The bytes of View{view}(bytes).
std::vector<uint8_t> ApplyView(const View& view, std::span<const uint8_t> bytes);

// The image of a tensor in HBM under its layout as a view of its row-major bytes: byte i of the image is byte
// L(i) of the tensor. Fails by name for layouts that are no view (tiles that do not divide, memory spaces,
// sub-byte layouts).
StatusOr<View> LayoutImage(const Shape& shape);
// The image of a kernel input or output in HBM as a row-major tensor: dims in layout order (tile dimensions
// included), so that its row-major bytes are the bytes in HBM. Fails where LayoutImage does.
StatusOr<Shape> ImageShape(const Shape& shape);
// The bytes in HBM of a tensor, and back.
StatusOr<Literal> ToImage(const Literal& value, const Shape& shape_with_layout);
StatusOr<Literal> FromImage(const Literal& image, const Shape& shape_with_layout);

}  // namespace act
