"""The result file: names of its members, columns of its tables, its errors (docs/results.md)."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from contactlib.common.options import STATE, WRENCH

FORMAT = "contactlib result"
VERSION = 1
#: suffix of a result file, and what is added to it for the folder of a run that has not ended
SUFFIX, PART = ".clr", ".part"
#: members of a result file besides its tables
MARK, MANIFEST, MODEL, SCENE = "FORMAT", "manifest.json", "model.bin", "scene.json"
#: content of the first member
MARK_TEXT = f"{FORMAT} {VERSION}\n"
#: columns of the table `frames` before the outputs of elements
SUMMARY = ("contact.count", "contact.deep", "contact.max_depth", "contact.energy_dissipated",
           "contact.energy_stored", "contact.energy_error")
#: tables with one row for each frame
PER_FRAME = ("frames", "states", "wrenches")
#: tables of a file whose manifest names none: the first files of version 1
FIRST_TABLES = ("frames", "states", "wrenches", "contacts", "cable_nodes", "membranes", "membrane_triangles")


class ResultError(ValueError):
    """A result file is damaged, incomplete or no result file; the message says what can be saved."""


class IncompleteWarning(UserWarning):
    """A result was recovered from a run that did not end, or from a damaged file."""


def require_pyarrow() -> Any:
    """Import pyarrow. ImportError, with what to do, if it is missing."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError("result files need pyarrow: pip install contactlib[results]") from None
    return pyarrow


@dataclass(frozen=True)
class Layout:
    """What a run consists of: names of bodies, shapes, laws, outputs, cables and membranes, by their numbers.

    `shapes` are "body.shape". `cable_nodes` and `membranes` have the number of nodes or vertices of each. `tables` are
    the names of the tables, None for all.
    """

    bodies: tuple[str, ...]
    shapes: tuple[str, ...]
    laws: tuple[str, ...]
    outputs: tuple[str, ...]
    cable_nodes: dict[str, int]
    membranes: dict[str, int]
    tables: tuple[str, ...] | None = None

    def columns(self) -> dict[str, list[tuple[str, str]]]:
        """Return the tables: name and type of each column. A type is one of those of `TYPES`, or a list of names.

        >>> layout = Layout(("box",), ("box.hull",), ("steel",), (), {}, {})
        >>> layout.columns()["wrenches"][:2]
        [('time', 'f8'), ('box.f[1]', 'f8')]
        """
        return {name: columns for name, columns in self._all_columns().items()
                if self.tables is None or name in self.tables}

    def _all_columns(self) -> dict[str, list[tuple[str, str]]]:
        return {
            "frames": [("time", "f8"), ("contact.count", "i8"), ("contact.deep", "i8"),
                       *((name, "f8") for name in (*SUMMARY[2:], *self.outputs))],
            "states": _wide(self.bodies, STATE),
            "wrenches": _wide(self.bodies, WRENCH),
            "contacts": [("frame", "i8"), ("time", "f8"), ("pair", "i4"), ("law", "laws"), ("body_a", "bodies"),
                         ("body_b", "bodies"), ("shape_a", "shapes"), ("shape_b", "shapes"), *_vector("r_W"),
                         *_vector("n_W"), ("depth", "f8"), *_vector("f_W"), ("slipping", "i1")],
            "cable_nodes": [("frame", "i8"), ("time", "f8"), ("cable", "cable_nodes"), ("node", "i4"),
                            *_vector("r_W"), *_vector("t_W")],
            "cable_contacts": [("frame", "i8"), ("time", "f8"), ("cable", "cable_nodes"), ("body", "touched_bodies"),
                               ("touched", "touched"), *_vector("r_W"), *_vector("n_W"), ("depth", "f8"),
                               *_vector("f_W")],
            "membranes": [("frame", "i8"), ("time", "f8"), ("element", "membranes"), ("vertex", "i4"),
                          *_vector("r_W")],
            "membrane_triangles": [("frame", "i8"), ("time", "f8"), ("element", "membranes"), ("a", "i4"),
                                   ("b", "i4"), ("c", "i4")],
        }

    def schemas(self) -> dict[str, Any]:
        """Return the Arrow schema of each table; names are dictionaries."""
        return {table: _schema(columns) for table, columns in self.columns().items()}

    @property
    def touched(self) -> tuple[str, ...]:
        """What a cable may touch: shapes, followed by cables."""
        return (*self.shapes, *self.cable_nodes)

    @property
    def touched_bodies(self) -> tuple[str, ...]:
        """The bodies, followed by "" for what has none: a cable."""
        return (*self.bodies, "")

    def names(self, kind: str) -> list[str]:
        """Return the names of a kind: "bodies", "shapes", "laws", "cable_nodes", "membranes", "touched" or
        "touched_bodies".
        """
        return list(getattr(self, kind))


def _wide(bodies: Sequence[str], parts: Sequence[str]) -> list[tuple[str, str]]:
    return [("time", "f8"), *((f"{body}.{part}", "f8") for body in bodies for part in parts)]


def _vector(name: str) -> list[tuple[str, str]]:
    return [(f"{name}_{axis}", "f8") for axis in "xyz"]


def _schema(columns: Sequence[tuple[str, str]]) -> Any:
    arrow = require_pyarrow()
    types = {"f8": arrow.float64(), "i8": arrow.int64(), "i4": arrow.int32(), "i1": arrow.int8()}
    named = arrow.dictionary(arrow.int32(), arrow.string())
    return arrow.schema([arrow.field(name, types.get(kind, named), nullable=False) for name, kind in columns])


def machine() -> dict[str, str]:
    """Return what a manifest says of the machine."""
    return {"system": platform.system(), "release": platform.release(), "processor": platform.machine(),
            "python": sys.version.partition(" ")[0]}
