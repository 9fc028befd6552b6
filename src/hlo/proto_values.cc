#include "hlo/proto_values.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "hlo/proto_fields.h"

namespace act::hlo::proto {
namespace {

// XLA's PrimitiveType (xla_data.proto), and the field of LiteralProto that holds values of the type.
struct TypeRow {
  ElementType type;
  uint8_t number;
  uint8_t literal_field;  // 0: no values
};
constexpr TypeRow kTypes[] = {
    {ElementType::kPred, 1, 2},         {ElementType::kS1, 30, 30},
    {ElementType::kS2, 26, 26},         {ElementType::kS4, 21, 21},
    {ElementType::kS8, 2, 15},          {ElementType::kS16, 3, 17},
    {ElementType::kS32, 4, 4},          {ElementType::kS64, 5, 5},
    {ElementType::kU1, 31, 31},         {ElementType::kU2, 27, 27},
    {ElementType::kU4, 22, 22},         {ElementType::kU8, 6, 3},
    {ElementType::kU16, 7, 16},         {ElementType::kU32, 8, 6},
    {ElementType::kU64, 9, 7},          {ElementType::kF4E2M1FN, 32, 32},
    {ElementType::kF8E3M4, 29, 29},     {ElementType::kF8E4M3, 28, 28},
    {ElementType::kF8E4M3FN, 20, 20},   {ElementType::kF8E4M3B11FNUZ, 23, 23},
    {ElementType::kF8E4M3FNUZ, 25, 25}, {ElementType::kF8E5M2, 19, 19},
    {ElementType::kF8E5M2FNUZ, 24, 24}, {ElementType::kF8E8M0FNU, 33, 33},
    {ElementType::kF16, 10, 11},        {ElementType::kBF16, 16, 13},
    {ElementType::kF32, 11, 8},         {ElementType::kF64, 12, 9},
    {ElementType::kC64, 15, 12},        {ElementType::kC128, 18, 18},
    {ElementType::kTuple, 13, 10},      {ElementType::kOpaque, 14, 0},
    {ElementType::kToken, 17, 0},
};

ElementType TypeFromNumber(int64_t number) {
  for (const TypeRow& row : kTypes) {
    if (row.number == number) return row.type;
  }
  FailValue("hlo-type", "a shape has the element type number " + std::to_string(number) +
                            ", which is none that is known");
}

uint32_t LiteralField(ElementType type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.literal_field;
  }
  return 0;
}

std::vector<int64_t> ReadTile(std::string_view bytes) {
  std::vector<int64_t> tile;
  Fields fields(bytes, "TileProto");
  while (fields.Next()) {
    if (fields.number() == 1) fields.AppendInts(&tile);
  }
  for (int64_t dim : tile) {
    // (The least value is XLA's '*', as in tensor/shape.h.)
    if (dim < 1 && dim != std::numeric_limits<int64_t>::min()) {
      FailValue("hlo-layout", "a tile's dimension is at least 1, found " + std::to_string(dim));
    }
  }
  if (tile.empty()) FailValue("hlo-layout", "a tile has no dimension");
  return tile;
}

Layout ReadLayout(std::string_view bytes) {
  Layout layout;
  int64_t tail = 1, element_bits = 0, memory_space = 0, prefix = 0;
  Fields fields(bytes, "LayoutProto");
  while (fields.Next()) {
    switch (fields.number()) {
      case 1:
        fields.AppendInts(&layout.minor_to_major);
        break;
      case 6:
        layout.tiles.push_back(ReadTile(fields.Bytes()));
        break;
      case 7:
        element_bits = fields.Int();
        break;
      case 8:
        memory_space = fields.Int();
        break;
      case 15:
        prefix = fields.Int();
        break;
      case 16:
        tail = fields.Int();
        break;
      case 9:
      case 10:
      case 17:
        Fail(ErrorClass::kNotImplemented, "hlo-layout",
             "sparse, physical and split layouts are not read from a proto; give the module as text");
      default:
        break;
    }
  }
  if (tail > 1) layout.other += "L(" + std::to_string(tail) + ')';
  if (element_bits != 0) layout.other += "E(" + std::to_string(element_bits) + ')';
  if (memory_space != 0) layout.other += "S(" + std::to_string(memory_space) + ')';
  if (prefix != 0) layout.other += "M(" + std::to_string(prefix) + ')';
  return layout;
}

void CheckLayout(const Shape& shape) {
  std::vector<int64_t> sorted = shape.layout.minor_to_major;
  std::sort(sorted.begin(), sorted.end());
  bool ok = sorted.size() == shape.dims.size();
  for (size_t i = 0; ok && i < sorted.size(); ++i) ok = sorted[i] == static_cast<int64_t>(i);
  if (ok) return;
  FailValue("hlo-layout", "the layout " + ToString(shape.layout) + " does not list each dimension of " +
                              ToString(shape) + " once");
}

void CheckArrayShape(const Shape& shape, int most_dims) {
  if (shape.rank() > most_dims) {
    Fail(ErrorClass::kNotImplemented, "hlo-depth",
         "shapes of more than " + std::to_string(most_dims) + " dimensions are not supported");
  }
  for (int64_t dim : shape.dims) {
    if (dim >= 0) continue;
    if (dim == std::numeric_limits<int64_t>::min()) {
      Fail(ErrorClass::kNotImplemented, "hlo-dynamic",
           "dimensions without a bound ('?') are not supported; write their size");
    }
    FailValue("hlo-shape", "a dimension is not negative, found " + std::to_string(dim));
  }
  if (!shape.is_array() && !shape.dims.empty()) {
    FailValue("hlo-shape", "a shape of type " + std::string(ElementTypeName(shape.type)) + " has dimensions");
  }
  if (shape.is_array() && !shape.num_bytes()) {
    FailValue("hlo-shape", ToString(shape) + " has more bytes than 64 bits can count");
  }
}

// Bytes of the elements in the order of the proto, which is that of the literal's layout.
std::vector<uint8_t> ReadElements(std::string_view bytes, ElementType type) {
  const uint32_t field = LiteralField(type);
  std::vector<uint8_t> out;
  std::vector<int64_t> numbers;
  Fields fields(bytes, "LiteralProto");
  while (fields.Next()) {
    if (fields.number() != field) continue;
    switch (type) {
      case ElementType::kPred:
      case ElementType::kS32:
      case ElementType::kS64:
      case ElementType::kU32:
      case ElementType::kU64:
        numbers.clear();
        fields.AppendInts(&numbers);
        for (int64_t number : numbers) {
          if (type == ElementType::kPred) number = number != 0 ? 1 : 0;
          const auto* first = reinterpret_cast<const uint8_t*>(&number);
          out.insert(out.end(), first, first + StorageBytes(type));
        }
        break;
      case ElementType::kF32:
      case ElementType::kC64:
        fields.AppendFixed(4, &out);
        break;
      case ElementType::kF64:
      case ElementType::kC128:
        fields.AppendFixed(8, &out);
        break;
      default: {
        const std::string_view raw = fields.Bytes();
        out.insert(out.end(), raw.begin(), raw.end());
        break;
      }
    }
  }
  // One byte an element of a few bits, the others unused: ours has them as the sign says.
  const int bits = BitWidth(type);
  if (bits < 8 && type != ElementType::kPred) {
    for (uint8_t& byte : out) {
      byte = static_cast<uint8_t>(byte & ((1 << bits) - 1));
      if (IsSignedInteger(type) && (byte >> (bits - 1)) != 0)
        byte = static_cast<uint8_t>(byte | (0xff << bits));
    }
  }
  return out;
}

std::vector<uint8_t> RowMajor(const std::vector<uint8_t>& from, const Shape& shape, const Layout& layout) {
  const auto size = static_cast<size_t>(StorageBytes(shape.type));
  const std::vector<int64_t> strides = RowMajorStrides(shape.dims);
  std::vector<uint8_t> to(from.size());
  std::vector<int64_t> index(shape.dims.size(), 0);
  for (size_t at = 0; at < from.size(); at += size) {
    int64_t position = 0;
    for (size_t d = 0; d < index.size(); ++d) position += index[d] * strides[d];
    std::memcpy(to.data() + static_cast<size_t>(position) * size, from.data() + at, size);
    for (int64_t d : layout.minor_to_major) {
      const auto dim = static_cast<size_t>(d);
      if (++index[dim] < shape.dims[dim]) break;
      index[dim] = 0;
    }
  }
  return to;
}

Constant ReadTupleConstant(std::string_view bytes, const Shape& shape, int depth) {
  if (depth == 0) {
    Fail(ErrorClass::kNotImplemented, "hlo-depth", "a constant is nested deeper than is supported");
  }
  Constant constant;
  size_t member = 0;
  Fields fields(bytes, "LiteralProto");
  while (fields.Next()) {
    if (fields.number() != 10) continue;
    if (member == shape.tuple.size()) break;
    const Constant value = ReadConstant(fields.Bytes(), shape.tuple[member], depth - 1);
    if (member > 0) constant.text += ", ";
    constant.text += value.literal != nullptr ? LiteralToString(*value.literal) : value.text;
    ++member;
  }
  if (member != shape.tuple.size()) {
    FailValue("hlo-constant",
              "a constant of " + ToString(shape) + " has " + std::to_string(member) + " members");
  }
  constant.text = "( " + constant.text + " )";
  return constant;
}

}  // namespace

Shape ReadShape(std::string_view bytes, int depth) {
  constexpr int kMostDims = 200;
  Shape shape;
  bool dynamic = false;
  std::vector<int64_t> dynamic_dims;
  std::vector<std::string_view> members;
  Fields fields(bytes, "ShapeProto");
  while (fields.Next()) {
    switch (fields.number()) {
      case 2:
        shape.type = TypeFromNumber(fields.Int());
        break;
      case 3:
        fields.AppendInts(&shape.dims);
        break;
      case 4:
        members.push_back(fields.Bytes());
        break;
      case 5:
        shape.layout = ReadLayout(fields.Bytes());
        shape.has_layout = true;
        break;
      case 6:
        fields.AppendInts(&dynamic_dims);
        break;
      default:
        break;
    }
  }
  if (shape.type == ElementType::kInvalid) FailValue("hlo-shape", "a shape has no element type");
  if (shape.is_tuple()) {
    if (depth == 0) {
      Fail(ErrorClass::kNotImplemented, "hlo-depth", "a tuple shape is nested deeper than is supported");
    }
    Shape tuple = Shape::Tuple({});
    for (std::string_view member : members) tuple.tuple.push_back(ReadShape(member, depth - 1));
    return tuple;
  }
  if (!members.empty()) FailValue("hlo-shape", "a shape that is no tuple has members");
  CheckArrayShape(shape, kMostDims);
  for (int64_t flag : dynamic_dims) dynamic = dynamic || flag != 0;
  if (dynamic) {
    if (dynamic_dims.size() != shape.dims.size()) {
      FailValue("hlo-shape", ToString(shape) + " has " + std::to_string(dynamic_dims.size()) +
                                 " marks of dynamic dimensions");
    }
    for (int64_t flag : dynamic_dims) shape.dynamic_dims.push_back(flag != 0);
  }
  if (!shape.has_layout) return shape;
  CheckLayout(shape);
  // As in text, the layout of a scalar or a token says nothing.
  if (shape.dims.empty() && shape.layout.IsRowMajor()) shape.has_layout = false;
  return shape;
}

Constant ReadConstant(std::string_view bytes, const Shape& shape, int depth) {
  Shape declared;
  Fields fields(bytes, "LiteralProto");
  while (fields.Next()) {
    if (fields.number() == 1) declared = ReadShape(fields.Bytes(), depth);
  }
  if (!SameTypeAndDims(declared, shape)) {
    FailValue("hlo-constant", "a constant of " + ToString(shape) + " has a value of " +
                                  (declared.type == ElementType::kInvalid ? "no shape" : ToString(declared)));
  }
  if (shape.is_tuple()) return ReadTupleConstant(bytes, declared, depth);
  if (!shape.is_array()) FailValue("hlo-constant", "a constant of " + ToString(shape) + " has no value");
  std::vector<uint8_t> elements = ReadElements(bytes, shape.type);
  if (static_cast<int64_t>(elements.size()) != *shape.num_bytes()) {
    FailValue("hlo-constant", "a constant of " + ToString(shape) + " needs " +
                                  std::to_string(*shape.num_bytes()) + " bytes, but its value has " +
                                  std::to_string(elements.size()));
  }
  Constant constant;
  auto literal = std::make_shared<Literal>();
  literal->shape = Shape::Array(shape.type, shape.dims);
  const bool row_major = !declared.has_layout || declared.layout.IsRowMajor();
  literal->bytes = row_major ? std::move(elements) : RowMajor(elements, shape, declared.layout);
  constant.literal = std::move(literal);
  return constant;
}

}  // namespace act::hlo::proto
