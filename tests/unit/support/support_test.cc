#include "support/support.h"

#include <gtest/gtest.h>

namespace act {
namespace {

TEST(SourceText, PlacesCountFromOneAndCaretPointsAtTheColumn) {
  SourceText source("k.hlo", "first\nsecond line\n");
  EXPECT_EQ(source.LocationAt(0), (SourceLocation{"k.hlo", 1, 1}));
  EXPECT_EQ(source.LocationAt(13), (SourceLocation{"k.hlo", 2, 8}));
  EXPECT_EQ(source.LineAt(13), "second line");
  EXPECT_EQ(Render(source.MakeError(ErrorClass::kSyntax, "hlo-syntax", "expected '='", 13)),
            "k.hlo:2:8: error: expected '=' [hlo-syntax]\n  second line\n         ^\n");
}

TEST(Checked, OverflowIsReported) {
  EXPECT_EQ(CheckedMul(int64_t{1} << 31, int64_t{1} << 31), int64_t{1} << 62);
  EXPECT_EQ(CheckedMul(int64_t{1} << 32, int64_t{1} << 32), std::nullopt);
  EXPECT_EQ(CheckedAdd(std::numeric_limits<int64_t>::max(), 1), std::nullopt);
  EXPECT_EQ(CheckedRoundUp(129, 64), 192);
}

TEST(Random, StaysInRangeAndReachesTheEnds) {
  Random random(7);
  bool low = false, high = false;
  for (int i = 0; i < 1000; ++i) {
    const int64_t v = random.Between(-3, 3);
    ASSERT_GE(v, -3);
    ASSERT_LE(v, 3);
    low |= v == -3;
    high |= v == 3;
  }
  EXPECT_TRUE(low && high);
}

TEST(File, AFailedWriteLeavesNothing) {
  EXPECT_FALSE(WriteFileAtomically("/nonexistent-folder/x", "data").ok());
  const Status status = ReadFile("/nonexistent-folder/x").status();
  EXPECT_EQ(status.front().error_class, ErrorClass::kEnvironment);
  EXPECT_NE(status.message().find("'/nonexistent-folder/x'"), std::string::npos);
}

}  // namespace
}  // namespace act
