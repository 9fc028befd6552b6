"""QKV with two buffers for operands and a transposing move between them.

Run in its folder, it generates the simulator in targets/QKV/oracle and the compiler in backends/QKV.
"""
from act.generators import generate_backend, generate_oracle
from act.taidl import Accelerator

qkv_new = Accelerator("QKV")

qkv_new.add_data_model("d1", [128], [64], "bf16")
qkv_new.add_data_model("d3", [128], [64], "bf16")
qkv_new.add_data_model("d2", [64], [64], "bf16")

instr = qkv_new.add_instruction("load_01", ["n"], ["addr_in", "addr_out"])
instr.set_inputs([["d0", ["@a.addr_in"], ["@c.n * 128"]]])
instr.set_outputs([["d1", ["@a.addr_out"], ["@c.n"]]])
instr.add_semantics("""
ENTRY load_01 {
  %In1 = u8[`@c.n * 128`] parameter(0)
  %rows = u8[`@c.n`, 64, 2] reshape(%In1)
  ROOT %Out0 = bf16[`@c.n`, 64] bitcast_convert(%rows)
}
""")

instr = qkv_new.add_instruction("load_03", ["n"], ["addr_in", "addr_out"])
instr.set_inputs([["d0", ["@a.addr_in"], ["@c.n * 128"]]])
instr.set_outputs([["d3", ["@a.addr_out"], ["@c.n"]]])
instr.add_semantics("""
ENTRY load_03 {
  %In1 = u8[`@c.n * 128`] parameter(0)
  %rows = u8[`@c.n`, 64, 2] reshape(%In1)
  ROOT %Out0 = bf16[`@c.n`, 64] bitcast_convert(%rows)
}
""")

instr = qkv_new.add_instruction("store_10", ["n"], ["addr_in", "addr_out"])
instr.set_inputs([["d1", ["@a.addr_in"], ["@c.n"]]])
instr.set_outputs([["d0", ["@a.addr_out"], ["@c.n * 128"]]])
instr.add_semantics("""
ENTRY store_10 {
  %In1 = bf16[`@c.n`, 64] parameter(0)
  %bytes = u8[`@c.n`, 64, 2] bitcast_convert(%In1)
  ROOT %Out0 = u8[`@c.n * 128`] reshape(%bytes)
}
""")

instr = qkv_new.add_instruction("store_30", ["n"], ["addr_in", "addr_out"])
instr.set_inputs([["d3", ["@a.addr_in"], ["@c.n"]]])
instr.set_outputs([["d0", ["@a.addr_out"], ["@c.n * 128"]]])
instr.add_semantics("""
ENTRY store_30 {
  %In1 = bf16[`@c.n`, 64] parameter(0)
  %bytes = u8[`@c.n`, 64, 2] bitcast_convert(%In1)
  ROOT %Out0 = u8[`@c.n * 128`] reshape(%bytes)
}
""")

instr = qkv_new.add_instruction("transpose_13", [], ["addr_in", "addr_out"])
instr.set_inputs([["d1", ["@a.addr_in"], ["64"]]])
instr.set_outputs([["d3", ["@a.addr_out"], ["64"]]])
instr.add_semantics("""
ENTRY transpose_13 {
  %In1 = bf16[64, 64] parameter(0)
  %turned = bf16[64, 64] transpose(%In1), dimensions={1,0}
  ROOT %Out0 = bf16[64, 64] copy(%turned)
}
""")

instr = qkv_new.add_instruction("mov_21", ["n"], ["addr_in", "addr_out"])
instr.set_inputs([["d2", ["@a.addr_in"], ["@c.n"]]])
instr.set_outputs([["d1", ["@a.addr_out"], ["@c.n"]]])
instr.add_semantics("""
ENTRY mov_21 {
  %In1 = bf16[`@c.n`, 64] parameter(0)
  ROOT %Out0 = bf16[`@c.n`, 64] copy(%In1)
}
""")

instr = qkv_new.add_instruction("mov_23", ["n"], ["addr_in", "addr_out"])
instr.set_inputs([["d2", ["@a.addr_in"], ["@c.n"]]])
instr.set_outputs([["d3", ["@a.addr_out"], ["@c.n"]]])
instr.add_semantics("""
ENTRY mov_23 {
  %In1 = bf16[`@c.n`, 64] parameter(0)
  ROOT %Out0 = bf16[`@c.n`, 64] copy(%In1)
}
""")

instr = qkv_new.add_instruction("gemm_33", [], ["addr_1", "addr_2", "addr_out"])
instr.set_inputs([["d3", ["@a.addr_1"], ["64"]], ["d3", ["@a.addr_2"], ["64"]]])
instr.set_outputs([["d2", ["@a.addr_out"], ["64"]]])
instr.add_semantics("""
ENTRY gemm_33 {
  %In1 = bf16[64, 64] parameter(0)
  %In2 = bf16[64, 64] parameter(1)
  ROOT %Out0 = bf16[64, 64] dot(%In1, %In2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
""")

instr = qkv_new.add_instruction("gemm_13", [], ["addr_1", "addr_2", "addr_out"])
instr.set_inputs([["d1", ["@a.addr_1"], ["64"]], ["d3", ["@a.addr_2"], ["64"]]])
instr.set_outputs([["d2", ["@a.addr_out"], ["64"]]])
instr.add_semantics("""
ENTRY gemm_13 {
  %In1 = bf16[64, 64] parameter(0)
  %In2 = bf16[64, 64] parameter(1)
  ROOT %Out0 = bf16[64, 64] dot(%In1, %In2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
""")

# Over each row; the maximum is not subtracted.
instr = qkv_new.add_instruction("softmax", ["n"], ["addr"])
instr.set_inputs([["d2", ["@a.addr"], ["@c.n"]]])
instr.set_outputs([["d2", ["@a.addr"], ["@c.n"]]])
instr.add_semantics("""
ENTRY softmax {
  %In1 = bf16[`@c.n`, 64] parameter(0)
  %e = bf16[`@c.n`, 64] exponential(%In1)
  %sum = bf16[`@c.n`] reduce_add(%e), dimensions={1}
  %sums = bf16[`@c.n`, 64] broadcast(%sum), dimensions={0}
  ROOT %Out0 = bf16[`@c.n`, 64] divide(%e, %sums)
}
""")

if __name__ == "__main__":
  generate_oracle(qkv_new)
  generate_backend(qkv_new)
