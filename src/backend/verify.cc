#include <algorithm>
#include <cmath>

#include "backend/backend.h"
#include "eval/eval.h"
#include "oracle/oracle.h"
#include "view/view.h"

namespace act::backend {
namespace {

Status Wrong(const std::string& what) {
  return Error(ErrorClass::kInternal, "verify-mismatch", "verification by execution failed: " + what);
}

// Equal values; where only finite inputs count, zeros of either sign are equal.
bool SameElement(const Literal& a, const Literal& b, int64_t i, bool zeros_equal) {
  const size_t width = static_cast<size_t>(StorageBytes(a.shape.type));
  const size_t at = static_cast<size_t>(i) * width;
  if (std::equal(a.bytes.begin() + static_cast<ptrdiff_t>(at),
                 a.bytes.begin() + static_cast<ptrdiff_t>(at + width),
                 b.bytes.begin() + static_cast<ptrdiff_t>(at))) {
    return true;
  }
  if (!IsFloat(a.shape.type)) return false;
  const double x = a.GetDouble(i), y = b.GetDouble(i);
  if (std::isnan(x) && std::isnan(y)) return true;  // NaN payloads are not part of a value
  return zeros_equal && x == 0 && y == 0;
}

// The selected graph evaluated without buffers.
class GraphRun {
 public:
  GraphRun(const isa::Accelerator& accelerator, const assembly::SelectedGraph& graph,
           std::span<const Literal> images)
      : accelerator_(accelerator), graph_(graph), images_(images), bytes_(graph.values.size()) {}

  // The bytes of every output.
  StatusOr<std::vector<std::vector<uint8_t>>> Outputs() {
    for (const assembly::Step& step : graph_.steps) {
      const isa::Instruction& in = accelerator_.instruction(step.instruction);
      ACT_ASSIGN_OR_RETURN(const isa::Instance instance,
                           isa::Instantiate(accelerator_, in, step.computational, {}));
      std::vector<Literal> parameters;
      for (size_t k = 0; k < step.operands.size(); ++k) {
        const size_t at = static_cast<size_t>(instance.body.parameters[k]);
        Literal literal(instance.body.instructions[at].shape);
        literal.bytes = Bytes(step.operands[k]);
        parameters.push_back(std::move(literal));
      }
      ACT_ASSIGN_OR_RETURN(
          std::vector<Literal> results,
          eval::Evaluate(instance.body, instance.outputs, parameters, eval::OutOfRange::kRefuse));
      bytes_[step.result.value()] = std::move(results[0].bytes);
    }
    std::vector<std::vector<uint8_t>> out;
    for (ValueId output : graph_.outputs) out.push_back(Bytes(output));
    return out;
  }

 private:
  const std::vector<uint8_t>& Bytes(ValueId id) {
    std::vector<uint8_t>& bytes = bytes_[id.value()];
    if (!bytes.empty()) return bytes;
    const assembly::Value& value = graph_.value(id);
    switch (value.kind) {
      case assembly::Value::Kind::kInput:
        bytes = images_[static_cast<size_t>(value.index)].bytes;
        break;
      case assembly::Value::Kind::kConstant:
        bytes = graph_.constants[static_cast<size_t>(value.index)].bytes;
        break;
      case assembly::Value::Kind::kWindow: {
        const std::vector<uint8_t>& whole = Bytes(value.parts[0]);
        bytes.assign(whole.begin() + value.offset, whole.begin() + value.offset + value.bytes);
        break;
      }
      case assembly::Value::Kind::kAdjacent:
        for (ValueId part : value.parts) {
          const std::vector<uint8_t>& piece = Bytes(part);
          bytes.insert(bytes.end(), piece.begin(), piece.end());
        }
        break;
      case assembly::Value::Kind::kResult:
        break;  // steps are in order, so it is there
    }
    return bytes;
  }

  const isa::Accelerator& accelerator_;
  const assembly::SelectedGraph& graph_;
  std::span<const Literal> images_;
  std::vector<std::vector<uint8_t>> bytes_;
};

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

std::vector<Literal> RandomInputs(const hlo::FlatKernel& kernel, uint64_t seed) {
  Random random(seed);
  std::vector<Literal> inputs;
  for (const Shape& shape : kernel.parameter_shapes) {
    Literal literal(Shape::Array(shape.type, shape.dims));
    for (int64_t i = 0, n = literal.num_elements(); i < n; ++i) {
      if (IsFloat(shape.type)) {
        literal.SetDouble(i, random.Normal());
      } else if (shape.type == ElementType::kPred) {
        literal.SetInt(i, static_cast<int64_t>(random.Below(2)));
      } else {
        literal.SetInt(i, static_cast<int64_t>(random.Next()));
      }
    }
    inputs.push_back(std::move(literal));
  }
  return inputs;
}

StatusOr<VerifyReport> VerifyByExecution(const isa::Accelerator& accelerator, const hlo::FlatKernel& kernel,
                                         const assembly::Program& program,
                                         const assembly::SelectedGraph* certificate,
                                         const select::NumericMarks& marks, uint64_t seed, int runs) {
  VerifyReport report;
  const bool exact = !marks.real && !marks.range && !marks.approximate;
  for (int run = 0; run < runs; ++run) {
    const std::vector<Literal> inputs = RandomInputs(kernel, seed + static_cast<uint64_t>(run));
    std::vector<Literal> images;
    for (size_t k = 0; k < inputs.size(); ++k) {
      ACT_ASSIGN_OR_RETURN(Literal image, ToImage(inputs[k], kernel.parameter_shapes[k]));
      images.push_back(std::move(image));
    }
    oracle::SimulateOptions simulate;
    simulate.poison = true;
    auto simulation = oracle::Simulate(accelerator, program, images, simulate);
    if (!simulation.ok()) return Wrong("the simulator refuses the program: " + simulation.status().message());
    if (certificate != nullptr) {
      ACT_ASSIGN_OR_RETURN(const auto selected, GraphRun(accelerator, *certificate, images).Outputs());
      for (size_t k = 0; k < selected.size(); ++k) {
        if (selected[k] != simulation->outputs[k].bytes) {
          return Wrong("output " + std::to_string(k) + " of the program differs from the selected graph's");
        }
      }
    }
    std::vector<eval::Bounded> bounded;
    std::vector<Literal> expected;
    if (exact) {
      ACT_ASSIGN_OR_RETURN(expected, eval::Evaluate(kernel, inputs));
    } else {
      ACT_ASSIGN_OR_RETURN(bounded, eval::EvaluateWithBound(kernel, inputs));
      for (eval::Bounded& b : bounded) expected.push_back(b.value);
    }
    for (size_t k = 0; k < expected.size(); ++k) {
      ACT_ASSIGN_OR_RETURN(const Literal got, FromImage(simulation->outputs[k], kernel.output_shapes[k]));
      for (int64_t i = 0, n = got.num_elements(); i < n; ++i) {
        if (SameElement(got, expected[k], i, marks.finite || !exact)) continue;
        const std::string place = "output " + std::to_string(k) + ", element " + std::to_string(i) + " is " +
                                  ElementToString(got, i) + ", the kernel gives " +
                                  ElementToString(expected[k], i);
        if (exact || !IsFloat(got.shape.type)) return Wrong(place);
        const double bound = bounded[k].bound[static_cast<size_t>(i)];
        const double difference = std::abs(got.GetDouble(i) - expected[k].GetDouble(i));
        // Undecided means that the bound is too wide to confirm an element; beyond it the element is wrong.
        if (std::isfinite(difference) && difference > bound) {
          return Wrong(place + ", further than the bound " + Number(bound));
        }
        const bool decided = bound <= 0.25 * std::abs(expected[k].GetDouble(i));
        if (!decided) ++report.undecided;
        if (decided && !(difference <= bound)) {
          return Wrong(place + ", further than the bound " + Number(bound));
        }
        if (!std::isfinite(difference)) continue;
        report.largest_difference = std::max(report.largest_difference, difference);
        report.largest_bound = std::max(report.largest_bound, bound);
      }
    }
    ++report.runs;
  }
  report.summary =
      std::to_string(report.runs) + (report.runs == 1 ? " run" : " runs") + " on random inputs, ";
  if (exact) {
    report.summary += marks.finite ? "equal to the kernel bit for bit (zeros of either sign are equal)"
                                   : "equal to the kernel bit for bit";
  } else {
    report.summary += report.largest_difference == 0
                          ? "no difference to the kernel"
                          : "largest difference to the kernel " + Number(report.largest_difference) +
                                ", within the bound " + Number(report.largest_bound);
    if (report.undecided > 0) {
      report.summary += "; " + std::to_string(report.undecided) +
                        " elements not decided numerically (bound above a quarter of their magnitude)";
    }
  }
  return report;
}

}  // namespace act::backend
