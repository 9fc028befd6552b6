#!/usr/bin/env python3
"""Which share of the readers' lines the committed fuzz corpora reach.

    tools/corpus_coverage.py [--lines]

Builds the fuzz targets with gcov counters (preset `coverage`, build-coverage), replays each corpus once, prints the
share a file and a reader, and fails below 85 % for a reader. --lines also prints the lines that are not reached.
"""
import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-coverage"
LIMIT = 85.0
# Target -> the sources of its reader (patterns below src/).
READERS = {
    "hlo": ["hlo/*lexer*.cc", "hlo/*parse*.cc", "hlo/infer*.cc"],
    "hlo_proto": ["hlo/proto_*.cc"],
    "taidl": ["isa/*parse*.cc", "isa/cursor.cc", "isa/infer.cc", "isa/operations.cc", "isa/names.cc",
              "isa/semantics_attributes.cc", "isa/semantics_builder.cc"],
}


def run(*command):
  done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True, check=False)
  if done.returncode != 0:
    print(done.stdout)
    raise SystemExit(f"{' '.join(map(str, command))} failed")


def line_counts(source):
  """{line: times reached} of one source; the sum over template instances and objects."""
  objects = list(BUILD.rglob(f"{source.name}.gcda"))
  objects = [path for path in objects if path.parent.name == f"act_{source.parent.name}.dir"]
  if not objects:
    return {}
  output = subprocess.run(["gcov", "--json-format", "--stdout", str(objects[0])], cwd=BUILD, capture_output=True,
                          check=True).stdout
  if output[:2] == b"\x1f\x8b":
    output = gzip.decompress(output)
  counts = {}
  for document in output.splitlines():
    for entry in json.loads(document)["files"]:
      if os.path.realpath(BUILD / entry["file"]) == str(source):
        for line in entry["lines"]:
          counts[line["line_number"]] = counts.get(line["line_number"], 0) + line["count"]
  return counts


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
  parser.add_argument("--lines", action="store_true", help="print the lines that are not reached")
  arguments = parser.parse_args()
  run("cmake", "--preset", "coverage")
  good = True
  for target, patterns in READERS.items():
    listing = subprocess.run(["cmake", "--build", BUILD, "--target", "help"], capture_output=True, text=True,
                             check=True).stdout
    if f"fuzz_{target}:" not in listing:
      print(f"{target}: left out, its layers are not complete")
      continue
    run("cmake", "--build", BUILD, "--target", f"fuzz_{target}")
    for stale in BUILD.rglob("*.gcda"):
      stale.unlink()
    run(BUILD / "bin" / f"fuzz_{target}", ROOT / "fuzz" / "corpus" / target)
    reached = total = 0
    sources = sorted({path for pattern in patterns for path in (ROOT / "src").glob(pattern)})
    for source in sources:
      counts = line_counts(source)
      hits = sum(1 for count in counts.values() if count)
      print(f"  {source.relative_to(ROOT)}: {hits} of {len(counts)} lines")
      if arguments.lines:
        text = source.read_text().splitlines()
        for number in sorted(number for number, count in counts.items() if not count):
          print(f"    {number}: {text[number - 1].strip()}")
      reached, total = reached + hits, total + len(counts)
    share = 100.0 * reached / total if total else 0.0
    print(f"{target}: the corpus reaches {share:.1f} % of the reader's {total} lines (at least {LIMIT:.0f} %)")
    good = good and share >= LIMIT
  return 0 if good else 1


if __name__ == "__main__":
  sys.exit(main())
