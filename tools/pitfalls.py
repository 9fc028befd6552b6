#!/usr/bin/env python3
"""Writes docs/pitfalls.md: for each known fault of earlier implementations the test that guards against it.

    tools/pitfalls.py          writes the file
    tools/pitfalls.py --check  fails if the file is not what would be written

Either fails if a line would be empty, if a pitfall that must have a test has none, or if a mark is not understood
or stands in a file that no test program is built from.

A test says what it guards by a comment `// pitfall 50` or `// pitfall 50, 51` (Python: `# pitfall 50`): above a
test it means the next one, inside a test's body that test. Without a test, tools/pitfall_owners.txt names the
issue that will add one. Titles: tools/pitfall_titles.txt.
"""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "pitfalls.md"
LAST = 214
# These must have a test; for the others the owner's name does.
REQUIRED = "1-73, 89-100, 104, 105, 108, 115-118, 121-151, 156-165, 171-173, 190-201, 205-214"

MARK = re.compile(r"(?://|#)\s*pitfalls?\s+(\d[\d,\s-]*)(.*)$")
CPP_TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+)\s*,\s*(\w+)", re.MULTILINE)


def numbers(text):
  result = []
  for part in text.split(","):
    first, _, last = part.strip().partition("-")
    result.extend(range(int(first), int(last or first) + 1))
  return result


def read_table(name, separator):
  rows = {}
  for line in (ROOT / "tools" / name).read_text().splitlines():
    if line and not line.startswith("#"):
      key, _, value = line.partition(separator)
      for number in numbers(key):
        if number in rows:
          raise SystemExit(f"tools/{name}: {number} stands twice")
        rows[number] = value.strip()
  return rows


def spans(numbers_in_order):
  """[1, 2, 3, 7] as "1-3, 7"."""
  parts = []
  for number in numbers_in_order:
    if parts and parts[-1][1] == number - 1:
      parts[-1][1] = number
    else:
      parts.append([number, number])
  return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


def cpp_tests(text):
  """[(first line, last line, name)], counted from 1; a body ends at the next closing brace in column 0."""
  found = []
  for match in CPP_TEST.finditer(text):
    end = text.find("\n}", match.end())
    found.append((text.count("\n", 0, match.start()) + 1,
                  text.count("\n", 0, end if end >= 0 else len(text)) + 2, f"{match.group(1)}.{match.group(2)}"))
  return found


def python_tests(text):
  nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
  found = []
  for node in nodes:
    if node.name.startswith("test_"):
      # A decorator with the test's table belongs to it.
      found.append((min([node.lineno] + [row.lineno for row in node.decorator_list]), node.end_lineno, node.name))
  return sorted(found)


def read_marks(faults):
  """{number: [(test, file)]} from every test file."""
  tests = {}
  places = [path for folder in ("tests", "accelerators") for path in (ROOT / folder).rglob("*")
            if path.suffix in (".cc", ".py") and not {"targets", "backends"} & set(path.parts)]
  for path in sorted(places):
    text = path.read_text(errors="replace")
    place = path.relative_to(ROOT).as_posix()
    found = cpp_tests(text) if path.suffix == ".cc" else python_tests(text)
    build = path.parent / "CMakeLists.txt"
    recipe = build.read_text() if path.suffix == ".cc" and build.exists() else "GLOB"
    built = "GLOB" in recipe or path.name in re.split(r"[\s()]+", recipe)
    for at, line in enumerate(text.splitlines(), start=1):
      match = MARK.search(line)
      if not match:
        continue
      if match.group(2) and match.group(2)[0] not in ":;.(":
        faults.append(f'{place}:{at}: "{line.strip()}" is not understood; write "pitfall 50" or "pitfall 50, 51"')
        continue
      if not built:
        faults.append(f"{place}:{at}: no program of {build.relative_to(ROOT).as_posix()} is built from this file")
        continue
      owner = next((name for first, end, name in found if first <= at <= end), None)
      owner = owner or next((name for first, _, name in found if first > at), None)
      if owner is None:
        faults.append(f"{place}:{at}: no test follows this mark")
        continue
      for number in numbers(match.group(1).strip(" ,")):
        if not 1 <= number <= LAST:
          faults.append(f"{place}:{at}: there is no pitfall {number} (1-{LAST})")
        elif (owner, place) not in tests.setdefault(number, []):
          tests[number].append((owner, place))
  return tests


def make_page(titles, owners, tests, faults):
  lines = ["# Pitfalls", "",
           "Faults seen in earlier implementations, and the test that keeps each from coming back. Written by",
           "tools/pitfalls.py from the marks in the tests; do not edit.", "",
           "| # | what must hold | test, or the issue that will add it |", "|---|---|---|"]
  for number in range(1, LAST + 1):
    guard = "<br>".join(f"`{name}` ({place})" for name, place in tests.get(number, []))
    guard = guard or (f"issue: {owners[number]}" if owners.get(number) else "")
    if not guard or not titles.get(number):
      faults.append(f"pitfall {number} has no {'title' if guard else 'test and no owner'}")
    lines.append(f"| {number} | {titles.get(number, '')} | {guard} |")
  return "\n".join(lines) + "\n"


def main():
  if sys.argv[1:] not in ([], ["--check"]):
    print("usage: tools/pitfalls.py [--check]", file=sys.stderr)
    return 1
  faults = []
  tests = read_marks(faults)
  page = make_page(read_table("pitfall_titles.txt", " "), read_table("pitfall_owners.txt", "|"), tests, faults)
  if not sys.argv[1:]:
    PAGE.write_text(page)
  elif not PAGE.exists() or PAGE.read_text() != page:
    faults.append("docs/pitfalls.md is out of date: run tools/pitfalls.py")
  lacking = [number for number in numbers(REQUIRED) if number not in tests]
  if lacking:
    faults.append(f"{spans(lacking)}: no test has this mark, and these pitfalls must have one")
  for fault in faults:
    print(fault)
  print(f"pitfalls: {len(tests)} of {LAST} have a test; {len(numbers(REQUIRED)) - len(lacking)} of the "
        f"{len(numbers(REQUIRED))} that must have one")
  return 1 if faults else 0


if __name__ == "__main__":
  sys.exit(main())
