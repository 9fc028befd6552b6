// dot: widen both operands to the accumulator, bring them to [batch, m, k] and [batch, k, n], multiply, round
// once.
//
// The accumulator: complex if any type is; f64 if any type is f64, or an integer wider than 16 bits meets a
// float; f32 if any type is a float; else integers modulo 2^64 (or 2^32, which is the same after wrapping to
// a result of at most 32 bits). Every operand value is exact in it, except 64-bit integers in f64.
#include <algorithm>

#include "eval/accumulate.h"
#include "eval/dot_kernels.h"
#include "eval/internal.h"

namespace act::eval {
namespace {

struct Plan {
  int64_t batch = 1, m = 1, k = 1, n = 1;
  std::vector<int64_t> lhs_order, rhs_order;
};

// Marks each dimension of a list as used; false if one is out of range or used twice.
bool Mark(std::span<const int64_t> list, std::vector<bool>* used) {
  for (int64_t d : list) {
    if (d < 0 || static_cast<uint64_t>(d) >= used->size() || (*used)[static_cast<size_t>(d)]) return false;
    (*used)[static_cast<size_t>(d)] = true;
  }
  return true;
}

StatusOr<Plan> MakePlan(const hlo::Instruction& instruction, const Shape& lhs, const Shape& rhs) {
  const hlo::DotDims& dot = instruction.dot;
  std::vector<bool> lhs_used(lhs.dims.size(), false), rhs_used(rhs.dims.size(), false);
  if (!Mark(dot.lhs_batch, &lhs_used) || !Mark(dot.lhs_contracting, &lhs_used) ||
      !Mark(dot.rhs_batch, &rhs_used) || !Mark(dot.rhs_contracting, &rhs_used) ||
      dot.lhs_batch.size() != dot.rhs_batch.size() ||
      dot.lhs_contracting.size() != dot.rhs_contracting.size()) {
    return Invalid(instruction,
                   "its dimension numbers do not fit " + ToString(lhs) + " and " + ToString(rhs));
  }
  const auto extent = [](const Shape& shape, int64_t d) { return shape.dims[static_cast<size_t>(d)]; };
  Plan plan;
  std::vector<int64_t> result_dims;
  // Products cannot overflow: each divides the size of an operand or of the result, unless an extent is 0;
  // then wrapping is harmless because every other product is compared with memory sizes below.
  const auto multiply = [](int64_t* product, int64_t by) {
    *product = static_cast<int64_t>(static_cast<uint64_t>(*product) * static_cast<uint64_t>(by));
  };
  for (size_t i = 0; i < dot.lhs_batch.size(); ++i) {
    const int64_t size = extent(lhs, dot.lhs_batch[i]);
    if (size != extent(rhs, dot.rhs_batch[i]))
      return Invalid(instruction,
                     "batch dimensions of " + ToString(lhs) + " and " + ToString(rhs) + " differ");
    multiply(&plan.batch, size);
    result_dims.push_back(size);
    plan.lhs_order.push_back(dot.lhs_batch[i]);
    plan.rhs_order.push_back(dot.rhs_batch[i]);
  }
  for (size_t i = 0; i < dot.rhs_contracting.size(); ++i) {
    const int64_t size = extent(lhs, dot.lhs_contracting[i]);
    if (size != extent(rhs, dot.rhs_contracting[i])) {
      return Invalid(instruction,
                     "contracting dimensions of " + ToString(lhs) + " and " + ToString(rhs) + " differ");
    }
    multiply(&plan.k, size);
    plan.rhs_order.push_back(dot.rhs_contracting[i]);
  }
  for (size_t d = 0; d < lhs_used.size(); ++d) {
    if (lhs_used[d]) continue;
    multiply(&plan.m, lhs.dims[d]);
    result_dims.push_back(lhs.dims[d]);
    plan.lhs_order.push_back(static_cast<int64_t>(d));
  }
  plan.lhs_order.insert(plan.lhs_order.end(), dot.lhs_contracting.begin(), dot.lhs_contracting.end());
  for (size_t d = 0; d < rhs_used.size(); ++d) {
    if (rhs_used[d]) continue;
    multiply(&plan.n, rhs.dims[d]);
    result_dims.push_back(rhs.dims[d]);
    plan.rhs_order.push_back(static_cast<int64_t>(d));
  }
  if (result_dims != instruction.shape.dims) {
    return Invalid(instruction, "the result is " + ToString(instruction.shape) + ", expected dimensions " +
                                    ToString(Shape::Array(instruction.shape.type, result_dims)));
  }
  return plan;
}

// Any accumulator without a kernel of its own.
template <typename T, typename Step>
void PlainProduct(const T* a, const T* b, T* c, int64_t m, int64_t k, int64_t n, Step step) {
  for (int64_t i = 0; i < m; ++i) {
    T* out = c + i * n;
    std::fill(out, out + n, T{});
    for (int64_t p = 0; p < k; ++p) {
      const T factor = a[i * k + p];
      for (int64_t j = 0; j < n; ++j) out[j] = step(factor, b[p * n + j], out[j]);
    }
  }
}
void ProductI64(const int64_t* a, const int64_t* b, int64_t* c, int64_t m, int64_t k, int64_t n) {
  PlainProduct(a, b, c, m, k, n, [](int64_t x, int64_t y, int64_t z) {
    return static_cast<int64_t>(static_cast<uint64_t>(z) +
                                static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
  });
}
// Counts of true pairs would wrap at 2^64 and need no care; or of ands is the definition.
void ProductPred(const int64_t* a, const int64_t* b, int64_t* c, int64_t m, int64_t k, int64_t n) {
  PlainProduct(a, b, c, m, k, n, [](int64_t x, int64_t y, int64_t z) { return z | (x & y); });
}
// (a + bi)(c + di) added as four fused steps: real part ac, then -bd; imaginary part ad, then bc.
template <typename T>
void ProductComplex(const std::complex<T>* a, const std::complex<T>* b, std::complex<T>* c, int64_t m,
                    int64_t k, int64_t n) {
  PlainProduct(a, b, c, m, k, n, [](std::complex<T> x, std::complex<T> y, std::complex<T> z) {
    return std::complex<T>(std::fma(-x.imag(), y.imag(), std::fma(x.real(), y.real(), z.real())),
                           std::fma(x.imag(), y.real(), std::fma(x.real(), y.imag(), z.imag())));
  });
}

template <typename T>
StatusOr<Literal> Multiply(const hlo::Instruction& instruction, const Plan& plan, const Literal& lhs,
                           const Literal& rhs,
                           void (*product)(const T*, const T*, T*, int64_t, int64_t, int64_t)) {
  Literal result(Shape::Array(instruction.shape.type, instruction.shape.dims));
  const int64_t count = result.num_elements();
  if (count == 0) return result;
  if (!FitsAccumulator(std::max({lhs.num_elements(), rhs.num_elements(), count}), sizeof(T))) {
    return Fail(instruction, ErrorClass::kLimit,
                "an array of its accumulators is larger than the evaluator's limit of 16 GiB");
  }
  if (lhs.num_elements() == 0) {  // an empty contraction: zeros (a zero of T is a zero of the result's type)
    StoreAll<T>(std::vector<T>(static_cast<size_t>(count)), &result);
    return result;
  }
  const std::vector<T> a = Reorder(Widen<T>(lhs), lhs.shape.dims, plan.lhs_order);
  const std::vector<T> b = Reorder(Widen<T>(rhs), rhs.shape.dims, plan.rhs_order);
  std::vector<T> c(static_cast<size_t>(count));
  for (int64_t i = 0; i < plan.batch; ++i) {
    product(a.data() + i * plan.m * plan.k, b.data() + i * plan.k * plan.n, c.data() + i * plan.m * plan.n,
            plan.m, plan.k, plan.n);
  }
  StoreAll<T>(c, &result);
  return result;
}

}  // namespace

StatusOr<Literal> EvaluateDot(const hlo::Instruction& instruction, Operands operands) {
  if (operands.size() != 2)
    return Invalid(instruction, "found " + std::to_string(operands.size()) + " operands, expected 2");
  const Literal& lhs = *operands[0];
  const Literal& rhs = *operands[1];
  ACT_ASSIGN_OR_RETURN(const Plan plan, MakePlan(instruction, lhs.shape, rhs.shape));
  const ElementType types[] = {lhs.shape.type, rhs.shape.type, instruction.shape.type};
  const ElementType result = types[2];
  const auto any = [&](auto holds) { return std::ranges::any_of(types, holds); };
  const bool complex = any(IsComplex), floating = any(IsFloat);
  if ((complex && !IsComplex(result)) || (floating && !complex && !IsFloat(result)) ||
      (result == ElementType::kPred && (types[0] != result || types[1] != result))) {
    return Invalid(instruction, "operands " + ToString(lhs.shape) + " and " + ToString(rhs.shape) +
                                    " do not sum to " + std::string(ElementTypeName(result)));
  }
  const bool f64 = any([](ElementType t) { return t == ElementType::kF64; }) ||
                   any([](ElementType t) { return IsInteger(t) && BitWidth(t) > 16; });
  const DotKernels kernels = HasWideDotKernels() ? WideDotKernels() : PortableDotKernels();
  if (complex) {
    if (f64 || any([](ElementType t) { return t == ElementType::kC128; })) {
      return Multiply<std::complex<double>>(instruction, plan, lhs, rhs, ProductComplex<double>);
    }
    return Multiply<std::complex<float>>(instruction, plan, lhs, rhs, ProductComplex<float>);
  }
  if (floating) {
    if (f64) return Multiply<double>(instruction, plan, lhs, rhs, kernels.f64);
    return Multiply<float>(instruction, plan, lhs, rhs, kernels.f32);
  }
  if (result == ElementType::kPred) return Multiply<int64_t>(instruction, plan, lhs, rhs, ProductPred);
  if (BitWidth(result) <= 32) return Multiply<uint32_t>(instruction, plan, lhs, rhs, kernels.i32);
  return Multiply<int64_t>(instruction, plan, lhs, rhs, ProductI64);
}

}  // namespace act::eval
