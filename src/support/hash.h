// Hash mixing with fixed constants: the same on every machine and in every run.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace act {

constexpr uint64_t HashMix(uint64_t h) {
  h ^= h >> 32;
  h *= 0xe9846af9b1a615dull;
  h ^= h >> 32;
  h *= 0xe9846af9b1a615dull;
  h ^= h >> 28;
  return h;
}
constexpr uint64_t HashCombine(uint64_t seed, uint64_t value) {
  return HashMix(seed + 0x9e3779b97f4a7c15ull + value);
}
constexpr uint64_t HashBytes(std::string_view bytes, uint64_t seed = 0) {
  uint64_t h = HashCombine(seed, bytes.size());
  uint64_t word = 0;
  int filled = 0;
  for (char c : bytes) {
    word = (word << 8) | static_cast<unsigned char>(c);
    if (++filled == 8) {
      h = HashCombine(h, word);
      word = 0;
      filled = 0;
    }
  }
  return filled > 0 ? HashCombine(h, word) : h;
}
inline uint64_t HashInts(std::span<const int64_t> values, uint64_t seed = 0) {
  uint64_t h = HashCombine(seed, values.size());
  for (int64_t v : values) h = HashCombine(h, static_cast<uint64_t>(v));
  return h;
}

}  // namespace act
