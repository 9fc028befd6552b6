// The two example accelerators of reference/taidl.md section 19, built through the calls of the TAIDL API,
// for tests of layers that do not read spec files.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "isa/isa.h"

namespace act {

struct SpecRegion {
  std::string buffer, start, size;
};

class SpecBuilder {
 public:
  explicit SpecBuilder(const std::string& name) : spec(isa::MakeAccelerator(name)) {}

  void Buffer(const std::string& name, std::vector<int64_t> addresses, std::vector<int64_t> unit,
              const std::string& type) {
    Ok(isa::AddBuffer(&spec, name, std::move(addresses), std::move(unit), type));
  }
  // Regions of one addressing dimension.
  size_t Instruction(const std::string& name, std::vector<std::string> computational,
                     std::vector<std::string> addressing, const std::vector<SpecRegion>& inputs,
                     const std::vector<SpecRegion>& outputs, const std::string& semantics,
                     const std::vector<std::string>& constraints = {},
                     const std::vector<std::string>& updates = {}) {
    size_t index = spec.instructions.size();
    Ok(isa::AddInstruction(&spec, name, std::move(computational), std::move(addressing)));
    Ok(isa::SetInputs(&spec, index, Texts(inputs)));
    Ok(isa::SetOutputs(&spec, index, Texts(outputs)));
    if (!semantics.empty()) Ok(isa::SetSemantics(&spec, index, SourceText(name, semantics)));
    for (const std::string& c : constraints) Ok(isa::AddConstraint(&spec, index, SourceText(name, c)));
    for (const std::string& u : updates) Ok(isa::AddUpdate(&spec, index, SourceText(name, u)));
    return index;
  }
  static std::vector<isa::RegionText> Texts(const std::vector<SpecRegion>& regions) {
    std::vector<isa::RegionText> texts;
    for (const SpecRegion& r : regions) texts.push_back({r.buffer, {r.start}, {r.size}, {}});
    return texts;
  }
  static void Ok(const Status& status) { ASSERT_TRUE(status.ok()) << status.message(); }

  isa::Accelerator spec;
};

inline const char* kLoadRows = R"(ENTRY load_rm {
  %In1 = u8[`@c.n*128`] parameter(0)
  %a = u8[`@c.n`,64,2] reshape(%In1)
  ROOT %Out0 = bf16[`@c.n`,64] bitcast_convert(%a)
})";
inline const char* kLoadColumns = R"(ENTRY load_cm {
  %In1 = u8[`@c.n*128`] parameter(0)
  %a = u8[`@c.n`,64,2] reshape(%In1)
  %b = bf16[`@c.n`,64] bitcast_convert(%a)
  ROOT %Out0 = bf16[64,`@c.n`] transpose(%b), dimensions={1,0}
})";
inline const char* kStoreRows = R"(ENTRY store_rm {
  %In1 = bf16[`@c.n`,64] parameter(0)
  %a = u8[`@c.n`,64,2] bitcast_convert(%In1)
  ROOT %Out0 = u8[`@c.n*128`] reshape(%a)
})";
inline const char* kStoreColumns = R"(ENTRY store_cm {
  %In1 = bf16[`@c.n`,64] parameter(0)
  %t = bf16[64,`@c.n`] transpose(%In1), dimensions={1,0}
  %a = u8[64,`@c.n`,2] bitcast_convert(%t)
  ROOT %Out0 = u8[`@c.n*128`] reshape(%a)
})";
inline const char* kMove = R"(ENTRY mov {
  %In1 = bf16[`@c.n`,64] parameter(0)
  ROOT %Out0 = bf16[`@c.n`,64] copy(%In1)
})";
inline const char* kGemm = R"(ENTRY gemm {
  %In1 = bf16[64,64] parameter(0)
  %In2 = bf16[64,64] parameter(1)
  ROOT %Out0 = bf16[64,64] dot(%In1, %In2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";
inline const char* kSoftmax = R"(ENTRY softmax {
  %In1 = bf16[`@c.n`,64] parameter(0)
  %e = bf16[`@c.n`,64] exponential(%In1)
  %s = bf16[`@c.n`] reduce_add(%e), dimensions={1}
  %b = bf16[`@c.n`,64] broadcast(%s), dimensions={0}
  ROOT %Out0 = bf16[`@c.n`,64] divide(%e, %b)
})";
inline const char* kTranspose = R"(ENTRY transpose_13 {
  %In1 = bf16[64,64] parameter(0)
  %t = bf16[64,64] transpose(%In1), dimensions={1,0}
  ROOT %Out0 = bf16[64,64] copy(%t)
})";

// constraint: added to every instruction with n ("" for none: the published specs have none).
inline isa::Accelerator MakeQkv(const std::string& constraint = "") {
  SpecBuilder b("QKV");
  b.Buffer("d1", {128}, {64}, "bf16");
  b.Buffer("d2", {64}, {64}, "bf16");
  std::vector<std::string> c;
  if (!constraint.empty()) c.push_back(constraint);
  SpecRegion hbm_in{"d0", "@a.addr_in", "@c.n * 128"}, hbm_out{"d0", "@a.addr_out", "@c.n * 128"};
  SpecRegion d1_in{"d1", "@a.addr_in", "@c.n"}, d1_out{"d1", "@a.addr_out", "@c.n"};
  std::vector<std::string> n{"n"}, in_out{"addr_in", "addr_out"};
  b.Instruction("load_rm", n, in_out, {hbm_in}, {d1_out}, kLoadRows, c);
  b.Instruction("load_cm", n, in_out, {hbm_in}, {d1_out}, kLoadColumns, c);
  b.Instruction("store_rm", n, in_out, {d1_in}, {hbm_out}, kStoreRows, c);
  b.Instruction("store_cm", n, in_out, {d1_in}, {hbm_out}, kStoreColumns, c);
  b.Instruction("mov", n, in_out, {{"d2", "@a.addr_in", "@c.n"}}, {d1_out}, kMove, c);
  b.Instruction("gemm", {}, {"addr_1", "addr_2", "addr_out"},
                {{"d1", "@a.addr_1", "64"}, {"d1", "@a.addr_2", "64"}}, {{"d2", "@a.addr_out", "64"}}, kGemm);
  b.Instruction("softmax", n, {"addr"}, {{"d2", "@a.addr", "@c.n"}}, {{"d2", "@a.addr", "@c.n"}}, kSoftmax,
                c);
  return b.spec;
}

inline isa::Accelerator MakeQkvNew() {
  SpecBuilder b("QKV");
  b.Buffer("d1", {128}, {64}, "bf16");
  b.Buffer("d3", {128}, {64}, "bf16");
  b.Buffer("d2", {64}, {64}, "bf16");
  SpecRegion hbm_in{"d0", "@a.addr_in", "@c.n * 128"}, hbm_out{"d0", "@a.addr_out", "@c.n * 128"};
  auto in = [](const std::string& buffer) { return SpecRegion{buffer, "@a.addr_in", "@c.n"}; };
  auto out = [](const std::string& buffer) { return SpecRegion{buffer, "@a.addr_out", "@c.n"}; };
  auto full = [](const std::string& buffer, const std::string& address) {
    return SpecRegion{buffer, "@a." + address, "64"};
  };
  std::vector<std::string> n{"n"}, in_out{"addr_in", "addr_out"}, three{"addr_1", "addr_2", "addr_out"};
  b.Instruction("load_01", n, in_out, {hbm_in}, {out("d1")}, kLoadRows);
  b.Instruction("load_03", n, in_out, {hbm_in}, {out("d3")}, kLoadRows);
  b.Instruction("store_10", n, in_out, {in("d1")}, {hbm_out}, kStoreRows);
  b.Instruction("store_30", n, in_out, {in("d3")}, {hbm_out}, kStoreRows);
  b.Instruction("transpose_13", {}, in_out, {full("d1", "addr_in")}, {full("d3", "addr_out")}, kTranspose);
  b.Instruction("mov_21", n, in_out, {in("d2")}, {out("d1")}, kMove);
  b.Instruction("mov_23", n, in_out, {in("d2")}, {out("d3")}, kMove);
  b.Instruction("gemm_33", {}, three, {full("d3", "addr_1"), full("d3", "addr_2")}, {full("d2", "addr_out")},
                kGemm);
  b.Instruction("gemm_13", {}, three, {full("d1", "addr_1"), full("d3", "addr_2")}, {full("d2", "addr_out")},
                kGemm);
  b.Instruction("softmax", n, {"addr"}, {{"d2", "@a.addr", "@c.n"}}, {{"d2", "@a.addr", "@c.n"}}, kSoftmax);
  return b.spec;
}

}  // namespace act
