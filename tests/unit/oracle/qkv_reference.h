// The two QKV machines written down a second time, as plain loops over bf16 bits from the table of
// reference/taidl.md section 19. Uses nothing of the project but the program's structure: conversions,
// arithmetic and memory are its own.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "assembly/assembly.h"

namespace act::oracle {

inline float Widen(uint16_t bits) {
  uint32_t word = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}
// Nearest even, by choosing among the two neighbours.
inline uint16_t Round(double value) {
  if (std::isnan(value)) return 0x7fc0;
  if (std::isinf(value)) return value > 0 ? 0x7f80 : 0xff80;
  bool negative = std::signbit(value);
  double magnitude = std::fabs(value);
  uint16_t low = 0, high = 0x7f80;  // bits of a finite value not above, and of one above
  while (high - low > 1) {
    auto middle = static_cast<uint16_t>((low + high) / 2);
    if (static_cast<double>(Widen(middle)) <= magnitude)
      low = middle;
    else
      high = middle;
  }
  double above = high == 0x7f80 ? std::ldexp(1.0, 128) : static_cast<double>(Widen(high));
  double to_low = magnitude - static_cast<double>(Widen(low)), to_high = above - magnitude;
  uint16_t bits = to_low < to_high || (to_low == to_high && low % 2 == 0) ? low : high;
  return static_cast<uint16_t>(bits | (negative ? 0x8000 : 0));
}

class QkvReference {
 public:
  using Rows = std::vector<std::vector<uint16_t>>;

  explicit QkvReference(const assembly::Program& program) : hbm(static_cast<size_t>(program.hbm_bytes), 0) {
    for (const char* name : {"d1", "d3"}) buffers[name] = Rows(128, std::vector<uint16_t>(64, 0));
    buffers["d2"] = Rows(64, std::vector<uint16_t>(64, 0));
    for (const assembly::HbmConstant& c : program.constants) Put(c.address, c.value.bytes);
  }
  void Put(int64_t address, const std::vector<uint8_t>& bytes) {
    std::copy(bytes.begin(), bytes.end(), hbm.begin() + address);
  }

  // attributes: computational, then addressing.
  void Run(const std::string& name, const std::vector<int64_t>& a) {
    if (name == "load_rm" || name == "load_01")
      Load(a, "d1", false);
    else if (name == "load_cm")
      Load(a, "d1", true);
    else if (name == "load_03")
      Load(a, "d3", false);
    else if (name == "store_rm" || name == "store_10")
      Store(a, "d1", false);
    else if (name == "store_cm")
      Store(a, "d1", true);
    else if (name == "store_30")
      Store(a, "d3", false);
    else if (name == "mov" || name == "mov_21")
      Move(a, "d1");
    else if (name == "mov_23")
      Move(a, "d3");
    else if (name == "transpose_13") {
      Rows out(64, std::vector<uint16_t>(64));
      for (size_t r = 0; r < 64; ++r) {
        for (size_t c = 0; c < 64; ++c) out[c][r] = buffers["d1"][Index(a[0]) + r][c];
      }
      for (size_t r = 0; r < 64; ++r) buffers["d3"][Index(a[1]) + r] = out[r];
    } else if (name == "gemm")
      Gemm(a, "d1", "d1");
    else if (name == "gemm_33")
      Gemm(a, "d3", "d3");
    else if (name == "gemm_13")
      Gemm(a, "d1", "d3");
    else if (name == "softmax")
      Softmax(a);
  }

  std::vector<uint8_t> hbm;
  std::map<std::string, Rows> buffers;

 private:
  static size_t Index(int64_t value) { return static_cast<size_t>(value); }
  uint16_t HbmAt(size_t byte) const { return static_cast<uint16_t>(hbm[byte] | (hbm[byte + 1] << 8)); }

  // Position k of the region of n rows; column-major: element (i, j) of [64, n] is element (j, i) of [n, 64].
  void Load(const std::vector<int64_t>& a, const std::string& buffer, bool columns) {
    size_t n = Index(a[0]);
    std::vector<uint16_t> flat(n * 64);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < 64; ++j)
        flat[columns ? j * n + i : i * 64 + j] = HbmAt(Index(a[1]) + 2 * (i * 64 + j));
    }
    for (size_t k = 0; k < flat.size(); ++k) buffers[buffer][Index(a[2]) + k / 64][k % 64] = flat[k];
  }
  void Store(const std::vector<int64_t>& a, const std::string& buffer, bool columns) {
    size_t n = Index(a[0]);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < 64; ++j) {
        uint16_t value = buffers[buffer][Index(a[1]) + i][j];
        size_t byte = Index(a[2]) + 2 * (columns ? j * n + i : i * 64 + j);
        hbm[byte] = static_cast<uint8_t>(value);
        hbm[byte + 1] = static_cast<uint8_t>(value >> 8);
      }
    }
  }
  void Move(const std::vector<int64_t>& a, const std::string& to) {
    for (size_t i = 0; i < Index(a[0]); ++i) buffers[to][Index(a[2]) + i] = buffers["d2"][Index(a[1]) + i];
  }
  void Gemm(const std::vector<int64_t>& a, const std::string& left, const std::string& right) {
    Rows out(64, std::vector<uint16_t>(64));
    for (size_t i = 0; i < 64; ++i) {
      for (size_t j = 0; j < 64; ++j) {
        float sum = 0;
        for (size_t k = 0; k < 64; ++k) {
          sum = std::fmaf(Widen(buffers[left][Index(a[0]) + i][k]), Widen(buffers[right][Index(a[1]) + k][j]),
                          sum);
        }
        out[i][j] = Round(static_cast<double>(sum));
      }
    }
    for (size_t i = 0; i < 64; ++i) buffers["d2"][Index(a[2]) + i] = out[i];
  }
  void Softmax(const std::vector<int64_t>& a) {
    for (size_t i = 0; i < Index(a[0]); ++i) {
      std::vector<uint16_t>& row = buffers["d2"][Index(a[1]) + i];
      float sum = 0;
      for (uint16_t& x : row) {
        x = Round(std::exp(static_cast<double>(Widen(x))));
        sum += Widen(x);
      }
      auto rounded = static_cast<double>(Widen(Round(static_cast<double>(sum))));
      // A quotient of two 8-bit significands is no midpoint unless exact, so f64 first is harmless.
      for (uint16_t& x : row) x = Round(static_cast<double>(Widen(x)) / rounded);
    }
  }
};

}  // namespace act::oracle
