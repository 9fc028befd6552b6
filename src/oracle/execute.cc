// Data: reading regions, evaluating, writing regions, debug prints.
#include <charconv>

#include "eval/eval.h"
#include "oracle/machine.h"

namespace act::oracle {
namespace {

constexpr int64_t kMaxRegionBytes = int64_t{1} << 32;
constexpr int64_t kMaxResidentBytes = int64_t{1} << 35;
constexpr int64_t kMaxDebugElements = int64_t{1} << 20;

// Any byte but 0 reads as true.
void NormalisePred(ElementType type, uint8_t* bytes, int64_t count) {
  if (type != ElementType::kPred) return;
  for (int64_t i = 0; i < count; ++i) bytes[i] = bytes[i] != 0;
}

}  // namespace

Status Machine::Execute(CallPlan* plan) {
  const isa::Instruction& instruction = *context_.instruction;
  for (const std::vector<RegionPlan>* regions : {&plan->inputs, &plan->outputs}) {
    for (const RegionPlan& region : *regions) {
      if (region.footprint.bytes <= kMaxRegionBytes) continue;
      return Fail(ErrorClass::kLimit, "oracle-region",
                  instruction.name + " moves a region of " + std::to_string(region.footprint.bytes) +
                      " bytes; the simulator takes at most " + std::to_string(kMaxRegionBytes));
    }
  }
  auto read = [&](size_t k, uint8_t* out) {
    BufferId buffer = instruction.inputs[k].buffer;
    const Footprint& footprint = plan->inputs[k].footprint;
    Gather(memories_[buffer.value()], footprint, input_bases_[k], out);
    NormalisePred(accelerator_.buffer(buffer).type, out, footprint.bytes);
  };
  auto write = [&](size_t j, const uint8_t* bytes) {
    Scatter(&memories_[instruction.outputs[j].buffer.value()], plan->outputs[j].footprint, output_bases_[j],
            bytes);
  };
  if (plan->movement) {
    const MovementPool& movement = *plan->movement;
    if (plan->pool.empty()) {
      plan->pool.resize(static_cast<size_t>(movement.constants_offset) + movement.constants.size() + 8);
      std::copy(movement.constants.begin(), movement.constants.end(),
                plan->pool.begin() + movement.constants_offset);
    }
    // The pool is a copy: outputs may be written as soon as all inputs are in it.
    for (size_t k = 0; k < plan->inputs.size(); ++k)
      read(k, plan->pool.data() + movement.parameter_offset[k]);
    for (size_t j = 0; j < plan->outputs.size(); ++j) {
      const Movement& move = movement.outputs[j];
      int64_t bytes = plan->outputs[j].footprint.bytes;
      if (move.unit == bytes) {
        write(j, plan->pool.data() + move.index[0]);
        continue;
      }
      plan->result.resize(static_cast<size_t>(bytes));
      Move(move, plan->pool.data(), plan->result.data(), bytes);
      write(j, plan->result.data());
    }
    return CheckResident();
  }
  plan->parameters.resize(plan->inputs.size());
  for (size_t k = 0; k < plan->inputs.size(); ++k) {
    Literal& literal = plan->parameters[k];
    if (literal.bytes.empty()) literal = Literal(plan->inputs[k].shape);
    read(k, literal.bytes.data());
  }
  StatusOr<std::vector<Literal>> results = eval::Evaluate(plan->instance.body, plan->instance.outputs,
                                                          plan->parameters, eval::OutOfRange::kRefuse);
  if (!results.ok()) return Inside(results.status());
  for (size_t j = 0; j < plan->outputs.size(); ++j) {
    if (static_cast<int64_t>((*results)[j].bytes.size()) != plan->outputs[j].footprint.bytes) {
      return Fail(ErrorClass::kInternal, "oracle-result",
                  instruction.name + ": output " + std::to_string(j) + " has another size than its region");
    }
    write(j, (*results)[j].bytes.data());
  }
  return CheckResident();
}

Status Machine::CheckResident() const {
  int64_t resident = 0;
  for (const Memory& memory : memories_) resident += memory.resident_bytes();
  if (resident <= kMaxResidentBytes) return Status();
  return Fail(ErrorClass::kLimit, "oracle-memory",
              "the program has written more than " + std::to_string(kMaxResidentBytes) +
                  " bytes of memory; the simulator holds no more");
}

Status Machine::Debug(const assembly::Statement& debug) {
  if (!options_.print) return Status();
  const isa::Buffer& buffer = accelerator_.buffer(debug.buffer);
  std::vector<int64_t> dims = Extents(accelerator_, debug.buffer, program_.hbm_bytes);
  dims.insert(dims.end(), buffer.unit.begin(), buffer.unit.end());
  Diagnostic fault;
  fault.location = debug.location;
  int64_t element = 0;
  for (size_t d = 0; d < debug.position.size(); ++d) {
    if (debug.position[d] >= dims[d]) {
      fault.code = "oracle-debug";
      fault.message = "debug position " + std::to_string(debug.position[d]) + " is outside dimension " +
                      std::to_string(d) + " of " + buffer.name + ", which has " + std::to_string(dims[d]);
      return Status(std::move(fault));
    }
    element = element * dims[d] + debug.position[d];
  }
  std::vector<int64_t> rest(dims.begin() + static_cast<ptrdiff_t>(debug.position.size()), dims.end());
  std::optional<int64_t> count = CheckedProduct(rest);
  if (!count || *count > kMaxDebugElements) {
    fault.error_class = ErrorClass::kLimit;
    fault.code = "oracle-debug";
    fault.message = "debug of " + buffer.name + " would print more than " +
                    std::to_string(kMaxDebugElements) + " elements; give more positions";
    return Status(std::move(fault));
  }
  Literal part(Shape::Array(buffer.type, rest));
  int64_t width = StorageBytes(buffer.type);
  if (*count > 0) {
    memories_[debug.buffer.value()].Read(element * *count * width, *count * width, part.bytes.data());
  }
  NormalisePred(buffer.type, part.bytes.data(), *count);
  // Nested brackets, as f64.
  std::string text = debug.prefix + " ";
  for (int64_t i = 0; i < *count; ++i) {
    if (i > 0) text += ", ";
    std::string closing;
    int64_t block = 1;
    for (size_t d = rest.size(); d-- > 0;) {
      block *= rest[d];
      if (i % block == 0) text += '[';
      if ((i + 1) % block == 0) closing += ']';
    }
    char number[40];
    text.append(number, std::to_chars(number, number + sizeof number, part.GetDouble(i)).ptr);
    text += closing;
  }
  options_.print(text);
  return Status();
}

}  // namespace act::oracle
