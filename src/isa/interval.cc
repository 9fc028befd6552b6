#include "isa/interval.h"

#include <algorithm>
#include <numeric>

namespace act::isa {
namespace {

int128_t Clamp(int128_t value) { return std::clamp(value, -kInfinite, kInfinite); }
bool IsInfinite(int128_t value) { return value <= -kInfinite || value >= kInfinite; }
int128_t Magnitude(int128_t value) { return value < 0 ? -value : value; }

// Sums of two low ends, and of two high ends: what is unknown on either side is unknown in the sum.
int128_t AddLow(int128_t a, int128_t b) {
  return a <= -kInfinite || b <= -kInfinite ? -kInfinite : Clamp(a + b);
}
int128_t AddHigh(int128_t a, int128_t b) {
  return a >= kInfinite || b >= kInfinite ? kInfinite : Clamp(a + b);
}
int128_t MulEnds(int128_t a, int128_t b) { return Clamp(a * b); }

int128_t FloorDivide(int128_t a, int128_t b) {
  const int128_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
int128_t CeilDivide(int128_t a, int128_t b) {
  const int128_t q = a / b;
  return a % b != 0 && (a < 0) == (b < 0) ? q + 1 : q;
}
int128_t Modulo(int128_t a, int128_t m) {
  const int128_t r = a % m;
  return r < 0 ? r + m : r;
}

// x with a * x == 1 (mod m), a and m coprime, m >= 1.
int128_t Inverse(int128_t a, int128_t m) {
  int128_t r0 = m, r1 = Modulo(a, m), t0 = 0, t1 = 1;
  while (r1 != 0) {
    const int128_t q = r0 / r1;
    const int128_t r2 = r0 - q * r1, t2 = t0 - q * t1;
    r0 = r1;
    r1 = r2;
    t0 = t1;
    t1 = t2;
  }
  return Modulo(t0, m);
}

int128_t Gcd(int128_t a, int128_t b) {
  a = Magnitude(a);
  b = Magnitude(b);
  while (b != 0) {
    const int128_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

// Larger moduli are not tracked.
constexpr int128_t kLargestModulus = static_cast<int128_t>(1) << 40;

}  // namespace

bool Domain::IntersectBounds(int128_t new_low, int128_t new_high) {
  low = std::max(low, new_low);
  high = std::min(high, new_high);
  if (modulus > 1 && low <= high) {
    if (low > -kInfinite) low += Modulo(remainder - low, modulus);
    if (high < kInfinite) high -= Modulo(high - remainder, modulus);
  }
  return low <= high;
}

bool Domain::IntersectCongruence(int64_t new_modulus, int128_t new_remainder) {
  const int128_t r = Modulo(new_remainder, new_modulus);
  const int128_t g = Gcd(modulus, new_modulus);
  if ((r - remainder) % g != 0) {
    low = 1;
    high = 0;
    return false;
  }
  const int128_t step = new_modulus / g;
  const int128_t joined = modulus * step;
  if (joined > kLargestModulus) return !empty();
  const int128_t k = Modulo((r - remainder) / g * Inverse(modulus / g, step), step);
  remainder = static_cast<int64_t>(Modulo(remainder + modulus * k, joined));
  modulus = static_cast<int64_t>(joined);
  return IntersectBounds(low, high);
}

Domain Hull(const Domain& a, const Domain& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  Domain hull;
  hull.low = std::min(a.low, b.low);
  hull.high = std::max(a.high, b.high);
  // A single value is congruent to itself modulo everything.
  const int128_t a_modulus = a.fixed() ? 0 : a.modulus, b_modulus = b.fixed() ? 0 : b.modulus;
  const int128_t a_value = a.fixed() ? a.low : a.remainder, b_value = b.fixed() ? b.low : b.remainder;
  const int128_t g = Gcd(Gcd(a_modulus, b_modulus), a_value - b_value);
  if (g > 1 && g <= kLargestModulus) {
    hull.modulus = static_cast<int64_t>(g);
    hull.remainder = static_cast<int64_t>(Modulo(a_value, g));
  }
  return hull;
}

Narrower::Interval Narrower::ForwardBinary(Expression::Kind kind, Interval a, Interval b) {
  switch (kind) {
    case Expression::Kind::kAdd:
      return {AddLow(a.low, b.low), AddHigh(a.high, b.high)};
    case Expression::Kind::kSubtract:
      return {AddLow(a.low, -b.high), AddHigh(a.high, -b.low)};
    case Expression::Kind::kMultiply: {
      const int128_t ends[] = {MulEnds(a.low, b.low), MulEnds(a.low, b.high), MulEnds(a.high, b.low),
                               MulEnds(a.high, b.high)};
      return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
    }
    case Expression::Kind::kDivide: {
      if (a.high <= -kInfinite || a.low >= kInfinite) return {-kInfinite, kInfinite};
      Interval z{kInfinite, -kInfinite};
      // Monotone in both operands for each sign of the divisor.
      const auto corner = [&z](int128_t x, int128_t y) {
        const int128_t q = IsInfinite(x) ? ((x < 0) == (y < 0) ? kInfinite : -kInfinite) : x / y;
        z.low = std::min(z.low, q);
        z.high = std::max(z.high, q);
      };
      const auto part = [&](int128_t low, int128_t high) {
        if (low > high) return;
        for (const int128_t y : {low, high}) {
          corner(a.low, y);
          corner(a.high, y);
          if (IsInfinite(y)) {  // quotients tend to 0
            z.low = std::min<int128_t>(z.low, 0);
            z.high = std::max<int128_t>(z.high, 0);
          }
        }
      };
      part(std::max<int128_t>(b.low, 1), b.high);
      part(b.low, std::min<int128_t>(b.high, -1));
      return z;
    }
    case Expression::Kind::kRemainder: {
      const int128_t largest = std::max(Magnitude(b.low), Magnitude(b.high));
      const int128_t m = IsInfinite(largest) ? kInfinite : largest - 1;
      const bool positive = b.low > 0;
      const int128_t smallest = positive ? b.low : b.high < 0 ? -b.high : 0;
      if (a.low >= 0 && a.high < smallest) return a;
      return {a.low >= 0 ? 0 : std::max(a.low, -m), a.high <= 0 ? 0 : std::min(a.high, m)};
    }
    default:
      return {-kInfinite, kInfinite};
  }
}

namespace {

// x in [*low, *high] such that x * y == z is possible over the reals; y does not hold 0.
void QuotientBounds(int128_t z_low, int128_t z_high, int128_t y_low, int128_t y_high, int128_t* low,
                    int128_t* high) {
  *low = kInfinite;
  *high = -kInfinite;
  for (const int128_t z : {z_low, z_high}) {
    for (const int128_t y : {y_low, y_high}) {
      int128_t down = 0, up = 0;
      if (IsInfinite(z)) {
        down = up = (z < 0) == (y < 0) ? kInfinite : -kInfinite;
      } else {
        down = CeilDivide(z, y);
        up = FloorDivide(z, y);
      }
      *low = std::min(*low, down);
      *high = std::max(*high, up);
    }
  }
}

}  // namespace

void Narrower::BackwardBinary(Expression::Kind kind, Interval z, Interval* x, Interval* y) {
  switch (kind) {
    case Expression::Kind::kAdd:
      Cut(x, AddLow(z.low, -y->high), AddHigh(z.high, -y->low));
      Cut(y, AddLow(z.low, -x->high), AddHigh(z.high, -x->low));
      return;
    case Expression::Kind::kSubtract:
      Cut(x, AddLow(z.low, y->low), AddHigh(z.high, y->high));
      Cut(y, AddLow(x->low, -z.high), AddHigh(x->high, -z.low));
      return;
    case Expression::Kind::kMultiply: {
      const bool nonzero = z.low > 0 || z.high < 0;
      if (nonzero) {
        for (Interval* side : {x, y}) {
          if (side->low == 0) side->low = 1;
          if (side->high == 0) side->high = -1;
          const int128_t most = std::max(Magnitude(z.low), Magnitude(z.high));
          if (!IsInfinite(most)) Cut(side, -most, most);
        }
      }
      if (z.high <= -kInfinite || z.low >= kInfinite) return;
      for (int turn = 0; turn < 2; ++turn) {
        Interval* const target = turn == 0 ? x : y;
        const Interval other = turn == 0 ? *y : *x;
        if (other.low > other.high || (other.low <= 0 && other.high >= 0)) continue;
        int128_t low = 0, high = 0;
        QuotientBounds(z.low, z.high, other.low, other.high, &low, &high);
        Cut(target, low, high);
      }
      return;
    }
    case Expression::Kind::kDivide: {
      if (y->low == 0) y->low = 1;
      if (y->high == 0) y->high = -1;
      if (y->low < 1 || y->low > y->high) return;
      // |x| < (|z| + 1) * y where z and x may have that sign, |x| >= |z| * y.
      int128_t high = kInfinite, low = -kInfinite;
      if (z.high >= 0) {
        if (!IsInfinite(z.high) && !IsInfinite(y->high)) high = Clamp((z.high + 1) * y->high - 1);
      } else if (!IsInfinite(z.high)) {
        high = MulEnds(z.high, y->low);
      }
      if (z.low <= 0) {
        if (!IsInfinite(z.low) && !IsInfinite(y->high)) low = Clamp((z.low - 1) * y->high + 1);
      } else if (!IsInfinite(z.low)) {
        low = MulEnds(z.low, y->low);
      }
      if (!Cut(x, low, high)) return;
      if (z.low > 0 && !IsInfinite(z.low) && !IsInfinite(x->high))
        Cut(y, y->low, FloorDivide(x->high, z.low));
      if (x->low > 0 && z.high >= 0 && !IsInfinite(z.high)) {
        Cut(y, FloorDivide(x->low, z.high + 1) + 1, y->high);
      }
      return;
    }
    case Expression::Kind::kRemainder: {
      if (y->low == 0) y->low = 1;
      if (y->high == 0) y->high = -1;
      if (z.low > 0) Cut(x, z.low, x->high);
      if (z.high < 0) Cut(x, x->low, z.high);
      const int128_t least = z.low > 0 ? z.low : z.high < 0 ? -z.high : 0;
      if (y->low > 0) Cut(y, AddLow(least, 1), y->high);
      if (y->high < 0) Cut(y, y->low, AddHigh(-least, -1));
      return;
    }
    default:
      return;
  }
}

NodeForm Narrower::FormOf(const Expression::Node& node, const std::vector<NodeForm>& forms,
                          std::span<const Domain> domains) {
  NodeForm out;
  if (node.kind == Expression::Kind::kInteger) return {true, -1, 0, node.integer};
  if (node.kind == Expression::Kind::kAttribute) {
    if (node.attribute != AttributeKind::kComputational ||
        static_cast<size_t>(node.index) >= domains.size()) {
      return out;
    }
    const Domain& domain = domains[static_cast<size_t>(node.index)];
    if (domain.fixed()) return {true, -1, 0, domain.low};
    return {true, node.index, 1, 0};
  }
  const NodeForm& a = forms[static_cast<size_t>(node.left)];
  if (!a.known) return out;
  if (node.kind == Expression::Kind::kNegate) {
    out = {true, a.attribute, -a.slope, -a.rest};
  } else {
    const NodeForm& b = forms[static_cast<size_t>(node.right)];
    if (!b.known || (a.attribute >= 0 && b.attribute >= 0 && a.attribute != b.attribute)) return out;
    const int32_t attribute = std::max(a.attribute, b.attribute);
    switch (node.kind) {
      case Expression::Kind::kAdd:
        out = {true, attribute, a.slope + b.slope, a.rest + b.rest};
        break;
      case Expression::Kind::kSubtract:
        out = {true, attribute, a.slope - b.slope, a.rest - b.rest};
        break;
      case Expression::Kind::kMultiply: {
        if (a.attribute >= 0 && b.attribute >= 0) return out;
        const NodeForm& moving = a.attribute >= 0 ? a : b;
        const int128_t factor = a.attribute >= 0 ? b.rest : a.rest;
        out = {true, attribute, moving.slope * factor, moving.rest * factor};
        break;
      }
      case Expression::Kind::kDivide:
      case Expression::Kind::kRemainder: {
        const bool divide = node.kind == Expression::Kind::kDivide;
        if (b.attribute >= 0 || b.rest == 0) return out;
        if (a.attribute < 0) {
          out = {true, -1, 0, divide ? a.rest / b.rest : a.rest % b.rest};
        } else if (a.slope % b.rest == 0 && a.rest % b.rest == 0) {
          out = {true, attribute, divide ? a.slope / b.rest : 0, divide ? a.rest / b.rest : 0};
        }
        break;
      }
      default:
        return out;
    }
  }
  // Beyond 62 bits the forms are not followed, so that no step can leave 128.
  constexpr int128_t kMost = static_cast<int128_t>(1) << 62;
  if (Magnitude(out.slope) > kMost || Magnitude(out.rest) > kMost) return {};
  if (out.slope == 0) out.attribute = -1;
  return out;
}

bool Narrower::Forward(const Expression& expression, std::span<const Domain> domains, Side* side) {
  const size_t count = expression.nodes.size();
  side->intervals.resize(count);
  side->forms.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const Expression::Node& node = expression.nodes[i];
    Interval& interval = side->intervals[i];
    if (node.kind == Expression::Kind::kInteger) {
      interval = {node.integer, node.integer};
    } else if (node.kind == Expression::Kind::kAttribute) {
      interval = {-kInfinite, kInfinite};
      if (node.attribute == AttributeKind::kComputational &&
          static_cast<size_t>(node.index) < domains.size()) {
        const Domain& domain = domains[static_cast<size_t>(node.index)];
        interval = {domain.low, domain.high};
      }
    } else if (node.kind == Expression::Kind::kNegate) {
      const Interval& a = side->intervals[static_cast<size_t>(node.left)];
      interval = {-a.high, -a.low};
    } else {
      interval = ForwardBinary(node.kind, side->intervals[static_cast<size_t>(node.left)],
                               side->intervals[static_cast<size_t>(node.right)]);
    }
    side->forms[i] = FormOf(node, side->forms, domains);
    const NodeForm& form = side->forms[i];
    // A form sees that an attribute occurs several times ("n - n"), which intervals do not.
    if (form.known && form.attribute < 0) {
      Cut(&interval, form.rest, form.rest);
    } else if (form.known) {
      const Domain& domain = domains[static_cast<size_t>(form.attribute)];
      const int128_t at_low = MulEnds(form.slope, form.slope > 0 ? domain.low : domain.high);
      const int128_t at_high = MulEnds(form.slope, form.slope > 0 ? domain.high : domain.low);
      Cut(&interval, AddLow(at_low, form.rest), AddHigh(at_high, form.rest));
    }
    if (interval.low > interval.high) return false;
  }
  return count > 0;
}

bool Narrower::Backward(const Expression& expression, std::span<Domain> domains, Side* side) {
  for (size_t i = expression.nodes.size(); i-- > 0;) {
    const Expression::Node& node = expression.nodes[i];
    const Interval& z = side->intervals[i];
    if (z.low > z.high) return false;
    if (node.kind == Expression::Kind::kInteger) continue;
    if (node.kind == Expression::Kind::kAttribute) {
      if (node.attribute != AttributeKind::kComputational ||
          static_cast<size_t>(node.index) >= domains.size()) {
        continue;
      }
      if (!domains[static_cast<size_t>(node.index)].IntersectBounds(z.low, z.high)) return false;
    } else if (node.kind == Expression::Kind::kNegate) {
      if (!Cut(&side->intervals[static_cast<size_t>(node.left)], -z.high, -z.low)) return false;
    } else {
      BackwardBinary(node.kind, z, &side->intervals[static_cast<size_t>(node.left)],
                     &side->intervals[static_cast<size_t>(node.right)]);
    }
  }
  return true;
}

bool Narrower::Relate(Relation relation, Interval* left, Interval* right) {
  switch (relation) {
    case Relation::kEqual: {
      const Interval old = *left;
      return Cut(left, right->low, right->high) && Cut(right, old.low, old.high);
    }
    case Relation::kNotEqual:
      for (int turn = 0; turn < 2; ++turn) {
        Interval* const a = turn == 0 ? left : right;
        const Interval& b = turn == 0 ? *right : *left;
        if (b.low != b.high || IsInfinite(b.low)) continue;
        if (a->low == b.low) ++a->low;
        if (a->high == b.low) --a->high;
        if (a->low > a->high) return false;
      }
      return true;
    case Relation::kLess:
      return Cut(left, -kInfinite, AddHigh(right->high, -1)) && Cut(right, AddLow(left->low, 1), kInfinite);
    case Relation::kLessEqual:
      return Cut(left, -kInfinite, right->high) && Cut(right, left->low, kInfinite);
    case Relation::kGreater:
      return Relate(Relation::kLess, right, left);
    case Relation::kGreaterEqual:
      return Relate(Relation::kLessEqual, right, left);
  }
  return true;
}

// expression is p % m with m known and must equal other: then p's attribute obeys a congruence.
bool Narrower::NarrowRemainder(const Expression& expression, const Side& side, const NodeForm& other,
                               std::span<Domain> domains) {
  const Expression::Node& root = expression.nodes.back();
  if (root.kind != Expression::Kind::kRemainder || !other.known || other.attribute >= 0) return true;
  const NodeForm& dividend = side.forms[static_cast<size_t>(root.left)];
  const NodeForm& divisor = side.forms[static_cast<size_t>(root.right)];
  if (!dividend.known || dividend.attribute < 0 || !divisor.known || divisor.attribute >= 0) return true;
  const int128_t m = Magnitude(divisor.rest);
  if (m == 0) return true;
  // slope * x == wanted (mod m), whatever the dividend's sign.
  const int128_t wanted = other.rest - dividend.rest;
  const int128_t g = Gcd(dividend.slope, m);
  if (wanted % g != 0) return false;
  const int128_t step = m / g;
  if (step > kLargestModulus) return true;
  const int128_t remainder = Modulo(wanted / g, step) * Inverse(dividend.slope / g, step);
  return domains[static_cast<size_t>(dividend.attribute)].IntersectCongruence(static_cast<int64_t>(step),
                                                                              remainder);
}

bool Narrower::NarrowAffine(const Condition& condition, std::span<Domain> domains) {
  const NodeForm& left = left_.forms.back();
  const NodeForm& right = right_.forms.back();
  if (!NarrowRemainder(condition.left, left_, right, domains)) return false;
  if (!NarrowRemainder(condition.right, right_, left, domains)) return false;
  if (!left.known || !right.known) return true;
  if (left.attribute >= 0 && right.attribute >= 0 && left.attribute != right.attribute) return true;
  const int128_t slope = left.slope - right.slope, rest = left.rest - right.rest;
  if (slope == 0) return rest == 0;
  if (rest % slope != 0) return false;
  const int32_t attribute = std::max(left.attribute, right.attribute);
  return domains[static_cast<size_t>(attribute)].IntersectBounds(-rest / slope, -rest / slope);
}

bool Narrower::NarrowCompare(const Condition& condition, std::span<Domain> domains) {
  if (!Forward(condition.left, domains, &left_) || !Forward(condition.right, domains, &right_)) return false;
  if (condition.relation == Relation::kEqual && !NarrowAffine(condition, domains)) return false;
  return Relate(condition.relation, &left_.intervals.back(), &right_.intervals.back()) &&
         Backward(condition.left, domains, &left_) && Backward(condition.right, domains, &right_);
}

bool Narrower::NarrowBetween(const Expression& expression, int128_t low, int128_t high,
                             std::span<Domain> domains) {
  return Forward(expression, domains, &left_) && Cut(&left_.intervals.back(), low, high) &&
         Backward(expression, domains, &left_);
}

bool Narrower::NarrowOr(const Condition& condition, std::span<Domain> domains) {
  const std::vector<Domain> before(domains.begin(), domains.end());
  std::vector<Domain> hull, branch;
  bool any = false;
  for (const Condition& operand : condition.operands) {
    branch = before;
    if (!Narrow(operand, branch)) continue;
    if (any) {
      for (size_t i = 0; i < hull.size(); ++i) hull[i] = Hull(hull[i], branch[i]);
    } else {
      hull = branch;
    }
    any = true;
  }
  if (!any) return false;
  std::copy(hull.begin(), hull.end(), domains.begin());
  return true;
}

bool Narrower::Narrow(const Condition& condition, std::span<Domain> domains) {
  switch (condition.kind) {
    case Condition::Kind::kCompare:
      return NarrowCompare(condition, domains);
    case Condition::Kind::kOr:
      return NarrowOr(condition, domains);
    case Condition::Kind::kAnd:
      break;
  }
  for (const Condition& operand : condition.operands) {
    if (!Narrow(operand, domains)) return false;
  }
  return true;
}

void Narrower::KnownProducts(const Condition& condition, std::span<const Domain> domains, int32_t attribute,
                             std::vector<Factor>* factors) {
  if (condition.kind != Condition::Kind::kCompare || condition.relation != Relation::kEqual) return;
  std::vector<Domain> scratch(domains.begin(), domains.end());
  if (!NarrowCompare(condition, scratch)) return;
  for (const auto& [expression, side] :
       {std::pair<const Expression*, const Side*>{&condition.left, &left_}, {&condition.right, &right_}}) {
    for (size_t i = 0; i < expression->nodes.size(); ++i) {
      const Expression::Node& node = expression->nodes[i];
      const Interval& z = side->intervals[i];
      if (node.kind != Expression::Kind::kMultiply || z.low != z.high || z.low == 0 || IsInfinite(z.low)) {
        continue;
      }
      for (const int32_t child : {node.left, node.right}) {
        const NodeForm& form = side->forms[static_cast<size_t>(child)];
        if (form.known && form.attribute == attribute) factors->push_back({form, z.low});
      }
    }
  }
}

}  // namespace act::isa
