// Whole processes, as a user starts them: `act generate`, and a generated backend compiling attention with
// and without verification (foundation table, row 9).
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace {

// Runs a program silently; ends the benchmark if it fails.
void RunProgram(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  int status = -1;
  if (posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ) == 0) waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "bench_e2e: %s failed\n", command[0].c_str());
    std::exit(1);
  }
}

double Milliseconds(const std::vector<std::string>& command) {
  return 1e3 * act::bench::MedianSeconds([&] { RunProgram(command); }, 21);
}

}  // namespace

int main() {
  const std::string source = ACT_SOURCE_DIR, build = ACT_BINARY_DIR;
  const std::string folder = build + "/bench";
  mkdir(folder.c_str(), 0755);
  const std::string spec = source + "/accelerators/qkv/QKV.taidl";
  const std::string kernel = source + "/accelerators/qkv/kernels/attention.hlo";
  const std::string backend = folder + "/backends/QKV", output = folder + "/attention.py";
  const std::vector<std::string> generate{build + "/bin/act", "generate", spec, "--base-dir", folder};
  RunProgram(generate);
  const std::vector<std::string> compile{backend, "--input", kernel, "--output", output};
  std::vector<std::string> unverified = compile;
  unverified.push_back("--no-verify");
  act::bench::Report report;
  report.Judge("generate QKV", Milliseconds(generate), "ms", 50);
  report.Judge("compile attention, verified", Milliseconds(compile), "ms", 30);
  report.Judge("compile attention, not verified", Milliseconds(unverified), "ms", 10);
  return report.Finish();
}
