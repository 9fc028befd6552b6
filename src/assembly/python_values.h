// Expressions of the Python subset: integers, element types, shapes, constants and argument lists. Internal
// to src/assembly.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "assembly/lexer.h"
#include "tensor/tensor.h"

namespace act::assembly {

// One member of a bracketed list: [begin, end) of the cursor's positions, without the separating comma.
struct Argument {
  std::string keyword;  // of "keyword = value"; empty: positional
  std::string key;      // of a dict's "'key': value"
  size_t begin = 0, end = 0;
  size_t offset = 0;  // of its first character, keyword included
};
enum class ListKind { kCall, kList, kDict };
// At the opening bracket; afterwards past the closing one. Members are found, not read.
StatusOr<std::vector<Argument>> SplitList(TokenCursor& cursor, ListKind kind);

class PythonValues {
 public:
  // modules: names bound by imports (jnp, np, ...), alive as long as this.
  PythonValues(TokenCursor& cursor, const std::set<std::string>& modules)
      : cursor_(cursor), modules_(modules) {}

  // Integers with + - * // % ** and brackets, in Python's arithmetic, exact within 128 bits. Anything else is
  // an error of class kType that names what is read: "argument addr_in of load_rm".
  StatusOr<int128_t> Integer(std::string_view what);
  StatusOr<int64_t> Integer64(std::string_view what);
  StatusOr<ElementType> Type();
  // A tuple or list of integers >= 0.
  StatusOr<std::vector<int64_t>> Dims();
  // A constant's value: numbers, nested lists, eye, full, zeros, ones, array, then .view/.reshape/.astype.
  // shape: what the declaration says; a value of another shape or type fails.
  StatusOr<Literal> Constant(const Shape& shape);
  // Moves to the argument; CloseArgument checks that it was read to its end.
  void Open(const Argument& argument) { cursor_.Seek(argument.begin); }
  Status CloseArgument(const Argument& argument);

 private:
  StatusOr<int128_t> Sum(std::string_view what, int depth);
  StatusOr<int128_t> Product(std::string_view what, int depth);
  StatusOr<int128_t> Unary(std::string_view what, int depth);
  StatusOr<int128_t> Power(std::string_view what, int depth);
  Status NotAnInteger(std::string_view what) const;
  StatusOr<std::optional<double>> Word();
  StatusOr<std::vector<int64_t>> InferDims() const;
  StatusOr<Literal> Array(ElementType type);
  StatusOr<Literal> Constructor(ElementType type);
  StatusOr<Literal> Filled(const Shape& shape, const std::string& name, const Argument* fill, size_t offset);
  Status Method(Literal* literal);
  bool AtModuleMember() const;

  TokenCursor& cursor_;
  const std::set<std::string>& modules_;
};

}  // namespace act::assembly
