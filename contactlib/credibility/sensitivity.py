"""The sensitivity of a scene: a campaign with the sampling "morris", and the file sensitivity.csv beside the scene."""

from __future__ import annotations

import csv
import io
import math
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.campaign.execute import Progress, run_campaign
from contactlib.campaign.morris import Effect, elementary_effects
from contactlib.common.files import read_text, write_text
from contactlib.credibility.definition import Facts

Floats = NDArray[np.float64]
SENSITIVITY_FILE = "sensitivity.csv"
_PACKAGES = ("numpy", "scipy")


@dataclass(frozen=True)
class Sensitivity:
    """The runs of a sensitivity study.

    Parameters
    ----------
    drawn : drawn values (runs,) by name.
    results : quantities of interest (runs,) by name; NaN where a run failed.
    made : command and versions that made them.
    study : digest of the study and of the scene, by which one sees whether they have changed since.
    """

    drawn: dict[str, Floats]
    results: dict[str, Floats]
    made: str
    study: str

    @property
    def runs(self) -> int:
        return len(next(iter(self.results.values())))

    @property
    def failed(self) -> int:
        """Number of runs without results."""
        return int(np.isnan(next(iter(self.results.values()))).sum())

    def effects(self, name: str) -> list[Effect]:
        """Return the elementary effects on a quantity, the largest mu* first."""
        found = elementary_effects(self.drawn, self.results[name])
        return sorted(found, key=lambda each: -each.mu_star if math.isfinite(each.mu_star) else math.inf)

    def influential(self, name: str) -> list[str]:
        """Return the draws that matter for a quantity, the largest mu* first: those with half of the largest or more.

        There are at most three.
        """
        found = [each for each in self.effects(name) if each.count]
        return [each.draw for each in found[:3] if each.mu_star >= 0.5 * found[0].mu_star and each.mu_star > 0]


def study_digest(facts: Facts) -> str:
    """Return the first digits of a SHA-256 over scene, ranges, quantities and options of the study."""
    campaign = facts.campaign()
    return campaign.hash({draw.name: [] for draw in campaign.draws})[:12]


def run_sensitivity(facts: Facts, num_threads: int | None = -1, progress: Progress | None = None) -> Sensitivity:
    """Run the campaign of a scene's sensitivity.

    Raises
    ------
    ValueError : the scene has no [draw.NAME], or the campaign is not valid.
    ImportError : pyarrow is missing.
    """
    if not facts.draws:
        raise ValueError(f"{facts.scene.parent / 'credibility.toml'}: has no [draw.NAME]: name inputs and their ranges")
    campaign = facts.campaign()
    with tempfile.TemporaryDirectory() as folder:
        results = run_campaign(campaign, Path(folder) / "campaign", num_threads=num_threads, progress=progress)
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return Sensitivity({name: _rounded(results.columns[name]) for name in facts.draws},
                       {name: _rounded(results.columns[name]) for name in facts.metrics},
                       f"contactlib credibility {facts.name} --sensitivity (contactlib {contactlib.__version__}, "
                       f"{packages})", study_digest(facts))


def _rounded(values: Floats) -> Floats:
    """Return values as the file holds them."""
    return np.array([float(_text(value)) for value in values])


def _text(value: float) -> str:
    return f"{value:.9g}"


def write_sensitivity(path: str | Path, found: Sensitivity) -> Path:
    """Write the runs as CSV: comments, heads, and one row for each run with drawn values and quantities."""
    file = io.StringIO()
    file.write(f"# made by {found.made}\n# study {found.study}\n# draws {len(found.drawn)}\n")
    writer = csv.writer(file, lineterminator="\n")
    columns = found.drawn | found.results
    writer.writerow(columns)
    writer.writerows([*map(_text, row)] for row in zip(*columns.values(), strict=True))
    return write_text(path, file.getvalue())


def read_sensitivity(path: str | Path) -> Sensitivity:
    """Read a file of `write_sensitivity`. ValueError if it is not one; OSError if it cannot be read."""
    lines = read_text(path).splitlines()
    try:
        made, study, count = (line.removeprefix(f"# {word} ") for line, word in
                              zip(lines[:3], ("made by", "study", "draws"), strict=True))
        heads, *rows = csv.reader(lines[3:])
        values = np.array(rows, dtype=float).T
        columns = dict(zip(heads, values, strict=True))
        names = heads[:int(count)]
    except ValueError as error:
        raise ValueError(f"{path}: is no file of a sensitivity study: {error}: make it anew with --sensitivity"
                         ) from None
    return Sensitivity({name: columns[name] for name in names},
                       {name: column for name, column in columns.items() if name not in names}, made, study)
