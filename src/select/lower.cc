#include "select/lower.h"

#include <algorithm>
#include <numeric>

#include "eval/eval.h"

namespace act::select {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

Status Refuse(const Instruction& instruction, const std::string& why) {
  Diagnostic d;
  d.error_class = ErrorClass::kUnsupported;
  d.code = "select-operation";
  d.message = "operation '" + instruction.opcode_name + "' (" + instruction.name + ", " +
              ToString(instruction.shape) + ") " + why;
  d.location = instruction.location;
  return Status(std::move(d));
}

class Lowering {
 public:
  Lowering(const Computation& body, std::span<const int32_t> parameters, TermBuilder* builder)
      : body_(body), parameters_(parameters), builder_(builder) {
    terms_.assign(body.instructions.size(), -1);
    literals_.resize(body.instructions.size());
    constant_.assign(body.instructions.size(), false);
  }

  StatusOr<int32_t> Term(int32_t index) {
    const size_t i = static_cast<size_t>(index);
    if (terms_[i] < 0) {
      ACT_ASSIGN_OR_RETURN(terms_[i], Make(body_.instructions[i], i));
    }
    return terms_[i];
  }

  // Marks constants; operands precede users.
  Status FindConstants() {
    for (size_t i = 0; i < body_.instructions.size(); ++i) {
      const Instruction& in = body_.instructions[i];
      if (in.opcode == Opcode::kConstant) {
        constant_[i] = true;
        literals_[i] = *in.literal;
        continue;
      }
      const auto bytes = in.shape.is_array() ? in.shape.num_bytes() : std::nullopt;
      if (in.opcode == Opcode::kParameter || !bytes || *bytes > kFoldLimitBytes || *bytes == 0) continue;
      bool all = true;
      std::vector<const Literal*> operands;
      for (int32_t operand : in.operands) {
        all = all && constant_[static_cast<size_t>(operand)];
        operands.push_back(&literals_[static_cast<size_t>(operand)]);
      }
      if (!all) continue;
      auto value = eval::EvaluateInstruction(in, operands);
      if (!value.ok()) continue;  // it stays an operation, and is refused where it is used
      literals_[i] = *std::move(value);
      constant_[i] = true;
    }
    return Status();
  }

 private:
  const Instruction& Operand(const Instruction& in, size_t k) const {
    return body_.instructions[static_cast<size_t>(in.operands[k])];
  }
  static int64_t Width(const Shape& shape) { return StorageBytes(shape.type); }

  // Modes in bytes of `shape`, row-major.
  static std::vector<Mode> RowMajor(const Shape& shape) {
    const std::vector<int64_t> strides = RowMajorStrides(shape.dims);
    std::vector<Mode> modes;
    for (size_t d = 0; d < shape.dims.size(); ++d) {
      modes.push_back({shape.dims[d], strides[d] * Width(shape)});
    }
    return modes;
  }

  StatusOr<int32_t> Constant(const Literal& literal) {
    const size_t width = static_cast<size_t>(Width(literal.shape));
    bool splat = literal.bytes.size() > width;
    for (size_t i = width; splat && i < literal.bytes.size(); ++i) {
      splat = literal.bytes[i] == literal.bytes[i - width];
    }
    if (!splat) return builder_->MakeConstant(literal.bytes);
    const int32_t element = builder_->MakeConstant(
        {literal.bytes.begin(), literal.bytes.begin() + static_cast<ptrdiff_t>(width)});
    const int64_t w = static_cast<int64_t>(width);
    return builder_->MakeView(element, View({{literal.num_elements(), 0}, {w, 1}}));
  }

  // A scalar operand repeated to `count` elements where the result is larger.
  StatusOr<int32_t> Spread(const Instruction& in, size_t k, int64_t count) {
    ACT_ASSIGN_OR_RETURN(const int32_t term, Term(in.operands[k]));
    const Shape& shape = Operand(in, k).shape;
    if (*shape.num_elements() == count) return term;
    return builder_->MakeView(term, View({{count, 0}, {Width(shape), 1}}));
  }

  StatusOr<int32_t> ViewOf(const Instruction& in, std::vector<Mode> modes, int64_t offset) {
    ACT_ASSIGN_OR_RETURN(const int32_t term, Term(in.operands[0]));
    return builder_->MakeView(term, View::OfElements(modes, Width(in.shape), offset));
  }

  StatusOr<int32_t> Make(const Instruction& in, size_t index) {
    if (!in.shape.is_array() || IsComplex(in.shape.type)) return Refuse(in, "has no form in the selector");
    const auto elements = in.shape.num_elements();
    if (!elements || !in.shape.num_bytes()) return Refuse(in, "is larger than 64-bit sizes");
    if (*elements == 0) return Refuse(in, "has no elements");
    if (constant_[index]) return Constant(literals_[index]);
    const int64_t width = Width(in.shape);
    switch (in.opcode) {
      case Opcode::kParameter:
        return parameters_[static_cast<size_t>(in.parameter_number)];
      case Opcode::kReshape:
      case Opcode::kCopy:
        return Term(in.operands[0]);
      case Opcode::kBitcastConvert:
        if (BitWidth(in.shape.type) >= 8 && BitWidth(Operand(in, 0).shape.type) >= 8)
          return Term(in.operands[0]);
        return Other(in);
      case Opcode::kConvert:
        if (in.shape.type == Operand(in, 0).shape.type) return Term(in.operands[0]);
        return Elementwise(in, *elements);
      case Opcode::kBroadcast: {
        const std::vector<Mode> from = RowMajor(Operand(in, 0).shape);
        std::vector<Mode> modes;
        for (size_t d = 0; d < in.shape.dims.size(); ++d) {
          const auto at = std::find(in.dimensions.begin(), in.dimensions.end(), static_cast<int64_t>(d));
          const bool mapped = at != in.dimensions.end();
          modes.push_back(
              {in.shape.dims[d], mapped ? from[static_cast<size_t>(at - in.dimensions.begin())].stride : 0});
        }
        return ViewOf(in, std::move(modes), 0);
      }
      case Opcode::kTranspose: {
        const std::vector<Mode> from = RowMajor(Operand(in, 0).shape);
        std::vector<Mode> modes;
        for (int64_t d : in.dimensions) modes.push_back(from[static_cast<size_t>(d)]);
        return ViewOf(in, std::move(modes), 0);
      }
      case Opcode::kSlice: {
        std::vector<Mode> modes = RowMajor(Operand(in, 0).shape);
        int64_t offset = 0;
        for (size_t d = 0; d < modes.size(); ++d) {
          offset += in.slice[d].start * modes[d].stride;
          modes[d] = {in.shape.dims[d], modes[d].stride * in.slice[d].stride};
        }
        return ViewOf(in, std::move(modes), offset);
      }
      case Opcode::kReverse: {
        std::vector<Mode> modes = RowMajor(in.shape);
        int64_t offset = 0;
        for (int64_t d : in.dimensions) {
          Mode& mode = modes[static_cast<size_t>(d)];
          offset += (mode.extent - 1) * mode.stride;
          mode.stride = -mode.stride;
        }
        return ViewOf(in, std::move(modes), offset);
      }
      case Opcode::kDot:
        return Dot(in);
      case Opcode::kReduce:
        return Reduce(in, width);
      default:
        if (hlo::IsElementwise(in.opcode)) return Elementwise(in, *elements);
        return Other(in);
    }
  }

  StatusOr<int32_t> Elementwise(const Instruction& in, int64_t count) {
    Operator op = Operator::Elementwise(in.opcode, in.shape.type, {});
    op.direction = in.opcode == Opcode::kCompare ? in.direction : hlo::Direction::kEq;
    if (in.opcode == Opcode::kCompare && in.total_order) op.dims = {1};
    std::vector<int32_t> operands;
    for (size_t k = 0; k < in.operands.size(); ++k) {
      op.operand_types.push_back(Operand(in, k).shape.type);
      ACT_ASSIGN_OR_RETURN(const int32_t term, Spread(in, k, count));
      operands.push_back(term);
    }
    return builder_->MakeOperation(op, operands);
  }

  // The operand with its dimensions in the given order, as [.., .., ..] of products.
  StatusOr<int32_t> Ordered(const Instruction& in, size_t k, const std::vector<int64_t>& order) {
    ACT_ASSIGN_OR_RETURN(const int32_t term, Term(in.operands[k]));
    const Shape& shape = Operand(in, k).shape;
    const std::vector<Mode> from = RowMajor(shape);
    std::vector<Mode> modes;
    for (int64_t d : order) modes.push_back(from[static_cast<size_t>(d)]);
    return builder_->MakeView(term, View::OfElements(modes, Width(shape)));
  }

  static std::vector<int64_t> FreeDims(const Shape& shape, const std::vector<int64_t>& a,
                                       const std::vector<int64_t>& b) {
    std::vector<int64_t> free;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (std::find(a.begin(), a.end(), d) == a.end() && std::find(b.begin(), b.end(), d) == b.end()) {
        free.push_back(d);
      }
    }
    return free;
  }
  static int64_t Product(const Shape& shape, const std::vector<int64_t>& dims) {
    int64_t product = 1;
    for (int64_t d : dims) product *= shape.dims[static_cast<size_t>(d)];
    return product;
  }
  static std::vector<int64_t> Join(const std::vector<int64_t>& a, const std::vector<int64_t>& b,
                                   const std::vector<int64_t>& c) {
    std::vector<int64_t> out = a;
    out.insert(out.end(), b.begin(), b.end());
    out.insert(out.end(), c.begin(), c.end());
    return out;
  }

  StatusOr<int32_t> Dot(const Instruction& in) {
    const Shape& lhs = Operand(in, 0).shape;
    const Shape& rhs = Operand(in, 1).shape;
    const hlo::DotDims& d = in.dot;
    const std::vector<int64_t> m = FreeDims(lhs, d.lhs_batch, d.lhs_contracting);
    const std::vector<int64_t> n = FreeDims(rhs, d.rhs_batch, d.rhs_contracting);
    ACT_ASSIGN_OR_RETURN(const int32_t a, Ordered(in, 0, Join(d.lhs_batch, m, d.lhs_contracting)));
    ACT_ASSIGN_OR_RETURN(const int32_t b, Ordered(in, 1, Join(d.rhs_batch, d.rhs_contracting, n)));
    const Operator op = Operator::Dot(in.shape.type, lhs.type, rhs.type, Product(lhs, d.lhs_batch),
                                      Product(lhs, m), Product(lhs, d.lhs_contracting), Product(rhs, n));
    return builder_->MakeOperation(op, std::vector<int32_t>{a, b});
  }

  StatusOr<int32_t> Reduce(const Instruction& in, int64_t width) {
    const Shape& from = Operand(in, 0).shape;
    if (!in.reducer) return Refuse(in, "has a combiner that is not one operation on both its parameters");
    std::vector<int64_t> reduced = in.dimensions;
    std::sort(reduced.begin(), reduced.end());
    const std::vector<int64_t> kept = FreeDims(from, reduced, {});
    ACT_ASSIGN_OR_RETURN(const int32_t x, Ordered(in, 0, Join(kept, reduced, {})));
    const size_t init = static_cast<size_t>(in.operands[1]);
    const bool identity =
        constant_[init] && literals_[init].bytes == hlo::ReducerIdentity(*in.reducer, in.shape.type).bytes;
    std::vector<int32_t> operands{x};
    if (!identity) {
      ACT_ASSIGN_OR_RETURN(const int32_t start, Term(in.operands[1]));
      operands.push_back(start);
    }
    Operator op =
        Operator::Reduce(*in.reducer, in.shape.type, Product(from, kept), Product(from, reduced), !identity);
    op.bytes = op.dims[0] * width;
    return builder_->MakeOperation(op, operands);
  }

  // An operation that the selector only knows as itself.
  StatusOr<int32_t> Other(const Instruction& in) {
    if (in.opcode == Opcode::kOther || in.opcode == Opcode::kTuple || in.opcode == Opcode::kGetTupleElement ||
        in.opcode == Opcode::kCall) {
      return Refuse(in, "has no form in the selector");
    }
    Operator op;
    op.kind = OperatorKind::kHlo;
    op.opcode = in.opcode;
    op.type = in.shape.type;
    op.bytes = *in.shape.num_bytes();
    const auto append = [&](const std::vector<int64_t>& values) {
      op.dims.push_back(static_cast<int64_t>(values.size()));
      op.dims.insert(op.dims.end(), values.begin(), values.end());
    };
    append(in.shape.dims);
    append(in.dimensions);
    append(in.dynamic_slice_sizes);
    for (const hlo::PadDim& pad : in.padding) append({pad.low, pad.high, pad.interior});
    std::vector<int32_t> operands;
    for (size_t k = 0; k < in.operands.size(); ++k) {
      const Shape& shape = Operand(in, k).shape;
      op.operand_types.push_back(shape.type);
      append(shape.dims);
      ACT_ASSIGN_OR_RETURN(const int32_t term, Term(in.operands[k]));
      operands.push_back(term);
    }
    return builder_->MakeOperation(op, operands);
  }

  friend StatusOr<std::vector<int32_t>> act::select::Lower(const Computation&, std::span<const int32_t>,
                                                           std::span<const int32_t>, TermBuilder*,
                                                           std::vector<int32_t>*);
  const Computation& body_;
  std::span<const int32_t> parameters_;
  TermBuilder* builder_;
  std::vector<int32_t> terms_;
  std::vector<Literal> literals_;
  std::vector<bool> constant_;
};

}  // namespace

StatusOr<std::vector<int32_t>> Lower(const Computation& body, std::span<const int32_t> outputs,
                                     std::span<const int32_t> parameters, TermBuilder* builder,
                                     std::vector<int32_t>* terms) {
  Lowering lowering(body, parameters, builder);
  ACT_RETURN_IF_ERROR(lowering.FindConstants());
  std::vector<bool> needed(body.instructions.size());
  for (int32_t output : outputs) needed[static_cast<size_t>(output)] = true;
  for (size_t i = body.instructions.size(); i-- > 0;) {
    if (!needed[i] || lowering.constant_[i]) continue;
    for (int32_t operand : body.instructions[i].operands) needed[static_cast<size_t>(operand)] = true;
  }
  // In order of the text, so that recursion stays shallow and terms are numbered alike every time.
  for (size_t i = 0; i < body.instructions.size(); ++i) {
    if (needed[i]) ACT_RETURN_IF_ERROR(lowering.Term(static_cast<int32_t>(i)).status());
  }
  std::vector<int32_t> result;
  for (int32_t output : outputs) result.push_back(lowering.terms_[static_cast<size_t>(output)]);
  if (terms != nullptr) *terms = lowering.terms_;
  return result;
}

}  // namespace act::select
