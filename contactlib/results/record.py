"""Runs a scene and records it, in one call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from contactlib.model.closed_loop import closed_loop
from contactlib.model.spec import Spec, load
from contactlib.results.result import Result, read_result
from contactlib.results.writer import ResultWriter
from contactlib.simulation.simulation import Simulation


def record(scene: str | Path | Spec, path: str | Path, *, duration: float | None = None, dt: float | None = None,
           every: int = 1, fixed: Sequence[str] = (), integrator: str | None = None) -> Result:
    """Run a scene on its own, as `contactlib run` does, and write the run to a result file.

    Parameters
    ----------
    scene : a scene, its file, or the name of one that ships with contactlib.
    path : the result file to write; its name ends in .clr.
    duration, dt : s, duration of the run and longest step; by default those of the scene.
    every : record each `every`-th step.
    fixed : names of bodies with a mass that are fixed; the others with a mass fly freely.
    integrator : "semi_implicit_euler" or "rk4"; by default that of the scene.

    Returns
    -------
    Result
        The run, read from the file.

    Raises
    ------
    ValueError : an argument or a scene that is not allowed, or an unstable run. The frames before are kept
        (`contactlib result recover`).
    ImportError : pyarrow is missing.
    OSError : the file cannot be written.

    Examples
    --------
    >>> import contactlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     contactlib.record("peg_in_hole", f"{folder}/peg.clr", duration=0.01, every=5).time[-1].round(6)
    np.float64(0.01)
    """
    spec = closed_loop(scene if isinstance(scene, Spec) else load(scene), list(fixed), dt, duration, integrator)
    simulation = Simulation(spec.compile())
    with ResultWriter(path, simulation.model, scene=spec) as writer:
        run = simulation.run(spec.duration, spec.longest_step, every=every, results=writer)
        writer.close(run.warnings)
    return read_result(path)
