"""A ship that turns with 3 rad/s and is pushed by a thruster along its x axis from 0.5 s on."""

from dataclasses import replace

from contactlib.elements.thruster import Thruster
from contactlib.validation import building


def ship(spin, **keys):
    body = building.body("ship", "free", mass=2.0, inertia=[1.0] * 3, state={"w": [0, 0, spin]})
    scene = building.scene([body], integrator="rk4", step_size=0.01)
    return replace(scene, elements=(Thruster("engine", "ship", force=5.0, start=0.5, **keys),))


def run(runner):
    found = runner.run(ship(3.0, direction=(1, 0, 0)), 2.0, 0.05, ["ship.v[1]", "ship.v[2]"])
    aside = runner.run(ship(0.0, direction=(0, 1, 0), position=(0.2, 0, 0)), 1.0, 0.5, ["ship.w[3]"])
    return {"velocity along x": (found["time"], found["ship.v[1]"]),
            "velocity along y": (found["time"], found["ship.v[2]"]),
            "spin after 1 s of a thruster 0.2 m beside the centre of mass": aside["ship.w[3]"][-1]}
