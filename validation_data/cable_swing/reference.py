"""A cable that falls, and one with a driven end, in Exudyn: 16 ANCF cable elements, generalised alpha, steps of 20 us.

Needs the package exudyn (pip install exudyn); the numbers are those of version 1.13.6.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import exudyn
from exudyn import itemInterface as items

N, LENGTH, EA, EI, DENSITY, G = 16, 1.0, 2e3, 0.01, 0.1, 9.81
STEP, SAMPLE, END = 2e-5, 0.05, 1.0  # s
WAY, RATE = 0.1, 2.0 * math.pi  # m, rad/s


def place(t, axis):
    """Coordinate of the driven end along the axes y and z (1, 2), m; both begin at rest."""
    turn = 1.0 - math.cos(RATE * t)
    return WAY * (turn if axis == 2 else 0.25 * turn * turn)


def follow(mbs, t, item, offset, axis):
    """`place` as a function of the offset of a constraint."""
    del mbs, item, offset
    return place(t, axis)


def tip(driven, step):
    """Time and position of the free end at every SAMPLE. The first end is at the origin, or driven."""
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    nodes = [system.AddNode(items.NodePointSlope1(referenceCoordinates=[LENGTH * i / N, 0, 0, 1, 0, 0]))
             for i in range(N + 1)]
    base = system.AddNode(items.NodePointGround())
    ground = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=base, coordinate=0))
    for first, last in pairwise(nodes):
        element = system.AddObject(items.ObjectANCFCable(
            nodeNumbers=[first, last], physicsLength=LENGTH / N, physicsMassPerLength=DENSITY,
            physicsBendingStiffness=EI, physicsAxialStiffness=EA, useReducedOrderIntegration=0))
        load = system.AddMarker(items.MarkerBodyMass(bodyNumber=element))
        system.AddLoad(items.LoadMassProportional(markerNumber=load, loadVector=[0, -G, 0]))
    for axis in range(3):
        marker = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=axis))
        offset = partial(follow, axis=axis) if driven and axis > 0 else 0
        system.AddObject(items.CoordinateConstraint(markerNumbers=[ground, marker], offsetUserFunction=offset))
    sensor = system.AddSensor(items.SensorNode(nodeNumber=nodes[-1], storeInternal=True,
                                               outputVariableType=exudyn.OutputVariableType.Position))
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = SAMPLE
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.newton.relativeTolerance = 1e-9
    settings.timeIntegration.numberOfSteps = round(END / step)
    settings.timeIntegration.endTime = END
    system.SolveDynamic(settings)
    return [tuple(row) for row in system.GetSensorStoredData(sensor)]


def series():
    rows = [(round(fall[0], 6), *fall[1:3], *driven[1:])
            for fall, driven in zip(tip(False, STEP), tip(True, STEP), strict=True)]
    return {"tips.csv": (("t", "fall_x", "fall_y", "driven_x", "driven_y", "driven_z"), rows)}
