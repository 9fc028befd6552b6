// Section 3 of the list: what stands in the kernel is what is compiled.
#include "pitfalls/kit.h"
#include "view/view.h"

namespace act::pitfalls {
namespace {

double Negate(double x) { return WrapS32(-static_cast<int64_t>(x)); }

// negate, multiply, maximum, sums and maxima of rows.
std::string Arithmetic() {
  const std::string unary = "(n; a, c)\n  in  x = v[a : +n]\n  out y = v[c : +n]\n  y = ";
  return Toy("instruction neg" + unary + "negate(x)\n" +
             "instruction mul(n; a, b, c)\n  in  x = v[a : +n]\n  in  w = v[b : +n]\n  out y = v[c : +n]\n"
             "  y = multiply(x, w)\n"
             "instruction top(n; a, c)\n  in  x = v[a : +n]\n  out y = v[c : +1]\n"
             "  y = reshape(reduce_max(x, {0}), s32[1,16])\n");
}
const std::string kTwo = "  a = s32[4,16] parameter(0)\n  b = s32[4,16] parameter(1)\n";

// pitfall 46
TEST(KernelPitfalls, RootOnAnEarlierLine) {
  Machine machine(Arithmetic());
  machine.ExpectComputes(kTwo + "  ROOT r = s32[4,16] negate(a)\n  t = s32[4,16] negate(b)\n",
                         [](const auto& in) { return Tensors{Map(in[0], Negate)}; });
}

// pitfall 47
TEST(KernelPitfalls, RootIsAParameterOrAConstant) {
  Machine machine(Arithmetic());
  machine.ExpectComputes("  a = s32[4,16] parameter(0)\n  ROOT b = s32[4,16] parameter(1)\n",
                         [](const auto& in) { return Tensors{in[1]}; });
  machine.ExpectComputes(
      "  ROOT c = s32[2,16] constant({{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15},"
      "{-1,-2,-3,-4,-5,-6,-7,-8,-9,-10,-11,-12,-13,-14,-15,-16}})\n",
      [](const auto&) {
        Values out;
        for (int i = 0; i < 16; ++i) out.push_back(i);
        for (int i = 0; i < 16; ++i) out.push_back(-1 - i);
        return Tensors{out};
      });
}

// pitfall 49
TEST(KernelPitfalls, TheStrideOfASlice) {
  Machine machine(Arithmetic());
  for (const std::string form : {"negate(s)", "copy(s)"}) {
    machine.ExpectComputesOrRefuses(
        "  a = s32[8,16] parameter(0)\n  s = s32[4,16] slice(a), slice={[0:8:2], [0:16]}\n  ROOT r = "
        "s32[4,16] " +
            form + "\n",
        [&](const auto& in) {
          Values out;
          for (size_t i = 0; i < 64; ++i) out.push_back(in[0][i / 16 * 32 + i % 16]);
          return Tensors{form == "copy(s)" ? out : Map(out, Negate)};
        });
  }
}

// pitfall 50, 51, 52
TEST(KernelPitfalls, ThreePartsOfAConcatenation) {
  Machine machine(Arithmetic());
  machine.ExpectComputesOrRefuses(kTwo +
                                      "  c = s32[4,16] parameter(2)\n"
                                      "  ROOT r = s32[12,16] concatenate(a, b, c), "
                                      "metadata={op_name=\"x{1}\" source_line=35}, dimensions={0}\n",
                                  [](const auto& in) {
                                    Values out = in[0];
                                    out.insert(out.end(), in[1].begin(), in[1].end());
                                    out.insert(out.end(), in[2].begin(), in[2].end());
                                    return Tensors{out};
                                  });
}

// pitfall 51, 52
TEST(KernelPitfalls, MetadataBeforeTheAttribute) {
  Machine machine(
      Toy("instruction less(n; a, b, c)\n  in  x = v[a : +n]\n  in  w = v[b : +1]\n  out y = v[c : +n]\n"
          "  y = subtract(x, broadcast(reshape(w, s32[16]), s32[n,16], {1}))\n"
          "instruction tail(; a, c)\n  in  x = v[a : +4]\n  out y = v[c : +2]\n"
          "  y = negate(slice(x, [2:4], [0:16]))\n"));
  machine.ExpectComputes(
      "  p = s32[16] parameter(0)\n  q = s32[16,16] parameter(1)\n"
      "  b = s32[16,16] broadcast(p), metadata={op_name=\"{0}\" source_line=10}, dimensions={1}\n"
      "  ROOT r = s32[16,16] subtract(q, b)\n",
      [](const auto& in) {
        Values out = in[1];
        for (size_t i = 0; i < out.size(); ++i) {
          out[i] = WrapS32(static_cast<int64_t>(out[i]) - static_cast<int64_t>(in[0][i % 16]));
        }
        return Tensors{out};
      });
  machine.ExpectComputes(
      "  a = s32[4,16] parameter(0)\n"
      "  s = s32[2,16] slice(a), metadata={op_type=\"{[0:2]}\" source_line=2}, slice={[2:4], [0:16]}\n"
      "  ROOT r = s32[2,16] negate(s)\n",
      [](const auto& in) { return Tensors{Map(Values(in[0].begin() + 32, in[0].end()), Negate)}; });
}

std::string ReduceMax(const std::string& init, const std::string& to_apply) {
  return "  a = s32[4,16] parameter(0)\n  i = s32[] constant(" + init +
         ")\n  ROOT r = s32[16] reduce(a, i), dimensions={0}, to_apply=" + to_apply + "\n";
}

// pitfall 53, 54
TEST(KernelPitfalls, MaximaOfColumnsAndTheirStart) {
  Machine machine(Arithmetic());
  const auto maxima = [](double start) {
    return [start](const std::vector<Values>& in) {
      Values out(16, start);
      for (size_t i = 0; i < in[0].size(); ++i) out[i % 16] = std::max(out[i % 16], in[0][i]);
      return Tensors{out};
    };
  };
  machine.ExpectComputes(ReduceMax("-2147483648", "maximum_s32"), maxima(-2147483648.0));
  machine.ExpectComputesOrRefuses(ReduceMax("2000000000", "maximum_s32"), maxima(2e9));
  machine.ExpectRefused(ReduceMax("0", "add_s32"), {"reduce"});
}

// pitfall 55, 56
TEST(KernelPitfalls, OddReducers) {
  Machine machine(
      Toy("instruction sum(n; a, c)\n  in  x = v[a : +n]\n  out y = v[c : +1]\n"
          "  y = reshape(reduce_add(x, {0}), s32[1,16])\n"));
  const std::string head = "HloModule k\n", entry = "ENTRY e {\n";
  machine.ExpectRefused(
      head + "twice {\n  x = s32[] parameter(0)\n  y = s32[] parameter(1)\n  ROOT z = s32[] add(x, x)\n}\n" +
          entry + ReduceMax("0", "twice") + "}\n",
      {"reduce"});
  machine.ExpectRefused(
      head +
          "both {\n  x = s32[] parameter(0)\n  y = s32[] parameter(1)\n  u = s32[] parameter(2)\n  w = s32[] "
          "parameter(3)\n"
          "  s = s32[] add(x, u)\n  t = s32[] add(y, w)\n  ROOT z = (s32[], s32[]) tuple(s, t)\n}\n" +
          entry + kTwo +
          "  i = s32[] constant(0)\n  ROOT r = (s32[16], s32[16]) reduce(a, b, i, i), dimensions={0}, "
          "to_apply=both\n}\n",
      {"reduce"});
}

// 1 as bf16 is the bits 3F80, as s32 it is 1.
// pitfall 57
TEST(KernelPitfalls, EqualNumbersOfTwoTypes) {
  Machine machine(Arithmetic());
  machine.ExpectComputes(
      "  h = bf16[] constant(1)\n  i = s32[] constant(1)\n  hh = bf16[2,16] broadcast(h), dimensions={}\n"
      "  ii = s32[1,16] broadcast(i), dimensions={}\n  hu = bf16[2,16] copy(hh)\n"
      "  ROOT r = (bf16[2,16], s32[1,16]) tuple(hu, ii)\n",
      [](const auto&) { return Tensors{Values(32, 1), Values(16, 1)}; });
}

// pitfall 58, 64, 70, 71
TEST(KernelPitfalls, FormsOfTheText) {
  Machine machine(Arithmetic());
  machine.ExpectComputes(
      "  a = s32[4, 16]{1,0} parameter(0) // first\n  t = s32[4,16]{1, 0} transpose(s32[4,16]{1,0} %a), "
      "dimensions={0, 1}\n"
      "  ROOT %r = s32[4,16]{1,0} multiply(s32[4,16]{1,0} %t, /*index=1*/ s32[4,16]{1,0} %a) // end\n",
      [](const auto& in) {
        return Tensors{
            Map(in[0], [](double x) { return WrapS32(static_cast<int64_t>(x) * static_cast<int64_t>(x)); })};
      });
}

// pitfall 59
TEST(KernelPitfalls, UnknownOperationsAndTypesAreNamed) {
  Machine machine(Arithmetic());
  machine.ExpectRefused("  a = s32[4,16] parameter(0)\n  ROOT r = s32[4,16] frobnicate(a)\n", {"frobnicate"});
  machine.ExpectRefused("  a = f8e4m3[4,16] parameter(0)\n  ROOT r = f8e4m3[4,16] negate(a)\n", {"negate"});
}

// pitfall 67
TEST(KernelPitfalls, ANameThatIsNoIdentifier) {
  Machine machine(Arithmetic());
  const auto compiled =
      machine.ExpectComputes("HloModule jit_f.1\nENTRY main.2 {\n  ROOT a = s32[4,16] parameter(0)\n}\n",
                             [](const auto& in) { return in; });
  ASSERT_TRUE(compiled);
  EXPECT_EQ(compiled->program.name, "jit_f_1");
  const std::string text = assembly::PrintPythonKernel(machine.accelerator(), compiled->program, {});
  EXPECT_NE(text.find("def jit_f_1("), std::string::npos) << text;
}

// A tiled layout is honoured where the tile divides the tensor; else the compiler says so. The input's bytes
// are laid out by the kit through ToImage; the expected order of a dividing tile is written down
// here.
// pitfall 69
TEST(KernelPitfalls, TiledLayouts) {
  Machine machine(Arithmetic());
  for (const std::string tile : {"16,16", "16,4", "14,16", "8,16"}) {
    for (const std::string rows : {"16", "28", "32"}) {
      SCOPED_TRACE(tile + " on " + rows + " rows");
      const std::string shape = "s32[" + rows + ",16]", tiled = shape + "{1,0:T(" + tile + ")}";
      const auto module = [&](const std::string& in, const std::string& out) {
        return "HloModule k, entry_computation_layout={(" + in + ")->" + out +
               "}\nENTRY e {\n  a = " + shape + " parameter(0)\n  ROOT r = " + shape + " copy(a)\n}\n";
      };
      const auto same = [](const std::vector<Values>& in) { return in; };
      if (std::stoi(rows) % std::stoi(tile) != 0) {
        machine.ExpectComputesOrRefuses(module(tiled, tiled), same);
      } else {
        machine.ExpectComputes(module(tiled, tiled), same);
      }
      machine.ExpectComputesOrRefuses(module(tiled, shape + "{1,0}"), same);
      machine.ExpectComputesOrRefuses(module(shape + "{1,0}", tiled), same);
    }
  }
  // T(16,4): four blocks of 16 rows and 4 columns, one after the other.
  Shape shape = Shape::Array(ElementType::kS32, {16, 16});
  const auto module =
      hlo::Parse(SourceText("k.hlo",
                            "HloModule k, entry_computation_layout={(s32[16,16]{1,0:T(16,4)})->"
                            "s32[16,16]{1,0}}\nENTRY e {\n  ROOT a = s32[16,16] parameter(0)\n}\n"));
  ASSERT_TRUE(module.ok());
  Literal literal(shape);
  for (int64_t i = 0; i < 256; ++i) literal.SetInt(i, i);
  const auto image = ToImage(literal, module->parameter_shapes[0]);
  ASSERT_TRUE(image.ok());
  for (int64_t i = 0; i < 256; ++i) EXPECT_EQ(image->GetInt(i), i % 64 / 4 * 16 + i / 64 * 4 + i % 4);
}

// pitfall 73
TEST(KernelPitfalls, UnusedParametersKeepTheirBytes) {
  Machine machine(Arithmetic());
  const auto compiled = machine.ExpectComputes(
      "  a = s32[4,16] parameter(0)\n  b = s32[9,16] parameter(1)\n  c = s32[4,16] parameter(2)\n"
      "  ROOT r = s32[4,16] multiply(a, c)\n",
      [](const auto& in) {
        return Tensors{Map(in[0], in[2], [](double x, double y) {
          return WrapS32(static_cast<int64_t>(static_cast<uint64_t>(static_cast<int64_t>(x)) *
                                              static_cast<uint64_t>(static_cast<int64_t>(y))));
        })};
      });
  ASSERT_TRUE(compiled);
  ASSERT_EQ(compiled->program.inputs.size(), 3u);
  EXPECT_GE(compiled->program.inputs[2].address - compiled->program.inputs[1].address, 9 * 64);
  EXPECT_GE(compiled->program.hbm_bytes, (4 + 9 + 4 + 4) * 64);
}

// pitfall 121
TEST(KernelPitfalls, ValuesWithoutAUserAreIgnored) {
  Machine machine(Arithmetic());
  const auto compiled =
      machine.ExpectComputes(kTwo +
                                 "  k = s32[] constant(9)\n  c = s32[4,16] broadcast(k), dimensions={}\n"
                                 "  t = s32[4,16] multiply(a, b)\n  ROOT r = s32[4,16] negate(a)\n",
                             [](const auto& in) { return Tensors{Map(in[0], Negate)}; });
  ASSERT_TRUE(compiled);
  EXPECT_EQ(compiled->report.instructions, 3);
  EXPECT_TRUE(compiled->program.constants.empty());
}

}  // namespace
}  // namespace act::pitfalls
