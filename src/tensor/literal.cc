#include "tensor/literal.h"

#include <utility>

namespace act {

Literal::Literal(Shape array_shape) : shape(std::move(array_shape)) {
  bytes.resize(static_cast<size_t>(shape.num_bytes().value_or(0)));
}

int64_t Literal::num_elements() const { return shape.num_elements().value_or(0); }

double Literal::GetDouble(int64_t index) const {
  double value = 0;
  LoadDoubles(shape.type, bytes.data() + index * StorageBytes(shape.type), 1, &value);
  return value;
}

int64_t Literal::GetInt(int64_t index) const {
  int64_t value = 0;
  LoadInts(shape.type, bytes.data() + index * StorageBytes(shape.type), 1, &value);
  return value;
}

std::complex<double> Literal::GetComplex(int64_t index) const {
  std::complex<double> value;
  LoadComplex(shape.type, bytes.data() + index * StorageBytes(shape.type), 1, &value);
  return value;
}

void Literal::SetDouble(int64_t index, double value) {
  StoreDoubles(shape.type, &value, 1, bytes.data() + index * StorageBytes(shape.type));
}

void Literal::SetInt(int64_t index, int64_t value) {
  StoreInts(shape.type, &value, 1, /*is_unsigned=*/false, bytes.data() + index * StorageBytes(shape.type));
}

void Literal::SetComplex(int64_t index, std::complex<double> value) {
  uint8_t* element = bytes.data() + index * StorageBytes(shape.type);
  if (IsComplex(shape.type)) return StoreComplex(shape.type, &value, 1, element);
  const double real = value.real();
  StoreDoubles(shape.type, &real, 1, element);
}

}  // namespace act
