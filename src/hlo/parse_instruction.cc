// One instruction of HLO text.
//
// Three forms that the text allows do not exist in the module and are rewritten as they are read:
//   broadcast that stretches a dimension of size 1   -> reshape without it, broadcast  (with a warning)
//   clamp with scalar bounds on an array             -> broadcast of the bounds, clamp
//   select with a scalar condition on arrays         -> broadcast of the condition, select
#include <algorithm>
#include <limits>

#include "hlo/reader.h"
#include "hlo/rewrite.h"
#include "hlo/verify.h"

namespace act::hlo {
namespace {

std::string Quote(std::string_view name) { return "'" + std::string(name) + "'"; }

}  // namespace

void Reader::AddInstruction(Scope* scope, Instruction instruction, size_t offset) {
  instruction.location = source_.LocationAt(offset);
  scope->computation.instructions.push_back(std::move(instruction));
  scope->offsets.push_back(offset);
}

bool Reader::ReadOperand(Scope* scope, Instruction* instruction, bool* operands_known) {
  const size_t shape_offset = lexer_.offset();
  Shape declared;
  const bool has_shape = AtShape();
  if (has_shape && !ReadShape(&declared)) return false;
  const size_t offset = lexer_.offset();
  const std::string_view name = lexer_.Name();
  if (name.empty()) return Expected("an operand's name");
  if (lexer_.Peek() == '(') {
    return Fail(ErrorClass::kNotImplemented, "hlo-nested",
                "the operand " + Quote(name) + " is an operation of its own; give it a line and a name",
                offset);
  }
  const auto found = scope->names.find(name);
  if (found == scope->names.end()) {
    return ValueError("hlo-name", "the operand " + Quote(name) + " is not defined before this line", offset);
  }
  if (found->second.index < 0) {
    *operands_known = false;
    return true;
  }
  instruction->operands.push_back(found->second.index);
  if (!has_shape) return true;
  const Shape& actual = scope->computation.instructions[static_cast<size_t>(found->second.index)].shape;
  if (SameTypeAndDims(declared, actual)) return true;
  return ValueError("hlo-shape",
                    "the operand " + Quote(name) + " is written as " + ToString(declared) + ", but it is " +
                        ToString(actual),
                    shape_offset);
}

bool Reader::ReadConstantOperand(Instruction* instruction) {
  if (instruction->shape.type == ElementType::kInvalid) {
    return ValueError("hlo-constant", "a constant needs its shape in front of 'constant'", lexer_.offset());
  }
  const size_t start = lexer_.offset();
  if (instruction->shape.is_tuple()) {
    if (!ReadConstant(instruction->shape, nullptr)) return false;
    instruction->opcode = Opcode::kOther;
    instruction->raw.push_back(
        {"literal", std::string(lexer_.text().substr(start, lexer_.end_of_last() - start))});
    return true;
  }
  auto literal = std::make_shared<Literal>();
  if (!ReadConstant(instruction->shape, literal.get())) return false;
  instruction->literal = std::move(literal);
  return true;
}

bool Reader::ReadOperands(Scope* scope, Instruction* instruction, bool* operands_known) {
  if (!lexer_.Accept("(")) return Expected("'(' and the operands of " + Quote(instruction->opcode_name));
  if (instruction->opcode == Opcode::kParameter) {
    const size_t offset = lexer_.offset();
    if (!ReadInteger(&instruction->parameter_number, "the parameter's number")) return false;
    if (instruction->parameter_number < 0 ||
        instruction->parameter_number > std::numeric_limits<int32_t>::max()) {
      return ValueError("hlo-parameter", "a parameter's number counts from 0", offset);
    }
  } else if (instruction->opcode == Opcode::kConstant) {
    if (!ReadConstantOperand(instruction)) return false;
  } else if (lexer_.Peek() != ')') {
    do {
      if (!ReadOperand(scope, instruction, operands_known)) return false;
    } while (lexer_.Accept(","));
  }
  return lexer_.Accept(")") || Expected("',' or ')' in the operands of " + Quote(instruction->opcode_name));
}

bool Reader::RewriteStretchingBroadcast(Scope* scope, Instruction* instruction, size_t offset) {
  const Instruction& operand = scope->computation.instructions[static_cast<size_t>(instruction->operands[0])];
  const Shape& to = instruction->shape;
  if (instruction->dimensions.size() != operand.shape.dims.size()) return true;
  Instruction reshape;
  std::vector<int64_t> kept;
  for (size_t i = 0; i < instruction->dimensions.size(); ++i) {
    const int64_t dim = instruction->dimensions[i];
    if (dim < 0 || dim >= to.rank()) return true;
    if (operand.shape.dims[i] == 1 && to.dims[static_cast<size_t>(dim)] != 1) continue;
    kept.push_back(dim);
    reshape.shape.dims.push_back(operand.shape.dims[i]);
  }
  if (kept.size() == instruction->dimensions.size()) return true;
  if (!options_.allow_stretching_broadcast) {
    return ValueError("hlo-stretching-broadcast",
                      "'broadcast' does not stretch a dimension of size 1 (" + Quote(operand.name) + " is " +
                          ToString(operand.shape) + "); reshape it away first",
                      offset);
  }
  Warn("hlo-stretching-broadcast",
       "'broadcast' of " + Quote(operand.name) +
           " stretches a dimension of size 1, which HLO does not have; read as reshape and broadcast",
       offset);
  reshape.name = instruction->name + ".reshape";
  reshape.opcode = Opcode::kReshape;
  reshape.opcode_name = OpcodeName(Opcode::kReshape);
  reshape.shape.type = operand.shape.type;
  reshape.operands = instruction->operands;
  instruction->operands = {static_cast<int32_t>(scope->computation.instructions.size())};
  instruction->dimensions = std::move(kept);
  scope->unnamed.push_back(instruction->operands[0]);
  AddInstruction(scope, std::move(reshape), offset);
  return true;
}

bool Reader::Rewrite(Scope* scope, Instruction* instruction, size_t offset) {
  const auto shape_of = [&](size_t operand) -> const Shape& {
    return scope->computation.instructions[static_cast<size_t>(instruction->operands[operand])].shape;
  };
  const size_t count = instruction->operands.size();
  if (instruction->opcode == Opcode::kBroadcast && count == 1 && shape_of(0).is_array() &&
      instruction->shape.is_array()) {
    return RewriteStretchingBroadcast(scope, instruction, offset);
  }
  for (Instruction& broadcast : BroadcastScalarOperands(scope->computation.instructions, instruction)) {
    scope->unnamed.push_back(static_cast<int32_t>(scope->computation.instructions.size()));
    AddInstruction(scope, std::move(broadcast), offset);
  }
  return true;
}

// The type= of a compare repeats what its operands' element type says; TOTALORDER is for floats.
void Reader::CheckComparisonType(const Scope& scope, const Instruction& instruction, size_t offset) {
  if (instruction.opcode != Opcode::kCompare || comparison_type_.empty()) return;
  const ElementType type =
      scope.computation.instructions[static_cast<size_t>(instruction.operands[0])].shape.type;
  std::string_view fits = "UNSIGNED";
  if (IsFloat(type) || IsComplex(type)) fits = "FLOAT";
  if (IsSignedInteger(type)) fits = "SIGNED";
  if (comparison_type_ == fits || (instruction.total_order && IsFloat(type))) return;
  ValueError("hlo-attribute",
             "the comparison type " + comparison_type_ + " does not go with " +
                 std::string(ElementTypeName(type)) + "; leave it out",
             offset);
}

// Infers the shape, and reports a clash with the declared one.
bool Reader::CheckShape(Scope* scope, Instruction* instruction, size_t offset) {
  for (int32_t called : instruction->called) {
    if (called < 0) {
      // A computation that could not be read.
      scope->broken = true;
      return instruction->shape.type != ElementType::kInvalid;
    }
  }
  StatusOr<Shape> inferred = InferFromOperands(*instruction, scope->computation, &module_);
  if (!inferred.ok()) {
    Diagnostic d = inferred.status().front();
    return Fail(d.error_class, d.code, std::move(d.message), offset);
  }
  CheckComparisonType(*scope, *instruction, offset);
  if (instruction->shape.type == ElementType::kInvalid) {
    inferred_members_ += CountMembers(*inferred);
    if (inferred_members_ > kMostInferredMembers) {
      return Fail(ErrorClass::kLimit, "hlo-tuple-size",
                  "the tuple shapes that are left out have more than " +
                      std::to_string(kMostInferredMembers) + " members; write the shapes",
                  offset);
    }
    instruction->shape = std::move(*inferred);
  } else if (!SameTypeAndDims(instruction->shape, *inferred)) {
    return ValueError("hlo-shape",
                      Quote(instruction->name) + " is declared as " + ToString(instruction->shape) +
                          ", but its '" + instruction->opcode_name + "' gives " + ToString(*inferred),
                      offset);
  }
  return true;
}

bool Reader::ReadInstructionBody(Scope* scope, Instruction* instruction, bool* operands_known) {
  if (lexer_.PeekWord().empty() && lexer_.Peek() != '(') return Expected("a shape or an operation");
  if (AtShape() && !ReadShape(&instruction->shape)) return false;
  instruction->opcode_name = lexer_.Word();
  if (instruction->opcode_name.empty()) return Expected("an operation");
  instruction->opcode = OpcodeFromName(instruction->opcode_name).value_or(Opcode::kOther);
  if (!ReadOperands(scope, instruction, operands_known)) return false;
  // A reduce of several arrays at once is read like an operation that is not known.
  if (instruction->opcode == Opcode::kReduce &&
      (instruction->operands.size() > 2 || instruction->shape.is_tuple())) {
    instruction->opcode = Opcode::kOther;
  }
  return ReadAttributes(instruction);
}

bool Reader::ReadInstruction(Scope* scope) {
  bool is_root = false;
  if (lexer_.PeekWord() == "ROOT" && lexer_.PeekBehindWord() != '=') {
    lexer_.Word();
    is_root = true;
  }
  const size_t offset = lexer_.offset();
  Instruction instruction;
  instruction.name = lexer_.Name();
  if (instruction.name.empty()) return Expected("an instruction ('NAME = SHAPE OPERATION(...)') or '}'");
  if (!lexer_.Accept("=")) return Expected("'=' behind the name " + Quote(instruction.name));
  if (is_root && scope->root_seen) {
    return ValueError("hlo-root", Quote(instruction.name) + " is marked ROOT, but so is an earlier line",
                      offset);
  }
  bool operands_known = true;
  const bool read = ReadInstructionBody(scope, &instruction, &operands_known);
  const std::string name = instruction.name;
  const auto earlier = scope->names.find(name);
  if (earlier != scope->names.end()) {
    if (read) {
      const SourceLocation place = source_.LocationAt(earlier->second.offset);
      ValueError("hlo-name", Quote(name) + " is defined twice; first in line " + std::to_string(place.line),
                 offset);
      scope->broken = true;
    }
    return read;
  }
  // A shape that does not fit may be the fault of either side: what uses it is not checked.
  const bool fits = !read || !operands_known ||
                    (Rewrite(scope, &instruction, offset) && CheckShape(scope, &instruction, offset));
  scope->broken = scope->broken || !read || !operands_known || !fits;
  if (!fits || instruction.shape.type == ElementType::kInvalid) {
    scope->names.emplace(name, Named{-1, offset});
    return read;
  }
  if (!read || !operands_known) {
    // Its shape is known: what uses it can be checked.
    instruction.opcode = Opcode::kOther;
    instruction.operands.clear();
    instruction.called.clear();
  }
  const auto index = static_cast<int32_t>(scope->computation.instructions.size());
  if (instruction.opcode == Opcode::kReduce && instruction.called.size() == 1 && instruction.called[0] >= 0) {
    instruction.reducer = RecogniseReducer(module_.computations[static_cast<size_t>(instruction.called[0])]);
  }
  if (is_root) {
    scope->computation.root = index;
    scope->root_seen = true;
  }
  scope->names.emplace(name, Named{index, offset});
  AddInstruction(scope, std::move(instruction), offset);
  return read;
}

}  // namespace act::hlo
