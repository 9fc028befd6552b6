import jax.numpy as jnp


def softmax(kernel, api):
    @kernel(hbm=24576,
            input=[
                {'addr': 0, 'shape': (64, 64), 'dtype': jnp.bfloat16},
            ],
            constant=[
                {'addr': 16384, 'shape': (64, 64), 'dtype': jnp.bfloat16, 'value': jnp.eye(64, dtype=jnp.bfloat16)},
            ],
            output=[
                {'addr': 8192, 'shape': (64, 64), 'dtype': jnp.bfloat16},
            ]
            )
    def softmax_():
        api.load_01(n = 64, addr_in = 0, addr_out = 0)
        api.load_03(n = 64, addr_in = 16384, addr_out = 0)
        api.gemm_13(addr_1 = 0, addr_2 = 0, addr_out = 0)
        api.softmax(n = 64, addr = 0)
        api.mov_21(n = 64, addr_in = 0, addr_out = 0)
        api.store_10(n = 64, addr_in = 0, addr_out = 8192)

    return softmax_
