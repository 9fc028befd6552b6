// Command lines from tables: one table is both the parser's and --help's, so that they cannot disagree.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/support.h"

namespace act::cli {

struct Option {
  std::string name;  // "--input"
  std::string
      value;  // what follows, for the help: "FILE"; empty: nothing does. "[=json]": only as --name=json
  std::string help;  // sentences; '\n' begins a line
  bool required = false;
  bool repeated = false;  // may be given several times
};
struct Command {
  std::string usage;                  // the program's name and what stands before the options: "act check"
  std::string summary;                // one line
  std::vector<std::string> operands;  // names of the arguments without '--', each required: "SPEC.taidl"
  std::vector<std::string> operand_help;
  std::vector<Option> options;  // --help and --version are understood by every command
  std::string details;          // after the options; lines
};

class Arguments {
 public:
  bool Has(std::string_view option) const { return values_.contains(option); }
  // The value; `absent` if the option was not given.
  std::string Get(std::string_view option, std::string absent = "") const;
  std::vector<std::string> All(std::string_view option) const;
  const std::string& operand(size_t index) const { return operands_[index]; }
  bool help = false, version = false;

  // The value as an integer in [low, high]; `absent` if not given. The failure names option, value and range.
  StatusOr<uint64_t> Integer(std::string_view option, uint64_t absent, uint64_t low, uint64_t high) const;
  // The position of the value in `choices`; `absent` if not given.
  StatusOr<size_t> Choice(std::string_view option, std::span<const std::string_view> choices,
                          size_t absent) const;

 private:
  friend StatusOr<Arguments> ParseArguments(const Command& command, std::span<const std::string> words);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> operands_;
};

// Values stand behind their option, or behind '='. A word that begins with '-' is no value (negative numbers
// are); --name=-x says it all the same. --help anywhere wins over every fault.
StatusOr<Arguments> ParseArguments(const Command& command, std::span<const std::string> words);
std::string Help(const Command& command);

}  // namespace act::cli
