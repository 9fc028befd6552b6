#include "oracle/machine.h"

namespace act::oracle {

using assembly::Statement;

Machine::Machine(const isa::Accelerator& accelerator, const assembly::Program& program,
                 const SimulateOptions& options, Mode mode)
    : accelerator_(accelerator), program_(program), options_(options), mode_(mode) {
  for (const isa::Instruction& instruction : accelerator.instructions) {
    shapes_use_state_.push_back(ShapesUseState(instruction));
  }
  Reset();
}

void Machine::Reset() {
  context_ = {};
  loop_values_.clear();
  executed_calls_ = 0;
  cost_ = 0;
  state_.clear();
  for (const isa::StateVariable& variable : accelerator_.state) state_.push_back(variable.initial);
  memories_.clear();
  if (mode_ != Mode::kExecute) return;
  const uint8_t fill = options_.poison ? options_.poison_byte : 0;
  for (size_t b = 0; b < accelerator_.buffers.size(); ++b) {
    memories_.emplace_back(b == 0 ? program_.hbm_bytes : accelerator_.buffers[b].CapacityBytes(), fill);
  }
}

Status Machine::Fail(ErrorClass error_class, std::string code, std::string message) const {
  Diagnostic d;
  d.error_class = error_class;
  d.code = std::move(code);
  d.message = std::move(message);
  d.location = context_.call->location;
  return Status(std::move(d));
}

Status Machine::Inside(const Status& status) const {
  const Diagnostic& inner = status.front();
  std::string message = inner.message;
  if (message.find(context_.instruction->name) == std::string::npos) {
    message = context_.instruction->name + ": " + message;
  }
  if (std::string values = Values(); !values.empty()) message += " (at " + values + ")";
  Status outer = Fail(inner.error_class, inner.code, std::move(message));
  if (inner.location.line > 0) {
    outer.mutable_diagnostics()[0].notes.push_back({"described here", inner.location});
  }
  return outer;
}

std::string Machine::Values() const {
  std::string text;
  auto add = [&](const std::string& name, int128_t value) {
    text += (text.empty() ? "" : ", ") + name + " = " + ToString(value);
  };
  for (size_t i = 0; i < context_.computational.size(); ++i) {
    add(context_.instruction->computational[i], context_.computational[i]);
  }
  for (size_t i = 0; i < context_.addressing.size(); ++i) {
    add(context_.instruction->addressing[i], context_.addressing[i]);
  }
  for (size_t i = 0; i < state_.size(); ++i) add("state " + accelerator_.state[i].name, state_[i]);
  return text;
}

void Machine::Warn(bool negative_remainder, std::string_view what) {
  if (!negative_remainder) return;
  warnings_.Add(context_.call->location,
                context_.instruction->name + ": " + std::string(what) +
                    " takes % of a negative number; the remainder has the dividend's sign");
}

void Machine::WarnWide(int128_t value, const std::string& what) {
  if (FitsIn64(value)) return;
  warnings_.Add(context_.call->location, context_.instruction->name + ": " + what + " is " + ToString(value) +
                                             ", beyond 64 bits; the exact value is used");
}

bool Machine::HasEffect(const std::vector<Statement>& body) const {
  for (const Statement& s : body) {
    if (s.kind != Statement::Kind::kLoop || (s.start < s.end && HasEffect(s.body))) return true;
  }
  return false;
}

// Every iteration costs the same: no update of state, and no cost that depends on addresses.
bool Machine::UniformCost(const std::vector<Statement>& body) const {
  for (const Statement& s : body) {
    if (s.kind == Statement::Kind::kLoop && !UniformCost(s.body)) return false;
    if (s.kind != Statement::Kind::kCall) continue;
    const isa::Instruction& instruction = accelerator_.instruction(s.call.instruction);
    if (!instruction.updates.empty() || instruction.cost.Uses(isa::AttributeKind::kAddressing)) return false;
  }
  return true;
}

Status Machine::Body(const std::vector<Statement>& body) {
  for (const Statement& s : body) {
    switch (s.kind) {
      case Statement::Kind::kCall:
        ACT_RETURN_IF_ERROR(RunCall(s.call));
        break;
      case Statement::Kind::kLoop:
        ACT_RETURN_IF_ERROR(Loop(s));
        break;
      case Statement::Kind::kDebug:
        if (mode_ == Mode::kExecute) ACT_RETURN_IF_ERROR(Debug(s));
        break;
    }
  }
  return Status();
}

Status Machine::Loop(const Statement& loop) {
  if (loop.start >= loop.end || !HasEffect(loop.body)) return Status();
  loop_values_.push_back(loop.start);
  if (mode_ == Mode::kCost && UniformCost(loop.body)) {
    int128_t before = cost_;
    cost_ = 0;
    ACT_RETURN_IF_ERROR(Body(loop.body));
    int128_t count = static_cast<int128_t>(loop.end) - loop.start;
    if (__builtin_mul_overflow(cost_, count, &cost_) || __builtin_add_overflow(cost_, before, &cost_)) {
      return Error(ErrorClass::kValue, "oracle-cost", "the program's cost exceeds 128 bits");
    }
  } else {
    for (int64_t i = loop.start; i < loop.end; ++i) {
      loop_values_.back() = i;
      ACT_RETURN_IF_ERROR(Body(loop.body));
    }
  }
  loop_values_.pop_back();
  return Status();
}

Status Machine::RunCall(const assembly::Call& call) {
  context_.call = &call;
  context_.instruction = &accelerator_.instruction(call.instruction);
  if (executed_calls_ >= options_.max_steps) {
    return Fail(ErrorClass::kLimit, "oracle-steps",
                "the program executes more than " + std::to_string(options_.max_steps) +
                    " calls; raise the limit of steps to run it to its end");
  }
  ++executed_calls_;
  ACT_RETURN_IF_ERROR(Arguments());
  if (mode_ == Mode::kCost) {
    ACT_RETURN_IF_ERROR(Updates());
    return AddCost();
  }
  ACT_RETURN_IF_ERROR(Constraints());
  ACT_RETURN_IF_ERROR(Updates());
  const isa::Instruction& instruction = *context_.instruction;
  ACT_ASSIGN_OR_RETURN(CallPlan * plan, Plan());
  input_boxes_.resize(instruction.inputs.size());
  output_boxes_.resize(instruction.outputs.size());
  input_bases_.resize(instruction.inputs.size());
  output_bases_.resize(instruction.outputs.size());
  for (size_t k = 0; k < instruction.inputs.size(); ++k) {
    ACT_RETURN_IF_ERROR(
        Place(instruction.inputs[k], plan->inputs[k], "input", k, &input_boxes_[k], &input_bases_[k]));
  }
  for (size_t k = 0; k < instruction.outputs.size(); ++k) {
    ACT_RETURN_IF_ERROR(
        Place(instruction.outputs[k], plan->outputs[k], "output", k, &output_boxes_[k], &output_bases_[k]));
  }
  if (Status apart = isa::CheckPlacement(instruction, input_boxes_, output_boxes_); !apart.ok()) {
    return Inside(apart);
  }
  if (instruction.semantics.empty()) return Status();
  if (!plan->instantiated) ACT_RETURN_IF_ERROR(InstantiatePlan(plan));
  return mode_ == Mode::kExecute ? Execute(plan) : Status();
}

Status Machine::Arguments() {
  const assembly::Call& call = *context_.call;
  context_.computational.assign(call.computational.begin(), call.computational.end());
  context_.addressing.clear();
  context_.loop_dependent = false;
  WideEnvironment loops{{}, loop_values_, {}};
  for (size_t i = 0; i < call.addressing.size(); ++i) {
    const isa::Expression& expression = call.addressing[i].expression;
    if (expression.nodes.size() == 1 && expression.nodes[0].kind == isa::Expression::Kind::kInteger) {
      context_.addressing.push_back(expression.nodes[0].integer);
      continue;
    }
    const std::string& name = context_.instruction->addressing[i];
    context_.loop_dependent |= expression.Uses(isa::AttributeKind::kAddressing);
    WideResult result = EvaluateWide(expression, loops);
    if (result.fault != Fault::kNone) {
      return Fail(
          ErrorClass::kValue, "oracle-argument",
          context_.instruction->name + ": attribute '" + name + "' " + std::string(FaultText(result.fault)));
    }
    Warn(result.negative_remainder, "attribute '" + name + "'");
    WarnWide(result.value, "attribute '" + name + "'");
    context_.addressing.push_back(result.value);
  }
  return Status();
}

Status Machine::Constraints() {
  for (const isa::Condition& constraint : context_.instruction->constraints) {
    ConditionResult result = EvaluateWide(constraint, Environment());
    if (result.holds && result.fault == Fault::kNone && !result.negative_remainder) continue;
    std::vector<std::string> states = accelerator_.state_names();
    isa::NameTable names{context_.instruction->computational, context_.instruction->addressing, states};
    std::string text = "constraint \"" + isa::ToString(constraint, names) + "\"";
    Warn(result.negative_remainder, text);
    if (result.holds && result.fault == Fault::kNone) continue;
    std::string verb = result.fault == Fault::kNone ? "does not hold" : std::string(FaultText(result.fault));
    Status status = Fail(ErrorClass::kValue, "oracle-constraint",
                         context_.instruction->name + ": its " + text + " " + verb + " at " + Values());
    if (constraint.location.line > 0) {
      status.mutable_diagnostics()[0].notes.push_back({"the constraint is here", constraint.location});
    }
    return status;
  }
  return Status();
}

Status Machine::Updates() {
  for (const isa::Update& update : context_.instruction->updates) {
    int128_t& target = state_[static_cast<size_t>(update.state)];
    std::string name =
        "the update of state '" + accelerator_.state[static_cast<size_t>(update.state)].name + "'";
    WideResult result = EvaluateWide(update.value, Environment());
    bool overflow = false;
    switch (update.kind) {
      case isa::Update::Kind::kAssign:
        target = result.fault == Fault::kNone ? result.value : target;
        break;
      case isa::Update::Kind::kAdd:
        overflow = __builtin_add_overflow(target, result.value, &target);
        break;
      case isa::Update::Kind::kSubtract:
        overflow = __builtin_sub_overflow(target, result.value, &target);
        break;
      case isa::Update::Kind::kMultiply:
        overflow = __builtin_mul_overflow(target, result.value, &target);
        break;
    }
    if (overflow) result.fault = Fault::kTooWide;
    if (result.fault != Fault::kNone) {
      return Fail(ErrorClass::kValue, "oracle-update",
                  context_.instruction->name + ": " + name + " " + std::string(FaultText(result.fault)));
    }
    Warn(result.negative_remainder, name);
    WarnWide(target, name);
  }
  return Status();
}

Status Machine::AddCost() {
  WideResult result = EvaluateWide(context_.instruction->cost, Environment());
  if (result.fault == Fault::kNone && __builtin_add_overflow(cost_, result.value, &cost_)) {
    result.fault = Fault::kTooWide;
  }
  Warn(result.negative_remainder, "its cost");
  if (result.fault == Fault::kNone) return Status();
  return Fail(
      ErrorClass::kValue, "oracle-cost",
      context_.instruction->name + ": its cost " + std::string(FaultText(result.fault)) + " at " + Values());
}

Status Machine::Regions(const std::vector<isa::Region>& regions, std::string_view kind,
                        std::vector<RegionPlan>* plans) {
  // Sizes see no addresses.
  WideEnvironment environment{context_.computational, {}, state_};
  for (size_t k = 0; k < regions.size(); ++k) {
    RegionFault fault;
    plans->push_back(PlanRegion(accelerator_, regions[k], environment, program_.hbm_bytes, &fault));
    std::string name = std::string(kind) + " " + std::to_string(k);
    Warn(fault.negative_remainder, "a size of " + name);
    if (!fault.text.empty()) {
      return Fail(ErrorClass::kValue, "oracle-size",
                  context_.instruction->name + ", " + name + ": " + fault.text + " (at " + Values() + ")");
    }
  }
  return Status();
}

StatusOr<CallPlan*> Machine::Plan() {
  uint32_t instruction = context_.call->instruction.value();
  key_.assign(1, instruction);
  key_.insert(key_.end(), context_.call->computational.begin(), context_.call->computational.end());
  if (shapes_use_state_[instruction]) {
    for (size_t i = 0; i < state_.size(); ++i) {
      if (!FitsIn64(state_[i])) {
        return Fail(ErrorClass::kValue, "oracle-state",
                    context_.instruction->name + " depends on state '" + accelerator_.state[i].name +
                        "', which is " + ToString(state_[i]) + ", beyond 64 bits");
      }
      key_.push_back(static_cast<int64_t>(state_[i]));
    }
  }
  auto found = plans_.find(key_);
  if (found != plans_.end()) return found->second.get();
  auto plan = std::make_unique<CallPlan>();
  ACT_RETURN_IF_ERROR(Regions(context_.instruction->inputs, "input", &plan->inputs));
  ACT_RETURN_IF_ERROR(Regions(context_.instruction->outputs, "output", &plan->outputs));
  CallPlan* result = plan.get();
  plans_.emplace(key_, std::move(plan));
  return result;
}

Status Machine::Place(const isa::Region& region, const RegionPlan& plan, std::string_view kind, size_t number,
                      isa::Box* box, int64_t* base) {
  const isa::Buffer& buffer = accelerator_.buffer(region.buffer);
  box->buffer = region.buffer;
  box->size = plan.size;
  box->strides = plan.strides;
  box->start.clear();
  std::string name = std::string(kind) + " " + std::to_string(number);
  if (!region.name.empty()) name += " '" + region.name + "'";
  std::vector<int128_t> starts;
  WideEnvironment environment = Environment();
  for (const isa::Expression& e : region.starts) {
    WideResult result = EvaluateWide(e, environment);
    if (result.fault != Fault::kNone) {
      return Fail(ErrorClass::kValue, "oracle-start",
                  context_.instruction->name + ", " + name + ": its start " +
                      std::string(FaultText(result.fault)) + " at " + Values());
    }
    Warn(result.negative_remainder, "the start of " + name);
    WarnWide(result.value, "the start of " + name);
    // Addresses of loops are computed by the machine, in 64 bits.
    if (context_.loop_dependent) result.value = static_cast<int64_t>(static_cast<uint64_t>(result.value));
    starts.push_back(result.value);
  }
  int64_t hbm = program_.hbm_bytes;
  bool is_hbm = region.buffer.value() == 0;
  bool inside = plan.fits && starts.size() == buffer.addresses.size();
  int128_t linear = 0;
  for (size_t d = 0; d < starts.size(); ++d) {
    int64_t extent = is_hbm ? hbm : buffer.addresses[d];
    int64_t size = plan.strides.empty() && d < plan.size.size() ? plan.size[d] : 1;
    inside = inside && starts[d] >= 0 && starts[d] <= extent - size;
    if (!inside) break;
    linear = linear * extent + starts[d];
    box->start.push_back(static_cast<int64_t>(starts[d]));
  }
  if (inside && !plan.strides.empty()) {
    int128_t low = linear, high = linear, units = 1;
    for (int64_t extent : buffer.addresses) units *= is_hbm ? hbm : extent;
    for (size_t d = 0; d < plan.size.size(); ++d) {
      int128_t reach = static_cast<int128_t>(plan.size[d] - 1) * plan.strides[d];
      (reach < 0 ? low : high) += reach;
    }
    inside = low >= 0 && high < units;
  }
  if (inside) {
    *base = static_cast<int64_t>(linear) * buffer.UnitBytes();
    return Status();
  }
  std::string window = buffer.name + "[";
  for (size_t d = 0; d < std::max(starts.size(), plan.size.size()); ++d) {
    if (d > 0) window += ", ";
    if (d < starts.size()) window += ToString(starts[d]);
    if (d < plan.size.size()) window += (d < starts.size() ? " : +" : ": +") + std::to_string(plan.size[d]);
    if (d < plan.strides.size()) window += " step " + std::to_string(plan.strides[d]);
  }
  std::string extents;
  for (size_t d = 0; d < buffer.addresses.size(); ++d) {
    extents += (d > 0 ? " x " : "") + std::to_string(is_hbm ? hbm : buffer.addresses[d]);
  }
  return Fail(ErrorClass::kValue, "oracle-window",
              context_.instruction->name + (kind == "input" ? " reads " : " writes ") + name + " at " +
                  window + "], outside " + buffer.name + ", which has " + extents +
                  (is_hbm ? " bytes in this program" : " addresses") + " (at " + Values() + ")");
}

Status Machine::InstantiatePlan(CallPlan* plan) {
  std::vector<int64_t> state;
  for (int128_t value : state_) state.push_back(FitsIn64(value) ? static_cast<int64_t>(value) : 0);
  StatusOr<isa::Instance> instance =
      isa::Instantiate(accelerator_, *context_.instruction, context_.call->computational, state);
  if (!instance.ok()) return Inside(instance.status());
  plan->instance = *std::move(instance);
  if (plan->instance.outputs.size() != plan->outputs.size()) {
    return Fail(ErrorClass::kInternal, "oracle-outputs",
                context_.instruction->name + ": semantics and regions disagree in the number of outputs");
  }
  if (mode_ == Mode::kExecute) plan->movement = AnalyseMovement(plan->instance);
  plan->instantiated = true;
  return Status();
}

}  // namespace act::oracle
