// Every file of tests/spec/reject is named by the code of its first finding ("code--variant.taidl") and says
// in "code.txt" what is printed about it; every file of tests/spec/accept passes without a word.
#include "isa/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "isa/builder.h"
#include "isa/taidl.h"

namespace act::isa {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> SpecsIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(std::string(ACT_SOURCE_DIR) + "/tests/spec/" + folder)) {
    if (entry.path().extension() == ".taidl") names.push_back(entry.path().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<Diagnostic> Findings(const std::string& path) {
  const StatusOr<std::string> text = ReadFile(path);
  EXPECT_TRUE(text.ok());
  const SourceText source(fs::path(path).filename().string(), text.ok() ? *text : "");
  const StatusOr<Accelerator> accelerator = ParseTaidl(source);
  return accelerator.ok() ? Check(*accelerator, &source) : accelerator.status().diagnostics();
}

std::string Rendered(const std::vector<Diagnostic>& findings) {
  std::string text;
  for (const Diagnostic& finding : findings) text += Render(finding);
  return text;
}

// pitfall 173
// (its first half: isa-name-reserved--debug; the oracle's tests hold the other)
TEST(Check, RejectedSpecsSayWhatIsWritten) {
  for (const std::string& path : SpecsIn("reject")) {
    const std::vector<Diagnostic> findings = Findings(path);
    const StatusOr<std::string> expected = ReadFile(fs::path(path).replace_extension(".txt").string());
    EXPECT_EQ(Rendered(findings), expected.ok() ? *expected : "") << path;
    const std::string stem = fs::path(path).stem().string();
    ASSERT_FALSE(findings.empty()) << path;
    EXPECT_EQ(findings.front().code, stem.substr(0, stem.find("--"))) << path;
  }
}

TEST(Check, EveryKindHasAFile) {
  std::set<std::string> tested;
  for (const std::string& path : SpecsIn("reject")) {
    for (const Diagnostic& finding : Findings(path)) tested.insert(finding.code);
  }
  EXPECT_GE(tested.size(), 60u);
  for (const CheckKind& kind : CheckKinds()) EXPECT_TRUE(tested.count(kind.code)) << kind.code;
}

TEST(Check, FindingsHavePlaceAndWayOut) {
  std::set<std::string> kinds;
  for (const CheckKind& kind : CheckKinds()) kinds.insert(kind.code);
  for (const std::string& path : SpecsIn("reject")) {
    for (const Diagnostic& finding : Findings(path)) {
      EXPECT_GT(finding.location.line, 0) << path;
      EXPECT_GT(finding.location.column, 0) << path;
      EXPECT_FALSE(finding.line_text.empty() && finding.code != "isa-empty-file") << path;
      if (kinds.count(finding.code) == 0) continue;
      EXPECT_NE(finding.message.find("; "), std::string::npos) << path << ": " << finding.message;
    }
  }
}

TEST(Check, KindsAreSortedAndSayWhetherTheyAreFaults) {
  const std::span<const CheckKind> kinds = CheckKinds();
  EXPECT_GE(kinds.size(), 40u);
  for (size_t i = 1; i < kinds.size(); ++i) EXPECT_LT(std::string(kinds[i - 1].code), kinds[i].code);
  std::map<std::string, bool> is_warning;
  for (const CheckKind& kind : kinds) is_warning[kind.code] = kind.is_warning;
  for (const std::string& path : SpecsIn("reject")) {
    for (const Diagnostic& finding : Findings(path)) {
      if (is_warning.count(finding.code) != 0) {
        EXPECT_EQ(finding.is_warning, is_warning[finding.code]) << path;
      }
    }
  }
}

// pitfall 14
TEST(Check, ReportsWhatTheSemanticsTextOfAPythonSpecGotWrong) {
  Accelerator acc = MakeAccelerator("P");
  ASSERT_TRUE(AddBuffer(&acc, "b", {64}, {4}, "s32").ok());
  ASSERT_TRUE(AddInstruction(&acc, "act", {}, {"p", "q"}).ok());
  ASSERT_TRUE(SetInputs(&acc, 0, {{"b", {"@a.p"}, {"8"}, {}}}).ok());
  ASSERT_TRUE(SetOutputs(&acc, 0, {{"b", {"@a.q"}, {"8"}, {}}}).ok());
  ASSERT_TRUE(SetSemantics(&acc, 0,
                           SourceText("spec",
                                      "ENTRY act { %x = s32[4,4] parameter(0);"
                                      " ROOT %Out0 = s32[4,4] negate(%x); }"))
                  .ok());
  std::set<std::string> codes;
  for (const Diagnostic& finding : Check(acc)) codes.insert(finding.code);
  EXPECT_TRUE(codes.count("isa-parameter-shape"));
  EXPECT_FALSE(codes.count("isa-no-semantics"));
}

TEST(Check, AcceptedSpecsPassInSilence) {
  for (const std::string& path : SpecsIn("accept")) EXPECT_EQ(Rendered(Findings(path)), "") << path;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(std::string(ACT_SOURCE_DIR) + "/accelerators")) {
    if (entry.path().extension() == ".taidl") {
      EXPECT_EQ(Rendered(Findings(entry.path().string())), "") << entry.path();
    }
  }
}

}  // namespace
}  // namespace act::isa
