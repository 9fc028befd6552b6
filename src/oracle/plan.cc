#include "oracle/plan.h"

namespace act::oracle {
namespace {

bool Uses(const std::vector<isa::Expression>& list) {
  for (const isa::Expression& e : list) {
    if (e.Uses(isa::AttributeKind::kState)) return true;
  }
  return false;
}

bool Uses(const isa::SemanticNode& node) {
  if (Uses(node.dims) || Uses(node.dimensions) || Uses(node.dynamic_slice_sizes)) return true;
  for (const isa::SymbolicSlice& s : node.slice) {
    for (const isa::Expression* e : {&s.start, &s.limit, &s.stride}) {
      if (e->Uses(isa::AttributeKind::kState)) return true;
    }
  }
  return node.constant.expression && node.constant.expression->Uses(isa::AttributeKind::kState);
}

// Sizes and strides as 64-bit numbers; false where one does not fit any buffer.
bool Narrow(const std::vector<int128_t>& wide, std::vector<int64_t>* narrow) {
  bool fits = true;
  for (int128_t value : wide) {
    fits = fits && FitsIn64(value);
    narrow->push_back(FitsIn64(value) ? static_cast<int64_t>(value) : 0);
  }
  return fits;
}

bool StridedFits(const RegionPlan& plan, int64_t units) {
  int64_t reach = 0;
  for (size_t d = 0; d < plan.size.size(); ++d) {
    std::optional<int64_t> part = CheckedMul(plan.size[d] - 1, plan.strides[d]);
    if (!part || *part == std::numeric_limits<int64_t>::min()) return false;
    std::optional<int64_t> sum = CheckedAdd(reach, *part < 0 ? -*part : *part);
    if (!sum || *sum >= units) return false;
    reach = *sum;
  }
  return true;
}

}  // namespace

bool ShapesUseState(const isa::Instruction& instruction) {
  for (const std::vector<isa::Region>* regions : {&instruction.inputs, &instruction.outputs}) {
    for (const isa::Region& region : *regions) {
      if (Uses(region.sizes) || Uses(region.strides)) return true;
    }
  }
  for (const isa::SemanticNode& node : instruction.semantics.nodes) {
    if (Uses(node)) return true;
  }
  return false;
}

std::vector<int64_t> Extents(const isa::Accelerator& accelerator, BufferId buffer, int64_t hbm_bytes) {
  if (buffer.value() == 0) return {hbm_bytes};
  return accelerator.buffer(buffer).addresses;
}

RegionPlan PlanRegion(const isa::Accelerator& accelerator, const isa::Region& region,
                      const WideEnvironment& environment, int64_t hbm_bytes, RegionFault* fault) {
  RegionPlan plan;
  const isa::Buffer& buffer = accelerator.buffer(region.buffer);
  auto evaluate = [&](const std::vector<isa::Expression>& list, std::string_view what, bool positive,
                      std::vector<int128_t>* values) {
    for (const isa::Expression& e : list) {
      WideResult r = EvaluateWide(e, environment);
      fault->negative_remainder |= r.negative_remainder;
      if (r.fault != Fault::kNone && fault->text.empty()) {
        fault->text = "a " + std::string(what) + " of it " + std::string(FaultText(r.fault));
      } else if (positive && r.value < 1 && fault->text.empty()) {
        fault->text = "a size of it is " + ToString(r.value) + ", but must be at least 1";
      }
      values->push_back(r.value);
    }
  };
  std::vector<int128_t> sizes, strides;
  evaluate(region.sizes, "size", true, &sizes);
  evaluate(region.strides, "stride", false, &strides);
  if (!fault->text.empty()) return plan;
  plan.fits = Narrow(sizes, &plan.size);
  plan.fits = Narrow(strides, &plan.strides) && plan.fits;
  std::vector<int64_t> dims = plan.size;
  dims.insert(dims.end(), buffer.unit.begin(), buffer.unit.end());
  plan.shape = Shape::Array(buffer.type, std::move(dims));
  std::vector<int64_t> extents = Extents(accelerator, region.buffer, hbm_bytes);
  if (plan.strides.empty()) {
    plan.fits = plan.fits && plan.size.size() == extents.size();
    for (size_t d = 0; plan.fits && d < extents.size(); ++d) plan.fits = plan.size[d] <= extents[d];
  } else {
    std::optional<int64_t> units = CheckedProduct(extents);
    plan.fits = plan.fits && plan.strides.size() == plan.size.size() && units && StridedFits(plan, *units);
    // A stride that is never stepped says nothing, and may be any number.
    for (size_t d = 0; d < plan.strides.size(); ++d) {
      if (plan.size[d] == 1) plan.strides[d] = 0;
    }
  }
  plan.fits = plan.fits && isa::BoxBytes(accelerator, region.buffer, plan.size).ok();
  if (plan.fits) plan.footprint = MakeFootprint(buffer, plan.size, plan.strides);
  return plan;
}

}  // namespace act::oracle
