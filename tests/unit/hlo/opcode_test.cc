#include "hlo/opcode.h"

#include <gtest/gtest.h>

namespace act::hlo {
namespace {

TEST(Opcode, NamesAreXlas) {
  const std::pair<Opcode, std::string_view> rows[] = {
      {Opcode::kExp, "exponential"},
      {Opcode::kExpm1, "exponential-minus-one"},
      {Opcode::kLog1p, "log-plus-one"},
      {Opcode::kClz, "count-leading-zeros"},
      {Opcode::kPopcnt, "popcnt"},
      {Opcode::kCos, "cosine"},
      {Opcode::kSin, "sine"},
      {Opcode::kBitcastConvert, "bitcast-convert"},
      {Opcode::kGetTupleElement, "get-tuple-element"},
  };
  for (const auto& [opcode, name] : rows) {
    EXPECT_EQ(OpcodeName(opcode), name);
    EXPECT_EQ(OpcodeFromName(name), opcode);
  }
}

TEST(Opcode, EveryNameReadsBack) {
  for (int i = 0; i <= static_cast<int>(Opcode::kOther); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const bool readable = opcode != Opcode::kFma && opcode != Opcode::kOther;
    EXPECT_EQ(OpcodeFromName(OpcodeName(opcode)), readable ? std::optional(opcode) : std::nullopt);
  }
  // pitfall 71
  EXPECT_EQ(OpcodeFromName("multiply"), Opcode::kMultiply);
  EXPECT_EQ(OpcodeFromName("mul"), std::nullopt);
  EXPECT_EQ(OpcodeFromName(""), std::nullopt);
  EXPECT_EQ(OpcodeFromName("sort"), std::nullopt);
}

TEST(Opcode, Kinds) {
  EXPECT_TRUE(IsElementwise(Opcode::kConvert));
  EXPECT_TRUE(IsElementwise(Opcode::kAbs));
  EXPECT_TRUE(IsElementwise(Opcode::kSelect));
  EXPECT_TRUE(IsElementwise(Opcode::kFma));
  EXPECT_FALSE(IsElementwise(Opcode::kCopy));
  EXPECT_FALSE(IsElementwise(Opcode::kDot));
  EXPECT_FALSE(IsElementwise(Opcode::kTuple));
  EXPECT_TRUE(IsCommutative(Opcode::kXor));
  EXPECT_FALSE(IsCommutative(Opcode::kSubtract));
  EXPECT_EQ(DirectionName(Direction::kGe), "GE");
  EXPECT_EQ(ReducerOpcode(Reducer::kMinimum), Opcode::kMinimum);
  EXPECT_EQ(ReducerOpcode(Reducer::kOr), Opcode::kOr);
}

}  // namespace
}  // namespace act::hlo
