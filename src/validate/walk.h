// Runs a program on contents.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "assembly/assembly.h"
#include "validate/memory.h"
#include "validate/semantics.h"
#include "validate/validate.h"

namespace act::validate {

class Walker {
 public:
  // names: what the names beside operands and results stand for; null: nothing is known of them.
  Walker(const assembly::Program& program, TermTable* terms, Semantics* semantics,
         const std::map<std::string, ContentId>* names);

  // The whole body; fails at the first call that may not be made. Then: every input holds its own bytes and
  // no output holds an undefined one.
  Status Run(const ValidateOptions& options);
  // After Run.
  ContentId Output(size_t k);
  Status CheckOutput(size_t k, ContentId expected);
  int64_t calls() const { return static_cast<int64_t>(executed_.size()); }

 private:
  struct Executed {
    const assembly::Call* call;
    size_t addressing;  // first value in addressing_
  };

  Status RunAll(const std::vector<assembly::Statement>& statements);
  Status RunCall(const assembly::Call& call);
  Status Execute(const assembly::Call& call, std::span<const int64_t> addressing);
  Status Update(const isa::Instruction& instruction, const assembly::Call& call);
  Status CheckInside(const isa::Box& box, const std::vector<isa::ByteRange>& ranges) const;
  Status Undefined(const isa::Instruction& instruction, const UndefinedUse& use,
                   std::span<const isa::Box> boxes, std::span<const ContentId> inputs) const;
  Status CheckName(const std::string& name, ContentId content, const std::string& what) const;
  Status CheckInput(size_t i);
  Status CheckDefined(size_t k);

  // "call 4, gemm(addr_1 = 0, addr_2 = 64, addr_out = 0)"
  std::string CallText(int64_t index) const;
  std::string WriterText(const Memory& memory, int64_t byte) const;
  ContentId ReadTensor(int64_t address, const Shape& shape) const;
  std::string PlaceText(const assembly::HbmTensor& tensor, const char* what, size_t number,
                        int64_t byte) const;

  const isa::Accelerator& accelerator_;
  const assembly::Program& program_;
  TermTable& terms_;
  Semantics& semantics_;
  const std::map<std::string, ContentId>* names_;
  std::vector<Memory> memories_;  // by BufferId
  std::vector<int64_t> state_;
  std::vector<int64_t> loop_;  // values of the enclosing loops' variables
  std::vector<Executed> executed_;
  std::vector<int64_t> addressing_;
};

}  // namespace act::validate
