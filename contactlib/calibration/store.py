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
FORMAT = 1


class Store:
    """Evaluations by kind and position, in memory and, with a folder, in files."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.known: dict[tuple[str, bytes], Floats | str] = {}
        self.loaded = self.last = 0

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
        try:
            with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as content:
                value: Floats | str = str(content["error"]) if "error" in content else content["value"]
                self.known[str(content["kind"]), content["u"].tobytes()] = value
        except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"{file} is damaged ({error}): delete it and continue with --resume, which repeats its "
                             f"evaluation") from None
        self.loaded, self.last = self.loaded + 1, int(file.stem)

    def find(self, kind: str, u: Floats) -> Floats | str | None:
        """Return a stored evaluation, or its error; None if there is none."""
        return self.known.get((kind, u.tobytes()))

    def keep(self, kind: str, u: Floats, value: Floats | str) -> None:
        """Store an evaluation before it is used."""
        self.known[kind, u.tobytes()] = value
        if self.folder is None:
            return
        file = io.BytesIO()
        if isinstance(value, str):
            np.savez(file, kind=np.array(kind), u=u, error=np.array(value))
        else:
            np.savez(file, kind=np.array(kind), u=u, value=value)
        self.last += 1
        write_bytes(self.folder / "evaluations" / f"{self.last:06d}.npz", file.getvalue())
