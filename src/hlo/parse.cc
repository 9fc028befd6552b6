#include "hlo/parse.h"

#include <algorithm>

#include "hlo/reader.h"
#include "hlo/rewrite.h"
#include "hlo/verify.h"

namespace act::hlo {
namespace {

constexpr std::string_view kTables[] = {"FileNames", "FunctionNames", "FileLocations", "StackFrames"};

bool IsTable(std::string_view word) {
  return std::find(std::begin(kTables), std::end(kTables), word) != std::end(kTables);
}

void SetDefaultLayouts(Shape* shape) {
  for (Shape& member : shape->tuple) SetDefaultLayouts(&member);
  if (shape->is_tuple() || shape->has_layout) return;
  shape->has_layout = true;
  shape->layout = Layout::RowMajor(shape->rank());
}

// The same shape with row-major layouts throughout.
Shape RowMajorShape(Shape shape) {
  for (Shape& member : shape.tuple) member = RowMajorShape(std::move(member));
  shape.has_layout = false;
  shape.layout = Layout();
  if (!shape.is_tuple()) SetDefaultLayouts(&shape);
  return shape;
}

std::string Quote(std::string_view name) { return "'" + std::string(name) + "'"; }

}  // namespace

bool Reader::Fail(ErrorClass error_class, std::string_view code, std::string message, size_t offset) {
  if (!TooManyErrors()) {
    errors_.push_back(source_.MakeError(error_class, std::string(code), std::move(message), offset));
  }
  return false;
}

bool Reader::SyntaxError(std::string message, size_t offset) {
  return Fail(ErrorClass::kSyntax, "hlo-syntax", std::move(message), offset);
}

bool Reader::ValueError(std::string_view code, std::string message, size_t offset) {
  return Fail(ErrorClass::kValue, code, std::move(message), offset);
}

bool Reader::Expected(std::string_view what) {
  const size_t offset = lexer_.offset();
  if (lexer_.unterminated_comment()) {
    return SyntaxError("the comment opened here is not closed; write */", *lexer_.unterminated_comment());
  }
  return SyntaxError("expected " + std::string(what) + ", found " + lexer_.Found(), offset);
}

void Reader::Warn(std::string_view code, std::string message, size_t offset) {
  if (warnings_ == nullptr) return;
  warnings_->push_back(source_.MakeError(ErrorClass::kValue, std::string(code), std::move(message), offset));
  warnings_->back().is_warning = true;
}

// The end of the statement that starts at `start`: the first line end outside brackets, or before a line
// that can only start something new.
void Reader::SkipStatement(size_t start) {
  const std::string_view text = lexer_.text();
  size_t at = std::max(start, lexer_.end_of_last());
  int depth = 0;
  for (size_t i = start; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const size_t end = text.find_first_of("\"\n", i + 1);
      if (end == std::string_view::npos) break;
      i = text[end] == '"' ? end : end - 1;
    } else if (c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if (c == ')' || c == '}' || c == ']') {
      // A closing bracket without its opening one ends the computation.
      if (depth == 0 && i >= at) return lexer_.set_offset(i);
      if (depth > 0) --depth;
    } else if (c == '\n' && i >= at) {
      if (depth == 0) return lexer_.set_offset(i);
      Lexer line(text);
      line.set_offset(i + 1);
      const size_t word_at = line.offset();
      if (line.Accept("}") && text[word_at - 1] == '\n') return lexer_.set_offset(i);
      line.set_offset(word_at);
      if (line.PeekWord() == "ENTRY") return lexer_.set_offset(i);
      if (line.PeekWord() == "ROOT") line.Word();
      // (Attributes are written without the blank.)
      if (!line.Name().empty() && line.Accept("=") && text.substr(line.end_of_last(), 1) == " ") {
        return lexer_.set_offset(i);
      }
    }
  }
  lexer_.set_offset(text.size());
}

// To behind the brace that closes the computation whose head could not be read.
void Reader::SkipComputation() {
  const std::string_view text = lexer_.text();
  size_t at = text.find("\n}", lexer_.offset());
  lexer_.set_offset(at == std::string_view::npos ? text.size() : at + 2);
}

bool Reader::ReadEntryLayout() {
  entry_layout_offset_ = lexer_.offset();
  if (!lexer_.Accept("{")) return Expected("'{' of entry_computation_layout");
  if (!lexer_.Accept("(")) return Expected("'(' of the parameter shapes");
  if (!lexer_.Accept(")")) {
    do {
      parameter_shape_offsets_.push_back(lexer_.offset());
      Shape shape;
      if (!ReadShape(&shape)) return false;
      SetDefaultLayouts(&shape);
      module_.parameter_shapes.push_back(std::move(shape));
    } while (lexer_.Accept(","));
    if (!lexer_.Accept(")")) return Expected("',' or ')' behind a parameter shape");
  }
  if (!lexer_.Accept("->")) return Expected("'->' and the result shape");
  result_shape_offset_ = lexer_.offset();
  if (!ReadShape(&module_.result_shape)) return false;
  SetDefaultLayouts(&module_.result_shape);
  if (!lexer_.Accept("}")) return Expected("'}' behind entry_computation_layout");
  return true;
}

bool Reader::ReadHeader() {
  if (lexer_.at_end() && !lexer_.unterminated_comment()) {
    return SyntaxError("the text is empty; an HLO module starts with 'HloModule NAME'", 0);
  }
  if (lexer_.PeekWord() != "HloModule") return Expected("'HloModule NAME' at the start of the module");
  lexer_.Word();
  module_.name = lexer_.Name();
  if (module_.name.empty()) return Expected("the module's name");
  std::set<std::string, std::less<>> seen;
  while (lexer_.Accept(",")) {
    const size_t offset = lexer_.offset();
    const std::string name(lexer_.Word());
    if (name.empty()) return Expected("an attribute of the module");
    if (!seen.insert(name).second) {
      return ValueError("hlo-attribute", "the module's attribute " + Quote(name) + " is given twice", offset);
    }
    if (!lexer_.Accept("=")) return Expected("'=' behind the attribute " + Quote(name));
    if (name == "entry_computation_layout") {
      has_entry_layout_ = true;
      if (!ReadEntryLayout()) {
        entry_layout_broken_ = true;
        return false;
      }
    } else if (!ReadRawAttribute(name, &module_.raw)) {
      return false;
    }
  }
  return true;
}

// "FileNames", then lines that start with a number.
bool Reader::ReadTable() {
  const size_t start = lexer_.offset();
  lexer_.Word();
  size_t end = lexer_.end_of_last();
  while (lexer_.Peek() >= '0' && lexer_.Peek() <= '9') {
    lexer_.RestOfLine();
    end = lexer_.end_of_last();
  }
  std::string table(lexer_.text().substr(start, end - start));
  while (!table.empty() && (table.back() == ' ' || table.back() == '\r')) table.pop_back();
  module_.tables.push_back(std::move(table));
  return true;
}

bool Reader::ReadComputationHead(Scope* scope, ComputationHead* head) {
  head->offset = lexer_.offset();
  scope->computation.is_entry =
      lexer_.PeekWord() == "ENTRY" && lexer_.PeekBehindWord() != '{' && lexer_.PeekBehindWord() != '(';
  if (scope->computation.is_entry) {
    lexer_.Word();
    head->offset = lexer_.offset();
  }
  scope->computation.name = lexer_.Name();
  if (scope->computation.name.empty()) return Expected("a computation ('NAME {' or 'ENTRY NAME {')");
  if (lexer_.Accept("(")) {
    head->has_program_shape = true;
    if (!lexer_.Accept(")")) {
      do {
        if (lexer_.Name().empty()) return Expected("a parameter's name");
        if (!lexer_.Accept(":")) return Expected("':' and the parameter's shape");
        head->parameters.emplace_back();
        if (!ReadShape(&head->parameters.back())) return false;
      } while (lexer_.Accept(","));
      if (!lexer_.Accept(")")) return Expected("',' or ')' behind a parameter");
    }
    if (!lexer_.Accept("->")) return Expected("'->' and the computation's result shape");
    if (!ReadShape(&head->result)) return false;
  }
  if (!lexer_.Accept("{"))
    return Expected("'{' that opens the computation " + Quote(scope->computation.name));
  return true;
}

void Reader::ReadBody(Scope* scope) {
  while (!TooManyErrors()) {
    if (lexer_.Accept("}")) return;
    const size_t start = lexer_.offset();
    const bool next_entry = lexer_.PeekWord() == "ENTRY" && lexer_.PeekBehindWord() != '=';
    if (lexer_.at_end() || next_entry) {
      Expected("'}' that closes the computation " + Quote(scope->computation.name));
      scope->broken = true;
      return;
    }
    if (!ReadInstruction(scope)) {
      scope->broken = true;
      SkipStatement(start);
    }
  }
}

void Reader::CheckParameterNumbers(Scope* scope) {
  Computation& computation = scope->computation;
  std::vector<int32_t> found;
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    if (computation.instructions[i].opcode == Opcode::kParameter) found.push_back(static_cast<int32_t>(i));
  }
  computation.parameters.assign(found.size(), -1);
  const std::string count = Counted(found.size(), "parameter");
  for (int32_t index : found) {
    const int64_t number = computation.instructions[static_cast<size_t>(index)].parameter_number;
    const size_t offset = scope->offsets[static_cast<size_t>(index)];
    if (number >= static_cast<int64_t>(found.size())) {
      // With an unreadable statement the count is not known.
      if (scope->broken) continue;
      ValueError("hlo-parameter",
                 "parameter(" + std::to_string(number) + ") in a computation with " + count +
                     "; parameters are numbered from 0 without gaps",
                 offset);
      scope->broken = true;
      continue;
    }
    int32_t& slot = computation.parameters[static_cast<size_t>(number)];
    if (slot >= 0) {
      ValueError("hlo-parameter",
                 "parameter(" + std::to_string(number) + ") is already " +
                     Quote(computation.instructions[static_cast<size_t>(slot)].name) +
                     "; each number is given once",
                 offset);
      scope->broken = true;
      continue;
    }
    slot = index;
  }
}

void Reader::CloseComputation(Scope* scope, const ComputationHead& head) {
  Computation& computation = scope->computation;
  if (computation.instructions.empty()) {
    if (!scope->broken) {
      ValueError("hlo-computation", "the computation " + Quote(computation.name) + " has no instruction",
                 head.offset);
    }
    scope->broken = true;
    return;
  }
  if (computation.root < 0) computation.root = static_cast<int32_t>(computation.instructions.size()) - 1;
  CheckParameterNumbers(scope);
  NameAddedInstructions(scope->unnamed, &computation);
  if (scope->broken || !head.has_program_shape) return;
  if (head.parameters.size() != computation.parameters.size()) {
    ValueError("hlo-computation",
               "the head of " + Quote(computation.name) + " lists " +
                   Counted(head.parameters.size(), "parameter") + ", but the body has " +
                   std::to_string(computation.parameters.size()),
               head.offset);
    return;
  }
  for (size_t i = 0; i < head.parameters.size(); ++i) {
    const Instruction& parameter = computation.instructions[static_cast<size_t>(computation.parameters[i])];
    if (SameTypeAndDims(head.parameters[i], parameter.shape)) continue;
    ValueError("hlo-computation",
               "the head of " + Quote(computation.name) + " gives parameter " + std::to_string(i) + " as " +
                   ToString(head.parameters[i]) + ", but " + Quote(parameter.name) + " is " +
                   ToString(parameter.shape),
               head.offset);
  }
  const Instruction& root = computation.root_instruction();
  if (!SameTypeAndDims(head.result, root.shape)) {
    ValueError("hlo-computation",
               "the head of " + Quote(computation.name) + " gives the result as " + ToString(head.result) +
                   ", but the root " + Quote(root.name) + " is " + ToString(root.shape),
               head.offset);
  }
}

void Reader::ReadComputation() {
  Scope scope;
  ComputationHead head;
  const size_t errors_before = errors_.size();
  if (ReadComputationHead(&scope, &head)) {
    ReadBody(&scope);
    CloseComputation(&scope, head);
    if (lexer_.Accept(",") && !scope.broken) {
      const std::string name(lexer_.Word());
      if (name != "execution_thread" || !lexer_.Accept("=")) {
        Expected("'execution_thread=\"...\"' behind the computation");
      } else {
        ReadRawAttribute(name, &scope.computation.raw);
      }
    }
  } else {
    scope.broken = true;
    SkipComputation();
  }
  Computation& computation = scope.computation;
  if (computation.name.empty()) return;
  const bool broken = scope.broken || errors_.size() > errors_before;
  const auto index = static_cast<int32_t>(module_.computations.size());
  if (!computations_.emplace(computation.name, broken ? -1 : index).second) {
    ValueError("hlo-computation", "the computation " + Quote(computation.name) + " is defined twice",
               head.offset);
    return;
  }
  if (computation.is_entry) {
    if (module_.entry >= 0) {
      ValueError("hlo-computation", "ENTRY is given a second time; a module has one entry computation",
                 head.offset);
    }
    module_.entry = index;
  }
  module_.computations.push_back(std::move(computation));
}

void Reader::CheckHeaderAgainstEntry(const Computation& entry) {
  if (!has_entry_layout_) {
    for (int32_t index : entry.parameters) {
      module_.parameter_shapes.push_back(RowMajorShape(entry.instructions[static_cast<size_t>(index)].shape));
    }
    module_.result_shape = RowMajorShape(entry.root_instruction().shape);
    return;
  }
  const size_t count = module_.parameter_shapes.size();
  if (count != entry.parameters.size()) {
    ValueError("hlo-parameter",
               "entry_computation_layout lists " + Counted(count, "parameter") +
                   ", but the entry computation " + Quote(entry.name) + " has " +
                   std::to_string(entry.parameters.size()),
               entry_layout_offset_);
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    const Instruction& parameter = entry.instructions[static_cast<size_t>(entry.parameters[i])];
    if (SameTypeAndDims(module_.parameter_shapes[i], parameter.shape)) continue;
    ValueError("hlo-parameter",
               "entry_computation_layout gives parameter " + std::to_string(i) + " as " +
                   ToString(module_.parameter_shapes[i]) + ", but " + Quote(parameter.name) + " is " +
                   ToString(parameter.shape),
               parameter_shape_offsets_[i]);
  }
  const Instruction& root = entry.root_instruction();
  if (!SameTypeAndDims(module_.result_shape, root.shape)) {
    ValueError("hlo-shape",
               "entry_computation_layout gives the result as " + ToString(module_.result_shape) +
                   ", but the root " + Quote(root.name) + " is " + ToString(root.shape),
               result_shape_offset_);
  }
}

void Reader::CheckModule() {
  if (module_.entry < 0 && module_.computations.size() == 1) {
    module_.entry = 0;
    module_.computations[0].is_entry = true;
  }
  if (module_.entry < 0) {
    if (errors_.empty()) {
      Expected(module_.computations.empty() ? "a computation ('ENTRY NAME {')"
                                            : "an entry computation; mark one with ENTRY");
    }
    return;
  }
  const Computation& entry = module_.computations[static_cast<size_t>(module_.entry)];
  const auto known = computations_.find(entry.name);
  if (known == computations_.end() || known->second < 0 || entry_layout_broken_) return;
  CheckHeaderAgainstEntry(entry);
}

StatusOr<Module> Reader::Read() {
  const size_t start = lexer_.offset();
  if (!ReadHeader()) {
    // Without the first word this is no HLO text: what follows would only give more of the same.
    if (module_.name.empty()) return Status(std::move(errors_));
    SkipStatement(start);
  }
  while (!lexer_.at_end() && !TooManyErrors()) {
    if (IsTable(lexer_.PeekWord()) && lexer_.PeekBehindWord() != '{' && lexer_.PeekBehindWord() != '(') {
      ReadTable();
    } else {
      ReadComputation();
    }
  }
  if (lexer_.unterminated_comment() && errors_.empty()) Expected("the end of the comment");
  CheckModule();
  if (errors_.empty()) return std::move(module_);
  // At most 20, so by insertion. (libstdc++'s stable_sort does not compile without a warning under clang.)
  const auto place = [](const Diagnostic& d) { return std::pair(d.location.line, d.location.column); };
  for (size_t i = 1; i < errors_.size(); ++i) {
    for (size_t j = i; j > 0 && place(errors_[j]) < place(errors_[j - 1]); --j)
      std::swap(errors_[j], errors_[j - 1]);
  }
  return Status(std::move(errors_));
}

StatusOr<Module> Parse(const SourceText& source, const ParseOptions& options,
                       std::vector<Diagnostic>* warnings) {
  return Reader(source, options, warnings).Read();
}

}  // namespace act::hlo
