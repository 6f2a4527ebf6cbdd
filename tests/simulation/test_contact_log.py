"""Logs of contacts: rows when they are due, events when they happen, and a run that does not notice."""

import csv

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib import ContactLog, Simulation, Spec
from contactlib.cli.main import app
from tests.support.law_scenes import BRISTLE, STIFF
from tests.support.scenes import body

FLOOR = body("floor", "fixed", shapes=[{"name": "top", "kind": "plane", "material": "b"}])
DT = 1e-3


def ball(name="ball", height=0.11, material="a", **state):
    return body(name, "free", [{"name": "skin", "kind": "sphere", "radius": 0.1, "material": material}], mass=1.0,
                inertia=[4e-3] * 3, state={"r": [0.0, 0.0, height], **state})


def scene(bodies=None, laws=None, pairs=(("ball", "floor"),), **keys):
    touch = {"name": "touch", "materials": ["a", "b"], "normal": STIFF, "friction": BRISTLE}
    laws = laws or [{**touch, **keys}]
    return Spec.from_dict({"scene": {"name": "test", "gravity": [0.0, 0.0, -9.81], "step_size": DT}, "law": laws,
                           "body": [*(bodies or [ball()]), FLOOR], "pair": [{"bodies": pair} for pair in pairs]})


def logged(spec, duration=0.5, **options):
    simulation, log = Simulation(spec.compile()), ContactLog(spec, **options)
    return simulation.run(duration, DT, log=log), log


# ---- rows ----------------------------------------------------------------------------------------


def test_every_step_of_a_bounce():
    """What the log says is what the trajectory says."""
    run, log = logged(scene(log="pad"))
    rows = log.rows("pad")
    touches = run.contact_count > 0
    lasts = rows[rows["event"] != 2]
    assert lasts["time"].tolist() == run.time[touches].tolist()
    np.testing.assert_allclose(lasts["force"], run.wrench("floor")[touches][:, :3], atol=1e-12)
    assert (lasts["force"][:, 2] < 0).any()  # B is the floor: the simpler shape stands first
    np.testing.assert_allclose(lasts["depth"], run.max_depth[touches], rtol=1e-12)
    centre = run.body("ball")[touches]
    np.testing.assert_allclose(lasts["point"][:, 2], (centre[:, 2] - 0.1) / 2, atol=1e-12)
    np.testing.assert_allclose(lasts["velocity"][:, 2], -centre[:, 9], atol=1e-12)
    np.testing.assert_allclose(lasts["normal"], np.tile([0.0, 0.0, -1.0], (len(lasts), 1)), atol=1e-12)


def test_events_are_where_contacts_begin_and_cease():
    run, log = logged(scene(log="pad", normal={**STIFF, "damping": 50.0}), 1.0)
    rows = log.rows("pad")
    touches = np.concatenate([[False], run.contact_count > 0])
    begins = run.time[touches[1:] & ~touches[:-1]]
    ceases = run.time[~touches[1:] & touches[:-1]]
    assert len(begins) > 2 and rows["time"][rows["event"] == 1].tolist() == begins.tolist()
    assert rows["time"][rows["event"] == 2].tolist() == ceases.tolist()
    assert rows["contact"][rows["event"] == 1].tolist() == list(range(1, len(begins) + 1))
    assert (rows["force"][rows["event"] == 2] == 0).all() and (rows["depth"][rows["event"] == 2] == 0).all()


@pytest.mark.parametrize("interval", [1e-3, 5e-3, 7e-3, 0.1, 10.0])
def test_resolution(interval):
    """The rows without an event are the first ones of every interval; the events are all there."""
    resting = scene([ball(height=0.0999)], log="pad", log_interval=interval)
    run, log = logged(resting)
    rows = log.rows("pad")
    assert (run.contact_count == 1).all()
    turns = np.floor(run.time / interval + 1e-9)
    due = np.concatenate([[True], np.diff(turns) > 0])
    assert rows["time"].tolist() == run.time[due].tolist() and rows["event"].tolist() == [1] + [0] * (due.sum() - 1)
    _, bouncing = logged(scene(log="pad", log_interval=interval))
    _, every = logged(scene(log="pad"))
    wanted, known = bouncing.rows("pad"), every.rows("pad")
    assert wanted[wanted["event"] > 0].tobytes() == known[known["event"] > 0].tobytes()


def test_which_contacts_are_in_which_log():
    bodies = [ball("one", 0.099, "a"), ball("two", 0.099, "c"), ball("three", 0.099, "d")]
    normal = {"normal": STIFF}
    laws = [{"name": "first", "materials": ["a", "b"], **normal, "log": "shared"},
            {"name": "second", "materials": ["c", "b"], **normal, "log": "shared", "log_interval": 0.1},
            {"name": "third", "materials": ["d", "b"], **normal}]
    spec = scene(bodies, laws, [["one", "floor"], ["two", "floor"], ["three", "floor"]])
    _, log = logged(spec, 0.2)
    assert log.names == ("shared",)
    columns = log.table("shared")
    assert columns["time"] == sorted(columns["time"])
    assert columns["law"].count("first") == 201 and columns["law"].count("second") == 3
    assert set(zip(columns["law"], columns["shape_a"], strict=True)) == {("first", "one.skin"), ("second", "two.skin")}
    assert set(columns["body_b"]) == {"floor"} and set(columns["shape_b"]) == {"floor.top"}
    _, log = logged(spec, 0.2, every=0.1)
    assert log.names == ("shared", "contacts") and set(log.table("contacts")["law"]) == {"first", "second", "third"}
    with pytest.raises(ValueError, match=r"there is no log 'shard'; did you mean 'shared'\?"):
        log.rows("shard")


def test_a_contact_that_rolls_over_a_mesh_stays_one():
    """Its features swap from face to face; the numbers of the contacts go from one to the next."""
    grid = [[0.05 * i, 0.05 * j, 0.0] for i in range(12) for j in range(3)]
    faces = [[3 * i + j + a, 3 * i + j + b, 3 * i + j + c] for i in range(11) for j in range(2)
             for a, b, c in ((0, 3, 1), (3, 4, 1))]
    ground = body("ground", "fixed", [{"name": "grid", "kind": "mesh", "vertices": grid, "triangles": faces,
                                       "material": "b"}])
    roller = ball(height=0.0999, r=[0.1, 0.05, 0.0999], v=[0.4, 0.0, 0.0], w=[0.0, 4.0, 0.0])
    _, log = logged(scene([roller, ground], pairs=[["ball", "ground"]], log="path"), 0.8)
    rows = log.rows("path")
    together = max(np.unique(rows["time"], return_counts=True)[1])
    assert np.ptp(rows["point"][:, 0]) > 0.3 and together <= 6
    assert len(np.unique(rows["contact"])) <= 3 * together


def test_a_run_in_pieces_and_one_that_is_reset():
    spec = scene(log="pad")
    simulation, log = Simulation(spec.compile()), ContactLog(spec)
    for _ in range(5):
        simulation.run(0.1, DT, log=log)
    _, whole = logged(spec)
    pieces, once = log.rows("pad"), whole.rows("pad")
    assert len(pieces) == len(once) and pieces["event"].tolist() == once["event"].tolist()
    np.testing.assert_allclose(pieces["time"], once["time"], rtol=1e-12)
    simulation.reset()
    simulation.run(0.5, DT, log=log)
    assert len(log.rows("pad")) == 2 * len(once)


def test_logging_changes_no_bit():
    spec = scene(log="pad")
    plain, watched = (Simulation(spec.compile()) for _ in range(2))
    plain.run(0.5, DT)
    watched.run(0.5, DT, log=ContactLog(spec, every=0.0))
    assert plain.save() == watched.save()


@pytest.mark.parametrize("every", [-1.0, float("nan"), float("inf")])
def test_mistakes(every):
    with pytest.raises(ValueError, match=f"every = {every}: must be a finite number of at least 0"):
        ContactLog(scene(), every=every)
    with pytest.raises(ValueError, match="log = 'contacts': a law must not use this name"):
        ContactLog(scene(log="contacts"), every=0.0)


# ---- files ---------------------------------------------------------------------------------------


def test_csv(tmp_path):
    _, log = logged(scene(log="pad"), every=0.01)
    paths = log.write(tmp_path / "logs")
    assert [path.name for path in paths] == ["pad.csv", "contacts.csv"]
    with paths[0].open(newline="") as file:
        header, *rows = csv.reader(file)
    columns = log.table("pad")
    assert header == list(columns) and len(rows) == len(columns["time"]) > 10
    for name, column in zip(header, zip(*rows, strict=True), strict=True):
        assert [type(columns[name][0])(cell) for cell in column] == columns[name]  # to the last bit


def test_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    _, log = logged(scene(log="pad.parquet"))
    (path,) = log.write(tmp_path, "parquet")
    assert path == tmp_path / "pad.parquet" and parquet.read_table(path).to_pydict() == log.table("pad.parquet")
    with pytest.raises(ValueError, match="form = 'xml': must be one of csv, parquet"):
        log.write(tmp_path, "xml")


def test_a_log_without_rows(tmp_path):
    _, log = logged(scene(log="pad"), 0.01)
    (path,) = log.write(tmp_path)
    assert path.read_text().startswith("time,contact,event,law,") and path.read_text().count("\n") == 1
    assert ContactLog(scene()).write(tmp_path / "none") == [] and not (tmp_path / "none").exists()


def test_the_command_writes_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "feet.pcm").write_text('ContactType soft = DefaultContact [{ LogFile="pad"; Resolution=0.01; }];\n'
                                       "SurfacePair rubber * floor -> soft;\n")
    (tmp_path / "scene.toml").write_text("""
[scene]
name = "ball"
gravity = [0, 0, -9.81]
duration = 0.2
contacts = "feet.pcm"

[[body]]
name = "ball"
state = { r = [0, 0, 0.11] }
shape = [{ name = "skin", kind = "sphere", radius = 0.1, density = 1000, material = "rubber" }]

[[body]]
name = "ground"
shape = [{ name = "top", kind = "plane", material = "floor" }]

[[pair]]
bodies = ["ball", "ground"]
""")
    result = CliRunner().invoke(app, ["run", "scene.toml", "--log-every", "0.05"])
    assert result.exit_code == 0, result.output
    for name in ("pad", "contacts"):
        assert f"wrote out/ball/contacts/{name}.csv" in result.output
        text = (tmp_path / "out" / "ball" / "contacts" / f"{name}.csv").read_text()
        assert ",established,soft,ball,ball.skin,ground,ground.top," in text
    result = CliRunner().invoke(app, ["run", "scene.toml", "--log-format", "xml"])
    assert result.exit_code == 1 and "--log-format = 'xml': must be one of csv, parquet" in result.stderr
    assert contactlib.load("scene.toml").laws[0].log == "pad"
