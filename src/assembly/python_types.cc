#include "assembly/python_types.h"

#include <utility>

namespace act::assembly {
namespace {

constexpr std::pair<ElementType, std::string_view> kNames[] = {
    {ElementType::kPred, "bool_"},
    {ElementType::kS2, "int2"},
    {ElementType::kS4, "int4"},
    {ElementType::kS8, "int8"},
    {ElementType::kS16, "int16"},
    {ElementType::kS32, "int32"},
    {ElementType::kS64, "int64"},
    {ElementType::kU2, "uint2"},
    {ElementType::kU4, "uint4"},
    {ElementType::kU8, "uint8"},
    {ElementType::kU16, "uint16"},
    {ElementType::kU32, "uint32"},
    {ElementType::kU64, "uint64"},
    {ElementType::kF4E2M1FN, "float4_e2m1fn"},
    {ElementType::kF8E3M4, "float8_e3m4"},
    {ElementType::kF8E4M3, "float8_e4m3"},
    {ElementType::kF8E4M3FN, "float8_e4m3fn"},
    {ElementType::kF8E4M3B11FNUZ, "float8_e4m3b11fnuz"},
    {ElementType::kF8E4M3FNUZ, "float8_e4m3fnuz"},
    {ElementType::kF8E5M2, "float8_e5m2"},
    {ElementType::kF8E5M2FNUZ, "float8_e5m2fnuz"},
    {ElementType::kF8E8M0FNU, "float8_e8m0fnu"},
    {ElementType::kF16, "float16"},
    {ElementType::kBF16, "bfloat16"},
    {ElementType::kF32, "float32"},
    {ElementType::kF64, "float64"},
    {ElementType::kC64, "complex64"},
    {ElementType::kC128, "complex128"},
};

}  // namespace

std::string_view PythonTypeName(ElementType type) {
  for (const auto& [known, name] : kNames) {
    if (known == type) return name;
  }
  return {};
}

std::optional<ElementType> PythonTypeFromName(std::string_view name) {
  if (name == "bool") return ElementType::kPred;
  for (const auto& [type, known] : kNames) {
    if (known == name) return type;
  }
  return std::nullopt;
}

}  // namespace act::assembly
