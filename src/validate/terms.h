// Terms: hash-consed values. Two terms with one id are the same bytes in every run.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "isa/isa.h"
#include "validate/content.h"

namespace act::validate {

struct Term {
  enum class Kind : uint8_t {
    kLiteral,    // term 0
    kInput,      // kernel input `index`
    kUndefined,  // `index`: of a buffer; byte i of the term is byte i of the buffer before anything wrote it
    kDead,       // operand that executed call `index` destroyed in place
    kOperation,  // `key` in the operation table
  };
  Kind kind = Kind::kOperation;
  int64_t index = 0;
  int64_t bytes = 0;  // kInput, kOperation
  uint32_t key = 0;
  InstructionId origin;  // kOperation: the instruction whose semantics first made it
};

// An operand of an operation: what it is, and how the operation reads it.
struct OperandKey {
  ElementType type = ElementType::kInvalid;
  std::span<const int64_t> dims;  // empty for elementwise operations, which read any shape alike
  ContentId content;
};

class TermTable {
 public:
  explicit TermTable(const isa::Accelerator& accelerator);

  const isa::Accelerator& accelerator() const { return *accelerator_; }
  ContentTable& contents() { return contents_; }
  const ContentTable& contents() const { return contents_; }
  int64_t size() const { return static_cast<int64_t>(terms_.size()); }

  TermId Input(int64_t index, int64_t bytes);
  TermId Undefined(BufferId buffer);
  TermId Dead(int64_t call);
  // The value of an operation that is no data movement. Elementwise operations see flat vectors; integer
  // operations that commute see their operands in one order.
  TermId Operation(const hlo::Instruction& instruction, std::span<const OperandKey> operands,
                   InstructionId origin);
  const Term& term(TermId id) const {
    return IsUndefined(id) ? undefined_[id & ~kUndefinedFlag] : terms_[id];
  }

  // Names for messages: the first one given to a content (or input) stays.
  void NameContent(ContentId content, const std::string& name);
  const std::string* NameOf(ContentId content) const;
  void NameInput(int64_t index, const std::string& name);

  // "gemm.dot(in0, a rearrangement of in1)".
  std::string Describe(TermId term) const;
  std::string Describe(ContentId content) const;
  // One byte: "byte 128 of v6 = gemm.dot(in0, in1)", "the constant byte 0x3f", "d1 byte 8192, never written".
  std::string Describe(const ByteOf& byte) const;

 private:
  std::string DescribeTerm(TermId term, int depth) const;
  std::string DescribeContent(ContentId content, int depth) const;

  const isa::Accelerator* accelerator_;
  ContentTable contents_;
  std::vector<Term> terms_;
  std::vector<Term> undefined_;
  SequenceTable<int64_t> operations_;
  std::vector<TermId> operation_terms_;  // by id in operations_
  std::map<int64_t, TermId> inputs_;
  std::map<int64_t, TermId> buffers_;
  std::map<int64_t, TermId> dead_;
  std::map<uint32_t, std::string> content_names_;  // by ContentId
  std::map<TermId, std::string> term_names_;       // of contents that are one whole term
  std::map<int64_t, std::string> input_names_;
};

}  // namespace act::validate
