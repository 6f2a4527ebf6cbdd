"""The snare of an end effector catches a payload of 20 t and draws it home: python examples/lee_snare.py.

The run of Arbatani, Koevecses and Teichmann (Real-time Simulation of Cable-Based Robotic End Effectors): grapple, then
latch, in steps of 1 ms. Writes out/lee_snare/forces.png, their figure 2, and sequence.png.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.simulation import rigid_body
from contactlib.simulation.rigid_body import MassProperties
from lee_figure import draw_forces, draw_sequence

Floats = NDArray[np.float64]

OUT = Path(__file__).resolve().parent.parent / "out"
STEP = 1e-3  # s
HOLD, CLOSE, RIGIDIZE, OPEN = range(4)
PHASES = ("idle", "closing", "captured", "retracting", "rigidizing", "rigidized", "extending", "opening", "manual",
          "fault")
FLAGS = ("captured", "rigidized", "missed", "snagged", "stalled", "lost", "bad_command")
ONES = ("phase", "load", "ring_angle", "carriage_position", "ring_current", "touching", "iterations", "overlap", *FLAGS)
EACH = ("tension", "first_force", "last_force")
AFTER = {"captured": (1.0, RIGIDIZE), "rigidized": (1.0, OPEN)}  # phase: s in it, and the command then


@dataclass
class Snaring:
    """What a run of the snare gave: outputs (T,) or (T, cables) by name, states (T, bodies, 13), and how it went."""

    h: float
    series: dict[str, Floats]
    time: Floats
    states: Floats
    wrenches: Floats
    nodes: dict[int, tuple[Floats, ...]] = field(default_factory=dict)  # by the row in which they were recorded
    spent: float = 0.0  # s, of the processor
    momentum: Floats = field(default_factory=lambda: np.zeros(0))  # (n, 6), bodies and cables

    def first(self, phase: str) -> int:
        """The row in which a phase begins, or -1."""
        rows = np.flatnonzero(self.series["phase"] == PHASES.index(phase))
        return int(rows[0]) if len(rows) else -1

    @property
    def phases(self) -> list[str]:
        """All that it went through, in order."""
        numbers = self.series["phase"].astype(int)
        return [PHASES[n] for n in numbers[np.r_[True, np.diff(numbers) != 0]]]


def spec_of(scene: str, motion: str = "fixed") -> contactlib.Spec:
    """A payload that flies, on an end effector that is held or flies too ("free")."""
    return contactlib.load(scene).with_motion(motion, "lee").with_motion("free", "grapple")


def snared(spec: contactlib.Spec, duration: float, h: float = STEP, *, state: Mapping[str, object] | None = None,
           after: Mapping[str, tuple[float, int]] = AFTER, records_nodes: Callable[[int], bool] = lambda k: False,
           weigh: int = 0, stop: str = "", settle: float = 1.0) -> Snaring:
    """A run; commands follow phases as `after` says, and it ends `settle` (s) into the phase `stop` or a fault.

    `records_nodes` chooses rows in which the cables' nodes are recorded; momentum is recorded in each `weigh`-th row.
    """
    simulation = contactlib.Simulation(replace(spec, step_size=h).compile())
    simulation.compute(None if state is None else {"grapple": state})
    snare, masses = simulation.elements["snare"], {b.name: b.mass_properties() for b in spec.rigid_bodies}
    series: dict[str, list[object]] = {name: [] for name in (*ONES, *EACH)}
    rows: list[tuple[float, Floats, Floats]] = []
    nodes, momentum = {}, []
    age, before, spent = 0.0, -1, 0.0
    for k in range(round(duration / h) + 1):
        if k > 0:
            start = time.thread_time()
            simulation.step(h)
            spent += time.thread_time() - start
        for name, values in series.items():
            values.append(getattr(snare, name))
        rows.append((simulation.time, simulation.states, simulation.wrenches))
        if records_nodes(k):
            nodes[k] = simulation.cable_nodes("snare")
        if weigh and k % weigh == 0:
            momentum.append(momentum_of(simulation, spec, masses))
        phase = int(snare.phase)
        age, before = (age + h, before) if phase == before else (0.0, phase)
        wait, command = after.get(PHASES[phase], (np.inf, HOLD))
        if age >= wait:
            snare.set(command=command)
        if age >= settle and PHASES[phase] in (stop, "fault"):
            break
    times, states, wrenches = (np.array(column) for column in zip(*rows, strict=True))
    return Snaring(h, {name: np.array(values, dtype=float) for name, values in series.items()}, times, states, wrenches,
                   nodes, spent, np.array(momentum))


def momentum_of(simulation: contactlib.Simulation, spec: contactlib.Spec,
                masses: Mapping[str, MassProperties | None]) -> Floats:
    """Linear and angular momentum (6,) of free bodies and cables, about the world's origin."""
    total = np.zeros(6)
    for body, state in zip(spec.rigid_bodies, simulation.states, strict=True):
        of = masses[body.name]
        if body.motion != "free" or of is None:
            continue
        R = rigid_body.rotations(state[3:7])
        c, w = R @ np.asarray(of.com), state[10:]
        p = of.mass * (state[7:10] + np.cross(w, c))
        total += [*p, *(np.cross(state[:3] + c, p) + R @ np.asarray(of.inertia) @ R.T @ w)]
    snare = spec.elements[0]
    for nodes in simulation.cable_nodes("snare"):
        total += cable_momentum(nodes, snare.length, snare.cable.line_density)
    return total


# mean over an element of S_i S_j, S the cubics of Hermite, and of S_i
SHAPE = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]]) / 420.0


def cable_momentum(nodes: Floats, length: float, density: float) -> Floats:
    """Of one cable, nodes (n, 12): position, slope, and their rates."""
    each = length / (len(nodes) - 1)
    scale = np.array([1.0, each, 1.0, each])
    M = density * each * scale[:, None] * SHAPE * scale
    ones = np.array([1.0, 0.0, 1.0, 0.0])  # r = const. has the same nodes
    rows = np.hstack([nodes[:-1], nodes[1:]]).reshape(-1, 2, 2, 2, 3)  # element, node, q or v, value or slope
    q, v = (rows[:, :, k].reshape(-1, 4, 3) for k in (0, 1))
    p = M @ v
    return np.concatenate([(ones @ p).sum(axis=0), np.cross(q, p).sum(axis=(0, 1))])


def momentum_error(run: Snaring) -> float:
    """Most linear momentum of all that flies that was lost, against what was handed over."""
    lost = np.linalg.norm(run.momentum[:, :3] - run.momentum[0, :3], axis=1).max()
    return float(lost / (run.h * np.linalg.norm(run.wrenches[:, 0, :3], axis=1).sum()))


def table(run: Snaring, drift: float) -> str:
    """The run on one screen."""
    s = run.series
    captured, drawn, rigid_at = (run.first(phase) for phase in ("captured", "rigidizing", "rigidized"))
    rows = [
        ("captured after", f"{run.time[captured]:.2f} s"),
        ("ring, and how often it was at its limit", f"{np.degrees(s['ring_angle'][captured]):.1f} deg, "
         f"{100 * np.mean(s['ring_current'][:captured] > 1.49):.0f} % of that time"),
        ("most tension, closing", f"{s['tension'][:captured].max():.0f} N"),
        ("tension when captured", ", ".join(f"{t:.0f}" for t in s["tension"][captured]) + " N"),
        ("drawn in under load from", f"{run.time[drawn]:.2f} s, {-1e3 * s['carriage_position'][drawn]:.1f} mm"),
        ("rigidized after", f"{run.time[rigid_at]:.2f} s, {-1e3 * s['carriage_position'][rigid_at]:.1f} mm"),
        ("load then, and four seconds later", f"{s['load'][rigid_at]:.0f} N, {s['load'][-1]:.0f} N"),
        ("most tension, rigidizing", f"{s['tension'][drawn:].max():.0f} N"),
        ("fixture off the axis, and above its seat", f"{1e3 * np.hypot(*run.states[-1, 1, :2]):.2f} mm, "
         f"{1e3 * (run.states[-1, 1, 2] - 0.1608):.2f} mm"),
        ("worst overlap of a cable", f"{1e3 * s['overlap'].max():.3f} mm"),
        ("most places of contact, iterations", f"{s['touching'].max():.0f}, {s['iterations'].max():.0f}"),
        ("momentum lost in 6 s of closing, both bodies free", f"{drift:.1e} of what was handed over"),
        ("faster than real time",
         f"{run.time[-1] / run.spent:.1f} times, {1e6 * run.spent / len(run.time):.0f} us of the processor a step"),
    ]
    return "\n".join(f"{name:<50} {value}" for name, value in rows)


def main(scene: str, duration: float) -> Snaring:
    """The run with its table."""
    run = snared(spec_of(scene), duration, records_nodes=lambda k: k % 10 == 0, after={"captured": AFTER["captured"]},
                 stop="rigidized", settle=4.0)
    free = snared(spec_of(scene, "free"), 6.0, weigh=10)
    print(table(run, momentum_error(free)))
    return run


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duration", type=float, default=40.0, help="most that is simulated, s")
    parser.add_argument("--out", type=Path, default=OUT / "lee_snare", help="folder of the pictures")
    arguments = parser.parse_args()
    result = main("lee_snare", arguments.duration)
    spec = spec_of("lee_snare")
    for path in (draw_forces(result, arguments.out / "forces.png"),
                 draw_sequence(result, spec, arguments.out / "sequence.png")):
        print(f"wrote {path}")
