"""What the tests that need jax share. Without jax they are skipped, and say so."""

import importlib.util
import os
import pathlib

import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["ACT_CACHE_DIR"] = ""  # no cache on disk, except where a test names a folder
ROOT = pathlib.Path(__file__).resolve().parents[2]


def load(path, name):
  """A Python file by its path: what is tested here needs no built library."""
  spec = importlib.util.spec_from_file_location(name, ROOT / path)
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  return module


@pytest.fixture
def compat():
  """python/act/jax/_compat.py, freshly loaded; nothing of jax is imported by that."""
  return load("python/act/jax/_compat.py", "act_jax_compat")


@pytest.fixture
def jax(compat):
  try:
    return compat.load()
  except compat.JaxUnavailable as error:
    pytest.skip(str(error))


@pytest.fixture
def dump_hlo(jax):
  return load("tools/dump_hlo.py", "dump_hlo")
