// Internal: makes semantic nodes from operations as the texts name them. Both text forms build through this.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/accelerator.h"
#include "isa/cursor.h"

namespace act::isa {

// What element types an operation takes.
enum class TypeRule : uint8_t {
  kAny,
  kNotPred,
  kIntFloat,
  kIntFloatPred,
  kInt,
  kIntPred,
  kSignedFloat,
  kFloat
};
bool TypeFits(TypeRule rule, ElementType type);
std::string_view TypeRuleText(TypeRule rule);

struct OperationInfo {
  hlo::Opcode opcode = hlo::Opcode::kOther;
  TypeRule types = TypeRule::kAny;
  int min_operands = 1;
  int max_operands = 1;  // -1: any number
};
// How a text may name an operation beyond HLO's names.
enum class Special : uint8_t { kNone, kReduceShort, kSelectLess, kSelectEqualVar };
struct OperationName {
  OperationInfo info;
  Special special = Special::kNone;
  hlo::Reducer reducer = hlo::Reducer::kAdd;  // kReduceShort
};
// name: words joined by '_' or '-'.
std::optional<OperationName> FindOperation(std::string_view name);
OperationInfo InfoOf(hlo::Opcode opcode);
// "add", "max", ...: the words of reduce_<word> and of to_apply.
std::string_view ReducerWord(hlo::Reducer reducer);
std::optional<hlo::Reducer> ReducerFromWord(std::string_view word);
TypeRule ReducerTypes(hlo::Reducer reducer);

// One operation as written.
struct Operand {
  int32_t node = -1;
  std::optional<Expression> expression;  // an integer in an operand's place
  size_t offset = 0;
};
struct ConstantItem {
  enum class Kind : uint8_t { kInteger, kFloat, kExpression };
  Kind kind = Kind::kInteger;
  bool negative = false;  // kInteger: sign and magnitude, so that every u64 can be written
  uint64_t magnitude = 0;
  double number = 0;  // kFloat; with is_bool: 0 or 1
  bool is_bool = false;
  Expression expression;
  size_t offset = 0;
};
struct OperationAttribute {
  std::string name;  // as HLO names it: "dimensions"
  size_t offset = 0;
  std::vector<Expression> items;
  std::vector<SymbolicSlice> ranges;  // of {[a:b:c], ...}
  std::vector<bool> has_step;         // one a range
  bool is_ranges = false;
  std::string word;  // of name=word
};
struct Operation {
  std::string result;  // may be empty
  std::string op;
  size_t offset = 0;  // of the whole statement
  size_t op_offset = 0;
  std::optional<ElementType> type;
  std::optional<std::vector<Expression>> dims;
  std::vector<Operand> operands;
  std::vector<ConstantItem> items;  // of constant
  std::vector<OperationAttribute> attributes;
};

class SemanticsBuilder {
 public:
  // names: for messages and checks. All must outlive the builder.
  SemanticsBuilder(const SourceText& source, const std::string& instruction_name)
      : source_(source), instruction_(instruction_name) {}

  // The inputs' types and shapes are not known: nothing that depends on them is a failure.
  void set_waiting(bool waiting) { waiting_ = waiting; }
  int32_t AddParameter(int32_t number, std::string name, ElementType type, std::vector<Expression> dims,
                       SourceLocation location);
  SemanticNode& node(int32_t index) { return semantics_.nodes[static_cast<size_t>(index)]; }
  size_t size() const { return semantics_.nodes.size(); }
  // Adds the nodes of one operation; the index of its value. Failures are those of a reading call; what only
  // disagrees in types or shapes goes to faults() and the declared type stands.
  StatusOr<int32_t> Add(const Operation& operation);
  void AddFault(std::string code, std::string message, size_t offset);
  std::vector<Diagnostic>& faults() { return faults_; }
  // T[1] constants that are only used as scalars become scalars.
  Semantics Finish(std::vector<int32_t> outputs);

  Status SyntaxError(std::string code, std::string message, size_t offset) const;
  Status ValueError(std::string code, std::string message, size_t offset) const;

 private:
  Status AddStarts(const Operation& operation, const OperationName& name, SemanticNode* node);
  Status ReadConstant(const Operation& operation, SemanticNode* node);
  Status ReadAttributes(const Operation& operation, const OperationName& name, SemanticNode* node);
  Status Literals(const OperationAttribute& attribute, std::vector<int64_t>* values) const;
  void CheckTypes(const Operation& operation, const OperationName& name, const SemanticNode& node);
  Status Complete(const Operation& operation, const OperationName& name, SemanticNode* node);
  std::string Where(const Operation& operation) const;
  Diagnostic Make(ErrorClass error_class, std::string code, std::string message, size_t offset) const;

  const SourceText& source_;
  const std::string& instruction_;
  Semantics semantics_;
  std::vector<Diagnostic> faults_;
  bool waiting_ = false;
};

// An inferred extent longer than this has to be written out.
inline constexpr size_t kMaxInferredNodes = 512;
// The dimensions `node` must have, from its operands and attributes, in a fixed form. nullopt where they do
// not follow (constant, iota, reshape, broadcast) or depend on an attribute; a failure where the operands do
// not fit for any value of the attributes.
StatusOr<std::optional<std::vector<Expression>>> InferDims(const SemanticNode& node,
                                                           const std::vector<SemanticNode>& nodes);
// The element type `node` must have; kInvalid where it is free (constant, iota, convert, bitcast-convert).
ElementType InferType(const SemanticNode& node, const std::vector<SemanticNode>& nodes);

// The value of a float constant as its type holds it: rounded once.
double RoundToType(double value, ElementType type);

}  // namespace act::isa
