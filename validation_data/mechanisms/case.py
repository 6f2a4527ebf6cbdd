"""Latch and its drive, plunger, paddle and gauge, each in a small scene."""

from dataclasses import replace
from pathlib import Path

from contactlib.elements.drive import Drive
from contactlib.elements.gauge import Gauge
from contactlib.elements.indicator import Indicator
from contactlib.elements.latch import Latch
from contactlib.elements.latch_drive import LatchDrive
from contactlib.validation import building
from contactlib.validation.run import load_program

TRUTH = load_program(Path(__file__).parent / "reference.py")
MOTOR = Drive("motor", start=1.0, low=0.0, high=3.1, inertia=20.0, gear=1000.0, torque_constant=0.05, resistance=1.2,
              current_limit=100.0, efficiency=0.6)
LATCH = Latch("latch", "ring", 0.120, 0.060, 0.110, 0.090, motor=MOTOR, power=True, voltage=24.0, brake=False)
SPRING = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 0.0}}
RING = building.body("ring", "fixed")
G = 9.80665


def ball(material, at, motion="fixed", radius=0.02, **keys):
    return building.body("ball", motion, [building.shape("sphere", material, radius=radius)],
                         **{"mass": 3.0, "inertia": [0.1] * 3, "state": {"r": [float(x) for x in at]}, **keys})


def latches(runner):
    free = replace(building.scene([RING], step_size=1e-5), elements=(LATCH,))
    runs = runner.run(free, 0.1, 1e-3, ["latch.rate"])
    stall = replace(building.scene([RING], step_size=1e-3),
                    elements=(replace(LATCH, motor=replace(MOTOR, start=3.09)),))
    stalled = runner.run(stall, 2.0, 0.5, ["latch.torque"])
    # a ball below the tip, 0.5 mm deep, while the brake holds the crank at 1 rad
    tip = TRUTH.tip(1.0)
    link = building.body("link", "driven", [building.shape("sphere", radius=0.01, r=[0.190, 0.030, 0.0])])
    held = replace(LATCH, coupler_body="link", power=False, voltage=0.0, brake=True, motor=replace(MOTOR, brake=1e4))
    below = ball("b", (tip.real, tip.imag - 0.03 + 0.5e-3, 0.0))
    scene = replace(building.scene([RING, link, below], SPRING, [("link", "ball")], step_size=1e-3), elements=(held,))
    loaded = runner.run(scene, 3e-3, 1e-3, ["latch.load"])
    return {"run-up of the motor": (runs["time"], runs["latch.rate"]),
            "latch: torque at a stall": stalled["latch.torque"][-1],
            "latch: torque of 50 N on its tip": loaded["latch.load"][-1]}


def drives(runner):
    drive = LatchDrive("drive", motor=replace(MOTOR, brake=50.0, friction=1.0), stiffness=1e4)
    scene = replace(building.scene([], step_size=1e-3), elements=(drive,))
    found = runner.run(scene, 0.1, 1e-3, ["drive.torque"],
                       {"drive.rate": 1.0, "drive.angle": lambda t: 1.0 + t, "drive.brake": 1.0, "drive.power": 0.0})
    return {"latch_drive: torque of the brake": -found["drive.torque"][-1],
            "latch_drive: torque before it slips": -found["drive.torque"][2]}


def indicators(runner):
    pin = building.body("pin", "driven", [building.shape("box", size=[0.04, 0.04, 0.04], r=[0, 0, -0.02])])
    plunger = Indicator("plunger", "ring", "pin", "plunger", (0, 0, -1), travel=0.02, stiffness=400.0, preload=2.0,
                        damping=45.0, inertia=0.25, switch_on=0.015, switch_off=0.012, position=(0, 0, 0.1))
    damped = {"normal": {"kind": "kelvin_voigt", "stiffness": 2e4, "damping": 20.0}}
    above = ball("b", (0, 0, 0.129), "free", 0.03, mass=2.0)
    scene = replace(building.scene([RING, pin, above], damped, [("pin", "ball")], step_size=1e-3), elements=(plunger,))
    found = runner.run(scene, 20.0, 5.0, ["plunger.travel", "plunger.load"], {"ball.f_ext[3]": -5.0})

    paddle = Indicator("paddle", "ring", "pin", "paddle", (0, 1, 0), travel=0.5, stiffness=1.5, preload=0.01,
                       damping=0.02, inertia=0.004, switch_on=0.3, position=(0.1, 0, 0.1), pivot=(0, 0, 0.1))
    scene = replace(building.scene([RING, pin, ball("b", (0.1, 0, 0.12), radius=0.03)], damped, [("pin", "ball")],
                                   step_size=1e-3), elements=(paddle,))
    press = runner.run(scene, 5.0, 1.0, ["paddle.travel", *(f"ball.f[{k}]" for k in (1, 3))])
    # the force acts along the line from the contact to the ball's middle: its moment about the pivot
    fx, fz = press["ball.f[1]"][-1], press["ball.f[3]"][-1]
    moment = -((0.12 - 0.1) * fx - 0.1 * fz)
    return {"plunger: travel under 5 N": 1e3 * found["plunger.travel"][-1], "plunger: load": found["plunger.load"][-1],
            "paddle: spring over the moment of the load": (1.5 * press["paddle.travel"][-1] + 0.01) / moment}


def gauges(runner):
    law = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 1e3}}
    base = building.body("base", "fixed", [building.shape("plane", "b")])
    scene = building.scene([base, ball("a", (0, 0, 0.02), "free")], law, [("ball", "base")], step_size=1e-4,
                           gravity=[0, 0, -G])
    scene = replace(scene, elements=(Gauge("gauge", "base", "b", (0, 0, 1)),))
    found = runner.run(scene, 1.0, 0.5, ["gauge.load", "gauge.touching"])
    return {"gauge: load of a ball of 3 kg": found["gauge.load"][-1], "gauge: contacts": found["gauge.touching"][-1]}


def run(runner):
    return {**latches(runner), **drives(runner), **indicators(runner), **gauges(runner)}
