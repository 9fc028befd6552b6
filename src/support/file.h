// Whole files: read, and write completely or not at all.
#pragma once
#include <string>
#include <string_view>

#include "support/status.h"

namespace act {

StatusOr<std::string> ReadFile(const std::string& path);
// Writes to a temporary file in the same directory and renames it, so that a reader never sees a part and
// a failure leaves an existing file as it was. mode: permission bits of the new file.
Status WriteFileAtomically(const std::string& path, std::string_view contents, int mode = 0644);

}  // namespace act
