// Element types of HLO and TAIDL, and how one element is stored.
//
// Storage: one element is StorageBytes(type) bytes, little-endian. pred and the sub-byte
// integers take one byte an element; sub-byte integers are sign- or zero-extended in it.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace act {

enum class ElementType : uint8_t {
  kInvalid,
  kPred,
  kS1,
  kS2,
  kS4,
  kS8,
  kS16,
  kS32,
  kS64,
  kU1,
  kU2,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kF4E2M1FN,
  kF8E3M4,
  kF8E4M3,
  kF8E4M3FN,
  kF8E4M3B11FNUZ,
  kF8E4M3FNUZ,
  kF8E5M2,
  kF8E5M2FNUZ,
  kF8E8M0FNU,
  kF16,
  kBF16,
  kF32,
  kF64,
  kC64,
  kC128,
  kToken,
  kOpaque,
  kTuple,  // only in HLO shapes, no elements
};

// HLO's spelling: "pred", "s8", "bf16", "f8e4m3fn", "c64", ...
std::string_view ElementTypeName(ElementType type);
std::optional<ElementType> ElementTypeFromName(std::string_view name);

// Significant bits of one element (1 for pred and s1, 4 for s4, 16 for bf16). 0 for token, opaque, tuple.
int BitWidth(ElementType type);
// Bytes one element occupies in our memory and in HBM. 0 for token, opaque, tuple.
int StorageBytes(ElementType type);

bool IsInteger(ElementType type);  // s* and u*, not pred
bool IsSignedInteger(ElementType type);
bool IsUnsignedInteger(ElementType type);
bool IsFloat(ElementType type);  // every f*, bf16
bool IsComplex(ElementType type);
// Has elements: not token, opaque, tuple or invalid.
bool IsArrayType(ElementType type);

}  // namespace act
