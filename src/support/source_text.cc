#include "support/source_text.h"

#include <algorithm>

namespace act {

SourceText::SourceText(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

SourceLocation SourceText::LocationAt(size_t offset) const {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const size_t line = static_cast<size_t>(next - line_starts_.begin());
  SourceLocation location;
  location.file = file_;
  location.line = static_cast<int32_t>(line);
  location.column = static_cast<int32_t>(offset - line_starts_[line - 1] + 1);
  return location;
}

std::string_view SourceText::LineAt(size_t offset) const {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const size_t begin = *(next - 1);
  size_t end = next == line_starts_.end() ? text_.size() : *next - 1;
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

Diagnostic SourceText::MakeError(ErrorClass error_class, std::string code, std::string message,
                                 size_t offset) const {
  Diagnostic d;
  d.error_class = error_class;
  d.code = std::move(code);
  d.message = std::move(message);
  d.location = LocationAt(offset);
  d.line_text = std::string(LineAt(offset));
  return d;
}

}  // namespace act
