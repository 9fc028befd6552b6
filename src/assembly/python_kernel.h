// The published Python kernel format, written and read in C++; reading never
// executes it.
#pragma once
#include <span>

#include "assembly/program.h"

namespace act::assembly {

struct PythonKernelHeader {
  std::string input_file;  // base name of the kernel file
  int64_t candidate = 1;
};
// Loops print as api.start_loop / api.end_loop.
std::string PrintPythonKernel(const isa::Accelerator& accelerator, const Program& program,
                              const PythonKernelHeader& header);
// Reads exactly the subset that the published tools write plus api.start_loop, end_loop and debug, with any
// spacing, comments, and positional or keyword arguments.
StatusOr<Program> ParsePythonKernel(const isa::Accelerator& accelerator, const SourceText& source);

// Values of addressing attributes as the kernel API takes them. A text such as "%i*64 + 128"; loops:
// variables of the enclosing loops, outermost first.
StatusOr<AttributeValue> ParseAddressText(const SourceText& text, std::span<const std::string> loops);
// An integer that may lie beyond 64 bits, where an expression node ends: as a sum of products.
AttributeValue WideValue(int128_t value);

}  // namespace act::assembly
