// Small accelerators, and programs written down together with their certificates.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "assembly/assembly.h"
#include "isa/isa.h"
#include "support/support.h"
#include "tensor/tensor.h"
#include "validate/validate.h"

namespace act::validate {

// The two published examples with `rows` in place of 64 (reference: taidl.md section 19).
isa::Accelerator MakeQkv(int64_t rows = 64);
isa::Accelerator MakeQkvNew(int64_t rows = 64);
// An integer machine with what the examples lack: accumulation in place, two address dimensions, strided
// regions, constraints on addresses, placement marks, state in addresses and in values, two outputs.
isa::Accelerator MakeInteger();

// One statement at a time: Do appends a call to the program and a step to the certificate.
class Kit {
 public:
  explicit Kit(isa::Accelerator accelerator);

  // HBM is filled in the order of these calls.
  ValueId Input(const std::string& name, Shape shape);
  int64_t Output(Shape shape);  // returns its address
  ValueId Constant(const std::string& name, Literal value);
  int64_t Reserve(int64_t bytes);
  int64_t AddressOf(ValueId input_or_constant) const;

  // operands: what the certificate says the input regions hold. The result is named "v<n>".
  ValueId Do(const std::string& instruction, std::vector<int64_t> computational,
             std::vector<int64_t> addressing, std::vector<ValueId> operands);
  // Only the call; only the step.
  void Call(const std::string& instruction, std::vector<int64_t> computational,
            std::vector<int64_t> addressing);
  ValueId Step(const std::string& instruction, std::vector<int64_t> computational,
               std::vector<ValueId> operands);
  ValueId Window(ValueId whole, std::vector<int64_t> size, int64_t offset);
  ValueId Adjacent(std::vector<ValueId> parts);
  void Returns(std::vector<ValueId> values) { graph.outputs = std::move(values); }

  assembly::Call& call(size_t index) { return program.body[index].call; }

  isa::Accelerator accelerator;
  assembly::Program program;
  assembly::SelectedGraph graph;

 private:
  ValueId Add(assembly::Value value);
  std::map<uint32_t, int64_t> addresses_;
};

Shape Matrix(int64_t rows, int64_t columns, ElementType type = ElementType::kBF16);
Literal Identity(int64_t rows);

// Programs with certificates that are right, by name.
struct Example {
  std::string name;
  Kit kit;
};
std::vector<Example> QkvExamples(int64_t rows);
std::vector<Example> QkvNewExamples(int64_t rows);
std::vector<Example> IntegerExamples();

// The validator's failure, as "code: message"; "" when it accepts.
std::string Fault(const Kit& kit, bool certificate, const ValidateOptions& options = {});
// Every part occurs in the text.
testing::AssertionResult Says(const std::string& text, const std::vector<std::string>& parts);

}  // namespace act::validate
