"""What a campaign says: paths, distributions, samples, metrics, criteria, and every mistake in a sentence."""

from __future__ import annotations

import math
import tomllib

import numpy as np
import pytest

from contactlib.campaign import load_campaign, paths
from contactlib.campaign.criteria import read_criterion
from contactlib.campaign.definition import Source, read_campaign
from contactlib.campaign.draws import read_draw, sample
from contactlib.campaign.metrics import SIGNAL, read_metric
from contactlib.campaign.template import Template
from contactlib.common.tables import Table
from tests.campaign.campaign_cases import DOCKING, FLYERS, WHEEL, docking, tables, wheel, written

T = np.linspace(0.0, 2.0, 2001)
SIGNALS = {"time": T, "a.x": np.exp(-3 * T) * np.cos(20 * T), "a.y": T - 1.0, "a.r[1]": T, "a.r[2]": 2 * T,
           "a.r[3]": -2 * T, "a.q[1]": np.cos(T / 2), "a.q[2]": np.sin(T / 2) * 0.6, "a.q[3]": 0 * T,
           "a.q[4]": np.sin(T / 2) * 0.8}


# ---- draws ---------------------------------------------------------------------------------------


def drawn(text: str, runs: int = 4096, sampling: str = "sobol", seed: int = 2) -> np.ndarray:
    draw = read_draw("x", Table({"path": "a.b", **tomllib.loads(text)}, "draw.x"))
    return np.array(sample([draw], runs, sampling, seed)["x"])


@pytest.mark.parametrize("sampling", ["sobol", "latin_hypercube"])
@pytest.mark.parametrize(("text", "quantile"), [
    ("distribution = 'uniform'\nlow = -2.0\nhigh = 6.0", lambda p: -2 + 8 * p),
    ("distribution = 'log_uniform'\nlow = 1e-3\nhigh = 10.0", lambda p: 1e-3 * 1e4**p),
    ("distribution = 'normal'\nmean = 5.0\nstd = 2.0", lambda p: 5 + 2 * math.sqrt(2) * inverse_erf(2 * p - 1)),
    ("distribution = 'lognormal'\nmedian = 5.0\nsigma = 0.5",
     lambda p: 5 * math.exp(0.5 * math.sqrt(2) * inverse_erf(2 * p - 1))),
])
def test_distributions(text, quantile, sampling):
    """Of 4096 even draws the proportion below a quantile is its probability, to one draw in 4096."""
    values = drawn(text, sampling=sampling)
    for p in (0.01, 0.1, 0.5, 0.8, 0.99):
        assert abs((values < quantile(p)).mean() - p) <= 1.01 / 4096
    assert len(set(values)) == 4096


def inverse_erf(y: float) -> float:
    """By bisection of math.erf."""
    low, high = -6.0, 6.0
    for _ in range(80):
        low, high = ((low + high) / 2, high) if math.erf((low + high) / 2) < y else (low, (low + high) / 2)
    return low


def test_a_normal_between_limits():
    values = drawn("distribution = 'normal'\nmean = 1.0\nstd = 1.0\nlow = 0.0\nhigh = 1.5")
    assert values.min() >= 0.0 and values.max() <= 1.5
    # P(x < 1 | 0 < x < 1.5) = (Phi(0) - Phi(-1)) / (Phi(0.5) - Phi(-1))
    assert abs((values < 1.0).mean() - 0.3413447 / 0.5328072) < 1e-3


def test_choices_and_constants():
    values = drawn("distribution = 'choice'\noptions = ['a', 'b', 'c']\nweights = [1, 0, 3]")
    assert abs((values == "a").mean() - 0.25) < 1e-3 and (values != "b").all()
    assert set(drawn("distribution = 'constant'\nvalue = 7", runs=3)) == {7}


@pytest.mark.parametrize("sampling", ["sobol", "latin_hypercube", "random"])
def test_samples_come_from_the_seed_alone(sampling):
    text = "distribution = 'uniform'\nlow = 0.0\nhigh = 1.0"
    one, again, other = (drawn(text, 50, sampling, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again) and not np.array_equal(one, other)
    assert sampling == "random" or sorted((one * 50).astype(int)) == list(range(50)) or sampling == "sobol"


# ---- paths ---------------------------------------------------------------------------------------


def test_paths():
    tree = tables(FLYERS)
    def value_at(path, change):
        return paths.turned(paths.changed(tree, paths.parse("path", path), change))
    assert value_at("body.target.shape.hull.radius", lambda x: x * 2)["body"][1]["shape"][0]["radius"] == 0.2
    assert value_at("body.chaser.inertia[2]", lambda x: 9.0)["body"][0]["inertia"] == [0.4, 9.0, 0.6]
    assert value_at("body.target.state.w[3]", lambda x: 1.5)["body"][1]["state"] == {"w": [0.0, 0.0, 1.5]}
    assert value_at("scene.gravity[1]", lambda x: x - 1.0)["scene"]["gravity"] == [-1.0, 0.0, 0.0]
    q = value_at("body.target.state.turn[1]", lambda x: math.pi / 2)["body"][1]["state"]["q"]
    np.testing.assert_allclose(q, [math.sqrt(0.5), math.sqrt(0.5), 0, 0], atol=1e-15)
    assert tree == tables(FLYERS)  # the original is never touched


def test_a_turn_is_about_the_axes_outside():
    """A body turned by 90 degrees about x, then by the draw about z: z of the world, as rotation matrices say."""
    from contactlib.shapes.quaternion import rotation_matrix

    s = math.sqrt(0.5)
    tree = paths.turned({"q": [s, s, 0.0, 0.0], "turn": [0.0, 0.0, 0.3]})
    turn = np.array([[math.cos(0.3), -math.sin(0.3), 0], [math.sin(0.3), math.cos(0.3), 0], [0, 0, 1]])
    np.testing.assert_allclose(rotation_matrix(tree["q"]), turn @ rotation_matrix((s, s, 0.0, 0.0)), atol=1e-15)


def test_offsets_and_factors():
    scene = docking().scene_of({"mass": 2.0, "girth": 0.1, "density": 300, "gravity": 0.01})
    assert scene["body"][0]["mass"] == 24.0 and scene["body"][0]["inertia"] == [0.8, 1.0, 1.2]
    scene = wheel().scene_of({"speed": 0.5, "height": 0.002, "friction": 0.2, "tilt": 0.0})
    assert scene["body"][0]["state"]["r"] == [0.0, 0.0, 0.252]


@pytest.mark.parametrize("campaign", [wheel(), docking()], ids=["wheel", "docking"])
def test_the_template_makes_the_same_scenes(campaign):
    """Reading only the drawn tables makes the Spec that reading all tables makes."""
    template = Template(campaign)
    assert template.only_starts is (campaign.name == "wheel")
    for run in range(4):
        values = {name: column[run] for name, column in campaign.values.items()}
        assert template.spec(values) == campaign.spec_of(values)


ARM = """
[object]
mass = 5.0
inertia = [1.0, 1.0, 1.0]
[[object.group]]
name = "palm"
[[object.group.shape]]
name = "skin"
kind = "sphere"
radius = 0.1
material = "steel"
[[object.group]]
name = "finger"
movable = true
r = [0.3, 0.0, 0.0]
mass = 0.5
inertia = [0.1, 0.1, 0.1]
"""
PARTS = """
[[object]]
name = "left"
file = "arm.toml"
state = { r = [0.0, 2.0, 0.0] }
[[object]]
name = "right"
file = "arm.toml"
[[body]]
name = "boom"
state = { r = [0.0, -2.0, 0.0] }
[[body.group]]
name = "root"
[[body.group.shape]]
name = "ball"
kind = "sphere"
radius = 0.1
density = 500
material = "steel"
[[body.group]]
name = "tip"
movable = true
r = [0.5, 0.0, 0.0]
[[body.group.shape]]
name = "end"
kind = "sphere"
radius = 0.05
density = 500
material = "steel"
"""


@pytest.mark.parametrize("path", [
    "object.left.state.w[3]", "object.left.state.turn[2]", "body.boom.state.w[3]", "body.boom.group.tip.r[1]",
    "body.boom.group.tip.shape.end.radius", "body.boom.group.root.shape.ball.density",
])
def test_objects_and_groups(tmp_path, path):
    """Bodies that a tree or a file holds move along with what is drawn; a scene of them replays by itself."""
    (tmp_path / "arm.toml").write_text(ARM)
    values = tables(DOCKING)
    values["draw"] = {"x": {"path": path, "distribution": "uniform", "low": 0.1, "high": 0.2}}
    campaign = read_campaign(Source(values, tables(FLYERS + PARTS), str(tmp_path)))
    template = Template(campaign)
    assert not template.only_starts
    made = [campaign.spec_of({"x": value}) for value in (0.1, 0.2)]
    assert [template.spec({"x": value}) for value in (0.1, 0.2)] == made
    assert made[0].compile().hash != made[1].compile().hash and len(made[0].rigid_bodies) == 8


# ---- metrics and criteria ------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "value"), [
    ("max(a.y)", 1.0), ("min(a.y)", -1.0), ("range(a.y)", 2.0), ("initial(a.y)", -1.0), ("final(a.y)", 1.0),
    ("max(norm(a.r))", 6.0), ("max(abs(a.y) - 3)", -2.0), ("-min(-a.y)", 1.0), ("percentile(a.y, 75)", 0.5),
    ("mean(a.y * a.y)", (np.square(T - 1)).mean()), ("final(time)", 2.0), ("max(a.y) / 4 + 2 * 3", 6.25),
    ("first_time(a.y, 0.25)", 1.251), ("first_time(a.y, 5)", math.inf), ("time_above(a.y, 0.5)", 0.5),
    ("settling_time(a.y, 1, 0.25)", 1.75), ("settling_time(a.y, 0, 0.5)", math.inf), ("settling_time(a.y, 0, 2)", 0.0),
    ("max(angle(a.q))", 2.0), ("max(norm(a.r - 2 * a.r))", 6.0), ("final(norm(a.r / 2))", 3.0),
    ("integral(a.y * a.y)", 2 / 3 + 2e-6 / 6),  # trapezoids of step h are off by h^2/12 (f'(b) - f'(a))
])
def test_metrics(text, value):
    assert read_metric("m", text, "", dict.fromkeys(SIGNALS, SIGNAL)).of(SIGNALS) == pytest.approx(value, rel=1e-9)


def test_a_vibration_settles_when_its_envelope_says():
    time = read_metric("m", "settling_time(a.x, 0, 0.05)", "", dict.fromkeys(SIGNALS, SIGNAL)).of(SIGNALS)
    assert np.abs(SIGNALS["a.x"][time <= T]).max() <= 0.05 < np.abs(SIGNALS["a.x"][(time - 0.0011) <= T]).max()


@pytest.mark.parametrize(("text", "says"), [
    ("max(a.z)", "there is no variable 'a.z'; did you mean 'a."), ("max(a.y", "is not an expression: "),
    ("maxx(a.y)", "there is no function 'maxx'; did you mean 'max'?"), ("a.y", "must be one number"),
    ("norm(a.r)", "must be one number for a run"), ("max(a.r)", "needs a variable over time, not a vector"),
    ("max()", "needs a variable over time, not nothing"),
    ("percentile(a.y, 101)", "needs a percentage from 0 to 100, not 101"),
    ("settling_time(a.y, 0, 0)", "a band greater than zero, not 0"),
    ("final(a.q + a.r)", "added to a vector of the same length"),
    ("final(norm(a.r * a.y))", "multiplied or divided by a number"), ("max(angle(a.r))", "needs a quaternion"),
    ("settling_time(a.y, max(a.y), 1)", "needs a variable over time and a number and a number"),
    ("__import__('os').system('x')", "is not allowed"), ("max(a.y if 1 else 2)", "is not allowed"),
    ("max(a.y, key=1)", "is not allowed"), ("max([1, 2])", "is not allowed"), ("max(a.y ** 9)", "is not allowed"),
    ("3", "must be one number for a run"), ("max(a.y) + 1e999", "is not a finite number"),
    ("max(a.y) + True", "True is not a finite number"), ("max(a.y) + 'x'", "'x' is not a finite number"),
    ("-" * 400 + "max(a.y) +", "is not an expression"), ("max(a.y)" * 100, "is longer than 500 characters"),
    ("", "is not an expression"),
    ("(" * 240 + "1" + ")" * 240, "is not an expression"), ("lambda: 1", "is not allowed"),
])
def test_bad_metrics(text, says):
    with pytest.raises(ValueError) as error:
        read_metric("m", text, "", dict.fromkeys(SIGNALS, SIGNAL))
    assert str(error.value).startswith("metric.m = ") and says in str(error.value)


def test_a_metric_that_is_no_number_is_an_error():
    metric = read_metric("m", "max(a.y) / (max(a.y) - 1)", "", dict.fromkeys(SIGNALS, SIGNAL))
    assert metric.of({**SIGNALS, "a.y": T}) == 2.0
    with pytest.raises(ValueError, match=r"metric.m = .*: the result of this run is not a number"):
        read_metric("m", "(max(a.y) - 1) / (max(a.y) - 1)", "", dict.fromkeys(SIGNALS, SIGNAL)).of(SIGNALS)


def test_criteria():
    columns = {"a": np.array([1.0, 2.0, np.inf, np.nan]), "b": np.array([1.5, 1.5, 1.5, 1.5])}
    below = read_criterion("c", "a < b", ["a", "b"])
    assert below.holds(columns).tolist() == [True, False, False, False]
    np.testing.assert_array_equal(below.margin(columns), [0.5, -0.5, -np.inf, np.nan])
    between = read_criterion("c", "0.5 * b <= a <= 2", ["a", "b"])
    assert between.holds(columns).tolist() == [True, True, False, False]
    assert between.limits("a") == [2.0] and below.limits("a") == [] and between.reads == {"a", "b"}
    assert read_criterion("c", "2 * a < 3", ["a"]).limits("a") == []
    for text, says in (("a", "must be a comparison"), ("a == b", "must be a comparison"),
                       ("a < c", "no variable 'c'; known: a, b"),
                       ("1 < 2", "compares no metric"), ("max(a) < 2", "there is no function 'max'"),
                       ("a < b and b < 2", "must be a comparison")):
        with pytest.raises(ValueError, match=r"success\.c = ") as error:
            read_criterion("c", text, ["a", "b"])
        assert says in str(error.value)


# ---- files ---------------------------------------------------------------------------------------


def test_files(tmp_path):
    path = written(tmp_path)
    assert load_campaign(path).values == wheel().values
    assert load_campaign(tmp_path / "docking.toml").criteria[0].text == "depth < 1e-3"


UNIFORM = 'distribution = "uniform"\nlow = 0.1\nhigh = 1.2'
EDITS = [
    ("runs = 24", "runs = 0", "campaign.runs = 0: must be an integer from 1"),
    ("runs = 24", "runs = -3", "campaign.runs = -3: must be an integer"),
    ("runs = 24", "", "campaign.runs is missing"),
    ("seed = 5", "seed = 1.5", "campaign.seed = 1.5: must be an integer"),
    ("seed = 5", "sampling = 'halton'", "must be one of latin_hypercube, sobol, random"),
    ("duration = 0.2", "duration = nan", "campaign.duration = nan: must be a finite number"),
    ("duration = 0.2", "duratoin = 0.2", "campaign.duratoin is not a known key; did you mean 'duration'?"),
    ("duration = 0.2", "fixed = ['weel']", "did you mean 'wheel'?"),
    ("duration = 0.2", "step = 1e-12", "more than 1000000000 steps"),
    ("duration = 0.2", "step = 1e-8", "record fewer rows with a greater `every` than 1"),
    ('scene = "rover_wheel"', 'scene = "rover_weel"', "did you mean 'rover_wheel'?"),
    ('scene = "rover_wheel"', "", "campaign.scene is missing"),
    ('scene = "rover_wheel"', "scene = 3", "campaign.scene = 3: must be a string"),
    ("body.wheel.state.v[1]", "body.weel.state.v[1]", "body.weel is not in the scene; did you mean 'wheel'?"),
    ("body.wheel.state.v[1]", "bodies.wheel.mass", "bodies is not in the scene; did you mean 'body'?"),
    ("body.wheel.state.v[1]", "body.wheel.state.v[4]", "body.wheel.state.v has elements 1 to 3"),
    ("body.wheel.state.v[1]", "body.wheel.state.v[0]", "body.wheel.state.v has elements 1 to 3"),
    ("body.wheel.state.v[1]", "body.wheel.stat.v[1]", "body[0].stat is not a known key; did you mean 'state'?"),
    ("body.wheel.state.v[1]", "body.wheel.mas", "body[0].mas is not a known key; did you mean 'mass'?"),
    ("body.wheel.state.v[1]", "body.wheel.mass[1]", "body.wheel.mass is not a list of numbers"),
    ("body.wheel.state.v[1]", "body.wheel.mass.x", "body.wheel.mass is not a table"),
    ("body.wheel.state.v[1]", "body.wheel.corners[1]", "body.wheel.corners is not in the scene"),
    ("body.wheel.state.v[1]", "body..v", "must be names with dots between them"),
    ("body.wheel.state.v[1]", "law.wheel_soil.friction.mu_kinetic", "has the same path"),
    ("law.wheel_soil.friction.mu_kinetic", "law.wheel_soil.friction.mu_kinetc", "did you mean 'mu_kinetic'?"),
    ('as = "offset"', 'as = "sum"', "draw.height.as = 'sum': must be one of value, offset, factor"),
    ('path = "body.wheel.state.r[3]"', 'path = "body.wheel.com"', "no value here to which the offset could be applied"),
    ('path = "body.wheel.state.r[3]"', 'path = "body.wheel.motion"', "'free' is not a number"),
    ('path = "body.wheel.state.r[3]"', "path = []", "must be a path into the scene"),
    ("std = 5e-4", "std = 0", "draw.height.std = 0: must be a finite number greater than 0"),
    ("std = 5e-4", "std = nan", "draw.height.std = nan: must be a finite number"),
    ("std = 5e-4", "std = 5e-4\nlow = 3\nhigh = 2", "must leave a range with a probability above zero"),
    ("low = 0.1\nhigh = 1.2", "low = 0.1\nhigh = 0.1", "draw.speed.high = 0.1: must be greater than low = 0.1"),
    ("low = 0.1\nhigh = 1.2", "low = inf\nhigh = 1", "draw.speed.low = inf: must be a finite number"),
    (UNIFORM, 'distribution = "unifrom"', "did you mean 'uniform'?"),
    (UNIFORM, 'distribution = "choice"\noptions = []', "at least one option"),
    (UNIFORM, 'distribution = "choice"\noptions = [1, 2]\nweights = [0, 0]',
     "at least one weight must be greater than zero"),
    (UNIFORM, 'distribution = "constant"\nvalue = nan', "must be a finite"),
    (UNIFORM, 'distribution = "constant"\nvalue = inf', "must be a finite"),
    (UNIFORM, 'distribution = "choice"\noptions = [1, "a"]', "all must have one type"),
    (UNIFORM, f'distribution = "constant"\nvalue = {2**63}', "an integer"),
    ("[draw.speed]", "[draw.error]", "the names draw, error and success are reserved"),
    ('turned = "max(angle(wheel.q))"', 'speed = "max(angle(wheel.q))"', "metric.speed: a draw has this name"),
    ('turned = "max(angle(wheel.q))"', 'turned = { is = "max(time)", units = "rad" }', "did you mean 'unit'?"),
    ('turned = "max(angle(wheel.q))"', "turned = 3", "metric.turned = 3: must be a table"),
    ('"peak_force < 150"', '"peak_fource < 150"', "no variable 'peak_fource'; did you mean 'peak_force'?"),
    ('"peak_force < 150"', "3", "success.soft = 3: must be a string"),
    ("[success]", "[sucess]", "sucess is not a known key; did you mean 'success'?"),
]


@pytest.mark.parametrize(("old", "new", "says"), EDITS)
def test_mistakes(tmp_path, old, new, says):
    assert WHEEL.count(old) >= 1
    path = written(tmp_path)
    path.write_text(WHEEL.replace(old, new, 1))
    with pytest.raises(ValueError) as error:
        load_campaign(path)
    assert str(error.value).startswith(str(path)) and says in str(error.value), error.value


def test_other_mistakes(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_campaign(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("[campaign")
    with pytest.raises(ValueError, match="not a TOML file"):
        load_campaign(tmp_path / "bad.toml")
    with pytest.raises(ValueError, match="metric is missing: a campaign has at least one"):
        read_campaign(Source({**tables(DOCKING), "metric": {}}, tables(FLYERS), "."))
    for values in ({}, {"campaign": 3}):
        (tmp_path / "bad.toml").write_text("" if not values else "campaign = 3")
        with pytest.raises(ValueError, match="campaign"):
            load_campaign(tmp_path / "bad.toml")
