#include <gtest/gtest.h>

#include "isa/isa.h"

namespace act::isa {
namespace {

const std::vector<std::string> kC = {"n", "nn", "m"}, kA = {"a", "b"}, kS = {"s", "n"};
const NameTable kNames{kC, kA, kS};

StatusOr<Expression> Read(const std::string& text, NameStyle style = NameStyle::kPrefixed) {
  return ParseExpression(SourceText("e", text), kNames, style);
}

int64_t Value(const std::string& text) {
  const int64_t c[] = {3, 6, 5}, a[] = {10, 20}, s[] = {7, 9};
  const auto expression = Read(text);
  EXPECT_TRUE(expression.ok()) << text << " " << expression.status().message();
  const auto value = Evaluate(*expression, Environment{c, a, s});
  EXPECT_TRUE(value.ok()) << text;
  return *value;
}

TEST(ExpressionParse, Values) {
  // pitfall 8
  EXPECT_EQ(Value("@c.n*2+@c.nn"), 12);
  // pitfall 10
  EXPECT_EQ(Value("-7/2"), -3);
  EXPECT_EQ(Value("-7 % 3"), -1);
  // pitfall 9
  EXPECT_EQ(Value("9007199254740993/1"), 9007199254740993);
  EXPECT_EQ(Value("2+3*4-5"), 9);
  EXPECT_EQ(Value("100/5/2"), 10);
  EXPECT_EQ(Value("10-3-2"), 5);
  EXPECT_EQ(Value("-(2+3)*4"), -20);
  EXPECT_EQ(Value("--@c.n"), 3);
  EXPECT_EQ(Value("2*-3"), -6);
  EXPECT_EQ(Value("17%5*2"), 4);
  EXPECT_EQ(Value(" ( @a.b\n- @s.s ) "), 13);
  EXPECT_EQ(Value("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(Value("9223372036854775807"), INT64_MAX);
}

struct Case {
  const char* text;
  ErrorClass error;
  int column;
};

TEST(ExpressionParse, Refusals) {
  const Case cases[] = {
      {"", ErrorClass::kSyntax, 1},
      {"1 +", ErrorClass::kSyntax, 4},
      {"1 2", ErrorClass::kSyntax, 3},
      {"(1", ErrorClass::kSyntax, 3},
      {"1)", ErrorClass::kSyntax, 2},
      // pitfall 11
      {"9223372036854775808", ErrorClass::kSyntax, 1},
      {"1 + -9223372036854775809", ErrorClass::kSyntax, 6},
      {"@c.n / 0", ErrorClass::kSyntax, 6},
      {"@c.n % (0)", ErrorClass::kSyntax, 6},
      {"@c.n // 2", ErrorClass::kSyntax, 6},
      {"@c.n ** 2", ErrorClass::kSyntax, 6},
      {"0x10", ErrorClass::kSyntax, 1},
      {"1.5", ErrorClass::kSyntax, 1},
      {"1e3", ErrorClass::kSyntax, 1},
      {"n", ErrorClass::kSyntax, 1},
      {"@n", ErrorClass::kSyntax, 1},
      {"@d.n", ErrorClass::kSyntax, 1},
      {"@ c.n", ErrorClass::kSyntax, 1},
      {"@c.", ErrorClass::kSyntax, 1},
      {"@c.nnn", ErrorClass::kValue, 1},
      {"1+@a.n", ErrorClass::kValue, 3},
      {"+1", ErrorClass::kSyntax, 1},
      {"a", ErrorClass::kSyntax, 1},
      {"1 < 2", ErrorClass::kSyntax, 3},
      {"1 \xff", ErrorClass::kSyntax, 3},
  };
  for (const Case& c : cases) {
    const auto expression = Read(c.text);
    ASSERT_FALSE(expression.ok()) << c.text;
    EXPECT_EQ(expression.status().front().error_class, c.error) << c.text << expression.status().message();
    EXPECT_EQ(expression.status().front().location.line, 1);
    EXPECT_EQ(expression.status().front().location.column, c.column)
        << c.text << expression.status().message();
  }
  EXPECT_NE(Read("@a.n").status().message().find("there is a computational attribute @c.n"),
            std::string::npos);
  EXPECT_NE(Read("nn").status().message().find("write @c.nn"), std::string::npos);
}

TEST(ExpressionParse, PlainNames) {
  EXPECT_EQ(*Read("n + a", NameStyle::kPlain), *Read("@c.n + @a.a"));
  EXPECT_EQ(*Read("@s.n*s", NameStyle::kPlain), *Read("@s.n*@s.s"));
  EXPECT_EQ(ToString(*Read("@s.n*@s.s+@c.n"), kNames, NameStyle::kPlain), "@s.n*s + n");
  const auto unknown = Read("1 + q", NameStyle::kPlain);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.status().front().error_class, ErrorClass::kValue);
  EXPECT_NE(unknown.status().message().find("declared are n, nn, m, a"), std::string::npos);
}

TEST(ExpressionParse, Printing) {
  const std::pair<const char*, const char*> cases[] = {{"(@c.n)", "@c.n"},
                                                       {"@c.n-(@c.m-1)", "@c.n - (@c.m - 1)"},
                                                       {"(@c.n-@c.m)-1", "@c.n - @c.m - 1"},
                                                       {"@c.n*(@c.m+1)", "@c.n*(@c.m + 1)"},
                                                       {"@c.n/(@c.m*2)", "@c.n/(@c.m*2)"},
                                                       {"-(5)", "-(5)"},
                                                       {"-5", "-5"},
                                                       {"-(@c.n+1)", "-(@c.n + 1)"},
                                                       {"(-@c.n)*2", "-@c.n*2"},
                                                       {"1 - -1", "1 - -1"}};
  for (const auto& [text, printed] : cases) {
    const auto expression = Read(text);
    ASSERT_TRUE(expression.ok()) << text;
    EXPECT_EQ(ToString(*expression, kNames), printed);
    EXPECT_EQ(*Read(printed), *expression);
  }
}

TEST(ConditionParse, Values) {
  const int64_t c[] = {3, 6, 5}, a[] = {10, 20}, s[] = {7, 9};
  const std::pair<const char*, bool> cases[] = {
      {"@c.n == 3", true},
      {"@c.n != 3", false},
      {"@c.n < @c.m and @c.m < @c.nn", true},
      {"@c.n > 3 or @c.nn >= 6", true},
      // "and" binds before "or"
      {"1 == 1 or 1 == 2 and 1 == 2", true},
      {"(1 == 1 or 1 == 2) and 1 == 2", false},
      {"((@c.n + 1) * 2 <= 8)", true},
      {"(@c.n) < (4)", true},
      {"(((@c.n % 3 == 0) and (@a.a / 2 == 5)) or (@s.s == 0))", true},
      {"@s.s == 1 and @s.n == 1", false},
  };
  for (const auto& [text, expected] : cases) {
    const auto condition = ParseCondition(SourceText("c", text), kNames);
    ASSERT_TRUE(condition.ok()) << text << condition.status().message();
    const auto value = Evaluate(*condition, Environment{c, a, s});
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(*value, expected) << text;
  }
}

TEST(ConditionParse, Refusals) {
  const Case cases[] = {
      {"", ErrorClass::kSyntax, 1},
      {"@c.n", ErrorClass::kSyntax, 5},
      {"@c.n = 3", ErrorClass::kSyntax, 6},
      {"1 < 2 < 3", ErrorClass::kSyntax, 7},
      {"not 1 < 2", ErrorClass::kSyntax, 1},
      {"1 < 2 && 2 < 3", ErrorClass::kSyntax, 7},
      {"1 < 2 || 2 < 3", ErrorClass::kSyntax, 7},
      {"1 < 2 and", ErrorClass::kSyntax, 10},
      {"(1 < 2", ErrorClass::kSyntax, 7},
      {"(1 < 2) == 1", ErrorClass::kSyntax, 1},
      {"1 < 2 3 < 4", ErrorClass::kSyntax, 7},
      {"@c.q < 2", ErrorClass::kValue, 1},
      {"@c.n % 0 == 0", ErrorClass::kSyntax, 6},
  };
  for (const Case& c : cases) {
    const auto condition = ParseCondition(SourceText("c", c.text), kNames);
    ASSERT_FALSE(condition.ok()) << c.text;
    EXPECT_EQ(condition.status().front().error_class, c.error) << c.text;
    EXPECT_EQ(condition.status().front().location.column, c.column) << c.text << condition.status().message();
  }
}

TEST(ConditionParse, DeepAndLongTextsAreBounded) {
  const std::string open(100000, '('), close(100000, ')');
  EXPECT_FALSE(ParseCondition(SourceText("c", open + "1 < 2" + close), kNames).ok());
  EXPECT_FALSE(Read(open + "1" + close).ok());
  std::string sum = "1", all = "1 < 2";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  for (int i = 0; i < 100000; ++i) all += " and 1 < 2";
  EXPECT_FALSE(Read(sum).ok());
  EXPECT_FALSE(ParseCondition(SourceText("c", all), kNames).ok());
  // As long as allowed: reads, and prints without exhausting the stack.
  sum = "1";
  for (int i = 0; i < 2000; ++i) sum += "+1";
  ASSERT_TRUE(Read(sum).ok());
  EXPECT_EQ(*Read(ToString(*Read(sum), kNames)), *Read(sum));
}

}  // namespace
}  // namespace act::isa
