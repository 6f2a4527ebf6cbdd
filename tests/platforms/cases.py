"""What every host of the comparison runs: folders with the model and the input signals of each scene."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from pathlib import Path

from contactlib.fmu.hashes import recorded, scene_hash


class Unavailable(Exception):
    """A row of the comparison cannot run on this machine; the message says what to install."""


@dataclass(frozen=True)
class Case:
    """One scene: its folder with model.bin and inputs.bin, and the recorded hash of its outputs."""

    scene: str
    folder: Path
    expected: str


def make_cases(scenes: list[str], folder: Path) -> list[Case]:
    """Compile scenes into `folder`; ValueError where the compiled model is not the one of the table."""
    table, cases = recorded(), []
    for scene in scenes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about meshes that are open on purpose
            found = scene_hash(scene, out=folder / scene)
        if scene not in table or table[scene].model != found.model:
            known = table[scene].model if scene in table else "none"
            raise ValueError(f"{scene}: the compiled model is {found.model}, that of the table {known}")
        cases.append(Case(scene, folder / scene, table[scene].outputs))
    return cases


def digest(content: bytes) -> str:
    """The hash of outputs, as the table has it."""
    return hashlib.sha256(content).hexdigest()
