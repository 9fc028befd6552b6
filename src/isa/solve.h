// Solving for computational attributes, prepared once for an instruction and used for many equations.
#pragma once
#include "isa/instantiate.h"
#include "isa/interval.h"

namespace act::isa {

// The conditions on @c that every use of the instruction implies, beside its own constraints: region sizes of
// at least 1 that fit the buffer, dimensions of at least 0, slices inside their operand, constants in the
// range of their type. Only those free of @a and @s, and not those that hold whatever the attributes are.
std::vector<Condition> ImpliedConditions(const Accelerator& accelerator, const Instruction& instruction);
// The parts of the constraints ("and" taken apart) that use neither @a nor @s.
std::vector<Condition> FreeConstraints(const Instruction& instruction);

// low <= expression <= high.
struct Between {
  Expression expression;
  int128_t low = -kInfinite;
  int128_t high = kInfinite;
};
// The expressions with a product that the comparisons with integers among the conditions bound at both ends.
std::vector<Between> BoundedProducts(std::span<const Condition> conditions);

class AttributeSolver {
 public:
  AttributeSolver(const Accelerator& accelerator, const Instruction& instruction);

  // No attribute values are legal at all.
  bool infeasible() const { return infeasible_; }
  std::span<const Domain> domains() const { return domains_; }
  std::vector<AttributeRange> Ranges() const;
  // As SolveAttributes.
  StatusOr<AttributeSolutions> Solve(std::span<const Equation> equations, size_t limit) const;
  // Legal values to try an instruction with: the smallest, the largest and two between, without repetition,
  // as far as they are found in little work. Empty: none found.
  std::vector<std::vector<int64_t>> Samples() const;

 private:
  std::string instruction_name_;
  std::vector<std::string> attribute_names_;
  SourceLocation location_;
  std::vector<Condition> conditions_;
  std::vector<Between> products_;
  std::vector<Domain> domains_;
  bool infeasible_ = false;
};

// Whether conditions free of @a and @s can hold together; kUnknown where the question is too large.
enum class Feasibility : uint8_t { kYes, kNo, kUnknown };
Feasibility Decide(std::span<const Condition> conditions, size_t attributes);
// Bounds propagation alone, for conditions that may also use @a and @s (which can be anything). True only if
// the conditions cannot all hold.
bool Contradictory(std::span<const Condition> conditions, size_t attributes);

}  // namespace act::isa
