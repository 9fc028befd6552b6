// Internal: a reading position in a source text, shared by the readers of expressions, semantics and
// `.taidl`.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "support/support.h"

namespace act::isa {

// How deep brackets may nest in any text of this layer. Readers recurse once a level.
inline constexpr int kMaxNesting = 100;
// Nodes of one expression, terms of one condition.
inline constexpr size_t kMaxExpressionNodes = 4096;

bool IsNameStart(char c);
bool IsNameChar(char c);
bool IsDigit(char c);

// What counts as blank beside spaces, tabs and carriage returns.
struct BlankRules {
  bool newlines = true;   // a newline is blank everywhere; else only inside brackets (see EnterBracket)
  bool comments = false;  // "//" to the end of the line, and "/* */"
};

class Cursor {
 public:
  // Reads source.text()[begin, end). `source` must outlive the cursor.
  Cursor(const SourceText& source, size_t begin, size_t end, BlankRules blanks);
  Cursor(const SourceText& source, BlankRules blanks);

  const SourceText& source() const { return *source_; }
  size_t position() const { return position_; }
  size_t end() const { return end_; }
  void set_position(size_t position) { position_ = position; }

  // Every function below first skips blanks, and peeks or takes from there.
  void SkipBlanks();
  bool AtEnd();
  // End of text, or a newline that is not blank here.
  bool AtLineEnd();
  // '\0' at the end of the text.
  char Peek();
  // The next characters are exactly this text.
  bool LooksAt(std::string_view text);
  bool Take(char c);
  bool TakeText(std::string_view text);
  // A whole name [A-Za-z_][A-Za-z0-9_]*; empty if there is none.
  std::string_view PeekName();
  std::string_view TakeName();
  // Takes the name if it is exactly this word.
  bool TakeWord(std::string_view word);
  // Digits; empty if there are none. Does not check what follows.
  std::string_view TakeDigits();

  // Inside brackets newlines are blank.
  void EnterBracket() { ++depth_; }
  void LeaveBracket() { --depth_; }
  int depth() const { return depth_; }
  void set_depth(int depth) { depth_ = depth; }
  // Unclosed "/*", if one was skipped: its offset.
  std::optional<size_t> unclosed_comment() const { return unclosed_comment_; }

  // What stands at the position, for messages: "'+'", "the name 'foo'", "the end of the text".
  std::string Found();
  Diagnostic SyntaxError(std::string code, std::string message, size_t offset) const;
  Diagnostic ValueError(std::string code, std::string message, size_t offset) const;
  // "expected X, found Y" at the position.
  Diagnostic Expected(std::string_view what);
  std::string_view Text(size_t begin, size_t end_offset) const {
    return source_->text().substr(begin, end_offset - begin);
  }

 private:
  char At(size_t offset) const { return offset < end_ ? source_->text()[offset] : '\0'; }

  const SourceText* source_;
  size_t position_;
  size_t end_;
  BlankRules blanks_;
  int depth_ = 0;
  std::optional<size_t> unclosed_comment_;
};

}  // namespace act::isa
