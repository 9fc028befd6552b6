// Internal: reads an expression or a condition that stands inside a longer text.
#pragma once
#include "isa/accelerator.h"
#include "isa/cursor.h"

namespace act::isa {

// Reads from the cursor as far as the grammar reaches and leaves it behind the last token.
StatusOr<Expression> ReadExpression(Cursor* cursor, const NameTable& names, NameStyle style);
StatusOr<Condition> ReadCondition(Cursor* cursor, const NameTable& names, NameStyle style);
// A literal of the grammar, INT with an optional '-' before it, in 64 bits.
StatusOr<int64_t> ReadInteger(Cursor* cursor);
// "@s.x = e", also += -= *=.
StatusOr<Update> ReadUpdate(Cursor* cursor, const NameTable& names, NameStyle style);
// `name` stands for an attribute or state of the table in NameStyle::kPlain.
bool IsAttributeName(const NameTable& names, std::string_view name);

}  // namespace act::isa
