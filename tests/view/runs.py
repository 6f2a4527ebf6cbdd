"""Runs that the tests of the viewer show: every shape, a ball that bounces, groups; a membrane; far from the origin."""

import base64
import json
import re
import struct
import zlib

import numpy as np

import contactlib
from contactlib.shapes.shapes import SHAPES
from tests.support.scenes import body, law, scene

SIZES = {
    "sphere": {"radius": 0.1}, "segment": {"length": 0.3}, "capsule": {"radius": 0.05, "length": 0.2},
    "triangle": {"corners": [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0]]}, "ellipsoid": {"semi_axes": [0.1, 0.07, 0.05]},
    "box": {"size": [0.2, 0.15, 0.1], "rounding": 0.02}, "cylinder": {"radius": 0.08, "length": 0.2},
    "polyhedron": {"corners": [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]]},
    "socket": {"size": [0.2, 0.2, 0.2], "radius": 0.05, "length": 0.08},
    "mesh": {"vertices": [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]],
             "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]},
    "point": {}, "plane": {},
}
SPRING = {"kind": "kelvin_voigt", "stiffness": 2e4, "damping": 20.0}
BALL_RADIUS = 0.15


def gallery(shift=(0.0, 0.0, 0.0)):
    """A ball bounces beside a fixed body with all twelve shapes in two groups; everything is moved by `shift`."""
    solids = [kind for kind in SHAPES if kind != "plane"]
    shapes = [{"name": kind, "kind": kind, "material": "b", "r": [0.5 * (k % 4), 0.5 + 0.5 * (k // 4), 0.2],
               **SIZES[kind]} for k, kind in enumerate(solids)]
    groups = [{"name": "left", "volume": "sphere", "shape": shapes[:6]},
              {"name": "right", "volume": "obb", "q": [0.96, 0.0, 0.0, 0.28], "shape": shapes[6:]}]
    ball = body("ball", "free", [{"name": "skin", "kind": "sphere", "radius": BALL_RADIUS, "material": "a"}], mass=2.0,
                inertia=[0.018] * 3, state={"r": [shift[0], shift[1], shift[2] + 0.16], "v": [0.5, 0.1, -0.4],
                                            "w": [1.0, -3.0, 2.0]})
    ground = body("ground", "fixed", [{"name": "top", "kind": "plane", "material": "b"}], state={"r": list(shift)})
    shelf = body("shelf", "fixed", [], group=groups, state={"r": list(shift)})
    return scene([ball, ground, shelf], [law("touch", ["a", "b"], SPRING)], [["ball", "ground"]],
                 gravity=[0.0, 0.0, -9.81], step_size=1e-3)


def resting(tilt=0.02):
    """A box that falls on a fixed one, tilted about x by `tilt` rad: surface contacts from the first frames on."""
    top = body("top", "free", [{"name": "skin", "kind": "box", "size": [0.2, 0.1, 0.1], "material": "a"}], mass=2.0,
               inertia=[0.003, 0.008, 0.008],
               state={"r": [0.02, 0.0, 0.151], "q": [np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0]})
    base = body("base", "fixed", [{"name": "skin", "kind": "box", "size": [0.3, 0.3, 0.2], "material": "b"}])
    return scene([top, base], [law("touch", ["a", "b"], SPRING)], [["top", "base"]], gravity=[0.0, 0.0, -9.81],
                 step_size=1e-3)


def recorded(spec, path, duration=0.2, every=2):
    """The result of a run of a scene."""
    return contactlib.record(spec, path, duration=duration, every=every)


def data_of(html):
    """Header and arrays of a page, decoded by the description in contactlib/view/container.py."""
    text = re.search(r'<script id="recording" type="text/plain">([^<]*)</script>', html)[1]
    whole = zlib.decompress(base64.b64decode(text))
    length, size = struct.unpack("<2I", whole[8:16])
    assert whole[:8] == b"CLVIEW01" and size == len(whole)
    header = json.loads(whole[16:16 + length])
    return header, {name: _array(whole[16 + length:], entry) for name, entry in header["arrays"].items()}


def _array(content, entry):
    dtype = np.dtype(f"<{entry['type']}")
    count = int(np.prod(entry["shape"]))
    planes = np.frombuffer(content, np.uint8, count * dtype.itemsize, entry["at"]).reshape(dtype.itemsize, count)
    values = np.ascontiguousarray(planes.T).view(dtype).reshape(entry["shape"])
    return np.cumsum(values, axis=-1, dtype=dtype) if entry["delta"] else values
