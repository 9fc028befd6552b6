// What the handles of the C ABI hold, and results to and from C. Internal to src/capi.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "assembly/assembly.h"
#include "capi/capi.h"
#include "isa/isa.h"
#include "support/support.h"

struct act_error {
  std::vector<act::Diagnostic> diagnostics;
  std::vector<std::string> rendered;
};
struct act_text {
  std::string text;
};
struct act_accelerator {
  act::isa::Accelerator value;
};
struct act_program {
  const act_accelerator* accelerator = nullptr;
  act::assembly::Program value;
  std::vector<act::assembly::Statement> open;  // loops whose bodies are being given
  std::vector<std::string> loops;              // their variables
};

namespace act::capi {

// null if ok.
act_error* ToC(const Status& status);
// null if empty.
act_error* ToC(std::vector<Diagnostic> diagnostics);
inline std::string FromC(act_string s) { return s.size == 0 ? std::string() : std::string(s.data, s.size); }
std::vector<std::string> FromC(const act_string* list, size_t count);
inline act_string ToC(std::string_view s) { return {s.data(), s.size()}; }
SourceLocation FromC(const act_place* place);
inline act_text* NewText(std::string text) { return new act_text{std::move(text)}; }

}  // namespace act::capi
