"""A clamped cable under a load across its tip in Exudyn: 2 to 16 ANCF cable elements, EA L^2/EI = 1e6, static solver.

And the accelerations of a free cable that is stretched, bent to an arc and let go: velocities after one explicit step.

Needs the package exudyn (pip install exudyn); the numbers are those of version 1.13.6.
"""

from __future__ import annotations

from itertools import pairwise

import exudyn
import numpy as np
from exudyn import itemInterface as items

CURVATURE, STRETCH = 2.0, 1.001  # 1/L, 1: of the arc
ROWS = [(n, load) for load in (1.0, 3.0, 10.0) for n in (2, 4, 8, 16)]


def tip(n, load):
    """Coordinates of the tip's node at the smallest tolerance of Newton's method that Exudyn reaches."""
    for tolerance in (1e-13, 1e-12, 1e-11, 1e-10):
        try:
            return solve(n, load, tolerance)
        except exudyn.SolverError:
            continue
    raise ValueError(f"Exudyn found no solution for {n} elements and the load {load}")


def solve(n, load, tolerance):
    """Displacement x and y of the tip, change of its slope x and y."""
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    nodes = [system.AddNode(items.NodePoint2DSlope1(referenceCoordinates=[i / n, 0, 1, 0])) for i in range(n + 1)]
    for first, last in pairwise(nodes):
        system.AddObject(items.ObjectANCFCable2D(
            nodeNumbers=[first, last], physicsLength=1 / n, physicsMassPerLength=1.0, bendingStiffness=1.0,
            axialStiffness=1e6, useReducedOrderIntegration=0))
    base = system.AddNode(items.NodePointGround())
    ground = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=base, coordinate=0))
    for coordinate in (0, 1, 3):  # the clamp holds position and direction; the length of the slope is free
        held = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=coordinate))
        system.AddObject(items.CoordinateConstraint(markerNumbers=[ground, held]))
    loaded = system.AddMarker(items.MarkerNodePosition(nodeNumber=nodes[-1]))
    system.AddLoad(items.Force(markerNumber=loaded, loadVector=[0, load, 0]))
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.staticSolver.numberOfLoadSteps = 10
    settings.staticSolver.newton.relativeTolerance = settings.staticSolver.newton.absoluteTolerance = tolerance
    settings.staticSolver.verboseMode = 0
    settings.solution.file.write = False
    system.SolveStatic(settings)
    return system.GetNodeOutput(nodes[-1], exudyn.OutputVariableType.Coordinates)


def accelerations(n):
    """Accelerations (n + 1, 4) of position and slope of the nodes of a cable that is let go."""
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    a = CURVATURE * np.linspace(0.0, 1.0, n + 1)
    arc = STRETCH * np.column_stack([np.sin(a) / CURVATURE, (1 - np.cos(a)) / CURVATURE, np.cos(a), np.sin(a)])
    nodes = [system.AddNode(items.NodePoint2DSlope1(
        referenceCoordinates=[i / n, 0, 1, 0], initialCoordinates=(arc[i] - [i / n, 0, 1, 0]).tolist()))
        for i in range(n + 1)]
    for first, last in pairwise(nodes):
        system.AddObject(items.ObjectANCFCable2D(
            nodeNumbers=[first, last], physicsLength=1 / n, physicsMassPerLength=1.0, bendingStiffness=1.0,
            axialStiffness=1e6, useReducedOrderIntegration=0))
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = 1, 1.0
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    system.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.ExplicitEuler)
    return np.array([system.GetNodeOutput(node, exudyn.OutputVariableType.Coordinates_t) for node in nodes])


def series():
    moving = []
    for n in (4, 16):
        found = accelerations(n)
        moving += [(n, *row) for row in (found / np.abs(found).max()).tolist()]
    rows = []
    for k, (n, load) in enumerate(ROWS):
        x, y, slope_x, slope_y = tip(n, load)
        rows.append((k, n, load, 1 + x, y, 1 + slope_x, slope_y))
    titles = ("row", "elements", "x", "y", "slope_x", "slope_y")
    return {"tips.csv": (("row", "elements", "load", "x", "y", "slope_x", "slope_y"), rows),
            "accelerations.csv": (titles, [(k, *row) for k, row in enumerate(moving)])}
