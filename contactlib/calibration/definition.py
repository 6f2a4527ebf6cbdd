"""Reads a calibration: the file calibration.toml, its scene and its measured series (docs/calibration.md)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.calibration.measured import Measured, read_measured
from contactlib.calibration.motion import Motion, read_motions
from contactlib.calibration.parameters import Change, Parameter, check_parameters, read_parameter, step_of_u
from contactlib.calibration.series import Series, read_series
from contactlib.campaign import paths
from contactlib.campaign.definition import scene_path
from contactlib.common import tables
from contactlib.common.files import SceneFolder, read_toml
from contactlib.common.options import INTEGRATORS
from contactlib.common.tables import Table
from contactlib.model.closed_loop import closed_loop
from contactlib.model.spec import Spec
from contactlib.pcm.diagnostics import PcmError

Floats = NDArray[np.float64]
LOSSES = ("linear", "soft_l1", "huber", "cauchy", "arctan")
#: what the intervals take as independent: all residuals, or only whole series
INTERVALS = ("rows", "series")
MAX_STARTS = 1000


class Source(NamedTuple):
    """A calibration as plain tables, with the folders of its series and of its scene."""

    calibration: dict[str, Any]
    scene: dict[str, Any]
    folder: str
    scene_folder: str
    outside: bool = False


@dataclass(frozen=True)
class Options:
    """How to fit: robust loss and its scale, starts, limits, kind and confidence of the intervals."""

    loss: str = "linear"
    loss_scale: float = 1.0
    starts: int = 1
    samples: int = 0
    seed: int = 0
    tolerance: float = 1e-8
    max_evaluations: int = 200
    intervals: str = "rows"
    confidence: float = 0.95


@dataclass(frozen=True)
class Calibration:
    """A scene, parameters to fit, and measured series; immutable. `load_calibration` and `read_calibration` make one.

    `series` are fitted, `checks` are only compared with the result. `dataclasses.replace(calibration, series=...)`
    makes a calibration with series from arrays (`Series.of`).
    """

    source: Source
    name: str
    parameters: tuple[Parameter, ...]
    measured: tuple[Measured, ...]
    series: tuple[Series, ...]
    options: Options
    checks: tuple[Series, ...] = ()
    step: float | None = None
    integrator: str | None = None
    every: int = 1
    fixed: tuple[str, ...] = ()
    motions: tuple[Motion, ...] = ()

    def changes(self, values: Mapping[str, float], series: Series) -> list[Change]:
        """Return all that one series and these values of the parameters change in the scene."""
        return [*series.changes, *self.parameter_changes(values, series)]

    def parameter_changes(self, values: Mapping[str, float], series: Series | None = None) -> list[Change]:
        """Return what the parameters change: those of one series, or only those that act on all series."""
        return [change for each in self.parameters
                if (each.acts_on(series.name) if series is not None else not each.series)
                for change in each.changes(values[each.name])]

    def scene_of(self, changes: Iterable[Change]) -> dict[str, Any]:
        """Return the scene's tables with these changes."""
        changed: Any = self.source.scene
        for change in changes:
            changed = change.applied(changed)
        turned: dict[str, Any] = paths.turned(changed)
        return turned

    def spec_of(self, changes: Iterable[Change]) -> Spec:
        """Return the changed scene: moved bodies are external, bodies with a mass are free, all others are fixed.

        ValueError if the scene is invalid.
        """
        spec = Spec.from_dict(self.scene_of(changes), folder=self.source.scene_folder, trust=None,
                              outside=self.source.outside)
        for law in spec.laws:
            if law.python:
                raise ValueError(f"law '{law.name}' has the contact model '{law.python.kind}' in Python: a calibration "
                                 f"runs compiled laws only: choose a compiled law")
        return closed_loop(spec, self.fixed, self.step, None, self.integrator, [each.body for each in self.motions])

    @property
    def hash(self) -> str:
        """SHA-256 of all that a run depends on: scene and its files, parameters, series, and the version."""
        head = {key: value for key, value in self.source.calibration.get("calibration", {}).items()
                if key in ("step", "integrator", "every", "fixed")}
        digest = hashlib.sha256(json.dumps([contactlib.__version__, head, self.source.scene, repr(self.parameters),
                                            repr(self.measured), repr(self.motions)], sort_keys=True).encode())
        place = SceneFolder.of(self.source.scene_folder, outside=self.source.outside)
        for file in sorted({*paths.files(self.source.scene)}):
            digest.update(hashlib.sha256(place.file(file).read_bytes()).digest())
        for each in self.series:
            digest.update(repr((each.name, each.changes, each.weight)).encode())
            for rows in (each.time, *(table[name] for table in (each.values, each.motion) for name in sorted(table))):
                digest.update(np.ascontiguousarray(rows).tobytes())
        return digest.hexdigest()


def load_calibration(path: str | Path, *, outside: bool = False) -> Calibration:
    """Read a calibration file, its scene and its series.

    Parameters
    ----------
    path : the calibration.toml. Its paths start at its folder.
    outside : True lets the scene name files that lie outside its folder.

    Raises
    ------
    ValueError : with the key's path, the value and what is allowed, or with the series' file and row.
    OSError : there is no such file.

    Examples
    --------
    >>> calibration = load_calibration("examples/calibration/calibration.toml")
    >>> [parameter.name for parameter in calibration.parameters]
    ['stiffness', 'damping', 'friction']
    """
    path = Path(path)
    values = read_toml(path)
    head = values.get("calibration")
    name = head.get("scene") if isinstance(head, dict) else None
    try:
        if name is None:
            raise ValueError("calibration.scene is missing")
        scene = scene_path(tables.text("calibration.scene", name), path.parent, "calibration.scene")
        return read_calibration(Source(values, read_toml(scene), str(path.parent.resolve()),
                                       str(scene.parent.resolve()), outside))
    except PcmError:  # names its own file
        raise
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def read_calibration(source: Source, series: Iterable[Series] | None = None) -> Calibration:
    """Read a calibration from its tables; the series may come from arrays instead of the tables [[series]].

    Raises
    ------
    ValueError, OSError : as `load_calibration`.
    """
    top = Table(source.calibration, "")
    head = top.table("calibration")
    head.take("scene", tables.text, "")
    name = head.take("name", tables.name)
    options = _options(head)
    difference = head.take("difference", step_of_u, 1e-4)
    nobody: tuple[str, ...] = ()
    made = Calibration(
        source, name, (), (), (), options, (), head.take("step", tables.number(0.0, above=True), None),
        head.take("integrator", tables.choice(INTEGRATORS), None), head.take("every", tables.integer(1, 1 << 31), 1),
        head.take("fixed", tables.listing(tables.text), nobody))
    head.finish()
    fitted = top.table("parameter")
    parameters = tuple(read_parameter(each, Table(value, fitted.at(each)), difference)
                       for each, value in fitted.values.items())
    if not parameters:
        raise ValueError("parameter is missing: a calibration fits at least one, such as [parameter.friction]")
    check_parameters(parameters)
    made = replace(made, parameters=parameters)
    made = replace(made, motions=read_motions(top.table("motion"), _movable(made)))
    known = {variable.name: variable.unit for variable in _first_spec(made).compile().variables
             if variable.causality == "output"}
    measured = read_measured(top.table("measured"), known)
    read = tuple(series) if series is not None else tuple(
        each for table in top.tables("series")
        for each in read_series(table, Path(source.folder), measured, made.motions))
    if series is not None:
        top.tables("series")
    top.finish()
    made = replace(made, measured=measured, series=tuple(each for each in read if each.fitted),
                   checks=tuple(each for each in read if not each.fitted))
    check_series(made)
    _check_scenes(made)
    return made


def _options(head: Table) -> Options:
    usual = Options()
    starts = head.take("starts", tables.integer(1, MAX_STARTS), 1)
    confidence = head.take("confidence", tables.number(0.0, above=True), usual.confidence)
    if confidence >= 1.0:
        tables.fail(head.at("confidence"), confidence, "must be less than 1, such as 0.95")
    return Options(
        head.take("loss", tables.choice(LOSSES), usual.loss),
        head.take("loss_scale", tables.number(0.0, above=True), usual.loss_scale),
        starts,
        head.take("samples", tables.integer(starts - 1, 1_000_000), 8 * (starts - 1)),
        head.take("seed", tables.integer(0, 2**63 - 1), usual.seed),
        head.take("tolerance", tables.number(1e-15), usual.tolerance),
        head.take("max_evaluations", tables.integer(1, 1_000_000), usual.max_evaluations),
        head.take("intervals", tables.choice(INTERVALS), usual.intervals), confidence)


def _movable(calibration: Calibration) -> list[str]:
    """Return the bodies that a measured motion can move: those of the scene that an element does not drive."""
    scene = Spec.from_dict(calibration.source.scene, folder=calibration.source.scene_folder, trust=None,
                           outside=calibration.source.outside)
    return [body.name for body in scene.rigid_bodies if body.motion != "driven" and body.name not in calibration.fixed]


def _first_spec(calibration: Calibration) -> Spec:
    """Return the scene at the start values. ValueError names a path that is not in the scene."""
    start = {each.name: each.start for each in calibration.parameters}
    changes = [change for each in calibration.parameters for change in each.changes(start[each.name])]
    return calibration.spec_of(changes)


def check_series(calibration: Calibration) -> None:
    """Raise ValueError if the series do not suit the parameters and the kind of intervals."""
    series = calibration.series
    names = [each.name for each in (*series, *calibration.checks)]
    if not series:
        raise ValueError("series is missing: a calibration needs at least one measured series, [[series]]")
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise ValueError(f"series: two series have the name '{twice[0]}': give each its own name")
    for parameter in calibration.parameters:
        for name in parameter.series:
            if name not in names[:len(series)]:
                raise ValueError(f"parameter.{parameter.name}.series: no fitted series has the name '{name}'; "
                                 f"{tables.hint(name, names[:len(series)])}")
    common = sum(not each.series for each in calibration.parameters)
    if calibration.options.intervals == "series" and len(series) <= common:
        raise ValueError(f"calibration.intervals = 'series': {len(series)} series are too few for {common} parameters: "
                         f"more series than parameters are necessary")
    lengths = {each.name: len(each.variables) for each in calibration.measured}
    for each in (*series, *calibration.checks):
        for name, values in each.values.items():
            if name not in lengths:
                raise ValueError(f"series {each.name}: '{name}' is not among the measured quantities; "
                                 f"{tables.hint(name, lengths)}")
            if len(values) != lengths[name]:
                raise ValueError(f"series {each.name}: {name} has the shape {values.shape}, must have {lengths[name]} "
                                 f"rows, one for each variable")
    _check_motions(calibration)
    rows = sum(values.size for each in series for values in each.values.values())
    if rows <= len(calibration.parameters):
        raise ValueError(f"series: {rows} measured values are too few for {len(calibration.parameters)} parameters")


def _check_motions(calibration: Calibration) -> None:
    bodies = [each.body for each in calibration.motions]
    for each in (*calibration.series, *calibration.checks):
        for name in {*bodies} ^ {*each.motion}:
            raise ValueError(f"series {each.name}: has {'no' if name in bodies else 'a'} motion of {name}, and "
                             f"[motion] names {', '.join(bodies) or 'no body'}: the two must agree")


def _check_scenes(calibration: Calibration) -> None:
    """Raise ValueError if the start values and what a series changes make no valid scene."""
    start = {each.name: each.start for each in calibration.parameters}
    for each in (*calibration.series, *calibration.checks):
        try:
            calibration.spec_of(calibration.changes(start, each))
        except ValueError as error:
            raise ValueError(f"series '{each.name}' at the start values: {error}") from None
