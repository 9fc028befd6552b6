// tests/data/hlo: what JAX prints (tools/make_hlo_corpus.py), read, printed and read again.
#include <map>

#include "unit/hlo/hlo_testing.h"

namespace act::hlo {
namespace {

// Comments and empty lines dropped.
std::string Plain(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "/*") == 0) {
      i = text.find("*/", i) + 1;
    } else if (text[i] != '\n' || (!out.empty() && out.back() != '\n')) {
      out += text[i];
    }
  }
  return out;
}

Module WithoutRaw(Module module) {
  module.raw.clear();
  module.tables.clear();
  for (Computation& computation : module.computations) {
    for (Instruction& instruction : computation.instructions) {
      if (instruction.opcode != Opcode::kOther) instruction.raw.clear();
      for (RawAttribute& raw : instruction.raw) std::erase(raw.value, '%');
      std::erase_if(instruction.raw, [](const RawAttribute& raw) { return raw.name == "metadata"; });
    }
  }
  return module;
}

TEST(Corpus, ReadsPrintsAndReadsBackEqual) {
  const std::vector<std::string> files = FilesOf("tests/data/hlo", ".hlo");
  EXPECT_GE(files.size(), 48u);
  for (const std::string& path : files) {
    // The full setting leaves long constants out.
    if (path.ends_with("constants.full.hlo")) continue;
    const Module module = MustParse(MustRead(path));
    EXPECT_TRUE(Verify(module).ok()) << path;
    const std::string printed = Print(module);
    const Module again = MustParse(printed);
    EXPECT_TRUE(SameModule(module, again)) << path;
    EXPECT_EQ(Print(again), printed) << path;
  }
}

TEST(Corpus, ElidedConstantsAreRefused) {
  const StatusOr<Module> module =
      ParseText(MustRead(std::string(ACT_SOURCE_DIR) + "/tests/data/hlo/constants.full.hlo"));
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().diagnostics().size(), 3u);
  for (const Diagnostic& d : module.status().diagnostics()) EXPECT_EQ(d.code, "hlo-elided");
}

// XLA's own text is the reference: ours is the same but for its comments (and, in two files, the digits of
// floats, where ours are the fewest that read back).
TEST(Corpus, PrintsAsXlaDoes) {
  for (const std::string& path : FilesOf("tests/data/hlo", ".large.hlo")) {
    if (path.ends_with("constants.large.hlo") || path.ends_with("layers.large.hlo")) continue;
    const std::string text = MustRead(path);
    EXPECT_EQ(Plain(Print(MustParse(text))), Plain(text)) << path;
  }
}

// The three printer settings say the same module.
TEST(Corpus, SettingsAgree) {
  for (const std::string& path : FilesOf("tests/data/hlo", ".large.hlo")) {
    const std::string stem = path.substr(0, path.size() - std::string(".large.hlo").size());
    const Module large = WithoutRaw(MustParse(MustRead(path)));
    EXPECT_TRUE(SameModule(large, WithoutRaw(MustParse(MustRead(stem + ".short.hlo"))))) << path;
    if (stem.ends_with("constants")) continue;
    EXPECT_TRUE(SameModule(large, WithoutRaw(MustParse(MustRead(stem + ".full.hlo"))))) << path;
  }
}

TEST(Corpus, EmptyLiteralsPrintAsXlaReadsThem) {
  const std::string lines =
      "  a = s8[2,0]{1,0} constant({ {}, {} })\n  b = s8[0,1000000]{1,0} constant({})\n"
      "  ROOT c = s8[1000000,0]{1,0} constant({})\n";
  const std::string printed = Print(MustParse(Entry(lines)));
  EXPECT_NE(printed.find(lines), std::string::npos) << printed;
}

TEST(Corpus, TupleConstantsPrintBack) {
  const Module module = MustParse(Entry("ROOT c = (f32[], s32[2]) constant((1.5, {2, 3})), metadata={a=1}"));
  const std::string printed = Print(module);
  EXPECT_NE(printed.find("ROOT c = (f32[], s32[2]) constant((1.5, {2, 3})), metadata={a=1}\n"),
            std::string::npos);
  EXPECT_TRUE(SameModule(MustParse(printed), module));
}

}  // namespace
}  // namespace act::hlo
