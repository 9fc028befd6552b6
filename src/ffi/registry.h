// The kernels of the process. Internal to this folder.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "isa/isa.h"
#include "oracle/oracle.h"

namespace act::ffi {

// An accelerator, and its rules once something is compiled; one compile at a time.
struct Target {
  explicit Target(isa::Accelerator parsed) : accelerator(std::move(parsed)) {}
  const isa::Accelerator accelerator;
  std::mutex compiling;
  std::optional<select::Selector> selector;  // under `compiling`
};

struct Kernel {
  std::string key;  // everything that decides the program
  std::shared_ptr<const Target> target;
  assembly::Program program;
  std::vector<Shape> parameter_shapes, output_shapes;  // with layouts
  std::string assembly;
  std::string report;  // ReportJson
  std::string times;   // TimesJson of the compile; "{}" if it was found on disk
  bool from_disk = false;

  // Simulators that no call is using: a call takes one, or makes one, and puts it back.
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<oracle::Simulator>> idle;
};

// Runs a kernel on the simulator. inputs, outputs: row-major values; the sizes must be those of the shapes.
Status Execute(const Kernel& kernel, std::span<const std::span<const uint8_t>> inputs,
               std::span<const std::span<uint8_t>> outputs);

class Registry {
 public:
  struct Options {
    select::Numerics numerics = select::Numerics::kDefault;
    int effort = 1;
    std::string cache_folder;  // empty: no cache on disk
  };
  // The kernel's id. An equal request finds the kernel that is there; else one in the cache on disk, if that
  // was written by this very build, is taken; else it is compiled and written there. (A cache that cannot be
  // written costs time and nothing else.)
  StatusOr<int64_t> Compile(std::string_view spec, std::string_view file, std::string_view proto,
                            const Options& options);
  // null: none of that id.
  std::shared_ptr<const Kernel> Find(int64_t id) const;

 private:
  StatusOr<std::shared_ptr<Target>> FindTarget(std::string_view spec, std::string_view file);

  mutable std::mutex mutex_;  // of the maps
  std::map<std::string, std::shared_ptr<Target>, std::less<>> targets_;
  std::map<int64_t, std::shared_ptr<const Kernel>> kernels_;
};

}  // namespace act::ffi
