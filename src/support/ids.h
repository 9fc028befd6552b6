// Strong ids: 32-bit indices that do not convert into one another.
#pragma once
#include <compare>
#include <cstdint>
#include <functional>

namespace act {

template <typename Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(uint32_t value) : value_(value) {}
  constexpr explicit Id(size_t value) : value_(static_cast<uint32_t>(value)) {}
  constexpr explicit Id(int value) : value_(static_cast<uint32_t>(value)) {}
  constexpr uint32_t value() const { return value_; }
  constexpr bool valid() const { return value_ != kInvalid; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr uint32_t kInvalid = 0xffffffffu;
  uint32_t value_ = kInvalid;
};

using BufferId = Id<struct BufferTag>;            // index into Accelerator::buffers; 0 is HBM
using InstructionId = Id<struct InstructionTag>;  // index into Accelerator::instructions
using ValueId = Id<struct ValueTag>;              // index into SelectedGraph::values
using ClassId = Id<struct ClassTag>;              // e-class
using NodeId = Id<struct NodeTag>;                // e-node

}  // namespace act

template <typename Tag>
struct std::hash<act::Id<Tag>> {
  size_t operator()(act::Id<Tag> id) const { return static_cast<size_t>(id.value()) * 0x9e3779b97f4a7c15ull; }
};
