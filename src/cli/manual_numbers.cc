#include <algorithm>

#include "cli/manual.h"

namespace act::cli {
namespace {

using hlo::Opcode;

// Computed by a function of the C library.
constexpr Opcode kFunctions[] = {Opcode::kCbrt,     Opcode::kCos,   Opcode::kErf,   Opcode::kExp,
                                 Opcode::kExpm1,    Opcode::kLog,   Opcode::kLog1p, Opcode::kTan,
                                 Opcode::kLogistic, Opcode::kRsqrt, Opcode::kSin,   Opcode::kTanh,
                                 Opcode::kPower,    Opcode::kAtan2};

// Which kinds of arithmetic the instructions do.
struct Arithmetic {
  bool floats = false, integers = false, functions = false, sums = false, products = false, extremes = false,
       conversions = false;
};

Arithmetic Survey(const isa::Accelerator& accelerator) {
  Arithmetic all;
  for (const isa::Instruction& in : accelerator.instructions) {
    for (const isa::SemanticNode& node : in.semantics.nodes) {
      const bool dot = node.opcode == Opcode::kDot, reduce = node.opcode == Opcode::kReduce;
      if (!dot && !reduce && !hlo::IsElementwise(node.opcode)) continue;
      all.integers = all.integers || IsInteger(node.type);
      if (IsFloat(node.type)) {
        const bool adds = node.reducer == hlo::Reducer::kAdd || node.reducer == hlo::Reducer::kMultiply;
        all.floats = true;
        all.sums = all.sums || dot || (reduce && adds);
        all.products = all.products || dot;
      }
      all.conversions =
          all.conversions || (node.opcode == Opcode::kConvert && IsInteger(node.type) &&
                              IsFloat(in.semantics.nodes[static_cast<size_t>(node.operands[0])].type));
      if (std::find(std::begin(kFunctions), std::end(kFunctions), node.opcode) != std::end(kFunctions)) {
        all.functions = true;
      }
      const bool larger = node.opcode == Opcode::kMaximum || node.opcode == Opcode::kMinimum ||
                          node.opcode == Opcode::kClamp ||
                          (node.reducer && (*node.reducer == hlo::Reducer::kMaximum ||
                                            *node.reducer == hlo::Reducer::kMinimum));
      all.extremes = all.extremes || (larger && IsFloat(node.type));
    }
  }
  return all;
}

}  // namespace

void WriteNumbers(const isa::Accelerator& accelerator, ManualWriter* out) {
  const Arithmetic all = Survey(accelerator);
  out->Line("## Numbers");
  out->Line();
  out->Bullet(
      "Every formula below gives a value of the type stated beside it and rounds to that type, so a chain of "
      "formulas rounds at every step.");
  if (all.floats) {
    out->Bullet("Floats, element by element: the exact result, rounded once, to nearest and ties to even." +
                std::string(all.functions ? " Functions such as exp are computed in f64 and then rounded to "
                                            "the type."
                                          : "") +
                " Overflow gives an infinity; x/0 is an infinity; 0/0, inf/inf and inf - inf are NaN; "
                "subnormal numbers are kept." +
                (all.extremes ? " max and min give NaN if an operand is NaN." : ""));
  }
  if (all.sums) {
    std::string text =
        "Sums of floats are accumulated in f32 (in f64 where a type is f64): the accumulator is first the "
        "number behind \"starting with\", else 0, and then takes term after term in increasing k, from k = 0 "
        "on. Each step rounds to the accumulator's type, the end once more to the type of the result.";
    if (all.products)
      text += " A sum of products takes a term by a fused multiply-add, acc = fma(a, b, acc).";
    out->Bullet(text);
  }
  if (all.integers) {
    out->Bullet("Integers, sums of them too, wrap at their width; `/` rounds toward zero." +
                std::string(all.conversions
                                ? " Floats converted to integers round toward zero and saturate; NaN gives 0."
                                : ""));
  }
  out->Bullet("`0..n` are the numbers 0 to n-1. i0, i1, ... run over the dimensions of the result.");
  out->Bullet(
      "Attributes are 64-bit integers; in their formulas `/` rounds toward zero and `%` has the dividend's "
      "sign.");
  out->Line();
}

}  // namespace act::cli
