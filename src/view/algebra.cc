#include "view/algebra.h"

#include <algorithm>
#include <cstdlib>

#include "support/support.h"

namespace act {
namespace {

// Drops extents of 1 and merges neighbours whose strides continue one another.
std::vector<Mode> Normalise(const std::vector<Mode>& modes) {
  std::vector<Mode> out;
  for (const Mode& mode : modes) {
    if (mode.extent == 1) continue;
    if (!out.empty() && out.back().stride == mode.extent * mode.stride) {
      out.back() = {out.back().extent * mode.extent, mode.stride};
    } else {
      out.push_back(mode);
    }
  }
  return out;
}

}  // namespace

View::View(std::vector<Mode> modes, int64_t offset) : modes_(Normalise(modes)), offset_(offset) {}

View View::Identity(int64_t size) { return View({{size, 1}}); }

View View::OfElements(std::span<const Mode> element_modes_in_bytes, int64_t width, int64_t offset) {
  std::vector<Mode> modes(element_modes_in_bytes.begin(), element_modes_in_bytes.end());
  modes.push_back({width, 1});
  return View(std::move(modes), offset);
}

int64_t View::size() const {
  int64_t n = 1;
  for (const Mode& mode : modes_) n *= mode.extent;
  return n;
}

int64_t View::MinByte() const {
  int64_t low = offset_;
  for (const Mode& mode : modes_) {
    if (mode.stride < 0) low += (mode.extent - 1) * mode.stride;
  }
  return low;
}

int64_t View::MaxByte() const {
  int64_t high = offset_;
  for (const Mode& mode : modes_) {
    if (mode.stride > 0) high += (mode.extent - 1) * mode.stride;
  }
  return high;
}

int64_t View::At(int64_t position) const {
  int64_t value = offset_;
  for (size_t k = modes_.size(); k-- > 0;) {
    value += (position % modes_[k].extent) * modes_[k].stride;
    position /= modes_[k].extent;
  }
  return value;
}

bool View::IsIdentity(int64_t old_size) const {
  if (offset_ != 0) return false;
  if (modes_.empty()) return old_size == 1;
  return modes_.size() == 1 && modes_[0].stride == 1 && modes_[0].extent == old_size;
}

bool View::IsContiguous() const { return modes_.empty() || (modes_.size() == 1 && modes_[0].stride == 1); }

bool View::IsInjective() const {
  std::vector<Mode> sorted = modes_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Mode& a, const Mode& b) { return std::abs(a.stride) < std::abs(b.stride); });
  int64_t span = 0;  // largest distance reachable with the modes so far
  bool nested = true;
  for (const Mode& mode : sorted) {
    if (mode.stride == 0) return false;
    nested = nested && std::abs(mode.stride) > span;
    span += (mode.extent - 1) * std::abs(mode.stride);
  }
  if (nested) return true;
  // Interleaved strides (for example 2 and 3): count the bytes.
  std::vector<bool> seen(static_cast<size_t>(span + 1));
  const int64_t low = MinByte();
  for (int64_t i = 0, n = size(); i < n; ++i) {
    auto bit = seen[static_cast<size_t>(At(i) - low)];
    if (bit) return false;
    bit = true;
  }
  return true;
}

bool View::IsBijection(int64_t old_size) const {
  return MinByte() == 0 && MaxByte() == old_size - 1 && size() == old_size && IsInjective();
}

std::string View::ToString() const {
  std::string out = "[";
  for (size_t k = 0; k < modes_.size(); ++k) {
    if (k > 0) out += ",";
    out += "(" + std::to_string(modes_[k].extent) + "," + std::to_string(modes_[k].stride) + ")";
  }
  out += "]";
  if (offset_ != 0) out += "+" + std::to_string(offset_);
  return out;
}

uint64_t View::Hash() const {
  uint64_t h = HashCombine(0x76696577, static_cast<uint64_t>(offset_));
  for (const Mode& mode : modes_) {
    h = HashCombine(h, static_cast<uint64_t>(mode.extent));
    h = HashCombine(h, static_cast<uint64_t>(mode.stride));
  }
  return h;
}

std::optional<View> ToElements(const View& bytes, int64_t width) {
  if (width == 1) return bytes;
  std::vector<Mode> modes = bytes.modes();
  if (bytes.offset() % width != 0 || modes.empty()) return std::nullopt;
  Mode& last = modes.back();
  if (last.stride != 1 || last.extent % width != 0) return std::nullopt;
  last = {last.extent / width, width};
  for (Mode& mode : modes) {
    if (mode.extent > 1 && mode.stride % width != 0) return std::nullopt;
    mode.stride /= width;
  }
  return View(std::move(modes), bytes.offset() / width);
}

View FromElements(const View& elements, int64_t width) {
  std::vector<Mode> modes = elements.modes();
  for (Mode& mode : modes) mode.stride *= width;
  modes.push_back({width, 1});
  return View(std::move(modes), elements.offset() * width);
}

std::optional<View> FromTable(std::span<const int64_t> table) {
  std::vector<Mode> modes;
  std::vector<int64_t> current(table.begin(), table.end());
  const int64_t offset = current[0];
  while (current.size() > 1) {
    const int64_t stride = current[1] - current[0];
    size_t extent = 2;
    while (extent < current.size() && current[extent] - current[extent - 1] == stride) ++extent;
    if (current.size() % extent != 0) return std::nullopt;
    std::vector<int64_t> outer;
    for (size_t block = 0; block < current.size(); block += extent) {
      for (size_t i = 1; i < extent; ++i) {
        if (current[block + i] - current[block] != stride * static_cast<int64_t>(i)) return std::nullopt;
      }
      outer.push_back(current[block]);
    }
    modes.push_back({static_cast<int64_t>(extent), stride});
    current = std::move(outer);
  }
  std::reverse(modes.begin(), modes.end());
  return View(std::move(modes), offset);
}

std::optional<SplitModes> SplitAt(const View& view, int64_t inner_size) {
  SplitModes split;
  split.outer = view.modes();
  int64_t need = inner_size;
  while (need > 1) {
    if (split.outer.empty()) return std::nullopt;
    const Mode mode = split.outer.back();
    split.outer.pop_back();
    if (need % mode.extent == 0) {
      split.inner.insert(split.inner.begin(), mode);
      need /= mode.extent;
    } else if (mode.extent % need == 0) {
      split.inner.insert(split.inner.begin(), Mode{need, mode.stride});
      split.outer.push_back({mode.extent / need, mode.stride * need});
      need = 1;
    } else {
      return std::nullopt;
    }
  }
  return split;
}

}  // namespace act
