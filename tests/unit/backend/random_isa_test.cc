// Invented accelerators with random kernels: what compiles is validated and executed, what does not is
// refused by name; nothing else happens.
#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/backend.h"
#include "common/compile.h"

namespace act::backend {
namespace {

int Scaled(int base) {
  const char* text = std::getenv("ACT_TEST_SCALE");
  const int count = static_cast<int>(base * (text == nullptr ? 1.0 : std::strtod(text, nullptr)));
  return count < 1 ? 1 : count;
}

struct Isa {
  std::string text, type;
  int64_t columns = 0;
};

class IsaMaker {
 public:
  explicit IsaMaker(Random* random) : random_(*random) {}

  Isa Run() {
    static constexpr const char* kTypes[] = {"f32", "bf16", "f16", "s32", "s8"};
    static constexpr int64_t kWidths[] = {4, 2, 2, 4, 1};
    const size_t t = random_.Below(5);
    type_ = kTypes[t];
    width_ = kWidths[t];
    static constexpr int64_t kColumns[] = {2, 3, 4, 5, 6, 8, 12};
    columns_ = kColumns[random_.Below(7)];
    c_ = std::to_string(columns_);
    w_ = std::to_string(width_);
    row_bytes_ = std::to_string(columns_ * width_);
    text_ = "accelerator random\n";
    for (const char* buffer : {"d1", "d2"}) {
      text_ += std::string("buffer ") + buffer + " [" + std::to_string(columns_ * random_.Between(1, 5)) +
               "] of " + type_ + "[" + c_ + "]\n";
    }
    bool any = false;
    while (!any) {
      for (const char* buffer : {"d1", "d2"}) {
        if (Chance(70)) any = Load(buffer, "rm", Rows());
        if (Chance(40)) any = Load(buffer, "cm", "transpose(" + Columns() + ", {1,0})");
        if (columns_ % 2 == 0 && Chance(25)) any = Load(buffer, "tiled", Tiled());
        if (Chance(20)) any = Load(buffer, "upside_down", "reverse(" + Rows() + ", {0})");
      }
    }
    for (const char* buffer : {"d1", "d2"}) {
      if (Chance(80)) Store(buffer, "rm", "x", "[n," + c_ + "," + w_ + "]");
      if (Chance(35)) Store(buffer, "cm", "transpose(x, {1,0})", "[" + c_ + ",n," + w_ + "]");
    }
    if (Chance(60)) Unary("move12", "d1", "d2", "copy(x)");
    if (Chance(60)) Unary("move21", "d2", "d1", "copy(x)");
    if (Chance(30)) Unary("flip", "d1", "d1", "reverse(x, {1})");
    if (Chance(75)) Gemm();
    const bool is_float = type_[0] != 's';
    for (const char* name : {"add", "subtract", "multiply", "maximum", "minimum"}) {
      if (Chance(45)) Binary(name);
    }
    for (const char* name : {"negate", "abs", "exp", "tanh"}) {
      if (!is_float && (std::string(name) == "exp" || std::string(name) == "tanh")) continue;
      if (Chance(45)) Unary(std::string("u_") + name, Buffer(), Buffer(), std::string(name) + "(x)");
    }
    if (Chance(50)) {
      Unary("row_sums", Buffer(), Buffer(),
            "broadcast(reduce_add(x, {1}), " + type_ + "[n," + c_ + "], {0})");
    }
    if (Chance(30)) {
      Unary("row_maxima", Buffer(), Buffer(),
            "broadcast(reduce_max(x, {1}), " + type_ + "[n," + c_ + "], {0})");
    }
    if (is_float && Chance(30)) {
      Unary("softmax", Buffer(), Buffer(),
            "divide(exp(x), broadcast(reduce_add(exp(x), {1}), " + type_ + "[n," + c_ + "], {0}))");
    }
    return {text_, type_, columns_};
  }

 private:
  bool Chance(uint64_t percent) { return random_.Below(100) < percent; }
  std::string Buffer() { return Chance(50) ? "d1" : "d2"; }
  std::string Limits() {
    switch (random_.Below(5)) {
      case 0:
        return "  where n % " + std::to_string(random_.Between(2, 4)) + " == 0\n";
      case 1:
        return "  where n == " + c_ + "\n";
      default:
        return "";
    }
  }
  std::string Cost() { return costs_ ? "  cost " + std::to_string(random_.Between(1, 9)) + " + n\n" : ""; }
  // The window of HBM as n rows, or as columns of n.
  std::string Rows() {
    return "bitcast_convert(reshape(x, u8[n," + c_ + Last() + "]), " + type_ + "[n," + c_ + "])";
  }
  std::string Columns() {
    return "bitcast_convert(reshape(x, u8[" + c_ + ",n" + Last() + "]), " + type_ + "[" + c_ + ",n])";
  }
  std::string Last() const { return width_ == 1 ? "" : "," + w_; }
  // Two columns wide tiles, one below the other.
  std::string Tiled() {
    const std::string half = std::to_string(columns_ / 2);
    return "reshape(transpose(bitcast_convert(reshape(x, u8[" + half + ",n,2" + Last() + "]), " + type_ +
           "[" + half + ",n,2]), {1,0,2}), " + type_ + "[n," + c_ + "])";
  }
  bool Load(const std::string& buffer, const std::string& name, const std::string& value) {
    text_ += "instruction load_" + name + "_" + buffer + "(n; a, o)\n  in x = d0[a : +n*" + row_bytes_ +
             "]\n  out y = " + buffer + "[o : +n]\n" + Limits() + Cost() + "  y = " + value + "\n";
    return true;
  }
  void Store(const std::string& buffer, const std::string& name, const std::string& value,
             const std::string& dims) {
    const std::string bytes =
        width_ == 1 ? "bitcast_convert(" + value + ", u8" + dims.substr(0, dims.rfind(',')) + "])"
                    : "bitcast_convert(" + value + ", u8" + dims + ")";
    text_ += "instruction store_" + name + "_" + buffer + "(n; a, o)\n  in x = " + buffer +
             "[a : +n]\n  out y = d0[o : +n*" + row_bytes_ + "]\n" + Limits() + Cost() + "  y = reshape(" +
             bytes + ", u8[n*" + row_bytes_ + "])\n";
  }
  void Unary(const std::string& name, const std::string& from, const std::string& to,
             const std::string& value) {
    const bool in_place = from == to && Chance(50);
    text_ += "instruction " + name + "(n; a" + (in_place ? "" : ", o") + ")\n  in x = " + from +
             "[a : +n]\n  out y = " + to + "[" + (in_place ? "a" : "o") + " : +n]\n" + Limits() + Cost() +
             "  y = " + value + "\n";
  }
  void Binary(const std::string& name) {
    const std::string to = Buffer();
    const std::string from = Buffer();
    const bool in_place = from == to && Chance(40);
    text_ += "instruction b_" + name + "(n; a, b" + (in_place ? "" : ", o") + ")\n  in x = " + from +
             "[a : +n]\n  in z = " + Buffer() + "[b : +n]\n  out y = " + to + "[" + (in_place ? "a" : "o") +
             " : +n]\n" + Limits() + Cost() + "  y = " + name + "(x, z)\n";
  }
  void Gemm() {
    const std::string rows = Chance(50) ? "n" : c_;
    text_ += "instruction gemm(n; a, b, o)\n  in x = " + Buffer() + "[a : +" + rows +
             "]\n  in z = " + Buffer() + "[b : +" + c_ + "]\n  out y = " + Buffer() + "[o : +" + rows +
             "]\n  where n <= 64\n" + Cost() + "  y = dot(x, z)\n";
  }

  Random& random_;
  std::string text_, type_, c_, w_, row_bytes_;
  int64_t width_ = 0, columns_ = 0;
  const bool costs_ = random_.Below(2) == 0;
};

std::string MakeKernel(const Isa& isa, Random* random) {
  const std::string c = std::to_string(isa.columns);
  const int64_t rows = random->Below(3) == 0 ? random->Between(1, 2 * isa.columns) : isa.columns;
  const std::string r = std::to_string(rows);
  const std::string shape = isa.type + "[" + r + "," + c + "]", square = isa.type + "[" + c + "," + c + "]";
  const bool is_float = isa.type[0] != 's';
  std::string body = "  w = " + square + " parameter(0)\n";
  std::vector<std::string> values;
  int parameters = 1, count = 0;
  const auto parameter = [&] {
    const std::string name = "p" + std::to_string(parameters);
    body += "  " + name + " = " + shape + " parameter(" + std::to_string(parameters++) + ")\n";
    values.push_back(name);
  };
  const auto pick = [&] {
    return values[values.size() - 1 - random->Below(std::min<size_t>(values.size(), 3))];
  };
  const auto add = [&](const std::string& type, const std::string& rest) {
    const std::string name = "v" + std::to_string(count++);
    body += "  " + name + " = " + type + " " + rest + "\n";
    return name;
  };
  parameter();
  for (int64_t n = random->Between(0, 6); n > 0; --n) {
    const std::string x = pick();
    switch (random->Below(9)) {
      case 0:
        values.push_back(add(shape, "dot(" + x + ", w), lhs_contracting_dims={1}, rhs_contracting_dims={" +
                                        std::to_string(random->Below(2)) + "}"));
        break;
      case 1: {
        static constexpr const char* kNames[] = {"add", "subtract", "multiply", "maximum", "minimum"};
        if (random->Below(3) == 0 && parameters < 4) parameter();
        values.push_back(add(shape, std::string(kNames[random->Below(5)]) + "(" + x + ", " + pick() + ")"));
        break;
      }
      case 2:
        values.push_back(add(shape, std::string(random->Below(2) == 0 ? "negate(" : "abs(") + x + ")"));
        break;
      case 3:
        if (is_float) {
          values.push_back(
              add(shape, std::string(random->Below(2) == 0 ? "exponential(" : "tanh(") + x + ")"));
        }
        break;
      case 4:
        if (rows == isa.columns) values.push_back(add(shape, "transpose(" + x + "), dimensions={1,0}"));
        break;
      case 5:
        values.push_back(
            add(shape, "reverse(" + x + "), dimensions={" + std::to_string(random->Below(2)) + "}"));
        break;
      case 6: {
        const std::string zero = add(isa.type + "[]", "constant(0)");
        const std::string sums =
            add(isa.type + "[" + r + "]", "reduce(" + x + ", " + zero + "), dimensions={1}, to_apply=sum");
        values.push_back(add(shape, "broadcast(" + sums + "), dimensions={0}"));
        break;
      }
      case 7:
        if (is_float) {
          const std::string e = add(shape, "exponential(" + x + ")");
          const std::string zero = add(isa.type + "[]", "constant(0)");
          const std::string sums =
              add(isa.type + "[" + r + "]", "reduce(" + e + ", " + zero + "), dimensions={1}, to_apply=sum");
          const std::string t = add(shape, "broadcast(" + sums + "), dimensions={0}");
          values.push_back(add(shape, "divide(" + e + ", " + t + ")"));
        }
        break;
      default: {
        const std::string one = add(isa.type + "[]", "constant(" + std::to_string(random->Below(3)) + ")");
        const std::string all = add(shape, "broadcast(" + one + "), dimensions={}");
        values.push_back(add(shape, "add(" + x + ", " + all + ")"));
        break;
      }
    }
  }
  const std::string last = values.back(), other = pick();
  if (random->Below(3) == 0) {
    body += "  ROOT r = (" + shape + ", " + shape + ") tuple(" + last + ", " + other + ")\n";
  } else {
    body += "  ROOT r = " + shape + " copy(" + last + ")\n";
  }
  return "HloModule m\nsum {\n  x = " + isa.type + "[] parameter(0)\n  y = " + isa.type +
         "[] parameter(1)\n  ROOT z = " + isa.type + "[] add(x, y)\n}\nENTRY e {\n" + body + "}\n";
}

TEST(RandomIsa, CompilesRightOrRefusesByName) {
  int compiled = 0, computed = 0, refused = 0;
  for (int i = 0; i < Scaled(30); ++i) {
    Random random(static_cast<uint64_t>(i) + 1);
    const Isa isa = IsaMaker(&random).Run();
    auto accelerator = isa::ParseTaidl(SourceText("random.taidl", isa.text));
    ASSERT_TRUE(accelerator.ok()) << accelerator.status().message() << "\n" << isa.text;
    select::Selector selector(&*accelerator);
    for (int k = 0; k < 6; ++k) {
      const std::string kernel = MakeKernel(isa, &random);
      CompileOptions options;
      options.effort = EffortLevel(static_cast<int>(random.Below(2)));
      if (random.Below(3) == 0) options.numerics = select::Numerics::kRelaxed;
      const auto result = testing::CompileText(*accelerator, &selector, "k", kernel, options);
      if (result.ok()) {
        ++compiled;
        if (result->report.instructions > 3) ++computed;
        EXPECT_NE(result->report.verification.find("1 run"), std::string::npos)
            << result->report.verification;
        continue;
      }
      ++refused;
      const Diagnostic& d = result.status().front();
      ASSERT_TRUE(d.error_class == ErrorClass::kUnsupported || d.error_class == ErrorClass::kLimit)
          << "accelerator " << i << ", kernel " << k << ": " << d.message << "\n"
          << isa.text << kernel;
    }
  }
  RecordProperty("compiled", compiled);
  EXPECT_GT(compiled, Scaled(30));
  EXPECT_GT(computed, Scaled(30) / 4);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace act::backend
