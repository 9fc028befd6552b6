// Internal: the ISA manual that `act doc` writes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "assembly/assembly.h"
#include "cli/manual_writer.h"
#include "isa/isa.h"

namespace act::cli {

// The whole manual in Markdown. The worked example is found by compiling kernels that return their input; an
// accelerator for which none compiles gets a manual that says so.
std::string WriteManual(const isa::Accelerator& accelerator);

// A kernel that returns its input, and the program for it: the first that compiles among tensors of the
// shapes that windows of the memories have.
struct RoundTrip {
  std::string kernel;
  assembly::Program program;
};
std::optional<RoundTrip> FindRoundTrip(const isa::Accelerator& accelerator);

// An instruction's semantics as numbered steps, one formula each, over the names of its operands and results.
struct Formulas {
  std::vector<std::string> inputs, outputs;  // names the steps use, one each region
  std::vector<std::string> steps;
  std::vector<std::string> values;  // names of the semantics' nodes; empty for a constant written in place
};
Formulas DescribeSemantics(const isa::Accelerator& accelerator, const isa::Instruction& instruction);
// The tensor of a region, "bf16[n,64]".
std::string RegionShape(const isa::Accelerator& accelerator, const isa::Instruction& instruction,
                        const isa::Region& region);
// Where elements lie: of values read from or written to HBM as bytes, and of results whose shape is not their
// window's (presumed reshapes), the latter with examples at attribute values where the two shapes differ.
// One sentence each.
std::vector<std::string> DescribePlaces(const isa::Accelerator& accelerator,
                                        const isa::Instruction& instruction, const Formulas& formulas);

// Sections. The arithmetic of the operations that the instructions have:
void WriteNumbers(const isa::Accelerator& accelerator, ManualWriter* out);
// the two forms of program files, with their grammars, and an example:
void WritePrograms(const isa::Accelerator& accelerator, const std::optional<RoundTrip>& round_trip,
                   ManualWriter* out);
// and the commands that check, run and cost a program.
void WriteChecking(ManualWriter* out);

}  // namespace act::cli
