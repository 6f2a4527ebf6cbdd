"""Scenes with step_size = "auto", and what their steps tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.model.spec import Spec
from tests.support.scenes import body, law, scene

RADIUS = 0.05  # m
FLOOR = body("floor", "fixed", [{"name": "top", "kind": "plane", "material": "m"}])


def hooke(stiffness: float, damping: float = 0.0) -> dict[str, Any]:
    return {"kind": "kelvin_voigt", "stiffness": stiffness, "damping": damping}


def hertz(stiffness: float, damping: float = 0.0) -> dict[str, Any]:
    return {"kind": "hunt_crossley", "stiffness": stiffness, "exponent": 1.5, "damping": damping}


def sphere(name: str, mass: float, r: list[float], v: list[float], radius: float = RADIUS) -> dict[str, Any]:
    skin = {"name": "skin", "kind": "sphere", "radius": radius, "material": "m"}
    return body(name, "free", [skin], mass=mass, inertia=[0.4 * mass * radius**2] * 3, state={"r": r, "v": v})


def drop(normal: dict[str, Any], *, height: float = 0.01, speed: float = 1.0, mass: float = 1.0,
         step_size: float | str = "auto", friction: dict[str, Any] | None = None, **keys: Any) -> Spec:
    """A ball above a plane, without gravity unless `keys` say so."""
    ball = sphere("ball", mass, [0, 0, RADIUS + height], [0, 0, -speed])
    return scene([ball, FLOOR], [law("touch", ["m", "m"], normal, friction)], [["ball", "floor"]], step_size=step_size,
                 **keys)


def line(masses: list[float], speeds: list[float], stiffness: float, gap: float = 1e-3) -> Spec:
    """Balls in a row along x."""
    balls = [sphere(f"b{i}", m, [i * (2 * RADIUS + gap), 0, 0], [v, 0, 0])
             for i, (m, v) in enumerate(zip(masses, speeds, strict=True))]
    return scene(balls, [law("touch", ["m", "m"], hooke(stiffness))],
                 [[f"b{i}", f"b{i + 1}"] for i in range(len(balls) - 1)], step_size="auto")


@dataclass(frozen=True)
class Run:
    simulation: contactlib.Simulation
    state: NDArray[np.float64]  # of the first body at the end
    count: int
    refused: int
    shortest: float


def run(spec: Spec, duration: float, dt: float) -> Run:
    simulation = contactlib.Simulation(spec.compile())
    count = refused = 0
    shortest = np.inf
    for _ in range(round(duration / dt)):
        simulation.step(dt)
        report = simulation.step_report
        count, refused, shortest = count + report.sub_steps, refused + report.refused, min(shortest, report.shortest)
    return Run(simulation, simulation.states[0], count, refused, shortest)
