"""QKV: attention over 64 columns of bf16 with two on-chip buffers.

Run in its folder, it generates the simulator in targets/QKV/oracle and the compiler in backends/QKV.
"""
from act.generators import generate_backend, generate_oracle
from act.taidl import Accelerator

qkv = Accelerator("QKV")

qkv.add_data_model("d1", [128], [64], "bf16")
qkv.add_data_model("d2", [64], [64], "bf16")

instr = qkv.add_instruction("load_rm", ["n"], ["addr_in", "addr_out"])
instr.set_inputs([["d0", ["@a.addr_in"], ["@c.n * 128"]]])
instr.set_outputs([["d1", ["@a.addr_out"], ["@c.n"]]])
instr.add_semantics("""
ENTRY load_rm {
  %In1 = u8[`@c.n * 128`] parameter(0)
  %rows = u8[`@c.n`, 64, 2] reshape(%In1)
  ROOT %Out0 = bf16[`@c.n`, 64] bitcast_convert(%rows)
}
""")

# The same bytes taken column-major.
instr = qkv.add_instruction("load_cm", ["n"], ["addr_in", "addr_out"])
instr.set_inputs([["d0", ["@a.addr_in"], ["@c.n * 128"]]])
instr.set_outputs([["d1", ["@a.addr_out"], ["@c.n"]]])
instr.add_semantics("""
ENTRY load_cm {
  %In1 = u8[`@c.n * 128`] parameter(0)
  %rows = u8[`@c.n`, 64, 2] reshape(%In1)
  %values = bf16[`@c.n`, 64] bitcast_convert(%rows)
  ROOT %Out0 = bf16[64, `@c.n`] transpose(%values), dimensions={1,0}
}
""")

instr = qkv.add_instruction("store_rm", ["n"], ["addr_in", "addr_out"])
instr.set_inputs([["d1", ["@a.addr_in"], ["@c.n"]]])
instr.set_outputs([["d0", ["@a.addr_out"], ["@c.n * 128"]]])
instr.add_semantics("""
ENTRY store_rm {
  %In1 = bf16[`@c.n`, 64] parameter(0)
  %bytes = u8[`@c.n`, 64, 2] bitcast_convert(%In1)
  ROOT %Out0 = u8[`@c.n * 128`] reshape(%bytes)
}
""")

instr = qkv.add_instruction("store_cm", ["n"], ["addr_in", "addr_out"])
instr.set_inputs([["d1", ["@a.addr_in"], ["@c.n"]]])
instr.set_outputs([["d0", ["@a.addr_out"], ["@c.n * 128"]]])
instr.add_semantics("""
ENTRY store_cm {
  %In1 = bf16[`@c.n`, 64] parameter(0)
  %columns = bf16[64, `@c.n`] transpose(%In1), dimensions={1,0}
  %bytes = u8[64, `@c.n`, 2] bitcast_convert(%columns)
  ROOT %Out0 = u8[`@c.n * 128`] reshape(%bytes)
}
""")

instr = qkv.add_instruction("mov", ["n"], ["addr_in", "addr_out"])
instr.set_inputs([["d2", ["@a.addr_in"], ["@c.n"]]])
instr.set_outputs([["d1", ["@a.addr_out"], ["@c.n"]]])
instr.add_semantics("""
ENTRY mov {
  %In1 = bf16[`@c.n`, 64] parameter(0)
  ROOT %Out0 = bf16[`@c.n`, 64] copy(%In1)
}
""")

instr = qkv.add_instruction("gemm", [], ["addr_1", "addr_2", "addr_out"])
instr.set_inputs([["d1", ["@a.addr_1"], ["64"]], ["d1", ["@a.addr_2"], ["64"]]])
instr.set_outputs([["d2", ["@a.addr_out"], ["64"]]])
instr.add_semantics("""
ENTRY gemm {
  %In1 = bf16[64, 64] parameter(0)
  %In2 = bf16[64, 64] parameter(1)
  ROOT %Out0 = bf16[64, 64] dot(%In1, %In2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
""")

# Over each row; the maximum is not subtracted.
instr = qkv.add_instruction("softmax", ["n"], ["addr"])
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
  generate_oracle(qkv)
  generate_backend(qkv)
