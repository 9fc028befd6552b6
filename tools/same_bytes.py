#!/usr/bin/env python3
"""The same program bytes from every build of the compiler (g++, sanitizers, clang).

    tools/same_bytes.py build build-asan build-clang [--keep FILE]

Compiles each kernel of accelerators/*/kernels for its accelerator with every named build's `act` and compares
the emitted files with the first build's. A build whose `act` is missing counts as one skipped test and is named.
The last line is `N passed, N failed, N skipped`.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def compile_kernel(act, spec, kernel, suffix, folder):
  """The emitted bytes, or the refusal's text."""
  output = pathlib.Path(folder) / f"out{suffix}"
  output.unlink(missing_ok=True)
  done = subprocess.run([act, "compile", kernel, "--target", spec, "--output", output], capture_output=True,
                        stdin=subprocess.DEVNULL, check=False)
  if done.returncode == 0:
    return output.read_bytes()
  return f"status {done.returncode}: ".encode() + done.stderr


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
  parser.add_argument("builds", nargs="+", help="build trees; the first is what the others must equal")
  parser.add_argument("--keep", metavar="FILE", help="write the counts here, for run_tests.py --total")
  arguments = parser.parse_args()
  root = pathlib.Path(__file__).resolve().parent.parent
  passed = failed = skipped = 0
  programs = []
  for build in arguments.builds:
    act = root / build / "bin" / "act"
    if act.exists():
      programs.append((build, act))
    else:
      print(f"no {build}/bin/act: its bytes are not compared")
      skipped += 1
  with tempfile.TemporaryDirectory(prefix="act-bytes-") as folder:
    for spec in sorted((root / "accelerators").glob("*/*.taidl")):
      for kernel in sorted((spec.parent / "kernels").glob("*.hlo")):
        for suffix in (".py", ".asm"):
          expected = None
          for build, act in programs:
            got = compile_kernel(act, spec, kernel, suffix, folder)
            if expected is None:
              expected = got
            elif got == expected:
              passed += 1
            else:
              failed += 1
              print(f"{kernel.relative_to(root)} for {spec.name}: {build} and {programs[0][0]} differ in the {suffix} file")
  if passed == 0:
    failed = max(failed, 1)
    print("nothing was compared")
  if arguments.keep:
    keep = pathlib.Path(arguments.keep)
    keep.parent.mkdir(parents=True, exist_ok=True)
    keep.write_text(json.dumps([passed, failed, skipped]))
  print(f"{passed} passed, {failed} failed, {skipped} skipped")
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
