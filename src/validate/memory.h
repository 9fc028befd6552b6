// What each byte of one buffer holds, and which call wrote it. Sparse: bytes never written cost nothing.
#pragma once
#include <map>
#include <span>

#include "isa/isa.h"
#include "validate/content.h"

namespace act::validate {

inline constexpr int64_t kNobody = -1;  // writer of inputs, constants and bytes never written

class Memory {
 public:
  // undefined: the term that stands for the bytes never written.
  explicit Memory(TermId undefined) : undefined_(undefined) {}

  // The bytes of the ranges, one after the other.
  ContentId Read(ContentTable* table, std::span<const isa::ByteRange> ranges) const;
  // The ranges, in order, get the bytes of the content (as many as it has).
  void Write(const ContentTable& table, std::span<const isa::ByteRange> ranges, ContentId content,
             int64_t writer);
  int64_t WriterOf(int64_t byte) const;

 private:
  // Bytes [key, end) hold bytes [offset, offset + end - key) of content.
  struct Held {
    int64_t end = 0;
    ContentId content;
    int64_t offset = 0;
    int64_t writer = kNobody;
  };
  void Erase(int64_t begin, int64_t end);

  TermId undefined_;
  std::map<int64_t, Held> held_;
};

}  // namespace act::validate
