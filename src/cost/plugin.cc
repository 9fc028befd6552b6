#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "cost/cost.h"

namespace act::cost {
namespace {

using CostFunction = int (*)(const char*, double*);

class Plugin final : public Model {
 public:
  explicit Plugin(CostFunction function) : function_(function) {}

  StatusOr<double> Cost(const isa::Accelerator&, const assembly::Program&,
                        const std::string& assembly_text) override {
    ACT_ASSIGN_OR_RETURN(const std::string folder, TemporaryFolder());
    const std::string path = folder + "/candidate.py";
    const Status written = WriteFileAtomically(path, assembly_text);
    double value = std::numeric_limits<double>::quiet_NaN();
    int result = -1;
    bool thrown = false;
    try {
      if (written.ok()) result = function_(path.c_str(), &value);
    } catch (...) {  // the user's code, which may be C++
      thrown = true;
    }
    unlink(path.c_str());
    rmdir(folder.c_str());
    ACT_RETURN_IF_ERROR(written);
    if (thrown) {
      return Error(ErrorClass::kRuntime, "cost-failed", "the cost model act_cost threw an exception");
    }
    if (result != 0) {
      return Error(ErrorClass::kRuntime, "cost-failed",
                   "the cost model act_cost returned " + std::to_string(result));
    }
    if (!std::isfinite(value)) {
      return Error(
          ErrorClass::kRuntime, "cost-value",
          "the cost model act_cost left a cost that is not a finite number; return a large finite cost "
          "for a candidate it cannot evaluate");
    }
    return value;
  }
  bool IsAdditive(const isa::Accelerator&) const override { return false; }

 private:
  static StatusOr<std::string> TemporaryFolder() {
    const char* base = std::getenv("TMPDIR");
    std::string name = std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/act-cost-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      return Error(
          ErrorClass::kEnvironment, "file",
          "cannot make a temporary folder '" + name + "' for the cost model: " + std::strerror(errno));
    }
    return name;
  }
  CostFunction function_;
};

StatusOr<std::unique_ptr<Model>> Open(const std::string& path, const std::string& shown) {
  // Never closed: the library may have registered exit handlers.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error(ErrorClass::kRuntime, "cost-library",
                 "cannot load the cost model " + shown + ": " + dlerror());
  }
  // An exception of the model's meets two copies of the unwinder, the library's and, in a program that
  // carries its C++ runtime, our own; ours gets its tables at the first exception it sees.
  try {
    throw 0;
  } catch (int) {
  }
  void* symbol = dlsym(library, "act_cost");
  if (symbol == nullptr) {
    dlclose(library);
    return Error(
        ErrorClass::kRuntime, "cost-library",
        "the cost model " + shown + " has no function act_cost(const char*, double*) with C linkage");
  }
  CostFunction function;
  std::memcpy(&function, &symbol, sizeof function);
  return std::unique_ptr<Model>(std::make_unique<Plugin>(function));
}

bool EndsWith(const std::string& text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

// Runs a command without a shell; its output goes to `log`. -1: it could not be started.
int RunCommand(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

StatusOr<std::unique_ptr<Model>> LoadPlugin(const std::string& path) { return Open(path, "'" + path + "'"); }

StatusOr<std::unique_ptr<Model>> LoadPluginFromBytes(std::string_view shared_library) {
  const int fd = memfd_create("act_cost", MFD_CLOEXEC);
  if (fd < 0) {
    return Error(ErrorClass::kEnvironment, "cost-library",
                 std::string("cannot make an anonymous file for the cost model: ") + std::strerror(errno));
  }
  size_t done = 0;
  while (done < shared_library.size()) {
    const ssize_t n = write(fd, shared_library.data() + done, shared_library.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      close(fd);
      return Error(ErrorClass::kEnvironment, "cost-library",
                   std::string("cannot write the cost model to memory: ") + std::strerror(errno));
    }
    done += static_cast<size_t>(n);
  }
  auto model = Open("/proc/self/fd/" + std::to_string(fd), "carried in this file");
  // An open descriptor keeps its number, and with it the path by which the C library knows this library: the
  // next model of the same process would else be taken for this one.
  if (!model.ok()) close(fd);
  return model;
}

StatusOr<PluginFile> PreparePlugin(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) {
    return Error(ErrorClass::kValue, "cost-file",
                 "cost model '" + path + "' cannot be read: " + std::strerror(errno));
  }
  PluginFile file;
  if (EndsWith(path, ".so")) {
    char resolved[PATH_MAX];
    if (realpath(path.c_str(), resolved) == nullptr) {
      return Error(ErrorClass::kValue, "cost-file", "cost model '" + path + "' has no absolute path");
    }
    file.absolute_path = resolved;
    ACT_RETURN_IF_ERROR(LoadPlugin(file.absolute_path).status());
    return file;
  }
  if (!EndsWith(path, ".o") && !EndsWith(path, ".a")) {
    return Error(
        ErrorClass::kValue, "cost-file",
        "cost model '" + path + "' must be an object file .o, a static library .a or a shared library .so");
  }
  char folder[] = "/tmp/act-link-XXXXXX";
  if (mkdtemp(folder) == nullptr) {
    return Error(ErrorClass::kEnvironment, "file",
                 std::string("cannot make a temporary folder: ") + std::strerror(errno));
  }
  const std::string library = std::string(folder) + "/cost.so", log = std::string(folder) + "/log";
  std::vector<std::string> command{"cc", "-shared", "-Wl,-z,defs", "-o", library};
  if (EndsWith(path, ".a")) {
    command.insert(command.end(), {"-Wl,--whole-archive", path, "-Wl,--no-whole-archive"});
  } else {
    command.push_back(path);
  }
  command.insert(command.end(), {"-lstdc++", "-lm"});
  const int result = RunCommand(command, log);
  Status status;
  if (result == 0) {
    auto bytes = ReadFile(library);
    if (bytes.ok()) {
      file.shared_library = *std::move(bytes);
      status = LoadPluginFromBytes(file.shared_library).status();
    } else {
      status = bytes.status();
    }
  } else if (result < 0 || result == 127) {
    status =
        Error(ErrorClass::kRuntime, "cost-link",
              "linking cost model '" + path + "' needs the C compiler 'cc', which was not found on PATH");
  } else {
    const auto output = ReadFile(log);
    status = Error(ErrorClass::kRuntime, "cost-link",
                   "cost model '" + path +
                       "' does not link as a shared library (build it with -fPIC, without "
                       "unresolved names): " +
                       (output.ok() ? *output : std::string()));
  }
  unlink(library.c_str());
  unlink(log.c_str());
  rmdir(folder);
  if (!status.ok()) return status;
  return file;
}

}  // namespace act::cost
