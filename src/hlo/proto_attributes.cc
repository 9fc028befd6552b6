#include "hlo/proto_attributes.h"

#include <charconv>
#include <iterator>
#include <map>

#include "hlo/lexer.h"
#include "hlo/proto_fields.h"

namespace act::hlo::proto {
namespace {

template <size_t n>
std::string_view EnumName(const std::string_view (&names)[n], int64_t value, std::string_view what) {
  if (value >= 0 && value < static_cast<int64_t>(n) && !names[value].empty()) return names[value];
  FailValue("hlo-proto", "the " + std::string(what) + " number " + std::to_string(value) +
                             " is none that is known; give the module as text");
}

std::vector<int64_t> ReadInts(std::string_view bytes, uint32_t number, const char* what) {
  std::vector<int64_t> values;
  Fields fields(bytes, what);
  while (fields.Next()) {
    if (fields.number() == number) fields.AppendInts(&values);
  }
  return values;
}

std::string NumberText(double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, std::end(buffer), value, std::chars_format::general, 6);
  return std::string(buffer, result.ptr);
}

// True for text that is one group of braces from its first to its last character: JSON and MLIR dictionaries
// stand in HLO text without quotes.
bool IsBraced(std::string_view text) {
  if (text.size() < 2 || text.front() != '{') return false;
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

// Braced text that the text reader would not take for one value is quoted.
std::string ValueText(std::string_view value) {
  if (!IsBraced(value)) return QuotedText(value);
  Lexer lexer(value);
  return lexer.RawValue() == value ? std::string(value) : QuotedText(value);
}

struct WindowDim {
  int64_t size = 0, stride = 1, low = 0, high = 0, window_dilation = 1, base_dilation = 1;
  bool reversed = false;
};

WindowDim ReadWindowDim(std::string_view bytes) {
  WindowDim dim;
  Fields fields(bytes, "WindowDimension");
  while (fields.Next()) {
    switch (fields.number()) {
      case 1:
        dim.size = fields.Int();
        break;
      case 2:
        dim.stride = fields.Int();
        break;
      case 3:
        dim.low = fields.Int();
        break;
      case 4:
        dim.high = fields.Int();
        break;
      case 5:
        dim.window_dilation = fields.Int();
        break;
      case 6:
        dim.base_dilation = fields.Int();
        break;
      case 7:
        dim.reversed = fields.Bool();
        break;
      default:
        break;
    }
  }
  return dim;
}

// " name=AxBxC", left out where no dimension differs from the default.
template <typename Differs, typename Text>
void AppendPerDimension(std::string_view name, const std::vector<WindowDim>& dims, Differs differs, Text text,
                        std::string* out) {
  bool any = false;
  for (const WindowDim& dim : dims) any = any || differs(dim);
  if (!any) return;
  if (out->back() != '{') *out += ' ';
  *out += name;
  *out += '=';
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) *out += 'x';
    *out += text(dims[i]);
  }
}

}  // namespace

std::string ListText(const std::vector<int64_t>& values) {
  std::string text = "{";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(values[i]);
  }
  return text + '}';
}

std::string QuotedText(std::string_view value) {
  std::string text = "\"";
  for (char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\r') {
      text += "\\r";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c == '"' || c == '\'' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      text += '\\';
      text += static_cast<char>('0' + (byte >> 6));
      text += static_cast<char>('0' + ((byte >> 3) & 7));
      text += static_cast<char>('0' + (byte & 7));
    } else {
      text += c;
    }
  }
  return text + '"';
}

void AppendWindow(std::string_view bytes, RawAttributes* out) {
  std::vector<WindowDim> dims;
  Fields fields(bytes, "Window");
  while (fields.Next()) {
    if (fields.number() == 1) dims.push_back(ReadWindowDim(fields.Bytes()));
  }
  if (dims.empty()) return;
  std::string text = "{";
  const auto number = [](int64_t value) { return std::to_string(value); };
  AppendPerDimension(
      "size", dims, [](const WindowDim&) { return true; }, [&](const WindowDim& d) { return number(d.size); },
      &text);
  AppendPerDimension(
      "stride", dims, [](const WindowDim& d) { return d.stride != 1; },
      [&](const WindowDim& d) { return number(d.stride); }, &text);
  AppendPerDimension(
      "pad", dims, [](const WindowDim& d) { return d.low != 0 || d.high != 0; },
      [&](const WindowDim& d) { return number(d.low) + '_' + number(d.high); }, &text);
  AppendPerDimension(
      "lhs_dilate", dims, [](const WindowDim& d) { return d.base_dilation != 1; },
      [&](const WindowDim& d) { return number(d.base_dilation); }, &text);
  AppendPerDimension(
      "rhs_dilate", dims, [](const WindowDim& d) { return d.window_dilation != 1; },
      [&](const WindowDim& d) { return number(d.window_dilation); }, &text);
  AppendPerDimension(
      "rhs_reversal", dims, [](const WindowDim& d) { return d.reversed; },
      [](const WindowDim& d) { return std::string(d.reversed ? "1" : "0"); }, &text);
  out->push_back({"window", text + '}'});
}

void AppendConvolutionLabels(std::string_view bytes, RawAttributes* out) {
  // Operand, kernel, result: the two dimensions with letters, and the spatial ones.
  struct Side {
    int64_t first = 0, second = 0;
    std::vector<int64_t> spatial;
  };
  Side sides[3];
  Fields fields(bytes, "ConvolutionDimensionNumbers");
  while (fields.Next()) {
    switch (fields.number()) {
      case 7:
        sides[0].first = fields.Int();
        break;
      case 8:
        sides[0].second = fields.Int();
        break;
      case 11:
        fields.AppendInts(&sides[0].spatial);
        break;
      case 3:
        sides[1].first = fields.Int();
        break;
      case 4:
        sides[1].second = fields.Int();
        break;
      case 6:
        fields.AppendInts(&sides[1].spatial);
        break;
      case 9:
        sides[2].first = fields.Int();
        break;
      case 10:
        sides[2].second = fields.Int();
        break;
      case 12:
        fields.AppendInts(&sides[2].spatial);
        break;
      default:
        break;
    }
  }
  constexpr std::string_view kLetters[] = {"bf", "io", "bf"};
  constexpr std::string_view kJoints[] = {"_", "->", ""};
  std::string text;
  for (size_t s = 0; s < 3; ++s) {
    const Side& side = sides[s];
    std::map<int64_t, std::string> labels;  // by dimension
    bool ok = labels.emplace(side.first, kLetters[s].substr(0, 1)).second;
    ok = labels.emplace(side.second, kLetters[s].substr(1, 1)).second && ok;
    for (size_t i = 0; i < side.spatial.size(); ++i)
      ok = labels.emplace(side.spatial[i], std::to_string(i)).second && ok;
    ok =
        ok && labels.begin()->first == 0 && labels.rbegin()->first == static_cast<int64_t>(labels.size()) - 1;
    if (!ok) FailValue("hlo-proto", "the dimension numbers of a convolution do not name each dimension once");
    for (const auto& [dim, label] : labels) text += label;
    text += kJoints[s];
  }
  out->push_back({"dim_labels", text});
}

void AppendGatherDims(std::string_view bytes, RawAttributes* out) {
  const char* const what = "GatherDimensionNumbers";
  out->push_back({"offset_dims", ListText(ReadInts(bytes, 1, what))});
  out->push_back({"collapsed_slice_dims", ListText(ReadInts(bytes, 2, what))});
  out->push_back({"start_index_map", ListText(ReadInts(bytes, 3, what))});
  const std::vector<int64_t> batch = ReadInts(bytes, 5, what), indices = ReadInts(bytes, 6, what);
  if (!batch.empty()) out->push_back({"operand_batching_dims", ListText(batch)});
  if (!indices.empty()) out->push_back({"start_indices_batching_dims", ListText(indices)});
  int64_t vector_dim = 0;
  for (int64_t value : ReadInts(bytes, 4, what)) vector_dim = value;
  out->push_back({"index_vector_dim", std::to_string(vector_dim)});
}

void AppendScatterDims(std::string_view bytes, RawAttributes* out) {
  const char* const what = "ScatterDimensionNumbers";
  out->push_back({"update_window_dims", ListText(ReadInts(bytes, 1, what))});
  out->push_back({"inserted_window_dims", ListText(ReadInts(bytes, 2, what))});
  out->push_back({"scatter_dims_to_operand_dims", ListText(ReadInts(bytes, 3, what))});
  const std::vector<int64_t> batch = ReadInts(bytes, 5, what), indices = ReadInts(bytes, 6, what);
  if (!batch.empty()) out->push_back({"input_batching_dims", ListText(batch)});
  if (!indices.empty()) out->push_back({"scatter_indices_batching_dims", ListText(indices)});
  int64_t vector_dim = 0;
  for (int64_t value : ReadInts(bytes, 4, what)) vector_dim = value;
  out->push_back({"index_vector_dim", std::to_string(vector_dim)});
}

void AppendTriangularSolve(std::string_view bytes, RawAttributes* out) {
  constexpr std::string_view kFlags[] = {"left_side", "lower", "unit_diagonal"};
  constexpr std::string_view kTransposes[] = {"", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  for (uint32_t flag = 0; flag < 3; ++flag) {
    bool set = false;
    for (int64_t value : ReadInts(bytes, flag + 1, "TriangularSolveOptions")) set = value != 0;
    if (set) out->push_back({std::string(kFlags[flag]), "true"});
  }
  int64_t transpose = 0;
  for (int64_t value : ReadInts(bytes, 4, "TriangularSolveOptions")) transpose = value;
  if (transpose == 0) return;
  out->push_back({"transpose_a", std::string(EnumName(kTransposes, transpose, "transpose option"))});
}

void AppendCholesky(std::string_view bytes, RawAttributes* out) {
  bool lower = false;
  for (int64_t value : ReadInts(bytes, 1, "CholeskyOptions")) lower = value != 0;
  if (lower) out->push_back({"lower", "true"});
}

void AppendPrecision(std::string_view bytes, RawAttributes* out) {
  constexpr std::string_view kPrecisions[] = {"default", "high", "highest", "packed_nibble"};
  constexpr std::string_view kAlgorithms[] = {"",
                                              "dot_any_f8_any_f8_f32",
                                              "dot_any_f8_any_f8_f32_fast_accum",
                                              "dot_f16_f16_f16",
                                              "dot_f16_f16_f32",
                                              "dot_bf16_bf16_bf16",
                                              "dot_bf16_bf16_f32",
                                              "dot_bf16_bf16_f32_x3",
                                              "dot_bf16_bf16_f32_x6",
                                              "dot_tf32_tf32_f32",
                                              "dot_tf32_tf32_f32_x3",
                                              "dot_f32_f32_f32",
                                              "dot_f64_f64_f64",
                                              "dot_bf16_bf16_f32_x9"};
  std::string text;
  bool any = false;
  for (int64_t precision : ReadInts(bytes, 1, "PrecisionConfig")) {
    any = any || precision != 0;
    text += text.empty() ? "{" : ",";
    text += EnumName(kPrecisions, precision, "precision");
  }
  if (any) out->push_back({"operand_precision", text + '}'});
  int64_t algorithm = 0;
  for (int64_t value : ReadInts(bytes, 2, "PrecisionConfig")) algorithm = value;
  if (algorithm != 0)
    out->push_back({"algorithm", std::string(EnumName(kAlgorithms, algorithm, "dot algorithm"))});
}

void AppendResultAccuracy(std::string_view bytes, RawAttributes* out) {
  constexpr std::string_view kModes[] = {"default", "highest"};
  Fields fields(bytes, "ResultAccuracy");
  std::string text;
  while (fields.Next()) {
    if (fields.number() == 1) {
      const int64_t mode = fields.Int();
      text = mode == 0 ? "" : "{mode=" + std::string(EnumName(kModes, mode, "accuracy mode")) + '}';
    } else if (fields.number() == 2) {
      double absolute = 0, relative = 0;
      int64_t ulps = 0;
      Fields tolerance(fields.Bytes(), "ResultAccuracy.Tolerance");
      while (tolerance.Next()) {
        if (tolerance.number() == 1) absolute = tolerance.Double();
        if (tolerance.number() == 2) relative = tolerance.Double();
        if (tolerance.number() == 3) ulps = tolerance.Int();
      }
      text = "{tolerance={atol=" + NumberText(absolute) + ",rtol=" + NumberText(relative) +
             ",ulps=" + std::to_string(ulps) + "}}";
    }
  }
  if (!text.empty()) out->push_back({"result_accuracy", text});
}

void AppendParameterReplication(std::string_view bytes, RawAttributes* out) {
  std::string text;
  for (int64_t value : ReadInts(bytes, 1, "ParameterReplication")) {
    text += text.empty() ? "{" : ",";
    text += value != 0 ? "true" : "false";
  }
  if (!text.empty()) out->push_back({"parameter_replication", text + '}'});
}

void AppendFrontendAttributes(std::string_view bytes, RawAttributes* out) {
  std::map<std::string, std::string> entries;  // HLO text has them sorted
  Fields fields(bytes, "FrontendAttributes");
  while (fields.Next()) {
    if (fields.number() != 1) continue;
    std::string key, value;
    Fields entry(fields.Bytes(), "FrontendAttributes.MapEntry");
    while (entry.Next()) {
      if (entry.number() == 1) key = entry.Text();
      if (entry.number() == 2) value = entry.Text();
    }
    const bool plain =
        key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
        std::string::npos;
    if (key.empty() || !plain)
      FailValue("hlo-proto", "a frontend attribute has the name " + QuotedText(key) + ", which is no word");
    entries[key] = ValueText(value);
  }
  if (entries.empty()) return;
  std::string text;
  for (const auto& [key, value] : entries) {
    text += text.empty() ? "{" : ",";
    text += key + '=' + value;
  }
  out->push_back({"frontend_attributes", text + '}'});
}

void AppendBackendConfig(std::string_view value, RawAttributes* out) {
  if (!value.empty()) out->push_back({"backend_config", ValueText(value)});
}

void AppendOutputAliasing(const std::vector<std::string_view>& messages, RawAttributes* out) {
  if (messages.empty()) return;
  std::string text = "{";
  for (std::string_view message : messages) {
    if (text.size() > 1) text += ", ";
    int64_t operand = 0;
    for (int64_t value : ReadInts(message, 2, "OutputOperandAliasing")) operand = value;
    text += ListText(ReadInts(message, 1, "OutputOperandAliasing")) + ": (" + std::to_string(operand) + ", " +
            ListText(ReadInts(message, 3, "OutputOperandAliasing")) + ')';
  }
  out->push_back({"output_to_operand_aliasing", text + '}'});
}

void AppendInputOutputAlias(std::string_view bytes, RawAttributes* out) {
  constexpr std::string_view kKinds[] = {"", "may-alias", "must-alias"};
  std::string text;
  Fields fields(bytes, "HloInputOutputAliasProto");
  while (fields.Next()) {
    if (fields.number() != 1) continue;
    const std::string_view entry = fields.Bytes();
    const char* const what = "AliasEntryProto";
    int64_t parameter = 0, kind = 0;
    for (int64_t value : ReadInts(entry, 2, what)) parameter = value;
    for (int64_t value : ReadInts(entry, 4, what)) kind = value;
    text += text.empty() ? "{ " : ", ";
    text += ListText(ReadInts(entry, 1, what)) + ": (" + std::to_string(parameter) + ", " +
            ListText(ReadInts(entry, 3, what)) + ", " + std::string(EnumName(kKinds, kind, "alias kind")) +
            ')';
  }
  if (!text.empty()) out->push_back({"input_output_alias", text + " }"});
}

void AppendBufferDonor(std::string_view bytes, RawAttributes* out) {
  std::string text;
  Fields fields(bytes, "HloBufferDonorProto");
  while (fields.Next()) {
    if (fields.number() != 1) continue;
    const std::string_view entry = fields.Bytes();
    int64_t parameter = 0;
    for (int64_t value : ReadInts(entry, 1, "BufferDonorEntryProto")) parameter = value;
    text += text.empty() ? "{ " : ", ";
    text +=
        '(' + std::to_string(parameter) + ", " + ListText(ReadInts(entry, 2, "BufferDonorEntryProto")) + ')';
  }
  if (!text.empty()) out->push_back({"buffer_donor", text + " }"});
}

DotDims ReadDotDims(std::string_view bytes) {
  DotDims dims;
  const char* const what = "DotDimensionNumbers";
  dims.lhs_contracting = ReadInts(bytes, 1, what);
  dims.rhs_contracting = ReadInts(bytes, 2, what);
  dims.lhs_batch = ReadInts(bytes, 3, what);
  dims.rhs_batch = ReadInts(bytes, 4, what);
  return dims;
}

std::vector<PadDim> ReadPadding(std::string_view bytes) {
  std::vector<PadDim> padding;
  Fields fields(bytes, "PaddingConfig");
  while (fields.Next()) {
    if (fields.number() != 1) continue;
    PadDim dim;
    Fields one(fields.Bytes(), "PaddingConfigDimension");
    while (one.Next()) {
      if (one.number() == 1) dim.low = one.Int();
      if (one.number() == 2) dim.high = one.Int();
      if (one.number() == 3) dim.interior = one.Int();
    }
    padding.push_back(dim);
  }
  return padding;
}

SliceDim ReadSliceDim(std::string_view bytes) {
  SliceDim dim;
  dim.stride = 0;
  Fields fields(bytes, "SliceDimensions");
  while (fields.Next()) {
    if (fields.number() == 1) dim.start = fields.Int();
    if (fields.number() == 2) dim.limit = fields.Int();
    if (fields.number() == 3) dim.stride = fields.Int();
  }
  return dim;
}

}  // namespace act::hlo::proto
