#include "isa/solve.h"

#include <algorithm>

#include "isa/factor.h"

namespace act::isa {
namespace {

// Conditions evaluated or propagated in one call before it gives up; long ones count more than once.
constexpr int64_t kWorkLimit = 1'000'000;
constexpr size_t kNodesOfOneEvaluation = 16;
// Solutions held while they are searched in another order than the answer's.
constexpr size_t kUnsortedLimit = 100'000;
// Open attributes in one call: bounds the depth of the search.
constexpr size_t kOpenLimit = 256;
constexpr int kPropagationRounds = 24;
constexpr size_t kDivisorLimit = 4096;
// Taking a large number apart costs as much as that many evaluations.
constexpr int64_t kFactoringWork = 1000;
// Ranges of at most that many values are simply tried.
constexpr int kFewValues = 64;

bool NarrowProducts(std::span<const Between> products, Narrower* narrower, std::vector<Domain>* domains) {
  for (const Between& product : products) {
    if (!narrower->NarrowBetween(product.expression, product.low, product.high, *domains)) return false;
  }
  return true;
}

size_t CountNodes(const Condition& condition) {
  size_t count = condition.left.nodes.size() + condition.right.nodes.size();
  for (const Condition& operand : condition.operands) count += CountNodes(operand);
  return count;
}

int64_t Weight(std::span<const Condition> conditions) {
  int64_t weight = 0;
  for (const Condition& condition : conditions) {
    weight += static_cast<int64_t>(1 + CountNodes(condition) / kNodesOfOneEvaluation);
  }
  return weight;
}

// One call of Solve.
class Search {
 public:
  // What ended a search.
  enum class End : uint8_t { kComplete, kEnough, kWork, kUnbounded, kUnsortedFull };

  Search(std::span<const Condition> equations, std::span<const Condition> conditions,
         std::span<const Between> products, size_t limit)
      : equations_(equations),
        conditions_(conditions),
        products_(products),
        limit_(limit),
        weight_(Weight(equations) + Weight(conditions)) {}

  // In increasing lexicographic order, stopping after limit + 1 solutions.
  End InOrder(std::vector<Domain> domains, int64_t work) { return Start(std::move(domains), work, true); }
  // The attribute with the fewest values first; all solutions, sorted.
  End SmallestFirst(std::vector<Domain> domains, int64_t work) {
    const End end = Start(std::move(domains), work, false);
    std::sort(solutions_.begin(), solutions_.end());
    return end;
  }
  std::vector<std::vector<int64_t>>& solutions() { return solutions_; }
  // The attribute that ended the search with kUnbounded.
  size_t unbounded() const { return unbounded_; }

 private:
  End Start(std::vector<Domain> domains, int64_t work, bool in_order) {
    solutions_.clear();
    work_ = work;
    in_order_ = in_order;
    return Visit(std::move(domains));
  }
  End Visit(std::vector<Domain> domains);
  End Accept(const std::vector<Domain>& domains);
  End Branch(const std::vector<Domain>& domains, size_t attribute);
  bool Propagate(std::vector<Domain>* domains);
  // Values from known products, increasing; nullopt where there is no such product, or the range is smaller.
  std::optional<std::vector<int64_t>> DivisorCandidates(const std::vector<Domain>& domains, size_t attribute);

  std::span<const Condition> equations_, conditions_;
  std::span<const Between> products_;
  size_t limit_;
  int64_t weight_;  // of all conditions once
  Narrower narrower_;
  std::vector<std::vector<int64_t>> solutions_;
  int64_t work_ = 0;
  bool in_order_ = true;
  size_t unbounded_ = 0;
};

bool Search::Propagate(std::vector<Domain>* domains) {
  std::vector<Domain> before;
  for (int round = 0; round < kPropagationRounds && work_ > 0; ++round) {
    before = *domains;
    work_ -= weight_;
    for (const std::span<const Condition> list : {equations_, conditions_}) {
      for (const Condition& condition : list) {
        if (!narrower_.Narrow(condition, *domains)) return false;
      }
    }
    if (!NarrowProducts(products_, &narrower_, domains)) return false;
    if (before == *domains) break;
  }
  return true;
}

Search::End Search::Accept(const std::vector<Domain>& domains) {
  std::vector<int64_t> values;
  values.reserve(domains.size());
  for (const Domain& domain : domains) values.push_back(static_cast<int64_t>(domain.low));
  const Environment environment{values, {}, {}};
  work_ -= weight_;
  for (const std::span<const Condition> list : {equations_, conditions_}) {
    for (const Condition& condition : list) {
      const StatusOr<bool> holds = Evaluate(condition, environment);
      if (!holds.ok() || !*holds) return End::kComplete;
    }
  }
  solutions_.push_back(std::move(values));
  if (in_order_) return solutions_.size() > limit_ ? End::kEnough : End::kComplete;
  return solutions_.size() > kUnsortedLimit ? End::kUnsortedFull : End::kComplete;
}

std::optional<std::vector<int64_t>> Search::DivisorCandidates(const std::vector<Domain>& domains,
                                                              size_t attribute) {
  const Domain& domain = domains[attribute];
  if (domain.bounded() && domain.count() <= kFewValues) return std::nullopt;
  std::vector<Narrower::Factor> factors;
  work_ -= weight_;
  for (const std::span<const Condition> list : {equations_, conditions_}) {
    for (const Condition& condition : list) {
      narrower_.KnownProducts(condition, domains, static_cast<int32_t>(attribute), &factors);
    }
  }
  for (const Narrower::Factor& factor : factors) {
    const int128_t product = factor.product < 0 ? -factor.product : factor.product;
    if (product > std::numeric_limits<int64_t>::max()) continue;
    work_ -= kFactoringWork;
    const std::optional<std::vector<int64_t>> divisors =
        Divisors(static_cast<int64_t>(product), kDivisorLimit);
    if (!divisors) continue;
    if (domain.bounded() && domain.count() <= static_cast<int128_t>(2 * divisors->size())) continue;
    std::vector<int64_t> values;
    for (const int64_t divisor : *divisors) {
      for (const int128_t signed_divisor :
           {static_cast<int128_t>(divisor), -static_cast<int128_t>(divisor)}) {
        const int128_t moved = signed_divisor - factor.form.rest;
        if (moved % factor.form.slope != 0) continue;
        Domain one = domain;
        if (!one.IntersectBounds(moved / factor.form.slope, moved / factor.form.slope)) continue;
        values.push_back(static_cast<int64_t>(one.low));
      }
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }
  return std::nullopt;
}

Search::End Search::Branch(const std::vector<Domain>& domains, size_t attribute) {
  const auto visit = [&](int128_t value) {
    std::vector<Domain> narrowed = domains;
    narrowed[attribute] = Domain::Point(static_cast<int64_t>(value));
    return Visit(std::move(narrowed));
  };
  if (const auto candidates = DivisorCandidates(domains, attribute)) {
    for (const int64_t value : *candidates) {
      const End end = visit(value);
      if (end != End::kComplete) return end;
    }
    return End::kComplete;
  }
  const Domain& domain = domains[attribute];
  if (!domain.bounded()) {
    unbounded_ = attribute;
    return End::kUnbounded;
  }
  for (int128_t value = domain.low; value <= domain.high; value += domain.modulus) {
    const End end = visit(value);
    if (end != End::kComplete) return end;
  }
  return End::kComplete;
}

Search::End Search::Visit(std::vector<Domain> domains) {
  if (work_ <= 0) return End::kWork;
  if (!Propagate(&domains)) return End::kComplete;
  std::optional<size_t> chosen;
  for (size_t i = 0; i < domains.size(); ++i) {
    if (domains[i].fixed()) continue;
    if (!chosen) chosen = i;
    if (in_order_) break;
    const Domain& best = domains[*chosen];
    if (domains[i].bounded() && (!best.bounded() || domains[i].count() < best.count())) chosen = i;
  }
  return chosen ? Branch(domains, *chosen) : Accept(domains);
}

// Narrows the domains by all conditions until nothing changes; false if nothing is left.
bool PropagateAll(std::span<const Condition> conditions, std::span<const Between> products,
                  Narrower* narrower, std::vector<Domain>* domains) {
  for (int round = 0; round < kPropagationRounds; ++round) {
    const std::vector<Domain> before = *domains;
    for (const Condition& condition : conditions) {
      if (!narrower->Narrow(condition, *domains)) return false;
    }
    if (!NarrowProducts(products, narrower, domains)) return false;
    if (before == *domains) break;
  }
  return true;
}

}  // namespace

AttributeSolver::AttributeSolver(const Accelerator& accelerator, const Instruction& instruction)
    : instruction_name_(instruction.name),
      attribute_names_(instruction.computational),
      location_(instruction.location),
      conditions_(ImpliedConditions(accelerator, instruction)),
      domains_(instruction.computational.size()) {
  for (Condition& part : FreeConstraints(instruction)) conditions_.push_back(std::move(part));
  // Equal conditions (one size in several regions) are propagated once.
  std::vector<Condition> distinct;
  for (Condition& condition : conditions_) {
    if (std::find(distinct.begin(), distinct.end(), condition) == distinct.end()) {
      distinct.push_back(std::move(condition));
    }
  }
  conditions_ = std::move(distinct);
  products_ = BoundedProducts(conditions_);
  Narrower narrower;
  infeasible_ = !PropagateAll(conditions_, products_, &narrower, &domains_);
}

namespace {

// The value of the domain at low + (high - low) * numerator / denominator, rounded down to its congruence.
int64_t Pick(const Domain& domain, int numerator, int denominator) {
  constexpr int128_t kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();
  const int128_t low = std::clamp(domain.low, kMin, kMax), high = std::clamp(domain.high, kMin, kMax);
  const int128_t steps = (high - low) / domain.modulus;
  return static_cast<int64_t>(low + steps * numerator / denominator * domain.modulus);
}

}  // namespace

std::vector<std::vector<int64_t>> AttributeSolver::Samples() const {
  std::vector<std::vector<int64_t>> samples;
  if (infeasible_) return samples;
  Narrower narrower;
  const auto legal = [this](const std::vector<int64_t>& values) {
    for (const Condition& condition : conditions_) {
      const StatusOr<bool> holds = Evaluate(condition, {values, {}, {}});
      if (!holds.ok() || !*holds) return false;
    }
    return true;
  };
  const auto add = [&samples](std::vector<int64_t> values) {
    if (std::find(samples.begin(), samples.end(), values) == samples.end())
      samples.push_back(std::move(values));
  };
  // One attribute after the other, each as far up its remaining range as asked: the even ones by `numerator`
  // thirds, the odd ones by `odd` thirds, so that attributes also take different values.
  const auto greedy = [&](int numerator, int odd) {
    std::vector<Domain> domains = domains_;
    std::vector<int64_t> values;
    for (size_t i = 0; i < domains.size(); ++i) {
      values.push_back(Pick(domains[i], i % 2 == 0 ? numerator : odd, 3));
      domains[i] = Domain::Point(values[i]);
      if (!PropagateAll(conditions_, products_, &narrower, &domains)) return;
    }
    if (legal(values)) add(std::move(values));
  };
  constexpr size_t kFirst = 64;
  StatusOr<AttributeSolutions> first = Solve({}, kFirst);
  if (first.ok() && !first->values.empty()) add(first->values.front());
  greedy(0, 0);
  greedy(1, 2);
  greedy(2, 1);
  greedy(3, 3);
  if (first.ok() && samples.size() < 4) {
    const std::vector<std::vector<int64_t>>& values = first->values;
    for (const size_t i : {values.size() - 1, values.size() / 3, 2 * values.size() / 3}) {
      if (i < values.size() && samples.size() < 4) add(values[i]);
    }
  }
  std::sort(samples.begin(), samples.end());
  return samples;
}

Feasibility Decide(std::span<const Condition> conditions, size_t attributes) {
  // A question of one lint; many are asked.
  constexpr int64_t kDecideWork = 20'000;
  const std::vector<Between> products = BoundedProducts(conditions);
  Search search({}, conditions, products, 0);
  const std::vector<Domain> domains(attributes);
  if (attributes > kOpenLimit) return Feasibility::kUnknown;
  Search::End end = search.InOrder(domains, kDecideWork);
  if (end == Search::End::kEnough) return Feasibility::kYes;
  if (end == Search::End::kComplete) return Feasibility::kNo;
  end = search.SmallestFirst(domains, kDecideWork);
  if (!search.solutions().empty()) return Feasibility::kYes;
  return end == Search::End::kComplete ? Feasibility::kNo : Feasibility::kUnknown;
}

bool Contradictory(std::span<const Condition> conditions, size_t attributes) {
  Narrower narrower;
  std::vector<Domain> domains(attributes);
  return !PropagateAll(conditions, BoundedProducts(conditions), &narrower, &domains);
}

std::vector<AttributeRange> AttributeSolver::Ranges() const {
  std::vector<AttributeRange> ranges;
  for (const Domain& domain : domains_) {
    AttributeRange range;
    if (infeasible_) {
      range.low = 1;
      range.high = 0;
      range.bounded = true;
    } else {
      constexpr int128_t kMin = std::numeric_limits<int64_t>::min(),
                         kMax = std::numeric_limits<int64_t>::max();
      range.low = static_cast<int64_t>(std::clamp(domain.low, kMin, kMax));
      range.high = static_cast<int64_t>(std::clamp(domain.high, kMin, kMax));
      range.modulus = domain.modulus;
      range.remainder = domain.remainder;
      range.bounded = domain.bounded();
    }
    ranges.push_back(range);
  }
  return ranges;
}

StatusOr<AttributeSolutions> AttributeSolver::Solve(std::span<const Equation> equations, size_t limit) const {
  AttributeSolutions result;
  if (infeasible_) return result;
  std::vector<Condition> conditions;
  conditions.reserve(equations.size());
  for (const Equation& equation : equations) {
    Condition condition;
    condition.relation = Relation::kEqual;
    condition.left = equation.left;
    condition.right = Expression::Integer(equation.right);
    conditions.push_back(std::move(condition));
  }
  const auto fault = [this](ErrorClass error_class, const char* code, std::string sentence) {
    Diagnostic d;
    d.error_class = error_class;
    d.code = code;
    d.message = "instruction '" + instruction_name_ + "': " + std::move(sentence);
    d.location = location_;
    return Status(std::move(d));
  };
  if (domains_.size() > kOpenLimit) {
    return fault(
        ErrorClass::kLimit, "isa-solve-limit",
        "more than " + std::to_string(kOpenLimit) + " computational attributes; split the instruction");
  }
  Search search(conditions, conditions_, products_, limit);
  Search::End end = search.InOrder(domains_, kWorkLimit / 2);
  if (end == Search::End::kWork || end == Search::End::kUnbounded) {
    end = search.SmallestFirst(domains_, kWorkLimit / 2);
  }
  if (end == Search::End::kUnbounded) {
    return fault(ErrorClass::kValue, "isa-attribute-unbounded",
                 "attribute '@c." + attribute_names_[search.unbounded()] +
                     "' is bounded by no constraint, region size or constant; bound it by a constraint");
  }
  if (end == Search::End::kWork || end == Search::End::kUnsortedFull) {
    return fault(ErrorClass::kLimit, "isa-solve-limit",
                 "the search for attribute values ended after " + std::to_string(kWorkLimit) +
                     " evaluations; bound its attributes by tighter constraints");
  }
  result.values = std::move(search.solutions());
  if (result.values.size() > limit) {
    result.values.resize(limit);
    result.truncated = true;
  }
  return result;
}

std::vector<AttributeRange> AttributeRanges(const Accelerator& accelerator, const Instruction& instruction) {
  return AttributeSolver(accelerator, instruction).Ranges();
}

StatusOr<AttributeSolutions> SolveAttributes(const Accelerator& accelerator, const Instruction& instruction,
                                             std::span<const Equation> equations, size_t limit) {
  return AttributeSolver(accelerator, instruction).Solve(equations, limit);
}

}  // namespace act::isa
