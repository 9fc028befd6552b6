#!/usr/bin/env python3
"""Checks the #includes of src/ and tests/ against the layers.

The order of the layers is ACT_LAYERS in CMakeLists.txt. A file of src/<layer> includes its own folder's headers,
and of a lower layer only the public header <layer>/<layer>.h. The DEPENDS of the folder's act_library name every layer
it includes, and none that it neither includes nor gets with one it includes. A test reaches into the folder it is
named after, and elsewhere includes public headers.
Prints one line a fault; exit code 1 if there is one.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def read_layers():
  text = (ROOT / "CMakeLists.txt").read_text()
  return re.search(r"set\(ACT_LAYERS\s+([^)]*)\)", text).group(1).split()


def read_calls(list_file, function):
  """{target: (sources, depends)} of the calls of act_library or act_test in a CMakeLists.txt."""
  calls = {}
  text = re.sub(r"#.*", "", list_file.read_text())
  for call in re.finditer(function + r"\(([^)]*)\)", text):
    words = call.group(1).split()
    lists, current = {"SOURCES": [], "DEPENDS": []}, None
    for word in words[1:]:
      if word in lists:
        current = lists[word]
      elif current is not None:
        current.append(word)
    calls[words[0]] = (lists["SOURCES"], lists["DEPENDS"])
  return calls


def includes(path):
  return INCLUDE.findall(path.read_text(errors="replace"))


def is_public(name):
  folder, _, rest = name.partition("/")
  return rest == folder + ".h"


def reached(used, layers):
  """The layers of `used` and those that their headers bring along."""
  found, waiting = set(), list(used)
  while waiting:
    layer = waiting.pop()
    if layer not in found:
      found.add(layer)
      for header in (ROOT / "src" / layer).glob("*.h"):
        waiting.extend(name.split("/")[0] for name in includes(header) if name.split("/")[0] in layers)
  return found


def check_layer(layer, layers, faults):
  folder = ROOT / "src" / layer
  used = {}
  for path in sorted(folder.rglob("*")):
    if path.suffix not in (".h", ".cc"):
      continue
    place = path.relative_to(ROOT)
    if path.suffix == ".h" and "#pragma once" not in path.read_text(errors="replace"):
      faults.append(f"{place}: has no #pragma once")
    for name in includes(path):
      other = name.split("/")[0]
      if other not in layers:
        faults.append(f'{place}: includes "{name}", which is no layer\'s header; write "<layer>/<header>.h"')
      elif not (ROOT / "src" / name).exists():
        faults.append(f'{place}: includes "{name}", which does not exist')
      elif other != layer:
        used.setdefault(other, place)
        if layers.index(other) > layers.index(layer):
          faults.append(f'{place}: {layer} may not use {other}, which is a higher layer ("{name}")')
        elif not is_public(name):
          faults.append(f'{place}: includes "{name}", an inner header of {other}; use "{other}/{other}.h"')
  list_file = folder / "CMakeLists.txt"
  if not list_file.exists():
    return
  sources, depends = set(), set()
  for call_sources, call_depends in read_calls(list_file, "act_library").values():
    sources.update(call_sources)
    depends.update(call_depends)
  for other, place in sorted(used.items()):
    if other not in depends:
      faults.append(f"src/{layer}/CMakeLists.txt: DEPENDS lacks {other}, which {place} includes")
  written = all((folder / name).exists() for name in sources)
  for other in sorted(depends - reached(used, layers)) if written else []:
    faults.append(f"src/{layer}/CMakeLists.txt: DEPENDS names {other}, which no file of {layer} includes")
  for path in sorted(folder.rglob("*.cc")):
    if written and path.relative_to(folder).as_posix() not in list_file.read_text():
      faults.append(f"{path.relative_to(ROOT)}: is in no act_library or program of its CMakeLists.txt")


def check_tests(layers, faults):
  for path in sorted((ROOT / "tests").rglob("*")):
    if path.suffix not in (".h", ".cc"):
      continue
    place = path.relative_to(ROOT)
    own = place.parts[2] if place.parts[1] == "unit" else None
    for name in includes(path):
      other = name.split("/")[0]
      if (ROOT / "tests" / name).exists() or (path.parent / name).exists():
        continue
      if other not in layers or not (ROOT / "src" / name).exists():
        faults.append(f'{place}: includes "{name}", which does not exist')
      elif other != own and not is_public(name):
        faults.append(f'{place}: includes "{name}", an inner header of {other}; use "{other}/{other}.h"')


def main():
  layers = read_layers()
  faults = []
  for folder in sorted((ROOT / "src").iterdir()):
    if folder.is_dir() and folder.name not in layers:
      faults.append(f"src/{folder.name}: is not in ACT_LAYERS of CMakeLists.txt")
  for layer in layers:
    if (ROOT / "src" / layer).is_dir():
      check_layer(layer, layers, faults)
      if any((ROOT / "src" / layer).glob("*.h")) and not (ROOT / "src" / layer / f"{layer}.h").exists():
        faults.append(f"src/{layer}: has no public header {layer}.h")
  check_tests(layers, faults)
  for fault in faults:
    print(fault)
  return 1 if faults else 0


if __name__ == "__main__":
  sys.exit(main())
