// Random kernels on random accelerators: each compile ends with a program that is validated and verified, or
// with a refusal; never with an internal error. The accelerators mix in-place operands, constant and scaled
// starts, marks, constraints, moves that compute, transposing loads and buffers that are too small.
#include <gtest/gtest.h>

#include <array>

#include "backend/backend.h"
#include "common/compile.h"

namespace act::backend {
namespace {

class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed), type_(Chance(2) ? "s32" : "f32") {}

  std::string Accelerator() {
    std::string text = "accelerator R\n";
    for (size_t i = 0, count = 2 + random_.Below(2); i < count; ++i) {
      buffers_.push_back("b" + std::to_string(i));
      text += "buffer " + buffers_.back() + " [" + std::to_string(4 + 4 * random_.Below(4)) + "] of " +
              type_ + "[4]\n";
    }
    for (const std::string& b : buffers_) {
      if (b == "b0" || Chance(2)) text += Load(b);
      if (b == "b0" || Chance(2)) {
        text += Header("store_" + b, b, "d0", "+n", "+n*16", false) +
                "  y = reshape(bitcast_convert(x, u8[n,4,4]), u8[n*16])\n";
      }
      for (const std::string& a : buffers_) {
        if (a == b || Chance(4)) continue;
        text += Header("move_" + a + b, a, b, "+n", "+n", false) +
                (Chance(5) ? "  y = negate(x)\n" : "  y = copy(x)\n");
      }
    }
    for (int i = 0; i < 3; ++i) text += Unary("unary" + std::to_string(i));
    for (int i = 0; i < 4; ++i) text += Binary("binary" + std::to_string(i));
    if (Chance(2)) {
      text += "instruction product(; i, j, o)\n  in  x = " + Buffer() + "[i : +4]\n  in  w = " + Buffer() +
              "[j : +4]\n  out y = " + Buffer() + "[o : +4]\n  y = dot(x, w)\n";
    }
    const std::string row = type_ + "[1,4]";
    if (Chance(2)) {
      text += "instruction sums(; i, o)\n  in  x = " + Buffer() + "[i : +4]\n  out y = " + Buffer() +
              "[o : +1]\n  y = reshape(reduce_add(x, {" + Bit() + "}), " + row + ")\n";
    }
    if (Chance(2)) {
      text += "instruction spread(; i, o)\n  in  x = " + Buffer() + "[i : +1]\n  out y = " + Buffer() +
              "[o : +4]\n  y = broadcast(reshape(x, " + type_ + "[4]), " + type_ + "[4,4], {" + Bit() +
              "})\n";
    }
    return text;
  }

  std::string Kernel() {
    std::string lines;
    size_t count = 1 + random_.Below(3);
    for (size_t i = 0; i < count; ++i) {
      lines += "  t" + std::to_string(i) + " = " + Square() + " parameter(" + std::to_string(i) + ")\n";
    }
    for (size_t steps = 1 + random_.Below(5); steps > 0; --steps, ++count) {
      const std::string name = std::to_string(count), x = Value(count), y = Value(count);
      std::string value;
      switch (random_.Below(8)) {
        case 0:
          value = Pick<3>({"negate", "abs", "copy"}) + "(" + x + ")";
          break;
        case 1:
          value = "transpose(" + x + "), dimensions={1,0}";
          break;
        case 2:
          value = "dot(" + x + ", " + y + "), lhs_contracting_dims={" + Bit() + "}, rhs_contracting_dims={" +
                  Bit() + "}";
          break;
        case 3:
          lines += "  z" + name + " = " + type_ + "[] constant(0)\n  r" + name + " = " + type_ +
                   "[4] reduce(" + x + ", z" + name + "), dimensions={" + Bit() + "}, to_apply=add\n";
          value = "broadcast(r" + name + "), dimensions={" + Bit() + "}";
          break;
        case 4:
          lines += "  c" + name + " = " + type_ + "[] constant(" + std::to_string(random_.Below(3)) + ")\n";
          value = "broadcast(c" + name + "), dimensions={}";
          break;
        default:
          value = Pick<4>({"add", "subtract", "multiply", "maximum"}) + "(" + x + ", " + y + ")";
      }
      lines += "  t" + name + " = " + Square() + " " + value + "\n";
    }
    const std::string last = "t" + std::to_string(count - 1);
    lines += Chance(2) ? "  ROOT out = " + Square() + " copy(" + last + ")\n"
                       : "  ROOT out = (" + Square() + ", " + Square() + ") tuple(" + last + ", " +
                             Value(count) + ")\n";
    return "HloModule k\nadd {\n  x = " + type_ + "[] parameter(0)\n  y = " + type_ +
           "[] parameter(1)\n  ROOT z = " + type_ + "[] add(x, y)\n}\nENTRY e {\n" + lines + "}\n";
  }

 private:
  bool Chance(uint64_t one_in) { return random_.Below(one_in) == 0; }
  std::string Bit() { return Chance(2) ? "1" : "0"; }
  template <size_t N>
  std::string Pick(const std::array<const char*, N>& choices) {
    return choices[random_.Below(N)];
  }
  std::string Buffer() { return buffers_[random_.Below(buffers_.size())]; }
  std::string Square() const { return type_ + "[4,4]"; }
  std::string Value(size_t count) { return "t" + std::to_string(random_.Below(count)); }

  // One input x at i and the output y at o, or in place.
  std::string Header(const std::string& name, const std::string& in, const std::string& out,
                     const std::string& in_size, const std::string& out_size, bool in_place,
                     const std::string& out_start = "o") const {
    return "instruction " + name + "(n; i" + (in_place ? "" : ", o") + ")\n  in  x = " + in +
           "[i : " + in_size + "]\n  out y = " + out + "[" + (in_place ? "i" : out_start) + " : " + out_size +
           "]\n";
  }
  std::string Load(const std::string& buffer) {
    const std::string plain = "bitcast_convert(reshape(x, u8[n,4,4]), " + type_ + "[n,4])";
    const std::string transposed =
        "transpose(bitcast_convert(reshape(x, u8[4,n,4]), " + type_ + "[4,n]), {1,0})";
    return Header("load_" + buffer, "d0", buffer, "+n*16", "+n", false) +
           "  y = " + (Chance(3) ? transposed : plain) + "\n";
  }
  std::string Unary(const std::string& name) {
    const std::string in = Buffer(), out = Chance(2) ? in : Buffer();
    const bool in_place = in == out && Chance(2);
    std::string text = Header(name, in, out, "+n", "+n", in_place, Chance(4) ? "o*2" : "o");
    if (Chance(4)) text += "  where n % 2 == 0\n";
    if (!in_place && Chance(4)) text += "  apart x\n";
    return text + "  y = " +
           Pick<5>(
               {"negate(x)", "abs(x)", "add(x, x)", "subtract(multiply(x, x), x)", "multiply(x, abs(x))"}) +
           "\n";
  }
  std::string Binary(const std::string& name) {
    const std::string first = Buffer(), second = Buffer(), out = Buffer();
    const bool in_place = first == out && Chance(3), fixed = Chance(5);
    std::string text = "instruction " + name + "(n; i" + (fixed ? "" : ", j") + (in_place ? "" : ", o") +
                       ")\n  in  x = " + first + "[i : +n]\n  in  w = " + second + "[" + (fixed ? "0" : "j") +
                       " : +n]\n  out y = " + out + "[" + (in_place ? "i" : "o") + " : +n]\n";
    if (Chance(4)) text += "  inplace w\n";
    if (!in_place && Chance(6)) text += "  where i % 2 == 0\n";
    return text + "  y = " +
           Pick<6>({"add(x, w)", "subtract(x, w)", "multiply(x, w)", "maximum(x, w)", "negate(add(x, w))",
                    "add(multiply(x, w), x)"}) +
           "\n";
  }

  Random random_;
  std::string type_;
  std::vector<std::string> buffers_;
};

// pitfall 118
TEST(RandomAccelerators, ARightProgramOrARefusal) {
  int programs = 0, refusals = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Writer writer(seed);
    const std::string spec = writer.Accelerator();
    const auto accelerator = isa::ParseTaidl(SourceText("r.taidl", spec));
    ASSERT_TRUE(accelerator.ok()) << accelerator.status().message() << "\n" << spec;
    select::Selector selector(&*accelerator);
    for (int i = 0; i < 6; ++i) {
      const std::string kernel = writer.Kernel();
      const auto compiled = testing::CompileText(*accelerator, &selector, "k", kernel);
      if (compiled.ok()) {
        ++programs;
        EXPECT_TRUE(compiled->report.validate.claims_result);
        continue;
      }
      ++refusals;
      const Diagnostic& d = compiled.status().front();
      EXPECT_TRUE(d.error_class == ErrorClass::kUnsupported || d.error_class == ErrorClass::kLimit)
          << "seed " << seed << ": " << d.message << "\n"
          << spec << kernel;
    }
  }
  // Neither outcome may take over.
  EXPECT_GT(programs, 60);
  EXPECT_GT(refusals, 60);
}

}  // namespace
}  // namespace act::backend
