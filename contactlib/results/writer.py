"""Writes a result file: rows go to streams in a folder while a run lasts; at its end the folder becomes one file."""

from __future__ import annotations

import io
import json
import shutil
import time
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common.files import naming
from contactlib.model.model import Model
from contactlib.model.spec import Spec
from contactlib.results import frames
from contactlib.results.format import FORMAT, MANIFEST, MODEL, PART, SCENE, SUFFIX, VERSION, machine, require_pyarrow
from contactlib.results.journal import Entry, Journal
from contactlib.results.package import footer, write_package, write_parquet
from contactlib.results.scene_of_model import scene_of_model
from contactlib.results.scene_text import write_scene
from contactlib.results.stream import TableStream, read_stream
from contactlib.simulation.simulation import Simulation

Floats = NDArray[np.float64]
#: rows in memory, as numbers, above which they are written before the interval has passed
MOST_NUMBERS = 1 << 19


class ResultWriter:
    """Writes one run to a result file (docs/results.md).

    While the run lasts, rows are written to the folder NAME.clr.part beside the file. `close` makes the file from the
    folder, and replaces an older file only then. A run that fails leaves the folder, which `contactlib result recover`
    makes into a file.

    Parameters
    ----------
    path : the file; its name ends in .clr.
    model : the compiled scene of the run.
    scene : the scene; by default the bodies and shapes of the model, without the names of shapes.
    interval : s, real time between two writes to the disk; 0 writes after every frame.
    source : what made the run, one sentence for the manifest.

    Raises
    ------
    ValueError : an argument that is not allowed.
    ImportError : pyarrow is missing.
    OSError : the folder cannot be written.

    Examples
    --------
    >>> import contactlib, tempfile
    >>> spec = contactlib.load("peg_in_hole")
    >>> simulation = contactlib.Simulation(spec.compile())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with contactlib.ResultWriter(f"{folder}/peg.clr", simulation.model, scene=spec) as writer:
    ...         _ = simulation.run(0.01, 0.001, results=writer)
    ...     contactlib.read_result(f"{folder}/peg.clr").states.shape
    (11, 2, 13)
    """

    def __init__(self, path: str | Path, model: Model, *, scene: Spec | None = None, interval: float = 1.0,
                 source: str = "Simulation") -> None:
        require_pyarrow()
        self.path = Path(path)
        if self.path.suffix != SUFFIX:
            raise ValueError(f"path = {path}: the name of a result file must end in {SUFFIX}")
        if not 0.0 <= interval < float("inf"):
            raise ValueError(f"interval = {interval}: must be a finite number of at least 0")
        self.interval, self.frames = interval, 0
        scene = scene or scene_of_model(model)
        self._source = frames.Source(model, scene)
        self.manifest = {
            "format": FORMAT, "version": VERSION, "name": model.name, "source": source, "model": model.hash,
            "started": _now(), "machine": machine(), **_layout(self._source), "warnings": [], "incomplete": "",
        }
        self._last_time, self._written, self._open = -1.0, time.monotonic(), True
        with naming(self.path):
            self.folder = _new_folder(self.path)
            files = self._write_scene(model, scene)
        schemas = self._source.layout.schemas()
        self._streams = {name: TableStream(self.folder / f"{name}.arrows", schema, self._names(name))
                         for name, schema in schemas.items()}
        self._journal = Journal(self.folder)
        self._journal.write(Entry(0, {name: stream.flush() for name, stream in self._streams.items()}, files=files))

    def record(self, simulation: Simulation, states: Floats | None = None) -> None:
        """Record a frame: the present state of a simulation of the model.

        A frame at the time of the last one is left out, so that a run may continue. `states` (bodies, 13), world axes,
        replace those of the simulation. ValueError if time has gone back, or the writer is closed.
        """
        if not self._open:
            raise ValueError(f"{self.path} is closed: make another ResultWriter")
        if simulation.time == self._last_time:
            return
        if simulation.time < self._last_time:
            raise ValueError(f"{self.path}: the simulation went back from {self._last_time:g} s to "
                             f"{simulation.time:g} s: write another result file for another run")
        self._last_time = simulation.time
        for name, columns in self._source.rows(simulation, self.frames, states).items():
            self._streams[name].append(columns)
        self.frames += 1
        waiting = sum(stream.waiting * len(stream.schema) for stream in self._streams.values())
        if time.monotonic() - self._written >= self.interval or waiting > MOST_NUMBERS:
            self.flush()

    def flush(self) -> None:
        """Write all recorded frames to the folder: the end of the process cannot lose them any more."""
        with naming(self.folder):
            self._journal.write(Entry(self.frames, {name: stream.flush() for name, stream in self._streams.items()}))
        self._written = time.monotonic()

    def close(self, warnings: Sequence[str] = ()) -> Path:
        """Make the file from the folder, and remove the folder. Returns the file."""
        if self._open:
            self._open = False
            with naming(self.folder):
                pieces = {name: stream.close() for name, stream in self._streams.items()}
                self._journal.write(Entry(self.frames, pieces, end=True))
                self._journal.close()
            self.manifest["warnings"] = [*self.manifest["warnings"], *warnings]
            finish(self.path, self.folder, self.manifest, self.frames, self._source.layout.schemas())
            shutil.rmtree(self.folder)
        return self.path

    def abandon(self) -> None:
        """Leave the folder as it is, with the rows of the last flush and those since then."""
        if self._open:
            self._open = False
            with suppress(OSError):  # of a full disk, for example: the rows before are there
                self.flush()
            for stream in self._streams.values():
                stream.abandon()
            self._journal.close()

    def __enter__(self) -> ResultWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if error is None:
            self.close()
            return
        self.abandon()
        error.add_note(f"the frames before are in {self.folder}: contactlib result recover {self.folder}")

    def _write_scene(self, model: Model, scene: Spec) -> dict[str, int]:
        """Write what does not change during a run; return the CRC-32 of each file."""
        text, arrays = write_scene(scene)
        members: dict[str, bytes] = {MODEL: model.to_bytes(), SCENE: text.encode()}
        for k, array in enumerate(arrays):
            buffer = io.BytesIO()
            np.save(buffer, array, allow_pickle=False)
            members[f"scene/{k}.npy"] = buffer.getvalue()
        self.manifest["arrays"] = len(arrays)
        (self.folder / "scene").mkdir()
        members[MANIFEST] = manifest_text(self.manifest)
        for name, content in members.items():
            (self.folder / name).write_bytes(content)
        return {name: zlib.crc32(content) for name, content in members.items()}

    def _names(self, table: str) -> dict[str, list[str]]:
        layout = self._source.layout
        plain = {"f8", "i8", "i4", "i1"}
        return {column: layout.names(kind) for column, kind in layout.columns()[table] if kind not in plain}


def finish(path: Path, folder: Path, manifest: Mapping[str, Any], frame_count: int, schemas: Mapping[str, Any],
           sizes: Mapping[str, int] | None = None) -> Path:
    """Write a result file from the folder of a run; `sizes` are the bytes to read of each stream, by default all."""
    members: dict[str, bytes | Path] = {}
    rows = {}
    with naming(path):
        for name, schema in schemas.items():
            stream = folder / f"{name}.arrows"
            size = stream.stat().st_size if sizes is None else sizes[name]
            table = folder / f"{name}.parquet"
            rows[name] = write_parquet(table, schema, read_stream(stream, size, schema))
            members[f"{name}.parquet"] = table
    return pack(path, folder, {**manifest, "frames": frame_count, "rows": rows}, members)


def pack(path: Path, folder: Path, manifest: Mapping[str, Any], tables: Mapping[str, bytes | Path]) -> Path:
    """Write a result file from the scene in a folder and from tables; the small members come first."""
    small = [MODEL, SCENE, *(f"scene/{k}.npy" for k in range(manifest["arrays"]))]
    content = manifest_text({**manifest, "finished": _now()})
    ordered = dict(sorted(tables.items(), key=lambda item: _size(item[1])))
    footers = {f"{Path(name).stem}.footer": footer(table) for name, table in ordered.items()}
    return write_package(path, {MANIFEST: content, **{name: folder / name for name in small}, **footers, **ordered})


def _size(content: bytes | Path) -> int:
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def manifest_text(manifest: Mapping[str, Any]) -> bytes:
    return (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _layout(source: frames.Source) -> dict[str, Any]:
    layout = source.layout
    return {"bodies": layout.bodies, "shapes": layout.shapes, "laws": layout.laws, "outputs": layout.outputs,
            "cable_nodes": layout.cable_nodes, "membranes": layout.membranes, "tables": list(layout.columns()),
            "suspension_points": source.suspension_points}


def _new_folder(path: Path) -> Path:
    """Make the first free folder of NAME.clr.part, NAME.clr.part2, ...: an earlier run may have left its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        folder = path.with_name(f"{path.name}{PART}{number if number > 1 else ''}")
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
            continue
        return folder
