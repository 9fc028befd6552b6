// Element types, shapes with layouts, literals, and conversions between element types with XLA's rounding.
#pragma once
#include "tensor/convert.h"
#include "tensor/element_type.h"
#include "tensor/float_format.h"
#include "tensor/literal.h"
#include "tensor/shape.h"
