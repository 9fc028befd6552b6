"""What the tests of the command lines share. They run build/bin/act (or $ACT) as a user does."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Outcome:
  def __init__(self, done):
    self.status = done.returncode
    self.out = done.stdout.decode()
    self.err = done.stderr.decode()

  def __repr__(self):
    return f"status {self.status}\nstdout: {self.out}\nstderr: {self.err}"


def run(command, **options):
  done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE, check=False, timeout=120, **options)
  return Outcome(done)


def module(body, helper="", name="kernel"):
  return f"HloModule {name}\n\n{helper}ENTRY main {{\n{body.strip(chr(10))}\n}}\n"


ADD = """add {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b)
}

"""
MAX = ADD.replace("add {", "larger {").replace("add(", "maximum(")
COPY = module("  x = bf16[64,64] parameter(0)\n  ROOT y = bf16[64,64] copy(x)", name="identity")
ATTENTION = module("""
  q = bf16[64,64] parameter(0)
  k = bf16[64,64] parameter(1)
  v = bf16[64,64] parameter(2)
  s = bf16[64,64] dot(q, k), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  e = bf16[64,64] exponential(s)
  z = bf16[] constant(0)
  r = bf16[64] reduce(e, z), dimensions={1}, to_apply=add
  b = bf16[64,64] broadcast(r), dimensions={0}
  p = bf16[64,64] divide(e, b)
  ROOT o = bf16[64,64] dot(p, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
""", ADD, "attention")
MAXIMUM = module("""
  a = bf16[64,64] parameter(0)
  b = bf16[64,64] parameter(1)
  ROOT m = bf16[64,64] maximum(a, b)
""")


@pytest.fixture(scope="session")
def act():
  path = pathlib.Path(os.environ.get("ACT", ROOT / "build" / "bin" / "act"))
  assert path.exists(), f"{path} is not built: run make"
  return path


@pytest.fixture(scope="session")
def spec():
  return ROOT / "accelerators" / "qkv" / "QKV.taidl"


@pytest.fixture(scope="session")
def backend(act, spec, tmp_path_factory):
  """The generated backend of QKV, alone in a folder."""
  base = tmp_path_factory.mktemp("generated")
  done = run([act, "generate", spec, "--base-dir", base])
  assert done.status == 0, done
  return base / "backends" / "QKV"


@pytest.fixture
def work(tmp_path, monkeypatch):
  """An empty current directory with the kernels a.hlo (attention), c.hlo (copy), m.hlo (no program)."""
  monkeypatch.chdir(tmp_path)
  (tmp_path / "a.hlo").write_text(ATTENTION)
  (tmp_path / "c.hlo").write_text(COPY)
  (tmp_path / "m.hlo").write_text(MAXIMUM)
  return tmp_path
