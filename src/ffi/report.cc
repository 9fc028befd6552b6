#include "ffi/report.h"

#include <charconv>
#include <cmath>
#include <iterator>

namespace act::ffi {
namespace {

std::string Text(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string Number(double value) {
  if (!std::isfinite(value)) return "null";
  char buffer[40];
  return std::string(buffer, std::to_chars(buffer, std::end(buffer), value).ptr);
}

template <typename Items, typename ToText>
std::string List(const Items& items, ToText to_text) {
  std::string text = "[";
  for (const auto& item : items) text += (text.size() > 1 ? ", " : "") + to_text(item);
  return text + ']';
}

std::string MapEntry(const char* kind, const std::string& name, int64_t address, const Shape& shape) {
  return std::string("{\"kind\": \"") + kind + "\", \"name\": " + Text(name) +
         ", \"address\": " + std::to_string(address) +
         ", \"bytes\": " + std::to_string(shape.num_bytes().value_or(0)) +
         ", \"shape\": " + Text(ToString(shape)) + '}';
}

Status Overflow() {
  return Error(ErrorClass::kValue, "ffi-bytes", "the bytes that the program moves exceed 64 bits");
}

StatusOr<int64_t> CallBytes(const isa::Accelerator& accelerator, const assembly::Call& call) {
  const isa::Instruction& instruction = accelerator.instruction(call.instruction);
  ACT_ASSIGN_OR_RETURN(const isa::Instance instance,
                       isa::Instantiate(accelerator, instruction, call.computational, {}));
  int64_t bytes = 0;
  const auto add = [&](const isa::Region& region, int32_t index) {
    if (region.buffer.value() != 0) return true;
    const Shape& shape = instance.body.instructions[static_cast<size_t>(index)].shape;
    const std::optional<int64_t> sum = CheckedAdd(bytes, shape.num_bytes().value_or(0));
    bytes = sum.value_or(0);
    return sum.has_value();
  };
  for (size_t k = 0; k < instruction.inputs.size() && k < instance.body.parameters.size(); ++k) {
    if (!add(instruction.inputs[k], instance.body.parameters[k])) return Overflow();
  }
  for (size_t k = 0; k < instruction.outputs.size() && k < instance.outputs.size(); ++k) {
    if (!add(instruction.outputs[k], instance.outputs[k])) return Overflow();
  }
  return bytes;
}

StatusOr<int64_t> BodyBytes(const isa::Accelerator& accelerator,
                            const std::vector<assembly::Statement>& body) {
  int64_t bytes = 0;
  for (const assembly::Statement& s : body) {
    int64_t part = 0, times = 1;
    if (s.kind == assembly::Statement::Kind::kCall) {
      ACT_ASSIGN_OR_RETURN(part, CallBytes(accelerator, s.call));
    } else if (s.kind == assembly::Statement::Kind::kLoop) {
      ACT_ASSIGN_OR_RETURN(part, BodyBytes(accelerator, s.body));
      times = s.end > s.start ? CheckedSub(s.end, s.start).value_or(-1) : 0;
      if (times < 0) return Overflow();
    }
    const std::optional<int64_t> product = CheckedMul(part, times);
    const std::optional<int64_t> sum = product ? CheckedAdd(bytes, *product) : std::nullopt;
    if (!sum) return Overflow();
    bytes = *sum;
  }
  return bytes;
}

}  // namespace

StatusOr<int64_t> BytesMoved(const isa::Accelerator& accelerator, const assembly::Program& program) {
  return BodyBytes(accelerator, program.body);
}

std::string ReportJson(const isa::Accelerator& accelerator, const assembly::Program& program,
                       const backend::CompileReport& report) {
  std::vector<std::string> map;
  for (const assembly::HbmTensor& t : program.inputs)
    map.push_back(MapEntry("input", t.name, t.address, t.shape));
  for (const assembly::HbmConstant& c : program.constants)
    map.push_back(MapEntry("constant", c.name, c.address, c.value.shape));
  for (const assembly::HbmTensor& t : program.outputs)
    map.push_back(MapEntry("output", t.name, t.address, t.shape));
  const StatusOr<int64_t> moved = BytesMoved(accelerator, program);
  return "{\"target\": " + Text(accelerator.name) + ", \"kernel\": " + Text(program.name) +
         ", \"instructions\": " + std::to_string(report.instructions) + ", \"cost\": " + Number(report.cost) +
         ", \"hbm_bytes\": " + std::to_string(program.hbm_bytes) +
         ", \"hbm_map\": " + List(map, [](const std::string& s) { return s; }) +
         ", \"bytes_moved\": " + (moved.ok() ? std::to_string(*moved) : "null") +
         ", \"inexact_steps\": " + List(report.inexact_steps, [](const std::string& s) { return Text(s); }) +
         ", \"verification\": " + Text(report.verification) + '}';
}

std::string TimesJson(const backend::CompileReport& report) {
  std::string text = "{";
  for (const backend::StageTime& stage : report.times)
    text += (text.size() > 1 ? ", " : "") + Text(stage.name) + ": " + Number(stage.milliseconds);
  return text + '}';
}

}  // namespace act::ffi
