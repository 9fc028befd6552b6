#include "assembly/python_values.h"

#include <limits>

#include "assembly/constant_text.h"
#include "assembly/python_types.h"

namespace act::assembly {
namespace {

constexpr int kMaxDepth = 100;

bool Opens(const TokenCursor& cursor) { return cursor.Is("(") || cursor.Is("[") || cursor.Is("{"); }
bool Closes(const TokenCursor& cursor) { return cursor.Is(")") || cursor.Is("]") || cursor.Is("}"); }

// Leaves the cursor at the comma or closing bracket that ends the member.
Status SkipMember(TokenCursor& cursor) {
  std::string expected;  // closing brackets still to come, innermost last
  while (true) {
    if (cursor.AtEnd()) return cursor.Expected("a closing bracket");
    if (expected.empty() && (cursor.Is(",") || Closes(cursor))) return Status();
    if (Opens(cursor)) {
      expected += cursor.Is("(") ? ')' : cursor.Is("[") ? ']' : '}';
    } else if (Closes(cursor)) {
      if (cursor.Peek().text[0] != expected.back()) {
        return cursor.Expected("'" + std::string(1, expected.back()) + "'");
      }
      expected.pop_back();
    }
    cursor.Next();
  }
}

}  // namespace

StatusOr<std::vector<Argument>> SplitList(TokenCursor& cursor, ListKind kind) {
  std::string_view close = cursor.Is("(") ? ")" : cursor.Is("[") ? "]" : "}";
  if (!Opens(cursor)) return cursor.Expected("an opening bracket");
  cursor.Next();
  std::vector<Argument> arguments;
  while (!cursor.Accept(close)) {
    Argument argument;
    argument.offset = cursor.Peek().offset;
    if (kind == ListKind::kCall && cursor.Peek().kind == TokenKind::kIdentifier && cursor.Is("=", 1)) {
      argument.keyword = std::string(cursor.Next().text);
      cursor.Next();
    } else if (kind == ListKind::kDict) {
      if (cursor.Peek().kind != TokenKind::kString) return cursor.Expected("a key such as 'addr'");
      argument.key = cursor.Next().value;
      ACT_RETURN_IF_ERROR(cursor.Expect(":"));
    }
    argument.begin = cursor.position();
    if (cursor.Is(",") || Closes(cursor)) return cursor.Expected("a value");
    ACT_RETURN_IF_ERROR(SkipMember(cursor));
    argument.end = cursor.position();
    arguments.push_back(std::move(argument));
    if (!cursor.Accept(",") && !cursor.Is(close))
      return cursor.Expected("',' or '" + std::string(close) + "'");
  }
  return arguments;
}

Status PythonValues::CloseArgument(const Argument& argument) {
  return cursor_.position() == argument.end ? Status() : cursor_.Expected("',' or a closing bracket");
}

Status PythonValues::NotAnInteger(std::string_view what) const {
  return cursor_.Fail(
      ErrorClass::kType, "asm-not-an-integer",
      std::string(what) + " must be an integer, not " + std::string(cursor_.Peek().text.substr(0, 40)),
      cursor_.Peek().offset);
}

StatusOr<int128_t> PythonValues::Integer(std::string_view what) { return Sum(what, 0); }

StatusOr<int64_t> PythonValues::Integer64(std::string_view what) {
  size_t offset = cursor_.Peek().offset;
  ACT_ASSIGN_OR_RETURN(int128_t value, Integer(what));
  if (value < std::numeric_limits<int64_t>::min() || value > std::numeric_limits<int64_t>::max()) {
    return cursor_.ValueError("asm-integer", std::string(what) + " does not fit in 64 signed bits", offset);
  }
  return static_cast<int64_t>(value);
}

StatusOr<int128_t> PythonValues::Sum(std::string_view what, int depth) {
  ACT_ASSIGN_OR_RETURN(int128_t value, Product(what, depth));
  while (cursor_.Is("+") || cursor_.Is("-")) {
    const Token& token = cursor_.Next();
    ACT_ASSIGN_OR_RETURN(int128_t right, Product(what, depth));
    bool over = token.text == "+" ? __builtin_add_overflow(value, right, &value)
                                  : __builtin_sub_overflow(value, right, &value);
    if (over) return cursor_.ValueError("asm-integer", std::string(what) + " exceeds 128 bits", token.offset);
  }
  return value;
}

StatusOr<int128_t> PythonValues::Product(std::string_view what, int depth) {
  ACT_ASSIGN_OR_RETURN(int128_t value, Unary(what, depth));
  while (cursor_.Is("*") || cursor_.Is("//") || cursor_.Is("%") || cursor_.Is("/")) {
    const Token& token = cursor_.Next();
    if (token.text == "/") {
      return cursor_.Fail(
          ErrorClass::kType, "asm-not-an-integer",
          "'/' gives a float in Python; " + std::string(what) + " must be an integer: use '//'",
          token.offset);
    }
    ACT_ASSIGN_OR_RETURN(int128_t right, Unary(what, depth));
    if (token.text == "*") {
      if (__builtin_mul_overflow(value, right, &value)) {
        return cursor_.ValueError("asm-integer", std::string(what) + " exceeds 128 bits", token.offset);
      }
      continue;
    }
    if (right == 0) return cursor_.ValueError("asm-integer", "division by zero", token.offset);
    // Python rounds the quotient down; the remainder has the divisor's sign. (Dividing by -1 negates.)
    if (right == -1) {
      if (token.text == "%") value = 0;
      if (token.text == "//" && __builtin_sub_overflow(int128_t{0}, value, &value)) {
        return cursor_.ValueError("asm-integer", std::string(what) + " exceeds 128 bits", token.offset);
      }
      continue;
    }
    int128_t quotient = value / right, remainder = value % right;
    if (remainder != 0 && (remainder < 0) != (right < 0)) {
      --quotient;
      remainder += right;
    }
    value = token.text == "//" ? quotient : remainder;
  }
  return value;
}

StatusOr<int128_t> PythonValues::Unary(std::string_view what, int depth) {
  bool negative = false;
  while (cursor_.Is("-") || cursor_.Is("+")) negative ^= cursor_.Next().text == "-";
  ACT_ASSIGN_OR_RETURN(int128_t value, Power(what, depth));
  if (negative && __builtin_sub_overflow(int128_t{0}, value, &value)) {
    return cursor_.ValueError("asm-integer", std::string(what) + " exceeds 128 bits", cursor_.Peek().offset);
  }
  return value;
}

StatusOr<int128_t> PythonValues::Power(std::string_view what, int depth) {
  const Token& token = cursor_.Peek();
  if (depth > kMaxDepth) return cursor_.SyntaxError("the expression is nested too deeply", token.offset);
  int128_t value = 0;
  if (cursor_.Accept("(")) {
    ACT_ASSIGN_OR_RETURN(value, Sum(what, depth + 1));
    ACT_RETURN_IF_ERROR(cursor_.Expect(")"));
  } else if (token.kind != TokenKind::kInteger) {
    return NotAnInteger(what);
  } else {
    if (token.beyond_64_bits) {
      return cursor_.ValueError("asm-integer", "integer " + std::string(token.text) + " exceeds 64 bits",
                                token.offset);
    }
    value = static_cast<int128_t>(cursor_.Next().magnitude);
  }
  if (!cursor_.Is("**")) return value;
  size_t offset = cursor_.Next().offset;
  ACT_ASSIGN_OR_RETURN(int128_t exponent, Unary(what, depth + 1));
  if (exponent < 0 || exponent > 127) {
    return cursor_.ValueError("asm-integer", "the exponent must be between 0 and 127", offset);
  }
  int128_t power = 1;
  for (int128_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(power, value, &power)) {
      return cursor_.ValueError("asm-integer", std::string(what) + " exceeds 128 bits", offset);
    }
  }
  return power;
}

bool PythonValues::AtModuleMember() const {
  return cursor_.Peek().kind == TokenKind::kIdentifier && cursor_.Is(".", 1) &&
         cursor_.Peek(2).kind == TokenKind::kIdentifier &&
         modules_.contains(std::string(cursor_.Peek().text));
}

StatusOr<ElementType> PythonValues::Type() {
  size_t offset = cursor_.Peek().offset;
  std::string name;
  if (cursor_.Peek().kind == TokenKind::kString) {
    name = cursor_.Next().value;
  } else if (AtModuleMember()) {
    cursor_.Next();
    cursor_.Next();
    name = std::string(cursor_.Next().text);
  } else if (cursor_.Peek().kind == TokenKind::kIdentifier && !cursor_.Is(".", 1)) {
    name = std::string(cursor_.Next().text);
  } else {
    return cursor_.Expected("an element type such as jnp.bfloat16 (of an imported module)");
  }
  std::optional<ElementType> type = PythonTypeFromName(name);
  if (!type) return cursor_.ValueError("asm-type", "'" + name + "' is not an element type", offset);
  return *type;
}

StatusOr<std::vector<int64_t>> PythonValues::Dims() {
  size_t offset = cursor_.Peek().offset;
  if (!cursor_.Is("(") && !cursor_.Is("[")) {
    return cursor_.ValueError("asm-shape", "a shape is a tuple, such as (64, 64), (64,) or ()", offset);
  }
  bool tuple = cursor_.Is("(");
  ACT_ASSIGN_OR_RETURN(std::vector<Argument> members, SplitList(cursor_, ListKind::kList));
  size_t after = cursor_.position();
  std::vector<int64_t> dims;
  for (const Argument& member : members) {
    Open(member);
    ACT_ASSIGN_OR_RETURN(int64_t dim, Integer64("a dimension"));
    ACT_RETURN_IF_ERROR(CloseArgument(member));
    if (dim < 0) {
      return cursor_.ValueError("asm-shape", "a dimension cannot be negative: " + std::to_string(dim),
                                member.offset);
    }
    dims.push_back(dim);
  }
  // In Python (64) is the integer 64.
  if (tuple && members.size() == 1 && !cursor_.Is(",")) {
    return cursor_.ValueError("asm-shape",
                              "(" + std::to_string(dims[0]) + ") is an integer, not a shape; write (" +
                                  std::to_string(dims[0]) + ",)",
                              offset);
  }
  if (dims.size() > 64) return cursor_.ValueError("asm-shape", "a shape has at most 64 dimensions", offset);
  cursor_.Seek(after);
  return dims;
}

// True, False, M.inf, M.nan, float('inf'), float('nan'), each number with a sign.
StatusOr<std::optional<double>> PythonValues::Word() {
  std::optional<double> value;
  if (cursor_.AcceptWord("True")) return std::optional<double>(1);
  if (cursor_.AcceptWord("False")) return std::optional<double>(0);
  size_t start = cursor_.position();
  bool negative = cursor_.Accept("-");
  std::string word;
  if (AtModuleMember()) {
    cursor_.Next();
    cursor_.Next();
    word = std::string(cursor_.Next().text);
  } else if (cursor_.IsWord("float") && cursor_.Is("(", 1) && cursor_.Peek(2).kind == TokenKind::kString &&
             cursor_.Is(")", 3)) {
    cursor_.Next();
    cursor_.Next();
    word = cursor_.Next().value;
    cursor_.Next();
  }
  if (word == "-inf") {
    negative = !negative;
    word = "inf";
  }
  if (word == "inf") value = std::numeric_limits<double>::infinity();
  if (word == "nan") value = std::numeric_limits<double>::quiet_NaN();
  if (!value) {
    cursor_.Seek(start);
    return value;
  }
  return std::optional<double>(negative ? -*value : *value);
}

// The extents of the first list at each depth; ReadNested then demands that all others agree.
StatusOr<std::vector<int64_t>> PythonValues::InferDims() const {
  TokenCursor scan = cursor_;
  std::vector<int64_t> dims;
  std::vector<bool> closed;
  size_t depth = 0;
  while (true) {
    if (scan.AtEnd()) return scan.Expected("']'");
    if (scan.Accept("[")) {
      if (++depth > 64) return scan.SyntaxError("lists are nested too deeply", scan.Peek().offset);
      if (depth > dims.size()) {
        dims.push_back(scan.Is("]") ? 0 : 1);
        closed.push_back(false);
      }
      continue;
    }
    if (depth == 0) return dims;
    if (scan.Accept(",")) {
      if (!closed[depth - 1] && !scan.Is("]")) ++dims[depth - 1];
    } else if (scan.Accept("]")) {
      closed[depth - 1] = true;
      if (--depth == 0) return dims;
    } else {
      scan.Next();
    }
  }
}

StatusOr<Literal> PythonValues::Array(ElementType type) {
  size_t offset = cursor_.Peek().offset;
  ACT_ASSIGN_OR_RETURN(std::vector<int64_t> dims, InferDims());
  Shape shape = Shape::Array(type, std::move(dims));
  ACT_ASSIGN_OR_RETURN(Literal literal, MakeLiteral(cursor_, shape, offset));
  ACT_RETURN_IF_ERROR(ReadNested(cursor_, [this](TokenCursor&) { return Word(); }, "[", "]", &literal));
  return literal;
}

StatusOr<Literal> PythonValues::Filled(const Shape& shape, const std::string& name, const Argument* fill,
                                       size_t offset) {
  ACT_ASSIGN_OR_RETURN(Literal literal, MakeLiteral(cursor_, shape, offset));
  if (name == "zeros") return literal;
  Literal scalar(Shape::Array(shape.type, {}));
  if (name == "full") {
    if (fill == nullptr) return cursor_.ValueError("asm-constant", "full needs a shape and a value", offset);
    Open(*fill);
    ACT_RETURN_IF_ERROR(ReadElement(cursor_, [this](TokenCursor&) { return Word(); }, &scalar, 0));
    ACT_RETURN_IF_ERROR(CloseArgument(*fill));
  } else {
    scalar.SetInt(0, 1);
  }
  return MakeSplat(shape, scalar);
}

// M.name(positional..., dtype=...).
StatusOr<Literal> PythonValues::Constructor(ElementType type) {
  size_t offset = cursor_.Peek().offset;
  cursor_.Next();
  cursor_.Next();
  std::string name(cursor_.Next().text);
  static constexpr std::string_view kKnown[] = {"eye", "full", "zeros", "ones", "array", "asarray"};
  bool known = false;
  for (std::string_view k : kKnown) known |= k == name;
  if (!known) {
    return cursor_.ValueError(
        "asm-constant",
        "a constant is a number, a nested list, or eye, full, zeros, ones or array, not '" + name + "'",
        offset);
  }
  ACT_ASSIGN_OR_RETURN(std::vector<Argument> arguments, SplitList(cursor_, ListKind::kCall));
  size_t after = cursor_.position();
  std::vector<Argument> positional;
  for (const Argument& a : arguments) {
    if (a.keyword.empty()) {
      positional.push_back(a);
      continue;
    }
    if (a.keyword != "dtype") {
      return cursor_.ValueError("asm-constant", "unknown argument '" + a.keyword + "' of " + name, a.offset);
    }
    Open(a);
    ACT_ASSIGN_OR_RETURN(type, Type());
    ACT_RETURN_IF_ERROR(CloseArgument(a));
  }
  // The type may also stand last without its keyword, except where a second size would be read.
  size_t wanted = name == "full" ? 2 : 1;
  if (name != "eye" && positional.size() == wanted + 1) {
    Open(positional.back());
    ACT_ASSIGN_OR_RETURN(type, Type());
    ACT_RETURN_IF_ERROR(CloseArgument(positional.back()));
    positional.pop_back();
  }
  if (positional.size() != wanted && !(name == "eye" && positional.size() == 2)) {
    return cursor_.ValueError("asm-constant", "wrong number of arguments of " + name, offset);
  }
  Open(positional[0]);
  Literal literal;
  if (name == "array" || name == "asarray") {
    ACT_ASSIGN_OR_RETURN(literal, Array(type));
    ACT_RETURN_IF_ERROR(CloseArgument(positional[0]));
  } else if (name == "eye") {
    std::vector<int64_t> dims;
    for (const Argument& a : positional) {
      Open(a);
      ACT_ASSIGN_OR_RETURN(int64_t dim, Integer64("a size of eye"));
      ACT_RETURN_IF_ERROR(CloseArgument(a));
      if (dim < 0) return cursor_.ValueError("asm-shape", "a size of eye cannot be negative", a.offset);
      dims.push_back(dim);
    }
    if (dims.size() == 1) dims.push_back(dims[0]);
    ACT_ASSIGN_OR_RETURN(literal, MakeLiteral(cursor_, Shape::Array(type, dims), offset));
    if (IsComplex(type)) return cursor_.ValueError("asm-constant", "eye of a complex type", offset);
    literal = MakeEye(literal.shape);
  } else {
    std::vector<int64_t> dims;
    if (cursor_.Is("(") || cursor_.Is("[")) {
      ACT_ASSIGN_OR_RETURN(dims, Dims());
    } else {
      ACT_ASSIGN_OR_RETURN(int64_t dim, Integer64("a dimension"));
      if (dim < 0)
        return cursor_.ValueError("asm-shape", "a dimension cannot be negative", positional[0].offset);
      dims = {dim};
    }
    ACT_RETURN_IF_ERROR(CloseArgument(positional[0]));
    ACT_ASSIGN_OR_RETURN(literal, Filled(Shape::Array(type, dims), name,
                                         positional.size() > 1 ? &positional[1] : nullptr, offset));
  }
  cursor_.Seek(after);
  return literal;
}

// .view(T), .astype(T), .reshape(dims) after a constructor.
Status PythonValues::Method(Literal* literal) {
  cursor_.Next();
  size_t offset = cursor_.Peek().offset;
  ACT_ASSIGN_OR_RETURN(std::string name, cursor_.Identifier("view, astype or reshape"));
  ACT_RETURN_IF_ERROR(cursor_.Expect("("));
  if (name == "reshape") {
    ACT_ASSIGN_OR_RETURN(std::vector<int64_t> dims, Dims());
    Shape shape = Shape::Array(literal->shape.type, std::move(dims));
    if (shape.num_elements() != literal->shape.num_elements()) {
      return cursor_.ValueError("asm-constant",
                                "reshape of " + ToString(literal->shape) + " to " + ToString(shape), offset);
    }
    literal->shape = std::move(shape);
  } else if (name == "astype") {
    ACT_ASSIGN_OR_RETURN(ElementType type, Type());
    ACT_ASSIGN_OR_RETURN(*literal, ConvertLiteral(*literal, type));
  } else if (name == "view") {
    ACT_ASSIGN_OR_RETURN(ElementType type, Type());
    // NumPy scales the last dimension by the ratio of the widths.
    std::vector<int64_t> dims = literal->shape.dims;
    int64_t from = StorageBytes(literal->shape.type), to = StorageBytes(type);
    if (dims.empty() || dims.back() * from % to != 0) {
      return cursor_.ValueError("asm-constant", "view of " + ToString(literal->shape) + " does not divide",
                                offset);
    }
    dims.back() = dims.back() * from / to;
    literal->shape = Shape::Array(type, std::move(dims));
  } else {
    return cursor_.ValueError("asm-constant", "'" + name + "' is not one of view, astype, reshape", offset);
  }
  return cursor_.Expect(")");
}

StatusOr<Literal> PythonValues::Constant(const Shape& shape) {
  size_t offset = cursor_.Peek().offset;
  Literal literal;
  bool is_word = cursor_.Peek(2).text == "inf" || cursor_.Peek(2).text == "nan";
  if (AtModuleMember() && !is_word) {
    ACT_ASSIGN_OR_RETURN(literal, Constructor(shape.type));
    while (cursor_.Is(".")) ACT_RETURN_IF_ERROR(Method(&literal));
  } else if (cursor_.Is("[")) {
    ACT_ASSIGN_OR_RETURN(literal, Array(shape.type));
  } else {
    literal = Literal(Shape::Array(shape.type, {}));
    ACT_RETURN_IF_ERROR(ReadElement(cursor_, [this](TokenCursor&) { return Word(); }, &literal, 0));
  }
  if (!SameTypeAndDims(literal.shape, shape)) {
    return cursor_.ValueError(
        "asm-constant",
        "the constant is declared as " + ToString(shape) + ", but its value is " + ToString(literal.shape),
        offset);
  }
  return literal;
}

}  // namespace act::assembly
