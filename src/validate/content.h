// Contents: byte sequences whose bytes are bytes of terms, in a normal form, so that equal sequences are
// equal ids.
//
// Normal form. First the sequence is cut into maximal runs: consecutive bytes of one term, or literal bytes
// of whatever origin. Then, from the left, neighbouring runs of one term with equal lengths and constant
// distance become one piece (a transposed or broadcast matrix has a piece a row, not one an element). A
// literal run is an interned byte string, reduced to its period where that is short. Each step is a function
// of the byte sequence alone, which makes the form canonical.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "validate/sequence.h"

namespace act::validate {

// Terms are numbered by the term table; two kinds are known here.
using TermId = uint32_t;
inline constexpr TermId kLiteralTerm = 0;              // bytes with a known value
inline constexpr TermId kUndefinedFlag = 0x80000000u;  // set in terms that stand for undefined bytes
constexpr bool IsUndefined(TermId term) { return (term & kUndefinedFlag) != 0; }

using ContentId = Id<struct ContentTag>;

// count runs of length bytes: run k is bytes [offset + k * stride, + length) of the term. Literal: `offset`
// is a byte string, repeated to `length`; count is 1.
struct Piece {
  int64_t begin = 0;  // position of the first byte in the content
  TermId term = 0;
  int64_t offset = 0;
  int64_t length = 0;
  int64_t count = 1;
  int64_t stride = 0;
  int64_t bytes() const { return length * count; }
  friend bool operator==(const Piece&, const Piece&) = default;
};
uint64_t SequenceHash(std::span<const Piece> pieces);

class ContentTable {
 public:
  ContentId Intern(std::span<const Piece> pieces);
  // All `bytes` bytes of a term, from its byte 0.
  ContentId Whole(TermId term, int64_t bytes);
  ContentId Literal(std::span<const uint8_t> bytes);
  uint32_t InternString(std::span<const uint8_t> bytes) { return strings_.Intern(bytes); }

  std::span<const Piece> pieces(ContentId id) const { return contents_[id.value()]; }
  std::span<const uint8_t> string(int64_t id) const { return strings_[static_cast<uint32_t>(id)]; }
  int64_t bytes(ContentId id) const { return info_[id.value()].bytes; }
  bool has_undefined(ContentId id) const { return info_[id.value()].has_undefined; }
  // The bytes, where every one is literal.
  std::optional<std::vector<uint8_t>> AsLiteral(ContentId id) const;
  // Index in pieces(id) of the piece that holds byte `position`.
  size_t PieceAt(ContentId id, int64_t position) const;

 private:
  struct Info {
    int64_t bytes;
    bool has_undefined;
  };
  SequenceTable<Piece> contents_;
  SequenceTable<uint8_t> strings_;
  std::vector<Info> info_;
};

// Puts a content together from left to right. Lengths of 0 are allowed and add nothing.
class ContentBuilder {
 public:
  explicit ContentBuilder(ContentTable* table) : table_(table) {}
  void Add(TermId term, int64_t offset, int64_t length);
  void AddStrided(TermId term, int64_t offset, int64_t length, int64_t count, int64_t stride);
  void AddLiteral(std::span<const uint8_t> bytes);
  void AddSlice(ContentId content, int64_t begin, int64_t length);
  void AddAll(ContentId content) { AddSlice(content, 0, table_->bytes(content)); }
  int64_t bytes() const { return bytes_; }
  ContentId Finish();

 private:
  void CloseRun();
  void CloseLiteral();

  ContentTable* table_;
  std::vector<Piece> pieces_;
  // The run that may still grow: of a term (run_length_ > 0) or literal, never both.
  TermId run_term_ = 0;
  int64_t run_offset_ = 0, run_length_ = 0;
  std::vector<uint8_t> literal_;
  int64_t bytes_ = 0;
};

// One byte of a content: byte `offset` of the term; of a literal its value.
struct ByteOf {
  TermId term = 0;
  int64_t offset = 0;
  friend bool operator==(const ByteOf&, const ByteOf&) = default;
};
ByteOf ByteAt(const ContentTable& table, ContentId content, int64_t position);
// The first position where two contents of equal size differ; nullopt if they are equal.
std::optional<int64_t> FirstDifference(const ContentTable& table, ContentId a, ContentId b);
// The first undefined byte; nullopt if there is none.
std::optional<int64_t> FirstUndefined(const ContentTable& table, ContentId content);
// The first position that holds `byte`.
std::optional<int64_t> FindByte(const ContentTable& table, ContentId content, const ByteOf& byte);

}  // namespace act::validate
