"""Writes a page that runs a scene itself: the viewer, the model, and the core as WebAssembly, in one file."""

from __future__ import annotations

import base64
import html
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.common.files import write_text
from contactlib.exports.drawing import Drawing
from contactlib.fmu.web_page import runnable, wasm_module
from contactlib.model.spec import Spec
from contactlib.results import Result, ResultWriter, read_result
from contactlib.results.fabric import fabrics
from contactlib.results.format import SUFFIX
from contactlib.simulation.simulation import Simulation
from contactlib.view import bundle
from contactlib.view.container import encode
from contactlib.view.page import SEGMENTS, fill
from contactlib.view.recording import Arrays, origin_of
from contactlib.view.scene import bodies_of


def write_live_page(spec: Spec, path: str | Path) -> Path:
    """Write a page that runs a scene, as one HTML file that needs no network and no other file.

    Parameters
    ----------
    spec : the scene, whose free bodies move by themselves: `contactlib.model.closed_loop.closed_loop` makes it.
    path : the file to write.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError : a contact model of the scene is written in Python.
    FileNotFoundError : the module or the bundle of the page's code is missing; the message says how to build it.
    ImportError : pyarrow is missing.
    OSError : the file cannot be written.

    Examples
    --------
    >>> import contactlib
    >>> from contactlib.model.closed_loop import closed_loop
    >>> spec = closed_loop(contactlib.load("tripod"), [], None, None, None)
    >>> write_live_page(spec, "tripod.html")  # doctest: +SKIP
    PosixPath('tripod.html')
    """
    spec = replace(spec, resolve_in="world")
    simulation = Simulation(spec.compile())
    runnable(simulation.model)
    module = wasm_module()
    code, style = bundle.read()
    with tempfile.TemporaryDirectory(prefix="contactlib_live_") as folder:
        drawing = Drawing(_start(spec, simulation, Path(folder) / f"start{SUFFIX}"), segments=SEGMENTS)
        data = _container(spec, simulation, drawing, module)
    text = fill(code=code, style=style, title=html.escape(spec.name), data=base64.b64encode(data).decode())
    return Path(write_text(path, text))


def _start(spec: Spec, simulation: Simulation, path: Path) -> Result:
    """Return a result with one frame: the start of the scene."""
    with ResultWriter(path, simulation.model, scene=spec) as writer:
        writer.record(simulation)
        writer.close(())
    return read_result(path)


def _container(spec: Spec, simulation: Simulation, drawing: Drawing, module: bytes) -> bytes:
    model = simulation.model
    bodies, surfaces = bodies_of(drawing)
    header = {
        "name": spec.name, "description": spec.description, "problem": "", "facts": _facts(spec, model.hash),
        "bodies": bodies, "plots": [], "model": model.hash, "version": contactlib.__version__,
        **_soft(simulation, drawing),
    }
    header["live"] |= {"step": spec.longest_step, "duration": spec.duration, "bodies": _masses(spec, drawing)}
    arrays: Arrays = {"time": np.zeros(1), "origin": np.atleast_1d(origin_of(drawing)).astype(np.float64),
                      "model": _bytes(model.to_bytes()), "wasm": _bytes(module)}
    return encode(header, {**surfaces, **arrays})


def _facts(spec: Spec, model: str) -> list[str]:
    """Return sentences on the page."""
    return [f"This page runs the scene itself, by the core of contactlib {contactlib.__version__} as WebAssembly, with "
            f"{spec.integrator} and steps of {spec.step_text}. Without a drag and without a changed parameter, the run "
            f"has the bits of `contactlib run`. Model {model[:12]}.",
            "Arrows are the forces on body B of each contact, or on the cable. Volumes of groups are drawn around the "
            "surfaces."]


def _masses(spec: Spec, drawing: Drawing) -> list[dict[str, Any] | None]:
    """Return mass (kg), least moment of inertia about the centre of mass (kg m2) and that centre (m) of each body."""
    flat = {body.name: body.mass_properties() for body in spec.rigid_bodies}
    return [None if (found := flat[name]) is None else
            {"mass": float(found.mass), "inertia": float(np.linalg.eigvalsh(found.inertia)[0]),
             "com": [float(x) for x in found.com]} for name in drawing.result.bodies]


def _soft(simulation: Simulation, drawing: Drawing) -> dict[str, Any]:
    """Return the entries of cables and membranes, and their numbers in the core."""
    cables: list[dict[str, Any]] = []
    membranes: list[dict[str, Any]] = []
    places: list[dict[str, int]] = []
    fabric: list[dict[str, int]] = []
    found = {item.name: item for item in fabrics(simulation.model)}
    for number, element in enumerate(simulation.model.element_names):
        for k, nodes in enumerate(simulation.cable_nodes(element)):
            name = f"{element}[{k + 1}]"
            cables.append({"name": name, "element": element, "nodes": len(nodes), "radius": drawing.radius(name)})
            places.append({"element": number, "cable": k})
        if (item := found.get(element)) is not None:
            count = item.vertex_count
            membranes.append({"name": element, "element": element, "points": count})
            # a closed surface of all points has 2 n - 4 triangles
            fabric.append({"element": number, "triangles": 2 * count})
    return {"cable_nodes": cables, "membranes": membranes, "live": {"cable_places": places, "fabrics": fabric}}


def _bytes(content: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(content, dtype=np.uint8)
