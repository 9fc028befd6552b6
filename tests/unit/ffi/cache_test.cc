// The cache of kernels on disk: entries are whole or not there, whatever happens while they are written.
#include "ffi/cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "ffi/registry.h"

namespace act::ffi {
namespace {

namespace fs = std::filesystem;

std::string MustRead(const std::string& path) {
  StatusOr<std::string> text = ReadFile(path);
  EXPECT_TRUE(text.ok()) << path;
  return text.ok() ? *text : "";
}

class CacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "act_cache_" + std::to_string(getpid()) + "_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<std::string> Entries() const {
    std::vector<std::string> entries;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_, error)) {
      if (entry.path().extension() == ".kernel") entries.push_back(entry.path().string());
    }
    return entries;
  }
  // Compiles an entry of the corpus with the cache; the kernel, or null.
  std::shared_ptr<const Kernel> Compile(const std::string& name) const {
    const std::string root = ACT_SOURCE_DIR;
    Registry registry;
    Registry::Options options;
    options.cache_folder = folder_;
    const StatusOr<int64_t> id =
        registry.Compile(MustRead(root + "/accelerators/qkv/QKV.taidl"), "QKV.taidl",
                         MustRead(root + "/tests/data/jax/" + name + ".pb"), options);
    return id.ok() ? registry.Find(*id) : nullptr;
  }
  std::string folder_;
};

TEST_F(CacheTest, KernelsComeBack) {
  ASSERT_FALSE(BuildId().empty());
  EXPECT_EQ(BuildId(), BuildId());
  const auto first = Compile("attention_plain");
  ASSERT_NE(first, nullptr);
  EXPECT_FALSE(first->from_disk);
  const auto second = Compile("attention_plain");
  EXPECT_TRUE(second->from_disk);
  EXPECT_EQ(second->assembly, first->assembly);
  EXPECT_EQ(second->report, first->report);
  EXPECT_EQ(second->times, "{}");
  EXPECT_NE(first->times, "{}");
  EXPECT_EQ(assembly::PrintNative(second->target->accelerator, second->program), first->assembly);
  EXPECT_FALSE(Compile("matmul")->from_disk);
  EXPECT_EQ(Entries().size(), 2u);
  std::vector<std::vector<uint8_t>> x(3, std::vector<uint8_t>(8192, 0x3d));
  std::vector<uint8_t> y(8192), z(8192, 1);
  const std::span<const uint8_t> inputs[] = {x[0], x[1], x[2]};
  const std::span<uint8_t> outputs[] = {y}, others[] = {z};
  ASSERT_TRUE(Execute(*first, inputs, outputs).ok());
  ASSERT_TRUE(Execute(*second, inputs, others).ok());
  EXPECT_EQ(y, z);
}

TEST_F(CacheTest, DamagedEntriesAreAsIfNotThere) {
  const auto first = Compile("identity");
  ASSERT_NE(first, nullptr);
  ASSERT_EQ(Entries().size(), 1u);
  const std::string path = Entries()[0], entry = MustRead(path);
  for (size_t size = 0; size < entry.size(); size += 7) {
    ASSERT_TRUE(WriteFileAtomically(path, entry.substr(0, size)).ok());
    const auto kernel = Compile("identity");
    ASSERT_NE(kernel, nullptr);
    EXPECT_FALSE(kernel->from_disk) << size;
    EXPECT_EQ(MustRead(path), entry);  // written anew
  }
  for (size_t at = 0; at < entry.size(); at += 13) {
    std::string changed = entry;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    ASSERT_TRUE(WriteFileAtomically(path, changed).ok());
    EXPECT_FALSE(Compile("identity")->from_disk) << at;
  }
}

TEST_F(CacheTest, AFolderThatCannotBeWrittenCostsTimeOnly) {
  folder_ = "/proc/no/such/folder";
  const auto kernel = Compile("identity");
  ASSERT_NE(kernel, nullptr);
  EXPECT_FALSE(kernel->from_disk);
}

// A child compiles; its exit status is 0 if it has the kernel's text.
pid_t StartCompile(const std::function<bool()>& compile) {
  const pid_t child = fork();
  if (child == 0) _exit(compile() ? 0 : 1);
  return child;
}

TEST_F(CacheTest, KilledCompilesLeaveNoBrokenEntry) {
  const auto wanted = Compile("matmul_nt");
  ASSERT_NE(wanted, nullptr);
  Random random(3);
  int killed = 0;
  for (int i = 0; i < 50; ++i) {
    fs::remove_all(folder_);
    const pid_t child = StartCompile([this] { return Compile("matmul_nt") != nullptr; });
    ASSERT_GT(child, 0);
    usleep(static_cast<useconds_t>(random.Below(static_cast<uint64_t>(i) * 400 + 100)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status) ? 1 : 0;
    for (const std::string& path : Entries()) {
      const std::string entry = MustRead(path);
      EXPECT_TRUE(entry.ends_with("\n" + wanted->report + "\n" + wanted->assembly));
    }
  }
  EXPECT_EQ(Compile("matmul_nt")->assembly, wanted->assembly);
  EXPECT_GT(killed, 0);
}

TEST_F(CacheTest, FourProcessesOnAColdCacheAgree) {
  const auto wanted = Compile("attention_plain");
  ASSERT_NE(wanted, nullptr);
  fs::remove_all(folder_);
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(StartCompile([&] {
      const auto kernel = Compile("attention_plain");
      return kernel != nullptr && kernel->assembly == wanted->assembly;
    }));
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(Entries().size(), 1u);
  EXPECT_TRUE(Compile("attention_plain")->from_disk);
}

}  // namespace
}  // namespace act::ffi
