// Any bytes: the reader gives an accelerator or faults with places. One that reads is checked without a crash
// and prints to text that reads to an equal accelerator.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "isa/isa.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace act;
  const SourceText source("fuzz.taidl", std::string(reinterpret_cast<const char*>(data), size));
  const StatusOr<isa::Accelerator> accelerator = isa::ParseTaidl(source);
  if (!accelerator.ok()) {
    if (accelerator.status().front().message.empty()) std::abort();  // a failure says why
    return 0;
  }
  (void)isa::Check(accelerator.value());
  const std::string printed = isa::PrintTaidl(accelerator.value());
  const StatusOr<isa::Accelerator> again = isa::ParseTaidl(SourceText("printed.taidl", printed));
  if (!again.ok() || isa::PrintTaidl(again.value()) != printed) std::abort();
  return 0;
}
