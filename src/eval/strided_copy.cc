#include <cstring>

#include "eval/internal.h"

namespace act::eval {
namespace {

struct Mode {
  int64_t extent, source, destination;
};

template <size_t kBytes>
void CopyRow(const Mode& mode, const uint8_t* source, uint8_t* destination) {
  const auto step = static_cast<int64_t>(kBytes);
  for (int64_t i = 0; i < mode.extent; ++i) {
    std::memcpy(destination + i * mode.destination * step, source + i * mode.source * step, kBytes);
  }
}

void CopyInner(int64_t element_bytes, const Mode& mode, const uint8_t* source, uint8_t* destination) {
  if (mode.source == 1 && mode.destination == 1) {
    std::memcpy(destination, source, static_cast<size_t>(mode.extent * element_bytes));
    return;
  }
  switch (element_bytes) {
    case 1:
      return CopyRow<1>(mode, source, destination);
    case 2:
      return CopyRow<2>(mode, source, destination);
    case 4:
      return CopyRow<4>(mode, source, destination);
    case 8:
      return CopyRow<8>(mode, source, destination);
    default:
      return CopyRow<16>(mode, source, destination);
  }
}

}  // namespace

void CopyStrided(int64_t element_bytes, std::span<const int64_t> dims, const uint8_t* source,
                 std::span<const int64_t> source_strides, uint8_t* destination,
                 std::span<const int64_t> destination_strides) {
  std::vector<Mode> modes;
  // First of all: without elements the other extents, and products of them, may be anything.
  for (int64_t d : dims) {
    if (d == 0) return;
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    const Mode mode{dims[d], source_strides[d], destination_strides[d]};
    if (!modes.empty() && modes.back().source == mode.source * mode.extent &&
        modes.back().destination == mode.destination * mode.extent) {
      modes.back() = {modes.back().extent * mode.extent, mode.source, mode.destination};
    } else {
      modes.push_back(mode);
    }
  }
  if (modes.empty()) modes.push_back({1, 1, 1});
  const Mode inner = modes.back();
  modes.pop_back();
  std::vector<int64_t> index(modes.size(), 0);
  while (true) {
    CopyInner(element_bytes, inner, source, destination);
    size_t d = modes.size();
    while (d > 0) {
      const Mode& mode = modes[d - 1];
      source += mode.source * element_bytes;
      destination += mode.destination * element_bytes;
      if (++index[d - 1] < mode.extent) break;
      source -= mode.extent * mode.source * element_bytes;
      destination -= mode.extent * mode.destination * element_bytes;
      index[d - 1] = 0;
      --d;
    }
    if (d == 0) return;
  }
}

}  // namespace act::eval
