#include "oracle/memory.h"

#include <algorithm>
#include <cstring>

namespace act::oracle {
namespace {

// Calls visit(byte offset, position in the packed bytes) for each chunk.
template <typename Visit>
void ForEachChunk(const Footprint& footprint, int64_t base, Visit visit) {
  size_t depth = footprint.modes.size();
  std::vector<int64_t> index(depth, 0);
  int64_t offset = base, packed = 0;
  while (true) {
    visit(offset, packed);
    packed += footprint.chunk;
    size_t d = depth;
    while (d > 0) {
      const Footprint::Mode& mode = footprint.modes[d - 1];
      offset += mode.stride;
      if (++index[d - 1] < mode.count) break;
      offset -= mode.stride * mode.count;
      index[--d] = 0;
    }
    if (d == 0) return;
  }
}

}  // namespace

Memory::Memory(int64_t bytes, uint8_t fill) : size_(bytes), fill_(fill) {
  if (bytes <= kDenseBytes) {
    dense_.assign(static_cast<size_t>(bytes), fill);
    resident_ = bytes;
  }
}

void Memory::Read(int64_t offset, int64_t length, uint8_t* out) const {
  if (size_ <= kDenseBytes) {
    std::memcpy(out, dense_.data() + offset, static_cast<size_t>(length));
    return;
  }
  while (length > 0) {
    int64_t inside = offset % kPageBytes;
    int64_t part = std::min(length, kPageBytes - inside);
    auto page = pages_.find(offset / kPageBytes);
    if (page == pages_.end()) {
      std::memset(out, fill_, static_cast<size_t>(part));
    } else {
      std::memcpy(out, page->second.get() + inside, static_cast<size_t>(part));
    }
    offset += part;
    out += part;
    length -= part;
  }
}

void Memory::Write(int64_t offset, int64_t length, const uint8_t* in) {
  if (size_ <= kDenseBytes) {
    std::memcpy(dense_.data() + offset, in, static_cast<size_t>(length));
    return;
  }
  while (length > 0) {
    int64_t inside = offset % kPageBytes;
    int64_t part = std::min(length, kPageBytes - inside);
    std::unique_ptr<uint8_t[]>& page = pages_[offset / kPageBytes];
    if (page == nullptr) {
      page = std::make_unique_for_overwrite<uint8_t[]>(kPageBytes);
      if (part < kPageBytes) std::memset(page.get(), fill_, kPageBytes);
      resident_ += kPageBytes;
    }
    std::memcpy(page.get() + inside, in, static_cast<size_t>(part));
    offset += part;
    in += part;
    length -= part;
  }
}

Footprint MakeFootprint(const isa::Buffer& buffer, std::span<const int64_t> size,
                        std::span<const int64_t> strides) {
  Footprint footprint;
  int64_t unit = buffer.UnitBytes();
  std::vector<int64_t> dense = RowMajorStrides(buffer.addresses);
  for (size_t d = 0; d < size.size(); ++d) {
    footprint.modes.push_back({size[d], (strides.empty() ? dense[d] : strides[d]) * unit});
  }
  footprint.chunk = unit;
  footprint.bytes = unit;
  for (const Footprint::Mode& mode : footprint.modes) footprint.bytes *= mode.count;
  std::erase_if(footprint.modes, [](const Footprint::Mode& mode) { return mode.count == 1; });
  while (!footprint.modes.empty() && footprint.modes.back().stride == footprint.chunk) {
    footprint.chunk *= footprint.modes.back().count;
    footprint.modes.pop_back();
  }
  return footprint;
}

void Gather(const Memory& memory, const Footprint& footprint, int64_t base, uint8_t* out) {
  if (footprint.modes.empty()) return memory.Read(base, footprint.chunk, out);
  ForEachChunk(footprint, base,
               [&](int64_t offset, int64_t packed) { memory.Read(offset, footprint.chunk, out + packed); });
}

void Scatter(Memory* memory, const Footprint& footprint, int64_t base, const uint8_t* in) {
  if (footprint.modes.empty()) return memory->Write(base, footprint.chunk, in);
  ForEachChunk(footprint, base,
               [&](int64_t offset, int64_t packed) { memory->Write(offset, footprint.chunk, in + packed); });
}

}  // namespace act::oracle
