#include <algorithm>
#include <map>

#include "cost/cost.h"

namespace act::cost {
namespace {

// When the bytes of a buffer are free: for each range the end of the last write and of the last read. Ranges
// are split where accesses begin and end, so that a loop over the same bytes adds nothing.
class Timeline {
 public:
  // Earliest start for an access.
  double Ready(BufferId buffer, const isa::ByteRange& range, bool writes) const {
    double ready = 0;
    const auto it = buffers_.find(buffer);
    if (it == buffers_.end()) return ready;
    auto piece = it->second.upper_bound(range.begin);
    if (piece != it->second.begin()) --piece;
    for (; piece != it->second.end() && piece->first < range.end; ++piece) {
      if (piece->second.end <= range.begin) continue;
      ready = std::max(ready, piece->second.written);
      if (writes) ready = std::max(ready, piece->second.read);
    }
    return ready;
  }
  void Add(BufferId buffer, const isa::ByteRange& range, bool write, double finish) {
    std::map<int64_t, Piece>& pieces = buffers_[buffer];
    Cut(&pieces, range.begin);
    Cut(&pieces, range.end);
    int64_t at = range.begin;
    for (auto piece = pieces.lower_bound(range.begin); at < range.end; ++piece) {
      if (piece == pieces.end() || piece->first > at) {  // bytes that nothing has touched
        const int64_t end = piece == pieces.end() ? range.end : std::min(range.end, piece->first);
        piece = pieces.emplace_hint(piece, at, Piece{end, 0, 0});
      }
      double& last = write ? piece->second.written : piece->second.read;
      last = std::max(last, finish);
      at = piece->second.end;
    }
  }

 private:
  struct Piece {
    int64_t end;
    double written, read;
  };
  static void Cut(std::map<int64_t, Piece>* pieces, int64_t at) {
    auto piece = pieces->lower_bound(at);
    if (piece == pieces->begin()) return;
    --piece;
    if (piece->second.end <= at) return;
    const Piece tail = piece->second;
    piece->second.end = at;
    pieces->emplace(at, tail);
  }
  std::map<BufferId, std::map<int64_t, Piece>> buffers_;
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
