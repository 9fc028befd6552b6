// Text of constants: one element, and the compact patterns of whole tensors. Internal to src/assembly.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "assembly/lexer.h"
#include "tensor/tensor.h"

namespace act::assembly {

// Largest constant that a text may spell, in bytes: short texts ("full 0" of a large shape) must not exhaust
// the memory of whoever reads them.
inline constexpr int64_t kMaxConstantBytes = int64_t{1} << 28;

// Whether every element has the same bytes (a tensor without elements: no).
bool IsSplat(const Literal& literal);
// 1 where the two indices of a rank-2 tensor are equal, 0 elsewhere; not complex.
bool IsEye(const Literal& literal);
// The dimension d for which every element is its index along d (lowest such d).
std::optional<int64_t> IotaDimension(const Literal& literal);
Literal MakeSplat(const Shape& shape, const Literal& scalar);
Literal MakeEye(const Shape& shape);
Literal MakeIota(const Shape& shape, int64_t dimension);

struct ElementWords {
  std::string_view true_word, false_word, infinity, nan;
};
inline constexpr ElementWords kNativeWords = {"true", "false", "inf", "nan"};
inline constexpr ElementWords kPythonWords = {"True", "False", "jnp.inf", "jnp.nan"};
// Element `index` as a decimal that reads back to the same bits, the shortest one: rounded from f64 once or
// by way of f32. nullopt where no decimal does (a NaN with other bits than the canonical one; complex).
std::optional<std::string> ElementText(const Literal& literal, int64_t index, const ElementWords& words);
// Nested lists of elements, one a line for every row of the last dimension; rank 0 is the bare element.
// nullopt if an element has no text. indent: blanks before every line but the first.
std::optional<std::string> NestedText(const Literal& literal, const ElementWords& words, char open,
                                      char close, int indent);

// Reads one element into position `index`: integers within the type's range, floats, pred words. `word`
// reads anything that is not a number ([-]inf, nan, true, false as the language spells them): nullopt if the
// cursor is at none of them.
using WordReader = std::function<StatusOr<std::optional<double>>(TokenCursor&)>;
Status ReadElement(TokenCursor& cursor, const WordReader& word, Literal* literal, int64_t index);
// Reads nested lists of exactly the literal's dims; a trailing comma is allowed.
Status ReadNested(TokenCursor& cursor, const WordReader& word, std::string_view open, std::string_view close,
                  Literal* literal);
// A zero literal of the shape, or the sentence why it is too large or has no elements to spell.
StatusOr<Literal> MakeLiteral(const TokenCursor& cursor, const Shape& shape, size_t offset);

}  // namespace act::assembly
