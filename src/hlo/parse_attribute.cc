// Attributes of HLO instructions.
#include <algorithm>

#include "hlo/reader.h"

namespace act::hlo {
namespace {

std::string Quote(std::string_view name) { return "'" + std::string(name) + "'"; }

// Kept as text on every operation: they say nothing about the value.
constexpr std::string_view kKeptEverywhere[] = {"metadata",   "frontend_attributes",  "backend_config",
                                                "sharding",   "control-predecessors", "origin",
                                                "statistics", "parameter_replication"};

// Attributes of kOther operations whose values name computations.
constexpr std::string_view kComputationAttributes[] = {"to_apply",
                                                       "calls",
                                                       "condition",
                                                       "body",
                                                       "true_computation",
                                                       "false_computation",
                                                       "branch_computations",
                                                       "select",
                                                       "called_computations",
                                                       "comparator",
                                                       "scatter"};

template <size_t n>
bool Contains(const std::string_view (&list)[n], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// Requests about accuracy, which never make a result wrong.
bool IsAccuracyHint(Opcode opcode, std::string_view name) {
  if (opcode == Opcode::kDot) return name == "operand_precision" || name == "algorithm";
  if (opcode == Opcode::kCall) return name == "is_composite";
  return name == "result_accuracy" && opcode >= Opcode::kAbs && opcode <= Opcode::kTanh;
}

// The attributes without which an operation has no meaning.
std::vector<std::string_view> RequiredAttributes(Opcode opcode) {
  switch (opcode) {
    case Opcode::kTranspose:
    case Opcode::kConcatenate:
    case Opcode::kReverse:
      return {"dimensions"};
    case Opcode::kReduce:
      return {"dimensions", "to_apply"};
    case Opcode::kIota:
      return {"iota_dimension"};
    case Opcode::kSlice:
      return {"slice"};
    case Opcode::kPad:
      return {"padding"};
    case Opcode::kDynamicSlice:
      return {"dynamic_slice_sizes"};
    case Opcode::kCompare:
      return {"direction"};
    case Opcode::kGetTupleElement:
      return {"index"};
    case Opcode::kCall:
      return {"to_apply"};
    default:
      return {};
  }
}

}  // namespace

bool Reader::ReadInteger(int64_t* value, std::string_view what) {
  const size_t offset = lexer_.offset();
  switch (lexer_.Integer(value)) {
    case Lexer::IntegerResult::kOk:
      return true;
    case Lexer::IntegerResult::kNone:
      return Expected(what);
    case Lexer::IntegerResult::kOverflow:
      return ValueError("hlo-integer", "the integer does not fit 64 bits", offset);
  }
  return false;
}

bool Reader::ReadIntegerList(std::vector<int64_t>* values) {
  if (!lexer_.Accept("{")) return Expected("'{' and a list of integers");
  if (lexer_.Accept("}")) return true;
  do {
    values->push_back(0);
    if (!ReadInteger(&values->back(), "an integer")) return false;
  } while (lexer_.Accept(","));
  return lexer_.Accept("}") || Expected("',' or '}' in the list of integers");
}

bool Reader::ReadSliceList(std::vector<SliceDim>* slice) {
  if (!lexer_.Accept("{")) return Expected("'{' and ranges such as [0:4:2]");
  if (lexer_.Accept("}")) return true;
  do {
    SliceDim& dim = slice->emplace_back();
    if (!lexer_.Accept("[")) return Expected("'[' of a range such as [0:4:2]");
    if (!ReadInteger(&dim.start, "the range's start")) return false;
    if (!lexer_.Accept(":")) return Expected("':' and the range's limit");
    if (!ReadInteger(&dim.limit, "the range's limit")) return false;
    if (lexer_.Accept(":") && !ReadInteger(&dim.stride, "the range's stride")) return false;
    if (!lexer_.Accept("]")) return Expected("']' behind the range");
  } while (lexer_.Accept(","));
  return lexer_.Accept("}") || Expected("',' or '}' behind a range");
}

// low_high[_interior] joined by 'x', one a dimension. Nothing for a scalar.
bool Reader::ReadPadding(std::vector<PadDim>* padding) {
  if (lexer_.Peek() != '-' && (lexer_.Peek() < '0' || lexer_.Peek() > '9')) {
    return Expected("padding such as 0_1x2_2_1 (low_high_interior)");
  }
  do {
    PadDim& dim = padding->emplace_back();
    if (!ReadInteger(&dim.low, "the padding in front")) return false;
    if (!lexer_.Accept("_")) return Expected("'_' and the padding behind");
    if (!ReadInteger(&dim.high, "the padding behind")) return false;
    if (lexer_.Accept("_") && !ReadInteger(&dim.interior, "the padding between elements")) return false;
  } while (lexer_.Accept("x"));
  return true;
}

bool Reader::ReadDirection(Direction* direction) {
  const size_t offset = lexer_.offset();
  const std::string word(lexer_.Word());
  for (Direction d :
       {Direction::kEq, Direction::kNe, Direction::kLt, Direction::kLe, Direction::kGt, Direction::kGe}) {
    if (word == DirectionName(d)) {
      *direction = d;
      return true;
    }
  }
  if (word.empty()) return Expected("a direction: EQ, NE, LT, LE, GT or GE");
  return ValueError("hlo-attribute", Quote(word) + " is not a direction; write EQ, NE, LT, LE, GT or GE",
                    offset);
}

// Checked against the operands' type: the default types say nothing new.
bool Reader::ReadComparisonType(Instruction* instruction) {
  const size_t offset = lexer_.offset();
  comparison_type_ = lexer_.Word();
  if (comparison_type_ == "TOTALORDER") {
    instruction->total_order = true;
    return true;
  }
  if (comparison_type_ == "FLOAT" || comparison_type_ == "SIGNED" || comparison_type_ == "UNSIGNED")
    return true;
  if (comparison_type_.empty()) return Expected("a comparison type: FLOAT, TOTALORDER, SIGNED or UNSIGNED");
  return ValueError(
      "hlo-attribute",
      Quote(comparison_type_) + " is not a comparison type; write FLOAT, TOTALORDER, SIGNED or UNSIGNED",
      offset);
}

bool Reader::FindComputation(std::string_view name, size_t offset, std::vector<int32_t>* called) {
  const auto found = computations_.find(name);
  if (found == computations_.end()) {
    return ValueError("hlo-computation",
                      "the computation " + Quote(name) + " is not defined before this place", offset);
  }
  called->push_back(found->second);
  return true;
}

bool Reader::ReadCalledComputation(std::vector<int32_t>* called) {
  const size_t offset = lexer_.offset();
  const std::string name(lexer_.Name());
  if (name.empty()) return Expected("a computation's name");
  return FindComputation(name, offset, called);
}

bool Reader::ReadRawAttribute(std::string_view name, std::vector<RawAttribute>* raw) {
  const size_t offset = lexer_.offset();
  const std::string_view value = lexer_.RawValue();
  if (value.empty()) {
    const char next = lexer_.Peek();
    if (next == '{' || next == '(' || next == '[' || next == '"') {
      return SyntaxError("the value of " + Quote(name) + " opened here is not closed", offset);
    }
    return Expected("a value of the attribute " + Quote(name));
  }
  raw->push_back({std::string(name), std::string(value)});
  return true;
}

bool Reader::ResolveCalled(const RawAttribute& attribute, size_t offset, Instruction* instruction) {
  Lexer names(attribute.value);
  const bool list = names.Accept("{");
  while (!names.at_end()) {
    if (list && names.Accept("}")) break;
    const size_t at = names.offset();
    const std::string_view name = names.Name();
    if (name.empty()) {
      return SyntaxError(
          "the attribute " + Quote(attribute.name) + " names computations, found " + names.Found(),
          offset + at);
    }
    if (!FindComputation(name, offset + at, &instruction->called)) return false;
    names.Accept(",");
  }
  return true;
}

bool Reader::ReadKnownAttribute(std::string_view name, size_t offset, Instruction* instruction, bool* known) {
  *known = true;
  const Opcode op = instruction->opcode;
  switch (op) {
    case Opcode::kBroadcast:
    case Opcode::kTranspose:
    case Opcode::kReverse:
    case Opcode::kConcatenate:
    case Opcode::kReduce:
      if (name == "dimensions") return ReadIntegerList(&instruction->dimensions);
      if (op == Opcode::kReduce && name == "to_apply") return ReadCalledComputation(&instruction->called);
      break;
    case Opcode::kIota:
      if (name == "iota_dimension") {
        return ReadInteger(&instruction->dimensions.emplace_back(), "iota's dimension");
      }
      break;
    case Opcode::kSlice:
      if (name == "slice") return ReadSliceList(&instruction->slice);
      break;
    case Opcode::kPad:
      if (name == "padding") return ReadPadding(&instruction->padding);
      break;
    case Opcode::kDynamicSlice:
      if (name == "dynamic_slice_sizes") return ReadIntegerList(&instruction->dynamic_slice_sizes);
      break;
    case Opcode::kDot:
      if (name == "lhs_contracting_dims") return ReadIntegerList(&instruction->dot.lhs_contracting);
      if (name == "rhs_contracting_dims") return ReadIntegerList(&instruction->dot.rhs_contracting);
      if (name == "lhs_batch_dims") return ReadIntegerList(&instruction->dot.lhs_batch);
      if (name == "rhs_batch_dims") return ReadIntegerList(&instruction->dot.rhs_batch);
      break;
    case Opcode::kCompare:
      if (name == "direction") return ReadDirection(&instruction->direction);
      if (name == "type") return ReadComparisonType(instruction);
      break;
    case Opcode::kGetTupleElement:
      if (name == "index") return ReadInteger(&instruction->tuple_index, "the member's index");
      break;
    case Opcode::kCall:
      if (name == "to_apply") return ReadCalledComputation(&instruction->called);
      break;
    case Opcode::kOther: {
      if (instruction->opcode_name == "constant") break;  // of a tuple: no attributes of its own
      const size_t value_offset = lexer_.offset();
      if (!ReadRawAttribute(name, &instruction->raw)) return false;
      if (!Contains(kComputationAttributes, name)) return true;
      return ResolveCalled(instruction->raw.back(), value_offset, instruction);
    }
    default:
      break;
  }
  if (Contains(kKeptEverywhere, name) || IsAccuracyHint(op, name))
    return ReadRawAttribute(name, &instruction->raw);
  *known = false;
  return ValueError("hlo-attribute",
                    "the operation " + Quote(instruction->opcode_name) + " has no attribute " + Quote(name),
                    offset);
}

bool Reader::ReadAttributes(Instruction* instruction) {
  comparison_type_.clear();
  std::vector<std::string> seen;
  bool ok = true;
  while (lexer_.Accept(",")) {
    const size_t offset = lexer_.offset();
    const std::string name(lexer_.Word());
    if (name.empty()) return Expected("an attribute's name");
    if (!lexer_.Accept("=")) return Expected("'=' behind the attribute " + Quote(name));
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return ValueError("hlo-attribute", "the attribute " + Quote(name) + " is given twice", offset);
    }
    seen.push_back(name);
    bool known = false;
    if (ReadKnownAttribute(name, offset, instruction, &known)) continue;
    // An attribute that is not known is stepped over: the others may have faults of their own.
    if (known || lexer_.RawValue().empty()) return false;
    ok = false;
  }
  for (std::string_view required : RequiredAttributes(instruction->opcode)) {
    if (std::find(seen.begin(), seen.end(), required) != seen.end()) continue;
    ok = ValueError(
        "hlo-attribute",
        "the operation " + Quote(instruction->opcode_name) + " needs the attribute " + Quote(required),
        lexer_.end_of_last());
  }
  return ok;
}

}  // namespace act::hlo
