// Unknowns, ties and components: what the start expressions, windows and fixed places say about addresses
// whatever the order.
#include <algorithm>
#include <numeric>

#include "allocate/model_internal.h"

namespace act::allocate {

using assembly::Value;
using isa::AttributeKind;
using isa::Condition;
using isa::Expression;

namespace {

// One dimension of one region of a step.
struct Access {
  const Expression* start = nullptr;
  int32_t variable = 0;  // of the place
  std::optional<LinearForm> form;
};

class Builder {
 public:
  Builder(Model* model, const std::vector<bool>& used) : model_(model), used_(used) {}

  Status Run() {
    ties_.AddVariable();  // the number 0
    ACT_RETURN_IF_ERROR(TieValues());
    for (size_t s = 0; s < model_->graph->steps.size(); ++s) {
      ACT_RETURN_IF_ERROR(TieStep(static_cast<int32_t>(s)));
    }
    ACT_RETURN_IF_ERROR(MakeComponents());
    for (size_t s = 0; s < model_->graph->steps.size(); ++s) AbsorbConstraints(static_cast<int32_t>(s));
    return CheckDomains();
  }

 private:
  const assembly::SelectedGraph& graph() const { return *model_->graph; }
  int32_t PlaceVariable(ValueId v, size_t d) const {
    return value_variable_[v.value()] + static_cast<int32_t>(d);
  }

  Status TieError(const std::string& what) const {
    return Error(ErrorClass::kUnsupported, "allocate-tie",
                 what +
                     ": no place satisfies all start expressions that tie it; a separate copy of the value "
                     "is needed");
  }

  Status TieValues() {
    value_variable_.assign(graph().values.size(), -1);
    for (size_t v = 0; v < graph().values.size(); ++v) {
      if (!used_[v]) continue;
      value_variable_[v] = ties_.num_variables();
      for (size_t d = 0; d < graph().values[v].size.size(); ++d) ties_.AddVariable();
    }
    std::vector<int64_t> input_at;
    int64_t at = 0;
    for (const Shape& shape : graph().input_shapes) {
      input_at.push_back(at);
      at += *shape.num_bytes();
    }
    for (size_t v = 0; v < graph().values.size(); ++v) {
      if (!used_[v]) continue;
      const Value& value = graph().values[v];
      const ValueId id(v);
      bool ok = true;
      if (value.kind == Value::Kind::kInput) {
        ok = ties_.Tie(PlaceVariable(id, 0), 0, input_at[value.index]);
      } else if (value.kind == Value::Kind::kConstant) {
        const Footprint& own = model_->footprints[v].front();
        ok = ties_.Tie(PlaceVariable(id, 0), PlaceVariable(model_->instances[own.instance].value, 0), 0);
      } else if (value.kind == Value::Kind::kWindow) {
        const Value& parent = graph().value(value.parts[0]);
        const auto start = WindowStart(model_->accelerator->buffer(value.buffer), parent, value);
        for (size_t d = 0; d < value.size.size(); ++d) {
          ok = ok && ties_.Tie(PlaceVariable(id, d), PlaceVariable(value.parts[0], d), (*start)[d]);
        }
      } else if (value.kind == Value::Kind::kAdjacent) {
        int64_t offset = 0;
        for (ValueId part : value.parts) {
          for (size_t d = 0; d < value.size.size(); ++d) {
            ok = ok && ties_.Tie(PlaceVariable(part, d), PlaceVariable(id, d), d == 0 ? offset : 0);
          }
          offset += graph().value(part).size[0];
        }
      }
      if (!ok) return TieError("value " + value.name);
    }
    at = model_->inputs_end;
    for (size_t k = 0; k < graph().outputs.size(); ++k) {
      const ValueId id = graph().outputs[k];
      if (!ties_.Tie(PlaceVariable(id, 0), 0, at)) {
        return TieError("output " + std::to_string(k) + " (" + graph().value(id).name + ")");
      }
      at += *graph().output_shapes[k].num_bytes();
    }
    return {};
  }

  Status TieStep(int32_t s) {
    const assembly::Step& step = graph().steps[s];
    const isa::Instruction& instruction = model_->instruction(s);
    const int32_t first_attribute = ties_.num_variables();
    attribute_variable_.push_back(first_attribute);
    for (size_t i = 0; i < instruction.addressing.size(); ++i) ties_.AddVariable();
    model_->attributes.emplace_back(instruction.addressing.size());

    const isa::Environment environment{
        .computational = step.computational, .addressing = {}, .state = model_->state};
    std::vector<Access> accesses;
    const auto add = [&](const isa::Region& region, ValueId v) {
      for (size_t d = 0; d < region.starts.size(); ++d) {
        accesses.push_back({&region.starts[d], PlaceVariable(v, d), ToLinear(region.starts[d], environment)});
      }
    };
    for (size_t k = 0; k < step.operands.size(); ++k) add(instruction.inputs[k], step.operands[k]);
    add(instruction.outputs[0], step.result);

    const auto tie = [&](int32_t a, int32_t b, int64_t delta) -> Status {
      if (ties_.Tie(a, b, delta)) return {};
      return TieError("step " + model_->StepName(s));
    };
    // Constants and single attributes first: they leave nothing open.
    std::vector<const Access*> rest;
    std::vector<bool> has_unit(instruction.addressing.size(), false);
    for (const Access& access : accesses) {
      if (!access.form) {
        rest.push_back(&access);
      } else if (access.form->terms.empty()) {
        ACT_RETURN_IF_ERROR(tie(access.variable, 0, access.form->constant));
      } else if (access.form->terms.size() == 1 && access.form->terms[0].second == 1) {
        const int32_t attribute = access.form->terms[0].first;
        has_unit[attribute] = true;
        ACT_RETURN_IF_ERROR(tie(access.variable, first_attribute + attribute, access.form->constant));
      } else {
        rest.push_back(&access);
      }
    }
    std::vector<const Access*> representatives;
    std::vector<PendingLink> links;
    bool open = false;
    for (const Access* access : rest) {
      const Access* same = nullptr;
      int64_t delta = 0;
      for (const Access* other : representatives) {
        if (access->form && other->form && access->form->terms == other->form->terms) {
          same = other;
          delta = access->form->constant - other->form->constant;
        } else if (access->start->nodes == other->start->nodes) {
          same = other;
        }
        if (same != nullptr) break;
      }
      if (same != nullptr) {
        ACT_RETURN_IF_ERROR(tie(access->variable, same->variable, delta));
        continue;
      }
      representatives.push_back(access);
      bool absorbed = false;
      if (access->form) {
        int64_t common = 0;
        for (const auto& term : access->form->terms) common = std::gcd(common, term.second);
        congruences_.push_back({access->variable, common, access->form->constant});
        const auto& [attribute, coefficient] = access->form->terms[0];
        if (access->form->terms.size() == 1 && !has_unit[attribute]) {
          has_unit[attribute] = true;
          links.push_back({attribute, access->variable, access->form->constant, coefficient});
          absorbed = true;
        }
      }
      open = open || !absorbed;
    }
    links_.push_back(std::move(links));
    has_unit_.push_back(std::move(has_unit));
    open_.push_back(open);
    return {};
  }

  Coordinate Resolve(int32_t variable) {
    const Ties::Member member = ties_.Find(variable);
    if (component_of_root_[member.root] < 0) {
      component_of_root_[member.root] = static_cast<int32_t>(model_->components.size());
      Component component;
      component.domain.low = -kUnbounded;
      model_->components.push_back(component);
    }
    return {component_of_root_[member.root], member.offset};
  }

  Status MakeComponents() {
    component_of_root_.assign(ties_.num_variables(), -1);
    Resolve(0);
    model_->components[0].domain.RestrictRange(0, 0);
    model_->place.resize(graph().values.size());
    for (size_t v = 0; v < graph().values.size(); ++v) {
      if (!used_[v]) continue;
      const Value& value = graph().values[v];
      const isa::Buffer& buffer = model_->accelerator->buffer(value.buffer);
      for (size_t d = 0; d < value.size.size(); ++d) {
        const Coordinate c = Resolve(PlaceVariable(ValueId(v), d));
        model_->place[v].push_back(c);
        Domain domain;
        domain.RestrictRange(0, buffer.addresses[d] - value.size[d]);
        model_->components[c.component].domain.Intersect(domain.Shifted(c.offset));
      }
    }
    for (const Instance& instance : model_->instances) {
      const Value& value = graph().value(instance.value);
      const int64_t volume = *CheckedProduct(value.size);
      for (const Coordinate& c : model_->place[instance.value.value()]) {
        Component& component = model_->components[c.component];
        component.is_place = true;
        component.weight = std::min(kUnbounded, component.weight + std::min(kUnbounded, volume));
        if (value.buffer != BufferId(0)) continue;
        // In HBM, whatever is not fixed lies behind the outputs; nothing may be written into the inputs.
        if (value.kind == Value::Kind::kInput) continue;
        const int64_t floor = c.component == 0 ? model_->inputs_end : model_->hbm_base;
        component.domain.RestrictRange(floor - c.offset, kUnbounded);
      }
    }
    for (const auto& [variable, modulus, constant] : congruences_) {
      const Coordinate c = Resolve(variable);
      // component + offset == constant (mod modulus).
      const int64_t m = modulus < 0 ? -modulus : modulus;
      model_->components[c.component].domain.RestrictCongruence(
          m, FloorMod(FloorMod(constant, m) - FloorMod(c.offset, m), m));
    }
    for (size_t s = 0; s < links_.size(); ++s) {
      for (size_t i = 0; i < has_unit_[s].size(); ++i) {
        if (!has_unit_[s][i]) continue;
        bool linked = false;
        for (const PendingLink& link : links_[s])
          linked = linked || link.attribute == static_cast<int32_t>(i);
        if (linked) continue;
        const Coordinate c = Resolve(attribute_variable_[s] + static_cast<int32_t>(i));
        model_->attributes[s][i] = {c.component, c.offset, 1};
        // Addressing attributes are addresses: never negative.
        model_->components[c.component].domain.RestrictRange(-c.offset, kUnbounded);
      }
      for (const PendingLink& link : links_[s]) {
        const Coordinate c = Resolve(link.variable);
        // attribute = (place - constant) / coefficient >= 0.
        AttributeLink& out = model_->attributes[s][link.attribute];
        out = {c.component, c.offset - link.constant, link.coefficient};
        Domain& domain = model_->components[c.component].domain;
        if (link.coefficient > 0) {
          domain.RestrictRange(-out.offset, kUnbounded);
        } else {
          domain.RestrictRange(-kUnbounded, -out.offset);
        }
      }
    }
    return {};
  }

  static void CollectAttributes(const Expression& e, std::vector<bool>* used) {
    for (const Expression::Node& n : e.nodes) {
      if (n.kind == Expression::Kind::kAttribute && n.attribute == AttributeKind::kAddressing &&
          static_cast<size_t>(n.index) < used->size()) {
        (*used)[n.index] = true;
      }
    }
  }
  static void CollectAttributes(const Condition& condition, std::vector<bool>* used) {
    std::vector<const Condition*> stack = {&condition};
    while (!stack.empty()) {
      const Condition* c = stack.back();
      stack.pop_back();
      if (c->kind == Condition::Kind::kCompare) {
        CollectAttributes(c->left, used);
        CollectAttributes(c->right, used);
      }
      for (const Condition& operand : c->operands) stack.push_back(&operand);
    }
  }

  // Constraints over one component become filters, with bounds and congruences where they are plain; the
  // others, and constraints over attributes without a link, keep the step open.
  void AbsorbConstraints(int32_t s) {
    const isa::Instruction& instruction = model_->instruction(s);
    bool open = open_[s];
    for (size_t i = 0; i < instruction.constraints.size(); ++i) {
      std::vector<bool> attributes(instruction.addressing.size(), false);
      CollectAttributes(instruction.constraints[i], &attributes);
      int32_t component = -1;
      bool single = true, any = false;
      for (size_t a = 0; a < attributes.size(); ++a) {
        if (!attributes[a]) continue;
        any = true;
        const int32_t c = model_->attributes[s][a].component;
        single = single && c >= 0 && (component < 0 || component == c);
        component = c;
      }
      if (!any) continue;
      if (!single) {
        open = true;
        continue;
      }
      model_->components[component].filters.push_back({s, static_cast<int32_t>(i)});
      Narrow(s, instruction.constraints[i]);
    }
    // Equal or apart: decided by the step unless the places are tied.
    const assembly::Step& step = graph().steps[s];
    for (size_t k = 0; k < instruction.no_partial_overlap.size() && k < step.operands.size(); ++k) {
      if (!instruction.no_partial_overlap[k]) continue;
      const Value& operand = graph().value(step.operands[k]);
      const Value& result = graph().value(step.result);
      if (operand.buffer != result.buffer) continue;
      open = open || operand.size != result.size ||
             model_->place[step.operands[k].value()] != model_->place[step.result.value()];
    }
    if (open) model_->open_steps.push_back(s);
  }

  // Bounds and congruences that a conjunction of comparisons `linear % m == r`, `linear <= bound` implies.
  void Narrow(int32_t s, const Condition& root) {
    const isa::Environment environment{
        .computational = graph().steps[s].computational, .addressing = {}, .state = model_->state};
    std::vector<const Condition*> stack = {&root};
    while (!stack.empty()) {
      const Condition* c = stack.back();
      stack.pop_back();
      if (c->kind == Condition::Kind::kAnd) {
        for (const Condition& operand : c->operands) stack.push_back(&operand);
      }
      if (c->kind != Condition::Kind::kCompare) continue;
      NarrowRemainder(s, *c, c->left, c->right, environment);
      NarrowRemainder(s, *c, c->right, c->left, environment);
      NarrowRange(s, *c, environment);
    }
  }

  static Expression Child(const Expression& e, int32_t root) {
    Expression out = e;  // children come before parents: a prefix holds them
    out.nodes.resize(root + 1);
    return out;
  }

  void NarrowRemainder(int32_t s, const Condition& c, const Expression& left, const Expression& right,
                       const isa::Environment& environment) {
    if (c.relation != isa::Relation::kEqual || left.nodes.empty()) return;
    const Expression::Node& top = left.nodes.back();
    if (top.kind != Expression::Kind::kRemainder) return;
    const auto inner = ToLinear(Child(left, top.left), environment);
    const auto modulus = ToLinear(Child(left, top.right), environment);
    const auto wanted = ToLinear(right, environment);
    if (!inner || !modulus || !wanted || !modulus->terms.empty() || !wanted->terms.empty()) return;
    if (inner->terms.size() != 1 || modulus->constant == 0) return;
    const AttributeLink& link = model_->attributes[s][inner->terms[0].first];
    if (link.divisor != 1) return;
    // coefficient * (x + offset) + constant == wanted (mod m).
    const int64_t m = modulus->constant < 0 ? -modulus->constant : modulus->constant;
    const int128_t k = FloorMod(inner->terms[0].second, m);
    const int64_t rest = FloorMod(FloorMod(wanted->constant, m) - FloorMod(inner->constant, m), m);
    const int64_t common = std::gcd(static_cast<int64_t>(k), m);
    Domain& domain = model_->components[link.component].domain;
    if (common == 0 || rest % common != 0) {
      if (rest != 0) domain.RestrictRange(1, 0);
      return;
    }
    const int64_t reduced = m / common;
    if (reduced > 4096) return;  // the filter still says it
    for (int64_t x = 0; x < reduced; ++x) {
      if (static_cast<int64_t>((k * x) % m) == rest) {
        domain.RestrictCongruence(reduced, FloorMod(x - FloorMod(link.offset, reduced), reduced));
        return;
      }
    }
  }

  void NarrowRange(int32_t s, const Condition& c, const isa::Environment& environment) {
    const auto left = ToLinear(c.left, environment), right = ToLinear(c.right, environment);
    if (!left || !right || c.relation == isa::Relation::kNotEqual) return;
    // One attribute on one side, with coefficient 1.
    const bool flipped = left->terms.empty();
    const LinearForm& form = flipped ? *right : *left;
    const LinearForm& other = flipped ? *left : *right;
    if (form.terms.size() != 1 || form.terms[0].second != 1 || !other.terms.empty()) return;
    const AttributeLink& link = model_->attributes[s][form.terms[0].first];
    if (link.divisor != 1) return;
    const int64_t bound = other.constant - form.constant - link.offset;  // x relation bound
    isa::Relation relation = c.relation;
    if (flipped) {
      if (relation == isa::Relation::kLess) {
        relation = isa::Relation::kGreater;
      } else if (relation == isa::Relation::kLessEqual) {
        relation = isa::Relation::kGreaterEqual;
      } else if (relation == isa::Relation::kGreater) {
        relation = isa::Relation::kLess;
      } else if (relation == isa::Relation::kGreaterEqual) {
        relation = isa::Relation::kLessEqual;
      }
    }
    Domain& domain = model_->components[link.component].domain;
    if (relation == isa::Relation::kEqual) domain.RestrictRange(bound, bound);
    if (relation == isa::Relation::kLess) domain.RestrictRange(-kUnbounded, bound - 1);
    if (relation == isa::Relation::kLessEqual) domain.RestrictRange(-kUnbounded, bound);
    if (relation == isa::Relation::kGreater) domain.RestrictRange(bound + 1, kUnbounded);
    if (relation == isa::Relation::kGreaterEqual) domain.RestrictRange(bound, kUnbounded);
  }

  Status CheckDomains() {
    for (size_t c = 0; c < model_->components.size(); ++c) {
      if (!model_->components[c].domain.empty()) continue;
      for (size_t v = 0; v < graph().values.size(); ++v) {
        for (const Coordinate& at : model_->place[v]) {
          if (at.component != static_cast<int32_t>(c)) continue;
          const Value& value = graph().values[v];
          const isa::Buffer& buffer = model_->accelerator->buffer(value.buffer);
          return Error(
              ErrorClass::kUnsupported, "allocate-capacity",
              "buffer " + buffer.name + " of " + std::to_string(buffer.addresses[0]) +
                  (value.buffer == BufferId(0) ? " bytes" : " units") + " has no place for value " +
                  value.name +
                  " and what its instructions tie to it: bounds, fixed starts and address constraints "
                  "leave no address");
        }
      }
      return Error(ErrorClass::kUnsupported, "allocate-capacity",
                   "address constraints leave no value for an addressing attribute");
    }
    return {};
  }

  struct PendingLink {
    int32_t attribute, variable;
    int64_t constant, coefficient;
  };
  struct Congruence {
    int32_t variable;
    int64_t modulus, constant;
  };
  Model* model_;
  const std::vector<bool>& used_;
  Ties ties_;
  std::vector<int32_t> value_variable_, attribute_variable_, component_of_root_;
  std::vector<std::vector<PendingLink>> links_;
  std::vector<std::vector<bool>> has_unit_;
  std::vector<Congruence> congruences_;
  std::vector<bool> open_;
};

}  // namespace

Status BuildComponents(Model* model, const std::vector<bool>& used) { return Builder(model, used).Run(); }

}  // namespace act::allocate
