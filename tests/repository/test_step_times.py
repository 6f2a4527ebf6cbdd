"""The benchmark of step times: its inputs, its program on a short run, and its table."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import numpy as np
import pytest

import contactlib
from benchmarks import step_runs, step_times
from contactlib.fmu.excitation import excitation


def test_other_seeds_are_other_waves_of_the_same_scene():
    first, again, other = (step_runs.swung("peg_in_hole", seed, 40) for seed in (0, 0, 1))
    assert first.reals.tobytes() == again.reals.tobytes() != other.reals.tobytes()
    assert first.reals.shape == other.reals.shape == (40, 27)
    model = contactlib.load("peg_in_hole").compile()
    assert first.reals.tobytes() == excitation(model, "peg_in_hole", 40).rows.tobytes(), "the waves of contactlib hash"


def test_a_run_lasts_as_long_as_its_scene_in_steps_of_the_core():
    run = step_runs.swung("tripod", 0)
    assert len(run.reals) == len(run.integers) == 3000 == round(run.model.duration / run.model.step_size)


def test_a_recorded_run_has_the_inputs_of_each_step():
    run = step_runs.Recorder(contactlib.load("lee_snare").with_motion("fixed", "lee").with_motion("free", "grapple"))
    for command, steps in ((1, 3), (2, 2)):
        run.simulation.elements["snare"].set(command=command)
        run.step(steps)
    found = run.run()
    assert found.integers.ravel().tolist() == [1, 1, 1, 2, 2] and found.reals.shape == (5, 10)
    head = struct.unpack_from("<40s5I4xd", found.to_bytes())
    assert head[0].rstrip(b"\0").decode() == found.model.guid
    assert head[1:4] == (5, 10, 1) and head[6] == found.model.step_size


def test_the_program_times_each_step(tmp_path: Path):
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler here, which this benchmark needs")
    run = step_runs.swung("peg_in_hole", 0, 50)
    times, _ = step_times.times(step_times.program(tmp_path), run, -1)
    assert times.shape == (step_times.RUNS, 50)
    assert (times > 0.05).all() and np.median(times) < 1e4, "us"


def test_some_steps_have_the_instructions_that_they_have_among_all(tmp_path: Path):
    if shutil.which("cc") is None or shutil.which("valgrind") is None:
        pytest.skip("there is no C compiler or no valgrind here, which this benchmark needs")
    run = step_runs.swung("tripod", 0, 60)
    made = step_times.program(tmp_path, "-DCOUNT")
    every, some = (step_times.instructions(made, run, steps) for steps in ((), (7, 31, 59)))
    assert every.shape == (60,) and some.shape == (3,)
    assert every.min() > 1000 and len(np.unique(every)) > 3
    np.testing.assert_allclose(some, every[[7, 31, 59]], rtol=1e-3)


def test_the_slowest_steps_are_those_with_the_largest_least_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    spent = np.array([[5.0, 1.0, 9.0, 2.0], [5.0, 8.0, 3.0, 2.0]])  # least: 5, 1, 3, 2
    monkeypatch.setattr(step_times, "times", lambda made, run, core: (spent, ""))
    assert step_times.slowest(tmp_path, step_runs.swung("tripod", 0, 4), -1, 2) == [0, 2]


def test_a_step_that_fails_is_told(tmp_path: Path):
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler here, which this benchmark needs")
    run = step_runs.swung("peg_in_hole", 0, 5)
    run.reals[3] = np.nan
    with pytest.raises(RuntimeError, match=r"step_times fails: .*a step: fmi2SetReal"):
        step_times.times(step_times.program(tmp_path), run, -1)


def test_the_table():
    values = np.append(np.ones(999), 2000.0)
    row = step_times.summary(values)
    assert row["steps"] == 1000 and row["median"] == row["99 %"] == 1.0
    assert row["worst"] == 2000.0 and row["step"] == 999
    head, _, line = step_times.table({"tripod": row}).splitlines()
    assert head == "| scene | steps | median | 99 % | 99.9 % | worst | step |"
    assert line == f"| tripod | 1000 | 1 | 1 | {row['99.9 %']:.3g} | 2 000 | 999 |"


def test_rows_by_name():
    assert [name for name, _ in step_times.runs(1, ["tripod"])] == ["tripod"]
    assert len(dict(step_times.runs(1, []))) == len(step_times.shipped_scenes()) + 2
    assert len(dict(step_times.runs(6, []))["peg_in_hole"]) == 6
    with pytest.raises(ValueError, match="there is no scene 'tripot': must be one of 'alignment_guides'"):
        list(step_times.runs(1, ["tripot"]))
