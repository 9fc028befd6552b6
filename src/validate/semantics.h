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
  // max_value_bytes: no value of a semantics may be larger. max_work_bytes: nor may the values that were
  // worked out (not found again) be together. Beyond either a kLimit failure.
  Semantics(TermTable* terms, int64_t max_value_bytes, int64_t max_work_bytes);

  // An instruction at concrete attributes. The pointer lives until the next call.
  struct Prepared {
    InstructionId instruction;
    int64_t id = 0;  // distinct for distinct attributes
    isa::Instance instance;
    std::vector<bool> needed;  // nodes that an output depends on
  };
  StatusOr<const Prepared*> Prepare(InstructionId instruction, std::span<const int64_t> computational,
                                    std::span<const int64_t> state);
  // inputs: the contents of the input regions. Inputs that no output depends on are not looked at.
  StatusOr<Applied> Apply(const Prepared& prepared, std::span<const ContentId> inputs);

 private:
  StatusOr<ContentId> Evaluate(InstructionId instruction, const hlo::Computation& body,
                               const hlo::Instruction& node, std::span<const ContentId> values,
                               std::optional<UndefinedUse>* undefined);
  StatusOr<ContentId> Leaf(const hlo::Instruction& node);

  TermTable* terms_;
  int64_t max_value_bytes_;
  int64_t max_work_bytes_;
  int64_t work_bytes_ = 0;
  int64_t next_id_ = 0;
  std::map<std::vector<int64_t>, Prepared> prepared_;
  std::vector<bool> depends_on_state_;  // by instruction
  // Results by prepared id and inputs: equal calls are worked out once.
  SequenceTable<int64_t> applications_;
  std::vector<std::vector<ContentId>> application_outputs_;
};

// True iff what the instruction does to data depends on state: its semantics, or a region's size.
bool DependsOnState(const isa::Instruction& instruction);

}  // namespace act::validate
