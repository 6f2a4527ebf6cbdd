"""The store of a calibration: every evaluation is a file of its own, so that an interrupted fit can go on.

    calibration.json      hash of the scene, the parameters and the series
    evaluations/N.npz     positions of the parameters, with their residuals or the Jacobian there
    lock                  the process that works on the folder
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.calibration.definition import Calibration
from contactlib.common.files import UNFINISHED, read_text, write_bytes, write_text

Floats = NDArray[np.float64]
#: an evaluation's kind and the bytes of its position
Key = tuple[str, bytes]
FORMAT = 1
#: bytes of evaluations that are kept in memory, and least number of evaluations
MOST_BYTES, LEAST = 200_000_000, 8


class Store:
    """Evaluations by kind and position: the last ones in memory and, with a folder, all in files."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.recent: dict[Key, Floats | str] = {}
        self.files: dict[Key, Path] = {}
        self.size = self.last = 0

    @classmethod
    def create(cls, folder: Path, calibration: Calibration) -> Store:
        """Start in a folder. ValueError if it holds a calibration already."""
        if (folder / "calibration.json").exists():
            raise ValueError(f"{folder} holds a calibration already: continue it with --resume (in Python: "
                             f"resume=True), or choose another folder")
        (folder / "evaluations").mkdir(parents=True, exist_ok=True)
        if any((folder / "evaluations").glob("*.npz")):
            raise ValueError(f"{folder / 'evaluations'} holds files of another calibration, whose calibration.json is "
                             f"missing: choose another folder")
        head = {"format": FORMAT, "contactlib": contactlib.__version__, "hash": calibration.hash}
        write_text(folder / "calibration.json", json.dumps(head, indent=1) + "\n")
        return cls(folder)

    @classmethod
    def open(cls, folder: Path, calibration: Calibration) -> Store:
        """Read the evaluations of a folder. ValueError if they are of something else, or damaged."""
        path = folder / "calibration.json"
        if not path.is_file():
            raise ValueError(f"{folder} holds no calibration: the file calibration.json is missing: start it without "
                             f"--resume")
        try:
            head: dict[str, Any] = json.loads(read_text(path))
            same = head["format"] == FORMAT and head["hash"] == calibration.hash
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is damaged: {error}") from None
        if not same:
            raise ValueError(f"{folder}: the scene, the parameters, the series or the version of contactlib have "
                             f"changed since the calibration began; old and new evaluations must not be mixed: restore "
                             f"the files, or start in a new folder")
        store = cls(folder)
        for unfinished in (folder / "evaluations").glob(f".*{UNFINISHED}"):
            unfinished.unlink()
        for file in sorted((folder / "evaluations").glob("*.npz")):
            store._load(file)
        return store

    def _load(self, file: Path) -> None:
        """Note which evaluation a file has; all of it is read, so that damage is found before hours of work."""
        key, _ = _read(file)
        self.files[key], self.last = file, int(file.stem)

    def find(self, kind: str, u: Floats) -> Floats | str | None:
        """Return a stored evaluation, or its error; None if there is none."""
        key = kind, u.tobytes()
        if key not in self.recent and key in self.files:
            self._remember(key, _read(self.files[key])[1])
        return self.recent.get(key)

    def keep(self, kind: str, u: Floats, value: Floats | str) -> None:
        """Store an evaluation before it is used."""
        key = kind, u.tobytes()
        self._remember(key, value)
        if self.folder is None:
            return
        content = io.BytesIO()
        if isinstance(value, str):
            np.savez(content, kind=np.array(kind), u=u, error=np.array(value))
        else:
            np.savez(content, kind=np.array(kind), u=u, value=value)
        self.last += 1
        self.files[key] = write_bytes(self.folder / "evaluations" / f"{self.last:06d}.npz", content.getvalue())

    def _remember(self, key: Key, value: Floats | str) -> None:
        """Keep an evaluation in memory, and drop the oldest ones if there are too many bytes."""
        self.recent[key] = value
        self.size += _bytes(value)
        while self.size > MOST_BYTES and len(self.recent) > LEAST:
            self.size -= _bytes(self.recent.pop(next(iter(self.recent))))


def _bytes(value: Floats | str) -> int:
    return len(value) if isinstance(value, str) else value.nbytes


def _read(file: Path) -> tuple[Key, Floats | str]:
    """Return the key and the value of an evaluation. ValueError, with what to do, if the file is damaged."""
    try:
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as content:
            value: Floats | str = str(content["error"]) if "error" in content else content["value"]
            return (str(content["kind"]), content["u"].tobytes()), value
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{file} is damaged ({error}): delete it and continue with --resume, which repeats its "
                         f"evaluation") from None
