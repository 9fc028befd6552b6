// Integer expressions and conditions over attributes.
//
// Values are exact 64-bit signed integers, evaluated in 128 bits; '/' rounds toward zero and '%' has the
// dividend's sign, so that (a/b)*b + a%b == a.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/support.h"

namespace act::isa {

// @c computational attribute, @a addressing attribute, @s state.
enum class AttributeKind : uint8_t { kComputational, kAddressing, kState };

// A value type: nodes in one vector, children before parents, root last. Never empty.
struct Expression {
  enum class Kind : uint8_t {
    kInteger,
    kAttribute,
    kNegate,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kRemainder
  };
  struct Node {
    Kind kind = Kind::kInteger;
    int64_t integer = 0;                                      // kInteger
    AttributeKind attribute = AttributeKind::kComputational;  // kAttribute: which list,
    int32_t index = 0;                                        // and the index in it
    int32_t left = -1, right = -1;                            // indices of nodes
    friend bool operator==(const Node&, const Node&) = default;
  };
  std::vector<Node> nodes;
  SourceLocation location;

  static Expression Integer(int64_t value);
  static Expression Attribute(AttributeKind kind, int32_t index);
  static Expression Negate(const Expression& operand);
  // Nothing is folded: the expression stays as written.
  static Expression Binary(Kind kind, const Expression& left, const Expression& right);

  // The value of an expression without attributes; nullopt if it has some, has no value, or leaves 64 bits.
  std::optional<int64_t> AsInteger() const;
  bool Uses(AttributeKind kind) const;
  bool Uses(AttributeKind kind, int32_t index) const;
  // Structure, not location.
  friend bool operator==(const Expression& a, const Expression& b) { return a.nodes == b.nodes; }
};

// Values of the attributes of one instruction and of the accelerator's state. A span may be shorter than
// the list it stands for when the expression is known not to use the rest.
struct Environment {
  std::span<const int64_t> computational;
  std::span<const int64_t> addressing;
  std::span<const int64_t> state;
};

// kValue failure: division by zero, or a value beyond 128 bits. The result may exceed 64 bits.
StatusOr<int128_t> EvaluateWide(const Expression& expression, const Environment& environment);
// The same, and a failure beyond 64 bits.
StatusOr<int64_t> Evaluate(const Expression& expression, const Environment& environment);

// expression == slope * attribute + rest, where rest does not use the attribute and slope and rest are known
// at the given environment (the attribute's own value there is ignored); nullopt if it is not of that form.
struct Affine {
  int64_t slope = 0;
  int64_t rest = 0;
};
std::optional<Affine> AffineIn(const Expression& expression, AttributeKind kind, int32_t index,
                               const Environment& environment);

enum class Relation : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

// A comparison, or "and"/"or" over conditions, to any depth.
struct Condition {
  enum class Kind : uint8_t { kCompare, kAnd, kOr };
  Kind kind = Kind::kCompare;
  Relation relation = Relation::kEqual;
  Expression left, right;           // kCompare
  std::vector<Condition> operands;  // kAnd, kOr: at least two
  SourceLocation location;
  bool Uses(AttributeKind attribute_kind) const;
  bool Uses(AttributeKind attribute_kind, int32_t index) const;
  friend bool operator==(const Condition& a, const Condition& b) {
    return a.kind == b.kind && a.relation == b.relation && a.left == b.left && a.right == b.right &&
           a.operands == b.operands;
  }
};
// Left to right: what an "and" or "or" no longer needs is not evaluated.
StatusOr<bool> Evaluate(const Condition& condition, const Environment& environment);

// Names for reading and printing.
struct NameTable {
  std::span<const std::string> computational;
  std::span<const std::string> addressing;
  std::span<const std::string> state;
};
// How attributes are written. TAIDL strings and HLO-like blocks: "@c.n". Native text: "n", and "@c.n".
enum class NameStyle { kPrefixed, kPlain };
std::string ToString(const Expression& expression, const NameTable& names,
                     NameStyle style = NameStyle::kPrefixed);
std::string ToString(const Condition& condition, const NameTable& names,
                     NameStyle style = NameStyle::kPrefixed);
// Whole texts; locations are in `source`, whose text starts at `offset`.
StatusOr<Expression> ParseExpression(const SourceText& source, const NameTable& names,
                                     NameStyle style = NameStyle::kPrefixed);
StatusOr<Condition> ParseCondition(const SourceText& source, const NameTable& names,
                                   NameStyle style = NameStyle::kPrefixed);

}  // namespace act::isa
