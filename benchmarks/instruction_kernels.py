"""The kernels of instructions.py, and the data that its C++ program reads: poses, models, saved states in contact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import contactlib
from benchmarks import cbm, mesh_patches, peg_in_hole
from benchmarks.common import Floats
from benchmarks.narrow_phase import a_little_before, approach, ball_of_triangles
from benchmarks.narrow_phase_scenes import BRISTLE, LAW, SPRING
from benchmarks.peers import Kernel, Poses
from contactlib.model.parts import Body, BodyShape, Pair
from contactlib.model.spec import Spec
from tests.poses import poses_frames as frames

POSES = 2000
STILL = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True)
class Prepared:
    """A kernel as the program counts it: the line of `list`, its files by their endings, and the units of its work."""

    kind: str
    files: dict[str, bytes]
    units: int
    steps: int = 0
    dt: float = 0.0

    def write(self, folder: Path, name: str) -> str:
        """Write the files; return the line of `list`."""
        for ending, content in self.files.items():
            (folder / f"{name}.{ending}").write_bytes(content)
        return f"{self.kind} {name} {self.steps} {self.dt!r}\n"


@dataclass(frozen=True)
class Counted:
    """A row of the table: its name, what is counted, the unit of its work, and how it is prepared."""

    name: str
    what: str
    unit: str
    prepare: Callable[[], Prepared]


# ---- laws ----------------------------------------------------------------------------------------


def points() -> Prepared:
    """The plate of narrow_phase.py: 64 x 64 points, half of them below a plane."""
    x, y = (k.ravel() for k in np.meshgrid(*[np.linspace(-0.5, 0.5, 64)] * 2))
    tilt = 1e-3
    state = [0, 0, 0, np.cos(tilt), np.sin(tilt) * 0.6, np.sin(tilt) * 0.8, 0, *[1e-3] * 6]
    return Prepared("points", {"rows": np.concatenate([state, SPRING, x, y, 0 * x]).tobytes()}, x.size)


def bristle(n: int = 4000) -> Prepared:
    """The contacts of narrow_phase.py: they slide to and fro, half of them so little that they stick."""
    rng = np.random.default_rng(3)
    normal_force = rng.uniform(5, 10, n)
    speed, angle = rng.choice([0.005, 0.1], n), rng.uniform(0, 2 * np.pi, n)
    columns = np.array([normal_force, normal_force / SPRING[0], speed * np.cos(angle), speed * np.sin(angle)])
    return Prepared("bristle", {"rows": np.concatenate([[*BRISTLE, 1e-3], columns.ravel()]).tobytes()}, 2 * n)


# ---- pairs of shapes -----------------------------------------------------------------------------


def placed(a: Any, b: Any, poses: Poses, hints: Floats | None = None) -> Prepared:
    """Two shapes on bodies of their own, and the placements of the kernel."""
    bodies = tuple(Body(name, shapes=(BodyShape("skin", shape, "metal"),)) for name, shape in (("a", a), ("b", b)))
    model = Spec("pair", bodies=bodies, laws=(LAW,), pairs=(Pair(("a", "b")),)).compile()
    kernel = Kernel(a, b)
    kernel.place(poses, hints)
    kernel.run()
    if not kernel.touching.any():
        raise RuntimeError(f"{a.kind} and {b.kind} touch in no pose: these are not the poses meant")
    return Prepared("pair", {"model": model.to_bytes(), "rows": kernel.rows.tobytes()}, len(poses))


def approached(a: Any, b: Any, low: float, high: float) -> Prepared:
    """Poses from anywhere, low..high (m) deep."""
    return placed(a, b, approach(Kernel(a, b), POSES, low, high))


def sphere_triangle() -> Prepared:
    corners = ((-0.04, -0.03, 0.0), (0.05, -0.02, 0.0), (-0.01, 0.05, 0.0))
    return approached(contactlib.Sphere(0.03), contactlib.Triangle(corners), -0.01, 0.01)


def capsule_box() -> Prepared:
    return approached(contactlib.Capsule(0.02, 0.1), contactlib.Box((0.1, 0.08, 0.06)), -0.01, 0.01)


def capsule_socket() -> Prepared:
    return placed(*peg_in_hole.shapes(), Poses(*peg_in_hole.peg_poses(POSES)))


def sphere_mesh() -> Prepared:
    return approached(contactlib.Sphere(0.05), ball_of_triangles(5, 0.0), -0.005, 0.005)


def convex(warm: bool) -> Prepared:
    """Two hulls of 50 corners; warm: with the normals of poses a little before."""
    rng = np.random.default_rng(4)
    a, b = (contactlib.Polyhedron(frames.directions(rng, 50) * [0.04, 0.05, 0.06]) for _ in range(2))
    kernel = Kernel(a, b)
    poses = approach(kernel, POSES, 0.0, 0.003)
    if not warm:
        return placed(a, b, poses)
    kernel.place(a_little_before(poses))
    kernel.run()
    return placed(a, b, poses, kernel.found[:, 2:])


def on_ball(name: str) -> Prepared:
    """A case of mesh_patches.py, 1e-3 radii deep in a ball of 20480 triangles."""
    solid, place, out = mesh_patches.CASES[name]
    X_WA = mesh_patches.poses(place, out, 1e-3 * mesh_patches.RADIUS)
    return placed(solid, mesh_patches.BALL, Poses(X_WA, np.tile(STILL, (len(X_WA), 1))))


# ---- steps of scenes -----------------------------------------------------------------------------


def stepped(simulation: contactlib.Simulation, steps: int, touching: float, least: int) -> Prepared:
    """Steps of `step_size` from the present state of a simulation, in which at least so many contacts are expected."""
    if touching < least:
        raise RuntimeError(f"scene '{simulation.model.name}' has {touching:g} contacts, not {least} or more: "
                           "these are not the steps meant")
    files = {"model": simulation.model.to_bytes(), "state": simulation.save()}
    return Prepared("steps", files, steps, steps, simulation.model.step_size)


def pins() -> Prepared:
    """Four pins that circle in their holes."""
    model = contactlib.load("peg_in_hole").compile()
    simulation = contactlib.Simulation(model)
    for states in peg_in_hole.insertions(200, model.step_size):
        simulation.step(model.step_size, states)
    return stepped(simulation, 200, simulation.data.contact_count, 4)


def rings() -> Prepared:
    """The module is berthed and loaded across."""
    spec = cbm.spec().with_motion("fixed", "active").with_motion("free", "passive")
    simulation = contactlib.Simulation(spec.compile())
    cbm.berth(simulation)
    simulation.apply("passive", (cbm.SHAKE, 0.0, cbm.SHAKE), (0.0, cbm.SHAKE, 0.0))
    return stepped(simulation, 40, simulation.data.contact_count, 10)


def snare() -> Prepared:
    """The snare has closed on the pin of a free payload and draws it in."""
    spec = contactlib.load("lee_snare").with_motion("fixed", "lee").with_motion("free", "grapple")
    simulation = contactlib.Simulation(spec.compile())
    for command, duration in ((1, 8.6), (2, 1.0)):
        simulation.elements["snare"].set(command=command)
        simulation.step(duration)
    return stepped(simulation, 40, float(simulation.elements["snare"].captured), 1)


def trampoline() -> Prepared:
    """The asteroid lies in the membrane."""
    simulation = contactlib.Simulation(contactlib.load("trampoline_capture").compile())
    simulation.step(60.0)
    return stepped(simulation, 40, float(simulation.elements["net"].touching), 3)


def spheres() -> Prepared:
    """64 balls that have fallen into a box of five planes and still roll."""
    rng = np.random.default_rng(8)
    half = float(np.sqrt(0.5))
    sides = {"floor": ((0, 0, 0), (1, 0, 0, 0)), "left": ((-0.25, 0, 0), (half, 0, half, 0)),
             "right": ((0.25, 0, 0), (half, 0, -half, 0)), "front": ((0, -0.25, 0), (half, -half, 0, 0)),
             "back": ((0, 0.25, 0), (half, half, 0, 0))}
    box = {"name": "box", "motion": "fixed", "shape": [
        {"name": name, "kind": "plane", "material": "metal", "r": list(map(float, r)), "q": list(map(float, q))}
        for name, (r, q) in sides.items()]}

    def ball(k: int) -> dict[str, Any]:
        place = 0.11 * np.array([k % 4 - 1.5, k // 4 % 4 - 1.5, k // 16 + 0.6]) + rng.uniform(-0.004, 0.004, 3)
        return {"name": f"ball_{k}", "motion": "free", "mass": 0.5, "inertia": [5e-4] * 3,
                "state": {"r": place.tolist()},
                "shape": [{"name": "skin", "kind": "sphere", "radius": 0.05, "material": "metal"}]}

    law = {"name": "touch", "materials": ["metal", "metal"], **peg_in_hole.LAW}
    balls = [f"ball_{k}" for k in range(64)]
    pairs = [[name, "box"] for name in balls] + [[a, b] for i, a in enumerate(balls) for b in balls[:i]]
    spec = Spec.from_dict({
        "scene": {"name": "spheres", "gravity": [0.0, 0.0, -9.81], "step_size": 1e-4},
        "body": [*map(ball, range(64)), box], "law": [law], "pair": [{"bodies": pair} for pair in pairs]})
    simulation = contactlib.Simulation(spec.compile())
    simulation.step(0.5)
    return stepped(simulation, 20, simulation.data.contact_count, 64)


KERNELS = (
    Counted("point_plane_set", "force and wrench of 64 x 64 points, half of them below a plane", "point", points),
    Counted("bristle", "the friction law `bristle`, half of the contacts stick", "update", bristle),
    Counted("sphere_triangle", "a ball about as large as the triangle", "pose", sphere_triangle),
    Counted("capsule_box", "a capsule 1 cm apart to 1 cm deep in a box", "pose", capsule_box),
    Counted("capsule_socket", "a peg in its hole, clearance 0.2 mm", "pose", capsule_socket),
    Counted("sphere_mesh_20480", "a ball within 5 mm of a ball of 20480 triangles", "pose", sphere_mesh),
    Counted("convex_50_cold", "two hulls of 50 corners, up to 3 mm deep, no hint", "pose", lambda: convex(False)),
    Counted("convex_50_warm", "two hulls of 50 corners, up to 3 mm deep, hint of a pose before", "pose",
            lambda: convex(True)),
    Counted("box_edge_mesh", "a box's edge on a ball of 20480 triangles", "pose", lambda: on_ball("box, edge")),
    Counted("mesh_mesh", "two balls of 20480 triangles each", "pose", lambda: on_ball("mesh, 20480 triangles")),
    Counted("step_peg_in_hole", "four pins that press in their holes", "step", pins),
    Counted("step_cbm", "a berthed module under load, latches, control", "step", rings),
    Counted("step_lee_snare", "a snare that draws its payload in", "step", snare),
    Counted("step_trampoline_capture", "an asteroid in the membrane", "step", trampoline),
    Counted("step_64_spheres", "64 balls in a box of five planes", "step", spheres),
)
