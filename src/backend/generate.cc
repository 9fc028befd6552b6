#include "backend/generate.h"

#include <filesystem>
#include <system_error>

#include "backend/package.h"
#include "cost/cost.h"

namespace act::backend {
namespace {

namespace fs = std::filesystem;

struct Places {
  std::string folder;      // targets/<name>/backend
  std::string executable;  // the backend
};

Places PlacesOf(const std::string& name, const GenerateOptions& options) {
  const std::string base = options.base_dir.empty() ? "." : options.base_dir;
  Places places;
  places.folder = base + "/targets/" + name + "/backend";
  places.executable = options.output.empty() ? base + "/backends/" + name : options.output;
  return places;
}

Status MakeFolder(const std::string& path) {
  if (path.empty()) return Status();
  std::error_code error;
  fs::create_directories(path, error);
  if (!error) return Status();
  return Error(ErrorClass::kEnvironment, "file", "cannot make folder '" + path + "': " + error.message());
}

Status Write(const isa::Accelerator& accelerator, select::Selector* selector, const Places& places,
             const GenerateOptions& options) {
  Package package;
  package.spec = isa::PrintTaidl(accelerator);
  if (!options.cost.empty()) {
    ACT_ASSIGN_OR_RETURN(cost::PluginFile plugin, cost::PreparePlugin(options.cost));
    package.cost_library = std::move(plugin.shared_library);
    package.cost_path = std::move(plugin.absolute_path);
  }
  const std::string derived = DescribeDerived(accelerator, selector);
  ACT_RETURN_IF_ERROR(MakeFolder(places.folder));
  ACT_RETURN_IF_ERROR(MakeFolder(fs::path(places.executable).parent_path().string()));
  ACT_RETURN_IF_ERROR(WriteFileAtomically(places.folder + "/" + accelerator.name + ".taidl", package.spec));
  ACT_RETURN_IF_ERROR(WriteFileAtomically(places.folder + "/derived.txt", derived));
  return WriteBackend(options.engine, package, places.executable);
}

// Why the spec cannot be used; ok if it can.
Status Refusals(const isa::Accelerator& accelerator, const select::Selector& selector,
                const GenerateOptions& options) {
  std::vector<Diagnostic> faults;
  for (Diagnostic& d : isa::Check(accelerator, options.source)) {
    if (!d.is_warning) faults.push_back(std::move(d));
  }
  if (faults.empty()) faults = selector.Unusable();
  return Status(std::move(faults));
}

std::string RangeText(const isa::AttributeRange& range) {
  std::string text = range.bounded ? std::to_string(range.low) + " to " + std::to_string(range.high)
                                   : std::string("not bounded by the spec");
  if (range.bounded && range.low == range.high) text = std::to_string(range.low);
  if (range.modulus > 1) {
    text += ", " + (range.remainder == 0
                        ? "a multiple of " + std::to_string(range.modulus)
                        : std::to_string(range.remainder) + " modulo " + std::to_string(range.modulus));
  }
  return text;
}

}  // namespace

std::string DescribeDerived(const isa::Accelerator& accelerator, select::Selector* selector) {
  std::string text = "Attributes of " + accelerator.name + "\n";
  for (const isa::Instruction& instruction : accelerator.instructions) {
    if (instruction.computational.empty()) continue;
    const std::vector<isa::AttributeRange> ranges = isa::AttributeRanges(accelerator, instruction);
    for (size_t i = 0; i < ranges.size() && i < instruction.computational.size(); ++i) {
      text += "  " + instruction.name + ": " + instruction.computational[i] + " is " + RangeText(ranges[i]) +
              "\n";
    }
  }
  text += "\n" + selector->DescribeRules();
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

void RemoveGenerated(const std::string& name, const GenerateOptions& options) {
  // The name becomes part of a path that is removed with everything in it.
  if (!isa::CheckAcceleratorName(name).ok()) return;
  const Places places = PlacesOf(name, options);
  std::error_code ignored;
  fs::remove_all(places.folder, ignored);
  fs::remove(fs::path(places.folder).parent_path(), ignored);  // targets/<name>, if nothing else is in it
  const fs::file_status status = fs::symlink_status(places.executable, ignored);
  if (fs::is_directory(status)) return;
  bool remove = options.output.empty();
  if (!remove) {
    const auto package = ReadPackage(places.executable);
    remove = package.ok() ? package->has_value() : package.status().front().code == "package";
  }
  if (remove) fs::remove(places.executable, ignored);
}

StatusOr<std::string> Generate(const isa::Accelerator& accelerator, const GenerateOptions& options) {
  ACT_RETURN_IF_ERROR(isa::CheckAcceleratorName(accelerator.name));
  const Places places = PlacesOf(accelerator.name, options);
  select::Selector selector(&accelerator);
  Status status = Refusals(accelerator, selector, options);
  if (status.ok()) status = Write(accelerator, &selector, places, options);
  if (!status.ok()) {
    RemoveGenerated(accelerator.name, options);
    return status;
  }
  return places.executable;
}

}  // namespace act::backend
