"""Folders of campaigns: two processes, damaged files, runs that raise, hang or die, and replays that differ."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib.campaign import Store, resume_campaign, run_campaign
from contactlib.campaign.definition import read_campaign
from contactlib.campaign.limited import Child, run_limited, too_long
from contactlib.campaign.lock import locked
from contactlib.campaign.outcome import Outcome
from contactlib.campaign.replay import replay
from contactlib.campaign.runner import Runner
from contactlib.cli.main import app
from contactlib.common.parquet import read_table, write_table
from contactlib.fmu.export import export_fmu
from contactlib.model.closed_loop import closed_loop
from tests.campaign.campaign_cases import wheel, written

RUN = "from contactlib.cli.main import app; app(prog_name='contactlib')"
#: steps of 1 ns: a run of 0.2 s takes minutes
ENDLESS = 1e-9


def invoke(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def refused(*arguments):
    result = invoke(*arguments)
    assert result.exit_code == 1 and isinstance(result.exception, SystemExit)
    return result.stderr


def content(folder):
    return (folder / "results.parquet").read_bytes()


# ---- two processes -------------------------------------------------------------------------------


def contend(folder, seed, barrier, answers):
    barrier.wait()
    try:
        run_campaign(wheel(seed=seed, runs=6), folder, num_threads=1)
        answers.put((seed, None))
    except ValueError as error:
        answers.put((seed, str(error)))


def test_of_two_processes_one_wins(tmp_path):
    """Both start at once, with other seeds: what is in the folder is all of one, and the other says so."""
    whole = {seed: tmp_path / f"whole{seed}" for seed in (1, 2)}
    for seed, folder in whole.items():
        run_campaign(wheel(seed=seed, runs=6), folder, num_threads=1)
    context = multiprocessing.get_context("fork")
    for attempt in range(6):
        folder, barrier, answers = tmp_path / f"both{attempt}", context.Barrier(2), context.SimpleQueue()
        both = [context.Process(target=contend, args=(folder, seed, barrier, answers)) for seed in (1, 2)]
        for process in both:
            process.start()
        errors = dict(answers.get() for _ in both)
        for process in both:
            process.join()
        (winner,) = [seed for seed, error in errors.items() if error is None]
        sentence = errors[3 - winner]
        assert "another process runs this campaign now" in sentence or "holds a campaign already" in sentence
        assert content(folder) == content(whole[winner])
        assert (folder / "campaign.json").read_bytes() == (whole[winner] / "campaign.json").read_bytes()


def test_the_lock_of_one_that_is_gone_holds_nobody(tmp_path):
    (tmp_path / "lock").write_text("process 1 on elsewhere\n")
    with locked(tmp_path), pytest.raises(ValueError, match=f"now \\(process {os.getpid()} on "):
        run_campaign(wheel(runs=1), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock"]
    assert len(run_campaign(wheel(runs=1), tmp_path).run) == 1


def test_results_of_another_campaign_are_not_taken_over(tmp_path):
    run_campaign(wheel(runs=2), tmp_path, num_threads=1)
    (tmp_path / "campaign.json").unlink()
    with pytest.raises(ValueError, match=r"parts holds results of another campaign, whose campaign\.json is missing"):
        run_campaign(wheel(seed=9, runs=2), tmp_path)


# ---- damage --------------------------------------------------------------------------------------


def test_every_flipped_bit_of_a_part_is_reported(tmp_path):
    """All single-bit flips: each error names the part and the remedy, and no flip is read as other values."""
    run_campaign(wheel(runs=2), tmp_path, num_threads=1)
    store = Store.open(tmp_path)
    (path, *_) = sorted(store.parts.iterdir())
    sound, reported = path.read_bytes(), 0
    handle = os.open(path, os.O_WRONLY)  # a bit in place: to write it all is slow
    cure = f"delete it and resume with `contactlib campaign resume {tmp_path}`"
    for bit in range(8 * len(sound)):
        os.pwrite(handle, bytes([sound[bit // 8] ^ 1 << bit % 8]), bit // 8)
        try:
            store.results()
        except ValueError as error:
            reported += str(path) in str(error) and cure in str(error)
        os.pwrite(handle, sound[bit // 8:bit // 8 + 1], bit // 8)
    os.close(handle)
    assert reported == 8 * len(sound) > 5000
    path.unlink()  # the cure
    before = content(tmp_path)
    resume_campaign(tmp_path)
    assert content(tmp_path) == before and path.read_bytes() == sound


@pytest.mark.parametrize("name", ["draws.parquet", "campaign.json"])
def test_flipped_bits_of_what_a_campaign_starts_from(tmp_path, name):
    """Each change is reported, or has no effect: spaces in campaign.json, or the folder of a scene without files."""
    run_campaign(wheel(runs=2), tmp_path, num_threads=1)
    sound, path = Store.open(tmp_path), tmp_path / name
    whole, harmless = path.read_bytes(), 0
    for bit in np.random.default_rng(7).permutation(8 * len(whole))[:250]:
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        try:
            store = Store.open(tmp_path)
        except ValueError as error:
            assert str(tmp_path) in str(error)
            continue
        harmless += 1
        assert store.draws == sound.draws and store.campaign.source[:2] == sound.campaign.source[:2]
    assert harmless == 0 if name == "draws.parquet" else harmless < 100
    path.write_bytes(whole)


def test_draws_are_made_again(tmp_path):
    run_campaign(wheel(runs=8), tmp_path, num_threads=1)
    path = tmp_path / "draws.parquet"
    before, values = path.read_bytes(), Store.open(tmp_path).draws
    path.unlink()
    assert Store.open(tmp_path).draws == values and path.read_bytes() == before


# ---- runs that raise, hang or die ----------------------------------------------------------------


def endless(**head):
    """The wheel, with steps of 1 ns in every third run or so."""
    campaign = wheel(runs=6, every=1_000_000, **head)
    values = dict(campaign.source.campaign)
    values["draw"] = {**values["draw"], "h": {"path": "scene.step_size", "distribution": "choice",
                                              "options": [1e-3, ENDLESS], "weights": [2, 1]}}
    return read_campaign(campaign.source._replace(campaign=values))


def children(process):
    return [int(pid) for task in Path(f"/proc/{process}/task").glob("*/children") for pid in task.read_text().split()]


def alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_run_that_hangs_is_ended_and_recorded(tmp_path):
    """The others have the bits that they have without a limit; replay ends too, and finds the same."""
    campaign = endless(time_limit=2.0)
    hangs = np.array(campaign.values["h"]) == ENDLESS
    assert 0 < hangs.sum() < 4
    before = {*children(os.getpid())}
    results = run_campaign(campaign, tmp_path, num_threads=2)
    assert results.errors == tuple("the run took longer than its time limit of 2 s" if hang else None for hang in hangs)
    runner = Runner(campaign)
    for run in np.flatnonzero(~hangs):
        alone = runner.run({name: column[run] for name, column in campaign.values.items()})
        assert alone.metrics == {name: results.columns[name][run] for name in alone.metrics}
    assert {*children(os.getpid())} == before  # the processes of the pool's threads ended with them
    store = Store.open(tmp_path)
    again = replay(store, int(np.flatnonzero(hangs)[0]))
    assert again.same and again.spec is None and replay(store, int(np.flatnonzero(~hangs)[0])).same


def test_a_time_limit_from_the_command_line(tmp_path):
    path = written(tmp_path)
    result = invoke("campaign", "run", path, "-o", tmp_path / "out", "--time-limit", 20, "--threads", 1)
    assert result.exit_code == 0, result.output
    assert Store.open(tmp_path / "out").campaign.time_limit == 20.0
    assert "campaign.time_limit = 0.0: must be a finite number greater than 0" in refused(
        "campaign", "run", path, "-o", tmp_path / "other", "--time-limit", 0)


def test_a_process_that_dies_is_recorded():
    campaign = endless(time_limit=60.0)
    values = {name: column[0] for name, column in campaign.values.items()}
    child = Child(campaign.source)
    assert child.run({**values, "h": 1e-3}, 60.0).error is None
    threading.Timer(0.3, os.kill, (child.process.pid, signal.SIGSEGV)).start()
    with pytest.raises(Exception, match="the process of this run died: SIGSEGV"):
        child.run({**values, "h": ENDLESS}, 60.0)
    assert run_limited(campaign.source, {**values, "h": ENDLESS}, 0.3).error == too_long(0.3)
    assert run_limited(campaign.source, {**values, "h": 1e-3}, 60.0).error is None


def test_a_killed_campaign_leaves_no_process(tmp_path):
    source = endless(time_limit=600.0).source
    (tmp_path / "source.json").write_text(json.dumps(source))
    code = ("import json, sys; from contactlib.campaign.definition import Source, read_campaign; "
            "from contactlib.campaign import run_campaign; source = Source(*json.load(open(sys.argv[1]))); "
            "run_campaign(read_campaign(source), sys.argv[2], num_threads=2)")
    process = subprocess.Popen([sys.executable, "-c", code, tmp_path / "source.json", tmp_path / "out"])
    end = time.monotonic() + 60
    while len(children(process.pid)) < 2 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    left = children(process.pid)
    process.kill()
    process.wait()
    while any(map(alive, left)) and time.monotonic() < end:
        time.sleep(0.05)
    assert len(left) == 2 and not any(map(alive, left))


@pytest.mark.parametrize("error", [RuntimeError("odd"), KeyError("x"), RecursionError(), AssertionError("no"),
                                   MemoryError(), FloatingPointError("overflow")], ids=repr)
def test_a_run_that_raises_is_recorded(tmp_path, monkeypatch, error):
    record, last = Runner.record, wheel(runs=4).values["speed"][2]

    def raises(self, values):
        if values["speed"] == last:
            raise error
        return record(self, values)

    monkeypatch.setattr(Runner, "record", raises)
    results = run_campaign(wheel(runs=4), tmp_path, num_threads=1)
    named = f"{type(error).__name__}: {error}".removesuffix(": ")
    expected = str(error) if isinstance(error, FloatingPointError) else named
    assert results.errors == (None, None, expected, None)


# ---- replay --------------------------------------------------------------------------------------


def test_replay_says_what_differs(tmp_path):
    store = Store.create(tmp_path, wheel(runs=2))
    true = Runner(store.campaign).run(store.values(0))
    store.write({0: Outcome({**true.metrics, "peak_force": np.nextafter(true.metrics["peak_force"], 1e9)})})
    store.write({1: Outcome({}, "it went wrong")})
    assert "peak_force = " in (message := refused("campaign", "replay", tmp_path, 0, "-o", tmp_path / "0"))
    assert f"run 0 of {tmp_path} is NOT as recorded: " in message
    assert " instead of " in message and "end_speed" not in message
    assert "a run without error instead of the error 'it went wrong'" in refused("campaign", "replay", tmp_path, 1,
                                                                                "-o", tmp_path / "1")


def test_outcomes_differ_in_a_bit():
    assert list(Outcome({"x": 0.0}).differences(Outcome({"x": -0.0}))) == ["x = -0.0 instead of 0.0"]
    assert not [*Outcome({"x": np.inf}).differences(Outcome({"x": np.inf}))]


def test_replay_checks_the_results_file_too(tmp_path):
    run_campaign(wheel(runs=2), tmp_path, num_threads=1)
    assert invoke("campaign", "replay", tmp_path, 1).exit_code == 0
    path = tmp_path / "results.parquet"
    write_table(path, {**read_table(path), "end_speed": [0.0, 0.0]})
    message = refused("campaign", "replay", tmp_path, 1)
    assert f"{path} does not hold what the parts of the campaign hold" in message
    assert f": `contactlib campaign resume {tmp_path}`" in message
    resume_campaign(tmp_path)
    assert invoke("campaign", "replay", tmp_path, 1).exit_code == 0


# ---- lengths -------------------------------------------------------------------------------------


def test_lengths_that_make_no_run(tmp_path):
    fmu = export_fmu(contactlib.load("peg_in_hole").compile(), tmp_path / "peg.fmu")
    out = ("-o", tmp_path / "out")
    for start in (("run", "tripod"), ("fmu", "run", fmu)):
        message = refused(*start, *out, "--duration", "1e12")
        assert "duration = 1e+12" in message and "more than 1000000000 steps are not allowed" in message
        message = refused(*start, *out, "--duration", "0.01", "--dt", "0.02")
        assert "dt = 0.02: must not be longer than the whole run, duration = 0.01" in message
    assert invoke("run", "tripod", *out, "--duration", "0.003", "--dt", "0.003").exit_code == 0
    for head in ({"duration": 1e12}, {"step": 0.3}):
        with pytest.raises(ValueError, match=r"steps are not allowed|must not be longer than the whole run"):
            wheel(**head)
    assert closed_loop(contactlib.load("tripod"), [], 0.1 + 0.2, 0.3, None).duration == 0.3
