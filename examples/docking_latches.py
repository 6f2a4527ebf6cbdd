"""Two docking rings latch: python examples/docking_latches.py.

The rings of the scene `docking_ring` get what that scene leaves out: three hooks on the chaser and three strikers on
the target, as a soft capture system has them. The strikers push the hooks outwards; behind the strikers, springs draw
the hooks in. Then the hooks hold a pull, and let go when their drives open them.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.model.spec import SCENES
from contactlib.report.plot import COLOURS, SOFT, STYLE, new_figure
from validation import conclude

Floats = NDArray[np.float64]
OUT = Path("out/docking_latches")
STEP, SAMPLE = 5e-4, 0.05  # s
START, CLOSING = (0.02, -0.01, 0.25), 0.1  # m, m/s
THRUST, PULL = 2000.0, 1500.0  # N
CAPTURE, TAUT, HOLD, RELEASE = 6.0, 6.0, 20.0, 2.0  # s
OPEN = 0.8  # rad
ANGLES = np.radians([0.0, 120.0, 240.0])  # of the strikers about the axis of the target
INNER, TOP, BOTTOM = 0.64, 0.68, 0.74  # m: radii of a striker, inside, and outside at its top and at its bottom
UPPER, LOWER, HALF = -0.04, -0.09, 0.08  # m: z of its top and its bottom, half of its width
PIVOT, NOSE, RADIUS = (0.66, -0.1), (0.70, 0.15), 0.012  # m: radius and z of pivot and nose; radius of the nose
HOOK = 5.0  # kg


def _at(angle: float, radius: float, across: float, z: float) -> list[float]:
    c, s = np.cos(angle), np.sin(angle)
    return [float(f"{x:.9f}") for x in (radius * c - across * s, radius * s + across * c, z)]


def _striker(k: int, angle: float) -> dict[str, Any]:
    """A wedge: its slope faces outwards and up, its flat bottom is behind which a hook holds."""
    corners = [_at(angle, radius, across, z) for across in (-HALF, HALF)
               for radius, z in ((INNER, UPPER), (TOP, UPPER), (INNER, LOWER), (BOTTOM, LOWER))]
    return {"name": f"striker_{k + 1}", "kind": "polyhedron", "material": "striker", "corners": corners}


def _hook(k: int, angle: float, state: list[float]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A hook, whose origin and axes are those of the chaser, and its hinge: a positive angle opens it."""
    body = {"name": f"hook_{k + 1}", "motion": "free", "mass": HOOK, "inertia": [0.1, 0.1, 0.1],
            "com": _at(angle, 0.7, 0.0, 0.0), "state": {"r": state[:3], "q": state[3:7], "v": state[7:10]},
            "shape": [{"name": "nose", "kind": "sphere", "material": "hook", "radius": RADIUS,
                       "r": _at(angle, NOSE[0], 0.0, NOSE[1])}]}
    hinge = {"name": f"hook_{k + 1}_pivot", "base": "chaser", "arm": f"hook_{k + 1}", "point": _at(angle, PIVOT[0], 0.0,
             PIVOT[1]), "axis": _at(angle, 0.0, 1.0, 0.0), "lower": 0.0, "upper": 0.9, "drive_stiffness": 300.0,
             "drive_damping": 6.0, "drive_limit": 250.0}
    return body, hinge


def scene() -> contactlib.Spec:
    """Both rings of the scene `docking_ring`, 25 cm apart, with strikers and hooks; the target is fixed."""
    folder = SCENES / "docking_ring"
    table: dict[str, Any] = tomllib.loads((folder / "scene.toml").read_text(encoding="utf-8"))
    ring: dict[str, Any] = tomllib.loads((folder / "ring.toml").read_text(encoding="utf-8"))["object"]
    state = [*START, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -CLOSING]
    target = {**ring, "name": "target", "motion": "fixed",
              "shape": [*ring["shape"], *(_striker(k, angle) for k, angle in enumerate(ANGLES))]}
    chaser = {**ring, "name": "chaser", "state": {"r": state[:3], "q": state[3:7], "v": state[7:10]}}
    # half a turn about y leads an angle a to pi - a
    made = [_hook(k, np.pi - angle, state) for k, angle in enumerate(ANGLES)]
    table["scene"] |= {"name": "docking_latches", "step_size": STEP}
    steel = {"name": "hook_striker", "materials": ["hook", "striker"],
             "normal": {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 4e3},
             "friction": {"kind": "bristle", "mu_static": 0.1, "mu_kinetic": 0.1, "tangential_stiffness": 1e5,
                          "tangential_damping": 2e3}}
    del table["object"]
    return contactlib.Spec.from_dict({
        **table, "body": [target, chaser, *(body for body, _ in made)], "hinge": [hinge for _, hinge in made],
        "law": [*table["law"], steel],
        # rings meet rings and petals, hooks meet strikers
        "pair": [{**table["pair"][0], "ignore": ["box-polyhedron", "capsule-polyhedron"]},
                 *({"bodies": [f"hook_{k + 1}", "target"], "ignore": ["sphere-box", "sphere-capsule"]}
                   for k in range(len(ANGLES)))]})


def hook_forces(simulation: contactlib.Simulation) -> Floats:
    """Return the forces of the hooks on the target along z (3,), N."""
    contacts, forces = simulation.contacts, np.zeros(len(ANGLES))
    for a, b, force in zip(contacts.names("shape_a"), contacts.names("shape_b"), contacts["f_B_W"], strict=True):
        for shape, sign in ((a, -1.0), (b, 1.0)):  # the force on the hook is opposite to that on the target
            if shape.endswith(".nose"):
                forces[int(shape.partition(".")[0].rpartition("_")[2]) - 1] -= sign * force[2]
    return forces


def phase(simulation: contactlib.Simulation, force: float, duration: float) -> Floats:
    """Push the chaser along z; returns rows (T, 6): time, gap between the rings, angles of the hooks, and force."""
    simulation.apply("chaser", force=(0.0, 0.0, force))
    rows = []
    for _ in range(round(duration / SAMPLE)):
        for _ in range(round(SAMPLE / STEP)):
            simulation.step(STEP)
        angles = [simulation.elements[f"hook_{k + 1}_pivot"].angle for k in range(len(ANGLES))]
        rows.append([simulation.time, simulation.states[1, 2], *angles, hook_forces(simulation).sum()])
    return np.array(rows)


def run(out: Path | None = None) -> dict[str, float]:
    """Capture, hold and release; returns what was measured."""
    simulation = contactlib.Simulation(scene().compile())
    rows = [phase(simulation, -THRUST, CAPTURE), phase(simulation, 0.1 * PULL, TAUT)]  # first takes up the slack
    rows += [phase(simulation, part * PULL, 0.02 * HOLD) for part in np.linspace(0.1, 1.0, 10)]
    rows.append(phase(simulation, PULL, 0.7 * HOLD))
    before = simulation.states[1, 2]
    rows.append(phase(simulation, PULL, 0.1 * HOLD))
    drift, forces = abs(simulation.states[1, 2] - before) / (0.1 * HOLD), hook_forces(simulation)
    rows.append(phase(simulation, -0.2 * PULL, TAUT))  # unloads the hooks: under the pull they hold themselves shut
    for k in range(len(ANGLES)):
        simulation.elements[f"hook_{k + 1}_pivot"].set(target=OPEN)
    rows.append(phase(simulation, -0.2 * PULL, 0.5 * RELEASE))
    rows.append(phase(simulation, PULL, 0.5 * RELEASE))
    speed = simulation.states[1, 9]
    rows.append(phase(simulation, PULL, 0.5 * RELEASE))
    if out is not None:
        draw(np.concatenate(rows), out)
    return {
        "hooks behind their strikers": float((forces > 0.0).sum()),
        "sum of the forces of the hooks": float(forces.sum()),
        "largest force of a hook": float(forces.max()),
        "drift along the pull": 1e6 * float(drift),
        "acceleration after the release": float(simulation.states[1, 9] - speed) / (0.5 * RELEASE),
    }


def draw(rows: Floats, out: Path) -> None:
    """Draw gap, hooks and force over time."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = new_figure(9.0, 6.0)
        gap, hook, force = figure.subplots(3, 1, sharex=True)
        gap.plot(rows[:, 0], 1e3 * rows[:, 1])
        gap.set(title="Two docking rings latch, hold and let go", ylabel="gap  [mm]", ylim=(-10, 260))
        for k in range(len(ANGLES)):
            hook.plot(rows[:, 0], np.degrees(rows[:, 2 + k]), color=COLOURS[k], label=f"hook {k + 1}")
        hook.set_ylabel("opened by  [deg]")
        hook.legend(ncols=3)
        force.plot(rows[:, 0], rows[:, 5])
        force.set(ylabel="force of the hooks  [N]", xlabel="time  [s]")
        for axes in (gap, hook, force):
            for time, label in ((CAPTURE, "slack"), (CAPTURE + TAUT, "pull"),
                                (CAPTURE + TAUT + HOLD + TAUT, "release")):
                axes.axvline(time, color=SOFT, linewidth=0.8)
                if axes is gap:
                    axes.annotate(label, (time, 0.9), xycoords=("data", "axes fraction"), xytext=(4, 0),
                                  textcoords="offset points", fontsize=8.5, color=SOFT)
        out.mkdir(parents=True, exist_ok=True)
        figure.savefig(out / "docking_latches.png", dpi=140)
    print(f"wrote {out / 'docking_latches.png'}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the picture")
    conclude("docking_latches", run(parser.parse_args().out))
