"""tools/run_tests.py counts what really happened: passes, failures, skips, crashes, hangs."""
import json

import pytest

import run_tests

def report(*tests):
  return json.dumps({"testsuites": [{"testsuite": list(tests)}]})


GOOD = {"name": "a", "status": "RUN", "result": "COMPLETED"}
BAD = {**GOOD, "failures": [{"failure": "x"}]}
SKIPPED = {**GOOD, "result": "SKIPPED"}
DISABLED = {"name": "a", "status": "NOTRUN", "result": "SUPPRESSED"}

WRITE = 'for a in "$@"; do case $a in --gtest_output=json:*) printf %s \'{0}\' > "${{a#--gtest_output=json:}}";; esac; done; {1}'

CASES = [
    # name, shell script, is a GoogleTest program, properties, counts
    ("plain test passes", "true", False, [], (1, 0, 0)),
    ("plain test fails", "exit 3", False, [], (0, 1, 0)),
    ("plain test skips itself", "exit 77", False, [{"name": "SKIP_RETURN_CODE", "value": 77}], (0, 0, 1)),
    ("plain test hangs", "exec sleep 30", False, [{"name": "TIMEOUT", "value": 0.2}], (0, 1, 0)),
    ("google tests", WRITE.format(report(GOOD, BAD, SKIPPED, DISABLED, GOOD), "exit 1"), True, [], (2, 1, 2)),
    ("google tests pass", WRITE.format(report(GOOD, GOOD), "true"), True, [], (2, 0, 0)),
    ("crash before the report", "kill -SEGV $$", True, [], (0, 1, 0)),
    ("leak found after all tests passed", WRITE.format(report(GOOD), "exit 23"), True, [], (1, 1, 0)),
]


@pytest.mark.parametrize("name,script,google,properties,expected", CASES, ids=[case[0] for case in CASES])
def test_counts(tmp_path, name, script, google, properties, expected):
  command = ["/bin/sh", "-c", script, "sh"] + (["--gtest_brief=1"] if google else [])
  entry = run_tests.Entry({"name": "x", "command": command, "properties": properties})
  counts, output, _ = run_tests.run_entry(entry, tmp_path)
  assert (counts.passed, counts.failed, counts.skipped) == expected
  if not google and expected[1]:
    assert output is not None


def test_program_that_was_not_built_is_a_failure(tmp_path):
  counts, output, _ = run_tests.run_entry(run_tests.Entry({"name": "x"}), tmp_path)
  assert counts.failed == 1 and "not built" in output


def test_total_of_nothing_is_a_failure(tmp_path):
  assert run_tests.add_up(tmp_path).failed == 1


def test_total_adds_up(tmp_path):
  (tmp_path / "1.counts").write_text("[1, 0, 2]")
  (tmp_path / "2.counts").write_text("[10, 0, 20]")
  assert str(run_tests.add_up(tmp_path)) == "11 passed, 0 failed, 22 skipped"
