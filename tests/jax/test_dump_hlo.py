"""tests/data/jax is what tools/dump_hlo.py writes with the pinned jax, and it is small."""

import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "data" / "jax"


def test_the_committed_files_are_the_tool_s(dump_hlo, capsys):
  assert dump_hlo.main(["--check"]) == 0, capsys.readouterr().out


def test_the_corpus_is_wide_and_small(dump_hlo):
  assert len(dump_hlo.ENTRIES) >= 40
  assert sum(grad for _, _, grad in dump_hlo.ENTRIES.values()) >= 30
  assert sum(path.stat().st_size for path in FOLDER.rglob("*")) < 600_000


def test_a_difference_is_named(dump_hlo, tmp_path, monkeypatch, capsys):
  monkeypatch.setattr(dump_hlo, "ENTRIES", {name: dump_hlo.ENTRIES[name] for name in ("identity", "add")})
  assert dump_hlo.main([str(tmp_path)]) == 0
  assert sorted(path.name for path in tmp_path.iterdir()) == [
      "add.grad.hlo", "add.grad.pb", "add.hlo", "add.pb", "identity.hlo", "identity.pb"]
  assert dump_hlo.main(["--check", str(tmp_path)]) == 0
  (tmp_path / "add.pb").write_bytes(b"")
  (tmp_path / "old.hlo").write_text("")
  capsys.readouterr()
  assert dump_hlo.main(["--check", str(tmp_path)]) == 1
  lines = capsys.readouterr().out.splitlines()
  assert ["add.pb" in lines[0], "old.hlo" in lines[1], len(lines)] == [True, True, 2]


def test_fields_are_left_out_by_number(dump_hlo):
  # 1: "ab", 5: 300, 3: 4 bytes fixed, 17: "x", 2: 8 bytes fixed
  message = b"\x0a\x02ab" + b"\x28\xac\x02" + b"\x1d1234" + b"\x8a\x01\x01x" + b"\x1112345678"
  assert dump_hlo.without(message, (5, 17)) == b"\x0a\x02ab" + b"\x1d1234" + b"\x1112345678"


def test_text_and_proto_say_the_same_to_xla(dump_hlo, compat):
  for path in sorted(FOLDER.rglob("*.pb")):
    assert compat.proto_to_text(path.read_bytes()) == path.with_suffix(".hlo").read_text(), path.name
