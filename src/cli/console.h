// What a command prints, and the two forms in which it fails.
#pragma once
#include <string>
#include <string_view>

#include "isa/isa.h"
#include "support/support.h"

namespace act::cli {

inline constexpr const char* kVersion = "0.1.0";

// Everything to stdout; a failure (closed pipe, full disk) if that is not possible.
Status PrintOut(std::string_view text);
void PrintErr(std::string_view text);

// The failure as one line, without newline: the first fault with its place, and how many more there are.
std::string OneLine(const Status& status);
// "Error: <why>", or "Error: internal: <why>" by the failure's class. Returns 1, the exit status.
int Fail(const Status& status);
// "Error: no assembly found: <why>"; a failure of class kInternal as Fail. Returns 1.
int FailNoAssembly(const Status& status);

bool EndsWith(std::string_view text, std::string_view suffix);
std::string BaseName(const std::string& path);

// A spec from its file, read and checked: `Check` errors are a failure whose message says how to see them
// all.
StatusOr<isa::Accelerator> LoadAccelerator(const std::string& path);

// What an output path must be like before anything is computed: the folder exists and can be written, an
// existing file is a regular one that may be replaced. Returns the path to write, symbolic links followed.
StatusOr<std::string> CheckOutputPath(const std::string& path);

}  // namespace act::cli
