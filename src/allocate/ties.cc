#include "allocate/ties.h"

namespace act::allocate {

int32_t Ties::AddVariable() {
  parent_.push_back(num_variables());
  offset_.push_back(0);
  return num_variables() - 1;
}

// Paths stay short enough without compression: a root is linked below another root only, and every Tie
// shortens the two paths that it walked.
Ties::Member Ties::Find(int32_t variable) const {
  int64_t offset = 0;
  while (parent_[variable] != variable) {
    offset += offset_[variable];
    variable = parent_[variable];
  }
  return {variable, offset};
}

bool Ties::Tie(int32_t a, int32_t b, int64_t delta) {
  const Member ma = Find(a), mb = Find(b);
  if (ma.root == mb.root) return ma.offset == mb.offset + delta;
  // x[ra] + oa == x[rb] + ob + delta.
  const int64_t difference = mb.offset + delta - ma.offset;  // x[ra] == x[rb] + difference
  int32_t root = mb.root, below = ma.root;
  int64_t below_offset = difference;
  if (ma.root < mb.root) {
    root = ma.root;
    below = mb.root;
    below_offset = -difference;
  }
  parent_[below] = root;
  offset_[below] = below_offset;
  for (int32_t v : {a, b}) {
    const Member m = Find(v);
    if (m.root != v) {
      parent_[v] = m.root;
      offset_[v] = m.offset;
    }
  }
  return true;
}

}  // namespace act::allocate
