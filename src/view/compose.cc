// Composition, inversion and factoring of views.
//
// Compose refines the inner view's modes at the outer view's radices: a mode that steps within one digit of
// the outer mixed radix keeps its extent, one that runs across digits is cut where the digit fills. The
// result is right iff no digit can carry when all modes stand at their ends. What this misses (a carry that
// happens to be harmless) is found by enumeration while the views are small.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "view/algebra.h"

namespace act {
namespace {

// Elements up to which a composition is looked for by its table.
constexpr int64_t kTableLimit = 4096;

// A piece of an inner mode in terms of the outer digits it steps.
struct Piece {
  int64_t extent;
  int sign;                    // 0: repeats
  std::vector<int64_t> digit;  // step of each outer digit
};

class Radix {
 public:
  explicit Radix(const View& outer) : modes_(outer.modes()), weight_(modes_.size(), 1) {
    for (size_t k = modes_.size(); k-- > 1;) weight_[k - 1] = weight_[k] * modes_[k].extent;
  }
  size_t rank() const { return modes_.size(); }
  int64_t extent(size_t k) const { return modes_[k].extent; }
  int64_t weight(size_t k) const { return weight_[k]; }
  std::optional<std::vector<int64_t>> Digits(int64_t value) const {
    const int64_t size = modes_.empty() ? 1 : weight_[0] * modes_[0].extent;
    if (value < 0 || value >= size) return std::nullopt;
    std::vector<int64_t> digits(modes_.size());
    for (size_t k = 0; k < modes_.size(); ++k) {
      digits[k] = value / weight_[k];
      value %= weight_[k];
    }
    return digits;
  }

 private:
  const std::vector<Mode>& modes_;
  std::vector<int64_t> weight_;
};

// Cuts one inner mode at the radix; appends its pieces outermost first. False where it cannot be cut.
bool CutMode(const Radix& radix, const Mode& mode, std::vector<Piece>* pieces) {
  std::vector<Piece> found;  // innermost first
  int64_t extent = mode.extent;
  int64_t step = std::abs(mode.stride);
  const int sign = mode.stride < 0 ? -1 : 1;
  while (extent > 1) {
    if (step == 0) {
      found.push_back({extent, 0, std::vector<int64_t>(radix.rank())});
      break;
    }
    size_t k = radix.rank();
    for (size_t j = 0; j < radix.rank(); ++j) {
      if (step % radix.weight(j) == 0 && step / radix.weight(j) < radix.extent(j)) k = j;
    }
    if (k == radix.rank()) {  // the step has several digits: fine if it never carries, which is checked later
      auto digits = radix.Digits(step);
      if (!digits) return false;
      found.push_back({extent, sign, *std::move(digits)});
      break;
    }
    const int64_t within = step / radix.weight(k);
    const bool divides = radix.extent(k) % within == 0;
    const int64_t room = divides ? radix.extent(k) / within : (radix.extent(k) - 1) / within + 1;
    Piece piece{std::min(extent, room), sign, std::vector<int64_t>(radix.rank())};
    piece.digit[k] = within;
    if (extent <= room || k == 0) {
      piece.extent = extent;
      found.push_back(std::move(piece));
      break;
    }
    if (!divides || extent % room != 0) return false;
    extent /= room;
    step *= room;
    found.push_back(std::move(piece));
  }
  pieces->insert(pieces->end(), found.rbegin(), found.rend());
  return true;
}

std::optional<View> ComposeByRadix(const View& outer, const View& inner) {
  const Radix radix(outer);
  const auto base = radix.Digits(inner.offset());
  if (!base) return std::nullopt;
  std::vector<Piece> pieces;
  for (const Mode& mode : inner.modes()) {
    if (!CutMode(radix, mode, &pieces)) return std::nullopt;
  }
  std::vector<int64_t> low = *base, high = *base;
  std::vector<Mode> modes;
  for (const Piece& piece : pieces) {
    int64_t stride = 0;
    for (size_t k = 0; k < radix.rank(); ++k) {
      stride += piece.digit[k] * outer.modes()[k].stride;
      const int64_t reach = piece.digit[k] * (piece.extent - 1);
      if (piece.sign > 0) high[k] += reach;
      if (piece.sign < 0) low[k] -= reach;
    }
    modes.push_back({piece.extent, piece.sign * stride});
  }
  int64_t offset = outer.offset();
  for (size_t k = 0; k < radix.rank(); ++k) {
    if (low[k] < 0 || high[k] >= radix.extent(k)) return std::nullopt;
    offset += (*base)[k] * outer.modes()[k].stride;
  }
  return View(std::move(modes), offset);
}

// The largest power-of-two granule of bytes that both views move as a whole.
int64_t CommonGranule(const View& a, const View& b) {
  for (int64_t width = 16; width > 1; width /= 2) {
    if (ToElements(a, width) && ToElements(b, width)) return width;
  }
  return 1;
}

// The common refinement of two views over the same positions: modes of equal extents, innermost first.
struct AlignedModes {
  std::vector<Mode> a, b;
};
std::optional<AlignedModes> Align(const View& a, const View& b) {
  std::vector<Mode> ra = a.modes(), rb = b.modes();
  AlignedModes out;
  while (!ra.empty() && !rb.empty()) {
    Mode x = ra.back(), y = rb.back();
    ra.pop_back();
    rb.pop_back();
    int64_t extent = std::min(x.extent, y.extent);
    if (x.extent % extent != 0 || y.extent % extent != 0) {
      extent = std::gcd(x.extent, y.extent);
      if (extent == 1) return std::nullopt;
    }
    out.a.push_back({extent, x.stride});
    out.b.push_back({extent, y.stride});
    if (x.extent > extent) ra.push_back({x.extent / extent, x.stride * extent});
    if (y.extent > extent) rb.push_back({y.extent / extent, y.stride * extent});
  }
  if (!ra.empty() || !rb.empty()) return std::nullopt;
  return out;
}

std::optional<View> FactorByModes(const View& w, const View& v, int64_t inner_size) {
  const auto aligned = Align(w, v);
  if (!aligned) return std::nullopt;
  std::vector<std::pair<Mode, Mode>> moving;  // (v, w) where v moves
  for (size_t i = 0; i < aligned->a.size(); ++i) {
    if (aligned->b[i].stride == 0) {
      if (aligned->a[i].stride != 0) return std::nullopt;
    } else {
      moving.push_back({aligned->b[i], aligned->a[i]});
    }
  }
  std::stable_sort(moving.begin(), moving.end(), [](const auto& x, const auto& y) {
    return std::abs(x.first.stride) < std::abs(y.first.stride);
  });
  int64_t need = 1;
  int64_t offset = w.offset();
  std::vector<Mode> modes;
  for (const auto& [vm, wm] : moving) {
    if (std::abs(vm.stride) != need) return std::nullopt;
    need *= vm.extent;
    // A falling mode of v reads the inner vector backwards.
    if (vm.stride < 0) {
      modes.push_back({vm.extent, -wm.stride});
      offset += (vm.extent - 1) * wm.stride;
    } else {
      modes.push_back(wm);
    }
  }
  if (need != inner_size || v.MinByte() != 0) return std::nullopt;
  std::reverse(modes.begin(), modes.end());
  return View(std::move(modes), offset);
}

}  // namespace

std::optional<View> Compose(const View& outer, const View& inner) {
  if (auto direct = ComposeByRadix(outer, inner)) return direct;
  if (inner.MinByte() < 0 || inner.MaxByte() >= outer.size()) return std::nullopt;
  const int64_t granule = CommonGranule(outer, inner);
  const View o = *ToElements(outer, granule), i = *ToElements(inner, granule);
  const int64_t n = i.size();
  if (n > kTableLimit) return std::nullopt;
  std::vector<int64_t> table(static_cast<size_t>(n));
  for (int64_t p = 0; p < n; ++p) table[static_cast<size_t>(p)] = o.At(i.At(p));
  const auto view = FromTable(table);
  if (!view) return std::nullopt;
  return granule == 1 ? *view : FromElements(*view, granule);
}

std::optional<View> Inverse(const View& view, int64_t old_size) {
  if (view.size() != old_size || view.MinByte() != 0) return std::nullopt;
  const std::vector<Mode>& modes = view.modes();
  std::vector<size_t> order(modes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return std::abs(modes[a].stride) < std::abs(modes[b].stride); });
  std::vector<int64_t> weight(modes.size(), 1);
  for (size_t k = modes.size(); k-- > 1;) weight[k - 1] = weight[k] * modes[k].extent;
  int64_t need = 1;
  int64_t offset = 0;
  std::vector<Mode> out;
  for (size_t k : order) {
    if (std::abs(modes[k].stride) != need) return std::nullopt;
    need *= modes[k].extent;
    if (modes[k].stride < 0) {
      out.push_back({modes[k].extent, -weight[k]});
      offset += (modes[k].extent - 1) * weight[k];
    } else {
      out.push_back({modes[k].extent, weight[k]});
    }
  }
  std::reverse(out.begin(), out.end());
  return View(std::move(out), offset);
}

std::optional<View> Factor(const View& w, const View& v, int64_t inner_size) {
  if (v.size() != w.size()) return std::nullopt;
  if (auto direct = FactorByModes(w, v, inner_size)) return direct;
  const int64_t granule = CommonGranule(w, v);
  if (inner_size % granule != 0) return std::nullopt;
  const View we = *ToElements(w, granule), ve = *ToElements(v, granule);
  const int64_t n = ve.size(), inner = inner_size / granule;
  if (n > kTableLimit || inner > n || ve.MinByte() != 0 || ve.MaxByte() != inner - 1) return std::nullopt;
  std::vector<int64_t> table(static_cast<size_t>(inner));
  std::vector<bool> known(static_cast<size_t>(inner));
  for (int64_t p = 0; p < n; ++p) {
    const size_t at = static_cast<size_t>(ve.At(p));
    const int64_t value = we.At(p);
    if (known[at] && table[at] != value) return std::nullopt;
    known[at] = true;
    table[at] = value;
  }
  if (std::find(known.begin(), known.end(), false) != known.end()) return std::nullopt;
  const auto psi = FromTable(table);
  if (!psi) return std::nullopt;
  return granule == 1 ? *psi : FromElements(*psi, granule);
}

}  // namespace act
