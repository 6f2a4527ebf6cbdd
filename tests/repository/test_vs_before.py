"""Ratios of two versions: their arithmetic, and the driver with this version in both places."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import version_slices, vs_before
from benchmarks.vs_before import Slice, Version

ROOT = Path(__file__).parents[2]


def fake(*rows: list[float], inputs: str = "a", results: str = "b"):
    """A version whose slices take these times, one row after the other."""
    remaining = iter(rows)
    return lambda _: Slice(np.array(next(remaining)), inputs, results)


def test_a_ratio_is_the_median_over_rounds():
    versions = fake([2.0, 2.0], [6.0, 3.0], [1.0, 1.0]), fake([1.0, 1.0], [1.0, 2.0], [2.0, 2.0])
    old, new, same = vs_before.turns(*versions, "x", 3)
    assert same == "same bits"
    middle, low, high = vs_before.ratio(old, new)
    assert (middle, low, high) == (2.0, 1.25, 2.5)  # of 2, 3 and 0.5
    assert vs_before.ratio(np.array([[1.0, 1.0, 9.0]]), np.array([[0.5, 0.5, 0.5]]), np.median)[0] == 2.0


def test_the_worst_step_is_that_of_medians_over_runs():
    """A step that is slow in one run only is not the worst one."""
    old = np.array([[1.0, 4.0, 99.0], [1.0, 4.0, 2.0], [1.0, 4.0, 2.0]])
    new = np.array([[1.0, 1.0, 2.0], [70.0, 1.0, 2.0], [1.0, 1.0, 2.0]])
    assert vs_before.worst_ratio(old, new) == (2.0, 1, 2)


def test_other_inputs_are_refused_and_other_results_are_told():
    with pytest.raises(RuntimeError, match="'x': the two versions do not get the same inputs"):
        vs_before.turns(fake([1.0]), fake([1.0], inputs="other"), "x", 1)
    assert vs_before.turns(fake([1.0]), fake([1.0], results="other"), "x", 1)[2] == "differ"


def test_versions_take_turns():
    order: list[str] = []

    def version(name: str):
        return lambda _: order.append(name) or Slice(np.ones(1), "", "")

    vs_before.turns(version("old"), version("new"), "x", 4)
    assert order == ["old", "new", "new", "old"] * 2


def test_a_process_of_this_version_against_itself():
    versions = [Version(ROOT, Path(sys.executable), None) for _ in range(2)]
    try:
        for name in ("compute_call", "capsule_socket"):
            old, new, same = vs_before.turns(*versions, name, 2)
            assert old.shape == new.shape == (2, 1)
            assert min(old.min(), new.min()) > 0.0
            assert same == "same bits"
    finally:
        for version in versions:
            version.close()


def test_a_process_that_fails_is_told(capfd: pytest.CaptureFixture[str]):
    version = Version(ROOT, Path(sys.executable), None)
    with pytest.raises(RuntimeError, match="does not run 'nothing'"):
        version("nothing")
    version.close()
    assert "KeyError: 'nothing'" in capfd.readouterr().err


def test_without_an_older_version_the_remedy_is_told(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="`make bench-before` builds one"):
        vs_before.before(tmp_path)
    python = tmp_path / "abc" / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    assert vs_before.before(tmp_path) == tmp_path / "abc"


def test_each_slice_has_a_figure():
    keys = {bar.key.removesuffix("_mean").removesuffix("_worst") for bar in vs_before.BARS}
    assert keys == set(version_slices.SLICES) - set(version_slices.PAIRS)
    assert set(vs_before.BATCHES) == keys - {"cbm_step", "lee_step"}


def test_steps_that_warm_up_are_rolled_back():
    """Slices of a run go on where the last one ended."""
    import contactlib

    model = contactlib.load("peg_in_hole").compile()
    one, other = contactlib.Simulation(model), contactlib.Simulation(model)
    h = model.step_size
    results = [version_slices.steps(one, h, 3)[2] for _ in range(2)]
    for _ in range(6):
        other.data.advance(h)
    assert results[1] == version_slices.digest(other.states)
