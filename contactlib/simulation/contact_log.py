"""Logs of contacts over a run: place, depth and force of each contact, and when it begins and ends."""

from __future__ import annotations

import csv
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from contactlib._core import engine
from contactlib.common.files import write_whole
from contactlib.model.spec import Spec

if TYPE_CHECKING:
    from contactlib.simulation.simulation import Simulation

Rows = NDArray[np.void]
FORMATS = ("csv", "parquet")
EVENTS = ("", "established", "terminated")
#: name of the log of all contacts
ALL = "contacts"

#: one row of a log: SI units, world axes
ROW_DTYPE = np.dtype([
    ("time", "f8"), ("contact", "i8"), ("event", "i1"), ("law", "i4"), ("body_a", "i4"), ("shape_a", "i4"),
    ("body_b", "i4"), ("shape_b", "i4"), ("point", "f8", 3), ("normal", "f8", 3), ("depth", "f8"), ("force", "f8", 3),
    ("velocity", "f8", 3), ("slipping", "i1"),
])
_COPIED = {"law": "law", "body_a": "body_a", "body_b": "body_b", "shape_a": "shape_a", "shape_b": "shape_b",
           "normal": "n_AB_W", "depth": "depth", "force": "f_B_W", "velocity": "v_AB_W", "slipping": "slipping"}


_BEGINS, _ENDS = engine.PHASES.index("begins"), engine.PHASES.index("ends")


def _is_new(now: NDArray[np.int32], before: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which contacts with an unchanged key are new. The phase "begins" lasts until the next step."""
    return np.asarray((now == _BEGINS) & (before != _BEGINS))


class ContactLog:
    """Logs the contacts of a scene: of the laws with a `log`, or of all laws.

    Pass the log to `Simulation.run`, or call `record` after each step of your own; then call `write`. A record copies
    the contacts if it is due; only `write` formats them.

    >>> import contactlib
    >>> spec = contactlib.load("tripod")
    >>> log = contactlib.ContactLog(spec, every=0.01)
    >>> run = contactlib.Simulation(spec.compile()).run(0.5, spec.longest_step, log=log)
    >>> columns = log.table("contacts")
    >>> sorted(set(columns["shape_a"])), columns["event"][0], len(columns["time"])
    (['tripod.leg_1', 'tripod.leg_2', 'tripod.leg_3'], 'established', 153)
    """

    def __init__(self, spec: Spec, *, every: float | None = None) -> None:
        """With `every` (s, 0 for each record), the log "contacts" holds all contacts as well."""
        self.bodies = [body.name for body in spec.rigid_bodies]
        self.shapes = [f"{body.object}.{shape.name}" for body in spec.rigid_bodies for shape in body.shapes]
        self.laws = [law.name for law in spec.laws]
        self.streams = [_LogStream(law.log, {i}, law.log_interval) for i, law in enumerate(spec.laws) if law.log]
        if every is not None:
            if not 0.0 <= every < float("inf"):
                raise ValueError(f"every = {every}: must be a finite number of at least 0")
            if any(stream.name == ALL for stream in self.streams):
                raise ValueError(f"log = '{ALL}': a law must not use this name, because the log of all contacts has it")
            self.streams.append(_LogStream(ALL, set(range(len(self.laws))), every))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the logs; laws with an equal `log` share one log."""
        return tuple(dict.fromkeys(stream.name for stream in self.streams))

    def record(self, simulation: Simulation) -> None:
        """Record the contacts of the last step."""
        if not self.streams:
            return
        with simulation.data:
            contacts, time, states = simulation.contacts, simulation.time, simulation.states
        rows = np.zeros(len(contacts), ROW_DTYPE)
        if len(contacts):
            for name, source in _COPIED.items():
                rows[name] = contacts[source]
            rows["time"] = time
            rows["point"] = states[contacts["body_a"], :3] + contacts["p_AC_W"]
        for stream in self.streams:
            chosen = np.isin(contacts["law"], stream.laws)
            stream.record(time, rows[chosen], contacts[chosen])

    def rows(self, name: str) -> Rows:
        """Return the rows of a log by time, as ROW_DTYPE with numbers for names. ValueError for an unknown log."""
        from contactlib.common.tables import hint

        streams = [stream for stream in self.streams if stream.name == name]
        if not streams:
            raise ValueError(f"there is no log '{name}'; {hint(name, self.names)}")
        rows = np.concatenate([np.zeros(0, ROW_DTYPE), *(piece for stream in streams for piece in stream.pieces)])
        sorted_rows: Rows = rows[np.argsort(rows["time"], kind="stable")]
        return sorted_rows

    def table(self, name: str) -> dict[str, list[Any]]:
        """Return the columns of a log, with names in place of numbers.

        Columns: time (s), contact (a number for its whole life), event, law, bodies and shapes, point (m), normal from
        A to B, depth (m), force on B (N), velocity of B relative to A at the point (m/s), slipping.
        """
        rows = self.rows(name)
        named = {"event": EVENTS, "law": self.laws, "body_a": self.bodies, "body_b": self.bodies,
                 "shape_a": self.shapes, "shape_b": self.shapes}
        columns: dict[str, list[Any]] = {}
        for key in ROW_DTYPE.names or ():
            values = rows[key]
            if key in named:
                columns[key] = [named[key][i] for i in values.tolist()]
            elif values.ndim == 2:
                columns |= {f"{key}_{axis}": values[:, i].tolist() for i, axis in enumerate("xyz")}
            else:
                columns[key] = values.tolist()
        return columns

    def write(self, folder: str | Path, form: str = "csv") -> list[Path]:
        """Write each log as NAME.csv or NAME.parquet (needs the extra [campaign]) to a folder; return the files."""
        from contactlib.common.parquet import write_table
        from contactlib.common.tables import choice

        choice(FORMATS)("form", form)
        folder = Path(folder)
        if self.streams:
            folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for name in self.names:
            path = folder / f"{name.removesuffix(f'.{form}')}.{form}"
            columns = self.table(name)
            if form == "parquet":
                write_table(path, columns)
            else:
                write_whole(path, lambda file, columns=columns: _write_csv(file, columns))  # type: ignore[misc]
            paths.append(path)
        return paths


def _write_csv(file: BinaryIO, columns: dict[str, list[Any]]) -> None:
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    text.detach()


class _LogStream:
    """The rows of some laws, and the contacts of the last record."""

    def __init__(self, name: str, laws: set[int], every: float) -> None:
        self.name, self.laws, self.every = name, sorted(laws), every
        self.pieces: list[Rows] = []
        self.count = 0  # contacts so far
        self.time = -1.0
        self.interval = -1.0  # number of the last recorded interval of the length `every`
        self.keys = np.zeros((0, 3), np.int64)
        self.phases = np.zeros(0, np.int32)
        self.last = np.zeros(0, ROW_DTYPE)

    def record(self, time: float, rows: Rows, contacts: Rows) -> None:
        if time < self.time:  # the simulation was reset or restored
            self.interval, self.keys, self.phases, self.last = -1.0, self.keys[:0], self.phases[:0], self.last[:0]
        self.time = time
        active = contacts["phase"] < _ENDS  # a stateful law can end a contact while the shapes still overlap
        rows, contacts = rows[active], contacts[active]
        keys = np.stack([contacts["shape_a"], contacts["shape_b"], contacts["feature"]], axis=1).astype(np.int64)
        ended: Rows = self.last[:0]
        phases = contacts["phase"]
        if np.array_equal(keys, self.keys) and not _is_new(phases, self.phases).any():
            rows["contact"] = self.last["contact"]
        else:
            ended = self._follow(keys, rows, phases)
        self.keys, self.phases, self.last = keys, phases, rows
        interval = np.floor(time / self.every + 1e-9) if self.every > 0.0 else time
        if interval > self.interval:
            self.interval = interval
            shown = rows.copy()
        else:
            shown = rows[rows["event"] > 0]
        if len(ended):
            ended["time"], ended["event"] = time, EVENTS.index("terminated")
            ended["depth"] = ended["force"] = 0.0
        if len(shown) or len(ended):
            self.pieces.append(np.concatenate([ended, shown]))
        rows["event"] = 0

    def _follow(self, keys: NDArray[np.int64], rows: Rows, phases: NDArray[np.int32]) -> Rows:
        """Number the contacts; a contact that continues keeps its number. Return the rows of ended contacts."""
        waiting: dict[tuple[int, ...], list[int]] = {}
        for i, key in enumerate(self.keys.tolist()):
            waiting.setdefault(tuple(key), []).append(i)
        fresh = []
        for k, key in enumerate(keys.tolist()):
            old = waiting.get(tuple(key))
            if old and not _is_new(phases[k], self.phases[old[0]]):
                rows["contact"][k] = self.last["contact"][old.pop(0)]
            else:
                fresh.append(k)
        left = [i for old in waiting.values() for i in old]
        for k in fresh:
            near = None if phases[k] == _BEGINS else self._nearest(keys[k], rows["point"][k], left)
            if near is not None:
                left.remove(near)
                rows["contact"][k] = self.last["contact"][near]
                continue
            self.count += 1
            rows["contact"][k], rows["event"][k] = self.count, EVENTS.index("established")
        return self.last[sorted(left)]

    def _nearest(self, key: NDArray[np.int64], point: NDArray[np.float64], left: list[int]) -> int | None:
        """Return the nearest unmatched contact of the same shapes: a contact may continue at another feature."""
        found = [i for i in left if np.array_equal(key[:2], self.keys[i, :2])]
        return min(found, key=lambda i: float(np.linalg.norm(self.last["point"][i] - point)), default=None)
