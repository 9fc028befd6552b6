// Internal: programs and raw tensor files.
#pragma once
#include <string>
#include <vector>

#include "assembly/assembly.h"

namespace act::cli {

// A program by its suffix: .asm, or .py in the published kernel format (read, never executed).
StatusOr<assembly::Program> LoadProgram(const std::string& path, const isa::Accelerator& accelerator);
// Raw little-endian elements, row-major; the size must be the shape's.
StatusOr<Literal> LoadTensor(const std::string& path, const assembly::HbmTensor& tensor, size_t number);
// "bf16[64,64], min -2.5, max 3, first 0.5 1 ...".
std::string Summary(const Literal& value);

}  // namespace act::cli
