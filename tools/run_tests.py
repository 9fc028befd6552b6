#!/usr/bin/env python3
"""Runs every test of a build tree, or the Python tests, and counts single tests.

    tools/run_tests.py --build build            every entry that ctest knows; GoogleTest programs test by test
    tools/run_tests.py --pytest                 pytest over the folders named in pytest.ini
    tools/run_tests.py --total build/results    adds up what earlier calls left in that folder

The last line is always `N passed, N failed, N skipped`; the exit code is 1 if anything failed, or if
--total finds no test at all.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree


class Counts:
  def __init__(self, passed=0, failed=0, skipped=0):
    self.passed, self.failed, self.skipped = passed, failed, skipped

  def add(self, other):
    self.passed += other.passed
    self.failed += other.failed
    self.skipped += other.skipped

  def __str__(self):
    return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


class Entry:
  """One add_test of CMake."""

  def __init__(self, description):
    self.name = description["name"]
    self.command = description.get("command", [])
    properties = {row["name"]: row["value"] for row in description.get("properties", [])}
    self.timeout = float(properties.get("TIMEOUT", 600))
    self.directory = properties.get("WORKING_DIRECTORY")
    self.environment = dict(row.split("=", 1) for row in properties.get("ENVIRONMENT", []))
    self.alone = bool(properties.get("RUN_SERIAL", False))
    self.skip_code = properties.get("SKIP_RETURN_CODE")

  def is_google_test(self):
    return any(word.startswith("--gtest") for word in self.command)


def read_entries(build):
  listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True,
                           text=True, check=True)
  return [Entry(row) for row in json.loads(listing.stdout)["tests"]]


def count_google_tests(report):
  counts = Counts()
  for suite in json.loads(report)["testsuites"]:
    for test in suite["testsuite"]:
      if test.get("failures"):
        counts.failed += 1
      elif test.get("result") == "SKIPPED" or test.get("status") == "NOTRUN":
        counts.skipped += 1
      else:
        counts.passed += 1
  return counts


def run_entry(entry, results):
  """Returns (counts, output, seconds); output is what to show, empty for a clean pass."""
  began = time.monotonic()
  if not entry.command:
    return Counts(failed=1), "has no command: its program was not built\n", 0.0
  report = pathlib.Path(results) / (entry.name.replace("/", "_") + ".json")
  report.unlink(missing_ok=True)
  command = list(entry.command)
  if entry.is_google_test():
    command.append(f"--gtest_output=json:{report}")
  try:
    done = subprocess.run(command, cwd=entry.directory, env={**os.environ, **entry.environment},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=entry.timeout, check=False)
    code, output = done.returncode, done.stdout.decode(errors="replace")
  except subprocess.TimeoutExpired as expired:
    code = None
    output = (expired.output or b"").decode(errors="replace") + f"stopped after {entry.timeout:.0f} s\n"
  except OSError as error:
    code, output = None, f"{error}\n"
  seconds = time.monotonic() - began
  if entry.skip_code is not None and code == int(entry.skip_code):
    return Counts(skipped=1), output, seconds
  if not entry.is_google_test():
    return (Counts(passed=1), "", seconds) if code == 0 else (Counts(failed=1), output, seconds)
  counts = count_google_tests(report.read_text()) if report.exists() else Counts()
  if code != 0 and counts.failed == 0:  # ended before it could write its report, or failed outside a test
    counts.failed = 1
    output += f"{entry.name} ended with status {code}\n"
  return counts, output if code != 0 or counts.skipped else "", seconds


def run_build(build, results, jobs):
  entries = read_entries(build)
  total = Counts()
  position = 0

  def finish(entry, outcome):
    nonlocal position
    position += 1
    counts, output, seconds = outcome
    total.add(counts)
    print(f"[{position}/{len(entries)}] {entry.name}: {counts} ({seconds:.1f} s)", flush=True)
    if output and (counts.failed or counts.skipped):
      lines = output.rstrip("\n").split("\n")
      if len(lines) > 200:
        lines = lines[:150] + [f"... {len(lines) - 200} lines left out ..."] + lines[-50:]
      print("\n".join("    " + line for line in lines), flush=True)

  with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
    waiting = {pool.submit(run_entry, entry, results): entry for entry in entries if not entry.alone}
    for future in concurrent.futures.as_completed(waiting):
      finish(waiting[future], future.result())
  for entry in entries:
    if entry.alone:
      finish(entry, run_entry(entry, results))
  return total


def run_pytest(root, results):
  total = Counts()
  folders = [root / "tests", root / "accelerators"]
  if not any(True for folder in folders for _ in folder.rglob("test_*.py")):
    print("no Python tests")
    return total
  try:
    import pytest  # noqa: F401  (is it there?)
  except ImportError:
    print("the Python tests are left out: pytest is not installed (scripts/setup says why)")
    return Counts(skipped=1)
  report = pathlib.Path(results) / "pytest.xml"
  report.unlink(missing_ok=True)
  done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider",
                         f"--junitxml={report}"], cwd=root, stdin=subprocess.DEVNULL,
                        env={"JAX_PLATFORMS": "cpu", **os.environ}, check=False)
  if report.exists():
    for suite in xml.etree.ElementTree.parse(report).getroot().iter("testsuite"):
      failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
      skipped = int(suite.get("skipped", 0))
      total.add(Counts(max(0, int(suite.get("tests", 0)) - failed - skipped), failed, skipped))
  if done.returncode not in (0, 5) and total.failed == 0:  # 5: nothing collected
    total.failed = 1
  return total


def add_up(folder):
  total = Counts()
  parts = sorted(pathlib.Path(folder).glob("*.counts"))
  for part in parts:
    counts = Counts(*json.loads(part.read_text()))
    print(f"{part.stem}: {counts}")
    total.add(counts)
  if total.passed == 0:
    total.failed = max(1, total.failed)  # a run without tests is no success
  return total


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
  what = parser.add_mutually_exclusive_group(required=True)
  what.add_argument("--build", help="build tree whose tests to run")
  what.add_argument("--pytest", action="store_true", help="run the Python tests")
  what.add_argument("--total", metavar="FOLDER", help="add up the counts kept in FOLDER")
  parser.add_argument("--keep", metavar="FILE", help="write the counts here, for --total")
  parser.add_argument("--jobs", type=int, default=2, help="test programs at a time (default 2)")
  arguments = parser.parse_args()

  root = pathlib.Path(__file__).resolve().parent.parent
  if arguments.total:
    total = add_up(arguments.total)
  else:
    with tempfile.TemporaryDirectory(prefix="act-tests-") as results:
      total = run_pytest(root, results) if arguments.pytest else run_build(arguments.build, results,
                                                                           arguments.jobs)
    if arguments.keep:
      keep = pathlib.Path(arguments.keep)
      keep.parent.mkdir(parents=True, exist_ok=True)
      keep.write_text(json.dumps([total.passed, total.failed, total.skipped]))
  print(total, flush=True)
  return 1 if total.failed else 0


if __name__ == "__main__":
  sys.exit(main())
