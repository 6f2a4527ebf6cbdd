"""Clearances of a probe, of a peg in its hole, and of two crossed beams."""

import itertools
from dataclasses import replace

import numpy as np

from contactlib.elements.clearance import Clearance
from contactlib.validation import building

CORNERS = [[0.5 * x, 0.5 * y, 0.5 * z] for x, y, z in itertools.product((-1, 1), repeat=3)]
SIDES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
         [1, 5, 7], [1, 7, 3]]
PAIRS = {"ball": ("probe", "ball"), "face of a box": ("probe", "box"), "corner of a box": ("probe", "crate"),
         "plane": ("probe", "ground"), "mesh of a cube": ("probe", "cube"), "cylinder": ("probe", "drum"),
         "peg in its hole": ("peg", "block"), "crossed edges": ("beam", "rail"), "nearest of all": ("probe", None)}


def scene():
    c, s = float(np.cos(np.pi / 8)), float(np.sin(np.pi / 8))
    bodies = [
        building.body("probe", "external", [building.shape("sphere", radius=0.1)]),
        building.body("ball", "fixed", [building.shape("sphere", radius=0.5)], state={"r": [3, 0, 0]}),
        building.body("box", "fixed", [building.shape("box", size=[1.0, 2.0, 0.4])], state={"r": [0, 2, 0]}),
        building.body("crate", "fixed", [building.shape("box", size=[1.0, 1.0, 1.0])], state={"r": [2, 2, 2]}),
        building.body("ground", "fixed", [building.shape("plane")], state={"r": [0, 0, -4]}),
        building.body("cube", "fixed", [building.shape("mesh", vertices=CORNERS, triangles=SIDES)],
                      state={"r": [0, -2, 0]}),
        building.body("drum", "fixed", [building.shape("cylinder", radius=0.3, length=1.0)], state={"r": [-2, 0, 0]}),
        building.body("block", "fixed", [building.shape("socket", size=[1.2, 1.4, 1.0], radius=0.3, length=0.5)],
                      state={"r": [0, 0, 20]}),
        building.body("peg", "external", [building.shape("cylinder", radius=0.2, length=0.4)],
                      state={"r": [0.03, 0.04, 19.75]}),
        # their edges along x and along y are nearest
        building.body("beam", "fixed", [building.shape("box", size=[3.0, 0.4, 0.4])],
                      state={"r": [0, 0, 30], "q": [c, s, 0, 0]}),
        building.body("rail", "fixed", [building.shape("box", size=[0.2, 3.0, 0.2])],
                      state={"r": [0.1, 0.2, 31], "q": [c, 0, s, 0]}),
    ]
    elements = tuple(Clearance(f"gap{k + 1}", first, last) for k, (first, last) in enumerate(PAIRS.values()))
    return replace(building.scene(bodies, step_size=0.1), elements=elements)


def run(runner):
    names = [f"gap{k + 1}.distance" for k in range(len(PAIRS))]
    found = runner.run(scene(), 1.0, 0.1, [*names, "gap3.normal_y", "gap3.point_z", "gap9.body"],
                       {"probe.r[1]": lambda t: 0.5 * t, "probe.v[1]": 0.5})
    results = {name: found[f"gap{k + 1}.distance"][0] for k, name in enumerate(PAIRS)}
    return {**results, "ball, 0.5 m nearer": found["gap1.distance"][-1],
            "direction to the corner, y": found["gap3.normal_y"][0],
            "nearest point of the probe to the corner, z": found["gap3.point_z"][0],
            "number of the nearest body": float(found["gap9.body"][0])}
