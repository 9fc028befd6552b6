// Internal: the semantics statements of `.taidl`, "name = operation(...)".
#pragma once
#include <map>
#include <set>
#include <string>

#include "isa/semantics_builder.h"

namespace act::isa {

// Reads one instruction's statements, one call each.
class NativeSemanticsReader {
 public:
  // All must outlive the reader. inputs: the instruction's regions are complete.
  NativeSemanticsReader(Cursor* cursor, const Accelerator& accelerator, const Instruction& instruction,
                        const NameTable& names);

  // With the cursor at "name =". A failed statement's value is known to be bad, and statements that use it
  // are passed over in silence.
  Status ReadStatement();
  // The value of each output by its region's name.
  StatusOr<Semantics> Finish();
  std::vector<Diagnostic>& faults() { return builder_.faults(); }
  bool any() const { return any_; }

 private:
  StatusOr<int32_t> ReadValue(const std::string& result, int depth);
  StatusOr<int32_t> ReadCall(std::string_view op, size_t op_offset, const std::string& result, int depth);
  Status ReadArgument(Operation* operation, int depth);
  Status ReadType(Operation* operation);
  Status ReadConstantValue(Operation* operation);
  Status ReadNamedOperand(Operation* operation, int depth);
  Status CheckValueName(std::string_view name, size_t offset) const;
  StatusOr<Expression> ReadItem();

  Cursor& cursor_;
  const Accelerator& accelerator_;
  const Instruction& instruction_;
  const NameTable& names_;
  SemanticsBuilder builder_;
  std::map<std::string, int32_t, std::less<>> values_;
  std::set<std::string, std::less<>> bad_;
  std::string statement_;  // the value being defined
  size_t statement_offset_ = 0;
  int nested_ = 0;  // inner values of the statement
  bool uses_bad_ = false;
  bool any_ = false;
};

// Whether a value may have this name: no attribute, state or element type hides it.
bool IsFreeValueName(const NameTable& names, std::string_view name);

}  // namespace act::isa
