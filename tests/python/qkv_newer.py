"""QKV written as a newer spec would be: keyword names of v2.13+, no cost, unnamed blocks with %In1, State."""
from taidl import Accelerator, Instruction, State  # noqa: F401
from taidl_to import generate_oracle  # noqa: F401


def make(base_dir=None):
  acc = Accelerator("QKV", base_dir)
  acc.add_data_model("d1", [128], [64], "bf16")
  acc.add_data_model("d2", [64], [64], "bf16")

  def add(name, attributes, inputs, outputs, semantics, addresses=("addr_in", "addr_out")):
    instr = acc.add_instruction(name=name, comp_attrs=list(attributes), addr_attrs=list(addresses), update=[],
                                constraints=[])
    instr.set_inputs(inputs)
    instr.set_outputs(outputs)
    instr.add_semantics(semantics)

  bytes_in = [("d0", ("@a.addr_in",), ("@c.n*128",))]
  bytes_out = [("d0", ("@a.addr_out",), ("@c.n*128",))]
  add("load_rm", "n", bytes_in, [("d1", ("@a.addr_out",), ("@c.n",))], """
    ENTRY {
      %a = u8[@c.n, 64, 2] reshape(%In1);
      ROOT %Out0 = bf16[@c.n, 64] bitcast-convert(%a);
    }""")
  add("load_cm", "n", bytes_in, [("d1", ("@a.addr_out",), ("@c.n",))], """
    ENTRY {
      %a = u8[@c.n, 64, 2] reshape(%In1);
      %b = bf16[@c.n, 64] bitcast_convert(%a);
      ROOT %Out0 = bf16[64, @c.n] transpose(%b), dimensions={1, 0};
    }""")
  add("store_rm", "n", [("d1", ("@a.addr_in",), ("@c.n",))], bytes_out, """
    ENTRY {
      // the bytes of the rows
      %a = u8[@c.n, 64, 2] bitcast_convert(%In1)
      ROOT %Out0 = u8[`@c.n*128`] reshape(%a)
    }""")
  add("store_cm", "n", [("d1", ("@a.addr_in",), ("@c.n",))], bytes_out, """
    ENTRY {
      %a = bf16[64, @c.n] transpose(%In1), dimensions={1, 0}
      %b = u8[64, @c.n, 2] bitcast_convert(%a)
      ROOT %Out0 = u8[`@c.n*128`] reshape(%b)
    }""")
  add("mov", "n", [("d2", ("@a.addr_in",), ("@c.n",))], [("d1", ("@a.addr_out",), ("@c.n",))],
      "ENTRY { ROOT %Out0 = bf16[@c.n, 64] copy(%In1) }")
  # `dot` of two matrices without attributes contracts {1} with {0}.
  add("gemm", "", [("d1", ("@a.addr_1",), (64,)), ("d1", ("@a.addr_2",), (64,))],
      [("d2", ("@a.addr_out",), (64,))], "ENTRY { ROOT %Out0 = bf16[64, 64] dot(%In1, %In2) }",
      ("addr_1", "addr_2", "addr_out"))
  add("softmax", "n", [("d2", ("@a.addr",), ("@c.n",))], [("d2", ("@a.addr",), ("@c.n",))], """
    ENTRY {
      %e = bf16[@c.n, 64] exp(%In1)
      %s = bf16[@c.n] reduce_add(%e), dimensions={1}
      %b = bf16[@c.n, 64] broadcast(%s), dimensions={0}
      ROOT %Out0 = bf16[@c.n, 64] divide(%e, %b)
    }""", ("addr",))
  return acc
