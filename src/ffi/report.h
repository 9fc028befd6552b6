// What act.jax.report says about a kernel. Internal to this folder.
#pragma once
#include <string>

#include "backend/backend.h"

namespace act::ffi {

// One line of JSON: instructions, cost, hbm_bytes, hbm_map, bytes_moved, inexact_steps, verification. The
// same request gives the same line.
std::string ReportJson(const isa::Accelerator& accelerator, const assembly::Program& program,
                       const backend::CompileReport& report);
// {"stage": milliseconds, ...}.
std::string TimesJson(const backend::CompileReport& report);

// Bytes that the program's calls read from HBM and write to it, loops by iteration.
StatusOr<int64_t> BytesMoved(const isa::Accelerator& accelerator, const assembly::Program& program);

}  // namespace act::ffi
