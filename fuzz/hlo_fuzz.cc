// Fuzz target of the HLO reader: any text is read or refused; what is read verifies, prints, and reads back
// equal; flattening it answers, and what it gives infers the shapes it states.
#include <cstdio>
#include <cstdlib>

#include "hlo/hlo.h"
#include "support/support.h"

namespace {

[[noreturn]] void Fail(const char* what, const std::string& detail) {
  std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
  std::abort();
}

void CheckFlat(const act::hlo::FlatKernel& kernel) {
  for (const act::hlo::Instruction& instruction : kernel.body.instructions) {
    const act::StatusOr<act::Shape> shape = act::hlo::InferShape(instruction, kernel.body, nullptr);
    if (!shape.ok()) Fail("flat kernel does not infer", shape.status().message());
    if (!act::SameTypeAndDims(*shape, instruction.shape))
      Fail("flat kernel has another shape", instruction.name);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const act::SourceText source("fuzz.hlo", std::string(reinterpret_cast<const char*>(data), size));
  const act::StatusOr<act::hlo::Module> module = act::hlo::Parse(source);
  if (!module.ok()) {
    for (const act::Diagnostic& d : module.status().diagnostics()) {
      if (d.location.line < 1 || d.message.empty()) Fail("diagnostic without place or text", d.message);
    }
    return 0;
  }
  const act::Status verified = act::hlo::Verify(*module, &source);
  if (!verified.ok()) Fail("read but not verified", verified.message());
  const std::string printed = act::hlo::Print(*module);
  const act::StatusOr<act::hlo::Module> again = act::hlo::Parse(act::SourceText("printed.hlo", printed));
  if (!again.ok()) Fail("printed text is refused", again.status().message() + "\n" + printed);
  if (!act::hlo::SameModule(*module, *again)) Fail("printed text reads back differently", printed);
  if (act::hlo::Print(*again) != printed) Fail("printing is not stable", printed);
  const act::StatusOr<act::hlo::FlatKernel> kernel = act::hlo::Flatten(*module);
  if (kernel.ok()) CheckFlat(*kernel);
  return 0;
}
