#include "bench/bench.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace act::bench {
namespace {

// WorkloadSeconds() on the reference machine (a two-core virtual server, idle), g++ 12 -O2.
constexpr double kReferenceSeconds = 0.0260;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What a compiler does all day: integer hashing with dependent loads over a table larger than the first-level
// cache, and some floating point.
uint64_t Work() {
  constexpr size_t kSize = size_t{1} << 16;
  std::vector<uint64_t> table(kSize);
  uint64_t state = 1;
  for (uint64_t& word : table) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    word = state;
  }
  double sum = 1.0;
  for (int i = 0; i < 4'000'000; ++i) {
    uint64_t& word = table[state >> 48];
    state = (state ^ word) * 0x9e3779b97f4a7c15ull;
    word += state >> 7;
    sum = sum * 0.999 + static_cast<double>(state >> 40);
  }
  return state ^ static_cast<uint64_t>(sum);
}

std::string Number(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6);
  return std::string(text, end.ptr);
}

void PrintRow(std::string_view name, double value, std::string_view unit, const std::string& ratio) {
  std::string line = "{\"name\": \"";
  line.append(name).append("\", \"value\": ").append(Number(value)).append(", \"unit\": \"");
  line.append(unit).append("\", \"ratio\": ").append(ratio).append("}\n");
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

double MedianSeconds(const std::function<void()>& body, int runs) {
  body();
  std::vector<double> seconds;
  for (int i = 0; i < runs; ++i) {
    const double start = Now();
    body();
    seconds.push_back(Now() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  const size_t middle = seconds.size() / 2;
  return seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
}

double WorkloadSeconds() {
  double best = 1e9;
  uint64_t seen = 0;
  for (int i = 0; i < 7; ++i) {
    const double start = Now();
    seen ^= Work();
    best = std::min(best, Now() - start);
  }
  // The result must be used, or the compiler may leave the work out.
  if (seen == 42) std::fputs("", stderr);
  return best;
}

double MachineFactor() { return WorkloadSeconds() / kReferenceSeconds; }

Report::Report() : factor_(MachineFactor()) {}

void Report::Judge(std::string_view name, double value, std::string_view unit, double limit) {
  const double ratio = value / (limit * factor_);
  PrintRow(name, value, unit, Number(ratio));
  if (!(ratio <= 1.0)) missed_.emplace_back(name);
}

void Report::Tell(std::string_view name, double value, std::string_view unit) {
  PrintRow(name, value, unit, "null");
}

int Report::Finish() {
  // Measured again: other work may have begun in between.
  const double factor = std::max(factor_, MachineFactor());
  if (factor > kBusy) {
    std::fprintf(stderr, "not judged: this machine is at %.2f times the reference's time (limit %.1f)\n",
                 factor, kBusy);
    return 0;
  }
  for (const std::string& name : missed_) std::fprintf(stderr, "missed: %s\n", name.c_str());
  return missed_.empty() ? 0 : 1;
}

}  // namespace act::bench
