// Internal: parts of the syntax that both text forms of semantics share.
#pragma once
#include "isa/expression_reader.h"
#include "isa/semantics_builder.h"

namespace act::isa {

// A number, inf, nan, true or false, with a sign, stands at the cursor.
bool AtConstantLiteral(Cursor* cursor);
// allow_unsigned_64: integers up to 2^64-1; else signed 64 bits.
StatusOr<ConstantItem> ReadConstantLiteral(Cursor* cursor, bool allow_unsigned_64);

// How one of the two forms writes an integer in a dimension or attribute.
class ItemReader {
 public:
  virtual ~ItemReader() = default;
  virtual StatusOr<Expression> Read(Cursor* cursor) = 0;
};
// "[" [item {"," item}] "]" with the cursor at "[".
StatusOr<std::vector<Expression>> ReadBracketed(Cursor* cursor, ItemReader* items, char open, char close);
// "[" item ":" item [":" item] "]", appended to the attribute's ranges.
Status ReadRange(Cursor* cursor, ItemReader* items, OperationAttribute* attribute);
// What stands after "name=": a word, an item, "{...}" of items or of ranges.
Status ReadAttributeValue(Cursor* cursor, ItemReader* items, OperationAttribute* attribute);
// Limits that keep every text's cost in proportion to its length.
inline constexpr size_t kMaxDims = 64;
inline constexpr size_t kMaxStatements = 20000;

}  // namespace act::isa
