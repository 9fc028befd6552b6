// The two accelerators of this project's first kernels, from text and from the calls of the Python API.
#include <gtest/gtest.h>

#include "isa/isa.h"

namespace act::isa {
namespace {

StatusOr<Accelerator> Load(const std::string& path) {
  const auto text = ReadFile(std::string(ACT_SOURCE_DIR) + "/" + path);
  if (!text.ok()) return text.status();
  return ParseTaidl(SourceText(path, *text));
}

std::string Faults(const Status& status) {
  std::string text;
  for (const Diagnostic& d : status.diagnostics()) text += Render(d) + "\n";
  return text;
}

// Built as the published Python spec builds it, older spelling.
void Add(Accelerator* acc, const std::string& name, std::vector<std::string> c, std::vector<std::string> a,
         const std::vector<RegionText>& in, const std::vector<RegionText>& out,
         const std::string& semantics) {
  ASSERT_TRUE(AddInstruction(acc, name, std::move(c), std::move(a)).ok()) << name;
  const size_t i = acc->instructions.size() - 1;
  ASSERT_TRUE(SetInputs(acc, i, in).ok()) << name;
  ASSERT_TRUE(SetOutputs(acc, i, out).ok()) << name;
  const Status status = SetSemantics(acc, i, SourceText(name, semantics));
  ASSERT_TRUE(status.ok()) << Faults(status);
  ASSERT_TRUE(CheckComplete(*acc, i).ok()) << Faults(CheckComplete(*acc, i));
}

constexpr char kSoftmax[] = R"(ENTRY softmax {
  %In1 = bf16[`@c.n`, 64] parameter(0);
  %a = bf16[`@c.n`, 64] exponential(%In1);
  %reduced = bf16[`@c.n`] reduce_add(%a), dimensions={1};
  %b = bf16[`@c.n`, 64] broadcast(%reduced), dimensions={0};
  ROOT %Out0 = bf16[`@c.n`, 64] divide(%a, %b);
})";

Accelerator BuildQkv() {
  Accelerator acc = MakeAccelerator("QKV");
  EXPECT_TRUE(AddBuffer(&acc, "d1", {128}, {64}, "bf16").ok());
  EXPECT_TRUE(AddBuffer(&acc, "d2", {64}, {64}, "bf16").ok());
  const std::vector<RegionText> hbm_in = {{"d0", {"@a.addr_in"}, {"@c.n * 128"}, {}}};
  const std::vector<RegionText> hbm_out = {{"d0", {"@a.addr_out"}, {"@c.n * 128"}, {}}};
  const std::vector<RegionText> d1_in = {{"d1", {"@a.addr_in"}, {"@c.n"}, {}}};
  const std::vector<RegionText> d1_out = {{"d1", {"@a.addr_out"}, {"@c.n"}, {}}};
  const std::vector<std::string> n = {"n"}, addresses = {"addr_in", "addr_out"};
  Add(&acc, "load_rm", n, addresses, hbm_in, d1_out, R"(ENTRY load_rm {
    %In1 = u8[`@c.n * 128`] parameter(0);
    %a = u8[`@c.n`, 64, 2] reshape(%In1);
    ROOT %Out0 = bf16[`@c.n`, 64] bitcast_convert(%a);
  })");
  Add(&acc, "load_cm", n, addresses, hbm_in, d1_out, R"(ENTRY load_cm {
    %In1 = u8[`@c.n * 128`] parameter(0);
    %a = u8[`@c.n`, 64, 2] reshape(%In1);
    %b = bf16[`@c.n`, 64] bitcast_convert(%a);
    ROOT %Out0 = bf16[64, `@c.n`] transpose(%b), dimensions={1,0};
  })");
  Add(&acc, "store_rm", n, addresses, d1_in, hbm_out, R"(ENTRY store_rm {
    %In1 = bf16[`@c.n`, 64] parameter(0);
    %a = u8[`@c.n`, 64, 2] bitcast_convert(%In1);
    ROOT %Out0 = u8[`@c.n * 128`] reshape(%a);
  })");
  // The newer spelling.
  Add(&acc, "store_cm", n, addresses, d1_in, hbm_out, R"(ENTRY {
    %a = bf16[64, `@c.n`] transpose(%In1), dimensions={1,0}
    %b = u8[64, @c.n, 2] bitcast-convert(%a)
    ROOT %Out0 = u8[`@c.n*128`] reshape(%b)
  })");
  Add(&acc, "mov", n, addresses, {{"d2", {"@a.addr_in"}, {"@c.n"}, {}}}, d1_out,
      "ENTRY mov { %In1 = bf16[`@c.n`, 64] parameter(0); ROOT %Out0 = bf16[`@c.n`, 64] copy(%In1); }");
  Add(&acc, "gemm", {}, {"addr_1", "addr_2", "addr_out"},
      {{"d1", {"@a.addr_1"}, {"64"}, {}}, {"d1", {"@a.addr_2"}, {"64"}, {}}},
      {{"d2", {"@a.addr_out"}, {"64"}, {}}}, R"(ENTRY gemm {
    %In1 = bf16[64, 64] parameter(0);
    %In2 = bf16[64, 64] parameter(1);
    ROOT %Out0 = bf16[64, 64] dot(%In1, %In2), lhs_contracting_dims={1}, rhs_contracting_dims={0};
  })");
  Add(&acc, "softmax", n, {"addr"}, {{"d2", {"@a.addr"}, {"@c.n"}, {}}}, {{"d2", {"@a.addr"}, {"@c.n"}, {}}},
      kSoftmax);
  return acc;
}

TEST(TaidlQkv, TextAndCallsMakeTheSameAccelerator) {
  const auto text = Load("accelerators/qkv/QKV.taidl");
  ASSERT_TRUE(text.ok()) << Faults(text.status());
  const Accelerator built = BuildQkv();
  ASSERT_EQ(text->instructions.size(), 7u);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(text->instructions[i].semantics, built.instructions[i].semantics) << built.instructions[i].name;
  }
  EXPECT_TRUE(SameAccelerator(*text, built));
  const auto again = ParseTaidl(SourceText("again", PrintTaidl(built)));
  ASSERT_TRUE(again.ok()) << Faults(again.status()) << PrintTaidl(built);
  EXPECT_TRUE(SameAccelerator(*again, built)) << PrintTaidl(built);
}

TEST(TaidlQkv, PrintedFormIsReadable) {
  const auto text = Load("accelerators/qkv/QKV.taidl");
  ASSERT_TRUE(text.ok());
  const std::string printed = PrintTaidl(*text);
  for (const char* part :
       {"accelerator QKV\n", "buffer d1 [128] of bf16[64]\n", "instruction load_cm(n; addr_in, addr_out)\n",
        "  in  x = d0[addr_in : +n*128]\n", "  out y = d1[addr_out : +n]\n",
        "  y = transpose(bitcast_convert(reshape(x, u8[n,64,2]), bf16[n,64]), {1,0})\n",
        "  c = dot(a, b, lhs_contracting={1}, rhs_contracting={0})\n", "  e = exp(x)\n",
        "  y = divide(e, broadcast(reduce_add(e, {1}), bf16[n,64], {0}))\n"}) {
    EXPECT_NE(printed.find(part), std::string::npos) << part << "\n" << printed;
  }
}

TEST(TaidlQkv, New) {
  const auto text = Load("accelerators/qkv_new/QKV_new.taidl");
  ASSERT_TRUE(text.ok()) << Faults(text.status());
  EXPECT_EQ(text->instructions.size(), 10u);
  EXPECT_EQ(text->buffers[2].name, "d3");
  const auto again = ParseTaidl(SourceText("again", PrintTaidl(*text)));
  ASSERT_TRUE(again.ok()) << Faults(again.status());
  EXPECT_TRUE(SameAccelerator(*again, *text));
}

// The fenced examples of docs/taidl.md.
std::vector<std::string> Examples(const std::string& text) {
  std::vector<std::string> examples;
  for (size_t begin = text.find("```"); begin != std::string::npos;) {
    const size_t body = text.find('\n', begin) + 1;
    const size_t end = text.find("\n```", body);
    if (end == std::string::npos) break;
    examples.push_back(text.substr(body, end + 1 - body));
    begin = text.find("```", end + 4);
  }
  return examples;
}

TEST(TaidlDocs, ExamplesRead) {
  const auto text = ReadFile(std::string(ACT_SOURCE_DIR) + "/docs/taidl.md");
  ASSERT_TRUE(text.ok());
  int read = 0;
  for (std::string example : Examples(*text)) {
    if (example.starts_with("instruction ")) {
      example = "accelerator T\nbuffer d1 [128] of bf16[64]\nbuffer d2 [64] of bf16[64]\n" + example;
    }
    if (!example.starts_with("accelerator ")) continue;
    const auto acc = ParseTaidl(SourceText("docs/taidl.md", example));
    EXPECT_TRUE(acc.ok()) << Faults(acc.status()) << example;
    ++read;
  }
  EXPECT_EQ(read, 2);
}

// Every operation in the first column of the table is one that the reader knows.
TEST(TaidlDocs, OperationsAreKnown) {
  const auto text = ReadFile(std::string(ACT_SOURCE_DIR) + "/docs/taidl.md");
  ASSERT_TRUE(text.ok());
  const size_t begin = text->find("| operation | arguments | result |"),
               end = text->find("**Presumed reshape.**");
  ASSERT_LT(begin, end);
  int known = 0;
  for (size_t row = text->find("\n| `", begin); row < end; row = text->find("\n| `", row + 1)) {
    std::string names = text->substr(row + 4, text->find('`', row + 4) - row - 4) + " ";
    for (size_t space = names.find(' '); space != std::string::npos; space = names.find(' ')) {
      const std::string name = names.substr(0, space);
      names.erase(0, space + 1);
      const auto acc = ParseTaidl(SourceText(
          "t", "accelerator T\ninstruction i()\n out y = d0[0 : +1]\n y = " + name + "(1, 2, 3, 4, 5)\n"));
      ASSERT_FALSE(acc.ok());
      EXPECT_EQ(acc.status().front().message.find("there is no operation"), std::string::npos) << name;
      ++known;
    }
  }
  EXPECT_EQ(known, 67);
}

}  // namespace
}  // namespace act::isa
