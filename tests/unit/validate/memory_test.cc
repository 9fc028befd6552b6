#include "validate/memory.h"

#include <gtest/gtest.h>

namespace act::validate {
namespace {

constexpr TermId kNever = kUndefinedFlag;

// Against a plain array of bytes, each with its writer.
TEST(Memory, BehavesLikeAnArrayOfBytes) {
  Random random(11);
  for (int trial = 0; trial < 200; ++trial) {
    ContentTable table;
    Memory memory(kNever);
    constexpr int64_t kSize = 48;
    std::vector<ByteOf> bytes;
    std::vector<int64_t> writers(kSize, kNobody);
    for (int64_t i = 0; i < kSize; ++i) bytes.push_back({kNever, i});
    const auto random_ranges = [&] {
      std::vector<isa::ByteRange> ranges;
      const int64_t begin = random.Between(0, kSize - 1);
      const int64_t width = random.Between(1, 6);
      const int64_t step = random.Between(width, 9);
      for (int64_t at = begin; at + width <= kSize && ranges.size() < 4; at += step) {
        ranges.push_back({at, at + width});
      }
      return ranges;
    };
    for (int64_t call = 0; call < 30; ++call) {
      const std::vector<isa::ByteRange> from = random_ranges();
      const ContentId read = memory.Read(&table, from);
      std::vector<ByteOf> model;
      for (const isa::ByteRange& r : from)
        model.insert(model.end(), bytes.begin() + r.begin, bytes.begin() + r.end);
      ASSERT_EQ(table.bytes(read), static_cast<int64_t>(model.size()));
      for (size_t i = 0; i < model.size(); ++i) {
        ASSERT_EQ(ByteAt(table, read, static_cast<int64_t>(i)), model[i]);
      }
      const std::vector<isa::ByteRange> to = random_ranges();
      int64_t total = 0;
      for (const isa::ByteRange& r : to) total += r.end - r.begin;
      // Either new bytes or what was read, repeated.
      ContentBuilder builder(&table);
      if (random.Below(2) == 0 || model.empty()) {
        builder.Add(static_cast<TermId>(call + 1), 0, total);
      } else {
        while (builder.bytes() < total) {
          builder.AddSlice(read, 0, std::min<int64_t>(table.bytes(read), total - builder.bytes()));
        }
      }
      const ContentId content = builder.Finish();
      memory.Write(table, to, content, call);
      int64_t at = 0;
      for (const isa::ByteRange& r : to) {
        for (int64_t i = r.begin; i < r.end; ++i, ++at) {
          bytes[static_cast<size_t>(i)] = ByteAt(table, content, at);
          writers[static_cast<size_t>(i)] = call;
        }
      }
      for (int64_t i = 0; i < kSize; ++i) ASSERT_EQ(memory.WriterOf(i), writers[static_cast<size_t>(i)]);
    }
  }
}

TEST(Memory, AddressesNear96GiBCostNothing) {
  ContentTable table;
  Memory memory(kNever);
  const int64_t end = isa::kHbmCapacityBytes;
  const isa::ByteRange last{end - 8192, end};
  const ContentId content = table.Whole(3, 8192);
  memory.Write(table, {&last, 1}, content, 5);
  EXPECT_EQ(memory.Read(&table, {&last, 1}), content);
  const isa::ByteRange all{0, end};
  const ContentId whole = memory.Read(&table, {&all, 1});
  EXPECT_EQ(table.pieces(whole).size(), 2u);
  EXPECT_EQ(table.bytes(whole), end);
}

}  // namespace
}  // namespace act::validate
