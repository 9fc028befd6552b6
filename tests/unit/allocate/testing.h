// Accelerators and graphs built by hand, and an independent replay of programs.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "allocate/allocate.h"

namespace act::allocate {

// ---- expressions ----
isa::Expression A(int32_t index);  // @a
isa::Expression C(int32_t index);  // @c
isa::Expression N(int64_t value);
isa::Expression Op(isa::Expression::Kind kind, const isa::Expression& left, const isa::Expression& right);
isa::Expression Plus(const isa::Expression& l, const isa::Expression& r);
isa::Expression Minus(const isa::Expression& l, const isa::Expression& r);
isa::Expression Times(const isa::Expression& l, const isa::Expression& r);
isa::Expression Over(const isa::Expression& l, const isa::Expression& r);
isa::Expression Mod(const isa::Expression& l, const isa::Expression& r);
isa::Condition Is(const isa::Expression& l, isa::Relation relation, const isa::Expression& r);
isa::Condition Or(const isa::Condition& a, const isa::Condition& b);

// ---- accelerators ----
// A buffer of u8 units, one byte each unless unit_bytes says otherwise.
BufferId Buffer(isa::Accelerator* acc, const std::string& name, std::vector<int64_t> addresses,
                int64_t unit_bytes = 1);
isa::Region R(uint32_t buffer, std::vector<isa::Expression> starts, std::vector<isa::Expression> sizes);
isa::Instruction& Instr(isa::Accelerator* acc, const std::string& name, int computational, int addressing,
                        std::vector<isa::Region> inputs, isa::Region output);
// taidl.md section 19 with d1 of d1_rows rows.
isa::Accelerator Qkv(int64_t d1_rows = 128, int64_t d2_rows = 64);

// ---- graphs ----
struct Graph {
  explicit Graph(const isa::Accelerator* accelerator) : acc(accelerator) {}
  const isa::Accelerator* acc;
  assembly::SelectedGraph graph;
  ValueId Input(int64_t bytes);
  ValueId Constant(int64_t bytes);
  ValueId Run(const std::string& instruction, std::vector<int64_t> computational,
              std::vector<ValueId> operands);
  ValueId Window(ValueId of, int64_t offset_bytes, std::vector<int64_t> size);
  ValueId Adjacent(std::vector<ValueId> parts);
  void Output(ValueId value);

 private:
  ValueId Add(assembly::Value value);
};
// softmax(Q K^T) V on QKV.
Graph Attention(const isa::Accelerator* acc);

// ---- checks ----
// Runs the program on units that remember which value wrote them and checks every read, bound, constraint,
// the inputs and the outputs at the end. Knows nothing of live ranges. Empty if all is well.
std::string Replay(const isa::Accelerator& acc, const assembly::SelectedGraph& graph,
                   const assembly::Program& program);
// Allocates, expects success, replays.
assembly::Program MustPlace(const Graph& g, const AllocateOptions& options = {},
                            AllocateReport* report = nullptr);
// Allocates and expects a failure of that code whose sentence contains every text.
void MustFail(const Graph& g, const std::string& code, const std::vector<std::string>& texts,
              const AllocateOptions& options = {});
// @a of call i.
std::vector<int64_t> Addresses(const assembly::Program& program, size_t i);
std::vector<std::string> CallNames(const isa::Accelerator& acc, const assembly::Program& program);

}  // namespace act::allocate
