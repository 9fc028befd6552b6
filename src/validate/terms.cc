#include "validate/terms.h"

#include <algorithm>

namespace act::validate {
namespace {

constexpr int kMaxDepth = 3;  // of operations in a message

std::string HexByte(int64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "0x";
  text += kDigits[(value >> 4) & 15];
  text += kDigits[value & 15];
  return text;
}

// A key in operations_: opcode, type, number of dims, dims, number of operands, then type, content, number of
// dims, dims of each operand, then the operation's own attributes.
void AppendList(std::vector<int64_t>* key, std::span<const int64_t> list) {
  key->push_back(static_cast<int64_t>(list.size()));
  key->insert(key->end(), list.begin(), list.end());
}

// The operands' contents, read back from a key.
std::vector<ContentId> OperandsOf(std::span<const int64_t> key) {
  size_t at = 2;
  at += static_cast<size_t>(key[at]) + 1;
  std::vector<ContentId> operands(static_cast<size_t>(key[at++]));
  for (ContentId& operand : operands) {
    operand = ContentId(static_cast<uint32_t>(key[at + 1]));
    at += 3 + static_cast<size_t>(key[at + 2]);
  }
  return operands;
}

bool CommutesExactly(const hlo::Instruction& instruction, std::span<const OperandKey> operands) {
  // Of two NaNs a float operation may hand on the first one's bits, so only integers are reordered.
  return operands.size() == 2 && hlo::IsCommutative(instruction.opcode) &&
         (IsInteger(operands[0].type) || operands[0].type == ElementType::kPred) &&
         operands[0].type == operands[1].type;
}

}  // namespace

TermTable::TermTable(const isa::Accelerator& accelerator) : accelerator_(&accelerator) {
  terms_.push_back({Term::Kind::kLiteral, 0, 0, 0, InstructionId()});
}

TermId TermTable::Input(int64_t index, int64_t bytes) {
  const auto [it, added] = inputs_.try_emplace(index, static_cast<TermId>(terms_.size()));
  if (added) terms_.push_back({Term::Kind::kInput, index, bytes, 0, InstructionId()});
  return it->second;
}

TermId TermTable::Undefined(BufferId buffer) {
  const TermId next = static_cast<TermId>(undefined_.size()) | kUndefinedFlag;
  const auto [it, added] = buffers_.try_emplace(buffer.value(), next);
  if (added) undefined_.push_back({Term::Kind::kUndefined, buffer.value(), 0, 0, InstructionId()});
  return it->second;
}

TermId TermTable::Dead(int64_t call) {
  const TermId next = static_cast<TermId>(undefined_.size()) | kUndefinedFlag;
  const auto [it, added] = dead_.try_emplace(call, next);
  if (added) undefined_.push_back({Term::Kind::kDead, call, 0, 0, InstructionId()});
  return it->second;
}

TermId TermTable::Operation(const hlo::Instruction& instruction, std::span<const OperandKey> operands,
                            InstructionId origin) {
  const bool elementwise = hlo::IsElementwise(instruction.opcode);
  std::vector<OperandKey> sorted(operands.begin(), operands.end());
  if (CommutesExactly(instruction, operands) && sorted[1].content < sorted[0].content) {
    std::swap(sorted[0], sorted[1]);
  }
  std::vector<int64_t> key = {static_cast<int64_t>(instruction.opcode),
                              static_cast<int64_t>(instruction.shape.type)};
  AppendList(&key, elementwise ? std::span<const int64_t>() : std::span(instruction.shape.dims));
  key.push_back(static_cast<int64_t>(sorted.size()));
  for (const OperandKey& operand : sorted) {
    key.push_back(static_cast<int64_t>(operand.type));
    key.push_back(operand.content.value());
    AppendList(&key, elementwise ? std::span<const int64_t>() : operand.dims);
  }
  AppendList(&key, instruction.dimensions);
  AppendList(&key, instruction.dynamic_slice_sizes);
  AppendList(&key, instruction.dot.lhs_contracting);
  AppendList(&key, instruction.dot.rhs_contracting);
  AppendList(&key, instruction.dot.lhs_batch);
  AppendList(&key, instruction.dot.rhs_batch);
  key.push_back(static_cast<int64_t>(instruction.direction));
  key.push_back(instruction.total_order ? 1 : 0);
  key.push_back(instruction.reducer ? static_cast<int64_t>(*instruction.reducer) : -1);
  const uint32_t id = operations_.Intern(key);
  if (id == operation_terms_.size()) {
    operation_terms_.push_back(static_cast<TermId>(terms_.size()));
    terms_.push_back({Term::Kind::kOperation, 0, instruction.shape.num_bytes().value_or(0), id, origin});
  }
  return operation_terms_[id];
}

void TermTable::NameContent(ContentId content, const std::string& name) {
  if (name.empty()) return;
  content_names_.try_emplace(content.value(), name);
  const std::span<const Piece> pieces = contents_.pieces(content);
  if (pieces.size() != 1) return;
  const Piece& piece = pieces[0];
  if (piece.term == kLiteralTerm || IsUndefined(piece.term) || piece.count != 1 || piece.offset != 0) return;
  if (piece.length == term(piece.term).bytes) term_names_.try_emplace(piece.term, name);
}

const std::string* TermTable::NameOf(ContentId content) const {
  const auto it = content_names_.find(content.value());
  return it == content_names_.end() ? nullptr : &it->second;
}

void TermTable::NameInput(int64_t index, const std::string& name) {
  if (!name.empty()) input_names_.try_emplace(index, name);
}

std::string TermTable::Describe(TermId term_id) const { return DescribeTerm(term_id, 0); }
std::string TermTable::Describe(ContentId content) const { return DescribeContent(content, 0); }

std::string TermTable::Describe(const ByteOf& byte) const {
  if (byte.term == kLiteralTerm) return "the constant byte " + HexByte(byte.offset);
  const Term& t = term(byte.term);
  if (t.kind == Term::Kind::kUndefined) {
    const isa::Buffer& buffer = accelerator_->buffers[static_cast<size_t>(t.index)];
    std::string text = buffer.name + " byte " + std::to_string(byte.offset);
    const int64_t unit = buffer.UnitBytes();
    if (unit > 1) text += " (unit " + std::to_string(byte.offset / unit) + ")";
    return text + ", which nothing has written";
  }
  if (t.kind == Term::Kind::kDead) {
    return "an operand that call " + std::to_string(t.index) + " destroyed in place";
  }
  return "byte " + std::to_string(byte.offset) + " of " + DescribeTerm(byte.term, 0);
}

std::string TermTable::DescribeTerm(TermId term_id, int depth) const {
  const Term& t = term(term_id);
  switch (t.kind) {
    case Term::Kind::kLiteral:
      return "a constant";
    case Term::Kind::kInput: {
      if (const auto name = term_names_.find(term_id); name != term_names_.end()) return name->second;
      const auto it = input_names_.find(t.index);
      return it == input_names_.end() ? "input " + std::to_string(t.index) : it->second;
    }
    case Term::Kind::kUndefined:
    case Term::Kind::kDead:
      return "undefined bytes";
    case Term::Kind::kOperation:
      break;
  }
  const std::span<const int64_t> key = operations_[t.key];
  std::string text;
  if (const auto name = term_names_.find(term_id); name != term_names_.end()) {
    if (depth > 0) return name->second;
    text = name->second + " = ";
  }
  if (t.origin.valid()) text += accelerator_->instruction(t.origin).name + ".";
  text += hlo::OpcodeName(static_cast<hlo::Opcode>(key[0]));
  if (depth >= kMaxDepth) return text + "(...)";
  text += "(";
  bool first = true;
  for (const ContentId operand : OperandsOf(key)) {
    if (!first) text += ", ";
    first = false;
    text += DescribeContent(operand, depth + 1);
  }
  return text + ")";
}

std::string TermTable::DescribeContent(ContentId content, int depth) const {
  if (const std::string* name = NameOf(content)) return *name;
  const std::span<const Piece> pieces = contents_.pieces(content);
  if (pieces.empty()) return "nothing";
  // The distinct terms, in order of appearance; more than a few are cut.
  std::vector<TermId> terms;
  for (const Piece& p : pieces) {
    if (terms.size() > 2) break;
    if (std::find(terms.begin(), terms.end(), p.term) == terms.end()) terms.push_back(p.term);
  }
  const Piece& head = pieces[0];
  if (pieces.size() == 1 && head.term == kLiteralTerm) return "a constant";
  if (pieces.size() == 1 && head.count == 1) {
    std::string whole = DescribeTerm(head.term, depth);
    if (head.offset == 0 && head.length == term(head.term).bytes) return whole;
    return "bytes " + std::to_string(head.offset) + "-" + std::to_string(head.offset + head.length - 1) +
           " of " + whole;
  }
  if (terms.size() == 1) return "rearranged bytes of " + DescribeTerm(terms[0], depth);
  std::string text = "bytes of ";
  for (size_t i = 0; i < terms.size() && i < 2; ++i) {
    if (i > 0) text += terms.size() > 2 ? ", " : " and ";
    text += DescribeTerm(terms[i], depth);
  }
  if (terms.size() > 2) text += " and others";
  return text;
}

}  // namespace act::validate
