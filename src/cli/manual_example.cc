#include <algorithm>

#include "backend/backend.h"
#include "cli/manual.h"

namespace act::cli {
namespace {

constexpr int64_t kMaxExampleBytes = int64_t{1} << 24;

std::optional<RoundTrip> Try(const isa::Accelerator& accelerator, select::Selector* selector,
                             const Shape& shape) {
  if (shape.num_bytes().value_or(INT64_MAX) > kMaxExampleBytes) return std::nullopt;
  const std::string type = ToString(shape);
  const std::string kernel = "HloModule roundtrip\n\nENTRY main {\n  x = " + type +
                             " parameter(0)\n  ROOT y = " + type + " copy(x)\n}\n";
  const auto module = hlo::Parse(SourceText("roundtrip.hlo", kernel));
  if (!module.ok()) return std::nullopt;
  backend::CompileOptions options;
  options.effort = backend::EffortLevel(0);
  options.stop_at_first = true;
  options.input_file = "roundtrip.hlo";
  auto compiled = backend::Compile(accelerator, selector, *module, options);
  if (!compiled.ok()) return std::nullopt;
  return RoundTrip{kernel, std::move(compiled->program)};
}

}  // namespace

std::optional<RoundTrip> FindRoundTrip(const isa::Accelerator& accelerator) {
  select::Selector selector(&accelerator);
  for (size_t b = 1; b < accelerator.buffers.size(); ++b) {
    const isa::Buffer& buffer = accelerator.buffers[b];
    std::vector<int64_t> rows{1};
    if (buffer.addresses.size() == 1) {
      const int64_t all = buffer.addresses[0];
      rows = {std::max<int64_t>(1, all / 2), all, 1};
    }
    for (const int64_t n : rows) {
      std::vector<int64_t> dims{n};
      dims.insert(dims.end(), buffer.unit.begin(), buffer.unit.end());
      auto found = Try(accelerator, &selector, Shape::Array(buffer.type, dims));
      if (found) return found;
    }
  }
  return std::nullopt;
}

}  // namespace act::cli
