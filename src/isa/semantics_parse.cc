// Reader of the `ENTRY ... { ... }` block: first the statements as written,
// then names and operations.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "isa/builder.h"
#include "isa/semantics_block.h"
#include "isa/semantics_reader.h"
#include "isa/semantics_syntax.h"

namespace act::isa {
namespace {

std::string Quoted(std::string_view text) { return "'" + std::string(text.substr(0, 80)) + "'"; }

// "In<k>": k; nullopt for other names.
std::optional<int64_t> InputNumber(std::string_view name) {
  if (!name.starts_with("In") || name.size() < 3 || name.size() > 9) return std::nullopt;
  if (name[2] == '0' && name.size() > 3) return std::nullopt;
  int64_t number = 0;
  const auto parsed = std::from_chars(name.data() + 2, name.data() + name.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) return std::nullopt;
  return number;
}

// The block's statements resolved against the regions.
class Resolver {
 public:
  Resolver(const SourceText& source, const Accelerator& accelerator, const Instruction& instruction,
           const Block& block)
      : accelerator_(accelerator),
        instruction_(instruction),
        block_(block),
        builder_(source, instruction.name),
        source_(source) {}

  StatusOr<SemanticsResult> Resolve() {
    for (const Statement& s : block_.statements) named_ = named_ || s.op == "parameter";
    ACT_RETURN_IF_ERROR(named_ ? DeclareParameters() : DeclareInputs());
    builder_.set_waiting(waits_);
    for (const Statement& s : block_.statements) ACT_RETURN_IF_ERROR(AddStatement(s));
    ACT_ASSIGN_OR_RETURN(std::vector<int32_t> outputs, Outputs());
    SemanticsResult result;
    result.faults = std::move(builder_.faults());
    result.waits = waits_;
    result.semantics = builder_.Finish(std::move(outputs));
    // Before the regions are known a fault may only be a consequence of that.
    if (result.waits) result.faults.clear();
    if (result.waits || !result.faults.empty()) result.semantics = Semantics();
    return result;
  }

 private:
  // The shape of input k's region.
  std::vector<Expression> RegionDims(size_t k) const {
    const Region& region = instruction_.inputs[k];
    std::vector<Expression> dims = region.sizes;
    for (const int64_t d : accelerator_.buffer(region.buffer).unit) dims.push_back(Expression::Integer(d));
    return dims;
  }

  Status Define(const std::string& name, int32_t node, size_t offset) {
    if (values_.emplace(name, node).second) return Status();
    return builder_.ValueError("isa-defined-twice",
                               "value " + Quoted(name) + " is defined twice; give one of them another name",
                               offset);
  }

  // Named form: parameter(k) statements. Nodes 0.. are the parameters whatever the order of the statements;
  // a name can be used only after its statement.
  Status DeclareParameters() {
    std::map<int64_t, const Statement*> by_number;
    for (const Statement& s : block_.statements) {
      if (s.op != "parameter") continue;
      const std::string where = "value " + Quoted(s.name) + ": ";
      const auto number = s.arguments.size() == 1 && s.arguments[0].expression
                              ? s.arguments[0].expression->AsInteger()
                              : std::nullopt;
      if (!number) {
        return builder_.SyntaxError("isa-parameter",
                                    where + "parameter takes the input's number, parameter(0)", s.op_offset);
      }
      if (!s.attributes.empty()) {
        return builder_.ValueError("isa-unknown-attribute",
                                   where + "parameter takes no attribute " + Quoted(s.attributes[0].name),
                                   s.attributes[0].offset);
      }
      const bool known = instruction_.inputs_given;
      if (*number < 0 ||
          *number >= static_cast<int64_t>(known ? instruction_.inputs.size() : kMaxStatements)) {
        return builder_.ValueError(
            "isa-parameter",
            where + "parameter(" + std::to_string(*number) + ") is no input; " +
                (known
                     ? "the instruction has " + std::to_string(instruction_.inputs.size()) + " inputs, from 0"
                     : std::string("inputs are numbered from 0")),
            s.op_offset);
      }
      if (!by_number.emplace(*number, &s).second) {
        return builder_.ValueError("isa-parameter",
                                   where + "parameter(" + std::to_string(*number) +
                                       ") is declared twice; give each input one parameter",
                                   s.op_offset);
      }
    }
    const size_t count = instruction_.inputs_given ? instruction_.inputs.size()
                                                   : static_cast<size_t>(by_number.rbegin()->first) + 1;
    waits_ = !instruction_.inputs_given;
    for (size_t k = 0; k < count; ++k) {
      const auto found = by_number.find(static_cast<int64_t>(k));
      if (found == by_number.end()) {
        return builder_.ValueError(
            "isa-parameter", "parameter(" + std::to_string(k) + ") is missing; declare every input, or none",
            block_.offset);
      }
      const Statement& s = *found->second;
      const int32_t node = builder_.AddParameter(static_cast<int32_t>(k), s.name, s.type, s.dims,
                                                 source_.LocationAt(s.offset));
      parameter_of_[&s] = node;
      if (instruction_.inputs_given) CheckParameter(s, k);
    }
    return Status();
  }

  void CheckParameter(const Statement& s, size_t k) {
    const Buffer& buffer = accelerator_.buffer(instruction_.inputs[k].buffer);
    const std::string where = "value " + Quoted(s.name) + ": parameter(" + std::to_string(k) + ") ";
    if (s.type != buffer.type) {
      builder_.AddFault("isa-parameter-type",
                        where + "is declared " + std::string(ElementTypeName(s.type)) + " and buffer " +
                            Quoted(buffer.name) + " holds " + std::string(ElementTypeName(buffer.type)) +
                            "; declare that type",
                        s.offset);
    }
    // A presumed reshape may change the shape, not the number of elements.
    const auto elements = [](const std::vector<Expression>& dims) -> std::optional<int64_t> {
      int64_t product = 1;
      for (const Expression& dim : dims) {
        const auto value = dim.AsInteger();
        const auto next = value ? CheckedMul(product, *value) : std::nullopt;
        if (!next) return std::nullopt;
        product = *next;
      }
      return product;
    };
    const auto declared = elements(s.dims), region = elements(RegionDims(k));
    if (declared && region && *declared != *region) {
      builder_.AddFault("isa-parameter-shape",
                        where + "has " + std::to_string(*declared) + " elements and its region " +
                            std::to_string(*region) + "; declare the region's shape or a reshape of it",
                        s.offset);
    }
  }

  // Unnamed form: %In1, %In2, ... (or %In0, ... if that name occurs) are there.
  Status DeclareInputs() {
    std::set<std::string, std::less<>> defined;
    for (const Statement& s : block_.statements) defined.insert(s.name);
    int64_t highest = 0;
    bool any = false, from_zero = false;
    for (const Statement& s : block_.statements) {
      for (const Argument& argument : s.arguments) {
        const auto number = InputNumber(argument.value);
        if (!number || defined.contains(argument.value)) continue;
        any = true;
        from_zero = from_zero || *number == 0;
        highest = std::max(highest, *number);
      }
    }
    const int64_t base = from_zero ? 0 : 1;
    if (!instruction_.inputs_given) {
      waits_ = any;
      if (!any) return Status();
      if (highest - base >= static_cast<int64_t>(kMaxStatements)) return UnknownInput(base);
      for (int64_t k = 0; k <= highest - base; ++k) {
        // Stands in until the regions are known: nothing is inferred from it.
        ACT_RETURN_IF_ERROR(DeclareInput(k, base, ElementType::kInvalid, {}));
      }
      return Status();
    }
    if (any && highest - base >= static_cast<int64_t>(instruction_.inputs.size())) return UnknownInput(base);
    for (size_t k = 0; k < instruction_.inputs.size(); ++k) {
      ACT_RETURN_IF_ERROR(DeclareInput(static_cast<int64_t>(k), base,
                                       accelerator_.buffer(instruction_.inputs[k].buffer).type,
                                       RegionDims(k)));
    }
    return Status();
  }

  Status DeclareInput(int64_t k, int64_t base, ElementType type, std::vector<Expression> dims) {
    const std::string name = "In" + std::to_string(k + base);
    const int32_t node = builder_.AddParameter(static_cast<int32_t>(k), name, type, std::move(dims),
                                               source_.LocationAt(block_.offset));
    return Define(name, node, block_.offset);
  }

  Status UnknownInput(int64_t base) const {
    for (const Statement& s : block_.statements) {
      for (const Argument& argument : s.arguments) {
        const auto number = InputNumber(argument.value);
        if (!number || *number - base < static_cast<int64_t>(instruction_.inputs.size())) continue;
        return builder_.SyntaxError(
            "isa-input-number",
            "value " + Quoted(s.name) + ": there is no input %" + argument.value + "; the instruction has " +
                std::to_string(instruction_.inputs.size()) + " inputs and the block counts them from " +
                std::to_string(base) + (base == 0 ? ", since %In0 occurs" : ""),
            argument.offset);
      }
    }
    return builder_.SyntaxError("isa-input-number", "an input number is too large", block_.offset);
  }

  Status AddStatement(const Statement& s) {
    if (const auto parameter = parameter_of_.find(&s); parameter != parameter_of_.end()) {
      ACT_RETURN_IF_ERROR(Define(s.name, parameter->second, s.offset));
      return MarkRoot(s, parameter->second);
    }
    Operation operation;
    operation.result = s.name;
    operation.op = s.op;
    operation.offset = s.offset;
    operation.op_offset = s.op_offset;
    operation.type = s.type;
    operation.dims = s.dims;
    operation.attributes = s.attributes;
    const std::string where = "value " + Quoted(s.name) + ": ";
    for (const Argument& argument : s.arguments) {
      if (s.op == "constant") {
        ConstantItem item;
        if (argument.literal) {
          item = *argument.literal;
        } else if (argument.expression) {
          item.kind = ConstantItem::Kind::kExpression;
          item.expression = *argument.expression;
        } else {
          return builder_.SyntaxError(
              "isa-constant",
              where + "a constant takes a number or an expression, not the value " + Quoted(argument.value),
              argument.offset);
        }
        item.offset = argument.offset;
        operation.items.push_back(std::move(item));
        continue;
      }
      Operand operand;
      operand.offset = argument.offset;
      if (argument.expression) {
        operand.expression = argument.expression;
      } else {
        const auto value = values_.find(argument.value);
        if (value == values_.end()) {
          return builder_.ValueError("isa-undefined-value",
                                     where + "there is no value " + Quoted(argument.value) +
                                         " before this statement; define it or correct the name" +
                                         InputHint(),
                                     argument.offset);
        }
        operand.node = value->second;
      }
      operation.operands.push_back(std::move(operand));
    }
    // While regions are missing, inputs have no types and shapes; only names and forms are checked.
    ACT_ASSIGN_OR_RETURN(const int32_t node, builder_.Add(operation));
    ACT_RETURN_IF_ERROR(Define(s.name, node, s.offset));
    return MarkRoot(s, node);
  }

  std::string InputHint() const {
    return named_ ? "; this block declares its inputs by parameter(k), so %In1 is not there by itself" : "";
  }

  Status MarkRoot(const Statement& s, int32_t node) {
    if (!s.is_root) return Status();
    if (root_ >= 0) {
      return builder_.ValueError(
          "isa-root", "value " + Quoted(s.name) + " is a second ROOT; mark one statement", s.offset);
    }
    root_ = node;
    return Status();
  }

  StatusOr<std::vector<int32_t>> Outputs() {
    const size_t count = instruction_.outputs.size();
    if (instruction_.outputs_given && count > 1) {
      std::vector<int32_t> outputs;
      for (size_t j = 0; j < count; ++j) {
        const auto value = values_.find("Out" + std::to_string(j));
        if (value == values_.end()) {
          return builder_.ValueError("isa-output",
                                     "there is no value %Out" + std::to_string(j) +
                                         "; an instruction with several outputs names them %Out0, %Out1, ...",
                                     block_.end_offset);
        }
        outputs.push_back(value->second);
      }
      return outputs;
    }
    if (root_ >= 0) {
      if (instruction_.outputs_given && count == 0) {
        return builder_.ValueError("isa-output", "the ROOT has no output region to go to; give the output",
                                   block_.offset);
      }
      return std::vector<int32_t>{root_};
    }
    if (!instruction_.outputs_given && values_.contains("Out0") && values_.contains("Out1")) {
      waits_ = true;
      return std::vector<int32_t>{};
    }
    return builder_.ValueError("isa-root", "no statement is marked ROOT; mark the result", block_.end_offset);
  }

  const Accelerator& accelerator_;
  const Instruction& instruction_;
  const Block& block_;
  SemanticsBuilder builder_;
  const SourceText& source_;
  std::map<std::string, int32_t, std::less<>> values_;
  std::map<const Statement*, int32_t> parameter_of_;  // looked up only, never walked
  bool named_ = false;
  bool waits_ = false;
  int32_t root_ = -1;
};

Status InInstruction(Status status, const Instruction& instruction) {
  const std::string prefix = "instruction " + Quoted(instruction.name) + ", ";
  for (Diagnostic& d : status.mutable_diagnostics()) {
    if (!d.message.starts_with(prefix)) d.message = prefix + "semantics: " + d.message;
  }
  return status;
}

}  // namespace

StatusOr<SemanticsResult> ReadSemanticsBlock(Cursor* cursor, const Accelerator& accelerator,
                                             const Instruction& instruction) {
  const std::vector<std::string> state_names = accelerator.state_names();
  const NameTable names = Names(instruction, state_names);
  const int depth = cursor->depth();
  StatusOr<Block> block = ReadBlock(cursor, names);
  cursor->set_depth(depth);
  if (!block.ok()) return InInstruction(block.status(), instruction);
  StatusOr<SemanticsResult> result = Resolver(cursor->source(), accelerator, instruction, *block).Resolve();
  if (!result.ok()) return InInstruction(result.status(), instruction);
  return result;
}

StatusOr<SemanticsResult> ReadSemanticsText(const SourceText& source, const Accelerator& accelerator,
                                            const Instruction& instruction) {
  Cursor cursor(source, {.newlines = true, .comments = true});
  ACT_ASSIGN_OR_RETURN(SemanticsResult result, ReadSemanticsBlock(&cursor, accelerator, instruction));
  if (!cursor.AtEnd() || cursor.unclosed_comment()) {
    return InInstruction(cursor.Expected("the end of the text after the block's '}'"), instruction);
  }
  return result;
}

}  // namespace act::isa
