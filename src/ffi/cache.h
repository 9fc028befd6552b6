// Compiled kernels on disk. Internal to this folder.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "support/support.h"

namespace act::ffi {

// What the linker wrote into the library (or program) that holds this code, in hexadecimal: it changes with
// every change of the compiler. Empty where there is none.
std::string BuildId();

// A folder of entries, one a file, written whole or not at all. An entry that is missing, damaged or of
// another form is as if it were not there.
class DiskCache {
 public:
  explicit DiskCache(std::string folder) : folder_(std::move(folder)) {}
  std::optional<std::string> Load(std::string_view key) const;
  // Makes the folder where it is missing.
  Status Store(std::string_view key, std::string_view text) const;
  std::string PathOf(std::string_view key) const;

 private:
  std::string folder_;
};

}  // namespace act::ffi
