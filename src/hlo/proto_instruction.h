// One instruction of an HLO proto. Internal to this folder. All functions throw (proto_fields.h).
#pragma once
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "hlo/module.h"

namespace act::hlo::proto {

// The computations read so far, by the ids of the proto.
using ComputationIds = std::map<int64_t, int32_t>;

struct ReadInstructionResult {
  Instruction instruction;  // without operands
  int64_t id = 0;
  std::vector<int64_t> operand_ids;
};
// computations: for the names of called ones. operand_type(id): the element type of an operand of this
// instruction, kInvalid if there is no such.
class InstructionReader {
 public:
  InstructionReader(const Module* module, const ComputationIds* computations, int max_depth)
      : module_(module), computations_(computations), max_depth_(max_depth) {}
  // first_operand: looks up the first operand's element type by its id.
  template <typename TypeOf>
  ReadInstructionResult Read(std::string_view bytes, TypeOf type_of) {
    Message message = ReadMessage(bytes);
    const ElementType first =
        message.operand_ids.empty() ? ElementType::kInvalid : type_of(message.operand_ids.front());
    return Build(message, first);
  }

 private:
  // The fields that are looked at, by their names in hlo.proto.
  struct Message {
    std::string name, opcode, fusion_kind, custom_call_target, comparison_direction, comparison_type;
    std::string_view shape, literal, window, convolution_dimension_numbers, padding_config,
        dot_dimension_numbers, gather_dimension_numbers, scatter_dimension_numbers, precision_config,
        triangular_solve_options, cholesky_options, result_accuracy, sharding, frontend_attributes,
        backend_config, parameter_replication;
    bool has_shape = false, has_literal = false, has_result_accuracy = false, has_sharding = false;
    int64_t id = 0, parameter_number = 0, tuple_index = 0, exponent_bits = 0, mantissa_bits = 0, fft_type = 0,
            feature_group_count = 0, batch_group_count = 0, distribution = 0, feature_index = 0, delta = 0,
            rng_algorithm = 0, custom_call_api_version = 0, custom_call_schedule = 0, k = 0;
    float epsilon = 0;
    bool constrain_layout = false, is_stable = false, has_side_effect = false, indices_are_sorted = false,
         unique_indices = false, largest = false, is_composite = false;
    std::vector<int64_t> dimensions, dynamic_slice_sizes, fft_length, gather_slice_sizes, operand_ids,
        called_ids;
    std::vector<std::string_view> slice_dimensions, operand_shapes_with_layout, output_operand_aliasing;
  };
  static Message ReadMessage(std::string_view bytes);
  ReadInstructionResult Build(const Message& message, ElementType first_operand);
  void ReadKnown(const Message& message, ElementType first_operand, Instruction* instruction);
  void ReadOther(const Message& message, Instruction* instruction);
  void ReadIndexed(const Message& message, Instruction* instruction);  // gather, scatter, sort, topk, fft
  void ReadNumeric(const Message& message, Instruction* instruction);  // random numbers, norms, solvers
  void ReadCustomCall(const Message& message, Instruction* instruction);
  void ReadConvolution(const Message& message, Instruction* instruction);
  void ReadComparison(const Message& message, ElementType operand, Instruction* instruction);
  // Indices of the called computations.
  std::vector<int32_t> Called(const Message& message);
  const std::string& ComputationName(int32_t index) const {
    return module_->computations[static_cast<size_t>(index)].name;
  }
  void AppendCalled(std::string name, int32_t index, Instruction* instruction);
  void AppendCalledList(std::string name, const std::vector<int32_t>& called, Instruction* instruction);
  void ReadCalledOfOther(const Message& message, ElementType first_operand, Instruction* instruction);

  const Module* module_;
  const ComputationIds* computations_;
  int max_depth_;
};

// Fails unless HLO text would read the name as one word.
void CheckName(std::string_view name, std::string_view what);

}  // namespace act::hlo::proto
