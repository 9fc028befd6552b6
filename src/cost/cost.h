// Cost of a complete program: the built-in models and the `act_cost` plug-in.
#pragma once
#include <memory>
#include <string>

#include "assembly/assembly.h"

namespace act::cost {

class Model {
 public:
  virtual ~Model() = default;
  // Cost of the program; finite. `assembly_text`: the program in the published Python kernel format.
  virtual StatusOr<double> Cost(const isa::Accelerator& accelerator, const assembly::Program& program,
                                const std::string& assembly_text) = 0;
  // Selection's additive cost orders candidates as this model does, so that the first valid one is the best.
  virtual bool IsAdditive(const isa::Accelerator& accelerator) const = 0;
};

// With units: the makespan of a timeline in which each unit runs its instructions in order and an instruction
// starts when the bytes it reads and writes are free of earlier conflicting instructions. With costs but no
// units: their sum. With neither: the number of instructions. Loops count by iteration.
std::unique_ptr<Model> BuiltinModel();

// A library with `int act_cost(const char* asm_path, double* cost)`: from a file, or from the bytes of a
// shared library (loaded through an anonymous file). Each call writes the assembly to a temporary file.
StatusOr<std::unique_ptr<Model>> LoadPlugin(const std::string& path);
StatusOr<std::unique_ptr<Model>> LoadPluginFromBytes(std::string_view shared_library);

// Makes the bytes of a shared library from an object file or a static archive with the user's `cc` (-shared,
// unresolved names refused). `.so` files are returned as a path to open later. Failures: kValue for a missing
// file or another suffix, kRuntime with the linker's output.
struct PluginFile {
  std::string shared_library;  // bytes to carry along, or
  std::string absolute_path;   // a shared library that stays where it is
};
StatusOr<PluginFile> PreparePlugin(const std::string& path);

}  // namespace act::cost
