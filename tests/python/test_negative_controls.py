"""Programs that are nearly attention, and must be seen to be wrong by more than ten times the tolerance."""
import numpy as np
import pytest

import act_testing as t


def attention_kernel(oracle, v_address=64):
  api = oracle.api
  items = [{"addr": 8192 * i, "shape": (64, 64), "dtype": t.BF16} for i in range(4)]

  @oracle.decorator.kernel(hbm=32768, input=items[:3], output=items[3:])
  def attention():
    api.load_rm(n=64, addr_in=0, addr_out=0)
    api.load_cm(n=64, addr_in=8192, addr_out=64)
    api.gemm(addr_1=0, addr_2=64, addr_out=0)
    api.softmax(n=64, addr=0)
    api.mov(n=64, addr_in=0, addr_out=0)
    api.load_rm(n=64, addr_in=16384, addr_out=v_address)
    api.gemm(addr_1=0, addr_2=64, addr_out=0)
    api.mov(n=64, addr_in=0, addr_out=0)
    api.store_rm(n=64, addr_in=0, addr_out=24576)
  return attention


@pytest.fixture(scope="module")
def oracle(tmp_path_factory):
  return t.make_oracle(t.load_accelerator("QKV"), tmp_path_factory.mktemp("right"))


@pytest.fixture(scope="module")
def sums_along_columns(tmp_path_factory):
  """The published fault: the row sums laid along the wrong axis."""
  acc = t.load_accelerator("QKV")
  softmax = acc.instructions[-1]
  text = softmax.instr_semantics_str.replace("broadcast(%sum), dimensions={0}", "broadcast(%sum), dimensions={1}")
  assert text != softmax.instr_semantics_str
  softmax.add_semantics(text.replace("`@c.n`", "64"))
  return t.make_oracle(acc, tmp_path_factory.mktemp("wrong"))


def data_sets():
  yield from (make(seed, 3) for make in (t.normal, t.grid) for seed in range(10))
  if t.public_qkv() is not None:
    yield t.public_qkv()


def distances(kernel):
  """Largest difference in tolerances, for each set of inputs."""
  kernel("fsim-compile")()
  for q, k, v in data_sets():
    got = kernel("fsim")(q, k, v)[0][0].astype(np.float64)
    yield float(np.max(np.abs(np.nan_to_num(got, nan=np.inf) - t.attention(q, k, v)))) / t.tolerance(v)


def test_the_right_program_is_within_the_tolerance(oracle):
  assert max(distances(attention_kernel(oracle))) <= 1


# pitfall 210
def test_sums_along_the_wrong_axis_are_far_outside(sums_along_columns):
  assert min(distances(attention_kernel(sums_along_columns))) > 10


# pitfall 211
def test_one_wrong_address_is_far_outside(oracle):
  assert min(distances(attention_kernel(oracle, v_address=0))) > 10


@pytest.mark.parametrize("seed", range(10))
def test_scores_agree_bit_for_bit_where_they_are_exact(oracle, seed):
  api = oracle.api
  items = [{"addr": 8192 * i, "shape": (64, 64), "dtype": t.BF16} for i in range(3)]

  @oracle.decorator.kernel(hbm=24576, input=items[:2], output=items[2:])
  def product():
    api.load_rm(64, 0, 0)
    api.load_cm(64, 8192, 64)
    api.gemm(0, 64, 0)
    api.mov(64, 0, 0)
    api.store_rm(64, 0, 16384)
  q, k = t.grid(seed, 2)
  exact = q.astype(np.float64) @ k.astype(np.float64).T
  assert np.array_equal(exact, exact.astype(np.float32))
  assert t.run(product, q, k)[0].tobytes() == t.scores(q, k).tobytes()
