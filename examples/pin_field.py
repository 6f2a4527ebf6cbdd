"""Twenty pins in twenty holes, as in figure 8 of the RWTH paper: python examples/pin_field.py.

The interface of the scene `peg_in_hole` has a field of 4 x 5 pins here. It is pushed into its holes and pressed down
beside its middle. Without friction, the forces of the pins are then those of a rigid plate on equal springs.
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
from contactlib.report.plot import STYLE, new_figure
from validation import conclude

Floats = NDArray[np.float64]
OUT = Path("out/pin_field")
ROWS, COLUMNS, PITCH = 4, 5, 0.1  # pins along y and x, m
STEP, DURATION = 1e-4, 8.0  # s
FORCE = 200.0  # N, down
BESIDE = np.array([0.06, -0.03])  # m: where the force acts, from the middle of the field


def places() -> Floats:
    """Places (20, 2) of the pins on the interface, m."""
    x, y = (PITCH * (np.arange(n) - 0.5 * (n - 1)) for n in (COLUMNS, ROWS))
    return np.array([(a, b) for b in y for a in x])


def scene() -> contactlib.Spec:
    """The scene `peg_in_hole` with twenty of its pins and holes; the target is fixed."""
    table: dict[str, Any] = tomllib.loads((SCENES / "peg_in_hole" / "scene.toml").read_text(encoding="utf-8"))
    interface, target = table["body"]
    for body, height in ((interface, -0.03), (target, 0.0)):
        one = body["shape"][0]
        kind = one["name"].partition("_")[0]
        body["shape"] = [{**one, "name": f"{kind}_{k + 1}", "r": [float(x), float(y), height]}
                         for k, (x, y) in enumerate(places())]
    interface["motion"], target["motion"] = "free", "fixed"
    return contactlib.Spec.from_dict(table)


def docked() -> tuple[contactlib.Simulation, contactlib.Trajectory]:
    """Press the interface into the holes, with the small misalignment of the shipped scene."""
    simulation = contactlib.Simulation(scene().compile())
    x, y = BESIDE
    simulation.apply("interface", force=(0.0, 0.0, -0.1 * FORCE))
    simulation.run(duration=0.75 * DURATION, dt=STEP, every=100)
    for key in ("mu_kinetic", "mu_static"):  # friction at a wall would bear a part of the moment
        simulation.set(f"pin_hole.{key}", 0.0)
    simulation.apply("interface", force=(0.0, 0.0, -FORCE), torque=(-y * FORCE, x * FORCE, 0.0))
    return simulation, simulation.run(duration=0.25 * DURATION, dt=STEP, every=100)


def pin_forces(simulation: contactlib.Simulation) -> Floats:
    """Return the force along z on each pin (20,), N."""
    contacts, forces = simulation.contacts, np.zeros(ROWS * COLUMNS)
    for shape, force in zip(contacts.names("shape_a"), contacts["f_B_W"], strict=True):
        forces[int(shape.rpartition("_")[2]) - 1] -= force[2]
    return forces


def on_equal_springs() -> Floats:
    """Return the forces (20,) of equal springs under a rigid plate: F/n + F d.x_i/sum(x^2), for x and y alike, N."""
    at = places()
    return np.asarray(FORCE / len(at) + FORCE * (BESIDE * at / (at**2).sum(axis=0)).sum(axis=1))


def run(out: Path | None = None) -> dict[str, float]:
    """Dock, press, and compare the forces of all pins; returns what was measured."""
    simulation, end = docked()
    forces, expected = pin_forces(simulation), on_equal_springs()
    if out is not None:
        draw(forces, expected, out)
    return {
        "pins at the bottom": float((forces > 0.0).sum()),
        "sum of the forces": float(forces.sum()),
        "largest deviation of a force": float(np.abs(forces - expected).max()),
        "largest force of a pin": float(forces.max()),
        "speed at the end": float(np.linalg.norm(end.states[-1, 0, 7:10])) * 1e6,
    }


def draw(forces: Floats, expected: Floats, out: Path) -> None:
    """Draw the force of each pin at its place."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = new_figure(6.4, 4.6)
        axes = figure.subplots()
        at = 1e3 * places()
        shown = axes.scatter(*at.T, s=22.0 * forces, c=forces, cmap="Blues", vmin=0.0, edgecolors="#22303c")
        for (x, y), force, other in zip(at, forces, expected, strict=True):
            axes.annotate(f"{force:.2f}\n({other:.2f})", (x, y), ha="center", va="top", xytext=(0, -13),
                          textcoords="offset points", fontsize=7.5)
        axes.plot(*(1e3 * BESIDE), marker="+", color="#c8402f", markersize=14, linestyle="none",
                  label=f"{FORCE:.0f} N act here")
        axes.set(title="Force of each pin, and (of equal springs)  [N]",
                 xlabel="x  [mm]", ylabel="y  [mm]", xlim=(-260, 260), ylim=(-215, 200))
        axes.legend(loc="upper left")
        figure.colorbar(shown, label="force  [N]")
        out.mkdir(parents=True, exist_ok=True)
        figure.savefig(out / "pin_field.png", dpi=140)
    print(f"wrote {out / 'pin_field.png'}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the picture")
    conclude("pin_field", run(parser.parse_args().out))
