"""Rays of a sensor at the origin, and the shapes that they hit."""

import itertools
from dataclasses import replace

import numpy as np

from contactlib.elements.range_finder import RangeFinder
from contactlib.validation import building

CORNERS = [[0.5 * x, 0.5 * y, 0.5 * z] for x, y, z in itertools.product((-1, 1), repeat=3)]
SIDES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
         [1, 5, 7], [1, 7, 3]]
RAYS = {"ball": (2, 0, 0), "ball, slanted ray": (3, 0.4, 0), "box": (0, 1, 0), "plane": (0, 0, -1),
        "plane, ray at 45 deg": (-1, 0, -1), "mesh of a cube": (0, -1, 0), "cylinder": (-1, 0, 0),
        "ellipsoid": (-1, 1, 0), "capsule, from above": (0, 0, 1), "nothing": (1, 1, 2)}


def scene():
    half = float(np.sqrt(0.5))
    diagonal = -np.sqrt(2.0)
    bodies = [
        building.body("ball", "external", [building.shape("sphere", radius=0.5)], state={"r": [3, 0, 0]}),
        building.body("box", "fixed", [building.shape("box", size=[1.0, 2.0, 0.4])], state={"r": [0, 2, 0]}),
        building.body("ground", "fixed", [building.shape("plane")], state={"r": [0, 0, -4]}),
        building.body("cube", "fixed", [building.shape("mesh", vertices=CORNERS, triangles=SIDES)],
                      state={"r": [0, -2, 0]}),
        building.body("drum", "fixed", [building.shape("cylinder", radius=0.3, length=1.0)], state={"r": [-2, 0, 0]}),
        # its long axis points at the sensor
        building.body("egg", "fixed", [building.shape("ellipsoid", semi_axes=[0.4, 0.1, 0.2])],
                      state={"r": [float(diagonal), float(-diagonal), 0],
                             "q": [float(np.cos(-np.pi / 8)), 0, 0, float(np.sin(-np.pi / 8))]}),
        building.body("rod", "fixed", [building.shape("capsule", radius=0.2, length=1.0)], state={"r": [0, 0, 5]}),
        building.body("sensor", "fixed", state={"q": [half, 0, 0, half]}),
    ]
    directions = tuple((y, -x, z) for x, y, z in RAYS.values())  # the sensor is turned by 90 degrees about z
    return replace(building.scene(bodies, step_size=0.1),
                   elements=(RangeFinder("lidar", directions, body="sensor"),))


def run(runner):
    count = len(RAYS)
    names = [f"lidar.distance[{k + 1}]" for k in range(count)] + [f"lidar.hit[{k + 1}]" for k in range(count)]
    found = runner.run(scene(), 1.0, 0.1, [*names, "lidar.normal_y[2]"],
                       {"ball.r[1]": lambda t: 3.0 + 0.5 * t, "ball.v[1]": 0.5})
    results = {name: found[f"lidar.distance[{k + 1}]"][0] for k, name in enumerate(RAYS)}
    return {**results, "ball that has moved by 0.5 m": found["lidar.distance[1]"][-1],
            "normal of the ball at the slanted ray, y": found["lidar.normal_y[2]"][0],
            "hits": float(sum(found[f"lidar.hit[{k + 1}]"][0] for k in range(count)))}
