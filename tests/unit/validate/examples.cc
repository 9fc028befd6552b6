#include "kit.h"

namespace act::validate {

std::vector<Example> QkvExamples(int64_t r) {
  std::vector<Example> examples;
  const Shape square = Matrix(r, r);
  // Kits differ in inputs and outputs; every one has its matrices in order A, B, C, ...
  const auto make = [&](int inputs, int outputs) {
    Kit kit(MakeQkv(r));
    for (int i = 0; i < inputs; ++i) kit.Input(std::string(1, static_cast<char>('A' + i)), square);
    for (int k = 0; k < outputs; ++k) kit.Output(square);
    return kit;
  };
  const auto in = [](int i) { return ValueId(i); };
  const int64_t m = 2 * r * r;  // bytes of a matrix
  {
    Kit k = make(1, 1);
    const ValueId x = k.Do("load_rm", {r}, {0, r}, {in(0)});
    k.Returns({k.Do("store_rm", {r}, {r, m}, {x})});
    examples.push_back({"copy", std::move(k)});
  }
  {
    Kit k = make(1, 1);
    const ValueId x = k.Do("load_cm", {r}, {0, 3}, {in(0)});
    k.Returns({k.Do("store_rm", {r}, {3, m}, {x})});
    examples.push_back({"transpose", std::move(k)});
  }
  {
    Kit k = make(2, 1);  // A times the transpose of B
    const ValueId a = k.Do("load_rm", {r}, {0, 0}, {in(0)});
    const ValueId b = k.Do("load_cm", {r}, {m, r}, {in(1)});
    const ValueId s = k.Do("gemm", {}, {0, r, 0}, {a, b});
    const ValueId t = k.Do("mov", {r}, {0, 0}, {s});
    k.Returns({k.Do("store_rm", {r}, {0, 2 * m}, {t})});
    examples.push_back({"A*Bt", std::move(k)});
  }
  {
    Kit k = make(1, 1);  // one instance read twice
    const ValueId x = k.Do("load_rm", {r}, {0, 0}, {in(0)});
    const ValueId s = k.Do("gemm", {}, {0, 0, 0}, {x, x});
    const ValueId t = k.Do("mov", {r}, {0, r}, {s});
    k.Returns({k.Do("store_rm", {r}, {r, m}, {t})});
    examples.push_back({"x*x", std::move(k)});
  }
  {
    Kit k = make(1, 1);  // softmax, through a product with the identity
    const ValueId one = k.Constant("one", Identity(r));
    const ValueId x = k.Do("load_rm", {r}, {0, 0}, {in(0)});
    const ValueId i = k.Do("load_rm", {r}, {k.AddressOf(one), r}, {one});
    const ValueId s = k.Do("gemm", {}, {0, r, 0}, {x, i});
    const ValueId p = k.Do("softmax", {r}, {0}, {s});
    const ValueId t = k.Do("mov", {r}, {0, 0}, {p});
    k.Returns({k.Do("store_rm", {r}, {0, m}, {t})});
    examples.push_back({"softmax", std::move(k)});
  }
  {
    Kit k = make(3, 1);
    const ValueId q = k.Do("load_rm", {r}, {0, 0}, {in(0)});
    const ValueId kt = k.Do("load_cm", {r}, {m, r}, {in(1)});
    const ValueId s = k.Do("gemm", {}, {0, r, 0}, {q, kt});
    const ValueId p = k.Do("softmax", {r}, {0}, {s});
    const ValueId p1 = k.Do("mov", {r}, {0, 0}, {p});
    const ValueId v = k.Do("load_rm", {r}, {2 * m, r}, {in(2)});
    const ValueId o = k.Do("gemm", {}, {0, r, 0}, {p1, v});
    const ValueId o1 = k.Do("mov", {r}, {0, 0}, {o});
    k.Returns({k.Do("store_rm", {r}, {0, 3 * m}, {o1})});
    examples.push_back({"attention", std::move(k)});
  }
  {
    Kit k = make(2, 2);  // A*B and softmax(A*B), both operands by one load
    const ValueId a = k.Step("load_rm", {r}, {in(0)});
    const ValueId b = k.Step("load_rm", {r}, {in(1)});
    k.Call("load_rm", {2 * r}, {0, 0});
    const ValueId s = k.Do("gemm", {}, {0, r, 0}, {a, b});
    const ValueId s1 = k.Do("mov", {r}, {0, 0}, {s});
    const ValueId first = k.Do("store_rm", {r}, {0, 2 * m}, {s1});
    const ValueId p = k.Do("softmax", {r}, {0}, {s});
    const ValueId p1 = k.Do("mov", {r}, {0, r}, {p});
    k.Returns({first, k.Do("store_rm", {r}, {r, 3 * m}, {p1})});
    examples.push_back({"A*B and softmax(A*B)", std::move(k)});
  }
  {
    Kit k = make(3, 1);  // (A*B)*C with a spill of C's place: C goes through HBM and back
    const int64_t spill = k.Reserve(m);
    const ValueId a = k.Do("load_rm", {r}, {0, 0}, {in(0)});
    const ValueId b = k.Do("load_rm", {r}, {m, r}, {in(1)});
    const ValueId s = k.Do("gemm", {}, {0, r, 0}, {a, b});
    const ValueId s1 = k.Do("mov", {r}, {0, 0}, {s});
    k.Call("store_rm", {r}, {0, spill});
    const ValueId c = k.Do("load_rm", {r}, {2 * m, 0}, {in(2)});
    k.Call("load_rm", {r}, {spill, r});
    const ValueId o = k.Do("gemm", {}, {r, 0, 0}, {s1, c});
    const ValueId o1 = k.Do("mov", {r}, {0, 0}, {o});
    k.Returns({k.Do("store_rm", {r}, {0, 3 * m}, {o1})});
    examples.push_back({"A*B*C with a spill", std::move(k)});
  }
  {
    // Halves of A swapped: windows and an adjacency.
    Kit k = make(1, 1);
    const ValueId x = k.Do("load_rm", {r}, {0, 0}, {in(0)});
    const ValueId low = k.Window(x, {r / 2}, 0);
    k.Call("load_rm", {r / 2}, {0, r});
    const ValueId high = k.Step("load_rm", {r / 2}, {k.Window(in(0), {m / 2}, m / 2)});
    const ValueId both = k.Adjacent({high, low});
    k.Returns({k.Do("store_rm", {r}, {r / 2, m}, {both})});
    examples.push_back({"halves swapped", std::move(k)});
  }
  return examples;
}

std::vector<Example> QkvNewExamples(int64_t r) {
  std::vector<Example> examples;
  const Shape square = Matrix(r, r);
  const int64_t m = 2 * r * r;
  for (const bool joint : {false, true}) {
    Kit k(MakeQkvNew(r));
    const ValueId q = k.Input("Q", square), key = k.Input("K", square), v = k.Input("V", square);
    k.Output(square);
    const ValueId q1 = k.Step("load_01", {r}, {q});
    const ValueId k1 = k.Step("load_01", {r}, {key});
    if (joint) {
      k.Call("load_01", {2 * r}, {0, 0});
    } else {
      k.Call("load_01", {r}, {0, 0});
      k.Call("load_01", {r}, {m, r});
    }
    const ValueId kt = k.Do("transpose_13", {}, {r, 0}, {k1});
    const ValueId s = k.Do("gemm_13", {}, {0, 0, 0}, {q1, kt});
    const ValueId p = k.Do("softmax", {r}, {0}, {s});
    const ValueId p1 = k.Do("mov_21", {r}, {0, 0}, {p});
    const ValueId v3 = k.Do("load_03", {r}, {2 * m, r}, {v});
    const ValueId o = k.Do("gemm_13", {}, {0, r, 0}, {p1, v3});
    const ValueId o1 = k.Do("mov_21", {r}, {0, r}, {o});
    k.Returns({k.Do("store_10", {r}, {r, 3 * m}, {o1})});
    examples.push_back({joint ? "attention, 9 calls" : "attention, 10 calls", std::move(k)});
  }
  return examples;
}

std::vector<Example> IntegerExamples() {
  std::vector<Example> examples;
  {
    Kit k(MakeInteger());  // A*B + C*D in one accumulator, then minus A, in place
    const Shape square = Matrix(8, 8, ElementType::kS32);
    const ValueId a = k.Input("A", square), b = k.Input("B", square), c = k.Input("C", square),
                  d = k.Input("D", square);
    const int64_t out = k.Output(square);
    const ValueId a1 = k.Do("load", {8}, {0, 0}, {a}), b1 = k.Do("load", {8}, {256, 8}, {b});
    const ValueId c1 = k.Do("load", {8}, {512, 16}, {c}), d1 = k.Do("load", {8}, {768, 24}, {d});
    const ValueId z = k.Do("zero", {}, {2}, {});
    const ValueId ab = k.Do("mac", {}, {0, 8, 2}, {a1, b1, z});
    const ValueId sum = k.Do("mac", {}, {16, 24, 2}, {c1, d1, ab});
    const ValueId s = k.Do("take", {}, {2, 10}, {sum});
    const ValueId e = k.Do("sub", {8}, {10, 0, 10}, {s, a1});
    k.Returns({k.Do("store", {8}, {10, out}, {e})});
    examples.push_back({"A*B+C*D-A", std::move(k)});
  }
  {
    Kit k(MakeInteger());  // (x + y) + (x - y), the parts through one window
    const Shape rows = Matrix(2, 8, ElementType::kS32);
    const ValueId x = k.Input("x", rows), y = k.Input("y", rows);
    const int64_t out = k.Output(rows);
    const ValueId x1 = k.Do("load", {2}, {0, 1}, {x}), y1 = k.Do("load", {2}, {64, 6}, {y});
    const ValueId p = k.Do("add", {2}, {1, 6, 20}, {x1, y1});
    const ValueId q = k.Do("sub", {2}, {1, 6, 22}, {x1, y1});
    const ValueId r = k.Do("add", {2}, {22, 20, 0}, {p, q});  // operands in the other order: integers
    k.Returns({k.Do("store", {2}, {0, out}, {r})});
    examples.push_back({"x+y+(x-y)", std::move(k)});
  }
  {
    Kit k(MakeInteger());  // a 4x6 tile of a 6x10 image, the elementwise maximum with another tile of it
    const ValueId image = k.Input("image", Matrix(6, 10, ElementType::kS8));
    const int64_t out = k.Output(Matrix(4, 6, ElementType::kS8));
    // The certificate's loads read what the strided region holds: 4 rows of 6 bytes, gathered by hand.
    std::vector<ValueId> tiles;
    for (const int64_t first : {0, 23}) {
      std::vector<ValueId> parts;
      for (int64_t row = 0; row < 4; ++row) parts.push_back(k.Window(image, {6}, first + 10 * row));
      tiles.push_back(k.Adjacent(parts));
    }
    const ValueId a = k.Do("load2", {4, 6, 10}, {0, 1, 2}, {tiles[0]});
    const ValueId b = k.Do("load2", {4, 6, 10}, {23, 1, 9}, {tiles[1]});
    const ValueId c = k.Do("max2", {4, 6}, {1, 2, 1, 9, 1, 9}, {a, b});
    k.Returns({k.Do("store2", {4, 6}, {1, 9, out}, {c})});
    examples.push_back({"maximum of tiles", std::move(k)});
  }
  return examples;
}

}  // namespace act::validate
