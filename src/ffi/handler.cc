// The functions of libact_ffi.so.
#include <xla/ffi/api/ffi.h>

#include <cstdlib>
#include <cstring>

#include "ffi/ffi.h"
#include "ffi/registry.h"

namespace {

// XLA hands a handler its arguments and attributes and nothing else, so the kernels belong to the process.
act::ffi::Registry& Kernels() {
  static auto* const kernels = new act::ffi::Registry;  // never destroyed: calls may come until the very end
  return *kernels;
}

char* NewText(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

std::string_view View(act_ffi_bytes bytes) { return {bytes.data, bytes.size}; }

xla::ffi::Error ToXla(const act::Status& status) { return xla::ffi::Error::Internal(status.message()); }

xla::ffi::Error Execute(int64_t program, xla::ffi::RemainingArgs args, xla::ffi::RemainingRets rets) {
  const std::shared_ptr<const act::ffi::Kernel> kernel = Kernels().Find(program);
  if (kernel == nullptr) {
    return xla::ffi::Error(
        xla::ffi::ErrorCode::kFailedPrecondition,
        "no kernel with the id " + std::to_string(program) +
            " was compiled in this process; an executable that was kept from another one needs "
            "act.jax.jit to compile the function again");
  }
  std::vector<std::span<const uint8_t>> inputs;
  for (size_t i = 0; i < args.size(); ++i) {
    const auto buffer = args.get<xla::ffi::AnyBuffer>(i);
    if (!buffer.has_value()) return buffer.error();
    inputs.emplace_back(static_cast<const uint8_t*>(buffer->untyped_data()), buffer->size_bytes());
  }
  std::vector<std::span<uint8_t>> outputs;
  for (size_t i = 0; i < rets.size(); ++i) {
    auto buffer = rets.get<xla::ffi::AnyBuffer>(i);
    if (!buffer.has_value()) return buffer.error();
    outputs.emplace_back(static_cast<uint8_t*>((*buffer)->untyped_data()), (*buffer)->size_bytes());
  }
  const act::Status status = act::ffi::Execute(*kernel, inputs, outputs);
  return status.ok() ? xla::ffi::Error::Success() : ToXla(status);
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(act_execute, Execute,
                              xla::ffi::Ffi::Bind().Attr<int64_t>("program").RemainingArgs().RemainingRets());

int32_t act_ffi_version(void) { return ACT_FFI_VERSION; }

int32_t act_ffi_compile(act_ffi_bytes spec, act_ffi_bytes file, act_ffi_bytes proto, int32_t numerics,
                        int32_t effort, act_ffi_bytes cache, int64_t* program, char** text) {
  act::ffi::Registry::Options options;
  options.numerics = static_cast<act::select::Numerics>(numerics);
  options.effort = effort;
  options.cache_folder = std::string(View(cache));
  const act::StatusOr<int64_t> id = Kernels().Compile(View(spec), View(file), View(proto), options);
  if (!id.ok()) {
    *text = NewText(id.status().message());
    return static_cast<int32_t>(id.status().front().error_class);
  }
  *program = *id;
  *text = NewText(Kernels().Find(*id)->assembly);
  return -1;
}

char* act_ffi_report(int64_t program) {
  const std::shared_ptr<const act::ffi::Kernel> kernel = Kernels().Find(program);
  if (kernel == nullptr) return nullptr;
  std::string report = kernel->report;
  report.pop_back();  // the closing brace
  report += std::string(", \"from_disk\": ") + (kernel->from_disk ? "true" : "false") +
            ", \"milliseconds\": " + kernel->times + '}';
  return NewText(report);
}

void act_ffi_free(char* text) { std::free(text); }
