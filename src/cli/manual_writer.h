// Internal: Markdown text of the ISA manual, lines filled to a width.
#pragma once
#include <string>
#include <string_view>

namespace act::cli {

class ManualWriter {
 public:
  // As it is, on a line of its own.
  void Line(std::string_view line = "");
  // Filled; a code span is not broken. Ends the paragraph with an empty line.
  void Paragraph(std::string_view text);
  // Filled, behind "* ".
  void Bullet(std::string_view text);
  std::string Take() { return std::move(text_); }

 private:
  void Fill(std::string_view text, size_t indent, size_t column);

  std::string text_;
};

}  // namespace act::cli
