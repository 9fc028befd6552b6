// Interning of short sequences: equal sequences get equal ids, ids count up from 0 in order of first use.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "support/support.h"

namespace act::validate {

inline uint64_t SequenceHash(std::span<const int64_t> values) { return HashInts(values); }
inline uint64_t SequenceHash(std::span<const uint8_t> bytes) {
  return HashBytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// T: equality-comparable, with an overload of SequenceHash. A span handed out lives until the next Intern.
template <typename T>
class SequenceTable {
 public:
  uint32_t Intern(std::span<const T> values) {
    if (2 * (spans_.size() + 1) > slots_.size()) Grow();
    const uint64_t hash = SequenceHash(values);
    size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != kEmpty; slot = (slot + 1) & (slots_.size() - 1)) {
      const uint32_t id = slots_[slot];
      if (spans_[id].hash == hash && Equal((*this)[id], values)) return id;
    }
    const uint32_t id = static_cast<uint32_t>(spans_.size());
    slots_[slot] = id;
    spans_.push_back({hash, arena_.size(), values.size()});
    arena_.insert(arena_.end(), values.begin(), values.end());
    return id;
  }
  std::span<const T> operator[](uint32_t id) const {
    return {arena_.data() + spans_[id].begin, spans_[id].size};
  }
  size_t size() const { return spans_.size(); }

 private:
  static constexpr uint32_t kEmpty = 0xffffffffu;
  struct Span {
    uint64_t hash;
    size_t begin, size;
  };
  static bool Equal(std::span<const T> a, std::span<const T> b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!(a[i] == b[i])) return false;
    }
    return true;
  }
  void Grow() {
    std::vector<uint32_t> slots(slots_.empty() ? 64 : 2 * slots_.size(), kEmpty);
    for (uint32_t id = 0; id < spans_.size(); ++id) {
      size_t slot = spans_[id].hash & (slots.size() - 1);
      while (slots[slot] != kEmpty) slot = (slot + 1) & (slots.size() - 1);
      slots[slot] = id;
    }
    slots_ = std::move(slots);
  }

  std::vector<T> arena_;
  std::vector<Span> spans_;
  std::vector<uint32_t> slots_;
};

}  // namespace act::validate
