// Bounds propagation over conditions: what the values of attributes can still be.
#pragma once
#include <span>
#include <vector>

#include "isa/expression.h"

namespace act::isa {

// A low end at -kInfinite, or a high end at kInfinite, says nothing. Every 64-bit integer is smaller, and the
// product of two ends fits in 128 bits.
inline constexpr int128_t kInfinite = (static_cast<int128_t>(1) << 63) + 1;

// The integers v with low <= v <= high and v == remainder (mod modulus); modulus >= 1.
struct Domain {
  int128_t low = -kInfinite;
  int128_t high = kInfinite;
  int64_t modulus = 1;
  int64_t remainder = 0;  // in [0, modulus)

  static Domain Point(int64_t value) { return {value, value, 1, 0}; }
  bool empty() const { return low > high; }
  bool fixed() const { return low == high; }
  bool bounded() const { return low > -kInfinite && high < kInfinite; }
  // Number of values; only for a bounded domain.
  int128_t count() const { return empty() ? 0 : (high - low) / modulus + 1; }
  friend bool operator==(const Domain&, const Domain&) = default;

  // Each cuts the domain down; false if nothing is left.
  bool IntersectBounds(int128_t new_low, int128_t new_high);
  bool IntersectCongruence(int64_t new_modulus, int128_t new_remainder);
};
// The smallest domain that holds both.
Domain Hull(const Domain& a, const Domain& b);

// A node of an expression as slope * attribute + rest; attribute -1: a constant.
struct NodeForm {
  bool known = false;
  int32_t attribute = -1;
  int128_t slope = 0;
  int128_t rest = 0;
};

// Propagation with its working storage. Attributes are the computational ones, by index; any other attribute
// can have every value. No value that satisfies the condition is ever cut off (values at which a division by
// zero would be evaluated do not satisfy it).
class Narrower {
 public:
  // False if no values in the domains satisfy the condition.
  bool Narrow(const Condition& condition, std::span<Domain> domains);
  // The same for low <= expression <= high at once, which tells more than the two comparisons one by one.
  bool NarrowBetween(const Expression& expression, int128_t low, int128_t high, std::span<Domain> domains);
  // A child of a product whose value is known must divide it: appends, for each product in `expression` that
  // is fixed once the whole has the value `whole` (if given) and that has a factor affine in `attribute`, the
  // factor's form and the product.
  struct Factor {
    NodeForm form;
    int128_t product = 0;
  };
  void KnownProducts(const Condition& condition, std::span<const Domain> domains, int32_t attribute,
                     std::vector<Factor>* factors);

 private:
  struct Interval {
    int128_t low, high;
  };
  struct Side {
    std::vector<Interval> intervals;
    std::vector<NodeForm> forms;
  };

  bool NarrowCompare(const Condition& condition, std::span<Domain> domains);
  bool NarrowOr(const Condition& condition, std::span<Domain> domains);
  bool NarrowAffine(const Condition& condition, std::span<Domain> domains);
  static bool NarrowRemainder(const Expression& expression, const Side& side, const NodeForm& other,
                              std::span<Domain> domains);
  static bool Forward(const Expression& expression, std::span<const Domain> domains, Side* side);
  static bool Backward(const Expression& expression, std::span<Domain> domains, Side* side);
  static bool Relate(Relation relation, Interval* left, Interval* right);
  static Interval ForwardBinary(Expression::Kind kind, Interval a, Interval b);
  static void BackwardBinary(Expression::Kind kind, Interval z, Interval* x, Interval* y);
  static NodeForm FormOf(const Expression::Node& node, const std::vector<NodeForm>& forms,
                         std::span<const Domain> domains);
  static bool Cut(Interval* interval, int128_t low, int128_t high) {
    if (low > interval->low) interval->low = low;
    if (high < interval->high) interval->high = high;
    return interval->low <= interval->high;
  }

  Side left_, right_;
};

}  // namespace act::isa
