// Shortcuts of the tests that compile kernels.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "backend/backend.h"

namespace act::testing {

// An accelerator of the repository, by path from its root.
inline isa::Accelerator ReadAccelerator(const std::string& path) {
  auto text = ReadFile(std::string(ACT_SOURCE_DIR) + "/" + path);
  if (!text.ok()) ADD_FAILURE() << text.status().message();
  auto accelerator = isa::ParseTaidl(SourceText(path, text.ok() ? *text : ""));
  if (!accelerator.ok()) {
    ADD_FAILURE() << accelerator.status().message();
    return isa::MakeAccelerator("none");
  }
  return *std::move(accelerator);
}

inline StatusOr<backend::Compiled> CompileText(const isa::Accelerator& accelerator,
                                               select::Selector* selector, const std::string& name,
                                               const std::string& text,
                                               const backend::CompileOptions& options = {}) {
  ACT_ASSIGN_OR_RETURN(const hlo::Module module, hlo::Parse(SourceText(name + ".hlo", text)));
  return backend::Compile(accelerator, selector, module, options);
}

}  // namespace act::testing
