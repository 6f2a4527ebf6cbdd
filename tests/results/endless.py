"""A program that records a run, with a write to the disk after each frame, until it is killed."""

from collections.abc import Callable

from contactlib import Spec

PROGRAM = """
import sys
from contactlib import ResultWriter, Simulation
from {module} import {name}
spec = {name}()
simulation = Simulation(spec.compile())
writer = ResultWriter(sys.argv[1], simulation.model, scene=spec, interval=0.0)
while True:
    writer.record(simulation)
    print(writer.frames, flush=True)
    simulation.step(1e-3)
"""


def endless(scene: Callable[[], Spec]) -> str:
    """Return the program that runs the scene of a function; it prints the number of frames after each of them."""
    return PROGRAM.format(module=scene.__module__, name=scene.__name__)
