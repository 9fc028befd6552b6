// Any bytes: the reader gives a module or faults with places. A module that reads prints to text that reads
// to the same text again, verifies, and flattens or is refused.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "hlo/hlo.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace act;
  const SourceText source("fuzz.hlo", std::string(reinterpret_cast<const char*>(data), size));
  const StatusOr<hlo::Module> module = hlo::Parse(source);
  if (!module.ok()) {
    if (module.status().front().message.empty()) std::abort();  // a failure says why
    return 0;
  }
  if (!hlo::Verify(module.value()).ok()) std::abort();
  const std::string printed = hlo::Print(module.value());
  const StatusOr<hlo::Module> again = hlo::Parse(SourceText("printed.hlo", printed));
  if (!again.ok() || hlo::Print(again.value()) != printed) std::abort();
  (void)hlo::Flatten(module.value());
  return 0;
}
