"""Which contacts stay stable at a communication step of 10 ms, however stiff: python examples/coupling_bounces.py.

Two balls of 10 kg meet at 2 m/s and are pressed together by 50 N, so that they bounce until they rest on each other. A
master moves them, exactly under the wrench that it holds over each step. Contact alone would oscillate with w. Printed:
the most energy that there ever is over that at the start, the worst of four phases at which contact begins; with held
wrenches, and with `coupling`. It must not be above 1.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.simulation import rigid_body

Floats = NDArray[np.float64]

H, STEPS = 10e-3, 300  # s, and how many
MASS, RADIUS, SPEED, GAP, FORCE = 10.0, 0.5, 1.0, 0.1, 50.0  # kg, m, m/s, m, N
PHASES = (1.0, 2.0, 3.0, 4.0, 6.0, 10.0, 20.0, 50.0)  # w H
DAMPINGS = (0.02, 0.1, 0.3, 1.0, 3.0)  # of critical
STARTS = 4  # in a step, when contact begins
MODES = ("none", "jacobi", "gauss_seidel")


def scene(mode: str, phase: float, damping: float) -> contactlib.Spec:
    """The balls, external bodies whose contact has the phase w H and a damping, of critical."""
    w, reduced = phase / H, MASS / 2
    balls = [{"name": name, "motion": "external", "mass": MASS, "inertia": [1.0] * 3,
              "state": {"r": [side * (RADIUS + GAP / 2), 0, 0], "v": [-side * SPEED, 0, 0]},
              "shape": [{"name": "skin", "kind": "sphere", "radius": RADIUS, "material": "steel"}]}
             for name, side in (("left", -1), ("right", 1))]
    normal = {"kind": "kelvin_voigt", "stiffness": reduced * w**2, "damping": 2 * damping * w * reduced}
    return contactlib.Spec.from_dict({
        "scene": {"name": "bounces", "coupling": mode, "step_size": min(1e-4, 0.2 / w)}, "body": balls,
        "law": [{"name": "touch", "materials": ["steel", "steel"], "normal": normal}],
        "pair": [{"bodies": ["left", "right"]}],
    })


def bounce(mode: str, phase: float, damping: float, start: float = 0.0) -> tuple[Floats, Floats]:
    """Gap (m) and energy (J) after each step; `start` of a step is how much later contact begins."""
    spec = scene(mode, phase, damping)
    simulation = contactlib.Simulation(spec.compile())
    masses = rigid_body.Masses.of([body.mass_properties() for body in spec.bodies])
    states, wrenches, load = simulation.states.copy(), simulation.wrenches.copy(), np.zeros((2, 6))
    states[:, 0] += np.array([-1.0, 1.0]) * SPEED * H * start
    load[:, 0] = FORCE, -FORCE
    rows = [states]
    for _ in range(STEPS):
        simulation.step(H, states)
        new = simulation.wrenches.copy()
        held = new if mode == "gauss_seidel" else wrenches
        states, wrenches = rigid_body.rk4(masses, states, held + load, None, H), new
        rows.append(states)
    r, v = np.array(rows)[:, :, 0].T, np.array(rows)[:, :, 7:10]
    gap = r[1] - r[0] - 2 * RADIUS
    return gap, MASS / 2 * (v**2).sum(axis=(1, 2)) + FORCE * gap


def alone(phase: float, damping: float) -> Floats:
    """Gap (m) after each step when one solver moves balls and contact."""
    simulation = contactlib.Simulation(scene("none", phase, damping).with_motion("free", "left", "right").compile())
    simulation.apply("left", (FORCE, 0.0, 0.0))
    simulation.apply("right", (-FORCE, 0.0, 0.0))
    places = simulation.run(STEPS * H, H).states[:, :, 0]
    return np.asarray(places[:, 1] - places[:, 0] - 2 * RADIUS)


def most_energy(mode: str, phase: float, damping: float) -> float:
    """Over that at the start."""
    runs = (bounce(mode, phase, damping, start / STARTS)[1] for start in range(STARTS))
    return float(max((energy / energy[0]).max() for energy in runs))


def draw(table: dict[str, Floats], path: Path) -> None:
    """A stiff contact over time, and the most energy over w H."""
    from matplotlib import rc_context

    from contactlib.report.plot import COLOURS, STYLE, new_figure

    with rc_context(STYLE):
        figure = new_figure(9.0, 3.4)
        left, right = figure.subplots(1, 2)
        exact = alone(8.0, 0.3)
        left.plot(1e3 * H * np.arange(len(exact)), 1e3 * exact, color="grey", linestyle=":", label="one solver")
        for colour, (mode, name) in zip(COLOURS, (("none", "held wrenches"), ("jacobi", "coupling")), strict=False):
            gap, _ = bounce(mode, 8.0, 0.3)
            left.plot(1e3 * H * np.arange(len(gap)), 1e3 * gap, color=colour, label=name)
            right.plot(PHASES, table[mode].T[:, :1], color=colour, marker="o", label=name)
            right.plot(PHASES, table[mode].T[:, 1:], color=colour, marker="o")
        left.set(xlabel="time [ms]", ylabel="gap [mm]", xlim=(0, 600), ylim=(-40, 220),
                 title="Balls that bounce: w H = 8, damping 0.3")
        right.set(xlabel="w H: angular frequency of the contact times step  [rad]",
                  ylabel="most energy over that at the start", xscale="log", yscale="log",
                  title=f"Steps of {1e3 * H:g} ms, damping {DAMPINGS[0]:g} to {DAMPINGS[-1]:g}")
        left.legend(fontsize="small")
        figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out/coupling"), help="folder for the picture")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    table = {}
    for mode in MODES:
        table[mode] = np.array([[most_energy(mode, phase, damping) for phase in PHASES] for damping in DAMPINGS])
        print(f"\n{mode:16} w H = " + "".join(f"{phase:10g}" for phase in PHASES))
        for damping, row in zip(DAMPINGS, table[mode], strict=True):
            print(f"  damping {damping:<12g}" + "".join(f"{value:10.4g}" for value in row))
    draw(table, folder / "bounces.png")
    print(f"\nwrote {folder / 'bounces.png'}")


if __name__ == "__main__":
    main()
