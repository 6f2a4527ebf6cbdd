"""A small scene for each kind of element, in the middle of what it does: for damage to models and states."""

from dataclasses import replace

from contactlib import Simulation, Spec
from contactlib.elements.clearance import Clearance
from contactlib.elements.drive import Drive
from contactlib.elements.indicator import Indicator
from contactlib.elements.joints import FixedJoint, Hinge, Slider, SpringDamper
from contactlib.elements.latch_drive import LatchDrive
from contactlib.elements.range_finder import RangeFinder
from contactlib.elements.tether import Tether
from contactlib.elements.thruster import Thruster
from contactlib.model.model import Model
from tests.support import rings
from tests.support.scenes import body, caught_box, net, scene
from tests.support.snares import CONTROL, MOTOR, ROPE, free

BALL = {"name": "s", "kind": "sphere", "radius": 0.05, "material": "a"}


def membranes() -> Spec:
    """A membrane with profiles on a body that is moved, and one in a plane on the world, around the same box."""
    spec = caught_box("external", keys={
        "spread": "complementarity", "elastic": {"growth": [1.0, 2.0], "tension": [200.0, 600.0]},
        "extending": {"rate": [1.0], "tension": [15.0]}, "retracting": {"rate": [1.0], "tension": [5.0]}})
    thread = net(name="thread", dimension=2, suspension_points=[[-1.0, 0.2, 0.1], [1.0, 0.2, 0.1]])
    plane = scene([], [], [], {"membrane": [thread]})
    return replace(spec, elements=spec.elements + plane.elements)


def cables() -> Spec:
    """A ball that hangs in two crossing ropes, which touch each other too."""
    rope = {"name": "ropes", "first_points": [[-0.3, 0, 0], [0, -0.3, -0.0031]], "touches": ["b"],
            "friction": 0.3, "cable_friction": 0.2,
            "last_points": [[0.3, 0, 0], [0, 0.3, -0.0031]], "max_touches": 12, "break_load": 1e4,
            "cable": {**ROPE, "elements": 3, "capsules": 2}}
    ball = {**free("b", (0, 0, 0.0515)), "shape": [BALL]}
    return Spec.from_dict({"scene": {"name": "cables", "step_size": 1e-3, "gravity": [0, 0, -9.81]}, "body": [ball],
                           "cables": [rope]})


def snare() -> Spec:
    """Two cables on ring and carriage, both with motors and a control, that close on a pin; a driven carriage body."""
    cable = {**ROPE, "elements": 3, "capsules": 1}
    pin = {**free("pin"), "shape": [{**BALL, "radius": 0.071}]}
    table = {"name": "snare", "base": "hand", "cable": cable, "fixed_points": [[0.1, 0, 0], [-0.1, 0, 0]],
             "moving_points": [[0, 0.1, 0], [0, -0.1, 0]], "length": 0.145, "touches": ["pin"], "max_touches": 12,
             "friction": 0.2, "carriage_body": "plate", "ring": MOTOR, "carriage": {**MOTOR, "gear": 2e3},
             "control": CONTROL, "command": "close"}
    bodies = [{"name": "hand", "motion": "external", "shape": [{**BALL, "name": "t", "radius": 0.01}]}, pin,
              {"name": "plate", "motion": "driven"}]
    return Spec.from_dict({"scene": {"name": "snare", "step_size": 1e-3}, "body": bodies, "snare": [table]})


def joints() -> Spec:
    """Two arms on a base above a floor; a thruster pushes one arm, and a tether holds the other to the world."""
    arm = {"mass": 2.0, "inertia": [0.1, 0.1, 0.1]}
    floor = body("floor", "fixed", [{"name": "p", "kind": "plane", "material": "b"}])
    bodies = [body("base", "free", [{**BALL, "material": "a"}], **arm, state={"r": [0, 0, 0.049]}),
              body("left", "free", [{**BALL, "radius": 0.02}], **arm, state={"r": [0.2, 0, 0.019]}),
              body("right", "free", [{**BALL, "radius": 0.02}], **arm, state={"r": [-0.2, 0, 0.049]}), floor]
    law = {"name": "law", "materials": ["a", "b"],
           "normal": {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 10.0},
           "friction": {"kind": "coulomb", "mu_static": 0.5, "mu_kinetic": 0.4, "slip_velocity": 1e-3}}
    table = {"name": "joints", "base": "base", "arms": ["left", "right"], "stiffness": 10.0, "damping": 0.1,
             "base_points": [[0.1, 0, 0], [-0.1, 0, 0]], "arm_points": [[-0.1, 0, 0.03], [0.1, 0, 0]]}
    spec = scene(bodies, [law], [["base", "floor"], ["left", "floor"]], {"ball_joints": [table]})
    engine = Thruster("engine", "left", (0, 0, 1), 3.0, start=2e-3)
    line = Tether("line", None, "right", 50.0, 1.0, 0.04, first_point=(-0.2, 0, 0.1))
    return replace(spec, elements=(*spec.elements, engine, line))


def mechanism() -> Spec:
    """A driven arm with friction, stops and a welded tip on an external base; it presses a sprung slide. Sensors."""
    part = {"mass": 1.0, "inertia": [0.01, 0.01, 0.01]}
    skin = [{**BALL, "material": "a"}]
    bodies = [body("base", "external"), body("arm", "free", **part, state={"r": [0.2, 0, 0]}),
              body("tip", "free", skin, **part, state={"r": [0.4, 0, 0]}),
              body("slide", "free", skin, **part, state={"r": [0.4, 0, -0.0999]})]
    law = {"name": "law", "materials": ["a", "a"],
           "normal": {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 10.0},
           "friction": {"kind": "coulomb", "mu_static": 0.5, "mu_kinetic": 0.4, "slip_velocity": 1e-3}}
    spec = scene(bodies, [law], [["tip", "slide"]], wrench_output="mean")
    joints = (
        Hinge("motor", "arm", base="base", axis=(0, 1, 0), lower=-1.0, upper=1.0, stiffness=1.0, damping=0.1,
              friction=0.1, drive_stiffness=100.0, drive_damping=5.0, drive_limit=3.0, target=0.2),
        FixedJoint("weld", "tip", base="arm"),
        Slider("rail", "slide", axis=(0, 0, 1), lower=-0.1, damping=1.0, friction=0.2),
        SpringDamper("strut", "slide", None, 500.0, 2.0, last_point=(0.4, 0, -0.4)))
    sensors = (RangeFinder("lidar", ((0, 0, -1), (1, 0, 0)), body="tip", range=5.0), Clearance("gap", "tip"))
    return replace(spec, elements=(*joints, *sensors))


def berthing() -> Spec:
    """Latches, plungers, a gauge and their control; the other ring lies in the latches."""
    return rings.scene()


def latch_drive() -> Spec:
    """A latch whose linkage is elsewhere, a paddle that is pressed, and the control that leads the one by the other."""
    motor = Drive("motor", inertia=20.0, gear=1000.0, torque_constant=0.05, resistance=1.2, current_limit=100.0,
                  efficiency=0.6, friction=5.0, brake=50.0)
    paddle = Indicator("indicator1", "active", "pin1", "paddle", (0, -1, 0), travel=0.3, stiffness=1.0, damping=0.1,
                       inertia=0.1, switch_on=0.01, position=(0.1, 0.0, 0.05), pivot=(0.2, 0, 0.05))
    control = dict(rings.CONTROL) | {"indicators_needed": 1.0, "latches_needed": 1.0}
    logic = replace(rings.BERTHING, latches=("drive",), indicators=("indicator1",), control=tuple(control.items()))
    spec = rings.scene()
    kept = [pair for pair in spec.pairs if "link1" not in pair.bodies and "link2" not in pair.bodies]
    return replace(spec, pairs=tuple(kept), elements=(
        LatchDrive("drive", stiffness=1e4, motor=motor), paddle, rings.indicator(2), logic))


SPECS = {"membranes": membranes, "cables": cables, "snare": snare, "joints": joints, "mechanism": mechanism,
         "berthing": berthing, "latch_drive": latch_drive}


STEPS = {"cables": 60, "snare": 700, "joints": 60, "mechanism": 60}


def running(name: str, model: Model) -> Simulation:
    """A simulation in which the elements of a scene of SPECS are at work."""
    simulation = Simulation(model)
    if name == "latch_drive":
        simulation.elements["drive"].set(rate=0.3)
    if name in ("berthing", "latch_drive"):
        for k in range(0, 290 if name == "berthing" else 120, 2):
            simulation.step(2 * rings.STEP, {"passive": rings.state_of(k * rings.STEP)})
    elif name != "membranes":
        for _ in range(STEPS[name]):
            simulation.step(1e-3)
    return simulation
