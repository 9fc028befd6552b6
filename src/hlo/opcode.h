// HLO opcodes under XLA's own names.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace act::hlo {

// The operations that the evaluator and the selector know. kOther is every further HLO opcode: it is read,
// printed back, and refused by name where it is used.
enum class Opcode : uint8_t {
  // no operands
  kParameter,
  kConstant,
  kIota,
  // data movement
  kBroadcast,
  kReshape,
  kTranspose,
  kSlice,
  kConcatenate,
  kPad,
  kReverse,
  kBitcastConvert,
  kCopy,
  kConvert,
  kDynamicSlice,
  kDynamicUpdateSlice,
  // contraction and reduction
  kDot,
  kReduce,
  // elementwise unary
  kAbs,
  kCbrt,
  kCeil,
  kClz,
  kCos,
  kErf,
  kExp,
  kExpm1,
  kFloor,
  kImag,
  kIsFinite,
  kLog,
  kLog1p,
  kLogistic,
  kNegate,
  kNot,
  kPopcnt,
  kReal,
  kRoundNearestAfz,
  kRoundNearestEven,
  kRsqrt,
  kSign,
  kSin,
  kSqrt,
  kTan,
  kTanh,
  // elementwise binary
  kAdd,
  kAnd,
  kAtan2,
  kComplex,
  kDivide,
  kMaximum,
  kMinimum,
  kMultiply,
  kOr,
  kPower,
  kRemainder,
  kShiftLeft,
  kShiftRightArithmetic,
  kShiftRightLogical,
  kSubtract,
  kXor,
  // elementwise others
  kClamp,
  kCompare,
  kSelect,
  kFma,  // TAIDL semantics only: x*y+z with one rounding; the HLO reader does not accept it
  // structure
  kTuple,
  kGetTupleElement,
  kCall,
  kOther,
};

// "bitcast-convert", "exponential", ...; "other" for kOther.
std::string_view OpcodeName(Opcode opcode);
// Never kOther or kFma: nullopt for names outside the list above.
std::optional<Opcode> OpcodeFromName(std::string_view name);
// One result element from the operands' elements at the same index (kConvert, kClamp, kCompare, kSelect,
// kFma included; kCopy not).
bool IsElementwise(Opcode opcode);
bool IsCommutative(Opcode opcode);  // add, multiply, maximum, minimum, and, or, xor

enum class Direction : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
std::string_view DirectionName(Direction direction);  // "EQ", ...

// Combiners of reduce that are recognised.
enum class Reducer : uint8_t { kAdd, kMultiply, kMinimum, kMaximum, kAnd, kOr };
Opcode ReducerOpcode(Reducer reducer);

}  // namespace act::hlo
