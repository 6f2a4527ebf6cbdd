"""Pegs in holes: what a manifold, a scene of twenty, an FMU step and a stuck block cost, beside MuJoCo.

Run it with ``python -m benchmarks.peg_in_hole --json OUT.json``. README.md tells what each figure means.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

import contactlib
from benchmarks import common, mujoco_peer
from benchmarks.common import MISSING, Bar, Floats, Report, measure
from benchmarks.native_fmu import NativeFmu
from contactlib.simulation.ensemble import run_ensemble
from tests.oracle import reference
from tests.poses import poses_pairs as placed

BARS = (
    Bar("capsule_socket_ns", 120, 40),
    Bar("twenty_pairs_us", 5, 2),
    Bar("ratio_mujoco_64_boxes", 100, 300, at_least=True),
    Bar("depth_error_m", 1e-12, 1e-16),
    Bar("fmu_dostep_us", 5, 2),
    Bar("fmu_over_kernel_us", 1, 0.5),
    Bar("speedup_two_threads", 1.6, 1.95, at_least=True),
    Bar("stick_drift_um_per_s", 1e-3, 0),
)
BATCH, CHECKED = 20_000, 4000  # poses in a batch, and how many of them the oracle and MuJoCo see
CLEARANCE = 0.2e-3  # m
R, HOLE, LENGTH = 0.0175, 0.05, 0.06  # m: radius of the hole, length of its cylinder, length of the peg
PEG: tuple[str, dict[str, Any]] = ("capsule", {"radius": R - CLEARANCE, "length": LENGTH})
SOCKET: tuple[str, dict[str, Any]] = ("socket", {"size": (0.10, 0.12, 0.0725), "radius": R, "length": HOLE})
LAW = {
    "normal": {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 1e3},
    "friction": {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.5,
                 "tangential_stiffness": 1e5, "tangential_damping": 1e3},
}
G, SLOPE = 9.80665, np.radians(10.0)


# ---- one peg -------------------------------------------------------------------------------------


def in_disc(rng: np.random.Generator, n: int, radius: float) -> Floats:
    """Points (n, 3) spread evenly over a disc about the origin, normal z."""
    around: Floats = placed.radial(rng.uniform(0, 2 * np.pi, n))
    return radius * np.sqrt(rng.uniform(0, 1, (n, 1))) * around


def peg_poses(n: int) -> tuple[Floats, Floats]:
    """Poses of peg and socket (n, 7) in the world: inserted from 5 mm to the bottom, leaning a little.

    The tip, and the axis at the mouth, are within 1.5 clearances of the hole's axis: the peg is clear, or it
    touches the wall, the rim or both. One peg in seven stands on the bottom.
    """
    rng = np.random.default_rng(1)
    mouth, tip = in_disc(rng, n, 1.5 * CLEARANCE), in_disc(rng, n, 1.5 * CLEARANCE)
    bottom = -HOLE - CLEARANCE * rng.uniform(0.5, 2, n)
    tip[:, 2] = np.where(rng.uniform(size=n) < 1 / 7, bottom, -rng.uniform(0.005, HOLE, n))
    t = (mouth - tip) / np.linalg.norm(mouth - tip, axis=1, keepdims=True)
    _, _, X_WA, X_WB = placed.end_at(rng, PEG, SOCKET, tip, t)
    return X_WA, X_WB


def shapes() -> tuple[contactlib.Capsule, contactlib.Socket]:
    return contactlib.Capsule(**PEG[1]), contactlib.Socket(**SOCKET[1])


def one_peg(report: Report) -> None:
    """Manifolds in a batch, and how far their depths are from the oracle's."""
    X_WA, X_WB = peg_poses(BATCH)
    batch = partial(contactlib.manifolds, *shapes(), num_threads=1)
    m = batch(X_WA, X_WB)
    few = batch(X_WA[:1000], X_WB[:1000])
    again, fresh, small, single = measure(
        lambda: batch(X_WA, X_WB, out=m), lambda: batch(X_WA, X_WB),
        lambda: batch(X_WA[:1000], X_WB[:1000], out=few), lambda: batch(X_WA[:1], X_WB[:1]), repetitions=60)
    report.set("capsule_socket_ns", again.median / BATCH * 1e9,
               f"manifolds(..., out=), {BATCH} poses, {m.count.mean():.2f} contacts a pose, one thread")
    report.extras |= {
        "contacts of those poses": common.shares(m.count),
        "capsule-socket, least of 60 [ns]": again.least / BATCH * 1e9,
        "capsule-socket, without out=: new memory for each batch [ns]": fresh.median / BATCH * 1e9,
        "capsule-socket, in batches of 1000 [ns]": small.median / 1000 * 1e9,
        "contactlib.manifolds of one pose: the call [us]": single.median * 1e6,
    }
    exact = reference.manifold(PEG, SOCKET, X_WA[:CHECKED], X_WB[:CHECKED]).depth
    # by depth and not by feature, so that a contact too many or too few counts with its whole depth
    error = np.abs(np.sort(m.depth[:CHECKED]) - np.sort(exact)[:, -m.depth.shape[1]:]).max()
    report.set("depth_error_m", float(error), f"worst against the tests' oracle, {CHECKED} of those poses")


def against_mujoco(report: Report) -> None:
    """The same relative poses; MuJoCo's hole is a ring of 64 boxes without a bottom."""
    if not mujoco_peer.AVAILABLE:
        return report.set("ratio_mujoco_64_boxes", MISSING, "MuJoCo is not installed")
    X_WA, X_WB = peg_poses(BATCH)
    batch = partial(contactlib.manifolds, *shapes(), X_WA, X_WB, num_threads=1)
    m = batch()
    inverse = X_WB[:, 3:] * [1, -1, -1, -1]
    p_BA = placed.turn(inverse, X_WA[:, :3] - X_WB[:, :3])
    X_BA = np.hstack([p_BA, placed.multiply(inverse, X_WA[:, 3:])])[:CHECKED]
    ring = mujoco_peer.Ring(R, HOLE, R - CLEARANCE, LENGTH, X_BA)
    ours, theirs, place = measure(lambda: batch(out=m), ring.place_and_collide, ring.place, repetitions=15)
    their_pose = float(np.median(theirs.all - place.all)) / CHECKED
    report.set("ratio_mujoco_64_boxes", their_pose / (ours.median / BATCH),
               f"mj_collision, {their_pose * 1e6:.3g} us a pose {ring.how}, / manifolds(..., out=)")
    above = X_BA[:, 2] - LENGTH / 2 > -HOLE + 1e-3  # off the bottom, which the ring does not have
    deepest = reference.manifold(PEG, SOCKET, X_WA[:CHECKED], X_WB[:CHECKED]).depth.max(1).astype(np.float64)
    depth, contacts = ring.depths()
    error = np.abs(depth - deepest)[above]
    report.extras |= {
        "MuJoCo, contacts a pose": float(contacts.mean()),
        "MuJoCo, worst error of the deepest depth, off the bottom [m]": float(error.max()),
    }


# ---- scenes --------------------------------------------------------------------------------------


def twenty(bodies: int) -> contactlib.Simulation:
    """Twenty pegs in twenty sockets 0.2 m apart: on 2 bodies (400 candidates), or each on its own (20)."""
    places = [[0.2 * (i % 5), 0.2 * (i // 5), 0.0] for i in range(20)]
    groups = [places] if bodies == 2 else [[place] for place in places]
    law = {"name": "touch", "materials": ["pin", "hole"], **LAW}
    tables: dict[str, Any] = {"scene": {"name": "twenty"}, "body": [], "law": [law], "pair": []}
    for k, group in enumerate(groups):
        names = [f"pegs_{k}", f"sockets_{k}"]
        for name, material, (kind, sizes) in zip(names, ("pin", "hole"), (PEG, SOCKET), strict=True):
            rows = [{"name": f"{kind}_{i}", "kind": kind, "material": material, "r": r, **sizes}
                    for i, r in enumerate(group)]
            tables["body"].append({"name": name, "shape": rows})
        tables["pair"].append({"bodies": names})
    return contactlib.Simulation(contactlib.Spec.from_dict(tables).compile())


def pressed(bodies: int, n: int) -> Floats:
    """States (n, bodies, 13): every peg 30 mm deep, pressed sideways against wall and rim, sliding slowly."""
    rng = np.random.default_rng(2)
    states = np.zeros((n, bodies, 13))
    states[:, :, 3] = 1.0
    pegs = states[:, ::2]
    sideways = placed.radial(rng.uniform(0, 2 * np.pi, n)) * rng.uniform(1.3, 1.6, (n, 1)) * CLEARANCE
    pegs[..., :3] = (sideways + rng.uniform(0, 0.002, (n, 1)) * [0, 0, 1])[:, None]
    pegs[..., 4:7] = rng.uniform(-2e-5, 2e-5, (n, 1, 3))
    pegs[..., 7:10] = rng.uniform(-0.01, 0.01, (n, 1, 3))
    return states


def insertions(n: int, h: float) -> Floats:
    """States (n, 2, 13) of the shipped scene, h apart: 30 mm deep, circling so that all four pins press."""
    angle, rate = 10 * np.pi * h * np.arange(n), 10 * np.pi
    states = np.zeros((n, 2, 13))
    states[:, :, 3] = 1.0
    interface = states[:, 0]
    interface[:, :2] = 1.5 * CLEARANCE * placed.radial(angle)[:, :2]
    interface[:, 2] = 0.03 + 1e-3 * np.sin(1.7 * angle)
    interface[:, 4] = 1e-4 * np.sin(0.6 * angle)
    interface[:, 7:9] = 1.5 * CLEARANCE * rate * placed.radial(angle + np.pi / 2)[:, :2]
    interface[:, 9] = 1.7e-3 * rate * np.cos(1.7 * angle)
    return states


def check_touching(simulation: contactlib.Simulation, states: Floats, pairs: int) -> None:
    """The benchmark must not get fast by missing: all pairs must be in contact in each state."""
    least = min(len(np.unique(simulation.compute(state).contacts[["shape_a", "shape_b"]])) for state in states)
    if least != pairs:
        raise RuntimeError(f"only {least} of {pairs} pairs touch")


def twenty_pegs(report: Report) -> None:
    """Manifolds, forces and wrenches of twenty pegs; all twenty touch in every state."""
    n = 1000
    two, forty = twenty(2), twenty(40)
    check_touching(two, pressed(2, n)[::10], 20)
    check_touching(forty, pressed(40, n)[::10], 20)
    batches = [partial(s.compute_batch, pressed(k, n), num_threads=1) for s, k in ((two, 2), (forty, 40))]
    evaluate = two.data.evaluate
    on_two, on_forty, again = measure(*batches, lambda: [evaluate() for _ in range(n)], repetitions=30)
    contacts = batches[0]().contact_count.mean()
    report.set("twenty_pairs_us", on_two.median / n * 1e6,
               f"compute_batch of 2 bodies, 400 candidates, {contacts:.0f} contacts, {n} states")
    report.extras |= {
        "20 pegs, least of 30 [us]": on_two.least / n * 1e6,
        "20 pegs on 20 bodies in 20 sockets on 20 others, 20 candidates [us]": on_forty.median / n * 1e6,
        "20 pegs on one body, one state by data.evaluate() [us]": again.median / n * 1e6,
    }


def two_threads(report: Report) -> None:
    """A batch of 10^5 states of the shipped scene in one thread and in two, back to back."""
    simulation = contactlib.Simulation(contactlib.load("peg_in_hole").compile())
    states = insertions(100_000, 1e-4)
    one, two = (partial(simulation.compute_batch, states, num_threads=k) for k in (1, 2))
    for a, b in zip(vars(one()).values(), vars(two()).values(), strict=True):
        if a.tobytes() != b.tobytes():
            raise RuntimeError("two threads give other bits than one")
    first, second = measure(one, two, repetitions=11, clock=time.perf_counter)
    ratio = first.all / second.all
    report.set("speedup_two_threads", float(np.median(ratio)),
               f"compute_batch, 10^5 states, same bits, best {ratio.max():.2f}; needs two free cores")
    one_state, = measure(simulation.compute, repetitions=1000)
    report.extras |= {"four pins, compute_batch, one thread [us a state]": first.median / len(states) * 1e6,
                      "four pins, Simulation.compute() [us]": one_state.median * 1e6}


def fmu_step(report: Report) -> None:
    """The native FMU of the shipped scene, one sub-step per doStep, all inputs set and all outputs read."""
    model = contactlib.load("peg_in_hole").compile()
    states = insertions(2000, model.step_size)
    check_touching(contactlib.Simulation(model), states[::20], 4)
    with NativeFmu(model, states, model.step_size) as fmu:
        full, alone = measure(fmu.steps, fmu.steps_alone, repetitions=30)
        report.set("fmu_dostep_us", full.median / len(states) * 1e6,
                   f"set {len(fmu.inputs)} inputs, doStep, get {len(fmu.outputs)} outputs, 4 pins, {fmu.how}")
    report.extras |= {"FMU, least of 30 [us]": full.least / len(states) * 1e6,
                      "FMU, doStep alone on held inputs [us]": alone.median / len(states) * 1e6}
    fmu_over_kernel(report, model, states[700])


def fmu_over_kernel(report: Report, model: contactlib.Model, state: Floats, n: int = 2000) -> None:
    """What the FMU adds to a step of the engine: both take the same steps with held inputs."""
    still, h = np.hstack([state[:, :7], np.zeros((2, 6))]), model.step_size
    check_touching(contactlib.Simulation(model), still[None], 4)
    runs = [partial(run_ensemble, model, [], duration=k * h, dt=h, every=k, starts=still[None], num_threads=1)
            for k in (n, 1)]
    with NativeFmu(model, np.repeat(still[None], n, axis=0), h) as fmu:
        full, many, one = measure(fmu.steps, *runs, repetitions=30)
    kernel = float(np.median(many.all - one.all)) / (n - 1) * 1e6
    report.set("fmu_over_kernel_us", full.median / n * 1e6 - kernel,
               f"set inputs, doStep, get outputs, less the {kernel:.3g} us of the same step in run_ensemble")


# ---- stick ---------------------------------------------------------------------------------------


def block_on_slope(gravity: Floats) -> contactlib.Simulation:
    """A block of 10 kg on four points; the slope lies in the direction of gravity."""
    feet = [{"name": f"foot_{i}", "kind": "point", "material": "block", "r": [x, y, 0.0]}
            for i, (x, y) in enumerate(((0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1)))]
    block = {"name": "block", "motion": "free", "mass": 10.0, "inertia": [0.1, 0.1, 0.1],
             "com": [0.0, 0.0, 0.05], "shape": feet}
    plane = {"name": "plane", "kind": "plane", "material": "floor"}
    spec = contactlib.Spec.from_dict({
        "scene": {"name": "slope", "gravity": gravity.tolist()},
        "body": [block, {"name": "floor", "motion": "fixed", "shape": [plane]}],
        "law": [{"name": "touch", "materials": ["block", "floor"], **LAW}],
        "pair": [{"bodies": ["block", "floor"]}],
    })
    return contactlib.Simulation(spec.compile())


def stick(report: Report) -> None:
    """How far the block creeps in the last 5 of 10 s."""
    gravity = G * np.array([np.sin(SLOPE), 0.0, -np.cos(SLOPE)])
    r = block_on_slope(gravity).run(10.0, 1e-3, every=5000).body("block")[:, :3]
    report.set("stick_drift_um_per_s", float(np.linalg.norm(r[-1] - r[-2]) / 5.0 * 1e6),
               "10 degree slope, mu 0.5, four points, the last 5 of 10 s")
    theirs = mujoco_peer.block_drift(10.0, gravity, 0.5) * 1e6 if mujoco_peer.AVAILABLE else MISSING
    report.extras["MuJoCo, drift on that slope, its defaults [um/s]"] = theirs


if __name__ == "__main__":
    parts = (one_peg, against_mujoco, twenty_pegs, fmu_step, two_threads, stick)
    common.run(Report(BARS), parts, __doc__ or "")
