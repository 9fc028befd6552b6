# A kernel written by hand, in the form of the published examples.
import jax.numpy as jnp
from oracle.decorator import kernel
from oracle import api


@kernel(hbm=16384,
        input=[{'addr': 0, 'shape': (64, 64), 'dtype': jnp.bfloat16}],
        output=[{'addr': 8192, 'shape': (64, 64), 'dtype': jnp.bfloat16}])
def identity():
    """One load, one store."""
    api.load_01(64, 0, 0)
    api.store_10(64, 0, addr_out=8192)
