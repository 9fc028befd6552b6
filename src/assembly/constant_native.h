// Shapes and constants in native text (docs/assembly.md), shared by programs and certificates. Internal to
// src/assembly.
#pragma once
#include <string>

#include "assembly/lexer.h"
#include "tensor/tensor.h"

namespace act::assembly {

// "bf16[64,64] = eye": patterns where one fits, else nested rows, else the bytes in hexadecimal.
std::string PrintNativeConstant(const Literal& literal);
StatusOr<Literal> ParseNativeConstant(TokenCursor& cursor);
// "bf16[64,64]"; dims >= 0, at most 64 of them.
StatusOr<Shape> ParseNativeShape(TokenCursor& cursor);
// An integer >= 0.
StatusOr<int64_t> ParseNatural(TokenCursor& cursor, std::string_view what);
// Plain and dotted names as such, others quoted.
std::string NativeName(std::string_view name);
StatusOr<std::string> ParseNativeName(TokenCursor& cursor, std::string_view what);

}  // namespace act::assembly
