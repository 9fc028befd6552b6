// The reader of HLO text, one object a text. Internal to this folder: hlo/parse.h is its public face.
//
// Faults do not stop the reading: a statement that fails is skipped to its end, and what it would have
// defined is kept as a placeholder, so that one fault gives one message.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/infer.h"
#include "hlo/lexer.h"
#include "hlo/module.h"
#include "hlo/parse.h"

namespace act::hlo {

class Reader {
 public:
  Reader(const SourceText& source, const ParseOptions& options, std::vector<Diagnostic>* warnings)
      : source_(source), options_(options), warnings_(warnings), lexer_(source.text()) {}
  StatusOr<Module> Read();

 private:
  static constexpr size_t kMostErrors = 20;
  static constexpr int64_t kMostLiteralBytes = int64_t{1} << 30;
  // Members of all tuple shapes that the text leaves out.
  static constexpr int64_t kMostInferredMembers = 1000000;

  // A name of the computation being read. A broken one could not be read: its shape is not known.
  struct Named {
    int32_t index = -1;  // instruction; -1: broken
    size_t offset = 0;
  };
  // The tools of one computation.
  struct Scope {
    Computation computation;
    std::map<std::string, Named, std::less<>> names;
    std::vector<size_t> offsets;  // of each instruction
    bool broken = false;          // an instruction could not be read
    bool root_seen = false;
    std::vector<int32_t> unnamed;  // instructions that this reader adds: named at the end
  };
  struct ComputationHead {
    bool has_program_shape = false;
    size_t offset = 0;
    std::vector<Shape> parameters;
    Shape result;
  };

  // Errors. All return false, so that a reader may return what they return.
  bool Fail(ErrorClass error_class, std::string_view code, std::string message, size_t offset);
  bool SyntaxError(std::string message, size_t offset);
  bool ValueError(std::string_view code, std::string message, size_t offset);
  bool Expected(std::string_view what);  // "expected WHAT, found ..." at the next token
  bool TooManyErrors() const { return errors_.size() >= kMostErrors; }
  void Warn(std::string_view code, std::string message, size_t offset);

  // parse.cc
  bool ReadHeader();
  bool ReadEntryLayout();
  bool ReadTable();
  void ReadComputation();
  bool ReadComputationHead(Scope* scope, ComputationHead* head);
  void ReadBody(Scope* scope);
  void CloseComputation(Scope* scope, const ComputationHead& head);
  void CheckParameterNumbers(Scope* scope);
  void CheckModule();
  void CheckHeaderAgainstEntry(const Computation& entry);
  void SkipStatement(size_t start);
  void SkipComputation();

  // parse_shape.cc
  bool AtShape();  // the next word is an element type with its bracket, or a tuple
  bool ReadShape(Shape* shape, int depth = 0);
  bool ReadArrayShape(Shape* shape);
  bool ReadDimensions(Shape* shape);
  bool AtLayout();
  bool ReadLayout(Shape* shape);
  bool ReadTiles(Layout* layout);

  // parse_literal.cc
  // Reads a value of `shape` (arrays and tuples). literal: null for tuples.
  bool ReadConstant(const Shape& shape, Literal* literal, int depth = 0);
  bool ReadArrayValue(const Shape& shape, size_t dim, Literal* scalar, std::vector<uint8_t>* bytes);
  bool ReadElement(Literal* scalar, std::vector<uint8_t>* bytes);
  bool ReadRealElement(ElementType type, Literal* scalar, std::vector<uint8_t>* bytes);
  bool ReadIntegerElement(ElementType type, Literal* scalar);
  bool ReadFloatElement(ElementType type, Literal* scalar);

  // parse_instruction.cc
  bool ReadInstruction(Scope* scope);
  bool ReadInstructionBody(Scope* scope, Instruction* instruction, bool* operands_known);
  bool ReadOperands(Scope* scope, Instruction* instruction, bool* operands_known);
  bool ReadOperand(Scope* scope, Instruction* instruction, bool* operands_known);
  bool ReadConstantOperand(Instruction* instruction);
  void AddInstruction(Scope* scope, Instruction instruction, size_t offset);
  bool CheckShape(Scope* scope, Instruction* instruction, size_t offset);
  void CheckComparisonType(const Scope& scope, const Instruction& instruction, size_t offset);
  // Rewrites forms that HLO text allows and the module does not: see parse_instruction.cc.
  bool Rewrite(Scope* scope, Instruction* instruction, size_t offset);
  bool RewriteStretchingBroadcast(Scope* scope, Instruction* instruction, size_t offset);

  // parse_attribute.cc
  bool ReadAttributes(Instruction* instruction);
  bool ReadKnownAttribute(std::string_view name, size_t offset, Instruction* instruction, bool* known);
  bool ReadRawAttribute(std::string_view name, std::vector<RawAttribute>* raw);
  bool ResolveCalled(const RawAttribute& attribute, size_t offset, Instruction* instruction);
  bool ReadIntegerList(std::vector<int64_t>* values);
  bool ReadInteger(int64_t* value, std::string_view what);
  bool ReadSliceList(std::vector<SliceDim>* slice);
  bool ReadPadding(std::vector<PadDim>* padding);
  bool ReadDirection(Direction* direction);
  bool ReadComparisonType(Instruction* instruction);
  bool ReadCalledComputation(std::vector<int32_t>* called);
  bool FindComputation(std::string_view name, size_t offset, std::vector<int32_t>* called);

  const SourceText& source_;
  const ParseOptions& options_;
  std::vector<Diagnostic>* warnings_;
  Lexer lexer_;
  Module module_;
  std::vector<Diagnostic> errors_;
  // Computation by name; -1: it could not be read.
  std::map<std::string, int32_t, std::less<>> computations_;
  bool has_entry_layout_ = false;
  bool entry_layout_broken_ = false;
  size_t entry_layout_offset_ = 0;
  std::vector<size_t> parameter_shape_offsets_;
  size_t result_shape_offset_ = 0;
  int64_t inferred_members_ = 0;
  // The type= of the compare being read, checked with its operands' type; empty: none.
  std::string comparison_type_;
};

}  // namespace act::hlo
