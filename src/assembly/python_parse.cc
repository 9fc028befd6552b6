#include <algorithm>
#include <limits>

#include "assembly/address_text.h"
#include "assembly/python_kernel.h"
#include "assembly/python_values.h"

namespace act::assembly {
namespace {

constexpr std::string_view kWhatIsRead =
    "a kernel file holds imports and one kernel: @kernel(...) over a function of api calls, alone or inside "
    "def name(kernel, api)";

// Last component of "a.b.c".
std::string LastComponent(const std::string& dotted) { return dotted.substr(dotted.rfind('.') + 1); }

class Parser {
 public:
  Parser(const isa::Accelerator& accelerator, const SourceText& source, const std::vector<Token>& tokens)
      : accelerator_(accelerator), source_(source), cursor_(source, tokens), values_(cursor_, modules_) {}

  StatusOr<Program> Run() {
    program_.target = accelerator_.name;
    while (!cursor_.AtEnd()) {
      if (cursor_.Peek().kind == TokenKind::kNewline || cursor_.Peek().kind == TokenKind::kString) {
        cursor_.Next();
      } else if (cursor_.IsWord("import") || cursor_.IsWord("from")) {
        ACT_RETURN_IF_ERROR(Import());
      } else if (cursor_.Is("@")) {
        ACT_RETURN_IF_ERROR(OnlyOne());
        ACT_RETURN_IF_ERROR(Kernel(&program_.name));
      } else if (cursor_.IsWord("def")) {
        ACT_RETURN_IF_ERROR(OnlyOne());
        ACT_RETURN_IF_ERROR(Outer());
      } else {
        return cursor_.SyntaxError(std::string(kWhatIsRead), cursor_.Peek().offset);
      }
    }
    if (!found_)
      return cursor_.SyntaxError("no kernel found; " + std::string(kWhatIsRead), cursor_.Peek().offset);
    return std::move(program_);
  }

 private:
  int32_t Column() const { return cursor_.Location().column; }
  Status OnlyOne() {
    if (found_) return cursor_.SyntaxError("a second kernel; a file holds one", cursor_.Peek().offset);
    found_ = true;
    return Status();
  }
  Status EndOfStatement() {
    if (cursor_.Peek().kind == TokenKind::kNewline) {
      cursor_.Next();
      return Status();
    }
    if (cursor_.Accept(";") || cursor_.AtEnd()) return Status();
    return cursor_.Expected("the end of the statement");
  }
  // Docstrings and empty lines.
  void SkipStrings() {
    while (cursor_.Peek().kind == TokenKind::kNewline ||
           (cursor_.Peek().kind == TokenKind::kString && cursor_.Peek(1).kind == TokenKind::kNewline)) {
      cursor_.Next();
    }
  }

  void Bind(const std::string& name, const std::string& origin) {
    modules_.insert(name);
    if (LastComponent(origin) == "kernel") decorators_.insert(name);
    if (LastComponent(origin) == "api") apis_.insert(name);
  }
  StatusOr<std::string> Dotted() {
    ACT_ASSIGN_OR_RETURN(std::string name, cursor_.Identifier("a name"));
    while (cursor_.Accept(".")) {
      ACT_ASSIGN_OR_RETURN(std::string part, cursor_.Identifier("a name"));
      name += "." + part;
    }
    return name;
  }
  // import a.b [as c], ...   from a.b import c [as d], ...
  Status Import() {
    bool from = cursor_.Next().text == "from";
    if (from) {
      ACT_ASSIGN_OR_RETURN(std::string module, Dotted());
      ACT_RETURN_IF_ERROR(cursor_.ExpectWord("import"));
    }
    bool bracket = from && cursor_.Accept("(");
    do {
      if (bracket && cursor_.Is(")")) break;
      ACT_ASSIGN_OR_RETURN(std::string origin, Dotted());
      std::string name = from ? origin : origin.substr(0, origin.find('.'));
      if (cursor_.AcceptWord("as")) {
        ACT_ASSIGN_OR_RETURN(name, cursor_.Identifier("a name"));
        Bind(name, origin);
      } else {
        Bind(name, from ? origin : name);
      }
    } while (cursor_.Accept(","));
    if (bracket) ACT_RETURN_IF_ERROR(cursor_.Expect(")"));
    return EndOfStatement();
  }

  // def name(kernel, api): the kernel, return its_function
  Status Outer() {
    int32_t column = Column();
    cursor_.Next();
    ACT_ASSIGN_OR_RETURN(program_.name, cursor_.Identifier("the kernel's name"));
    ACT_RETURN_IF_ERROR(cursor_.Expect("("));
    ACT_ASSIGN_OR_RETURN(std::string decorator, cursor_.Identifier("the parameter for the decorator"));
    ACT_RETURN_IF_ERROR(cursor_.Expect(","));
    ACT_ASSIGN_OR_RETURN(std::string api, cursor_.Identifier("the parameter for the api"));
    decorators_.insert(decorator);
    apis_.insert(api);
    cursor_.Accept(",");
    ACT_RETURN_IF_ERROR(cursor_.Expect(")"));
    ACT_RETURN_IF_ERROR(cursor_.Expect(":"));
    SkipStrings();
    int32_t inner = Column();
    if (!cursor_.Is("@") || inner <= column)
      return cursor_.Expected("the indented decorator @" + decorator + "(...)");
    std::string function;
    ACT_RETURN_IF_ERROR(Kernel(&function));
    if (!cursor_.IsWord("return") || Column() != inner) return cursor_.Expected("'return " + function + "'");
    cursor_.Next();
    ACT_RETURN_IF_ERROR(cursor_.ExpectWord(function));
    return EndOfStatement();
  }

  // @kernel(...) def function(): body
  Status Kernel(std::string* function) {
    int32_t column = Column();
    cursor_.Next();
    size_t offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(std::string name, Dotted());
    size_t dot = name.find('.');
    bool known = dot == std::string::npos
                     ? decorators_.contains(name)
                     : modules_.contains(name.substr(0, dot)) && LastComponent(name) == "kernel";
    if (!known) {
      return cursor_.ValueError("asm-decorator",
                                "'" + name +
                                    "' is not the kernel decorator; import it or take it as the first "
                                    "parameter of the enclosing function",
                                offset);
    }
    ACT_RETURN_IF_ERROR(Declaration());
    if (cursor_.Peek().kind != TokenKind::kNewline) return cursor_.Expected("the end of the line");
    cursor_.Next();
    if (!cursor_.IsWord("def") || Column() != column) return cursor_.Expected("'def' below its decorator");
    cursor_.Next();
    ACT_ASSIGN_OR_RETURN(*function, cursor_.Identifier("the function's name"));
    ACT_RETURN_IF_ERROR(cursor_.Expect("("));
    ACT_RETURN_IF_ERROR(cursor_.Expect(")"));
    ACT_RETURN_IF_ERROR(cursor_.Expect(":"));
    return Body(column);
  }

  Status Declaration() {
    size_t offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(std::vector<Argument> arguments, SplitList(cursor_, ListKind::kCall));
    size_t after = cursor_.position();
    static constexpr std::string_view kNames[] = {"hbm", "input", "output", "constant"};
    bool given[4] = {};
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Argument& a = arguments[i];
      size_t which = 0;
      if (a.keyword.empty()) {
        which = i;
      } else {
        while (which < 4 && kNames[which] != a.keyword) ++which;
      }
      if (which >= 4 || given[which]) {
        return cursor_.ValueError("asm-declaration",
                                  "the decorator takes hbm, input, output and constant, each once", a.offset);
      }
      given[which] = true;
      values_.Open(a);
      if (which == 0) {
        ACT_ASSIGN_OR_RETURN(program_.hbm_bytes, values_.Integer64("hbm"));
        ACT_RETURN_IF_ERROR(values_.CloseArgument(a));
      } else {
        ACT_RETURN_IF_ERROR(Items(a, which));
      }
    }
    for (size_t i = 0; i < 3; ++i) {
      if (!given[i]) {
        return cursor_.ValueError("asm-declaration", "the decorator lacks '" + std::string(kNames[i]) + "'",
                                  offset);
      }
    }
    cursor_.Seek(after);
    return Status();
  }

  Status Items(const Argument& list, size_t which) {
    if (!cursor_.Is("[") && !cursor_.Is("(")) return cursor_.Expected("a list of declarations");
    ACT_ASSIGN_OR_RETURN(std::vector<Argument> items, SplitList(cursor_, ListKind::kList));
    ACT_RETURN_IF_ERROR(values_.CloseArgument(list));
    for (const Argument& item : items) {
      values_.Open(item);
      if (!cursor_.Is("{"))
        return cursor_.Expected("a declaration such as {'addr': 0, 'shape': (64,), 'dtype': jnp.int8}");
      ACT_ASSIGN_OR_RETURN(std::vector<Argument> members, SplitList(cursor_, ListKind::kDict));
      ACT_RETURN_IF_ERROR(values_.CloseArgument(item));
      ACT_RETURN_IF_ERROR(Item(item, members, which));
    }
    return Status();
  }

  Status Item(const Argument& item, const std::vector<Argument>& members, size_t which) {
    const Argument* found[4] = {};
    static constexpr std::string_view kKeys[] = {"addr", "shape", "dtype", "value"};
    size_t wanted = which == 3 ? 4 : 3;
    for (const Argument& m : members) {
      size_t k = 0;
      while (k < wanted && kKeys[k] != m.key) ++k;
      if (k == wanted || found[k] != nullptr) {
        return cursor_.ValueError("asm-declaration",
                                  "unexpected or repeated key '" + m.key + "' of a declaration", m.offset);
      }
      found[k] = &m;
    }
    for (size_t k = 0; k < wanted; ++k) {
      if (found[k] == nullptr) {
        return cursor_.ValueError(
            "asm-declaration", "the declaration lacks the key '" + std::string(kKeys[k]) + "'", item.offset);
      }
    }
    values_.Open(*found[0]);
    ACT_ASSIGN_OR_RETURN(int64_t address, values_.Integer64("addr"));
    ACT_RETURN_IF_ERROR(values_.CloseArgument(*found[0]));
    values_.Open(*found[1]);
    ACT_ASSIGN_OR_RETURN(std::vector<int64_t> dims, values_.Dims());
    ACT_RETURN_IF_ERROR(values_.CloseArgument(*found[1]));
    values_.Open(*found[2]);
    ACT_ASSIGN_OR_RETURN(ElementType type, values_.Type());
    ACT_RETURN_IF_ERROR(values_.CloseArgument(*found[2]));
    Shape shape = Shape::Array(type, std::move(dims));
    if (!shape.num_bytes()) {
      return cursor_.ValueError("asm-shape", "the shape " + ToString(shape) + " is too large",
                                found[1]->offset);
    }
    if (which != 3) {
      HbmTensor tensor;
      tensor.address = address;
      tensor.shape = std::move(shape);
      (which == 1 ? program_.inputs : program_.outputs).push_back(std::move(tensor));
      return Status();
    }
    HbmConstant constant;
    constant.address = address;
    values_.Open(*found[3]);
    ACT_ASSIGN_OR_RETURN(constant.value, values_.Constant(shape));
    ACT_RETURN_IF_ERROR(values_.CloseArgument(*found[3]));
    program_.constants.push_back(std::move(constant));
    return Status();
  }

  // Statements of one indentation, deeper than `outer`.
  Status Body(int32_t outer) {
    SkipStrings();
    size_t offset = cursor_.Peek().offset;
    int32_t column = Column();
    bool any = false;
    while (!cursor_.AtEnd() && column > outer) {
      if (Column() != column && any) {
        if (Column() <= outer) break;
        return cursor_.SyntaxError("unexpected indentation", cursor_.Peek().offset);
      }
      any = true;
      do {
        ACT_RETURN_IF_ERROR(OneStatement());
        if (cursor_.Peek().kind == TokenKind::kNewline) break;
        if (!cursor_.Accept(";")) return cursor_.Expected("the end of the statement");
      } while (cursor_.Peek().kind != TokenKind::kNewline);
      SkipStrings();
    }
    if (!any) return cursor_.SyntaxError("the function has no body", offset);
    if (!open_.empty()) {
      return source_.MakeError(ErrorClass::kSyntax, "asm-syntax",
                               "the loop over '" + open_.back().variable + "' has no end_loop()",
                               loop_offsets_.back());
    }
    return Status();
  }

  std::vector<Statement>& Current() { return open_.empty() ? program_.body : open_.back().body; }

  Status OneStatement() {
    if (cursor_.AcceptWord("pass")) return Status();
    size_t offset = cursor_.Peek().offset;
    Statement s;
    s.location = cursor_.Location();
    if (cursor_.Peek().kind != TokenKind::kIdentifier || !apis_.contains(std::string(cursor_.Peek().text)) ||
        !cursor_.Is(".", 1)) {
      return cursor_.SyntaxError("a kernel's body holds only calls such as api.load(...)", offset);
    }
    cursor_.Next();
    cursor_.Next();
    size_t name_offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(std::string name, cursor_.Identifier("an instruction"));
    ACT_ASSIGN_OR_RETURN(std::vector<Argument> arguments, SplitList(cursor_, ListKind::kCall));
    size_t after = cursor_.position();
    if (name == "start_loop") {
      ACT_RETURN_IF_ERROR(StartLoop(&s, arguments, name_offset));
      open_.push_back(std::move(s));
      loop_offsets_.push_back(offset);
    } else if (name == "end_loop") {
      if (open_.empty() || !arguments.empty()) {
        return cursor_.SyntaxError(
            open_.empty() ? "end_loop() without start_loop" : "end_loop takes no arguments", offset);
      }
      Statement loop = std::move(open_.back());
      open_.pop_back();
      loop_offsets_.pop_back();
      loops_.pop_back();
      Current().push_back(std::move(loop));
    } else {
      if (name == "debug") {
        ACT_RETURN_IF_ERROR(Debug(&s, arguments, name_offset));
      } else {
        ACT_RETURN_IF_ERROR(ReadCall(&s.call, name, arguments, name_offset));
        s.call.location = s.location;
      }
      Current().push_back(std::move(s));
    }
    cursor_.Seek(after);
    return Status();
  }

  // Argument of each name, in order; positional ones first.
  StatusOr<std::vector<const Argument*>> Assign(const std::string& function,
                                                const std::vector<std::string>& names,
                                                const std::vector<Argument>& arguments, size_t offset) {
    std::vector<const Argument*> assigned(names.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Argument& a = arguments[i];
      size_t which = i;
      if (!a.keyword.empty()) {
        which = 0;
        while (which < names.size() && names[which] != a.keyword) ++which;
      } else if (i > 0 && !arguments[i - 1].keyword.empty()) {
        return cursor_.SyntaxError("a positional argument after a keyword argument", a.offset);
      }
      if (which >= names.size()) {
        return cursor_.ValueError("asm-attribute",
                                  a.keyword.empty()
                                      ? function + " takes " + std::to_string(names.size()) + " arguments"
                                      : function + " has no attribute '" + a.keyword + "'",
                                  a.offset);
      }
      if (assigned[which] != nullptr) {
        return cursor_.ValueError("asm-attribute", "'" + names[which] + "' is given twice", a.offset);
      }
      assigned[which] = &a;
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (assigned[i] == nullptr) {
        return cursor_.ValueError(
            "asm-attribute", "the call of " + function + " lacks its attribute '" + names[i] + "'", offset);
      }
    }
    return assigned;
  }

  StatusOr<std::string> Text(const Argument& a, std::string_view what) {
    values_.Open(a);
    if (cursor_.Peek().kind != TokenKind::kString) return cursor_.Expected(what);
    std::string text = cursor_.Next().value;
    ACT_RETURN_IF_ERROR(values_.CloseArgument(a));
    return text;
  }

  Status StartLoop(Statement* loop, const std::vector<Argument>& arguments, size_t offset) {
    ACT_ASSIGN_OR_RETURN(std::vector<const Argument*> assigned,
                         Assign("start_loop", {"var", "start", "end"}, arguments, offset));
    loop->kind = Statement::Kind::kLoop;
    ACT_ASSIGN_OR_RETURN(loop->variable, Text(*assigned[0], "the loop variable's name as a string"));
    if (!IsPlainIdentifier(loop->variable)) {
      return cursor_.ValueError(
          "asm-loop-variable",
          "'" + loop->variable + "' cannot be a loop variable; use an identifier without '%'",
          assigned[0]->offset);
    }
    for (const std::string& outer : loops_) {
      if (outer == loop->variable) {
        return cursor_.ValueError("asm-loop-variable",
                                  "'" + outer + "' is already the variable of an enclosing loop",
                                  assigned[0]->offset);
      }
    }
    if (static_cast<int>(loops_.size()) >= kMaxLoopDepth) {
      return cursor_.SyntaxError("loops are nested more than " + std::to_string(kMaxLoopDepth) + " deep",
                                 offset);
    }
    values_.Open(*assigned[1]);
    ACT_ASSIGN_OR_RETURN(loop->start, values_.Integer64("the loop's first value"));
    ACT_RETURN_IF_ERROR(values_.CloseArgument(*assigned[1]));
    values_.Open(*assigned[2]);
    ACT_ASSIGN_OR_RETURN(loop->end, values_.Integer64("the loop's end"));
    ACT_RETURN_IF_ERROR(values_.CloseArgument(*assigned[2]));
    loops_.push_back(loop->variable);
    return Status();
  }

  // A text inside a string, read with its own tokens; failures point into the string.
  template <typename Reader>
  Status ReadInside(const Argument& a, const std::string& text, Reader read) {
    SourceText inner(source_.file(), text);
    auto outward = [&](Status status) {
      for (Diagnostic& d : status.mutable_diagnostics()) {
        // Offsets agree as long as the string has no escapes before the place.
        values_.Open(a);
        size_t at = cursor_.Peek().offset + 1 +
                    static_cast<size_t>(d.location.column > 0 ? d.location.column - 1 : 0);
        at = std::min(at, source_.text().size());
        Diagnostic placed = source_.MakeError(d.error_class, d.code, "in \"" + text + "\": " + d.message, at);
        d = std::move(placed);
      }
      return status;
    };
    StatusOr<std::vector<Token>> tokens = Tokenize(inner, LexerStyle::kExpression);
    if (!tokens.ok()) return outward(tokens.status());
    TokenCursor cursor(inner, *tokens);
    Status status = read(cursor);
    if (status.ok() && !cursor.AtEnd()) status = cursor.Expected("the end of the text");
    return status.ok() ? status : outward(status);
  }

  Status Debug(Statement* debug, const std::vector<Argument>& arguments, size_t offset) {
    ACT_ASSIGN_OR_RETURN(std::vector<const Argument*> assigned,
                         Assign("debug", {"prefix", "tensor"}, arguments, offset));
    debug->kind = Statement::Kind::kDebug;
    ACT_ASSIGN_OR_RETURN(debug->prefix, Text(*assigned[0], "a prefix as a string"));
    ACT_ASSIGN_OR_RETURN(std::string place, Text(*assigned[1], "a buffer as a string, such as \"d1[0,0]\""));
    return ReadInside(*assigned[1], place, [&](TokenCursor& cursor) -> Status {
      size_t at = cursor.Peek().offset;
      ACT_ASSIGN_OR_RETURN(std::string name, cursor.Identifier("a buffer"));
      std::optional<BufferId> buffer = accelerator_.FindBuffer(name);
      if (!buffer) {
        return cursor.ValueError("asm-unknown-buffer",
                                 "'" + name + "' is not a buffer of " + accelerator_.name, at);
      }
      debug->buffer = *buffer;
      if (cursor.AtEnd()) return Status();
      ACT_RETURN_IF_ERROR(cursor.Expect("["));
      while (!cursor.Is("]")) {
        if (!debug->position.empty()) ACT_RETURN_IF_ERROR(cursor.Expect(","));
        ACT_ASSIGN_OR_RETURN(int64_t position, cursor.Integer("a position"));
        debug->position.push_back(position);
      }
      return cursor.Expect("]");
    });
  }

  Status ReadCall(Call* call, const std::string& name, const std::vector<Argument>& arguments,
                  size_t offset) {
    std::optional<InstructionId> id = accelerator_.FindInstruction(name);
    if (!id) {
      return cursor_.ValueError("asm-unknown-instruction",
                                "'" + name + "' is not an instruction of " + accelerator_.name, offset);
    }
    call->instruction = *id;
    const isa::Instruction& instruction = accelerator_.instruction(*id);
    std::vector<std::string> names = instruction.computational;
    names.insert(names.end(), instruction.addressing.begin(), instruction.addressing.end());
    ACT_ASSIGN_OR_RETURN(std::vector<const Argument*> assigned, Assign(name, names, arguments, offset));
    for (size_t i = 0; i < names.size(); ++i) {
      const Argument& a = *assigned[i];
      bool computational = i < instruction.computational.size();
      std::string what = "attribute '" + names[i] + "' of " + name;
      values_.Open(a);
      bool text = cursor_.Peek().kind == TokenKind::kString;
      if (text && computational) {
        return cursor_.ValueError("asm-computational-loop",
                                  what + " is computational and cannot depend on a loop; give an integer",
                                  a.offset);
      }
      if (computational) {
        ACT_ASSIGN_OR_RETURN(int64_t value, values_.Integer64(what));
        call->computational.push_back(value);
        ACT_RETURN_IF_ERROR(values_.CloseArgument(a));
        continue;
      }
      AttributeValue value;
      if (text) {
        ACT_ASSIGN_OR_RETURN(std::string address, Text(a, "an address"));
        ACT_RETURN_IF_ERROR(ReadInside(a, address, [&](TokenCursor& cursor) -> Status {
          ACT_ASSIGN_OR_RETURN(value.expression, ParseAddress(cursor, loops_, VariableStyle::kPercent));
          return Status();
        }));
      } else {
        ACT_ASSIGN_OR_RETURN(int128_t integer, values_.Integer(what));
        ACT_RETURN_IF_ERROR(values_.CloseArgument(a));
        value.expression = WideValue(integer).expression;
      }
      call->addressing.push_back(std::move(value));
    }
    return Status();
  }

  const isa::Accelerator& accelerator_;
  const SourceText& source_;
  TokenCursor cursor_;
  std::set<std::string> modules_, decorators_, apis_;
  PythonValues values_;
  Program program_;
  bool found_ = false;
  std::vector<Statement> open_;  // loops whose bodies are being read
  std::vector<size_t> loop_offsets_;
  std::vector<std::string> loops_;
};

}  // namespace

StatusOr<Program> ParsePythonKernel(const isa::Accelerator& accelerator, const SourceText& source) {
  ACT_ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(source, LexerStyle::kPython));
  ACT_ASSIGN_OR_RETURN(Program program, Parser(accelerator, source, tokens).Run());
  ACT_RETURN_IF_ERROR(CheckProgram(accelerator, program));
  return program;
}

}  // namespace act::assembly
