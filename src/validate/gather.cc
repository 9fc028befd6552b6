#include "validate/movement.h"

namespace act::validate {
namespace {

// Blocks at least this long are copied as slices; shorter ones are worth decoding the source once.
constexpr int64_t kLongBlock = 256;

// A content as one entry a granule. Literal granules point into `literals`.
struct Decoded {
  int64_t granule = 1;
  std::vector<TermId> terms;
  std::vector<int64_t> offsets;
  std::vector<uint8_t> literals;
};

Decoded Decode(const ContentTable& table, ContentId source, int64_t element_bytes) {
  Decoded d;
  const std::span<const Piece> pieces = table.pieces(source);
  d.granule = element_bytes;
  for (const Piece& p : pieces) {
    if (p.begin % element_bytes != 0 || p.length % element_bytes != 0) d.granule = 1;
  }
  const size_t count = static_cast<size_t>(table.bytes(source) / d.granule);
  d.terms.reserve(count);
  d.offsets.reserve(count);
  for (const Piece& p : pieces) {
    if (p.term == kLiteralTerm) {
      const std::span<const uint8_t> text = table.string(p.offset);
      for (int64_t i = 0; i < p.length; i += d.granule) {
        d.terms.push_back(kLiteralTerm);
        d.offsets.push_back(static_cast<int64_t>(d.literals.size()) + i);
      }
      for (int64_t i = 0; i < p.length; ++i) {
        d.literals.push_back(text[static_cast<size_t>(i) % text.size()]);
      }
      continue;
    }
    for (int64_t k = 0; k < p.count; ++k) {
      for (int64_t i = 0; i < p.length; i += d.granule) {
        d.terms.push_back(p.term);
        d.offsets.push_back(p.offset + k * p.stride + i);
      }
    }
  }
  return d;
}

// Drops extents of 1 and merges neighbours that walk the source evenly.
void Normalise(std::vector<Mode>* modes) {
  std::vector<Mode> result;
  for (const Mode& m : *modes) {
    if (m.extent == 1) continue;
    if (!result.empty() && result.back().stride == m.extent * m.stride) {
      result.back() = {result.back().extent * m.extent, m.stride};
    } else {
      result.push_back(m);
    }
  }
  *modes = std::move(result);
}

// Calls visit(element) for every index of the modes, in row-major order.
template <typename Visit>
void Walk(std::span<const Mode> modes, int64_t base, Visit visit) {
  std::vector<int64_t> index(modes.size(), 0);
  int64_t element = base;
  while (true) {
    visit(element);
    size_t d = modes.size();
    while (d > 0) {
      --d;
      element += modes[d].stride;
      if (++index[d] < modes[d].extent) break;
      element -= modes[d].extent * modes[d].stride;
      index[d] = 0;
      if (d == 0) return;
    }
    if (modes.empty()) return;
  }
}

}  // namespace

ContentId Gather(ContentTable* table, ContentId source, int64_t element_bytes, int64_t base,
                 std::vector<Mode> modes) {
  ContentBuilder builder(table);
  for (const Mode& m : modes) {
    if (m.extent == 0) return builder.Finish();
  }
  Normalise(&modes);
  int64_t block = 1;  // elements that stay together
  if (!modes.empty() && modes.back().stride == 1) {
    block = modes.back().extent;
    modes.pop_back();
  }
  const int64_t block_bytes = block * element_bytes;
  if (modes.empty()) {
    if (base == 0 && block_bytes == table->bytes(source)) return source;
    builder.AddSlice(source, base * element_bytes, block_bytes);
    return builder.Finish();
  }
  const std::span<const Piece> pieces = table->pieces(source);
  if (pieces.size() == 1 && pieces[0].count == 1 && pieces[0].term != kLiteralTerm) {
    const Piece piece = pieces[0];
    const Mode inner = modes.back();
    Walk(std::span(modes).first(modes.size() - 1), base, [&](int64_t element) {
      builder.AddStrided(piece.term, piece.offset + element * element_bytes, block_bytes, inner.extent,
                         inner.stride * element_bytes);
    });
    return builder.Finish();
  }
  if (block_bytes >= kLongBlock) {
    Walk(modes, base,
         [&](int64_t element) { builder.AddSlice(source, element * element_bytes, block_bytes); });
    return builder.Finish();
  }
  const Decoded d = Decode(*table, source, element_bytes);
  const int64_t granules = block_bytes / d.granule;
  Walk(modes, base, [&](int64_t element) {
    const size_t first = static_cast<size_t>(element * element_bytes / d.granule);
    for (size_t i = first; i < first + static_cast<size_t>(granules); ++i) {
      if (d.terms[i] == kLiteralTerm) {
        builder.AddLiteral(
            std::span(d.literals).subspan(static_cast<size_t>(d.offsets[i]), static_cast<size_t>(d.granule)));
      } else {
        builder.Add(d.terms[i], d.offsets[i], d.granule);
      }
    }
  });
  return builder.Finish();
}

}  // namespace act::validate
