import jax.numpy as jnp

def matmul(kernel, api):
  @kernel(
    hbm = 3 * 64*64*2,
    input = [
      {"addr": 0, "shape": (64, 64), "dtype": jnp.bfloat16},      # A
      {"addr": 64*64*2, "shape": (64, 64), "dtype": jnp.bfloat16}, # B
    ],
    output = [ {"addr": 2*64*64*2, "shape": (64, 64), "dtype": jnp.bfloat16} ],
    constant = [],
  )
  def matmul_():
    api.load_01(n=64, addr_in=0, addr_out=0); api.load_03(n=64, addr_in=8192, addr_out=0)
    api.gemm_13(addr_1=0, addr_2=0, addr_out=0)
    api.mov_21(n=64,
            addr_in=0,
            addr_out=0)
    api.store_10(n=64, addr_in=0, addr_out=2 * 2**13)
  return matmul_
