// Text of addressing attributes: integer expressions over loop variables, in TAIDL's arithmetic
//. Internal to src/assembly.
#pragma once
#include <span>
#include <string>

#include "assembly/lexer.h"
#include "isa/isa.h"

namespace act::assembly {

enum class VariableStyle {
  kPlain,    // i
  kPercent,  // %i: the texts of the Python kernel API
};

// loops: names of the enclosing loops, outermost first. The shortest bracketing that reads back as the same
// tree.
std::string PrintAddress(const isa::Expression& expression, std::span<const std::string> loops,
                         VariableStyle style);
// Reads one expression at the cursor; the innermost loop of a name wins. An expression without variables
// whose value fits in 64 bits becomes that integer. Nesting is bounded.
StatusOr<isa::Expression> ParseAddress(TokenCursor& cursor, std::span<const std::string> loops,
                                       VariableStyle style);

}  // namespace act::assembly
