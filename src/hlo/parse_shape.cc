// Shapes and layouts of HLO text.
#include <limits>

#include "hlo/reader.h"

namespace act::hlo {
namespace {

// XLA's mark of a tile dimension that joins the next more minor one ("*"), as tensor/shape.h keeps it.
constexpr int64_t kCombineDimension = std::numeric_limits<int64_t>::min();

}  // namespace

bool Reader::AtShape() {
  if (lexer_.Peek() == '(') return true;
  return !lexer_.PeekWord().empty() && lexer_.PeekBehindWord() == '[';
}

bool Reader::ReadShape(Shape* shape, int depth) {
  if (!lexer_.Accept("(")) return ReadArrayShape(shape);
  if (depth >= options_.max_depth) {
    return Fail(ErrorClass::kNotImplemented, "hlo-depth",
                "the tuple shape is nested deeper than " + std::to_string(options_.max_depth) + " levels",
                lexer_.offset());
  }
  *shape = Shape::Tuple({});
  if (lexer_.Accept(")")) return true;
  do {
    shape->tuple.emplace_back();
    if (!ReadShape(&shape->tuple.back(), depth + 1)) return false;
  } while (lexer_.Accept(","));
  return lexer_.Accept(")") || Expected("',' or ')' in the tuple shape");
}

bool Reader::ReadArrayShape(Shape* shape) {
  const size_t offset = lexer_.offset();
  const std::string name(lexer_.Word());
  if (name.empty()) return Expected("a shape, such as f32[64,64]");
  const std::optional<ElementType> type = ElementTypeFromName(name);
  const bool known = type && *type != ElementType::kTuple && *type != ElementType::kInvalid;
  if (!known) {
    const bool six_bits = name == "f6e2m3fn" || name == "f6e3m2fn";
    return Fail(six_bits ? ErrorClass::kNotImplemented : ErrorClass::kValue, "hlo-type",
                "'" + name +
                    (six_bits ? "' is not supported; use an f8 type or f4e2m1fn"
                              : "' is not an element type; pred, s8, u8, f16, bf16, f32 are some of them"),
                offset);
  }
  *shape = Shape::Array(*type, {});
  if (!lexer_.Accept("[")) return Expected("'[' and the dimensions of the shape");
  if (!ReadDimensions(shape)) return false;
  if (!shape->is_array() && !shape->dims.empty()) {
    return ValueError("hlo-shape", "'" + name + "' has no dimensions; write " + name + "[]", offset);
  }
  if (shape->is_array() && !shape->num_bytes()) {
    return ValueError("hlo-shape", ToString(*shape) + " has more bytes than 64 bits can count", offset);
  }
  return !AtLayout() || ReadLayout(shape);
}

bool Reader::ReadDimensions(Shape* shape) {
  if (lexer_.Accept("]")) return true;
  do {
    const bool dynamic = lexer_.Accept("<=");
    const size_t offset = lexer_.offset();
    if (lexer_.Peek() == '?') {
      return Fail(ErrorClass::kNotImplemented, "hlo-dynamic",
                  "dimensions without a bound ('?') are not supported; write their size", offset);
    }
    if (shape->rank() >= options_.max_depth) {
      return Fail(
          ErrorClass::kNotImplemented, "hlo-depth",
          "shapes of more than " + std::to_string(options_.max_depth) + " dimensions are not supported",
          offset);
    }
    int64_t dim = 0;
    if (!ReadInteger(&dim, "a dimension")) return false;
    if (dim < 0)
      return ValueError("hlo-shape", "a dimension is not negative, found " + std::to_string(dim), offset);
    if (dynamic) {
      shape->dynamic_dims.resize(shape->dims.size(), false);
      shape->dynamic_dims.push_back(true);
    } else if (!shape->dynamic_dims.empty()) {
      shape->dynamic_dims.push_back(false);
    }
    shape->dims.push_back(dim);
  } while (lexer_.Accept(","));
  return lexer_.Accept("]") || Expected("',' or ']' in the dimensions");
}

// A brace behind a shape is a layout, or opens a computation: only a layout goes on with a digit, '}' or ':'.
bool Reader::AtLayout() {
  const size_t here = lexer_.offset();
  Lexer ahead(lexer_.text());
  ahead.set_offset(here);
  if (!ahead.Accept("{")) return false;
  const char next = ahead.Peek();
  return (next >= '0' && next <= '9') || next == '}' || next == ':' || next == '-';
}

bool Reader::ReadLayout(Shape* shape) {
  const size_t offset = lexer_.offset();
  lexer_.Accept("{");
  Layout& layout = shape->layout;
  shape->has_layout = true;
  if (lexer_.Peek() != ':' && lexer_.Peek() != '}') {
    do {
      int64_t dim = 0;
      if (!ReadInteger(&dim, "a dimension of the layout")) return false;
      layout.minor_to_major.push_back(dim);
    } while (lexer_.Accept(","));
  }
  if (lexer_.Accept(":")) {
    const size_t parts = lexer_.offset();
    while (lexer_.Peek() != '}' && !lexer_.at_end()) {
      if (layout.other.empty() && layout.tiles.empty() && lexer_.Accept("T")) {
        if (!ReadTiles(&layout)) return false;
        continue;
      }
      const std::string_view part = lexer_.RawValue();
      if (part.empty()) return Expected("a part of the layout, such as T(8,128) or S(1)");
      layout.other += part;
    }
    if (lexer_.offset() == parts) return Expected("a part of the layout, such as T(8,128), behind ':'");
  }
  if (!lexer_.Accept("}")) return Expected("',' or '}' in the layout");
  std::vector<bool> seen(shape->dims.size(), false);
  for (int64_t dim : layout.minor_to_major) {
    if (dim < 0 || dim >= shape->rank() || seen[static_cast<size_t>(dim)]) {
      return ValueError(
          "hlo-layout",
          "the layout " + ToString(layout) + " does not list each dimension of " + ToString(*shape) + " once",
          offset);
    }
    seen[static_cast<size_t>(dim)] = true;
  }
  if (layout.minor_to_major.size() != shape->dims.size()) {
    return ValueError("hlo-layout",
                      "the layout " + ToString(layout) + " lists " +
                          Counted(layout.minor_to_major.size(), "dimension") + ", but " + ToString(*shape) +
                          " has " + std::to_string(shape->rank()),
                      offset);
  }
  // The layout of a scalar says nothing and is not printed.
  if (shape->dims.empty() && layout.IsRowMajor()) shape->has_layout = false;
  return true;
}

bool Reader::ReadTiles(Layout* layout) {
  if (lexer_.Peek() != '(') return Expected("'(' and the tile's dimensions");
  while (lexer_.Accept("(")) {
    std::vector<int64_t>& tile = layout->tiles.emplace_back();
    do {
      if (lexer_.Accept("*")) {
        tile.push_back(kCombineDimension);
        continue;
      }
      const size_t offset = lexer_.offset();
      int64_t dim = 0;
      if (!ReadInteger(&dim, "a dimension of the tile")) return false;
      if (dim < 1)
        return ValueError("hlo-layout", "a tile's dimension is at least 1, found " + std::to_string(dim),
                          offset);
      tile.push_back(dim);
    } while (lexer_.Accept(","));
    if (!lexer_.Accept(")")) return Expected("',' or ')' in the tile");
  }
  return true;
}

}  // namespace act::hlo
