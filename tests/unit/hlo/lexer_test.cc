#include "hlo/lexer.h"

#include <gtest/gtest.h>

namespace act::hlo {
namespace {

TEST(Lexer, WordsAndNames) {
  Lexer lexer("  %a.1-b_2 ROOT main->x // rest\n /* c */ _z");
  EXPECT_EQ(lexer.Name(), "a.1-b_2");
  EXPECT_EQ(lexer.PeekWord(), "ROOT");
  EXPECT_EQ(lexer.PeekBehindWord(), 'm');
  EXPECT_EQ(lexer.Word(), "ROOT");
  EXPECT_EQ(lexer.Word(), "main");
  EXPECT_TRUE(lexer.Accept("->"));
  EXPECT_EQ(lexer.Word(), "x");
  EXPECT_EQ(lexer.Word(), "_z");
  EXPECT_TRUE(lexer.at_end());
  EXPECT_EQ(lexer.Word(), "");
}

TEST(Lexer, Integers) {
  int64_t value = 0;
  Lexer lexer("-9223372036854775808 9223372036854775808 x");
  EXPECT_EQ(lexer.Integer(&value), Lexer::IntegerResult::kOk);
  EXPECT_EQ(value, INT64_MIN);
  EXPECT_EQ(lexer.Integer(&value), Lexer::IntegerResult::kOverflow);
  EXPECT_EQ(lexer.Integer(&value), Lexer::IntegerResult::kNone);
  EXPECT_EQ(lexer.Found(), "'x'");
}

TEST(Lexer, Numbers) {
  Lexer lexer("-1.5e-3, inf,-inf nan(0x1f) -nan true 1e+5} nan(");
  EXPECT_EQ(lexer.Number(), "-1.5e-3");
  EXPECT_TRUE(lexer.Accept(","));
  EXPECT_EQ(lexer.Number(), "inf");
  EXPECT_TRUE(lexer.Accept(","));
  EXPECT_EQ(lexer.Number(), "-inf");
  EXPECT_EQ(lexer.Number(), "nan(0x1f)");
  EXPECT_EQ(lexer.Number(), "-nan");
  EXPECT_EQ(lexer.Number(), "true");
  EXPECT_EQ(lexer.Number(), "1e+5");
  EXPECT_EQ(lexer.Number(), "");
  EXPECT_TRUE(lexer.Accept("}"));
  EXPECT_EQ(lexer.Number(), "nan");
}

TEST(Lexer, RawValues) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"{a=\"}\\\"\" b={1,2}}, next", "{a=\"}\\\"\" b={1,2}}"},
      {"b01f_01io->b01f, x", "b01f_01io->b01f"},
      {"{devices=[2,1]<=[2]} y", "{devices=[2,1]<=[2]}"},
      {"kLoop// comment", "kLoop"},
      {"\"a,b\"", "\"a,b\""},
      {"{(]}", ""},       // brackets that do not match
      {"{a", ""},         // not closed
      {"\"abc\n\"", ""},  // strings end on their line
      {", x", ""},
  };
  for (const auto& [text, value] : rows) {
    Lexer lexer(text);
    EXPECT_EQ(lexer.RawValue(), value) << text;
  }
}

TEST(Lexer, StringsAndLines) {
  Lexer lexer("\"a\\\"b\" rest of it\nnext \"open");
  EXPECT_EQ(lexer.String(), "\"a\\\"b\"");
  EXPECT_EQ(lexer.String(), "");
  EXPECT_EQ(lexer.RestOfLine(), "rest of it");
  EXPECT_EQ(lexer.Word(), "next");
  EXPECT_EQ(lexer.String(), "");
  EXPECT_EQ(lexer.end_of_last(), 22u);
}

TEST(Lexer, FoundShowsBytes) {
  EXPECT_EQ(Lexer("").Found(), "the end of the text");
  EXPECT_EQ(Lexer("\x01").Found(), "'\\x01'");
  EXPECT_EQ(Lexer("123 4").Found(), "'123'");
  EXPECT_EQ(Lexer(std::string(50, 'a')).Found(), "'" + std::string(40, 'a') + "...'");
}

TEST(Lexer, UnterminatedComment) {
  Lexer lexer("a /* b");
  EXPECT_EQ(lexer.Word(), "a");
  EXPECT_TRUE(lexer.at_end());
  EXPECT_EQ(lexer.unterminated_comment(), 2u);
}

}  // namespace
}  // namespace act::hlo
