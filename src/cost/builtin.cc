#include <algorithm>
#include <map>

#include "cost/cost.h"

namespace act::cost {
namespace {

// When the bytes of a buffer are free: the end of the last write, and of the last read, of each range.
class Timeline {
 public:
  // Earliest start for an access to [begin, end).
  double Ready(BufferId buffer, const isa::ByteRange& range, bool writes) const {
    double ready = 0;
    const auto it = accesses_.find(buffer);
    if (it == accesses_.end()) return ready;
    for (const Access& access : it->second) {
      if (access.range.end <= range.begin || range.end <= access.range.begin) continue;
      if (writes || access.write) ready = std::max(ready, access.finish);
    }
    return ready;
  }
  void Add(BufferId buffer, const isa::ByteRange& range, bool write, double finish) {
    std::vector<Access>& list = accesses_[buffer];
    // A write hides whatever it covers.
    if (write) {
      std::erase_if(list, [&](const Access& a) {
        return range.begin <= a.range.begin && a.range.end <= range.end && a.finish <= finish;
      });
    }
    list.push_back({range, write, finish});
  }

 private:
  struct Access {
    isa::ByteRange range;
    bool write;
    double finish;
  };
  std::map<BufferId, std::vector<Access>> accesses_;
};

class Builtin final : public Model {
 public:
  StatusOr<double> Cost(const isa::Accelerator& accelerator, const assembly::Program& program,
                        const std::string&) override {
    Walk walk{accelerator, HasUnits(accelerator), HasCosts(accelerator), {}, {}, {}, 0, 0, 0};
    ACT_RETURN_IF_ERROR(Run(program.body, &walk));
    return walk.units ? walk.makespan : walk.sum;
  }
  bool IsAdditive(const isa::Accelerator& accelerator) const override { return !HasUnits(accelerator); }

 private:
  static constexpr int64_t kMaxCalls = int64_t{1} << 24;
  struct Walk {
    const isa::Accelerator& accelerator;
    bool units, costs;
    std::map<std::string, double> unit_free;
    Timeline timeline;
    std::vector<int64_t> loops;
    double makespan, sum;
    int64_t calls;
  };
  static bool HasUnits(const isa::Accelerator& acc) {
    return std::any_of(acc.instructions.begin(), acc.instructions.end(),
                       [](const isa::Instruction& in) { return !in.unit.empty(); });
  }
  static bool HasCosts(const isa::Accelerator& acc) {
    return std::any_of(acc.instructions.begin(), acc.instructions.end(),
                       [](const isa::Instruction& in) { return in.has_cost; });
  }

  static Status Run(const std::vector<assembly::Statement>& body, Walk* walk) {
    for (const assembly::Statement& statement : body) {
      if (statement.kind == assembly::Statement::Kind::kCall) {
        ACT_RETURN_IF_ERROR(Call(statement.call, walk));
      } else if (statement.kind == assembly::Statement::Kind::kLoop) {
        for (int64_t i = statement.start; i < statement.end; ++i) {
          walk->loops.push_back(i);
          const Status status = Run(statement.body, walk);
          walk->loops.pop_back();
          ACT_RETURN_IF_ERROR(status);
        }
      }
    }
    return Status();
  }

  static Status Call(const assembly::Call& call, Walk* walk) {
    if (++walk->calls > kMaxCalls) {
      return Error(ErrorClass::kLimit, "cost-limit",
                   "the cost model stops at " + std::to_string(kMaxCalls) + " executed instructions");
    }
    const isa::Instruction& in = walk->accelerator.instruction(call.instruction);
    double cost = 1;
    if (walk->costs) {
      ACT_ASSIGN_OR_RETURN(const int64_t cycles, isa::Evaluate(in.cost, {call.computational, {}, {}}));
      cost = static_cast<double>(cycles);
    }
    walk->sum += cost;
    if (!walk->units) return Status();
    std::vector<int64_t> addresses;
    for (const assembly::AttributeValue& value : call.addressing) {
      ACT_ASSIGN_OR_RETURN(const int64_t address, isa::Evaluate(value.expression, {{}, walk->loops, {}}));
      addresses.push_back(address);
    }
    struct Access {
      BufferId buffer;
      std::vector<isa::ByteRange> ranges;
      bool write;
    };
    std::vector<Access> accesses;
    for (const auto* regions : {&in.inputs, &in.outputs}) {
      for (const isa::Region& region : *regions) {
        ACT_ASSIGN_OR_RETURN(const isa::Box box,
                             isa::EvaluateRegion(region, {call.computational, addresses, {}}));
        accesses.push_back({box.buffer, isa::BoxRanges(walk->accelerator, box), regions == &in.outputs});
      }
    }
    double start = walk->unit_free[in.unit];
    for (const Access& access : accesses) {
      for (const isa::ByteRange& range : access.ranges) {
        start = std::max(start, walk->timeline.Ready(access.buffer, range, access.write));
      }
    }
    const double finish = start + cost;
    walk->unit_free[in.unit] = finish;
    walk->makespan = std::max(walk->makespan, finish);
    for (const Access& access : accesses) {
      for (const isa::ByteRange& range : access.ranges) {
        walk->timeline.Add(access.buffer, range, access.write, finish);
      }
    }
    return Status();
  }
};

}  // namespace

std::unique_ptr<Model> BuiltinModel() { return std::make_unique<Builtin>(); }

}  // namespace act::cost
