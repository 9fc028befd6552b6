// The driver: a module in, the best verified program out, with reasons and reports.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "allocate/allocate.h"
#include "backend/generate.h"
#include "backend/package.h"
#include "cost/cost.h"
#include "select/select.h"
#include "validate/validate.h"

namespace act::backend {

// The numbers behind --effort 0..3.
struct Effort {
  int level = 1;
  int64_t e_nodes = 20000;
  int64_t states = 20000;  // (content, buffer) pairs of state search
  int iterations = 30;
  int views = 16;    // bijective views of one base
  int bindings = 8;  // of one rule on one content
  int candidates = 16;
  int orders = 64;  // of one candidate
  int64_t allocation_nodes = 200000;
  int64_t extraction_nodes = 200000;
  int64_t verify_operations = 200000000;  // multiply-adds of one simulated run
};
Effort EffortLevel(int level);  // 0..3

struct CompileOptions {
  Effort effort;
  select::Numerics numerics = select::Numerics::kDefault;
  bool verify = true;
  uint64_t seed = 1;            // of verification inputs
  bool stop_at_first = false;   // the first valid candidate
  cost::Model* cost = nullptr;  // null: the built-in model
  std::string input_file;       // base name, for the header of the assembly
  // Receives each candidate that has a program, and notes; for --log. May be null.
  std::function<void(const std::string& name, const std::string& text)> log;
  // Called at stage changes with a short sentence; returns false to stop (a time limit).
  std::function<bool(const std::string& stage)> progress;
};

struct StageTime {
  std::string name;
  double milliseconds = 0;
};
struct CompileReport {
  select::SelectReport select;
  allocate::AllocateReport allocate;
  validate::ValidateReport validate;
  std::vector<std::string> inexact_steps;  // every step that is not exact on all inputs
  std::vector<std::string> dropped;        // why each dropped candidate was dropped
  std::string verification;                // what was executed and how it was compared
  int candidates = 0;                      // programs made
  int64_t instructions = 0;
  double cost = 0;
  int64_t hbm_bytes = 0;
  std::vector<StageTime> times;  // wall clock; never part of an emitted file
};

struct Compiled {
  assembly::Program program;
  assembly::SelectedGraph certificate;
  int candidate = 1;  // its number in the search order, from 1
  CompileReport report;
};

// Compiles the entry computation. A failure's class tells unsupported, limit and internal apart; `report`
// (may be null) is filled as far as the compile went.
StatusOr<Compiled> Compile(const isa::Accelerator& accelerator, select::Selector* selector,
                           const hlo::Module& module, const CompileOptions& options,
                           CompileReport* report = nullptr);

// Execution: the simulator on random inputs against the evaluator, on the selected graph
// bit for bit and on the kernel as its numeric marks allow.
struct VerifyReport {
  int runs = 0;
  double largest_difference = 0;  // absolute, on float outputs
  double largest_bound = 0;       // that was allowed there; 0: bit for bit
  int64_t undecided = 0;          // elements whose bound exceeds a quarter of their magnitude
  std::string summary;
};
StatusOr<VerifyReport> VerifyByExecution(const isa::Accelerator& accelerator, const hlo::FlatKernel& kernel,
                                         const assembly::Program& program,
                                         const assembly::SelectedGraph* certificate,
                                         const select::NumericMarks& marks, uint64_t seed, int runs);
// Random inputs of the kernel: N(0,1) for floats, all values for integers.
std::vector<Literal> RandomInputs(const hlo::FlatKernel& kernel, uint64_t seed);

}  // namespace act::backend
