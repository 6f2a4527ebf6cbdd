"""The time of each step of the shipped scenes through their FMU, and under valgrind its instructions.

Run it with ``python -m benchmarks.step_times --json OUT.json``. ``--draw`` draws docs/images/step_times.png;
``--instructions`` counts the instructions of each step instead; ``--waves 6`` makes a million steps; ``--slowest 10``
counts only the ten slowest steps of each run; ``--scenes`` names some of the rows.
docs/real_time.md tells what the numbers mean.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import common, step_runs
from benchmarks.common import HERE, Floats
from benchmarks.step_runs import Run
from contactlib.fmu.build import fmi_include
from contactlib.fmu.export import export_fmu
from contactlib.fmu.hashes import shipped_scenes

DOING = {"lee_snare, grapple and latch": step_runs.grapple, "cbm, berthing and shaken": step_runs.berthing}
RUNS = 5  # equal runs: the least time of a step is what its work takes
COSTLY = ("cbm", "gripper", "lee_snare", "lee_snare_pdgf")  # scenes with one such run
WHOLE = ("steps", "counted", "wave", "step")  # columns of tables
PICTURE = HERE.parent / "docs" / "images" / "step_times.png"
Made = Callable[[], Run]


def runs(waves: int, chosen: Sequence[str]) -> Iterator[tuple[str, list[Made]]]:
    """A name and its runs: each shipped scene with so many waves, and two tasks; only the chosen ones, if there are."""
    every: dict[str, list[Made]] = {
        scene: [partial(step_runs.swung, scene, seed) for seed in range(1 if scene in COSTLY else waves)]
        for scene in shipped_scenes()}
    every |= {name: [made] for name, made in DOING.items()}
    unknown = sorted(set(chosen) - set(every))
    if unknown:
        raise ValueError(f"there is no scene '{unknown[0]}': must be one of {', '.join(map(repr, every))}")
    yield from ((name, made) for name, made in every.items() if name in chosen or not chosen)


# ---- the program ---------------------------------------------------------------------------------


def program(folder: Path, *flags: str) -> Path:
    """step_times.c, compiled into a folder. FileNotFoundError without a C compiler."""
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CC", "cc"), "gcc", "clang"))), None)
    if compiler is None:
        raise FileNotFoundError("there is no C compiler: install gcc, or set CC")
    made = folder / "step_times"
    command = [compiler, "-O2", *flags, f"-I{fmi_include()}", str(HERE / "step_times.c"), "-o", str(made), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"step_times.c does not compile: {done.stderr}")
    return made


def unpacked(run: Run, folder: Path) -> tuple[Path, Path]:
    """The folder with model.bin, which receives the inputs, and the library of a run's FMU."""
    shutil.unpack_archive(export_fmu(run.model, folder / "scene.fmu"), folder / "fmu", "zip")
    library = next((folder / "fmu" / "binaries" / "linux64").glob("*.so"))
    (folder / "fmu" / "resources" / "inputs").write_bytes(run.to_bytes())
    return folder / "fmu" / "resources", library


def executed(command: Sequence[str | Path], resources: Path) -> tuple[bytes, str]:
    """What a program writes for the inputs there: standard output and error. RuntimeError if it fails."""
    with (resources / "inputs").open("rb") as inputs:
        done = subprocess.run(command, cwd=resources, stdin=inputs, capture_output=True, check=False)
    said = done.stderr.decode()
    if done.returncode != 0:
        raise RuntimeError(f"step_times fails: {said}")
    return done.stdout, said


def times(made: Path, run: Run, core: int) -> tuple[Floats, str]:
    """Times (RUNS, steps), us: inputs, doStep, outputs; and what the system refused."""
    with tempfile.TemporaryDirectory() as name:
        resources, library = unpacked(run, Path(name))
        found, said = executed([made, library, str(RUNS), str(core)], resources)
    return np.frombuffer(found).reshape(RUNS, -1) / 1e3, said.strip()


def slowest(made: Path, run: Run, core: int, count: int) -> list[int]:
    """The steps with the largest least time of RUNS equal runs, in ascending order."""
    spent = times(made, run, core)[0].min(axis=0)
    return sorted(int(step) for step in np.argsort(spent)[-count:])


def instructions(made: Path, run: Run, counted_steps: Sequence[int] = ()) -> Floats:
    """Instructions (steps,) of some steps of a run, or of all, under callgrind."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        resources, library = unpacked(run, folder)
        tool = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--combine-dumps=yes",
                f"--callgrind-out-file={folder}/parts"]
        executed([*tool, made, library, "1", "-1", *map(str, counted_steps)], resources)
        with (folder / "parts").open(encoding="utf-8") as parts:
            counts = [float(line.split()[1]) for line in parts if line.startswith("summary:")]
    return np.array(counts[:len(counted_steps) or len(run.reals)])  # the last part is what follows the last step


# ---- tables --------------------------------------------------------------------------------------


def summary(values: Floats) -> dict[str, float]:
    """Number, median, 99 %, 99.9 % and worst of the steps, and which step is the worst."""
    quantiles = dict(zip(("median", "99 %", "99.9 %"), np.percentile(values, [50, 99, 99.9]), strict=True))
    return {"steps": float(len(values)), **quantiles, "worst": values.max(), "step": float(values.argmax())}


def table(rows: dict[str, dict[str, float]], last: str = "") -> str:
    """A Markdown table with a row of numbers for each name."""
    columns = list(next(iter(rows.values())))
    lines = [f"| scene | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for name, row in rows.items():
        numbers = [f"{value:.0f}" if key in WHOLE else short(value) for key, value in row.items()]
        lines.append(f"| {name} | {' | '.join(numbers)} |")
    return "\n".join(lines) + last


def short(value: float) -> str:
    """Three digits: 1.23, 12.3, 123, 1.23e+06 as 1 230 000."""
    return f"{value:,.0f}".replace(",", " ") if value >= 100 else f"{value:.3g}"


def draw(found: dict[str, Floats], path: Path = PICTURE) -> None:
    """A histogram of step times for each scene, over a logarithm of time, with the worst step as a mark."""
    from matplotlib import rc_context

    from contactlib.report.plot import COLOURS, STYLE, new_figure

    with rc_context(STYLE):
        figure = new_figure(8.5, 0.42 * len(found) + 1.2)
        axes = figure.subplots()
        low, high = min(t.min() for t in found.values()), max(t.max() for t in found.values())
        edges = np.geomspace(0.9 * low, 1.1 * high, 200)
        for k, (name, values) in enumerate(reversed(found.items())):
            counts = np.histogram(values, edges)[0]
            height = 0.85 * np.log1p(counts) / np.log1p(counts.max())
            axes.fill_between(edges[:-1], k, k + height, step="post", color=COLOURS[0], linewidth=0)
            axes.plot(values.max(), k + 0.15, "|", color=COLOURS[1], markersize=9, markeredgewidth=2)
            axes.text(edges[0] * 0.92, k + 0.15, name, ha="right")
        axes.set(xscale="log", xlabel="time of a step  [us]", yticks=[], xlim=(edges[0], edges[-1]),
                 ylim=(-0.2, len(found)))
        axes.xaxis.set_major_formatter("{x:g}")
        figure.savefig(path, dpi=150)


# ---- command line --------------------------------------------------------------------------------


def measured(core: int, chosen: Sequence[str]) -> tuple[dict[str, Floats], dict[str, dict[str, float]]]:
    """The least time of each step, us, of each run, and a row of the table; refusals are printed once."""
    found, rows, told = {}, {}, set[str]()
    with tempfile.TemporaryDirectory() as name:
        made = program(Path(name))
        for scene, made_runs in runs(1, chosen):
            all_runs, said = times(made, made_runs[0](), core)
            found[scene] = all_runs.min(axis=0)
            rows[scene] = {**summary(found[scene]), "worst of the runs": float(all_runs.max())}
            told.update(said.splitlines())
            print(f"  {scene}: worst {found[scene].max():.3g} us", file=sys.stderr)
    print(*sorted(told) or ["the core is pinned and the memory locked"], sep="\n")
    return found, rows


def check_valgrind() -> None:
    """FileNotFoundError without valgrind."""
    if shutil.which("valgrind") is None:
        raise FileNotFoundError("valgrind is missing: install it (Debian, Ubuntu: apt-get install valgrind)")


def counted_slowest(waves: int, chosen: Sequence[str], core: int, count: int) -> dict[str, dict[str, float]]:
    """Rows: steps of all runs, instructions of the slowest ones, and in which run and step the worst is."""
    check_valgrind()
    rows = {}
    with tempfile.TemporaryDirectory() as name:
        (timed_folder := Path(name) / "timed").mkdir()
        timed, counting = program(timed_folder), program(Path(name), "-DCOUNT")
        for scene, made_runs in runs(waves, chosen):
            found = []
            for wave, made_run in enumerate(made_runs):
                run = made_run()
                steps = slowest(timed, run, core, count)
                counts = instructions(counting, run, steps)
                found.append((float(counts.max()), wave, steps[int(counts.argmax())], len(run.reals), len(steps)))
            worst, wave, step, *_ = max(found)
            rows[scene] = {"steps": float(sum(each[3] for each in found)),
                           "counted": float(sum(each[4] for each in found)),
                           "worst": worst, "wave": float(wave), "step": float(step)}
            print(f"  {scene}: worst {worst:.0f}", file=sys.stderr, flush=True)
    return rows


def counted(waves: int, chosen: Sequence[str]) -> dict[str, dict[str, float]]:
    """Rows of instructions per step. FileNotFoundError without valgrind."""
    check_valgrind()
    rows = {}
    with tempfile.TemporaryDirectory() as name:
        made = program(Path(name), "-DCOUNT")
        for scene, made_runs in runs(waves, chosen):
            rows[scene] = summary(np.concatenate([instructions(made, run()) for run in made_runs]))
            print(f"  {scene}: worst {rows[scene]['worst']:.0f}", file=sys.stderr, flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="write the rows to this file too")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="the core of the run")
    parser.add_argument("--draw", action="store_true", help=f"draw {PICTURE.name} of the documentation")
    parser.add_argument("--scenes", nargs="*", default=[], metavar="NAME", help="only these rows")
    parser.add_argument("--waves", type=int, default=1, help="runs of each scene whose instructions are counted")
    parser.add_argument("--instructions", action="store_true", help="count instructions in place of times")
    parser.add_argument("--slowest", type=int, default=0, metavar="N",
                        help="count the instructions of the N slowest steps of each run only")
    arguments = parser.parse_args()
    if arguments.instructions:
        rows = (counted_slowest(arguments.waves, arguments.scenes, arguments.core, arguments.slowest)
                if arguments.slowest > 0 else counted(arguments.waves, arguments.scenes))
        print(table(rows, f"\n\n{sum(row['steps'] for row in rows.values()):.0f} steps"))
    else:
        found, rows = measured(arguments.core, arguments.scenes)
        print(table(rows))
        if arguments.draw:
            draw(found)
    if arguments.json:
        content = {"rows": rows, "machine": common.machine(), "versions": common.versions()}
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
