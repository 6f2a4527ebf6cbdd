"""Exudyn beside us, if it is AVAILABLE: the same cables in a plane, by its own ANCF elements and integrator."""

from __future__ import annotations

import importlib.util
import time
import warnings
from typing import Any

AVAILABLE = importlib.util.find_spec("exudyn") is not None


def cables(count: int, elements: int, length: float, material: tuple[float, float, float], gravity: float) -> Any:
    """`count` straight cables along x, pinned at both ends, under their weight along y; EA, EI, rho A as ours."""
    import exudyn
    from exudyn.beams import GenerateStraightLineANCFCable2D
    from exudyn.itemInterface import Cable2D

    system = exudyn.SystemContainer().AddSystem()
    EA, EI, density = material
    template = Cable2D(physicsMassPerLength=density, physicsBendingStiffness=EI, physicsAxialStiffness=EA)
    for _ in range(count):
        GenerateStraightLineANCFCable2D(
            system, [0, 0, 0], [length, 0, 0], elements, template, massProportionalLoad=[0, -gravity, 0],
            fixedConstraintsNode0=[1, 1, 0, 0], fixedConstraintsNode1=[1, 1, 0, 0],
        )
    system.Assemble()
    return system


class Solver:
    """Generalised alpha and modified Newton, which keeps its Jacobian while it can."""

    def __init__(self, count: int, elements: int, length: float, material: tuple[float, float, float], gravity: float,
                 h: float, sparse: bool) -> None:
        import exudyn

        with warnings.catch_warnings():  # older names, which also older versions have
            warnings.simplefilter("ignore")
            self.system, self.h = cables(count, elements, length, material, gravity), h
            self.settings = settings = exudyn.SimulationSettings()
            settings.solutionSettings.writeSolutionToFile = False
            settings.timeIntegration.verboseMode = 0
            settings.timeIntegration.newton.useModifiedNewton = True
            if sparse:
                settings.linearSolverType = exudyn.LinearSolverType.EigenSparse

    def run(self, steps: int) -> float:
        """Seconds of processor time of this thread, from the start."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.settings.timeIntegration.numberOfSteps = steps
            self.settings.timeIntegration.endTime = steps * self.h
            start = time.thread_time()
            done = self.system.SolveDynamic(self.settings)
        if done is False:
            raise RuntimeError("exudyn did not finish")
        return time.thread_time() - start

    def step(self, steps: int) -> float:
        """Seconds of one step: of a long run less a short one, so that what a run costs before it begins drops out."""
        return (self.run(2 * steps) - self.run(steps)) / steps
