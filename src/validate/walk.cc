#include "validate/walk.h"

namespace act::validate {
namespace {

constexpr int kMaxLoopDepth = 64;

int64_t BytesOf(const Shape& shape) { return shape.num_bytes().value_or(0); }

// Executed calls of the statements; loops that make none cost nothing. nullopt: beyond 64 bits.
StatusOr<int64_t> CountCalls(const std::vector<assembly::Statement>& statements, int depth) {
  if (depth > kMaxLoopDepth) {
    return Error(
        ErrorClass::kLimit, "validate-limit",
        "loops are nested deeper than " + std::to_string(kMaxLoopDepth) + "; the validator stops there");
  }
  constexpr int64_t kMany = std::numeric_limits<int64_t>::max();
  int64_t calls = 0;
  for (const assembly::Statement& statement : statements) {
    int64_t here = statement.kind == assembly::Statement::Kind::kCall ? 1 : 0;
    if (statement.kind == assembly::Statement::Kind::kLoop && statement.end > statement.start) {
      ACT_ASSIGN_OR_RETURN(const int64_t body, CountCalls(statement.body, depth + 1));
      const std::optional<int64_t> trips = CheckedSub(statement.end, statement.start);
      here = body == 0 ? 0 : CheckedMul(body, trips.value_or(kMany)).value_or(kMany);
    }
    calls = CheckedAdd(calls, here).value_or(kMany);
  }
  return calls;
}

void AppendAttributes(std::string* text, const std::vector<std::string>& names,
                      std::span<const int64_t> values) {
  for (size_t i = 0; i < names.size() && i < values.size(); ++i) {
    if (text->back() != '(') *text += ", ";
    *text += names[i] + " = " + std::to_string(values[i]);
  }
}

}  // namespace

Walker::Walker(const assembly::Program& program, TermTable* terms, Semantics* semantics,
               const std::map<std::string, ContentId>* names)
    : accelerator_(terms->accelerator()),
      program_(program),
      terms_(*terms),
      semantics_(*semantics),
      names_(names) {
  for (size_t b = 0; b < accelerator_.buffers.size(); ++b)
    memories_.emplace_back(terms_.Undefined(BufferId(b)));
  for (const isa::StateVariable& variable : accelerator_.state) state_.push_back(variable.initial);
}

std::string Walker::CallText(int64_t index) const {
  const Executed& executed = executed_[static_cast<size_t>(index)];
  const isa::Instruction& instruction = accelerator_.instruction(executed.call->instruction);
  std::string text = "call " + std::to_string(index) + ", " + instruction.name + "(";
  AppendAttributes(&text, instruction.computational, executed.call->computational);
  AppendAttributes(&text, instruction.addressing,
                   std::span(addressing_).subspan(executed.addressing, instruction.addressing.size()));
  return text + ")";
}

std::string Walker::WriterText(const Memory& memory, int64_t byte) const {
  const int64_t writer = memory.WriterOf(byte);
  if (writer == kNobody) return "no call wrote it";
  std::string text = "written by " + CallText(writer);
  const SourceLocation& at = executed_[static_cast<size_t>(writer)].call->location;
  if (at.line > 0) text += " in line " + std::to_string(at.line);
  return text;
}

ContentId Walker::ReadTensor(int64_t address, const Shape& shape) const {
  const isa::ByteRange range{address, address + BytesOf(shape)};
  return memories_[0].Read(&terms_.contents(), {&range, 1});
}

std::string Walker::PlaceText(const assembly::HbmTensor& tensor, const char* what, size_t number,
                              int64_t byte) const {
  std::string text = std::string(what) + " " + std::to_string(number);
  if (!tensor.name.empty()) text += " ('" + tensor.name + "')";
  text += " at byte " + std::to_string(byte) + ", element [";
  int64_t element = byte / std::max(1, StorageBytes(tensor.shape.type));
  const std::vector<int64_t> strides = RowMajorStrides(tensor.shape.dims);
  for (size_t d = 0; d < strides.size(); ++d) {
    if (d > 0) text += ",";
    const int64_t stride = std::max<int64_t>(1, strides[d]);
    text += std::to_string(element / stride);
    element %= stride;
  }
  return text + "]";
}

Status Walker::Run(const ValidateOptions& options) {
  ACT_ASSIGN_OR_RETURN(const int64_t calls, CountCalls(program_.body, 0));
  if (calls > options.max_calls) {
    return Error(ErrorClass::kLimit, "validate-limit",
                 "the program makes " + std::to_string(calls) +
                     " calls with its loops unrolled, more than the " + std::to_string(options.max_calls) +
                     " that the validator follows (max_calls)");
  }
  // Constants, then inputs, as the simulator fills HBM.
  for (const assembly::HbmConstant& constant : program_.constants) {
    const isa::ByteRange range{constant.address,
                               constant.address + static_cast<int64_t>(constant.value.bytes.size())};
    memories_[0].Write(terms_.contents(), {&range, 1}, terms_.contents().Literal(constant.value.bytes),
                       kNobody);
  }
  for (size_t i = 0; i < program_.inputs.size(); ++i) {
    const assembly::HbmTensor& input = program_.inputs[i];
    const int64_t bytes = BytesOf(input.shape);
    const isa::ByteRange range{input.address, input.address + bytes};
    const TermId term = terms_.Input(static_cast<int64_t>(i), bytes);
    terms_.NameInput(static_cast<int64_t>(i), input.name);
    memories_[0].Write(terms_.contents(), {&range, 1}, terms_.contents().Whole(term, bytes), kNobody);
  }
  ACT_RETURN_IF_ERROR(RunAll(program_.body));
  for (size_t i = 0; i < program_.inputs.size(); ++i) ACT_RETURN_IF_ERROR(CheckInput(i));
  for (size_t k = 0; k < program_.outputs.size(); ++k) ACT_RETURN_IF_ERROR(CheckDefined(k));
  return Status();
}

Status Walker::RunAll(const std::vector<assembly::Statement>& statements) {
  for (const assembly::Statement& statement : statements) {
    if (statement.kind == assembly::Statement::Kind::kCall) {
      ACT_RETURN_IF_ERROR(RunCall(statement.call));
    } else if (statement.kind == assembly::Statement::Kind::kLoop) {
      ACT_ASSIGN_OR_RETURN(const int64_t calls, CountCalls(statement.body, 0));
      if (calls == 0) continue;  // however often it runs
      for (int64_t i = statement.start; i < statement.end; ++i) {
        loop_.push_back(i);
        ACT_RETURN_IF_ERROR(RunAll(statement.body));
        loop_.pop_back();
      }
    }
  }
  return Status();
}

Status Walker::RunCall(const assembly::Call& call) {
  const isa::Instruction& instruction = accelerator_.instruction(call.instruction);
  const int64_t index = static_cast<int64_t>(executed_.size());
  executed_.push_back({&call, addressing_.size()});
  Status status;
  for (const assembly::AttributeValue& value : call.addressing) {
    const StatusOr<int64_t> number = isa::Evaluate(value.expression, {{}, loop_, {}});
    if (!number.ok()) status = number.status();
    addressing_.push_back(number.ok() ? *number : 0);
  }
  if (status.ok()) {
    // A copy: later calls make the vector grow.
    const std::vector<int64_t> addressing(
        addressing_.end() - static_cast<std::ptrdiff_t>(instruction.addressing.size()), addressing_.end());
    status = Execute(call, addressing);
  }
  if (status.ok()) return status;
  Diagnostic& first = status.mutable_diagnostics().front();
  first.message = CallText(index) + ": " + first.message;
  if (call.location.line > 0) first.location = call.location;
  return status;
}

Status Walker::Update(const isa::Instruction& instruction, const assembly::Call& call) {
  for (const isa::Update& update : instruction.updates) {
    ACT_ASSIGN_OR_RETURN(const int64_t value, isa::Evaluate(update.value, {call.computational, {}, state_}));
    int64_t& state = state_[static_cast<size_t>(update.state)];
    std::optional<int64_t> next;
    switch (update.kind) {
      case isa::Update::Kind::kAssign:
        next = value;
        break;
      case isa::Update::Kind::kAdd:
        next = CheckedAdd(state, value);
        break;
      case isa::Update::Kind::kSubtract:
        next = CheckedSub(state, value);
        break;
      case isa::Update::Kind::kMultiply:
        next = CheckedMul(state, value);
        break;
    }
    if (!next) {
      return Error(ErrorClass::kValue, "validate-state",
                   "the update takes state '" + accelerator_.state[static_cast<size_t>(update.state)].name +
                       "' beyond 64 bits");
    }
    state = *next;
  }
  return Status();
}

Status Walker::CheckInside(const isa::Box& box, const std::vector<isa::ByteRange>& ranges) const {
  if (box.buffer != BufferId(0)) return Status();
  for (const isa::ByteRange& range : ranges) {
    if (range.end > program_.hbm_bytes) {
      return Error(ErrorClass::kValue, "validate-bounds",
                   "the window ends at byte " + std::to_string(range.end) +
                       " of HBM, of which the program declares " + std::to_string(program_.hbm_bytes) +
                       " bytes");
    }
  }
  return Status();
}

Status Walker::CheckName(const std::string& name, ContentId content, const std::string& what) const {
  if (names_ == nullptr || name.empty()) return Status();
  const auto it = names_->find(name);
  if (it == names_->end() || it->second == content) return Status();
  const std::optional<int64_t> at = FirstDifference(terms_.contents(), content, it->second);
  std::string message = what + " is named '" + name + "' but does not hold it";
  if (at && *at < terms_.contents().bytes(content) && *at < terms_.contents().bytes(it->second)) {
    message += ": byte " + std::to_string(*at) + " is " +
               terms_.Describe(ByteAt(terms_.contents(), content, *at)) + " instead of " +
               terms_.Describe(ByteAt(terms_.contents(), it->second, *at));
  } else {
    message += ": it has " + std::to_string(terms_.contents().bytes(content)) + " bytes instead of " +
               std::to_string(terms_.contents().bytes(it->second));
  }
  return Error(ErrorClass::kValue, "validate-name", message);
}

Status Walker::Undefined(const isa::Instruction& instruction, const UndefinedUse& use,
                         std::span<const isa::Box> boxes, std::span<const ContentId> inputs) const {
  std::string message = use.operation + " consumes " + terms_.Describe(use.byte);
  for (size_t k = 0; k < inputs.size(); ++k) {
    const std::optional<int64_t> at = FindByte(terms_.contents(), inputs[k], use.byte);
    if (!at) continue;
    const isa::Buffer& buffer = accelerator_.buffer(boxes[k].buffer);
    message += ", read through operand " + std::to_string(k);
    if (!instruction.inputs[k].name.empty()) message += " ('" + instruction.inputs[k].name + "')";
    int64_t rest = *at;
    for (const isa::ByteRange& range : isa::BoxRanges(accelerator_, boxes[k])) {
      if (rest < range.end - range.begin) {
        const int64_t byte = range.begin + rest;
        message += " at " + buffer.name + " byte " + std::to_string(byte);
        if (buffer.UnitBytes() > 1) message += " (unit " + std::to_string(byte / buffer.UnitBytes()) + ")";
        if (const std::string writer = WriterText(memories_[boxes[k].buffer.value()], byte);
            memories_[boxes[k].buffer.value()].WriterOf(byte) != kNobody) {
          message += ", " + writer;
        }
        break;
      }
      rest -= range.end - range.begin;
    }
    break;
  }
  return Error(ErrorClass::kValue, "validate-undefined", message + "; write it first");
}

Status Walker::Execute(const assembly::Call& call, std::span<const int64_t> addressing) {
  const isa::Instruction& instruction = accelerator_.instruction(call.instruction);
  // Constraints see the state before the updates; starts, sizes and semantics the state after.
  ACT_RETURN_IF_ERROR(
      isa::CheckConstraints(accelerator_, instruction, {call.computational, addressing, state_}, true));
  ACT_RETURN_IF_ERROR(Update(instruction, call));
  const isa::Environment environment{call.computational, addressing, state_};
  std::vector<isa::Box> boxes, results;
  const auto evaluate = [&](const std::vector<isa::Region>& regions, const char* what,
                            std::vector<isa::Box>* to) -> Status {
    for (size_t k = 0; k < regions.size(); ++k) {
      StatusOr<isa::Box> box = isa::EvaluateRegion(regions[k], environment);
      Status status = box.ok() ? isa::CheckBox(accelerator_, *box) : box.status();
      if (!status.ok()) {
        Diagnostic& first = status.mutable_diagnostics().front();
        first.message = std::string(what) + " " + std::to_string(k) + ": " + first.message;
        return status;
      }
      to->push_back(std::move(*box));
    }
    return Status();
  };
  ACT_RETURN_IF_ERROR(evaluate(instruction.inputs, "operand", &boxes));
  ACT_RETURN_IF_ERROR(evaluate(instruction.outputs, "output", &results));
  ACT_RETURN_IF_ERROR(isa::CheckPlacement(instruction, boxes, results));
  if (instruction.semantics.empty()) return Status();

  ACT_ASSIGN_OR_RETURN(const Semantics::Prepared* prepared,
                       semantics_.Prepare(call.instruction, call.computational, state_));
  std::vector<ContentId> inputs;
  std::vector<std::vector<isa::ByteRange>> input_ranges;
  for (size_t k = 0; k < boxes.size(); ++k) {
    input_ranges.push_back(isa::BoxRanges(accelerator_, boxes[k]));
    ACT_RETURN_IF_ERROR(CheckInside(boxes[k], input_ranges[k]));
    inputs.push_back(memories_[boxes[k].buffer.value()].Read(&terms_.contents(), input_ranges[k]));
    if (k < call.operand_names.size()) {
      ACT_RETURN_IF_ERROR(CheckName(call.operand_names[k], inputs[k], "operand " + std::to_string(k)));
    }
  }
  ACT_ASSIGN_OR_RETURN(const Applied applied, semantics_.Apply(*prepared, inputs));
  if (applied.undefined) return Undefined(instruction, *applied.undefined, boxes, inputs);

  const int64_t index = static_cast<int64_t>(executed_.size()) - 1;
  // An operand marked in place is dead after the call; outputs then may lie over it.
  for (size_t k = 0; k < instruction.inplace.size() && k < boxes.size(); ++k) {
    if (!instruction.inplace[k]) continue;
    const ContentId dead = terms_.contents().Whole(terms_.Dead(index), terms_.contents().bytes(inputs[k]));
    memories_[boxes[k].buffer.value()].Write(terms_.contents(), input_ranges[k], dead, index);
  }
  for (size_t j = 0; j < results.size() && j < applied.outputs.size(); ++j) {
    const std::vector<isa::ByteRange> ranges = isa::BoxRanges(accelerator_, results[j]);
    ACT_RETURN_IF_ERROR(CheckInside(results[j], ranges));
    memories_[results[j].buffer.value()].Write(terms_.contents(), ranges, applied.outputs[j], index);
  }
  if (!applied.outputs.empty()) {
    ACT_RETURN_IF_ERROR(CheckName(call.result_name, applied.outputs[0], "the result"));
  }
  return Status();
}

Status Walker::CheckInput(size_t i) {
  const assembly::HbmTensor& input = program_.inputs[i];
  const int64_t bytes = BytesOf(input.shape);
  const ContentId own = terms_.contents().Whole(terms_.Input(static_cast<int64_t>(i), bytes), bytes);
  const ContentId held = ReadTensor(input.address, input.shape);
  const std::optional<int64_t> at = FirstDifference(terms_.contents(), held, own);
  if (!at) return Status();
  return Error(ErrorClass::kValue, "validate-input",
               PlaceText(input, "input", i, *at) + ", does not hold its own byte at the end but " +
                   terms_.Describe(ByteAt(terms_.contents(), held, *at)) + ", " +
                   WriterText(memories_[0], input.address + *at) + "; inputs must stay intact");
}

Status Walker::CheckDefined(size_t k) {
  const assembly::HbmTensor& output = program_.outputs[k];
  const ContentId held = Output(k);
  const std::optional<int64_t> at = FirstUndefined(terms_.contents(), held);
  if (!at) return Status();
  return Error(ErrorClass::kValue, "validate-undefined",
               PlaceText(output, "output", k, *at) + ", holds " +
                   terms_.Describe(ByteAt(terms_.contents(), held, *at)) + "; " +
                   WriterText(memories_[0], output.address + *at));
}

ContentId Walker::Output(size_t k) {
  return ReadTensor(program_.outputs[k].address, program_.outputs[k].shape);
}

Status Walker::CheckOutput(size_t k, ContentId expected) {
  const assembly::HbmTensor& output = program_.outputs[k];
  const ContentId held = Output(k);
  const std::optional<int64_t> at = FirstDifference(terms_.contents(), held, expected);
  if (!at) return Status();
  return Error(ErrorClass::kValue, "validate-output",
               PlaceText(output, "output", k, *at) + ", is " +
                   terms_.Describe(ByteAt(terms_.contents(), held, *at)) + " where the certificate has " +
                   terms_.Describe(ByteAt(terms_.contents(), expected, *at)) + "; " +
                   WriterText(memories_[0], output.address + *at));
}

}  // namespace act::validate
