#include <cstring>
#include <limits>

#include "capi/handles.h"
#include "oracle/oracle.h"
#include "tensor/tensor.h"

using act::ElementType;
using act::ErrorClass;
using act::Literal;
using act::Shape;
using act::SourceLocation;
using act::SourceText;
using act::Status;
using act::StatusOr;
using act::capi::FromC;
using act::capi::NewText;
using act::capi::ToC;
namespace assembly = act::assembly;
namespace isa = act::isa;
using assembly::Statement;

namespace {

Status At(Status status, const SourceLocation& location) {
  for (act::Diagnostic& d : status.mutable_diagnostics()) d.location = location;
  return status;
}

Status ValueError(std::string code, std::string message, const SourceLocation& location = {}) {
  return At(act::Error(ErrorClass::kValue, std::move(code), std::move(message)), location);
}

StatusOr<Shape> MakeShape(act_string type, const int64_t* dims, size_t num_dims) {
  ACT_ASSIGN_OR_RETURN(ElementType element, isa::TaidlElementType(FromC(type)));
  if (num_dims > 64) {
    return ValueError("capi-shape",
                      "a tensor has " + std::to_string(num_dims) + " dimensions; at most 64 are possible");
  }
  for (size_t i = 0; i < num_dims; ++i) {
    if (dims[i] >= 0) continue;
    return ValueError("asm-shape", "a tensor's dimension " + std::to_string(i) + " is " +
                                       std::to_string(dims[i]) + "; dimensions are at least 0");
  }
  return Shape::Array(element, {dims, dims + num_dims});
}

StatusOr<act::int128_t> WideFromDecimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  act::int128_t value = 0;
  for (const char c : text.substr(negative ? 1 : 0)) {
    bool overflow = c < '0' || c > '9' || __builtin_mul_overflow(value, act::int128_t{10}, &value) ||
                    __builtin_add_overflow(value, act::int128_t{c - '0'}, &value);
    if (overflow) {
      return ValueError("oracle-argument", "the value " + std::string(text.substr(0, 60)) +
                                               " exceeds 128 bits; addresses are integers of 64 bits");
    }
  }
  return negative ? -value : value;
}

StatusOr<assembly::AttributeValue> ReadValue(const std::string& text, bool wide,
                                             const std::vector<std::string>& loops) {
  if (!wide) return assembly::ParseAddressText(SourceText("<text>", text), loops);
  ACT_ASSIGN_OR_RETURN(act::int128_t value, WideFromDecimal(text));
  return assembly::WideValue(value);
}

std::vector<Statement>& Body(act_program* program) {
  return program->open.empty() ? program->value.body : program->open.back().body;
}

Status AddCall(act_program* program, size_t instruction, const int64_t* computational,
               size_t num_computational, const act_value* addressing, size_t num_addressing,
               const SourceLocation& location) {
  const isa::Accelerator& acc = program->accelerator->value;
  if (instruction >= acc.instructions.size()) {
    return act::Error(ErrorClass::kInternal, "capi-index",
                      "there is no instruction number " + std::to_string(instruction));
  }
  const isa::Instruction& described = acc.instructions[instruction];
  Statement statement;
  statement.location = location;
  assembly::Call& call = statement.call;
  call.instruction = act::InstructionId(static_cast<uint32_t>(instruction));
  call.location = location;
  call.computational.assign(computational, computational + num_computational);
  for (size_t i = 0; i < num_addressing; ++i) {
    const act_value& value = addressing[i];
    if (value.text.data == nullptr) {
      call.addressing.push_back(assembly::AttributeValue::Of(value.integer));
      continue;
    }
    const std::string name = i < described.addressing.size() ? described.addressing[i] : "?";
    const std::string text = FromC(value.text);
    StatusOr<assembly::AttributeValue> read = ReadValue(text, value.wide != 0, program->loops);
    if (!read.ok()) {
      Status status = read.status();
      act::Diagnostic& d = status.mutable_diagnostics()[0];
      std::string place;
      if (value.wide == 0) {
        place = " \"" + text + "\", column " + std::to_string(d.location.column);
        // A text that does not parse is a bad argument of a call, not of a file.
        if (d.error_class == ErrorClass::kSyntax) d.error_class = ErrorClass::kValue;
      }
      d.message = described.name + ": attribute '" + name + "'" + place + ": " + d.message;
      return At(std::move(status), location);
    }
    call.addressing.push_back(*std::move(read));
  }
  Body(program).push_back(std::move(statement));
  return Status();
}

Status CheckClosed(const act_program* program) {
  if (program->open.empty()) return Status();
  return ValueError("asm-loop", "the loop over '" + program->open.back().variable + "' has no end_loop()",
                    program->open.back().location);
}

Status ReadTensorText(const std::string& tensor, const SourceLocation& location, std::string* name,
                      std::vector<int64_t>* position) {
  const auto fail = [&] {
    return ValueError("asm-debug",
                      "debug: '" + tensor.substr(0, 200) +
                          "' is no part of a buffer; write a buffer and leading positions, as \"d1[0,0]\"",
                      location);
  };
  size_t at = tensor.find('[');
  *name = tensor.substr(0, at);
  while (!name->empty() && name->back() == ' ') name->pop_back();
  if (at == std::string::npos) return Status();
  std::string digits;
  bool closed = false;
  for (++at; at < tensor.size(); ++at) {
    const char c = tensor[at];
    if (closed && c != ' ') return fail();
    if (c == ' ') continue;
    if (c >= '0' && c <= '9' && digits.size() < 18) {
      digits += c;
    } else if ((c == ',' || c == ']') && !digits.empty()) {
      position->push_back(std::stoll(digits));
      digits.clear();
      closed = c == ']';
    } else if (c == ']' && position->empty()) {
      closed = true;
    } else {
      return fail();
    }
  }
  return closed ? Status() : fail();
}

const std::vector<assembly::HbmTensor>& Tensors(const act_program* program, int32_t kind) {
  return kind == ACT_INPUT ? program->value.inputs : program->value.outputs;
}

}  // namespace

act_error* act_program_new(const act_accelerator* accelerator, act_string name, int64_t hbm_bytes,
                           act_program** program) {
  auto* made = new act_program;
  made->accelerator = accelerator;
  made->value.name = FromC(name);
  made->value.target = accelerator->value.name;
  made->value.hbm_bytes = hbm_bytes;
  *program = made;
  return nullptr;
}

act_error* act_program_parse(const act_accelerator* accelerator, int32_t form, act_string text,
                             act_string file, act_program** program) {
  const SourceText source(FromC(file), FromC(text));
  StatusOr<assembly::Program> parsed = form == ACT_PYTHON_KERNEL
                                           ? assembly::ParsePythonKernel(accelerator->value, source)
                                           : assembly::ParseNative(accelerator->value, source);
  if (!parsed.ok()) return ToC(parsed.status());
  auto* made = new act_program;
  made->accelerator = accelerator;
  made->value = *std::move(parsed);
  *program = made;
  return nullptr;
}

act_error* act_program_print(const act_program* program, int32_t form, act_text** text) {
  if (Status status = CheckClosed(program); !status.ok()) return ToC(status);
  const isa::Accelerator& acc = program->accelerator->value;
  if (Status status = assembly::CheckProgram(acc, program->value); !status.ok()) return ToC(status);
  *text = NewText(form == ACT_PYTHON_KERNEL
                      ? assembly::PrintPythonKernel(acc, program->value, assembly::PythonKernelHeader())
                      : assembly::PrintNative(acc, program->value));
  return nullptr;
}

void act_program_free(act_program* program) { delete program; }

act_error* act_program_add_tensor(act_program* program, int32_t kind, int64_t address, act_string type,
                                  const int64_t* dims, size_t num_dims) {
  StatusOr<Shape> shape = MakeShape(type, dims, num_dims);
  if (!shape.ok()) return ToC(shape.status());
  assembly::HbmTensor tensor;
  tensor.address = address;
  tensor.shape = *std::move(shape);
  (kind == ACT_INPUT ? program->value.inputs : program->value.outputs).push_back(std::move(tensor));
  return nullptr;
}

act_error* act_program_add_constant(act_program* program, int64_t address, act_string type,
                                    const int64_t* dims, size_t num_dims, int32_t doubles, const void* data,
                                    size_t size) {
  StatusOr<Shape> shape = MakeShape(type, dims, num_dims);
  if (!shape.ok()) return ToC(shape.status());
  const std::optional<int64_t> bytes = shape->num_bytes();
  const std::optional<int64_t> elements = shape->num_elements();
  const size_t wanted =
      !bytes ? 0 : static_cast<size_t>(doubles != 0 ? *elements : *bytes) * (doubles != 0 ? 8 : 1);
  if (!bytes || wanted != size) {
    return ToC(ValueError("asm-constant", "a constant has " + std::to_string(size) +
                                              " bytes of data, which do not fit its shape " +
                                              act::ToString(*shape)));
  }
  assembly::HbmConstant constant;
  constant.address = address;
  constant.value = Literal(*std::move(shape));
  if (size > 0 && doubles == 0) std::memcpy(constant.value.bytes.data(), data, size);
  for (int64_t i = 0; doubles != 0 && i < *elements; ++i) {
    double value = 0;
    std::memcpy(&value, static_cast<const char*>(data) + i * 8, 8);
    constant.value.SetDouble(i, value);
  }
  program->value.constants.push_back(std::move(constant));
  return nullptr;
}

act_error* act_program_call(act_program* program, size_t instruction, const int64_t* computational,
                            size_t num_computational, const act_value* addressing, size_t num_addressing,
                            const act_place* place) {
  return ToC(AddCall(program, instruction, computational, num_computational, addressing, num_addressing,
                     FromC(place)));
}

act_error* act_program_start_loop(act_program* program, act_string variable, int64_t start, int64_t end,
                                  const act_place* place) {
  Statement loop;
  loop.kind = Statement::Kind::kLoop;
  loop.variable = FromC(variable);
  loop.start = start;
  loop.end = end;
  loop.location = FromC(place);
  if (program->open.size() >= static_cast<size_t>(assembly::kMaxLoopDepth)) {
    return ToC(ValueError("asm-loop-depth",
                          "loops are nested more than " + std::to_string(assembly::kMaxLoopDepth) + " deep",
                          loop.location));
  }
  if (!isa::CheckName("loop variable", loop.variable).ok()) {
    return ToC(ValueError("asm-loop-variable",
                          "start_loop: '" + loop.variable.substr(0, 60) +
                              "' cannot be a loop variable; use an identifier without '%'",
                          loop.location));
  }
  for (const std::string& outer : program->loops) {
    if (outer != loop.variable) continue;
    return ToC(ValueError("asm-loop-variable",
                          "start_loop: '" + outer + "' is already the variable of an enclosing loop",
                          loop.location));
  }
  program->loops.push_back(loop.variable);
  program->open.push_back(std::move(loop));
  return nullptr;
}

act_error* act_program_end_loop(act_program* program, const act_place* place) {
  if (program->open.empty()) {
    return ToC(ValueError("asm-loop", "end_loop() without start_loop", FromC(place)));
  }
  Statement loop = std::move(program->open.back());
  program->open.pop_back();
  program->loops.pop_back();
  Body(program).push_back(std::move(loop));
  return nullptr;
}

act_error* act_program_debug(act_program* program, act_string prefix, act_string tensor,
                             const act_place* place) {
  Statement debug;
  debug.kind = Statement::Kind::kDebug;
  debug.prefix = FromC(prefix);
  debug.location = FromC(place);
  std::string name;
  Status status = ReadTensorText(FromC(tensor), debug.location, &name, &debug.position);
  if (!status.ok()) return ToC(status);
  const isa::Accelerator& acc = program->accelerator->value;
  const std::optional<act::BufferId> buffer = acc.FindBuffer(name);
  if (!buffer) {
    return ToC(ValueError("asm-unknown-buffer",
                          "debug: '" + name.substr(0, 60) + "' is not a buffer of " + acc.name,
                          debug.location));
  }
  debug.buffer = *buffer;
  Body(program).push_back(std::move(debug));
  return nullptr;
}

size_t act_program_num_tensors(const act_program* program, int32_t kind) {
  return Tensors(program, kind).size();
}

act_error* act_program_tensor(const act_program* program, int32_t kind, size_t index, act_string* type,
                              const int64_t** dims, size_t* num_dims) {
  const std::vector<assembly::HbmTensor>& tensors = Tensors(program, kind);
  if (index >= tensors.size()) {
    return ToC(act::Error(ErrorClass::kInternal, "capi-index",
                          "there is no tensor number " + std::to_string(index)));
  }
  *type = ToC(act::ElementTypeName(tensors[index].shape.type));
  *dims = tensors[index].shape.dims.data();
  *num_dims = tensors[index].shape.dims.size();
  return nullptr;
}

act_error* act_program_check(const act_program* program, act_error** warnings) {
  if (Status status = CheckClosed(program); !status.ok()) return ToC(status);
  auto found = act::oracle::CheckCalls(program->accelerator->value, program->value);
  if (!found.ok()) return ToC(found.status());
  *warnings = ToC(*std::move(found));
  return nullptr;
}

act_error* act_program_cost(const act_program* program, int64_t* cost) {
  if (Status status = CheckClosed(program); !status.ok()) return ToC(status);
  StatusOr<int64_t> sum = act::oracle::Cost(program->accelerator->value, program->value);
  if (!sum.ok()) return ToC(sum.status());
  *cost = *sum;
  return nullptr;
}

act_error* act_program_simulate(const act_program* program, const act_bytes* inputs, size_t num_inputs,
                                const act_bytes* outputs, size_t num_outputs, act_print print, void* context,
                                act_error** warnings) {
  if (Status status = CheckClosed(program); !status.ok()) return ToC(status);
  const assembly::Program& value = program->value;
  if (num_inputs != value.inputs.size() || num_outputs != value.outputs.size()) {
    return ToC(ValueError("oracle-inputs", value.name + " takes " + std::to_string(value.inputs.size()) +
                                               " inputs and gives " + std::to_string(value.outputs.size()) +
                                               " outputs, but " + std::to_string(num_inputs) + " and " +
                                               std::to_string(num_outputs) + " are given"));
  }
  std::vector<Literal> literals;
  for (size_t i = 0; i < num_inputs; ++i) {
    Literal literal;
    literal.shape = value.inputs[i].shape;
    const auto* bytes = static_cast<const uint8_t*>(inputs[i].data);
    literal.bytes.assign(bytes, bytes + inputs[i].size);
    literals.push_back(std::move(literal));
  }
  act::oracle::SimulateOptions options;
  if (print != nullptr) {
    options.print = [print, context](const std::string& line) { print(context, line.data(), line.size()); };
  }
  auto run = act::oracle::Simulate(program->accelerator->value, value, literals, options);
  if (!run.ok()) return ToC(run.status());
  for (size_t i = 0; i < num_outputs; ++i) {
    const std::vector<uint8_t>& bytes = run->outputs[i].bytes;
    if (bytes.size() != outputs[i].size) {
      return ToC(ValueError("oracle-outputs", "output " + std::to_string(i) + " has " +
                                                  std::to_string(bytes.size()) + " bytes, but room for " +
                                                  std::to_string(outputs[i].size) + " is given"));
    }
    if (!bytes.empty()) std::memcpy(outputs[i].data, bytes.data(), bytes.size());
  }
  *warnings = ToC(std::move(run->warnings));
  return nullptr;
}
