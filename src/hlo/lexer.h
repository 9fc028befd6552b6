// Scanner of HLO text. The grammar is scanned by what the parser expects (a name, an integer, a number, a
// raw value), because the same characters mean different tokens in different places ("-1", "-inf",
// "b01f_01io->b01f", "0_0x1_2").
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace act::hlo {

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // Offset of the next token: blanks and comments before it are skipped.
  size_t offset();
  // Offset just behind the last token.
  size_t end_of_last() const { return end_of_last_; }
  void set_offset(size_t offset) { position_ = offset; }
  bool at_end() { return offset() >= text_.size(); }
  std::string_view text() const { return text_; }
  // Where a "/*" without its end starts, if one was met.
  std::optional<size_t> unterminated_comment() const { return unterminated_comment_; }

  // Next character, '\0' at the end.
  char Peek();
  // First character behind the word that comes next and the blanks after it; '\0' at the end.
  char PeekBehindWord();
  bool Accept(std::string_view token);
  // [A-Za-z_][A-Za-z0-9_.-]*, not running into "->". Empty if there is none.
  std::string_view PeekWord();
  std::string_view Word();
  // A word with an optional '%' in front, which is dropped.
  std::string_view Name();
  // Decimal integer with an optional '-'. kNone leaves the position.
  enum class IntegerResult : uint8_t { kOk, kNone, kOverflow };
  IntegerResult Integer(int64_t* value);
  // What may stand for one number: sign, digits, point, exponent, or inf, nan, nan(0x..), true, false.
  // Empty if there is nothing of the kind.
  std::string_view Number();
  // "..." with backslash escapes, quotes included; empty if there is none or it does not end.
  std::string_view String();
  // An attribute's value verbatim: balanced groups, strings and other characters up to a comma, blank or
  // closing bracket outside of them. Empty if there is none or a group or string does not end.
  std::string_view RawValue();
  // Up to the end of the line that contains the next token.
  std::string_view RestOfLine();
  // A short description of what comes next, for messages: "'abc'", "the end of the text".
  std::string Found();

 private:
  void SkipTrivia();
  std::string_view Take(size_t end);

  std::string_view text_;
  size_t position_ = 0;
  size_t end_of_last_ = 0;
  std::optional<size_t> unterminated_comment_;
};

bool IsWordStart(char c);
bool IsWordCharacter(char c);

}  // namespace act::hlo
