"""Kernels, laws and scenes: what they cost, beside coal, FCL and MuJoCo. README.md tells what each figure means.

Run it with ``python -m benchmarks.narrow_phase --json OUT.json``; with ``--growth`` it measures balls on meshes of up
to a million triangles too and draws out/benchmarks/narrow_phase_growth.png.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import contactlib
from benchmarks import common, peers
from benchmarks.common import HERE, Bar, Floats, Report, measure
from benchmarks.narrow_phase_scenes import STEP, every_pair, rings
from benchmarks.peers import Coal, Kernel, Poses, Query
from benchmarks.version_slices import plate, ring_states, sliding
from contactlib.report.plot import COLOURS, SOFT, STYLE, new_figure
from tests.poses import poses_frames as frames
from tests.poses.poses_pairs import radial
from tests.support import meshes

BARS = (
    Bar("point_plane_wrench_ns", 3, 0.5),
    Bar("bristle_update_ns", 9, 2),
    Bar("sphere_triangle_ns", 10, 5),
    Bar("capsule_box_ns", 75, 40),
    Bar("ratio_best_peer_capsule_box", 1.2, 2, at_least=True),
    Bar("sphere_mesh_20480_ns", 1000, 600),
    Bar("ratio_best_peer_sphere_mesh", 5, 20, at_least=True),
    Bar("convex_50_cold_ns", 1200, 600),
    Bar("convex_50_warm_ns", 300, 150),
    Bar("ratio_best_peer_convex_50", 1.5, 3, at_least=True),
    Bar("python_batch_us_per_pair", 0.15, 0.1),
    Bar("scene_2000_primitives_us", 100, 40),
    Bar("allocations_per_step", 0, 0),
)
BATCH, MANY = 4000, 20_000  # poses: those that stay in the second cache, and those that do not
ALIKE = 0.9  # of the poses on which a peer must agree with us whether they touch
TURNED, MOVED = 1e-3, 1e-4  # rad, m: from the pose where a warm start has its normal from
BALLS = "ball as large as three triangles, anywhere", "ball of 5 cm, anywhere", "ball of 5 cm, rolling"
PICTURE = HERE.parent / "out" / "benchmarks" / "narrow_phase_growth.png"


# ---- poses ---------------------------------------------------------------------------------------


def approach(query: Kernel, n: int, low: float, high: float, rolling: float = 0.0) -> Poses:
    """Any orientations; B comes from anywhere towards A until they touch, and then low..high (m) further.

    Rolling: not from anywhere, but side by side over that angle (rad).
    """
    rng = np.random.default_rng(1)
    X_WA, X_WB = (np.hstack([rng.uniform(-1, 1, (n, 3)), frames.quaternions(rng, n)]) for _ in range(2))
    side = frames.directions(rng, n)
    if rolling:
        X_WB[:, 3:] = X_WB[0, 3:]
        side = np.asarray(radial(np.linspace(0, rolling, n)))

    def at(distance: Floats) -> Poses:
        return Poses(X_WA, np.hstack([X_WA[:, :3] + distance * side, X_WB[:, 3:]]))

    near, far = np.zeros((n, 1)), np.full((n, 1), 2.0)
    for _ in range(40):
        middle = (near + far) / 2
        query.place(at(middle))
        query.run()
        touching = query.touching[:, None]
        near, far = np.where(touching, middle, near), np.where(touching, far, middle)
    poses = at(near - rng.uniform(low, high, (n, 1)))
    query.place(poses)
    return poses


def a_little_before(poses: Poses) -> Poses:
    """B turned by TURNED and moved by MOVED."""
    rng, n = np.random.default_rng(2), len(poses)
    q = np.hstack([np.full((n, 1), np.cos(TURNED / 2)), np.sin(TURNED / 2) * frames.directions(rng, n)])
    r = poses.X_WB[:, :3] + MOVED * frames.directions(rng, n)
    return Poses(poses.X_WA, np.hstack([r, frames.multiply(q, poses.X_WB[:, 3:])]))


# ---- single kernels and laws ---------------------------------------------------------------------


def point_plane(report: Report) -> None:
    """A plate of points on a plane, tilted so that half of them are below it."""
    press, points, _ = plate()
    n = points.shape[1]
    time_, = measure(lambda: [press(n) for _ in range(20)], repetitions=40)
    report.set("point_plane_wrench_ns", time_.median / 20 / n * 1e9, f"{n} points, {press(n)} of them below")


def bristle(report: Report) -> None:
    """Contacts that slide to and fro, half of them so little that they stick."""
    slide, _, bristles = sliding(BATCH)
    time_, = measure(lambda: [slide(BATCH) for _ in range(10)], repetitions=40)
    report.set("bristle_update_ns", time_.median / 20 / BATCH * 1e9,
               f"the law's loop over {BATCH} points, {int(bristles[:, 2].sum())} of them slip")


def sphere_triangle(report: Report) -> None:
    """A ball about as large as the triangle, from all sides."""
    triangle = contactlib.Triangle(((-0.04, -0.03, 0.0), (0.05, -0.02, 0.0), (-0.01, 0.05, 0.0)))
    ours = Kernel(contactlib.Sphere(0.03), triangle)
    approach(ours, BATCH, -0.01, 0.01)
    seconds, = race(ours)
    report.set("sphere_triangle_ns", seconds * 1e9, seen(ours))
    among_many(report, "sphere_triangle", ours)


# ---- beside others -------------------------------------------------------------------------------


def race(*queries: Query) -> list[float]:
    """Seconds a pose, of all in turn. Each runs once to find its caches and branches as it left them, then for time."""
    times = measure(*(call for query in queries for call in (query.run, query.run, query.call)), repetitions=15)
    return [float(np.median(run.all - call.all)) / len(query.found)
            for query, run, call in zip(queries, times[1::3], times[2::3], strict=True)]


def among_many(report: Report, name: str, query: Kernel) -> None:
    """The same from so many poses that no branch is remembered from one round to the next."""
    approach(query, MANY, -0.01, 0.01)
    report.extras[f"{name}: {MANY} poses, branches not predicted [ns]"] = race(query)[0] * 1e9


def seen(query: Query) -> str:
    return f"kernel in a batch of {len(query.found)} poses, {100 * query.touching.mean():.0f} % touch"


def against_peers(report: Report, name: str, ours: Query, a: Any, b: Any, poses: Poses) -> float:
    """Set the ratio to the best peer at the same poses; returns our seconds a pose."""
    found = list(peers.queries(a, b, poses))
    others = [query for query in found if isinstance(query, Query)]
    for reason in found:
        if isinstance(reason, str):
            report.extras[f"{name}: not run"] = reason
    mine, *theirs = race(ours, *others)
    rivals = []
    for query, seconds in zip(others, theirs, strict=True):
        n = len(query.found)
        alike = float(np.mean(query.touching == ours.touching[:n]))
        both = query.touching & ours.touching[:n]
        apart = np.abs(query.found[both, 1] - ours.found[:n][both, 1])
        report.extras |= {
            f"{name}: {query.name} {query.how} [ns]": seconds * 1e9,
            f"{name}: {query.name}, touching alike [%]": 100 * alike,
            f"{name}: {query.name}, contacts a touching pose": float(query.found[both, 0].mean()),
            f"{name}: {query.name}, difference of depth, median and worst [m]":
                f"{np.median(apart):.1e}, {apart.max():.1e}",
        }
        if query.same and alike > ALIKE:
            rivals.append((seconds, f"{query.name} {query.how}, {seconds * 1e9:.0f} ns a pose, / ours"))
    report.extras[f"{name}: ours, contacts a touching pose"] = float(ours.found[ours.touching, 0].mean())
    if rivals:
        seconds, what = min(rivals)
        report.set(f"ratio_best_peer_{name}", seconds / mine, what)
    return mine


def capsule_box(report: Report) -> None:
    """From 1 cm apart to 1 cm deep along the approach, and the same pair from Python."""
    a, b = contactlib.Capsule(0.02, 0.1), contactlib.Box((0.1, 0.08, 0.06))
    ours = Kernel(a, b)
    poses = approach(ours, MANY, -0.01, 0.01)
    few = poses.first(BATCH)
    ours.place(few)
    report.set("capsule_box_ns", against_peers(report, "capsule_box", ours, a, b, few) * 1e9, seen(ours))
    among_many(report, "capsule_box", ours)
    batch = partial(contactlib.manifolds, a, b, poses.X_WA, poses.X_WB, num_threads=1)
    m = batch()
    python, = measure(lambda: batch(out=m), repetitions=40)
    report.set("python_batch_us_per_pair", python.median / len(poses) * 1e6,
               f"manifolds(..., out=) of capsule-box, {len(poses)} poses, one thread")


def sphere_mesh(report: Report) -> None:
    """A ball of 5 cm within 5 mm of touching a ball of 1 m made of 20480 triangles."""
    ball, mesh = contactlib.Sphere(0.05), ball_of_triangles(5, 0.0)
    ours = Kernel(ball, mesh)
    poses = approach(ours, BATCH, -0.005, 0.005)
    seconds = against_peers(report, "sphere_mesh", ours, ball, mesh, poses)
    report.set("sphere_mesh_20480_ns", seconds * 1e9, seen(ours))


def convex(report: Report) -> None:
    """Two hulls of 50 corners, about 10 cm large, up to 3 mm in each other along the approach."""
    rng = np.random.default_rng(4)
    a, b = (contactlib.Polyhedron(frames.directions(rng, 50) * [0.04, 0.05, 0.06]) for _ in range(2))
    cold, warm = Kernel(a, b), Kernel(a, b)
    poses = approach(cold, BATCH, 0.0, 0.003)
    report.set("convex_50_cold_ns", against_peers(report, "convex_50", cold, a, b, poses) * 1e9, seen(cold))
    earlier = a_little_before(poses)
    warm.place(earlier)
    warm.run()
    warm.place(poses, warm.found[:, 2:])
    others = [Coal(a, b, poses, earlier)] if "convex_50: coal C++ [ns]" in report.extras else []
    mine, *theirs = race(warm, *others)
    report.set("convex_50_warm_ns", mine * 1e9, f"from the normal of a pose {TURNED} rad and {MOVED} m before")
    same = np.abs(warm.found[:, 1] - cold.found[:, 1]) < 1e-9
    report.extras["convex_50: warm, as deep as cold [%]"] = 100 * float(same.mean())
    for query, seconds in zip(others, theirs, strict=True):
        report.extras[f"convex_50: {query.name} warm, GJK from its own guess [ns]"] = seconds * 1e9


# ---- scenes --------------------------------------------------------------------------------------


def two_rings(report: Report) -> None:
    n = 200
    simulation, states = ring_states(n)
    batch = partial(simulation.compute_batch, states, num_threads=1)
    count = batch().contact_count
    time_, = measure(batch, repetitions=15)
    report.set("scene_2000_primitives_us", time_.median / n * 1e6,
               f"compute_batch of {n} states, per state, {count.min()} to {count.max()} contacts, no memory")


def allocations(report: Report) -> None:
    """What 1000 advance() allocate in both scenes, counted by a malloc of our own in a program without Python."""
    program, steps, total = peers.allocation_counter(), 1000, 0
    for name, model in (("two rings", rings()), ("every pair of the table", every_pair())):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scene.model"
            path.write_bytes(model.to_bytes())
            output = subprocess.run([program, path, str(STEP), str(steps)], capture_output=True, check=True).stdout
        read, stepped, contacts, seconds = map(float, output.split())
        total += int(stepped)
        report.extras |= {
            f"{name}: allocations while the model is read": read,
            f"{name}: contacts a step": contacts,
            f"{name}: inputs and advance() in C++, with friction memory [us]": seconds / steps * 1e6,
        }
    report.set("allocations_per_step", total / steps, f"{steps} advance() each of two rings and of every pair, in C++")


# ---- growth --------------------------------------------------------------------------------------


def ball_of_triangles(level: int, bumps: float) -> contactlib.Mesh:
    """A ball of 1 m made of 20 4^level triangles, with bumps of so many metres."""
    mesh = meshes.icosphere(level)
    height = 1 + bumps * np.cos(8 * mesh.vertices).prod(axis=1, keepdims=True)
    return contactlib.Mesh(mesh.vertices * height, mesh.triangles)


def growth(report: Report) -> None:
    """Balls on a bumpy ball of more and more triangles, up to 1.3 million: building the tree, and a query."""
    rows = []
    for level in range(2, 9):
        mesh = ball_of_triangles(level, 0.05)
        n = len(mesh.triangles)
        edge = np.sqrt(4 * np.pi / n)  # m, about
        built, queried = [], []
        for radius, reach, rolling in ((1.5 * edge, 0.1 * edge, 0.0), (0.05, 1e-3, 0.0), (0.05, 1e-3, 0.2)):
            start = time.thread_time()
            ours = Kernel(contactlib.Sphere(radius), mesh)
            built.append(time.thread_time() - start)
            approach(ours, BATCH, -reach, reach, rolling)
            queried += race(ours)
        rows.append((n, min(built), *queried))
        report.extras[f"growth, {n} triangles: surface and tree built [s]"] = min(built)
        report.extras |= {f"growth, {n} triangles: {ball} [ns]": seconds * 1e9
                          for ball, seconds in zip(BALLS, queried, strict=True)}
    draw(np.array(rows), PICTURE)


def draw(rows: Floats, path: Path) -> None:
    """Both figures in log-log, with n log n and log n through their middles."""
    from matplotlib import rc_context

    n, build, *queried = rows.T
    with rc_context(STYLE):
        figure = new_figure(11, 4.2)
        left, right = figure.subplots(1, 2)
        left.loglog(n, build, "o-", color=COLOURS[0], label="surface and tree built")
        left.loglog(n, build[-2] * n * np.log(n) / (n[-2] * np.log(n[-2])), ":", color=SOFT, label="n log n")
        for ball, seconds, colour in zip(BALLS, queried, COLOURS, strict=False):
            right.loglog(n, seconds * 1e9, "o-", color=colour, label=ball)
        right.loglog(n, queried[-1][0] * 1e9 * np.log(n) / np.log(n[0]), ":", color=SOFT, label="log n")
        left.set(xlabel="triangles", ylabel="time  [s]", title="Building")
        right.set(xlabel="triangles", ylabel="time of a pose  [ns]", title="Ball on a bumpy ball", ylim=(300, 3e5))
        for axes in (left, right):
            axes.legend()
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150)


def where_compiled(part: Callable[[Report], None], report: Report) -> None:
    """Without a compiler the figures of a part are missing, and the extras say so."""
    try:
        part(report)
    except FileNotFoundError as error:
        report.extras[f"{part.__name__}: not run"] = str(error)


if __name__ == "__main__":
    parts = [point_plane, bristle, sphere_triangle, capsule_box, sphere_mesh, convex, two_rings, allocations]
    if "--growth" in sys.argv:
        sys.argv.remove("--growth")
        parts.append(growth)
    guarded = [partial(where_compiled, part) for part in parts]
    common.run(Report(BARS, versions=peers.versions()), guarded, __doc__ or "")
