// Internal: what a compile says about itself under --verbose, --stats and --log.
#pragma once
#include "backend/backend.h"

namespace act::cli {

// Lines: limits reached, dropped candidates, steps that are not exact, verification.
std::string ReportText(const backend::CompileReport& report);
// --stats: counts and the time of each stage.
std::string StatsText(const backend::CompileReport& report);
std::string StatsJson(const backend::CompileReport& report);
// "text" with JSON's escapes.
std::string JsonString(std::string_view text);

}  // namespace act::cli
