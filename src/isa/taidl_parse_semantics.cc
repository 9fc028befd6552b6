#include "isa/builder.h"
#include "isa/native_semantics.h"
#include "isa/semantics_syntax.h"

namespace act::isa {
namespace {

std::string Quoted(std::string_view text) { return "'" + std::string(text.substr(0, 80)) + "'"; }

bool IsTypeName(std::string_view name) { return ElementTypeFromName(name).has_value(); }

std::string FullAttributeName(std::string_view name) {
  if (name == "lhs_contracting" || name == "rhs_contracting" || name == "lhs_batch" || name == "rhs_batch") {
    return std::string(name) + "_dims";
  }
  if (name == "sizes") return "dynamic_slice_sizes";
  return std::string(name);
}

// The attribute that a list in braces means when it has no name.
std::string_view PositionalAttribute(std::string_view op) {
  if (op == "iota") return "iota_dimension";
  if (op == "dynamic_slice") return "dynamic_slice_sizes";
  return "dimensions";
}

class PlainItemReader : public ItemReader {
 public:
  explicit PlainItemReader(const NameTable& names) : names_(names) {}
  StatusOr<Expression> Read(Cursor* cursor) override {
    cursor->SkipBlanks();
    const size_t begin = cursor->position();
    StatusOr<Expression> item = ReadExpression(cursor, names_, NameStyle::kPlain);
    if (item.ok() && item->Uses(AttributeKind::kAddressing)) {
      return Status(
          cursor->ValueError("isa-address-in-semantics",
                             "semantics cannot use an addressing attribute; move it before the ';' of "
                             "the instruction's head to make it computational",
                             begin));
    }
    return item;
  }

 private:
  const NameTable& names_;
};

}  // namespace

bool IsFreeValueName(const NameTable& names, std::string_view name) {
  return !IsAttributeName(names, name) && !IsTypeName(name);
}

NativeSemanticsReader::NativeSemanticsReader(Cursor* cursor, const Accelerator& accelerator,
                                             const Instruction& instruction, const NameTable& names)
    : cursor_(*cursor),
      accelerator_(accelerator),
      instruction_(instruction),
      names_(names),
      builder_(cursor->source(), instruction.name) {
  for (size_t k = 0; k < instruction.inputs.size(); ++k) {
    const Region& region = instruction.inputs[k];
    const Buffer& buffer = accelerator.buffer(region.buffer);
    std::vector<Expression> dims = region.sizes;
    for (const int64_t d : buffer.unit) dims.push_back(Expression::Integer(d));
    const int32_t node = builder_.AddParameter(static_cast<int32_t>(k), region.name, buffer.type,
                                               std::move(dims), region.location);
    if (!region.name.empty()) values_.emplace(region.name, node);
  }
}

Status NativeSemanticsReader::CheckValueName(std::string_view name, size_t offset) const {
  if (IsAttributeName(names_, name)) {
    return builder_.ValueError(
        "isa-value-name",
        "value " + Quoted(name) + " has the name of an attribute or state; give it another name", offset);
  }
  if (IsTypeName(name)) {
    return builder_.ValueError(
        "isa-value-name", "value " + Quoted(name) + " has the name of an element type; give it another name",
        offset);
  }
  if (values_.find(name) != values_.end()) {
    return builder_.ValueError("isa-defined-twice",
                               "value " + Quoted(name) + " is defined twice; give one of them another name",
                               offset);
  }
  return Status();
}

Status NativeSemanticsReader::ReadStatement() {
  any_ = true;
  cursor_.SkipBlanks();
  statement_offset_ = cursor_.position();
  statement_ = std::string(cursor_.TakeName());
  nested_ = 0;
  uses_bad_ = false;
  cursor_.Take('=');
  Status status = CheckValueName(statement_, statement_offset_);
  StatusOr<int32_t> node = ReadValue(statement_, 0);
  if (status.ok() && !node.ok()) status = node.status();
  if (status.ok() && !cursor_.AtLineEnd()) status = cursor_.Expected("the end of the line");
  if (status.ok()) {
    values_.emplace(statement_, *node);
    return Status();
  }
  bad_.insert(statement_);
  return uses_bad_ ? Status() : status;
}

StatusOr<int32_t> NativeSemanticsReader::ReadValue(const std::string& result, int depth) {
  if (depth >= kMaxNesting) {
    return Status(cursor_.SyntaxError("isa-nesting",
                                      "operations are nested more than " + std::to_string(kMaxNesting) +
                                          " deep; give an inner value a name of its own",
                                      cursor_.position()));
  }
  cursor_.SkipBlanks();
  const size_t begin = cursor_.position();
  const std::string_view name = cursor_.TakeName();
  if (name.empty()) return Status(cursor_.Expected("an operation or a value"));
  if (cursor_.Peek() == '(') return ReadCall(name, begin, result, depth);
  const auto value = values_.find(name);
  if (value != values_.end()) return value->second;
  if (bad_.contains(name)) uses_bad_ = true;
  return builder_.ValueError("isa-undefined-value",
                             "value " + Quoted(statement_) + ": there is no value " + Quoted(name) +
                                 " before this line; define it, name a region so, or correct the name",
                             begin);
}

StatusOr<int32_t> NativeSemanticsReader::ReadCall(std::string_view op, size_t op_offset,
                                                  const std::string& result, int depth) {
  Operation operation;
  operation.result = result;
  operation.op = std::string(op);
  operation.offset = depth == 0 ? statement_offset_ : op_offset;
  operation.op_offset = op_offset;
  cursor_.Take('(');
  cursor_.EnterBracket();
  if (operation.op == "constant")
    ACT_RETURN_IF_ERROR(ReadConstantValue(&operation));
  else if (cursor_.Peek() != ')')
    ACT_RETURN_IF_ERROR(ReadArgument(&operation, depth));
  while (cursor_.Take(',')) ACT_RETURN_IF_ERROR(ReadArgument(&operation, depth));
  if (cursor_.Peek() != ')') return Status(cursor_.Expected("',' or ')'"));
  cursor_.LeaveBracket();
  cursor_.Take(')');
  return builder_.Add(operation);
}

Status NativeSemanticsReader::ReadType(Operation* operation) {
  cursor_.SkipBlanks();
  const size_t begin = cursor_.position();
  if (operation->type || operation->dims) {
    return cursor_.SyntaxError("isa-type-twice", "the result's type is given twice; keep one", begin);
  }
  const std::string_view name = cursor_.TakeName();
  if (!name.empty()) {
    const auto type = TaidlElementType(name);
    if (!type.ok()) return cursor_.ValueError("isa-element-type", type.status().front().message, begin);
    operation->type = *type;
    // A constant without dimensions is a scalar; elsewhere they are inferred.
    if (cursor_.Peek() != '[') return Status();
  }
  PlainItemReader items(names_);
  ACT_ASSIGN_OR_RETURN(std::vector<Expression> dims, ReadBracketed(&cursor_, &items, '[', ']'));
  operation->dims = std::move(dims);
  return Status();
}

Status NativeSemanticsReader::ReadConstantValue(Operation* operation) {
  PlainItemReader items(names_);
  const bool list = cursor_.Take('{');
  int open = list ? 1 : 0;
  do {
    while (list && cursor_.Take('{')) {
      if (++open > kMaxNesting) return cursor_.Expected("less deeply nested values");
    }
    ConstantItem item;
    cursor_.SkipBlanks();
    const size_t begin = cursor_.position();
    bool literal = AtConstantLiteral(&cursor_);
    if (literal) {
      auto read = ReadConstantLiteral(&cursor_, true);
      const char next = cursor_.Peek();
      // "2*n" begins like a literal and is an expression.
      literal = next == ',' || next == ')' || next == '}';
      if (literal || !read.ok()) {
        if (!read.ok()) return read.status();
        item = std::move(*read);
      }
    }
    if (!literal) {
      cursor_.set_position(begin);
      item.kind = ConstantItem::Kind::kExpression;
      ACT_ASSIGN_OR_RETURN(item.expression, items.Read(&cursor_));
    }
    item.offset = begin;
    operation->items.push_back(std::move(item));
    while (open > 0 && cursor_.Take('}')) --open;
  } while (list && open > 0 && cursor_.Take(','));
  if (open > 0) return cursor_.Expected("',' or '}'");
  return Status();
}

Status NativeSemanticsReader::ReadArgument(Operation* operation, int depth) {
  const char c = cursor_.Peek();
  const size_t begin = cursor_.position();
  PlainItemReader items(names_);
  if (c == '{') {
    OperationAttribute attribute;
    attribute.offset = begin;
    attribute.name = PositionalAttribute(operation->op);
    ACT_ASSIGN_OR_RETURN(attribute.items, ReadBracketed(&cursor_, &items, '{', '}'));
    operation->attributes.push_back(std::move(attribute));
    return Status();
  }
  if (c == '[') {
    const bool ranges = operation->op == "slice" || operation->op == "pad";
    if (!ranges) return ReadType(operation);
    const std::string_view name = operation->op == "slice" ? "slice" : "padding";
    if (operation->attributes.empty() || operation->attributes.back().name != name) {
      OperationAttribute attribute;
      attribute.offset = begin;
      attribute.name = name;
      operation->attributes.push_back(std::move(attribute));
    }
    return ReadRange(&cursor_, &items, &operation->attributes.back());
  }
  const std::string_view name = cursor_.PeekName();
  if (!name.empty()) {
    cursor_.TakeName();
    const bool named = cursor_.Peek() == '=' && !cursor_.LooksAt("==");
    if (named) {
      cursor_.Take('=');
      OperationAttribute attribute;
      attribute.offset = begin;
      attribute.name = FullAttributeName(name);
      ACT_RETURN_IF_ERROR(ReadAttributeValue(&cursor_, &items, &attribute));
      operation->attributes.push_back(std::move(attribute));
      return Status();
    }
    const bool word =
        operation->operands.size() == 2 && (operation->op == "compare" || operation->op == "reduce");
    if (word && !IsTypeName(name)) {
      OperationAttribute attribute;
      attribute.offset = begin;
      attribute.name = operation->op == "compare" ? "direction" : "to_apply";
      attribute.word = std::string(name);
      operation->attributes.push_back(std::move(attribute));
      return Status();
    }
    cursor_.set_position(begin);
    if (IsTypeName(name)) return ReadType(operation);
  }
  return ReadNamedOperand(operation, depth);
}

Status NativeSemanticsReader::ReadNamedOperand(Operation* operation, int depth) {
  Operand operand;
  cursor_.SkipBlanks();
  operand.offset = cursor_.position();
  const std::string_view name = cursor_.TakeName();
  const bool call = !name.empty() && cursor_.Peek() == '(';  // even if an attribute has the operation's name
  cursor_.set_position(operand.offset);
  if (!call && (name.empty() || (values_.find(name) == values_.end() && IsAttributeName(names_, name)))) {
    PlainItemReader items(names_);
    ACT_ASSIGN_OR_RETURN(operand.expression, items.Read(&cursor_));
  } else {
    const std::string inner = statement_ + "." + std::to_string(++nested_);
    ACT_ASSIGN_OR_RETURN(operand.node, ReadValue(inner, depth + 1));
  }
  operation->operands.push_back(std::move(operand));
  return Status();
}

StatusOr<Semantics> NativeSemanticsReader::Finish() {
  std::vector<int32_t> outputs;
  for (size_t j = 0; j < instruction_.outputs.size(); ++j) {
    const Region& region = instruction_.outputs[j];
    const auto place = [&](Status status) {
      status.mutable_diagnostics().front().location = region.location;
      return status;
    };
    if (region.name.empty()) {
      return place(Error(ErrorClass::kValue, "isa-output",
                         "instruction " + Quoted(instruction_.name) + ": output " + std::to_string(j) +
                             " has no name, so no value can go there; write 'out y = ...' and define y"));
    }
    const auto value = values_.find(region.name);
    if (value == values_.end()) {
      if (bad_.contains(region.name)) return Semantics();
      return place(Error(ErrorClass::kValue, "isa-output",
                         "instruction " + Quoted(instruction_.name) + ": no statement defines the output " +
                             Quoted(region.name) + "; write '" + region.name + " = ...'"));
    }
    outputs.push_back(value->second);
  }
  if (outputs.empty()) {
    Status status = Error(ErrorClass::kValue, "isa-output",
                          "instruction " + Quoted(instruction_.name) +
                              " computes values and has no output; give it an 'out' line");
    status.mutable_diagnostics().front().location = instruction_.location;
    return status;
  }
  if (!builder_.faults().empty()) return Semantics();
  return builder_.Finish(std::move(outputs));
}

}  // namespace act::isa
