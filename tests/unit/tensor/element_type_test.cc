#include "tensor/element_type.h"

#include <gtest/gtest.h>

#include <set>

namespace act {
namespace {

TEST(ElementType, NamesRoundTripAndAreDistinct) {
  std::set<std::string_view> names;
  for (int i = 1; i <= static_cast<int>(ElementType::kTuple); ++i) {
    const auto type = static_cast<ElementType>(i);
    EXPECT_TRUE(names.insert(ElementTypeName(type)).second);
    EXPECT_EQ(ElementTypeFromName(ElementTypeName(type)), type);
  }
  EXPECT_EQ(ElementTypeFromName("float32"), std::nullopt);
  EXPECT_EQ(ElementTypeFromName("invalid"), std::nullopt);
  EXPECT_EQ(ElementTypeFromName(""), std::nullopt);
}

TEST(ElementType, WidthsAndKinds) {
  struct Row {
    const char* name;
    int bits, bytes;
    bool integer, is_signed, is_float, complex;
  };
  const Row rows[] = {
      {"pred", 1, 1, false, false, false, false},    {"s1", 1, 1, true, true, false, false},
      {"s4", 4, 1, true, true, false, false},        {"u2", 2, 1, true, false, false, false},
      {"s8", 8, 1, true, true, false, false},        {"u64", 64, 8, true, false, false, false},
      {"f4e2m1fn", 4, 1, false, false, true, false}, {"f8e8m0fnu", 8, 1, false, false, true, false},
      {"bf16", 16, 2, false, false, true, false},    {"f64", 64, 8, false, false, true, false},
      {"c64", 64, 8, false, false, false, true},     {"c128", 128, 16, false, false, false, true},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const ElementType type = *ElementTypeFromName(row.name);
    EXPECT_EQ(BitWidth(type), row.bits);
    EXPECT_EQ(StorageBytes(type), row.bytes);
    EXPECT_EQ(IsInteger(type), row.integer);
    EXPECT_EQ(IsSignedInteger(type), row.is_signed);
    EXPECT_EQ(IsUnsignedInteger(type), row.integer && !row.is_signed);
    EXPECT_EQ(IsFloat(type), row.is_float);
    EXPECT_EQ(IsComplex(type), row.complex);
    EXPECT_TRUE(IsArrayType(type));
  }
  for (ElementType type :
       {ElementType::kInvalid, ElementType::kToken, ElementType::kOpaque, ElementType::kTuple}) {
    EXPECT_FALSE(IsArrayType(type));
    EXPECT_EQ(StorageBytes(type), 0);
  }
}

}  // namespace
}  // namespace act
