"""Cached candidates: every step and every evaluation is that of one without them, bit for bit, however bodies move."""

import os
import subprocess
import tomllib
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib.fmu.build import eigen_include, find_compiler
from contactlib.fmu.excitation import excitation
from contactlib.model.spec import SCENES
from contactlib.shapes.quaternion import product, rotation_matrix
from tests.support.scenes import body, law, scene

SOAK = int(os.environ.get("CONTACTLIB_SOAK", "1"))
STEPS = 100 * SOAK
CORE = Path(contactlib.__file__).parent / "core"
NAMES = sorted(path.parent.name for path in SCENES.glob("*/scene.toml"))
KINDS = {
    "sphere": {"radius": 0.03}, "capsule": {"radius": 0.02, "length": 0.06}, "box": {"size": [0.05, 0.04, 0.06]},
    "cylinder": {"radius": 0.03, "length": 0.05}, "ellipsoid": {"semi_axes": [0.03, 0.02, 0.04]},
    "socket": {"size": [0.1, 0.1, 0.08], "radius": 0.025, "length": 0.04},
}


def unlike(cached, plain):
    """What two simulations do not have in common: their states, contacts, wrenches."""
    parts = {"state": (cached.save(), plain.save()), "contacts": (cached.contacts.tobytes(), plain.contacts.tobytes()),
             "wrenches": (cached.wrenches.tobytes(), plain.wrenches.tobytes())}
    return [name for name, (one, other) in parts.items() if one != other]


def two(model):
    """Two simulations of a model, the second without cached candidates."""
    cached, plain = contactlib.Simulation(model), contactlib.Simulation(model)
    plain.data.cache_candidates(False)
    return cached, plain


# ---- the shipped scenes --------------------------------------------------------------------------


def scene_steps(name, steps):
    """Two simulations of a scene, `steps` times moved on by the signals of `contactlib hash`; jumps and restores."""
    model = contactlib.load(name).compile()
    signals = excitation(model, name, max(1000, steps))
    both, rng, saved = two(model), np.random.default_rng(3), None
    for simulation in both:
        for row, value in zip(signals.integers, signals.constants, strict=True):
            simulation.data.set(row, value)
    for k in range(steps):
        at = k if k % 37 else rng.integers(len(signals.rows))  # teleports external bodies and back
        for simulation in both:
            for row, value in zip(signals.reals, signals.rows[at], strict=True):
                simulation.data.set(row, value)
            simulation.data.accept_inputs()
            if k == 0:
                simulation.data.evaluate()
            simulation.data.advance(signals.step)
        yield k, *both
        if k % 50 == 20:
            saved = both[0].save()
        if k % 50 == 45:
            for simulation in both:
                simulation.restore(saved)


@pytest.mark.parametrize("name", NAMES)
def test_every_step_of_the_shipped_scenes_has_the_same_bits(name):
    fewer = 0
    for k, cached, plain in scene_steps(name, STEPS):
        assert not unlike(cached, plain), f"step {k}"
        fewer += cached.data.work()[0] < plain.data.work()[0]
    assert fewer > 0 or plain.data.work()[0] == 0  # a scene without pairs of bodies traverses nothing


@pytest.mark.parametrize("name", ["peg_in_hole", "cbm", "lee_snare"])
def test_a_fresh_simulation_repeats_a_step(name):
    """A Simulation that has seen nothing before is restored in every state and makes the next step."""
    before, compared = None, 0
    model = contactlib.load(name).compile()
    signals = excitation(model, name, 1000)
    for k, cached, _ in scene_steps(name, 30):
        if before is not None and k % 37:
            fresh = contactlib.Simulation(model)
            fresh.restore(before)
            for row, value in zip(signals.reals, signals.rows[k], strict=True):
                fresh.data.set(row, value)
            fresh.data.accept_inputs()
            fresh.data.advance(signals.step)
            assert not unlike(cached, fresh)
            compared += 1
        before = cached.save()
    assert compared > 20


# ---- two bodies of many shapes -------------------------------------------------------------------


def cluster(rng, name, count, half, **keys):
    """A body of `count` shapes of all kinds, anywhere in a box."""
    kinds = list(KINDS)
    rows = []
    for i in range(count):
        kind, q = kinds[i % len(kinds)], rng.normal(size=4)
        rows.append({"name": f"{kind}{i}", "kind": kind, "material": "m", "r": rng.uniform(-half, half, 3).tolist(),
                     "q": (q / np.linalg.norm(q)).tolist(), **KINDS[kind]})
    return {**body(name, **keys), "shape": rows}


def clusters(seed, plane=False):
    rng = np.random.default_rng(seed)
    one = cluster(rng, "one", 40, 0.15, motion="external")
    other = cluster(rng, "other", 25, 0.12, motion="external")
    if plane:
        other["shape"].append({"name": "floor", "kind": "plane", "material": "m", "r": [0.0, 0.0, -0.1]})
    laws = [law("l", ["m", "m"], {"kind": "kelvin_voigt", "stiffness": 1000.0, "damping": 1.0},
                friction={"kind": "bristle", "mu_static": 0.4, "mu_kinetic": 0.3, "tangential_stiffness": 1e3,
                          "tangential_damping": 1.0})]
    return contactlib.Spec.from_dict({"scene": {"name": "clusters"}, "body": [one, other], "law": laws,
                                      "pair": [{"bodies": ["one", "other"]}]}).compile()


def turned(q, axis, angle):
    return product(np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis]), q)


@pytest.mark.parametrize("plane", [False, True])
@pytest.mark.parametrize("far", [0.0, 7e6])
def test_contacts_of_bodies_that_creep_turn_and_jump(plane, far):
    """Motions of 1e-17 m to 0.3 m, and turns alone; each evaluation against one without cached candidates."""
    rng = np.random.default_rng(4)
    cached, plain = two(clusters(5, plane))
    states = np.zeros((2, 13))
    states[:, 3] = 1.0
    states[:, :3] = far
    touched = used = 0
    for block in range(12 * SOAK):
        if block % 3 == 0:
            states[0, :3] = far + rng.uniform(-0.25, 0.25, 3)
        size, mode = 10.0 ** rng.uniform(-17, -0.5), block % 4
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        for _ in range(40):
            moving = rng.integers(2)
            if mode != 1:
                states[moving, :3] += size * (axis if mode == 2 else rng.uniform(-1, 1, 3))
            if mode != 0:
                states[moving, 3:7] = turned(states[moving, 3:7], axis, size)
                states[moving, 3:7] /= np.linalg.norm(states[moving, 3:7])
            a, b = cached.compute(states), plain.compute(states)
            assert a.contacts.tobytes() == b.contacts.tobytes()
            assert a.wrenches.tobytes() == b.wrenches.tobytes()
            touched += len(a.contacts) > 0
            used += cached.data.work()[0] == 0
    assert touched > 100 * SOAK and used > 50 * SOAK


def test_steps_that_add_up_to_a_contact():
    """A ball comes nearer by 1e-9 m an evaluation, with a gap of 1e-7 m: the first contact is not late."""
    ball = {"name": "ball", "kind": "sphere", "radius": 0.1, "material": "m"}
    bodies = [body(name, "external", [ball]) for name in ("one", "other")]
    laws = [law("l", ["m", "m"], {"kind": "kelvin_voigt", "stiffness": 1000.0, "damping": 0.0})]
    simulation = contactlib.Simulation(scene(bodies, laws, [["one", "other"]]).compile())
    for k in range(200):
        gap = 1e-7 - 1e-9 * k
        found = simulation.compute({"other": {"r": (0.2 + gap, 0.0, 0.0)}})
        assert len(found.contacts) == (0.2 + gap < 0.2)
    assert k * 1e-9 > 1e-7


def test_a_batch_of_any_order_has_the_same_bits():
    rng = np.random.default_rng(8)
    model = clusters(9)
    states = np.zeros((300, 2, 13))
    states[..., 3] = 1.0
    states[:, 0, :3] = [0.1, 0.05, 0.1] + 1e-3 * rng.uniform(-1, 1, (300, 3))
    states[::7, 0, :3] = rng.uniform(-0.3, 0.3, states[::7, 0, :3].shape)
    forward = contactlib.Simulation(model).compute_batch(states, num_threads=1)
    back = contactlib.Simulation(model).compute_batch(states[::-1], num_threads=2)
    assert forward.wrenches.tobytes() == back.wrenches[::-1].tobytes()
    assert forward.contact_count.tobytes() == back.contact_count[::-1].tobytes()
    assert forward.contact_count.max() > 3


# ---- the bound of the motion ---------------------------------------------------------------------


def rigid(rng, n, reach):
    q = rng.normal(size=(n, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    return q, rng.uniform(-reach, reach, (n, 3))


@pytest.fixture(scope="module")
def bound(tmp_path_factory):
    """The bound of the core for rows of R0, p0, R, p, c and the radius, m."""
    folder = tmp_path_factory.mktemp("motion")
    build = tomllib.loads((CORE / "build.toml").read_text())
    sources = [Path(__file__).with_name("motion_probe.cpp"), CORE / "state/cached_candidates.cpp"]
    command = [*find_compiler(), f"-std={build['standard']}", *build["flags"], f"-I{CORE}", f"-I{eigen_include()}",
               *(f"-D{name}" for name in build["defines"])]
    subprocess.run([*command, *sources, "-o", folder / "probe"], check=True)

    def of(rows):
        done = subprocess.run([folder / "probe"], input=np.ascontiguousarray(rows).tobytes(), capture_output=True,
                              check=True)
        return np.frombuffer(done.stdout)

    return of


def test_no_point_moves_further_than_the_bound(bound):
    """Random rigid motions, small, large and by turns alone; 60 points on the ball in long doubles."""
    rng, n = np.random.default_rng(6), 2000 * SOAK
    q0, p0 = rigid(rng, n, 2.0)
    size = 10.0 ** rng.uniform(-15, 0.5, n)
    axes = rng.normal(size=(n, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    turn = np.where(rng.random(n) < 0.2, 0.0, size)
    q = np.array([turned(*row) for row in zip(q0, axes, turn, strict=True)])
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    p = p0 + np.where(rng.random(n) < 0.2, 0.0, size)[:, None] * rng.uniform(-1, 1, (n, 3))
    c, radius = rng.uniform(-0.5, 0.5, (n, 3)), 10.0 ** rng.uniform(-2, 0.5, n)
    R0, R = (np.array([rotation_matrix(row) for row in rows]) for rows in (q0, q))
    rows = np.column_stack([R0.reshape(n, 9), p0, R.reshape(n, 9), p, c, radius])
    D = bound(rows)
    assert D.shape == (n,)
    s = rng.normal(size=(60, 3))
    points = c[:, None] + radius[:, None, None] * s / np.linalg.norm(s, axis=1, keepdims=True)
    now, then = (np.einsum("nij,nkj->nki", np.asarray(M, np.longdouble), points) + x[:, None]
                 for M, x in ((R, p), (R0, p0)))
    moved = np.sqrt(((now - then) ** 2).sum(axis=2)).max(axis=1)
    assert (moved <= D).all()
    # of d and 2 rho sin(angle/2) the larger one is reached nearly; 1e-10 m is the allowance for rounding
    assert (2.3 * moved + 1e-10 >= D).all()
