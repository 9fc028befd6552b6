"""python/act/jax/_compat.py: one clear sentence without jax and with a release that was not tested."""

import importlib
import pathlib
import subprocess
import sys
import types

import pytest

CASES = [
    ("tested", "0.10.2", "0.10.2", False, None),
    ("older", "0.9.0", "0.9.0", False, "not tested with jax 0.9.0, only with 0.10.2; install jax==0.10.2"),
    ("newer", "0.12.0.1", "0.12.0.1", False, "or set ACT_JAX_UNTESTED=1 to try"),
    ("newer, allowed", "0.12.0.1", "0.12.0.1", True, None),
    ("mixed", "0.10.2", "0.10.1", False, "of one release, found jax 0.10.2 with jaxlib 0.10.1"),
    ("mixed, allowed", "0.10.2", "0.10.1", True, "of one release"),
    ("a development version", "0.10.2.dev1", "0.10.2.dev1", False, "not tested with jax 0.10.2.dev1"),
]


@pytest.mark.parametrize("name,jax_version,jaxlib_version,allowed,fault", CASES, ids=[case[0] for case in CASES])
def test_versions(compat, name, jax_version, jaxlib_version, allowed, fault):
  if fault is None:
    compat.check_versions(jax_version, jaxlib_version, allowed)
    return
  with pytest.raises(compat.JaxUnavailable, match=fault.replace(".", r"\.")) as caught:
    compat.check_versions(jax_version, jaxlib_version, allowed)
  assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", ["jax", "jaxlib"])
def test_without_jax(compat, monkeypatch, missing):
  real = importlib.import_module

  def without(name):
    if name == missing:
      raise ModuleNotFoundError(f"No module named {name!r}")
    return types.SimpleNamespace(__version__="0.10.2") if name in ("jax", "jaxlib") else real(name)

  monkeypatch.setattr(compat, "importlib", types.SimpleNamespace(import_module=without))
  with pytest.raises(compat.JaxUnavailable, match="act.jax needs jax, which could not be imported") as caught:
    compat.load()
  assert isinstance(caught.value, ImportError)


def test_a_name_that_is_gone(compat, jax):
  for module, name in [("jax.ffi", "no_such_call"), ("jaxlib.no_such_module", "f"), ("jax", "ffi.gone")]:
    with pytest.raises(compat.JaxUnavailable, match=f"has no {module}.{name}, which act.jax calls"):
      compat._name(module, name)


def test_an_untested_release_that_is_installed(compat, jax, monkeypatch):
  monkeypatch.setattr(jax, "__version__", "9.9.9")
  monkeypatch.setattr(sys.modules["jaxlib"], "__version__", "9.9.9")
  monkeypatch.delenv("ACT_JAX_UNTESTED", raising=False)
  compat.load.cache_clear()
  with pytest.raises(compat.JaxUnavailable, match="not tested with jax 9.9.9"):
    compat.load()
  monkeypatch.setenv("ACT_JAX_UNTESTED", "1")
  assert compat.load() is jax


def test_loading_it_does_not_import_jax():
  code = ("import importlib.util as u, sys; s = u.spec_from_file_location('c', sys.argv[1]); "
          "m = u.module_from_spec(s); s.loader.exec_module(m); sys.exit('jax' in sys.modules)")
  path = __file__.replace("tests/jax/test_compat.py", "python/act/jax/_compat.py")
  assert subprocess.run([sys.executable, "-c", code, path], check=False).returncode == 0


def test_no_other_file_of_the_package_names_jax_internals():
  folder = pathlib.Path(__file__).resolve().parents[2] / "python" / "act"
  for path in folder.rglob("*.py"):
    if path.name == "_compat.py":
      continue
    for line in path.read_text().splitlines():
      words = line.split()
      assert not (words[:1] in (["import"], ["from"]) and words[1].split(".")[0] in ("jax", "jaxlib")), (path, line)
