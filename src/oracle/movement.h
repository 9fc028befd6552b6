// Instructions that only move bytes, as one table from output bytes to input bytes. Internal to src/oracle.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/hlo.h"
#include "isa/isa.h"

namespace act::oracle {

// Unit u of the output is unit index[u] of the pool: the parameters' bytes one after the other, then the
// body's constants.
struct Movement {
  int64_t unit = 1;  // bytes: 1, 2, 4 or 8, or (whole) all of the output
  std::vector<uint32_t> index;
};
// Where each parameter starts in the pool, and the constants' bytes at its end.
struct MovementPool {
  std::vector<int64_t> parameter_offset;
  int64_t constants_offset = 0;
  std::vector<uint8_t> constants;
  std::vector<Movement> outputs;
};
// nullopt if some output is computed by more than reshape, bitcast-convert, copy, transpose, slice, reverse,
// broadcast, concatenate and constants of whole bytes, or if the tables would be large.
std::optional<MovementPool> AnalyseMovement(const isa::Instance& instance);
void Move(const Movement& movement, const uint8_t* pool, uint8_t* out, int64_t bytes);

}  // namespace act::oracle
