#include <algorithm>
#include <chrono>

#include "backend/backend.h"

namespace act::backend {
namespace {

class Compiler {
 public:
  Compiler(const isa::Accelerator& accelerator, select::Selector* selector, const CompileOptions& options,
           CompileReport* report)
      : accelerator_(accelerator), selector_(*selector), options_(options), report_(*report) {
    builtin_ = cost::BuiltinModel();
    cost_ = options.cost != nullptr ? options.cost : builtin_.get();
  }

  StatusOr<Compiled> Run(const hlo::Module& module) {
    ACT_RETURN_IF_ERROR(Stage("reading"));
    ACT_ASSIGN_OR_RETURN(kernel_, hlo::Flatten(module));
    select::SelectOptions select;
    select.numerics = options_.numerics;
    select.max_nodes = options_.effort.e_nodes;
    select.max_states = options_.effort.states;
    select.max_views_a_base = options_.effort.views;
    select.max_bindings = static_cast<size_t>(options_.effort.bindings);
    select.max_iterations = options_.effort.iterations;
    select.max_extract_nodes = options_.effort.extraction_nodes;
    // The cheapest selection decides where the model is selection's own cost; else several compete.
    const bool additive = cost_->IsAdditive(accelerator_);
    if (additive || options_.stop_at_first) {
      ACT_RETURN_IF_ERROR(Stage("selection"));
      ACT_ASSIGN_OR_RETURN(const auto first, selector_.Select(kernel_, select, 1, &report_.select));
      ACT_RETURN_IF_ERROR(Consider(first));
    }
    if (!best_) {
      const int more = std::max(2, options_.effort.candidates);
      ACT_RETURN_IF_ERROR(Stage("selection of candidates"));
      ACT_ASSIGN_OR_RETURN(const auto all,
                           selector_.Select(kernel_, select, static_cast<size_t>(more), &report_.select));
      ACT_RETURN_IF_ERROR(Consider(all));
    }
    if (!best_) return last_failure_;
    ACT_RETURN_IF_ERROR(Verify());
    ACT_RETURN_IF_ERROR(Stage(""));
    best_->report = report_;
    return *std::move(best_);
  }

 private:
  // Ends the running stage and begins the next; "" only ends.
  Status Stage(const std::string& name) {
    const auto now = std::chrono::steady_clock::now();
    if (!stage_.empty()) {
      report_.times.push_back(
          {stage_, std::chrono::duration<double, std::milli>(now - stage_start_).count()});
    }
    stage_ = name;
    stage_start_ = now;
    if (!name.empty() && options_.progress && !options_.progress(name)) {
      return Error(ErrorClass::kLimit, "compile-time", "--max-seconds reached in " + name);
    }
    return Status();
  }

  Status Consider(const std::vector<select::Candidate>& candidates) {
    for (const select::Candidate& candidate : candidates) {
      ++number_;
      if (seen_.end() != std::find(seen_.begin(), seen_.end(), Text(candidate.graph))) continue;
      seen_.push_back(Text(candidate.graph));
      ACT_RETURN_IF_ERROR(Stage("allocation of candidate " + std::to_string(number_)));
      allocate::AllocateOptions allocate;
      allocate.max_search_nodes = options_.effort.allocation_nodes;
      allocate.max_orders = options_.effort.orders;
      auto program = allocate::Allocate(accelerator_, candidate.graph, allocate, &report_.allocate);
      if (!program.ok()) {
        Drop(program.status());
        continue;
      }
      Finish(&*program);
      ACT_RETURN_IF_ERROR(Stage("validation of candidate " + std::to_string(number_)));
      auto valid = validate::Validate(accelerator_, *program, &candidate.graph);
      if (!valid.ok()) {
        Status internal =
            Error(ErrorClass::kInternal, "compile-validate",
                  "internal error in validation: the program does not live up to its certificate: " +
                      valid.status().front().message);
        if (options_.log) {
          options_.log("rejected_" + std::to_string(number_) + ".asm",
                       assembly::PrintNative(accelerator_, *program));
        }
        return internal;
      }
      const std::string text =
          assembly::PrintPythonKernel(accelerator_, *program, {options_.input_file, number_});
      ACT_ASSIGN_OR_RETURN(const double cost, cost_->Cost(accelerator_, *program, text));
      ++report_.candidates;
      if (options_.log) {
        options_.log("candidate_" + std::to_string(number_) + ".py", text);
        options_.log("candidate_" + std::to_string(number_) + ".asm",
                     assembly::PrintNative(accelerator_, *program));
      }
      if (best_ && cost >= best_cost_) continue;
      best_ = Compiled{*std::move(program), candidate.graph, number_, {}};
      best_cost_ = cost;
      best_marks_ = candidate.marks;
      report_.validate = *valid;
      report_.inexact_steps = candidate.inexact_steps;
      report_.instructions = assembly::NumCalls(best_->program);
      report_.cost = cost;
      report_.hbm_bytes = best_->program.hbm_bytes;
      // Candidates come cheapest first: an additive model cannot prefer a later one.
      if (options_.stop_at_first || cost_->IsAdditive(accelerator_)) break;
    }
    return Status();
  }

  std::string Text(const assembly::SelectedGraph& graph) const {
    return assembly::PrintSelectedGraph(accelerator_, graph);
  }

  void Drop(const Status& status) {
    report_.dropped.push_back("candidate " + std::to_string(number_) + ": " + status.front().message);
    last_failure_ = status;
  }

  // Names and shapes that allocation does not know.
  void Finish(assembly::Program* program) const {
    program->target = accelerator_.name;
    program->name = assembly::KernelIdentifier(kernel_.name);
    program->original_name = program->name == kernel_.name ? "" : kernel_.name;
  }

  Status Verify() {
    if (!options_.verify) {
      report_.verification = "not executed (--no-verify)";
      return Status();
    }
    ACT_RETURN_IF_ERROR(Stage("verification"));
    if (Operations() > options_.effort.verify_operations) {
      report_.verification = "not executed: the kernel has more than " +
                             std::to_string(options_.effort.verify_operations) +
                             " multiply-adds, the limit of this effort; validated only";
      return Status();
    }
    ACT_ASSIGN_OR_RETURN(const VerifyReport verified,
                         VerifyByExecution(accelerator_, kernel_, best_->program, &best_->certificate,
                                           best_marks_, options_.seed, 1));
    report_.verification = verified.summary;
    return Status();
  }

  // Multiply-adds and elements of one evaluation, saturating.
  int64_t Operations() const {
    double total = 0;
    for (const hlo::Instruction& in : kernel_.body.instructions) {
      double work = static_cast<double>(in.shape.num_elements().value_or(INT64_MAX));
      if (in.opcode == hlo::Opcode::kDot) {
        const Shape& lhs = kernel_.body.instructions[static_cast<size_t>(in.operands[0])].shape;
        for (int64_t d : in.dot.lhs_contracting)
          work *= static_cast<double>(lhs.dims[static_cast<size_t>(d)]);
      }
      total += work;
    }
    return total > 9e18 ? INT64_MAX : static_cast<int64_t>(total);
  }

  const isa::Accelerator& accelerator_;
  select::Selector& selector_;
  const CompileOptions& options_;
  CompileReport& report_;
  std::unique_ptr<cost::Model> builtin_;
  cost::Model* cost_;
  hlo::FlatKernel kernel_;
  std::optional<Compiled> best_;
  double best_cost_ = 0;
  select::NumericMarks best_marks_;
  Status last_failure_;
  std::vector<std::string> seen_;
  int number_ = 0;
  std::string stage_;
  std::chrono::steady_clock::time_point stage_start_;
};

}  // namespace

Effort EffortLevel(int level) {
  Effort effort;
  effort.level = level;
  if (level == 0) {
    effort.candidates = 1;
    effort.extraction_nodes = 1;
  }
  for (int i = 1; i < level; ++i) {
    effort.e_nodes *= 10;
    effort.states *= 10;
    effort.iterations *= 10;
    effort.views *= 10;
    effort.bindings *= 10;
    effort.orders *= 10;
    effort.candidates *= 10;
    effort.allocation_nodes *= 10;
    effort.extraction_nodes *= 10;
    effort.verify_operations *= 10;
  }
  return effort;
}

StatusOr<Compiled> Compile(const isa::Accelerator& accelerator, select::Selector* selector,
                           const hlo::Module& module, const CompileOptions& options, CompileReport* report) {
  CompileReport scratch;
  if (report == nullptr) report = &scratch;
  return Compiler(accelerator, selector, options, report).Run(module);
}

}  // namespace act::backend
