// Errors as data: a class, a sentence, a place, and notes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace act {

// Who has to act on an error. The class decides the Python exception and the form on the command line.
enum class ErrorClass : uint8_t {
  kSyntax,          // text that cannot be parsed                      -> SyntaxError
  kValue,           // well-formed, but breaks a rule                  -> ValueError
  kType,            // a Python value of the wrong kind                -> TypeError
  kNotImplemented,  // legal, and named as something we do not do      -> NotImplementedError
  kUnsupported,     // no program: nothing was cut off                 -> RuntimeError
  kLimit,           // no program: a named limit cut the search        -> RuntimeError
  kEnvironment,     // file, library, permission                       -> OSError
  kRuntime,         // failing tool or call in the wrong order         -> RuntimeError
  kInternal,        // our fault                                       -> RuntimeError
};

// Lines and columns count from 1; 0 means "no place". Columns count bytes.
struct SourceLocation {
  std::string file;
  int32_t line = 0;
  int32_t column = 0;
  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

struct Note {
  std::string message;
  SourceLocation location;
};

struct Diagnostic {
  ErrorClass error_class = ErrorClass::kValue;
  bool is_warning = false;
  // Stable short name of the kind of fault, for example "isa-unknown-buffer"; documented by `act check`.
  std::string code;
  // One sentence: the thing, what was expected, the way out. No trailing newline.
  std::string message;
  SourceLocation location;
  // The source line the location points into, without newline; empty if there is none.
  std::string line_text;
  std::vector<Note> notes;
};

// "file:line:column: error: message [code]" followed, where there is a place, by the line and a caret.
std::string Render(const Diagnostic& diagnostic);
// The same on one line, without code and caret: "file:line:column: message".
std::string RenderShort(const Diagnostic& diagnostic);

}  // namespace act
