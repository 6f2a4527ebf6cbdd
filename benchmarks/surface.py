"""Contact of faces: closed paths, tilts, stiffness, drops, plates, overlap, spin; and times beside Drake and MuJoCo.

Run it with ``python -m benchmarks.surface --json OUT.json``. README.md tells what each figure means. ``--quick`` takes
a twentieth of the random cases, ``--part NAME`` runs one part alone. ``--before FOLDER`` names a checkout of an older
version with its build. The random cases use all cores; times are taken on one thread.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import common, drake_peer, surface_scenes, surface_speed, surface_truth
from benchmarks.common import Bar, Report
from tests.surfaces import closed_paths, faces

BARS = (
    Bar("closed_path_worst", 1e-3, 1e-5), Bar("tilt_jump_worst", 2e-3, 1e-6), Bar("stiffness_spread", 1.02, 1.001),
    Bar("drops_at_rest", 1000, 1000, at_least=True), Bar("plates_energy", 1e-3, 1e-5),
    Bar("overlap_without_contact", 0, 0), Bar("ratio_before_hills", 4, 20, at_least=True),
    Bar("ratio_drake_conform", 1, 10, at_least=True), Bar("conform_exponent", 1.1, 1.0),
    Bar("ratio_mujoco_box_box", 0.25, 1, at_least=True), Bar("ratio_mujoco_pile_300", 10, 40, at_least=True),
    Bar("spin_friction_error", 0.01, 1e-3),
)
PATHS, CASES, POSES = 40, 1000, 100_000  # of a pair of shapes; drops, and impacts of plates; of parts that overlap
AT_REST = 1e-6  # m/s and rad/s
PLATES = (16, 32, 64, 100, 158)  # squares a side: 1,152 to 101,120 triangles; 100 has 40,800


def over_cores(work: Callable[..., Any], *arguments: Iterable[Any], chunk: int = 1) -> list[Any]:
    """The results of independent cases, on all cores."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with ProcessPoolExecutor(cores) as pool:
        return list(pool.map(work, *arguments, chunksize=chunk))


def pieces(values: dict[str, float], most: int = 8) -> str:
    return ", ".join(f"{key} {values[key]:.1e}" for key in sorted(values, key=values.__getitem__, reverse=True)[:most])


# ---- parts ---------------------------------------------------------------------------------------


def paths(report: Report, scale: float) -> None:
    seeds = max(1, round(PATHS * scale / len(closed_paths.MODES)))
    found = over_cores(partial(surface_truth.path_errors, seeds=seeds), closed_paths.PAIRS)
    worst = {" | ".join(pair): max(errors.values()) for pair, errors in zip(closed_paths.PAIRS, found, strict=True)}
    everything = [error for errors in found for error in errors.values()]
    report.set("closed_path_worst", max(worst.values()),
               f"{len(everything)} paths of {len(worst)} pairs; worst: {max(worst, key=worst.__getitem__)}")
    report.extras["closed paths, median error"] = float(np.median(everything))
    report.extras["closed paths, part above 1e-5"] = float(np.mean(np.array(everything) > 1e-5))
    report.extras["closed paths, worst pairs"] = pieces(worst)


def tilts(report: Report, scale: float) -> None:
    found = dict(surface_truth.tilt_jumps())
    report.set("tilt_jump_worst", max(found.values()), f"{len(found)} pairs, tilts of 1e-12 to 1e-6 rad, 1 mm deep")
    report.extras["tilts, worst pairs"] = pieces(found, 4)


def stiffness(report: Report, scale: float) -> None:
    spreads = list(surface_truth.stiffness_spread(91 if scale == 1.0 else 20))
    largest = max(spread for _, spread, _, _ in spreads)
    report.set("stiffness_spread", largest, "square, circle, octagon of 0.1 m on flat grounds")
    for face, spread, high, low in spreads:
        report.extras[f"stiffness over k, {face}, spread {spread:.4f}"] = f"{high}; {low}"


def rest(seed: int) -> float:
    try:
        return faces.speed_at_rest(faces.drop(seed))
    except ValueError:
        return np.inf


def drops(report: Report, scale: float) -> None:
    count = round(CASES * scale)
    speeds = np.array(over_cores(rest, range(count)))
    still = int((speeds < AT_REST).sum())
    report.set("drops_at_rest", still * (CASES // count), f"{still} of {count} below 1e-6 m/s and rad/s after 3 s")
    report.extras["drops, largest speed or spin of all"] = float(speeds.max())
    restless = np.flatnonzero(~(speeds < AT_REST))[:12]
    report.extras["drops that do not rest (seeds)"] = ", ".join(map(str, restless)) or "none"


def plates(report: Report, scale: float) -> None:
    changes = np.array(over_cores(faces.energy_change, range(round(CASES * scale))))
    coarse = np.flatnonzero(~(np.abs(changes) < 1e-5))
    changes[coarse] = over_cores(partial(faces.energy_change, step=2.5e-5), coarse)
    errors = np.where(np.isnan(changes), np.inf, np.abs(changes))
    report.set("plates_energy", float(errors.max()),
               f"{len(errors)} impacts, RK4, 0.1 ms; {len(coarse)} again with 0.025 ms")
    report.extras["plates, median change of energy"] = float(np.median(errors))
    report.extras["plates, worst seed"] = float(errors.argmax())


def overlap(report: Report, scale: float) -> None:
    names, count = list(surface_scenes.around_each_other()), 200
    jobs = [(name, seed) for seed in range(round(POSES * scale / count / len(names))) for name in names]
    found = np.array(over_cores(surface_truth.lost_contacts, *zip(*jobs, strict=True), [count] * len(jobs)))
    poses, overlaps, lost = found.sum(axis=0)
    report.set("overlap_without_contact", int(lost), f"of {poses} poses of 5 pairs of meshes, {overlaps} overlap")
    if lost:
        where = [job for job, row in zip(jobs, found, strict=True) if row[2]]
        report.extras["overlap lost (part, seed)"] = str(where[:8])


def spin(report: Report, scale: float) -> None:
    errors = {f"{name} on {ground}": faces.spin_moment(name, ground) - 1
              for name in faces.SPINNERS for ground in faces.GROUNDS}
    report.set("spin_friction_error", max(map(abs, errors.values())), "disc and box on plane, box and mesh")
    for name, error in errors.items():
        report.extras[f"spin, {name}, moment over its closed form less 1"] = error


def hills(report: Report, before: Path | None) -> None:
    ours = surface_speed.hills_time()
    report.extras["box over hills of 5,184 triangles, us a pose"] = 1e6 * ours
    if before is not None:
        older = surface_speed.hills_time_before(before)
        report.set("ratio_before_hills", older / ours, f"{1e6 * older:.0f} us a pose before")


def conform(report: Report, scale: float) -> None:
    sizes = PLATES if scale == 1.0 else PLATES[:4]
    times, triangles = [], [4 * n * n + 8 * n for n in sizes]
    for n, count in zip(sizes, triangles, strict=True):
        ours, theirs, polygons = surface_speed.plates_time(n, peer=count == 40_800)
        times.append(ours)
        report.extras[f"conforming plates of {count} triangles, ms"] = 1e3 * ours
        if polygons:
            report.versions["drake"] = version("drake")
            report.set("ratio_drake_conform", theirs / ours, f"Drake: {polygons} polygons, {1e3 * theirs:.0f} ms")
    if not drake_peer.AVAILABLE:
        report.set("ratio_drake_conform", common.MISSING, "Drake is not installed")
    report.set("conform_exponent", float(np.polyfit(np.log(triangles), np.log(times), 1)[0]), "")


def boxes(report: Report, scale: float) -> None:
    times = surface_speed.boxes_times()
    report.extras["two boxes that touch at random, us"] = 1e6 * times["ours"]
    if "mujoco" in times:
        report.extras["MuJoCo's collision of the same, us"] = 1e6 * times["mujoco"]
        report.set("ratio_mujoco_box_box", times["mujoco"] / times["ours"], "20 000 poses; MuJoCo in C, ours in Python")


def pile(report: Report, scale: float) -> None:
    places = surface_speed.pile()
    ours, contacts, speed = surface_speed.pile_step(places)
    report.extras[f"300 boxes at rest, {contacts} contacts, us a step"] = 1e6 * ours
    report.extras["largest speed or spin of the pile"] = speed
    if surface_speed.AVAILABLE:
        theirs, points = surface_speed.mujoco_pile_step(places)
        report.set("ratio_mujoco_pile_300", theirs / ours, f"mj_step with {points} points: {1e3 * theirs:.1f} ms")


PARTS = (paths, tilts, stiffness, drops, plates, overlap, spin, hills, conform, boxes, pile)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, add_help=False)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the random cases")
    parser.add_argument("--part", action="append", choices=[part.__name__ for part in PARTS], help="only this part")
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="a checkout of an older version, with its build")
    arguments, rest_of_line = parser.parse_known_args()
    sys.argv[1:] = rest_of_line
    scale = 0.05 if arguments.quick else 1.0
    chosen = [part for part in PARTS if not arguments.part or part.__name__ in arguments.part]
    parts = [partial(part, before=arguments.before) if part is hills else partial(part, scale=scale) for part in chosen]
    common.run(Report(BARS), parts, __doc__ or "")


if __name__ == "__main__":
    main()
