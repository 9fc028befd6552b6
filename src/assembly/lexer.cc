#include "assembly/lexer.h"

namespace act::assembly {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNameChar(char c) { return IsNameStart(c) || IsDigit(c); }
int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Lexer {
 public:
  Lexer(const SourceText& source, LexerStyle style)
      : source_(source),
        text_(source.text()),
        python_(style == LexerStyle::kPython),
        native_(style == LexerStyle::kNative) {}

  StatusOr<std::vector<Token>> Run() {
    while (true) {
      ACT_RETURN_IF_ERROR(SkipBlanks());
      if (at_ >= text_.size()) break;
      ACT_RETURN_IF_ERROR(One());
    }
    if (python_) AddNewline();
    Add(TokenKind::kEnd, text_.size(), text_.size());
    return std::move(tokens_);
  }

 private:
  char Char(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  Status Fail(std::string message, size_t offset) const {
    return source_.MakeError(ErrorClass::kSyntax, "asm-syntax", std::move(message), offset);
  }
  Token& Add(TokenKind kind, size_t begin, size_t end) {
    Token token;
    token.kind = kind;
    token.offset = begin;
    token.text = text_.substr(begin, end - begin);
    tokens_.push_back(std::move(token));
    return tokens_.back();
  }
  void AddNewline() {
    if (!tokens_.empty() && tokens_.back().kind != TokenKind::kNewline) Add(TokenKind::kNewline, at_, at_);
  }

  Status SkipBlanks() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '\n') {
        if (python_ && depth_ == 0) AddNewline();
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
        ++at_;
      } else if (python_ && c == '\\' && (Char(1) == '\n' || (Char(1) == '\r' && Char(2) == '\n'))) {
        at_ += Char(1) == '\n' ? 2 : 3;
      } else if ((python_ && c == '#') || (native_ && c == '/' && Char(1) == '/')) {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (native_ && c == '/' && Char(1) == '*') {
        size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos)
          return Fail("the comment that starts here has no end; add \"*/\"", at_);
        at_ = end + 2;
      } else {
        break;
      }
    }
    return Status();
  }

  Status One() {
    char c = Char();
    if (IsNameStart(c)) return Name();
    if (IsDigit(c) || (c == '.' && IsDigit(Char(1)))) return Number();
    if (c == '"' || c == '\'') return String();
    return Punctuation();
  }

  Status Name() {
    size_t begin = at_;
    while (IsNameChar(Char()) || (!python_ && Char() == '.' && IsNameChar(Char(1)))) ++at_;
    Add(TokenKind::kIdentifier, begin, at_);
    return Status();
  }

  Status Number() {
    size_t begin = at_;
    bool is_float = false;
    while (IsDigit(Char())) ++at_;
    if (Char() == '.' && Char(1) != '.') {
      is_float = true;
      ++at_;
      while (IsDigit(Char())) ++at_;
    }
    if (Char() == 'e' || Char() == 'E') {
      size_t sign = Char(1) == '+' || Char(1) == '-' ? 1 : 0;
      if (IsDigit(Char(1 + sign))) {
        is_float = true;
        at_ += 1 + sign;
        while (IsDigit(Char())) ++at_;
      }
    }
    if (IsNameStart(Char())) return Fail("a number runs into a letter here; separate them by a blank", at_);
    Token& token = Add(is_float ? TokenKind::kFloat : TokenKind::kInteger, begin, at_);
    if (!is_float) {
      for (char d : token.text) {
        token.beyond_64_bits |= __builtin_mul_overflow(token.magnitude, uint64_t{10}, &token.magnitude);
        token.beyond_64_bits |=
            __builtin_add_overflow(token.magnitude, static_cast<uint64_t>(d - '0'), &token.magnitude);
      }
    }
    return Status();
  }

  // Also Python's triple-quoted form.
  Status String() {
    size_t begin = at_;
    char quote = Char();
    size_t marks = python_ && Char(1) == quote && Char(2) == quote ? 3 : 1;
    at_ += marks;
    std::string value;
    while (true) {
      if (at_ >= text_.size() || (marks == 1 && Char() == '\n'))
        return Fail("the string that starts here has no end; add the closing quote", begin);
      char c = Char();
      if (c == quote && (marks == 1 || (Char(1) == quote && Char(2) == quote))) break;
      if (c != '\\') {
        value += c;
        ++at_;
        continue;
      }
      char e = Char(1);
      size_t used = 2;
      if (e == 'n') {
        value += '\n';
      } else if (e == 't') {
        value += '\t';
      } else if (e == '\\' || e == '"' || e == '\'') {
        value += e;
      } else if (e == 'x' && HexDigit(Char(2)) >= 0 && HexDigit(Char(3)) >= 0) {
        value += static_cast<char>(HexDigit(Char(2)) * 16 + HexDigit(Char(3)));
        used = 4;
      } else {
        return Fail("unknown escape in a string; \\n \\t \\\\ \\\" \\' and \\xHH are known", at_);
      }
      at_ += used;
    }
    at_ += marks;
    Add(TokenKind::kString, begin, at_).value = std::move(value);
    return Status();
  }

  Status Punctuation() {
    static constexpr std::string_view kPairs[] = {"..", "<-", "//", "**", "->", "=="};
    static constexpr std::string_view kSingles = "()[]{}<>=,:;.@+-*/%";
    char c = Char();
    size_t length = 1;
    for (size_t i = 0; i < (python_ ? 6u : 2u); ++i) {
      if (c == kPairs[i][0] && Char(1) == kPairs[i][1]) length = 2;
    }
    if (length == 1 && kSingles.find(c) == std::string_view::npos) {
      std::string shown =
          c >= 0x20 && c < 0x7f ? std::string(1, c) : "byte " + std::to_string(static_cast<uint8_t>(c));
      return Fail("unexpected character '" + shown + "'", at_);
    }
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
    Add(TokenKind::kPunctuation, at_, at_ + length);
    at_ += length;
    return Status();
  }

  const SourceText& source_;
  std::string_view text_;
  bool python_;
  bool native_;
  size_t at_ = 0;
  int64_t depth_ = 0;
  std::vector<Token> tokens_;
};

std::string Describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the text";
  if (token.kind == TokenKind::kNewline) return "the end of the line";
  std::string shown(token.text.substr(0, 40));
  for (char& c : shown) {
    if (c == '\n') c = ' ';
  }
  return "'" + shown + (token.text.size() > 40 ? "...'" : "'");
}

}  // namespace

StatusOr<std::vector<Token>> Tokenize(const SourceText& source, LexerStyle style) {
  return Lexer(source, style).Run();
}

Status TokenCursor::Expected(std::string_view what) const {
  return SyntaxError("expected " + std::string(what) + ", found " + Describe(Peek()), Peek().offset);
}
Status TokenCursor::Expect(std::string_view punctuation) {
  return Accept(punctuation) ? Status() : Expected("'" + std::string(punctuation) + "'");
}
Status TokenCursor::ExpectWord(std::string_view word) {
  return AcceptWord(word) ? Status() : Expected("'" + std::string(word) + "'");
}
StatusOr<std::string> TokenCursor::Identifier(std::string_view what) {
  if (Peek().kind != TokenKind::kIdentifier) return Expected(what);
  return std::string(Next().text);
}
StatusOr<int64_t> TokenCursor::Integer(std::string_view what) {
  bool negative = Is("-");
  const Token& token = Peek(negative ? 1 : 0);
  if (token.kind != TokenKind::kInteger) return Expected(what);
  uint64_t limit = uint64_t{1} << 63;
  if (token.beyond_64_bits || token.magnitude > limit || (token.magnitude == limit && !negative)) {
    return SyntaxError("integer " + std::string(token.text) + " does not fit in 64 signed bits",
                       token.offset);
  }
  if (negative) Next();
  Next();
  return static_cast<int64_t>(negative ? 0 - token.magnitude : token.magnitude);
}

bool IsPlainIdentifier(std::string_view text) {
  if (text.empty() || !IsNameStart(text[0])) return false;
  for (char c : text) {
    if (!IsNameChar(c)) return false;
  }
  return true;
}

std::string Quote(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    auto byte = static_cast<uint8_t>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace act::assembly
