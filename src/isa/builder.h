// The calls of the TAIDL Python API, one function each: they check and add to the accelerator, or fail and
// leave it as it was. The `.taidl` reader and the C ABI both build specs through these.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "isa/accelerator.h"

namespace act::isa {

// What a name may be. `what` is the thing named, for the message: "buffer".
Status CheckName(std::string_view what, std::string_view name);
Status CheckAcceleratorName(std::string_view name);
// Blanks in accelerator and instruction names become '_'.
std::string NameWithoutBlanks(std::string_view name);

// The element types a spec may use.
inline constexpr ElementType kTaidlTypes[] = {
    ElementType::kPred, ElementType::kS2,  ElementType::kS4,  ElementType::kS8,  ElementType::kS16,
    ElementType::kS32,  ElementType::kS64, ElementType::kU2,  ElementType::kU4,  ElementType::kU8,
    ElementType::kU16,  ElementType::kU32, ElementType::kU64, ElementType::kF16, ElementType::kBF16,
    ElementType::kF32,  ElementType::kF64};
// "pred s2 s4 ...", for messages.
std::string ElementTypeList();
StatusOr<ElementType> TaidlElementType(std::string_view name);

// location: where the thing stands in its file, if anywhere; kept and shown in messages.
Status AddBuffer(Accelerator* acc, std::string name, std::vector<int64_t> addresses,
                 std::vector<int64_t> unit, std::string_view element_type, SourceLocation location = {});
Status AddState(Accelerator* acc, std::string name, int64_t initial, SourceLocation location = {});
Status AddInstruction(Accelerator* acc, std::string name, std::vector<std::string> computational,
                      std::vector<std::string> addressing, SourceLocation location = {});
struct RegionText {
  std::string buffer;
  std::vector<std::string> starts, sizes, strides;
};
// index: of the instruction. Each call replaces the list (inputs, outputs, semantics, cost, marks) or adds to
// it (constraints, updates), as TAIDL says.
//
// Regions and semantics may come in either order: semantics that needs regions not given yet is checked as
// far as it goes, kept as text, and resolved when they are given; a fault found then is the failure of that
// call.
Status SetInputs(Accelerator* acc, size_t index, const std::vector<RegionText>& regions);
Status SetOutputs(Accelerator* acc, size_t index, const std::vector<RegionText>& regions);
// The `ENTRY { ... }` block. A blank text means no semantics.
Status SetSemantics(Accelerator* acc, size_t index, const SourceText& text);
// One condition.
Status AddConstraint(Accelerator* acc, size_t index, const SourceText& text);
// One condition on each line that is not blank (a line goes on inside brackets). All or none are added.
Status AddConstraintLines(Accelerator* acc, size_t index, const SourceText& text);
// "@s.x = e", also += -= *=.
Status AddUpdate(Accelerator* acc, size_t index, const SourceText& text);
Status SetCost(Accelerator* acc, size_t index, const SourceText& text);
enum class PlacementMark { kInplace, kApart, kNoPartialOverlap };
// flags: one an input (checked when the inputs are known).
Status SetPlacement(Accelerator* acc, size_t index, PlacementMark mark, std::vector<bool> flags);
// Extensions of the TAIDL API.
Status SetUnit(Accelerator* acc, size_t index, std::string unit);
Status SetMnemonic(Accelerator* acc, size_t index, std::string mnemonic);
// "exact", "approx" or "flush".
Status SetNumerics(Accelerator* acc, size_t index, std::string_view numerics);

// The same on values already read. The messages have the places of the values; `acc` is unchanged on failure.
Status SetInputRegions(Accelerator* acc, size_t index, std::vector<Region> regions);
Status SetOutputRegions(Accelerator* acc, size_t index, std::vector<Region> regions);
Status AddConstraintValue(Accelerator* acc, size_t index, Condition condition);
Status AddUpdateValue(Accelerator* acc, size_t index, Update update);
Status SetCostValue(Accelerator* acc, size_t index, Expression cost);
// The names an instruction's texts may use. The state names must outlive the table.
NameTable Names(const Instruction& instruction, const std::vector<std::string>& state_names);

// What only shows when a spec is complete: semantics that still waits for regions. Called by `act check` and
// before generation.
Status CheckComplete(const Accelerator& acc, size_t index);

}  // namespace act::isa
