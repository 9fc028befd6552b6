#include "ffi/registry.h"

#include <algorithm>

#include "ffi/cache.h"
#include "ffi/report.h"
#include "view/view.h"

namespace act::ffi {
namespace {

// Changes with everything that lets the same request give another program.
constexpr std::string_view kFormat = "act-ffi 2\n";

std::string MakeKey(std::string_view spec, const hlo::Module& module, const Registry::Options& options) {
  std::string key(kFormat);
  key += std::to_string(static_cast<int>(options.numerics)) + ' ' + std::to_string(options.effort) + ' ' +
         std::to_string(spec.size()) + '\n';
  key += spec;
  // Not the proto's bytes: they vary with source places and with a number that counts up.
  key += hlo::Print(module);
  return key;
}

// XLA packs the elements of these types; the kernel's memory does not.
Status CheckTypes(const std::vector<Shape>& shapes) {
  for (const Shape& shape : shapes) {
    if (shape.type == ElementType::kPred || BitWidth(shape.type) >= 8) continue;
    return Error(ErrorClass::kNotImplemented, "ffi-type",
                 "arrays of " + std::string(ElementTypeName(shape.type)) +
                     " are not passed to or from a kernel; convert them to an 8-bit type outside of it");
  }
  return Status();
}

// True if the cache has the kernel's program. Everything that a run relies on is checked here or by the
// simulator.
bool LoadProgram(const DiskCache& cache, const std::string& key, Kernel* kernel) {
  const std::optional<std::string> entry = cache.Load(key);
  if (!entry) return false;
  // The report is its first line.
  const size_t line = entry->find('\n');
  if (line == std::string::npos) return false;
  std::string text = entry->substr(line + 1);
  const isa::Accelerator& accelerator = kernel->target->accelerator;
  StatusOr<assembly::Program> program = assembly::ParseNative(accelerator, SourceText("cached", text));
  if (!program.ok() || !assembly::CheckProgram(accelerator, *program).ok()) return false;
  if (program->inputs.size() != kernel->parameter_shapes.size() ||
      program->outputs.size() != kernel->output_shapes.size())
    return false;
  kernel->program = *std::move(program);
  kernel->assembly = std::move(text);
  kernel->report = entry->substr(0, line);
  kernel->times = "{}";
  return true;
}

// The bytes in HBM are those of the row-major value.
bool IsOwnImage(const Shape& shape) { return !shape.has_layout || shape.layout.IsRowMajor(); }

std::unique_ptr<oracle::Simulator> TakeSimulator(const Kernel& kernel) {
  {
    const std::lock_guard lock(kernel.mutex);
    if (!kernel.idle.empty()) {
      std::unique_ptr<oracle::Simulator> simulator = std::move(kernel.idle.back());
      kernel.idle.pop_back();
      return simulator;
    }
  }
  return std::make_unique<oracle::Simulator>(kernel.target->accelerator, kernel.program);
}

}  // namespace

StatusOr<std::shared_ptr<Target>> Registry::FindTarget(std::string_view spec, std::string_view file) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = targets_.find(spec);
    if (found != targets_.end()) return found->second;
  }
  const SourceText source{std::string(file), std::string(spec)};
  ACT_ASSIGN_OR_RETURN(isa::Accelerator accelerator, isa::ParseTaidl(source));
  auto target = std::make_shared<Target>(std::move(accelerator));
  const std::lock_guard lock(mutex_);
  return targets_.emplace(std::string(spec), std::move(target)).first->second;
}

StatusOr<int64_t> Registry::Compile(std::string_view spec, std::string_view file, std::string_view proto,
                                    const Options& options) {
  ACT_ASSIGN_OR_RETURN(const hlo::Module module, hlo::ParseProto(proto));
  std::string key = MakeKey(spec, module, options);
  const auto id = static_cast<int64_t>(HashBytes(key));
  const auto same = [&key, id](const Kernel& kernel) -> StatusOr<int64_t> {
    if (kernel.key == key) return id;
    return Error(ErrorClass::kInternal, "ffi-id", "two kernels have one id; change the name of the function");
  };
  if (const auto kernel = Find(id)) return same(*kernel);
  ACT_ASSIGN_OR_RETURN(const std::shared_ptr<Target> target, FindTarget(spec, file));
  ACT_ASSIGN_OR_RETURN(hlo::FlatKernel flat, hlo::Flatten(module));
  ACT_RETURN_IF_ERROR(CheckTypes(flat.parameter_shapes));
  ACT_RETURN_IF_ERROR(CheckTypes(flat.output_shapes));
  auto kernel = std::make_shared<Kernel>();
  kernel->key = key;
  kernel->target = target;
  kernel->parameter_shapes = std::move(flat.parameter_shapes);
  kernel->output_shapes = std::move(flat.output_shapes);
  // Another thread may have made it meanwhile.
  const std::lock_guard compiling(target->compiling);
  if (const auto made = Find(id)) return same(*made);
  std::optional<DiskCache> cache;
  const std::string build = options.cache_folder.empty() ? std::string() : BuildId();
  if (!build.empty()) cache.emplace(options.cache_folder);
  const std::string disk_key = build + '\n' + kernel->key;
  kernel->from_disk = cache && LoadProgram(*cache, disk_key, kernel.get());
  if (!kernel->from_disk) {
    backend::CompileOptions compile;
    compile.effort = backend::EffortLevel(options.effort);
    compile.numerics = options.numerics;
    if (!target->selector) target->selector.emplace(&target->accelerator);
    ACT_ASSIGN_OR_RETURN(backend::Compiled compiled,
                         backend::Compile(target->accelerator, &*target->selector, module, compile));
    kernel->program = std::move(compiled.program);
    kernel->assembly = assembly::PrintNative(target->accelerator, kernel->program);
    kernel->report = ReportJson(target->accelerator, kernel->program, compiled.report);
    kernel->times = TimesJson(compiled.report);
    if (cache) (void)cache->Store(disk_key, kernel->report + '\n' + kernel->assembly).ok();
  }
  const std::lock_guard lock(mutex_);
  kernels_.emplace(id, std::move(kernel));
  return id;
}

std::shared_ptr<const Kernel> Registry::Find(int64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find(id);
  return found == kernels_.end() ? nullptr : found->second;
}

Status Execute(const Kernel& kernel, std::span<const std::span<const uint8_t>> inputs,
               std::span<const std::span<uint8_t>> outputs) {
  const auto check = [](const char* what, const auto& values, const std::vector<Shape>& shapes) {
    bool ok = values.size() == shapes.size();
    for (size_t i = 0; ok && i < shapes.size(); ++i)
      ok = static_cast<int64_t>(values[i].size()) == *shapes[i].num_bytes();
    if (ok) return Status();
    return Error(
        ErrorClass::kValue, "ffi-arrays",
        std::string("the kernel's ") + what + " do not have the number or the sizes it was compiled for");
  };
  ACT_RETURN_IF_ERROR(check("inputs", inputs, kernel.parameter_shapes));
  ACT_RETURN_IF_ERROR(check("outputs", outputs, kernel.output_shapes));
  std::vector<Literal> images;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Literal& value = images.emplace_back();
    const Shape& shape = kernel.parameter_shapes[i];
    value.shape = Shape::Array(shape.type, shape.dims);
    value.bytes.assign(inputs[i].begin(), inputs[i].end());
    if (IsOwnImage(shape)) continue;
    ACT_ASSIGN_OR_RETURN(Literal image, ToImage(value, shape));
    value = std::move(image);
  }
  std::unique_ptr<oracle::Simulator> simulator = TakeSimulator(kernel);
  ACT_ASSIGN_OR_RETURN(oracle::Simulation simulation, simulator->Run(images));
  {
    const std::lock_guard lock(kernel.mutex);
    kernel.idle.push_back(std::move(simulator));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    Literal& value = simulation.outputs[i];
    if (!IsOwnImage(kernel.output_shapes[i])) {
      ACT_ASSIGN_OR_RETURN(value, FromImage(value, kernel.output_shapes[i]));
    }
    std::copy(value.bytes.begin(), value.bytes.end(), outputs[i].begin());
  }
  return Status();
}

}  // namespace act::ffi
