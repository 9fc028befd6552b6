#include "allocate/linear.h"

#include <algorithm>

namespace act::allocate {

using isa::AttributeKind;
using isa::Expression;
using Kind = isa::Expression::Kind;

namespace {

bool InRange(int128_t value) { return value <= kUnbounded && value >= -static_cast<int128_t>(kUnbounded); }

// constant + factor * form, where the numbers stay small.
std::optional<LinearForm> Combine(const LinearForm& a, const LinearForm& b, int64_t sign) {
  LinearForm r;
  const int128_t constant = static_cast<int128_t>(a.constant) + static_cast<int128_t>(sign) * b.constant;
  if (!InRange(constant)) return std::nullopt;
  r.constant = static_cast<int64_t>(constant);
  size_t i = 0, j = 0;
  while (i < a.terms.size() || j < b.terms.size()) {
    int32_t attribute = 0;
    int128_t coefficient = 0;
    if (j == b.terms.size() || (i < a.terms.size() && a.terms[i].first < b.terms[j].first)) {
      attribute = a.terms[i].first;
      coefficient = a.terms[i++].second;
    } else if (i == a.terms.size() || b.terms[j].first < a.terms[i].first) {
      attribute = b.terms[j].first;
      coefficient = static_cast<int128_t>(sign) * b.terms[j++].second;
    } else {
      attribute = a.terms[i].first;
      coefficient =
          static_cast<int128_t>(a.terms[i++].second) + static_cast<int128_t>(sign) * b.terms[j++].second;
    }
    if (!InRange(coefficient)) return std::nullopt;
    if (coefficient != 0) r.terms.push_back({attribute, static_cast<int64_t>(coefficient)});
  }
  return r;
}

std::optional<LinearForm> Scale(const LinearForm& a, int64_t factor) {
  if (factor == 0) return LinearForm{};
  LinearForm r;
  const int128_t constant = static_cast<int128_t>(a.constant) * factor;
  if (!InRange(constant)) return std::nullopt;
  r.constant = static_cast<int64_t>(constant);
  for (const auto& [attribute, coefficient] : a.terms) {
    const int128_t product = static_cast<int128_t>(coefficient) * factor;
    if (!InRange(product)) return std::nullopt;
    r.terms.push_back({attribute, static_cast<int64_t>(product)});
  }
  return r;
}

std::optional<int64_t> AttributeValueOf(const Expression::Node& node, const isa::Environment& environment) {
  std::span<const int64_t> list = node.attribute == AttributeKind::kComputational ? environment.computational
                                  : node.attribute == AttributeKind::kState       ? environment.state
                                                                                  : environment.addressing;
  if (node.index < 0 || static_cast<size_t>(node.index) >= list.size()) return std::nullopt;
  return list[node.index];
}

}  // namespace

std::optional<LinearForm> ToLinear(const Expression& expression, const isa::Environment& environment) {
  std::vector<std::optional<LinearForm>> forms(expression.nodes.size());
  for (size_t i = 0; i < expression.nodes.size(); ++i) {
    const Expression::Node& node = expression.nodes[i];
    std::optional<LinearForm>& out = forms[i];
    if (node.kind == Kind::kInteger) {
      if (InRange(node.integer)) out = LinearForm{node.integer, {}};
      continue;
    }
    if (node.kind == Kind::kAttribute) {
      if (node.attribute == AttributeKind::kAddressing) {
        out = LinearForm{0, {{node.index, 1}}};
      } else if (std::optional<int64_t> v = AttributeValueOf(node, environment); v && InRange(*v)) {
        out = LinearForm{*v, {}};
      }
      continue;
    }
    const std::optional<LinearForm>& left = forms[node.left];
    if (!left) continue;
    if (node.kind == Kind::kNegate) {
      out = Scale(*left, -1);
      continue;
    }
    const std::optional<LinearForm>& right = forms[node.right];
    if (!right) continue;
    switch (node.kind) {
      case Kind::kAdd:
        out = Combine(*left, *right, 1);
        break;
      case Kind::kSubtract:
        out = Combine(*left, *right, -1);
        break;
      case Kind::kMultiply:
        if (left->terms.empty()) {
          out = Scale(*right, left->constant);
        } else if (right->terms.empty()) {
          out = Scale(*left, right->constant);
        }
        break;
      case Kind::kDivide:
      case Kind::kRemainder: {
        if (!right->terms.empty() || right->constant == 0) break;
        if (left->terms.empty()) {
          out = LinearForm{node.kind == Kind::kDivide ? left->constant / right->constant
                                                      : left->constant % right->constant,
                           {}};
        } else if (node.kind == Kind::kDivide && right->constant == 1) {
          out = *left;
        }
        break;
      }
      default:
        break;
    }
  }
  return forms.empty() ? std::nullopt : forms.back();
}

namespace {

int128_t FloorDivide(int128_t a, int128_t b) {
  const int128_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

}  // namespace

Domain Preimage(const Expression& expression, int32_t attribute, int64_t target,
                const isa::Environment& environment, const Domain& start) {
  const size_t count = expression.nodes.size();
  std::vector<int32_t> occurrences(count, 0);
  std::vector<std::optional<int128_t>> known(count);  // value of nodes without the attribute
  for (size_t i = 0; i < count; ++i) {
    const Expression::Node& n = expression.nodes[i];
    if (n.kind == Kind::kInteger) {
      known[i] = n.integer;
    } else if (n.kind == Kind::kAttribute) {
      if (n.attribute == AttributeKind::kAddressing && n.index == attribute) {
        occurrences[i] = 1;
      } else if (std::optional<int64_t> v = AttributeValueOf(n, environment)) {
        known[i] = *v;
      }
    } else {
      occurrences[i] = occurrences[n.left] + (n.right >= 0 ? occurrences[n.right] : 0);
      if (occurrences[i] != 0 || !known[n.left]) continue;
      if (n.kind == Kind::kNegate) {
        known[i] = -*known[n.left];
        continue;
      }
      if (!known[n.right]) continue;
      const int128_t a = *known[n.left], b = *known[n.right];
      if (!InRange(a) || !InRange(b)) continue;
      if (n.kind == Kind::kAdd) known[i] = a + b;
      if (n.kind == Kind::kSubtract) known[i] = a - b;
      if (n.kind == Kind::kMultiply) known[i] = a * b;
      if (n.kind == Kind::kDivide && b != 0) known[i] = a / b;
      if (n.kind == Kind::kRemainder && b != 0) known[i] = a % b;
    }
  }
  if (count == 0 || occurrences[count - 1] != 1) return start;
  // Descend to the one occurrence, keeping an interval and a congruence of what the node may be.
  int128_t low = target, high = target;
  int64_t modulus = 1, remainder = 0;
  size_t at = count - 1;
  const Domain none{1, 0, 1, 0};
  while (expression.nodes[at].kind != Kind::kAttribute) {
    const Expression::Node& n = expression.nodes[at];
    if (n.kind == Kind::kNegate) {
      std::swap(low, high);
      low = -low;
      high = -high;
      remainder = FloorMod(-remainder, modulus);
      at = n.left;
      continue;
    }
    const bool in_left = occurrences[n.left] == 1;
    const std::optional<int128_t>& other = known[in_left ? n.right : n.left];
    if (!other || !InRange(*other) || !InRange(low) || !InRange(high)) return start;
    const int64_t c = static_cast<int64_t>(*other);
    at = in_left ? n.left : n.right;
    switch (n.kind) {
      case Kind::kAdd:
        low -= c;
        high -= c;
        remainder = FloorMod(remainder - FloorMod(c, modulus), modulus);
        break;
      case Kind::kSubtract:
        if (in_left) {
          low += c;
          high += c;
          remainder = FloorMod(remainder + FloorMod(c, modulus), modulus);
        } else {  // c - x in [low, high]
          std::swap(low, high);
          low = c - low;
          high = c - high;
          remainder = FloorMod(FloorMod(c, modulus) - remainder, modulus);
        }
        break;
      case Kind::kMultiply:
        if (c == 0) return low <= 0 && high >= 0 ? start : none;
        if (c < 0) {
          std::swap(low, high);
          low = -low;
          high = -high;
        }
        {
          const int64_t factor = c < 0 ? -c : c;
          low = -FloorDivide(-low, factor);
          high = FloorDivide(high, factor);
        }
        modulus = 1;
        remainder = 0;
        break;
      case Kind::kDivide: {
        if (!in_left || c == 0) return start;
        int128_t divisor = c;
        if (c < 0) {
          std::swap(low, high);
          low = -low;
          high = -high;
          divisor = -divisor;
        }
        // x / divisor, toward zero, in [low, high].
        low = low > 0 ? low * divisor : (low - 1) * divisor + 1;
        high = high >= 0 ? (high + 1) * divisor - 1 : high * divisor;
        modulus = 1;
        remainder = 0;
        break;
      }
      case Kind::kRemainder: {
        if (!in_left || c == 0) return start;
        if (low != high) return start;
        modulus = c < 0 ? -c : c;
        remainder = FloorMod(static_cast<int64_t>(low), modulus);
        low = -static_cast<int128_t>(kUnbounded);
        high = kUnbounded;
        break;
      }
      default:
        return start;
    }
    if (low > high) return none;
  }
  Domain result = start;
  const int128_t bound = kUnbounded;
  result.RestrictRange(static_cast<int64_t>(std::max(low, -bound)),
                       static_cast<int64_t>(std::min(high, bound)));
  result.RestrictCongruence(modulus, remainder);
  return result;
}

}  // namespace act::allocate
