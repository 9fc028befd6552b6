#include "cli/program_file.h"

#include <cmath>

#include "cli/console.h"

namespace act::cli {

StatusOr<assembly::Program> LoadProgram(const std::string& path, const isa::Accelerator& accelerator) {
  const bool python = EndsWith(path, ".py");
  if (!python && !EndsWith(path, ".asm")) {
    return Error(
        ErrorClass::kValue, "command-line",
        "the program file '" + path + "' must have the suffix .py (Python kernel) or .asm (native assembly)");
  }
  ACT_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  const SourceText source(path, std::move(text));
  ACT_ASSIGN_OR_RETURN(assembly::Program program, python ? assembly::ParsePythonKernel(accelerator, source)
                                                         : assembly::ParseNative(accelerator, source));
  ACT_RETURN_IF_ERROR(assembly::CheckProgram(accelerator, program));
  return program;
}

StatusOr<Literal> LoadTensor(const std::string& path, const assembly::HbmTensor& tensor, size_t number) {
  ACT_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  const int64_t wanted = tensor.shape.num_bytes().value_or(-1);
  if (static_cast<int64_t>(bytes.size()) != wanted) {
    return Error(ErrorClass::kValue, "input-size",
                 "input file '" + path + "' has " + std::to_string(bytes.size()) + " bytes, but input " +
                     std::to_string(number) + (tensor.name.empty() ? "" : " (" + tensor.name + ")") +
                     " of the program is " + ToString(tensor.shape) + ", " + std::to_string(wanted) +
                     " bytes");
  }
  Literal literal;
  literal.shape = tensor.shape;
  literal.bytes.assign(bytes.begin(), bytes.end());
  return literal;
}

std::string Summary(const Literal& value) {
  const int64_t count = value.num_elements();
  std::string text = ToString(value.shape);
  if (count == 0) return text + ", no elements";
  if (!IsComplex(value.shape.type)) {
    int64_t least = -1, greatest = -1, nans = 0;
    for (int64_t i = 0; i < count; ++i) {
      const double x = value.GetDouble(i);
      if (std::isnan(x)) {
        ++nans;
        continue;
      }
      if (least < 0 || x < value.GetDouble(least)) least = i;
      if (greatest < 0 || x > value.GetDouble(greatest)) greatest = i;
    }
    if (least >= 0) {
      text += ", min " + ElementToString(value, least) + ", max " + ElementToString(value, greatest);
    }
    if (nans > 0) text += ", " + std::to_string(nans) + " NaN";
  }
  text += ", first";
  for (int64_t i = 0; i < std::min<int64_t>(count, 8); ++i) text += " " + ElementToString(value, i);
  return text + (count > 8 ? " ..." : "");
}

}  // namespace act::cli
