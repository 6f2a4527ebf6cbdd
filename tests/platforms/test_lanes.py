"""Loops in lanes: the bits of the functions for one pair or one contact, with two, four and eight lanes.

CONTACTLIB_SOAK multiplies the number of placements and points: 100 makes ten million of each kind.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from contactlib.fmu.build import eigen_include

CORE = Path(__file__).parents[2] / "contactlib" / "core"
SURFACE_SOURCES = tuple(f"geometry/surface/{name}" for name in ("bvh4", "corner", "face_planes", "flats",
                                                             "regions", "surface", "tree"))
SOURCES = ("geometry/manifold/load_share", "geometry/plane", "geometry/socket/capsule_loop", "geometry/socket/socket",
           "geometry/ball_loop", "geometry/sweep/box", "geometry/sweep/rim", "geometry/rod_loop",
           "geometry/sweep/rod_box_loop", "geometry/sweep/rod_triangle_loop", "geometry/sweep/round",
           "geometry/sweep/triangle", "geometry/sweep/triangle_loop", "law/bristle_loop", "law/curve", "law/friction",
           "law/normal", *SURFACE_SOURCES)
WHEEL_SOURCES = ("geometry/convex/support", *SURFACE_SOURCES)
WALK_SOURCES = tuple(f"bounding/{name}" for name in ("tree", "volumes", "walk", "within"))
COUNT = 100_000 * int(os.environ.get("CONTACTLIB_SOAK", "1"))

# what a batch of each loop gives, as bytes
BATCHES = """
import hashlib
import numpy as np
import contactlib
from contactlib._core import engine
from tests.geometry.test_triangle_loop import TRIANGLES, around, bits, found
rng = np.random.default_rng(3)
parts = [b for corners in TRIANGLES.values() for b in bits(found(corners, *around(corners, 1003)))]
points = rng.uniform(-0.5, 0.5, (1003, 3)) * [1, 1, 1e-3]
states = np.zeros((20, 13))
states[:, 3], states[:, :3], states[:, 7:] = 1, 1e-4 * rng.uniform(-1, 1, (20, 3)), rng.uniform(-0.1, 0.1, (20, 6))
law = {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 10.0}
rub = {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.4, "tangential_stiffness": 1e4, "tangential_damping": 10.0}
for n in (1, 2, 7, 128, 131, 1003):
    bristles = np.zeros((20, n, 3))
    for _ in range(2):
        pressed = contactlib.press_points(points[:n], states, law, friction=rub, h=1e-3, bristles=bristles)
    parts += [bristles.tobytes(), pressed.wrench.tobytes(), pressed.depth.tobytes(), pressed.heat.tobytes()]
print(engine.LANES, hashlib.sha256(b"".join(parts)).hexdigest())
"""

# the contacts of forty balls that fall into a corner, by law: their states and forces, with memory and without
CONTACTS = """
import hashlib
import numpy as np
import contactlib
from contactlib._core import engine
from tests.support.law_scenes import BRISTLE, GRAINED, LUGRE, RATE, STIFF, touch
from tests.support.scenes import body, scene
rng, s = np.random.default_rng(5), 0.5**0.5
places = 0.11 * np.array([[i % 4, i // 4 % 4, i // 16] for i in range(40)]) + rng.uniform(-5e-3, 5e-3, (40, 3)) + 0.06
balls = [body(f"ball{i}", "free", mass=1.0, inertia=[4e-3] * 3, state={"r": r.tolist(), "v": [-0.5, -0.3, -1.0]},
              shapes=[{"name": "ball", "kind": "sphere", "radius": 0.06, "material": "a"}])
         for i, r in enumerate(places)]
walls = [body(f"wall{k}", "fixed", state={"q": q}, shapes=[{"name": "wall", "kind": "plane", "material": "b"}])
         for k, q in enumerate([[1.0, 0.0, 0.0, 0.0], [s, 0.0, s, 0.0], [s, -s, 0.0, 0.0]])]
hertz = {"kind": "hertz", "modulus": 1e7, "radius": 0.03, "damping": 0.3}
powers = [{"kind": "hunt_crossley", "stiffness": 1e6, "exponent": n, "damping": 0.2} for n in (1.0, 1.5, 2.0, 1.3)]
curve = {"kind": "curve", "depth": [1e-3, 1e-2], "force": [50.0, 2e3], "damping": 0.1}
coulomb = {"kind": "coulomb", "mu_static": 0.6, "mu_kinetic": 0.4, "slip_velocity": 0.01}
rolling = {"kind": "rolling", "mu_rolling": 1e-3, "mu_spinning": 1e-3, "rolling_stiffness": 10, "rolling_damping": 0.1}
laws = [{"normal": normal, "friction": BRISTLE} for normal in (STIFF, hertz, curve, *powers)]
laws += [{"normal": STIFF}, *({"normal": STIFF, "friction": k} for k in (coulomb, RATE, LUGRE, GRAINED))]
laws += [{"normal": STIFF, "friction": BRISTLE, "rolling": rolling}]
runs = [(law, {"step_size": 5e-4}) for law in laws]
runs += [(laws[0], {"integrator": "rk4"}), (laws[0], {"step_size": "auto"})]
parts, count = [], 0
for law, options in runs:
    both = [touch(**law), {**touch(**law), "name": "own", "materials": ["a", "a"]}]
    simulation = contactlib.Simulation(scene([*balls, *walls], both, [["ball*", "ball*"], ["ball*", "wall*"]],
                                             gravity=[0.0, 0.0, -9.8], **options).compile())
    for _ in range(60):
        simulation.step(1e-3)
        count += len(simulation.contacts)
        parts += [simulation.states.tobytes(), simulation.contacts.tobytes()]
    batch = simulation.compute_batch(np.array([simulation.states] * 2), num_threads=1)
    parts += [batch.wrenches.tobytes()]
print(engine.LANES, count, hashlib.sha256(b"".join(parts)).hexdigest())
"""

# the contacts of a body of balls of two sizes with a body of one shape: with two lanes by the functions for one pair
PAIRS = """
import hashlib
import numpy as np
import contactlib
from contactlib._core import engine
from tests.support.law_scenes import STIFF, touch
from tests.support.scenes import body, scene
rng = np.random.default_rng(7)
places = rng.uniform([-0.3, -0.3, -0.06], [0.3, 0.3, 0.06], (90, 3))
balls = body("balls", "external", shapes=[
    {"name": f"ball{i}", "kind": "sphere", "radius": (0.05, 0.03)[i % 2], "r": r.tolist(), "material": "a"}
    for i, r in enumerate(places)])
others = {"capsule": {"radius": 0.1, "length": 0.5}, "box": {"size": [0.5, 0.4, 0.2]},
          "triangle": {"corners": [[-0.3, -0.3, 0.0], [0.4, -0.2, 0.0], [0.0, 0.3, 0.02]]}}
parts, counts = [], []
for kind, sizes in others.items():
    other = body("other", "fixed", shapes=[{"name": "other", "kind": kind, "material": "b", **sizes}])
    simulation = contactlib.Simulation(scene([balls, other], [touch(normal=STIFF)], [["balls", "other"]]).compile())
    counts.append(0)
    for _ in range(40):
        states = simulation.states.copy()
        q = rng.normal(size=4)
        states[0, :3], states[0, 3:7] = rng.uniform(-0.1, 0.1, 3), q / np.linalg.norm(q)
        contacts = simulation.compute(states).contacts
        counts[-1] += len(contacts)
        parts.append(np.asarray(contacts).tobytes())
print(engine.LANES, min(counts), hashlib.sha256(b"".join(parts)).hexdigest())
"""


def with_lanes(command, lanes):
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "CONTACTLIB_LANES": str(lanes)},
                            cwd=CORE.parents[1])
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def built(program, sources):
    """A program of this folder with some sources of the core, optimised: without optimisation there are no lanes."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++ here, with which this test builds the loops")
    build = tomllib.loads((CORE / "build.toml").read_text())
    files = [*Path(__file__).parent.glob(f"{program.name}*.cpp"), *(CORE / f"{name}.cpp" for name in sources),
             *sorted((CORE / "math").glob("*.cpp"))]
    subprocess.run([compiler, f"-std={build['standard']}", *build["flags"], f"-I{CORE}", f"-isystem{eigen_include()}",
                    *(f"-D{name}" for name in build["defines"]), *files, "-o", program], check=True)
    return program


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The loops and the functions for one."""
    return built(tmp_path_factory.mktemp("lanes") / "lanes", SOURCES)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The searches among the incident edges of a corner, in lanes and in loops."""
    return built(tmp_path_factory.mktemp("wheels") / "wheels", WHEEL_SOURCES)


@pytest.fixture(scope="module")
def walks(tmp_path_factory):
    """The traversal of two trees, in lanes and one pair at a time."""
    return built(tmp_path_factory.mktemp("walks") / "walks", WALK_SOURCES)


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_each_lane_has_the_bits_of_one(program, lanes):
    """Usual placements, borders of regions, and numbers that are odd or none."""
    printed = with_lanes([program, str(COUNT)], lanes)
    touching = re.findall(r"(\d+) placements, (\d+) contacts, (\d+) lanes", printed)
    assert len(touching) == 14, printed
    for placements, contacts, used in touching:
        assert int(contacts) > 0.2 * int(placements) and int(used) <= lanes
    assert printed.count("points") == 12, printed


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_searches_among_incident_edges_find_what_loops_find(wheels, lanes):
    """Also of edges that are equally high, and along directions that are odd or none."""
    printed = with_lanes([wheels, str(COUNT)], lanes)
    done = re.search(r"(\d+) searches, (\d+) lanes", printed)
    assert done and int(done[1]) == COUNT and int(done[2]) <= lanes


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_traversals_find_the_candidates_of_tests_one_at_a_time(walks, lanes):
    """In the same order and after as many tests, for all kinds of volumes and placements that are odd or none."""
    printed = with_lanes([walks, str(COUNT // 20)], lanes)
    done = re.search(r"(\d+) traversals, (\d+) candidates, (\d+) lanes", printed)
    assert done and int(done[1]) == COUNT // 20 and int(done[2]) > COUNT and int(done[3]) <= lanes


def test_batches_have_the_same_bits_with_any_number_of_lanes():
    """CONTACTLIB_LANES limits the lanes of the library; nothing else changes."""
    printed = [with_lanes([sys.executable, "-c", BATCHES], lanes).split() for lanes in (2, 4, 8)]
    assert printed[0][0] == "2"
    assert [int(lanes) for lanes, _ in printed] == [min(k, int(printed[2][0])) for k in (2, 4, 8)]
    assert len({bits for _, bits in printed}) == 1


@pytest.mark.parametrize(("code", "least"), [(CONTACTS, 10_000), (PAIRS, 500)], ids=["laws", "pairs"])
def test_contacts_have_the_same_bits_with_any_number_of_lanes(code, least):
    """With two, laws are applied to contacts one by one, and balls meet a capsule, a box or a triangle one by one.

    `least`: contacts, of each kind of pair.
    """
    printed = [with_lanes([sys.executable, "-c", code], lanes).split() for lanes in (2, 4, 8)]
    assert [int(row[0]) for row in printed] == [min(k, int(printed[2][0])) for k in (2, 4, 8)]
    assert int(printed[0][1]) > least
    assert len({row[2] for row in printed}) == 1


def test_no_instruction_fuses_a_product_with_a_sum():
    """AVX-512 has such instructions, and one of them in the library would change bits."""
    objdump = shutil.which("objdump")
    if objdump is None:
        pytest.skip("there is no objdump here, with which this test reads the library")
    from contactlib._core import engine
    code = subprocess.run([objdump, "-d", "--no-show-raw-insn", engine.__file__], capture_output=True, text=True,
                          check=True).stdout
    assert len(code) > 1_000_000
    assert not re.search(r"\tvfn?m(add|sub)", code)
