// Literal: a tensor's value as row-major bytes. Conversions between element types.
#pragma once
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/support.h"
#include "tensor/convert.h"
#include "tensor/float_format.h"
#include "tensor/shape.h"

namespace act {

// An array value. bytes.size() == shape.num_bytes(), row-major, StorageBytes(type) each, little-endian.
struct Literal {
  Shape shape;  // array
  std::vector<uint8_t> bytes;

  Literal() = default;
  // All elements zero. shape must be an array whose size fits in memory.
  explicit Literal(Shape array_shape);
  int64_t num_elements() const;

  // Element access by row-major position. The getters convert; exact where the target type can hold it.
  double GetDouble(int64_t index) const;                 // real types, pred
  int64_t GetInt(int64_t index) const;                   // integers and pred (u64 as its two's complement)
  std::complex<double> GetComplex(int64_t index) const;  // every type
  void SetDouble(int64_t index, double value);  // rounds to nearest even, as ConvertElement f64 -> type
  void SetInt(int64_t index, int64_t value);    // integers wrap, floats round
  void SetComplex(int64_t index, std::complex<double> value);

  friend bool operator==(const Literal& a, const Literal& b) {
    return SameTypeAndDims(a.shape, b.shape) && a.bytes == b.bytes;
  }
};

// HLO convert: float to integer toward zero, saturating, NaN gives 0; integer to narrower wraps; to float
// rounds to nearest even once (from the exact source value); any to pred is "!= 0"; f8 kinds as XLA (each
// kind's overflow and NaN rule is stated in float_format.h). Complex to real is not an HLO conversion: an
// error. Shapes agree in dims; dst has to.shape's type.
StatusOr<Literal> ConvertLiteral(const Literal& from, ElementType to);
// HLO bitcast-convert: little-endian; equal widths keep the shape, wider to narrower adds a last dimension,
// narrower to wider removes it. Sub-byte types use their packed ratio, first element in the low bits.
StatusOr<Literal> BitcastConvertLiteral(const Literal& from, ElementType to);

// HLO literal text without the type: "{ { 1, 2 }, { 3, 4 } }", "1.5", "true", "inf", "nan", "(1, 2)".
// Floats print so that they read back bit for bit.
std::string LiteralToString(const Literal& literal);
// One element, as in LiteralToString.
std::string ElementToString(const Literal& literal, int64_t index);

}  // namespace act
