// Every file of tests/spec/reject is named by the code of its first finding ("code--variant.taidl") and says
// in "code.txt" what is printed about it; every file of tests/spec/accept passes without a word.
#include "isa/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

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
  for (const std::string& path : SpecsIn("reject")) {
    for (const Diagnostic& finding : Findings(path)) {
      EXPECT_TRUE(finding.message.find(';') != std::string::npos ||
                  finding.message.find(" but ") != std::string::npos ||
                  finding.message.find("expected") != std::string::npos)
          << path << ": " << finding.message;
    }
  }
}

TEST(Check, AcceptedSpecsPassInSilence) {
  for (const std::string& path : SpecsIn("accept")) EXPECT_EQ(Rendered(Findings(path)), "") << path;
}

}  // namespace
}  // namespace act::isa
