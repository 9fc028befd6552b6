// Tokens of the native text forms and of the Python subset. Internal to src/assembly.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/support.h"

namespace act::assembly {

enum class TokenKind : uint8_t { kEnd, kNewline, kIdentifier, kInteger, kFloat, kString, kPunctuation };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  size_t offset = 0;
  std::string_view text;        // as written; a view into the source
  std::string value;            // kString: without quotes and escapes
  uint64_t magnitude = 0;       // kInteger
  bool beyond_64_bits = false;  // kInteger: magnitude does not fit in 64 unsigned bits
};

enum class LexerStyle {
  // Comments // and /* */; '.' inside a name belongs to it (dot.5); line ends mean nothing.
  kNative,
  // Comments #; kNewline at the end of a logical line (not inside brackets, not after a backslash).
  kPython,
  // No comments, no lines: a text inside a string.
  kExpression,
};

// Punctuation is one character, or one of ".." "<-" "//" "**" "->" "==" (the last four only in kPython).
StatusOr<std::vector<Token>> Tokenize(const SourceText& source, LexerStyle style);

// A position in a token list. The list ends with kEnd, which is never passed.
class TokenCursor {
 public:
  TokenCursor(const SourceText& source, const std::vector<Token>& tokens)
      : source_(&source), tokens_(&tokens) {}
  const Token& Peek(size_t ahead = 0) const {
    size_t at = position_ + ahead;
    return (*tokens_)[at < tokens_->size() ? at : tokens_->size() - 1];
  }
  const Token& Next() {
    const Token& token = Peek();
    if (token.kind != TokenKind::kEnd) ++position_;
    return token;
  }
  bool AtEnd() const { return Peek().kind == TokenKind::kEnd; }
  bool Is(std::string_view punctuation, size_t ahead = 0) const {
    return Peek(ahead).kind == TokenKind::kPunctuation && Peek(ahead).text == punctuation;
  }
  bool IsWord(std::string_view word, size_t ahead = 0) const {
    return Peek(ahead).kind == TokenKind::kIdentifier && Peek(ahead).text == word;
  }
  bool Accept(std::string_view punctuation) {
    if (!Is(punctuation)) return false;
    ++position_;
    return true;
  }
  bool AcceptWord(std::string_view word) {
    if (!IsWord(word)) return false;
    ++position_;
    return true;
  }
  // "expected <what>, found <token>" at the current token.
  Status Expected(std::string_view what) const;
  Status Expect(std::string_view punctuation);
  Status ExpectWord(std::string_view word);
  StatusOr<std::string> Identifier(std::string_view what);
  // [-] INT in 64 signed bits.
  StatusOr<int64_t> Integer(std::string_view what);
  // For readers that look at parts of a text in another order than they stand in.
  size_t position() const { return position_; }
  void Seek(size_t position) { position_ = position; }
  SourceLocation Location() const { return source_->LocationAt(Peek().offset); }
  Status Fail(ErrorClass error_class, std::string code, std::string message, size_t offset) const {
    return source_->MakeError(error_class, std::move(code), std::move(message), offset);
  }
  Status SyntaxError(std::string message, size_t offset) const {
    return Fail(ErrorClass::kSyntax, "asm-syntax", std::move(message), offset);
  }
  Status ValueError(std::string code, std::string message, size_t offset) const {
    return Fail(ErrorClass::kValue, std::move(code), std::move(message), offset);
  }

 private:
  const SourceText* source_;
  const std::vector<Token>* tokens_;
  size_t position_ = 0;
};

// [A-Za-z_][A-Za-z0-9_]*
bool IsPlainIdentifier(std::string_view text);
// "text" with \" \\ \n \t \xHH escapes, readable by both styles.
std::string Quote(std::string_view text);

}  // namespace act::assembly
