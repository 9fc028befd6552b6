// Memories of the machine: dense where small, pages on first write where large. Internal to src/oracle.
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "isa/isa.h"

namespace act::oracle {

class Memory {
 public:
  // fill: the byte that every place holds until it is written.
  Memory(int64_t bytes, uint8_t fill);
  int64_t size() const { return size_; }
  // Bytes of this memory that take space on the host.
  int64_t resident_bytes() const { return resident_; }
  // [offset, offset + length) lies inside.
  void Read(int64_t offset, int64_t length, uint8_t* out) const;
  void Write(int64_t offset, int64_t length, const uint8_t* in);

 private:
  static constexpr int64_t kDenseBytes = int64_t{4} << 20;
  static constexpr int64_t kPageBytes = int64_t{64} << 10;
  int64_t size_;
  int64_t resident_ = 0;
  uint8_t fill_;
  std::vector<uint8_t> dense_;
  std::unordered_map<int64_t, std::unique_ptr<uint8_t[]>> pages_;  // never iterated
};

// The bytes of a box relative to its start, in row-major order: chunks of `chunk` bytes at the positions of
// nested counts with byte strides, outermost first.
struct Footprint {
  struct Mode {
    int64_t count = 1, stride = 0;
  };
  std::vector<Mode> modes;
  int64_t chunk = 0;
  int64_t bytes = 0;  // product of everything
};
// strides: in addressed units of the linear address; empty: dense.
Footprint MakeFootprint(const isa::Buffer& buffer, std::span<const int64_t> size,
                        std::span<const int64_t> strides);
void Gather(const Memory& memory, const Footprint& footprint, int64_t base, uint8_t* out);
void Scatter(Memory* memory, const Footprint& footprint, int64_t base, const uint8_t* in);

}  // namespace act::oracle
