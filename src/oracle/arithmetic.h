// Exact arithmetic of a running program: 128 bits, with a record of what a 64-bit machine would not have
// computed alike. Internal to src/oracle.
#pragma once
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isa/isa.h"
#include "support/support.h"

namespace act::oracle {

// Warnings of one run: each sentence once for each place, at most kMaxWarnings.
class Warnings {
 public:
  void Add(const SourceLocation& location, const std::string& message);
  std::vector<Diagnostic> Take() { return std::move(list_); }

 private:
  static constexpr size_t kMaxWarnings = 100;
  std::set<std::pair<std::pair<int32_t, int32_t>, std::string>> seen_;
  std::vector<Diagnostic> list_;
};

struct WideEnvironment {
  std::span<const int128_t> computational, addressing, state;
};

enum class Fault : uint8_t { kNone, kDivisionByZero, kTooWide, kUnknownAttribute };
std::string_view FaultText(Fault fault);

struct WideResult {
  int128_t value = 0;
  Fault fault = Fault::kNone;
  bool negative_remainder = false;  // a % had a negative operand
};
WideResult EvaluateWide(const isa::Expression& expression, const WideEnvironment& environment);

struct ConditionResult {
  bool holds = false;
  Fault fault = Fault::kNone;
  bool negative_remainder = false;
};
ConditionResult EvaluateWide(const isa::Condition& condition, const WideEnvironment& environment);

inline bool FitsIn64(int128_t value) { return value == static_cast<int64_t>(value); }
std::string ToString(int128_t value);

}  // namespace act::oracle
