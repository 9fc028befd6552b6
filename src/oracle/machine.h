// The machine: memories, state, and the walk over a program's statements. Internal to src/oracle.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "oracle/arithmetic.h"
#include "oracle/memory.h"
#include "oracle/oracle.h"
#include "oracle/plan.h"

namespace act::oracle {

enum class Mode {
  kExecute,  // everything
  kCheck,    // everything but data
  kCost,     // arguments, updates and cost expressions
};

class Machine {
 public:
  // The program has passed CheckProgram.
  Machine(const isa::Accelerator& accelerator, const assembly::Program& program,
          const SimulateOptions& options, Mode mode);
  Status Run() { return Body(program_.body); }
  // Fresh memories and state, as at the start; what was worked out about calls is kept.
  void Reset();
  Memory* hbm() { return &memories_[0]; }
  int64_t executed_calls() const { return executed_calls_; }
  int128_t cost() const { return cost_; }
  Warnings* warnings() { return &warnings_; }

 private:
  // The call being executed, for messages.
  struct Context {
    const assembly::Call* call = nullptr;
    const isa::Instruction* instruction = nullptr;
    std::vector<int128_t> computational, addressing;
    bool loop_dependent = false;
  };

  Status Body(const std::vector<assembly::Statement>& body);
  Status Loop(const assembly::Statement& loop);
  Status Debug(const assembly::Statement& debug);
  Status RunCall(const assembly::Call& call);
  Status Arguments();
  Status Constraints();
  Status Updates();
  Status AddCost();
  StatusOr<CallPlan*> Plan();
  Status Regions(const std::vector<isa::Region>& regions, std::string_view kind,
                 std::vector<RegionPlan>* plans);
  // Byte offset of the region, or the failure that names the window.
  Status Place(const isa::Region& region, const RegionPlan& plan, std::string_view kind, size_t number,
               isa::Box* box, int64_t* base);
  Status InstantiatePlan(CallPlan* plan);
  Status Execute(CallPlan* plan);
  Status CheckResident() const;

  WideEnvironment Environment() const { return {context_.computational, context_.addressing, state_}; }
  bool HasEffect(const std::vector<assembly::Statement>& body) const;
  bool UniformCost(const std::vector<assembly::Statement>& body) const;
  // "n = 64, addr_in = 0".
  std::string Values() const;
  void Warn(bool negative_remainder, std::string_view what);
  void WarnWide(int128_t value, const std::string& what);
  Status Fail(ErrorClass error_class, std::string code, std::string message) const;
  Status Inside(const Status& status) const;  // a lower layer's failure, at this call

  const isa::Accelerator& accelerator_;
  const assembly::Program& program_;
  const SimulateOptions& options_;
  Mode mode_;
  std::vector<Memory> memories_;  // one a buffer (kExecute)
  std::vector<int128_t> state_;
  std::vector<int128_t> loop_values_;
  Context context_;
  std::map<std::vector<int64_t>, std::unique_ptr<CallPlan>> plans_;
  std::vector<int64_t> key_;
  std::vector<bool> shapes_use_state_;  // one an instruction
  std::vector<isa::Box> input_boxes_, output_boxes_;
  std::vector<int64_t> input_bases_, output_bases_;
  int64_t executed_calls_ = 0;
  int128_t cost_ = 0;
  Warnings warnings_;
};

}  // namespace act::oracle
