"""tools/check_layers.py finds what breaks the order of the layers."""

import pytest

import check_layers

BASE = {
    "CMakeLists.txt": "set(ACT_LAYERS low high)\n",
    "src/low/low.h": "#pragma once\n#include \"low/inner.h\"\n",
    "src/low/inner.h": "#pragma once\n",
    "src/low/low.cc": '#include "low/low.h"\n',
    "src/low/CMakeLists.txt": "act_library(low SOURCES low.cc)\n",
    "src/high/high.h": '#pragma once\n#include "low/low.h"\n',
    "src/high/high.cc": '#include "high/high.h"\n',
    "src/high/CMakeLists.txt": "act_library(high SOURCES high.cc DEPENDS low)\n",
    "tests/unit/low/low_test.cc": '#include "low/inner.h"\n',
}

CASES = [
    ("nothing wrong", {}, None),
    ("upwards", {"src/low/low.cc": '#include "high/high.h"\n'}, "higher layer"),
    ("inner header", {"src/high/high.cc": '#include "low/inner.h"\n'}, "an inner header of low"),
    ("inner header in another's test", {"tests/unit/high/a_test.cc": '#include "low/inner.h"\n'}, "an inner header"),
    ("missing dependency", {"src/high/CMakeLists.txt": "act_library(high SOURCES high.cc)\n"}, "DEPENDS lacks low"),
    ("needless dependency", {"src/high/high.h": "#pragma once\n"}, "which no file of high includes"),
    ("no such header", {"src/high/high.cc": '#include "low/gone.h"\n'}, "does not exist"),
    ("no pragma", {"src/low/inner.h": "\n"}, "no #pragma once"),
    ("source in no target", {"src/low/lost.cc": "\n"}, "in no act_library"),
    ("unknown layer", {"src/other/other.h": "#pragma once\n"}, "not in ACT_LAYERS"),
]


@pytest.mark.parametrize("name,changes,fault", CASES, ids=[case[0] for case in CASES])
def test_faults(tmp_path, monkeypatch, capsys, name, changes, fault):
  for path, text in {**BASE, **changes}.items():
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(text)
  monkeypatch.setattr(check_layers, "ROOT", tmp_path)
  status = check_layers.main()
  output = capsys.readouterr().out
  assert (status, output) == (0, "") if fault is None else status == 1 and fault in output
