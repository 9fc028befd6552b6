#include "hlo/proto_instruction.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "hlo/lexer.h"
#include "hlo/proto_attributes.h"
#include "hlo/proto_fields.h"
#include "hlo/proto_values.h"

namespace act::hlo::proto {
namespace {

std::string Quote(std::string_view name) { return "'" + std::string(name) + "'"; }

// Operations outside the module's own that have no attributes.
constexpr std::string_view kPlain[] = {"opt-barrier",    "after-all",    "bitcast",    "add-dependency",
                                       "acos",           "acosh",        "asin",       "asinh",
                                       "atanh",          "cosh",         "sinh",       "mulhi",
                                       "copy-done",      "partition-id", "replica-id", "stochastic-convert",
                                       "dynamic-reshape"};
// And those that HLO text shows with their dimensions.
constexpr std::string_view kWithDimensions[] = {"reduce", "sort", "map", "get-dimension-size",
                                                "set-dimension-size"};

template <size_t n>
bool Contains(const std::string_view (&list)[n], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

template <size_t n>
std::string EnumName(const std::string_view (&names)[n], int64_t value, std::string_view what) {
  if (value >= 0 && value < static_cast<int64_t>(n) && !names[value].empty())
    return std::string(names[value]);
  FailValue("hlo-proto", "the " + std::string(what) + " number " + std::to_string(value) +
                             " is none that is known; give the module as text");
}

void AppendFlag(std::string name, bool set, Instruction* instruction) {
  if (set) instruction->raw.push_back({std::move(name), "true"});
}

void AppendNumber(std::string name, int64_t value, Instruction* instruction) {
  instruction->raw.push_back({std::move(name), std::to_string(value)});
}

}  // namespace

void CheckName(std::string_view name, std::string_view what) {
  Lexer lexer(name);
  if (!name.empty() && lexer.Word() == name) return;
  FailValue("hlo-name", "the " + std::string(what) + " has the name " + QuotedText(name) +
                            ", which is no word of letters, digits, '_', '.' and '-'");
}

InstructionReader::Message InstructionReader::ReadMessage(std::string_view bytes) {
  Message m;
  Fields fields(bytes, "HloInstructionProto");
  while (fields.Next()) {
    switch (fields.number()) {
        // clang-format off
      case 1: m.name = fields.Text(); break;
      case 2: m.opcode = fields.Text(); break;
      case 3: m.shape = fields.Bytes(); m.has_shape = true; break;
      case 8: m.literal = fields.Bytes(); m.has_literal = true; break;
      case 9: m.parameter_number = fields.Int(); break;
      case 11: m.fusion_kind = fields.Text(); break;
      case 13: m.tuple_index = fields.Int(); break;
      case 14: fields.AppendInts(&m.dimensions); break;
      case 15: m.window = fields.Bytes(); break;
      case 16: m.convolution_dimension_numbers = fields.Bytes(); break;
      case 17: m.slice_dimensions.push_back(fields.Bytes()); break;
      case 18: m.exponent_bits = fields.Int(); break;
      case 19: m.mantissa_bits = fields.Int(); break;
      case 20: fields.AppendInts(&m.dynamic_slice_sizes); break;
      case 21: m.padding_config = fields.Bytes(); break;
      case 23: m.distribution = fields.Int(); break;
      case 24: m.epsilon = fields.Float(); break;
      case 25: m.feature_index = fields.Int(); break;
      case 28: m.custom_call_target = fields.Text(); break;
      case 30: m.dot_dimension_numbers = fields.Bytes(); break;
      case 31: m.fft_type = fields.Int(); break;
      case 32: fields.AppendInts(&m.fft_length); break;
      case 33: m.gather_dimension_numbers = fields.Bytes(); break;
      case 34: fields.AppendInts(&m.gather_slice_sizes); break;
      case 35: m.id = fields.Int(); break;
      case 36: fields.AppendInts(&m.operand_ids); break;
      case 38: fields.AppendInts(&m.called_ids); break;
      case 40: m.sharding = fields.Bytes(); m.has_sharding = true; break;
      case 43: m.backend_config = fields.Bytes(); break;
      case 48: m.scatter_dimension_numbers = fields.Bytes(); break;
      case 50: m.feature_group_count = fields.Int(); break;
      case 51: m.precision_config = fields.Bytes(); break;
      case 56: m.constrain_layout = fields.Bool(); break;
      case 57: m.operand_shapes_with_layout.push_back(fields.Bytes()); break;
      case 58: m.batch_group_count = fields.Int(); break;
      case 59: m.triangular_solve_options = fields.Bytes(); break;
      case 60: m.is_stable = fields.Bool(); break;
      case 61: m.parameter_replication = fields.Bytes(); break;
      case 62: m.cholesky_options = fields.Bytes(); break;
      case 63: m.comparison_direction = fields.Text(); break;
      case 65: m.has_side_effect = fields.Bool(); break;
      case 66: m.delta = fields.Int(); break;
      case 67: m.indices_are_sorted = fields.Bool(); break;
      case 68: m.frontend_attributes = fields.Bytes(); break;
      case 69: m.unique_indices = fields.Bool(); break;
      case 70: m.rng_algorithm = fields.Int(); break;
      case 72: m.comparison_type = fields.Text(); break;
      case 74: m.output_operand_aliasing.push_back(fields.Bytes()); break;
      case 76: m.custom_call_schedule = fields.Int(); break;
      case 77: m.custom_call_api_version = fields.Int(); break;
      case 81: m.k = fields.Int(); break;
      case 85: m.largest = fields.Bool(); break;
      case 89: m.is_composite = fields.Bool(); break;
      case 91: m.result_accuracy = fields.Bytes(); m.has_result_accuracy = true; break;
      // clang-format on
      case 99:
        Fail(ErrorClass::kNotImplemented, "hlo-proto",
             "backend configurations kept apart from their instructions (payloads) are not read; write the "
             "module without them");
      default:
        break;
    }
  }
  return m;
}

std::vector<int32_t> InstructionReader::Called(const Message& message) {
  std::vector<int32_t> called;
  for (int64_t id : message.called_ids) {
    const auto found = computations_->find(id);
    if (found == computations_->end()) {
      FailValue("hlo-computation",
                Quote(message.name) + " calls a computation that is not defined before its own");
    }
    called.push_back(found->second);
  }
  return called;
}

void InstructionReader::AppendCalled(std::string name, int32_t index, Instruction* instruction) {
  instruction->raw.push_back({std::move(name), ComputationName(index)});
  instruction->called.push_back(index);
}

void InstructionReader::AppendCalledList(std::string name, const std::vector<int32_t>& called,
                                         Instruction* instruction) {
  if (called.empty()) return;
  std::string text;
  for (int32_t index : called) {
    text += text.empty() ? "{" : ", ";
    text += ComputationName(index);
    instruction->called.push_back(index);
  }
  instruction->raw.push_back({std::move(name), text + '}'});
}

// HLO text names the computations by what they are; the proto lists them.
void InstructionReader::ReadCalledOfOther(const Message& message, ElementType first_operand,
                                          Instruction* instruction) {
  const std::vector<int32_t> called = Called(message);
  const std::string& opcode = message.opcode;
  const auto expect = [&](size_t count) {
    if (called.size() == count) return;
    FailValue("hlo-computation", Quote(message.name) + " calls " + std::to_string(called.size()) +
                                     " computations, not " + std::to_string(count));
  };
  if (opcode == "while") {
    expect(2);
    AppendCalled("condition", called[1], instruction);
    AppendCalled("body", called[0], instruction);
  } else if (opcode == "select-and-scatter") {
    expect(2);
    AppendCalled("select", called[0], instruction);
    AppendCalled("scatter", called[1], instruction);
  } else if (opcode == "conditional") {
    if (first_operand == ElementType::kPred) {
      expect(2);
      AppendCalled("true_computation", called[0], instruction);
      AppendCalled("false_computation", called[1], instruction);
    } else {
      AppendCalledList("branch_computations", called, instruction);
    }
  } else if (opcode == "fusion") {
    expect(1);
    AppendCalled("calls", called[0], instruction);
  } else if (opcode == "custom-call") {
    AppendCalledList("called_computations", called, instruction);
  } else if (!called.empty()) {
    expect(1);
    AppendCalled("to_apply", called[0], instruction);
  }
}

void InstructionReader::ReadComparison(const Message& message, ElementType operand,
                                       Instruction* instruction) {
  bool found = false;
  for (Direction d :
       {Direction::kEq, Direction::kNe, Direction::kLt, Direction::kLe, Direction::kGt, Direction::kGe}) {
    if (message.comparison_direction != DirectionName(d)) continue;
    instruction->direction = d;
    found = true;
  }
  if (!found) {
    FailValue("hlo-attribute", QuotedText(message.comparison_direction) +
                                   " is not a direction; it is EQ, NE, LT, LE, GT or GE");
  }
  if (message.comparison_type.empty()) return;
  std::string_view fits = "UNSIGNED";
  if (IsFloat(operand) || IsComplex(operand)) fits = "FLOAT";
  if (IsSignedInteger(operand)) fits = "SIGNED";
  instruction->total_order = message.comparison_type == "TOTALORDER";
  if (message.comparison_type == fits || (instruction->total_order && IsFloat(operand))) return;
  FailValue("hlo-attribute", "the comparison type " + QuotedText(message.comparison_type) +
                                 " does not go with " + std::string(ElementTypeName(operand)));
}

void InstructionReader::ReadKnown(const Message& m, ElementType first_operand, Instruction* instruction) {
  switch (instruction->opcode) {
    case Opcode::kBroadcast:
    case Opcode::kTranspose:
    case Opcode::kReverse:
    case Opcode::kConcatenate:
    case Opcode::kReduce:
    case Opcode::kIota:
      instruction->dimensions = m.dimensions;
      break;
    case Opcode::kSlice:
      for (std::string_view bytes : m.slice_dimensions) instruction->slice.push_back(ReadSliceDim(bytes));
      break;
    case Opcode::kPad:
      instruction->padding = ReadPadding(m.padding_config);
      break;
    case Opcode::kDynamicSlice:
      instruction->dynamic_slice_sizes = m.dynamic_slice_sizes;
      break;
    case Opcode::kDot:
      instruction->dot = ReadDotDims(m.dot_dimension_numbers);
      break;
    case Opcode::kCompare:
      ReadComparison(m, first_operand, instruction);
      break;
    case Opcode::kGetTupleElement:
      instruction->tuple_index = m.tuple_index;
      break;
    case Opcode::kParameter:
      if (m.parameter_number < 0 || m.parameter_number > INT32_MAX)
        FailValue("hlo-parameter", "a parameter's number counts from 0");
      instruction->parameter_number = m.parameter_number;
      break;
    default:
      break;
  }
  if (instruction->opcode == Opcode::kIota && m.dimensions.size() != 1) {
    FailValue("hlo-attribute", "iota has " + std::to_string(m.dimensions.size()) + " dimensions, not one");
  }
  if (instruction->opcode == Opcode::kReduce || instruction->opcode == Opcode::kCall) {
    instruction->called = Called(m);
    if (instruction->called.size() != 1) {
      FailValue("hlo-computation", Quote(m.name) + " calls " + std::to_string(instruction->called.size()) +
                                       " computations, not one");
    }
  }
  if (instruction->opcode == Opcode::kDot) AppendPrecision(m.precision_config, &instruction->raw);
  if (instruction->opcode == Opcode::kCall) AppendFlag("is_composite", m.is_composite, instruction);
}

void InstructionReader::ReadIndexed(const Message& m, Instruction* instruction) {
  constexpr std::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  RawAttributes* raw = &instruction->raw;
  if (m.opcode == "gather") {
    AppendGatherDims(m.gather_dimension_numbers, raw);
    raw->push_back({"slice_sizes", ListText(m.gather_slice_sizes)});
    AppendFlag("indices_are_sorted", m.indices_are_sorted, instruction);
  } else if (m.opcode == "scatter") {
    AppendScatterDims(m.scatter_dimension_numbers, raw);
    AppendFlag("indices_are_sorted", m.indices_are_sorted, instruction);
    AppendFlag("unique_indices", m.unique_indices, instruction);
  } else if (m.opcode == "sort") {
    AppendFlag("is_stable", m.is_stable, instruction);
  } else if (m.opcode == "topk") {
    AppendNumber("k", m.k, instruction);
    raw->push_back({"largest", m.largest ? "true" : "false"});
  } else if (m.opcode == "fft") {
    raw->push_back({"fft_type", EnumName(kFftTypes, m.fft_type, "FFT type")});
    raw->push_back({"fft_length", ListText(m.fft_length)});
  }
}

void InstructionReader::ReadNumeric(const Message& m, Instruction* instruction) {
  constexpr std::string_view kDistributions[] = {"", "rng_uniform", "rng_normal"};
  constexpr std::string_view kAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
  RawAttributes* raw = &instruction->raw;
  if (m.opcode == "rng") {
    raw->push_back({"distribution", EnumName(kDistributions, m.distribution, "distribution")});
  } else if (m.opcode == "rng-bit-generator") {
    raw->push_back({"algorithm", EnumName(kAlgorithms, m.rng_algorithm, "random algorithm")});
  } else if (m.opcode == "rng-get-and-update-state") {
    AppendNumber("delta", m.delta, instruction);
  } else if (m.opcode.starts_with("batch-norm-")) {
    char buffer[32];
    const auto end = std::to_chars(buffer, std::end(buffer), m.epsilon, std::chars_format::general, 6).ptr;
    raw->push_back({"epsilon", std::string(buffer, end)});
    AppendNumber("feature_index", m.feature_index, instruction);
  } else if (m.opcode == "reduce-precision") {
    AppendNumber("exponent_bits", m.exponent_bits, instruction);
    AppendNumber("mantissa_bits", m.mantissa_bits, instruction);
  } else if (m.opcode == "triangular-solve") {
    AppendTriangularSolve(m.triangular_solve_options, raw);
  } else if (m.opcode == "cholesky") {
    AppendCholesky(m.cholesky_options, raw);
  }
}

void InstructionReader::ReadConvolution(const Message& m, Instruction* instruction) {
  RawAttributes* raw = &instruction->raw;
  AppendWindow(m.window, raw);
  if (!m.convolution_dimension_numbers.empty() || m.opcode == "convolution")
    AppendConvolutionLabels(m.convolution_dimension_numbers, raw);
  // 0 stands for 1.
  if (m.feature_group_count > 1) AppendNumber("feature_group_count", m.feature_group_count, instruction);
  if (m.batch_group_count > 1) AppendNumber("batch_group_count", m.batch_group_count, instruction);
  AppendPrecision(m.precision_config, raw);
}

void InstructionReader::ReadCustomCall(const Message& m, Instruction* instruction) {
  constexpr std::string_view kSchedules[] = {"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
  constexpr std::string_view kVersions[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                                            "API_VERSION_STATUS_RETURNING",
                                            "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
  RawAttributes* raw = &instruction->raw;
  ReadConvolution(m, instruction);
  raw->push_back({"custom_call_target", QuotedText(m.custom_call_target)});
  if (m.constrain_layout) {
    std::string text;
    for (std::string_view bytes : m.operand_shapes_with_layout) {
      text += text.empty() ? "{" : ", ";
      text += ToString(ReadShape(bytes, max_depth_), /*with_layout=*/true);
    }
    raw->push_back({"operand_layout_constraints", (text.empty() ? "{" : text) + '}'});
  }
  AppendFlag("custom_call_has_side_effect", m.has_side_effect, instruction);
  AppendOutputAliasing(m.output_operand_aliasing, raw);
  if (m.custom_call_schedule != 0)
    raw->push_back({"schedule", EnumName(kSchedules, m.custom_call_schedule, "schedule")});
  if (m.custom_call_api_version > 1)
    raw->push_back({"api_version", EnumName(kVersions, m.custom_call_api_version, "API version")});
}

void InstructionReader::ReadOther(const Message& m, Instruction* instruction) {
  constexpr std::string_view kIndexed[] = {"gather", "scatter", "sort", "topk", "fft"};
  constexpr std::string_view kNumeric[] = {"rng",
                                           "rng-bit-generator",
                                           "rng-get-and-update-state",
                                           "batch-norm-training",
                                           "batch-norm-inference",
                                           "batch-norm-grad",
                                           "reduce-precision",
                                           "triangular-solve",
                                           "cholesky"};
  constexpr std::string_view kCalling[] = {"while", "conditional"};
  const bool dimensions = Contains(kWithDimensions, m.opcode);
  if (dimensions) instruction->raw.push_back({"dimensions", ListText(m.dimensions)});
  if (Contains(kIndexed, m.opcode)) {
    ReadIndexed(m, instruction);
  } else if (Contains(kNumeric, m.opcode)) {
    ReadNumeric(m, instruction);
  } else if (m.opcode == "convolution") {
    ReadConvolution(m, instruction);
  } else if (m.opcode == "reduce-window" || m.opcode == "select-and-scatter") {
    AppendWindow(m.window, &instruction->raw);
  } else if (m.opcode == "custom-call") {
    ReadCustomCall(m, instruction);
  } else if (m.opcode == "fusion") {
    CheckName(m.fusion_kind, "fusion kind of " + Quote(m.name));
    instruction->raw.push_back({"kind", m.fusion_kind});
    AppendOutputAliasing(m.output_operand_aliasing, &instruction->raw);
  } else if (!dimensions && !Contains(kCalling, m.opcode) && !Contains(kPlain, m.opcode)) {
    Fail(ErrorClass::kNotImplemented, "hlo-proto-operation",
         "the operation " + QuotedText(m.opcode) + " of " + Quote(m.name) +
             " is not read from a proto; give the module as text");
  }
}

ReadInstructionResult InstructionReader::Build(const Message& m, ElementType first_operand) {
  CheckName(m.name, "instruction");
  ReadInstructionResult result;
  Instruction& instruction = result.instruction;
  instruction.name = m.name;
  instruction.opcode_name = m.opcode;
  instruction.opcode = OpcodeFromName(m.opcode).value_or(Opcode::kOther);
  if (!m.has_shape) FailValue("hlo-shape", Quote(m.name) + " has no shape");
  instruction.shape = ReadShape(m.shape, max_depth_);
  result.id = m.id;
  result.operand_ids = m.operand_ids;
  // As in text: a reduce of several arrays at once, and a constant of a tuple.
  if (instruction.opcode == Opcode::kReduce && (m.operand_ids.size() > 2 || instruction.shape.is_tuple()))
    instruction.opcode = Opcode::kOther;
  if (instruction.opcode == Opcode::kConstant) {
    if (!m.has_literal) FailValue("hlo-constant", "the constant " + Quote(m.name) + " has no value");
    Constant constant = ReadConstant(m.literal, instruction.shape, max_depth_);
    instruction.literal = std::move(constant.literal);
    if (instruction.literal == nullptr) {
      instruction.opcode = Opcode::kOther;
      instruction.raw.push_back({"literal", std::move(constant.text)});
    }
  } else if (instruction.opcode == Opcode::kOther) {
    ReadOther(m, &instruction);
    ReadCalledOfOther(m, first_operand, &instruction);
  } else {
    ReadKnown(m, first_operand, &instruction);
  }
  // The text has an accuracy on the operations that may have one only.
  if (m.has_result_accuracy && instruction.opcode >= Opcode::kAbs && instruction.opcode <= Opcode::kTanh)
    AppendResultAccuracy(m.result_accuracy, &instruction.raw);
  AppendParameterReplication(m.parameter_replication, &instruction.raw);
  if (m.has_sharding) AppendSharding(m.sharding, max_depth_, &instruction.raw);
  AppendFrontendAttributes(m.frontend_attributes, &instruction.raw);
  AppendBackendConfig(m.backend_config, &instruction.raw);
  return result;
}

}  // namespace act::hlo::proto
