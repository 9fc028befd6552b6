#include "capi/handles.h"

namespace act::capi {

act_error* ToC(std::vector<Diagnostic> diagnostics) {
  if (diagnostics.empty()) return nullptr;
  auto* error = new act_error;
  for (const Diagnostic& d : diagnostics) error->rendered.push_back(RenderShort(d));
  error->diagnostics = std::move(diagnostics);
  return error;
}

act_error* ToC(const Status& status) { return ToC(status.diagnostics()); }

std::vector<std::string> FromC(const act_string* list, size_t count) {
  std::vector<std::string> result;
  for (size_t i = 0; i < count; ++i) result.push_back(FromC(list[i]));
  return result;
}

SourceLocation FromC(const act_place* place) {
  SourceLocation location;
  if (place == nullptr) return location;
  location.file = FromC(place->file);
  location.line = place->line;
  return location;
}

}  // namespace act::capi

using act::capi::ToC;

int32_t act_abi_version(void) { return ACT_ABI_VERSION; }

size_t act_error_count(const act_error* error) { return error->diagnostics.size(); }

void act_error_get(const act_error* error, size_t index, act_diagnostic* diagnostic) {
  const act::Diagnostic& d = error->diagnostics[index];
  diagnostic->error_class = static_cast<int32_t>(d.error_class);
  diagnostic->is_warning = d.is_warning ? 1 : 0;
  diagnostic->line = d.location.line;
  diagnostic->column = d.location.column;
  diagnostic->code = ToC(d.code);
  diagnostic->message = ToC(d.message);
  diagnostic->file = ToC(d.location.file);
  diagnostic->line_text = ToC(d.line_text);
  diagnostic->rendered = ToC(error->rendered[index]);
}

void act_error_free(act_error* error) { delete error; }

act_string act_text_get(const act_text* text) { return ToC(text->text); }
void act_text_free(act_text* text) { delete text; }
