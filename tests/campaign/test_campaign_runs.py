"""Campaigns run: the same bits at any number of threads, after kills, by one model or many; failures are rows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib.campaign import Store, execute, resume_campaign, run_campaign
from contactlib.campaign.definition import read_campaign
from contactlib.campaign.outcome import Outcome
from contactlib.campaign.pools import Pool
from contactlib.campaign.replay import replay, whole_scene
from contactlib.campaign.runner import Runner, run_part
from contactlib.campaign.scene_file import toml
from contactlib.common.parquet import read_table, write_table
from contactlib.model.spec import SCENES, Spec
from contactlib.simulation import rigid_body
from tests.campaign.campaign_cases import docking, wheel, written

RUN = "from contactlib.cli.main import app; app(prog_name='contactlib')"


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    """The wheel's results by one thread, in a folder that nobody changes."""
    folder = tmp_path_factory.mktemp("serial") / "wheel"
    run_campaign(wheel(), folder, num_threads=1)
    return folder


def content(folder: Path) -> bytes:
    return (folder / "results.parquet").read_bytes()


def parts(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "parts").iterdir())


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-c", RUN, "campaign", *map(str, arguments)]


# ---- the same bits -------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [2, 5])
def test_any_number_of_threads(serial, tmp_path, threads):
    run_campaign(wheel(), tmp_path / "wheel", num_threads=threads)
    assert content(tmp_path / "wheel") == content(serial)


def test_another_seed_gives_other_results(serial, tmp_path):
    other = run_campaign(wheel(seed=6), tmp_path / "wheel").columns["peak_force"]
    assert not np.isin(other, Store.open(serial).results().columns["peak_force"]).any()


@pytest.mark.parametrize("campaign", [wheel(runs=4), docking(runs=4)], ids=["wheel", "docking"])
def test_a_run_is_that_of_a_simulation(campaign):
    """Metrics out of a trajectory of the draw's own scene, to the bit, whether models are shared or not."""
    runner = Runner(campaign)
    assert (runner.shared is not None) is (campaign.name == "wheel")
    for run in range(4):
        values = {name: column[run] for name, column in campaign.values.items()}
        spec = campaign.spec_of(values)
        path = contactlib.Simulation(spec.compile()).run(spec.duration, spec.step_size)
        found = runner.run(values).metrics
        if campaign.name == "wheel":
            f, v = path.wrench("wheel")[:, :3], path.body("wheel")[-1, 7:10]
            assert found["peak_force"] == np.sqrt(f[:, 0] ** 2 + f[:, 1] ** 2 + f[:, 2] ** 2).max() > 0
            assert found["end_speed"] == np.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2)
        else:
            assert found["depth"] == path.max_depth.max() > 0
            assert found["heat"] == path.energy_dissipated[-1] > 0


def test_momentum_of_drawn_flyers():
    """Free bodies of drawn mass and size keep their momentum: sum of m v, gravity aside, to rounding."""
    campaign = docking(runs=4)
    for run in range(4):
        values = {name: column[run] for name, column in campaign.values.items()} | {"gravity": 0.0}
        spec = campaign.spec_of(values)
        path = contactlib.Simulation(spec.compile()).run(spec.duration, spec.step_size)
        mass = {body.name: body.mass_properties() for body in spec.rigid_bodies}
        assert path.contact_count.max() > 0
        balance = rigid_body.balance(path, mass)
        assert balance.linear_error < 1e-13 and balance.angular_error < 1e-12  # rounding of 600 steps
        assert mass["chaser"].mass == 12.0 * values["mass"]


def test_drawn_texts_and_truths(tmp_path):
    """A choice of integrators: two kinds of results; texts and truths are columns, and no criterion compares them."""
    campaign = docking(runs=8)
    values = dict(campaign.source.campaign)
    values["draw"] = {"method": {"path": "scene.integrator", "distribution": "choice",
                                 "options": ["rk4", "semi_implicit_euler"]},
                      "loose": {"path": "body.chaser.group", "distribution": "constant", "value": True}}
    with pytest.raises(ValueError, match=r"body\[0\]\.group = True: must be an array of tables"):
        read_campaign(campaign.source._replace(campaign=values))
    del values["draw"]["loose"]
    results = run_campaign(read_campaign(campaign.source._replace(campaign=values)), tmp_path / "out", num_threads=2)
    method, depth = results.columns["method"], results.columns["depth"]
    assert set(method) == {"rk4", "semi_implicit_euler"}
    assert len(set(depth)) == 2 and len(set(zip(method, depth, strict=True))) == 2
    assert replay(Store.open(tmp_path / "out"), 5).same
    with pytest.raises(ValueError, match=r"success\.same = .*there is no variable 'method'"):
        read_campaign(campaign.source._replace(campaign={**values, "success": {"same": "method < 1"}}))


# ---- kills and resuming --------------------------------------------------------------------------


def test_resume_after_kill_9(tmp_path):
    """Killed again and again at any moment: the parts that are there are kept as they are, and the end is the same."""
    head = {"runs": 500, "duration": 0.5}
    run_campaign(wheel(**head), tmp_path / "whole", num_threads=2)
    path = written(tmp_path)
    path.write_text(path.read_text().replace("runs = 24", "runs = 500").replace("duration = 0.2", "duration = 0.5"))
    folder = tmp_path / "killed"
    arguments, kills = ("run", path, "-o", folder, "--threads", 2), 0
    seen: dict[str, int] = {}
    for _ in range(4):
        process = subprocess.Popen(command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while process.poll() is None and len(list((folder / "parts").glob("*.parquet"))) < len(seen) + 2:
            time.sleep(0.002)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        _, error = process.communicate()
        assert process.returncode in (0, -signal.SIGKILL), error
        now = {part.name: part.stat().st_mtime_ns for part in (folder / "parts").glob("*.parquet")}
        assert now.items() >= seen.items()  # no run was lost, no run was written again
        seen, arguments = now, ("resume", folder, "--threads", 2)
        if (folder / "results.parquet").exists():
            break
    assert kills >= 2
    done = Store.open(folder).done()
    results = resume_campaign(folder)
    assert done.sum() >= len(seen) and results.run.tolist() == list(range(500))
    assert content(folder) == content(tmp_path / "whole")
    assert {part.name: part.stat().st_mtime_ns for part in (folder / "parts").iterdir()}.items() >= seen.items()


def test_resume_does_what_is_missing_and_no_more(serial, tmp_path):
    campaign = wheel()
    store = Store.create(tmp_path / "wheel", campaign)
    runner = Runner(campaign)
    marked = {run: replace(runner.run(store.values(run)), error=None) for run in (3, 4, 5, 11)}
    store.write({run: marked[run] for run in (3, 4, 5)})
    store.write({11: Outcome({"peak_force": -1.0, "end_speed": -1.0, "turned": -1.0})})  # would differ if run again
    (store.parts / "00000006-00000007.parquet.new").write_bytes(b"half a")
    results = resume_campaign(tmp_path / "wheel", num_threads=2)
    assert not list(store.parts.glob("*.new"))
    expected = Store.open(serial).results().columns["peak_force"].copy()
    expected[11] = -1.0
    np.testing.assert_array_equal(results.columns["peak_force"], expected)
    before = parts(tmp_path / "wheel")
    resume_campaign(tmp_path / "wheel")
    assert parts(tmp_path / "wheel") == before


def test_parts_grow_to_a_length_of_time(tmp_path, monkeypatch):
    """A part takes about PART_SECONDS; if PART_SECONDS is zero, each run is a part."""
    run_campaign(wheel(), tmp_path / "long", num_threads=1)
    monkeypatch.setattr(execute, "PART_SECONDS", 1e-9)
    run_campaign(wheel(), tmp_path / "short", num_threads=1)
    assert len(parts(tmp_path / "short")) == 24 > 2 * len(parts(tmp_path / "long"))
    assert content(tmp_path / "short") == content(tmp_path / "long")


def test_one_process_at_a_time(tmp_path):
    store = Store.create(tmp_path / "wheel", wheel())
    with store.locked(), pytest.raises(ValueError, match="another process runs this campaign now"):
        resume_campaign(tmp_path / "wheel")
    resume_campaign(tmp_path / "wheel")


def test_an_interrupt_keeps_what_is_done(tmp_path):
    path = written(tmp_path)
    path.write_text(path.read_text().replace("runs = 24", "runs = 50000").replace("duration = 0.2", "duration = 1.0"))
    # a shell lets what it runs in the background ignore interrupts, and its children inherit that
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command("run", path, "-o", tmp_path / "wheel"), stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, heard)
    while process.poll() is None and not list((tmp_path / "wheel" / "parts").glob("*.parquet")):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in error
    assert "continue with: contactlib campaign resume" in error
    assert 0 < Store.open(tmp_path / "wheel").done().sum() < 50000


# ---- what fails ----------------------------------------------------------------------------------


def test_a_run_that_fails_is_a_row(tmp_path):
    """Friction that is drawn above mu_static = 0.8 makes no scene; all other runs are done."""
    campaign = wheel()
    values = dict(campaign.source.campaign)
    values["draw"] = {**values["draw"], "friction": {**values["draw"]["friction"], "low": 0.7, "high": 0.9}}
    values["metric"] = {**values["metric"], "odd": "final(wheel.v[1]) / (max(contact.count) - 1)"}
    results = run_campaign(read_campaign(campaign.source._replace(campaign=values)),
                           tmp_path / "wheel", num_threads=2)
    bad = results.columns["friction"] > 0.8
    assert [error is not None for error in results.errors] == bad.tolist() and 8 <= bad.sum() <= 16
    assert all("mu_kinetic" in error and "must not exceed mu_static" in error for error in results.errors if error)
    assert np.isnan(results.columns["peak_force"][bad]).all() and not results.columns["success"][bad].any()
    assert read_table(tmp_path / "wheel" / "results.parquet")["error"] == list(results.errors)


def test_a_run_that_fails_on_its_way(tmp_path):
    """Room for one contact, and speeds of which some reach the rock: these fail there, and replay ends before it."""
    campaign = wheel(duration=0.5)
    scene = campaign.source.scene
    scene = {**scene, "scene": {**scene["scene"], "max_contacts": 1}}
    campaign = read_campaign(campaign.source._replace(scene=scene))
    results = run_campaign(campaign, tmp_path / "wheel")
    failed = np.array([error is not None for error in results.errors])
    assert 0 < failed.sum() < 24
    assert results.columns["speed"][failed].min() > results.columns["speed"][~failed].max() - 0.1
    run = int(np.flatnonzero(failed)[0])
    again = replay(Store.open(tmp_path / "wheel"), run)
    assert again.same and again.outcome.error.startswith("after t = ") and 0 < again.spec.duration < 0.5
    contactlib.Simulation(again.spec.compile()).run(again.spec.duration, again.spec.step_size)  # gets there


class Deadly:
    """A pool whose workers die of run 5, and once of a part for another reason."""

    class DiedError(Exception):
        pass

    def __init__(self):
        self.submitted: list[list[int]] = []

    def submit(self, function, source, version, values):
        self.submitted.append(list(values))
        future: Future = Future()
        if 5 in values or (len(values) > 3 and sum(len(part) > 3 for part in self.submitted) == 1):
            future.set_exception(self.DiedError())
        else:
            future.set_result(function(source, version, values))
        return future


def test_a_run_of_which_workers_die(serial, tmp_path):
    """The other runs of its part are done one by one; the deadly run fails after a second attempt."""
    store, deadly = Store.create(tmp_path / "wheel", wheel()), Deadly()
    pool = Pool(deadly.submit, lambda: 1, Deadly.DiedError)
    execute.Execution(store, pool, list(range(24)), lambda done, runs: None).run()
    results, expected = store.results(), Store.open(serial).results()
    assert results.run.tolist() == list(range(24))
    assert [run for run in range(24) if results.errors[run]] == [5] and "died" in results.errors[5]
    rest = np.arange(24) != 5
    np.testing.assert_array_equal(results.columns["peak_force"][rest], expected.columns["peak_force"][rest])
    assert sum(part == [5] for part in deadly.submitted) == 2


def test_a_lost_pool_says_how_far_it_came(tmp_path):
    store = Store.create(tmp_path / "wheel", wheel())

    def submit(*arguments):
        future: Future = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future

    with pytest.raises(ValueError, match="the pool of workers was lost; 0 of 24 runs are done: continue with"):
        execute.Execution(store, Pool(submit, lambda: 2), list(range(24)), lambda done, runs: None).run()


def test_a_worker_of_another_version_is_refused():
    with pytest.raises(ValueError, match=r"a worker has contactlib .*, and the campaign 0\.0\.0: they must be"):
        run_part(wheel().source, "0.0.0", {})


# ---- the folder ----------------------------------------------------------------------------------


def manifest(folder, **changes):
    path = folder / "campaign.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def swap(folder):
    first, *_ = sorted((folder / "parts").iterdir())
    checksum = first.stem.rpartition("-")[2]
    os.rename(first, first.with_name(f"00000020-00000020-{checksum}.parquet"))


def cut(folder):
    first, *_ = sorted((folder / "parts").iterdir())
    first.write_bytes(first.read_bytes()[:-20])


def other_draws(folder):
    columns = read_table(folder / "draws.parquet")
    write_table(folder / "draws.parquet", {**columns, "speed": columns["speed"][::-1]})


@pytest.mark.parametrize(("damage", "says"), [
    (lambda folder: manifest(folder, contactlib="0.0.1"), "was begun by contactlib 0.0.1, this is"),
    (lambda folder: manifest(folder, format=99), "was begun by contactlib"),
    (lambda folder: manifest(folder, hash="0" * 64), "have changed since the campaign began"),
    (lambda folder: manifest(folder, campaign={}), "campaign.scene is missing"),
    (lambda folder: (folder / "campaign.json").write_text("{"), "campaign.json is damaged"),
    (lambda folder: (folder / "campaign.json").write_text("{}"), "campaign.json is damaged"),
    (lambda folder: (folder / "campaign.json").unlink(), "holds no campaign"),
    (lambda folder: (folder / "draws.parquet").write_bytes(b"no"), "draws.parquet is damaged .*delete the file"),
    (other_draws, "draws.parquet is damaged or has changed since the campaign began"),
    (swap, "does not belong here, another part holds the same runs"),
    (cut, r"parts/0.*\.parquet is damaged: .*delete it and resume with `contactlib campaign resume"),
    (lambda folder: write_table(sorted((folder / "parts").iterdir())[0], {"run": [7]}), "delete it and resume"),
    (lambda folder: (folder / "parts" / "mine.parquet").write_bytes(b""), "its name is not that of a part"),
])
def test_damaged_folders(tmp_path, damage, says):
    folder = tmp_path / "wheel"
    run_campaign(wheel(), folder, num_threads=1)
    damage(folder)
    with pytest.raises(ValueError, match=says):
        resume_campaign(folder)


def test_a_folder_is_taken_once(serial):
    with pytest.raises(ValueError, match="holds a campaign already: continue with `contactlib campaign resume"):
        run_campaign(wheel(), serial)


def test_a_changed_file_of_the_scene_is_seen(tmp_path):
    corners = "solid s\n" + "".join(
        f"facet normal 0 0 0\nouter loop\n{''.join(f'vertex {x} {y} {z}' + chr(10) for x, y, z in triangle)}endloop\n"
        "endfacet\n" for triangle in (
            ((0, 0, 0), (0, 1, 0), (1, 0, 0)), ((0, 0, 0), (1, 0, 0), (0, 0, 1)), ((0, 0, 0), (0, 0, 1), (0, 1, 0)),
            ((1, 0, 0), (0, 1, 0), (0, 0, 1)))) + "endsolid s\n"
    (tmp_path / "rock.stl").write_text(corners)
    path = written(tmp_path)
    scene = (tmp_path / "flyers.toml").read_text().replace(
        'kind = "capsule"\nradius = 0.1\nlength = 0.4\n', 'kind = "mesh"\nfile = "rock.stl"\nscale = 0.2\n')
    (tmp_path / "flyers.toml").write_text(scene)
    path = tmp_path / "docking.toml"
    path.write_text(path.read_text().replace("hull.radius", "hull.scale"))
    results = run_campaign(path, tmp_path / "out", num_threads=2)
    assert set(results.errors) == {None}
    again = replay(Store.open(tmp_path / "out"), 3)
    assert again.same and Path(again.scene["body"][1]["shape"][0]["file"]) == (tmp_path / "rock.stl").resolve()
    (tmp_path / "rock.stl").write_text(corners.replace("1", "2"))
    with pytest.raises(ValueError, match="a file of its scene have changed"):
        resume_campaign(tmp_path / "out")


# ---- replay --------------------------------------------------------------------------------------


@pytest.mark.parametrize("campaign", [wheel(runs=5), docking(runs=5)], ids=["wheel", "docking"])
def test_replay(tmp_path, campaign):
    """Each run comes out as recorded, and its scene.toml alone compiles to the same model."""
    run_campaign(campaign, tmp_path / "out")
    store = Store.open(tmp_path / "out")
    for run in range(5):
        again = replay(store, run)
        assert again.same and again.recorded.metrics == again.outcome.metrics
        path = tmp_path / "scene.toml"
        path.write_text(toml(whole_scene(store, store.values(run))))
        assert Spec.from_toml(path).compile().hash == again.spec.compile().hash
    for run in (-1, 5):
        with pytest.raises(ValueError, match=f"there is no run {run}: they are numbered from 0 to 4"):
            replay(store, run)


def test_replay_notices_another_result(tmp_path):
    store = Store.create(tmp_path / "wheel", wheel(runs=2))
    store.write({0: Outcome({"peak_force": 1.0, "end_speed": 2.0, "turned": 3.0})})
    assert not replay(store, 0).same and replay(store, 1).recorded is None


def test_toml_of_all_scenes_reads_back():
    import tomllib

    for path in sorted(SCENES.glob("*/*.toml")):
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        assert tomllib.loads(toml(tables)) == tables
    odd = {"a b": 'x"\\\n\t\u007f\u00e9', "t": True, "l": [[1, 2.5e-300], []], "s": {"k": {"x": -0.0}}}
    assert tomllib.loads(toml(odd)) == odd
