// reduce: the operand as a matrix [reduced, kept]; each output starts as the init operand and takes the
// reduced elements in increasing row-major order. Accumulators: f32 for floats up to f32, f64, c64 and c128
// for themselves, 64 bits for integers and pred (wrapped at the end). One rounding at the end.
#include <algorithm>

#include "eval/accumulate.h"
#include "eval/internal.h"

namespace act::eval {
namespace {

using hlo::Reducer;

struct Plan {
  std::vector<int64_t> order;  // reduced dimensions, then kept ones, each increasing
  int64_t reduced = 1, kept = 1;
};

template <typename T, typename F>
void Fold(const Plan& plan, const std::vector<T>& values, std::vector<T>* sums, F f) {
  for (int64_t r = 0; r < plan.reduced; ++r) {
    const T* row = values.data() + r * plan.kept;
    T* out = sums->data();
    for (int64_t j = 0; j < plan.kept; ++j) out[j] = f(out[j], row[j]);
  }
}

template <typename T>
bool FoldFloats(Reducer reducer, const Plan& plan, const std::vector<T>& values, std::vector<T>* sums) {
  switch (reducer) {
    case Reducer::kAdd:
      Fold(plan, values, sums, [](T a, T b) { return a + b; });
      return true;
    case Reducer::kMultiply:
      Fold(plan, values, sums, [](T a, T b) { return a * b; });
      return true;
    case Reducer::kMaximum:
      Fold(plan, values, sums, Maximum<T>);
      return true;
    case Reducer::kMinimum:
      Fold(plan, values, sums, Minimum<T>);
      return true;
    default:
      return false;
  }
}

template <typename T>
bool FoldComplex(Reducer reducer, const Plan& plan, const std::vector<std::complex<T>>& values,
                 std::vector<std::complex<T>>* sums) {
  using C = std::complex<T>;
  switch (reducer) {
    case Reducer::kAdd:
      Fold(plan, values, sums, [](C a, C b) { return a + b; });
      return true;
    case Reducer::kMultiply:
      Fold(plan, values, sums, [](C a, C b) {
        return C(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
      });
      return true;
    default:
      return false;
  }
}

bool FoldInts(Reducer reducer, bool is_unsigned, const Plan& plan, const std::vector<int64_t>& values,
              std::vector<int64_t>* sums) {
  using I = int64_t;
  const auto u = [](I v) { return static_cast<uint64_t>(v); };
  switch (reducer) {
    case Reducer::kAdd:
      Fold(plan, values, sums, [=](I a, I b) { return static_cast<I>(u(a) + u(b)); });
      return true;
    case Reducer::kMultiply:
      Fold(plan, values, sums, [=](I a, I b) { return static_cast<I>(u(a) * u(b)); });
      return true;
    case Reducer::kMaximum:
      Fold(plan, values, sums, [=](I a, I b) { return (is_unsigned ? u(a) > u(b) : a > b) ? a : b; });
      return true;
    case Reducer::kMinimum:
      Fold(plan, values, sums, [=](I a, I b) { return (is_unsigned ? u(a) < u(b) : a < b) ? a : b; });
      return true;
    case Reducer::kAnd:
      Fold(plan, values, sums, [](I a, I b) { return a & b; });
      return true;
    case Reducer::kOr:
      Fold(plan, values, sums, [](I a, I b) { return a | b; });
      return true;
  }
  return false;
}

// On pred, add is or and multiply is and.
Reducer OnPred(Reducer reducer) {
  if (reducer == Reducer::kAdd || reducer == Reducer::kMaximum) return Reducer::kOr;
  if (reducer == Reducer::kMultiply || reducer == Reducer::kMinimum) return Reducer::kAnd;
  return reducer;
}

template <typename T, typename F>
StatusOr<Literal> Run(const hlo::Instruction& instruction, const Plan& plan, const Literal& x,
                      const Literal& init, F fold) {
  Literal result(Shape::Array(instruction.shape.type, instruction.shape.dims));
  const int64_t count = result.num_elements();
  if (!FitsAccumulator(std::max(x.num_elements(), count), sizeof(T))) {
    return Fail(instruction, ErrorClass::kLimit,
                "an array of its accumulators is larger than the evaluator's limit of 16 GiB");
  }
  std::vector<T> sums(static_cast<size_t>(count), Widen<T>(init)[0]);
  if (x.num_elements() > 0) {
    const std::vector<T> values = Reorder(Widen<T>(x), x.shape.dims, plan.order);
    if (!fold(values, &sums)) return Undefined(instruction, x.shape.type);
  }
  StoreAll<T>(sums, &result);
  return result;
}

}  // namespace

StatusOr<Literal> EvaluateReduce(const hlo::Instruction& instruction, Operands operands) {
  if (operands.size() != 2) {
    return Fail(instruction, ErrorClass::kNotImplemented,
                "found " + std::to_string(operands.size()) +
                    " operands; reduce is evaluated with one array and one init value");
  }
  if (!instruction.reducer) {
    return Fail(instruction, ErrorClass::kNotImplemented,
                "its computation is none of add, multiply, minimum, maximum, and, or of its two parameters");
  }
  const Literal& x = *operands[0];
  const Literal& init = *operands[1];
  const ElementType type = x.shape.type;
  if (init.shape.type != type || !init.shape.dims.empty()) {
    return Invalid(instruction, "the init value is " + ToString(init.shape) +
                                    ", expected a scalar of the type of " + ToString(x.shape));
  }
  std::vector<bool> reduced(x.shape.dims.size(), false);
  for (int64_t d : instruction.dimensions) {
    if (d < 0 || d >= x.shape.rank() || reduced[static_cast<size_t>(d)]) {
      return Invalid(instruction, "dimension " + std::to_string(d) + " does not exist in " +
                                      ToString(x.shape) + " or is repeated");
    }
    reduced[static_cast<size_t>(d)] = true;
  }
  Plan plan;
  std::vector<int64_t> result_dims;
  for (const bool pass : {true, false}) {
    for (size_t d = 0; d < reduced.size(); ++d) {
      if (reduced[d] != pass) continue;
      plan.order.push_back(static_cast<int64_t>(d));
      if (!pass) result_dims.push_back(x.shape.dims[d]);
      if (x.num_elements() > 0) (pass ? plan.reduced : plan.kept) *= x.shape.dims[d];
    }
  }
  if (result_dims != instruction.shape.dims || instruction.shape.type != type) {
    return Invalid(instruction, "the result is " + ToString(instruction.shape) + ", expected " +
                                    ToString(Shape::Array(type, result_dims)));
  }
  const Reducer reducer = *instruction.reducer;
  if (type == ElementType::kC64 || type == ElementType::kC128) {
    if (reducer != Reducer::kAdd && reducer != Reducer::kMultiply) return Undefined(instruction, type);
    if (type == ElementType::kC64) {
      using C = std::complex<float>;
      return Run<C>(instruction, plan, x, init, [&](const std::vector<C>& v, std::vector<C>* s) {
        return FoldComplex(reducer, plan, v, s);
      });
    }
    using C = std::complex<double>;
    return Run<C>(instruction, plan, x, init, [&](const std::vector<C>& v, std::vector<C>* s) {
      return FoldComplex(reducer, plan, v, s);
    });
  }
  if (IsFloat(type)) {
    if (reducer == Reducer::kAnd || reducer == Reducer::kOr) return Undefined(instruction, type);
    if (type == ElementType::kF64) {
      return Run<double>(instruction, plan, x, init,
                         [&](const std::vector<double>& v, std::vector<double>* s) {
                           return FoldFloats(reducer, plan, v, s);
                         });
    }
    return Run<float>(instruction, plan, x, init, [&](const std::vector<float>& v, std::vector<float>* s) {
      return FoldFloats(reducer, plan, v, s);
    });
  }
  const Reducer on_type = type == ElementType::kPred ? OnPred(reducer) : reducer;
  return Run<int64_t>(instruction, plan, x, init,
                      [&](const std::vector<int64_t>& v, std::vector<int64_t>* s) {
                        return FoldInts(on_type, IsUnsignedInteger(type), plan, v, s);
                      });
}

}  // namespace act::eval
