// Fuzz target of the HLO proto reader: any bytes are read or refused; what is read verifies, prints, and the
// text reads back as the same module; flattening it answers.
#include <cstdio>
#include <cstdlib>

#include "hlo/hlo.h"
#include "support/support.h"

namespace {

[[noreturn]] void Fail(const char* what, const std::string& detail) {
  std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const act::StatusOr<act::hlo::Module> module =
      act::hlo::ParseProto({reinterpret_cast<const char*>(data), size});
  if (!module.ok()) {
    for (const act::Diagnostic& d : module.status().diagnostics()) {
      if (d.location.file.empty() || d.message.empty()) Fail("diagnostic without place or text", d.message);
    }
    return 0;
  }
  const act::Status verified = act::hlo::Verify(*module);
  if (!verified.ok()) Fail("read but not verified", verified.message());
  const std::string printed = act::hlo::Print(*module);
  const act::StatusOr<act::hlo::Module> again = act::hlo::Parse(act::SourceText("printed.hlo", printed));
  if (!again.ok()) Fail("printed text is refused", again.status().message() + "\n" + printed);
  if (!act::hlo::SameModule(*module, *again)) Fail("printed text reads back differently", printed);
  const act::StatusOr<act::hlo::FlatKernel> kernel = act::hlo::Flatten(*module);
  if (!kernel.ok() && kernel.status().front().message.empty()) Fail("refused without a sentence", printed);
  return 0;
}
