// Runs of elements to and from the three types that every real element type passes through exactly: double
// (floats), int64 and uint64 (integers, pred).
#pragma once
#include <complex>
#include <cstdint>

#include "tensor/element_type.h"

namespace act {

// `bytes` points at the first element. Load: exact (u64 to int64 as its two's complement; s64 and u64 to
// double round once). LoadInts of a float goes toward zero, saturating at 64 bits, NaN gives 0.
// LoadDoubles and LoadInts of a complex type read the real part.
void LoadDoubles(ElementType type, const uint8_t* bytes, int64_t count, double* values);
void LoadInts(ElementType type, const uint8_t* bytes, int64_t count, int64_t* values);
void LoadComplex(ElementType type, const uint8_t* bytes, int64_t count, std::complex<double>* values);

// HLO convert of f64 to `type`: floats round once, integers go toward zero and saturate, NaN gives 0, pred is
// != 0 (NaN: true). Complex types take it as the real part.
void StoreDoubles(ElementType type, const double* values, int64_t count, uint8_t* bytes);
// HLO convert of s64 (is_unsigned: of u64 with these bits) to `type`: integers wrap, floats round once.
void StoreInts(ElementType type, const int64_t* values, int64_t count, bool is_unsigned, uint8_t* bytes);
// Complex types only.
void StoreComplex(ElementType type, const std::complex<double>* values, int64_t count, uint8_t* bytes);

// Wraps to the width of an integer type or pred (!= 0); the result is sign- or zero-extended.
int64_t WrapInt(ElementType type, int64_t value);

}  // namespace act
