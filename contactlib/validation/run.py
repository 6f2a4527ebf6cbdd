"""Runs cases, each in its own process where several processors are there, and compares them."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

import numpy as np

import contactlib
from contactlib.validation.cases import Case
from contactlib.validation.compare import Check, Outcome, Result, compare, of_series
from contactlib.validation.runners import FmuRunner, PythonRunner, Runner

#: what prints the results of an example, in the folder of the examples
_EXAMPLE = "import importlib, json, sys; print(json.dumps(importlib.import_module(sys.argv[1]).run()))"
_FILES = "README.md of the case has the reason, and ref.opt the number"


def run_cases(cases: Sequence[Case], fmu: bool = False, jobs: int = 1,
              progress: Callable[[Outcome], None] | None = None) -> list[Outcome]:
    """Run cases and return their outcomes in the same order.

    Parameters
    ----------
    cases : from `find_cases`. With `fmu`, those that no FMU can run are left out.
    fmu : run the FMUs of the scenes instead of the Python module.
    jobs : processes; 1 runs all in this process.
    progress : called with each outcome.

    A case that fails to run has an error in its outcome; nothing is raised. A case whose packages are not installed is
    not run.

    Examples
    --------
    >>> from contactlib.validation import data_folder, find_cases
    >>> [outcome.verdict for outcome in run_cases(find_cases(data_folder(), ["lcp"]))]
    ['ok']
    """
    wanted = [case for case in cases if case.has_fmu_run or not fmu]
    found = []
    for outcome in _outcomes(wanted, fmu, min(jobs, len(wanted))):
        if progress is not None:
            progress(outcome)
        found.append(outcome)
    return found


def _outcomes(cases: Sequence[Case], fmu: bool, jobs: int) -> Iterator[Outcome]:
    one = partial(run_case, fmu=fmu)
    if jobs <= 1:
        yield from map(one, cases)
        return
    # spawned: a forked process must not use the threads of OpenMP again
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        slowest_first = sorted(cases, key=lambda case: -case.seconds)
        running = {case.name: pool.submit(one, case) for case in slowest_first}
        for case in cases:
            yield _result(case, running[case.name])


def _result(case: Case, run: Future[Outcome]) -> Outcome:
    """Return the outcome; that of a case in whose time a process has died is an error, and nothing is raised."""
    try:
        return run.result()
    except BrokenProcessPool:
        return Outcome(case, error="a process of the run has died, of this case or of another one: run the cases that "
                                   "have this error one by one")


def run_case(case: Case, fmu: bool = False) -> Outcome:
    """Run one case and compare its results. An error, or what is not installed, is in the outcome."""
    begun = time.perf_counter()
    runner: Runner = FmuRunner() if fmu else PythonRunner()
    outcome = Outcome(case, through=runner.name, missing=_missing(case))
    if outcome.missing:
        return outcome
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of meshes that are open, and of steps: the comparison judges the result
            checks = _checks(case, runner, fmu)
    except Exception as error:  # a case that fails must not hide the others
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return replace(outcome, error=text, seconds=time.perf_counter() - begun)
    return replace(outcome, checks=checks, seconds=time.perf_counter() - begun)


def _missing(case: Case) -> str:
    """Return which packages of a case are not installed, in a sentence, or ""."""
    names = [name for name in case.needs if importlib.util.find_spec(name) is None]
    return f"needs {', '.join(names)}, not installed here: pip install {' '.join(names)}" if names else ""


def _checks(case: Case, runner: Runner, fmu: bool) -> tuple[Check, ...]:
    checks: tuple[Check, ...] = ()
    if case.program is not None and (case.fmu or not fmu):
        module = load_program(case.program)
        checks += compare(case, module.run(runner))
    elif case.example and not fmu:
        checks += compare(case, _run_example(case))
    if case.scene and (fmu or not checks):
        checks += _run_files(case, runner)
    return checks


def load_program(path: Path) -> ModuleType:
    """Return the module of a case's program; other modules of its folder cannot be imported by it."""
    name = f"contactlib_case_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _run_example(case: Case) -> dict[str, Result]:
    """Run an example in its own process and folder, as a user does; examples import one another."""
    folder = case.folder.parents[1] / "examples"
    if not (folder / f"{case.example}.py").is_file():
        raise ValueError(f"example = '{case.example}': there is no {folder / case.example}.py beside the data")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", _EXAMPLE, case.example], cwd=folder,
                          capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"example {case.example} failed: {done.stderr.strip().splitlines()[-1]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _run_files(case: Case, runner: Runner) -> tuple[Check, ...]:
    """Run a shipped scene along NAME_in.csv and compare it with NAME_ref.csv."""
    from contactlib.fmu.check.case import read_case

    files = read_case(case.folder, case.scene)
    options = files.options
    given = files.inputs
    inputs = {} if given is None else {
        name: (np.array(given["time"]), np.array(given[name])) for name in (given.dtype.names or ())[1:]}
    names = list(dict.fromkeys(name for column in files.columns for _, name in column.terms))
    model = contactlib.load(case.scene).compile()
    units = {variable.name: variable.unit for variable in model.variables}
    found = runner.run(model, options["StopTime"], options["StepSize"], names, inputs)
    checks = []
    for column in files.columns:
        ours = sum((factor * found[name] for factor, name in column.terms), start=np.zeros(len(found["time"])))
        kept = np.isfinite(column.values)
        unit = units.get(column.title, "of the sum")  # factors of a sum have units too
        checks.append(of_series(column.title, unit, "time [s]", files.times[kept], column.values[kept],
                                (found["time"], ours), files.tolerance(column), _FILES))
    return tuple(checks)
