// Rigid ties between integer unknowns: classes of variables whose differences are known.
#pragma once
#include <cstdint>
#include <vector>

namespace act::allocate {

class Ties {
 public:
  int32_t AddVariable();
  int32_t num_variables() const { return static_cast<int32_t>(parent_.size()); }
  // x[variable] == x[root] + offset.
  struct Member {
    int32_t root = 0;
    int64_t offset = 0;
  };
  Member Find(int32_t variable) const;
  // States x[a] == x[b] + delta. False if an earlier tie says otherwise. The root of the joint class is the
  // smaller of the two roots.
  bool Tie(int32_t a, int32_t b, int64_t delta);

 private:
  std::vector<int32_t> parent_;
  std::vector<int64_t> offset_;  // x[v] == x[parent] + offset
};

}  // namespace act::allocate
