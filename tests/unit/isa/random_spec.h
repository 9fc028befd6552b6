// Random accelerators that follow every rule of a spec, for property tests: same seed, same accelerator.
#pragma once
#include "isa/isa.h"

namespace act::isa {

Expression RandomExpression(Random* random, const NameTable& names, std::vector<AttributeKind> kinds,
                            int depth);
Condition RandomCondition(Random* random, const NameTable& names, int depth);
Accelerator RandomAccelerator(uint64_t seed);

}  // namespace act::isa
