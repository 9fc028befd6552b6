// Random kernels as HLO text: data movement with uneven, batch and size-1 dimensions, and operations on it.
#include <algorithm>
#include <numeric>

#include "unit/select/testing.h"

namespace act::select {
namespace {

struct Tensor {
  std::string name;
  ElementType type;
  std::vector<int64_t> dims;
};

class Generator {
 public:
  Generator(Random* random, const KernelOptions& options) : random_(*random), options_(options) {}

  std::string Run() {
    for (int i = 0; i < 2; ++i) Parameter(RandomType(), RandomDims());
    const int first = count_;
    while (count_ < first + options_.operations) Step();
    // Outputs: the values that nothing reads.
    std::string shapes, names;
    for (const Tensor& t : tensors_) {
      if (body_.find("(" + t.name + ")") != std::string::npos ||
          body_.find("(" + t.name + ",") != std::string::npos ||
          body_.find(" " + t.name + ")") != std::string::npos ||
          body_.find(" " + t.name + ",") != std::string::npos) {
        continue;
      }
      shapes += (shapes.empty() ? "" : ", ") + Text(t);
      names += (names.empty() ? "" : ", ") + t.name;
    }
    return ModuleText(body_ + "  ROOT root = (" + shapes + ") tuple(" + names + ")\n");
  }

 private:
  static std::string Text(const Tensor& t) { return ToString(Shape::Array(t.type, t.dims)); }
  static std::string List(const std::vector<int64_t>& values) {
    std::string out;
    for (int64_t v : values) out += (out.empty() ? "" : ",") + std::to_string(v);
    return "{" + out + "}";
  }
  static int64_t Elements(const std::vector<int64_t>& dims) {
    return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
  }
  ElementType RandomType() {
    static constexpr ElementType kTypes[] = {ElementType::kS32, ElementType::kS8, ElementType::kF32,
                                             ElementType::kBF16};
    return kTypes[random_.Below(options_.floats ? 4 : 2)];
  }
  std::vector<int64_t> RandomDims() {
    static constexpr int64_t kExtents[] = {1, 2, 2, 3, 4, 4, 5, 6, 8};
    for (;;) {
      std::vector<int64_t> dims;
      for (int64_t r = random_.Between(1, 4); r > 0; --r) dims.push_back(kExtents[random_.Below(9)]);
      if (Elements(dims) <= options_.max_elements && Elements(dims) >= 12) return dims;
    }
  }
  std::vector<int64_t> Permutation(size_t n) {
    std::vector<int64_t> p(n);
    std::iota(p.begin(), p.end(), 0);
    for (size_t i = n; i > 1; --i) std::swap(p[i - 1], p[random_.Below(i)]);
    return p;
  }
  Tensor Pick() {
    // Values shrink; what is left of the small ones is seldom worth another step.
    for (int i = 0; i < 5; ++i) {
      const Tensor& t = PickAny();
      if (Elements(t.dims) > 4) return t;
    }
    if (parameters_ < 8) return Parameter(RandomType(), RandomDims());
    return PickAny();
  }
  const Tensor& PickAny() {
    // Mostly recent values, so that chains grow.
    const size_t n = tensors_.size();
    return tensors_[random_.Below(3) == 0 ? random_.Below(n) : n - 1 - random_.Below(std::min<size_t>(n, 4))];
  }
  Tensor Add(ElementType type, std::vector<int64_t> dims, const std::string& rest) {
    Tensor t{"v" + std::to_string(count_++), type, std::move(dims)};
    body_ += "  " + t.name + " = " + Text(t) + " " + rest + "\n";
    tensors_.push_back(t);
    return t;
  }
  Tensor Parameter(ElementType type, std::vector<int64_t> dims) {
    return Add(type, std::move(dims), "parameter(" + std::to_string(parameters_++) + ")");
  }
  // A value of that type and those dimensions: an old one, a moved one, a repeated constant, or a parameter.
  Tensor Like(const Tensor& t) {
    std::vector<Tensor> same;
    for (const Tensor& o : tensors_) {
      if (o.type == t.type && o.dims == t.dims) same.push_back(o);
    }
    switch (random_.Below(4)) {
      case 0:
        return same[random_.Below(same.size())];
      case 1: {
        std::vector<int64_t> fits;
        for (size_t d = 0; d < t.dims.size(); ++d) fits.push_back(static_cast<int64_t>(d));
        if (fits.empty()) return t;
        return Add(t.type, t.dims,
                   "reverse(" + t.name + "), dimensions=" + List({fits[random_.Below(fits.size())]}));
      }
      case 2: {
        const Tensor c = Add(t.type, {}, "constant(" + std::to_string(random_.Below(3)) + ")");
        return Add(t.type, t.dims, "broadcast(" + c.name + "), dimensions={}");
      }
      default:
        return parameters_ < 8 ? Parameter(t.type, t.dims) : t;
    }
  }

  void Step() {
    const Tensor t = Pick();
    const uint64_t kind = random_.Below(options_.movement_only ? 9 : 18);
    const size_t rank = t.dims.size();
    if (kind == 0 || kind == 1) {
      const std::vector<int64_t> p = Permutation(rank);
      std::vector<int64_t> dims;
      for (int64_t d : p) dims.push_back(t.dims[static_cast<size_t>(d)]);
      Add(t.type, dims, "transpose(" + t.name + "), dimensions=" + List(p));
    } else if (kind == 2 || kind == 3) {
      Reshape(t);
    } else if (kind == 4) {
      Slice(t);
    } else if (kind == 5) {
      Broadcast(t);
    } else if (kind == 6) {
      std::vector<int64_t> which;
      for (size_t d = 0; d < rank; ++d) {
        if (random_.Below(2) == 0) which.push_back(static_cast<int64_t>(d));
      }
      Add(t.type, t.dims, "reverse(" + t.name + "), dimensions=" + List(which));
    } else if (kind == 7) {
      if (rank == 0) return;
      const size_t d = random_.Below(rank);
      const Tensor u = Like(t);
      std::vector<int64_t> dims = t.dims;
      dims[d] *= 2;
      if (Elements(dims) > options_.max_elements) return;
      Add(t.type, dims,
          "concatenate(" + t.name + ", " + u.name + "), dimensions=" + List({static_cast<int64_t>(d)}));
    } else if (kind == 8) {
      if (rank == 0) return;
      const Tensor c = Add(t.type, {}, "constant(1)");
      std::vector<int64_t> dims = t.dims;
      std::string padding;
      for (size_t d = 0; d < rank; ++d) {
        const int64_t low = static_cast<int64_t>(random_.Below(2)),
                      high = static_cast<int64_t>(random_.Below(2));
        dims[d] += low + high;
        padding += (d == 0 ? "" : "x") + std::to_string(low) + "_" + std::to_string(high);
      }
      if (Elements(dims) > options_.max_elements) return;
      Add(t.type, dims, "pad(" + t.name + ", " + c.name + "), padding=" + padding);
    } else if (kind == 9 || kind == 10) {
      Reduce(t);
    } else if (kind == 11 || kind == 12) {
      Dot(t);
    } else if (kind == 13) {
      Add(RandomType(), t.dims, "convert(" + t.name + ")");
    } else if (kind == 14) {
      static constexpr const char* kFloat[] = {"negate", "abs", "exponential", "tanh", "sqrt"};
      static constexpr const char* kInteger[] = {"negate", "abs", "not", "sign", "popcnt"};
      Add(t.type, t.dims,
          std::string((IsFloat(t.type) ? kFloat : kInteger)[random_.Below(5)]) + "(" + t.name + ")");
    } else if (kind == 15) {
      const Tensor u = Like(t), low = Like(t);
      const Tensor p =
          Add(ElementType::kPred, t.dims, "compare(" + t.name + ", " + u.name + "), direction=LT");
      tensors_.pop_back();  // pred values are used here only
      Add(t.type, t.dims, "select(" + p.name + ", " + low.name + ", " + t.name + ")");
    } else {
      static constexpr const char* kBinary[] = {"add",     "subtract", "multiply",
                                                "maximum", "minimum",  "divide"};
      const Tensor u = Like(t);
      Add(t.type, t.dims, std::string(kBinary[random_.Below(6)]) + "(" + t.name + ", " + u.name + ")");
    }
  }

  void Reshape(const Tensor& t) {
    // Split and join extents at random.
    int64_t left = Elements(t.dims);
    std::vector<int64_t> dims;
    while (left > 1) {
      std::vector<int64_t> divisors;
      for (int64_t d = 2; d <= left; ++d) {
        if (left % d == 0) divisors.push_back(d);
      }
      dims.push_back(divisors[random_.Below(divisors.size())]);
      left /= dims.back();
    }
    if (random_.Below(3) == 0)
      dims.insert(dims.begin() + static_cast<ptrdiff_t>(random_.Below(dims.size() + 1)), 1);
    Add(t.type, dims, "reshape(" + t.name + ")");
  }

  void Slice(const Tensor& t) {
    std::vector<int64_t> dims;
    std::string text;
    for (int64_t extent : t.dims) {
      const bool whole = random_.Below(2) == 0;
      const int64_t start = whole ? 0 : random_.Between(0, extent / 2);
      const int64_t limit = whole ? extent : random_.Between(start + 1, extent);
      const int64_t stride = random_.Below(5) == 0 ? 2 : 1;
      dims.push_back((limit - start + stride - 1) / stride);
      text += (text.empty() ? "[" : ", [") + std::to_string(start) + ":" + std::to_string(limit) + ":" +
              std::to_string(stride) + "]";
    }
    Add(t.type, dims, "slice(" + t.name + "), slice={" + text + "}");
  }

  void Broadcast(const Tensor& t) {
    std::vector<int64_t> dims, mapped;
    size_t next = 0;
    for (int slot = 0; slot < 6 && (next < t.dims.size() || slot < 2); ++slot) {
      if (next < t.dims.size() && random_.Below(2) == 0) {
        mapped.push_back(static_cast<int64_t>(dims.size()));
        dims.push_back(t.dims[next++]);
      } else if (slot < 3) {
        dims.push_back(random_.Between(1, 3));
      }
    }
    while (next < t.dims.size()) {
      mapped.push_back(static_cast<int64_t>(dims.size()));
      dims.push_back(t.dims[next++]);
    }
    if (Elements(dims) > options_.max_elements) return;
    Add(t.type, dims, "broadcast(" + t.name + "), dimensions=" + List(mapped));
  }

  void Reduce(const Tensor& t) {
    std::vector<int64_t> which, dims;
    for (size_t d = 0; d < t.dims.size(); ++d) {
      if (random_.Below(2) == 0) {
        which.push_back(static_cast<int64_t>(d));
      } else {
        dims.push_back(t.dims[d]);
      }
    }
    if (which.empty()) return;
    const uint64_t op = random_.Below(4);
    const char* name = op == 0 ? "max" : op == 1 ? "min" : "add";
    std::string start = std::to_string(op == 3 ? 5 : 0);
    if (IsFloat(t.type) && op < 2) start = op == 0 ? "-inf" : "inf";
    const Tensor init = Add(t.type, {}, "constant(" + start + ")");
    Add(t.type, dims,
        "reduce(" + t.name + ", " + init.name + "), dimensions=" + List(which) + ", to_apply=" + name + "_" +
            std::string(ElementTypeName(t.type)));
  }

  void Dot(const Tensor& t) {
    // Roles of t's dimensions, then a right side of its own order.
    std::vector<int64_t> batch, contracting, free;
    for (int64_t d : Permutation(t.dims.size())) {
      const uint64_t role = random_.Below(3);
      (role == 0 ? batch : role == 1 ? contracting : free).push_back(d);
    }
    std::sort(free.begin(), free.end());
    struct Right {
      int role;
      int64_t left, extent;
    };
    std::vector<Right> right;
    for (int64_t d : batch) right.push_back({0, d, t.dims[static_cast<size_t>(d)]});
    for (int64_t d : contracting) right.push_back({1, d, t.dims[static_cast<size_t>(d)]});
    for (uint64_t n = random_.Below(3); n > 0; --n) right.push_back({2, -1, random_.Between(1, 4)});
    std::vector<int64_t> place(right.size());
    std::vector<int64_t> dims;
    const std::vector<int64_t> order = Permutation(right.size());
    for (size_t i = 0; i < order.size(); ++i) {
      place[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
      dims.push_back(right[static_cast<size_t>(order[i])].extent);
    }
    std::vector<int64_t> rhs_batch, rhs_contracting, result;
    for (size_t i = 0; i < right.size(); ++i) {
      if (right[i].role == 0) rhs_batch.push_back(place[i]);
      if (right[i].role == 1) rhs_contracting.push_back(place[i]);
    }
    for (int64_t d : batch) result.push_back(t.dims[static_cast<size_t>(d)]);
    for (int64_t d : free) result.push_back(t.dims[static_cast<size_t>(d)]);
    for (size_t i = 0; i < order.size(); ++i) {
      if (right[static_cast<size_t>(order[i])].role == 2) result.push_back(dims[i]);
    }
    if (Elements(dims) > options_.max_elements || Elements(result) > options_.max_elements ||
        parameters_ >= 10) {
      return;
    }
    const Tensor u = Parameter(t.type, dims);
    std::string text = "dot(" + t.name + ", " + u.name + ")";
    if (!batch.empty()) text += ", lhs_batch_dims=" + List(batch) + ", rhs_batch_dims=" + List(rhs_batch);
    text += ", lhs_contracting_dims=" + List(contracting) + ", rhs_contracting_dims=" + List(rhs_contracting);
    Add(t.type, result, text);
  }

  Random& random_;
  const KernelOptions& options_;
  std::vector<Tensor> tensors_;
  std::string body_;
  int count_ = 0, parameters_ = 0;
};

}  // namespace

std::string RandomKernel(Random* random, const KernelOptions& options) {
  return Generator(random, options).Run();
}

}  // namespace act::select
