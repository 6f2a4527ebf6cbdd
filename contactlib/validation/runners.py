"""Runners: the same scene with the same inputs, by the Python module or by its FMU in FMPy."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from contactlib.common import tables
from contactlib.common.arguments import step_count
from contactlib.model.model import Model
from contactlib.model.spec import Spec
from contactlib.simulation.simulation import Simulation

Floats = NDArray[np.float64]
#: an input over time: a constant, a function of time (s), or times and values, linear in between
Signal: TypeAlias = float | Callable[[float], float] | tuple[Floats, Floats]


class Runner(Protocol):
    """Runs a scene: what a program of a case may use if FMUs shall run it too."""

    name: str

    def run(self, scene: Spec | Model, duration: float, step: float, record: Sequence[str],
            inputs: Mapping[str, Signal] | None = None) -> dict[str, Floats]:
        """Return the recorded variables (T,) and `time` (T,), from t = 0 on.

        Parameters
        ----------
        scene : a Spec, or a compiled Model.
        duration, step : s, of the run and of its communication steps. The scene's own step_size divides these.
        record : names of variables, as in the FMU, such as "ball.v[3]" or "contact.count".
        inputs : inputs and commands over time; the value at the beginning of a step holds for that step.
        """
        ...


class PythonRunner:
    """Runs a scene by the Python module."""

    name = "python"

    def run(self, scene: Spec | Model, duration: float, step: float, record: Sequence[str],
            inputs: Mapping[str, Signal] | None = None) -> dict[str, Floats]:
        model = scene.compile() if isinstance(scene, Spec) else scene
        data = Simulation(model).data
        rows = {variable.name: row for row, variable in enumerate(model.variables)}
        signals = {_row(rows, name): _function(signal) for name, signal in (inputs or {}).items()}
        recorded = [_row(rows, name) for name in record]
        steps = step_count(duration, step)
        found = np.empty((steps + 1, len(recorded)))

        def apply(time: float) -> None:
            for row, signal in signals.items():
                data.set(row, signal(time))
            data.accept_inputs()
            data.accept_commands()

        apply(0.0)
        data.evaluate()
        found[0] = [data.get(row) for row in recorded]
        for k in range(steps):
            apply(k * step)
            data.advance(step)
            found[k + 1] = [data.get(row) for row in recorded]
        return {"time": step * np.arange(steps + 1.0), **dict(zip(record, found.T, strict=True))}


class FmuRunner:
    """Exports a scene as an FMU and runs this in FMPy."""

    name = "fmu"

    def run(self, scene: Spec | Model, duration: float, step: float, record: Sequence[str],
            inputs: Mapping[str, Signal] | None = None) -> dict[str, Floats]:
        import fmpy

        from contactlib.fmu.export import export_fmu

        model = scene.compile() if isinstance(scene, Spec) else scene
        steps = step_count(duration, step)
        time: Floats = step * np.arange(steps + 1, dtype=np.float64)
        given = {name: _function(signal) for name, signal in (inputs or {}).items()}
        messages: list[str] = []
        with tempfile.TemporaryDirectory() as folder:
            path = export_fmu(model, Path(folder) / f"{model.name}.fmu")
            table = _table(fmpy.read_model_description(str(path), validate=False), given, time)
            try:
                result = fmpy.simulate_fmu(
                    str(path), validate=False, stop_time=steps * step, step_size=step, output_interval=step,
                    start_values={name: table[name][0] for name in given}, input=table if given else None,
                    output=list(record), fmi_type="CoSimulation",
                    logger=lambda *given: messages.append(given[4].decode(errors="replace")))  # fmt: skip
            except Exception as error:  # fmpy raises its own classes, and those of ctypes
                raise ValueError(f"the FMU of '{model.name}' failed: {messages[-1] if messages else error}") from None
        return {"time": np.asarray(result["time"], float), **{name: np.asarray(result[name], float) for name in record}}


def _table(description: Any, given: Mapping[str, Callable[[float], float]], time: Floats) -> NDArray[np.void]:
    """Return the inputs over time for FMPy: all that the FMU has, those that are not given at their start values."""
    known = {variable.name: variable for variable in description.modelVariables}
    for name in given:
        _row(dict.fromkeys(known, 0), name)
    names = [name for name, variable in known.items() if variable.causality == "input" or name in given]
    table = np.zeros(len(time), dtype=[("time", np.float64), *((name, np.float64) for name in names)])
    table["time"] = time
    for name in names:
        table[name] = [given[name](t) for t in time] if name in given else float(known[name].start)
    return table


def _row(rows: Mapping[str, int], name: str) -> int:
    if name not in rows:
        raise ValueError(f"there is no variable '{name}'; {tables.hint(name, rows)}")
    return rows[name]


def _function(signal: Signal) -> Callable[[float], float]:
    if callable(signal):
        return signal
    if isinstance(signal, tuple):
        times, values = signal
        return lambda time: _between(times, values, time)
    value = float(signal)
    return lambda time: value


def _between(times: Floats, values: Floats, time: float) -> float:
    """Linear between the rows; at a time with two rows the later row counts."""
    row = int(np.searchsorted(times, time + 1e-12, side="right")) - 1
    if row < 0 or row + 1 >= len(times):
        return float(values[max(row, 0) if row < 0 else -1])
    share = (time - times[row]) / (times[row + 1] - times[row])
    return float(values[row] + min(max(share, 0.0), 1.0) * (values[row + 1] - values[row]))
