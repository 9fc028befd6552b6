#include "cli/arguments.h"

#include <algorithm>
#include <charconv>

namespace act::cli {
namespace {

constexpr size_t kHelpWidth = 100;
constexpr size_t kHelpColumn = 26;

Status Fault(std::string message) { return Error(ErrorClass::kValue, "command-line", std::move(message)); }

const Option* Find(const Command& command, std::string_view name) {
  for (const Option& option : command.options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

bool OnlyWithEquals(const Option& option) { return option.value.starts_with("[="); }

bool LooksLikeOption(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9');
}

// Edit distance, for suggestions.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

Status Unknown(const Command& command, const std::string& name) {
  const Option* nearest = nullptr;
  size_t best = 3;
  for (const Option& option : command.options) {
    if (name.size() > 40) break;
    const size_t distance = Distance(name, option.name);
    if (distance < best) {
      best = distance;
      nearest = &option;
    }
  }
  return Fault("unknown option '" + name + "'" +
               (nearest != nullptr ? "; did you mean " + nearest->name + "?"
                                   : "; " + command.usage + " --help lists them"));
}

Status Missing(const Option& option, const std::string& found) {
  std::string text = "option " + option.name + " needs a value: " + option.name + " " + option.value;
  if (!found.empty()) {
    text += ", but '" + found + "' follows, which is an option (a value like that is written " + option.name +
            "=" + found + ")";
  }
  return Fault(text);
}

// Words of `text` from column `indent` on, lines of at most kHelpWidth.
std::string Wrap(std::string_view text, size_t indent) {
  std::string out;
  size_t column = indent;
  bool first = true;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\n') {
      out += "\n" + std::string(indent, ' ');
      column = indent;
      first = true;
      ++at;
      continue;
    }
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    const size_t end = std::min(text.find_first_of(" \n", at), text.size());
    if (!first && column + 1 + (end - at) > kHelpWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
      first = true;
    }
    if (!first) {
      out += " ";
      ++column;
    }
    out += text.substr(at, end - at);
    column += end - at;
    first = false;
    at = end;
  }
  return out;
}

std::string Row(const std::string& left, const std::string& right) {
  std::string line = "  " + left;
  if (line.size() + 2 > kHelpColumn) {
    line += "\n" + std::string(kHelpColumn, ' ');
  } else {
    line.resize(kHelpColumn, ' ');
  }
  return line + Wrap(right, kHelpColumn) + "\n";
}

std::string Spelled(const Option& option) {
  if (option.value.empty()) return option.name;
  return option.name + (OnlyWithEquals(option) ? "" : " ") + option.value;
}

}  // namespace

std::string Arguments::Get(std::string_view option, std::string absent) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::move(absent) : found->second.back();
}

std::vector<std::string> Arguments::All(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

StatusOr<uint64_t> Arguments::Integer(std::string_view option, uint64_t absent, uint64_t low,
                                      uint64_t high) const {
  if (!Has(option)) return absent;
  const std::string text = Get(option);
  uint64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec == std::errc() && end.ptr == text.data() + text.size() && value >= low && value <= high) {
    return value;
  }
  return Fault("option " + std::string(option) + " takes an integer from " + std::to_string(low) + " to " +
               std::to_string(high) + ", not '" + text + "'");
}

StatusOr<size_t> Arguments::Choice(std::string_view option, std::span<const std::string_view> choices,
                                   size_t absent) const {
  if (!Has(option)) return absent;
  const std::string text = Get(option);
  std::string list;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (text == choices[i]) return i;
    list += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + std::string(choices[i]);
  }
  return Fault("option " + std::string(option) + " is " + list + ", not '" + text + "'");
}

StatusOr<Arguments> ParseArguments(const Command& command, std::span<const std::string> words) {
  Arguments arguments;
  for (const std::string& word : words) {
    if (word == "--help" || word == "-h") arguments.help = true;
    if (word == "--version") arguments.version = true;
  }
  if (arguments.help || arguments.version) return arguments;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!LooksLikeOption(word)) {
      if (word.empty()) return Fault("an argument is empty");
      if (arguments.operands_.size() == command.operands.size()) {
        return Fault("unexpected argument '" + word + "'; " + command.usage + " --help shows the usage");
      }
      arguments.operands_.push_back(word);
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Option* option = Find(command, name);
    if (option == nullptr) return Unknown(command, name);
    std::string value;
    if (equals != std::string::npos) {
      if (option->value.empty()) {
        return Fault("option " + name + " takes no value, found '" + word + "'");
      }
      value = word.substr(equals + 1);
      if (value.empty()) return Missing(*option, "");
    } else if (!option->value.empty() && !OnlyWithEquals(*option)) {
      const bool last = i + 1 == words.size();
      if (last || words[i + 1].empty() || LooksLikeOption(words[i + 1])) {
        return Missing(*option, last ? "" : words[i + 1]);
      }
      value = words[++i];
    }
    std::vector<std::string>& values = arguments.values_[name];
    if (!values.empty() && !option->repeated) return Fault("option " + name + " is given twice");
    values.push_back(std::move(value));
  }
  for (const Option& option : command.options) {
    if (option.required && !arguments.Has(option.name)) {
      return Fault("option " + Spelled(option) + " is missing; " + command.usage + " --help shows the usage");
    }
  }
  if (arguments.operands_.size() < command.operands.size()) {
    return Fault("argument " + command.operands[arguments.operands_.size()] + " is missing; " +
                 command.usage + " --help shows the usage");
  }
  return arguments;
}

std::string Help(const Command& command) {
  std::string usage = "Usage: " + command.usage;
  for (const std::string& operand : command.operands) usage += " " + operand;
  bool optional = false;
  for (const Option& option : command.options) {
    if (option.required) usage += " " + Spelled(option);
    optional = optional || !option.required;
  }
  std::string text = Wrap(usage + (optional ? " [options]" : ""), 7).substr(0) + "\n\n";
  text += Wrap(command.summary, 0) + "\n";
  if (!command.operands.empty()) {
    text += "\nArguments:\n";
    for (size_t i = 0; i < command.operands.size(); ++i) {
      text += Row(command.operands[i], command.operand_help[i]);
    }
  }
  text += "\nOptions:\n";
  for (const Option& option : command.options) {
    text += Row(Spelled(option), option.help + (option.required ? " Required." : "") +
                                     (option.repeated ? " May be given several times." : ""));
  }
  text += Row("--help", "This text.");
  text += Row("--version", "The version.");
  if (!command.details.empty()) text += "\n" + command.details;
  return text;
}

}  // namespace act::cli
