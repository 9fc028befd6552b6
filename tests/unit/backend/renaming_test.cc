// Row 11: nothing knows QKV. With every name changed, the instructions in other orders, other row counts and
// element types, the same kernels compile to the same counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "backend/backend.h"
#include "common/compile.h"
#include "common/kernels.h"

namespace act::backend {
namespace {

// Replaces whole words.
std::string ReplaceWords(const std::string& text, const std::map<std::string, std::string>& words) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    if (end == i) {
      out.push_back(text[i++]);
      continue;
    }
    const std::string word = text.substr(i, end - i);
    const auto it = words.find(word);
    out += it == words.end() ? word : it->second;
    i = end;
  }
  return out;
}

// The repository's spec with `rows` rows of `type`, everything renamed.
isa::Accelerator Variant(const std::string& path, int64_t rows, const std::string& type, bool rename) {
  std::string text = *ReadFile(std::string(ACT_SOURCE_DIR) + "/" + path);
  // Integers have no exponential: the variant for them has no softmax.
  if (type == "s32") text.resize(text.find("instruction softmax"));
  const int64_t width = type == "bf16" || type == "f16" ? 2 : 4;
  const std::string r = std::to_string(rows), w = std::to_string(width);
  // 64 is the row count, 128 is both rows of d1 and bytes of a row; the two are told apart by their context.
  std::map<std::string, std::string> words{{"64", r}, {"bf16", type}, {"2", w}};
  const std::string d1_rows = std::to_string(2 * rows), row_bytes = std::to_string(rows * width);
  size_t at = 0;
  while ((at = text.find("[128]", at)) != std::string::npos) text.replace(at, 5, "[DROWS]");
  at = 0;
  while ((at = text.find("n*128", at)) != std::string::npos) text.replace(at, 5, "n*ROWBYTES");
  words["DROWS"] = d1_rows;
  words["ROWBYTES"] = row_bytes;
  if (rename) {
    for (const char* word :
         {"d1",           "d2",       "d3",      "load_rm", "load_cm", "store_rm", "store_cm",
          "mov",          "gemm",     "softmax", "load_01", "load_03", "store_10", "store_30",
          "transpose_13", "mov_21",   "mov_23",  "gemm_33", "gemm_13", "n",        "addr",
          "addr_in",      "addr_out", "addr_1",  "addr_2",  "QKV",     "QKV_new"}) {
      words[word] = "z" + std::to_string(words.size()) + "_";
    }
  }
  auto parsed = isa::ParseTaidl(SourceText(path, ReplaceWords(text, words)));
  if (!parsed.ok()) {
    ADD_FAILURE() << parsed.status().message();
    return isa::MakeAccelerator("none");
  }
  return *std::move(parsed);
}

void ExpectCounts(const isa::Accelerator& accelerator, int64_t rows, const std::string& type, bool is_new) {
  select::Selector selector(&accelerator);
  for (const testing::KernelCase& kernel : testing::FoundationKernels(rows, type)) {
    SCOPED_TRACE(kernel.name + " on " + std::to_string(rows) + " rows of " + type);
    CompileOptions options;
    if (kernel.relaxed) options.numerics = select::Numerics::kRelaxed;
    const auto compiled = testing::CompileText(accelerator, &selector, kernel.name, kernel.text, options);
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    EXPECT_LE(compiled->report.instructions, is_new ? kernel.qkv_new : kernel.qkv);
  }
}

struct Case {
  const char* path;
  int64_t rows;
  const char* type;
};
class Renaming : public ::testing::TestWithParam<Case> {};

TEST_P(Renaming, SameCounts) {
  const Case& c = GetParam();
  ExpectCounts(Variant(c.path, c.rows, c.type, true), c.rows, c.type,
               std::string(c.path).find("new") != std::string::npos);
}

constexpr const char* kQkv = "accelerators/qkv/QKV.taidl";
constexpr const char* kQkvNew = "accelerators/qkv_new/QKV_new.taidl";
INSTANTIATE_TEST_SUITE_P(All, Renaming,
                         ::testing::Values(Case{kQkv, 16, "bf16"}, Case{kQkv, 48, "bf16"},
                                           Case{kQkv, 96, "bf16"}, Case{kQkv, 128, "bf16"},
                                           Case{kQkv, 64, "f16"}, Case{kQkv, 64, "f32"},
                                           Case{kQkv, 48, "s32"}, Case{kQkvNew, 16, "f32"},
                                           Case{kQkvNew, 48, "f16"}, Case{kQkvNew, 96, "bf16"},
                                           Case{kQkvNew, 128, "bf16"}, Case{kQkvNew, 64, "s32"}));

TEST(Reordering, TenOrdersOfTheInstructionsGiveTheSameCounts) {
  for (const char* path : {kQkv, kQkvNew}) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      isa::Accelerator accelerator = Variant(path, 64, "bf16", seed % 2 == 1);
      Random random(seed);
      auto& list = accelerator.instructions;
      for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.Below(i)]);
      ExpectCounts(accelerator, 64, "bf16", path == kQkvNew);
    }
  }
}

}  // namespace
}  // namespace act::backend
