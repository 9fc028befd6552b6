// `act_cost` from object files, archives and shared libraries made by the system's C compiler.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>

#include "cost/cost.h"

namespace act::cost {
namespace {

class Plugin : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no C compiler";
    std::string name = ::testing::TempDir() + "act-plugin-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) Shell("rm -r '" + folder_ + "'");
  }
  static bool Shell(const std::string& command) {
    return std::system((command + " > /dev/null 2>&1").c_str()) == 0;
  }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  void Source(const std::string& text) const { std::ofstream(Path("cost.c")) << text; }
  // The file of that suffix from cost.c.
  std::string Make(const std::string& suffix, const std::string& flags = "-fPIC") const {
    const std::string source = "'" + Path("cost.c") + "'", object = "'" + Path("cost.o") + "'";
    bool ok = Shell("cc " + flags + " -c -o " + object + " " + source);
    if (suffix == ".a") ok = ok && Shell("ar rcs '" + Path("cost.a") + "' " + object);
    if (suffix == ".so") ok = ok && Shell("cc -shared -o '" + Path("cost.so") + "' " + object);
    EXPECT_TRUE(ok);
    return Path("cost" + suffix);
  }
  static StatusOr<std::unique_ptr<Model>> Load(const std::string& path) {
    ACT_ASSIGN_OR_RETURN(const PluginFile file, PreparePlugin(path));
    return file.shared_library.empty() ? LoadPlugin(file.absolute_path)
                                       : LoadPluginFromBytes(file.shared_library);
  }
  static StatusOr<double> Cost(Model* model, const std::string& text = "assembly\n") {
    return model->Cost(isa::MakeAccelerator("t"), {}, text);
  }
  std::string folder_;
};

// The length of the assembly: the file is there and whole.
const char kLength[] =
    "#include <stdio.h>\nint act_cost(const char* path, double* cost) {\n  FILE* f = fopen(path, \"r\");\n"
    "  if (!f) return 7;\n  long n = 0;\n  while (fgetc(f) != EOF) ++n;\n  fclose(f);\n  *cost = n + 0.5;\n"
    "  return 0;\n}\n";

TEST_F(Plugin, EveryKindOfFile) {
  for (const char* suffix : {".o", ".a", ".so"}) {
    SCOPED_TRACE(suffix);
    Source(kLength);
    const std::string path = Make(suffix);
    auto model = Load(path);
    ASSERT_TRUE(model.ok()) << model.status().message();
    EXPECT_FALSE((*model)->IsAdditive(isa::MakeAccelerator("t")));
    for (const std::string& text : {std::string("assembly\n"), std::string(100000, 'x'), std::string()}) {
      const auto cost = Cost(model->get(), text);
      ASSERT_TRUE(cost.ok()) << cost.status().message();
      EXPECT_DOUBLE_EQ(*cost, static_cast<double>(text.size()) + 0.5);
    }
  }
}

struct Value {
  const char* name;
  const char* body;
  bool finite;
  double cost;
};

// pitfall 142, 144
TEST_F(Plugin, ValuesAndFailures) {
  const Value values[] = {
      {"above 32 bits", "*cost = 1e300; return 0;", true, 1e300},
      {"negative", "*cost = -3; return 0;", true, -3},
      {"zero", "*cost = 0; return 0;", true, 0},
      {"not a number", "*cost = 0.0 / 0.0; return 0;", false, 0},
      {"infinite", "*cost = 1.0 / 0.0; return 0;", false, 0},
      {"unset", "return 0;", false, 0},
      {"non-zero", "*cost = 1; return 3;", false, 0},
  };
  int number = 0;
  for (const Value& v : values) {
    SCOPED_TRACE(v.name);
    Source(std::string("int act_cost(const char* path, double* cost) { (void)path; (void)cost; ") + v.body +
           " }\n");
    const std::string path = Make(".so");
    // A library of another name: the loader keeps those it has seen.
    const std::string fresh = Path("cost" + std::to_string(number++) + ".so");
    ASSERT_TRUE(Shell("mv '" + path + "' '" + fresh + "'"));
    auto model = Load(fresh);
    ASSERT_TRUE(model.ok()) << model.status().message();
    const auto cost = Cost(model->get());
    ASSERT_EQ(cost.ok(), v.finite);
    if (v.finite) {
      EXPECT_EQ(*cost, v.cost);
    } else {
      EXPECT_EQ(cost.status().front().error_class, ErrorClass::kRuntime);
    }
  }
}

TEST_F(Plugin, LibrariesOfOneProcessStayApart) {
  std::vector<std::unique_ptr<Model>> models;
  for (int i = 0; i < 3; ++i) {
    Source("int act_cost(const char* path, double* cost) { (void)path; *cost = " + std::to_string(i) +
           "; return 0; }\n");
    auto model = Load(Make(".o"));
    ASSERT_TRUE(model.ok()) << model.status().message();
    models.push_back(std::move(*model));
  }
  for (int i = 0; i < 3; ++i) {
    const auto cost = Cost(models[static_cast<size_t>(i)].get());
    ASSERT_TRUE(cost.ok());
    EXPECT_DOUBLE_EQ(*cost, i);
  }
}

struct Bad {
  const char* name;
  const char* source;
  const char* suffix;
  ErrorClass error_class;
  const char* named;
};

TEST_F(Plugin, BadFilesAreRefusedWithTheReason) {
  const Bad bad[] = {
      {"no function", "int other;\n", ".so", ErrorClass::kRuntime, "act_cost"},
      {"no function in an object", "int other;\n", ".o", ErrorClass::kRuntime, "act_cost"},
      {"an unresolved name",
       "int f(void);\nint act_cost(const char* p, double* c) { (void)p; *c = f(); return 0; }\n", ".o",
       ErrorClass::kRuntime, "does not link"},
      {"an unresolved name in an archive",
       "int f(void);\nint act_cost(const char* p, double* c) { (void)p; *c = f(); return 0; }\n", ".a",
       ErrorClass::kRuntime, "does not link"},
  };
  for (const Bad& b : bad) {
    SCOPED_TRACE(b.name);
    Source(b.source);
    const auto model = Load(Make(b.suffix));
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.status().front().error_class, b.error_class);
    EXPECT_NE(model.status().message().find(b.named), std::string::npos) << model.status().message();
  }
  std::ofstream(Path("text.o")) << "not an object file\n";
  std::ofstream(Path("text.so")) << "not a library\n";
  std::ofstream(Path("cost.py")) << "\n";
  EXPECT_EQ(PreparePlugin(Path("text.o")).status().front().error_class, ErrorClass::kRuntime);
  EXPECT_EQ(PreparePlugin(Path("text.so")).status().front().error_class, ErrorClass::kRuntime);
  EXPECT_EQ(PreparePlugin(Path("cost.py")).status().front().error_class, ErrorClass::kValue);
  EXPECT_EQ(PreparePlugin(Path("missing.o")).status().front().error_class, ErrorClass::kValue);
  EXPECT_FALSE(LoadPluginFromBytes("nothing").ok());
  EXPECT_FALSE(LoadPlugin(Path("missing.so")).ok());
}

TEST_F(Plugin, TemporaryFoldersAreRemovedAndTheirFailureIsNamed) {
  Source(kLength);
  auto model = Load(Make(".o"));
  ASSERT_TRUE(model.ok()) << model.status().message();
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ASSERT_TRUE(Shell("mkdir '" + Path("tmp") + "'"));
  setenv("TMPDIR", Path("tmp").c_str(), 1);
  EXPECT_TRUE(Cost(model->get()).ok());
  EXPECT_TRUE(Shell("rmdir '" + Path("tmp") + "'"));  // empty again
  const auto cost = Cost(model->get());
  EXPECT_FALSE(cost.ok());
  if (!cost.ok()) {
    EXPECT_EQ(cost.status().front().error_class, ErrorClass::kEnvironment);
  }
  if (before == nullptr) {
    unsetenv("TMPDIR");
  } else {
    setenv("TMPDIR", kept.c_str(), 1);
  }
}

}  // namespace
}  // namespace act::cost
