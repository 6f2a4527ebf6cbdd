"""A spacecraft flies a corkscrew to an asteroid, as in figure 7 of the JPL paper: python
examples/trampoline_corkscrew.py.

A pear-shaped asteroid of 1000 t turns about its angular momentum with half a revolution a minute. The middle of its
shape is not its centre of mass, and so it circles. The spacecraft comes along the angular momentum with 5 cm/s and
circles with it: its path is a corkscrew, and the asteroid stays in the middle of the membrane. The shapes of twelve
asteroids are drawn at random. Each is captured twice: after a corkscrew and after a straight approach.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import contactlib
from contactlib.report.plot import ALARM, COLOURS, SOFT, STYLE, new_figure
from contactlib.shapes.mass import MassProperties
from contactlib.shapes.polytopes import Polyhedron
from contactlib.simulation.results import Trajectory
from validation import conclude

Floats = NDArray[np.float64]
OUT = Path("out/trampoline_corkscrew")
STEP, DURATION = 0.1, 120.0  # s, of a capture
MASS, SPIN = 1e6, np.pi / 60.0  # kg; rad/s, half a revolution a minute (paper)
SPEED, THRUST = 0.05, 475.0  # m/s, N (paper)
APPROACH = 170.0  # s before the capture that are drawn
FRAME = 8.0  # m, the frame of the membrane ahead of the spacecraft's centre
GAP = 0.25  # m, between the frame and the asteroid at the start of a capture: 5 s
SHAPES, SEED = 12, 7


@dataclass(frozen=True)
class Pear:
    """A pear in its principal axes about its centre of mass: the convex hull of, with Legendre polynomials of c = x/r,

        r = 5 m (1 + 0.12 P2(c) + taper P3(c)),   P2 = (3 c^2 - 1)/2,   P3 = (5 c^3 - 3 c)/2

    stretched along its axes. P3 moves the middle of the extent, and hardly the centre of mass.
    """

    shape: Polyhedron
    mass: MassProperties

    @classmethod
    def of(cls, taper: float, stretch: tuple[float, float, float]) -> Pear:
        directions = np.random.default_rng(1).standard_normal((220, 3))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        c = directions[:, :1]
        radius = 1.0 + 0.06 * (3.0 * c**2 - 1.0) + 0.5 * taper * (5.0 * c**3 - 3.0 * c)
        corners = 5.0 * radius * directions * stretch
        rough = Polyhedron.hull_of(corners).mass_properties(1.0)
        axes = np.linalg.eigh(rough.inertia)[1]
        axes *= np.sign(np.linalg.det(axes))
        shape = Polyhedron.hull_of((corners - rough.com) @ axes)
        whole = shape.mass_properties(1.0)
        return cls(shape, shape.mass_properties(MASS / whole.mass))


def flight(pear: Pear, times: Floats) -> Rotation:
    """Attitudes of the asteroid in free rotation, whose angular momentum lies along z, from times[0] on.

    It begins tilted by 14 degrees from the rotation about its axis of greatest inertia, so that it nutates.
    """
    from scipy.integrate import solve_ivp

    inertia = np.diag(pear.mass.inertia)
    start = Rotation.from_rotvec([0.14, -0.2, 0.0])
    L = inertia[2] * SPIN * start.inv().apply([0.0, 0.0, 1.0])

    def rate(_: float, y: Floats) -> Floats:
        q, w = y[:4], y[4:]
        turning = 0.5 * np.array([q[3] * w[0] + q[1] * w[2] - q[2] * w[1], q[3] * w[1] + q[2] * w[0] - q[0] * w[2],
                                  q[3] * w[2] + q[0] * w[1] - q[1] * w[0], -q[:3] @ w])
        return np.concatenate([turning, np.cross(inertia * w, w) / inertia])

    found = solve_ivp(rate, (times[0], times[-1]), np.concatenate([start.as_quat(), L / inertia]), "DOP853", times,
                      rtol=1e-10, atol=1e-12)
    return Rotation.from_quat(found.y[:4].T)


def silhouette(points: Floats) -> Floats:
    """Return the centroid (2,) of the outline of points (n, 2): the same point in all axes."""
    outline = points[ConvexHull(points).vertices]
    following = np.roll(outline, -1, axis=0)
    areas = outline[:, 0] * following[:, 1] - outline[:, 1] * following[:, 0]
    return np.asarray((areas[:, None] * (outline + following)).sum(axis=0) / (3.0 * areas.sum()))


def middle(pear: Pear, attitudes: Rotation) -> Floats:
    """Return the middle (T, 2) of the asteroid's outline across z, m, seen from its centre of mass."""
    corners = np.einsum("tij,nj->tni", attitudes.as_matrix(), pear.shape.corners)[:, :, :2]
    return np.array([silhouette(each) for each in corners])


@dataclass(frozen=True)
class Approach:
    """The approach to one asteroid, in axes at its centre of mass.

    times (T,) up to the start of the capture, s; path (T, 3) of the spacecraft, m; attitudes (T,) of the asteroid.
    """

    times: Floats
    path: Floats
    attitudes: Rotation

    @classmethod
    def to(cls, pear: Pear, corkscrew: bool) -> Approach:
        times = np.arange(-APPROACH, 0.5 * STEP, STEP)
        attitudes = flight(pear, times)
        lowest = float((attitudes[-1].apply(np.array(pear.shape.corners)))[:, 2].min())
        path = np.zeros((len(times), 3))
        path[:, 2] = lowest - GAP - FRAME + SPEED * times
        if corkscrew:
            path[:, :2] = middle(pear, attitudes)
        return cls(times, path, attitudes)

    @property
    def radius(self) -> float:
        """Mean distance of the path from the angular momentum through the centre of mass, m."""
        return float(np.hypot(*self.path[:, :2].T).mean())

    def scene(self, pear: Pear) -> contactlib.Spec:
        """The scene `trampoline_capture` with this asteroid, at the end of the approach; panels move with the bus."""
        spec = contactlib.load("trampoline_capture")
        before, now = self.attitudes[-2], self.attitudes[-1]
        w_A = (now * before.inv()).as_rotvec() / STEP
        # the middle of a polyhedron's outline moves in small jerks: the slope of a parabola over ten seconds
        v_B = np.polyfit(self.times[-100:], self.path[-100:], 2)[1]
        q = now.as_quat()[[3, 0, 1, 2]]
        bodies = []
        for body in spec.bodies:
            if body.name == "asteroid":
                shaped = replace(body.shapes[0], shape=pear.shape)
                bodies.append(replace(body, mass=MASS, inertia=tuple(map(tuple, pear.mass.inertia)), shapes=(shaped,),
                                      state=(0.0, 0.0, 0.0, *q, 0.0, 0.0, 0.0, *w_A)))
                continue
            arm = np.array(body.state[:3])
            v = v_B + np.cross([0.0, 0.0, SPIN], arm)
            bodies.append(replace(body, state=(*(self.path[-1] + arm), *body.state[3:7], *v, 0.0, 0.0, SPIN)))
        return replace(spec, bodies=tuple(bodies))


def captured(pear: Pear, corkscrew: bool) -> tuple[Approach, Trajectory]:
    approach = Approach.to(pear, corkscrew)
    return approach, contactlib.Simulation(approach.scene(pear).compile()).run(duration=DURATION, dt=STEP)


def bending(done: Trajectory) -> float:
    """Return the largest moment of a solar array drive, N m."""
    return float(max(done.output("sada.bending[1]").max(), done.output("sada.bending[2]").max()))


def off_centre(pear: Pear, done: Trajectory) -> float:
    """Return the distance between the axis of the membrane and the middle of the asteroid at the first touch, m."""
    k = int(np.argmax(done.output("net.touching") > 0))
    rock, bus = done.body("asteroid")[k], done.body("bus")[k]
    turn = Rotation.from_quat(rock[[4, 5, 6, 3]])
    seen = Rotation.from_quat(bus[[4, 5, 6, 3]]).inv()
    corners = seen.apply(turn.apply(np.array(pear.shape.corners)) + rock[:3] - bus[:3])[:, :2]
    return float(np.hypot(*silhouette(corners)))


def drift(pear: Pear, done: Trajectory) -> float:
    """Return how far the middle of a freely rotating asteroid is from its centre of mass at the first touch, m."""
    touch = int(np.argmax(done.output("net.touching") > 0))
    times = np.arange(-APPROACH, (touch + 0.5) * STEP, STEP)
    return float(np.hypot(*middle(pear, flight(pear, times)[-1:])[0]))


def impulse_error(done: Trajectory, spec: contactlib.Spec) -> float:
    """Return how far the change of momentum is from the impulse of the thrust, as a part of it."""
    masses = np.array([body.mass for body in spec.bodies])
    momentum = (masses[:, None] * done.states[[0, -1], :, 7:10]).sum(axis=1)
    engine = next(element for element in spec.elements if element.kind == "thruster")
    bus = done.body("bus")
    force = engine.force * Rotation.from_quat(bus[:, [4, 5, 6, 3]]).apply([0.0, 0.0, 1.0])
    force[done.time < engine.start - 0.5 * STEP] = 0.0
    given = STEP * (0.5 * (force[:-1] + force[1:])).sum(axis=0)
    return float(np.linalg.norm(momentum[1] - momentum[0] - given) / np.linalg.norm(given))


def shapes() -> list[Pear]:
    """Draw the asteroids: taper 0.1 to 0.2, three stretches."""
    rng = np.random.default_rng(SEED)
    return [Pear.of(rng.uniform(0.1, 0.2), tuple(rng.uniform((1.05, 0.85, 0.7), (1.3, 1.0, 0.85))))
            for _ in range(SHAPES)]


def run(out: Path | None = None) -> dict[str, float]:
    """Capture all asteroids after a corkscrew and after a straight approach; returns what was measured."""
    rows, drawn = [], None
    for pear in shapes():
        (spiral, after), (_, straight) = captured(pear, True), captured(pear, False)
        drawn = drawn or (spiral, after)
        rows.append((spiral.radius, off_centre(pear, after), off_centre(pear, straight), bending(after),
                     drift(pear, straight), impulse_error(after, spiral.scene(pear)), after.output("net.touching")[-1]))
    table = np.array(rows)
    if out is not None and drawn is not None:
        draw(*drawn, table, out)
    return {
        "captured asteroids": float((table[:, 6] > 0).sum()),
        "off the centre after a corkscrew, largest": float(table[:, 1].max()),
        "straight approach: off the centre less distance of the middle from the axis": float(
            np.abs(table[:, 2] - table[:, 4]).max()),
        "momentum less impulse of the thrust": float(table[:, 5].max()),
        "largest bending of a solar array drive": float(table[:, 3].max()),
    }


def draw(approach: Approach, done: Trajectory, table: Floats, out: Path) -> None:
    """Draw the corkscrew, the capture, and how far all asteroids are off the centre."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = new_figure(11.0, 4.4)
        left, right = figure.subfigures(1, 2, width_ratios=(1, 1.4))
        path = left.add_subplot(projection="3d")
        path.plot(*approach.path.T, color=COLOURS[0])
        path.plot(*(done.body("bus") - done.body("asteroid"))[done.time < 20.0, :3].T, color=ALARM)
        path.plot([0, 0], [0, 0], [approach.path[0, 2], 0.0], color=SOFT, linewidth=0.8, linestyle="--")
        path.set(title="Path to the asteroid  [m]", xlabel="x", ylabel="y", zlabel="z", xlim=(-2, 2), ylim=(-2, 2))
        path.set_box_aspect((1, 1, 1.6), zoom=0.9)
        force, centre = right.subplots(1, 2)
        force.plot(done.time, done.output("net.normal_force"), label="tension of the fabric")
        force.plot(done.time, done.output("net.friction_force"), color=COLOURS[1], label="friction")
        force.set(title="Forces on the asteroid", xlabel="time  [s]", ylabel="[N]")
        force.legend()
        centre.scatter(table[:, 0], table[:, 2], color=COLOURS[1], label="straight")
        centre.scatter(table[:, 0], table[:, 1], color=COLOURS[0], label="corkscrew")
        centre.set(title=f"{len(table)} asteroids at the first touch", xlabel="radius of the corkscrew  [m]",
                   ylabel="off the centre  [m]", ylim=(0, None))
        centre.legend()
        out.mkdir(parents=True, exist_ok=True)
        figure.savefig(out / "trampoline_corkscrew.png", dpi=130)
    print(f"wrote {out / 'trampoline_corkscrew.png'}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the picture")
    conclude("trampoline_corkscrew", run(parser.parse_args().out))
