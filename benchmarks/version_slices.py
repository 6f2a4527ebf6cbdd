"""Short slices of work that vs_before.py times in two versions of the package, in turns.

``python -P version_slices.py CORE`` is the process of one version. It imports contactlib, benchmarks and tests from
PYTHONPATH, the folder of that version, so that each version compiles its own driver of the kernels. For each name of a
slice on its input it writes a line of JSON: the processor times (s), and hashes of the inputs and of the results.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import contactlib
from benchmarks.common import Floats, address

BLOCK, WARM = 200, 20  # steps of a slice of a run, and steps before them that are rolled back
CBM_BLOCKS = 10  # slices of a run of the berthed module, each with a force in another direction
Answer = tuple[list[float], str, str]  # s; hashes of inputs and results
Slices = Iterator[Answer]


def digest(*arrays: object) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def spent(call: Callable[[], object], times: int) -> float:
    start = time.thread_time()
    for _ in range(times):
        call()
    return time.thread_time() - start


def batches(call: Callable[[], object], inputs: str, results: Callable[[], str], times: int = 1,
            idle: Callable[[], object] | None = None) -> Slices:
    """The time of some calls, less that of as many of `idle`, the call with nothing to do; one round warms up."""
    while True:
        spent(call, times)
        took = spent(call, times)
        yield [took - (spent(idle, times) if idle else 0.0)], inputs, results()


# ---- kernels and laws ----------------------------------------------------------------------------


def plate() -> tuple[Callable[[int], int], Floats, Floats]:
    """A plate of 64 x 64 points on a plane, tilted so that half of them are below it.

    A call with a number of points, which returns how many touch; the points (3, 4096) and the wrench (6,) of it.
    """
    from benchmarks import peers
    from benchmarks.narrow_phase_scenes import SPRING

    x, y = (k.ravel() for k in np.meshgrid(*[np.linspace(-0.5, 0.5, 64)] * 2))
    points, tilt = np.array([x, y, 0 * x]), 1e-3
    state = np.array([0, 0, 0, np.cos(tilt), np.sin(tilt) * 0.6, np.sin(tilt) * 0.8, 0, *[1e-3] * 6])
    wrench, law = np.zeros(6), np.array(SPRING)
    function = peers.with_contactlib().point_plane_wrench
    function.restype = ctypes.c_size_t

    def press(count: int) -> int:
        return int(function(address(state), address(points), ctypes.c_size_t(count), address(law), address(wrench)))

    return press, points, wrench


def sliding(n: int) -> tuple[Callable[[int], None], Floats, Floats]:
    """Contacts that slide to and fro, half of them so little that they stick.

    A call with a number of points: a step there and one back; the velocities (2, n) and the bristles (n, 3).
    """
    from benchmarks import peers
    from benchmarks.narrow_phase_scenes import BRISTLE, SPRING

    rng, library = np.random.default_rng(3), peers.with_contactlib()
    found, law = np.zeros((4, n)), np.array(BRISTLE)
    force = rng.uniform(5, 10, n)
    depth, speed, angle = force / SPRING[0], rng.choice([0.005, 0.1], n), rng.uniform(0, 2 * np.pi, n)
    there = speed * np.array([np.cos(angle), np.sin(angle)])
    back, bristles = -there, np.zeros((n, 3))

    def slide(count: int) -> None:
        for v in (there, back):
            library.bristle_update(address(v), address(force), address(depth), ctypes.c_size_t(count),
                                   ctypes.c_double(1e-3), address(law), address(bristles), address(found))

    return slide, there, bristles


def point_plane_wrench() -> Slices:
    press, points, wrench = plate()
    n = points.shape[1]
    return batches(partial(press, n), digest(points), lambda: digest(press(n), wrench), 100, partial(press, 0))


def bristle_update() -> Slices:
    n = 4000
    slide, velocities, _ = sliding(n)
    other, _, bristles = sliding(n)

    def results() -> str:  # of steps from the start
        bristles[:] = 0.0
        for _ in range(3):
            other(n)
        return digest(bristles)

    return batches(partial(slide, n), digest(velocities), results, 20, partial(slide, 0))


def sphere_triangle() -> Slices:
    from benchmarks import narrow_phase, peers

    triangle = contactlib.Triangle(((-0.04, -0.03, 0.0), (0.05, -0.02, 0.0), (-0.01, 0.05, 0.0)))
    query = peers.Kernel(contactlib.Sphere(0.03), triangle)
    narrow_phase.approach(query, narrow_phase.BATCH, -0.01, 0.01)
    return batches(query.run, digest(query.rows), lambda: digest(query.found), 50, query.call)


def convex_50_cold() -> Slices:
    from benchmarks import narrow_phase, peers
    from tests.poses import poses_frames as frames

    rng = np.random.default_rng(4)
    a, b = (contactlib.Polyhedron(frames.directions(rng, 50) * [0.04, 0.05, 0.06]) for _ in range(2))
    query = peers.Kernel(a, b)
    narrow_phase.approach(query, narrow_phase.BATCH, 0.0, 0.003)
    return batches(query.run, digest(query.rows), lambda: digest(query.found), 2, query.call)


def capsule_socket() -> Slices:
    from benchmarks import peg_in_hole

    poses = peg_in_hole.peg_poses(peg_in_hole.BATCH)
    call = partial(contactlib.manifolds, *peg_in_hole.shapes(), *poses, num_threads=1)
    found = call()
    return batches(partial(call, out=found), digest(*poses), lambda: digest(found.count, found.depth), 5)


# ---- scenes --------------------------------------------------------------------------------------


def states_of(simulation: contactlib.Simulation, states: Floats) -> Slices:
    """`compute_batch` of states, one thread."""
    call = partial(simulation.compute_batch, states, num_threads=1)
    return batches(call, digest(states), lambda: digest(*vars(call()).values()))


def twenty_pairs() -> Slices:
    from benchmarks import peg_in_hole

    return states_of(peg_in_hole.twenty(2), peg_in_hole.pressed(2, 1000))


def ring_states(n: int) -> tuple[contactlib.Simulation, Floats]:
    """Two rings and states (n, 2, 13): the upper ring anywhere within 2 mm sideways and 0.1 mm up and down, turned."""
    from benchmarks.narrow_phase_scenes import rings

    rng = np.random.default_rng(6)
    simulation = contactlib.Simulation(rings())
    states = np.repeat(simulation.states[None], n, axis=0)
    states[:, 1, :3] += rng.uniform(-1, 1, (n, 3)) * [2e-3, 2e-3, 1e-4]
    turn = np.hstack([np.ones((n, 1)), rng.uniform(-1, 1, (n, 3)) * [1e-4, 1e-4, 0.1]])
    states[:, 1, 3:7] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
    return simulation, states


def scene_2000_primitives() -> Slices:
    return states_of(*ring_states(200))


def compute_call() -> Slices:
    simulation = contactlib.Simulation(contactlib.load("peg_in_hole").compile())
    states = simulation.states.copy()
    return batches(lambda: simulation.compute(states), digest(states),
                   lambda: digest(simulation.compute(states).wrenches), 500)


def steps(simulation: contactlib.Simulation, h: float, count: int) -> Answer:
    """The times of the next steps; some steps that are rolled back bring the caches of the core to this version."""
    data = simulation.data
    start, inputs = simulation.save(), digest(simulation.states)
    for _ in range(WARM):
        data.advance(h)
    simulation.restore(start)
    times = np.zeros(count)
    for k in range(count):
        begun = time.thread_time()
        data.advance(h)
        times[k] = time.thread_time() - begun
    return times.tolist(), inputs, digest(simulation.states)


def cbm_step() -> Slices:
    from benchmarks import cbm

    simulation = contactlib.Simulation(
        cbm.spec().with_motion("fixed", "active").with_motion("free", "passive").compile())
    cbm.berth(simulation)
    berthed = simulation.save()
    while True:
        simulation.restore(berthed)
        random = np.random.default_rng(1)
        for _ in range(CBM_BLOCKS):
            simulation.apply("passive", *(tuple(random.uniform(-cbm.SHAKE, cbm.SHAKE, 3)) for _ in range(2)))
            yield steps(simulation, cbm.H, BLOCK)


def lee_step() -> Slices:
    from benchmarks import lee

    simulation = contactlib.Simulation(
        contactlib.load(lee.SCENE).with_motion("fixed", "lee").with_motion("free", "grapple").compile())
    start = simulation.save()
    while True:
        simulation.restore(start)
        for command, duration in lee.PARTS:
            simulation.elements["snare"].set(command=command)
            for _ in range(round(duration / lee.H / BLOCK)):
                yield steps(simulation, lee.H, BLOCK)
        if not simulation.elements["snare"].captured:
            raise RuntimeError("the snare has not caught the pin: its steps are not those of a grapple and latch")


def pair_batch(a: contactlib.Shape, b: contactlib.Shape) -> Slices:
    """Batches of 20 000 poses, of which about half touch."""
    n, rng = 20000, np.random.default_rng(3)
    turns = rng.normal(size=(2, n, 4))
    turns /= np.linalg.norm(turns, axis=2)[:, :, None]
    X_WA, X_WB = (np.column_stack([r, q]) for r, q in zip((rng.uniform(-0.12, 0.12, (n, 3)), np.zeros((n, 3))), turns,
                                                          strict=True))
    out = contactlib.manifolds(a, b, X_WA, X_WB)
    return batches(partial(contactlib.manifolds, a, b, X_WA, X_WB, out=out), digest(X_WA, X_WB),
                   lambda: digest(out.count, out.point, out.normal, out.depth))


BALL, ROD = contactlib.Sphere(radius=0.1), contactlib.Capsule(radius=0.05, length=0.2)
PAIRS = {
    "ball_plane": (BALL, contactlib.Plane()), "ball_ball": (BALL, BALL), "ball_capsule": (BALL, ROD),
    "ball_box": (BALL, contactlib.Box(size=(0.2, 0.15, 0.3))), "capsule_plane": (ROD, contactlib.Plane()),
    "capsule_capsule": (ROD, ROD),
}
SLICES: dict[str, Callable[[], Slices]] = {name: partial(pair_batch, *pair) for name, pair in PAIRS.items()}
SLICES |= {make.__name__: make for make in (
    capsule_socket, twenty_pairs, point_plane_wrench, bristle_update, sphere_triangle, convex_50_cold,
    scene_2000_primitives, cbm_step, lee_step, compute_call)}


def serve() -> None:
    """Answer the names on standard input until it ends."""
    if len(sys.argv) > 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(sys.argv[1])})
    prepared: dict[str, Slices] = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in prepared:
            prepared[name] = SLICES[name]()
        times, inputs, results = next(prepared[name])
        print(json.dumps({"times": times, "inputs": inputs, "results": results}), flush=True)


if __name__ == "__main__":
    serve()
