// The wire format of protocol buffers, field by field. Internal to this folder.
//
// Inside the proto reader a fault is an exception, as protozero's own are: ParseProto turns all of them into
// a status, and none leaves it.
#pragma once
#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/support.h"

namespace act::hlo::proto {

struct Failure {
  ErrorClass error_class;
  std::string code;
  std::string message;
};
[[noreturn]] void Fail(ErrorClass error_class, std::string code, std::string message);
// kValue.
[[noreturn]] void FailValue(std::string code, std::string message);

// The fields of one message in the order of its bytes. A value that is not asked for is skipped. Asking for a
// value of another wire type than the field has is a fault. Repeated numbers may be packed or not.
class Fields {
 public:
  // what: the message's name, for messages of faults.
  Fields(std::string_view bytes, const char* what)
      : reader_(protozero::data_view(bytes.data(), bytes.size())), what_(what) {}

  bool Next() {
    if (pending_) reader_.skip();
    pending_ = reader_.next();
    return pending_;
  }
  uint32_t number() const { return reader_.tag(); }

  int64_t Int();
  bool Bool() { return Int() != 0; }
  float Float();
  double Double();
  std::string_view Bytes();
  std::string Text() { return std::string(Bytes()); }
  void AppendInts(std::vector<int64_t>* values);
  // The little-endian bytes of 4- or 8-byte numbers.
  void AppendFixed(size_t width, std::vector<uint8_t>* bytes);

 private:
  void Expect(protozero::pbf_wire_type type);

  protozero::pbf_reader reader_;
  const char* what_;
  bool pending_ = false;
};

}  // namespace act::hlo::proto
