#include "isa/builder.h"
#include "isa/semantics_block.h"
#include "isa/semantics_syntax.h"

namespace act::isa {
namespace {

// INT, @c.n, or an expression in back-quotes.
class BlockItemReader : public ItemReader {
 public:
  explicit BlockItemReader(const NameTable& names) : names_(names) {}

  StatusOr<Expression> Read(Cursor* cursor) override {
    cursor->SkipBlanks();
    const size_t begin = cursor->position();
    StatusOr<Expression> item = ReadUnchecked(cursor);
    if (item.ok() && item->Uses(AttributeKind::kAddressing)) {
      return Status(cursor->ValueError("isa-address-in-semantics",
                                       "semantics cannot use an addressing attribute (@a); make it "
                                       "computational (@c)",
                                       begin));
    }
    return item;
  }

 private:
  StatusOr<Expression> ReadUnchecked(Cursor* cursor) {
    if (cursor->Take('`')) {
      ACT_ASSIGN_OR_RETURN(Expression expression, ReadExpression(cursor, names_, NameStyle::kPrefixed));
      if (!cursor->Take('`')) return Status(cursor->Expected("an operator or the closing '`'"));
      return expression;
    }
    const char c = cursor->Peek();
    if (c == '@') {
      // One attribute, no operators.
      const size_t begin = cursor->position();
      size_t stop = begin + 1;
      const std::string_view text = cursor->source().text();
      while (stop < cursor->end() && (IsNameChar(text[stop]) || text[stop] == '.')) ++stop;
      Cursor attribute(cursor->source(), begin, stop, BlankRules{});
      ACT_ASSIGN_OR_RETURN(Expression expression, ReadExpression(&attribute, names_, NameStyle::kPrefixed));
      cursor->set_position(attribute.position());
      return expression;
    }
    if (!IsDigit(c) && c != '-') return Status(cursor->Expected("an integer, @c.name or a `expression`"));
    cursor->SkipBlanks();
    SourceLocation location = cursor->source().LocationAt(cursor->position());
    const size_t begin = cursor->position();
    size_t stop = begin + 1;
    const std::string_view text = cursor->source().text();
    while (stop < cursor->end() && (IsNameChar(text[stop]) || text[stop] == '.')) ++stop;
    Cursor literal(cursor->source(), begin, stop, BlankRules{});
    ACT_ASSIGN_OR_RETURN(const int64_t value, ReadInteger(&literal));
    cursor->set_position(literal.position());
    Expression expression = Expression::Integer(value);
    expression.location = std::move(location);
    return expression;
  }

  const NameTable& names_;
};

class BlockReader {
 public:
  BlockReader(Cursor* cursor, const NameTable& names) : cursor_(*cursor), items_(names) {}

  StatusOr<Block> Read() {
    Block block;
    cursor_.SkipBlanks();
    block.offset = cursor_.position();
    cursor_.EnterBracket();  // newlines mean nothing in a block
    if (!cursor_.TakeWord("ENTRY")) return Status(cursor_.Expected("'ENTRY'"));
    if (cursor_.Peek() != '{') ACT_RETURN_IF_ERROR(TakeHeadName());
    if (!cursor_.Take('{')) return Status(cursor_.Expected("'{'"));
    while (cursor_.Peek() != '}') {
      if (block.statements.size() >= kMaxStatements) {
        return Status(cursor_.SyntaxError(
            "isa-block-too-long", "the block has more than " + std::to_string(kMaxStatements) + " statements",
            cursor_.position()));
      }
      ACT_ASSIGN_OR_RETURN(Statement statement, ReadStatement());
      block.statements.push_back(std::move(statement));
    }
    block.end_offset = cursor_.position();
    cursor_.Take('}');
    cursor_.LeaveBracket();
    if (block.statements.empty()) {
      return Status(cursor_.SyntaxError(
          "isa-empty-block", "the block has no statement; write at least its ROOT", block.end_offset));
    }
    return block;
  }

 private:
  // name := letter or '_', then letters, digits, '_', '.'; with or without '%'.
  std::string TakeValueName() {
    cursor_.SkipBlanks();
    const size_t begin = cursor_.position();
    const bool percent = cursor_.Take('%');
    const std::string_view text = cursor_.source().text();
    size_t stop = cursor_.position();
    if (percent && stop != begin + 1) return {};
    if (stop >= cursor_.end() || !IsNameStart(text[stop])) {
      cursor_.set_position(begin);
      return {};
    }
    const size_t name_begin = stop;
    while (stop < cursor_.end() && (IsNameChar(text[stop]) || text[stop] == '.')) ++stop;
    cursor_.set_position(stop);
    return std::string(text.substr(name_begin, stop - name_begin));
  }

  Status TakeHeadName() {
    if (!TakeValueName().empty()) return Status();
    return cursor_.Expected("a name or '{'");
  }

  StatusOr<Statement> ReadStatement() {
    Statement statement;
    cursor_.SkipBlanks();
    statement.offset = cursor_.position();
    if (cursor_.unclosed_comment()) {
      return Status(cursor_.SyntaxError("isa-comment", "the comment is not closed; end it by '*/'",
                                        *cursor_.unclosed_comment()));
    }
    statement.name = TakeValueName();
    if (statement.name == "ROOT" && cursor_.Peek() != '=') {
      statement.is_root = true;
      statement.name = TakeValueName();
    }
    if (statement.name.empty())
      return Status(cursor_.Expected("a statement '%name = T[dims] op(...)' or '}'"));
    if (!cursor_.Take('=')) return Status(cursor_.Expected("'='"));
    ACT_RETURN_IF_ERROR(ReadType(&statement));
    cursor_.SkipBlanks();
    statement.op_offset = cursor_.position();
    statement.op = TakeOperationName();
    if (statement.op.empty()) return Status(cursor_.Expected("an operation"));
    ACT_RETURN_IF_ERROR(ReadArguments(&statement));
    while (cursor_.Take(',')) {
      OperationAttribute attribute;
      cursor_.SkipBlanks();
      attribute.offset = cursor_.position();
      attribute.name = std::string(cursor_.TakeName());
      if (attribute.name.empty()) return Status(cursor_.Expected("an attribute 'name=value'"));
      if (!cursor_.Take('=')) return Status(cursor_.Expected("'='"));
      ACT_RETURN_IF_ERROR(ReadAttributeValue(&cursor_, &items_, &attribute));
      statement.attributes.push_back(std::move(attribute));
    }
    cursor_.Take(';');
    return statement;
  }

  Status ReadType(Statement* statement) {
    cursor_.SkipBlanks();
    const size_t begin = cursor_.position();
    const std::string_view name = cursor_.TakeName();
    if (name.empty()) return cursor_.Expected("an element type");
    if (cursor_.Peek() != '[') return cursor_.Expected("'[' and the dimensions");
    const auto type = TaidlElementType(name);
    if (!type.ok()) return cursor_.ValueError("isa-element-type", type.status().front().message, begin);
    statement->type = *type;
    ACT_ASSIGN_OR_RETURN(statement->dims, ReadBracketed(&cursor_, &items_, '[', ']'));
    if (cursor_.Peek() == '{') {
      return cursor_.SyntaxError("isa-layout", "semantics have no layouts; leave the braces out",
                                 cursor_.position());
    }
    return Status();
  }

  std::string TakeOperationName() {
    const std::string_view text = cursor_.source().text();
    const size_t begin = cursor_.position();
    size_t stop = begin;
    if (stop < cursor_.end() && IsNameStart(text[stop])) {
      while (stop < cursor_.end() && (IsNameChar(text[stop]) || text[stop] == '-')) ++stop;
    }
    cursor_.set_position(stop);
    return std::string(text.substr(begin, stop - begin));
  }

  Status ReadArguments(Statement* statement) {
    if (!cursor_.Take('(')) return cursor_.Expected("'('");
    if (cursor_.Take(')')) return Status();
    const bool is_constant = statement->op == "constant";
    const bool braces = is_constant && cursor_.Peek() == '{';
    int open = 0;
    do {
      while (braces && cursor_.Take('{')) {
        if (++open > kMaxNesting) return cursor_.Expected("less deeply nested values");
      }
      Argument argument;
      cursor_.SkipBlanks();
      argument.offset = cursor_.position();
      if (is_constant && AtConstantLiteral(&cursor_)) {
        ACT_ASSIGN_OR_RETURN(argument.literal, ReadConstantLiteral(&cursor_, false));
      } else if (is_constant && cursor_.Peek() == '`' && QuotedLiteral()) {
        cursor_.Take('`');
        ACT_ASSIGN_OR_RETURN(argument.literal, ReadConstantLiteral(&cursor_, false));
        cursor_.Take('`');
      } else if (const char c = cursor_.Peek(); IsDigit(c) || c == '-' || c == '@' || c == '`') {
        ACT_ASSIGN_OR_RETURN(argument.expression, items_.Read(&cursor_));
      } else {
        argument.value = TakeValueName();
        if (argument.value.empty()) return cursor_.Expected("a value, an integer or a `expression`");
      }
      statement->arguments.push_back(std::move(argument));
      while (open > 0 && cursor_.Take('}')) --open;
    } while (cursor_.Take(','));
    if (open > 0) return cursor_.Expected("',' or '}'");
    if (!cursor_.Take(')')) return cursor_.Expected("',' or ')'");
    return Status();
  }

  // The back-quotes at the cursor hold one literal and nothing else.
  bool QuotedLiteral() {
    const size_t begin = cursor_.position();
    cursor_.Take('`');
    const bool literal =
        AtConstantLiteral(&cursor_) && ReadConstantLiteral(&cursor_, false).ok() && cursor_.Peek() == '`';
    cursor_.set_position(begin);
    return literal;
  }

  Cursor& cursor_;
  BlockItemReader items_;
};

}  // namespace

StatusOr<Block> ReadBlock(Cursor* cursor, const NameTable& names) {
  return BlockReader(cursor, names).Read();
}

}  // namespace act::isa
