"""QKV, from its Python spec to numbers: each kernel of kernels/ compiled, simulated and compared."""
import pytest

import act_testing as t
import compiled_kernels as c

LIMITS = {"identity": 2, "transpose": 2, "matmul": 5, "matmul_bt": 5, "matmul_at": 5, "matmul_at_bt": 5, "square": 4, "gram": 5,
          "scale": 5, "softmax": 6, "softmax_columns": 6, "attention": 9, "attention_projection": 12, "five_matrices": 14,
          "two_products": 9, "scores": 8, "softmax_times_scores": 9}


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
  t.need_program()
  return c.Machine("QKV", tmp_path_factory.mktemp("qkv"))


def test_every_kernel_has_a_test():
  folder = t.ACCELERATORS["QKV"].parent / "kernels"
  assert {path.stem for path in folder.glob("*.hlo")} == set(c.KERNELS) == set(LIMITS)


def test_instructions(machine):
  c.check_instructions(machine, LIMITS)


@pytest.mark.parametrize("kernel", c.KERNELS)
def test_numbers(machine, kernel):
  for seed in range(3):
    c.check_numbers(machine, kernel, t.normal(seed, c.KERNELS[kernel][0]))


# pitfall 213
@pytest.mark.parametrize("make, seed", t.INPUTS)
def test_attention(machine, make, seed):
  c.check_numbers(machine, "attention", make(seed, 3))


# pitfall 209
def test_attention_on_the_public_data(machine):
  c.check_public_data(machine)


# pitfall 212
@pytest.mark.parametrize("kernel", c.KERNELS)
def test_golden(machine, kernel):
  c.check_golden(machine, kernel)
