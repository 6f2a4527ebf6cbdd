"""The input signals that prove equal bits: every input of a scene over 1000 steps, by + - * / and sqrt alone.

These five operations have one result on every machine (IEEE 754), so that the signals do too; sin, exp and matrix
products differ between libraries. docs/platforms.md describes the file that a host in C or JavaScript reads.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from contactlib.common import tables
from contactlib.common.files import read_toml
from contactlib.fmu.package.dependencies import is_mass_property, is_of_steps
from contactlib.model.spec import SCENES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from contactlib.model.model import Model, Variable

    Floats = NDArray[np.float64]

STEPS = 1000
#: options of the coupling that change no signals
OF_COUPLING = ("next_step", "mass_tolerance")
#: limits of work, which change no signals either
LIMITS = ("max_sub_steps", "max_iterations", "contact.sub_step_limit_reached")
MAGIC = b"CLINPUT1"
SETTINGS = SCENES / "excitation.toml"


@dataclass(frozen=True)
class Setting:
    """How far the signals of one scene reach: a row of ``scenes/excitation.toml``."""

    #: m and rad: how far external bodies swing about their start
    reach: float = 0.004
    turn: float = 0.02
    #: N and N m: largest external force and torque on free bodies
    load: float = 0.0
    #: start values of inputs by name, which replace those of the scene
    inputs: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Excitation:
    """The inputs of a run, and the outputs that are hashed: value references in the order of the model's table."""

    guid: str
    reals: tuple[int, ...]
    integers: tuple[int, ...]
    real_outputs: tuple[int, ...]
    integer_outputs: tuple[int, ...]
    #: communication step, s
    step: float
    #: values of `integers`, which are set once, before the first step
    constants: tuple[int, ...]
    #: (steps, reals): values of `reals`, which are set before each step
    rows: Floats

    def to_bytes(self) -> bytes:
        """Return the file for other hosts: little-endian, as docs/platforms.md describes it."""
        references = (self.reals, self.integers, self.real_outputs, self.integer_outputs)
        sizes = len(self.rows), *map(len, references)
        head = struct.pack("<8s40s5I4xd", MAGIC, self.guid.encode(), *sizes, self.step)
        whole = [*(np.array(part, "<u4") for part in references), np.array(self.constants, "<i4")]
        return head + b"".join(part.tobytes() for part in whole) + self.rows.astype("<f8").tobytes()


class Draws:
    """Numbers in [0, 1) from a linear congruential generator: whole numbers, and one exact division."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def __call__(self, low: float = 0.0, high: float = 1.0) -> float:
        self._state = (1664525 * self._state + 1013904223) % 2**32
        return low + (high - low) * (self._state / 2**32)


def excitation(model: Model, scene: str, steps: int = STEPS, seed: int = 0) -> Excitation:
    """Make the input signals of a scene, which last as long as the scene.

    External bodies swing about their start with their true velocities. Free bodies get a wrench that swings, if the
    scene's setting has a load. Every other input keeps one value.

    Parameters
    ----------
    model
        The compiled scene.
    scene
        The name of the scene, which selects its setting; a scene without a setting has that of `Setting`.
    steps
        The number of communication steps.
    seed
        Other seeds give other waves; the hashes have those of seed 0.

    Examples
    --------
    >>> import contactlib
    >>> signals = excitation(contactlib.load("peg_in_hole").compile(), "peg_in_hole")
    >>> signals.rows.shape
    (1000, 27)
    """
    setting = settings().get(scene, Setting())
    reals, integers = _references(model, "input", real=True), _references(model, "input", real=False)
    table, step, draws = model.variables, model.duration / steps, Draws(_seed(model) + seed)
    rows = np.tile([_constant(table[row], setting) for row in reals], (steps, 1))
    for name, motion in zip(model.body_names, model.motions, strict=True):
        columns = [k for k, row in enumerate(reals) if table[row].name.startswith(f"{name}.")]
        if columns and motion == "external":
            rows[:, columns] = _swinging(rows[0, columns], setting, steps, step, draws)
        elif columns:
            rows[:, columns] = setting.load * _waves(len(columns), steps, draws)[0]
    return Excitation(
        model.guid,
        reals,
        integers,
        _references(model, "output", real=True),
        _references(model, "output", real=False),
        step,
        tuple(int(_constant(table[row], setting)) for row in integers),
        rows,
    )


def settings() -> dict[str, Setting]:
    """Return the settings of the shipped scenes by name; an unknown key is a ValueError."""
    known = [field.name for field in fields(Setting)]
    found = {}
    for scene, row in read_toml(SETTINGS).items():
        for key in row:
            if key not in known:
                raise ValueError(f"{SETTINGS}: {scene}.{key}: unknown key; {tables.hint(key, known)}")
        found[scene] = Setting(**{**row, "inputs": tuple(row.get("inputs", {}).items())})
    return found


def _references(model: Model, causality: str, real: bool) -> tuple[int, ...]:
    return tuple(
        reference
        for reference, variable in enumerate(model.variables)
        if variable.causality == causality and (variable.type == "real") == real
    )


def _seed(model: Model) -> int:
    """The number of variables without those of the coupling and of limits, so that these change no signals."""
    return sum(not is_of_steps(v.name) and v.name not in (*OF_COUPLING, *LIMITS) and not is_mass_property(model, v.name)
               for v in model.variables)


def _constant(variable: Variable, setting: Setting) -> float:
    return dict(setting.inputs).get(variable.name, variable.start)


def _waves(count: int, steps: int, draws: Draws) -> tuple[Floats, Floats]:
    """Values within [-1, 1], and slopes per run, of smooth waves: two parabolas a period, as (steps, count) each."""
    cycles = np.array([draws(0.5, 2.0) for _ in range(count)])
    phase = np.array([draws() for _ in range(count)])
    u = cycles * (np.arange(steps)[:, None] / steps) + phase
    u -= np.floor(u)
    sign = np.where(u < 0.5, 1.0, -1.0)
    u -= np.where(u < 0.5, 0.0, 0.5)
    return sign * (8 * u * (1 - 2 * u)), sign * (8 - 32 * u) * cycles


def _swinging(start: Floats, setting: Setting, steps: int, step: float, draws: Draws) -> Floats:
    """States r, q, v, w of a body that swings about its start: q = (1, a) q_start / |(1, a)|, r = r_start + x."""
    size = np.array([reach * draws(0.3, 1.0) for reach in [setting.reach] * 3 + [setting.turn] * 3])
    wave, slope = _waves(6, steps, draws)
    x, v = size * (wave - wave[0]), size * slope / (steps * step)
    a, rate = x[:, 3:] / 2, v[:, 3:] / 2
    square = 1 + (a[:, 0] * a[:, 0] + a[:, 1] * a[:, 1] + a[:, 2] * a[:, 2])
    q0, q1, q2, q3 = start[3:7]
    a1, a2, a3 = a.T
    q = np.stack([q0 - a1 * q1 - a2 * q2 - a3 * q3, q1 + a1 * q0 + a2 * q3 - a3 * q2,
                  q2 + a2 * q0 + a3 * q1 - a1 * q3, q3 + a3 * q0 + a1 * q2 - a2 * q1], axis=1)  # fmt: skip
    w = 2 * (rate + _cross(a, rate)) / square[:, None]
    return np.concatenate([start[0:3] + x[:, :3], q / np.sqrt(square)[:, None], v[:, :3], w], axis=1)


def _cross(a: Floats, b: Floats) -> Floats:
    return np.stack([a[:, i] * b[:, j] - a[:, j] * b[:, i] for i, j in ((1, 2), (2, 0), (0, 1))], axis=1)

