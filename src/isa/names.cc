// The rules on names.
#include <algorithm>
#include <iterator>

#include "isa/builder.h"
#include "isa/cursor.h"

namespace act::isa {
namespace {

// Names become Python parameters and functions.
constexpr std::string_view kPythonKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

template <size_t N>
bool IsOneOf(std::string_view name, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

constexpr std::string_view kReservedInstructions[] = {"debug", "start_loop", "end_loop"};
constexpr std::string_view kReservedBuffers[] = {"d0", "HBM", "ANY"};

// Names go into messages: cut, and with no bytes that could upset a terminal.
std::string Shown(std::string_view name) {
  std::string shown;
  for (const char c : name.substr(0, 60)) shown += c >= 0x20 && c < 0x7f ? c : '?';
  return shown;
}

}  // namespace

Status CheckName(std::string_view what, std::string_view name) {
  const std::string thing = std::string(what) + " name '" + Shown(name) + "'";
  bool well_formed = !name.empty() && IsNameStart(name.front());
  for (const char c : name) well_formed = well_formed && IsNameChar(c);
  if (!well_formed) {
    return Error(ErrorClass::kValue, "isa-name",
                 thing + " is not a name; use a letter or '_' followed by letters, digits and '_'");
  }
  if (name.size() > 1000) {
    return Error(ErrorClass::kValue, "isa-name", thing + " is longer than 1000 characters; shorten it");
  }
  if (IsOneOf(name, kPythonKeywords)) {
    return Error(ErrorClass::kValue, "isa-name-reserved",
                 thing + " is a Python keyword, which generated kernels cannot use; choose another name");
  }
  if ((what == "instruction" && IsOneOf(name, kReservedInstructions)) ||
      (what == "buffer" && IsOneOf(name, kReservedBuffers))) {
    return Error(
        ErrorClass::kValue, "isa-name-reserved",
        thing + (name == "d0" ? " is the HBM, which every accelerator already has; choose another name"
                              : " is reserved by the kernel API; choose another name"));
  }
  return Status();
}

Status CheckAcceleratorName(std::string_view name) {
  bool well_formed = !name.empty() && name.size() <= 200 && name != "." && name != "..";
  for (const char c : name) well_formed = well_formed && (IsNameChar(c) || c == '.' || c == '-');
  if (well_formed) return Status();
  return Error(ErrorClass::kValue, "isa-name",
               "accelerator name '" + Shown(name) +
                   "' names files and folders; use one to 200 letters, digits, '_', '.' and '-'");
}

std::string NameWithoutBlanks(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') c = '_';
  }
  return result;
}

}  // namespace act::isa
