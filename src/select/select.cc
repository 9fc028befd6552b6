#include "select/select.h"

#include <algorithm>

#include "select/explain.h"
#include "select/extract.h"
#include "select/instances.h"
#include "select/lower.h"
#include "select/merge.h"
#include "select/states.h"

namespace act::select {
namespace {

// Terms are class ids.
class GraphBuilder final : public TermBuilder {
 public:
  explicit GraphBuilder(TensorGraph* graph) : graph_(*graph) {}
  int32_t MakeConstant(const std::vector<uint8_t>& bytes) override { return Term(graph_.AddConstant(bytes)); }
  StatusOr<int32_t> MakeView(int32_t term, const View& view) override {
    return Term(graph_.AddView(ClassId(term), view));
  }
  StatusOr<int32_t> MakeOperation(const Operator& op, std::span<const int32_t> operands) override {
    std::vector<ClassId> children;
    for (int32_t operand : operands) children.push_back(ClassId(operand));
    return Term(graph_.Add(op, std::move(children)));
  }

 private:
  static int32_t Term(ClassId id) { return static_cast<int32_t>(id.value()); }
  TensorGraph& graph_;
};

void AddLimit(std::vector<std::string>* limits, bool reached, const char* name) {
  if (reached && std::find(limits->begin(), limits->end(), name) == limits->end()) limits->push_back(name);
}

constexpr size_t kAlternatives = 8;

// One run of saturation and search at one setting of the axioms.
struct Stage {
  explicit Stage(OperatorTable* operators) : graph(operators) {}
  TensorGraph graph;
  std::vector<ClassId> inputs, outputs, terms;
  SaturateOptions saturate_options;
  SaturateReport saturate_report;
  StateSearchOptions search_options;
  StateGraph states;
  Trees trees;
  std::vector<Selection> selections;
  bool proved = false;

  bool found() const { return !selections.empty(); }
  std::vector<std::string> Limits() const {
    std::vector<std::string> limits;
    AddLimit(&limits, saturate_report.node_limit, "e-nodes");
    AddLimit(&limits, saturate_report.iteration_limit, "iterations");
    AddLimit(&limits, saturate_report.view_limit, "views of a base");
    AddLimit(&limits, states.state_limit, "states");
    AddLimit(&limits, states.binding_limit, "bindings of a rule");
    return limits;
  }
};

Status RunStage(const hlo::FlatKernel& kernel, const SelectOptions& options, bool inexact, RuleBase* rules,
                size_t count, SelectReport* report, Stage* stage) {
  TensorGraph& graph = stage->graph;
  std::vector<int32_t> parameters;
  for (size_t k = 0; k < kernel.parameter_shapes.size(); ++k) {
    const Shape& shape = kernel.parameter_shapes[k];
    const auto bytes = shape.num_bytes();
    if (!bytes || *bytes == 0) {
      return Error(ErrorClass::kUnsupported, "select-empty",
                   "parameter " + std::to_string(k) + " (" + ToString(shape) + ") has no elements");
    }
    parameters.push_back(
        static_cast<int32_t>(graph.Add(Operator::Input(static_cast<int64_t>(k), *bytes), {}).value()));
    ACT_ASSIGN_OR_RETURN(const View image, LayoutImage(shape));
    stage->inputs.push_back(graph.AddView(ClassId(parameters.back()), image));
  }
  GraphBuilder builder(&graph);
  std::vector<int32_t> terms;
  ACT_ASSIGN_OR_RETURN(const std::vector<int32_t> roots,
                       Lower(kernel.body, kernel.outputs, parameters, &builder, &terms));
  for (int32_t term : terms) stage->terms.push_back(term < 0 ? ClassId() : ClassId(term));
  for (size_t k = 0; k < roots.size(); ++k) {
    ACT_ASSIGN_OR_RETURN(const View image, LayoutImage(kernel.output_shapes[k]));
    stage->outputs.push_back(graph.AddView(ClassId(roots[k]), image));
  }
  stage->saturate_options.max_nodes = options.max_nodes;
  stage->saturate_options.max_iterations = options.max_iterations;
  stage->saturate_options.max_views_a_base = options.max_views_a_base;
  stage->saturate_options.numerics = options.numerics;
  stage->saturate_options.use_inexact_axioms = inexact;
  stage->search_options.max_route = options.max_route;
  stage->search_options.max_states = options.max_states;
  stage->search_options.max_bindings = options.max_bindings;
  stage->search_options.numerics = options.numerics;
  ACT_ASSIGN_OR_RETURN(stage->states,
                       SearchStates(&graph, rules, stage->inputs, stage->outputs, stage->search_options,
                                    stage->saturate_options, &stage->saturate_report));
  stage->trees = CheapestTrees(stage->states);
  ExtractOptions extract;
  // Selections of equal cost differ in which transfers can be joined, and in what fits.
  extract.candidates = std::max(count, kAlternatives);
  extract.max_nodes = options.max_extract_nodes;
  ExtractReport extracted;
  stage->selections = Extract(stage->states, stage->trees, extract, &extracted);
  stage->proved = extracted.proved;
  report->e_nodes = static_cast<int64_t>(graph.graph().num_nodes());
  report->e_classes = static_cast<int64_t>(graph.graph().num_classes());
  report->states = static_cast<int64_t>(stage->states.states.size());
  report->productions = static_cast<int64_t>(stage->states.productions.size());
  report->iterations += stage->saturate_report.iterations;
  report->extract_nodes += extracted.nodes;
  return Status();
}

std::string Join(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

struct Selector::Impl {
  explicit Impl(const isa::Accelerator* acc) : accelerator(acc), rules(acc, &operators) {}
  const isa::Accelerator* accelerator;
  OperatorTable operators;
  RuleBase rules;

  StatusOr<Candidate> MakeCandidate(const Stage& stage, const Selection& selection,
                                    std::span<const Shape> input_images, std::span<const Shape> output_images,
                                    Sharing sharing) {
    Candidate candidate;
    ACT_ASSIGN_OR_RETURN(candidate.graph, MakeInstances(*accelerator, stage.states, selection, input_images,
                                                        output_images, sharing));
    for (size_t s = 0; s < selection.production.size(); ++s) {
      if (selection.production[s] < 0) continue;
      const Production& p = stage.states.productions[static_cast<size_t>(selection.production[s])];
      candidate.marks = candidate.marks | p.marks;
      if (p.marks.exact_everywhere()) continue;
      std::string step = accelerator->instruction(p.instruction).name;
      if (!p.specialisation.empty()) step += " with " + p.specialisation;
      step += p.marks.approximate ? ": approximate, as its spec says"
              : p.marks.finite    ? ": exact where every operand is finite"
                                  : ": exact where nothing is subnormal, as its spec says";
      if (std::find(candidate.inexact_steps.begin(), candidate.inexact_steps.end(), step) ==
          candidate.inexact_steps.end()) {
        candidate.inexact_steps.push_back(step);
      }
    }
    for (const std::string& name : stage.saturate_report.inexact_used) {
      for (const Axiom& axiom : Axioms()) {
        if (axiom.name != name) continue;
        candidate.marks = candidate.marks | axiom.marks;
        candidate.inexact_steps.push_back("axiom " + name + " (" + std::string(axiom.statement) + ")" +
                                          (axiom.marks.range
                                               ? ": differs where an intermediate over- or underflows"
                                               : ": equal over the reals"));
      }
    }
    return candidate;
  }
};

Selector::Selector(const isa::Accelerator* accelerator) : impl_(std::make_unique<Impl>(accelerator)) {}
Selector::~Selector() = default;

StatusOr<std::vector<Candidate>> Selector::Select(const hlo::FlatKernel& kernel, const SelectOptions& options,
                                                  size_t count, SelectReport* report) {
  SelectReport scratch;
  if (report == nullptr) report = &scratch;
  std::vector<Shape> input_images, output_images;
  for (const Shape& shape : kernel.parameter_shapes) {
    ACT_ASSIGN_OR_RETURN(Shape image, ImageShape(shape));
    input_images.push_back(std::move(image));
  }
  for (const Shape& shape : kernel.output_shapes) {
    ACT_ASSIGN_OR_RETURN(Shape image, ImageShape(shape));
    output_images.push_back(std::move(image));
  }
  // Exact axioms first. Inexact ones run only where one would have applied, and win only by cost.
  Stage exact(&impl_->operators);
  ACT_RETURN_IF_ERROR(RunStage(kernel, options, false, &impl_->rules, count, report, &exact));
  Stage* chosen = &exact;
  std::optional<Stage> inexact;
  const auto permitted = [&](const std::string& name) {
    return std::any_of(Axioms().begin(), Axioms().end(),
                       [&](const Axiom& a) { return a.name == name && Allowed(a.marks, options.numerics); });
  };
  const std::vector<std::string> withheld = exact.saturate_report.withheld;
  if (std::any_of(withheld.begin(), withheld.end(), permitted)) {
    inexact.emplace(&impl_->operators);
    ACT_RETURN_IF_ERROR(RunStage(kernel, options, true, &impl_->rules, count, report, &*inexact));
    if (inexact->found() &&
        (!exact.found() || inexact->selections[0].cost < exact.selections[0].cost - 1e-6)) {
      chosen = &*inexact;
    }
  }
  report->proved = chosen->proved;
  report->limits = chosen->Limits();
  if (!chosen->found()) {
    Stage& last = inexact ? *inexact : exact;
    if (options.numerics != Numerics::kRelaxed) {
      // Would a laxer setting do?
      SelectOptions relaxed = options;
      relaxed.numerics = Numerics::kRelaxed;
      Stage lax(&impl_->operators);
      SelectReport ignored;
      ACT_RETURN_IF_ERROR(RunStage(kernel, relaxed, true, &impl_->rules, 1, &ignored, &lax));
      if (lax.found()) {
        ACT_ASSIGN_OR_RETURN(
            const Candidate candidate,
            impl_->MakeCandidate(lax, lax.selections[0], input_images, output_images, Sharing::kAll));
        const Numerics needed =
            Allowed(candidate.marks, Numerics::kDefault) ? Numerics::kDefault : Numerics::kRelaxed;
        return Error(
            ErrorClass::kUnsupported, "select-numerics",
            "the kernel compiles only with " + Join(candidate.inexact_steps) +
                "; allow it by --numerics=" + (needed == Numerics::kDefault ? "default" : "relaxed"));
      }
    }
    const std::vector<std::string> limits = last.Limits();
    if (!limits.empty()) {
      return Error(
          ErrorClass::kLimit, "select-limit",
          "the search for instructions was cut by its limit on " + Join(limits) + "; raise it with --effort");
    }
    return ExplainRefusal(&last.graph, &impl_->rules, kernel, last.terms, last.inputs, last.outputs,
                          last.search_options, last.saturate_options);
  }
  std::vector<Candidate> candidates;
  Status first_failure;
  for (const Selection& selection : chosen->selections) {
    auto candidate = impl_->MakeCandidate(*chosen, selection, input_images, output_images, Sharing::kAll);
    if (candidate.ok()) {
      for (assembly::SelectedGraph& joint : MergeTransfers(&impl_->rules, candidate->graph)) {
        candidates.push_back({std::move(joint), candidate->marks, candidate->inexact_steps});
      }
      const size_t steps = candidate->graph.steps.size();
      candidates.push_back(*std::move(candidate));
      if (count == 1) continue;
      auto reloaded =
          impl_->MakeCandidate(*chosen, selection, input_images, output_images, Sharing::kComputed);
      if (reloaded.ok() && reloaded->graph.steps.size() > steps) candidates.push_back(*std::move(reloaded));
    } else if (first_failure.ok()) {
      first_failure = candidate.status();
    }
  }
  // Joint transfers may have changed the order.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.graph.cost < b.graph.cost - 1e-6; });
  if (count > 1 || candidates.empty()) {
    // The tree of the cheapest productions, nothing shared: only capacity can defeat it.
    Selection tree;
    tree.production = chosen->trees.production;
    for (int32_t goal : chosen->states.goals) tree.cost += chosen->trees.cost[static_cast<size_t>(goal)];
    std::vector<int32_t> needed(tree.production.size(), -1), stack = chosen->states.goals;
    while (!stack.empty()) {
      const size_t s = static_cast<size_t>(stack.back());
      stack.pop_back();
      if (needed[s] >= 0) continue;
      needed[s] = tree.production[s];
      const Production& p = chosen->states.productions[static_cast<size_t>(needed[s])];
      stack.insert(stack.end(), p.operands.begin(), p.operands.end());
    }
    tree.production = std::move(needed);
    auto candidate = impl_->MakeCandidate(*chosen, tree, input_images, output_images, Sharing::kNothing);
    if (candidate.ok()) {
      candidates.push_back(*std::move(candidate));
    } else if (first_failure.ok()) {
      first_failure = candidate.status();
    }
  }
  if (candidates.empty()) return first_failure;
  return candidates;
}

std::vector<Diagnostic> Selector::Unusable() const {
  std::vector<Diagnostic> out;
  for (size_t i = 0; i < impl_->accelerator->instructions.size(); ++i) {
    const isa::Instruction& in = impl_->accelerator->instructions[i];
    // Legal, and left out of the backend.
    if (in.semantics.empty() && in.semantics_faults.empty()) continue;
    std::string reason = impl_->rules.reason(i);
    if (reason.empty()) {
      // One attribute assignment must give a pattern.
      const auto sample = isa::SolveAttributes(*impl_->accelerator, in, {}, 1);
      if (sample.ok() && !sample->values.empty()) {
        const auto patterns = DerivePatterns(*impl_->accelerator, in, sample->values[0], &impl_->operators);
        if (!patterns.ok()) reason = patterns.status().front().message;
      } else if (!sample.ok()) {
        reason = sample.status().front().message;
      } else {
        reason = "instruction '" + in.name + "' has constraints that no attribute values satisfy";
      }
    }
    if (reason.empty()) continue;
    Diagnostic d;
    d.error_class = ErrorClass::kValue;
    d.code = "select-unusable";
    d.message = reason.find("'" + in.name + "'") == std::string::npos
                    ? "instruction '" + in.name + "': " + reason
                    : reason;
    d.location = in.location;
    out.push_back(std::move(d));
  }
  return out;
}

std::string Selector::DescribeRules() {
  std::string out;
  for (size_t i = 0; i < impl_->accelerator->instructions.size(); ++i) {
    const isa::Instruction& in = impl_->accelerator->instructions[i];
    out += in.name + "\n";
    if (!impl_->rules.usable(i)) {
      out += "  not used: " + impl_->rules.reason(i) + "\n";
      continue;
    }
    std::vector<int64_t> values;
    for (const isa::AttributeRange& range : isa::AttributeRanges(*impl_->accelerator, in))
      values.push_back(range.high);
    auto patterns = DerivePatterns(*impl_->accelerator, in, values, &impl_->operators);
    if (!patterns.ok()) {
      const auto sample = isa::SolveAttributes(*impl_->accelerator, in, {}, 1);
      if (sample.ok() && !sample->values.empty()) {
        values = sample->values[0];
        patterns = DerivePatterns(*impl_->accelerator, in, values, &impl_->operators);
      }
    }
    if (!patterns.ok()) {
      out += "  not used: " + patterns.status().front().message + "\n";
      continue;
    }
    for (size_t k = 0; k < values.size(); ++k) {
      out += (k == 0 ? "  at " : ", ") + in.computational[k] + " = " + std::to_string(values[k]);
    }
    if (!values.empty()) out += "\n";
    for (const Pattern& pattern : *patterns) out += "  " + ToString(pattern, in, impl_->operators) + "\n";
  }
  return out;
}

}  // namespace act::select
