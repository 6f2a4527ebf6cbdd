"""Writes a result as one page: the template, the bundled code, and the data, thinned until the page is small enough."""

from __future__ import annotations

import base64
import html
import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import contactlib
from contactlib.common.files import write_text
from contactlib.common.options import PAGE_LIMIT
from contactlib.exports.drawing import Drawing
from contactlib.results.result import Result
from contactlib.view import bundle, recording
from contactlib.view.container import encode
from contactlib.view.pressure import Pressures, pressures
from contactlib.view.scene import bodies_of

TEMPLATE = Path(__file__).parent / "page" / "page.html"
#: frames above which a page leaves some out at first: more make it slow to load
MOST_FRAMES = 6000
#: segments around a circle
SEGMENTS = 48


@dataclass(frozen=True)
class Page:
    """A page that was written: its file, its size in bytes, how many of the result's frames it has."""

    path: Path
    size: int
    frames: int
    all_frames: int

    def __str__(self) -> str:
        shown = f"all {self.frames}" if self.frames == self.all_frames else f"{self.frames} of {self.all_frames}"
        return f"{self.path} ({self.size / 1e6:.1f} MB, {shown} frames)"


def write_page(result: Result, path: str | Path, *, limit: float = PAGE_LIMIT, every: int | None = None,
               follow: str | None = None) -> Page:
    """Write a result as one HTML file that needs no network and no other file.

    Parameters
    ----------
    result : the run, as `read_result` returns it.
    path : the file to write.
    limit : largest size of the page, in units of 1e6 bytes. Pressures are left out if the page is too large with them,
        then frames, evenly, until it is small enough; the page says so.
    every : show each `every`-th frame, whatever the size; by default as many as fit.
    follow : name of the body at whose position the origin of the drawing is in every frame.

    Returns
    -------
    Page
        The file, its size, and its number of frames.

    Raises
    ------
    ValueError : an argument that is not allowed, an empty result, or a scene whose surfaces alone exceed the limit.
    FileNotFoundError : the bundle of the page's code is missing; the message says how to build it.
    OSError : the file cannot be written.

    Examples
    --------
    >>> import contactlib, tempfile
    >>> from contactlib.view import write_page
    >>> with tempfile.TemporaryDirectory() as folder:  # doctest: +SKIP
    ...     run = contactlib.record("peg_in_hole", f"{folder}/peg.clr", duration=0.1)
    ...     write_page(run, f"{folder}/peg.html").frames
    1001
    """
    if not (math.isfinite(limit) and limit > 0.0):
        raise ValueError(f"limit = {limit}: must be finite and greater than zero")
    if len(result) == 0:
        raise ValueError(f"{result.path}: has no frames to show")
    code, style = bundle.read()
    drawing = Drawing(result, every or math.ceil(len(result) / MOST_FRAMES), follow, SEGMENTS)
    bodies, surfaces = bodies_of(drawing)
    contacts = Pressures(result)
    fixed = len(code) + len(style) + len(TEMPLATE.read_text(encoding="utf-8"))
    while True:
        data = base64.b64encode(container(drawing, bodies, surfaces, contacts)).decode()
        size = fixed + len(data)
        if every is not None or size <= 1e6 * limit:
            break
        if not contacts.left_out:
            contacts.left_out = True
            continue
        if len(drawing.frames) <= 2:
            raise ValueError(f"limit = {limit:g}: the scene alone needs {size / 1e6:.1f} MB: choose a larger limit")
        drawing = replace(drawing, every=max(drawing.every + 1, math.ceil(drawing.every * size / (1e6 * limit))))
    text = fill(code=code, style=style, title=html.escape(result.scene.name), data=data)
    written = write_text(path, text)
    return Page(Path(written), len(text.encode()), len(drawing.frames), len(result))


def fill(*, code: str, style: str, title: str, data: str) -> str:
    """Return the template with its four places filled."""
    values = {"script": code, "style": style, "title": title, "data": data}
    return re.sub(r"{{(\w+)}}", lambda match: values[match[1]], TEMPLATE.read_text(encoding="utf-8"))


def container(drawing: Drawing, bodies: list[dict[str, Any]], surfaces: recording.Arrays, contacts: Pressures) -> bytes:
    """Return the compressed data of a page."""
    origin = recording.origin_of(drawing)
    cables, cable_arrays = recording.cables(drawing, origin)
    membranes, membrane_arrays = recording.membranes(drawing, origin)
    top, pressure_arrays = pressures(drawing, origin, contacts)
    signals = recording.Signals(drawing)
    signals.add_all()
    for part in (*cables, *membranes):
        part["values"] = signals.values(part["name"])
    scene, manifest = drawing.result.scene, drawing.result.manifest
    header = {
        "name": scene.name, "description": scene.description, "problem": drawing.result.incomplete,
        "facts": facts(drawing, origin.ndim == 2, contacts.left_out, top), "bodies": bodies, "cable_nodes": cables,
        "membranes": membranes, "plots": signals.plots, "pressure": top, "model": manifest["model"],
        "version": contactlib.__version__,
    }
    arrays = {**recording.motion(drawing, origin), **recording.contacts(drawing, origin), "signals": signals.array()}
    return encode(header, {**surfaces, **arrays, **cable_arrays, **membrane_arrays, **pressure_arrays})


def facts(drawing: Drawing, moving: bool, left_out: bool, pressure: float) -> list[str]:
    """Return sentences on the run and on what the page leaves out."""
    result, manifest = drawing.result, drawing.result.manifest
    shown, count = len(drawing.frames), len(result)
    found = [f"Run from {result.time[0]:g} s to {result.time[-1]:g} s, started {manifest['started']}, by "
             f"{manifest['source']}.", f"Model {manifest['model'][:12]}, contactlib {contactlib.__version__}."]
    if shown < count:
        found.append(f"The page shows {shown} of {count} frames, one in {drawing.every}: contacts and peaks between "
                     "these frames are left out.")
    if drawing.follow is not None:
        found.append(f"The origin moves with {drawing.follow}.")
    elif moving:
        found.append("The bodies travel far: the origin moves with their mean position.")
    if left_out:
        found.append("With the pressures on surfaces in contact the page would be too large: a larger --limit shows "
                     "them.")
    if pressure > 0.0:
        found.append("Colours on surfaces in contact are their pressures, seen through the bodies.")
    found += [f"Warning: {sentence}" for sentence in result.warnings]
    return [*found, "Between two frames, bodies, cables and membranes are interpolated; contacts are those of the "
            "frame before. Arrows are the forces on body B of each contact, or on the cable. Volumes of groups are "
            "drawn around the surfaces."]
