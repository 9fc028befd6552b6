// Native assembly text, `.asm`. Grammar: docs/assembly.md. ParseNative(PrintNative(p)) == p.
#pragma once
#include "assembly/program.h"

namespace act::assembly {

std::string PrintNative(const isa::Accelerator& accelerator, const Program& program);
StatusOr<Program> ParseNative(const isa::Accelerator& accelerator, const SourceText& source);
// The name after "target" in the text, without reading the rest.
StatusOr<std::string> NativeTarget(const SourceText& source);

}  // namespace act::assembly
