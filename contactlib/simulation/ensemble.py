"""Ensembles: many complete runs in threads, each with its own initial states, parameters or model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.arguments import index_of, step_count, thread_count, whole
from contactlib.model.model import Model

Floats = NDArray[np.float64]
#: most numbers in the record of an ensemble: 4 GB
MAX_NUMBERS = 500_000_000


@dataclass(frozen=True)
class Ensemble:
    """N recorded runs.

    time (N, T) in s; values (N, K, T): the K recorded variables in the order of `names`; errors (N,): None, or the
    error that ended a run. The rows after an error and after the end of a shorter run are NaN.
    """

    names: tuple[str, ...]
    time: Floats
    values: Floats
    errors: tuple[str | None, ...]

    def signal(self, name: str) -> Floats:
        """Return one variable of all runs, (N, T)."""
        if name not in self.names:
            raise ValueError(f"'{name}' was not recorded; {tables.hint(name, self.names)}")
        return self.values[:, self.names.index(name)]


def run_ensemble(
    models: Model | Sequence[Model],
    record: Sequence[str],
    *,
    duration: float | ArrayLike | None = None,
    dt: float | None = None,
    every: int = 1,
    starts: ArrayLike | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    motions: Mapping[str, ArrayLike | Sequence[ArrayLike]] | None = None,
    num_threads: int | None = -1,
) -> Ensemble:
    """Run N scenes in threads, without Python's global interpreter lock, and record some of their variables.

    Each run is bitwise equal to `Simulation.run` of its scene, with any number of threads.

    Parameters
    ----------
    models : one model for all runs, or one model per run; all models must have equal variables.
    record : names of variables of the model, such as "wheel.r[3]" or "contact.max_depth".
    duration : s, one for all runs or (N,); by default that of the first model. Rows after the end of a run are NaN.
    dt : s, length of the steps; by default that of the first model.
    every : number of steps between recorded rows; the first and the last row are always recorded.
    starts : (N, bodies, 13) initial r (m), q (scalar first), v (m/s), w (rad/s, world axes) of all bodies; by default
        those of the models.
    parameters : values (N,) of tunable variables by name, such as {"wheel_soil.stiffness": [1e5, 2e5]}.
    motions : prescribed states of external bodies by name: (T, 13) r, q, v, w in the units of `starts`, at the start of
        each step and at the end of the last one, for all runs; or a list with an array (at least T) for each run.
        Within a step, a body moves along its twist.
    num_threads : number of threads, like scipy's `workers`.

    Raises
    ------
    ValueError : an unknown name, a wrong shape, a number that is not finite, or different numbers of runs. A run that
        fails raises nothing: its error is in `errors`.

    Examples
    --------
    >>> import contactlib
    >>> spec = contactlib.load("tripod")
    >>> starts = np.array([[body.state for body in spec.bodies]] * 3)
    >>> starts[:, 0, 2] = 0.001, 0.002, 0.003    # lifted by so many metres
    >>> falls = run_ensemble(spec.compile(), ["tripod.r[3]"], duration=0.05, starts=starts)
    >>> bool((falls.signal("tripod.r[3]")[:, -1] < 0).all())    # by then the feet press into the ground
    True
    """
    first = (many := _models(models))[0]
    dt = first.step_size if dt is None else dt
    steps = _steps(first.duration if duration is None else duration, dt)
    begin = None if starts is None else _starts(starts, len(first.body_names))
    tuned = _tuned(first, parameters or {})
    moved = {name: _motion(first, name, rows) for name, rows in (motions or {}).items()}
    runs = _runs(len(many), len(steps), begin, tuned, moved)
    check_recording(runs, int(steps.max()), every, len(record))
    out, failed = engine.run_ensemble(
        [model.core for model in many], runs, *_inputs(first, begin, tuned, runs), _rows(first, record), steps, every,
        float(dt), *_joined(first, moved, steps, runs), max(1, min(thread_count(num_threads), runs)))
    errors = tuple(None if error is None else f"after t = {error[0]:g} s: {error[1]}" for error in failed)
    return Ensemble(tuple(record), out[:, 0], out[:, 1:], errors)


def _models(models: Model | Sequence[Model]) -> list[Model]:
    many = [models] if isinstance(models, Model) else list(models)
    if not many:
        raise ValueError("models is empty: an ensemble needs at least one model")
    return many


def check_recording(runs: int, steps: int, every: int, names: int) -> None:
    """Raise ValueError if the recorded rows would need too much memory."""
    every = whole("every", every, 1)
    numbers = runs * (2 + steps // every) * (1 + names)
    if numbers > MAX_NUMBERS:
        raise ValueError(f"{runs} runs of {steps} steps record {numbers} numbers, more than {MAX_NUMBERS}: record "
                         f"fewer rows with a greater `every` than {every}")


def _steps(duration: ArrayLike, dt: float) -> NDArray[np.int32]:
    """Return the numbers of steps: one, or one for each run."""
    array = np.asarray(duration, dtype=np.float64)
    if array.ndim > 1:
        raise ValueError(f"duration has shape {array.shape}, must be one number, or (N,): one for each run")
    return np.array([step_count(float(each), dt) for each in array.reshape(-1)], dtype=np.int32)


def _runs(models: int, durations: int, starts: Floats | None, tuned: Mapping[str, Floats],
          moved: Mapping[str, list[Floats]]) -> int:
    """Return the number of runs; every argument is given once, or once per run."""
    lengths = {models, durations, *map(len, tuned.values()), *map(len, moved.values()),
               *(() if starts is None else (len(starts),))} - {1}
    if len(lengths) > 1 or 0 in lengths:
        raise ValueError(f"models, durations, starts, parameters and motions are for {sorted(lengths)} runs: give one, "
                         f"or one for each run")
    return max(lengths, default=1)


def _inputs(model: Model, starts: Floats | None, tuned: Mapping[str, Floats],
            runs: int) -> tuple[Floats, NDArray[np.int32], Floats]:
    """Return initial states, table rows of the n tuned variables, and their values (runs, n).

    Initial states without rows stand for those of the model.
    """
    begin = np.zeros((0, 1, 13)) if starts is None else _repeated(starts, runs)
    values = np.zeros((runs, 0))
    if tuned:
        values = np.stack([_repeated(column, runs) for column in tuned.values()], axis=1)
    return begin, _rows(model, tuned), values


def _repeated(array: Floats, runs: int) -> Floats:
    return np.ascontiguousarray(np.broadcast_to(array, (runs, *array.shape[1:])))


def _tuned(model: Model, parameters: Mapping[str, ArrayLike]) -> dict[str, Floats]:
    """Return the values of parameters by name. ValueError for outputs, and for initial states (use `starts`)."""
    causality = {variable.name: variable.causality for variable in model.variables}
    tuned = {name: _column(name, values) for name, values in parameters.items()}
    for name in tuned:
        if causality.get(name) == "output":
            raise ValueError(f"parameters['{name}']: is an output and cannot be set")
        if name in causality and name.partition("[")[0].endswith(("r_start", "q_start", "v_start", "w_start")):
            raise ValueError(f"parameters['{name}']: is part of a body's initial state: give it in `starts`")
    return tuned


def _column(name: str, values: ArrayLike) -> Floats:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1 or not np.isfinite(column).all():
        raise ValueError(f"parameters['{name}'] must be a list of finite numbers, one for each run")
    return column


def _rows(model: Model, names: Iterable[str]) -> NDArray[np.int32]:
    """Return the rows of these variables in the model's table. ValueError for an unknown name."""
    index = {variable.name: i for i, variable in enumerate(model.variables)}
    names = list(names)
    for name in names:
        if name not in index:
            raise ValueError(f"there is no variable '{name}'; {tables.hint(name, index)}")
    return np.array([index[name] for name in names], dtype=np.int32)


def _starts(starts: ArrayLike, bodies: int) -> Floats:
    """Check initial states (N, bodies, 13)."""
    array = np.array(starts, dtype=np.float64)
    if array.ndim != 3 or array.shape[1:] != (bodies, 13):
        raise ValueError(f"starts has shape {array.shape}, must be (N, {bodies}, 13)")
    return _checked("starts", array)


def _checked(name: str, array: Floats) -> Floats:
    """Check states (..., 13), and normalise quaternions that deviate from unit length by more than rounding."""
    length = np.linalg.norm(array[..., 3:7], axis=-1)
    bad = ~np.isfinite(array).all(axis=-1) | ~(np.abs(length - 1.0) <= 1e-3)
    if bad.any():
        place = ", ".join(map(str, np.argwhere(bad)[0]))
        raise ValueError(f"{name}[{place}] must have finite numbers and a quaternion of unit length")
    off = np.abs(length - 1.0) > 1e-15  # those of a scene were normalised when it was read, and keep their bits
    array[..., 3:7] = np.where(off[..., None], array[..., 3:7] / length[..., None], array[..., 3:7])
    return array


def _motion(model: Model, name: str, rows: ArrayLike | Sequence[ArrayLike]) -> list[Floats]:
    """Return the prescribed states of a body: one array (T, 13), or one for each run."""
    body = index_of(model.body_names, name)
    if model.motions[body] != "external":
        raise ValueError(f"motions['{name}']: the body is {model.motions[body]}: only an external body has a "
                         f"prescribed motion")
    many = [rows] if isinstance(rows, np.ndarray) and rows.ndim == 2 else list(rows)  # type: ignore[arg-type]
    arrays = [np.array(each, dtype=np.float64) for each in many]
    for array in arrays:
        if array.ndim != 2 or array.shape[1] != 13:
            raise ValueError(f"motions['{name}'] has an array of the shape {array.shape}, must be (T, 13), or a list "
                             f"of such arrays, one for each run")
    return [_checked(f"motions['{name}']", array) for array in arrays]


def _joined(model: Model, moved: Mapping[str, list[Floats]], steps: NDArray[np.int32],
            runs: int) -> tuple[NDArray[np.int32], list[Floats]]:
    """Return the moved bodies, and for each run their states (T, bodies, 13) next to each other."""
    bodies = np.array([index_of(model.body_names, name) for name in moved], dtype=np.int32)
    if not moved:
        return bodies, []
    joined: dict[tuple[int, ...], Floats] = {}
    motions = []
    for i in range(runs):
        need = int(steps[i % len(steps)]) + 1
        parts = [rows[i % len(rows)] for rows in moved.values()]
        for name, part in zip(moved, parts, strict=True):
            if len(part) < need:
                raise ValueError(f"motions['{name}'] has {len(part)} rows; {need - 1} steps need {need}")
        key = (need, *map(id, parts))
        if key not in joined:
            joined[key] = np.ascontiguousarray(np.stack([part[:need] for part in parts], axis=1))
        motions.append(joined[key])
    return bodies, motions
