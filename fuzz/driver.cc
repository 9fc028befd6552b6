// Runs a fuzz target without libFuzzer, reproducibly:
//
//   fuzz_x [--inputs=N] [--seed=S] [--only=I] [--keep=DIR] CORPUS_DIR
//
// replays the files below CORPUS_DIR in the order of their names, then N inputs made from them by random
// changes. Input I depends on the corpus, S and I alone. A child process does the work; if it ends badly, or
// one input takes more than ten seconds, the parent says which input it was, writes it to DIR and exits with
// status 1.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "support/support.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace act::fuzz {
namespace {

constexpr size_t kMaxBytes = 64 * 1024;
constexpr unsigned kSecondsAnInput = 10;

struct Options {
  int64_t inputs = 0;
  uint64_t seed = 1;
  int64_t only = -1;
  std::string keep = ".";
  std::string corpus;
};

template <typename T>
bool TakeNumber(std::string_view argument, std::string_view prefix, T* value) {
  if (argument.substr(0, prefix.size()) != prefix) return false;
  const std::string_view digits = argument.substr(prefix.size());
  return std::from_chars(digits.data(), digits.data() + digits.size(), *value).ec == std::errc();
}

bool ParseOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (TakeNumber(argument, "--inputs=", &options->inputs) ||
        TakeNumber(argument, "--seed=", &options->seed) || TakeNumber(argument, "--only=", &options->only)) {
      continue;
    }
    if (argument.substr(0, 7) == "--keep=") {
      options->keep = argument.substr(7);
    } else if (argument.substr(0, 1) == "-" || !options->corpus.empty()) {
      return false;
    } else {
      options->corpus = argument;
    }
  }
  return !options->corpus.empty();
}

std::vector<std::string> ReadCorpus(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  // Symbolic links bring in folders of texts that stand elsewhere in the tree.
  for (fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink, error),
       end;
       !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(error)) names.push_back(entry->path().string());
  }
  std::sort(names.begin(), names.end());
  std::vector<std::string> texts;
  for (const std::string& name : names) {
    StatusOr<std::string> text = ReadFile(name);
    if (text.ok()) texts.push_back(std::move(text).value());
  }
  return texts;
}

// What goes wrong in readers: brackets, numbers at limits, keywords in the wrong place.
constexpr std::array<std::string_view, 28> kTokens = {"{",    "}",  "(",    ")",
                                                      "[",    "]",  ",",    "=",
                                                      ":",    "->", "-",    "9223372036854775807",
                                                      "-1",   "0",  "1e99", "nan",
                                                      "-inf", "%",  "@c.",  "@a.",
                                                      "ROOT", "/*", "//",   "\"",
                                                      "bf16", "\n", "\\",   std::string_view("\0", 1)};

void ChangeOnce(const std::vector<std::string>& corpus, Random* random, std::string* text) {
  const size_t at = random->Below(text->size() + 1);
  const size_t length =
      std::min<size_t>(random->Below(random->Below(4) == 0 ? 200 : 8) + 1, text->size() - at);
  switch (random->Below(8)) {
    case 0:  // flip a bit
      if (at < text->size()) (*text)[at] = static_cast<char>((*text)[at] ^ (1 << random->Below(8)));
      break;
    case 1:
      text->erase(at, length);
      break;
    case 2:
      text->insert(at, std::string(text->substr(at, length)));
      break;
    case 3:
      text->insert(at, std::string(kTokens[random->Below(kTokens.size())]));
      break;
    case 4:
      text->replace(at, length, kTokens[random->Below(kTokens.size())]);
      break;
    case 5: {  // a piece of another text
      const std::string& other = corpus[random->Below(corpus.size())];
      const size_t from = random->Below(other.size() + 1);
      text->insert(at, other.substr(from, random->Below(80)));
      break;
    }
    case 6:  // deep nesting
      text->insert(at, std::string(random->Below(2000), "([{"[random->Below(3)]));
      break;
    default:  // another digit
      for (size_t i = at; i < text->size(); ++i) {
        if ((*text)[i] >= '0' && (*text)[i] <= '9') {
          (*text)[i] = static_cast<char>('0' + random->Below(10));
          break;
        }
      }
      break;
  }
}

// Inputs before corpus.size() are the corpus itself.
std::string MakeInput(const std::vector<std::string>& corpus, uint64_t seed, int64_t index) {
  const auto position = static_cast<size_t>(index);
  if (position < corpus.size()) return corpus[position];
  Random random(HashCombine(seed, position));
  std::string text = corpus[random.Below(corpus.size())];
  const uint64_t changes = 1 + random.Below(6);
  for (uint64_t i = 0; i < changes; ++i) ChangeOnce(corpus, &random, &text);
  if (text.size() > kMaxBytes) text.resize(kMaxBytes);
  return text;
}

void RunOne(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

int ReportFailure(const Options& options, const std::vector<std::string>& corpus, int64_t index, int status) {
  const std::string path = options.keep + "/fuzz-failure-" + std::to_string(index);
  const bool written = WriteFileAtomically(path, MakeInput(corpus, options.seed, index)).ok();
  std::fprintf(stderr, "input %lld (--only=%lld) ended with %s %d; the input is %s%s\n",
               static_cast<long long>(index), static_cast<long long>(index),
               WIFSIGNALED(status) ? "signal" : "status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
               written ? "in " : "not written to ", path.c_str());
  return 1;
}

int Run(const Options& options) {
  const std::vector<std::string> corpus = ReadCorpus(options.corpus);
  if (corpus.empty()) {
    std::fprintf(stderr, "no files in %s\n", options.corpus.c_str());
    return 1;
  }
  if (options.only >= 0) {
    RunOne(MakeInput(corpus, options.seed, options.only));
    return 0;
  }
  void* shared = mmap(nullptr, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    std::fprintf(stderr, "mmap: %s\n", std::strerror(errno));
    return 1;
  }
  auto* current = static_cast<volatile int64_t*>(shared);
  const int64_t total = static_cast<int64_t>(corpus.size()) + options.inputs;
  const pid_t child = fork();
  if (child == 0) {
    for (int64_t i = 0; i < total; ++i) {
      *current = i;
      alarm(kSecondsAnInput);
      RunOne(MakeInput(corpus, options.seed, i));
    }
    std::exit(0);
  }
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    std::fprintf(stderr, "fork: %s\n", std::strerror(errno));
    return 1;
  }
  if (status != 0) return ReportFailure(options, corpus, *current, status);
  std::printf("%zu corpus files, %lld seeded inputs\n", corpus.size(),
              static_cast<long long>(options.inputs));
  return 0;
}

}  // namespace
}  // namespace act::fuzz

int main(int argc, char** argv) {
  act::fuzz::Options options;
  if (!act::fuzz::ParseOptions(argc, argv, &options)) {
    std::fprintf(stderr, "usage: %s [--inputs=N] [--seed=S] [--only=I] [--keep=DIR] CORPUS_DIR\n", argv[0]);
    return 1;
  }
  return act::fuzz::Run(options);
}
