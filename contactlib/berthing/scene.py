"""The complete scene of two berthing rings, as tables and as the text of a scene file."""

from __future__ import annotations

import math
from collections.abc import Sequence

from contactlib.berthing.mechanisms import control, indicators, latches, plungers
from contactlib.berthing.parameters import Parameters
from contactlib.berthing.place import DIGITS, Table
from contactlib.berthing.rings import active_ring, passive_ring
from contactlib.common.toml_text import toml_text

COMMENT = """Made by `contactlib ring parameters.toml -o scene.toml`: change the parameters, not this file.
Both rings have their faces in z = 0, z from the active to the passive one; berthed, their frames nearly coincide."""
DESCRIPTION = "Two rings of a berthing mechanism: guides, pins, seal, stand-offs, four latches and four indicators"


def ring_scene(p: Parameters) -> Table:
    """Return the tables of the scene, for `Spec.from_dict`.

    >>> from contactlib import Spec
    >>> from contactlib.berthing import read_parameters
    >>> from contactlib.model.spec import SCENES
    >>> spec = Spec.from_dict(ring_scene(read_parameters(SCENES / "cbm" / "parameters.toml")))
    >>> [body.name for body in spec.bodies[:4]]
    ['active', 'passive', 'hook1', 'hook2']
    """
    module = p.part("module")
    made = [latches(p), indicators(p), plungers(p)]
    driven = [body for bodies, _ in made for body in bodies]
    tables: Table = {
        "scene": {"name": p["scene", "name"], "description": DESCRIPTION, "step_size": p["scene", "step_size"],
                  "duration": p["scene", "duration"]},
        "body": [
            {"name": "active", "motion": "external", "group": active_ring(p)},
            {"name": "passive", "motion": "external", "mass": module["mass"], "inertia": list(module["inertia"]),
             "com": [0.0, 0.0, module["center"]],
             "state": {"r": [0.0, 0.0, module["gap"]], "v": [0.0, 0.0, -module["speed"]]},
             "group": passive_ring(p)},
            *driven,
        ],
        "law": _laws(p),
        "pair": [{"bodies": ["passive", name]} for name in ("active", *(body["name"] for body in driven))],
        "latch": made[0][1],
        "indicator": [*made[1][1], *made[2][1]],
        "berthing": [control(p)],
        "gauge": [{"name": "seal_load", "body": "passive", "material": "seal", "axis": [0.0, 0.0, -1.0]}],
    }
    for kind, rows in p.append.items():
        tables[kind] = [*tables.get(kind, []), *rows]
    return tables


def _laws(p: Parameters) -> list[Table]:
    """Return one law for each pair of materials that can be in contact."""
    standoff, seal = p.part("standoff"), p.part("seal")
    stroke, stop = standoff["stroke"], 0.001
    spring = [standoff["stiffness"] * stroke, standoff["stiffness"] * stroke + standoff["stop_stiffness"] * stop]
    length = 2.0 * math.pi * seal["radius"] / seal["points"]
    curves = {
        "standoff_metal": {"kind": "curve", "depth": [stroke, stroke + stop], "force": spring,
                           "damping": standoff["damping"]},
        "seal_metal": {"kind": "curve", "depth": list(seal["depths"]), "damping": seal["damping"],
                       "force": [round(f * length, DIGITS) for f in seal["line_forces"]]},
    }
    laws = [_linear("metal_metal", ("metal", "metal"), p["contact", "metal"]),
            {"name": "standoff_metal", "materials": ["standoff", "metal"], "normal": curves["standoff_metal"],
             "friction": _friction(p["contact", "standoff_friction"])},
            {"name": "seal_metal", "materials": ["seal", "metal"], "normal": curves["seal_metal"],
             "friction": _friction(p["contact", "seal_friction"])}]
    for mover in ("guide", "hook", "paddle"):
        laws.append(_linear(f"{mover}_metal", (mover, "metal"), p["contact", mover]))
    for mover in ("standoff", "guide", "hook", "paddle"):  # the bead is as hard as metal to what is not a face
        laws.append(_linear(f"{mover}_seal", (mover, "seal"), p["contact", "paddle" if mover == "paddle" else "guide"]))
    return laws


def _linear(name: str, materials: Sequence[str], numbers: Sequence[float]) -> Table:
    stiffness, damping, *friction = numbers
    return {"name": name, "materials": list(materials),
            "normal": {"kind": "kelvin_voigt", "stiffness": stiffness, "damping": damping},
            "friction": _friction(friction)}


def _friction(numbers: Sequence[float]) -> Table:
    mu, stiffness, damping = numbers
    return {"kind": "bristle", "mu_static": mu, "mu_kinetic": mu, "tangential_stiffness": stiffness,
            "tangential_damping": damping}


def scene_text(p: Parameters) -> str:
    """Return the text of the scene file; each shape is one line."""
    return toml_text(ring_scene(p), COMMENT)
