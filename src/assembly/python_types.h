// Element types as jax.numpy names them. Internal to src/assembly.
#pragma once
#include <optional>
#include <string_view>

#include "tensor/tensor.h"

namespace act::assembly {

// "bfloat16", "int8", "bool_", ...; empty for a type that NumPy cannot hold.
std::string_view PythonTypeName(ElementType type);
// Also "bool".
std::optional<ElementType> PythonTypeFromName(std::string_view name);

}  // namespace act::assembly
