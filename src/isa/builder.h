// The calls of the TAIDL Python API, one function each: they check and add to the accelerator, or fail and
// leave it as it was. The `.taidl` reader and the C ABI both build specs through these.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "isa/accelerator.h"

namespace act::isa {

// file: what messages name as the place ("QKV.py"); may be empty.
Status AddBuffer(Accelerator* acc, std::string name, std::vector<int64_t> addresses,
                 std::vector<int64_t> unit, std::string_view element_type);
Status AddState(Accelerator* acc, std::string name, int64_t initial);
Status AddInstruction(Accelerator* acc, std::string name, std::vector<std::string> computational,
                      std::vector<std::string> addressing);
struct RegionText {
  std::string buffer;
  std::vector<std::string> starts, sizes, strides;
};
// index: of the instruction. Each call replaces the list (inputs, outputs, semantics, cost, marks) or adds to
// it (constraints, updates), as reference/taidl.md says.
Status SetInputs(Accelerator* acc, size_t index, const std::vector<RegionText>& regions);
Status SetOutputs(Accelerator* acc, size_t index, const std::vector<RegionText>& regions);
Status SetSemantics(Accelerator* acc, size_t index, const SourceText& text);
Status AddConstraint(Accelerator* acc, size_t index, const SourceText& text);
Status AddUpdate(Accelerator* acc, size_t index, const SourceText& text);
Status SetCost(Accelerator* acc, size_t index, const SourceText& text);
enum class PlacementMark { kInplace, kApart, kNoPartialOverlap };
Status SetPlacement(Accelerator* acc, size_t index, PlacementMark mark, std::vector<bool> flags);

}  // namespace act::isa
