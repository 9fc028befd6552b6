// A generated backend is the engine's executable with a package appended: the checked spec as `.taidl` text
// and, where generation was given one, the cost model.
//
//   engine bytes | spec | cost library | cost path | trailer (magic, three sizes, checksum; little-endian)
#pragma once
#include <optional>
#include <string>

#include "isa/isa.h"

namespace act::backend {

struct Package {
  std::string spec;          // canonical `.taidl` text
  std::string cost_library;  // bytes of a shared library; empty: none
  std::string cost_path;     // absolute path of a shared library that stays where it is; empty: none
};

// The package at the end of an executable; nullopt if there is none. A damaged package is a failure.
StatusOr<std::optional<Package>> ReadPackage(const std::string& executable);
// Writes engine + package to `output` (mode 0755), completely or not at all. A package that the engine
// already carries is replaced.
Status WriteBackend(const std::string& engine, const Package& package, const std::string& output);

}  // namespace act::backend
