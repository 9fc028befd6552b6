// The attributes of operations: which each takes, their forms and defaults.
#include <algorithm>

#include "isa/semantics_builder.h"

namespace act::isa {

using hlo::Opcode;

namespace {

std::string Quoted(std::string_view text) { return "'" + std::string(text.substr(0, 80)) + "'"; }

// Which attributes an operation takes, as HLO names them.
std::vector<std::string_view> AttributesOf(const OperationName& name) {
  switch (name.info.opcode) {
    case Opcode::kIota:
      return {"iota_dimension"};
    case Opcode::kBroadcast:
    case Opcode::kTranspose:
    case Opcode::kConcatenate:
    case Opcode::kReverse:
      return {"dimensions"};
    case Opcode::kReduce:
      if (name.special == Special::kReduceShort) return {"dimensions"};
      return {"dimensions", "to_apply"};
    case Opcode::kSlice:
      return {"slice"};
    case Opcode::kPad:
      return {"padding"};
    case Opcode::kDynamicSlice:
      return {"dynamic_slice_sizes"};
    case Opcode::kDot:
      return {"lhs_contracting_dims", "rhs_contracting_dims", "lhs_batch_dims", "rhs_batch_dims"};
    case Opcode::kCompare:
      return {"direction"};
    default:
      return {};
  }
}

std::optional<hlo::Direction> DirectionFromWord(std::string_view word) {
  using hlo::Direction;
  for (const Direction d :
       {Direction::kEq, Direction::kNe, Direction::kLt, Direction::kLe, Direction::kGt, Direction::kGe}) {
    if (hlo::DirectionName(d) == word) return d;
  }
  return std::nullopt;
}

}  // namespace

Status SemanticsBuilder::Literals(const OperationAttribute& attribute, std::vector<int64_t>* values) const {
  for (const Expression& item : attribute.items) {
    const auto value = item.AsInteger();
    if (!value) {
      return ValueError("isa-attribute-literal",
                        "attribute " + Quoted(attribute.name) +
                            " takes integers; an attribute of the instruction cannot stand here",
                        attribute.offset);
    }
    values->push_back(*value);
  }
  return Status();
}

Status SemanticsBuilder::ReadAttributes(const Operation& operation, const OperationName& name,
                                        SemanticNode* node) {
  const std::string where = Where(operation);
  const std::vector<std::string_view> known = AttributesOf(name);
  std::vector<std::string_view> given;
  for (const OperationAttribute& attribute : operation.attributes) {
    if (std::find(known.begin(), known.end(), attribute.name) == known.end()) {
      std::string message = where + "there is no attribute " + Quoted(attribute.name) + "; ";
      message += known.empty() ? "this operation takes none" : "this operation takes";
      for (const std::string_view k : known) message += " " + std::string(k);
      return ValueError("isa-unknown-attribute", std::move(message), attribute.offset);
    }
    if (std::find(given.begin(), given.end(), attribute.name) != given.end()) {
      return ValueError("isa-duplicate-attribute",
                        where + "attribute " + Quoted(attribute.name) + " is given twice; keep one",
                        attribute.offset);
    }
    given.push_back(attribute.name);
    const bool wants_word = attribute.name == "direction" || attribute.name == "to_apply";
    const bool wants_ranges = attribute.name == "slice" || attribute.name == "padding";
    if (attribute.word.empty() == wants_word || attribute.is_ranges != wants_ranges) {
      return SyntaxError("isa-attribute-form",
                         where + "attribute " + Quoted(attribute.name) +
                             (wants_word     ? " takes a word"
                              : wants_ranges ? " takes ranges, {[0:8:1], ...}"
                                             : " takes integers, {0,1}"),
                         attribute.offset);
    }
    if (attribute.name == "direction") {
      const auto direction = DirectionFromWord(attribute.word);
      if (!direction) {
        return ValueError(
            "isa-direction",
            where + "there is no direction " + Quoted(attribute.word) + "; use EQ NE LT LE GT GE",
            attribute.offset);
      }
      node->direction = *direction;
    } else if (attribute.name == "to_apply") {
      // add, or add_bf16: the combiner and, for the reader's eye, the type.
      const std::string_view word = attribute.word;
      auto reducer = ReducerFromWord(word);
      const size_t underscore = word.rfind('_');
      if (!reducer && underscore != std::string_view::npos) {
        reducer = ReducerFromWord(word.substr(0, underscore));
        const auto type = ElementTypeFromName(word.substr(underscore + 1));
        if (reducer && type != node->type) {
          AddFault("isa-reducer-type",
                   where + "the combiner " + Quoted(word) + " is not one of " +
                       std::string(ElementTypeName(node->type)) + "; name the value's type",
                   attribute.offset);
        }
      }
      if (!reducer) {
        return ValueError("isa-reducer",
                          where + "there is no combiner " + Quoted(word) +
                              "; use add, multiply, min, max, and, or, followed by _ and the type",
                          attribute.offset);
      }
      node->reducer = *reducer;
    } else if (attribute.name == "slice") {
      for (size_t i = 0; i < attribute.ranges.size(); ++i) {
        node->slice.push_back(attribute.ranges[i]);
        if (!attribute.has_step[i]) node->slice.back().stride = Expression::Integer(1);
      }
    } else if (attribute.name == "padding") {
      for (size_t i = 0; i < attribute.ranges.size(); ++i) {
        OperationAttribute flat = attribute;
        flat.items = {attribute.ranges[i].start, attribute.ranges[i].limit};
        if (attribute.has_step[i]) flat.items.push_back(attribute.ranges[i].stride);
        std::vector<int64_t> values;
        ACT_RETURN_IF_ERROR(Literals(flat, &values));
        node->padding.push_back({values[0], values[1], attribute.has_step[i] ? values[2] : 0});
      }
    } else if (attribute.name == "dynamic_slice_sizes") {
      node->dynamic_slice_sizes = attribute.items;
    } else if (attribute.name == "lhs_contracting_dims") {
      ACT_RETURN_IF_ERROR(Literals(attribute, &node->dot.lhs_contracting));
    } else if (attribute.name == "rhs_contracting_dims") {
      ACT_RETURN_IF_ERROR(Literals(attribute, &node->dot.rhs_contracting));
    } else if (attribute.name == "lhs_batch_dims") {
      ACT_RETURN_IF_ERROR(Literals(attribute, &node->dot.lhs_batch));
    } else if (attribute.name == "rhs_batch_dims") {
      ACT_RETURN_IF_ERROR(Literals(attribute, &node->dot.rhs_batch));
    } else {
      node->dimensions = attribute.items;
    }
  }
  const auto has = [&](std::string_view attribute) {
    return std::find(given.begin(), given.end(), attribute) != given.end();
  };
  if (name.special == Special::kReduceShort) node->reducer = name.reducer;
  switch (name.info.opcode) {
    case Opcode::kIota:
    case Opcode::kConcatenate:
      if (node->dimensions.empty() && given.empty()) node->dimensions = {Expression::Integer(0)};
      if (node->dimensions.size() != 1) {
        return ValueError("isa-attribute-count", where + "exactly one dimension is needed",
                          operation.op_offset);
      }
      return Status();
    case Opcode::kDot: {
      if (has("lhs_contracting_dims") != has("rhs_contracting_dims") ||
          has("lhs_batch_dims") != has("rhs_batch_dims")) {
        return ValueError("isa-missing-attribute",
                          where + "contracting and batch dimensions are given for both operands or for none",
                          operation.op_offset);
      }
      if (has("lhs_contracting_dims")) return Status();
      const auto rank = [&](size_t i) {
        return semantics_.nodes[static_cast<size_t>(node->operands[i])].dims.size();
      };
      if (waiting_) return Status();
      if (rank(0) != 2 || rank(1) != 2 || has("lhs_batch_dims")) {
        return ValueError("isa-missing-attribute",
                          where +
                              "without contracting dimensions both operands must have rank 2; give "
                              "lhs_contracting_dims and rhs_contracting_dims",
                          operation.op_offset);
      }
      node->dot.lhs_contracting = {1};
      node->dot.rhs_contracting = {0};
      return Status();
    }
    case Opcode::kBroadcast:
      return Status();  // a scalar's dimensions={} may be left out
    default:
      for (const std::string_view attribute : known) {
        if (has(attribute)) continue;
        return ValueError("isa-missing-attribute",
                          where + "attribute " + Quoted(attribute) + " is missing; give it",
                          operation.op_offset);
      }
      return Status();
  }
}

}  // namespace act::isa
