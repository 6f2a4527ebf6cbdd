"""Tosses of a real cube: initial states from the flight before the first contact, their runs, and how far they are off.

Parameters come from fitted.json, which fit.py makes of 60 tosses for each of three draws; the 240 others are compared.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import contactlib
from contactlib.validation import building

TOSSES = Path(__file__).parent / "cube_tosses.csv.gz"
FITTED = Path(__file__).parent / "fitted.json"
RATE = 148.0  # Hz
MOST_FRAMES = 119  # after the first
WIDTH = 0.1048  # m
HALF_WIDTH = WIDTH / 2
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
FREE = 0.002  # m, a frame belongs to the flight while no corner of a cube of HALF_WIDTH is lower
MASS = 0.37  # kg, as published; motion without other forces than contact and gravity depends on ratios to it
INERTIA = 0.00081  # kg m2, as published
RECORD = [f"cube.r[{i}]" for i in (1, 2, 3)] + [f"cube.q[{i}]" for i in (1, 2, 3, 4)]


@dataclass(frozen=True)
class Toss:
    """Frames of one toss, and what is known from those before the first contact.

    r (n, 3) in m, of the tracked origin; attitude of all frames; number of frames of the `flight`; `first` attitude and
    angular velocity `w` (rad/s, world axes) that fit the flight best, with a constant w.
    """

    r: np.ndarray
    attitude: Rotation
    flight: int
    first: Rotation
    w: np.ndarray


def read() -> list[Toss]:
    """Return all tosses, in the order of their numbers."""
    with gzip.open(TOSSES, "rt", encoding="utf-8") as file:
        rows = np.array([[float(x) for x in row] for row in list(csv.reader(file))[1:]])
    tosses = []
    for number in np.unique(rows[:, 0]):
        frames = rows[rows[:, 0] == number][:, 2:]
        attitude = Rotation.from_quat(frames[:, [4, 5, 6, 3]])
        lowest = (frames[:, None, 2] + np.einsum("nij,cj->nci", attitude.as_matrix(), HALF_WIDTH * CORNERS)[:, :, 2])
        flight = max(3, int(np.argmax(lowest.min(axis=1) < FREE)))
        tosses.append(Toss(frames[:, :3], attitude, flight, *steady_rotation(attitude[:flight])))
    return tosses


def steady_rotation(attitude: Rotation) -> tuple[Rotation, np.ndarray]:
    """Return the first attitude and the constant angular velocity that fit the frames best."""
    t = np.arange(len(attitude)) / RATE
    line = np.column_stack([np.ones_like(t), t])
    first, w = attitude[0], (attitude[1] * attitude[0].inv()).as_rotvec() * RATE
    for _ in range(5):
        rest = attitude * (Rotation.from_rotvec(w * t[:, None]) * first).inv()
        turn, more = np.linalg.lstsq(line, rest.as_rotvec(), rcond=None)[0]
        first, w = Rotation.from_rotvec(turn) * first, w + more
    return first, w


def initial_state(toss: Toss, com: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """Return r, q (scalar first), v, w of the tracked origin at the first frame, from the frames of the flight alone.

    The centre of mass, `com` in body axes, moves on the parabola of `gravity`; its position and velocity are fitted.
    """
    t = np.arange(toss.flight) / RATE
    centre = toss.r[: toss.flight] + toss.attitude[: toss.flight].apply(com) - 0.5 * t[:, None] ** 2 * gravity
    p, v = np.linalg.lstsq(np.column_stack([np.ones_like(t), t]), centre, rcond=None)[0]
    arm = toss.first.apply(com)
    return np.concatenate([p - arm, toss.first.as_quat()[[3, 0, 1, 2]], v - np.cross(toss.w, arm), toss.w])


def deviations_of_frames(toss: Toss, frames: np.ndarray) -> np.ndarray:
    """Return the deviations (n, 2) of the frames after the first: of the tracked origin, in % of the width; in degrees.

    frames (MOST_FRAMES + 1, 7): r in m and attitude, scalar first, of a run at the times of the frames.
    """
    n = min(len(toss.r) - 1, MOST_FRAMES)
    away = np.linalg.norm(frames[1 : n + 1, :3] - toss.r[1 : n + 1], axis=1)
    turned = (Rotation.from_quat(frames[1 : n + 1, [4, 5, 6, 3]]) * toss.attitude[1 : n + 1].inv()).magnitude()
    return np.column_stack([100.0 / WIDTH * away, np.degrees(turned)])


def draw(seed: int) -> tuple[list[int], list[int]]:
    """Return the numbers of 60 tosses to fit, and of the 240 others."""
    order = np.random.default_rng(seed).permutation(300)
    return order[:60].tolist(), order[60:].tolist()


def scene(p: Mapping[str, float], substeps: int) -> contactlib.Spec:
    """Return the scene for fitted numbers `p` (fit.py names them).

    A cube with rounded corners touches a plane in balls about its inner corners.
    """
    cube = building.body("cube", "free", corners(p), mass=MASS, com=com(p).tolist(),
                         inertia=[p["inertia"] * INERTIA] * 3)
    law = {
        "normal": {"kind": "kelvin_voigt", "stiffness": p["stiffness"], "damping": p["damping"]},
        "friction": {"kind": "lugre", "mu_static": p["mu"], "mu_kinetic": p["mu"], "stribeck_velocity": 0.01,
                     "sigma_0": p["tangential"] * p["stiffness"], "sigma_1": 2.0, "sigma_2": p["mu_rate"]},
    }
    return building.scene([cube, building.floor()], law, [("cube", "floor")], gravity=gravity(p).tolist(),
                          step_size=1.0 / RATE / substeps)


def corners(p: Mapping[str, float]) -> list[building.Tabled]:
    """Return the eight balls that a cube with rounded corners is the hull of."""
    inner = p["half_width"] - p["rounding"]
    return [building.shape("sphere", name=f"corner_{k + 1}", radius=p["rounding"], r=(inner * corner).tolist())
            for k, corner in enumerate(CORNERS)]


def gravity(p: Mapping[str, float]) -> np.ndarray:
    return np.array([0.0, 0.0, -p["gravity"]])


def com(p: Mapping[str, float]) -> np.ndarray:
    return np.array([p["com_x"], p["com_y"], p["com_z"]])


def simulate(p: Mapping[str, float], tosses: Sequence[Toss], substeps: int) -> np.ndarray:
    """Return r and attitude (N, MOST_FRAMES + 1, 7) of the tracked origin at all frames; steps of 1/148/substeps s."""
    starts = np.zeros((len(tosses), 2, 13))
    starts[:, 1, 3] = 1.0
    starts[:, 0] = [initial_state(toss, com(p), gravity(p)) for toss in tosses]
    runs = contactlib.run_ensemble(scene(p, substeps).compile(), RECORD, starts=starts, duration=MOST_FRAMES / RATE,
                                   dt=1.0 / RATE / substeps, every=substeps, num_threads=1)
    if not np.isfinite(runs.values).all():
        raise ValueError(f"a run failed: {next(error for error in runs.errors if error)}")
    return np.moveaxis(runs.values, 1, 2)


def deviations(p: Mapping[str, float], tosses: Sequence[Toss], substeps: int = 14, engine=simulate) -> np.ndarray:
    """Return the mean deviations (N, 2) of each toss, in % of the width and in degrees."""
    return np.array([deviations_of_frames(toss, frames).mean(axis=0)
                     for toss, frames in zip(tosses, engine(p, tosses, substeps), strict=True)])


def run(runner):
    measured = read()
    found = {}
    for seed, (name, p) in enumerate(json.loads(FITTED.read_text(encoding="utf-8")).items()):
        of_position, of_attitude = deviations(p, [measured[i] for i in draw(seed)[1]]).mean(axis=0)
        found |= {f"position, {name}": float(of_position), f"attitude, {name}": float(of_attitude)}
    return found
