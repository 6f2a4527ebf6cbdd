"""Four pins of a free-flying interface dock into the four holes of a free-flying target, through an FMU.

Run it with `make demo`, or `python examples/peg_in_hole.py`. It

1. writes the scene as an FMU,
2. couples the FMU in FMPy with two rigid bodies in free flight,
3. runs the same scene in Python alone, and puts the two side by side,
4. leaves a table, two figures and a report in out/peg_in_hole/.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import contactlib
from contactlib.cli.main import Progress
from contactlib.coupling import CoupledRun, couple
from contactlib.fmu.export import export_fmu
from contactlib.report.plot import plot_trajectory, relative_motion
from contactlib.report.run_report import Fact, key_figures, summary, thin, write_csv, write_report
from contactlib.shapes.shapes import Capsule, Socket
from docking_figure import plot_docking

ROOT = Path(__file__).resolve().parent.parent
CAPTIONS = {
    "docking.png": "Sections through the bodies, true to scale, and the contacts magnified.",
    "trajectory.png": "The run over time.",
}
COMMANDS = """make demo

# or step by step
contactlib fmu export peg_in_hole -o peg_in_hole.fmu
contactlib fmu run peg_in_hole.fmu --duration {duration:g} --dt {dt:g}"""


@dataclass(frozen=True)
class Demo:
    """What came out: the coupled run, the gap below the pins at its end (m), and the two comparisons."""

    run: CoupledRun
    gap: float
    deviation: float
    same_bits: bool

    @property
    def docked(self) -> bool:
        """All pins are inside, within 3 mm of the bottom of their holes."""
        return self.gap < 3e-3

    def __str__(self) -> str:
        """What happened, for a person."""
        balance, end = self.run.balance, self.run.trajectory.time[-1]
        where = "in their holes" if self.docked else "not yet in"
        wrenches = "the same wrenches to the last bit" if self.same_bits else "OTHER WRENCHES"
        return (
            f"{summary(self.run.trajectory)} After {end:g} s the pins are {where}, {self.gap * 1e3:.2f} mm "
            "above the bottom.\n"
            f"Both bodies flew freely: linear momentum was kept to {balance.linear_error:.0e}, angular "
            f"momentum to {balance.angular_error:.0e}; kinetic, elastic and dissipated energy add up to "
            f"{1 + self.run.energy_error:.4f} of the start, since the wrench is held over each step.\n"
            f"In Python alone the bodies were at most {self.deviation * 1e3:.2g} mm elsewhere; fed with the "
            f"FMU's inputs, Python gives {wrenches}."
        )


def dock(fmu: Path, spec: contactlib.Spec, duration: float, dt: float) -> Demo:
    """Couple, run in Python alone, compare."""
    progress = Progress("docking")
    run = couple(fmu, duration=duration, dt=dt, progress=progress)
    progress.done()
    alone = contactlib.Simulation(spec.with_motion("free", *run.masses).compile()).run(duration, dt)
    deviation = np.abs(alone.states[..., :3] - run.trajectory.states[..., :3]).max()
    return Demo(run, gap_below(spec, run.trajectory), float(deviation), same_bits(spec, run.trajectory, dt))


def gap_below(spec: contactlib.Spec, trajectory: contactlib.Trajectory) -> float:
    """From the tips of the pins to the bottom of the holes at the end of the run, m."""
    pin, hole = spec.body("interface").shapes[0], spec.body("target").shapes[0]
    assert isinstance(pin.shape, Capsule) and isinstance(hole.shape, Socket)
    tip = pin.r[2] - pin.shape.length / 2 - pin.shape.radius
    bottom = hole.r[2] - hole.shape.length - hole.shape.radius
    _, position, _ = relative_motion(trajectory, "target")
    return float(position[0, -1, 2]) + tip - bottom


def same_bits(spec: contactlib.Spec, trajectory: contactlib.Trajectory, dt: float) -> bool:
    """Whether Python computes every wrench of the FMU bit by bit from the recorded states."""
    simulation = contactlib.Simulation(spec.compile())
    return all(
        np.array_equal(simulation.step(dt, states).wrenches, wrenches)
        for states, wrenches in zip(trajectory.states[:-1], trajectory.wrenches[1:], strict=True)
    )


def write_results(folder: Path, fmu: Path, spec: contactlib.Spec, demo: Demo) -> None:
    """Table, figures, report."""
    folder.mkdir(parents=True, exist_ok=True)
    run, trajectory = demo.run, demo.run.trajectory
    dt = float(trajectory.time[1])
    write_csv(folder / "trajectory.csv", thin(trajectory, max(1, len(trajectory.time) // 3000)))
    plot_docking(spec, trajectory).savefig(folder / "docking.png", dpi=150)
    figure = plot_trajectory(trajectory, balance=run.balance, stored=run.energy_stored, title="Peg in hole")
    figure.savefig(folder / "trajectory.png", dpi=130)
    facts = [
        *key_figures(trajectory, run.balance, stored=float(run.energy_stored[-1]), closed=True),
        Fact("Gap below the pins at the end", demo.gap * 1e3, "mm"),
        Fact("Largest difference in position to the run in Python alone", demo.deviation * 1e3, "mm"),
        Fact("Wrenches of FMU and Python at the same inputs", "same bits" if demo.same_bits else "DIFFERENT"),
    ]
    write_report(
        folder / "report.html",
        title="Four pins dock into four holes",
        summary=str(demo),
        facts=facts,
        figures=[(folder / name, caption) for name, caption in CAPTIONS.items()],
        setting=f"{spec.description}. Model {spec.compile().hash} as {fmu.name}, coupled by FMPy, Jacobi, "
        f"communication step {dt:g} s, semi-implicit Euler; contactlib {contactlib.__version__}.",
        commands=COMMANDS.format(duration=trajectory.time[-1], dt=dt),
    )


def main(arguments: list[str] | None = None) -> Demo:
    """The command line; returns what came out."""
    spec = contactlib.load("peg_in_hole")
    fmu, out = ROOT / "fmu" / "dist" / "peg_in_hole.fmu", ROOT / "out" / "peg_in_hole"
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fmu", type=Path, default=fmu, help="where the FMU goes")
    parser.add_argument("--out", type=Path, default=out, help="where the results go")
    parser.add_argument("--duration", type=float, default=spec.duration, help="s (default: %(default)s)")
    parser.add_argument("--dt", type=float, default=spec.step_size, help="s (default: %(default)s)")
    given = parser.parse_args(arguments)
    given.fmu.parent.mkdir(parents=True, exist_ok=True)
    path = export_fmu(spec.compile(), given.fmu)
    print(f"FMU: {path}\n", flush=True)
    demo = dock(path, spec, given.duration, given.dt)
    write_results(given.out, path, spec, demo)
    print(f"{demo}\n")
    for name in ("report.html", *CAPTIONS, "trajectory.csv"):
        print(f"wrote {given.out / name}")
    return demo


if __name__ == "__main__":
    main()
