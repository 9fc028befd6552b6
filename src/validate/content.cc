#include "validate/content.h"

#include <algorithm>
#include <cstring>

namespace act::validate {
namespace {

constexpr int64_t kMaxPeriod = 16;

// Length of the shortest period of at most kMaxPeriod bytes that occurs at least twice; else the whole.
size_t Period(std::span<const uint8_t> bytes) {
  for (size_t period = 1; period <= kMaxPeriod && 2 * period <= bytes.size(); ++period) {
    if (std::memcmp(bytes.data(), bytes.data() + period, bytes.size() - period) == 0) return period;
  }
  return bytes.size();
}

}  // namespace

uint64_t SequenceHash(std::span<const Piece> pieces) {
  uint64_t hash = pieces.size();
  for (const Piece& p : pieces) {
    hash = HashCombine(hash, p.term);
    hash = HashCombine(hash, static_cast<uint64_t>(p.offset));
    hash = HashCombine(hash, static_cast<uint64_t>(p.length));
    hash = HashCombine(
        hash, static_cast<uint64_t>(p.count) * 0x9e3779b97f4a7c15ull + static_cast<uint64_t>(p.stride));
  }
  return hash;
}

ContentId ContentTable::Intern(std::span<const Piece> pieces) {
  const ContentId id(contents_.Intern(pieces));
  if (id.value() == info_.size()) {
    Info info{0, false};
    for (const Piece& p : pieces) {
      info.bytes += p.bytes();
      info.has_undefined = info.has_undefined || IsUndefined(p.term);
    }
    info_.push_back(info);
  }
  return id;
}

ContentId ContentTable::Whole(TermId term, int64_t bytes) {
  ContentBuilder builder(this);
  builder.Add(term, 0, bytes);
  return builder.Finish();
}

ContentId ContentTable::Literal(std::span<const uint8_t> bytes) {
  ContentBuilder builder(this);
  builder.AddLiteral(bytes);
  return builder.Finish();
}

std::optional<std::vector<uint8_t>> ContentTable::AsLiteral(ContentId id) const {
  // In normal form a literal content is one piece.
  const std::span<const Piece> all = pieces(id);
  if (all.empty()) return std::vector<uint8_t>();
  if (all.size() != 1 || all[0].term != kLiteralTerm) return std::nullopt;
  const std::span<const uint8_t> text = string(all[0].offset);
  std::vector<uint8_t> result(static_cast<size_t>(all[0].length));
  for (size_t i = 0; i < result.size(); ++i) result[i] = text[i % text.size()];
  return result;
}

size_t ContentTable::PieceAt(ContentId id, int64_t position) const {
  const std::span<const Piece> all = pieces(id);
  const auto after = std::upper_bound(all.begin(), all.end(), position,
                                      [](int64_t p, const Piece& piece) { return p < piece.begin; });
  return static_cast<size_t>(after - all.begin()) - 1;
}

void ContentBuilder::CloseRun() {
  if (run_length_ == 0) return;
  const int64_t length = run_length_;
  run_length_ = 0;
  if (!pieces_.empty()) {
    Piece& last = pieces_.back();
    if (last.term == run_term_ && last.length == length) {
      if (last.count == 1) last.stride = run_offset_ - last.offset;
      if (run_offset_ == last.offset + last.count * last.stride) {
        ++last.count;
        return;
      }
    }
  }
  const int64_t begin = pieces_.empty() ? 0 : pieces_.back().begin + pieces_.back().bytes();
  pieces_.push_back({begin, run_term_, run_offset_, length, 1, 0});
}

void ContentBuilder::CloseLiteral() {
  if (literal_.empty()) return;
  const uint32_t text = table_->InternString(std::span(literal_).first(Period(literal_)));
  const int64_t begin = pieces_.empty() ? 0 : pieces_.back().begin + pieces_.back().bytes();
  pieces_.push_back({begin, kLiteralTerm, text, static_cast<int64_t>(literal_.size()), 1, 0});
  literal_.clear();
}

void ContentBuilder::Add(TermId term, int64_t offset, int64_t length) {
  if (length <= 0) return;
  bytes_ += length;
  if (run_length_ > 0 && run_term_ == term && run_offset_ + run_length_ == offset) {
    run_length_ += length;
    return;
  }
  CloseRun();
  CloseLiteral();
  run_term_ = term;
  run_offset_ = offset;
  run_length_ = length;
}

void ContentBuilder::AddStrided(TermId term, int64_t offset, int64_t length, int64_t count, int64_t stride) {
  if (length <= 0) return;
  for (int64_t k = 0; k < count; ++k) {
    // Once runs k-2 and k-1 stand in one piece, all further ones but the last (which may grow) join it.
    if (k >= 3 && k + 1 < count && run_length_ == length && run_term_ == term && stride != length &&
        run_offset_ == offset + (k - 1) * stride && !pieces_.empty()) {
      const Piece& last = pieces_.back();
      if (last.term == term && last.length == length && last.count >= 2 && last.stride == stride &&
          last.offset + last.count * stride == run_offset_) {
        const int64_t rest = count - k;  // runs k .. count-1; run count-1 becomes the open one
        bytes_ += rest * length;
        pieces_.back().count += rest;
        run_offset_ += rest * stride;
        return;
      }
    }
    Add(term, offset + k * stride, length);
  }
}

void ContentBuilder::AddLiteral(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return;
  CloseRun();
  bytes_ += static_cast<int64_t>(bytes.size());
  literal_.insert(literal_.end(), bytes.begin(), bytes.end());
}

void ContentBuilder::AddSlice(ContentId content, int64_t begin, int64_t length) {
  if (length <= 0) return;
  const std::span<const Piece> pieces = table_->pieces(content);
  for (size_t i = table_->PieceAt(content, begin); length > 0; ++i) {
    const Piece piece = pieces[i];
    const int64_t local = begin - piece.begin;
    int64_t take = std::min(length, piece.bytes() - local);
    begin += take;
    length -= take;
    if (piece.term == kLiteralTerm) {
      CloseRun();
      const std::span<const uint8_t> text = table_->string(piece.offset);
      bytes_ += take;
      const size_t old = literal_.size();
      literal_.resize(old + static_cast<size_t>(take));
      if (static_cast<int64_t>(text.size()) == piece.length) {
        std::memcpy(literal_.data() + old, text.data() + local, static_cast<size_t>(take));
      } else {
        size_t phase = static_cast<size_t>(local) % text.size();
        for (size_t k = old; k < literal_.size(); ++k) {
          literal_[k] = text[phase];
          if (++phase == text.size()) phase = 0;
        }
      }
      continue;
    }
    const int64_t run = local / piece.length;
    int64_t offset = piece.offset + run * piece.stride;
    const int64_t inside = local % piece.length;
    if (inside > 0) {
      const int64_t head = std::min(take, piece.length - inside);
      Add(piece.term, offset + inside, head);
      take -= head;
      offset += piece.stride;
    }
    const int64_t whole = take / piece.length;
    AddStrided(piece.term, offset, piece.length, whole, piece.stride);
    Add(piece.term, offset + whole * piece.stride, take % piece.length);
  }
}

ContentId ContentBuilder::Finish() {
  CloseRun();
  CloseLiteral();
  const ContentId id = table_->Intern(pieces_);
  pieces_.clear();
  bytes_ = 0;
  return id;
}

ByteOf ByteAt(const ContentTable& table, ContentId content, int64_t position) {
  const Piece& piece = table.pieces(content)[table.PieceAt(content, position)];
  const int64_t local = position - piece.begin;
  if (piece.term == kLiteralTerm) {
    const std::span<const uint8_t> text = table.string(piece.offset);
    return {kLiteralTerm, text[static_cast<size_t>(local) % text.size()]};
  }
  return {piece.term, piece.offset + local / piece.length * piece.stride + local % piece.length};
}

std::optional<int64_t> FirstDifference(const ContentTable& table, ContentId a, ContentId b) {
  if (a == b) return std::nullopt;
  // Equal leading pieces are equal bytes; from there on byte by byte.
  const std::span<const Piece> x = table.pieces(a), y = table.pieces(b);
  size_t same = 0;
  while (same < x.size() && same < y.size() && x[same] == y[same]) ++same;
  int64_t position = same < x.size() ? x[same].begin : table.bytes(a);
  const int64_t end = std::min(table.bytes(a), table.bytes(b));
  for (; position < end; ++position) {
    if (!(ByteAt(table, a, position) == ByteAt(table, b, position))) return position;
  }
  return end;
}

std::optional<int64_t> FirstUndefined(const ContentTable& table, ContentId content) {
  if (!table.has_undefined(content)) return std::nullopt;
  for (const Piece& piece : table.pieces(content)) {
    if (IsUndefined(piece.term)) return piece.begin;
  }
  return std::nullopt;
}

std::optional<int64_t> FindByte(const ContentTable& table, ContentId content, const ByteOf& byte) {
  for (const Piece& piece : table.pieces(content)) {
    if (piece.term != byte.term || piece.term == kLiteralTerm) continue;
    for (int64_t k = 0; k < piece.count; ++k) {
      const int64_t local = byte.offset - piece.offset - k * piece.stride;
      if (local >= 0 && local < piece.length) return piece.begin + k * piece.length + local;
    }
  }
  return std::nullopt;
}

}  // namespace act::validate
