// Shardings: they say nothing about values, but HLO text shows them and so they are kept.
#include "hlo/proto_attributes.h"
#include "hlo/proto_fields.h"

namespace act::hlo::proto {
namespace {

// OpSharding.Type.
constexpr std::string_view kTypes[] = {"replicated", "maximal", "", "", "manual", "unknown"};
constexpr int64_t kReplicated = 0, kMaximal = 1, kTuple = 2, kOther = 3, kManual = 4, kUnknown = 5;

struct Sharding {
  int64_t type = kReplicated;
  std::vector<int64_t> tile, devices, last_tile_dims, reshape, transpose;
  std::vector<std::string_view> members;
  bool replicate_last = false;
};

[[noreturn]] void FailForm() {
  Fail(ErrorClass::kNotImplemented, "hlo-sharding",
       "a sharding is of a form that is not read from a proto; give the module as text");
}

Sharding ReadSharding(std::string_view bytes) {
  Sharding sharding;
  Fields fields(bytes, "OpSharding");
  while (fields.Next()) {
    switch (fields.number()) {
      case 1:
        sharding.type = fields.Int();
        break;
      case 3:
        fields.AppendInts(&sharding.tile);
        break;
      case 4:
        fields.AppendInts(&sharding.devices);
        break;
      case 5:
        sharding.members.push_back(fields.Bytes());
        break;
      case 6:
        sharding.replicate_last = fields.Bool();
        break;
      case 7:
        break;  // metadata
      case 8:
        fields.AppendInts(&sharding.last_tile_dims);
        break;
      case 9:
        fields.AppendInts(&sharding.reshape);
        break;
      case 10:
        fields.AppendInts(&sharding.transpose);
        break;
      default:
        FailForm();
    }
  }
  return sharding;
}

// "0,2,1,3", between the brackets of ListText.
std::string Bare(const std::vector<int64_t>& values) {
  const std::string text = ListText(values);
  return text.substr(1, text.size() - 2);
}

std::string TiledText(const Sharding& sharding) {
  std::string text = "{devices=[" + Bare(sharding.tile) + ']';
  if (!sharding.reshape.empty()) {
    text += "<=[" + Bare(sharding.reshape) + ']';
    if (sharding.transpose.size() > 1) text += "T(" + Bare(sharding.transpose) + ')';
  } else {
    text += Bare(sharding.devices);
  }
  if (sharding.replicate_last) text += " last_tile_dim_replicate";
  if (!sharding.last_tile_dims.empty()) {
    text += " last_tile_dims={";
    for (size_t i = 0; i < sharding.last_tile_dims.size(); ++i) {
      const int64_t type = sharding.last_tile_dims[i];
      if (type != kReplicated && type != kManual) FailForm();
      if (i > 0) text += ", ";
      text += kTypes[type];
    }
    text += '}';
  }
  return text + '}';
}

std::string ShardingText(std::string_view bytes, int depth) {
  const Sharding sharding = ReadSharding(bytes);
  switch (sharding.type) {
    case kReplicated:
    case kManual:
    case kUnknown:
      return '{' + std::string(kTypes[sharding.type]) + '}';
    case kMaximal:
      if (sharding.devices.size() != 1) FailForm();
      return "{maximal device=" + std::to_string(sharding.devices[0]) + '}';
    case kOther:
      return TiledText(sharding);
    case kTuple: {
      if (depth == 0) FailForm();
      std::string text = "{";
      for (std::string_view member : sharding.members) {
        if (text.size() > 1) text += ", ";
        text += ShardingText(member, depth - 1);
      }
      return text + '}';
    }
    default:
      FailForm();
  }
}

}  // namespace

void AppendSharding(std::string_view bytes, int depth, RawAttributes* out) {
  out->push_back({"sharding", ShardingText(bytes, depth)});
}

}  // namespace act::hlo::proto
