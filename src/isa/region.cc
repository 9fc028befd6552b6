#include <algorithm>

#include "isa/instantiate.h"

namespace act::isa {
namespace {

Status SizeFault(const Region& region, size_t dimension, int64_t size) {
  Diagnostic d;
  d.code = "isa-size-below-1";
  d.message = "size " + std::to_string(dimension) + " of region '" + region.name + "' is " +
              std::to_string(size) + ", but a region holds at least 1 in each dimension; exclude such " +
              "attribute values by a constraint";
  d.location = region.location;
  return Status(std::move(d));
}

Status EvaluateAll(const std::vector<Expression>& expressions, const Environment& environment,
                   std::vector<int64_t>* values) {
  values->reserve(expressions.size());
  for (const Expression& expression : expressions) {
    ACT_ASSIGN_OR_RETURN(const int64_t value, Evaluate(expression, environment));
    values->push_back(value);
  }
  return {};
}

Status EvaluateSizesInto(const Region& region, const Environment& environment, std::vector<int64_t>* sizes) {
  ACT_RETURN_IF_ERROR(EvaluateAll(region.sizes, environment, sizes));
  for (size_t d = 0; d < sizes->size(); ++d) {
    if ((*sizes)[d] < 1) return SizeFault(region, d, (*sizes)[d]);
  }
  return {};
}

// Row-major address of a buffer position; positions may lie outside. False beyond 64 bits.
bool LinearAddress(const Buffer& buffer, std::span<const int64_t> position, int64_t* address) {
  *address = 0;
  for (size_t d = 0; d < position.size(); ++d) {
    const int64_t extent = d < buffer.addresses.size() ? buffer.addresses[d] : 1;
    if (__builtin_mul_overflow(*address, extent, address) ||
        __builtin_add_overflow(*address, position[d], address)) {
      return false;
    }
  }
  return true;
}

std::string WindowText(const Box& box) {
  std::string text = "[";
  for (size_t d = 0; d < std::max(box.start.size(), box.size.size()); ++d) {
    if (d > 0) text += ", ";
    if (d < box.start.size()) text += std::to_string(box.start[d]);
    if (d < box.size.size()) text += " : +" + std::to_string(box.size[d]);
    if (d < box.strides.size()) text += " step " + std::to_string(box.strides[d]);
  }
  return text + "]";
}

std::string ExtentText(const Buffer& buffer) {
  std::string text = "[";
  for (size_t d = 0; d < buffer.addresses.size(); ++d) {
    if (d > 0) text += ", ";
    text += std::to_string(buffer.addresses[d]);
  }
  return text + "]";
}

Status OutsideFault(const Buffer& buffer, const Box& box) {
  return Error(ErrorClass::kValue, "isa-window-outside",
               "window " + buffer.name + WindowText(box) + " is not inside " + buffer.name +
                   ExtentText(buffer) +
                   "; start it at 0 or later and end it at the buffer's size or earlier");
}

// Lowest and highest address, relative to the start, of a strided box. False beyond 64 bits.
bool StridedSpan(const Box& box, int64_t* low, int64_t* high) {
  *low = 0;
  *high = 0;
  for (size_t d = 0; d < box.size.size(); ++d) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(box.size[d] - 1, box.strides[d], &reach)) return false;
    int64_t* const end = reach < 0 ? low : high;
    if (__builtin_add_overflow(*end, reach, end)) return false;
  }
  return true;
}

void Append(std::vector<ByteRange>* ranges, int64_t begin, int64_t end) {
  if (!ranges->empty() && ranges->back().end == begin) {
    ranges->back().end = end;
  } else {
    ranges->push_back({begin, end});
  }
}

}  // namespace

StatusOr<std::vector<int64_t>> EvaluateSizes(const Region& region, const Environment& environment) {
  std::vector<int64_t> sizes;
  ACT_RETURN_IF_ERROR(EvaluateSizesInto(region, environment, &sizes));
  return sizes;
}

StatusOr<Box> EvaluateRegion(const Region& region, const Environment& environment) {
  Box box;
  box.buffer = region.buffer;
  ACT_RETURN_IF_ERROR(EvaluateAll(region.starts, environment, &box.start));
  ACT_RETURN_IF_ERROR(EvaluateSizesInto(region, environment, &box.size));
  ACT_RETURN_IF_ERROR(EvaluateAll(region.strides, environment, &box.strides));
  return box;
}

Status CheckBox(const Accelerator& accelerator, const Box& box) {
  const Buffer& buffer = accelerator.buffer(box.buffer);
  if (box.start.size() != buffer.addresses.size()) return OutsideFault(buffer, box);
  for (const int64_t size : box.size) {
    if (size < 1) return OutsideFault(buffer, box);
  }
  if (box.strides.empty()) {
    if (box.size.size() != buffer.addresses.size()) return OutsideFault(buffer, box);
    for (size_t d = 0; d < box.start.size(); ++d) {
      // start + size can leave 64 bits; extent - size cannot.
      if (box.start[d] < 0 || box.start[d] > buffer.addresses[d] - box.size[d])
        return OutsideFault(buffer, box);
    }
    return {};
  }
  if (box.strides.size() != box.size.size()) return OutsideFault(buffer, box);
  for (size_t d = 0; d < box.start.size(); ++d) {
    if (box.start[d] < 0 || box.start[d] >= buffer.addresses[d]) return OutsideFault(buffer, box);
  }
  int64_t start = 0, low = 0, high = 0, last = 0;
  const std::optional<int64_t> units = CheckedProduct(buffer.addresses);
  if (!units || !LinearAddress(buffer, box.start, &start) || !StridedSpan(box, &low, &high) ||
      __builtin_add_overflow(start, high, &last) || last >= *units || start + low < 0) {
    return OutsideFault(buffer, box);
  }
  return {};
}

StatusOr<int64_t> BoxBytes(const Accelerator& accelerator, BufferId buffer, std::span<const int64_t> size) {
  const std::optional<int64_t> units = CheckedProduct(size);
  const std::optional<int64_t> bytes =
      units ? CheckedMul(*units, accelerator.buffer(buffer).UnitBytes()) : std::nullopt;
  if (!bytes) {
    return Error(ErrorClass::kValue, "isa-too-wide",
                 "a region of buffer '" + accelerator.buffer(buffer).name +
                     "' has more bytes than fit in 64 bits; use smaller attribute values");
  }
  return *bytes;
}

std::vector<ByteRange> BoxRanges(const Accelerator& accelerator, const Box& box) {
  const Buffer& buffer = accelerator.buffer(box.buffer);
  const int64_t unit = buffer.UnitBytes();
  const size_t rank = box.size.size();
  std::vector<ByteRange> ranges;
  int64_t start = 0;
  if (!LinearAddress(buffer, box.start, &start)) return ranges;
  std::vector<int64_t> strides = box.strides.empty() ? RowMajorStrides(buffer.addresses) : box.strides;
  if (strides.size() != rank) return ranges;
  // The innermost dimensions that lie without gaps are one run.
  size_t outer = rank;
  int64_t run = 1;
  while (outer > 0 && (strides[outer - 1] == run || box.size[outer - 1] == 1)) run *= box.size[--outer];
  std::vector<int64_t> index(outer, 0);
  int64_t address = start;
  while (true) {
    Append(&ranges, address * unit, (address + run) * unit);
    size_t d = outer;
    while (d > 0 && index[d - 1] + 1 == box.size[d - 1]) {
      address -= index[d - 1] * strides[d - 1];
      index[--d] = 0;
    }
    if (d == 0) return ranges;
    ++index[d - 1];
    address += strides[d - 1];
  }
}

}  // namespace act::isa
