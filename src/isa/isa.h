// The accelerator: buffers, instructions, attributes, expressions, constraints and state; the `.taidl` text
// form (reader and writer), the checker, and semantics at concrete attribute values.
#pragma once
#include "isa/accelerator.h"
#include "isa/builder.h"
#include "isa/check.h"
#include "isa/expression.h"
#include "isa/instantiate.h"
#include "isa/semantics.h"
#include "isa/solve.h"
#include "isa/taidl.h"
