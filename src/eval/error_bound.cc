// Each float operation adds one unit in the last place of its result (both roundings, the kernel's and the
// program's, are within half of one) to what its operands' bounds become through the operation.
#include "eval/error_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/eval.h"

namespace act::eval {
namespace {

using hlo::Instruction;
using hlo::Opcode;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One unit in the last place, relative; 0 for types without rounding.
double RelativeUnit(ElementType type) {
  switch (type) {
    case ElementType::kBF16:
      return 0x1p-7;
    case ElementType::kF16:
      return 0x1p-10;
    case ElementType::kF32:
      return 0x1p-23;
    case ElementType::kF64:
      return 0x1p-52;
    case ElementType::kF4E2M1FN:
      return 0.5;
    case ElementType::kF8E3M4:
      return 0x1p-4;
    case ElementType::kF8E5M2:
    case ElementType::kF8E5M2FNUZ:
      return 0.25;
    case ElementType::kF8E8M0FNU:
      return 1;
    default:
      return IsFloat(type) ? 0x1p-3 : 0;
  }
}
// Spacing of the smallest numbers of the type: what underflow can cost.
double SmallestUnit(ElementType type) {
  switch (type) {
    case ElementType::kBF16:
      return 0x1p-133;
    case ElementType::kF16:
      return 0x1p-24;
    case ElementType::kF32:
      return 0x1p-149;
    case ElementType::kF64:
      return 0x1p-1074;
    case ElementType::kF4E2M1FN:
      return 0.5;
    case ElementType::kF8E3M4:
      return 0x1p-6;
    default:
      return IsFloat(type) ? 0x1p-9 : 0;
  }
}
// Beyond it a value overflows or saturates.
double LargestFinite(ElementType type) {
  switch (type) {
    case ElementType::kBF16:
      return 0x1.fep127;
    case ElementType::kF16:
      return 65504;
    case ElementType::kF32:
      return std::numeric_limits<float>::max();
    case ElementType::kF64:
      return std::numeric_limits<double>::max();
    case ElementType::kF4E2M1FN:
      return 6;
    case ElementType::kF8E3M4:
      return 15.5;
    case ElementType::kF8E4M3B11FNUZ:
      return 30;
    case ElementType::kF8E5M2:
    case ElementType::kF8E5M2FNUZ:
      return 57344;
    case ElementType::kF8E8M0FNU:
      return 0x1p127;
    default:
      return 240;
  }
}

Literal AsDoubles(const Literal& literal, bool absolute) {
  Literal out(Shape::Array(ElementType::kF64, literal.shape.dims));
  for (int64_t i = 0, n = literal.num_elements(); i < n; ++i) {
    const double v = literal.GetDouble(i);
    out.SetDouble(i, absolute ? std::abs(v) : v);
  }
  return out;
}

Literal BoundsAsDoubles(const Bounded& b) {
  Literal out(Shape::Array(ElementType::kF64, b.value.shape.dims));
  for (size_t i = 0; i < b.bound.size(); ++i) out.SetDouble(static_cast<int64_t>(i), b.bound[i]);
  return out;
}

std::vector<double> Doubles(const Literal& literal) {
  std::vector<double> out;
  for (int64_t i = 0, n = literal.num_elements(); i < n; ++i) out.push_back(literal.GetDouble(i));
  return out;
}

bool AllZero(std::span<const Bounded* const> operands) {
  for (const Bounded* operand : operands) {
    for (double b : operand->bound) {
      if (b != 0) return false;
    }
  }
  return true;
}

// The instruction on f64 operands with an f64 result.
StatusOr<Literal> OnDoubles(Instruction instruction, std::vector<Literal> operands) {
  instruction.shape = Shape::Array(ElementType::kF64, instruction.shape.dims);
  std::vector<const Literal*> pointers;
  for (const Literal& operand : operands) pointers.push_back(&operand);
  return EvaluateInstruction(instruction, pointers);
}

class BoundEvaluator {
 public:
  explicit BoundEvaluator(const hlo::Computation& body) : body_(body), values_(body.instructions.size()) {}

  Status Run(std::span<const Literal> parameters) {
    for (size_t i = 0; i < body_.instructions.size(); ++i) {
      const Instruction& in = body_.instructions[i];
      Bounded& out = values_[i];
      std::vector<const Bounded*> operands;
      std::vector<const Literal*> literals;
      for (int32_t o : in.operands) {
        operands.push_back(&values_[static_cast<size_t>(o)]);
        literals.push_back(&values_[static_cast<size_t>(o)].value);
      }
      if (in.opcode == Opcode::kParameter) {
        out.value = parameters[static_cast<size_t>(in.parameter_number)];
        out.bound.assign(static_cast<size_t>(out.value.num_elements()), 0);
        continue;
      }
      ACT_ASSIGN_OR_RETURN(out.value, EvaluateInstruction(in, literals));
      ACT_ASSIGN_OR_RETURN(out.bound, Bound(in, operands, out.value));
      for (size_t k = 0; k < out.bound.size(); ++k) {
        if (!KnownNeighbourhood(out.value, static_cast<int64_t>(k), out.bound[k])) out.bound[k] = kInfinity;
      }
    }
    return Status();
  }
  Bounded Take(int32_t index) const { return values_[static_cast<size_t>(index)]; }

 private:
  // Not where the bound is no number, or a value within it overflows the type.
  static bool KnownNeighbourhood(const Literal& value, int64_t i, double bound) {
    const ElementType type = value.shape.type;
    if (bound == 0) return true;
    if (std::isnan(bound) || IsComplex(type)) return false;
    if (!IsFloat(type)) return true;
    return std::abs(value.GetDouble(i)) + bound <= LargestFinite(type);  // false for NaN
  }

  StatusOr<std::vector<double>> Bound(const Instruction& in, const std::vector<const Bounded*>& operands,
                                      const Literal& value) {
    const size_t n = static_cast<size_t>(value.num_elements());
    if (IsComplex(in.shape.type) || std::any_of(operands.begin(), operands.end(), [](const Bounded* o) {
          return IsComplex(o->value.shape.type);
        })) {
      return std::vector<double>(n, operands.empty() ? 0 : kInfinity);
    }
    switch (in.opcode) {
      case Opcode::kConstant:
      case Opcode::kIota:
        return std::vector<double>(n, 0);
      case Opcode::kBroadcast:
      case Opcode::kReshape:
      case Opcode::kTranspose:
      case Opcode::kSlice:
      case Opcode::kConcatenate:
      case Opcode::kPad:
      case Opcode::kReverse:
      case Opcode::kCopy: {
        std::vector<Literal> bounds;
        for (const Bounded* operand : operands) bounds.push_back(BoundsAsDoubles(*operand));
        ACT_ASSIGN_OR_RETURN(const Literal moved, OnDoubles(in, std::move(bounds)));
        return Doubles(moved);
      }
      case Opcode::kDot:
        return DotBound(in, operands, value);
      case Opcode::kReduce:
        return ReduceBound(in, operands, value);
      default:
        break;
    }
    if (!hlo::IsElementwise(in.opcode)) return std::vector<double>(n, AllZero(operands) ? 0 : kInfinity);
    std::vector<double> bound(n);
    for (size_t i = 0; i < n; ++i) bound[i] = ElementBound(in, operands, value, i);
    return bound;
  }

  static double Rounding(ElementType type, double magnitude) {
    return RelativeUnit(type) * std::abs(magnitude) + SmallestUnit(type);
  }
  // What the operands' bounds become, and the roundings of a result that may lie that far off.
  static double WithRounding(ElementType type, double result, double carried) {
    return carried + Rounding(type, std::abs(result) + carried);
  }

  // The bound of a sum of `terms` terms whose magnitudes sum to `mass` and whose bounds sum to `carried`: an
  // accumulator of f32 (f64 for f64) rounds at every step, the result once more.
  static double SumBound(ElementType type, double result, double mass, double carried, double terms) {
    if (!IsFloat(type)) return carried == 0 ? 0 : kInfinity;  // wrapped sums have no neighbourhood
    const ElementType accumulator = type == ElementType::kF64 ? ElementType::kF64 : ElementType::kF32;
    const double largest = accumulator == ElementType::kF64 ? std::numeric_limits<double>::max()
                                                            : std::numeric_limits<float>::max();
    if (!(mass + carried < largest / 2)) return kInfinity;  // a partial sum may overflow
    const double steps = terms * (RelativeUnit(accumulator) * (mass + carried) + SmallestUnit(accumulator));
    return WithRounding(type, result, carried + steps);
  }

  StatusOr<std::vector<double>> DotBound(const Instruction& in, const std::vector<const Bounded*>& operands,
                                         const Literal& value) {
    const Literal a = AsDoubles(operands[0]->value, true), b = AsDoubles(operands[1]->value, true);
    const Literal ea = BoundsAsDoubles(*operands[0]), eb = BoundsAsDoubles(*operands[1]);
    double terms = 1;
    for (int64_t d : in.dot.lhs_contracting)
      terms *= static_cast<double>(a.shape.dims[static_cast<size_t>(d)]);
    ACT_ASSIGN_OR_RETURN(const Literal mass, OnDoubles(in, {a, b}));
    std::vector<double> bound(static_cast<size_t>(value.num_elements()));
    const bool clean = AllZero(operands);
    std::vector<std::vector<double>> parts;
    if (!clean) {
      for (const auto& [x, y] : {std::pair{&a, &eb}, std::pair{&ea, &b}, std::pair{&ea, &eb}}) {
        ACT_ASSIGN_OR_RETURN(const Literal part, OnDoubles(in, {*x, *y}));
        parts.push_back(Doubles(part));
      }
    }
    for (size_t i = 0; i < bound.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i);
      double carried = 0;
      for (const std::vector<double>& part : parts) carried += part[i];
      bound[i] = SumBound(in.shape.type, value.GetDouble(at), mass.GetDouble(at), carried, terms);
    }
    return bound;
  }

  StatusOr<std::vector<double>> ReduceBound(const Instruction& in,
                                            const std::vector<const Bounded*>& operands,
                                            const Literal& value) {
    const size_t n = static_cast<size_t>(value.num_elements());
    const bool clean = AllZero(operands);
    const hlo::Reducer reducer = in.reducer.value_or(hlo::Reducer::kMultiply);
    if (reducer == hlo::Reducer::kMinimum || reducer == hlo::Reducer::kMaximum) {
      if (clean) return std::vector<double>(n, 0);
      Instruction largest = in;
      largest.reducer = hlo::Reducer::kMaximum;
      ACT_ASSIGN_OR_RETURN(const Literal bound, OnDoubles(largest, {BoundsAsDoubles(*operands[0]),
                                                                    BoundsAsDoubles(*operands[1])}));
      return Doubles(bound);
    }
    if (reducer != hlo::Reducer::kAdd || !IsFloat(in.shape.type)) {
      return std::vector<double>(n, clean && !IsFloat(in.shape.type) ? 0 : kInfinity);
    }
    const double terms =
        static_cast<double>(operands[0]->value.num_elements()) / static_cast<double>(std::max<size_t>(n, 1));
    ACT_ASSIGN_OR_RETURN(const Literal mass, OnDoubles(in, {AsDoubles(operands[0]->value, true),
                                                            AsDoubles(operands[1]->value, true)}));
    ACT_ASSIGN_OR_RETURN(const Literal carried,
                         OnDoubles(in, {BoundsAsDoubles(*operands[0]), BoundsAsDoubles(*operands[1])}));
    std::vector<double> bound(n);
    for (size_t i = 0; i < n; ++i) {
      const int64_t at = static_cast<int64_t>(i);
      bound[i] =
          SumBound(in.shape.type, value.GetDouble(at), mass.GetDouble(at), carried.GetDouble(at), terms + 1);
    }
    return bound;
  }

  // Operand k's element and bound at position i; scalars of clamp and select repeat.
  static size_t At(const Bounded& operand, size_t i) { return operand.bound.size() == 1 ? 0 : i; }

  static double ElementBound(const Instruction& in, const std::vector<const Bounded*>& operands,
                             const Literal& value, size_t i) {
    double x[3] = {0, 0, 0}, e[3] = {0, 0, 0};
    double carried = 0;
    for (size_t k = 0; k < operands.size() && k < 3; ++k) {
      const size_t at = At(*operands[k], i);
      x[k] = IsComplex(operands[k]->value.shape.type)
                 ? 0
                 : operands[k]->value.GetDouble(static_cast<int64_t>(at));
      e[k] = operands[k]->bound[at];
      carried = std::max(carried, e[k]);
    }
    const ElementType type = in.shape.type;
    const ElementType operand_type = operands.empty() ? ElementType::kInvalid : operands[0]->value.shape.type;
    const double result = IsComplex(type) ? 0 : value.GetDouble(static_cast<int64_t>(i));
    const bool rounds = IsFloat(type);
    if (carried == 0 && !rounds) return 0;
    const double rounding = rounds ? Rounding(type, result) : 0;
    const auto rounded = [&](double c) { return rounds ? WithRounding(type, result, c) : kInfinity; };
    const auto unary = [&](double (*f)(double)) {
      if (e[0] == 0) return rounding;
      const double up = f(x[0] + e[0]), down = f(x[0] - e[0]), mid = f(x[0]);
      const double spread = std::max(std::abs(up - mid), std::abs(mid - down));
      return std::isnan(spread) ? kInfinity : WithRounding(type, result, spread);
    };
    switch (in.opcode) {
      case Opcode::kAdd:
      case Opcode::kSubtract:
        return rounded(e[0] + e[1]);
      case Opcode::kMultiply:
        return rounded(std::abs(x[0]) * e[1] + std::abs(x[1]) * e[0] + e[0] * e[1]);
      case Opcode::kDivide: {
        const double room = std::abs(x[1]) - e[1];
        if (!rounds || !(room > 0)) return kInfinity;
        return rounded((e[0] + std::abs(x[0] / x[1]) * e[1]) / room);
      }
      case Opcode::kNegate:
      case Opcode::kAbs:
        return rounds ? e[0] : kInfinity;
      case Opcode::kMaximum:
      case Opcode::kMinimum:
        return std::max(e[0], e[1]);
      case Opcode::kClamp:
        return std::max({e[0], e[1], e[2]});
      case Opcode::kSelect:
        return e[0] != 0 ? kInfinity : std::max(e[1], e[2]);
      case Opcode::kConvert:
        if (carried == 0) {  // rounded alike, or not at all
          if (!rounds) return 0;
          return BitWidth(operand_type) > 53 && !IsFloat(operand_type) ? rounding : std::abs(x[0] - result);
        }
        if (rounds) return rounded(e[0]);
        // A neighbour of an integer may wrap; of a float it saturates.
        return IsFloat(operand_type) && type != ElementType::kPred ? e[0] + 1 : kInfinity;
      case Opcode::kExp:
        return unary(std::exp);
      case Opcode::kExpm1:
        return unary(std::expm1);
      case Opcode::kLog:
        return unary(std::log);
      case Opcode::kLog1p:
        return unary(std::log1p);
      case Opcode::kSqrt:
        return unary(std::sqrt);
      case Opcode::kCbrt:
        return unary(std::cbrt);
      case Opcode::kTanh:
        return unary(std::tanh);
      case Opcode::kErf:
        return unary(std::erf);
      case Opcode::kSin:
      case Opcode::kCos:
        return rounded(e[0]);
      case Opcode::kRsqrt:
        return unary([](double v) { return 1 / std::sqrt(v); });
      case Opcode::kLogistic:
        return unary([](double v) { return 1 / (1 + std::exp(-v)); });
      default:
        return carried == 0 ? rounding : kInfinity;
    }
  }

  const hlo::Computation& body_;
  std::vector<Bounded> values_;
};

}  // namespace

StatusOr<std::vector<Bounded>> EvaluateWithBound(const hlo::FlatKernel& kernel,
                                                 std::span<const Literal> parameters) {
  BoundEvaluator evaluator(kernel.body);
  ACT_RETURN_IF_ERROR(evaluator.Run(parameters));
  std::vector<Bounded> out;
  for (int32_t output : kernel.outputs) out.push_back(evaluator.Take(output));
  return out;
}

}  // namespace act::eval
