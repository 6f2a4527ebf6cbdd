"""Damaged model files and saved states: refused with a sentence, or harmless; never a crash.

CONTACTLIB_SOAK multiplies the number of random cases.
"""

import os
import struct
import subprocess

import numpy as np
import pytest

import contactlib
from contactlib._core.engine import checksum
from contactlib.model import HEADER, MAGIC, SECTION, VERSION
from coupled import balls
from scenes import body, caught_box, law, net, scene

SOAK = int(os.environ.get("CONTACTLIB_SOAK", "1"))
SECTIONS = ("scene", "bodies", "groups", "shapes", "laws", "curves", "meetings", "pairs", "surfaces", "vertices",
            "counts", "loops", "elements", "numbers", "integers", "strings")
COVERED = 24  # the checksum stands for every byte from here on
NUMBERS = [struct.pack("<d", x) for x in (0, -1, 0.5, 1e308, -1e308, 1e-308, float("inf"), float("nan"))]
INTEGERS = [struct.pack("<Q", x) for x in (0, 1, 2, 7, 63, 2**31 - 1, 2**31, 2**32 - 1, 2**60, 2**64 - 1)]


def everything():
    """A scene with every shape, every law, free, fixed and external bodies, in touch with each other."""
    shapes = [
        {"kind": "point"},
        {"kind": "sphere", "radius": 0.1},
        {"kind": "capsule", "radius": 0.02, "length": 0.1},
        {"kind": "box", "size": [0.1, 0.2, 0.3], "q": [0.6, 0.8, 0.0, 0.0]},
        {"kind": "segment", "length": 0.1},
        {"kind": "triangle", "corners": [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]]},
        {"kind": "ellipsoid", "semi_axes": [0.1, 0.05, 0.02]},
        {"kind": "cylinder", "radius": 0.02, "length": 0.1},
        {"kind": "polyhedron", "corners": [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]},
        {"kind": "mesh", "vertices": [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],
         "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]},
    ]
    shapes = [{"name": f"s{i}", "material": "a", **shape} for i, shape in enumerate(shapes)]
    hole = {"kind": "socket", "size": [0.2, 0.2, 0.2], "radius": 0.03, "length": 0.1}
    top = {"name": "p", "material": "c", "kind": "plane"}
    mass = {"mass": 2.0, "inertia": [0.1, 0.2, 0.3], "com": [0.01, 0.0, 0.0]}
    bodies = [
        body("free", "free", shapes, **mass, state={"r": [0.0, 0.0, 0.05], "v": [0.1, 0.0, -0.1]}),
        body("hand", "external", [{"name": "h", "material": "b", **hole}], state={"r": [0.001, 0.0, 0.0]}),
        body("floor", "fixed", [top]),
    ]
    bristle = {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.4, "tangential_stiffness": 1e4,
               "tangential_damping": 1.0}
    coulomb = {"kind": "coulomb", "mu_static": 0.5, "mu_kinetic": 0.4, "slip_velocity": 1e-3}
    line = {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 10.0}
    hertz = {"kind": "hunt_crossley", "stiffness": 1e4, "exponent": 1.5, "damping": 0.1}
    curve = {"kind": "curve", "depth": [0.01, 0.1], "force": [10.0, 300.0], "damping": 0.1}
    laws = [law("one", ["a", "b"], line, bristle), law("two", ["a", "c"], hertz, coulomb),
            law("three", ["b", "c"], curve)]
    spec = scene(bodies, laws, [], resolve_in="body", integrator="rk4", gravity=[0.0, 0.0, -9.81])
    pairs = contactlib.spec.Pair(("free", "hand")), contactlib.spec.Pair(("free", "floor"))
    return contactlib.spec.replace(spec, pairs=pairs)


def membranes():
    """A membrane with profiles on a body that is moved, and one in a plane on the world, around the same box."""
    spec = caught_box("external", keys={
        "spread": "complementarity", "elastic": {"growth": [1.0, 2.0], "tension": [200.0, 600.0]},
        "extending": {"rate": [1.0], "tension": [15.0]}, "retracting": {"rate": [1.0], "tension": [5.0]}})
    thread = net(name="thread", dimension=2, suspension_points=[[-1.0, 0.2, 0.1], [1.0, 0.2, 0.1]])
    plane = scene([], [], [], {"membrane": [thread]})
    return contactlib.spec.replace(spec, elements=spec.elements + plane.elements)


MODELS = {
    "everything": everything().compile(),
    "peg_in_hole": contactlib.load("peg_in_hole").compile(),
    "membranes": membranes().compile(),
    "coupled": balls("jacobi").compile(),
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def repaired(content):
    """The mark, version, section count and checksum as they should be: the damage behind them gets in."""
    covered = content[COVERED:]
    return HEADER.pack(MAGIC, VERSION, len(SECTIONS), checksum(covered), b"")[:COVERED] + covered


def patched(content, at, piece):
    return content[:at] + piece + content[at + len(piece):]


def taken(content):
    """True if the model is read, and then works or raises ValueError; False if it is refused with one."""
    try:
        model = contactlib.Model.from_bytes(content)
    except ValueError as error:
        assert str(error)
        return False
    assert all(part.isidentifier() for name in (model.name, *model.body_names) for part in name.split("."))
    assert all(np.isfinite(v.start) for v in model.variables)
    try:
        simulation = contactlib.Simulation(model)
        simulation.step(1.5 * model.step_size)
    except ValueError as error:
        assert any(words in str(error) for words in ("not finite", "set max_contacts", "is reeled in"))
        return True
    assert np.isfinite(simulation.wrenches).all() and np.isfinite(simulation.states).all()
    return True


def damaged(content, random):
    """One to three times: a piece changed, anywhere or in the section table, the end lost, bytes put in."""
    for _ in range(random.integers(1, 4)):
        at = int(random.integers(len(content) or 1))
        aligned = at // 4 * 4
        match random.integers(6):
            case 0:
                content = patched(content, at, random.bytes(1)) if content else content
            case 1:
                content = patched(content, aligned, NUMBERS[random.integers(len(NUMBERS))])
            case 2:
                piece = INTEGERS[random.integers(len(INTEGERS))]
                content = patched(content, aligned, piece[: random.choice((4, 8))])
            case 3:
                entry = HEADER.size + int(random.integers(len(SECTIONS) * SECTION.size)) // 4 * 4
                content = patched(content, entry, INTEGERS[random.integers(len(INTEGERS))][:4])
            case 4 if random.integers(4) == 0:
                content = content[:at]
            case 5 if random.integers(4) == 0:
                content = content[:at] + random.bytes(8) + content[at:]
    return content


# ---- model files ---------------------------------------------------------------------------------


@each_model
def test_whole_models_are_taken(model):
    content = model.to_bytes()
    assert taken(content) and repaired(content) == content
    copy = contactlib.Model.from_bytes(content)
    assert copy.hash == model.hash and copy.to_bytes() == content and copy.variables == model.variables


@each_model
def test_truncated_models_are_refused(model):
    content = model.to_bytes()
    for length in range(len(content)):
        assert not taken(content[:length])
        assert not taken(repaired(content[:length]))


@each_model
def test_a_single_flipped_bit_is_noticed(model):
    content = model.to_bytes()
    for bit in range(8 * len(content)):
        flipped = bytes([content[bit // 8] ^ 1 << bit % 8])
        with pytest.raises(ValueError, match=r"mark|version|checksum|header"):
            contactlib.Model.from_bytes(patched(content, bit // 8, flipped))


@each_model
@pytest.mark.parametrize("seed", range(4))
def test_damage_behind_a_good_checksum(model, seed):
    random = np.random.default_rng(seed)
    content = model.to_bytes()
    results = [taken(repaired(damaged(content, random))) for _ in range(1000 * SOAK)]
    assert 0.02 < np.mean(results) < 0.98  # else the damage misses what it is aimed at


@each_model
def test_every_number_replaced(model):
    content = model.to_bytes()
    for at in range(HEADER.size, len(content), 4):
        for piece in (*NUMBERS, *(piece[:4] for piece in INTEGERS)):
            taken(repaired(patched(content, at, piece)))


@each_model
@pytest.mark.parametrize("section", range(len(SECTIONS)), ids=SECTIONS)
def test_section_table(model, section):
    content = model.to_bytes()
    at = HEADER.size + section * SECTION.size
    tag, size, count, offset = SECTION.unpack_from(content, at)
    for entry in (
        (tag + 1, size, count, offset), (tag, size + 8, count, offset), (tag, 0, count, offset),
        (tag, size, 2**64 - 1, offset), (tag, size, 2**64 // size - 1, offset),
        (tag, size, len(content), offset), (tag, size, count, len(content) + 1),
        (tag, size, count, 2**64 - 8),
        (tag, size, count, len(content) - count * size + 1),
    ):
        with pytest.raises(ValueError, match=f"truncated or inconsistent in section '{SECTIONS[section]}'"):
            contactlib.Model.from_bytes(repaired(patched(content, at, SECTION.pack(*entry))))


@each_model
def test_header(model):
    content = model.to_bytes()
    for changed, message in [
        (b"", "truncated"),
        (b"PK\3\4" + content, "not a contactlib model"),
        (patched(content, 8, bytes([VERSION + 1])), f"version {VERSION + 1}, this build reads "),
        (patched(content, 12, b"\7"), "truncated or inconsistent in section 'header'"),
        (patched(content, 16, b"\0" * 8), "checksum"),
        (content + b"\0", "checksum"),
    ]:
        with pytest.raises(ValueError, match=message):
            contactlib.Model.from_bytes(changed)


def test_names_that_cannot_be_variables():
    content = MODELS["peg_in_hole"].to_bytes()
    at = content.rindex(b"interface")
    for letter in (b" ", b"\0", b"\xff", b"<", b".", b"7"):
        with pytest.raises(ValueError, match="out of its range in section 'bodies'"):
            contactlib.Model.from_bytes(repaired(patched(content, at, letter)))


# ---- saved states --------------------------------------------------------------------------------


@pytest.fixture(params=MODELS)
def simulation(request):
    simulation = contactlib.Simulation(MODELS[request.param])
    touching = {"peg_in_hole": {"interface": {"r": (0.0, 0.0003, 0.03)}}, "coupled": {"one": {"r": (-0.43, 0.0, 0.0)}}}
    simulation.compute(touching.get(request.param))
    for _ in range(3):
        simulation.step(1e-3)
    least = 1 if request.param == "coupled" else 2  # two balls have no more
    assert len(simulation.contacts) >= least or simulation.elements["net"].touching > 1
    return simulation


def restored(simulation, saved):
    """True if the state is taken, False if it is refused and nothing has changed."""
    before = simulation.save()
    try:
        simulation.restore(saved)
    except ValueError as error:
        assert "damaged or belongs to another model" in str(error)
        assert simulation.save() == before
        return False
    assert simulation.save() == saved
    return True


def test_states_that_are_truncated_or_too_long(simulation):
    saved = simulation.save()
    for length in range(len(saved)):
        assert not restored(simulation, saved[:length])
    assert not restored(simulation, saved + b"\0" * 8)
    assert restored(simulation, saved)


def test_states_of_another_model(simulation):
    for model in MODELS.values():
        saved = contactlib.Simulation(model).save()
        assert restored(simulation, saved) is (model.hash == simulation.model.hash)


@pytest.mark.parametrize("seed", range(2))
def test_damaged_states(simulation, seed):
    random = np.random.default_rng(seed)
    saved = simulation.save()
    results = []
    for _ in range(1000 * SOAK):
        results.append(restored(simulation, damaged(saved, random)))
        try:
            simulation.step(1.5 * simulation.data.get(step_size(simulation.model)))
        except ValueError as error:
            assert any(words in str(error) for words in ("finite", "quaternion", "is reeled in"))
        simulation.restore(saved)
    assert 0.02 < np.mean(results) < 0.98


def step_size(model):
    return [v.name for v in model.variables].index("step_size")


def test_every_number_of_a_state_replaced(simulation):
    saved = simulation.save()
    for at in range(0, len(saved), 8):
        for piece in NUMBERS:
            restored(simulation, patched(saved, at, piece))
            simulation.restore(saved)
        assert at < 72 or not restored(simulation, patched(saved, at, NUMBERS[-1]))  # nan


# ---- the reader under the sanitizers -------------------------------------------------------------

@pytest.fixture(scope="module")
def fuzzer(sanitized_core):
    """tests/fuzz_model.cpp and the core, built with the sanitizers."""
    return sanitized_core.program("fuzz_model.cpp")


@each_model
def test_under_the_sanitizers(fuzzer, model, tmp_path):
    (tmp_path / "model.bin").write_bytes(model.to_bytes())
    cases = 5_000 * SOAK
    command = [fuzzer, tmp_path / "model.bin", "1", str(cases)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    taken, _, refused, _ = result.stdout.split()
    assert int(taken) > 0.05 * cases and int(refused) > 0.05 * cases  # else the damage misses what it is aimed at
