"""The scene reader: what it takes, and a sentence with the key's path for everything else.

CONTACTLIB_SOAK multiplies the number of random cases.
"""

import copy
import os
import shutil
import tomllib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import contactlib
from contactlib._core import engine
from contactlib.model.spec import SCENES

SOAK = int(os.environ.get("CONTACTLIB_SOAK", "1"))
SHIPPED = {path.parent.name: path.read_text(encoding="utf-8") for path in sorted(SCENES.glob("*/scene.toml"))}
soaked = settings(max_examples=300 * SOAK, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def tables():
    """The peg-in-hole scene as tables that may be changed."""
    return tomllib.loads(SHIPPED["peg_in_hole"])


def put(values, path, value):
    """Set the value at a path of keys and indexes; `...` removes it."""
    *parents, last = path
    for key in parents:
        values = values[key]
    if value is ...:
        del values[last]
    else:
        values[last] = value


def compiled(values):
    """The scene compiled and set going, or None where it is refused with a sentence."""
    try:
        return contactlib.Simulation(contactlib.Spec.from_dict(values).compile())
    except ValueError as error:
        assert str(error)
        return None


# ---- what is taken -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_scenes(name, tmp_path):
    spec = contactlib.load(name)
    assert spec.name == name and spec.source == SCENES / name / "scene.toml"
    assert contactlib.load(SCENES / name) == contactlib.load(SCENES / name / "scene.toml") == spec
    shutil.copytree(SCENES / name, tmp_path / "copy")
    assert contactlib.load(tmp_path / "copy").compile().hash == spec.compile().hash


def test_defaults():
    spec = contactlib.Spec.from_dict({"scene": {"name": "empty"}})
    assert spec == contactlib.Spec("empty")
    assert spec.compile().body_names == ()
    bare = contactlib.Spec.from_dict({"scene": {"name": "one"}, "body": [{"name": "b"}]}).bodies[0]
    assert bare.motion == "external" and bare.state == (0,) * 3 + (1,) + (0,) * 9


def test_a_quaternion_is_normalised():
    values = tables()
    put(values, ("body", 0, "state", "q"), [0.9995, 0.0, 0.0, 0.0])
    assert contactlib.Spec.from_dict(values).bodies[0].state[3:7] == (1.0, 0.0, 0.0, 0.0)


def test_the_hash_is_of_the_content():
    changed = tables()
    put(changed, ("body", 0, "shape", 0, "radius"), np.nextafter(0.0173, 1.0).item())
    again, other = (contactlib.Spec.from_dict(v).compile().hash for v in (tables(), changed))
    assert again == contactlib.load("peg_in_hole").compile().hash != other


# ---- what is not ---------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")
PIN, HOLE = ("body", 0, "shape", 0), ("body", 1, "shape", 0)
MISTAKES = [
    (("scene",), ..., "scene.name is missing"),
    (("scene", "name"), "2 pegs", "scene.name = '2 pegs': must be a name"),
    (("scene", "nmae"), "x", "scene.nmae is not a known key; did you mean 'name'?"),
    (("scene", "step_size"), 0, "scene.step_size = 0: must be a finite number greater than 0"),
    (("scene", "step_size"), True, "scene.step_size = True"),
    (("scene", "step_size"), "1 ms", "scene.step_size = '1 ms'"),
    (("scene", "duration"), -1.0, "scene.duration = -1.0"),
    (("scene", "gravity"), [0, 0], r"scene.gravity = \[0, 0\]: must be a list of 3 numbers"),
    (("scene", "gravity"), [0, 0, NAN], r"scene.gravity\[2\] = nan: must be a finite number"),
    (("scene", "gravity"), [0, 0, 10**400], r"scene.gravity\[2\] = 1000"),
    (("scene", "resolve_in"), "wrold", "must be one of world, body; did you mean 'world'?"),
    (("scene", "integrator"), 4, "scene.integrator = 4: must be one of semi_implicit_euler, rk4"),
    (("bodies",), [], "bodies is not a known key; did you mean 'body'?"),
    (("body",), {"name": "b"}, r"body = .*: must be an array of tables, \[\[body\]\]"),
    (("body", 0), 3, r"body\[0\] = 3: must be a table"),
    (("body", 0, "name"), ..., r"body\[0\].name is missing"),
    (("body", 0, "name"), "target", "body 'target' is defined twice"),
    (("body", 0, "name"), "contact", "the name 'contact' is reserved"),
    (("body", 0, "name"), "pin_hole", "'pin_hole' names a body and a law"),
    (("body", 0, "motion"), "frei", r"body\[0\].motion = 'frei': must be one of external, driven, free"),
    (("body", 0, "mass"), ..., r"body\[0\]: mass and inertia must be given together"),
    (("body", 0, "mass"), 0.0, r"body\[0\].mass = 0.0: must be a finite number greater than 0"),
    (("body", 0, "inertia"), [1.0, 1.0, -1.0], r"body\[0\].inertia = .*: must be positive definite"),
    (("body", 0, "inertia"), [[1, 1, 0], [0, 1, 0], [0, 0, 1]], r"body\[0\].inertia = .*: must be symmetric"),
    (("body", 0, "state", "q"), [1, 1, 0, 0], r"body\[0\].state.q = .*: must be a unit quaternion"),
    (("body", 0, "state", "p"), [1, 1, 0], r"body\[0\].state.p is not a known key"),
    ((*PIN, "kind"), "capsul", r"body\[0\].shape\[0\].kind = 'capsul': .*did you mean 'capsule'?"),
    ((*PIN, "radius"), 0.0, r"body\[0\].shape\[0\].radius = 0.0: must be a finite number greater than 0"),
    ((*PIN, "radius"), -0.1, r"body\[0\].shape\[0\].radius = -0.1"),
    ((*PIN, "radius"), INF, r"body\[0\].shape\[0\].radius = inf"),
    ((*PIN, "radius"), ..., r"body\[0\].shape\[0\].radius is missing"),
    ((*PIN, "raduis"), 1.0, r"body\[0\].shape\[0\].raduis is not a known key; did you mean 'radius'?"),
    ((*PIN, "size"), [1, 1, 1], r"body\[0\].shape\[0\].size is not a known key"),
    ((*PIN, "name"), "pin_2", "shape 'pin_2' of body 'interface' is defined twice"),
    ((*PIN, "q"), [0, 0, 0, 0], r"body\[0\].shape\[0\].q = .*: must be a unit quaternion"),
    ((*PIN, "density"), 0, r"body\[0\].shape\[0\].density = 0"),
    ((*HOLE, "radius"), 0.05, r"body\[1\].shape\[0\]: socket.radius = 0.05: the hole must be narrower"),
    ((*HOLE, "length"), 0.06, r"body\[1\].shape\[0\]: socket.size\[2\] = 0.0725: must be at least"),
    ((*HOLE, "rim"), "exakt", r"body\[1\].shape\[0\].rim = 'exakt': must be one of exact"),
    ((*HOLE, "rim_levels"), 2.5, r"body\[1\].shape\[0\].rim_levels = 2.5: must be an integer"),
    ((*PIN, "material"), "teflon", "there is no law for the materials 'teflon' and 'hole', which may meet"),
    (("law",), [], "there is no law for the materials 'pin' and 'hole', which may meet"),
    (("law", 0, "materials"), ["pin", "hoel"], "no shape is made of 'hoel'; did you mean 'hole'"),
    (("law", 0, "materials"), ["pin"], r"law\[0\].materials = \['pin'\]: must be a list of 2"),
    (("law", 0, "normal"), ..., r"law\[0\].normal.kind is missing"),
    (("law", 0, "normal", "kind"), "hunt", r"law\[0\].normal.kind = 'hunt': must be one of none, kelvin_voigt"),
    (("law", 0, "normal", "stiffness"), 0, r"law\[0\].normal.stiffness = 0: must be a finite number greater"),
    (("law", 0, "normal", "damping"), -1, r"law\[0\].normal.damping = -1: must be a finite number of at"),
    (("law", 0, "friction", "mu_kinetic"), 0.3, r"mu_kinetic = 0.3: must not exceed mu_static = 0.2"),
    (("law", 0, "friction", "mu"), 0.3, r"law\[0\].friction.mu is not a known key"),
    (("pair", 0, "bodies"), ["interface", "targte"], "there is no body 'targte'; did you mean 'target'?"),
    (("pair", 0, "bodies"), ["target", "target"], "must be two different bodies"),
    (("pair", 0, "ignore"), ["capsule-sockt"], "'capsule-sockt' matches no shapes; did you mean 'capsule-so"),
    (("pair", 0, "ignore"), "capsule-socket", r"pair\[0\].ignore = 'capsule-socket': must be a list"),
]


@pytest.mark.parametrize(("path", "value", "message"), MISTAKES, ids=[m[2][:50] for m in MISTAKES])
def test_mistakes(path, value, message):
    values = tables()
    put(values, path, value)
    with pytest.raises(ValueError, match=message):
        contactlib.Spec.from_dict(values).compile()


@pytest.mark.parametrize(("path", "key", "wrong", "message"), [
    (("law", 0, "normal"), "stiffness", "stifness", r"normal.stiffness is missing; is 'stifness' meant for it\?"),
    (PIN, "radius", "raduis", r"shape\[0\].radius is missing; is 'raduis' meant for it\?"),
    (("body", 0), "name", "names", r"body\[0\].name is missing; is 'names' meant for it\?"),
])
def test_a_required_key_that_is_misspelled_is_named(path, key, wrong, message):
    values = table = tables()
    for step in path:
        table = table[step]
    table[wrong] = table.pop(key)
    with pytest.raises(ValueError, match=message):
        contactlib.Spec.from_dict(values)


def test_a_stiffness_that_restitution_needs_is_missed_as_any_other():
    values = tables()
    normal = values["law"][0]["normal"]
    normal.pop("damping")
    normal |= {"stifness": normal.pop("stiffness"), "restitution": 0.5, "mass": 1.0}
    with pytest.raises(ValueError, match=r"stiffness is missing; is 'stifness' meant for it\?"):
        contactlib.Spec.from_dict(values)


def test_pairs_that_are_not_defined():
    values = tables()
    for path in (PIN, HOLE):
        shape = {"name": f"tip_{path[1]}", "kind": "point", "material": values["body"][path[1]]["shape"][0]["material"]}
        put(values, path, shape)
    with pytest.raises(ValueError, match=r'point-point is not defined .*with ignore = \["point-point"\]'):
        contactlib.Spec.from_dict(values).compile()
    put(values, ("pair", 0, "ignore"), ["point-point"])
    pairs = contactlib.Spec.from_dict(values).compile().core.pairs
    kinds = engine.shape_kinds()
    assert pairs == ((0, 1, (kinds.index("point") * len(kinds) + kinds.index("point"),)),)


def test_density_of_a_shape_without_volume():
    values = {"scene": {"name": "x"}, "body": [{"name": "probe", "motion": "free", "shape": [
        {"name": "tip", "kind": "point", "material": "steel", "density": 1000.0}]}]}
    with pytest.raises(ValueError, match=r"point has no volume"):
        contactlib.Spec.from_dict(values).compile()


@pytest.mark.parametrize(
    "text", [b"[scene", b"\xff\xfe", b"a = 1\na = 2", b"x = [" + b"[" * 5000, b"n = 1" + b"0" * 5000])
def test_files_that_are_not_toml(text, tmp_path):
    path = tmp_path / "scene.toml"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=r"scene\.toml: not a TOML file"):
        contactlib.load(path)


def test_errors_in_files_name_the_file(tmp_path):
    (tmp_path / "scene.toml").write_text("[scene]\nname = 3\n")
    with pytest.raises(ValueError, match=r"scene\.toml: scene\.name = 3"):
        contactlib.load(tmp_path)


def test_scenes_that_do_not_exist(tmp_path):
    with pytest.raises(ValueError, match="scene = 'peg_in_hoel': no such file and no shipped scene; did you"):
        contactlib.load("peg_in_hoel")
    with pytest.raises(ValueError, match="no such file"):
        contactlib.load(tmp_path)


# ---- random scenes -------------------------------------------------------------------------------


def paths(values, at=()):
    """Every place in the tables."""
    if at:
        yield at
    if isinstance(values, dict | list):
        for key, value in values.items() if isinstance(values, dict) else enumerate(values):
            yield from paths(value, (*at, key))


def names(values):
    """Every string and key of the shipped scene, which random text alone would never hit."""
    found = {key for path in paths(values) for key in path if isinstance(key, str)}
    for path in paths(values):
        value = values
        for key in path:
            value = value[key]
        found |= {value} if isinstance(value, str) else set()
    return sorted(found | {"none", "free", "fixed", "body", "rk4", "mean", "box", "sphere", "point", "plane",
                           "socket", "hunt_crossley", "coulomb", "box-socket"})


words = st.sampled_from(names(tables()))
scalars = st.one_of(
    st.floats(), st.integers(), st.booleans(), st.text(max_size=5), words,
    st.sampled_from([0.0, -0.0, 1e308, -1e308, 5e-324, 10**400, 1, 64, 65]), st.datetimes(),
)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
numbers = st.one_of(st.floats(-1e3, 1e3), st.floats(allow_nan=False, allow_infinity=False), st.just(1))
plausible = st.one_of(numbers, st.lists(numbers, min_size=3, max_size=4), words)
places = st.sampled_from(list(paths(tables())))


@soaked
@given(st.lists(st.tuples(places, st.one_of(anything, plausible, st.just(...))), min_size=1, max_size=4))
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value", "ignore:divide by zero")
def test_changed_scenes(changes):
    values = tables()
    for path, value in changes:
        try:
            put(values, path, copy.deepcopy(value))
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    simulation = compiled(values)
    if simulation is not None:
        assert contactlib.Model.from_bytes(simulation.model.to_bytes()).hash == simulation.model.hash


@soaked
@given(anything)
def test_scenes_out_of_nothing(values):
    compiled(values)


@soaked
@given(st.integers(0, len(SHIPPED["peg_in_hole"])), st.integers(0, 40), st.text(max_size=20))
def test_changed_files(tmp_path_factory, at, length, text):
    path = tmp_path_factory.getbasetemp() / "changed.toml"
    content = SHIPPED["peg_in_hole"]
    path.write_text(content[:at] + text + content[at + length:], encoding="utf-8", errors="replace")
    try:
        contactlib.load(path).compile()
    except ValueError as error:
        assert str(error)
