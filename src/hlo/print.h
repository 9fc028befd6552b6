// Printer of HLO text; Parse(Print(m)) gives the same module and Print is stable.
#pragma once
#include <string>

#include "hlo/module.h"

namespace act::hlo {

std::string Print(const Module& module);
std::string Print(const Computation& computation, const Module& module);

}  // namespace act::hlo
