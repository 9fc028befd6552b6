#include "validate/content.h"

#include <gtest/gtest.h>

#include <map>

namespace act::validate {
namespace {

// The model: a content is a plain list of bytes.
using Bytes = std::vector<ByteOf>;

Bytes BytesOf(const ContentTable& table, ContentId id) {
  Bytes bytes;
  for (int64_t i = 0; i < table.bytes(id); ++i) bytes.push_back(ByteAt(table, id, i));
  return bytes;
}

ContentId BuildByBytes(ContentTable* table, const Bytes& bytes) {
  ContentBuilder builder(table);
  for (const ByteOf& b : bytes) {
    const uint8_t value = static_cast<uint8_t>(b.offset);
    if (b.term == kLiteralTerm) {
      builder.AddLiteral({&value, 1});
    } else {
      builder.Add(b.term, b.offset, 1);
    }
  }
  return builder.Finish();
}

// A random content together with its bytes, made of runs, strided runs, literals and slices of others.
ContentId BuildRandom(ContentTable* table, Random* random, const std::vector<ContentId>& others,
                      Bytes* bytes) {
  ContentBuilder builder(table);
  const int parts = static_cast<int>(random->Between(0, 6));
  for (int p = 0; p < parts; ++p) {
    const TermId term =
        static_cast<TermId>(random->Between(1, 2)) | (random->Below(8) == 0 ? kUndefinedFlag : 0);
    const int64_t offset = random->Between(0, 6);
    const int64_t length = random->Between(0, 4);
    switch (random->Below(4)) {
      case 0:
        builder.Add(term, offset, length);
        for (int64_t i = 0; i < length; ++i) bytes->push_back({term, offset + i});
        break;
      case 1: {
        const int64_t count = random->Between(0, 9);
        const int64_t stride = random->Between(-4, 5);
        builder.AddStrided(term, offset + 40, length, count, stride);
        for (int64_t k = 0; k < count; ++k) {
          for (int64_t i = 0; i < length; ++i) bytes->push_back({term, offset + 40 + k * stride + i});
        }
        break;
      }
      case 2: {
        std::vector<uint8_t> literal;
        const uint64_t kinds = random->Between(1, 3);
        for (int64_t i = 0; i < 4 * length; ++i)
          literal.push_back(static_cast<uint8_t>(random->Below(kinds)));
        builder.AddLiteral(literal);
        for (const uint8_t b : literal) bytes->push_back({kLiteralTerm, b});
        break;
      }
      default: {
        if (others.empty()) break;
        const ContentId other = others[random->Below(others.size())];
        const int64_t size = table->bytes(other);
        const int64_t begin = random->Between(0, size);
        const int64_t take = random->Between(0, size - begin);
        builder.AddSlice(other, begin, take);
        for (int64_t i = begin; i < begin + take; ++i) bytes->push_back(ByteAt(*table, other, i));
      }
    }
  }
  EXPECT_EQ(builder.bytes(), static_cast<int64_t>(bytes->size()));
  return builder.Finish();
}

TEST(Content, EqualBytesHaveEqualIdsHoweverTheyWereBuilt) {
  ContentTable table;
  Random random(7);
  std::vector<ContentId> others;
  std::map<std::vector<std::pair<TermId, int64_t>>, ContentId> seen;
  for (int trial = 0; trial < 20000; ++trial) {
    Bytes bytes;
    const ContentId id = BuildRandom(&table, &random, others, &bytes);
    ASSERT_EQ(table.bytes(id), static_cast<int64_t>(bytes.size()));
    ASSERT_EQ(BytesOf(table, id), bytes) << "trial " << trial;
    ASSERT_EQ(BuildByBytes(&table, bytes), id) << "trial " << trial;
    std::vector<std::pair<TermId, int64_t>> key;
    for (const ByteOf& b : bytes) key.emplace_back(b.term, b.offset);
    ASSERT_EQ(seen.try_emplace(key, id).first->second, id);
    others.push_back(id);
    if (others.size() > 50) others.erase(others.begin());
  }
  // Different bytes have different ids.
  std::map<uint32_t, int> ids;
  for (const auto& [key, id] : seen) EXPECT_EQ(++ids[id.value()], 1);
}

TEST(Content, DifferencesAndUndefinedBytesAreTheFirstOnes) {
  ContentTable table;
  Random random(8);
  std::vector<ContentId> others;
  for (int trial = 0; trial < 3000; ++trial) {
    Bytes a, b;
    const ContentId x = BuildRandom(&table, &random, others, &a);
    const ContentId y = BuildRandom(&table, &random, others, &b);
    const size_t common = std::min(a.size(), b.size());
    size_t at = 0;
    while (at < common && a[at] == b[at]) ++at;
    const std::optional<int64_t> difference = FirstDifference(table, x, y);
    if (a == b) {
      EXPECT_FALSE(difference.has_value());
    } else {
      EXPECT_EQ(difference, static_cast<int64_t>(at));
    }
    std::optional<int64_t> undefined;
    for (size_t i = 0; i < a.size() && !undefined; ++i) {
      if (IsUndefined(a[i].term)) undefined = static_cast<int64_t>(i);
    }
    EXPECT_EQ(FirstUndefined(table, x), undefined);
    if (!a.empty()) {
      const ByteOf byte = a[random.Below(a.size())];
      const std::optional<int64_t> found = FindByte(table, x, byte);
      if (byte.term != kLiteralTerm) {
        EXPECT_EQ(found, std::find(a.begin(), a.end(), byte) - a.begin());
      }
    }
    others.push_back(x);
    if (others.size() > 50) others.erase(others.begin());
  }
}

TEST(Content, RegularPatternsStayShort) {
  ContentTable table;
  // A transposed 64x64 matrix of two-byte elements: a piece a column.
  ContentBuilder builder(&table);
  for (int64_t i = 0; i < 64; ++i) {
    for (int64_t j = 0; j < 64; ++j) builder.Add(1, j * 128 + i * 2, 2);
  }
  const ContentId transposed = builder.Finish();
  EXPECT_EQ(table.pieces(transposed).size(), 64u);
  // The same by whole columns.
  for (int64_t i = 0; i < 64; ++i) builder.AddStrided(1, i * 2, 2, 64, 128);
  EXPECT_EQ(builder.Finish(), transposed);
  // A splat is one piece with a short string, whatever its length and origin.
  const std::vector<uint8_t> ones(8192, 1);
  const ContentId splat = table.Literal(ones);
  ASSERT_EQ(table.pieces(splat).size(), 1u);
  EXPECT_EQ(table.string(table.pieces(splat)[0].offset).size(), 1u);
  builder.AddSlice(splat, 100, 4000);
  builder.AddSlice(splat, 0, 4192);
  EXPECT_EQ(builder.Finish(), splat);
}

TEST(Content, LiteralsAreReadBack) {
  ContentTable table;
  Random random(9);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<uint8_t> bytes(random.Below(70));
    const size_t period = static_cast<size_t>(random.Between(1, 20));
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = i < period ? static_cast<uint8_t>(random.Below(4)) : bytes[i - period];
    }
    EXPECT_EQ(table.AsLiteral(table.Literal(bytes)), bytes);
  }
  EXPECT_FALSE(table.AsLiteral(table.Whole(1, 4)).has_value());
}

}  // namespace
}  // namespace act::validate
