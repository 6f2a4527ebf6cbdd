"""Draws docs/images/pressure.png: the pressure of three contacts, on docs/contacts.md.

    python docs/draw_pressure.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from numpy.typing import ArrayLike, NDArray

import contactlib
from contactlib.report.plot import STYLE, new_figure
from contactlib.report.pressure import draw_pressure
from contactlib.simulation.patches import ContactPatches

PICTURE = Path(__file__).parent / "images" / "pressure.png"
STIFFNESS = 1e6  # N/m
FOOT = 0.3  # m, height of the table's feet
Shape = dict[str, Any]


def patches(name: str, shape: Shape, r: ArrayLike, q: ArrayLike, on: Shape) -> ContactPatches:
    """A body with this shape and pose on the ground, a body that is fixed."""
    bodies = [{"name": body, "motion": motion, "shape": [{"name": "surface", "material": "m", **form}]}
              for body, motion, form in ((name, "external", shape), ("ground", "fixed", on))]
    normal = {"kind": "kelvin_voigt", "stiffness": STIFFNESS, "damping": 0.0}
    spec = contactlib.Spec.from_dict({
        "scene": {"name": name}, "body": bodies, "pair": [{"bodies": [name, "ground"]}],
        "law": [{"name": "m", "materials": ["m", "m"], "normal": normal}]})
    simulation = contactlib.Simulation(spec.compile())
    simulation.compute({name: {"r": r, "q": np.asarray(q) / np.linalg.norm(q)}})
    return simulation.contact_patches()


def grid(heights: NDArray[np.float64], length: float, width: float) -> Shape:
    solid = contactlib.height_field(heights, (length / (len(heights) - 1), width / (len(heights[0]) - 1)), 0.05)
    return {"kind": "mesh", "vertices": solid.vertices.tolist(), "triangles": solid.triangles.tolist()}


def table() -> Shape:
    """A table of 0.4 m x 0.3 m upside down: a grid whose four corner cells are raised."""
    heights = np.zeros((9, 7))
    heights[np.ix_((0, 1, -2, -1), (0, 1, -2, -1))] = FOOT
    return grid(heights, 0.4, 0.3)


def hills() -> Shape:
    """Hills of 4 mm, 60 mm apart, on 0.3 m x 0.3 m, with their tops at z = 0."""
    waves = np.cos(2 * np.pi / 0.06 * np.linspace(-0.15, 0.15, 41))
    return grid(0.001 * (np.add.outer(waves, waves) - 2.0), 0.3, 0.3)


def main() -> None:
    """Draw the three contacts side by side."""
    capsule = {"kind": "capsule", "radius": 0.02, "length": 0.1}
    found = [
        patches("table", table(), (0.0, 0.0, FOOT - 3e-4), (4e-4, 1.0, 0.0, 3e-4), {"kind": "plane"}),
        patches("box", {"kind": "box", "size": [0.12, 0.1, 0.05]}, (0.005, 0.01, 0.0237), (1.0, 2e-3, 3e-3, 0.15),
                hills()),
        patches("capsule", capsule, (0.15, 0.0, 0.0697), (1.0, 0.0, 1.0, 0.0),
                {"kind": "box", "size": [0.3, 0.2, 0.1]}),
    ]
    with rc_context(STYLE):
        figure = new_figure(16.0, 4.6)
        for ax, contact in zip(figure.subplots(1, 3), found, strict=True):
            draw_pressure(ax, contact)
    figure.savefig(PICTURE, dpi=75)


if __name__ == "__main__":
    main()
