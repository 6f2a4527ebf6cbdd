"""Template: the scene of a campaign is read once, and for each run only the drawn rows are read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from contactlib._core import engine
from contactlib.campaign.definition import Campaign
from contactlib.campaign.paths import Steps
from contactlib.common.options import LAW_PARTS
from contactlib.model.parts import Body, Law
from contactlib.model.spec import Spec

#: arrays of tables of which only the drawn rows are read again
REDUCED = ("body", "object", "law")
_STATE = ("r", "q", "v", "w", "turn")


class Template:
    """Makes the Spec of a run faster than `Campaign.spec_of`, and equal to it, by reading only the drawn tables.

    Bodies and laws that no draw names are taken from the scene as written. So are the shapes that no draw names, if
    their body has no groups.
    """

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.written = campaign.read(campaign.source.scene)
        self.drawn = [steps for draw in campaign.draws for steps in draw.steps]
        scene = campaign.source.scene
        self.scene = {key: value for key, value in scene.items() if key != "pair"}
        for key in REDUCED:
            self.scene[key] = [self._reduced(key, row) for row in scene.get(key, ()) if self._names(key, row["name"])]

    def _names(self, *steps: str) -> list[Steps]:
        """Return the paths of draws that begin with these steps."""
        return [path for path in self.drawn if path[: len(steps)] == steps]

    def _reduced(self, key: str, row: dict[str, Any]) -> dict[str, Any]:
        """Return a body without its constant shapes, and an object without its file if no draw changes the file."""
        if key == "object" and not self._names(key, row["name"], "file"):
            return {part: row[part] for part in ("name", "motion", "state") if part in row}
        if key == "body" and "shape" in row:
            drawn = [shape for shape in row["shape"] if self._names(key, row["name"], "shape", shape["name"])]
            return {**row, "shape": drawn}
        return row

    def spec(self, values: Mapping[str, Any]) -> Spec:
        """Return the scene of one run. ValueError if the drawn values make no valid scene."""
        scene = self.campaign.scene_of(values, self.scene)
        whole = [row for row in scene["object"] if "file" in row]
        bodies = [*scene["body"], *(row for row in scene["object"] if "file" not in row)]
        read = self.campaign.read({**scene, "body": bodies, "object": whole})
        found = {body.name: body for body in read.bodies}
        objects = {row["name"]: row for row in scene["object"] if "file" not in row}
        laws = {law.name: law for law in read.laws}
        return self.campaign.closed(replace(
            read,
            bodies=tuple(_merged(body, found.get(body.name), objects.get(body.name)) for body in self.written.bodies),
            laws=tuple(laws.get(law.name, law) for law in self.written.laws),
            pairs=self.written.pairs,
        ))

    @property
    def only_starts(self) -> bool:
        """True if the draws change only initial states of bodies and parameters of laws: all runs can share one model.

        False if the scene has other tables than bodies, laws and pairs: their initial state may depend on the bodies.
        """
        spec = self.campaign.closed(self.written)
        names = [variable.name for variable in spec.compile().variables]
        plain = len(spec.rigid_bodies) == len(spec.bodies) and {*self.scene} <= {"scene", *REDUCED}
        return plain and len(set(names)) == len(names) and all(
            is_start(steps) or is_parameter(steps, names) for steps in self.drawn)

    def parameters(self, spec: Spec) -> dict[str, float]:
        """Return the parameters of the drawn laws by the names of their variables."""
        drawn = [law for law in spec.laws if self._names("law", law.name)]
        return {name: value for law in drawn for name, value in _parameters(law).items()}


def _merged(written: Body, drawn: Body | None, row: Mapping[str, Any] | None) -> Body:
    """Return a body with its drawn parts; all other parts are as written in the scene."""
    if drawn is None:
        return written
    if row is not None:
        return replace(written, state=drawn.state, motion=drawn.motion if "motion" in row else written.motion)
    shapes = {shape.name: shape for shape in drawn.shapes}
    return replace(drawn, shapes=tuple(shapes.get(shape.name, shape) for shape in written.shapes)) if (
        written.shapes) else drawn


def is_start(steps: Sequence[str | int]) -> bool:
    """Whether a path names a part of the initial state of a body."""
    return len(steps) > 3 and steps[0] in ("body", "object") and steps[2] == "state" and steps[3] in _STATE


def is_parameter(steps: Sequence[str | int], variables: Sequence[str]) -> bool:
    """Whether these steps name a number of a law that is one of the model's variables."""
    if len(steps) < 4 or steps[0] != "law" or steps[2] not in LAW_PARTS:
        return False
    number = f"[{steps[4]}]" if len(steps) > 4 else ""
    return f"{steps[1]}.{steps[3]}{number}" in variables


def _parameters(law: Law) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in LAW_PARTS:
        rows = dict(engine.law_tables()[part])[getattr(law, part)]
        values = getattr(law, f"{part}_parameters")
        found |= {f"{law.name}.{row[0]}": value for row, value in zip(rows, values, strict=True)}
    return found
