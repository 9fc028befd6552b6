#include "tensor/element_type.h"

#include <array>

namespace act {
namespace {

enum class Kind : uint8_t { kNone, kPred, kSigned, kUnsigned, kFloat, kComplex };

struct TypeRow {
  std::string_view name;
  Kind kind;
  uint8_t bits;
  uint8_t bytes;
};

// Indexed by ElementType.
constexpr std::array<TypeRow, 34> kTypes = {{
    {"invalid", Kind::kNone, 0, 0},        {"pred", Kind::kPred, 1, 1},
    {"s1", Kind::kSigned, 1, 1},           {"s2", Kind::kSigned, 2, 1},
    {"s4", Kind::kSigned, 4, 1},           {"s8", Kind::kSigned, 8, 1},
    {"s16", Kind::kSigned, 16, 2},         {"s32", Kind::kSigned, 32, 4},
    {"s64", Kind::kSigned, 64, 8},         {"u1", Kind::kUnsigned, 1, 1},
    {"u2", Kind::kUnsigned, 2, 1},         {"u4", Kind::kUnsigned, 4, 1},
    {"u8", Kind::kUnsigned, 8, 1},         {"u16", Kind::kUnsigned, 16, 2},
    {"u32", Kind::kUnsigned, 32, 4},       {"u64", Kind::kUnsigned, 64, 8},
    {"f4e2m1fn", Kind::kFloat, 4, 1},      {"f8e3m4", Kind::kFloat, 8, 1},
    {"f8e4m3", Kind::kFloat, 8, 1},        {"f8e4m3fn", Kind::kFloat, 8, 1},
    {"f8e4m3b11fnuz", Kind::kFloat, 8, 1}, {"f8e4m3fnuz", Kind::kFloat, 8, 1},
    {"f8e5m2", Kind::kFloat, 8, 1},        {"f8e5m2fnuz", Kind::kFloat, 8, 1},
    {"f8e8m0fnu", Kind::kFloat, 8, 1},     {"f16", Kind::kFloat, 16, 2},
    {"bf16", Kind::kFloat, 16, 2},         {"f32", Kind::kFloat, 32, 4},
    {"f64", Kind::kFloat, 64, 8},          {"c64", Kind::kComplex, 64, 8},
    {"c128", Kind::kComplex, 128, 16},     {"token", Kind::kNone, 0, 0},
    {"opaque", Kind::kNone, 0, 0},         {"tuple", Kind::kNone, 0, 0},
}};
static_assert(kTypes.size() == static_cast<size_t>(ElementType::kTuple) + 1);

const TypeRow& Row(ElementType type) {
  const auto index = static_cast<size_t>(type);
  return index < kTypes.size() ? kTypes[index] : kTypes[0];
}

}  // namespace

std::string_view ElementTypeName(ElementType type) { return Row(type).name; }

std::optional<ElementType> ElementTypeFromName(std::string_view name) {
  for (size_t i = 1; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

int BitWidth(ElementType type) { return Row(type).bits; }
int StorageBytes(ElementType type) { return Row(type).bytes; }

bool IsInteger(ElementType type) { return IsSignedInteger(type) || IsUnsignedInteger(type); }
bool IsSignedInteger(ElementType type) { return Row(type).kind == Kind::kSigned; }
bool IsUnsignedInteger(ElementType type) { return Row(type).kind == Kind::kUnsigned; }
bool IsFloat(ElementType type) { return Row(type).kind == Kind::kFloat; }
bool IsComplex(ElementType type) { return Row(type).kind == Kind::kComplex; }
bool IsArrayType(ElementType type) { return Row(type).kind != Kind::kNone; }

}  // namespace act
