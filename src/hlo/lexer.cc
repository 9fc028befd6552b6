#include "hlo/lexer.h"

#include <charconv>
#include <vector>

namespace act::hlo {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

// Offset behind the string that starts at `at`, or npos if it does not end on its line.
size_t EndOfString(std::string_view text, size_t at) {
  for (size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

size_t EndOfWord(std::string_view text, size_t at) {
  if (at >= text.size() || !IsWordStart(text[at])) return at;
  size_t end = at + 1;
  while (end < text.size() && IsWordCharacter(text[end])) {
    if (text[end] == '-' && end + 1 < text.size() && text[end + 1] == '>') break;
    ++end;
  }
  return end;
}

}  // namespace

bool IsWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsWordCharacter(char c) { return IsWordStart(c) || IsDigit(c) || c == '.' || c == '-'; }

void Lexer::SkipTrivia() {
  while (position_ < text_.size()) {
    if (IsBlank(text_[position_])) {
      ++position_;
      continue;
    }
    const std::string_view rest = text_.substr(position_, 2);
    if (rest == "//") {
      const size_t end = text_.find('\n', position_);
      position_ = end == std::string_view::npos ? text_.size() : end;
    } else if (rest == "/*") {
      const size_t end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos) {
        if (!unterminated_comment_) unterminated_comment_ = position_;
        position_ = text_.size();
      } else {
        position_ = end + 2;
      }
    } else {
      return;
    }
  }
}

std::string_view Lexer::Take(size_t end) {
  const std::string_view token = text_.substr(position_, end - position_);
  position_ = end;
  end_of_last_ = end;
  return token;
}

size_t Lexer::offset() {
  SkipTrivia();
  return position_;
}

char Lexer::Peek() { return at_end() ? '\0' : text_[position_]; }

char Lexer::PeekBehindWord() {
  const size_t here = offset();
  const size_t last = end_of_last_;
  Word();
  const char next = Peek();
  position_ = here;
  end_of_last_ = last;
  return next;
}

bool Lexer::Accept(std::string_view token) {
  SkipTrivia();
  if (text_.substr(position_, token.size()) != token) return false;
  Take(position_ + token.size());
  return true;
}

std::string_view Lexer::PeekWord() {
  SkipTrivia();
  return text_.substr(position_, EndOfWord(text_, position_) - position_);
}

std::string_view Lexer::Word() {
  SkipTrivia();
  const size_t end = EndOfWord(text_, position_);
  return end == position_ ? std::string_view() : Take(end);
}

std::string_view Lexer::Name() {
  SkipTrivia();
  if (position_ + 1 < text_.size() && text_[position_] == '%' && IsWordStart(text_[position_ + 1]))
    ++position_;
  return Word();
}

Lexer::IntegerResult Lexer::Integer(int64_t* value) {
  SkipTrivia();
  size_t end = position_;
  if (end < text_.size() && text_[end] == '-') ++end;
  const size_t digits = end;
  while (end < text_.size() && IsDigit(text_[end])) ++end;
  if (end == digits) return IntegerResult::kNone;
  const std::string_view token = Take(end);
  const auto result = std::from_chars(token.data(), token.data() + token.size(), *value);
  return result.ec == std::errc() ? IntegerResult::kOk : IntegerResult::kOverflow;
}

std::string_view Lexer::Number() {
  SkipTrivia();
  size_t end = position_;
  if (end < text_.size() && text_[end] == '-') ++end;
  if (end < text_.size() && (IsDigit(text_[end]) || text_[end] == '.')) {
    while (end < text_.size()) {
      const char c = text_[end];
      const bool exponent_sign = (c == '-' || c == '+') && (text_[end - 1] == 'e' || text_[end - 1] == 'E');
      if (!IsDigit(c) && !IsWordStart(c) && c != '.' && !exponent_sign) break;
      ++end;
    }
    return Take(end);
  }
  const size_t word_end = EndOfWord(text_, end);
  const std::string_view word = text_.substr(end, word_end - end);
  if (word != "inf" && word != "nan" && word != "true" && word != "false") return {};
  end = word_end;
  if (word == "nan" && text_.substr(end, 3) == "(0x") {
    const size_t close = text_.find_first_not_of("0123456789abcdefABCDEF", end + 3);
    if (close != std::string_view::npos && text_[close] == ')') end = close + 1;
  }
  return Take(end);
}

std::string_view Lexer::String() {
  SkipTrivia();
  if (position_ >= text_.size() || text_[position_] != '"') return {};
  const size_t end = EndOfString(text_, position_);
  return end == std::string_view::npos ? std::string_view() : Take(end);
}

std::string_view Lexer::RawValue() {
  SkipTrivia();
  std::vector<char> closers;
  size_t at = position_;
  while (at < text_.size()) {
    const char c = text_[at];
    const std::string_view pair = text_.substr(at, 2);
    if (closers.empty() &&
        (c == ',' || IsBlank(c) || c == ')' || c == '}' || c == ']' || pair == "//" || pair == "/*")) {
      break;
    }
    if (c == '"') {
      at = EndOfString(text_, at);
      if (at == std::string_view::npos) return {};
      continue;
    }
    if (c == '{') closers.push_back('}');
    if (c == '(') closers.push_back(')');
    if (c == '[') closers.push_back(']');
    if (c == '}' || c == ')' || c == ']') {
      if (closers.back() != c) return {};
      closers.pop_back();
    }
    ++at;
  }
  return closers.empty() && at > position_ ? Take(at) : std::string_view();
}

std::string_view Lexer::RestOfLine() {
  SkipTrivia();
  const size_t end = text_.find('\n', position_);
  return Take(end == std::string_view::npos ? text_.size() : end);
}

std::string Lexer::Found() {
  if (at_end()) return "the end of the text";
  size_t end = EndOfWord(text_, position_);
  if (end == position_) {
    while (end < text_.size() && IsDigit(text_[end])) ++end;
  }
  if (end == position_) ++end;
  constexpr size_t kMostShown = 40;
  std::string shown;
  for (size_t i = position_; i < end && i < position_ + kMostShown; ++i) {
    const auto c = static_cast<unsigned char>(text_[i]);
    if (c >= 0x20 && c < 0x7f) {
      shown += static_cast<char>(c);
    } else {
      constexpr char kHex[] = "0123456789abcdef";
      shown += "\\x";
      shown += kHex[c >> 4];
      shown += kHex[c & 15];
    }
  }
  if (end > position_ + kMostShown) shown += "...";
  return "'" + shown + "'";
}

}  // namespace act::hlo
