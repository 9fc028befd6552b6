#include "common/kernels.h"

namespace act::testing {
namespace {

class Writer {
 public:
  Writer(int64_t n, std::string type) : n_(std::to_string(n)), type_(std::move(type)) {}
  std::string Matrix() const { return type_ + "[" + n_ + "," + n_ + "]"; }
  std::string Vector() const { return type_ + "[" + n_ + "]"; }
  std::string Scalar() const { return type_ + "[]"; }
  bool is_float() const { return type_ != "s32"; }

  // A module: reducers, then the entry with its lines.
  std::string Module(const std::string& name, const std::string& lines) const {
    std::string text = "HloModule " + name + "\n\n";
    if (lines.find("to_apply=add") != std::string::npos) text += Reducer("add", "add", type_);
    if (lines.find("to_apply=maximum") != std::string::npos) text += Reducer("maximum", "maximum", type_);
    if (lines.find("to_apply=wide_add") != std::string::npos) text += Reducer("wide_add", "add", "f32");
    return text + "ENTRY main {\n" + lines + "}\n";
  }
  static std::string Reducer(const std::string& name, const std::string& op, const std::string& type) {
    return name + " {\n  a = " + type + "[] parameter(0)\n  b = " + type +
           "[] parameter(1)\n  ROOT r = " + type + "[] " + op + "(a, b)\n}\n\n";
  }
  std::string Parameter(const std::string& name, int k) const {
    return "  " + name + " = " + Matrix() + " parameter(" + std::to_string(k) + ")\n";
  }
  std::string Parameters(const std::string& names) const {  // one letter each
    std::string out;
    for (size_t k = 0; k < names.size(); ++k) out += Parameter(std::string(1, names[k]), static_cast<int>(k));
    return out;
  }
  std::string Line(const std::string& name, const std::string& shape, const std::string& rest,
                   bool root = false) const {
    return std::string("  ") + (root ? "ROOT " : "") + name + " = " + shape + " " + rest + "\n";
  }
  std::string Dot(const std::string& name, const std::string& a, const std::string& b, int lc = 1, int rc = 0,
                  bool root = false) const {
    return Line(name, Matrix(),
                "dot(" + a + ", " + b + "), lhs_contracting_dims={" + std::to_string(lc) +
                    "}, rhs_contracting_dims={" + std::to_string(rc) + "}",
                root);
  }
  std::string Transpose(const std::string& name, const std::string& x, bool root = false) const {
    return Line(name, Matrix(), "transpose(" + x + "), dimensions={1,0}", root);
  }
  // softmax of x along `axis`; every name gets the prefix.
  std::string Softmax(const std::string& name, const std::string& x, int axis = 1, bool root = false) const {
    const std::string kept = axis == 1 ? "0" : "1";
    return Line(name + "_zero", Scalar(), "constant(0)") +
           Line(name + "_e", Matrix(), "exponential(" + x + ")") +
           Line(name + "_s", Vector(),
                "reduce(" + name + "_e, " + name + "_zero), dimensions={" + std::to_string(axis) +
                    "}, to_apply=add") +
           Line(name + "_b", Matrix(), "broadcast(" + name + "_s), dimensions={" + kept + "}") +
           Line(name, Matrix(), "divide(" + name + "_e, " + name + "_b)", root);
  }
  const std::string& n() const { return n_; }

 private:
  std::string n_, type_;
};

std::string ConstantMatrix(int64_t n, const std::string& type) {
  std::string out = "constant({";
  for (int64_t i = 0; i < n; ++i) {
    out += i ? ", { " : " { ";
    for (int64_t j = 0; j < n; ++j) out += (j ? ", " : "") + std::to_string((i * 7 + j * 3) % 5 - 2);
    out += " }";
  }
  (void)type;
  return out + " })";
}

}  // namespace

std::vector<KernelCase> FoundationKernels(int64_t n, const std::string& type) {
  const Writer w(n, type);
  std::vector<KernelCase> out;
  const auto add = [&](const std::string& name, const std::string& lines, int qkv, int qkv_new,
                       bool relaxed = false) {
    const bool softmax = lines.find("exponential") != std::string::npos;
    if (softmax && !w.is_float()) return;
    out.push_back({name, w.Module(name, lines), qkv, qkv_new, softmax, relaxed});
  };
  const std::string m = w.Matrix(), v = w.Vector();
  add("identity", w.Line("x", m, "parameter(0)", true), 2, 2);
  add("copy", w.Parameters("x") + w.Line("y", m, "copy(x)", true), 2, 2);
  add("transpose", w.Parameters("x") + w.Transpose("y", "x", true), 2, 3);
  add("a_b", w.Parameters("ab") + w.Dot("y", "a", "b", 1, 0, true), 5, 5);
  add("a_bt", w.Parameters("ab") + w.Transpose("t", "b") + w.Dot("y", "a", "t", 1, 0, true), 5, 6);
  add("at_b", w.Parameters("ab") + w.Transpose("t", "a") + w.Dot("y", "t", "b", 1, 0, true), 5, 6);
  add("at_bt",
      w.Parameters("ab") + w.Transpose("t", "a") + w.Transpose("u", "b") + w.Dot("y", "t", "u", 1, 0, true),
      5, 6);
  add("a_bt_folded", w.Parameters("ab") + w.Dot("y", "a", "b", 1, 1, true), 5, 6);
  add("at_b_folded", w.Parameters("ab") + w.Dot("y", "a", "b", 0, 0, true), 5, 6);
  add("at_bt_folded", w.Parameters("ab") + w.Dot("y", "a", "b", 0, 1, true), 5, 6);
  add("x_x", w.Parameters("x") + w.Dot("y", "x", "x", 1, 0, true), 4, 4);
  add("x_xt", w.Parameters("x") + w.Dot("y", "x", "x", 1, 1, true), 5, 5);
  const std::string factor = w.is_float() ? "0.125" : "3";
  add("scale",
      w.Parameters("x") + w.Line("c", w.Scalar(), "constant(" + factor + ")") +
          w.Line("b", m, "broadcast(c), dimensions={}") + w.Line("y", m, "multiply(x, b)", true),
      5, 5);
  add("a_constant",
      w.Parameters("a") + w.Line("c", m, ConstantMatrix(n, type)) + w.Dot("y", "a", "c", 1, 0, true), 5, 5);
  add("softmax_rows", w.Parameters("x") + w.Softmax("y", "x", 1, true), 6, 6);
  add("softmax_columns", w.Parameters("x") + w.Softmax("y", "x", 0, true), 6, 8);
  add("attention",
      w.Parameters("qkv") + w.Transpose("t", "k") + w.Dot("s", "q", "t") + w.Softmax("p", "s") +
          w.Dot("o", "p", "v", 1, 0, true),
      9, 10);
  add("attention_projection",
      w.Parameters("qkvw") + w.Dot("s", "q", "k", 1, 1) + w.Softmax("p", "s") + w.Dot("o", "p", "v") +
          w.Dot("y", "o", "w", 1, 0, true),
      12, 13);
  add("five_matrices",
      w.Parameters("abcde") + w.Dot("p", "a", "b") + w.Dot("q", "p", "c") + w.Dot("r", "q", "d") +
          w.Dot("y", "r", "e", 1, 0, true),
      14, 14);
  const std::string pair = "(" + m + ", " + m + ")";
  add("ab_and_ac",
      w.Parameters("abc") + w.Dot("p", "a", "b") + w.Dot("q", "a", "c") +
          w.Line("y", pair, "tuple(p, q)", true),
      9, 9);
  add("ab_and_softmax",
      w.Parameters("ab") + w.Dot("s", "a", "b") + w.Softmax("p", "s") +
          w.Line("y", pair, "tuple(s, p)", true),
      8, 8);
  add("softmax_times_s",
      w.Parameters("ab") + w.Dot("s", "a", "b") + w.Softmax("p", "s") + w.Dot("y", "p", "s", 1, 0, true), 9,
      9);
  // Spellings of row softmax.
  const std::string e =
      w.Parameters("x") + w.Line("e", m, "exponential(x)") + w.Line("zero", w.Scalar(), "constant(0)");
  const std::string s = w.Line("s", v, "reduce(e, zero), dimensions={1}, to_apply=add");
  const std::string one_v =
      w.Line("one", w.Scalar(), "constant(1)") + w.Line("ones", v, "broadcast(one), dimensions={}");
  const std::string one_m =
      w.Line("one", w.Scalar(), "constant(1)") + w.Line("ones", m, "broadcast(one), dimensions={}");
  add("softmax_reciprocal_of_sum",
      e + s + one_v + w.Line("r", v, "divide(ones, s)") + w.Line("b", m, "broadcast(r), dimensions={0}") +
          w.Line("y", m, "multiply(e, b)", true),
      6, 6);
  add("softmax_reciprocal_of_broadcast",
      e + s + w.Line("b", m, "broadcast(s), dimensions={0}") + one_m + w.Line("r", m, "divide(ones, b)") +
          w.Line("y", m, "multiply(e, r)", true),
      6, 6);
  add("softmax_reciprocal_swapped",
      e + s + one_v + w.Line("r", v, "divide(ones, s)") + w.Line("b", m, "broadcast(r), dimensions={0}") +
          w.Line("y", m, "multiply(b, e)", true),
      6, 6);
  const std::string column = type + "[" + w.n() + ",1]";
  add("softmax_broadcast_reshape",
      e + s + w.Line("k", column, "reshape(s)") + w.Line("f", v, "reshape(k)") +
          w.Line("b", m, "broadcast(f), dimensions={0}") + w.Line("y", m, "divide(e, b)", true),
      6, 6);
  add("softmax_keep_dims",
      e + s + w.Line("k", column, "broadcast(s), dimensions={0}") +
          w.Line("b", m, "broadcast(k), dimensions={0,1}") + w.Line("y", m, "divide(e, b)", true),
      6, 6);
  add("softmax_wide_sum",
      w.Parameters("x") + w.Line("e", m, "exponential(x)") +
          w.Line("wide", "f32[" + w.n() + "," + w.n() + "]", "convert(e)") +
          w.Line("zero", "f32[]", "constant(0)") +
          w.Line("t", "f32[" + w.n() + "]", "reduce(wide, zero), dimensions={1}, to_apply=wide_add") +
          w.Line("s", v, "convert(t)") + w.Line("b", m, "broadcast(s), dimensions={0}") +
          w.Line("y", m, "divide(e, b)", true),
      6, 6);
  add("softmax_sum_of_transpose",
      e + w.Transpose("t", "e") + w.Line("s", v, "reduce(t, zero), dimensions={0}, to_apply=add") +
          w.Line("b", m, "broadcast(s), dimensions={0}") + w.Line("y", m, "divide(e, b)", true),
      6, 6);
  add("softmax_without_overflow",
      w.Parameters("x") + w.Line("low", w.Scalar(), "constant(-inf)") +
          w.Line("zero", w.Scalar(), "constant(0)") +
          w.Line("h", v, "reduce(x, low), dimensions={1}, to_apply=maximum") +
          w.Line("hb", m, "broadcast(h), dimensions={0}") + w.Line("d", m, "subtract(x, hb)") +
          w.Line("e", m, "exponential(d)") + s + w.Line("b", m, "broadcast(s), dimensions={0}") +
          w.Line("y", m, "divide(e, b)", true),
      6, 6, true);
  add("parameters_unused_repeated", w.Parameters("abc") + w.Dot("y", "c", "a", 1, 0, true), 5, 5);
  add("parameters_out_of_order", w.Parameter("b", 1) + w.Parameter("a", 0) + w.Dot("y", "a", "b", 1, 0, true),
      5, 5);
  return out;
}

}  // namespace act::testing
