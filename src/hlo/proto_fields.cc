#include "hlo/proto_fields.h"

#include <cstring>

namespace act::hlo::proto {

void Fail(ErrorClass error_class, std::string code, std::string message) {
  throw Failure{error_class, std::move(code), std::move(message)};
}

void FailValue(std::string code, std::string message) {
  Fail(ErrorClass::kValue, std::move(code), std::move(message));
}

void Fields::Expect(protozero::pbf_wire_type type) {
  if (reader_.wire_type() != type) {
    FailValue("hlo-proto", "field " + std::to_string(number()) + " of " + what_ + " has wire type " +
                               std::to_string(static_cast<uint32_t>(reader_.wire_type())) + ", expected " +
                               std::to_string(static_cast<uint32_t>(type)) + "; the proto is damaged");
  }
  pending_ = false;
}

int64_t Fields::Int() {
  Expect(protozero::pbf_wire_type::varint);
  return static_cast<int64_t>(reader_.get_uint64());
}

float Fields::Float() {
  Expect(protozero::pbf_wire_type::fixed32);
  return reader_.get_float();
}

double Fields::Double() {
  Expect(protozero::pbf_wire_type::fixed64);
  return reader_.get_double();
}

std::string_view Fields::Bytes() {
  Expect(protozero::pbf_wire_type::length_delimited);
  const protozero::data_view view = reader_.get_view();
  return {view.data(), view.size()};
}

void Fields::AppendInts(std::vector<int64_t>* values) {
  if (reader_.wire_type() == protozero::pbf_wire_type::varint) {
    values->push_back(Int());
    return;
  }
  const std::string_view packed = Bytes();
  const char* at = packed.data();
  const char* const end = at + packed.size();
  while (at != end) values->push_back(static_cast<int64_t>(protozero::decode_varint(&at, end)));
}

void Fields::AppendFixed(size_t width, std::vector<uint8_t>* bytes) {
  const auto append = [bytes](const void* data, size_t size) {
    const auto* first = static_cast<const uint8_t*>(data);
    bytes->insert(bytes->end(), first, first + size);
  };
  if (width == 4 && reader_.wire_type() == protozero::pbf_wire_type::fixed32) {
    const float value = Float();
    append(&value, sizeof(value));
  } else if (width == 8 && reader_.wire_type() == protozero::pbf_wire_type::fixed64) {
    const double value = Double();
    append(&value, sizeof(value));
  } else {
    const std::string_view packed = Bytes();
    if (packed.size() % width != 0) {
      FailValue("hlo-proto", "field " + std::to_string(number()) + " of " + what_ + " has " +
                                 std::to_string(packed.size()) + " bytes, no multiple of " +
                                 std::to_string(width) + "; the proto is damaged");
    }
    append(packed.data(), packed.size());
  }
}

}  // namespace act::hlo::proto
