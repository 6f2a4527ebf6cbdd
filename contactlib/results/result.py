"""Reads a result file: a run's scene, states, wrenches, contacts, cables, membranes, outputs and energies."""

from __future__ import annotations

import io
import json
import warnings
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common.arguments import index_of
from contactlib.common.options import STATE, WRENCH
from contactlib.common.tables import hint
from contactlib.model.model import Model
from contactlib.model.spec import Spec
from contactlib.results.damage import explain
from contactlib.results.format import (
    FIRST_TABLES,
    FORMAT,
    MANIFEST,
    MARK,
    MODEL,
    SCENE,
    SUMMARY,
    VERSION,
    IncompleteWarning,
    Layout,
    ResultError,
    require_pyarrow,
)
from contactlib.results.package import Package, is_whole, read_parquet
from contactlib.results.scene_text import read_scene
from contactlib.simulation.results import Trajectory

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]


class Result:
    """A run, read from a result file. Make one with `read_result`; tables are read when they are asked for.

    All vectors have world axes, all units are SI. T is the number of frames. `incomplete` is empty, or a sentence that
    says what is missing of a run that was recovered.

    >>> import contactlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = contactlib.record("peg_in_hole", f"{folder}/peg.clr", duration=0.01)
    ...     result.bodies, result.states.shape, len(result)
    (('interface', 'target'), (101, 2, 13), 101)
    """

    def __init__(self, path: Path, package: Package, manifest: dict[str, Any]) -> None:
        self.path, self.manifest, self._package = path, manifest, package
        stored = layout_of(manifest)
        self._layout = replace(stored, tables=None)
        self._stored = tuple(stored.columns())
        self._tables: dict[str, Any] = {}

    def __len__(self) -> int:
        """Return the number of frames."""
        return int(self.manifest["frames"])

    def __repr__(self) -> str:
        state = f", incomplete: {self.incomplete}" if self.incomplete else ""
        return f"<contactlib.results.Result '{self.manifest['name']}': {len(self)} frames, {len(self.bodies)} " \
               f"bodies{state}>"

    @property
    def incomplete(self) -> str:
        """What is missing, one sentence; empty for a whole run."""
        return str(self.manifest["incomplete"])

    @property
    def bodies(self) -> tuple[str, ...]:
        """The names of the rigid bodies, in the order of `states`."""
        return self._layout.bodies

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences of the run on steps that were too long and on deep contacts."""
        return tuple(self.manifest["warnings"])

    @cached_property
    def scene(self) -> Spec:
        """The scene. That of an FMU's run has bodies and shapes only, unless the scene was given."""
        try:
            arrays = [np.load(io.BytesIO(self._package.read(f"scene/{k}.npy")), allow_pickle=False)
                      for k in range(self.manifest["arrays"])]
            return read_scene(self._package.read(SCENE).decode(), arrays)
        except ResultError:
            raise
        except (ValueError, EOFError) as error:
            raise ResultError(f"{self.path}: {error}") from None

    @cached_property
    def model(self) -> Model:
        """The compiled scene, which simulates as in the run."""
        return Model.from_bytes(self._package.read(MODEL))

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables in the file."""
        return self._stored

    def table(self, name: str) -> Any:
        """Return a table as a pyarrow.Table: "frames", "states", "wrenches", "contacts", "cable_nodes", ...

        `table("states").to_pandas()` makes a data frame. A table that an older version did not write is empty.
        ValueError for an unknown table, ResultError for damage.
        """
        known = tuple(self._layout.columns())
        if name not in known:
            raise ValueError(f"there is no table '{name}'; {hint(name, known)}")
        if name not in self._stored:
            return self._layout.schemas()[name].empty_table()
        if name not in self._tables:
            arrow = require_pyarrow()
            content = arrow.BufferReader(self._package.read(f"{name}.parquet"))
            try:
                table = read_parquet(content).read()
            except (arrow.ArrowException, OSError) as error:
                raise ResultError(f"{self.path}: its table {name} is damaged: {error}") from None
            if not table.schema.equals(self._layout.schemas()[name]):
                raise ResultError(f"{self.path}: the columns of its table {name} are not those of its manifest")
            self._tables[name] = table
        return self._tables[name]

    @cached_property
    def time(self) -> Floats:
        """Times of the frames, s, (T,)."""
        return self._column("frames", "time")

    @cached_property
    def states(self) -> Floats:
        """States of the bodies, (T, bodies, 13): r (m), q (scalar first), v (m/s), w (rad/s, world axes)."""
        return self._wide("states", len(STATE))

    @cached_property
    def wrenches(self) -> Floats:
        """Force (N) and torque (N m, about the body's origin) on the bodies, (T, bodies, 6)."""
        return self._wide("wrenches", len(WRENCH))

    @cached_property
    def contacts(self) -> dict[str, NDArray[Any]]:
        """The contacts of all frames, a row each, sorted by frame.

        Columns: frame, time (s), pair; the names law, body_a, body_b, shape_a, shape_b ("body.shape"); contact point
        r_W (m, N x 3), normal n_W from A to B (N x 3), depth (m), force on B f_W (N, N x 3), slipping (0 or 1).
        """
        columns = {}
        for name in ("frame", "time", "pair", "law", "body_a", "body_b", "shape_a", "shape_b", "depth", "slipping"):
            columns[name] = self._column("contacts", name)
        return columns | {name: self._vectors("contacts", name) for name in ("r_W", "n_W", "f_W")}

    def contacts_of(self, frame: int) -> dict[str, NDArray[Any]]:
        """Return the rows of `contacts` of one frame."""
        rows = slice(*np.searchsorted(self.contacts["frame"], [frame, frame + 1]))
        return {name: column[rows] for name, column in self.contacts.items()}

    @cached_property
    def cables(self) -> dict[str, Floats]:
        """Positions of the nodes of each cable, m, (T, n, 3), by name: "snare[1]"."""
        return self._parts("cable_nodes", self._layout.cable_nodes, "r_W")

    @cached_property
    def cable_slopes(self) -> dict[str, Floats]:
        """Slopes dr/dx at the nodes of each cable, (T, n, 3); between nodes the cable is cubic."""
        return self._parts("cable_nodes", self._layout.cable_nodes, "t_W")

    @cached_property
    def cable_contacts(self) -> dict[str, NDArray[Any]]:
        """The contacts of all cables, a row each, sorted by frame.

        Columns: frame, time (s); the names cable ("snare[1]"), touched ("body.shape", or a cable) and body, which is ""
        for a cable; contact point r_W (m, N x 3), normal n_W from what is touched to the cable (N x 3), depth (m, < 0
        where the cable is apart), force on the cable f_W (N, N x 3).
        """
        columns = {name: self._column("cable_contacts", name)
                   for name in ("frame", "time", "cable", "body", "touched", "depth")}
        return columns | {name: self._vectors("cable_contacts", name) for name in ("r_W", "n_W", "f_W")}

    def cable_contacts_of(self, frame: int) -> dict[str, NDArray[Any]]:
        """Return the rows of `cable_contacts` of one frame."""
        rows = slice(*np.searchsorted(self.cable_contacts["frame"], [frame, frame + 1]))
        return {name: column[rows] for name, column in self.cable_contacts.items()}

    @cached_property
    def membranes(self) -> dict[str, Floats]:
        """Vertices of each membrane, m, (T, m, 3): its suspension points, then the corners of the caught body."""
        return self._parts("membranes", self._layout.membranes, "r_W")

    @cached_property
    def membrane_triangles(self) -> dict[str, Indices]:
        """Triangles of each membrane's fabric, (T, k, 3) numbers of vertices; unused rows are -1.

        The triangles change with the corners of the body that press on the fabric.
        """
        owner, frame = (self._column("membrane_triangles", name) for name in ("element", "frame"))
        rows = np.column_stack([self._column("membrane_triangles", name) for name in "abc"])
        found = {}
        for name in self._layout.membranes:
            chosen = owner == name
            count = np.bincount(frame[chosen], minlength=len(self))
            padded = np.full((len(self), int(count.max(initial=0)), 3), -1, dtype=np.int32)
            padded[np.arange(padded.shape[1]) < count[:, None]] = rows[chosen]
            found[name] = padded
        return found

    def membrane(self, name: str, frame: int) -> tuple[Floats, Indices]:
        """Return the vertices (m, 3) and the triangles (k, 3) of one membrane in one frame."""
        index_of(list(self._layout.membranes), name, "element")
        triangles = self.membrane_triangles[name][frame]
        return self.membranes[name][frame], triangles[triangles[:, 0] >= 0]

    @cached_property
    def outputs(self) -> dict[str, Floats]:
        """Outputs of the scene's elements, (T,) each, by name: "net.area"."""
        return {name: self._column("frames", name) for name in self._layout.outputs}

    @cached_property
    def energies(self) -> dict[str, Floats]:
        """Energies, J, (T,) each: of contacts ("contact.energy_stored", ...) and of elements ("net.stored_energy")."""
        of_contacts = {name: self._column("frames", name) for name in SUMMARY if "energy" in name}
        return of_contacts | {name: series for name, series in self.outputs.items() if name.endswith("_energy")}

    @property
    def trajectory(self) -> Trajectory:
        """The run as `Simulation.run` returns it, for plots and CSV files."""
        columns = [self._column("frames", name) for name in SUMMARY]
        outputs = np.column_stack(list(self.outputs.values())) if self.outputs else np.zeros((len(self), 0))
        count, deep, depth, dissipated, stored, error = columns
        return Trajectory(self.bodies, self.time, self.states, self.wrenches, count, deep, depth, dissipated, stored,
                          error, outputs=outputs, output_names=self._layout.outputs, warnings=self.warnings)

    def _column(self, table: str, name: str) -> NDArray[Any]:
        column = self.table(table).column(name).combine_chunks()
        if name in self._names(table):
            if len(column) == 0:
                return np.zeros(0, dtype=object)
            known = np.array(column.dictionary.to_pylist(), dtype=object)
            return np.asarray(known[column.indices.to_numpy()])
        return np.asarray(column.to_numpy(zero_copy_only=False))

    def _names(self, table: str) -> list[str]:
        return [name for name, kind in self._layout.columns()[table] if kind not in ("f8", "i8", "i4", "i1")]

    def _vectors(self, table: str, name: str) -> Floats:
        return np.column_stack([self._column(table, f"{name}_{axis}") for axis in "xyz"])

    def _wide(self, name: str, width: int) -> Floats:
        table = self.table(name)
        out = np.empty((len(table), width * len(self.bodies)))
        for k in range(out.shape[1]):
            out[:, k] = table.column(k + 1).to_numpy()
        return out.reshape(len(table), len(self.bodies), width)

    def _parts(self, table: str, counts: dict[str, int], vector: str) -> dict[str, Floats]:
        """Return the vectors of each cable or membrane, (T, n, 3); each has its n rows in every frame."""
        if not counts:
            return {}
        width = sum(counts.values())
        whole = self._vectors(table, vector).reshape(len(self), width, 3)
        ends = np.cumsum(list(counts.values()))[:-1]
        return dict(zip(counts, np.split(whole, ends, axis=1), strict=True))


def layout_of(manifest: dict[str, Any]) -> Layout:
    """Return the layout that a manifest names."""
    bodies, shapes, laws, outputs = (tuple(manifest[name]) for name in ("bodies", "shapes", "laws", "outputs"))
    tables = tuple(manifest.get("tables", FIRST_TABLES))
    return Layout(bodies, shapes, laws, outputs, manifest["cable_nodes"], manifest["membranes"], tables)


def read_result(path: str | Path) -> Result:
    """Open a result file. Its checksum is verified: a file that was cut or changed is never shown as if it were whole.

    Parameters
    ----------
    path : a file NAME.clr.

    Returns
    -------
    Result
        The run. Its tables are read when they are asked for.

    Raises
    ------
    ResultError : the file is damaged, was made by a newer version, or is no result file; or `path` is the folder of a
        run that did not end. The message says what can be saved, and how.
    OSError : there is no such file.
    ImportError : pyarrow is missing.

    Warns (IncompleteWarning) if the run was recovered and frames or tables are missing.
    """
    require_pyarrow()
    path = Path(path)
    if path.is_dir() or not is_whole(path):
        raise ResultError(explain(path))
    package = Package(path)
    mark = package.read(MARK).decode(errors="replace") if MARK in package.sizes else ""
    if mark.rpartition(" ")[0] != FORMAT:
        raise ResultError(f"{path} is no result file of contactlib")
    if mark.split()[-1] != str(VERSION):
        raise ResultError(f"{path} has the format {mark.strip()!r}, this version of contactlib reads format {VERSION}: "
                          "install a newer version")
    try:
        result = Result(path, package, json.loads(package.read(MANIFEST)))
        len(result), result.incomplete, result.warnings, result.manifest["rows"], result.manifest["arrays"]
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ResultError(f"{path}: its {MANIFEST} is damaged: {error!r}") from None
    if result.incomplete:
        warnings.warn(f"{path}: {result.incomplete}", IncompleteWarning, stacklevel=2)
    return result
