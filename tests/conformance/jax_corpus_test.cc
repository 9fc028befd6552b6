// Every entry of the JAX corpus (tests/data/jax) through the QKV backend: it compiles and verifies, or it is
// refused by a sentence that names the first thing in the way. The outcome is the table docs/jax_corpus.md,
// which is written anew with ACT_UPDATE=1 in the environment. What the table says to compile must compile, to
// a program that is not longer; a refusal's wording is the compiler's and may change between two writings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "common/compile.h"

namespace act::backend {
namespace {

const std::string kRoot = ACT_SOURCE_DIR;

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot + "/tests/data/jax")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".pb")) names.push_back(name.substr(0, name.size() - 3));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string MustRead(const std::string& path) {
  StatusOr<std::string> text = ReadFile(path);
  EXPECT_TRUE(text.ok()) << path;
  return text.ok() ? *text : "";
}

// A cell of a Markdown table.
std::string Cell(const std::string& text) {
  std::string cell;
  for (char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

struct Row {
  std::string result;
  int64_t instructions = 0;
  bool compiles = false;
  bool names_something = true;  // a refusal quotes what is in the way
};

Row Compile(const isa::Accelerator& accelerator, select::Selector* selector, const std::string& name) {
  const std::string stem = kRoot + "/tests/data/jax/" + name;
  const StatusOr<hlo::Module> module = hlo::ParseProto(MustRead(stem + ".pb"));
  const StatusOr<hlo::Module> text = hlo::Parse(SourceText("k.hlo", MustRead(stem + ".hlo")));
  EXPECT_TRUE(module.ok() && text.ok()) << name;
  if (!module.ok() || !text.ok()) return {};
  Row row;
  std::string refusal;
  for (select::Numerics numerics : {select::Numerics::kDefault, select::Numerics::kRelaxed}) {
    CompileOptions options;
    options.numerics = numerics;
    const StatusOr<Compiled> compiled = act::backend::Compile(accelerator, selector, *module, options);
    if (!compiled.ok()) {
      const Diagnostic& d = compiled.status().front();
      EXPECT_NE(d.error_class, ErrorClass::kInternal) << name << ": " << d.message;
      if (refusal.empty()) {
        refusal = d.message;
        row.names_something = std::count(refusal.begin(), refusal.end(), '\'') >= 2 ||
                              refusal.find("parameter ") != std::string::npos ||
                              refusal.find("--numerics") != std::string::npos;
      }
      continue;
    }
    row.compiles = true;
    EXPECT_NE(compiled->report.verification.find(" run"), std::string::npos)
        << name << ": " << compiled->report.verification;
    row.instructions = compiled->report.instructions;
    row.result = std::to_string(row.instructions) + " instructions";
    if (numerics == select::Numerics::kRelaxed)
      row.result += " with numerics=relaxed; by default: " + refusal;
    // The text gives the same program, byte for byte.
    const StatusOr<Compiled> from_text = act::backend::Compile(accelerator, selector, *text, options);
    EXPECT_TRUE(from_text.ok()) << name;
    if (!from_text.ok()) return row;
    EXPECT_EQ(assembly::PrintNative(accelerator, from_text->program),
              assembly::PrintNative(accelerator, compiled->program))
        << name;
    return row;
  }
  row.result = "refused: " + refusal;
  return row;
}

TEST(JaxCorpus, CompilesOrSaysWhatIsInTheWay) {
  const isa::Accelerator accelerator = testing::ReadAccelerator("accelerators/qkv/QKV.taidl");
  select::Selector selector(&accelerator);
  const std::string path = kRoot + "/docs/jax_corpus.md";
  const bool update = std::getenv("ACT_UPDATE") != nullptr;
  const std::string written = update ? "" : MustRead(path);
  std::string table;
  size_t count = 0, compiled = 0;
  for (const std::string& name : Names()) {
    const Row row = Compile(accelerator, &selector, name);
    EXPECT_TRUE(row.names_something) << name << ": " << row.result;
    table += "| " + name + " | " + Cell(row.result) + " |\n";
    ++count;
    compiled += row.compiles ? 1 : 0;
    if (update) continue;
    const std::string start = "\n| " + name + " | ";
    const size_t at = written.find(start);
    ASSERT_NE(at, std::string::npos) << name << " is not in the table; run this with ACT_UPDATE=1";
    const std::string outcome =
        written.substr(at + start.size(), written.find('\n', at + 1) - at - start.size());
    if (outcome.starts_with("refused")) continue;
    ASSERT_TRUE(row.compiles) << name << " no longer compiles: " << row.result;
    EXPECT_LE(row.instructions, std::stoll(outcome)) << name << " has become longer";
  }
  const std::string page =
      "# The JAX corpus on QKV\n\nWhat the QKV backend makes of each function of tools/dump_hlo.py and of "
      "each "
      "gradient, read from its proto: the\nlength of the program, which has been verified by execution, or "
      "why "
      "there is none. " +
      std::to_string(compiled) + " of " + std::to_string(count) +
      " compile. Written by\ntests/conformance/jax_corpus_test.cc with ACT_UPDATE=1; do not edit.\n\n"
      "| entry | result |\n|---|---|\n" +
      table;
  if (!update) return;
  EXPECT_TRUE(WriteFileAtomically(path, page).ok());
}

}  // namespace
}  // namespace act::backend
