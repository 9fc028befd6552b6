// Large memories and poison.
#include "oracle/memory.h"

#include <gtest/gtest.h>

#include "helpers/qkv.h"
#include "oracle/oracle.h"

namespace act::oracle {
namespace {

// pitfall 68, 111
TEST(MemoryTest, HbmNear96GigabytesTouchesLittle) {
  isa::Accelerator qkv = MakeQkv();
  std::string top = std::to_string(isa::kHbmCapacityBytes - 8192);
  std::string text = "program k target QKV hbm " + std::to_string(isa::kHbmCapacityBytes) +
                     " input x @5000000000 bf16[64,64] output y @" + top +
                     " bf16[64,64] output z @0 u8[3] code { load_rm n=64 [addr_in=5000000000, addr_out=0] "
                     "store_rm n=64 [addr_in=0, addr_out=" +
                     top + "] }";
  StatusOr<assembly::Program> p = assembly::ParseNative(qkv, SourceText("k", text));
  ASSERT_TRUE(p.ok()) << p.status().message();
  Random random(4);
  std::vector<Literal> in{Literal(Shape::Array(ElementType::kBF16, {64, 64}))};
  for (uint8_t& b : in[0].bytes) b = static_cast<uint8_t>(random.Next());
  StatusOr<Simulation> run = Simulate(qkv, *p, in);
  ASSERT_TRUE(run.ok()) << run.status().message();
  EXPECT_EQ(run->outputs[0].bytes, in[0].bytes);
  EXPECT_EQ(run->outputs[1].bytes, (std::vector<uint8_t>{0, 0, 0}));
}

TEST(MemoryTest, PagesAndDenseAgree) {
  Memory dense(1 << 20, 7), paged(int64_t{1} << 40, 7);
  Random random(8);
  for (int i = 0; i < 300; ++i) {
    auto length = static_cast<int64_t>(random.Below(i % 10 == 0 ? 200000 : 300));
    auto offset = static_cast<int64_t>(random.Below(static_cast<uint64_t>((1 << 20) - length)));
    std::vector<uint8_t> data(static_cast<size_t>(length)), a = data, b = data;
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(random.Next());
    if (i % 2 == 0) {
      dense.Write(offset, length, data.data());
      paged.Write(offset, length, data.data());
    } else {
      dense.Read(offset, length, a.data());
      paged.Read(offset, length, b.data());
      ASSERT_EQ(a, b);
    }
  }
  EXPECT_LE(paged.resident_bytes(), 1 << 20);
}

// A buffer larger than the host's memory is no matter while little of it is touched.
TEST(MemoryTest, LargeOnChipBuffers) {
  SpecBuilder b("T");
  b.Buffer("m", {int64_t{1} << 50}, {}, "u8");
  const char* copy = "ENTRY { ROOT %Out0 = u8[1] copy(%In1) }";
  b.Instruction("cp", {}, {"p"}, {{"d0", "0", "1"}}, {{"m", "@a.p", "1"}}, copy);
  b.Instruction("all", {}, {}, {{"m", "0", "1125899906842624"}}, {{"m", "0", "1125899906842624"}},
                "ENTRY { ROOT %Out0 = u8[1125899906842624] copy(%In1) }");
  auto run = [&](const std::string& body) {
    return Simulate(
        b.spec,
        *assembly::ParseNative(b.spec, SourceText("k", "program k target T hbm 1 code { " + body + " }")),
        {});
  };
  EXPECT_TRUE(run("cp [p=1125899906842623]").ok());
  EXPECT_FALSE(run("cp [p=1125899906842624]").ok());
  StatusOr<Simulation> all = run("all");
  ASSERT_FALSE(all.ok());
  EXPECT_EQ(all.status().front().error_class, ErrorClass::kLimit);
}

TEST(MemoryTest, PoisonShowsWhatWasNeverWritten) {
  isa::Accelerator qkv = MakeQkv();
  StatusOr<assembly::Program> p = assembly::ParseNative(
      qkv, SourceText("k",
                      "program k target QKV hbm 512 const c @0 u8[128] = full 1 output y @256 u8[256] code { "
                      "load_rm n=1 [addr_in=0, addr_out=5] store_rm n=2 [addr_in=4, addr_out=256] }"));
  ASSERT_TRUE(p.ok()) << p.status().message();
  SimulateOptions options;
  std::vector<uint8_t> expected(256, 0);
  std::fill(expected.begin() + 128, expected.end(), 1);
  EXPECT_EQ(Simulate(qkv, *p, {}, options)->outputs[0].bytes, expected);
  options.poison = true;
  options.poison_byte = 0xEE;
  std::fill(expected.begin(), expected.begin() + 128, 0xEE);
  EXPECT_EQ(Simulate(qkv, *p, {}, options)->outputs[0].bytes, expected);
  p->body.clear();
  EXPECT_EQ(Simulate(qkv, *p, {}, options)->outputs[0].bytes, std::vector<uint8_t>(256, 0xEE));
}

TEST(MemoryTest, OutputsThatAreTooLargeAreRefused) {
  isa::Accelerator qkv = MakeQkv();
  StatusOr<assembly::Program> p = assembly::ParseNative(
      qkv, SourceText("k", "program k target QKV hbm 50000000000 output y @0 u8[50000000000] code { }"));
  ASSERT_TRUE(p.ok());
  StatusOr<Simulation> run = Simulate(qkv, *p, {});
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.status().front().error_class, ErrorClass::kLimit);
}

}  // namespace
}  // namespace act::oracle
