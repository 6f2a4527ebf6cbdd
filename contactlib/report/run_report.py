"""The report of a run: a CSV table, key figures, a summary in sentences, and an HTML page with embedded figures."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, fields
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from contactlib.common.files import write_text, write_whole
from contactlib.common.options import STATE, WRENCH
from contactlib.report import plot
from contactlib.simulation import rigid_body
from contactlib.simulation.results import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
#: fields of a trajectory with one entry per recorded instant
_COLUMNS = [field.name for field in fields(Trajectory) if not field.kw_only and field.name != "body_names"]

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font: 16px/1.55 system-ui, sans-serif; color: #22303c }}
body {{ max-width: 62rem; margin: 2.5rem auto; padding: 0 1rem }}
h1 {{ font-size: 1.7rem; margin-bottom: .3rem }} h2 {{ font-size: 1.15rem; margin-top: 2rem }}
img {{ max-width: 100% }} figure {{ margin: 1.5rem 0 }} figcaption {{ color: #6b7a88; font-size: .9rem }}
table {{ border-collapse: collapse }} th {{ text-align: left }}
td, th {{ padding: .3rem 1.2rem .3rem 0; border-bottom: 1px solid #dfe5ea }}
td.value {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }}
pre {{ background: #f3f6f8; padding: .8rem 1rem; overflow-x: auto }}
</style></head><body>
<h1>{title}</h1>
<p>{summary}</p>
{figures}
<h2>Key figures</h2>
<table><tr><th>Quantity</th><th>Value</th></tr>
{facts}
</table>
<h2>Settings of the run</h2>
<p>{setting}</p>
<h2>Command to repeat the run</h2>
<pre>{commands}</pre>
</body></html>
"""


@dataclass(frozen=True)
class Fact:
    """A key figure: its name, its value, its unit."""

    name: str
    value: float | str
    unit: str = ""

    def __str__(self) -> str:
        number = self.value if isinstance(self.value, str) else f"{self.value:.4g}"
        return f"{number} {self.unit}".strip()


def thin(trajectory: Trajectory, every: int) -> Trajectory:
    """Keep each `every`-th row and the last row of a trajectory."""
    last = len(trajectory.time) - 1
    rows = np.unique([*range(0, last + 1, every), last])
    return Trajectory(trajectory.body_names, *(getattr(trajectory, name)[rows] for name in _COLUMNS),
                      output_names=trajectory.output_names, outputs=trajectory.outputs[rows],
                      warnings=trajectory.warnings)


def join(parts: Sequence[Trajectory]) -> Trajectory:
    """Join consecutive runs to one trajectory; each run begins with the last row of the run before."""
    rows = [slice(0, None), *(slice(1, None) for _ in parts[1:])]
    columns = ([getattr(part, name)[row] for part, row in zip(parts, rows, strict=True)]
               for name in (*_COLUMNS, "outputs"))
    *joined, outputs = (np.concatenate(column) for column in columns)
    return Trajectory(parts[0].body_names, *joined, output_names=parts[0].output_names, outputs=outputs,
                      warnings=parts[-1].warnings)


def write_csv(path: str | Path, trajectory: Trajectory) -> Path:
    """Write a trajectory as CSV (SI units): `time` and columns named like the FMU's variables; one row per instant."""
    names = [f"{body}.{part}" for body in trajectory.body_names for part in (*STATE, *WRENCH)]
    summary = ["contact.count", "contact.deep", "contact.max_depth", "contact.energy_dissipated",
               "contact.energy_stored", "contact.energy_error"]
    header = ["time", *names, *summary, *trajectory.output_names]
    rows = len(trajectory.time)
    table = np.column_stack(
        [
            trajectory.time,
            np.concatenate([trajectory.states, trajectory.wrenches], axis=2).reshape(rows, -1),
            trajectory.contact_count,
            trajectory.deep,
            trajectory.max_depth,
            trajectory.energy_dissipated,
            trajectory.energy_stored,
            trajectory.energy_error,
            trajectory.outputs,
        ]
    )
    return write_whole(path, lambda file: np.savetxt(
        file, table, fmt="%.10g", delimiter=",", header=",".join(header), comments=""))


def write_figure(path: str | Path, figure: Figure, dpi: int = 130) -> Path:
    """Write a figure as an image file; the suffix of the file name chooses the format."""
    form = Path(path).suffix.removeprefix(".") or "png"
    return write_whole(path, lambda file: figure.savefig(file, format=form, dpi=dpi))


def key_figures(
    trajectory: Trajectory,
    balance: rigid_body.Balance | None = None,
    *,
    stored: float | None = None,
    weightless: bool = True,
    closed: bool = False,
) -> list[Fact]:
    """Return the key figures of a run.

    `balance` is the momentum and kinetic energy of the free bodies. `stored` is the elastic energy (J) in the contacts
    at the end. `weightless` says that no external energy acts on the bodies, `closed` that no external force does.
    """
    force = np.linalg.norm(trajectory.wrenches[..., :3], axis=2)
    touching = np.flatnonzero(trajectory.contact_count > 0)
    facts = [Fact("Duration", float(trajectory.time[-1] - trajectory.time[0]), "s")]
    if touching.size:
        facts.append(Fact("First contact at", float(trajectory.time[touching[0]]), "s"))
    facts += [
        Fact(f"Largest {'' if trajectory.output_names else 'contact '}force on a body",
             float(force.max(initial=0.0)), "N"),
    ]
    if plot.shows_contacts(trajectory):
        facts += [
            Fact("Largest penetration", float(trajectory.max_depth.max(initial=0.0)) * 1e6, "µm"),
            Fact("Most contacts at a time", int(trajectory.contact_count.max(initial=0))),
            *_deep(trajectory),
            Fact("Energy dissipated by contact", float(trajectory.energy_dissipated[-1]) * 1e3, "mJ"),
            Fact("Largest energy stored in contacts", float(trajectory.energy_stored.max(initial=0.0)) * 1e3, "mJ"),
            Fact("Energy error of contact (gained > 0, lost < 0, by steps)",
                 float(trajectory.energy_error[-1]) * 1e3, "mJ"),
        ]
    facts += [Fact(f"Energy {what} by {name}{', at most' if what == 'stored' else ''}", value, "J")
              for name in _elements(trajectory) for what, value in _energies(trajectory, name)]
    if balance is not None:
        at_end = float(trajectory.energy_stored[-1]) if stored is None else stored
        facts += _energy_figures(trajectory, balance, at_end if weightless else None)
    if balance is not None and closed:
        facts += [
            Fact("Linear momentum: largest relative departure", balance.linear_error),
            Fact("Angular momentum: largest relative departure", balance.angular_error),
        ]
    return facts


def _deep(trajectory: Trajectory) -> list[Fact]:
    most = int(trajectory.deep.max(initial=0))
    return [Fact("Most deep contacts with meshes at a time", most)] if most else []


def _elements(trajectory: Trajectory) -> list[str]:
    """Return the names of the elements; every element has an output stored_energy."""
    return [name.removesuffix(".stored_energy") for name in trajectory.output_names if name.endswith(".stored_energy")]


def _energies(trajectory: Trajectory, name: str) -> list[tuple[str, float]]:
    """Return the energies of an element that are not zero, J: most stored, dissipated until the end, supplied."""
    stored, *others = (trajectory.output(f"{name}.{kind}_energy") for kind in ("stored", "dissipated", "supplied"))
    found = zip(("stored", "dissipated", "supplied"), (stored.max(), *(energy[-1] for energy in others)), strict=True)
    return [(what, float(value)) for what, value in found if value != 0.0]


def _energy_figures(trajectory: Trajectory, balance: rigid_body.Balance, stored: float | None) -> list[Fact]:
    start, end = float(balance.kinetic[0]), float(balance.kinetic[-1])
    facts = [
        Fact("Kinetic energy at the start", start * 1e3, "mJ"),
        Fact("Kinetic energy at the end", end * 1e3, "mJ"),
    ]
    if start > 0 and stored is not None:
        taken = trajectory.energy_taken_by_elements
        elastic = stored - float(trajectory.energy_stored[0])
        error = (end + elastic + float(trajectory.energy_dissipated[-1]) + float(taken[-1] - taken[0])) / start - 1.0
        facts.append(
            Fact("Energy balance (kinetic + elastic + dissipated, end against start)", 100 * error, "%")
        )
    return facts


def summary(trajectory: Trajectory) -> str:
    """Summarise a run in a few sentences: first the contacts, then each element.

    Examples
    --------
    >>> import contactlib
    >>> spec = contactlib.load("peg_in_hole").with_motion("free", "interface", "target")
    >>> summary(contactlib.Simulation(spec.compile()).run(0.1, 1e-3))
    'There was no contact in 0.1 s.'
    """
    actions = {"stored": "stored {:.4g} J at most", "dissipated": "turned {:.4g} J into heat",
               "supplied": "supplied {:.4g} J"}
    sentences = [f"{name} {' and '.join(actions[what].format(value) for what, value in energies)}."
                 for name in _elements(trajectory) if (energies := _energies(trajectory, name))]
    if not sentences or trajectory.contact_count.any():
        sentences.insert(0, _contact_summary(trajectory))
    sentences += [f"Warning: {sentence}." for sentence in trajectory.warnings]
    return " ".join(sentences)


def _contact_summary(trajectory: Trajectory) -> str:
    count, time = trajectory.contact_count, trajectory.time
    touching = np.flatnonzero(count > 0)
    if not touching.size:
        return f"There was no contact in {time[-1]:g} s."
    force = np.linalg.norm(trajectory.wrenches[..., :3], axis=2).max(axis=1)
    hardest, deepest = int(np.argmax(force)), int(np.argmax(trajectory.max_depth))
    return (
        f"The first contact came at {time[touching[0]]:.3f} s. The largest force was {force[hardest]:.3g} N, at "
        f"{time[hardest]:.3f} s. The deepest penetration was {trajectory.max_depth[deepest] * 1e6:.3g} µm, at "
        f"{time[deepest]:.3f} s. There were up to {count.max()} contacts at a time, and {count[-1]} at the end. "
        f"Contact turned {trajectory.energy_dissipated[-1] * 1e3:.4g} mJ into heat. The numerical error of the steps "
        f"{'added' if trajectory.energy_error[-1] > 0 else 'removed'} {abs(trajectory.energy_error[-1]) * 1e3:.2g} mJ."
    )


def write_report(
    path: str | Path,
    *,
    title: str,
    summary: str,
    facts: Sequence[Fact],
    setting: str,
    commands: str,
    figures: Sequence[tuple[Path, str]] = (),
) -> Path:
    """Write an HTML page with embedded figures: a summary, figures (PNG files with captions), key figures, settings."""
    images = "\n".join(
        f'<figure><img alt="{escape(caption)}" src="data:image/png;base64,'
        f'{base64.b64encode(file.read_bytes()).decode()}"><figcaption>{escape(caption)}</figcaption></figure>'
        for file, caption in figures
    )
    rows = "\n".join(
        f'<tr><td>{escape(fact.name)}</td><td class="value">{escape(str(fact))}</td></tr>' for fact in facts
    )
    return write_text(Path(path), PAGE.format(
        title=escape(title),
        summary=escape(summary),
        figures=images,
        facts=rows,
        setting=escape(setting),
        commands=escape(commands),
    ))
