// A text with its name: turns byte offsets into line and column, and makes diagnostics that show the line.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace act {

class SourceText {
 public:
  SourceText() = default;
  // file: the name shown in messages ("<string>" where there is none).
  SourceText(std::string file, std::string text);

  const std::string& file() const { return file_; }
  std::string_view text() const { return text_; }
  // offset in [0, text().size()].
  SourceLocation LocationAt(size_t offset) const;
  // The line that contains offset, without its newline.
  std::string_view LineAt(size_t offset) const;
  Diagnostic MakeError(ErrorClass error_class, std::string code, std::string message, size_t offset) const;

 private:
  std::string file_;
  std::string text_;
  std::vector<size_t> line_starts_;
};

}  // namespace act
