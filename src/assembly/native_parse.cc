#include "assembly/address_text.h"
#include "assembly/constant_native.h"
#include "assembly/mnemonic.h"
#include "assembly/native.h"

namespace act::assembly {
namespace {

class Parser {
 public:
  Parser(const isa::Accelerator& accelerator, const SourceText& source, const std::vector<Token>& tokens)
      : accelerator_(accelerator), cursor_(source, tokens) {}

  StatusOr<Program> Run() {
    ACT_RETURN_IF_ERROR(Header());
    ACT_RETURN_IF_ERROR(Tensors());
    ACT_RETURN_IF_ERROR(cursor_.ExpectWord("code"));
    ACT_RETURN_IF_ERROR(Code());
    if (!cursor_.AtEnd()) return cursor_.Expected("the end of the text after the code");
    return std::move(program_);
  }

 private:
  Status Header() {
    ACT_RETURN_IF_ERROR(cursor_.ExpectWord("program"));
    size_t offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(program_.name, ParseNativeName(cursor_, "the program's name"));
    if (!IsPlainIdentifier(program_.name)) {
      return cursor_.ValueError("asm-name", "the program's name '" + program_.name + "' is not an identifier",
                                offset);
    }
    if (cursor_.Peek().kind == TokenKind::kString) program_.original_name = cursor_.Next().value;
    ACT_RETURN_IF_ERROR(cursor_.ExpectWord("target"));
    offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(program_.target, ParseNativeName(cursor_, "the accelerator's name"));
    if (program_.target != accelerator_.name) {
      return cursor_.ValueError(
          "asm-target", "the program is for " + program_.target + ", not for " + accelerator_.name, offset);
    }
    ACT_RETURN_IF_ERROR(cursor_.ExpectWord("hbm"));
    ACT_ASSIGN_OR_RETURN(program_.hbm_bytes, ParseNatural(cursor_, "the size of HBM in bytes"));
    return Status();
  }

  StatusOr<int64_t> Place(std::string* name) {
    if (!cursor_.Is("@")) {
      ACT_ASSIGN_OR_RETURN(*name, ParseNativeName(cursor_, "a name or '@'"));
    }
    ACT_RETURN_IF_ERROR(cursor_.Expect("@"));
    return ParseNatural(cursor_, "an address in HBM");
  }

  Status Tensors() {
    while (!cursor_.IsWord("code")) {
      bool output = cursor_.IsWord("output");
      if (output || cursor_.IsWord("input")) {
        cursor_.Next();
        HbmTensor tensor;
        ACT_ASSIGN_OR_RETURN(tensor.address, Place(&tensor.name));
        ACT_ASSIGN_OR_RETURN(tensor.shape, ParseNativeShape(cursor_));
        (output ? program_.outputs : program_.inputs).push_back(std::move(tensor));
      } else if (cursor_.AcceptWord("const")) {
        HbmConstant constant;
        ACT_ASSIGN_OR_RETURN(constant.address, Place(&constant.name));
        ACT_ASSIGN_OR_RETURN(constant.value, ParseNativeConstant(cursor_));
        program_.constants.push_back(std::move(constant));
      } else {
        return cursor_.Expected("'input', 'const', 'output' or 'code'");
      }
    }
    return Status();
  }

  // '{' statements '}', with loops kept on a list of open bodies.
  Status Code() {
    ACT_RETURN_IF_ERROR(cursor_.Expect("{"));
    std::vector<Statement> open;  // loops whose bodies are being read
    while (true) {
      std::vector<Statement>& body = open.empty() ? program_.body : open.back().body;
      if (cursor_.Accept("}")) {
        if (open.empty()) return Status();
        Statement loop = std::move(open.back());
        open.pop_back();
        loops_.pop_back();
        (open.empty() ? program_.body : open.back().body).push_back(std::move(loop));
        continue;
      }
      if (cursor_.AtEnd()) return cursor_.Expected("a statement or '}'");
      // An instruction may be called "loop" or "debug": a loop's next word is no attribute.
      Statement statement;
      statement.location = cursor_.Location();
      if (cursor_.IsWord("loop") && cursor_.Peek(1).kind == TokenKind::kIdentifier && !cursor_.Is("=", 2)) {
        ACT_RETURN_IF_ERROR(LoopHead(&statement));
        open.push_back(std::move(statement));
        continue;
      }
      if (cursor_.IsWord("debug") && cursor_.Peek(1).kind == TokenKind::kString) {
        ACT_RETURN_IF_ERROR(Debug(&statement));
      } else {
        statement.call.location = statement.location;
        ACT_RETURN_IF_ERROR(ParseCall(&statement.call));
      }
      body.push_back(std::move(statement));
    }
  }

  Status LoopHead(Statement* loop) {
    size_t offset = cursor_.Next().offset;
    loop->kind = Statement::Kind::kLoop;
    if (loops_.size() >= static_cast<size_t>(kMaxLoopDepth)) {
      return cursor_.SyntaxError("loops are nested more than " + std::to_string(kMaxLoopDepth) + " deep",
                                 offset);
    }
    offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(loop->variable, cursor_.Identifier("the loop's variable"));
    if (!IsPlainIdentifier(loop->variable)) {
      return cursor_.SyntaxError("'" + loop->variable + "' cannot be a loop variable; use an identifier",
                                 offset);
    }
    for (const std::string& outer : loops_) {
      if (outer == loop->variable) {
        return cursor_.ValueError("asm-loop-variable",
                                  "'" + outer + "' is already the variable of an enclosing loop", offset);
      }
    }
    ACT_ASSIGN_OR_RETURN(loop->start, cursor_.Integer("the loop's first value"));
    ACT_RETURN_IF_ERROR(cursor_.Expect(".."));
    ACT_ASSIGN_OR_RETURN(loop->end, cursor_.Integer("the loop's end"));
    ACT_RETURN_IF_ERROR(cursor_.Expect("{"));
    loops_.push_back(loop->variable);
    return Status();
  }

  Status Debug(Statement* debug) {
    cursor_.Next();
    debug->kind = Statement::Kind::kDebug;
    debug->prefix = cursor_.Next().value;
    size_t offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(std::string name, cursor_.Identifier("a buffer such as d1[0,0]"));
    std::optional<BufferId> buffer = accelerator_.FindBuffer(name);
    if (!buffer) {
      return cursor_.ValueError("asm-unknown-buffer",
                                "'" + name + "' is not a buffer of " + accelerator_.name, offset);
    }
    debug->buffer = *buffer;
    ACT_RETURN_IF_ERROR(cursor_.Expect("["));
    while (!cursor_.Is("]")) {
      if (!debug->position.empty()) ACT_RETURN_IF_ERROR(cursor_.Expect(","));
      ACT_ASSIGN_OR_RETURN(int64_t position, ParseNatural(cursor_, "a position"));
      debug->position.push_back(position);
    }
    return cursor_.Expect("]");
  }

  // Reads "name =" and finds which attribute of the list it is; each is given once.
  StatusOr<size_t> AttributeHead(const std::vector<std::string>& names, std::vector<bool>* given,
                                 std::string_view kind, const isa::Instruction& instruction) {
    size_t offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(std::string name, cursor_.Identifier("an attribute"));
    ACT_RETURN_IF_ERROR(cursor_.Expect("="));
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] != name) continue;
      if ((*given)[i]) {
        return cursor_.ValueError("asm-attribute", "attribute '" + name + "' is given twice", offset);
      }
      (*given)[i] = true;
      return i;
    }
    return cursor_.ValueError(
        "asm-attribute", "'" + name + "' is not " + std::string(kind) + " attribute of " + instruction.name,
        offset);
  }
  Status AllGiven(const std::vector<std::string>& names, const std::vector<bool>& given,
                  const isa::Instruction& instruction, size_t offset) {
    for (size_t i = 0; i < names.size(); ++i) {
      if (!given[i]) {
        return cursor_.ValueError(
            "asm-attribute", "the call of " + instruction.name + " lacks its attribute '" + names[i] + "'",
            offset);
      }
    }
    return Status();
  }

  Status ParseCall(Call* call) {
    size_t offset = cursor_.Peek().offset;
    ACT_ASSIGN_OR_RETURN(std::string name, cursor_.Identifier("an instruction, 'loop', 'debug' or '}'"));
    ACT_ASSIGN_OR_RETURN(call->instruction, FindByMnemonic(accelerator_, cursor_, name, offset));
    const isa::Instruction& instruction = accelerator_.instruction(call->instruction);
    call->computational.assign(instruction.computational.size(), 0);
    call->addressing.assign(instruction.addressing.size(), AttributeValue());
    std::vector<bool> given(instruction.computational.size());
    while (cursor_.Peek().kind == TokenKind::kIdentifier && cursor_.Is("=", 1)) {
      ACT_ASSIGN_OR_RETURN(size_t i,
                           AttributeHead(instruction.computational, &given, "a computational", instruction));
      ACT_ASSIGN_OR_RETURN(call->computational[i], cursor_.Integer("an integer"));
    }
    ACT_RETURN_IF_ERROR(AllGiven(instruction.computational, given, instruction, offset));
    given.assign(instruction.addressing.size(), false);
    if (cursor_.Accept("[")) {
      while (!cursor_.Is("]")) {
        ACT_ASSIGN_OR_RETURN(size_t i,
                             AttributeHead(instruction.addressing, &given, "an addressing", instruction));
        ACT_ASSIGN_OR_RETURN(call->addressing[i].expression,
                             ParseAddress(cursor_, loops_, VariableStyle::kPlain));
        if (!cursor_.Accept(",") && !cursor_.Is("]")) return cursor_.Expected("',' or ']'");
      }
      ACT_RETURN_IF_ERROR(cursor_.Expect("]"));
    }
    ACT_RETURN_IF_ERROR(AllGiven(instruction.addressing, given, instruction, offset));
    if (cursor_.Accept(";")) return ValueNames(call, instruction);
    return Status();
  }

  StatusOr<std::string> ValueName() {
    if (cursor_.AcceptWord("_")) return std::string();
    return ParseNativeName(cursor_, "the name of a value, or '_'");
  }
  Status ValueNames(Call* call, const isa::Instruction& instruction) {
    ACT_ASSIGN_OR_RETURN(call->result_name, ValueName());
    size_t offset = cursor_.Peek().offset;
    if (!cursor_.Accept("<-")) return Status();
    do {
      ACT_ASSIGN_OR_RETURN(std::string name, ValueName());
      call->operand_names.push_back(std::move(name));
    } while (cursor_.Accept(","));
    if (call->operand_names.size() != instruction.inputs.size()) {
      return cursor_.ValueError("asm-operand-names",
                                instruction.name + " reads " + std::to_string(instruction.inputs.size()) +
                                    " regions, but " + std::to_string(call->operand_names.size()) +
                                    " operand names are given; write '_' where nothing is said",
                                offset);
    }
    return Status();
  }

  const isa::Accelerator& accelerator_;
  TokenCursor cursor_;
  Program program_;
  std::vector<std::string> loops_;
};

}  // namespace

StatusOr<Program> ParseNative(const isa::Accelerator& accelerator, const SourceText& source) {
  ACT_ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(source, LexerStyle::kNative));
  ACT_ASSIGN_OR_RETURN(Program program, Parser(accelerator, source, tokens).Run());
  ACT_RETURN_IF_ERROR(CheckProgram(accelerator, program));
  return program;
}

StatusOr<std::string> NativeTarget(const SourceText& source) {
  ACT_ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(source, LexerStyle::kNative));
  TokenCursor cursor(source, tokens);
  ACT_RETURN_IF_ERROR(cursor.ExpectWord("program"));
  ACT_ASSIGN_OR_RETURN(std::string name, ParseNativeName(cursor, "the program's name"));
  if (cursor.Peek().kind == TokenKind::kString) cursor.Next();
  ACT_RETURN_IF_ERROR(cursor.ExpectWord("target"));
  return ParseNativeName(cursor, "the accelerator's name");
}

}  // namespace act::assembly
