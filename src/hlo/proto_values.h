// Shapes and constants of HLO protos. Internal to this folder. All functions throw (proto_fields.h).
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "hlo/module.h"

namespace act::hlo::proto {

// ShapeProto. depth: levels of tuples that are left.
Shape ReadShape(std::string_view bytes, int depth);

// LiteralProto: a value of `shape`.
struct Constant {
  std::shared_ptr<const Literal> literal;  // of an array shape
  std::string text;                        // of a tuple shape, as HLO text writes it
};
Constant ReadConstant(std::string_view bytes, const Shape& shape, int depth);

}  // namespace act::hlo::proto
