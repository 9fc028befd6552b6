// tests/error/hlo: each NAME.hlo is refused with exactly the lines of NAME.txt.
#include "unit/hlo/hlo_testing.h"

namespace act::hlo {
namespace {

// pitfall 60, 61, 62, 63, 66, 72
TEST(ParseError, FilesGiveTheirMessages) {
  const std::vector<std::string> files = FilesOf("tests/error/hlo", ".hlo");
  EXPECT_GE(files.size(), 60u);
  for (const std::string& path : files) {
    const std::string stem = path.substr(0, path.size() - 4);
    const SourceText source(std::filesystem::path(path).filename().string(), MustRead(path));
    const StatusOr<Module> module = Parse(source);
    ASSERT_FALSE(module.ok()) << path;
    std::string messages;
    for (const Diagnostic& d : module.status().diagnostics()) {
      messages += RenderShort(d) + "\n";
      EXPECT_FALSE(d.code.empty());
      EXPECT_FALSE(d.is_warning);
    }
    EXPECT_EQ(messages, MustRead(stem + ".txt")) << path;
  }
}

TEST(ParseError, EveryPrefixOfAKernelIsRefusedOrRead) {
  const std::string text = MustRead(std::string(ACT_SOURCE_DIR) + "/tests/data/hlo/attention.full.hlo");
  for (size_t size = 0; size < text.size(); ++size) {
    const StatusOr<Module> module = ParseText(text.substr(0, size));
    if (module.ok()) {
      // Only what follows the last brace may be missing.
      EXPECT_EQ(text.find_first_not_of("}\n", size), std::string::npos) << size;
    }
  }
}

TEST(ParseError, AtMostTwentyInSourceOrder) {
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += "  x" + std::to_string(i) + " = f32[2] negate(missing)\n";
  const StatusOr<Module> module = ParseText(Entry(lines));
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().diagnostics().size(), 20u);
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(module.status().diagnostics()[i].location.line, static_cast<int32_t>(4 + i));
  }
}

TEST(ParseError, DepthIsBounded) {
  std::string shape, close;
  for (int i = 0; i < 100000; ++i) {
    shape += '(';
    close += ')';
  }
  EXPECT_EQ(Outcome(ParseText(Entry("  x = " + shape + "f32[]" + close + " parameter(0)"))),
            "k.hlo:4:208: the tuple shape is nested deeper than 200 levels");
  std::string dims = "1";
  for (int i = 0; i < 100000; ++i) dims += ",1";
  EXPECT_EQ(Outcome(ParseText(Entry("  x = f32[" + dims + "] parameter(0)"))),
            "k.hlo:4:411: shapes of more than 200 dimensions are not supported");
  EXPECT_EQ(Outcome(ParseText(Entry("  x = f32[1] constant(" + std::string(100000, '{') + ")"))),
            "k.hlo:4:24: the constant is nested deeper than its shape f32[1]");
  EXPECT_EQ(Outcome(ParseText(Entry("  x = f32[1] foo(), a=" + std::string(100000, '{')))),
            "k.hlo:4:23: the value of 'a' opened here is not closed");
}

TEST(ParseError, TuplesThatDoubleAreBounded) {
  std::string lines = "  x0 = f32[] parameter(0)\n";
  for (int i = 1; i < 60; ++i) {
    const std::string last = "x" + std::to_string(i - 1);
    lines += "  x" + std::to_string(i) + " = tuple(" + last + ", " + last + ")\n";
  }
  EXPECT_EQ(Outcome(ParseText(Entry(lines))),
            "k.hlo:20:3: 'tuple' gives more than 65536 members, nested ones included");
}

TEST(ParseError, AMissingBraceGivesOneMessage) {
  const StatusOr<Module> module = ParseText(
      "HloModule m\nENTRY main {\n  c = f32[2,2] constant({{1, 2}, {3, 4)\n  x = f32[2,2] parameter(0)\n"
      "  ROOT y = f32[2,2] add(c, x)\n}\n");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().diagnostics().size(), 1u);
  EXPECT_EQ(module.status().message(), "k.hlo:3:39: expected ',' or '}' in the constant, found ')'");
}

TEST(ParseError, DiagnosticsCarryTheLine) {
  const StatusOr<Module> module = ParseText(Entry("  ROOT x = f32[2] negate(y)"));
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().front().line_text, "  ROOT x = f32[2] negate(y)");
  EXPECT_EQ(module.status().front().error_class, ErrorClass::kValue);
  EXPECT_EQ(ParseText("HloModule").status().front().error_class, ErrorClass::kSyntax);
  EXPECT_EQ(ParseText(Entry("  x = f32[?] parameter(0)")).status().front().error_class,
            ErrorClass::kNotImplemented);
}

}  // namespace
}  // namespace act::hlo
