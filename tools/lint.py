#!/usr/bin/env python3
"""Lint: formatting, clang-tidy, layers, file lengths, registry hosts.

clang-tidy looks at the C++ sources that changed since the commit this work started from (the merge base with
origin/main, or HEAD~1 on main itself; LINT_BASE=<commit> overrides), at all of them with --all, and at those a
changed header reaches within its own folder. A tool that is absent is said loudly; in CI (CI=true) it is an
error.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
IN_CI = os.environ.get("CI", "") not in ("", "0", "false")
LONG, TOO_LONG = 500, 700


def git(*arguments):
  done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
  return done.stdout.split("\n")[:-1] if done.returncode == 0 else None


def files(*patterns):
  # -c -o: also files that are written but not yet added.
  names = git("ls-files", "-co", "--exclude-standard", *patterns) or []
  return sorted(name for name in set(names) if (ROOT / name).is_file())


def have(tool, check):
  if not shutil.which(tool):
    print(f"*** {tool} is not installed: {check} is NOT checked (scripts/setup says why) ***")
    return False
  # A stand-in of that name that does nothing must not pass for a clean result.
  version = subprocess.run([tool, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
  if "version 19." not in version.stdout:
    print(f"*** {tool} is not version 19 ({(version.stdout + version.stderr).strip()[:200]}): "
          f"{check} is NOT checked ***")
    return False
  return True


def in_parallel(command, names, size):
  """Runs command over chunks of names; returns the outputs of the failing chunks."""
  chunks = [names[at:at + size] for at in range(0, len(names), size)]

  def run(chunk):
    return subprocess.run([*command, *chunk], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)

  with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    return [done.stdout for done in pool.map(run, chunks) if done.returncode != 0]


def check_format():
  if not have("clang-format-19", "formatting"):
    return not IN_CI
  bad = in_parallel(["clang-format-19", "--dry-run", "-Werror"], files("*.cc", "*.h"), 20)
  print("".join(bad), end="")
  if bad:
    print("formatting: `make format` mends it")
  return not bad


def changed_sources(take_all):
  sources = files("src/*.cc", "tests/*.cc", "bench/*.cc", "fuzz/*.cc")
  if take_all:
    return sources
  base = os.environ.get("LINT_BASE")
  if not base:
    head = (git("rev-parse", "HEAD") or [""])[0]
    base = (git("merge-base", "HEAD", "origin/main") or git("merge-base", "HEAD", "main") or [""])[0]
    if base in ("", head):
      base = (git("rev-parse", "--verify", "-q", "HEAD~1") or [""])[0]
  changed = git("diff", "--name-only", base) if base else None
  if changed is None:
    return sources
  changed = set(changed) | set(git("ls-files", "-o", "--exclude-standard") or [])
  folders = {os.path.dirname(name) for name in changed if name.endswith(".h")}
  return [name for name in sources if name in changed or os.path.dirname(name) in folders]


def check_tidy(take_all):
  if not have("clang-tidy-19", "what clang-tidy finds"):
    return not IN_CI
  if not have("clang++-19", "what clang-tidy finds"):
    return not IN_CI
  configure = subprocess.run(["cmake", "--preset", "clang"], cwd=ROOT, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, check=False)
  if configure.returncode != 0:
    print(configure.stdout)
    return False
  database = (ROOT / "build-clang" / "compile_commands.json").read_text()
  # A source of a layer that is not complete yet is in no target.
  sources = [name for name in changed_sources(take_all) if f"/{name}\"" in database]
  print(f"clang-tidy: {len(sources)} files", flush=True)
  bad = in_parallel(["clang-tidy-19", "--quiet", "-p", "build-clang"], sources, 1)
  lines = "".join(bad).splitlines()
  print("\n".join(line for line in lines if not line.endswith("warnings generated.")), end="\n" if bad else "")
  return not bad


def check_layers():
  return subprocess.run([sys.executable, "tools/check_layers.py"], cwd=ROOT, check=False).returncode == 0


def check_lengths():
  good = True
  for name in files("*.cc", "*.h", "*.py", "*.sh", "*CMakeLists.txt", "*.cmake", "Makefile", "scripts/*"):
    with open(ROOT / name, errors="replace") as source:
      lines = sum(1 for _ in source)
    if lines > TOO_LONG:
      print(f"{name}: {lines} lines; at most {TOO_LONG} are allowed, split it")
      good = False
    elif lines > LONG:
      print(f"{name}: {lines} lines (aim under {LONG})")
  return good


def check_hosts():
  """No file names a package registry's host: which one is used is the machine's own setting."""
  # Joined here so that this file does not name them either.
  hosts = [".".join(parts) for parts in (
      ("pypi", "org"), ("pythonhosted", "org"), ("crates", "io"), ("proxy", "golang", "org"),
      ("registry", "npmjs", "org"), ("repo", "maven", "apache", "org"), ("repo1", "maven", "org"),
      ("deb", "debian", "org"), ("archive", "ubuntu", "com"), ("security", "debian", "org"))]
  pattern = [argument for host in hosts for argument in ("-e", host)]
  found = git("grep", "-n", "-I", "-F", "--untracked", *pattern) or []
  for line in found:
    print(f"{line}: names a package registry's host")
  return not found


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
  parser.add_argument("--all", action="store_true", help="clang-tidy on every source, not only changed ones")
  arguments = parser.parse_args()
  checks = [("format", check_format), ("layers", check_layers), ("lengths", check_lengths),
            ("registry hosts", check_hosts), ("clang-tidy", lambda: check_tidy(arguments.all))]
  failed = []
  for name, check in checks:
    if not check():
      failed.append(name)
  print(f"lint: {'failed: ' + ', '.join(failed) if failed else 'clean'}")
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
