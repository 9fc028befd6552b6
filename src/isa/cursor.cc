#include "isa/cursor.h"

#include <optional>

namespace act::isa {

// Not <cctype>: those depend on the locale.
bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameChar(char c) { return IsNameStart(c) || IsDigit(c); }

Cursor::Cursor(const SourceText& source, size_t begin, size_t end, BlankRules blanks)
    : source_(&source), position_(begin), end_(end), blanks_(blanks) {}

Cursor::Cursor(const SourceText& source, BlankRules blanks)
    : Cursor(source, 0, source.text().size(), blanks) {}

void Cursor::SkipBlanks() {
  while (position_ < end_) {
    const char c = At(position_);
    if (c == ' ' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '\n') {
      if (!blanks_.newlines && depth_ <= 0) return;
      ++position_;
    } else if (blanks_.comments && c == '/' && At(position_ + 1) == '/') {
      while (position_ < end_ && At(position_) != '\n') ++position_;
    } else if (blanks_.comments && c == '/' && At(position_ + 1) == '*') {
      const size_t begin = position_;
      position_ += 2;
      while (position_ < end_ && !(At(position_) == '*' && At(position_ + 1) == '/')) ++position_;
      if (position_ >= end_) {
        if (!unclosed_comment_) unclosed_comment_ = begin;
        return;
      }
      position_ += 2;
    } else {
      return;
    }
  }
}

bool Cursor::AtEnd() {
  SkipBlanks();
  return position_ >= end_;
}

bool Cursor::AtLineEnd() {
  SkipBlanks();
  return position_ >= end_ || At(position_) == '\n';
}

char Cursor::Peek() {
  SkipBlanks();
  return At(position_);
}

bool Cursor::LooksAt(std::string_view text) {
  SkipBlanks();
  return Text(position_, end_).substr(0, text.size()) == text;
}

bool Cursor::Take(char c) {
  if (AtEnd() || At(position_) != c) return false;
  ++position_;
  return true;
}

bool Cursor::TakeText(std::string_view text) {
  if (!LooksAt(text)) return false;
  position_ += text.size();
  return true;
}

std::string_view Cursor::PeekName() {
  SkipBlanks();
  if (position_ >= end_ || !IsNameStart(At(position_))) return {};
  size_t stop = position_;
  while (stop < end_ && IsNameChar(At(stop))) ++stop;
  return Text(position_, stop);
}

std::string_view Cursor::TakeName() {
  const std::string_view name = PeekName();
  position_ += name.size();
  return name;
}

bool Cursor::TakeWord(std::string_view word) {
  if (PeekName() != word) return false;
  position_ += word.size();
  return true;
}

std::string_view Cursor::TakeDigits() {
  SkipBlanks();
  const size_t begin = position_;
  while (position_ < end_ && IsDigit(At(position_))) ++position_;
  return Text(begin, position_);
}

std::string Cursor::Found() {
  SkipBlanks();
  if (position_ >= end_) return "the end of the text";
  const char c = At(position_);
  if (c == '\n') return "the end of the line";
  if (IsNameStart(c)) return "the name '" + std::string(PeekName().substr(0, 60)) + "'";
  const unsigned char byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte >= 0x7f) {
    constexpr char kHex[] = "0123456789abcdef";
    std::string text = "the byte 0x";
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
    return text;
  }
  if (IsDigit(c)) {
    size_t stop = position_;
    while (stop < end_ && stop < position_ + 40 && (IsNameChar(At(stop)) || At(stop) == '.')) ++stop;
    return "the number '" + std::string(Text(position_, stop)) + "'";
  }
  return std::string("'") + c + "'";
}

Diagnostic Cursor::SyntaxError(std::string code, std::string message, size_t offset) const {
  return source_->MakeError(ErrorClass::kSyntax, std::move(code), std::move(message), offset);
}

Diagnostic Cursor::ValueError(std::string code, std::string message, size_t offset) const {
  return source_->MakeError(ErrorClass::kValue, std::move(code), std::move(message), offset);
}

Diagnostic Cursor::Expected(std::string_view what) {
  std::string message = "expected ";
  message += what;
  message += ", found " + Found();
  return SyntaxError("isa-syntax", std::move(message), position_);
}

}  // namespace act::isa
