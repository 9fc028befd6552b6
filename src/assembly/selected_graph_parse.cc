#include <charconv>
#include <map>

#include "assembly/constant_native.h"
#include "assembly/mnemonic.h"
#include "assembly/selected_graph.h"

namespace act::assembly {
namespace {

// A value named before it is known; `target` of graph is set when all values have been read.
struct Reference {
  std::string name;
  size_t offset = 0;
};

class Parser {
 public:
  Parser(const isa::Accelerator& accelerator, const SourceText& source, const std::vector<Token>& tokens)
      : accelerator_(accelerator), cursor_(source, tokens) {}

  StatusOr<SelectedGraph> Run() {
    ACT_RETURN_IF_ERROR(cursor_.ExpectWord("graph"));
    size_t offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(std::string target, ParseNativeName(cursor_, "the accelerator's name"));
    if (target != accelerator_.name) {
      return cursor_.ValueError(
          "asm-target", "the certificate is for " + target + ", not for " + accelerator_.name, offset);
    }
    ACT_RETURN_IF_ERROR(cursor_.ExpectWord("cost"));
    ACT_RETURN_IF_ERROR(Cost());
    while (!cursor_.AtEnd()) {
      if (cursor_.AcceptWord("input")) {
        ACT_ASSIGN_OR_RETURN(Shape shape, ParseNativeShape(cursor_));
        graph_.input_shapes.push_back(std::move(shape));
      } else if (cursor_.AcceptWord("const")) {
        ACT_ASSIGN_OR_RETURN(Literal literal, ParseNativeConstant(cursor_));
        graph_.constants.push_back(std::move(literal));
      } else if (cursor_.AcceptWord("output")) {
        ACT_ASSIGN_OR_RETURN(Shape shape, ParseNativeShape(cursor_));
        graph_.output_shapes.push_back(std::move(shape));
        ACT_RETURN_IF_ERROR(cursor_.Expect("="));
        ACT_ASSIGN_OR_RETURN(Reference output, Refer());
        outputs_.push_back(std::move(output));
      } else if (cursor_.AcceptWord("value")) {
        ACT_RETURN_IF_ERROR(ParseValue());
      } else if (cursor_.AcceptWord("step")) {
        ACT_RETURN_IF_ERROR(ParseStep());
      } else {
        return cursor_.Expected("'input', 'const', 'output', 'value' or 'step'");
      }
    }
    ACT_RETURN_IF_ERROR(Resolve());
    ACT_RETURN_IF_ERROR(CheckResults());
    return std::move(graph_);
  }

 private:
  Status Cost() {
    bool negative = cursor_.Accept("-");
    const Token& token = cursor_.Peek();
    if (token.kind != TokenKind::kInteger && token.kind != TokenKind::kFloat)
      return cursor_.Expected("a number");
    std::from_chars(token.text.data(), token.text.data() + token.text.size(), graph_.cost);
    if (negative) graph_.cost = -graph_.cost;
    cursor_.Next();
    return Status();
  }

  StatusOr<Reference> Refer() {
    Reference reference;
    reference.offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(reference.name, ParseNativeName(cursor_, "the name of a value"));
    return reference;
  }

  Status ParseValue() {
    Value value;
    size_t offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(value.name, ParseNativeName(cursor_, "the name of a value"));
    if (!names_.emplace(value.name, ValueId(graph_.values.size())).second) {
      return cursor_.ValueError("cert-value", "two values are named '" + value.name + "'", offset);
    }
    offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(std::string name, cursor_.Identifier("a buffer"));
    std::optional<BufferId> buffer = accelerator_.FindBuffer(name);
    if (!buffer) {
      return cursor_.ValueError("asm-unknown-buffer",
                                "'" + name + "' is not a buffer of " + accelerator_.name, offset);
    }
    value.buffer = *buffer;
    ACT_RETURN_IF_ERROR(cursor_.Expect("["));
    while (!cursor_.Is("]")) {
      if (!value.size.empty()) ACT_RETURN_IF_ERROR(cursor_.Expect(","));
      ACT_ASSIGN_OR_RETURN(int64_t size, ParseNatural(cursor_, "a size"));
      value.size.push_back(size);
    }
    ACT_RETURN_IF_ERROR(cursor_.Expect("]"));
    ACT_RETURN_IF_ERROR(cursor_.ExpectWord("bytes"));
    ACT_ASSIGN_OR_RETURN(value.bytes, ParseNatural(cursor_, "a number of bytes"));
    ACT_RETURN_IF_ERROR(cursor_.Expect("="));
    std::vector<Reference> parts;
    index_offsets_.push_back(cursor_.Peek().offset);
    ACT_RETURN_IF_ERROR(Production(&value, &parts));
    graph_.values.push_back(std::move(value));
    parts_.push_back(std::move(parts));
    return Status();
  }

  Status Production(Value* value, std::vector<Reference>* parts) {
    static constexpr std::pair<std::string_view, Value::Kind> kIndexed[] = {
        {"input", Value::Kind::kInput}, {"const", Value::Kind::kConstant}, {"step", Value::Kind::kResult}};
    for (const auto& [word, kind] : kIndexed) {
      if (!cursor_.AcceptWord(word)) continue;
      value->kind = kind;
      ACT_ASSIGN_OR_RETURN(value->index, ParseNatural(cursor_, "a number"));
      return Status();
    }
    bool window = cursor_.IsWord("window");
    if (!window && !cursor_.IsWord("adjacent")) {
      return cursor_.Expected("'input', 'const', 'step', 'window' or 'adjacent'");
    }
    value->kind = window ? Value::Kind::kWindow : Value::Kind::kAdjacent;
    size_t offset = cursor_.Next().offset;
    do {
      ACT_ASSIGN_OR_RETURN(Reference part, Refer());
      parts->push_back(std::move(part));
    } while (!window && cursor_.Accept(","));
    if (window) {
      ACT_RETURN_IF_ERROR(cursor_.Expect("+"));
      ACT_ASSIGN_OR_RETURN(value->offset, ParseNatural(cursor_, "an offset in bytes"));
    } else if (parts->size() < 2) {
      return cursor_.ValueError("cert-value", "adjacent needs at least two values", offset);
    }
    return Status();
  }

  Status ParseStep() {
    size_t offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(std::string name, cursor_.Identifier("an instruction"));
    Step step;
    ACT_ASSIGN_OR_RETURN(step.instruction, FindByMnemonic(accelerator_, cursor_, name, offset));
    const isa::Instruction& instruction = accelerator_.instruction(step.instruction);
    for (const std::string& attribute : instruction.computational) {
      ACT_RETURN_IF_ERROR(cursor_.ExpectWord(attribute));
      ACT_RETURN_IF_ERROR(cursor_.Expect("="));
      ACT_ASSIGN_OR_RETURN(int64_t value, cursor_.Integer("an integer"));
      step.computational.push_back(value);
    }
    ACT_RETURN_IF_ERROR(cursor_.Expect(";"));
    ACT_ASSIGN_OR_RETURN(Reference result, Refer());
    std::vector<Reference> operands;
    if (cursor_.Accept("<-")) {
      do {
        ACT_ASSIGN_OR_RETURN(Reference operand, Refer());
        operands.push_back(std::move(operand));
      } while (cursor_.Accept(","));
    }
    if (operands.size() != instruction.inputs.size()) {
      return cursor_.ValueError("cert-step",
                                instruction.name + " reads " + std::to_string(instruction.inputs.size()) +
                                    " regions, but the step has " + std::to_string(operands.size()) +
                                    " operands",
                                offset);
    }
    graph_.steps.push_back(std::move(step));
    results_.push_back(std::move(result));
    operands_.push_back(std::move(operands));
    return Status();
  }

  StatusOr<ValueId> Find(const Reference& reference) const {
    auto found = names_.find(reference.name);
    if (found != names_.end()) return found->second;
    return cursor_.ValueError("cert-value", "no value is named '" + reference.name + "'", reference.offset);
  }

  Status Resolve() {
    for (const Reference& output : outputs_) {
      ACT_ASSIGN_OR_RETURN(ValueId id, Find(output));
      graph_.outputs.push_back(id);
    }
    for (size_t v = 0; v < parts_.size(); ++v) {
      for (const Reference& part : parts_[v]) {
        ACT_ASSIGN_OR_RETURN(ValueId id, Find(part));
        graph_.values[v].parts.push_back(id);
      }
    }
    for (size_t s = 0; s < graph_.steps.size(); ++s) {
      for (const Reference& operand : operands_[s]) {
        ACT_ASSIGN_OR_RETURN(ValueId id, Find(operand));
        graph_.steps[s].operands.push_back(id);
      }
      ACT_ASSIGN_OR_RETURN(graph_.steps[s].result, Find(results_[s]));
    }
    return Status();
  }

  // Indices lie in their lists, and values and steps name each other.
  Status CheckResults() const {
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      const Value& value = graph_.values[v];
      size_t count = value.kind == Value::Kind::kInput      ? graph_.input_shapes.size()
                     : value.kind == Value::Kind::kConstant ? graph_.constants.size()
                     : value.kind == Value::Kind::kResult   ? graph_.steps.size()
                                                            : 0;
      if (value.kind == Value::Kind::kWindow || value.kind == Value::Kind::kAdjacent) continue;
      auto index = static_cast<size_t>(value.index);
      if (index >= count) {
        return cursor_.ValueError("cert-value",
                                  "value '" + value.name + "' names number " + std::to_string(index) +
                                      " of " + std::to_string(count),
                                  index_offsets_[v]);
      }
      if (value.kind == Value::Kind::kResult && graph_.steps[index].result != ValueId(v)) {
        return cursor_.ValueError(
            "cert-value", "value '" + value.name + "' is not the result of step " + std::to_string(index),
            index_offsets_[v]);
      }
    }
    for (size_t s = 0; s < graph_.steps.size(); ++s) {
      const Value& value = graph_.value(graph_.steps[s].result);
      if (value.kind == Value::Kind::kResult && value.index == static_cast<int64_t>(s)) continue;
      return cursor_.ValueError("cert-step",
                                "the result of step " + std::to_string(s) + " is '" + value.name +
                                    "', which is not declared as that step's",
                                results_[s].offset);
    }
    return Status();
  }

  const isa::Accelerator& accelerator_;
  TokenCursor cursor_;
  SelectedGraph graph_;
  std::map<std::string, ValueId> names_;
  std::vector<size_t> index_offsets_;          // of each value's production
  std::vector<std::vector<Reference>> parts_;  // of each value
  std::vector<Reference> outputs_, results_;
  std::vector<std::vector<Reference>> operands_;  // of each step
};

}  // namespace

StatusOr<SelectedGraph> ParseSelectedGraph(const isa::Accelerator& accelerator, const SourceText& source) {
  ACT_ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(source, LexerStyle::kNative));
  return Parser(accelerator, source, tokens).Run();
}

}  // namespace act::assembly
