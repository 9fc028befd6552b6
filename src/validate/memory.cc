#include "validate/memory.h"

#include <algorithm>

namespace act::validate {

ContentId Memory::Read(ContentTable* table, std::span<const isa::ByteRange> ranges) const {
  // The common case: the region is exactly what one call wrote.
  if (ranges.size() == 1) {
    const auto it = held_.find(ranges[0].begin);
    if (it != held_.end() && it->second.end == ranges[0].end && it->second.offset == 0 &&
        table->bytes(it->second.content) == ranges[0].end - ranges[0].begin) {
      return it->second.content;
    }
  }
  ContentBuilder builder(table);
  for (const isa::ByteRange& range : ranges) {
    int64_t at = range.begin;
    auto it = held_.upper_bound(at);
    if (it != held_.begin() && std::prev(it)->second.end > at) --it;
    while (at < range.end) {
      if (it == held_.end() || it->first >= range.end) {
        builder.Add(undefined_, at, range.end - at);
        break;
      }
      if (it->first > at) {
        builder.Add(undefined_, at, it->first - at);
        at = it->first;
      }
      const int64_t end = std::min(it->second.end, range.end);
      builder.AddSlice(it->second.content, it->second.offset + at - it->first, end - at);
      at = end;
      ++it;
    }
  }
  return builder.Finish();
}

void Memory::Erase(int64_t begin, int64_t end) {
  auto it = held_.lower_bound(begin);
  if (it != held_.begin()) {
    const auto before = std::prev(it);
    Held& left = before->second;
    if (left.end > begin) {
      if (left.end > end) {
        Held right = left;
        right.offset += end - before->first;
        held_.emplace_hint(it, end, right);
      }
      left.end = begin;
    }
  }
  it = held_.lower_bound(begin);
  while (it != held_.end() && it->first < end) {
    if (it->second.end > end) {
      Held right = it->second;
      right.offset += end - it->first;
      it = held_.erase(it);
      held_.emplace_hint(it, end, right);
      return;
    }
    it = held_.erase(it);
  }
}

void Memory::Write(const ContentTable& table, std::span<const isa::ByteRange> ranges, ContentId content,
                   int64_t writer) {
  int64_t offset = 0;
  const int64_t bytes = table.bytes(content);
  for (const isa::ByteRange& range : ranges) {
    const int64_t length = std::min(range.end - range.begin, bytes - offset);
    if (length <= 0) continue;
    Erase(range.begin, range.begin + length);
    held_[range.begin] = {range.begin + length, content, offset, writer};
    offset += length;
  }
}

int64_t Memory::WriterOf(int64_t byte) const {
  auto it = held_.upper_bound(byte);
  if (it == held_.begin()) return kNobody;
  --it;
  return it->second.end > byte ? it->second.writer : kNobody;
}

}  // namespace act::validate
