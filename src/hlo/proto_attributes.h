// Messages of HLO protos that the module keeps as text, in the spelling of HLO text. Internal to this folder.
// All functions throw (proto_fields.h).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/module.h"

namespace act::hlo::proto {

using RawAttributes = std::vector<RawAttribute>;

// "{0,1}".
std::string ListText(const std::vector<int64_t>& values);
// In quotes, with C escapes.
std::string QuotedText(std::string_view value);

// Each appends the attributes that HLO text writes for the message.
void AppendWindow(std::string_view bytes, RawAttributes* out);                // window
void AppendConvolutionLabels(std::string_view bytes, RawAttributes* out);     // dim_labels
void AppendGatherDims(std::string_view bytes, RawAttributes* out);            // up to index_vector_dim
void AppendScatterDims(std::string_view bytes, RawAttributes* out);           // up to index_vector_dim
void AppendTriangularSolve(std::string_view bytes, RawAttributes* out);       // left_side .. transpose_a
void AppendCholesky(std::string_view bytes, RawAttributes* out);              // lower
void AppendPrecision(std::string_view bytes, RawAttributes* out);             // operand_precision, algorithm
void AppendResultAccuracy(std::string_view bytes, RawAttributes* out);        // result_accuracy
void AppendParameterReplication(std::string_view bytes, RawAttributes* out);  // parameter_replication
void AppendSharding(std::string_view bytes, int depth, RawAttributes* out);   // sharding
void AppendFrontendAttributes(std::string_view bytes, RawAttributes* out);    // frontend_attributes
void AppendBackendConfig(std::string_view value, RawAttributes* out);         // backend_config
// messages: OutputOperandAliasing.
void AppendOutputAliasing(const std::vector<std::string_view>& messages, RawAttributes* out);
// Of the module.
void AppendInputOutputAlias(std::string_view bytes, RawAttributes* out);  // input_output_alias
void AppendBufferDonor(std::string_view bytes, RawAttributes* out);       // buffer_donor

DotDims ReadDotDims(std::string_view bytes);
std::vector<PadDim> ReadPadding(std::string_view bytes);
SliceDim ReadSliceDim(std::string_view bytes);

}  // namespace act::hlo::proto
