#include "hlo/opcode.h"

#include <algorithm>
#include <array>

namespace act::hlo {
namespace {

struct Row {
  Opcode opcode;
  std::string_view name;
};

// Ordered as the enumeration, so that a row is found by its opcode.
constexpr std::array kRows = {
    Row{Opcode::kParameter, "parameter"},
    Row{Opcode::kConstant, "constant"},
    Row{Opcode::kIota, "iota"},
    Row{Opcode::kBroadcast, "broadcast"},
    Row{Opcode::kReshape, "reshape"},
    Row{Opcode::kTranspose, "transpose"},
    Row{Opcode::kSlice, "slice"},
    Row{Opcode::kConcatenate, "concatenate"},
    Row{Opcode::kPad, "pad"},
    Row{Opcode::kReverse, "reverse"},
    Row{Opcode::kBitcastConvert, "bitcast-convert"},
    Row{Opcode::kCopy, "copy"},
    Row{Opcode::kConvert, "convert"},
    Row{Opcode::kDynamicSlice, "dynamic-slice"},
    Row{Opcode::kDynamicUpdateSlice, "dynamic-update-slice"},
    Row{Opcode::kDot, "dot"},
    Row{Opcode::kReduce, "reduce"},
    Row{Opcode::kAbs, "abs"},
    Row{Opcode::kCbrt, "cbrt"},
    Row{Opcode::kCeil, "ceil"},
    Row{Opcode::kClz, "count-leading-zeros"},
    Row{Opcode::kCos, "cosine"},
    Row{Opcode::kErf, "erf"},
    Row{Opcode::kExp, "exponential"},
    Row{Opcode::kExpm1, "exponential-minus-one"},
    Row{Opcode::kFloor, "floor"},
    Row{Opcode::kImag, "imag"},
    Row{Opcode::kIsFinite, "is-finite"},
    Row{Opcode::kLog, "log"},
    Row{Opcode::kLog1p, "log-plus-one"},
    Row{Opcode::kLogistic, "logistic"},
    Row{Opcode::kNegate, "negate"},
    Row{Opcode::kNot, "not"},
    Row{Opcode::kPopcnt, "popcnt"},
    Row{Opcode::kReal, "real"},
    Row{Opcode::kRoundNearestAfz, "round-nearest-afz"},
    Row{Opcode::kRoundNearestEven, "round-nearest-even"},
    Row{Opcode::kRsqrt, "rsqrt"},
    Row{Opcode::kSign, "sign"},
    Row{Opcode::kSin, "sine"},
    Row{Opcode::kSqrt, "sqrt"},
    Row{Opcode::kTan, "tan"},
    Row{Opcode::kTanh, "tanh"},
    Row{Opcode::kAdd, "add"},
    Row{Opcode::kAnd, "and"},
    Row{Opcode::kAtan2, "atan2"},
    Row{Opcode::kComplex, "complex"},
    Row{Opcode::kDivide, "divide"},
    Row{Opcode::kMaximum, "maximum"},
    Row{Opcode::kMinimum, "minimum"},
    Row{Opcode::kMultiply, "multiply"},
    Row{Opcode::kOr, "or"},
    Row{Opcode::kPower, "power"},
    Row{Opcode::kRemainder, "remainder"},
    Row{Opcode::kShiftLeft, "shift-left"},
    Row{Opcode::kShiftRightArithmetic, "shift-right-arithmetic"},
    Row{Opcode::kShiftRightLogical, "shift-right-logical"},
    Row{Opcode::kSubtract, "subtract"},
    Row{Opcode::kXor, "xor"},
    Row{Opcode::kClamp, "clamp"},
    Row{Opcode::kCompare, "compare"},
    Row{Opcode::kSelect, "select"},
    Row{Opcode::kFma, "fma"},
    Row{Opcode::kTuple, "tuple"},
    Row{Opcode::kGetTupleElement, "get-tuple-element"},
    Row{Opcode::kCall, "call"},
    Row{Opcode::kOther, "other"},
};

constexpr bool RowsAreOrdered() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<size_t>(kRows[i].opcode) != i) return false;
  }
  return kRows.size() == static_cast<size_t>(Opcode::kOther) + 1;
}
static_assert(RowsAreOrdered());

// The readable opcodes sorted by name, for the search by name.
constexpr auto SortedRows() {
  std::array<Row, kRows.size() - 2> sorted{};
  size_t n = 0;
  for (const Row& row : kRows) {
    if (row.opcode == Opcode::kFma || row.opcode == Opcode::kOther) continue;
    sorted[n++] = row;
  }
  std::sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) { return a.name < b.name; });
  return sorted;
}
constexpr auto kByName = SortedRows();

}  // namespace

std::string_view OpcodeName(Opcode opcode) { return kRows[static_cast<size_t>(opcode)].name; }

std::optional<Opcode> OpcodeFromName(std::string_view name) {
  const auto row = std::lower_bound(kByName.begin(), kByName.end(), name,
                                    [](const Row& a, std::string_view b) { return a.name < b; });
  if (row == kByName.end() || row->name != name) return std::nullopt;
  return row->opcode;
}

bool IsElementwise(Opcode opcode) {
  return opcode == Opcode::kConvert || (opcode >= Opcode::kAbs && opcode <= Opcode::kFma);
}

bool IsCommutative(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return true;
    default:
      return false;
  }
}

std::string_view DirectionName(Direction direction) {
  constexpr std::string_view kNames[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  return kNames[static_cast<size_t>(direction)];
}

Opcode ReducerOpcode(Reducer reducer) {
  constexpr Opcode kOpcodes[] = {Opcode::kAdd,     Opcode::kMultiply, Opcode::kMinimum,
                                 Opcode::kMaximum, Opcode::kAnd,      Opcode::kOr};
  return kOpcodes[static_cast<size_t>(reducer)];
}

}  // namespace act::hlo
