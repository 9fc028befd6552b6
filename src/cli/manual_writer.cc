#include "cli/manual_writer.h"

#include <algorithm>

namespace act::cli {
namespace {

constexpr size_t kWidth = 110;

// End of the word at `at`: blanks inside a code span belong to it.
size_t WordEnd(std::string_view text, size_t at) {
  bool code = false;
  while (at < text.size() && (code || text[at] != ' ')) code ^= text[at++] == '`';
  return at;
}

}  // namespace

void ManualWriter::Line(std::string_view line) {
  text_ += line;
  text_ += '\n';
}

void ManualWriter::Fill(std::string_view text, size_t indent, size_t column) {
  bool first = true;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    const size_t end = WordEnd(text, at);
    if (!first && column + 1 + (end - at) > kWidth) {
      text_ += '\n';
      text_.append(indent, ' ');
      column = indent;
    } else if (!first) {
      text_ += ' ';
      ++column;
    }
    first = false;
    text_ += text.substr(at, end - at);
    column += end - at;
    at = end;
  }
  text_ += '\n';
}

void ManualWriter::Paragraph(std::string_view text) {
  Fill(text, 0, 0);
  Line();
}

void ManualWriter::Bullet(std::string_view text) {
  text_ += "* ";
  Fill(text, 2, 2);
}

}  // namespace act::cli
