// Applies an instruction's semantics to contents.
#pragma once
#include <map>
#include <vector>

#include "validate/terms.h"

namespace act::validate {

// An operation that would consume an undefined byte.
struct UndefinedUse {
  std::string operation;  // HLO name
  ByteOf byte;
};
struct Applied {
  std::vector<ContentId> outputs;         // one each output of the semantics; empty if `undefined`
  std::optional<UndefinedUse> undefined;  // the first use, in the order of the semantics
};

class Semantics {
 public:
  // max_value_bytes: no value of a semantics may be larger; beyond it a kLimit failure.
  Semantics(TermTable* terms, int64_t max_value_bytes) : terms_(terms), max_value_bytes_(max_value_bytes) {}

  // The instruction at these attributes; parsed shapes and all are kept. The reference lives until the next
  // call.
  StatusOr<const isa::Instance*> InstanceOf(InstructionId instruction, std::span<const int64_t> computational,
                                            std::span<const int64_t> state);
  // inputs: the contents of the input regions. Inputs that no output depends on are not looked at.
  StatusOr<Applied> Apply(InstructionId instruction, const isa::Instance& instance,
                          std::span<const ContentId> inputs);

 private:
  StatusOr<ContentId> Evaluate(InstructionId instruction, const hlo::Computation& body,
                               const hlo::Instruction& node, std::span<const ContentId> values,
                               std::optional<UndefinedUse>* undefined);
  StatusOr<ContentId> Leaf(const hlo::Instruction& node);

  TermTable* terms_;
  int64_t max_value_bytes_;
  std::map<std::vector<int64_t>, isa::Instance> instances_;
};

// True iff what the instruction does to data depends on state: its semantics, or a region's size.
bool DependsOnState(const isa::Instruction& instruction);

}  // namespace act::validate
