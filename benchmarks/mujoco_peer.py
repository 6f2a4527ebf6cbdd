"""MuJoCo beside us, if it is AVAILABLE: the hole as a ring of boxes, a block on a slope, and cables as its rods."""

from __future__ import annotations

import ctypes
import importlib.util
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Floats, address, compiled_loops

AVAILABLE = importlib.util.find_spec("mujoco") is not None
# bending of one-dimensional flexes with an implicit step: what took the place of the plugin mujoco.elasticity.cable
HAS_RODS = AVAILABLE and int(version("mujoco").partition(".")[0]) >= 4
BOXES, THICKNESS = 64, 0.01  # m, radially


def ring_xml(hole_radius: float, hole_length: float, radius: float, length: float) -> str:
    """A free capsule, and the hole -hole_length <= z <= 0 of boxes whose inner faces touch its circle."""
    half = np.array([THICKNESS, 2 * hole_radius * np.tan(np.pi / BOXES), hole_length]) / 2
    middle = hole_radius + half[0]
    boxes = "".join(
        f'<geom type="box" size="{_text(half)}"'
        f' pos="{_text([middle * np.cos(a), middle * np.sin(a), -half[2]])}"'
        f' quat="{_text([np.cos(a / 2), 0, 0, np.sin(a / 2)])}"/>'
        for a in 2 * np.pi * np.arange(BOXES) / BOXES
    )
    peg = f'<body><freejoint/><geom type="capsule" size="{_text([radius, length / 2])}"/></body>'
    return f"<mujoco><worldbody>{boxes}{peg}</worldbody></mujoco>"


def _text(numbers: Any) -> str:
    return " ".join(repr(float(x)) for x in numbers)


class Ring:
    """The ring of boxes at many poses of the peg: libmujoco's own functions, called in a loop in C."""

    def __init__(
        self, hole_radius: float, hole_length: float, radius: float, length: float, poses: Floats
    ) -> None:
        import mujoco

        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(ring_xml(hole_radius, hole_length, radius, length))
        self.data = mujoco.MjData(self.model)
        self.poses = np.ascontiguousarray(poses)
        self.loops = compiled_loops()
        self.how = "called from C" if self.loops else "called from Python: no C compiler"
        library = ctypes.CDLL(str(next(Path(mujoco.__file__).parent.glob("libmujoco.*"))))
        stages = library.mj_kinematics, library.mj_collision
        self.stages = [ctypes.cast(stage, ctypes.c_void_p) for stage in stages]

    def place(self) -> None:
        """The kinematics alone of every pose, to be taken off."""
        self._loop(collide=False)

    def place_and_collide(self) -> None:
        """Kinematics and collisions of every pose."""
        self._loop(collide=True)

    def _loop(self, collide: bool) -> None:
        if self.loops is None:
            for pose in self.poses:
                self._place(pose, collide)
            return
        self.loops.mujoco_poses(
            self.stages[0], self.stages[1] if collide else None, ctypes.c_void_p(self.model._address),
            ctypes.c_void_p(self.data._address), address(self.data.qpos), address(self.poses),
            ctypes.c_size_t(len(self.poses)))

    def _place(self, pose: Floats, collide: bool) -> None:
        self.data.qpos[:] = pose
        self.mujoco.mj_kinematics(self.model, self.data)
        if collide:
            self.mujoco.mj_collision(self.model, self.data)

    def depths(self) -> tuple[Floats, Floats]:
        """Deepest depth (m, 0 where nothing touches) and number of contacts of every pose."""
        rows = []
        for pose in self.poses:
            self._place(pose, collide=True)
            rows.append((max(0.0, -min(self.data.contact.dist, default=0.0)), self.data.ncon))
        depth, count = np.array(rows).T
        return depth, count


def block_drift(mass: float, gravity: Floats, mu: float) -> float:
    """Creep (m/s) of a block on a plane over the last 5 of 10 s, with the default solver and contacts."""
    import mujoco

    xml = (f'<mujoco><option gravity="{_text(gravity)}"/>'
           f'<default><geom friction="{mu} 0.005 0.0001"/></default>'
           '<worldbody><geom type="plane" size="5 5 1"/><body pos="0 0 0.05"><freejoint/>'
           f'<geom type="box" size="0.1 0.1 0.05" mass="{mass}"/></body></worldbody></mujoco>')
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    steps = round(5.0 / model.opt.timestep)
    mujoco.mj_step(model, data, nstep=steps)
    before = data.qpos[:3].copy()
    mujoco.mj_step(model, data, nstep=steps)
    return float(np.linalg.norm(data.qpos[:3] - before) / 5.0)


class Rods:
    """Straight cables along x, pinned at both ends, under their weight along -z: elastic rods that do not stretch."""

    def __init__(self, count: int, elements: int, length: float, EI: float, density: float, gravity: float, h: float,
                 solver: str) -> None:
        import mujoco

        self.mujoco = mujoco
        radius = 1.6e-3
        young = EI / (np.pi / 4 * radius**4)
        rods = "".join(
            f'<flexcomp name="rod{k}" type="grid" dim="1" dof="full" count="{elements + 1} 1 1"'
            f' spacing="{length / elements!r} 1 1" pos="{length / 2!r} {0.1 * k} 0" radius="{radius}"'
            f' mass="{density * length!r}"><pin id="0 {elements}"/><edge equality="true"/>'
            f'<elasticity young="{young!r}" poisson="0"/><contact contype="0" conaffinity="0"/></flexcomp>'
            for k in range(count)
        )
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><option timestep="{h}" gravity="0 0 {-gravity}" integrator="discrete" jacobian="sparse"'
            f' solver="{solver}"/><worldbody>{rods}</worldbody></mujoco>')
        self.data = mujoco.MjData(self.model)

    def step(self, steps: int) -> None:
        self.mujoco.mj_step(self.model, self.data, nstep=steps)

    def sag(self) -> float:
        """How far (m) the lowest place of all rods hangs."""
        return -float(self.data.flexvert_xpos[:, 2].min())
