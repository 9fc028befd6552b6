// Helpers of the HLO tests.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "hlo/hlo.h"
#include "support/support.h"

namespace act::hlo {

inline StatusOr<Module> ParseText(std::string text, const ParseOptions& options = {},
                                  std::vector<Diagnostic>* warnings = nullptr) {
  const SourceText source("k.hlo", std::move(text));
  return Parse(source, options, warnings);
}

// A module of one entry computation with these lines.
inline std::string Entry(const std::string& lines) {
  return "HloModule m\n\nENTRY main {\n" + lines + "\n}\n";
}

// Computations that reductions use.
inline const char* const kCombiners =
    "HloModule m\n\n"
    "add_f32 {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n\n"
    "max_f32 {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] maximum(b, a)\n}\n\n"
    "double_f32 {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, a)\n}\n\n";

inline std::string WithCombiners(const std::string& lines) {
  return kCombiners + ("ENTRY main {\n" + lines + "\n}\n");
}

// The first message with its place, or "ok".
inline std::string Outcome(const StatusOr<Module>& module) {
  return module.ok() ? "ok" : module.status().message();
}

inline Module MustParse(const std::string& text) {
  StatusOr<Module> module = ParseText(text);
  EXPECT_EQ(Outcome(module), "ok") << text;
  return module.ok() ? *module : Module();
}

inline const Instruction& Find(const Computation& computation, const std::string& name) {
  for (const Instruction& i : computation.instructions) {
    if (i.name == name) return i;
  }
  ADD_FAILURE() << "no instruction " << name;
  return computation.instructions.front();
}

// The sorted files of a folder of the source tree with this ending.
inline std::vector<std::string> FilesOf(const std::string& folder, const std::string& ending) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ACT_SOURCE_DIR) + "/" + folder)) {
    const std::string path = entry.path().string();
    if (path.ends_with(ending)) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string MustRead(const std::string& path) {
  StatusOr<std::string> text = ReadFile(path);
  EXPECT_TRUE(text.ok()) << path;
  return text.ok() ? *text : std::string();
}

}  // namespace act::hlo
