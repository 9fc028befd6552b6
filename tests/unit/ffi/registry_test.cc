// Kernels of a process: compiled once, found by a stable id, run by pointer. (tests/jax/test_jit.py calls
// them through XLA.)
#include "ffi/registry.h"

#include <gtest/gtest.h>

#include <thread>

namespace act::ffi {
namespace {

std::string MustRead(const std::string& path) {
  StatusOr<std::string> text = ReadFile(std::string(ACT_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(text.ok()) << path;
  return text.ok() ? *text : "";
}

const char kSpec[] = "accelerators/qkv/QKV.taidl";

StatusOr<int64_t> CompileEntry(Registry* registry, const std::string& name,
                               const Registry::Options& options = {}) {
  return registry->Compile(MustRead(kSpec), "QKV.taidl", MustRead("tests/data/jax/" + name + ".pb"), options);
}

TEST(Registry, EqualRequestsHaveOneId) {
  Registry registry, other;
  const StatusOr<int64_t> first = CompileEntry(&registry, "matmul");
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(*CompileEntry(&registry, "matmul"), *first);
  EXPECT_EQ(*CompileEntry(&other, "matmul"), *first);  // also in another process
  EXPECT_NE(*CompileEntry(&registry, "matmul_nt"), *first);
  const StatusOr<int64_t> relaxed = CompileEntry(&registry, "matmul", {select::Numerics::kRelaxed, 1, ""});
  ASSERT_TRUE(relaxed.ok());
  EXPECT_NE(*relaxed, *first);
}

TEST(Registry, RunsByPointer) {
  Registry registry;
  const StatusOr<int64_t> id = CompileEntry(&registry, "transpose");
  ASSERT_TRUE(id.ok()) << id.status().message();
  const auto kernel = registry.Find(*id);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(registry.Find(*id + 1), nullptr);
  std::vector<uint8_t> x(8192), y(8192, 0xff);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint8_t>(i * 7 + i / 256);
  const std::span<const uint8_t> inputs[] = {x};
  const std::span<uint8_t> outputs[] = {y};
  ASSERT_TRUE(Execute(*kernel, inputs, outputs).ok());
  for (size_t r = 0; r < 64; ++r) {
    for (size_t c = 0; c < 64; ++c) {
      ASSERT_EQ(y[(r * 64 + c) * 2], x[(c * 64 + r) * 2]);
      ASSERT_EQ(y[(r * 64 + c) * 2 + 1], x[(c * 64 + r) * 2 + 1]);
    }
  }
  const std::span<const uint8_t> short_inputs[] = {std::span<const uint8_t>(x).first(8190)};
  EXPECT_NE(
      Execute(*kernel, short_inputs, outputs).message().find("inputs do not have the number or the sizes"),
      std::string::npos);
  EXPECT_NE(Execute(*kernel, inputs, {}).message().find("outputs do not have"), std::string::npos);
}

TEST(Registry, ReportsWhatAKernelMoves) {
  Registry registry;
  const StatusOr<int64_t> id = CompileEntry(&registry, "matmul");
  ASSERT_TRUE(id.ok()) << id.status().message();
  const std::string& report = registry.Find(*id)->report;
  // Two matrices of 64x64 bf16 in, one out.
  EXPECT_NE(report.find("\"instructions\": 4,"), std::string::npos) << report;
  EXPECT_NE(report.find("\"bytes_moved\": 24576,"), std::string::npos) << report;
  EXPECT_NE(report.find("{\"kind\": \"input\""), std::string::npos) << report;
  EXPECT_NE(report.find("\"bytes\": 8192, \"shape\": \"bf16[64,64]\"}"), std::string::npos) << report;
  EXPECT_EQ(report.find('\n'), std::string::npos);
}

TEST(Registry, RefusalsAreTheCompilers) {
  Registry registry;
  const struct {
    const char* entry;
    const char* sentence;
  } kCases[] = {{"sort", "'sort'"}, {"relu", "'maximum'"}, {"add", "'add'"}};
  for (const auto& c : kCases) {
    const StatusOr<int64_t> id = CompileEntry(&registry, c.entry);
    ASSERT_FALSE(id.ok()) << c.entry;
    EXPECT_NE(id.status().message().find(c.sentence), std::string::npos) << id.status().message();
  }
  EXPECT_FALSE(
      registry.Compile("accelerator {", "Bad.taidl", MustRead("tests/data/jax/identity.pb"), {}).ok());
  EXPECT_FALSE(registry.Compile(MustRead(kSpec), "QKV.taidl", "not a proto", {}).ok());
}

TEST(Registry, ThreadsCompileAndRunAtOnce) {
  Registry registry;
  std::vector<int64_t> ids(4, 0);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < ids.size(); ++t) {
    threads.emplace_back([&, t] {
      const StatusOr<int64_t> id = CompileEntry(&registry, "identity");
      if (!id.ok()) return;
      std::vector<uint8_t> x(8192, static_cast<uint8_t>(t)), y(8192, 0xff);
      const std::span<const uint8_t> inputs[] = {x};
      const std::span<uint8_t> outputs[] = {y};
      if (Execute(*registry.Find(*id), inputs, outputs).ok() && x == y) ids[t] = *id;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(ids[0], 0);
  EXPECT_EQ(ids, std::vector<int64_t>(ids.size(), ids[0]));
}

}  // namespace
}  // namespace act::ffi
