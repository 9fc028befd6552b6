// What both text forms of semantics share: literals of constants, lists, ranges, attributes.
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

StatusOr<std::vector<Expression>> ReadBracketed(Cursor* cursor, ItemReader* items, char open, char close) {
  std::vector<Expression> list;
  if (!cursor->Take(open)) return Status(cursor->Expected(std::string("'") + open + "'"));
  cursor->EnterBracket();
  if (cursor->Peek() != close) {
    do {
      if (list.size() >= kMaxDims) {
        return Status(cursor->SyntaxError("isa-rank",
                                          "more than " + std::to_string(kMaxDims) + " entries in one list",
                                          cursor->position()));
      }
      ACT_ASSIGN_OR_RETURN(Expression item, items->Read(cursor));
      list.push_back(std::move(item));
    } while (cursor->Take(','));
  }
  if (cursor->Peek() != close) return Status(cursor->Expected(std::string("',' or '") + close + "'"));
  cursor->LeaveBracket();
  cursor->Take(close);
  return list;
}

Status ReadRange(Cursor* cursor, ItemReader* items, OperationAttribute* attribute) {
  if (!cursor->Take('[')) return cursor->Expected("'['");
  if (attribute->ranges.size() >= kMaxDims) return cursor->Expected("fewer ranges");
  cursor->EnterBracket();
  SymbolicSlice range;
  ACT_ASSIGN_OR_RETURN(range.start, items->Read(cursor));
  if (!cursor->Take(':')) return cursor->Expected("':'");
  ACT_ASSIGN_OR_RETURN(range.limit, items->Read(cursor));
  const bool has_step = cursor->Take(':');
  range.stride = Expression::Integer(0);  // the attribute's default stands in its place
  if (has_step) {
    ACT_ASSIGN_OR_RETURN(range.stride, items->Read(cursor));
  }
  if (cursor->Peek() != ']') return cursor->Expected("':' or ']'");
  cursor->LeaveBracket();
  cursor->Take(']');
  attribute->ranges.push_back(std::move(range));
  attribute->has_step.push_back(has_step);
  attribute->is_ranges = true;
  return Status();
}

Status ReadAttributeValue(Cursor* cursor, ItemReader* items, OperationAttribute* attribute) {
  const bool wants_word = attribute->name == "direction" || attribute->name == "to_apply";
  if (cursor->Peek() == '%' || wants_word) {
    cursor->Take('%');
    attribute->word = std::string(cursor->TakeName());
    if (attribute->word.empty()) return cursor->Expected("a word");
    return Status();
  }
  if (cursor->Peek() != '{') {
    ACT_ASSIGN_OR_RETURN(Expression item, items->Read(cursor));
    attribute->items.push_back(std::move(item));
    return Status();
  }
  const size_t begin = cursor->position();
  cursor->Take('{');
  if (cursor->Peek() != '[') {
    cursor->set_position(begin);
    ACT_ASSIGN_OR_RETURN(attribute->items, ReadBracketed(cursor, items, '{', '}'));
    // An empty list of ranges is one of a rank-0 operand.
    attribute->is_ranges =
        attribute->items.empty() && (attribute->name == "slice" || attribute->name == "padding");
    return Status();
  }
  cursor->EnterBracket();
  do {
    ACT_RETURN_IF_ERROR(ReadRange(cursor, items, attribute));
  } while (cursor->Take(','));
  if (cursor->Peek() != '}') return cursor->Expected("',' or '}'");
  cursor->LeaveBracket();
  cursor->Take('}');
  return Status();
}

}  // namespace act::isa
