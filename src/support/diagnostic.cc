#include "support/diagnostic.h"

#include <algorithm>

namespace act {
namespace {

std::string Place(const SourceLocation& location) {
  std::string out = location.file;
  if (location.line > 0) {
    if (!out.empty()) out += ":";
    out += std::to_string(location.line);
    // A call in a Python file has a line and no column.
    if (location.column > 0) out += ":" + std::to_string(location.column);
  }
  return out.empty() ? out : out + ": ";
}

// The line with what would disturb a terminal replaced, and a caret under the column.
std::string LineWithCaret(const std::string& line, int32_t column) {
  constexpr size_t kWidth = 120;
  const size_t at = column > 0 ? static_cast<size_t>(column - 1) : 0;
  const size_t begin = at > kWidth / 2 && line.size() > kWidth ? at - kWidth / 2 : 0;
  std::string shown = line.substr(std::min(begin, line.size()), kWidth);
  std::string pad;
  for (size_t i = 0; i < shown.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(shown[i]);
    if (c < 0x20 || c == 0x7f) shown[i] = ' ';
  }
  pad.assign(at >= begin ? at - begin : 0, ' ');
  return "  " + shown + "\n  " + pad + "^\n";
}

}  // namespace

std::string Render(const Diagnostic& d) {
  std::string out = Place(d.location) + (d.is_warning ? "warning: " : "error: ") + d.message;
  if (!d.code.empty()) out += " [" + d.code + "]";
  out += "\n";
  if (d.location.line > 0 && !d.line_text.empty()) out += LineWithCaret(d.line_text, d.location.column);
  for (const Note& note : d.notes) out += Place(note.location) + "note: " + note.message + "\n";
  return out;
}

std::string RenderShort(const Diagnostic& d) { return Place(d.location) + d.message; }

}  // namespace act
