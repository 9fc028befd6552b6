// In place of the proto reader where protozero was not installed.
#include "hlo/proto_read.h"

namespace act::hlo {

StatusOr<Module> ParseProto(std::string_view, const ParseOptions&, std::string_view name) {
  return Error(ErrorClass::kEnvironment, "hlo-proto-missing",
               "'" + std::string(name) +
                   "' is an HLO proto, and this build has no reader for them; give HLO text, or install "
                   "libprotozero-dev (scripts/setup) and build again");
}

}  // namespace act::hlo
