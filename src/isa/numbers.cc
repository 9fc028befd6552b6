// Literals of constants: signed integers and floats, inf, nan, true, false.
#include <charconv>
#include <cmath>
#include <limits>

#include "isa/semantics_syntax.h"

namespace act::isa {

bool AtConstantLiteral(Cursor* cursor) {
  const size_t begin = cursor->position();
  cursor->Take('-') || cursor->Take('+');
  const char c = cursor->Peek();
  const std::string_view word = cursor->PeekName();
  cursor->set_position(begin);
  return IsDigit(c) || c == '.' || word == "inf" || word == "infinity" || word == "nan" || word == "true" ||
         word == "false";
}

StatusOr<ConstantItem> ReadConstantLiteral(Cursor* cursor, bool allow_unsigned_64) {
  ConstantItem item;
  cursor->SkipBlanks();
  item.offset = cursor->position();
  item.negative = cursor->Take('-');
  if (!item.negative) cursor->Take('+');
  const double sign = item.negative ? -1.0 : 1.0;
  item.kind = ConstantItem::Kind::kFloat;
  if (cursor->TakeWord("inf") || cursor->TakeWord("infinity")) {
    item.number = sign * std::numeric_limits<double>::infinity();
    return item;
  }
  if (cursor->TakeWord("nan")) {
    item.number = std::numeric_limits<double>::quiet_NaN();
    return item;
  }
  if (cursor->PeekName() == "true" || cursor->PeekName() == "false") {
    item.is_bool = true;
    item.number = cursor->TakeName() == "true" ? 1 : 0;
    return item;
  }
  cursor->SkipBlanks();
  const std::string_view text = cursor->source().text();
  const size_t begin = cursor->position();
  size_t stop = begin;
  bool is_float = false;
  while (stop < cursor->end()) {
    const char c = text[stop];
    const bool exponent_sign =
        (c == '-' || c == '+') && stop > begin && (text[stop - 1] == 'e' || text[stop - 1] == 'E');
    if (!IsNameChar(c) && c != '.' && !exponent_sign) break;
    is_float = is_float || !IsDigit(c);
    ++stop;
  }
  const std::string digits(text.substr(begin, stop - begin));
  const char* const end = digits.data() + digits.size();
  if (digits.empty()) return Status(cursor->Expected("a number"));
  cursor->set_position(stop);
  if (!is_float) {
    item.kind = ConstantItem::Kind::kInteger;
    const auto parsed = std::from_chars(digits.data(), end, item.magnitude);
    const uint64_t limit = allow_unsigned_64 ? std::numeric_limits<uint64_t>::max()
                           : item.negative   ? uint64_t{1} << 63
                                             : (uint64_t{1} << 63) - 1;
    if (parsed.ec != std::errc() || item.magnitude > limit) {
      return Status(cursor->SyntaxError("isa-literal-range",
                                        "the integer " + digits.substr(0, 60) + " does not fit in 64 bits",
                                        item.offset));
    }
    return item;
  }
  const auto parsed = std::from_chars(digits.data(), end, item.number);
  if (parsed.ec == std::errc::result_out_of_range) {
    // Beyond the largest double, or below the smallest: the nearest value is infinity or zero.
    const size_t exponent = digits.find_first_of("eE");
    const bool small = exponent != std::string::npos && digits.find('-', exponent) != std::string::npos;
    item.number = small ? 0.0 : std::numeric_limits<double>::infinity();
  } else if (parsed.ec != std::errc() || parsed.ptr != end) {
    return Status(
        cursor->SyntaxError("isa-literal", "'" + digits.substr(0, 60) + "' is no number", item.offset));
  }
  item.number *= sign;
  return item;
}

}  // namespace act::isa
