"""A master in Python for bodies in contact, exact under the wrenches it holds, and scenes to run with it."""

import numpy as np

import contactlib
from contactlib.simulation import rigid_body
from tests.support.scenes import body, law, scene


def balls(coupling, *, factor=1.0, offset=0.0, com=(0.0, 0.0, 0.0), w=(0.0, 0.0, 0.0), friction=None, damping=0.0,
          stiffness=1e4, **options):
    """Two balls of `factor` times 10 kg that meet at 2 m/s; without damping (N s/m) contact lasts 70 ms."""
    def ball(name, r, v, spin):
        return body(name, "external", [{"name": "skin", "kind": "sphere", "radius": 0.5, "material": "m"}],
                    mass=10.0 * factor, inertia=[factor] * 3, com=list(com), state={"r": r, "v": v, "w": spin})

    bodies = [ball("one", [-0.55, 0.0, 0.0], [1.0, 0.0, 0.0], list(w)),
              ball("two", [0.55, offset, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0])]
    touch = law("touch", ["m", "m"], {"kind": "kelvin_voigt", "stiffness": stiffness, "damping": damping}, friction)
    return scene(bodies, [touch], [["one", "two"]], coupling=coupling, **{"step_size": 1e-4, **options})


def tied(coupling, masses, ropes=1, length=0.7, **options):
    """Two bodies with a steel rope of 8 mm2 between them, or three, that are slack by a fiftieth."""
    pin, base = (body(name, "external", mass=m, inertia=[m / 6] * 3, state={"r": [side * (0.5 + length / 2), 0.0, 0.0]})
                 for name, m, side in zip(("pin", "base"), masses, (-1.0, 1.0), strict=True))
    pin["state"]["v"] = [-0.05, 0.0, 0.0]
    places = [(0.05, 0.0), (-0.05, 0.05), (-0.05, -0.05)][:ropes]
    rope = {"radius": 1.6e-3, "axial_stiffness": 4e5, "bending_stiffness": 0.01, "line_density": 0.035}
    cables = {"name": "ropes", "cable": rope, "first_body": "base", "last_body": "pin", "length": 1.02 * length,
              "first_points": [[-0.5, y, z] for y, z in places], "last_points": [[0.5, y, z] for y, z in places]}
    return scene([pin, base], [], [], {"cables": [cables]}, coupling=coupling, **options)


class Master:
    """Steps a simulation of external bodies and the bodies themselves, after Jacobi or with the contact first."""

    def __init__(self, spec, h, plant=None, order=None, outside=None):
        self.simulation = contactlib.Simulation(spec.compile())
        self.masses = rigid_body.Masses.of([part.mass_properties() for part in (plant or spec).bodies])
        self.order, self.h, self.outside = order or spec.coupling, h, outside
        self.states, self.wrenches = self.simulation.states.copy(), self.simulation.wrenches.copy()
        self.rows = [self.states]

    def run(self, steps):
        for _ in range(steps):
            self.simulation.step(self.h, self.states)
            new = self.simulation.wrenches.copy()
            load = new if self.order == "gauss_seidel" else self.wrenches
            if self.outside is not None:
                load = load + self.outside
            for _ in range(2):  # of order four, so that half a step is as good as exact
                self.states = rigid_body.rk4(self.masses, self.states, load, None, self.h / 2)
            self.wrenches = new
            self.rows.append(self.states)
        return np.array(self.rows)

    def momenta(self, rows):
        """Kinetic energy (T,), momentum and angular momentum (T, 3) about the world's origin of all bodies."""
        m, R = self.masses, rigid_body.rotations(rows[..., 3:7])
        c, w = rigid_body.apply(R, self.masses.com), rows[..., 10:]
        v = rows[..., 7:10] + np.cross(w, c)
        spin = rigid_body.apply(R @ m.inertia @ R.swapaxes(-1, -2), w)
        energy = (m.mass[:, 0] * (v * v).sum(-1) + (w * spin).sum(-1)) / 2
        linear = m.mass * v
        return energy.sum(-1), linear.sum(-2), (spin + np.cross(rows[..., :3] + c, linear)).sum(-2)
