"""`python -m tests.platforms`: its verdicts, its exit code, and the flags of its builds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.platforms import builds
from tests.platforms.__main__ import compare, judge, main
from tests.platforms.cases import Case, Unavailable
from tests.platforms.rows import ROWS, Row

CASES = [Case("a", Path("a"), "11"), Case("b", Path("b"), "22")]


def raising(error: Exception):
    def run(_):
        raise error

    return run


VERDICTS = [
    (Row("good", lambda _: {"a": "11", "b": "22"}), "same", "2 of 2 scenes"),
    (Row("bad", lambda _: {"a": "11", "b": "99"}), "differs", "1 of 2: b"),
    (Row("gone", raising(Unavailable("wine is missing: apt-get install wine"))), "cannot run", "wine is missing"),
    (Row("broken", raising(RuntimeError("b: exit code 1"))), "fails", "b: exit code 1"),
    (Row("blind", lambda _: {"a": "11", "b": "22"}, must_differ=True), "fails", "sees nothing"),
    (Row("red", lambda _: {"a": "99", "b": "22"}, must_differ=True), "red", "differs in 1 scenes, as it must"),
]


@pytest.mark.parametrize(("row", "verdict", "why"), VERDICTS, ids=[row.name for row, *_ in VERDICTS])
def test_verdicts(row: Row, verdict: str, why: str):
    found, explanation = judge(row, CASES)
    assert found == verdict and why in explanation


def test_every_row_prints_a_line(capsys: pytest.CaptureFixture[str]):
    compare([row for row, *_ in VERDICTS], CASES)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(VERDICTS)
    assert any("gone" in line and "apt-get install wine" in line for line in lines)


@pytest.mark.parametrize(
    ("rows", "code"), [(VERDICTS[:1], 0), (VERDICTS[:2], 1), (VERDICTS[2:3], 0), (VERDICTS[3:4], 1)]
)
def test_exit_code(rows, code, monkeypatch):
    monkeypatch.setattr("tests.platforms.__main__.ROWS", [row for row, *_ in rows])
    monkeypatch.setattr("tests.platforms.__main__.make_cases", lambda *_: CASES)
    assert main([]) == code


def test_a_row_that_does_not_exist_is_an_error(capsys):
    with pytest.raises(SystemExit):
        main(["--only", "vax"])
    assert "no row has this text" in capsys.readouterr().err


def test_the_table_has_a_build_that_breaks_a_rule():
    """Its flags are those of build.toml but one; `make platforms` and CI build it and require that it differs."""
    (row,) = [row for row in ROWS if row.must_differ]
    assert row.name == "gcc -ffp-contract=fast" and row.builds


def test_a_build_gets_other_flags_than_build_toml(tmp_path):
    core = builds._core(tmp_path, ("-ffp-contract=fast",), "-ffp-contract=off")
    flags = json.loads(builds.FLAGS.search((core / "build.toml").read_text())[1])
    usual = json.loads(builds.FLAGS.search((builds.default_core() / "build.toml").read_text())[1])
    assert set(flags) ^ set(usual) == {"-ffp-contract=fast", "-ffp-contract=off"}
    with pytest.raises(ValueError, match="must contain -O9"):
        builds._core(tmp_path, (), "-O9")
