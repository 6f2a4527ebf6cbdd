"""A servicer catches a tumbling satellite by its pin, and lets it go: python examples/lee_free_flyer.py.

Nothing is held: what the cables give one body they take from the other, and the two turn about each other afterwards.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import contactlib
from lee_snare import CLOSE, OPEN, Snaring, momentum_error, snared
from panels import Panel, draw

RATE = np.radians(1.0)  # rad/s, of the tumble, about an axis across the pin and the pin's own
MASS, COM = 500.0, (0.0, 0.0, 0.8)  # kg, m; assumed
INERTIA = ((160.0, 0.0, 0.0), (0.0, 160.0, 0.0), (0.0, 0.0, 90.0))  # kg m2, assumed
AFTER = {"idle": (np.inf, CLOSE), "captured": (3.0, OPEN)}


def flown(rate: float = RATE, duration: float = 14.0) -> Snaring:
    """Capture, three seconds in the cables, release, and free flight until the end."""
    spec = contactlib.load("lee_snare").with_motion("free", "lee", "grapple")
    satellite = replace(spec.bodies[1], mass=MASS, inertia=INERTIA, com=COM)
    spec = replace(spec, bodies=(spec.bodies[0], satellite))
    w = np.array([rate, 0.0, rate]) / np.sqrt(2.0)
    # the pin comes by at rest: the middle of the satellite moves, not the point that is to be caught
    pin = np.array([0.0, 0.0, -0.2])
    state = {"r": (0.015, -0.01, 0.2), "q": (1.0, 0.0, 0.0, 0.0), "v": tuple(-np.cross(w, pin)), "w": tuple(w)}
    return snared(spec, duration, state=state, after=AFTER, weigh=100)


def measured(flight: Snaring) -> dict[str, float]:
    """Return what was measured of a flight."""
    s, captured = flight.series, flight.first("captured")
    opened = flight.first("opening") if flight.first("opening") >= 0 else len(flight.time) - 1
    relative = flight.states[:, 1] - flight.states[:, 0]
    return {
        "captured after [s]": flight.time[captured],
        "most tension [N]": s["tension"].max(),
        "rate between both before [deg/s]": np.degrees(np.linalg.norm(relative[0, 10:])),
        "rate between both, held [deg/s]": np.degrees(np.linalg.norm(relative[opened - 1, 10:])),
        "rate between both, let go [deg/s]": np.degrees(np.linalg.norm(relative[-1, 10:])),
        "speed between both, let go [mm/s]": 1e3 * np.linalg.norm(relative[-1, 7:10]),
        "contacts of cables at the end": s["touching"][-1],
        "momentum lost, of what was handed over": momentum_error(flight),
    }


def run() -> dict[str, float]:
    """What was measured."""
    return measured(flown())


def picture(flight: Snaring) -> None:
    """Draw the rate between both bodies, and the largest tension of the cables."""
    rate = np.degrees(np.linalg.norm(flight.states[:, 1, 10:] - flight.states[:, 0, 10:], axis=1))
    draw("lee_free_flyer", Panel("Rate between servicer and satellite", "time  [s]", "rate  [deg/s]",
                                 {"rate": (flight.time, rate)}),
         Panel("Largest tension of a cable", "time  [s]", "force  [N]",
               {"tension": (flight.time, flight.series["tension"].max(axis=1))}))


if __name__ == "__main__":
    result = flown()
    picture(result)
    for name, value in measured(result).items():
        print(f"{name:<42} {value:12.4g}")
