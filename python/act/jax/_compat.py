"""Everything that ACT asks of jax and jaxlib.

No other module of the package imports jax: names that jax calls private or that moved between releases are
looked up here, by what is there and not by the release number. docs/jax.md says which call was tried with which
release and what it gave. Loading this module does not import jax; the first call does.
"""

from __future__ import annotations

import functools
import importlib
import os

# Releases against which the tests run (scripts/requirements.txt pins one of them).
TESTED = ("0.10.2",)
# Set to 1: go on with a release that is not in TESTED.
UNTESTED_SWITCH = "ACT_JAX_UNTESTED"


class JaxUnavailable(ImportError):
  """jax is missing, is of a release that ACT was not tested with, or lacks a name that ACT calls."""


def _wanted() -> str:
  version = TESTED[-1]
  return f"jax=={version} jaxlib=={version}"


def check_versions(jax_version: str, jaxlib_version: str, allow_untested: bool = False) -> None:
  """Raises JaxUnavailable, in one sentence, unless the pair is one that ACT was tested with."""
  if jax_version != jaxlib_version:
    raise JaxUnavailable(f"act.jax needs jax and jaxlib of one release, found jax {jax_version} with jaxlib "
                         f"{jaxlib_version}; install {_wanted()}")
  if jax_version not in TESTED and not allow_untested:
    raise JaxUnavailable(f"act.jax is not tested with jax {jax_version}, only with {', '.join(TESTED)}; install "
                         f"{_wanted()}, or set {UNTESTED_SWITCH}=1 to try")


@functools.cache
def load():
  """The jax module, its release checked."""
  try:
    jax = importlib.import_module("jax")
    jaxlib = importlib.import_module("jaxlib")
  except ImportError as error:
    raise JaxUnavailable(f"act.jax needs jax, which could not be imported ({error}); install {_wanted()}") from error
  check_versions(getattr(jax, "__version__", "unknown"), getattr(jaxlib, "__version__", "unknown"),
                 os.environ.get(UNTESTED_SWITCH) == "1")
  return jax


def _name(module: str, name: str):
  """module.name, or one sentence that says which release lacks it."""
  jax = load()
  try:
    return functools.reduce(getattr, name.split("."), importlib.import_module(module))
  except (ImportError, AttributeError) as error:
    raise JaxUnavailable(f"jax {jax.__version__} has no {module}.{name}, which act.jax calls; install "
                         f"{_wanted()}") from error


# --- out of jax: HLO ------------------------------------------------------------------------------------------


def lower(function, *args, platform: str | None = "cpu", **kwargs):
  """jax.jit(function) lowered for `platform` (None: the default one). args: arrays or ShapeDtypeStructs.

  A function that is jitted already is taken as it is. Any platform name that jax has rules for will do; no
  device of it is needed.
  """
  jax = load()
  jitted = function if hasattr(function, "lower") and hasattr(function, "trace") else jax.jit(function)
  platforms = None if platform is None else (platform,)
  return jitted.trace(*args, **kwargs).lower(lowering_platforms=platforms)


def hlo_proto(lowered) -> bytes:
  """The unoptimised module as a serialized HloModuleProto."""
  return lowered.compiler_ir("hlo").as_serialized_hlo_module_proto()


def hlo_text(lowered) -> str:
  """The unoptimised module as text, long constants written out, without metadata."""
  return lowered.compiler_ir("hlo").as_hlo_text(print_large_constants=True)


# --- between the two forms --------------------------------------------------------------------------------------


@functools.cache
def _hlo_module_from_text():
  # In jaxlib._hlo since 0.10.1, in jaxlib._jax before.
  try:
    return _name("jaxlib._hlo", "hlo_module_from_text")
  except JaxUnavailable:
    return _name("jaxlib._jax", "hlo_module_from_text")


def text_to_proto(text: str) -> bytes:
  """HLO text, read by XLA's own parser, as a serialized HloModuleProto."""
  return _hlo_module_from_text()(text).as_serialized_hlo_module_proto()


def proto_to_text(proto: bytes) -> str:
  """A serialized HloModuleProto as XLA prints it (as hlo_text)."""
  try:
    computation = _name("jaxlib._hlo", "XlaComputation")
  except JaxUnavailable:
    computation = _name("jaxlib._jax", "XlaComputation")
  return computation(proto).as_hlo_text(print_large_constants=True)


# --- back into jax ----------------------------------------------------------------------------------------------


def hlo_to_stablehlo(proto: bytes) -> bytes:
  """A serialized HloModuleProto as StableHLO (MLIR bytecode)."""
  return _name("jax.extend.mlir", "hlo_to_stablehlo")(proto)


def run_hlo(proto: bytes, *arrays) -> list:
  """Runs a serialized HloModuleProto on XLA:CPU: the independent answer to what a module means.

  Returns the outputs as numpy arrays, a root tuple as its members.
  """
  jax = load()
  numpy = importlib.import_module("numpy")
  client = _name("jax.extend.backend", "get_backend")("cpu")
  options = _name("jaxlib._jax", "CompileOptions")()
  devices = _name("jaxlib._jax", "DeviceList")(tuple(client.local_devices()[:1]))
  executable = client.compile_and_load(hlo_to_stablehlo(proto), devices, options)
  device = jax.devices("cpu")[0]
  return [numpy.asarray(out) for out in executable.execute([jax.device_put(array, device) for array in arrays])]


# --- FFI --------------------------------------------------------------------------------------------------------


def ffi_include_dir() -> str:
  """The folder of the installed jaxlib that holds xla/ffi/api/c_api.h."""
  return _name("jax.ffi", "include_dir")()


def register_ffi_target(name: str, function, platform: str = "cpu") -> None:
  """Makes a handler of the XLA FFI (a ctypes function pointer) callable as `name`."""
  capsule = _name("jax.ffi", "pycapsule")(function)
  _name("jax.ffi", "register_ffi_target")(name, capsule, platform=platform, api_version=1)


def ffi_call(name: str, results, **options):
  """jax.ffi.ffi_call: a function of arrays and attributes that calls the handler."""
  return _name("jax.ffi", "ffi_call")(name, results, **options)
